"""Does a test keep its level? The false positive rate under the null, with an exact interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbedu.errors import JudgeError
from mbedu.judge import Judge
from mbedu.query import Query

__all__ = ["Calibration", "false_positive_rate", "independent_columns"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How often a test called independent variables dependent.

    `low` and `high` bound the true rate with `confidence` (Clopper and Pearson's exact interval).
    """

    rejected: int
    tables: int
    low: float
    high: float
    confidence: float

    @property
    def rate(self) -> float:
        """The share of tables on which the test was wrong."""
        return self.rejected / self.tables

    def keeps(self, alpha: float) -> bool:
        """Say whether the level `alpha` lies within the interval, or above it."""
        return self.low <= alpha


def false_positive_rate(
    make_test: Callable[[Any], Judge],
    *,
    rows: int = 500,
    levels: Sequence[int] = (2, 2, 2),
    tables: int = 10_000,
    confidence: float = 0.999,
    seed: int = 0,
    make_data: Callable[[int, Sequence[int], np.random.Generator], Any] | None = None,
) -> Calibration:
    """Ask a test x ⊥ y | z on simulated tables in which it holds, and count how often it says dependent.

    Parameters
    ----------
    make_test : callable
        Builds the judge from a DataFrame with columns x, y, z0, z1, …
    rows : int
        Rows of each table.
    levels : sequence of int
        The levels of x, y and of the conditioning variables.
    tables : int
        How many tables are simulated.
    confidence : float
        Of the exact binomial interval.
    seed : int
        The same seed gives the same tables.
    make_data : callable, optional
        Replaces `independent_columns`: rows, levels and a generator to a DataFrame, for tests that
        want other data than labels.

    Examples
    --------
    >>> from mbedu.citests import G2
    >>> found = false_positive_rate(lambda frame: G2(frame, 0.05), rows=300, levels=(2, 3), tables=400)
    >>> found.low <= 0.05 <= found.high
    True
    """
    if tables < 1 or rows < 1 or len(levels) < 2:
        raise JudgeError(
            f"tables={tables}, rows={rows}, levels={tuple(levels)}: a rate needs at least one table, "
            "one row and the levels of x and y"
        )
    from scipy.stats import binomtest

    generator = np.random.default_rng(seed)
    draw = make_data or independent_columns
    query = Query("x", "y", [f"z{i}" for i in range(len(levels) - 2)])
    rejected = sum(
        not make_test(draw(rows, levels, generator)).judge(query).independent for _ in range(tables)
    )
    interval = binomtest(rejected, tables).proportion_ci(confidence, method="exact")
    return Calibration(rejected, tables, float(interval.low), float(interval.high), confidence)


def independent_columns(rows: int, levels: Sequence[int], generator: np.random.Generator) -> Any:
    """Return a DataFrame in which x and y depend on z0, z1, … and are independent given them."""
    import pandas as pd

    given = [generator.integers(0, k, rows) for k in levels[2:]]
    stratum = np.zeros(rows, np.int64)
    strata = 1
    for column, k in zip(given, levels[2:], strict=True):
        stratum = stratum * k + column
        strata *= k
    columns = {name: _draw(k, stratum, strata, generator) for name, k in zip("xy", levels, strict=False)}
    columns.update({f"z{i}": column for i, column in enumerate(given)})
    return pd.DataFrame(columns)


def _draw(
    k: int, stratum: NDArray[np.int64], strata: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw a variable with k levels whose distribution depends on the stratum, none of them rare."""
    weight = generator.uniform(1.0, 2.0, (strata, k))
    upper = np.cumsum(weight / weight.sum(1, keepdims=True), axis=1)
    value: NDArray[np.int64] = (generator.random(len(stratum))[:, None] > upper[stratum][:, :-1]).sum(1)
    return value
