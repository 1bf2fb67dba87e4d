"""From names to column numbers and from there to scores: what is asked of the engine, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mbedu.citests.encode import Encoded, Ints
from mbedu.citests.engine import Engine, Floats
from mbedu.citests.evidence import DfRule, Scores
from mbedu.citests.tuples import all_tuples
from mbedu.errors import unknown
from mbedu.query import Query, Vars, names
from mbedu.varset import Subsets

__all__ = ["LARGEST_BLOCK", "Block", "Candidates", "Members", "Plain", "Sides"]

Members: TypeAlias = tuple[int, ...]  # column numbers, ascending
ENORMOUS = 1e300  # a df beyond every count, and still a number: nothing computed with it is NaN
LARGEST_BLOCK = 1 << 16


class Sides(NamedTuple):
    """The part of a question that all candidates share."""

    x: Members
    given: Members


@dataclass(slots=True)
class Block:
    """Some candidates in their order: the columns of each, and what was measured."""

    members: Sequence[Members] | Ints
    scores: Scores

    def at(self, j: int) -> Members:
        """Return the columns of one candidate."""
        return tuple(int(v) for v in self.members[j])

    def only(self, j: int) -> Block:
        """Return the block of one candidate."""
        return Block([self.at(j)], self.scores.take([j]))


@dataclass(slots=True, frozen=True)
class Plain:
    """Candidates that are single variables."""

    columns: Ints
    members: frozenset[int]


class Candidates:
    """Read questions about named variables and have them measured."""

    def __init__(self, data: Encoded, engine: Engine, df_rule: DfRule) -> None:
        self.data, self.engine, self.df_rule = data, engine, df_rule
        self._lists: dict[tuple[Any, ...], Plain] = {}

    # --- names -----------------------------------------------------------------------------------

    def columns(self, wanted: frozenset[str]) -> Members:
        """Return the numbers of some variables, in variable order."""
        index = self.data.index
        try:
            if len(wanted) == 1:
                (name,) = wanted
                return (index[name],)
            return tuple(sorted([index[name] for name in wanted]))
        except KeyError:
            missing = min(name for name in wanted if name not in index)
            raise unknown("variable", missing, self.data.names) from None

    def sides(self, x: Vars, given: Vars) -> Sides:
        """Return x and the conditioning set, which must be disjoint and x not empty."""
        xs, zs = self.columns(names(x)), self.columns(names(given))
        if not xs or not set(xs).isdisjoint(zs):
            Query(x, "y", given)  # raises: says what is wrong with x and given
        return Sides(xs, zs)

    def plain(self, ys: Sequence[Any]) -> Plain | None:
        """Return candidates that are single variables as column numbers; None if some are not."""
        key = ys if isinstance(ys, tuple) else tuple(ys) if isinstance(ys, list) else None
        if key is None:
            return None
        try:
            known = self._lists.get(key)
            if known is not None:
                return known
            columns = list(map(self.data.index.__getitem__, key))
        except (KeyError, TypeError):  # sets, or unknown names: the long way has the words for it
            return None
        made = Plain(np.array(columns, np.int64), frozenset(columns))
        if len(self._lists) >= 64:
            self._lists.clear()
        self._lists[key] = made
        return made

    def refuse_overlap(self, sides: Sides, plain: Plain, x: Vars, given: Vars) -> None:
        """Refuse candidates that stand on another side of the question too."""
        if not (plain.members.isdisjoint(sides.x) and plain.members.isdisjoint(sides.given)):
            twice = plain.members & {*sides.x, *sides.given}
            Query(x, self.data.names[min(twice)], given)  # raises: it stands on two sides

    def _members(self, y: Vars, used: set[int], x: Vars, given: Vars) -> Members:
        columns = self.columns(names(y))
        if not columns or not used.isdisjoint(columns):
            Query(x, y, given)  # raises: empty, or on two sides
        return columns

    # --- scores ----------------------------------------------------------------------------------

    def scan(self, sides: Sides, columns: Ints) -> Floats:
        """Measure x against single columns, by the shortest way there is."""
        out = self.engine.scan_at_once(sides.x, sides.given, columns)
        if out is None:
            out = self.engine.scan(self.engine.context(sides.x, frozenset(sides.given)), columns)
        return out

    def scan_tuples(self, sides: Sides, tuples: Ints, items: Members) -> Floats:
        """Measure x against joint candidates, all of one size, out of the columns `items`."""
        if tuples.shape[1] == 1:
            return self.scan(sides, tuples[:, 0])
        return self.engine.scan_tuples(self.engine.context(sides.x, frozenset(sides.given)), tuples, items)

    def blocks(self, x: Vars, ys: Sequence[Vars], given: Vars, *, step: int) -> tuple[Sides, Iterator[Block]]:
        """Return the sides and the candidates' blocks, measured one after the other as they are asked for."""
        sides = self.sides(x, given)
        lazy = isinstance(ys, Subsets) and ys.smallest > 0 and len(set(ys.items)) == len(ys.items)
        plain = self.plain(ys.items if isinstance(ys, Subsets) and lazy else ys)
        if plain is None:
            used = {*sides.x, *sides.given}
            return sides, self._list_blocks(sides, [self._members(y, used, x, given) for y in ys], step)
        self.refuse_overlap(sides, plain, x, given)
        if isinstance(ys, Subsets):
            return sides, self._subset_blocks(sides, plain.columns, ys, step)
        return sides, self._column_blocks(sides, plain.columns, step)

    def _column_blocks(self, sides: Sides, columns: Ints, step: int) -> Iterator[Block]:
        a = 0
        while a < len(columns):
            some = columns[a : a + step]
            yield Block(some[:, None], self.scores(sides, some[:, None], self.scan(sides, some)))
            a += len(some)
            step = min(LARGEST_BLOCK, step * 4)

    def _subset_blocks(self, sides: Sides, items: Ints, ys: Subsets, step: int) -> Iterator[Block]:
        listed = tuple(sorted(items.tolist()))
        ascending = bool((np.diff(items) > 0).all())
        for m in range(ys.smallest, ys.largest + 1):
            for positions in all_tuples(len(items), m, block=step, largest=LARGEST_BLOCK):
                tuples = items[positions]
                if not ascending:  # a joint variable has its members in variable order, however it was listed
                    tuples = np.sort(tuples, axis=1)
                yield Block(tuples, self.scores(sides, tuples, self.scan_tuples(sides, tuples, listed)))

    def _list_blocks(self, sides: Sides, members: list[Members], step: int) -> Iterator[Block]:
        a = 0
        while a < len(members):
            some = members[a : a + step]
            items = tuple(sorted({v for m in some for v in m}))
            parts: list[Scores] = []
            place: list[int] = []
            for size in sorted({len(m) for m in some}):
                at = [j for j, m in enumerate(some) if len(m) == size]
                tuples = np.array([some[j] for j in at])
                parts.append(self.scores(sides, tuples, self.scan_tuples(sides, tuples, items)))
                place += at
            yield Block(some, Scores.join(parts).take(np.argsort(place)))
            a += len(some)
            step = min(LARGEST_BLOCK, step * 4)

    def scores(self, sides: Sides, tuples: Ints, out: Floats) -> Scores:
        """Return what was measured as scores, with the degrees of freedom that the test's rule wants."""
        g2, chi2, free, n, cells = out
        statistic = chi2 if self.engine.chi else g2
        if self.df_rule == "adjusted":
            return Scores(g2, statistic, free, n, cells, free)
        x, strata = self._levels(sides.x), self._levels(sides.given)
        y = self.data.cards[tuples].astype(float).prod(1)
        with np.errstate(over="ignore"):
            df = np.minimum((x - 1.0) * (y - 1.0) * strata, ENORMOUS)
            return Scores(g2, statistic, df, n, np.minimum(x * y * strata, ENORMOUS), free)

    def declared(self, sides: Sides, y: Members) -> tuple[float, float]:
        """Return the degrees of freedom and the cells of one table by the declared levels."""
        a, b, c = self._levels(sides.x), self._levels(y), self._levels(sides.given)
        return min((a - 1.0) * (b - 1.0) * c, ENORMOUS), min(a * b * c, ENORMOUS)

    def _levels(self, columns: Iterable[int]) -> float:
        return float(min(self.engine.declared(columns), int(ENORMOUS)))
