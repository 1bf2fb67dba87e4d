"""The counting kernels, compiled: the fast path of the engine (the extra `fast`).

They do what kernels_numpy.py does and must fill the same integer tables (tests/test_engine.py holds
them to it). numba is imported with this module, so this module is imported only when it is wanted;
compiled functions are cached beside the source.

Layout of a table: cell (z, x) after cell, and in each the levels of y; `strata` × `r` × `c` counts.
Row `strata·r` of the cell index is a bin for rows that a test must not see (missing values).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import erfc, exp, log1p, pi, sqrt
from typing import Any, TypeVar, cast

import numpy as np

__all__ = ["cell_masks", "cell_order", "chi2_sf", "moments", "refine", "scan_codes", "scan_planes", "scan_tuples"]

numba: Any = import_module("numba")
F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile on first use, keep the result on disk, release the lock while running."""
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


@numba.extending.intrinsic  # type: ignore[misc]
def popcount(typing_context: Any, word: Any) -> Any:
    """Count the bits of a word with the processor's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return numba.types.uint64(numba.types.uint64), generate


@jit
def refine(z, strata, code, card):  # type: ignore[no-untyped-def]
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
def cell_masks(cell, cells):  # type: ignore[no-untyped-def]
    """Return one bit mask a cell, and how many rows each has."""
    n = cell.shape[0]
    masks = np.zeros((cells, (n + 63) // 64), np.uint64)
    rows = np.zeros(cells, np.int64)
    one = np.uint64(1)
    for i in range(n):
        c = cell[i]
        if c < cells:
            masks[c, i >> 6] |= one << np.uint64(i & 63)
            rows[c] += 1
    return masks, rows


@jit
def cell_order(cell, cells):  # type: ignore[no-untyped-def]
    """Return where each row goes when every cell starts on a word of its own, and the cells' words.

    `place[i]` is the bit of row i in that order, −1 for rows that no cell has.
    """
    n = cell.shape[0]
    rows = np.zeros(cells + 1, np.int64)
    for i in range(n):
        rows[cell[i]] += 1
    start = np.zeros(cells + 1, np.int64)
    for c in range(cells):
        start[c + 1] = start[c] + max(1, (rows[c] + 63) // 64)
    free = start[:cells] * 64
    place = np.empty(n, np.int64)
    for i in range(n):
        c = cell[i]
        if c < cells:
            place[i] = free[c]
            free[c] += 1
        else:
            place[i] = -1
    return place, start, rows[:cells].copy()


@jit
def move_bits(codes, place, words):  # type: ignore[no-untyped-def]
    """Pack 0/1 codes, variables × rows, with row i at bit `place[i]`."""
    out = np.zeros((codes.shape[0], words), np.uint64)
    for v in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[v, i] == 1 and place[i] >= 0:
                out[v, place[i] >> 6] |= np.uint64(1) << np.uint64(place[i] & 63)
    return out


@jit
def divergence(delta):  # type: ignore[no-untyped-def]
    """Return (1 + δ)·log(1 + δ) − δ without losing digits when δ is small."""
    if abs(delta) < 1e-2:
        term, total = delta * delta, 0.0
        for k in range(2, 10):
            total += term / (k * (k - 1))
            term *= -delta
        return total
    return (1.0 + delta) * log1p(delta) - delta if delta > -1.0 else 1.0


@jit
def careful_g2(table, strata, r, c):  # type: ignore[no-untyped-def]
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
def measure(table, strata, r, c, klogk, chi, column, out, j):  # type: ignore[no-untyped-def]
    """Write G², χ², degrees of freedom, rows and cells of one table into column j of `out`."""
    g = 0.0
    chi2 = 0.0
    df = 0
    rows = 0
    cells = 0
    for z in range(strata):
        column[:c] = 0
        inside = 0.0
        n = 0
        seen_x = 0
        base = z * r * c
        for x in range(r):
            a = 0
            for y in range(c):
                k = table[base + x * c + y]
                a += k
                column[y] += k
                inside += klogk[k]
            if a > 0:
                seen_x += 1
                n += a
                inside -= klogk[a]
        seen_y = 0
        for y in range(c):
            if column[y] > 0:
                seen_y += 1
                inside -= klogk[column[y]]
        rows += n
        cells += seen_x * seen_y
        if seen_x > 1 and seen_y > 1:  # a stratum in which one side is constant says nothing
            df += (seen_x - 1) * (seen_y - 1)
            g += inside + klogk[n]
            if chi:
                chi2 += pearson(table[base : base + r * c], r, c, column, n)
    g *= 2.0
    if df > 0 and g < 2e-6 * klogk[rows]:  # too much has cancelled
        g = careful_g2(table, strata, r, c)
    out[0, j] = max(g, 0.0)
    out[1, j] = chi2
    out[2, j] = df
    out[3, j] = rows
    out[4, j] = cells


@jit
def pearson(part, r, c, column, n):  # type: ignore[no-untyped-def]
    """χ² of one stratum."""
    total = 0.0
    for x in range(r):
        a = 0
        for y in range(c):
            a += part[x * c + y]
        if a > 0:
            share = a / n
            for y in range(c):
                if column[y] > 0:
                    e = share * column[y]
                    d = part[x * c + y] - e
                    total += d * d / e
    return total


@jit
def scan_planes(planes, start, cards, ys, masks, rows, strata, r, klogk, chi, out):  # type: ignore[no-untyped-def]
    """Count every candidate by ANDing bit planes with the cells' masks."""
    cells = masks.shape[0]
    width = masks.shape[1]
    most = 1
    for j in range(ys.shape[0]):
        most = max(most, cards[ys[j]])
    table = np.zeros(cells * most, np.int64)
    column = np.zeros(most, np.int64)
    for j in range(ys.shape[0]):
        y = ys[j]
        c = cards[y]
        first = start[y]
        for cell in range(cells):
            left = rows[cell]
            for level in range(1, c):
                k = np.uint64(0)
                for w in range(width):
                    k += popcount(masks[cell, w] & planes[first + level - 1, w])
                table[cell * c + level] = k
                left -= np.int64(k)
            table[cell * c] = left
        measure(table, strata, r, c, klogk, chi, column, out, j)


@jit
def scan_codes(codes, cards, tuples, cell, strata, r, klogk, chi, out):  # type: ignore[no-untyped-def]
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
    column = np.zeros(most, np.int64)
    for j in range(size):
        if m == 1:
            c = cards[tuples[j, 0]]
            count_codes(codes[tuples[j, 0]], c, cell, cells, table)
        else:
            c = count_joint(codes, cards, tuples[j], cell, cells, table)
        measure(table, strata, r, c, klogk, chi, column, out, j)


@jit
def count_codes(code, c, cell, cells, table):  # type: ignore[no-untyped-def]
    """Fill `table` with the counts of (cell, code), without the missing values (code = c)."""
    dropped = cells * c  # one place behind the table takes all that must not be seen
    table[:dropped] = 0
    for i in range(cell.shape[0]):
        at = np.int64(cell[i])
        v = np.int64(code[i])
        table[at * c + v if at < cells and v < c else dropped] += 1


@jit
def count_joint(codes, cards, members, cell, cells, table):  # type: ignore[no-untyped-def]
    """Do the same for several variables; the first is the most significant digit."""
    c = 1
    for b in range(members.shape[0]):
        c *= cards[members[b]]
    dropped = cells * c
    table[:dropped] = 0
    for i in range(cell.shape[0]):
        at = np.int64(cell[i])
        for b in range(members.shape[0]):
            v = np.int64(codes[members[b], i])
            if at < 0 or v >= cards[members[b]] or cell[i] >= cells:
                at = -1
            else:
                at = at * cards[members[b]] + v
        table[at if at >= 0 else dropped] += 1
    return c


@jit
def moments(planes, start, pairs):  # type: ignore[no-untyped-def]
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
def scan_tuples(planes, start, rows, single, double, tuples, strata, r, klogk, chi, out):  # type: ignore[no-untyped-def]
    """Count joint candidates of binary variables: moments of 1s, then inclusion–exclusion.

    `planes` have their rows in cell order; the members of a tuple ascend.
    """
    cells = start.shape[0] - 1
    m = tuples.shape[1]
    size = 1 << m
    table = np.zeros(cells * size, np.int64)
    column = np.zeros(size, np.int64)
    chosen = np.empty(m, np.int64)
    for j in range(tuples.shape[0]):
        for c in range(cells):
            table[c * size] = rows[c]
        for subset in range(1, size):
            members = 0
            for b in range(m):  # the first member is the most significant digit of a configuration
                if subset >> (m - 1 - b) & 1:
                    chosen[members] = tuples[j, b]
                    members += 1
            if members == 1:
                for c in range(cells):
                    table[c * size + subset] = single[chosen[0], c]
            elif members == 2 and double.shape[0] > 0:
                for c in range(cells):
                    table[c * size + subset] = double[chosen[0], chosen[1], c]
            else:
                for c in range(cells):
                    table[c * size + subset] = joint_ones(planes, chosen, members, start[c], start[c + 1])
        for c in range(cells):
            for b in range(m):
                bit = 1 << b
                for subset in range(size):
                    if not subset & bit:
                        table[c * size + subset] -= table[c * size + (subset | bit)]
        measure(table, strata, r, size, klogk, chi, column, out, j)


@jit
def joint_ones(planes, chosen, members, first, last):  # type: ignore[no-untyped-def]
    """Count the rows of one cell in which all the chosen variables are 1."""
    k = np.uint64(0)
    if members == 3:
        one, two, three = chosen[0], chosen[1], chosen[2]
        for w in range(first, last):
            k += popcount(planes[one, w] & planes[two, w] & planes[three, w])
        return np.int64(k)
    for w in range(first, last):
        word = planes[chosen[0], w]
        for b in range(1, members):
            word &= planes[chosen[b], w]
        k += popcount(word)
    return np.int64(k)


LARGEST_DF = 200.0  # beyond this the finite sum is longer than scipy's expansion


@jit
def chi2_sf(statistic, df, p):  # type: ignore[no-untyped-def]
    """Fill `p` with the upper tail of χ² for whole df, as a finite sum; NaN where scipy has to do it."""
    for j in range(statistic.shape[0]):
        x = 0.5 * statistic[j]
        d = df[j]
        if d < 1.0 or x <= 0.0:
            p[j] = 1.0
        elif d == 1.0 and x < 600.0:
            p[j] = erfc(sqrt(x))
        elif d > LARGEST_DF or x > 600.0:
            p[j] = np.nan
        else:
            odd = int(d) & 1
            total = erfc(sqrt(x)) if odd else 0.0
            term = exp(-x) * (2.0 * sqrt(x / pi) if odd else 1.0)
            half = 1.5 if odd else 1.0
            for _ in range(int(d) // 2):
                total += term
                term *= x / half
                half += 1.0
            p[j] = min(total, 1.0)
