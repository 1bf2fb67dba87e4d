"""Line tags: `# [3]` at the end of a statement says that it is line 3 of the pseudo-code.

Tags are read only while recording, from the source file of the algorithm, once a file.
`# [2-3]` is a statement that does lines 2 and 3: its questions light the last one, the test itself,
and its changes the first.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path
from types import FrameType

__all__ = ["line_of", "numbered_lines", "tags_of_file"]

TAG = re.compile(r"#\s*\[(\d+)(?:-(\d+))?\]")
NUMBERED = re.compile(r"^\s*(\d+)[:.]?\s", re.MULTILINE)


def numbered_lines(pseudocode: str) -> tuple[int, ...]:
    r"""Return the line numbers that a pseudo-code text has.

    Examples
    --------
    >>> numbered_lines("1  S ← ∅\n2  return S")
    (1, 2)
    """
    return tuple(int(found) for found in NUMBERED.findall(pseudocode))


@cache
def tags_of_file(path: str) -> dict[int, tuple[int, int]]:
    """Map each source line of a file to the (first, last) pseudo-code lines of its statement's tag."""
    try:
        source = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}  # typed into a notebook or a prompt: nothing to read, so nothing is tagged
    tagged: dict[int, tuple[int, int]] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and (found := TAG.search(token.string)):
            first, last = int(found[1]), int(found[2] or found[1])
            tagged[token.start[0]] = (first, last)
    spread: dict[int, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            start, end = _header(node)
            tag = next((tagged[row] for row in range(start, end + 1) if row in tagged), None)
            if tag:
                spread.update(dict.fromkeys(range(start, end + 1), tag))
    return spread


def _header(node: ast.stmt) -> tuple[int, int]:
    """Return the first and last source line of a statement without the block below it."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return node.lineno, max(node.lineno, body[0].lineno - 1)
    return node.lineno, node.end_lineno or node.lineno


def line_of(frame: FrameType | None, path: str) -> tuple[int, int] | None:
    """Return the (first, last) pseudo-code lines that the innermost frame of the file `path` stands at."""
    while frame is not None:
        if frame.f_code.co_filename == path:
            tag = tags_of_file(path).get(frame.f_lineno)
            if tag:
                return tag
        frame = frame.f_back
    return None
