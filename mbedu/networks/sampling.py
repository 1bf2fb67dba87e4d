"""Ancestral sampling: every variable after its parents, a whole column at a time."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from mbedu.networks.tables import NetworkError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from mbedu.networks.network import Network

__all__ = ["codes", "sample"]

# Rows drawn at once. The uniforms are drawn row by row, so that the size changes no number;
# it is small enough for the uniforms of several hundred variables to stay near the processor.
CHUNK = 8192


def sample(network: Network, n: int, *, seed: Any) -> pd.DataFrame:
    """Draw `n` rows as a DataFrame of categoricals; see `Network.sample`."""
    import pandas as pd

    drawn = codes(network, n, seed=seed)
    dtypes = {states: pd.CategoricalDtype(list(states)) for states in map(network.states, network.variables)}
    return pd.DataFrame(
        {
            v: pd.Categorical.from_codes(column, dtype=dtypes[network.states(v)])
            for v, column in zip(network.variables, drawn, strict=True)
        },
        copy=False,
    )


def codes(network: Network, n: int, *, seed: Any) -> npt.NDArray[np.int16]:
    """Draw `n` rows as state numbers: one row a variable, in variable order, one column a draw."""
    import numpy as np

    if not isinstance(n, Integral) or n < 0:
        raise NetworkError(f"n={n!r}: the number of rows to draw is an integer of at least 0")
    rng = _generator(seed)
    steps = [_Step(network, v) for v in network.topological]
    drawn = np.empty((len(network.variables), int(n)), dtype=np.int16)
    for start in range(0, int(n), CHUNK):
        chunk = drawn[:, start : start + CHUNK]
        uniforms = np.ascontiguousarray(rng.random((chunk.shape[1], len(drawn))).T)
        for step in steps:
            step.draw(chunk, uniforms)
    return drawn


def _generator(seed: Any) -> np.random.Generator:
    import numpy as np

    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.SeedSequence) or (isinstance(seed, Integral) and int(seed) >= 0):
        # the bit generator is named, because numpy may one day change its default
        return np.random.Generator(np.random.PCG64(seed))  # type: ignore[arg-type]
    raise NetworkError(
        f"seed={seed!r}: a seed is an integer of at least 0 (or a numpy Generator), for example seed=0"
    )


class _Step:
    """How one variable is drawn once its parents are."""

    def __init__(self, network: Network, variable: str) -> None:
        import numpy as np

        position = {v: i for i, v in enumerate(network.variables)}
        self.at = position[variable]
        self.parents = [(position[p], len(network.states(p))) for p in network.parents(variable)]
        table = network.table(variable)
        bounds = table.cumulative()[:, :-1]
        # padded to a power of two for the bisection; nothing reaches the padding
        self.half = 1 << max(bounds.shape[1].bit_length() - 1, 0)
        self.width = 2 * self.half
        padded = np.full((len(bounds), self.width), np.inf)
        padded[:, : bounds.shape[1]] = bounds
        self.bounds = padded.ravel()

    def draw(self, chunk: npt.NDArray[np.int16], uniforms: npt.NDArray[np.float64]) -> None:
        """Fill the variable's line of `chunk`: the number of cumulative bounds that are ≤ the uniform."""
        import numpy as np

        row = np.zeros(chunk.shape[1], dtype=np.intp)
        for parent, size in self.parents:
            row *= size
            row += chunk[parent]
        start = row * self.width
        found, half, u = start.copy(), self.half, uniforms[self.at]
        while half:  # bisection in step for all rows: log2(states) passes, however many the states are
            found += half * (self.bounds[found + (half - 1)] <= u)
            half //= 2
        chunk[self.at] = found - start
