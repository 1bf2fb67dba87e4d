"""Partial correlations from data, also where columns are constant, copied or sums of each other.

Columns are centred and scaled to length 1 once. Where everything is well conditioned, conditioning on
z is elimination in the matrix of correlations, one variable of z at a time, largest remaining variance
first, for all candidates at once and without touching the rows again. Every operation of it is
elementwise, so that a batch gives the same digits as one question. Where some variance that is left is
small, the matrix has lost digits: the residuals are then computed from the rows.

A residual counts as zero when its length is below `ZERO` of the column's own: two or three digits
above what rounding leaves of a column that is a sum of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ZERO", "Numbers", "Relation", "basis_of"]

Floats: TypeAlias = NDArray[np.float64]

ZERO = 1e-9
SAFE = 1e-6  # a variance left below this has lost more digits of the matrix than a test may lose
WIDE = 4000  # above so many columns the matrix of correlations is not kept: it would take over 128 MB
CHUNK = 1 << 22  # numbers held at once where it is not


@dataclass(frozen=True, slots=True)
class Relation:
    """What is left between x and y given z.

    Attributes
    ----------
    dims : (int, int)
        The ranks of x and of y given z; 0 when a side is constant or a function of z.
    rank : int
        The rank of z.
    left : tuple of float
        1 − ρ² for each canonical correlation ρ of x and y given z; for single variables 1 − r².
    sign : float
        The sign of r for single variables; otherwise 1.
    """

    dims: tuple[int, int]
    rank: int
    left: tuple[float, ...]
    sign: float = 1.0


class Numbers:
    """Columns of numbers without gaps, and the relations between them.

    Examples
    --------
    >>> numbers = Numbers(np.array([[0.0, 1.0, 7.0], [1.0, 0.0, 7.0], [2.0, 2.0, 7.0]]))
    >>> round(numbers.pair(0, 1, ()).left[0], 12), numbers.pair(0, 2, ()).dims
    (0.75, (1, 0))
    """

    def __init__(self, values: Floats) -> None:
        self.n, self.size = values.shape
        by_variable = np.array(values.T, dtype=np.float64, order="C")
        self.constant = np.ones(self.size, np.bool_)
        if self.n:
            self.constant = by_variable.min(axis=1) == by_variable.max(axis=1)
            by_variable /= np.maximum(np.abs(by_variable).max(axis=1, keepdims=True), np.finfo(float).tiny)
            by_variable -= by_variable.mean(axis=1, keepdims=True)
            length = np.sqrt((by_variable * by_variable).sum(axis=1, keepdims=True))
            self.constant |= length[:, 0] == 0.0
            by_variable /= np.where(length > 0.0, length, 1.0)
        by_variable[self.constant] = 0.0
        self.unit = by_variable
        self._matrix: Floats | None = None
        self._basis: tuple[tuple[int, ...], Floats] | None = None

    # --- correlations ----------------------------------------------------------------------------

    def correlations(self, i: int, columns: Sequence[int]) -> Floats:
        """Return the correlations of column i with some columns; those with a constant are 0."""
        if self.size <= WIDE:
            if self._matrix is None:
                matrix = self.unit @ self.unit.T
                self._matrix = (matrix + matrix.T) / 2.0
            found: Floats = self._matrix[i, columns]
            return found
        found = np.empty(len(columns))
        step = max(1, CHUNK // max(1, self.n))
        for a in range(0, len(columns), step):  # row by row, so that a sum does not depend on its neighbours
            found[a : a + step] = (self.unit[columns[a : a + step]] * self.unit[i]).sum(axis=1)
        return found

    # --- single variables ------------------------------------------------------------------------

    def pair(self, x: int, y: int, given: Sequence[int]) -> Relation:
        """Return what is left between two columns given others."""
        return self.pairs(x, [y], given)[0]

    def pairs(self, x: int, ys: Sequence[int], given: Sequence[int]) -> list[Relation]:
        """Return what is left between column x and each of `ys`; `given` in ascending order."""
        alive = [g for g in given if not self.constant[g]]
        columns = [x, *ys]
        cov, var, smallest = self._eliminate(columns, alive)
        wrong = self.constant[columns]
        fine = ~wrong & (var >= SAFE)
        if smallest < SAFE or (not fine[0] and not wrong[0]):
            return [self._slow_pair(x, y, alive) for y in ys]
        rest = np.where(fine, var, 1.0)
        r = cov / np.sqrt(rest[0] * rest[1:])
        left = 1.0 - r * r
        made = []
        for j, y in enumerate(ys):
            if wrong[0] or wrong[j + 1]:
                dims = (int(not wrong[0]), int(not wrong[j + 1]))
                made.append(Relation(dims, len(alive), ()))
            elif fine[j + 1] and left[j] >= SAFE:
                made.append(Relation((1, 1), len(alive), (float(left[j]),), float(np.sign(r[j]))))
            else:
                made.append(self._slow_pair(x, y, alive))
        return made

    def _eliminate(self, columns: list[int], given: list[int]) -> tuple[Floats, Floats, float]:
        """Return Cov(x, ·), the variances, all conditional, and the smallest pivot."""
        cov = self.correlations(columns[0], columns[1:]).copy()
        var = np.ones(len(columns))
        across = np.array([self.correlations(g, columns) for g in given]).reshape(len(given), len(columns))
        inner = np.array([self.correlations(g, given) for g in given]).reshape(len(given), len(given))
        waiting = list(range(len(given)))
        smallest = 1.0
        while waiting:
            p = max(waiting, key=lambda i: float(inner[i, i]))
            pivot = float(inner[p, p])
            smallest = min(smallest, pivot)
            if pivot < SAFE:
                break
            waiting.remove(p)
            w = across[p] / np.sqrt(pivot)
            column = inner[:, p] / np.sqrt(pivot)
            cov -= w[0] * w[1:]
            var -= w * w
            across -= column[:, None] * w
            inner -= column[:, None] * column
        return cov, var, smallest

    def _slow_pair(self, x: int, y: int, given: list[int]) -> Relation:
        """Return what is left of a pair, from the rows."""
        first, second = min(x, y), max(x, y)  # the same digits whichever is called x
        basis = self._given(given)
        a, b = self._residual(first, basis), self._residual(second, basis)
        if a is None or b is None:
            known = {first: int(a is not None), second: int(b is not None)}
            return Relation((known[x], known[y]), basis.shape[1], ())
        r = float(a @ b)
        across = b - r * a
        return Relation((1, 1), basis.shape[1], (float(across @ across),), float(np.sign(r)))

    # --- from the rows ---------------------------------------------------------------------------

    def _given(self, given: Sequence[int]) -> Floats:
        """Return an orthonormal basis of the columns given, rows × rank."""
        key = tuple(given)
        if self._basis is None or self._basis[0] != key:
            self._basis = (key, basis_of(self.unit[list(key)].T))
        return self._basis[1]

    def _residual(self, column: int, basis: Floats) -> Floats | None:
        """Return the residual of a column, scaled to length 1; None if nothing is left."""
        rest = self.unit[column]
        if self.constant[column]:
            return None
        for _ in range(2):  # twice, because once leaves what rounding made of a large projection
            rest = rest - basis @ (basis.T @ rest)
        length = float(np.sqrt(rest @ rest))
        return None if length <= ZERO else rest / length

    def sets(self, x: Sequence[int], y: Sequence[int], given: Sequence[int]) -> Relation:
        """Return what is left between two sets of columns given others."""
        basis = self._given([g for g in given if not self.constant[g]])
        a, b = (self._side(side, basis) for side in (x, y))
        dims = (a.shape[1], b.shape[1])
        if not all(dims):
            return Relation(dims, basis.shape[1], ())
        rho = np.linalg.svd(a.T @ b, compute_uv=False)[: min(dims)]
        left = np.maximum(1.0 - rho * rho, 0.0)
        return Relation(dims, basis.shape[1], tuple(left.tolist()))

    def _side(self, side: Sequence[int], basis: Floats) -> Floats:
        kept = [rest for rest in (self._residual(c, basis) for c in side) if rest is not None]
        return basis_of(np.array(kept).reshape(len(kept), self.n).T)


def basis_of(columns: Floats) -> Floats:
    """Return an orthonormal basis of columns of length 1, leaving out those that the others make up."""
    from scipy.linalg import qr

    rows, size = columns.shape
    if not size or not rows:
        return np.zeros((rows, 0))
    q, r, _ = qr(columns, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(r)) > ZERO).sum())
    made: Floats = np.asarray(q[:, :rank], np.float64)
    return made
