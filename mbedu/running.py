"""Run an algorithm, published or your own, against a judge."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mbedu.ask import Ask, Stop
from mbedu.errors import AlgorithmError, JudgeError, TraceError, unknown
from mbedu.judge import Batched, Judge
from mbedu.problem import Problem
from mbedu.query import sentence_set
from mbedu.recording import RecordingAsk
from mbedu.registry import Algorithm, get_algorithm, shown_params
from mbedu.trace import Pseudocode, Trace, plain
from mbedu.varset import VarSet

if TYPE_CHECKING:
    from mbedu.viz.player import Player

__all__ = ["Interrupted", "Run", "Stopped", "call", "check_params", "run", "trace_of"]

Runnable = str | Algorithm | Callable[..., Any]


@dataclass(frozen=True)
class Run:
    """What a run gave: the answer, the trace if it was recorded, and what it cost.

    Attributes
    ----------
    boundary : frozenset of str
        The answer (the first one, of an algorithm that returns several).
    answer : object
        What the function returned, untouched.
    trace : Trace or None
        Every step, when `record=True`.
    n_asked, largest_given, seconds
        Questions asked, largest conditioning set, wall time.
    stopped : str
        Why it ended early (an anytime algorithm then answers with what it has); empty otherwise.
    """

    boundary: frozenset[str]
    trace: Trace | None
    n_asked: int
    largest_given: int
    seconds: float = field(compare=False)
    algorithm: str
    params: Mapping[str, Any]
    target: str
    answer: Any = field(default=None, compare=False, repr=False)
    stopped: str = ""

    @property
    def complete(self) -> bool:
        """Whether the algorithm ran to its own end."""
        return not self.stopped

    def play(self, **options: Any) -> Player:
        """Return the player of the recorded trace; the options are those of `mbedu.viz.player.play`."""
        if self.trace is None:
            raise TraceError(f"this run of {self.algorithm} was not recorded; run it again with record=True")
        return self.trace.play(**options)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundle = {"text/plain": str(self)}
        if self.trace is not None and self.trace.steps:
            bundle["text/html"] = self.trace.play().html
        return bundle

    def __str__(self) -> str:
        cost = [f"{self.n_asked} questions, largest conditioning set {self.largest_given}"]
        if not self.n_asked:  # a selector scores and does not ask
            cost = []
        if self.stopped:
            cost.append(f"stopped early: {self.stopped}")
        return (
            f"{self.algorithm} says that the boundary of {self.target} is "
            f"{{{sentence_set(self.boundary) if self.boundary else ''}}}"
            + (f" ({'; '.join(cost)})" if cost else "")
        )


class Stopped(AlgorithmError):
    """A budget ended a run that has no answer to give yet; `.run` holds the trace so far."""

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


class Interrupted(KeyboardInterrupt):
    """The keyboard ended a run; `.run` holds the trace so far."""

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


def run(
    algorithm: Runnable,
    judge: Judge | Problem,
    target: str | None = None,
    *,
    record: bool = False,
    seconds: float | None = None,
    max_asked: int | None = None,
    **params: Any,
) -> Run:
    """Run an algorithm for one target and return the answer, the trace and the cost.

    Parameters
    ----------
    algorithm : str or callable
        A registered key such as `"gs_m"`, an `Algorithm`, or any function `f(ask, target)`.
    judge : Judge or Problem
        What answers; a problem brings its target along.
    target : str
        The variable whose boundary is sought.
    record : bool
        Keep every step. It changes neither the questions nor the answer.
    seconds, max_asked : optional
        A deadline and a budget of questions. An anytime algorithm answers when it comes;
        any other raises `Stopped`, which carries the trace so far.
    **params
        The algorithm's own parameters.

    Examples
    --------
    >>> import mbedu as mb
    >>> asia = mb.load_network("asia")
    >>> print(mb.run("gs_m", mb.DSeparation(asia), target="dysp", m=1))
    gs_m says that the boundary of dysp is {bronc, either} (13 questions, largest conditioning set 6)
    """
    if isinstance(judge, Problem):
        target = judge.target if target is None else target
        judge = judge.judge
    _check_judge(judge)
    chosen = get_algorithm(algorithm) if isinstance(algorithm, str) else algorithm
    name, title = _names(chosen)
    target = _check_target(judge, target)
    check_params(chosen, params)
    for label, value in (("seconds", seconds), ("max_asked", max_asked)):
        if value is not None and value < 0:
            raise AlgorithmError(f"{label}={value!r}: a budget cannot be negative; leave it out for no limit")
    door = (RecordingAsk if record else Ask)(judge, seconds=seconds, max_asked=max_asked)
    anytime = isinstance(chosen, Algorithm) and chosen.anytime
    start = time.perf_counter()
    answer: Any = frozenset()
    stopped = ""
    error: type[Stopped | Interrupted] | None = None
    try:
        answer = call(chosen, door, name, target, params)
        if isinstance(answer, VarSet):
            answer = answer.frozen()  # a watched set is tied to its door; a run can travel
        stopped = getattr(answer, "stopped", "")
    except Stop as stop:
        stopped, error = stop.reason, Stopped
    except KeyboardInterrupt:
        stopped, error = "interrupted from the keyboard", Interrupted
    elapsed = time.perf_counter() - start
    boundary = frozenset() if error else _check_answer(answer, judge, target, name)
    trace = trace_of(door, name, title, target, params=params, boundary=boundary, stopped=stopped)
    result = Run(
        boundary=boundary,
        trace=trace,
        n_asked=door.n_asked,
        largest_given=door.largest_given,
        seconds=elapsed,
        algorithm=name,
        params=dict(params),
        target=target,
        answer=answer,
        stopped=stopped,
    )
    if error is not None:
        raise error(
            f"{name} for {target!r} ended before it had an answer: {stopped}, after {door.n_asked} "
            f"questions. {'Its' if record else 'With record=True its'} trace so far is `.run` of this error"
            + ("" if anytime else "; for an answer at any time use 'rgs'"),
            result,
        )
    return result


def trace_of(
    door: Ask,
    name: str,
    title: str,
    target: str,
    *,
    params: Mapping[str, Any],
    boundary: frozenset[str] = frozenset(),
    stopped: str = "",
) -> Trace | None:
    """Return what a recording door has seen so far as a trace; None from a quiet one."""
    if not isinstance(door, RecordingAsk):
        return None
    judge = door.source
    return Trace(
        algorithm=name,
        title=title,
        target=target,
        variables=tuple(judge.variables),
        steps=tuple(door.steps),
        params={key: plain(value) for key, value in params.items()},
        pseudocode=dict(door.pseudocode),
        judge=judge.describe(),
        answer=door.ordered(boundary),
        stopped=stopped,
        live_judge=judge,
    )


def _names(chosen: Algorithm | Callable[..., Any]) -> tuple[str, str]:
    if isinstance(chosen, Algorithm):
        return chosen.key, chosen.title
    if not callable(chosen):
        raise AlgorithmError(
            f"{chosen!r} is not an algorithm; pass a registered name such as 'gs_m' "
            "or a function f(ask, target)"
        )
    name = getattr(chosen, "__name__", type(chosen).__name__)
    return name, name


def call(
    chosen: Algorithm | Callable[..., Any], door: Ask, name: str, target: str, params: dict[str, Any]
) -> Any:
    """Call an algorithm or a plain function through a door; a recording one marks begin and end."""
    if isinstance(chosen, Algorithm) or not door.recording:
        return chosen(door, target, **params)
    with door.procedure(name, Pseudocode(name, ""), "", target, shown_params(params)) as returned:
        answer = chosen(door, target, **params)
        returned(answer)
    return answer


def _check_judge(judge: object) -> None:
    if isinstance(judge, Batched):
        return
    missing = [m for m in ("variables", "judge") if not hasattr(judge, m)]
    if missing:
        raise JudgeError(
            f"{judge!r} is not a judge: it lacks {', '.join(missing)}; wrap it first, "
            "for example DSeparation(network) or G2(data)"
        )


def _check_target(judge: Judge, target: object) -> str:
    if not isinstance(target, str) or target not in judge.variables:
        hint = "Pass target='…', one of the judge's variables."
        raise unknown("target", target, judge.variables, hint=hint)
    return target


def check_params(chosen: Algorithm | Callable[..., Any], params: Mapping[str, Any]) -> None:
    """Refuse a parameter that the algorithm does not have."""
    if not params:
        return
    name, _ = _names(chosen)
    if isinstance(chosen, Algorithm):
        for key in params:
            if key not in chosen.params:
                raise unknown(f"parameter of {name}", key, chosen.params)
    else:
        try:
            inspect.signature(chosen).bind(None, None, **params)
        except TypeError as error:
            raise AlgorithmError(f"{name}: {error}; it was given {sorted(params)}") from None


def _check_answer(answer: Any, judge: Judge, target: str, name: str) -> frozenset[str]:
    first = answer
    if isinstance(answer, tuple | list) and answer and not isinstance(answer[0], str):
        first = answer[0]  # several boundaries: the first one is the answer
    if isinstance(first, str) or not hasattr(first, "__iter__"):
        raise AlgorithmError(
            f"{name} returned {first!r} ({type(first).__name__}); it has to return a set of variable names"
        )
    members = list(first)
    for member in members:
        if member not in judge.variables:
            raise AlgorithmError(
                f"{name} returned {member!r}, which is not a variable; "
                f"known: {', '.join(judge.variables[:20])}"
            )
    if target in members:
        raise AlgorithmError(
            f"{name} returned the target {target!r} itself; a boundary never contains its target"
        )
    return frozenset(members)
