"""Sums over sets of features, each reached from the nearest sum that is still known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sums"]

Array = NDArray[np.int64]


class Sums:
    """Σ of one integer array a feature, over any set of features.

    Integers can be taken away again without a trace, so the sum over F − {a} costs one subtraction
    from the sum over F. A few recent sums are kept, and the next one starts from the nearest.

    Examples
    --------
    >>> parts = {"A": np.array([1, 0]), "B": np.array([10, 20]), "C": np.array([100, 0])}
    >>> total = Sums(parts.__getitem__, np.zeros(2, np.int64))
    >>> total(frozenset("ABC")).tolist(), total(frozenset("AB")).tolist()
    ([111, 20], [11, 20])
    """

    def __init__(self, term: Callable[[str], Array], zero: Array, *, kept: int = 4) -> None:
        self._term = term
        self._kept = kept
        self._known: dict[frozenset[str], Array] = {frozenset(): zero}

    def __call__(self, members: frozenset[str]) -> NDArray[Any]:
        """Return the sum over `members`; the array is not to be changed."""
        if members in self._known:
            return self._known[members]
        base = min(self._known, key=lambda known: len(known ^ members))
        out = self._known[base].copy()
        for v in members - base:
            out += self._term(v)
        for v in base - members:
            out -= self._term(v)
        while len(self._known) > self._kept:  # the first is the empty set, which stays
            del self._known[list(self._known)[1]]
        self._known[members] = out
        return out
