"""Lesson 02: blanket, boundary and the Markov Boundary Theorem."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.functions import (
    feedback_on,
    graph_cases,
    place,
    pose,
    read_function,
    sorted_sets,
    try_on,
)
from mbedu.exercises.graphs import arrows, why_connected
from mbedu.exercises.reading import braces, read_joint, read_set, read_sets
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.query import Query
from mbedu.theory.boundaries import boundaries, is_blanket, is_boundary
from mbedu.theory.boundary_theorem import check_boundary_theorem
from mbedu.verify.cases import Case
from mbedu.verify.outcome import Outcome


@cache
def family() -> DSeparation:
    """Return the graph of `boundary_by_eye` and `blanket_not_boundary`."""
    return arrows("G>P P>T Q>T T>C S>C C>D T>E S>H D>I R>E", "T P Q G C S E R D H I")


def leak(judge: DSeparation, target: str, inside: frozenset[str]) -> str:
    """Name one variable outside the set that the target still sees, and how."""
    outside = [v for v in judge.variables if v != target and v not in inside]
    v = next(v for v in outside if not judge.judge(Query(target, v, inside)).independent)
    return f"{target} still sees {v}: {why_connected(judge, target, v, inside)}"


@posed(
    "boundary_by_eye",
    title="The boundary by eye",
    level="easy",
    task="""
    What is the Markov boundary of T in this graph? G → P → T ← Q, T → C ← S, C → D → I, T → E ← R, S → H.
    """,
    hints=(
        "In a graph the boundary has three parts.",
        "Parents, children, and the other parents of the children.",
        "T has two children; each of them has one more parent.",
    ),
    solution="answer = {'P', 'Q', 'C', 'E', 'S', 'R'}",
    why="The parents P and Q, the children C and E, and the spouses S and R.",
    judge=family,
    target="T",
)
def boundary_by_eye(answer: Any) -> Feedback:
    """Say first whether it shields, then whether it is minimal."""
    judge = family()
    S = read_set(answer, judge.variables, without=("T",))
    if not is_blanket(judge, "T", S):
        return wrong(f"{braces(S)} does not shield T from the rest: {leak(judge, 'T', S)}.")
    if not is_boundary(judge, "T", S):
        return wrong(f"{braces(S)} shields T, but a part of it does so already: it is not minimal.")
    return right(
        f"Right: {braces(S, judge.variables)} shields T from everything else, and no part of it does."
    )


@posed(
    "blanket_not_boundary",
    title="A blanket that is no boundary",
    level="easy",
    task="""
    In the same graph (G → P → T ← Q, T → C ← S, C → D → I, T → E ← R, S → H), give a Markov blanket of
    T that is not a Markov boundary, and that is not simply the set of all other variables.
    """,
    hints=(
        "Which of the two words asks for minimality?",
        "Begin with the boundary.",
        "Add any variable to the boundary, but not all of them: Weak Union keeps it a blanket.",
    ),
    solution="answer = {'P', 'Q', 'C', 'E', 'S', 'R', 'G'}",
    why=(
        "Every set that contains the boundary is a blanket (Weak Union), and none but the boundary is "
        "minimal."
    ),
    judge=family,
    target="T",
)
def blanket_not_boundary(answer: Any) -> Feedback:
    """Any blanket that is neither minimal nor everything is right."""
    judge = family()
    S = read_set(answer, judge.variables, without=("T",))
    if len(S) == len(judge.variables) - 1:
        return wrong("All other variables together are always a blanket; give one that leaves something out.")
    if not is_blanket(judge, "T", S):
        return wrong(f"{braces(S)} is no blanket: {leak(judge, 'T', S)}.")
    if is_boundary(judge, "T", S):
        return wrong(f"{braces(S, judge.variables)} is a blanket, but a minimal one, so it is a boundary.")
    return right(f"{braces(S, judge.variables)} is a blanket, and a part of it is one already.")


@cache
def with_copy() -> ExactJoint:
    """Return T = A ∨ B with noise, an exact copy A2 of A, and E, a noisy view of B."""
    table = {}
    for t, a, b, e in product((0, 1), repeat=4):
        noise = Fraction(1, 10) if t != (a | b) else Fraction(9, 10)
        table[t, a, a, b, e] = noise * (Fraction(1, 5) if e != b else Fraction(4, 5))
    return ExactJoint(table, variables=["T", "A", "A2", "B", "E"])


@posed(
    "every_boundary",
    title="Find every boundary",
    level="medium",
    task="""
    A and B are fair coins. T is "A or B", but wrong in one case out of ten. A2 is an exact copy of A,
    and E is a noisy view of B. Give a list of *all* Markov boundaries of T, as in `[{'A'}, {'B',
    'E'}]`. (`exercise('every_boundary').judge` answers questions about this distribution.)
    """,
    hints=(
        "Which variables could be left out without loss because another one says the same?",
        "E tells nothing that B does not tell better. A and A2 tell the same.",
        "Each boundary holds B and exactly one of the two copies.",
    ),
    solution="answer = [{'A', 'B'}, {'A2', 'B'}]",
    why="Either copy will do, and both together are not minimal: Intersection fails, so there are two.",
    judge=with_copy,
    target="T",
)
def every_boundary(answer: Any) -> Feedback:
    """Check each set by its definition, then whether the list is complete."""
    judge = with_copy()
    said = read_sets(answer, judge.variables, without=("T",))
    for S in sorted(said, key=lambda s: (len(s), sorted(s))):
        if not is_blanket(judge, "T", S):
            return wrong(f"{braces(S)} does not shield T: something outside it still tells about T.")
        if not is_boundary(judge, "T", S):
            return wrong(f"{braces(S)} shields T, but is not minimal: leave something out.")
    if not said:
        return wrong(
            "There is always at least one boundary, because all other variables together are a blanket."
        )
    known = boundaries(judge, "T")
    if len(said) < len(known):
        return wrong(f"What you give is right, but there are more boundaries than {len(said)}.")
    return right("These are all of them: where Intersection fails the boundary need not be unique.")


@posed(
    "two_boundaries",
    title="A distribution with two boundaries",
    level="medium",
    task="""
    Give a distribution over T, A, B in which T has exactly two Markov boundaries: a dict
    `{(t, a, b): weight, …}` with whole numbers as weights.
    """,
    hints=(
        "Where all combinations of values are possible the boundary is unique.",
        "Let A and B say the same about T.",
        "Make B a copy of A, and let T depend on A, with or without noise.",
    ),
    solution="answer = {(0, 0, 0): 3, (1, 0, 0): 1, (0, 1, 1): 1, (1, 1, 1): 3}",
    why="A and its copy B shield T from each other, so {A} and {B} are both boundaries.",
    target="T",
)
def two_boundaries(answer: Any) -> Feedback:
    """Count the boundaries by brute force."""
    found = boundaries(read_joint(answer, ("T", "A", "B")), "T")
    if len(found) == 2:
        return right(f"T has the boundaries {braces(found[0])} and {braces(found[1])}.")
    if not found[0]:
        return wrong("In this distribution T depends on nothing, so its only boundary is empty.")
    only = braces(found[0])
    return wrong(f"Here T has one boundary, {only}; could one variable take the place of another?")


@cache
def spouse() -> DSeparation:
    """Return the graph of `violating_sets`."""
    return arrows("A>T T>C S>C", "T A C S")


@posed(
    "violating_sets",
    title="Where Equation (2) fails",
    level="hard",
    task="""
    The Markov Boundary Theorem (margaritis2009, Theorem 1): S is a Markov boundary of X if and only if
    for every Y ⊆ U − {X}

    Y ⊆ U − S  ⟺  X ⊥ Y | S − Y.

    In the graph A → T → C ← S take the set {C} for the target T. List every Y for which the two sides
    differ, as a list of sets of A, C and S. (An empty Y counts as independent.)
    """,
    hints=(
        "Go through all eight sets Y. Is Y outside {C}? Is T ⊥ Y given {C} − Y?",
        "For a Y without C you condition on C, which opens the way to S.",
        (
            "{A}, {S} and {A, S} are outside {C}; T sees A directly, and S through the open collider. "
            "For a Y with C you condition on nothing."
        ),
    ),
    solution="answer = [{'A'}, {'S'}, {'A', 'S'}]",
    why="They lie outside {C} and yet depend on T given C, so {C} is no blanket. Every Y with C in it "
    "depends on T, as it should, because C does.",
    judge=spouse,
    target="T",
)
def violating_sets(answer: Any) -> Feedback:
    """Compare with the theorem evaluated for every set."""
    judge = spouse()
    said = read_sets(answer, judge.variables, without=("T",))
    truth = frozenset(check_boundary_theorem(judge, "T", {"C"}).violating)
    for Y in sorted(said - truth, key=lambda s: (len(s), sorted(s))):
        side = "meets {C}" if "C" in Y else "lies outside {C}"
        given = braces(frozenset("C") - Y)
        holds = not Y or judge.judge(Query("T", Y, frozenset("C") - Y)).independent
        found = "independent of T" if holds else "dependent on T"
        return wrong(f"{braces(Y)} {side} and is {found} given {given}, so both sides agree there.")
    if said != truth:
        return wrong(f"What you list is right, but the equation fails on {len(truth - said)} more.")
    return right("These are all: they lie outside {C} and depend on T all the same, so {C} is no blanket.")


@lru_cache
def blanket_cases() -> tuple[Case, ...]:
    """Return every shape of a DAG with two to four nodes, every target and every set, with the verdict."""

    def all_of() -> Iterator[Case]:
        for case in graph_cases(3, 4):
            others = tuple(v for v in case.order if v != case.target)
            for S in sorted_sets(others):
                expected = frozenset(others) if is_blanket(case.judge, case.target, S) else frozenset[str]()
                yield pose(case, S, expected=[expected])

    return tuple(all_of())


def _blanket_words(case: Case, outcome: Outcome) -> str:
    (S,) = case.judge.extra  # type: ignore[attr-defined]
    said, truth = bool(outcome.answer), bool(case.expected[0])
    return f"On {place(case)} your function says {said} of S = {braces(S)}; it is {truth}."


@posed(
    "write_is_blanket",
    title="Write is_blanket",
    level="medium",
    task="""
    Write a function that says whether the set S is a Markov blanket of T. `ask(x, y, given)` is True
    where x and y are independent; x, y and given may be sets. `ask.others(T, S)` are all variables but
    T and those of S. It will be tried on every graph with up to four nodes.
    """,
    start="""
    def is_blanket(ask, T, S):
        return ...
    """,
    hints=(
        "Write down the definition: T is independent of what, given what?",
        "A question needs something on both sides: what if nothing is left over?",
        "T ⊥ U − S − {T} | S, and True when U − S − {T} is empty.",
    ),
    solution="""
    def is_blanket(ask, T, S):
        rest = ask.others(T, S)
        return not rest or ask(T, rest, S)
    """,
    why="This is Definition 1 of margaritis2009; all other variables together are a blanket by convention.",
)
def write_is_blanket(answer: Any) -> Feedback:
    """Try it on every small graph, target and set."""
    function = read_function(answer, "is_blanket(ask, T, S)")
    trial = try_on(function, blanket_cases(), yes_no=True)
    return feedback_on(
        trial, praise="Right on all {tried} sets in graphs with up to four nodes.", words=_blanket_words
    )
