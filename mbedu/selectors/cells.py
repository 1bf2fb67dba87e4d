"""Counts of discrete cells: dependency, consistency and entropy of a set of features, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from mbedu.selectors.source import Ints, Rows
from mbedu.selectors.sums import Sums

__all__ = ["Cells"]

WORD = 2**62


class Cells:
    """What the cells of a set of features say about the target.

    Each row's cell is a number in mixed radix, one digit a feature; where one 64-bit word cannot
    hold all digits there are several words. So cells are told apart exactly, without hashing by chance.

    Parameters
    ----------
    rows : Rows
        The table or the distribution.
    target : str
        The label Y.
    features : sequence of str
        The features F.

    Examples
    --------
    >>> both = {"A": np.array([0, 0, 1, 1]), "B": np.array([0, 1, 0, 1]), "Y": np.array([0, 0, 0, 1])}
    >>> cells = Cells(Rows(both, np.ones(4, np.int64)), "Y", ["A", "B"])
    >>> [str(cells.dependency(X)) for X in ([], ["A"], ["A", "B"])], str(cells.consistency(["A"]))
    (['0', '1/2', '1'], '3/4')
    """

    def __init__(self, rows: Rows, target: str, features: Sequence[str]) -> None:
        self.total = rows.total
        self._place = {v: i for i, v in enumerate((*features, target))}
        self._digits: list[tuple[int, Ints]] = []  # for each column its word, and its digit's worth a row
        table, self.weights = _merged([rows.codes[v] for v in self._place], rows.weights, self.total)
        word, room = 0, 1
        for column in table:
            card = int(column.max()) + 1
            if room * card > WORD:
                word, room = word + 1, 1
            self._digits.append((word, column * room))
            room *= card
        self._words = word + 1
        self.label = table[-1]
        self._sums = Sums(self._term, np.zeros((self._words, len(self.label)), np.int64))
        self._dependency: dict[frozenset[str], Fraction] = {}
        self._entropy: dict[frozenset[str], float] = {}

    def _term(self, v: str) -> Ints:
        word, worth = self._digits[self._place[v]]
        out = np.zeros((self._words, len(worth)), np.int64)
        out[word] = worth
        return out

    def _sorted(self, members: frozenset[str]) -> tuple[Ints, Ints]:
        """Return an order of the rows that puts equal cells together, and where each cell starts."""
        words = self._sums(members)
        order = np.lexsort(words) if len(words) > 1 else np.argsort(words[0], kind="stable")
        changed = (words[:, order[1:]] != words[:, order[:-1]]).any(axis=0)
        return order, np.concatenate(([0], np.flatnonzero(changed) + 1))

    def dependency(self, members: Iterable[str]) -> Fraction:
        """Return D(X), the mass of the cells of X on which the target is determined; D(∅) = 0."""
        X = frozenset(members)
        if X not in self._dependency:
            self._dependency[X] = self._mass(X) if X else Fraction(0)
        return self._dependency[X]

    def _mass(self, X: frozenset[str]) -> Fraction:
        order, starts = self._sorted(X)
        label = self.label[order]
        pure = np.minimum.reduceat(label, starts) == np.maximum.reduceat(label, starts)
        masses = np.add.reduceat(self.weights[order], starts)
        return Fraction(int(masses[pure].sum()), self.total)

    def consistency(self, members: Iterable[str]) -> Fraction:
        """Return the mass of the rows whose label is the commonest of their cell."""
        X = frozenset(members)
        order, starts = self._sorted(X)
        cell = np.empty(len(order), np.int64)
        cell[order] = np.repeat(np.arange(len(starts)), np.diff([*starts.tolist(), len(order)]))
        width = int(self.label.max()) + 1
        masses = np.zeros(len(starts) * width, self.weights.dtype)
        np.add.at(masses, cell * width + self.label, self.weights)
        return Fraction(int(masses.reshape(-1, width).max(axis=1).sum()), self.total)

    def entropy(self, members: Iterable[str]) -> float:
        """Return the entropy of some columns, features or the target, in bits."""
        X = frozenset(members)
        if X not in self._entropy:
            order, starts = self._sorted(X)
            masses = np.add.reduceat(self.weights[order], starts).tolist()
            shares = [m / self.total for m in masses]
            self._entropy[X] = max(0.0, -math.fsum(p * math.log2(p) for p in shares))
        return self._entropy[X]

    def information(self, x: str, y: str) -> float:
        """Return the mutual information of two columns in bits: the information gain of x about y."""
        gain = math.fsum((self.entropy([x]), self.entropy([y]), -self.entropy([x, y])))
        return gain if gain > 1e-12 else 0.0  # rounding must not make an irrelevant feature relevant

    def symmetrical_uncertainty(self, x: str, y: str) -> float:
        """Return SU(x, y) = 2·I(x; y) / (H(x) + H(y)); 0 if both are constant."""
        below = self.entropy([x]) + self.entropy([y])
        return 2 * self.information(x, y) / below if below else 0.0


def _merged(columns: Sequence[Ints], weights: Ints, total: int) -> tuple[Ints, Ints]:
    """Merge rows that agree in every column; codes are renumbered to those that occur."""
    table = np.stack([np.unique(column, return_inverse=True)[1] for column in columns]).astype(np.int64)
    distinct, where = np.unique(table, axis=1, return_inverse=True)
    sums = np.zeros(distinct.shape[1], np.int64 if total < WORD else object)
    np.add.at(sums, where.reshape(-1), weights)
    return distinct, sums
