"""The counting kernels in plain NumPy: the path that always works.

They do what kernels_numba.py does and must fill the same integer tables. Tables of many candidates
are held with the candidate as the *last* axis, `strata × r × c × candidates`: sums over levels are
then additions of whole rows, in an order that does not depend on how many candidates there are, so
that a candidate gets the same number to the last bit alone and in a crowd.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.encode import Codes, Ints, Words, pack

__all__ = [
    "cell_order", "cells_of", "measure", "moments", "move_bits", "refine",
    "scan_codes", "scan_planes", "scan_tuples",
]  # fmt: skip

Floats: TypeAlias = NDArray[np.float64]
Int32s: TypeAlias = NDArray[np.int32]
BUDGET = 1 << 19  # numbers handled at once: 4 MB, so that they stay near the processor


def refine(z: Int32s, strata: int, code: NDArray[Any], card: int) -> tuple[Int32s, int]:
    """Split strata by one more variable; number those that occur by their first row."""
    n = len(z)
    joint = z.astype(np.int64) * card + code
    lost = (z == strata) | (code >= card)
    joint[lost] = strata * card
    first = np.full(strata * card + 1, n)
    first[joint[::-1]] = np.arange(n - 1, -1, -1)  # the last write wins, so the first row stays
    first[-1] = n
    there = np.flatnonzero(first < n)
    number = np.empty(strata * card + 1, np.int32)
    number[there[np.argsort(first[there])]] = np.arange(len(there))
    number[-1] = len(there)
    return number[joint], len(there)


Cells: TypeAlias = tuple[Int32s, Int32s, int, Ints, Words]


def cells_of(z: Int32s, strata: int, code: NDArray[Any], r: int, drop: bool, most: int) -> Cells:
    """Place an x with r levels in strata: which rows count, and in which cell (stratum, level) each lies.

    With `drop`, strata in which x is constant are left out: they have nothing to say. Returns the
    rows, their cells, how many strata are left, the rows of each cell, and a bit mask for each if they
    are not more than `most`.
    """
    where = z.astype(np.int64) * r + code
    where[(z == strata) | (code >= r)] = strata * r
    counts = np.bincount(where, minlength=strata * r + 1)[:-1]
    keep = np.ones(strata, np.bool_)
    if drop:
        keep = (counts.reshape(strata, r) > 0).sum(1) > 1
    left = int(keep.sum())
    number = np.where(keep, np.cumsum(keep) - 1, -1)
    moved = np.repeat(number * r, r) + np.tile(np.arange(r), strata)
    moved[np.repeat(~keep, r)] = -1
    to = np.append(moved, -1)[where]
    rows = np.flatnonzero(to >= 0)
    masks = np.zeros((0, 0), np.uint64)
    if left * r <= most:
        masks = pack(to[None, :] == np.arange(left * r)[:, None])
    return rows.astype(np.int32), to[rows].astype(np.int32), left, counts[np.repeat(keep, r)], masks


def cell_order(cell: Int32s, sizes: Ints) -> tuple[Ints, Ints]:
    """Return the bit at which each row goes when every cell starts on a word of its own, and the cells' words."""
    start = np.zeros(len(sizes) + 1, np.int64)
    start[1:] = np.cumsum(np.maximum(1, -(-sizes // 64)))
    order = np.argsort(cell, kind="stable")
    place = np.empty(len(cell), np.int64)
    begin = np.cumsum(sizes) - sizes
    place[order] = (start[:-1] * 64 - begin)[cell[order]] + np.arange(len(cell))
    return place, start


def move_bits(codes: Codes, rows: Int32s, place: Ints, width: int) -> Words:
    """Pack 0/1 codes, variables × rows, with `rows[i]` at bit `place[i]`."""
    moved = np.zeros((len(codes), width * 64), np.bool_)
    moved[:, place] = codes[:, rows] == 1
    return pack(moved)


def careful_g2(tables: Ints) -> Floats:
    """G² as a sum of non-negative terms: slower, and exact to the last digits near zero."""
    count = tables.astype(np.float64)
    a, b = count.sum(2, keepdims=True), count.sum(1, keepdims=True)
    n = a.sum(1, keepdims=True)
    expected = a * b
    there = expected > 0
    safe = np.where(there, expected, 1.0)
    delta = np.where(there, (count * n - expected) / safe, 0.0)
    terms = np.where(there, expected / np.maximum(n, 1.0) * divergence(delta), 0.0)
    total: Floats = 2.0 * _sum(terms.reshape(-1, terms.shape[-1]))
    return total


def divergence(delta: Floats) -> Floats:
    """Return (1 + δ)·log(1 + δ) − δ without losing digits when δ is small."""
    series = np.zeros_like(delta)
    near = np.clip(delta, -1e-2, 1e-2)
    term = near * near
    for k in range(2, 10):
        series += term / (k * (k - 1))
        term = term * -near
    far = np.where(delta > -1.0, delta, 0.0)
    value = np.where(delta > -1.0, (1.0 + far) * np.log1p(far) - far, 1.0)
    return np.where(np.abs(delta) < 1e-2, series, value)


def _sum(terms: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    """Add along an axis that is not the last, term after term, also for a single candidate."""
    if terms.shape[-1] == 1 and terms.dtype.kind == "f":
        # one column alone would be added pairwise, and a different last bit would come out
        return np.repeat(terms, 2, axis=-1).sum(axis)[..., :1]
    return terms.sum(axis)  # type: ignore[no-any-return]


def measure(tables: Ints, total: int, klogk: Floats, chi: bool) -> Floats:
    """Return G², χ², degrees of freedom, rows and cells of tables strata × r × c × candidates.

    `total` is the number of rows, strata left out included; −1 if it is to be counted here. Strata in
    which one side is constant say nothing, not even a rounding error, and have no part in the cells.
    """
    strata, r, c, size = tables.shape
    nx, ny = tables.sum(2), tables.sum(1)
    n = nx.sum(1)
    seen_x, seen_y = (nx > 0).sum(1), (ny > 0).sum(1)
    free = np.maximum(seen_x - 1, 0) * np.maximum(seen_y - 1, 0)
    inside = _sum(klogk[tables].reshape(strata, r * c, size), 1)
    inside = inside - _sum(klogk[nx], 1) - _sum(klogk[ny], 1) + klogk[n]
    out = np.empty((5, size))
    out[0] = 2.0 * _sum(np.where(free > 0, inside, 0.0))
    out[1] = _sum(np.where(free > 0, _pearson(tables, nx, ny, n), 0.0)) if chi else 0.0
    out[2] = free.sum(0)
    rows = n.sum(0) if total < 0 else np.full(size, total)
    out[3] = rows
    out[4] = np.where(free > 0, seen_x * seen_y, 0).sum(0)
    cancelled = np.flatnonzero((out[2] > 0) & (out[0] < 2e-6 * klogk[rows]))
    if len(cancelled):
        out[0, cancelled] = careful_g2(tables[..., cancelled])
    np.maximum(out[0], 0.0, out=out[0])
    return out


def _pearson(tables: Ints, nx: Ints, ny: Ints, n: Ints) -> Floats:
    """χ² of each stratum and candidate."""
    expected = nx[:, :, None, :] * (ny / np.maximum(n, 1)[:, None, :])[:, None, :, :]
    gap = tables - expected
    terms = gap * gap / np.where(expected > 0, expected, 1.0)
    total: Floats = _sum(terms.reshape(len(terms), -1, terms.shape[-1]), 1)
    return total


def scan_planes(
    planes: Words, start: Ints, cards: Ints, ys: Ints, masks: Words, sizes: Ints, strata: int, r: int,
    total: int, klogk: Floats, chi: bool, out: Floats,
) -> None:  # fmt: skip
    """Count every candidate by ANDing bit planes with the cells' masks."""
    cells, width = masks.shape
    for group, most in _by_size(cards[ys]):
        step = max(2, BUDGET // (cells * max(1, most - 1) * width))
        for a in range(0, len(group), step):
            some = group[a : a + step]
            table = np.zeros((cells, most, len(some)), np.int64)
            for level in range(1, most):
                having = np.flatnonzero(cards[ys[some]] > level)
                plane = planes[start[ys[some[having]]] + level - 1]
                for cell in range(cells):
                    table[cell, level, having] = _ones(plane & masks[cell])
            table[:, 0] = sizes[:, None] - table.sum(1)
            out[:, some] = measure(table.reshape(strata, r, most, len(some)), total, klogk, chi)


def _ones(bits: Words) -> Ints:
    """Count the bits of each row of words."""
    count: Ints = np.bitwise_count(bits).sum(-1, dtype=np.int64)
    return count


def _by_size(size: Ints) -> list[tuple[Ints, int]]:
    """Group candidates so that none is padded to more than twice its levels (all up to 4 together)."""
    shelf = np.maximum(2, np.ceil(np.log2(np.maximum(size, 1)))).astype(np.int64)
    if shelf[0] == shelf[-1] and (shelf == shelf[0]).all():
        return [(np.arange(len(size)), max(1, int(size.max())))]
    groups = [np.flatnonzero(shelf == s) for s in np.unique(shelf)]
    return [(group, max(1, int(size[group].max()))) for group in groups]


def scan_codes(
    codes: Codes, cards: Ints, tuples: Ints, rows: Int32s, cell: Int32s, strata: int, r: int,
    total: int, klogk: Floats, chi: bool, out: Floats,
) -> None:  # fmt: skip
    """Count every candidate row by row; a candidate is one variable or the joint of several."""
    sizes = cards[tuples].prod(1)
    for group, most in _by_size(sizes):
        step = max(2, BUDGET // max(len(cell), strata * r * most))
        for a in range(0, len(group), step):
            some = group[a : a + step]
            joint = joint_codes(codes, cards, tuples[some], rows)
            table = count_codes(joint, sizes[some], most, cell, strata * r)
            out[:, some] = measure(table.reshape(strata, r, most, len(some)), total, klogk, chi)


def joint_codes(codes: Codes, cards: Ints, tuples: Ints, rows: Int32s) -> Ints:
    """Return the codes of joint variables, candidates × rows; the first member is the most significant digit.

    Where a member is missing the code is the number of configurations.
    """
    everything = len(rows) == codes.shape[1]
    parts = [codes[tuples[:, b]] if everything else codes[tuples[:, b, None], rows] for b in range(tuples.shape[1])]
    at = parts[0].astype(np.int64)
    if tuples.shape[1] == 1:
        return at
    lost = at >= cards[tuples[:, 0], None]
    for b in range(1, tuples.shape[1]):
        part, card = parts[b], cards[tuples[:, b], None]
        lost |= part >= card
        at *= card
        at += part
    return np.where(lost, cards[tuples].prod(1)[:, None], at)


def count_codes(codes: Ints, sizes: Ints, most: int, cell: Int32s, cells: int) -> Ints:
    """Return the counts of (cell, code) for each candidate, without the missing values (code = size)."""
    count = len(codes)
    lost = codes >= sizes[:, None]
    at = codes + cell.astype(np.int64) * most
    at *= count
    at += np.arange(count)[:, None]
    bound = cells * most * count
    if lost.any():
        at[lost] = bound
    table = np.bincount(at.ravel(), minlength=bound + 1)[:bound]  # what is missing lies behind it
    return table.reshape(cells, most, count)


def moments(planes: Words, start: Ints, pairs: bool) -> tuple[Ints, Ints]:
    """Count, in each cell, the rows where one variable is 1, and (if asked) where two are."""
    size, cells = len(planes), len(start) - 1
    double = np.zeros((size, size, cells) if pairs else (0, 0, cells), np.int64)
    for i in range(size if pairs else 0):
        double[i, i + 1 :] = _ones_by_cell(planes[i + 1 :] & planes[i], start)
    return _ones_by_cell(planes, start), double


def _ones_by_cell(bits: Words, start: Ints) -> Ints:
    """Count the bits of each row of words, cell by cell."""
    count: Ints = np.add.reduceat(np.bitwise_count(bits), start[:-1], axis=1, dtype=np.int64)
    return count


def scan_tuples(
    planes: Words, start: Ints, sizes: Ints, single: Ints, double: Ints, tuples: Ints, strata: int, r: int,
    total: int, klogk: Floats, chi: bool, out: Floats,
) -> None:  # fmt: skip
    """Count joint candidates of binary variables: moments of 1s, then inclusion–exclusion.

    `planes` have their rows in cell order; the members of a tuple ascend.
    """
    cells, m = len(sizes), tuples.shape[1]
    step = max(2, BUDGET // max(planes.shape[1], cells << m))
    for a in range(0, len(tuples), step):
        some = tuples[a : a + step]
        table = np.empty((cells, 1 << m, len(some)), np.int64)
        table[:, 0] = sizes[:, None]
        for subset in range(1, 1 << m):  # the first member is the most significant digit
            chosen = [some[:, b] for b in range(m) if subset >> (m - 1 - b) & 1]
            if len(chosen) == 1:
                table[:, subset] = single[chosen[0]].T
            elif len(chosen) == 2 and len(double):
                table[:, subset] = double[chosen[0], chosen[1]].T
            else:
                bits = planes[chosen[0]]
                for other in chosen[1:]:
                    bits &= planes[other]
                table[:, subset] = _ones_by_cell(bits, start).T
        for b in range(m):
            halves = table.reshape(cells, -1, 2, 1 << b, len(some))
            halves[:, :, 0] -= halves[:, :, 1]
        out[:, a : a + step] = measure(table.reshape(strata, r, 1 << m, len(some)), total, klogk, chi)

