"""What the tests on discrete data have in common: questions in, verdicts out, the engine in between."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from mbedu.citests.candidates import LARGEST_BLOCK, Block, Candidates, Members, Plain, Sides
from mbedu.citests.common import take_rows
from mbedu.citests.encode import Encoded, Missing, encode
from mbedu.citests.engine import Chooses, Chosen, Engine, EngineName, Floats
from mbedu.citests.evidence import (
    Correction,
    DfRule,
    Evidence,
    Policy,
    Rule,
    Scores,
    keys,
    strongest_position,
)
from mbedu.citests.explaining import explain_table
from mbedu.citests.pvalues import CompiledTails, OneTail, Tail, chi2_tail, chi2_tails
from mbedu.citests.separators import first_separator
from mbedu.errors import JudgeError
from mbedu.judge import Batched, By, Found, Separated, Verdict
from mbedu.query import Query, Vars, names
from mbedu.varset import Others

__all__ = ["DiscreteJudge"]

FIRST_BLOCK = 512  # the first look of `first_dependent`; each further block is four times as long


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
            raise JudgeError(
                f"df={df!r}: it is 'adjusted' (drop empty rows and columns per stratum) or 'full'"
            )
        self.missing = missing
        self._measure(encode(data, names=names, missing=missing), engine, chi, df)

    def _measure(self, data: Encoded, engine: EngineName, chi: bool, df: DfRule) -> None:
        self.data = data
        self.variables = data.names
        self.engine = Engine(data, engine=engine, chi=chi)
        self._candidates = Candidates(data, self.engine, df)
        self._every = np.arange(len(data.names))[:, None]

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
        self._tail: OneTail = chi2_tail
        tail: Tail = chi2_tails
        if self.engine.name == "numba":
            compiled = CompiledTails()
            self._tail, tail = compiled.one, compiled.many
        limits = (unreliable, rows_per_df, rows_per_cell)
        self.rule = Rule(alpha, threshold, *limits, correction, tail=tail, scale=scale)
        critical, none = self.rule.critical, np.zeros(0)
        bounds = (none, none) if critical is None else (critical.sure_above, critical.sure_below)
        self._chooses: Chooses = (*self.rule.compiled(), *bounds)
        self._sure = (rows_per_df or 0.0, rows_per_cell or 0.0, bounds[0].tolist())
        if correction is not None:
            self.batch = sys.maxsize  # the candidates of a scan are adjusted together, so they come together

    def rows(self, index: Any) -> Self:
        """Return the same judge on some of the rows (row numbers or a mask)."""
        made = copy(self)
        engine, chi, df = self.engine.name, self.engine.chi, self._candidates.df_rule
        made._measure(take_rows(self.data, index), engine, chi, df)  # noqa: SLF001 - of its own kind
        return made

    # --- questions -------------------------------------------------------------------------------

    def judge(self, query: Query) -> Verdict:
        """Answer one query; its p-value is never adjusted for other questions."""
        ask = self._candidates
        y = ask.columns(query.y)
        sides = Sides(ask.columns(query.x), ask.columns(query.given))
        out = ask.scan(sides, np.array(y)) if len(y) == 1 else ask.scan_tuples(sides, np.array([y]), y)
        return self._verdict(sides, y, out[:, 0].tolist())

    def _verdict(self, sides: Sides, y: Members, measured: list[float]) -> Verdict:
        """Write one verdict from the five numbers measured."""
        g2, chi2, free, n, cells = measured
        statistic, df = (chi2 if self.engine.chi else g2), free
        if self._candidates.df_rule == "full":
            df, cells = self._candidates.declared(sides, y)
        found = (g2, statistic, free, n, self._tail(statistic, df))
        return self.rule.verdict(found, df, cells, lambda: self._vacuous(sides, y, int(n)))

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given for each y, in order.

        Equals judging one by one, unless the judge has a correction: then the p-values of the
        candidates are adjusted together.
        """
        if not len(ys):
            return []
        sides, whole = self._whole(x, ys, given)
        evidence = self.rule.evidence(whole.scores, scan=True)
        return self._write(sides, whole, evidence, family=self._family(whole))

    def first_dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Found | None:
        """Return the first candidate that depends on x given `given`, or None; looks little beyond it."""
        if not len(ys):
            return None
        if self.rule.correction is not None:
            return self._search_corrected(x, ys, given, None)
        sides, blocks = self._candidates.blocks(x, ys, given, step=FIRST_BLOCK)
        start = 0
        for block in blocks:
            hits = np.flatnonzero(self.rule.dependent(block.scores))
            if len(hits):
                return Found(start + int(hits[0]), self._write_one(sides, block, int(hits[0])))
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
        if isinstance(ys, Others) and ys.universe is self.variables and isinstance(x, str):
            answer = self._strongest_other(x, ys, names(given), by)
            if answer:
                return answer[0]
        plain = self._candidates.plain(ys)
        if plain is not None:
            return self._strongest_column(x, plain, given, by)
        sides, kept, position = self._dependent(x, ys, given)
        if kept is None:
            return None
        log_p = self.rule.evidence(kept.scores, scan=False).log_p if by == "p_value" else kept.scores.n
        best, ties = strongest_position(*keys(kept.scores, log_p, by))
        return Found(position[best], self._write_one(sides, kept, best), tuple(position[i] for i in ties))

    def _dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> tuple[Sides, Block | None, list[int]]:
        """Return the dependent candidates and their positions."""
        sides, blocks = self._candidates.blocks(x, ys, given, step=LARGEST_BLOCK)
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
        return sides, Block(members, Scores.join(kept)) if kept else None, position

    def _strongest_column(self, x: Vars, plain: Plain, given: Vars, by: By) -> Found | None:
        """Search single columns: the same answer with less ado, because this is what algorithms ask most."""
        ask, columns = self._candidates, plain.columns
        sides = ask.sides(x, given)
        ask.refuse_overlap(sides, plain, x, given)
        out = ask.scan(sides, columns)
        best, ties = self._choose(ask.scores(sides, columns[:, None], out), out, by, least=False)
        if best < 0:
            return None
        y = (int(columns[best]),)
        return Found(best, lambda: self._verdict(sides, y, out[:, best].tolist()), tuple(ties))

    def _strongest_other(self, x: str, ys: Others, given: frozenset[str], by: By) -> list[Found | None]:
        """Search all columns but those of the question in one compiled call; empty if that cannot be."""
        index, left_out = self.data.index, ys.left_out
        if len(given) + 1 != len(left_out) or x not in left_out or not given <= left_out:
            return []
        sides = Sides((index[x],), tuple(sorted([index[z] for z in given])))
        whole = self.engine.scan_all(sides.x[0], sides.given)
        if whole is not None:
            return [self._strongest_of_all(sides, whole, by)]
        if self._candidates.df_rule == "full":  # the compiled call knows what is free, not what was declared
            return []
        out = np.empty((5, len(ys)))
        chosen = self.engine.strongest_other(sides.x + sides.given, self._chooses, by == "p_value", out)
        if chosen is None:
            return []
        best, ties = chosen
        if best < 0:
            return [None]
        y = (index[ys[best]],)
        return [Found(best, lambda: self._verdict(sides, y, out[:, best].tolist()), tuple(ties))]

    def _strongest_of_all(self, sides: Sides, out: Floats, by: By) -> Found | None:
        """Search all columns, when all were measured, and say where the answer stands among the others."""
        out[0, sides.x[0]] = out[2, sides.x[0]] = 0.0  # x itself is no candidate; the given have no freedom
        before = (*sides.x, *sides.given)
        if by == "strength":  # all rest on the same rows, so that G² orders them; mostly the first one it is
            best = int(out[0].argmax())
            alone = np.count_nonzero(out[0] > out[0, best] * (1.0 - 1e-6) - 1e-6) == 1
            if alone and self._surely_dependent(out[:, best].tolist()):
                verdict = lambda: self._verdict(sides, (best,), out[:, best].tolist())  # noqa: E731
                return Found(best - sum(v < best for v in before), verdict)
        scores = self._candidates.scores(sides, self._every, out)
        best, ties = self._choose(scores, out, by, least=False)
        if best < 0:
            return None
        position, *ties = (j - sum(v < j for v in before) for j in (best, *ties))
        return Found(position, lambda: self._verdict(sides, (best,), out[:, best].tolist()), tuple(ties))

    def _surely_dependent(self, measured: list[float]) -> bool:
        """Say whether no policy, no rounding and no other df rule can make this independent."""
        g2, chi2, df, n, cells = measured
        per_df, per_cell, above = self._sure
        if not 0.0 < df < len(above) or self._candidates.df_rule == "full":
            return False
        statistic = chi2 if self.engine.chi else g2
        return statistic > above[int(df)] and n >= per_df * df and n >= per_cell * cells

    def _choose(self, scores: Scores, out: Floats, by: By, *, least: bool) -> Chosen:
        """Return the strongest dependent candidate, −1 if there is none, and those it tied with.

        With `least` the weakest independent one.
        """
        chosen = self.engine.choose((out, scores.df, scores.cells), self._chooses, by == "p_value", least)
        if chosen is not None:
            return chosen
        yes = self.rule.dependent(scores)
        hits = (~yes if least else yes).nonzero()[0]
        if not len(hits):
            return -1, []
        if by == "strength":
            first, second = scores.strength[hits], np.zeros(len(hits))
        else:
            some = scores.take(hits)
            first, second = keys(some, self.rule.evidence(some, scan=False).log_p, by)
        best, ties = strongest_position(-first, -second) if least else strongest_position(first, second)
        return int(hits[best]), hits[ties].tolist() if ties else []

    def _search_corrected(self, x: Vars, ys: Sequence[Vars], given: Vars, by: By | None) -> Found | None:
        """Search where the candidates are adjusted together: all of them have to be looked at."""
        sides, whole = self._whole(x, ys, given)
        evidence = self.rule.evidence(whole.scores, scan=True)
        hits = np.flatnonzero(evidence.dependent)
        if not len(hits):
            return None
        best, ties = 0, list[int]()
        if by is not None:
            best, ties = strongest_position(*keys(whole.scores.take(hits), evidence.log_p[hits], by))
        j = int(hits[best])
        verdict = self._write(sides, whole.only(j), evidence.take([j]), family=self._family(whole))[0]
        return Found(j, verdict, tuple(int(hits[i]) for i in ties))

    def first_separator(self, x: Vars, y: Vars, givens: Iterable[Vars]) -> Separated:
        """Return the first of `givens` that makes x and y independent; equals asking one by one."""
        return first_separator(self, x, y, givens)

    def dependents(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[int]:
        """Return the positions of the candidates that depend on x given `given`."""
        if not len(ys):
            return []
        if self.rule.correction is not None:
            return super().dependents(x, ys, given)
        _, blocks = self._candidates.blocks(x, ys, given, step=LARGEST_BLOCK)
        found = np.concatenate([self.rule.dependent(block.scores) for block in blocks])
        return [int(i) for i in np.flatnonzero(found)]

    def leave_one_out(self, x: Vars, ys: Sequence[str], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given − {y} for each y in `ys`, in order; not corrected: each has its own strata."""
        sides, plain = self._members(x, ys, given)
        out = None if plain is None else self.engine.leave_out(sides.x, sides.given, plain.columns)
        if plain is not None and out is not None:
            rows = zip(plain.columns.tolist(), out.T.tolist(), strict=True)
            return [self._verdict(_without(sides, v), (v,), row) for v, row in rows]
        xs, zs = names(x), names(given)
        return [self.judge(Query(xs, y, zs - {y})) for y in ys]

    def weakest(self, x: Vars, ys: Sequence[str], given: Vars, by: By = "strength") -> Found | None:
        """Return the weakest y that is independent of x given `given` − {y}, or None if all are dependent.

        The answer of judge.weakest_of on the verdicts of `leave_one_out`, without building them.
        """
        sides, plain = self._members(x, ys, given)
        if plain is not None and self._candidates.df_rule == "adjusted":
            out = np.empty((5, len(ys)))
            chosen = self.engine.weakest_member(sides, plain.columns, self._chooses, by == "p_value", out)
            if chosen is not None:
                return self._found_member(sides, plain, out, chosen)
            measured = self.engine.leave_out(sides.x, sides.given, plain.columns)
            if measured is not None and all(map(self._surely_dependent, measured.T.tolist())):
                return None
            if measured is not None:
                scores = self._candidates.scores(sides, plain.columns[:, None], measured)
                chosen = self._choose(scores, measured, by, least=True)
                return self._found_member(sides, plain, measured, chosen)
        return super().weakest(x, ys, given, by)

    def _members(self, x: Vars, ys: Sequence[str], given: Vars) -> tuple[Sides, Plain | None]:
        """Return the sides, and the candidates if all of them are members of `given`."""
        sides, plain = self._candidates.sides(x, given), self._candidates.plain(ys)
        return sides, plain if plain is not None and len(ys) and plain.members.issubset(sides.given) else None

    def _found_member(self, sides: Sides, plain: Plain, out: Floats, chosen: Chosen) -> Found | None:
        best, ties = chosen
        if best < 0:
            return None
        y, row = int(plain.columns[best]), out[:, best].tolist()
        return Found(best, lambda: self._verdict(_without(sides, y), (y,), row), tuple(ties))

    # --- verdicts --------------------------------------------------------------------------------

    def _whole(self, x: Vars, ys: Sequence[Vars], given: Vars) -> tuple[Sides, Block]:
        plain = self._candidates.plain(ys)
        if plain is not None and len(plain.columns) <= LARGEST_BLOCK:  # what is asked most, with less ado
            sides = self._candidates.sides(x, given)
            self._candidates.refuse_overlap(sides, plain, x, given)
            columns = plain.columns[:, None]
            out = self._candidates.scan(sides, plain.columns)
            return sides, Block(columns, self._candidates.scores(sides, columns, out))
        sides, blocks = self._candidates.blocks(x, ys, given, step=LARGEST_BLOCK)
        parts = list(blocks)
        if len(parts) == 1:
            return sides, parts[0]
        members = [tuple(m) for part in parts for m in part.members]
        return sides, Block(members, Scores.join([part.scores for part in parts]))

    def _family(self, whole: Block) -> int:
        return 0 if self.rule.correction is None else int(self.rule.family(whole.scores).sum())

    def _write_one(self, sides: Sides, block: Block, j: int) -> Verdict:
        one = block.only(j)
        return self._write(sides, one, self.rule.evidence(one.scores, scan=False))[0]

    def _write(self, sides: Sides, block: Block, evidence: Evidence, *, family: int = 0) -> list[Verdict]:
        def why(j: int) -> tuple[str, bool]:
            return self._vacuous(sides, block.at(j), int(block.scores.n[j]))

        return self.rule.verdicts(block.scores, evidence, why=why, family=family)

    def _vacuous(self, sides: Sides, y: Members, n: int) -> tuple[str, bool]:
        """Say why a test has no degrees of freedom, and whether its answer can be relied on."""
        if n == 0:
            return "no row is complete in all the variables: counted as independent", False
        rows = np.ones(self.data.n, np.bool_)
        if self.engine.any_missing:
            for v in (*sides.x, *sides.given, *y):
                rows &= self.data.column(v) < self.data.cards[v]
        for side in (sides.x, y):
            codes = [self.data.column(v)[rows] for v in side]
            if all((code == code[0]).all() for code in codes):
                shown = ", ".join(self.variables[v] for v in side)
                return f"{shown} is constant in these {n} rows: independent", True
        return "in every stratum one side is constant, nothing can be tested: counted as independent", False

    # --- saying what it is -----------------------------------------------------------------------

    def explain(self, query: Query, *, largest: int = 2000) -> dict[str, Any]:
        """Return the contingency tables behind a verdict, observed and expected, as plain JSON values.

        Parameters
        ----------
        query : Query
        largest : int
            Show at most so many cells; `shown_strata` and `strata` say how many strata that leaves.
        """
        x, y, given = (self._candidates.columns(side) for side in (query.x, query.y, query.given))
        verdict = self.judge(query)
        return {
            **explain_table(self.data, x, y, given, largest),
            "verdict": verdict._asdict(),
        }

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        rule = self.rule
        return {
            "kind": type(self).__name__,
            "rows": self.data.n,
            "variables": len(self.variables),
            "df": self._candidates.df_rule,
            "unreliable": rule.unreliable,
            "rows_per_df": rule.rows_per_df,
            "rows_per_cell": rule.rows_per_cell,
            "missing": self.missing,
            "correction": rule.correction,
            "engine": self.engine.name,
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.data.n} rows × {len(self.variables)} variables>"


def _without(sides: Sides, v: int) -> Sides:
    return Sides(sides.x, tuple(u for u in sides.given if u != v))
