"""What is wrong, and what one wrong verdict caused: found out by correcting it and running again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from mbedu.compare.comparison import Effect, FirstWrong, Wrong
from mbedu.judge import Batched, Judge, Verdict, completed
from mbedu.query import Query, Vars, names
from mbedu.steps import Asked, Changed
from mbedu.trace import Trace

__all__ = ["Corrected", "effects", "in_full", "wrong_verdicts"]


def wrong_verdicts(trace: Trace, truths: Mapping[int, Verdict]) -> Iterator[Wrong]:
    """Yield the verdicts that are not the oracle's, in order."""
    for i, truth in truths.items():
        step = trace[i]
        if isinstance(step, Asked) and step.verdict.independent != truth.independent:
            if not step.verdict.reliable:
                kind = "unreliable"
            else:
                kind = "false independence" if step.verdict.independent else "false dependence"
            yield Wrong(i, step.query, kind)


def in_full(trace: Trace, truths: Mapping[int, Verdict], at: Wrong) -> FirstWrong:
    """Return a wrong verdict with its p-value and a sentence."""
    step = trace[at.step]
    p = step.verdict.p_value if isinstance(step, Asked) else None
    truth = "independent" if truths[at.step].independent else "dependent"
    how = "an unreliable test" if at.kind == "unreliable" else f"a {at.kind}"
    return FirstWrong(*at, p, f"{step.text} The oracle says that they are {truth}: {how}.")


def effects(data: Trace, repaired: Trace, start: int) -> tuple[tuple[Effect, ...], tuple[Effect, ...]]:
    """Return the changes after step `start` that only the one run makes, and only the other."""

    def changes(trace: Trace) -> list[tuple[int, Changed]]:
        return [
            (i, s)
            for i, s in enumerate(trace)
            if i > start and isinstance(s, Changed) and (s.added or s.removed)
        ]

    def keys(side: list[tuple[int, Changed]]) -> list[tuple[Any, ...]]:
        return [(s.procedure, s.depth, s.name, s.added, s.removed) for _, s in side]

    left, right = changes(data), changes(repaired)
    caused: list[Effect] = []
    prevented: list[Effect] = []
    for tag, a, b, c, d in SequenceMatcher(None, keys(left), keys(right), autojunk=False).get_opcodes():
        if tag != "equal":
            caused += [Effect(i, s.text) for i, s in left[a:b]]
            prevented += [Effect(i, s.text) for i, s in right[c:d]]
    return tuple(caused), tuple(prevented)


class Corrected(Batched):
    """A test on data, except that some questions have the answers given here."""

    def __init__(self, judge: Judge, corrections: Mapping[Query, Verdict]) -> None:
        self.inner = completed(judge)
        self.corrections = corrections
        self.variables = tuple(judge.variables)
        self.ranks, self.batch = self.inner.ranks, self.inner.batch

    def _settle(self, query: Query, verdict: Verdict) -> Verdict:
        truth = self.corrections.get(query)
        if truth is None or truth.independent == verdict.independent:
            return verdict
        return verdict._replace(independent=truth.independent, reason="corrected by the oracle")

    def judge(self, query: Query) -> Verdict:
        return self._settle(query, self.inner.judge(query))

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        found = self.inner.judge_many(x, ys, given)
        return [self._settle(Query(x, y, given), v) for y, v in zip(ys, found, strict=True)]

    def leave_one_out(self, x: Vars, ys: Sequence[str], given: Vars) -> list[Verdict]:
        zs = names(given)
        found = self.inner.leave_one_out(x, ys, given)
        return [self._settle(Query(x, y, zs - {y}), v) for y, v in zip(ys, found, strict=True)]

    def describe(self) -> dict[str, Any]:
        return {**self.inner.describe(), "corrected": [str(q) for q in self.corrections]}
