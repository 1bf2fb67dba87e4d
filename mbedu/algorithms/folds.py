"""Run a part of an algorithm on some of the rows: what aggregation over folds needs of a judge.

A judge that can be restricted has `rows(index)`, which returns the same judge on those rows only, and tells
in `describe()["rows"]` how many it has. Any judge can do without: hand the judges of the folds over instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbedu.ask import Ask
from mbedu.errors import JudgeError
from mbedu.judge import Judge, completed
from mbedu.registry import require, whole


def training_folds(n: int, K: int, *, seed: int = 0) -> list[NDArray[np.int64]]:
    """Return for each of K folds the rows of the other K − 1, ascending; the folds are random and disjoint.

    Examples
    --------
    >>> [rows.tolist() for rows in training_folds(6, 3)]
    [[0, 1, 4, 5], [0, 1, 2, 3], [2, 3, 4, 5]]
    """
    whole("K", K, at_least=2)
    require(n >= K, f"K={K}: {n} rows cannot be cut into {K} folds; K is at most the number of rows")
    order = np.random.default_rng(seed).permutation(n)
    return [np.sort(np.concatenate([order[:a], order[b:]])) for a, b in _cuts(n, K)]


def _cuts(n: int, K: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, n, K + 1).round().astype(int).tolist()
    return list(pairwise(edges))


def fold_judges(judge: Any, K: int, *, seed: int = 0) -> list[Judge]:
    """Return the judge restricted to each training fold, or say that it cannot be restricted."""
    n = judge.describe().get("rows")
    if n is None or not hasattr(judge, "rows"):
        raise JudgeError(
            f"{judge!r} cannot be restricted to some of its rows (it has no method rows(index), or does not "
            f"say how many it has), which K={K} folds need; use K=0, or pass the judges of the folds "
            "yourself, as in folds=[G2(data.iloc[rows]) for rows in training_folds(len(data), 5)]"
        )
    return [completed(judge.rows(rows)) for rows in training_folds(int(n), K, seed=seed)]


def check_folds(folds: Sequence[Any], variables: Sequence[str]) -> list[Judge]:
    """Refuse judges of folds that do not know the same variables in the same order."""
    for k, judge in enumerate(folds):
        if not hasattr(judge, "judge") or tuple(judge.variables) != tuple(variables):
            raise JudgeError(
                f"folds[{k}] = {judge!r} is no judge on the same variables in the same order as the whole; "
                "make all of them from the same columns"
            )
    return [completed(judge) for judge in folds]


@contextmanager
def asking(ask: Ask, judge: Judge) -> Iterator[None]:
    """Let another judge answer for a while; the questions are counted and recorded as ever."""
    outer = ask._judge  # noqa: SLF001 - the door itself stays; who stands behind it changes
    ask._judge = judge  # noqa: SLF001
    try:
        yield
    finally:
        ask._judge = outer  # noqa: SLF001
