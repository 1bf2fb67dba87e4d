"""One algorithm of one paper a file; file = registry key = function name."""
