"""Statistical judges: tests of conditional independence on data, and the engine that counts for them."""
