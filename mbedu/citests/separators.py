"""Look for a set that separates x from y: many conditioning sets for one pair, a block at a time.

The other searches hold the conditioning set and vary the candidate. Here the pair is held, and the sets
differ in one variable: {A}, {B}, {C}, … or {X, A}, {X, B}, …. What they share and the pair make the cells,
and the one variable is counted against them by bit planes: a block costs as much as a scan of candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from mbedu.citests.encode import Ints, Words, pack
from mbedu.citests.evidence import Scores
from mbedu.citests.kernels_numpy import measure
from mbedu.judge import Separated
from mbedu.query import Query, Vars, names

if TYPE_CHECKING:
    from mbedu.citests.base import DiscreteJudge

__all__ = ["first_separator"]

FIRST_BLOCK, LARGEST_BLOCK = 32, 8192  # most separating sets come early, and those that never come are many
MOST_CELLS = 64  # beyond this one mask a cell is no longer cheap


def first_separator(judge: DiscreteJudge, x: Vars, y: Vars, givens: Iterable[Vars]) -> Separated:
    """Return the first of `givens` that makes x and y independent; equals asking one by one."""
    xs, ys = names(x), names(y)
    tried = largest = 0
    for block in _blocks(givens):
        independent = _scan(judge, xs, ys, block)
        hit = next((j for j, yes in enumerate(independent) if yes), None)
        asked = block if hit is None else block[: hit + 1]
        tried += len(asked)
        largest = max(largest, *map(len, asked))
        if hit is not None:
            return Separated(tried, largest, block[hit])
    return Separated(tried, largest, None)


def _blocks(givens: Iterable[Vars]) -> Iterator[list[frozenset[str]]]:
    iterator, size = iter(givens), FIRST_BLOCK
    while block := [names(given) for given in islice(iterator, size)]:
        yield block
        size = min(LARGEST_BLOCK, size * 4)


def _scan(
    judge: DiscreteJudge, xs: frozenset[str], ys: frozenset[str], block: list[frozenset[str]]
) -> Iterable[bool]:
    base = frozenset.intersection(*block)
    alike = len(block) > 1 and all(len(given) == len(base) + 1 for given in block)
    if alike and len(xs) == len(ys) == 1 and base.isdisjoint(xs | ys):
        last = [next(iter(given - base)) for given in block]
        if xs.isdisjoint(last) and ys.isdisjoint(last):
            found = _together(judge, xs, ys, base, last)
            if found is not None:
                return found
    return (judge.judge(Query(xs, ys, given)).independent for given in block)


def _together(
    judge: DiscreteJudge, xs: frozenset[str], ys: frozenset[str], base: frozenset[str], last: list[str]
) -> list[bool] | None:
    """Judge x ⊥ y | base ∪ {v} for every v of `last` at once, or return None where that does not pay."""
    data, engine, index = judge.data, judge.engine, judge.data.index
    if not engine.all_planes or any(v not in index for v in (*xs, *ys, *base, *last)):
        return None  # the way one by one says which name is unknown
    (x,), (y,) = (index[v] for v in xs), (index[v] for v in ys)
    columns = np.array([index[v] for v in last])
    z, strata = engine.strata(frozenset(index[v] for v in base))
    r, c, cards = int(data.cards[x]), int(data.cards[y]), data.cards[columns]
    if strata * r * c > MOST_CELLS:
        return None
    cell = (z * r + data.column(x)) * c + data.column(y)
    masks = pack(cell[None, :] == np.arange(strata * r * c)[:, None])
    planes, start = data.planes()
    table = _count(planes, start[columns], cards, masks, np.bincount(cell, minlength=len(masks)))
    most, size = table.shape[1:]
    tables = table.reshape(strata, r, c, most, size).transpose(0, 3, 1, 2, 4).reshape(-1, r, c, size)
    g2, chi2, free, n, cells = measure(tables, data.n, engine.klogk, engine.chi)
    df = free
    if judge.describe()["df"] == "full":
        declared = engine.declared(index[v] for v in base) * cards.astype(float)
        df, cells = (r - 1.0) * (c - 1.0) * declared, r * c * declared
    scores = Scores(g2, chi2 if engine.chi else g2, df, n, cells, free)
    return (~judge.rule.dependent(scores)).tolist()  # type: ignore[no-any-return]


def _count(planes: Words, start: Ints, cards: Ints, masks: Words, rows: Ints) -> Ints:
    """Return the counts cells × levels × variables, padded to the most levels."""
    most = int(cards.max())
    table = np.zeros((len(masks), most, len(cards)), np.int64)
    for level in range(1, most):
        having = np.flatnonzero(cards > level)
        plane = planes[start[having] + level - 1]
        for k, mask in enumerate(masks):
            table[k, level, having] = np.bitwise_count(plane & mask).sum(-1, dtype=np.int64)
    table[:, 0] = rows[:, None] - table.sum(1)
    return table
