"""The counting kernels in plain NumPy: the path that always works.

They do what kernels_numba.py does and must fill the same integer tables. Tables of many candidates
are held with the candidate as the *last* axis, `strata × r × c × candidates`: sums over levels are
then additions of whole rows, in an order that does not depend on how many candidates there are, so
that a candidate gets the same number to the last bit alone and in a crowd.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.encode import Codes, Ints, Words, pack

__all__ = [
    "arrange_lanes", "arrange_planes", "cell_order", "cells_of", "joint_code", "leave_out", "measure",
    "moments", "move_bits", "number", "refine", "scan_codes", "scan_lanes", "scan_one",
    "scan_planes", "scan_tuples",
]  # fmt: skip

Floats: TypeAlias = NDArray[np.float64]
Int32s: TypeAlias = NDArray[np.int32]
add = np.add.reduce  # what `sum` calls, without the way there
BUDGET = 1 << 19  # numbers handled at once: 4 MB
NEAR = 1 << 16  # words handled at once where they are used several times: 512 kB, near the processor


def arrange_planes(planes: Words, start: Ints) -> tuple[Words, Ints]:
    """Return the planes as they are used here: words × planes."""
    return np.ascontiguousarray(planes.T), start


def refine(z: Int32s, strata: int, code: NDArray[Any], card: int) -> tuple[Int32s, int]:
    """Split strata by one more variable; number those that occur by their first row."""
    n = len(z)
    joint = z * np.int64(card)
    joint += code
    bound = strata * card
    if z[z.argmax()] == strata or code[code.argmax()] >= card:
        joint[(z == strata) | (code >= card)] = bound
    first = np.full(bound + 1, n)
    first[joint[::-1]] = np.arange(n - 1, -1, -1)  # the last write wins, so the first row stays
    first[bound] = n
    there = (first < n).nonzero()[0]
    number = np.empty(bound + 1, np.int32)
    number[there[first[there].argsort()]] = np.arange(len(there), dtype=np.int32)
    number[bound] = len(there)
    return number[joint], len(there)


def joint_code(codes: NDArray[Any], cards: Ints, members: Sequence[int]) -> NDArray[Any]:
    """Return the joint of some variables without missing values as one number, the first most significant.

    In the type of the codes, which has to be wide enough.
    """
    if not members:
        return np.zeros(codes.shape[1], codes.dtype)
    joint: NDArray[Any] = codes[members[0]].copy()
    for v in members[1:]:
        joint *= codes.dtype.type(cards[v])
        joint += codes[v]
    return joint


def number(codes: Codes, cards: Ints, members: Sequence[int]) -> tuple[Int32s, int]:
    """Number the configurations that occur in the order of their codes; for few variables of few levels."""
    chosen = codes[list(members)].astype(np.int64)
    joint = joint_code(chosen, cards[list(members)], range(len(members)))
    there = np.bincount(joint) > 0
    return (there.cumsum(dtype=np.int32) - np.int32(1))[joint], int(there.sum())


Cells: TypeAlias = tuple[Int32s, Int32s, int, Ints, Words]


def cells_of(z: Int32s, strata: int, code: NDArray[Any], r: int, drop: bool, most: int) -> Cells:
    """Place an x with r levels in strata: which rows count, and in which cell (stratum, level) each lies.

    With `drop`, strata in which x is constant are left out: they have nothing to say. Returns the
    rows, their cells, how many strata are left, the rows of each cell, and a bit mask for each if they
    are not more than `most`.
    """
    where = z * np.int64(r)
    where += code
    if z[z.argmax()] == strata or code[code.argmax()] >= r:
        where[(z == strata) | (code >= r)] = strata * r
    counts = np.bincount(where, minlength=strata * r + 1)[: strata * r]
    keep = (counts.reshape(strata, r) > 0).sum(1) > 1 if drop else np.ones(strata, np.bool_)
    left = int(keep.sum())
    to = np.full((strata + 1, r), -1)
    to[:-1][keep] = np.arange(left * r).reshape(left, r)
    place = to.ravel()[where]
    rows = (place >= 0).nonzero()[0]
    masks = np.zeros((0, 0), np.uint64)
    if left * r <= most:
        masks = pack(place == np.arange(left * r)[:, None])
    return rows.astype(np.int32), place[rows].astype(np.int32), left, counts[np.repeat(keep, r)], masks


def cell_order(cell: Int32s, sizes: Ints) -> tuple[Ints, Ints]:
    """Return the bit at which each row goes when cells start on words of their own, and the cells' words."""
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
        twice: NDArray[Any] = np.repeat(terms, 2, axis=-1).sum(axis)
        return twice[..., :1]
    added: NDArray[Any] = terms.sum(axis)
    return added


def measure(tables: Ints, total: int, klogk: Floats, chi: bool, sizes: Ints | None = None) -> Floats:
    """Return G², χ², degrees of freedom, rows and cells of tables strata × r × c × candidates.

    `total` is the number of rows, strata left out included; −1 if it is to be counted here. Strata in
    which one side is constant say nothing, not even a rounding error, and have no part in the cells.
    `sizes` are the rows of each (stratum, x), where no candidate has missing values.
    """
    strata, r, _, size = tables.shape
    nx = tables.sum(2) if sizes is None else sizes.reshape(strata, r, 1)
    ny = tables.sum(1)
    n = nx.sum(1)
    seen_x, seen_y = (nx > 0).sum(1), (ny > 0).sum(1)
    free = np.maximum(seen_x - 1, 0) * np.maximum(seen_y - 1, 0)
    inside = _sum(_sum(klogk.take(tables), 1) - klogk.take(ny), 1)
    inside += klogk.take(n) - _sum(klogk.take(nx), 1)
    out = np.empty((5, size))
    out[0] = 2.0 * _sum(np.where(free > 0, inside, 0.0))
    out[1] = _sum(np.where(free > 0, _pearson(tables, nx, ny, n), 0.0)) if chi else 0.0
    out[2] = free.sum(0)
    rows = n.sum(0) if total < 0 else total
    out[3] = rows
    out[4] = np.where(free > 0, seen_x * seen_y, 0).sum(0)
    cancelled = ((out[2] > 0) & (out[0] < 5e-7 * klogk[rows])).nonzero()[0]
    if len(cancelled):
        out[0, cancelled] = careful_g2(tables[..., cancelled])
    np.maximum(out[0], 0.0, out=out[0])
    return out


def _pearson(tables: Ints, nx: Ints, ny: Ints, n: Ints) -> Floats:
    """χ² of each stratum and candidate."""
    expected = nx[:, :, None, :] * (ny / np.maximum(n, 1)[:, None, :])[:, None, :, :]
    gap = tables - expected
    terms = gap * gap / np.where(expected > 0, expected, 1.0)
    return _sum(_sum(terms, 1), 1)


def scan_planes(
    planes: Words, start: Ints, cards: Ints, ys: Ints, masks: Words, sizes: Ints, strata: int, r: int,
    total: int, klogk: Floats, chi: bool, out: Floats,
) -> None:  # fmt: skip
    """Count every candidate by ANDing bit planes with the cells' masks.

    Here the planes come word after word (words × planes), so that counts of many
    planes are added at once.
    """
    cells = len(masks)
    by_word = np.ascontiguousarray(masks.T)[:, :, None]
    for group, most in _by_size(cards[ys]):
        step = max(2, BUDGET // (cells * most))
        for a in range(0, len(group), step):
            some = ys[group[a : a + step]]
            level = np.arange(1, most)[:, None]
            has = cards[some] > level
            count = _count_bits(planes, (start[some] + level - 1)[has], by_word)
            table = np.zeros((cells, most, len(some)), np.int64)
            table[:, 1:][:, has] = count
            table[:, 0] = sizes[:, None] - table.sum(1)
            tables = table.reshape(strata, r, most, len(some))
            out[:, group[a : a + step]] = measure(tables, total, klogk, chi, sizes if total >= 0 else None)


def _count_bits(planes: Words, chosen: Ints, by_word: Words) -> NDArray[Any]:
    """Count the rows of each cell in which each plane is 1, cells × planes, a few words at a time."""
    width, cells, _ = by_word.shape
    step = max(1, NEAR // max(1, cells * len(chosen)))
    count: Any = 0
    for w in range(0, width, step):
        bits = planes[w : w + step, chosen][:, None, :] & by_word[w : w + step]
        count = count + np.bitwise_count(bits).sum(0, dtype=np.uint16 if step < 1024 else np.int64)
        if width > step and w == 0:
            count = count.astype(np.int64)
    return count  # type: ignore[no-any-return]


def _by_size(size: Ints) -> list[tuple[Ints, int]]:
    """Group candidates so that none is padded to more than twice its levels (all up to 4 together)."""
    largest = int(size.max())
    if largest <= 4:
        return [(np.arange(len(size)), largest)]
    shelf = np.maximum(2, np.ceil(np.log2(size))).astype(np.int64)
    groups = [np.flatnonzero(shelf == s) for s in np.unique(shelf)]
    return [(group, int(size[group].max())) for group in groups]


def scan_codes(
    codes: Codes, cards: Ints, tuples: Ints, rows: Int32s, cell: Int32s, strata: int, r: int,
    total: int, klogk: Floats, chi: bool, out: Floats,
) -> None:  # fmt: skip
    """Count every candidate row by row; a candidate is one variable or the joint of several."""
    sizes = cards[tuples].prod(1)
    margin = np.bincount(cell, minlength=strata * r) if total >= 0 else None
    for group, most in _by_size(sizes):
        step = max(2, BUDGET // max(len(cell), strata * r * most))
        for a in range(0, len(group), step):
            some = group[a : a + step]
            joint = joint_codes(codes, cards, tuples[some], rows)
            bound = None if total >= 0 else sizes[some]
            table = count_codes(joint, bound, most, cell, strata * r)
            out[:, some] = measure(table.reshape(strata, r, most, len(some)), total, klogk, chi, margin)


def scan_one(z: Int32s, strata: int, x: Codes, r: int, y: Codes, c: int, klogk: Floats, chi: bool) -> Floats:
    """Measure one candidate without missing values: what the others give, to the last bit, in less time."""
    table = np.bincount((z * np.int64(r) + x) * c + y, minlength=strata * r * c).reshape(strata, r, c)
    nx, ny = table.sum(2), table.sum(1)
    n = nx.sum(1)
    seen_x, seen_y = (nx > 0).sum(1), (ny > 0).sum(1)
    free = (seen_x - 1) * (seen_y - 1)
    told = free > 0
    out = np.zeros((5, 1))
    out[3] = total = len(z)
    if not told.any():
        return out
    # cumsum adds term after term, as the sums over many candidates do
    inside = (_sum(klogk.take(table), 1) - klogk.take(ny)).cumsum(1)[:, -1]
    inside += klogk.take(n) - klogk.take(nx).cumsum(1)[:, -1]
    g2 = 2.0 * inside[told].cumsum()[-1]
    if g2 < 5e-7 * klogk[total]:
        g2 = careful_g2(table[told][..., None])[0]
    out[0] = max(g2, 0.0)
    if chi:
        terms = _pearson(table[..., None], nx[..., None], ny[..., None], n[..., None])[:, 0]
        out[1] = terms[told].cumsum()[-1]
    out[2] = free[told].sum()
    out[4] = (seen_x * seen_y)[told].sum()
    return out


Lanes: TypeAlias = tuple[Words, list[int], Ints, Floats]


def arrange_lanes(codes: Codes, cards: Ints) -> Lanes:
    """Return the data as numbers 0 and 1 of 16 bits, four a word: rows × (level, variable).

    The variables with most levels come first, and the second part is how many have each level, so that
    the places of a level are a prefix of those of the level before; the third is each variable's place,
    and the fourth says with 1 which level is whose.
    """
    order = np.argsort(-cards, kind="stable")
    counts = [int((cards > level).sum()) for level in range(int(cards.max()))]
    ones = np.zeros((codes.shape[1], -(-sum(counts) // 4) * 4), np.uint16)
    at = 0
    for level, count in enumerate(counts):
        ones[:, at : at + count] = (codes[order[:count]] == level).T
        at += count
    owner = np.concatenate([np.arange(count) for count in counts])
    return ones.view(np.uint64), counts, np.argsort(order), (owner[:, None] == np.arange(len(cards))) * 1.0


def scan_lanes(
    lanes: Lanes, cell: NDArray[np.uint16], strata: int, r: int, klogk: Floats, chi: bool
) -> Floats:
    """Measure all variables at once: sort the rows by cell and add up whole rows of lanes.

    `cell` has sixteen bits, which are sorted by counting. The work does not grow with the number of
    cells. What the others give, to the last bit.
    """
    words, counts, place, whose = lanes
    total = len(cell)
    size = np.bincount(cell, minlength=strata * r)
    nx = size.reshape(strata, r)
    seen_x = add(nx > 0, 1, np.float64)
    kept = (seen_x > 1.0).nonzero()[0]
    out = np.zeros((5, len(place)))
    out[3] = total
    if not len(kept):
        return out
    there = size.nonzero()[0]
    begin = size[there].cumsum()
    begin -= size[there]
    sums = np.add.reduceat(words.take(cell.argsort(kind="stable"), 0), begin, axis=0).view(np.uint16)
    table = sums[:, : sum(counts)].astype(np.int64)
    if len(there) < strata * r:  # empty cells are a row of zeros; strata without freedom are left out
        at = np.full(strata * r, len(there))
        at[there] = np.arange(len(there))
        table = np.concatenate([table, np.zeros_like(table[:1])])[at.reshape(strata, r)[kept]]
        nx, seen_x = nx[kept], seen_x[kept]
    table = table.reshape(len(nx), r, -1)
    ny, n = add(table, 1), add(nx, 1)
    inside = add(klogk.take(table), 1)
    inside -= klogk.take(ny)
    inside = _over_levels(inside, counts)
    inside += (klogk.take(n) - klogk.take(nx).cumsum(1)[:, -1])[:, None]
    seen_y = (ny > 0).astype(np.float64) @ whose  # small whole numbers, exact in any order
    told = seen_y > 1.0
    inside *= told
    g2 = add(inside, 0)
    g2 *= 2.0
    free = (seen_x - 1.0) @ (seen_y - 1.0)
    for v in ((free > 0.0) & (g2 < 5e-7 * klogk[total])).nonzero()[0].tolist():  # too much has cancelled
        levels = [sum(counts[:k]) + v for k in range(len(counts)) if v < counts[k]]
        g2[v] = careful_g2(table[:, :, levels][..., None])[0]
    out[0] = np.maximum(g2, 0.0)[place]
    if chi:
        expected = nx[:, :, None] * (ny / n[:, None])[:, None, :]
        gap = table - expected
        terms = _over_levels(add(gap * gap / np.where(expected > 0, expected, 1.0), 1), counts)
        out[1] = add(terms * told, 0)[place]
    out[2] = free[place]
    out[4] = (seen_x @ (seen_y * told))[place]
    return out


def _over_levels(terms: Floats, counts: list[int]) -> Floats:
    """Add the levels of each variable, level after level; the variables come as in `arrange_lanes`."""
    at = counts[0]
    added = terms[:, :at]
    for count in counts[1:]:
        added[:, :count] += terms[:, at : at + count]
        at += count
    return added


def leave_out(
    codes: Codes, cards: Ints, x: int, members: Ints, ys: Ints, klogk: Floats, chi: bool, out: Floats
) -> None:
    """Measure x against each of `ys`, given the other members of a set.

    The rows are looked at once, for the configurations of all members; leaving one out merges
    configurations. The strata of all questions are then measured together.
    """
    n, r = codes.shape[1], int(cards[x])
    weights: dict[int, int] = {}
    size = 1
    listed = members.tolist()
    for v in listed[::-1]:
        weights[v] = size
        size *= int(cards[v])
    at = joint_code(codes[listed].astype(np.int64), cards[members], range(len(listed)))
    which, number = _numbered(at, size)
    counts = np.bincount(number * r + codes[x], minlength=len(which) * r).reshape(-1, r)
    weight = np.array([[weights[v]] for v in ys.tolist()])
    level = which // weight % cards[ys][:, None]
    group = which - level * weight + np.arange(len(ys))[:, None] * size
    many: Any = counts + np.zeros((len(ys), 1, 1))
    if group.size > 256:  # one configuration in which x is constant is no stratum that says something
        _, number = _numbered(group, len(ys) * size)
        useful = (np.bincount(number.ravel()) > 1)[number] | ((counts > 0).sum(1) > 1)
        group, level, many = group[useful], level[useful], many[useful]
    first, number = _numbered(group, len(ys) * size)
    most, strata = int(cards[ys].max()), len(first)
    place = (number[..., None] * r + np.arange(r)) * most + level[..., None]
    table = np.bincount(place.ravel(), many.ravel(), strata * r * most).astype(np.int64)
    _stacked(table.reshape(strata, r, most), first // size, n, klogk, chi, out)


def _numbered(values: Ints, bound: int) -> tuple[Ints, Ints]:
    """Return the values that occur, in order, and for each value which of them it is."""
    if bound > 1 << 18:
        first, number = np.unique(values, return_inverse=True)
        return first, number.reshape(values.shape)
    there = np.zeros(bound, np.bool_)
    there[values] = True
    first = there.nonzero()[0]
    number = np.empty(bound, np.int64)
    number[first] = np.arange(len(first))
    return first, number[values]


def _stacked(table: Ints, owner: Ints, total: int, klogk: Floats, chi: bool, out: Floats) -> None:
    """Measure strata × r × c of several questions at once; `owner` says to which each stratum belongs."""
    size = out.shape[1]
    nx, ny = add(table, 2), add(table, 1)
    n = add(nx, 1)
    seen_x, seen_y = add(nx > 0, 1, np.int64), add(ny > 0, 1, np.int64)
    told = (seen_x > 1) & (seen_y > 1)
    inside = (_sum(klogk.take(table), 1) - klogk.take(ny)).cumsum(1)[:, -1]
    inside += klogk.take(n) - klogk.take(nx).cumsum(1)[:, -1]
    g2 = 2.0 * np.bincount(owner, inside * told, size)  # adds term after term
    free = np.bincount(owner, (seen_x - 1) * (seen_y - 1) * told, size)
    for j in ((free > 0) & (g2 < 5e-7 * klogk[total])).nonzero()[0].tolist():
        g2[j] = careful_g2(table[owner == j][..., None])[0]
    out[0] = np.maximum(g2, 0.0)
    out[1] = 0.0
    if chi:
        terms = _pearson(table[..., None], nx[..., None], ny[..., None], n[..., None])[:, 0]
        out[1] = np.bincount(owner, terms * told, size)
    out[2] = free
    out[3] = total
    out[4] = np.bincount(owner, seen_x * seen_y * told, size)


def joint_codes(codes: Codes, cards: Ints, tuples: Ints, rows: Int32s) -> NDArray[Any]:
    """Return the codes of joint variables, candidates × rows; the first member is the most significant digit.

    Where a member is missing the code is the number of configurations.
    """
    whole = len(rows) == codes.shape[1]
    parts = [codes[tuples[:, b]] for b in range(tuples.shape[1])]
    if not whole:
        parts = [part.take(rows, axis=1) for part in parts]
    if len(parts) == 1:
        return parts[0]
    at = parts[0].astype(np.int64)
    lost = at >= cards[tuples[:, 0], None]
    for b, part in enumerate(parts[1:], start=1):
        card = cards[tuples[:, b], None]
        lost |= part >= card
        at *= card
        at += part
    return np.where(lost, cards[tuples].prod(1)[:, None], at)


def count_codes(codes: NDArray[Any], sizes: Ints | None, most: int, cell: Int32s, cells: int) -> Ints:
    """Return the counts of (cell, code) for each candidate, cells × most × candidates.

    `sizes` are the candidates' levels if codes beyond them (missing values) are to be left out.
    """
    count, stride = len(codes), cells * most
    at = codes + cell * np.int64(most)
    at += (np.arange(count) * stride)[:, None]
    if sizes is not None:
        at[codes >= sizes[:, None]] = count * stride
    table = np.bincount(at.ravel(), minlength=count * stride + 1)[: count * stride]
    return np.ascontiguousarray(table.reshape(count, stride).T).reshape(cells, most, count)


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
        tables = table.reshape(strata, r, 1 << m, len(some))
        out[:, a : a + step] = measure(tables, total, klogk, chi, sizes)
