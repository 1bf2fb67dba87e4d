"""What answers questions: the verdict, the judge, and what every judge may be asked in bulk.

A *judge* states facts. `judge` answers one query; `judge_many` answers one query for each
candidate, and it is a promise, not a second truth: it equals judging one by one.

More verbs are searches over candidates or conditioning sets. `Batched` derives them from `judge_many`
and `judge`; a judge that can do them faster (without building an object for each of 160,000
candidates) overrides them, and the laws in tests/strategies.py hold it to the same answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from mbedu.errors import unknown
from mbedu.query import Query, Vars, names

__all__ = [
    "Batched",
    "By",
    "Found",
    "Judge",
    "Separated",
    "Verdict",
    "better",
    "check_known",
    "chunks",
    "completed",
    "raised",
    "rank_key",
    "strongest_of",
    "weakest_of",
]

By: TypeAlias = Literal["strength", "p_value"]
"""What orders candidates: conditional mutual information, or the p-value (by its logarithm)."""


class Verdict(NamedTuple):
    """The answer to a query, with the evidence.

    Attributes
    ----------
    independent : bool
        True means independent, always.
    p_value, log_p : float or None
        The p-value and its natural logarithm (which keeps the order where the p-value underflows).
        An exact oracle has neither.
    statistic, df : float or None
        The test statistic and its degrees of freedom.
    n : int or None
        The number of rows that the answer rests on.
    strength : float or None
        What orders candidates: the conditional mutual information in nats, where the judge knows it.
    reliable : bool
        False when the test lacked data; `reason` says so, and what the policy made of it.
    reason : str
        Why, in words; empty when there is nothing to add.
    """

    independent: bool
    p_value: float | None = None
    statistic: float | None = None
    df: float | None = None
    strength: float | None = None
    reliable: bool = True
    reason: str = ""
    n: int | None = None
    log_p: float | None = None

    def __bool__(self) -> bool:
        raise TypeError(
            "a Verdict is neither true nor false; ask for verdict.independent (True means independent)"
        )


@runtime_checkable
class Judge(Protocol):
    """Anything that answers queries.

    `variables` is the universe; its order is the tie-break everywhere. `ranks` says whether
    verdicts carry a `strength`. `batch` is how many candidates are best handed over at once.
    """

    @property
    def variables(self) -> tuple[str, ...]: ...
    @property
    def ranks(self) -> bool: ...
    @property
    def batch(self) -> int: ...
    def judge(self, query: Query) -> Verdict: ...
    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]: ...
    def first_dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Found | None: ...
    def strongest(self, x: Vars, ys: Sequence[Vars], given: Vars, by: By = "strength") -> Found | None: ...
    def leave_one_out(self, x: Vars, ys: Sequence[str], given: Vars) -> list[Verdict]: ...
    def weakest(self, x: Vars, ys: Sequence[str], given: Vars, by: By = "strength") -> Found | None: ...
    def dependents(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[int]: ...
    def first_separator(self, x: Vars, y: Vars, givens: Iterable[Vars]) -> Separated: ...
    def describe(self) -> dict[str, Any]: ...


class Found:
    """A search result: the position among the candidates, the verdict, and the positions it tied with.

    The verdict may be given as a function that writes it: a search that only wants the position then
    does without.
    """

    __slots__ = ("_verdict", "position", "ties")

    def __init__(
        self, position: int, verdict: Verdict | Callable[[], Verdict], ties: tuple[int, ...] = ()
    ) -> None:
        self.position, self._verdict, self.ties = position, verdict, ties

    @property
    def verdict(self) -> Verdict:
        """The verdict on the candidate that was found."""
        if not isinstance(self._verdict, Verdict):
            self._verdict = self._verdict()
        return self._verdict

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Found):
            return NotImplemented
        return (self.position, self.verdict, self.ties) == (other.position, other.verdict, other.ties)

    __hash__ = None  # type: ignore[assignment]  # nobody keeps search results in sets

    def __repr__(self) -> str:
        return f"Found({self.position}, {self.verdict!r}, {self.ties})"


class Separated(NamedTuple):
    """A search among conditioning sets: how many were tried, the largest, and the last if it separates."""

    tried: int
    largest: int
    found: frozenset[str] | None


class Batched:
    """A judge's bulk verbs, derived from `judge`; subclass it and override what you can do faster.

    Examples
    --------
    >>> class Lookup(Batched):
    ...     '''Independence read from a list; everything not listed is dependent.'''
    ...     def __init__(self, variables, holds):
    ...         self.variables, self.holds = tuple(variables), frozenset(holds)
    ...     def judge(self, query):
    ...         return Verdict(query in self.holds)
    >>> lookup = Lookup("TAB", [Query("T", "A")])
    >>> [v.independent for v in lookup.judge_many("T", ["A", "B"], ())]
    [True, False]
    >>> lookup.first_dependent("T", ["A", "B"], ()).position
    1
    """

    variables: tuple[str, ...] = ()
    ranks: bool = False
    batch: int = 64

    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        raise NotImplementedError(f"{type(self).__name__} has to define judge(query)")

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given for each y, in order; equals judging one by one."""
        return [self.judge(Query(x, y, given)) for y in ys]

    def first_dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Found | None:
        """Return the first candidate that depends on x given `given`, or None."""
        for start, chunk in chunks(ys, self.batch):
            for i, verdict in enumerate(self.judge_many(x, chunk, given)):
                if not verdict.independent:
                    return Found(start + i, verdict)
        return None

    def strongest(self, x: Vars, ys: Sequence[Vars], given: Vars, by: By = "strength") -> Found | None:
        """Return the strongest of the dependent candidates, or None if all are independent."""
        return strongest_of(self.judge_many(x, ys, given), by)

    def leave_one_out(self, x: Vars, ys: Sequence[str], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given − {y} for each y in `ys`, in order."""
        xs, zs = names(x), names(given)
        return [self.judge(Query(xs, y, zs - {y})) for y in ys]

    def weakest(self, x: Vars, ys: Sequence[str], given: Vars, by: By = "strength") -> Found | None:
        """Return the weakest y that is independent of x given `given` − {y}, or None if all are dependent."""
        return weakest_of(self.leave_one_out(x, ys, given), by)

    def dependents(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[int]:
        """Return the positions of the candidates that depend on x given `given`."""
        return [i for i, v in enumerate(self.judge_many(x, ys, given)) if not v.independent]

    def first_separator(self, x: Vars, y: Vars, givens: Iterable[Vars]) -> Separated:
        """Return the first of `givens` that makes x and y independent; equals asking one by one."""
        tried = largest = 0
        for given in givens:
            query = Query(x, y, given)
            tried, largest = tried + 1, max(largest, len(query.given))
            if self.judge(query).independent:
                return Separated(tried, largest, query.given)
        return Separated(tried, largest, None)

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values, for the trace and the player."""
        return {"kind": type(self).__name__}


class _Completed(Batched):
    """A minimal judge (`variables`, `judge`, perhaps `judge_many`) with the bulk verbs added."""

    def __init__(self, judge: Any) -> None:
        self.inner = judge
        self.variables = tuple(judge.variables)
        self.ranks = bool(getattr(judge, "ranks", False))
        self.batch = int(getattr(judge, "batch", 64))

    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        verdict: Verdict = self.inner.judge(query)
        return verdict

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer for each y, in the inner judge's own way if it has one."""
        if hasattr(self.inner, "judge_many"):
            return list(self.inner.judge_many(x, ys, given))
        return super().judge_many(x, ys, given)

    def describe(self) -> dict[str, Any]:
        """Say what the inner judge is."""
        if hasattr(self.inner, "describe"):
            return dict(self.inner.describe())
        return {"kind": type(self.inner).__name__}


def completed(judge: Any) -> Judge:
    """Return the judge itself if it has all the verbs, otherwise with the missing ones added.

    So a judge can be as small as `variables` and `judge(query)`.
    """
    if isinstance(judge, Batched):  # quick: the protocol looks at every member
        return judge
    return judge if isinstance(judge, Judge) else _Completed(judge)


def chunks(items: Sequence[Vars], size: int) -> Iterator[tuple[int, list[Vars]]]:
    """Cut `items` into lists of `size`, each with the position of its first element."""
    iterator, start = iter(items), 0
    while part := list(islice(iterator, max(1, size))):
        yield start, part
        start += len(part)


TIE = 1e-9  # relative: two sums of the same logarithms in another order differ by rounding only


def better(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Say whether key `a` beats key `b` by more than rounding; see `rank_key`."""
    for p, q in zip(a, b, strict=True):
        if p != q and not math.isclose(p, q, rel_tol=TIE, abs_tol=1e-12):
            return p > q
    return False


def raised(bar: float) -> float:
    """Return what a sum of logarithms has to exceed to be above `bar` by more than rounding.

    So that the order in which an engine adds never decides. Nothing is rounded to 0: above 0 is above 0.
    """
    return bar + TIE * abs(bar)


def rank_key(verdict: Verdict, by: By = "strength") -> tuple[float, float]:
    """Order verdicts: larger is more dependent. An unknown value ranks like any other unknown."""
    if by == "p_value" and verdict.log_p is not None:
        return (-verdict.log_p, verdict.statistic or 0.0)
    return (verdict.strength if verdict.strength is not None else 0.0, 0.0)


def strongest_of(verdicts: Sequence[Verdict], by: By = "strength") -> Found | None:
    """Pick the strongest dependent verdict; ties go to the earliest, and are reported."""
    best: int | None = None
    best_key = (0.0, 0.0)
    ties: list[int] = []
    for i, verdict in enumerate(verdicts):
        if verdict.independent:
            continue
        key = rank_key(verdict, by)
        if best is None or better(key, best_key):
            best, best_key, ties = i, key, []
        elif not better(best_key, key):
            ties.append(i)
    return None if best is None else Found(best, verdicts[best], tuple(ties))


def weakest_of(verdicts: Sequence[Verdict], by: By = "strength") -> Found | None:
    """Pick the least dependent of the independent verdicts; ties go to the earliest, and are reported."""
    best: int | None = None
    best_key = (0.0, 0.0)
    ties: list[int] = []
    for i, verdict in enumerate(verdicts):
        if not verdict.independent:
            continue
        key = rank_key(verdict, by)
        if best is None or better(best_key, key):
            best, best_key, ties = i, key, []
        elif not better(key, best_key):
            ties.append(i)
    return None if best is None else Found(best, verdicts[best], tuple(ties))


def check_known(variables: Sequence[str], query: Query) -> None:
    """Refuse a query about a variable that the judge does not have, naming it."""
    for name in sorted(query.variables):
        if name not in variables:
            raise unknown("variable", name, variables)
