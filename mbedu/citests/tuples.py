"""The subsets of a set of columns, as arrays of positions, in the order of varset.Subsets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from mbedu.citests.encode import Ints

__all__ = ["all_tuples"]

WHOLE = 1 << 19  # so many subsets are written down at once and remembered


def all_tuples(size: int, m: int, *, block: int = 1 << 16, largest: int = 1 << 16) -> Iterator[Ints]:
    """Yield the m-subsets of range(size) in lexicographic order; blocks grow from `block` to `largest`.

    Examples
    --------
    >>> [part.tolist() for part in all_tuples(4, 2, block=2)]
    [[[0, 1], [0, 2]], [[0, 3], [1, 2], [1, 3], [2, 3]]]
    """
    total, a = math.comb(size, m), 0
    whole = _whole(size, m) if total <= WHOLE else None
    while a < total:
        end = min(total, a + block)
        yield _unrank(np.arange(a, end), size, m) if whole is None else whole[a:end]
        a, block = end, min(largest, block * 4)


@lru_cache(maxsize=16)
def _whole(size: int, m: int) -> Ints:
    if m == 0:
        return np.empty((1, 0), np.int64)
    if m == 1:
        return np.arange(size)[:, None]
    rest = _whole(size, m - 1)
    # those that start with s are s and the (m−1)-subsets of what comes after s: a tail of their list
    tail = np.searchsorted(rest[:, 0], np.arange(size), side="right")
    lengths = len(rest) - tail
    made = np.empty((int(lengths.sum()), m), np.int64)
    made[:, 0] = np.repeat(np.arange(size), lengths)
    made[:, 1:] = np.concatenate([rest[a:] for a in tail])
    made.flags.writeable = False
    return made


def _unrank(position: Ints, size: int, m: int) -> Ints:
    made = np.empty((len(position), m), np.int64)
    low = np.zeros(len(position), np.int64)
    left = position
    for b in range(m):
        before = np.concatenate(([0], np.cumsum([math.comb(size - t - 1, m - b - 1) for t in range(size)])))
        at = left + before[low]
        made[:, b] = np.searchsorted(before, at, side="right") - 1
        left = at - before[made[:, b]]
        low = made[:, b] + 1
    return made
