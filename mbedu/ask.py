"""The one door between an algorithm and a judge.

`Ask` is what an algorithm sees. `RecordingAsk` (recording.py) is the same door with a camera: it asks the
same questions, in the same order, and gets the same answers; that is a law (tests/test_ask.py). They are
two classes so that not recording costs nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from itertools import filterfalse
from typing import Any, TypeVar

from mbedu.errors import unknown
from mbedu.judge import By, Found, Judge, Verdict, completed
from mbedu.query import Query, Vars, names
from mbedu.trace import Pseudocode
from mbedu.varset import Others, VarSet

__all__ = ["Ask", "C", "Partial", "Returns", "Stop", "frozen"]

C = TypeVar("C", bound=Vars)


class Stop(Exception):
    """The budget of a run is spent; `reason` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Partial(frozenset[str]):
    """An answer that an anytime algorithm gives when it is stopped; `stopped` says why."""

    stopped = ""


class Ask:
    """Ask a judge, count the questions, keep within a budget.

    Parameters
    ----------
    judge : Judge
        What answers.
    max_asked : int, optional
        Stop before this many questions would be exceeded.
    seconds : float, optional
        Stop when this much time has passed.
    clock : callable
        What tells the time; `time.perf_counter` unless a test says otherwise.

    Examples
    --------
    >>> import mbedu as mb
    >>> ask = Ask(mb.DSeparation([("A", "T"), ("T", "B"), ("S", "B")]))
    >>> ask("T", "S"), ask("T", "S", "B")
    (True, False)
    >>> ask.first_dependent("T", ask.others("T"), set())
    'A'
    >>> ask.n_asked, ask.largest_given
    (3, 1)
    """

    recording = False

    def __init__(
        self,
        judge: Judge,
        *,
        max_asked: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._judge = completed(judge)
        self.variables: tuple[str, ...] = tuple(judge.variables)
        self._position = _positions(self.variables)
        self.n_asked = 0
        self.largest_given = 0
        self._max_asked = max_asked
        self._clock = clock
        self.seconds = seconds
        self._end = None if seconds is None else clock() + seconds
        self._limited = max_asked is not None or seconds is not None

    @property
    def source(self) -> Judge:
        """The judge itself, for selectors that score data instead of asking questions."""
        return self._judge

    # --- questions -------------------------------------------------------------------------------

    def __call__(self, x: Vars, y: Vars, given: Vars = ()) -> bool:
        """Say whether x and y are independent given `given` (True means independent)."""
        return self.verdict(x, y, given).independent

    def verdict(self, x: Vars, y: Vars, given: Vars = ()) -> Verdict:
        """Ask one question and return the whole verdict."""
        query = Query(x, y, frozen(given))
        self._before(1)
        verdict = self._judge.judge(query)
        self._count(1, len(query.given))
        return verdict

    def many(self, x: Vars, ys: Sequence[Vars], given: Vars = ()) -> list[Verdict]:
        """Ask x ⊥ y | given for every y and return the verdicts in order."""
        zs = frozen(given)
        self._before(len(ys))
        verdicts = self._judge.judge_many(x, ys, zs) if len(ys) else []
        self._count(len(verdicts), len(zs))
        return verdicts

    def first_dependent(self, x: Vars, ys: Sequence[C], given: Vars = ()) -> C | None:
        """Return the first candidate on which x depends given `given`; ask no further than that."""
        zs, affordable = frozen(given), self._affordable(ys)
        if not len(ys):
            return None
        found = self._judge.first_dependent(x, affordable, zs)
        self._count(len(affordable) if found is None else found.position + 1, len(zs))
        if found is None:
            self._before(len(ys) - len(affordable))  # stops here if the budget cut the scan short
            return None
        return ys[found.position]

    def strongest(self, x: Vars, ys: Sequence[C], given: Vars = (), *, by: By = "strength") -> C | None:
        """Ask about every candidate and return the most dependent one, or None if all are independent.

        A judge that knows no strength is asked in order instead, up to the first dependent one.
        """
        if not self._judge.ranks:
            return self.first_dependent(x, ys, given)
        zs = frozen(given)
        self._before(len(ys))
        if not len(ys):
            return None
        found = self._judge.strongest(x, ys, zs, by)
        self._count(len(ys), len(zs))
        return None if found is None else ys[found.position]

    def first_redundant(self, x: Vars, members: Iterable[str], *, keep: Vars = ()) -> str | None:
        """Return the first y of `members` with x ⊥ y | members − {y}; those in `keep` are not asked about."""
        inside, kept = frozen(members), names(keep)
        for y in self.ordered(inside - kept):
            if self(x, y, inside - {y}):
                return y
        return None

    def weakest(self, x: Vars, members: Iterable[str], *, keep: Vars = (), by: By = "strength") -> str | None:
        """Ask x ⊥ y | members − {y} for all y and return the least dependent one, if it is independent.

        A judge that knows no strength is asked in order instead, up to the first independent one.
        """
        if not self._judge.ranks:
            return self.first_redundant(x, members, keep=keep)
        inside = frozen(members)
        ys = self.ordered(inside - names(keep) if keep else inside)
        found = self._weakest(x, ys, inside, by) if ys else None
        return None if found is None else ys[found.position]

    def leave_one_out(self, x: Vars, ys: Sequence[str], members: Iterable[str]) -> list[Verdict]:
        """Ask x ⊥ y | members − {y} for every y and return the verdicts in order."""
        inside = frozen(members)
        self._before(len(ys))
        verdicts = self._judge.leave_one_out(x, ys, inside) if len(ys) else []
        self._count(len(verdicts), max((len(inside - {y}) for y in ys), default=0))
        return verdicts

    def _weakest(self, x: Vars, ys: Sequence[str], inside: frozenset[str], by: By) -> Found | None:
        """Search among members of `inside`, each given the others."""
        self._before(len(ys))
        found = self._judge.weakest(x, ys, inside, by)
        self._count(len(ys), len(inside) - 1)
        return found

    def dependents(self, x: Vars, ys: Sequence[C], given: Vars = ()) -> list[C]:
        """Ask about every candidate and return those that depend on x given `given`, in order."""
        zs = frozen(given)
        self._before(len(ys))
        if not len(ys):
            return []
        found = self._judge.dependents(x, ys, zs)
        self._count(len(ys), len(zs))
        return [ys[i] for i in found]

    def first_separator(self, x: Vars, y: Vars, givens: Iterable[Vars]) -> frozenset[str] | None:
        """Return the first of `givens` that makes x and y independent, or None.

        Compare the result with None: the empty set separates too, and it is falsy.
        """
        if self._limited or self.recording:
            return next((zs for zs in map(frozen, givens) if self(x, y, zs)), None)
        tried, largest, found = self._judge.first_separator(x, y, map(frozen, givens))
        self._count(tried, largest)
        return found

    # --- sets, phases and remarks ----------------------------------------------------------------

    def others(self, *without: Vars) -> tuple[str, ...]:
        """Return all variables except the given ones, in variable order."""
        left_out = frozenset().union(*[(v,) if isinstance(v, str) else frozen(v) for v in without])
        rest = Others(filterfalse(left_out.__contains__, self.variables))
        if len(rest) + len(left_out) != len(self.variables) and not left_out <= self._position.keys():
            raise unknown("variable", min(left_out - self._position.keys()), self.variables)
        rest.universe, rest.left_out = self.variables, left_out
        return rest

    def ordered(self, members: Iterable[str]) -> tuple[str, ...]:
        """Return `members` in variable order."""
        return tuple(sorted(members, key=self._position.__getitem__))

    def set(self, name: str, items: Vars = ()) -> VarSet:
        """Create a named set; while recording, each of its changes is a step."""
        return VarSet(self._position, name, self._known(items))

    def _known(self, items: Vars) -> frozenset[str]:
        found = frozen(items)
        for item in found:
            if item not in self._position:
                raise unknown("variable", item, self.variables)
        return found

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Mark a phase: `with ask.phase("grow"): …`."""
        return nullcontext()

    def choose(self, item: Vars, among: int, why: str) -> None:
        """Say that the algorithm itself picked `item` out of `among` candidates."""

    def score(self, item: Vars, score: str, value: float, why: str = "") -> None:
        """Say that the features `item` have this score; a deadline is looked at here too."""
        self._before(0)

    def note(self, message: str) -> None:
        """Say something that a reader of the trace should know."""

    def unfinished(self, members: Iterable[str], why: BaseException) -> Partial:
        """Return `members` as the answer of an anytime algorithm that was stopped by `why`."""
        answer = Partial(frozen(members))
        answer.stopped = why.reason if isinstance(why, Stop) else "interrupted from the keyboard"
        self.note(f"Stopped early: {answer.stopped}; the best set so far is the answer.")
        return answer

    @contextmanager
    def within(self, variables: Iterable[str]) -> Iterator[None]:
        """Narrow the universe for a while: `others` then sees only `variables` (a projection of the data)."""
        outer = self.variables
        self.variables = self.ordered(frozen(variables))
        try:
            yield
        finally:
            self.variables = outer

    @contextmanager
    def procedure(
        self, key: str, code: Pseudocode, path: str, target: str, params: dict[str, Any]
    ) -> Iterator[Returns]:
        """Mark the activation of a registered procedure (the registry calls this)."""
        yield _ignore

    # --- budget ----------------------------------------------------------------------------------

    @property
    def left(self) -> int | None:
        """How many questions the budget still allows; None without such a budget."""
        return None if self._max_asked is None else max(0, self._max_asked - self.n_asked)

    @property
    def seconds_left(self) -> float:
        """How many seconds the deadline still allows; infinite without a deadline."""
        return float("inf") if self._end is None else self._end - self._clock()

    def _before(self, k: int) -> None:
        if self._limited:
            if self._max_asked is not None and self.n_asked + k > self._max_asked:
                raise Stop(f"the budget of {self._max_asked} questions is spent")
            if self._end is not None and self._clock() >= self._end:
                raise Stop("the deadline has passed")

    def _affordable(self, ys: Sequence[C]) -> Sequence[C]:
        """Return as many of the candidates as the budget allows; all of them without a budget."""
        self._before(min(1, len(ys)))
        left = self.left
        return ys if left is None or left >= len(ys) else ys[:left]

    def _count(self, k: int, given: int) -> None:
        self.n_asked += k
        if k and given > self.largest_given:
            self.largest_given = given


Returns = Callable[[Any], None]


@lru_cache(maxsize=16)
def _positions(variables: tuple[str, ...]) -> dict[str, int]:
    """Return the place of each variable; nobody changes it, so the doors to one judge share it."""
    return {name: i for i, name in enumerate(variables)}


def _ignore(value: Any) -> None:
    """Take a procedure's return value when nobody records it."""


def frozen(members: Vars) -> frozenset[str]:
    """Return any way to name variables as a frozenset."""
    return members.frozen() if isinstance(members, VarSet) else names(members)
