"""The counting kernels, compiled: the fast path of the engine (the extra `fast`).

They do what kernels_numpy.py does and must fill the same integer tables (tests/test_engine.py holds
them to it). numba is imported with this module, so this module is imported only when it is wanted;
compiled functions are cached beside the source. They stay in one file, because numba compiles again
when the file of a function changes, and not when the file of something that it calls does.

Layout of a table: cell (z, x) after cell, and in each the levels of y; `strata` × `r` × `c` counts.
Row `strata·r` of the cell index is a bin for rows that a test must not see (missing values).
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, disable-error-code="assignment"
from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import erfc, exp, log, log1p, pi, sqrt
from typing import Any, TypeVar, cast

import numpy as np

from mbedu.citests.encode import unpack

__all__ = [
    "arrange_ones",
    "arrange_planes",
    "cell_order",
    "cells_of",
    "chi2_tail",
    "chi2_tails",
    "choose",
    "leave_out_bits",
    "moments",
    "move_bits",
    "refine",
    "scan_bits",
    "scan_codes",
    "scan_planes",
    "scan_tuples",
]

numba: Any = import_module("numba")
F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile on first use, keep the result on disk, release the lock while running."""
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """Compile into whatever calls it, so that a number of levels that is known there is known here."""
    return cast("F", numba.njit(nogil=True, error_model="numpy", inline="always")(function))


@numba.extending.intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Count the bits of a word with the processor's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return numba.types.uint64(numba.types.uint64), generate


@numba.extending.intrinsic
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Return the position of the lowest bit of a word that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(numba.types.boolean, True))

    return numba.types.uint64(numba.types.uint64), generate


def arrange_planes(planes: Any, start: Any) -> Any:
    """Return the planes as they are used here: one after the other."""
    return planes, start


def arrange_ones(planes: Any, n: int) -> Any:
    """Return the planes as rows of 0s and 1s, if neither are too many; whole vectors of them."""
    if len(planes) > 1024 or n >= 1 << 16:
        return np.zeros((0, 0), np.uint8)
    ones = np.zeros((n, -(-len(planes) // 32) * 32), np.uint8)
    ones[:, : len(planes)] = unpack(planes, n).T
    return ones


@jit
def refine(z, strata, code, card):
    """Split strata by one more variable; number those that occur by their first row."""
    n = z.shape[0]
    number = np.full(strata * card, -1, np.int32)
    out = np.empty(n, np.int32)
    found = 0
    for i in range(n):
        v = np.int64(code[i])
        if z[i] == strata or v >= card:
            out[i] = -1
            continue
        at = z[i] * card + v
        if number[at] < 0:
            number[at] = found
            found += 1
        out[i] = number[at]
    for i in range(n):
        if out[i] < 0:
            out[i] = found
    return out, found


@jit
def cells_of(z, strata, code, r, drop, most):
    """Place an x with r levels in strata: which rows count, and in which cell (stratum, level) each lies.

    With `drop`, strata in which x is constant are left out: they have nothing to say. Returns the
    rows, their cells, how many strata are left, the rows of each cell, and a bit mask for each if they
    are not more than `most`.
    """
    n = z.shape[0]
    counts = np.zeros(strata * r, np.int64)
    where = np.empty(n, np.int64)
    for i in range(n):
        v = np.int64(code[i])
        if z[i] == strata or v >= r:
            where[i] = -1
        else:
            where[i] = np.int64(z[i]) * r + v
            counts[where[i]] += 1
    first = np.full(strata, -1, np.int64)  # of each stratum: the number of its first cell among those left
    left = 0
    for k in range(strata):
        seen = 0
        for x in range(r):
            if counts[k * r + x] > 0:
                seen += 1
        if seen > 1 or not drop:
            first[k] = left * r
            left += 1
    cells = left * r
    rows = np.empty(n, np.int32)
    cell = np.empty(n, np.int32)
    sizes = np.zeros(cells, np.int64)
    masks = np.zeros((cells if cells <= most else 0, (n + 63) // 64), np.uint64)
    m = 0
    for i in range(n):
        if where[i] >= 0 and first[z[i]] >= 0:
            c = first[z[i]] + np.int64(code[i])
            rows[m] = i
            cell[m] = c
            m += 1
            sizes[c] += 1
            if cells <= most:
                masks[c, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    return rows[:m].copy(), cell[:m].copy(), left, sizes, masks


@jit
def cell_order(cell, sizes):
    """Return the bit at which each row goes when cells start on words of their own, and the cells' words."""
    cells = sizes.shape[0]
    start = np.zeros(cells + 1, np.int64)
    for c in range(cells):
        start[c + 1] = start[c] + max(1, (sizes[c] + 63) // 64)
    free = start[:cells] * 64
    place = np.empty(cell.shape[0], np.int64)
    for i in range(cell.shape[0]):
        place[i] = free[cell[i]]
        free[cell[i]] += 1
    return place, start


@jit
def move_bits(codes, rows, place, words):
    """Pack 0/1 codes, variables × rows, with `rows[i]` at bit `place[i]`."""
    out = np.zeros((codes.shape[0], words), np.uint64)
    for v in range(codes.shape[0]):
        for i in range(rows.shape[0]):
            bit = np.uint64(codes[v, rows[i]] == 1)
            out[v, place[i] >> 6] |= bit << np.uint64(place[i] & 63)
    return out


@jit
def divergence(delta):
    """Return (1 + δ)·log(1 + δ) − δ without losing digits when δ is small."""
    if abs(delta) < 1e-2:
        term, total = delta * delta, 0.0
        for k in range(2, 10):
            total += term / (k * (k - 1))
            term *= -delta
        return total
    return (1.0 + delta) * log1p(delta) - delta if delta > -1.0 else 1.0


@jit
def careful_g2(table, strata, r, c):
    """G² as a sum of non-negative terms: slower, and exact to the last digits near zero."""
    total = 0.0
    for z in range(strata):
        part = table[z * r * c : (z + 1) * r * c].reshape(r, c)
        n = part.sum()
        for x in range(r):
            a = part[x].sum()
            if a > 0:
                for y in range(c):
                    b = part[:, y].sum()
                    if b > 0:
                        e = float(a) * float(b)
                        total += e / n * divergence((float(part[x, y]) * n - e) / e)
    return 2.0 * total


@inlined
def measure(table, strata, r, c, total, klogk, chi, levels, work, out, j):
    """Write G², χ², degrees of freedom, rows and cells of one table into column j of `out`.

    `total` is the number of rows, strata left out included; −1 if it is to be counted here. Strata in
    which one side is constant say nothing, not even a rounding error, and have no part in the cells.
    """
    column = levels
    chi_sum = work[2]
    for y in range(c):
        chi_sum[y] = 0.0
    g = 0.0
    df = 0
    rows = 0
    cells = 0
    for z in range(strata):
        base = z * r * c
        for y in range(c):
            column[y] = 0
        n = 0
        seen_x = 0
        inside = 0.0
        for x in range(r):
            a = 0
            part = 0.0
            for y in range(c):
                k = table[base + x * c + y]
                a += k
                column[y] += k
                part += klogk[k]
            if a > 0:
                seen_x += 1
                n += a
                inside += part - klogk[a]
        seen_y = 0
        part = 0.0
        for y in range(c):
            if column[y] > 0:
                seen_y += 1
                part += klogk[column[y]]
        rows += n
        if seen_x > 1 and seen_y > 1:
            cells += seen_x * seen_y
            df += (seen_x - 1) * (seen_y - 1)
            g += (inside - part) + klogk[n]
            if chi:
                pearson(table, base, r, c, column, n, chi_sum)
    chi2 = 0.0
    for y in range(c):
        chi2 += chi_sum[y]
    g *= 2.0
    if total >= 0:
        rows = total
    if df > 0 and g < 5e-7 * klogk[rows]:  # too much has cancelled
        g = careful_g2(table, strata, r, c)
    out[0, j] = max(g, 0.0)
    out[1, j] = chi2
    out[2, j] = df
    out[3, j] = rows
    out[4, j] = cells


@inlined
def measure_wide(table, strata, r, c, total, klogk, chi, work, out, j):
    """Do the same with the sums over the levels of y side by side: faster when these are eight."""
    column = work[0]
    g_sum = work[1]
    chi_sum = work[2]
    for y in range(c):
        g_sum[y] = 0.0
        chi_sum[y] = 0.0
    g = 0.0
    df = 0
    rows = 0
    cells = 0
    for z in range(strata):
        base = z * r * c
        for y in range(c):
            column[y] = 0.0
        n = 0
        seen_x = 0
        margins = 0.0
        for x in range(r):
            a = 0
            for y in range(c):
                a += table[base + x * c + y]
                column[y] += table[base + x * c + y]
            if a > 0:
                seen_x += 1
                n += a
                margins += klogk[a]
        seen_y = 0
        for y in range(c):
            seen_y += 1 if column[y] > 0.0 else 0
        rows += n
        if seen_x > 1 and seen_y > 1:
            cells += seen_x * seen_y
            df += (seen_x - 1) * (seen_y - 1)
            g += klogk[n] - margins
            for x in range(r):
                for y in range(c):
                    g_sum[y] += klogk[table[base + x * c + y]]
            for y in range(c):
                g_sum[y] -= klogk[int(column[y])]
            if chi:
                pearson(table, base, r, c, column, n, chi_sum)
    chi2 = 0.0
    for y in range(c):
        g += g_sum[y]
        chi2 += chi_sum[y]
    g *= 2.0
    if total >= 0:
        rows = total
    if df > 0 and g < 5e-7 * klogk[rows]:  # too much has cancelled
        g = careful_g2(table, strata, r, c)
    out[0, j] = max(g, 0.0)
    out[1, j] = chi2
    out[2, j] = df
    out[3, j] = rows
    out[4, j] = cells


@inlined
def pearson(table, base, r, c, column, n, chi_sum):
    """Add the terms of χ² of one stratum, for each level of y on its own."""
    for x in range(r):
        a = 0
        for y in range(c):
            a += table[base + x * c + y]
        if a > 0:
            share = a / n
            for y in range(c):
                e = share * column[y]
                d = table[base + x * c + y] - e
                chi_sum[y] += d * d / (e if e > 0.0 else 1.0)


@jit
def measure_any(table, strata, r, c, total, klogk, chi, levels, work, out, j):
    """Measure with the commonest numbers of levels known to the compiler."""
    if c == 2:
        measure(table, strata, r, 2, total, klogk, chi, levels, work, out, j)
    elif c == 3:
        measure(table, strata, r, 3, total, klogk, chi, levels, work, out, j)
    elif c == 8:  # as for three binary variables, which may come by another way
        measure_wide(table, strata, r, 8, total, klogk, chi, work, out, j)
    else:
        measure(table, strata, r, c, total, klogk, chi, levels, work, out, j)


@jit
def scan_planes(planes, start, cards, ys, masks, sizes, strata, r, total, klogk, chi, out):
    """Count every candidate by ANDing bit planes with the cells' masks."""
    cells = masks.shape[0]
    width = masks.shape[1]
    most = 1
    for j in range(ys.shape[0]):
        most = max(most, cards[ys[j]])
    table = np.zeros(cells * most, np.int64)
    work = np.zeros((3, most))
    levels = np.zeros(most, np.int64)
    for j in range(ys.shape[0]):
        y = ys[j]
        c = cards[y]
        first = start[y]
        for cell in range(cells):
            left = sizes[cell]
            for level in range(1, c):
                k = np.uint64(0)
                for w in range(width):
                    k += popcount(masks[cell, w] & planes[first + level - 1, w])
                table[cell * c + level] = k
                left -= np.int64(k)
            table[cell * c] = left
        measure_any(table, strata, r, c, total, klogk, chi, levels, work, out, j)


@jit
def scan_ones(ones, start, cards, ys, masks, sizes, strata, r, total, klogk, chi, out):
    """Count all candidates at once, row after row: add a row of 0s and 1s, one a plane, to its cell.

    `ones` is rows × planes. The work does not grow with the number of cells.
    """
    cells, width = masks.shape
    planes = ones.shape[1]
    counts = np.zeros((cells, planes), np.uint16)
    for cell in range(cells):
        line = counts[cell]
        for w in range(width):
            word = masks[cell, w]
            while word:
                row = ones[w * 64 + np.int64(trailing_zeros(word))]
                word &= word - np.uint64(1)
                for p in range(planes):
                    line[p] += row[p]
    most = 1
    for j in range(ys.shape[0]):
        most = max(most, cards[ys[j]])
    table = np.zeros(cells * most, np.int64)
    work = np.zeros((3, most))
    levels = np.zeros(most, np.int64)
    for j in range(ys.shape[0]):
        c = cards[ys[j]]
        first = start[ys[j]]
        for cell in range(cells):
            left = sizes[cell]
            for level in range(1, c):
                k = np.int64(counts[cell, first + level - 1])
                table[cell * c + level] = k
                left -= k
            table[cell * c] = left
        measure_any(table, strata, r, c, total, klogk, chi, levels, work, out, j)


@jit
def split(masks, planes, first, card, x_masks):
    """Split strata that are bit masks by one more variable; keep those in which x still varies.

    They come in no special order.
    """
    strata, width = masks.shape
    out = np.empty((strata * card, width), np.uint64)
    rest = np.empty(width, np.uint64)
    found = 0
    for k in range(strata):
        rest[:] = masks[k]
        for level in range(1, card):
            for w in range(width):
                word = masks[k, w] & planes[first + level - 1, w]
                out[found, w] = word
                rest[w] &= ~word
            if varies(out[found], x_masks):
                found += 1
        if varies(rest, x_masks):
            out[found] = rest
            found += 1
    return out[:found]


@jit
def varies(mask, x_masks):
    """Say whether x has two levels or more in a stratum."""
    seen = 0
    for level in range(x_masks.shape[0]):
        some = np.uint64(0)
        for w in range(mask.shape[0]):
            some |= mask[w] & x_masks[level, w]
        if some:
            seen += 1
            if seen == 2:
                return True
    return False


@jit
def first_row(mask):
    """Return the first row of a mask that has one."""
    for w in range(mask.shape[0]):
        if mask[w]:
            return w * 64 + np.int64(trailing_zeros(mask[w]))
    return -1


@jit
def level_masks(planes, first, r, n):
    """Return a mask for each level of x, level 0 included."""
    width = planes.shape[1]
    masks = np.empty((r, width), np.uint64)
    masks[0] = ~np.uint64(0)
    if n & 63:
        masks[0, width - 1] = (np.uint64(1) << np.uint64(n & 63)) - np.uint64(1)
    for level in range(1, r):
        for w in range(width):
            masks[level, w] = planes[first + level - 1, w]
            masks[0, w] &= ~masks[level, w]
    return masks


FEW_CELLS = 96  # up to this many cells planes beat counting row after row


@jit
def scan_bits(planes, ones, start, cards, x, given, ys, n, most_words, klogk, chi, out):
    """Do the whole of one question in bits: strata, cells, counts and measures; False if there are too many.

    For data without missing values in which every column has planes. Strata come in the order of their
    first rows and those in which x is constant are left out, as in `refine` and `cells_of`.
    """
    width = planes.shape[1]
    r = cards[x]
    x_masks = level_masks(planes, start[x], r, n)
    masks = level_masks(planes, 0, 1, n)
    if not varies(masks[0], x_masks):
        masks = masks[:0]
    for b in range(given.shape[0]):
        masks = split(masks, planes, start[given[b]], cards[given[b]], x_masks)
        if masks.shape[0] * width > most_words:
            return False
    strata = masks.shape[0]
    if strata == 0:
        out[:] = 0.0
        out[3] = n
        return True
    by_rows = strata * r > FEW_CELLS and ys.shape[0] > 4 and ones.shape[0] > 0
    if strata * r > FEW_CELLS and ys.shape[0] > 4 and not by_rows:
        return False
    begin = np.empty(strata, np.int64)
    for k in range(strata):
        begin[k] = first_row(masks[k])
    order = np.argsort(begin) if strata > 1 else np.zeros(1, np.int64)
    cells = np.empty((strata * r, width), np.uint64)
    sizes = np.zeros(strata * r, np.int64)
    for at in range(strata):
        for level in range(r):
            k = np.uint64(0)
            for w in range(width):
                word = masks[order[at], w] & x_masks[level, w]
                cells[at * r + level, w] = word
                k += popcount(word)
            sizes[at * r + level] = k
    if by_rows:
        scan_ones(ones, start, cards, ys, cells, sizes, strata, r, n, klogk, chi, out)
    else:
        scan_planes(planes, start, cards, ys, cells, sizes, strata, r, n, klogk, chi, out)
    return True


@jit
def leave_out_bits(planes, ones, start, cards, x, members, ys, n, most_words, klogk, chi, out):
    """Measure x against each of `ys`, given the other members of a set; False if strata are too many."""
    others = np.empty(members.shape[0] - 1, np.int64)
    for j in range(ys.shape[0]):
        k = 0
        for b in range(members.shape[0]):
            if members[b] != ys[j]:
                others[k] = members[b]
                k += 1
        part = out[:, j : j + 1]
        if not scan_bits(
            planes, ones, start, cards, x, others, ys[j : j + 1], n, most_words, klogk, chi, part
        ):
            return False
    return True


@jit
def scan_codes(codes, cards, tuples, rows, cell, strata, r, total, klogk, chi, out):
    """Count every candidate row by row; a candidate is one variable or the joint of several."""
    cells = strata * r
    size, m = tuples.shape
    most = 1
    for j in range(size):
        c = 1
        for b in range(m):
            c *= cards[tuples[j, b]]
        most = max(most, c)
    table = np.zeros(cells * most + 1, np.int64)
    work = np.zeros((3, most))
    levels = np.zeros(most, np.int64)
    for j in range(size):
        if m == 1:
            c = cards[tuples[j, 0]]
            count_codes(codes[tuples[j, 0]], c, rows, cell, cells, table)
        else:
            c = count_joint(codes, cards, tuples[j], rows, cell, cells, table)
        measure_any(table, strata, r, c, total, klogk, chi, levels, work, out, j)


@jit
def count_codes(code, c, rows, cell, cells, table):
    """Fill `table` with the counts of (cell, code), without the missing values (code = c)."""
    dropped = cells * c  # one place behind the table takes all that must not be seen
    table[:dropped] = 0
    for i in range(rows.shape[0]):
        v = np.int64(code[rows[i]])
        table[np.int64(cell[i]) * c + v if v < c else dropped] += 1


@jit
def count_joint(codes, cards, members, rows, cell, cells, table):
    """Do the same for several variables; the first is the most significant digit."""
    c = 1
    for b in range(members.shape[0]):
        c *= cards[members[b]]
    dropped = cells * c
    table[:dropped] = 0
    for i in range(rows.shape[0]):
        at = np.int64(cell[i])
        for b in range(members.shape[0]):
            v = np.int64(codes[members[b], rows[i]])
            at = at * cards[members[b]] + v if at >= 0 and v < cards[members[b]] else -1
        table[at if at >= 0 else dropped] += 1
    return c


@jit
def moments(planes, start, pairs):
    """Count, in each cell, the rows where one variable is 1, and (if asked) where two are."""
    size = planes.shape[0]
    cells = start.shape[0] - 1
    single = np.zeros((size, cells), np.int64)
    for i in range(size):
        for c in range(cells):
            k = np.uint64(0)
            for w in range(start[c], start[c + 1]):
                k += popcount(planes[i, w])
            single[i, c] = k
    many = size if pairs else 0
    double = np.zeros((many, many, cells), np.int64)
    for i in range(many):
        for j in range(i + 1, many):
            for c in range(cells):
                k = np.uint64(0)
                for w in range(start[c], start[c + 1]):
                    k += popcount(planes[i, w] & planes[j, w])
                double[i, j, c] = k
    return single, double


@jit
def scan_tuples(planes, start, sizes, single, double, tuples, strata, r, total, klogk, chi, out):
    """Count joint candidates of binary variables: moments of 1s, then inclusion–exclusion.

    `planes` have their rows in the order of `cell_order`; the members of a tuple ascend.
    """
    m = tuples.shape[1]
    size = 1 << m
    table = np.zeros(strata * r * size, np.int64)
    work = np.zeros((3, size))
    levels = np.zeros(size, np.int64)
    chosen = np.empty(m, np.int64)
    for j in range(tuples.shape[0]):
        if m == 3 and double.shape[0] > 0:  # by far the most
            fill_triple(planes, start, sizes, single, double, tuples[j], table)
        else:
            fill_joint(planes, start, sizes, single, double, tuples[j], chosen, table)
        if m == 3:
            measure_wide(table, strata, r, 8, total, klogk, chi, work, out, j)
        else:
            measure(table, strata, r, size, total, klogk, chi, levels, work, out, j)


@jit
def fill_triple(planes, start, sizes, single, double, members, table):
    """Write the counts of three binary variables in each cell; the first is the most significant digit."""
    one, two, three = planes[members[0]], planes[members[1]], planes[members[2]]
    i, j, k = single[members[0]], single[members[1]], single[members[2]]
    ij, ik = double[members[0], members[1]], double[members[0], members[2]]
    jk = double[members[1], members[2]]
    for c in range(sizes.shape[0]):
        ones = np.uint64(0)
        for w in range(start[c], start[c + 1]):
            ones += popcount(one[w] & two[w] & three[w])
        ijk = np.int64(ones)
        only_j = j[c] - ij[c] - jk[c] + ijk
        only_k = k[c] - ik[c] - jk[c] + ijk
        at = c * 8
        table[at + 7] = ijk
        table[at + 6] = ij[c] - ijk
        table[at + 5] = ik[c] - ijk
        table[at + 4] = i[c] - ij[c] - ik[c] + ijk
        table[at + 3] = jk[c] - ijk
        table[at + 2] = only_j
        table[at + 1] = only_k
        table[at] = sizes[c] - i[c] - jk[c] + ijk - only_j - only_k


@jit
def fill_joint(planes, start, sizes, single, double, members, chosen, table):
    """Write the counts of any number of binary variables in each cell."""
    cells = sizes.shape[0]
    m = members.shape[0]
    size = 1 << m
    for c in range(cells):
        table[c * size] = sizes[c]
    for subset in range(1, size):
        count = 0
        for b in range(m):  # the first member is the most significant digit of a configuration
            if subset >> (m - 1 - b) & 1:
                chosen[count] = members[b]
                count += 1
        for c in range(cells):
            if count == 1:
                ones = single[chosen[0], c]
            elif count == 2 and double.shape[0] > 0:
                ones = double[chosen[0], chosen[1], c]
            else:
                ones = joint_ones(planes, chosen, count, start[c], start[c + 1])
            table[c * size + subset] = ones
    for c in range(cells):
        for b in range(m):
            bit = 1 << b
            for subset in range(size):
                if not subset & bit:
                    table[c * size + subset] -= table[c * size + (subset | bit)]


@jit
def joint_ones(planes, chosen, members, first, last):
    """Count the rows of one cell in which all the chosen variables are 1."""
    k = np.uint64(0)
    for w in range(first, last):
        word = planes[chosen[0], w]
        for b in range(1, members):
            word &= planes[chosen[b], w]
        k += popcount(word)
    return np.int64(k)


LARGEST_DF = 200.0  # beyond this the finite sum is longer than scipy's expansion
FAR = 1200.0  # beyond this e^(−x/2) comes near underflow, and the sum is taken without it


@jit
def tail(statistic, df):
    """Return the upper tail of χ² for whole df and its logarithm; NaN where scipy has to do it.

    A finite sum: Q = e^(−x)·Σ x^i/i! over i < df/2 for even df (x is half the statistic), and for odd df
    the same with half-integer powers and erfc(√x) in front.
    """
    if df < 1.0 or statistic <= 0.0:
        return 1.0, 0.0
    if df > LARGEST_DF:
        return np.nan, np.nan
    x = 0.5 * statistic
    far = statistic > FAR
    if far and 0.5 * df * log(x) > 690.0:  # the largest power would overflow
        return np.nan, np.nan
    odd = int(df) & 1
    factor = 1.0 if far else exp(-x)
    total = 0.0
    if odd:
        total = scaled_erfc(x) if far else erfc(sqrt(x))
    term = factor * (2.0 * sqrt(x / pi) if odd else 1.0)
    half = 1.5 if odd else 1.0
    for _ in range(int(df) // 2):
        total += term
        term *= x / half
        half += 1.0
    if far:
        return exp(log(total) - x), log(total) - x
    p = min(total, 1.0)
    return p, log(p)


@jit
def scaled_erfc(x):
    """Return e^x·erfc(√x) for large x, by its asymptotic series."""
    term, total = 1.0, 0.0
    for k in range(8):
        total += term
        term *= -(2 * k + 1) / (2.0 * x)
    return total / sqrt(pi * x)


@jit
def chi2_tails(statistic, df):
    """Return tails and their logarithms for many; NaN where scipy has to do it."""
    p = np.empty(statistic.shape[0])
    log_p = np.empty(statistic.shape[0])
    for j in range(statistic.shape[0]):
        p[j], log_p[j] = tail(statistic[j], df[j])
    return p, log_p


@jit
def chi2_tail(statistic, df):
    """Return one tail and its logarithm; NaN where scipy has to do it."""
    return tail(statistic, df)


@jit
def differ(a, b):
    """Say whether two keys differ by more than rounding; see judge.better."""
    return a != b and not abs(a - b) <= max(1e-9 * max(abs(a), abs(b)), 1e-12)


@jit
def choose(out, chi, df, cells, limits, policy, above, below, by_p, ties):
    """Return the strongest dependent candidate and how many tied with it.

    What Rule and judge.strongest_of say, in one pass. `limits` are alpha, threshold (−1 if alpha
    decides), rows per degree of freedom and rows per cell; policy 0 counts too little data as
    independent, 1 as dependent, 2 trusts the test. The answer −1 means that none is dependent, −2 that
    something lies out of reach of the compiled p-value.
    """
    alpha, threshold, per_df, per_cell = limits[0], limits[1], limits[2], limits[3]
    best = -1
    count = 0
    key = 0.0
    second = 0.0
    for j in range(out.shape[1]):
        if out[2, j] == 0.0:
            continue
        statistic = out[1, j] if chi else out[0, j]
        strength = out[0, j] / (2.0 * max(out[3, j], 1.0))
        few = out[3, j] < per_df * df[j] or out[3, j] < per_cell * cells[j]
        if few and policy == 0:
            continue
        if not (few and policy == 1):
            if threshold >= 0.0:
                if not strength > threshold:
                    continue
            elif df[j] >= above.shape[0]:
                return -2, 0
            elif not statistic > above[int(df[j])]:
                if statistic < below[int(df[j])]:
                    continue
                p = tail(statistic, df[j])[0]
                if np.isnan(p):
                    return -2, 0
                if not p <= alpha:
                    continue
        first = strength
        other = 0.0
        if by_p:
            first = -tail(statistic, df[j])[1]
            if np.isnan(first):
                return -2, 0
            other = statistic
        if best < 0 or (first > key if differ(first, key) else differ(other, second) and other > second):
            best, key, second, count = j, first, other, 0
        elif not differ(first, key) and not differ(other, second):
            ties[count] = j
            count += 1
    return best, count
