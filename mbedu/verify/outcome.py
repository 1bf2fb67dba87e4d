"""What came of one case: right, wrong in which way, or what went wrong in the function."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from mbedu.errors import MbeduError
from mbedu.registry import Algorithm
from mbedu.running import run
from mbedu.verify.cases import Case

__all__ = ["ANSWERED", "Outcome", "failed", "grade", "judge_answer", "try_case"]

ANSWERED = ("right", "missing", "extra", "both")


@dataclass(frozen=True)
class Outcome:
    """How one case ended.

    `kind` is `right`, `missing`, `extra` or `both` for an answer; otherwise what happened instead:
    `error`, `bad answer`, `too many questions`, `time`, `memory`, `output`, `exit`, `crash` or `mutated`.
    """

    kind: str
    answer: tuple[str, ...] | None
    questions: int
    detail: str = ""
    trace: str = ""
    """The trace as JSON, where one was asked for."""

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def grade(answer: frozenset[str], expected: tuple[frozenset[str], ...]) -> str:
    """Compare an answer with the nearest right one.

    Examples
    --------
    >>> grade(frozenset("AB"), (frozenset("AC"),))
    'both'
    """
    if answer in expected:
        return "right"
    nearest = min(expected, key=lambda right: (len(right ^ answer), sorted(right)))
    missing, extra = nearest - answer, answer - nearest
    return "both" if missing and extra else "missing" if missing else "extra"


def try_case(function: Algorithm | Callable[..., Any], case: Case, **options: Any) -> Outcome:
    """Run a trusted algorithm on a case; its exceptions become an outcome too."""
    record = options.pop("record", False)
    params = options.pop("params", {})
    try:
        done = run(function, case.judge, case.target, record=record, **params)
    except MbeduError as error:
        return failed("error", error)
    answer = tuple(v for v in case.order if v in done.boundary)
    trace = done.trace.to_json() if done.trace is not None else ""
    return Outcome(grade(done.boundary, case.expected), answer, done.n_asked, trace=trace)


def judge_answer(answer: Any, case: Case) -> tuple[frozenset[str] | None, str]:
    """Return the answer as a set of names, or None and what is wrong with it."""
    if isinstance(answer, str | bytes | dict) or not hasattr(answer, "__iter__"):
        return None, f"returned {_short(answer)} ({type(answer).__name__}), not a set of variable names"
    members = list(answer)
    for member in members:
        if not isinstance(member, str) or member not in case.order:
            return None, f"returned {_short(member)}, which is not a variable; known: {', '.join(case.order)}"
    if case.target in members:
        return None, f"returned the target {case.target!r} itself; a boundary never contains its target"
    twice = sorted({m for m in members if members.count(m) > 1})
    if twice:
        return None, f"returned {', '.join(map(repr, twice))} more than once; return each variable once"
    return frozenset(members), ""


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a student's __repr__ may do anything
        return f"something whose repr fails with {type(error).__name__}"
    return text if len(text) <= 80 else text[:77] + "…"


def failed(kind: str, error: BaseException, *, questions: int = 0, trace: str = "") -> Outcome:
    """Describe an exception with its type, its message and the line of the function that raised it."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "mbedu" not in f.filename]
    where = f" at line {frames[-1].lineno} of {frames[-1].name}" if frames else ""
    message = _short(str(error)).strip("'\"") if str(error) else ""
    detail = f"{type(error).__name__}{': ' + message if message else ''}{where}"
    return Outcome(kind, None, questions, detail, trace)
