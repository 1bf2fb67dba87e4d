"""Lesson 05: IAMB and its family."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.functions import Posed, feedback_on, read_function, try_on
from mbedu.exercises.reading import braces, read_joint, read_set
from mbedu.oracles import ExactJoint
from mbedu.problems import corral, silent_spouse
from mbedu.problems.structures import factored, flip
from mbedu.registry import get_algorithm
from mbedu.running import run
from mbedu.steps import Changed
from mbedu.theory.boundaries import boundaries
from mbedu.verify.cases import Case
from mbedu.verify.random_problems import random_networks

NOISE = Fraction(1, 10)


@posed(
    "first_pick",
    title="Who enters first?",
    level="easy",
    task="""
    In CorrAL (`mb.get_problem("corral")`) Y = (A0 ∧ A1) ∨ (B0 ∧ B1) for four fair coins, I is a coin
    that has nothing to do with it, and R agrees with Y three times out of four. Which variable does
    IAMB let in first?
    """,
    hints=(
        "IAMB lets in the variable that says most about Y, given what is in.",
        "At first nothing is in. Compare how often each single variable agrees with Y.",
        "One of them agrees with Y in 75 of 100 cases; an input does so in fewer.",
    ),
    solution="answer = 'R'",
    why=(
        "R is the best single predictor, although it is in no boundary; it leaves when all four inputs "
        "are in."
    ),
    judge=lambda: corral().judge,
    target="Y",
)
def first_pick(answer: Any) -> Feedback:
    """Compare with the recorded run of IAMB."""
    problem = corral()
    said = read_set(answer, problem.variables, without=("Y",))
    if len(said) != 1:
        return wrong(f"IAMB lets in one variable at a time; {braces(said)} are {len(said)}.")
    done = run("iamb", problem, record=True)
    steps = done.trace.steps if done.trace is not None else ()
    first = next(step.added for step in steps if isinstance(step, Changed) and step.added)
    if said == frozenset(first):
        return right(f"{first[0]} enters first, and leaves at last: watch.", film=done.play())
    (v,) = said
    return wrong(f"{v} is not the one that says most about Y by itself: compare the strengths of all six.")


# ---------------------------------------------------------------------- writing
@cache
def exact_cases() -> tuple[Case, ...]:
    """Return exact distributions of small random networks, with all their boundaries."""
    nets = [*random_networks(3, 12, seed=3), *random_networks(4, 25, seed=4)]
    found = [(f"a network {_written(net)}", ExactJoint(net)) for net in nets]
    found.append(("the silent spouse T → C ← S", silent_spouse().judge))  # type: ignore[arg-type]
    cases = [
        Case(name, Posed(judge), target, boundaries(judge, target), len(judge.variables), 0)
        for name, judge in found
        for target in judge.variables
    ]
    return tuple(cases)


def _written(net: Any) -> str:
    return ", ".join(f"{a} → {b}" for a, b in net.edges) or "without arrows"


@cache
def chain() -> Case:
    """Return X1 → X2 → X3 → T, which the strongest first solves with the smallest conditions."""

    def weight(x1: int, x2: int, x3: int, t: int) -> Fraction:
        return flip(x1, x2, NOISE) * flip(x2, x3, NOISE) * flip(x3, t, NOISE)

    judge = factored(["X1", "X2", "X3", "T"], [2, 2, 2, 2], weight)
    return Case("X1 → X2 → X3 → T", Posed(judge), "T", boundaries(judge, "T"), 4, 3)


@posed(
    "write_iamb",
    title="Write IAMB",
    level="medium",
    task="""
    Write IAMB: let in the variable that is *most* dependent on T given what is in, until none depends;
    then take out what is independent of T given the others. `ask.strongest(T, candidates, S)` gives the
    most dependent candidate or None; `ask.verdict(T, v, S).strength` is the conditional mutual
    information. It will be tried on exact distributions, also on X1 → X2 → X3 → T, where the order
    shows.
    """,
    start="""
    def iamb(ask, T):
        CMB = set()
        ...
        return CMB
    """,
    hints=(
        "It is Grow-Shrink with another rule for who enters.",
        "while (X := ask.strongest(T, ask.others(T, CMB), CMB)) is not None: …",
        "Afterwards: while some X of CMB has ask(T, X, CMB - {X}), take it out, and begin again.",
    ),
    solution="""
    def iamb(ask, T):
        CMB = set()
        while X := ask.strongest(T, ask.others(T, CMB), CMB):
            CMB.add(X)
        while X := ask.weakest(T, CMB):
            CMB.remove(X)
        return CMB
    """,
    why="Taking the strongest first lets fewer false members in, so the conditioning sets stay small.",
)
def write_iamb(answer: Any) -> Feedback:
    """Right answers everywhere, and no larger condition than IAMB's on the chain."""
    return _economical(
        read_function(answer, "iamb(ask, T)"),
        chain(),
        key="iamb",
        praise="Right on all {tried} runs, and with the small conditions of IAMB.",
        advice="does the strongest one enter first?",
    )


def _economical(function: Callable[..., Any], case: Case, *, key: str, praise: str, advice: str) -> Feedback:
    """Try a function everywhere, then hold its largest condition on one case to that of an algorithm."""
    trial = try_on(function, exact_cases())
    if trial.failure is not None:
        return feedback_on(trial, praise=praise, reference=key)
    close = try_on(function, [case], measured=True)
    least = run(key, case.judge, case.target).largest_given
    if close.failure is None and close.largest_given > least:
        return wrong(
            f"The answers are right, but on {case.name} your function conditions on {close.largest_given} "
            f"variables where {get_algorithm(key).title} needs {least}: {advice}",
            film=close.trace.play() if close.trace is not None else None,
        )
    return feedback_on(trial if close.failure is None else close, praise=praise, reference=key)


@cache
def passing_guest() -> Case:
    """Return a problem in which X enters first and is needless as soon as A and B are in.

    A, B, C and D are fair coins; X and T are both A + B with noise, and C says how much noise T has.
    """
    table = {}
    for t, x, a, b, c, d in product(range(3), range(3), (0, 1), (0, 1), (0, 1), (0, 1)):
        seen = Fraction(4, 5) if x == a + b else Fraction(1, 10)
        wrong_ = NOISE if c == 0 else Fraction(4, 10)
        table[t, x, a, b, c, d] = seen * (1 - wrong_ if t == a + b else wrong_ / 2)
    judge = ExactJoint(table, variables=["T", "X", "A", "B", "C", "D"])
    return Case("the passing guest", Posed(judge), "T", boundaries(judge, "T"), 6, 0)


@posed(
    "write_inter_iamb",
    title="Write Inter-IAMB",
    level="hard",
    task="""
    Write Inter-IAMB: as IAMB, but after *every* addition take out whatever has become needless, before
    the next one enters. It will be tried on exact distributions; on one of them a variable enters first
    that is needless two steps later, and your function must not carry it along.
    """,
    start="""
    def inter_iamb(ask, T):
        MB = set()
        ...
        return MB
    """,
    hints=(
        "Begin with IAMB and move the backward phase into the forward loop.",
        "One addition, then removals until none is left to remove, then the next addition.",
        "while X := ask.strongest(…): add X; then while Y := ask.weakest(T, MB): remove Y.",
    ),
    solution="""
    def inter_iamb(ask, T):
        MB = set()
        while X := ask.strongest(T, ask.others(T, MB), MB):
            MB.add(X)
            while Y := ask.weakest(T, MB):
                MB.remove(Y)
        return MB
    """,
    why="What is needless leaves at once, so the conditioning sets are smaller than IAMB's: on data this "
    "saves rows a cell.",
)
def write_inter_iamb(answer: Any) -> Feedback:
    """Right answers everywhere, and no larger condition than Inter-IAMB's where the guest is."""
    return _economical(
        read_function(answer, "inter_iamb(ask, T)"),
        passing_guest(),
        key="inter_iamb",
        praise="Right on all {tried} runs, and nothing needless is carried along.",
        advice="what is needless has to leave before the next one enters.",
    )


@posed(
    "break_iamb",
    title="A distribution on which IAMB fails",
    level="hard",
    task="""
    Give a distribution over T, A, B, C on which IAMB, asked with an exact oracle, returns a set that is
    *not empty* and not a Markov boundary of T: a dict `{(t, a, b, c): weight, …}` with whole numbers as
    weights.
    """,
    hints=(
        "IAMB's guarantee needs Composition. Which distribution breaks it?",
        (
            "With the parity of two coins alone IAMB returns the empty set. Let it find something else to "
            "hold on to."
        ),
        "T = A ⊕ B for fair coins, and C a noisy view of T: C enters, and then each coin alone says nothing.",
    ),
    solution="""
    answer = {
        (a ^ b, a, b, c): 4 if c == a ^ b else 1
        for a in (0, 1) for b in (0, 1) for c in (0, 1)
    }
    """,
    why="IAMB stops at {C}: each coin alone is independent of T given C. The boundary is {A, B}.",
    target="T",
)
def break_iamb(answer: Any) -> Feedback:
    """Compare what IAMB returns with all boundaries, found by brute force."""
    joint = read_joint(answer, ("T", "A", "B", "C"))
    done = run("iamb", joint, "T", record=True)
    known = boundaries(joint, "T")
    listed = " and ".join(braces(b) for b in known)
    if done.boundary in known:
        return wrong(
            f"IAMB is right here: it returns {braces(done.boundary)}, a boundary of T.", film=done.play()
        )
    if not done.boundary:
        return wrong(
            "IAMB is wrong here, but it returns the empty set: let it find something as well.",
            film=done.play(),
        )
    return right(f"IAMB returns {braces(done.boundary)}; T has the boundary {listed}.", film=done.play())
