"""A judge that remembers: many runs on one data set ask the same questions again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbedu.judge import Batched, Judge, Verdict
from mbedu.query import Query, Vars, names

__all__ = ["CachedJudge"]


class CachedJudge(Batched):
    """The answers of another judge, each asked for once.

    Parameters
    ----------
    judge : Judge
        What answers.

    Notes
    -----
    The memory has no bound; use one for the runs on one target and let it go.

    Examples
    --------
    >>> import mbedu as mb
    >>> judge = CachedJudge(mb.DSeparation([("A", "B"), ("B", "C")]))
    >>> [v.independent for v in judge.judge_many("A", ("C",), ("B",))], judge.asked
    ([True], 1)
    >>> [v.independent for v in judge.judge_many("A", ("C",), ("B",))], judge.asked
    ([True], 1)
    """

    def __init__(self, judge: Judge) -> None:
        self.inner = judge
        self.variables = judge.variables
        self.ranks = judge.ranks
        self.batch = judge.batch
        self.asked = 0
        self._many: dict[tuple[Any, ...], list[Verdict]] = {}

    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        return self._remembered(("one", query), 1, lambda: [self.inner.judge(query)])[0]

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer for each y, in order."""
        key = ("many", names(x), _key(ys), names(given))
        return self._remembered(key, len(ys), lambda: self.inner.judge_many(x, ys, given))

    def leave_one_out(self, x: Vars, ys: Sequence[str], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given − {y} for each y, in order."""
        key = ("leave", names(x), tuple(ys), names(given))
        return self._remembered(key, len(ys), lambda: self.inner.leave_one_out(x, ys, given))

    def _remembered(self, key: tuple[Any, ...], count: int, ask: Any) -> list[Verdict]:
        found = self._many.get(key)
        if found is None:
            found = self._many[key] = ask()
            self.asked += count
        return found

    def describe(self) -> dict[str, Any]:
        """Say what the inner judge is."""
        return self.inner.describe()


def _key(ys: Sequence[Vars]) -> tuple[Any, ...]:
    """Return candidates as something that can be looked up."""
    key = tuple(ys)
    try:
        hash(key)
    except TypeError:  # mutable sets
        return tuple(names(y) for y in ys)
    return key
