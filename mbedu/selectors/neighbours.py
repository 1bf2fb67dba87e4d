"""Dependency and consistency of numeric features, by the rows within a distance θ (Definition 9)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from mbedu.errors import DataError
from mbedu.selectors.cells import Cells
from mbedu.selectors.source import Ints, Rows
from mbedu.selectors.sums import Sums

__all__ = ["Measure", "Neighbours", "measure"]

MANY = 6000  # rows; every one is compared with every other, which takes 288 MB a matrix at this size


class Neighbours:
    """What the θ-neighbourhoods of a set of features say about the target.

    The distance is Euclidean, over numeric columns scaled to [0, 1]; two different labels of a
    discrete column are 1 apart. Distances are whole numbers of a tiny unit, so that a feature can be taken
    out of a sum exactly; a distance that exceeds θ by less than about 1e-7 counts as θ.

    Parameters
    ----------
    rows : Rows
        The table.
    target : str
        The label Y.
    features : sequence of str
        The features F.
    theta : float
        The radius θ; the paper takes 0.14.
    """

    def __init__(self, rows: Rows, target: str, features: Sequence[str], theta: float) -> None:
        n = len(rows)
        if n > MANY:
            raise DataError(
                f"neighbourhoods compare every row with every other, and {n} rows are more than {MANY}; "
                "take a sample, or discretise the numeric columns"
            )
        bits = (62 - math.ceil(math.log2(len(features) + 1))) // 2  # so that the largest sum fits int64
        self._unit = 1 << bits
        self._columns: dict[str, tuple[bool, Ints]] = {}
        for v in features:
            if v in rows.numbers:
                self._columns[v] = True, np.rint(rows.numbers[v] * self._unit).astype(np.int64)
            else:
                self._columns[v] = False, rows.codes[v]
        reach = theta * self._unit + math.sqrt(len(features))  # rounding moves a distance by no more
        self._limit = min(int(reach * reach), 2**62)
        self.label = np.unique(rows.codes[target], return_inverse=True)[1].reshape(-1)
        self.total = n
        self._apart = self.label[:, None] != self.label[None, :]
        self._sums = Sums(self._term, np.zeros((n, n), np.int64), kept=3)
        self._dependency: dict[frozenset[str], Fraction] = {}

    def _term(self, v: str) -> Ints:
        numeric, column = self._columns[v]
        if not numeric:
            unlike: Ints = (column[:, None] != column[None, :]) * np.int64(self._unit**2)
            return unlike
        gap: Ints = column[:, None] - column[None, :]
        return gap * gap

    def _near(self, X: frozenset[str]) -> Ints:
        near: Ints = self._sums(X) <= self._limit
        return near

    def dependency(self, members: Iterable[str]) -> Fraction:
        """Return D(X), the share of rows all of whose neighbours have their label; D(∅) = 0."""
        X = frozenset(members)
        if X not in self._dependency:
            pure = ~(self._near(X) & self._apart).any(axis=1)
            self._dependency[X] = Fraction(int(pure.sum()), self.total) if X else Fraction(0)
        return self._dependency[X]

    def consistency(self, members: Iterable[str]) -> Fraction:
        """Return the share of rows whose label is the commonest of its neighbours' (of equals, the first)."""
        near = self._near(frozenset(members)).astype(np.float64)  # sums of 0 and 1: exact
        votes = near @ np.eye(int(self.label.max()) + 1)[self.label]
        return Fraction(int((votes.argmax(axis=1) == self.label).sum()), self.total)


Measure = Cells | Neighbours


def measure(rows: Rows, target: str, features: Sequence[str], theta: float) -> Measure:
    """Return cells where all features are discrete, neighbourhoods of radius θ where some are numeric."""
    if any(v in rows.numbers for v in features):
        return Neighbours(rows, target, features, theta)
    return Cells(rows, target, features)
