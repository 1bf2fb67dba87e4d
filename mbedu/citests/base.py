"""What the tests on discrete data have in common: candidates in, verdicts out, the engine in between."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from mbedu.citests.encode import Encoded, Ints, Missing, encode
from mbedu.citests.engine import Context, Engine, EngineName, Floats, all_tuples
from mbedu.citests.evidence import Correction, DfRule, Evidence, Policy, Rule, Scores, keys, strongest_position
from mbedu.citests.explaining import explain_table
from mbedu.citests.pvalues import Tail, chi2_sf
from mbedu.errors import JudgeError, unknown
from mbedu.judge import Batched, By, Found, Verdict
from mbedu.query import Query, Vars, names
from mbedu.varset import Subsets

__all__ = ["DiscreteJudge"]

Members: TypeAlias = tuple[int, ...]
ENORMOUS = 1e300  # a df beyond every count, and still a number: nothing computed with it is NaN
FIRST_BLOCK = 512  # the first look of `first_dependent`; each further block is four times as long
LARGEST_BLOCK = 1 << 16


@dataclass(slots=True)
class _Block:
    """Some candidates in their order: the columns of each, and what was measured."""

    members: Sequence[Members] | Ints
    scores: Scores

    def at(self, j: int) -> Members:
        return tuple(int(v) for v in self.members[j])


class DiscreteJudge(Batched):
    """A test on discrete data; `G2`, `ChiSquare` and `MutualInformation` say how it decides."""

    ranks = True
    batch = 256

    def __init__(
        self,
        data: Any,
        *,
        df: DfRule,
        missing: Missing,
        names: Sequence[str] | None,
        engine: EngineName,
        chi: bool = False,
    ) -> None:
        if df not in ("adjusted", "full"):
            raise JudgeError(f"df={df!r}: it is 'adjusted' (drop empty rows and columns per stratum) or 'full'")
        self.data: Encoded = encode(data, names=names, missing=missing)
        self.variables = self.data.names
        self.df_rule = df
        self.missing = missing
        self.engine = Engine(self.data, engine=engine, chi=chi)

    def _decide_by(
        self,
        *,
        alpha: float | None = None,
        threshold: float | None = None,
        unreliable: Policy,
        rows_per_df: float | None,
        rows_per_cell: float | None,
        correction: Correction | None = None,
        scale: float = 1.0,
    ) -> None:
        tail: Tail = chi2_sf if self.engine.name == "numpy" else _compiled_chi2_sf
        limits = (unreliable, rows_per_df, rows_per_cell)
        self.rule = Rule(alpha, threshold, *limits, correction, tail=tail, scale=scale)
        if correction is not None:
            self.batch = sys.maxsize  # the candidates of a scan are adjusted together, so they come together

    # --- questions -------------------------------------------------------------------------------

    def judge(self, query: Query) -> Verdict:
        """Answer one query; its p-value is never adjusted for other questions."""
        y = self._columns(query.y)
        context = self.engine.context(self._columns(query.x), frozenset(self._columns(query.given)))
        tuples = np.array([y])
        block = _Block(tuples, self._scores(context, tuples, self.engine.scan_tuples(context, tuples, y)))
        return self._write(context, block, self.rule.evidence(block.scores, scan=False))[0]

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given for each y, in order.

        Equals judging one by one, unless the judge has a correction: then the p-values of the
        candidates are adjusted together.
        """
        if not len(ys):
            return []
        context, whole = self._whole(x, ys, given)
        return self._write(context, whole, self.rule.evidence(whole.scores, scan=True), family=self._family(whole))

    def first_dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Found | None:
        """Return the first candidate that depends on x given `given`, or None; looks little further than that."""
        if not len(ys):
            return None
        if self.rule.correction is not None:
            return self._search_corrected(x, ys, given, None)
        context, blocks = self._blocks(x, ys, given, step=FIRST_BLOCK)
        start = 0
        for block in blocks:
            hits = np.flatnonzero(self.rule.dependent(block.scores))
            if len(hits):
                return Found(start + int(hits[0]), self._write_one(context, block, int(hits[0])))
            start += len(block.scores.n)
        return None

    def strongest(self, x: Vars, ys: Sequence[Vars], given: Vars, by: By = "strength") -> Found | None:
        """Return the strongest of the dependent candidates, or None if all are independent.

        The answer of judge.strongest_of on all verdicts, without building them.
        """
        if by not in ("strength", "p_value"):
            raise JudgeError(f"by={by!r}: candidates are ordered by 'strength' or by 'p_value'")
        if not len(ys):
            return None
        if self.rule.correction is not None:
            return self._search_corrected(x, ys, given, by)
        context, blocks = self._blocks(x, ys, given, step=LARGEST_BLOCK)
        kept: list[Scores] = []
        members: list[Members] = []
        position: list[int] = []
        start = 0
        for block in blocks:
            hits = np.flatnonzero(self.rule.dependent(block.scores))
            if len(hits):
                kept.append(block.scores.take(hits))
                position += (start + hits).tolist()
                members += [block.at(j) for j in hits.tolist()]
            start += len(block.scores.n)
        if not kept:
            return None
        whole = _Block(members, Scores.join(kept))
        log_p = self.rule.evidence(whole.scores, scan=False).log_p if by == "p_value" else whole.scores.n
        best, ties = strongest_position(*keys(whole.scores, log_p, by))
        return Found(position[best], self._write_one(context, whole, best), tuple(position[i] for i in ties))

    def _search_corrected(self, x: Vars, ys: Sequence[Vars], given: Vars, by: By | None) -> Found | None:
        """Search where the candidates are adjusted together: all of them have to be looked at."""
        context, whole = self._whole(x, ys, given)
        evidence = self.rule.evidence(whole.scores, scan=True)
        hits = np.flatnonzero(evidence.dependent)
        if not len(hits):
            return None
        best, ties = 0, []
        if by is not None:
            best, ties = strongest_position(*keys(whole.scores.take(hits), evidence.log_p[hits], by))
        j = int(hits[best])
        one = _Block([whole.at(j)], whole.scores.take([j]))
        verdict = self._write(context, one, evidence.take([j]), family=self._family(whole))[0]
        return Found(j, verdict, tuple(int(hits[i]) for i in ties))

    def leave_one_out(self, x: Vars, ys: Sequence[str], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given − {y} for each y in `ys`, in order; no correction, each has its own strata."""
        xs, zs = names(x), names(given)
        return [self.judge(Query(xs, y, zs - {y})) for y in ys]

    # --- candidates ------------------------------------------------------------------------------

    def _columns(self, wanted: frozenset[str]) -> Members:
        index = self.data.index
        try:
            return tuple(sorted([index[name] for name in wanted]))
        except KeyError:
            missing = sorted(name for name in wanted if name not in index)[0]
            raise unknown("variable", missing, self.variables) from None

    def _whole(self, x: Vars, ys: Sequence[Vars], given: Vars) -> tuple[Context, _Block]:
        context, blocks = self._blocks(x, ys, given, step=LARGEST_BLOCK)
        parts = list(blocks)
        if len(parts) == 1:
            return context, parts[0]
        members = [tuple(m) for part in parts for m in _listed(part.members)]
        return context, _Block(members, Scores.join([part.scores for part in parts]))

    def _blocks(
        self, x: Vars, ys: Sequence[Vars], given: Vars, *, step: int
    ) -> tuple[Context, Iterator[_Block]]:
        """Return the context and the candidates' blocks, measured one after the other as they are asked for."""
        xs, zs = self._columns(names(x)), self._columns(names(given))
        used = {*xs, *zs}
        if not xs or len(used) < len(xs) + len(zs):
            Query(x, "", given)  # says what is wrong with x and given
        if isinstance(ys, Subsets) and ys.smallest > 0 and len(set(ys.items)) == len(ys.items):
            items = self._singles(ys.items, used, x, given)
            context = self.engine.context(xs, frozenset(zs))
            return context, self._subset_blocks(context, items, ys, step)
        first = next(iter(ys))
        if isinstance(first, str) and all(isinstance(y, str) for y in ys):
            columns = self._singles(ys, used, x, given)[:, None]
            context = self.engine.context(xs, frozenset(zs))
            return context, self._array_blocks(context, columns, step)
        members = [self._members(y, used, x, given) for y in ys]
        context = self.engine.context(xs, frozenset(zs))
        return context, self._list_blocks(context, members, step)

    def _singles(self, ys: Sequence[Any], used: set[int], x: Vars, given: Vars) -> Ints:
        index = self.data.index
        try:
            columns = [index[y] for y in ys]
        except KeyError:
            missing = next(y for y in ys if y not in index)
            raise unknown("variable", missing, self.variables) from None
        if not used.isdisjoint(columns):
            Query(x, next(y for y in ys if index[y] in used), given)  # raises: it stands on two sides
        return np.array(columns, np.int64)

    def _members(self, y: Vars, used: set[int], x: Vars, given: Vars) -> Members:
        columns = self._columns(names(y))
        if not columns or not used.isdisjoint(columns):
            Query(x, y, given)  # raises: empty, or on two sides
        return columns

    def _subset_blocks(self, context: Context, items: Ints, ys: Subsets, step: int) -> Iterator[_Block]:
        listed = tuple(sorted(items.tolist()))
        ascending = bool((np.diff(items) > 0).all())
        for m in range(ys.smallest, ys.largest + 1):
            for positions in all_tuples(len(items), m, block=step, largest=LARGEST_BLOCK):
                tuples = items[positions]
                if not ascending:  # a joint variable has its members in variable order, however it was listed
                    tuples = np.sort(tuples, axis=1)
                yield _Block(tuples, self._scores(context, tuples, self.engine.scan_tuples(context, tuples, listed)))

    def _array_blocks(self, context: Context, columns: Ints, step: int) -> Iterator[_Block]:
        a = 0
        while a < len(columns):
            some = columns[a : a + step]
            yield _Block(some, self._scores(context, some, self.engine.scan(context, some[:, 0])))
            a += len(some)
            step = min(LARGEST_BLOCK, step * 4)

    def _list_blocks(self, context: Context, members: list[Members], step: int) -> Iterator[_Block]:
        a = 0
        while a < len(members):
            some = members[a : a + step]
            items = tuple(sorted({v for m in some for v in m}))
            parts: list[Scores] = []
            place: list[int] = []
            for size in sorted({len(m) for m in some}):
                at = [j for j, m in enumerate(some) if len(m) == size]
                tuples = np.array([some[j] for j in at])
                parts.append(self._scores(context, tuples, self.engine.scan_tuples(context, tuples, items)))
                place += at
            yield _Block(some, Scores.join(parts).take(np.argsort(place)))
            a += len(some)
            step = min(LARGEST_BLOCK, step * 4)

    # --- from counts to verdicts -----------------------------------------------------------------

    def _scores(self, context: Context, tuples: Ints, out: Floats) -> Scores:
        g2, chi2, free, n, cells = out
        statistic = chi2 if self.engine.chi else g2
        if self.df_rule == "adjusted":
            return Scores(g2, statistic, free, n, cells, free)
        levels = np.maximum(self.data.cards[tuples], 1).astype(float).prod(1)
        strata = float(min(context.given_declared, int(ENORMOUS)))
        df = np.minimum((min(context.x_declared, int(ENORMOUS)) - 1.0) * (levels - 1.0) * strata, ENORMOUS)
        full = np.minimum(float(min(context.x_declared, int(ENORMOUS))) * levels * strata, ENORMOUS)
        return Scores(g2, statistic, df, n, full, free)

    def _family(self, whole: _Block) -> int:
        return 0 if self.rule.correction is None else int(self.rule.family(whole.scores).sum())

    def _write_one(self, context: Context, block: _Block, j: int) -> Verdict:
        one = _Block([block.at(j)], block.scores.take([j]))
        return self._write(context, one, self.rule.evidence(one.scores, scan=False))[0]

    def _write(self, context: Context, block: _Block, evidence: Evidence, *, family: int = 0) -> list[Verdict]:
        def why(j: int) -> tuple[str, bool]:
            return self._vacuous(context, block.at(j), int(block.scores.n[j]))

        return self.rule.verdicts(block.scores, evidence, why=why, family=family)

    def _vacuous(self, context: Context, y: Members, n: int) -> tuple[str, bool]:
        """Say why a test has no degrees of freedom, and whether its answer can be relied on."""
        if n == 0:
            return "no row is complete in all the variables: counted as independent", False
        rows = context.cell < context.cells
        for v in y:
            rows &= self.data.column(v) < max(1, int(self.data.cards[v]))
        for side in (context.x, y):
            joint = [self.data.column(v)[rows] for v in side]
            if all((code == code[0]).all() for code in joint):
                shown = ", ".join(self.variables[v] for v in side)
                return f"{shown} is constant in these {n} rows: independent", True
        return "in every stratum one side is constant, so nothing can be tested: counted as independent", False

    def explain(self, query: Query, *, largest: int = 2000) -> dict[str, Any]:
        """Return the contingency tables behind a verdict, observed and expected, as plain JSON values.

        Parameters
        ----------
        query : Query
        largest : int
            Show at most so many cells; `shown_strata` and `strata` say how many strata that leaves.
        """
        x, y = self._columns(query.x), self._columns(query.y)
        given = self._columns(query.given)
        return {**explain_table(self.data, x, y, given, largest), "verdict": _plain(self.judge(query))}

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        rule = self.rule
        return {
            "kind": type(self).__name__,
            "rows": self.data.n,
            "variables": len(self.variables),
            "df": self.df_rule,
            "unreliable": rule.unreliable,
            "rows_per_df": rule.rows_per_df,
            "rows_per_cell": rule.rows_per_cell,
            "missing": self.missing,
            "correction": rule.correction,
            "engine": self.engine.name,
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.data.n} rows × {len(self.variables)} variables>"


def _listed(members: Sequence[Members] | Ints) -> Sequence[Any]:
    return members.tolist() if isinstance(members, np.ndarray) else members  # type: ignore[no-any-return]


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in Verdict.__slots__}


def _compiled_chi2_sf(statistic: Floats, df: Floats) -> Floats:
    """Return the tail of χ² from the compiled finite sum, and from scipy where that does not reach."""
    from mbedu.citests import kernels_numba

    p = np.empty(len(statistic))
    kernels_numba.chi2_sf(statistic, df, p)
    rest = np.flatnonzero(np.isnan(p))
    if len(rest):
        p[rest] = chi2_sf(statistic[rest], df[rest])
    return p
