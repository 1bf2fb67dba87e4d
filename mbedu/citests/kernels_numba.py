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
    "leave_out",
    "moments",
    "move_bits",
    "refine",
    "scan_bits",
    "scan_codes",
    "scan_planes",
    "scan_tuples",
    "strongest_other",
    "weakest_member",
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
    """Return the planes as rows of bytes 0 and 1, eight a word, if neither are too many."""
    if len(planes) > 1024 or n >= 1 << 16:
        return np.zeros((0, 0), np.uint64)
    ones = np.zeros((n, -(-len(planes) // 32) * 32), np.uint8)
    ones[:, : len(planes)] = unpack(planes, n).T
    return ones.view(np.uint64)


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


@jit
def margins_of(sizes, strata, r, klogk, base, seen, parts):
    """Write what all candidates without missing values share.

    For each stratum n·log n − Σ a·log a over the rows a of x's levels, and how many levels occur; for each
    cell a/n and n/a, so that χ² divides once a level and not once a cell.
    """
    for z in range(strata):
        n = 0
        margins = 0.0
        seen[z] = 0
        for x in range(r):
            a = sizes[z * r + x]
            n += a
            margins += klogk[a]
            if a > 0:
                seen[z] += 1
        base[z] = klogk[n] - margins
        for x in range(r):
            a = sizes[z * r + x]
            parts[z * r + x, 0] = a / n if a > 0 else 0.0
            parts[z * r + x, 1] = n / a if a > 0 else 0.0


@jit
def row_sums(table, cells, c, sizes):
    """Write the rows of each cell of a table."""
    for cell in range(cells):
        a = 0
        for y in range(c):
            a += table[cell * c + y]
        sizes[cell] = a


@inlined
def measure(tables, stride, cs, levels, strata, r, total, klogk, chi, parts, base, seen, out, j):
    """Write G², χ², degrees of freedom, rows and cells of tables into the columns of `out` from j on.

    Only of those with `levels` levels of y, a constant to the compiler; 0 stands for the numbers of levels
    that `measure_block` does not name. The tables lie `stride` apart. `total` is the number of rows,
    strata left out included; −1 if it is to be counted here. Strata in which one side is constant say
    nothing, not even a rounding error, and have no part in the cells.

    The loop over the tables is in here, because each array that an inlined function is given costs
    the counting of a reference.
    """
    for i in range(cs.shape[0]):
        c = levels or cs[i]
        if cs[i] != c or (levels == 0 and c in (2, 3, 8)):
            continue
        g = 0.0
        chi2 = 0.0
        df = 0
        rows = 0
        cells = 0
        for z in range(strata):
            if seen[z] < 2 and total >= 0:
                continue
            first = i * stride + z * r * c
            inside = 0.0
            chi_part = 0.0
            n = 0
            seen_y = 0
            for y in range(c):  # x within y: the sums of a level stay in registers, and levels overlap
                b = 0
                part = 0.0
                for x in range(r):
                    k = tables[first + x * c + y]
                    b += k
                    part += klogk[k]
                n += b
                if b > 0:
                    seen_y += 1
                    inside += part - klogk[b]
                    if chi:
                        part = 0.0
                        for x in range(r):
                            d = tables[first + x * c + y] - parts[z * r + x, 0] * b
                            part += d * d * parts[z * r + x, 1]
                        chi_part += part / b
            rows += n
            if seen[z] > 1 and seen_y > 1:
                cells += seen[z] * seen_y
                df += (seen[z] - 1) * (seen_y - 1)
                g += inside + base[z]
                chi2 += chi_part
        write(tables, i * stride, strata, r, c, total, klogk, 2.0 * g, chi2, df, rows, cells, out, j + i)


@inlined
def measure_wide(tables, stride, cs, c, strata, r, total, klogk, chi, parts, base, seen, work, out, j):
    """Do the same with the sums over the levels of y side by side: faster when these are eight."""
    column, g_sum, chi_sum = work[0], work[1], work[2]
    for i in range(cs.shape[0]):
        if cs[i] != c:
            continue
        for y in range(c):
            g_sum[y] = 0.0
            chi_sum[y] = 0.0
        g = 0.0
        df = 0
        rows = 0
        cells = 0
        for z in range(strata):
            first = i * stride + z * r * c
            for y in range(c):
                column[y] = 0.0
            for x in range(r):
                for y in range(c):
                    column[y] += tables[first + x * c + y]
            n = 0.0
            seen_y = 0
            for y in range(c):
                n += column[y]
                seen_y += 1 if column[y] > 0.0 else 0
            rows += int(n)
            if seen[z] > 1 and seen_y > 1:
                cells += seen[z] * seen_y
                df += (seen[z] - 1) * (seen_y - 1)
                g += base[z]
                for x in range(r):
                    for y in range(c):
                        g_sum[y] += klogk[tables[first + x * c + y]]
                for y in range(c):
                    g_sum[y] -= klogk[int(column[y])]
                if chi:
                    for x in range(r):
                        for y in range(c):
                            d = tables[first + x * c + y] - parts[z * r + x, 0] * column[y]
                            d *= d * parts[z * r + x, 1]
                            chi_sum[y] += d / column[y] if column[y] > 0.0 else 0.0
        chi2 = 0.0
        for y in range(c):
            g += g_sum[y]
            chi2 += chi_sum[y]
        write(tables, i * stride, strata, r, c, total, klogk, 2.0 * g, chi2, df, rows, cells, out, j + i)


@inlined
def write(tables, begin, strata, r, c, total, klogk, g, chi2, df, rows, cells, out, j):
    """Write what was measured into column j of `out`, with more care for G² if too much has cancelled."""
    if total >= 0:
        rows = total
    if df > 0 and g < 5e-7 * klogk[rows]:
        g = careful_g2(tables[begin:], strata, r, c)
    out[0, j] = max(g, 0.0)
    out[1, j] = chi2
    out[2, j] = df
    out[3, j] = rows
    out[4, j] = cells


@jit
def measure_block(tables, stride, cs, strata, r, total, klogk, chi, parts, base, seen, out, j):
    """Measure tables with `cs` levels of y, the commonest numbers of levels known to the compiler."""
    most = cs.max()
    measure(tables, stride, cs, 2, strata, r, total, klogk, chi, parts, base, seen, out, j)
    measure(tables, stride, cs, 3, strata, r, total, klogk, chi, parts, base, seen, out, j)
    if most >= 8:
        work = np.empty((3, 8))
        measure_wide(tables, stride, cs, 8, strata, r, total, klogk, chi, parts, base, seen, work, out, j)
    if most > 3 or cs.min() == 1:
        measure(tables, stride, cs, 0, strata, r, total, klogk, chi, parts, base, seen, out, j)


AT_ONCE = 64  # candidates whose tables are filled before they are measured


@jit
def scan_planes(planes, start, cards, ys, masks, sizes, strata, r, total, klogk, chi, out):
    """Count every candidate by ANDing bit planes with the cells' masks."""
    cells, width = masks.shape
    cs = cards[ys]
    stride = cells * cs.max()
    tables = np.empty(min(AT_ONCE, ys.shape[0]) * stride, np.int64)
    base = np.empty(strata)
    seen = np.empty(strata, np.int64)
    parts = np.empty((strata * r, 2))
    margins_of(sizes, strata, r, klogk, base, seen, parts)
    for a in range(0, ys.shape[0], AT_ONCE):
        some = cs[a : a + AT_ONCE]
        for i in range(some.shape[0]):
            c = some[i]
            first = start[ys[a + i]]
            for cell in range(cells):
                left = sizes[cell]
                at = i * stride + cell * c
                for level in range(1, c):
                    k = np.uint64(0)
                    for w in range(width):
                        k += popcount(masks[cell, w] & planes[first + level - 1, w])
                    tables[at + level] = k
                    left -= np.int64(k)
                tables[at] = left
        measure_block(tables, stride, some, strata, r, total, klogk, chi, parts, base, seen, out, a)


@jit
def add_rows(ones, rows, k, line):
    """Add k ≤ 255 rows of 0s and 1s to `line`, four at a time; eight of their bytes are a word."""
    words = ones.shape[1]
    small = np.zeros(words, np.uint64)
    i = 0
    while i + 4 <= k:
        a, b, c, d = ones[rows[i]], ones[rows[i + 1]], ones[rows[i + 2]], ones[rows[i + 3]]
        for p in range(words):
            small[p] += (a[p] + b[p]) + (c[p] + d[p])
        i += 4
    while i < k:
        a = ones[rows[i]]
        for p in range(words):
            small[p] += a[p]
        i += 1
    sums = small.view(np.uint8)
    for p in range(line.shape[0]):
        line[p] += sums[p]


@jit
def scan_ones(ones, start, cards, ys, masks, sizes, strata, r, total, klogk, chi, out):
    """Count all candidates at once, row after row: add a row of 0s and 1s, one a plane, to its cell.

    `ones` is rows × planes, a byte each and eight a word. The work does not grow with the number of cells.
    """
    cells, width = masks.shape
    counts = np.zeros((cells, 8 * ones.shape[1]), np.uint16)
    rows = np.empty(256, np.int64)
    for cell in range(cells):
        k = 0
        for w in range(width):
            word = masks[cell, w]
            while word:
                rows[k] = w * 64 + np.int64(trailing_zeros(word))
                word &= word - np.uint64(1)
                k += 1
                if k == 252:
                    add_rows(ones, rows, k, counts[cell])
                    k = 0
        add_rows(ones, rows, k, counts[cell])
    cs = cards[ys]
    stride = cells * cs.max()
    tables = np.empty(min(AT_ONCE, ys.shape[0]) * stride, np.int64)
    base = np.empty(strata)
    seen = np.empty(strata, np.int64)
    parts = np.empty((strata * r, 2))
    margins_of(sizes, strata, r, klogk, base, seen, parts)
    for a in range(0, ys.shape[0], AT_ONCE):
        some = cs[a : a + AT_ONCE]
        for i in range(some.shape[0]):
            c = some[i]
            first = start[ys[a + i]]
            at = i * stride
            if c == 2:  # one loop is twice as fast as two
                for cell in range(cells):
                    k = np.int64(counts[cell, first])
                    tables[at + 2 * cell] = sizes[cell] - k
                    tables[at + 2 * cell + 1] = k
            elif c == 3:
                for cell in range(cells):
                    k, m = np.int64(counts[cell, first]), np.int64(counts[cell, first + 1])
                    tables[at + 3 * cell] = sizes[cell] - k - m
                    tables[at + 3 * cell + 1] = k
                    tables[at + 3 * cell + 2] = m
            else:
                for cell in range(cells):
                    left = sizes[cell]
                    for level in range(1, c):
                        k = np.int64(counts[cell, first + level - 1])
                        tables[at + cell * c + level] = k
                        left -= k
                    tables[at + cell * c] = left
        measure_block(tables, stride, some, strata, r, total, klogk, chi, parts, base, seen, out, a)


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
        for w in range(mask.shape[0]):
            if mask[w] & x_masks[level, w]:
                seen += 1
                break
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


FEW_CELLS = 48  # up to this many cells planes beat counting row after row


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
def leave_out(codes, cards, x, members, ys, klogk, chi, out):
    """Measure x against each of `ys`, given the other members of a set.

    The rows are looked at once, for the configurations of all members; leaving one out merges
    configurations. Strata come in the order of their first rows, because configurations do.
    """
    n = codes.shape[1]
    r = cards[x]
    size = 1
    most = 1
    for b in range(members.shape[0]):
        size *= cards[members[b]]
        most = max(most, cards[members[b]])
    number = np.full(size, -1, np.int32)
    which = np.empty(min(size, n), np.int32)
    row = np.empty(min(size, n), np.int32)
    counts = np.zeros((min(size, n), r), np.int64)
    at = np.zeros(n, np.int32)
    for b in range(members.shape[0]):
        code, card = codes[members[b]], np.int32(cards[members[b]])
        for i in range(n):
            at[i] = at[i] * card + np.int32(code[i])
    x_code = codes[x]
    found = 0
    for i in range(n):
        k = number[at[i]]
        if k < 0:
            k = number[at[i]] = found
            which[found] = at[i]
            row[found] = i
            found += 1
        counts[k, x_code[i]] += 1
    table = np.empty(found * r * most, np.int64)
    cs = cards[ys]
    base = np.empty(found)
    seen = np.empty(found, np.int64)
    parts = np.empty((found * r, 2))
    sizes = np.empty(found * r, np.int64)
    rest = np.empty(found, np.int32)
    for j in range(ys.shape[0]):
        code, c = codes[ys[j]], cards[ys[j]]
        weight = np.int32(1)
        for b in range(members.shape[0] - 1, -1, -1):
            if members[b] == ys[j]:
                break
            weight *= np.int32(cards[members[b]])
        for k in range(found):
            rest[k] = which[k] - np.int32(code[row[k]]) * weight
            number[rest[k]] = -1
        strata = 0
        for k in range(found):
            if number[rest[k]] < 0:
                number[rest[k]] = strata
                table[strata * r * c : (strata + 1) * r * c] = 0
                strata += 1
            first = np.int64(number[rest[k]]) * r * c + np.int64(code[row[k]])
            for a in range(r):
                table[first + a * c] += counts[k, a]
        row_sums(table, strata * r, c, sizes)
        margins_of(sizes, strata, r, klogk, base, seen, parts)
        measure_block(table, 0, cs[j : j + 1], strata, r, n, klogk, chi, parts, base, seen, out, j)


@jit
def scan_codes(codes, cards, tuples, rows, cell, strata, r, total, klogk, chi, out):
    """Count every candidate row by row; a candidate is one variable or the joint of several."""
    cells = strata * r
    size, m = tuples.shape
    cs = np.ones(size, np.int64)
    for j in range(size):
        for b in range(m):
            cs[j] *= cards[tuples[j, b]]
    table = np.zeros(cells * cs.max() + 1, np.int64)
    base = np.empty(strata)
    seen = np.empty(strata, np.int64)
    parts = np.empty((strata * r, 2))
    sizes = np.empty(cells, np.int64)
    for j in range(size):
        if m == 1:
            count_codes(codes[tuples[j, 0]], cs[j], rows, cell, cells, table)
        else:
            count_joint(codes, cards, tuples[j], rows, cell, cells, table)
        if j == 0 or total < 0:  # with missing values each candidate has rows of its own
            row_sums(table, cells, cs[j], sizes)
            margins_of(sizes, strata, r, klogk, base, seen, parts)
        measure_block(table, 0, cs[j : j + 1], strata, r, total, klogk, chi, parts, base, seen, out, j)


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
    count, m = tuples.shape
    size = 1 << m
    stride = strata * r * size
    tables = np.empty(min(AT_ONCE, count) * stride, np.int64)
    cs = np.full(min(AT_ONCE, count), size)
    base = np.empty(strata)
    seen = np.empty(strata, np.int64)
    parts = np.empty((strata * r, 2))
    margins_of(sizes, strata, r, klogk, base, seen, parts)
    chosen = np.empty(m, np.int64)
    for a in range(0, count, AT_ONCE):
        some = tuples[a : a + AT_ONCE]
        for i in range(some.shape[0]):
            table = tables[i * stride : (i + 1) * stride]
            if m == 3 and double.shape[0] > 0:  # by far the most
                fill_triple(planes, start, sizes, single, double, some[i], table)
            else:
                fill_joint(planes, start, sizes, single, double, some[i], chosen, table)
        cs = cs[: some.shape[0]]
        measure_block(tables, stride, cs, strata, r, total, klogk, chi, parts, base, seen, out, a)


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
def choose(out, chi, df, cells, limits, policy, above, below, by_p, least, ties):
    """Return the strongest dependent candidate and how many tied; with `least` the weakest independent.

    What Rule, judge.strongest_of and judge.weakest_of say, in one pass. `limits` are alpha, threshold (−1 if
    alpha decides), rows per degree of freedom and rows per cell; policy 0 counts too little data as
    independent, 1 as dependent, 2 trusts the test. The answer −1 means that there is none, −2 that something
    lies out of reach of the compiled p-value.
    """
    alpha, threshold, per_df, per_cell = limits[0], limits[1], limits[2], limits[3]
    best = -1
    count = 0
    key = 0.0
    second = 0.0
    for j in range(out.shape[1]):
        statistic = out[1, j] if chi else out[0, j]
        strength = out[0, j] / (2.0 * max(out[3, j], 1.0))
        few = out[3, j] < per_df * df[j] or out[3, j] < per_cell * cells[j]
        if out[2, j] == 0.0:
            dependent = False
        elif few and policy < 2:
            dependent = policy == 1
        elif threshold >= 0.0:
            dependent = strength > threshold
        elif df[j] >= above.shape[0]:
            return -2, 0
        elif statistic > above[int(df[j])]:
            dependent = True
        elif statistic < below[int(df[j])]:
            dependent = False
        else:
            p = tail(statistic, df[j])[0]
            if np.isnan(p):
                return -2, 0
            dependent = p <= alpha
        if dependent == least:
            continue
        first = strength
        other = 0.0
        if by_p:
            first = -tail(statistic, df[j])[1]
            if np.isnan(first):
                return -2, 0
            other = statistic
        if least:
            first, other = -first, -other
        if best < 0 or (first > key if differ(first, key) else differ(other, second) and other > second):
            best, key, second, count = j, first, other, 0
        elif not differ(first, key) and not differ(other, second):
            ties[count] = j
            count += 1
    return best, count


@jit
def strongest_other(
    planes,
    ones,
    start,
    cards,
    sides,
    n,
    most_words,
    klogk,
    chi,
    limits,
    policy,
    above,
    below,
    by_p,
    out,
    ties,
):
    """Ask x about all columns but itself and the given ones: `scan_bits` and `choose` in one call.

    `sides` are x and the given columns. The answer −3 means that the strata are too many.
    """
    ys = np.empty(out.shape[1], np.int64)
    j = 0
    for v in range(cards.shape[0]):
        asked = True
        for b in range(sides.shape[0]):
            if sides[b] == v:
                asked = False
        if asked:
            ys[j] = v
            j += 1
    if not scan_bits(planes, ones, start, cards, sides[0], sides[1:], ys, n, most_words, klogk, chi, out):
        return -3, 0
    return choose(out, chi, out[2], out[4], limits, policy, above, below, by_p, False, ties)


@jit
def weakest_member(codes, cards, x, members, ys, klogk, chi, limits, policy, above, below, by_p, out, ties):
    """Ask x about members of a set, each given the others: `leave_out` and `choose` in one call."""
    leave_out(codes, cards, x, members, ys, klogk, chi, out)
    return choose(out, chi, out[2], out[4], limits, policy, above, below, by_p, True, ties)
