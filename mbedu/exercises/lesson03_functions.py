"""Lesson 03, the functions: write the growing phase, the shrinking phase, and GS(m)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback
from mbedu.exercises.functions import (
    feedback_on,
    graph_cases,
    place,
    pose,
    read_function,
    sorted_sets,
    try_on,
)
from mbedu.exercises.reading import braces
from mbedu.problem import Problem
from mbedu.problems import copies, parity, silent_spouse, xor_copies
from mbedu.query import Query
from mbedu.theory.lemmas import grown_sets, shrunk_sets
from mbedu.verify.cases import Case
from mbedu.verify.outcome import Outcome


def problem_case(problem: Problem) -> Case:
    """Return a named problem as a case; the right answers come later."""
    return Case(problem.name, problem.judge, problem.target, (), len(problem.variables), 0)


@cache
def grow_cases() -> tuple[Case, ...]:
    """Return small graphs with every set that the growing phase may end with."""
    return tuple(pose(case, expected=grown_sets(case.judge, case.target)) for case in graph_cases(4))


def _grow_words(case: Case, outcome: Outcome) -> str:
    said, judge = frozenset(outcome.answer or ()), case.judge
    for v in case.order:
        if v != case.target and v not in said and not judge.judge(Query(case.target, v, said)).independent:
            return (
                f"On {place(case)} your function ends with {braces(said)}, but {v} still depends on "
                f"{case.target} given that."
            )
    return (
        f"On {place(case)} your function ends with {braces(said)}: something is in that was independent "
        "when it entered."
    )


@posed(
    "write_grow",
    title="Write the growing phase",
    level="medium",
    task="""
    Write the growing phase of Grow-Shrink: begin with nothing, add a variable that depends on T given
    what is in, and go on until there is none. `ask(T, v, S)` is True where they are *independent*;
    `ask.others(T, S)` are all variables but T and those of S. It will be tried on every graph with up
    to four nodes.
    """,
    start="""
    def grow(ask, T):
        S = set()
        ...
        return S
    """,
    hints=(
        "One pass over the variables is not enough: why?",
        "A variable that was independent of T may depend on it once another one is in.",
        "After each addition begin again from the first variable, and stop when a whole pass adds nothing.",
    ),
    solution="""
    def grow(ask, T):
        S = set()
        changed = True
        while changed:
            changed = False
            for v in ask.others(T, S):
                if not ask(T, v, S):
                    S.add(v)
                    changed = True
                    break
        return S
    """,
    why="A spouse is independent of T until the child is in, so each addition calls for a new pass.",
)
def write_grow(answer: Any) -> Feedback:
    """Right is every set that some order of the growing phase ends with."""
    trial = try_on(read_function(answer, "grow(ask, T)"), grow_cases())
    return feedback_on(
        trial,
        praise="Right on all {tried} runs on graphs with up to four nodes.",
        reference="gs",
        words=_grow_words,
    )


@cache
def shrink_cases() -> tuple[Case, ...]:
    """Return small graphs with every set to shrink, and every set that it may shrink to."""

    def all_of() -> Iterator[Case]:
        for case in graph_cases(3, 4):
            for S in sorted_sets([v for v in case.order if v != case.target]):
                yield pose(case, S, expected=shrunk_sets(case.judge, case.target, S))
        for problem in (copies(2), copies(3), xor_copies(2)):  # what is needless must not go all at once
            case = problem_case(problem)
            for S in sorted_sets([v for v in case.order if v != case.target]):
                yield pose(case, S, expected=shrunk_sets(case.judge, case.target, S))

    return tuple(all_of())


def _shrink_words(case: Case, outcome: Outcome) -> str:
    (S,) = case.judge.extra  # type: ignore[attr-defined]
    said = frozenset(outcome.answer or ())
    begin = f"On {place(case)} your function makes {braces(said)} of {braces(S)}"
    if said - S:
        return f"{begin}: shrinking only takes variables out."
    for v in case.order:
        if v in said and case.judge.judge(Query(case.target, v, said - {v})).independent:
            return f"{begin}, but {v} is independent of {case.target} given the others in it."
    return f"{begin}: something was taken out that depended on {case.target} given the others."


@posed(
    "write_shrink",
    title="Write the shrinking phase",
    level="medium",
    task="""
    Write the shrinking phase of Grow-Shrink: as long as some variable of S is independent of T given
    the *others* in S, take it out. S is a set that is yours to change. It will be tried on every shape
    of graph with up to four nodes, on copies, and with every S.
    """,
    start="""
    def shrink(ask, T, S):
        ...
        return S
    """,
    hints=(
        "A variable must not stand on both sides of a question: the condition is S without it.",
        "Take out one at a time. Of two copies each is redundant, but not both.",
        "After each removal begin again: what was needed beside a member may be needless without it.",
    ),
    solution="""
    def shrink(ask, T, S):
        for v in sorted(S):
            if ask(T, v, S - {v}):
                return shrink(ask, T, S - {v})
        return S
    """,
    why="Each removal changes the condition of all other questions, so they have to be asked again.",
)
def write_shrink(answer: Any) -> Feedback:
    """Right is every set that some order of the shrinking phase ends with."""
    trial = try_on(read_function(answer, "shrink(ask, T, S)"), shrink_cases())
    return feedback_on(trial, praise="Right on all {tried} sets.", words=_shrink_words)


@cache
def margin_cases() -> tuple[Case, ...]:
    """Return graphs and parities with a margin m, and every set that GS(m) may end with in some order."""

    def ends(judge: Any, target: str, m: int) -> list[frozenset[str]]:
        grown = grown_sets(judge, target, m=m)
        return list(dict.fromkeys(end for S in grown for end in shrunk_sets(judge, target, S)))

    def all_of() -> Iterator[Case]:
        for case in graph_cases(3):
            for m in (1, 2):
                yield pose(case, m, expected=ends(case.judge, case.target, m))
        for problem in (silent_spouse(), copies(2), parity(3), xor_copies(2), parity(4)):
            for m in (1, 2, 3):
                yield pose(problem_case(problem), m, expected=ends(problem.judge, problem.target, m))

    return tuple(all_of())


def _margin_words(case: Case, outcome: Outcome) -> str:
    (m,) = case.judge.extra  # type: ignore[attr-defined]
    expected = " or ".join(braces(e, case.order) for e in case.expected)
    return (
        f"On {place(case)} and m = {m} your function answers {braces(outcome.answer or ())}; GS({m}) ends "
        f"with {expected}."
    )


@posed(
    "write_gs_m",
    title="Write GS(m)",
    level="hard",
    task="""
    Write Grow-Shrink with a margin (margaritis2009, Algorithm 1): while growing, try *sets* Y of 1 to m
    variables, smallest first, and let in a whole set; shrinking takes out single variables.
    `mb.subsets(items, m)` gives the subsets with 1 to m members. It will be tried on graphs, copies and
    parities with m from 1 to 3.
    """,
    start="""
    import mbedu as mb

    def gs_m(ask, T, m):
        S = set()
        ...
        return S
    """,
    hints=(
        "Begin with grow and shrink for single variables; only the growing phase changes.",
        "ask(T, Y, S) takes a set Y: that is the question whether T depends on the members *together*.",
        "For Y in mb.subsets(ask.others(T, S), m): if not ask(T, Y, S), let in Y and begin again.",
    ),
    solution="""
    import mbedu as mb

    def gs_m(ask, T, m):
        S = set()
        while True:
            Y = next((Y for Y in mb.subsets(ask.others(T, S), m) if not ask(T, Y, S)), None)
            if Y is None:
                break
            S |= Y
        while True:
            v = next((v for v in ask.ordered(S) if ask(T, v, S - {v})), None)
            if v is None:
                return S
            S -= {v}
    """,
    why="With m = 1 this is GS. The set-valued question is what sees parity: testing the members of Y one by "
    "one would see nothing.",
)
def write_gs_m(answer: Any) -> Feedback:
    """Right is every set that GS(m) ends with in some order."""
    trial = try_on(read_function(answer, "gs_m(ask, T, m)"), margin_cases())
    return feedback_on(
        trial, praise="Right on all {tried} runs, parities included.", reference="gs", words=_margin_words
    )
