"""Look at a function that a learner wrote: run it in a process of its own, on small cases first."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from mbedu.errors import MbeduError
from mbedu.exercises.feedback import Feedback, Refused, right, wrong
from mbedu.exercises.reading import braces, kind_of
from mbedu.judge import Batched, Judge, Verdict, completed
from mbedu.oracles import DSeparation
from mbedu.query import Query, Vars
from mbedu.registry import Algorithm
from mbedu.running import run
from mbedu.trace import Trace
from mbedu.varset import Subsets, subsets
from mbedu.verify.cases import Case, cases_of
from mbedu.verify.dags import all_dags
from mbedu.verify.outcome import ANSWERED, Outcome
from mbedu.verify.report import Counterexample
from mbedu.verify.sandbox import Sandbox, packed
from mbedu.verify.worker import Limits

__all__ = [
    "Posed",
    "Trial",
    "feedback_on",
    "graph_cases",
    "place",
    "pose",
    "read_function",
    "sorted_sets",
    "try_on",
]

LIMITS = Limits(seconds=1.0, megabytes=512, questions=2_000, characters=100_000)
SAID = {
    "time": "Your function {detail}; does every loop come to an end?",
    "too many questions": "Your function {detail}; does every round make progress?",
    "output": "Your function {detail}; take the print out of the loop.",
    "memory": "Your function {detail}; something grows without end.",
    "exit": "Your function {detail}; a function returns its answer.",
    "crash": "Your function {detail}.",
    "mutated": "Your function {detail}; ask questions, and keep your own sets.",
    "bad answer": "Your function {detail}.",
    "error": "Your function raised {detail}.",
}


class Posed(Batched):
    """A judge together with further arguments of the function that is to be called with it."""

    def __init__(self, judge: Judge, *extra: Any) -> None:
        self.inner = completed(judge)
        self.variables = tuple(judge.variables)
        self.ranks, self.extra = self.inner.ranks, extra

    def judge(self, query: Query) -> Verdict:
        """Answer as the inner judge does."""
        return self.inner.judge(query)

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer as the inner judge does."""
        return self.inner.judge_many(x, ys, given)

    def describe(self) -> dict[str, Any]:
        """Describe the inner judge."""
        return dict(self.inner.describe())


def pose(case: Case, *extra: Any, expected: Iterable[frozenset[str]] | None = None) -> Case:
    """Return the case with further arguments, and with other right answers."""
    answers = case.expected if expected is None else tuple(expected)
    return replace(case, judge=Posed(case.judge, *extra), expected=answers)


@lru_cache
def graph_cases(labelled: int = 4, shapes: int = 0) -> tuple[Case, ...]:
    """Return DAGs with every target: fewest nodes first, then fewest edges.

    Parameters
    ----------
    labelled : int
        Every labelled DAG with two to so many nodes, which covers every order of the variables.
    shapes : int
        With more nodes, up to so many, one DAG of each shape: where the order does not matter.
    """
    found = [case for n in range(2, labelled + 1) for dag in all_dags(n) for case in cases_of(dag)]
    for n in range(labelled + 1, shapes + 1):
        found += [case for dag in all_dags(n, up_to="isomorphism") for case in cases_of(dag)]
    return tuple(sorted(found, key=lambda case: (case.nodes, case.edges)))


def read_function(answer: Any, signature: str) -> Callable[..., Any]:
    """Return a function that can be called as `signature` says, or refuse.

    Examples
    --------
    >>> read_function("gs", "grow(ask, T)")
    Traceback (most recent call last):
        ...
    mbedu.exercises.feedback.Refused: 'gs' (str) is no function; write def grow(ask, T): … and ...
    """
    name = signature.partition("(")[0]
    if isinstance(answer, Algorithm):
        raise Refused(f"{answer.key} is the library's own; write def {signature}: … yourself.")
    if not callable(answer):
        raise Refused(f"{kind_of(answer)} is no function; write def {signature}: … and pass {name} itself.")
    arguments = signature.count(",") + 1
    try:
        inspect.signature(answer).bind(*[None] * arguments)
    except TypeError as error:
        raise Refused(f"Your function cannot be called as {signature}: {error}.") from None
    except ValueError:
        pass  # some built-in functions tell nothing; they will be called and fail
    return answer  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Trial:
    """How a function fared: on all cases, or up to the first one that went wrong.

    `trace` is of that one; of the last case where the trial was measured and all went well.
    """

    tried: int
    questions: int
    largest_given: int
    failure: Outcome | None = None
    case: Case | None = None
    trace: Trace | None = None


def try_on(
    function: Callable[..., Any], cases: Iterable[Case], *, yes_no: bool = False, measured: bool = False
) -> Trial:
    """Run a foreign function on case after case, until one goes wrong.

    Parameters
    ----------
    function, cases
        What to try, and on what. Further arguments come from the judge of a posed case.
    yes_no : bool
        The function answers True or False; True then stands for the set of all other variables.
    measured : bool
        Also find the largest conditioning set (recording costs time).
    """
    try:
        blob = packed(_called(function, yes_no=yes_no))
    except MbeduError as error:
        raise Refused(str(error)) from None
    tried = questions = largest = 0
    trace: Trace | None = None
    with Sandbox(blob, LIMITS) as sandbox:
        for case in cases:
            outcome = sandbox.check(case, record=measured)
            tried, questions = tried + 1, questions + outcome.questions
            if measured and outcome.trace:
                trace = Trace.from_json(outcome.trace)
                largest = max([largest, *(len(step.query.given) for step in trace.questions)])
            if outcome.kind != "right":
                return Trial(tried, questions, largest, outcome, case, _filmed(sandbox, case, outcome))
    return Trial(tried, questions, largest, trace=trace)


def _called(function: Callable[..., Any], *, yes_no: bool) -> Callable[..., Any]:
    def called(ask: Any, target: str) -> Any:
        extra = [set(e) if isinstance(e, frozenset) else e for e in getattr(ask.source, "extra", ())]
        answer = function(ask, target, *extra)
        if not yes_no:
            return answer
        if not isinstance(answer, bool):
            raise TypeError(f"it returned {answer!r}, which is neither True nor False")
        return ask.others(target) if answer else ()

    called.__name__ = getattr(function, "__name__", type(function).__name__)
    return called


def _filmed(sandbox: Sandbox, case: Case, outcome: Outcome) -> Trace | None:
    if outcome.kind not in (*ANSWERED, "error", "bad answer"):
        return None  # it would only run out of time once more
    text = outcome.trace or sandbox.check(case, record=True).trace
    return Trace.from_json(text) if text else None


def feedback_on(
    trial: Trial, *, praise: str, reference: str = "", words: Callable[[Case, Outcome], str] | None = None
) -> Feedback:
    """Turn a trial into feedback: praise, or what happened on the first case that went wrong, as a film.

    Parameters
    ----------
    trial : Trial
        What happened.
    praise : str
        The message when all went right; `{tried}` stands for the number of runs.
    reference : str
        The algorithm whose film stands beside the function's.
    words : callable, optional
        What to say of a wrong answer; by default the answer beside the right ones.
    """
    outcome, case = trial.failure, trial.case
    if outcome is None or case is None:
        if not trial.questions:
            return wrong(
                "The answers are right, but your function never asked a question: use ask(x, y, given)."
            )
        return right(praise.format(tried=f"{trial.tried:,}"))
    counterexample = Counterexample(
        case=case,
        kind=outcome.kind,
        detail=outcome.detail,
        answer=None if outcome.answer is None else frozenset(outcome.answer),
        questions=outcome.questions,
        trace=trial.trace,
        reference=_reference(reference, case),
        certified=isinstance(getattr(case.judge, "inner", case.judge), DSeparation),
    )
    if outcome.kind not in ANSWERED:
        said = SAID.get(outcome.kind, "Your function {detail}.").format(detail=outcome.detail)
        message = f"On {place(case)}: {said[0].lower()}{said[1:]}"
    else:
        message = (words or _compared)(case, outcome)
    return wrong(message, counterexample=counterexample)


def _reference(key: str, case: Case) -> Trace | None:
    inner = getattr(case.judge, "inner", case.judge)
    return run(key, inner, case.target, record=True).trace if key else None


def place(case: Case) -> str:
    """Say on what and for which target."""
    name = "the graph without arrows" if case.name == "no edges" else case.name
    return f"{name} with target {case.target}"


def _compared(case: Case, outcome: Outcome) -> str:
    expected = " or ".join(braces(e, case.order) for e in case.expected)
    return (
        f"On {place(case)} your function answers {braces(outcome.answer or (), case.order)}; right is "
        f"{expected}."
    )


def sorted_sets(variables: Sequence[str]) -> Subsets:
    """Return all subsets, smallest first, then in variable order."""
    return subsets(variables, len(variables), 0)
