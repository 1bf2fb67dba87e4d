"""Lesson 09: relevance, redundancy and the dependency margin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from mbedu.ask import Ask
from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, Refused, right, wrong
from mbedu.exercises.reading import braces, kind_of, read_exact, read_set, shown
from mbedu.oracles import ExactJoint
from mbedu.problems import corral
from mbedu.query import Query
from mbedu.running import run
from mbedu.selectors.neighbours import measure
from mbedu.selectors.source import look
from mbedu.theory.relevance import Relevance, relevance

INPUTS = ("A0", "A1", "B0")
ABOUT = """
    In CorrAL (`mb.get_problem("corral")`) Y = (A0 ∧ A1) ∨ (B0 ∧ B1) for four fair coins; I is a coin
    that has nothing to do with it, and R agrees with Y three times out of four. The dependency D(X) of
    a set X of features is the probability that their values determine Y (liu2015, Definition 7)."""


@cache
def features() -> tuple[str, ...]:
    """Return the features of CorrAL."""
    return tuple(v for v in corral().variables if v != "Y")


def dependency(chosen: Iterable[str]) -> Fraction:
    """Return D of a set of features in CorrAL, exactly."""
    rows = look(Ask(corral().judge), "Y", "exercise", support=True)
    return measure(rows, "Y", features(), 0.14).dependency(chosen)


@posed(
    "corral_dependency",
    title="Compute a dependency",
    level="easy",
    task=ABOUT
    + """

    What is D({A0, A1, B0})? Give it exactly, as `Fraction(3, 4)` or `'3/4'`.
    """,
    hints=(
        "Go through the eight combinations of A0, A1 and B0; all are equally likely.",
        "Where A0 = A1 = 1, Y is 1 whatever B1 is. Where else is it certain?",
        "Where B0 = 0 and not A0 = A1 = 1, Y is 0. Where B0 = 1, B1 decides.",
    ),
    solution="""
    from fractions import Fraction
    answer = Fraction(5, 8)
    """,
    why=(
        "Two of eight combinations have A0 = A1 = 1; of the other six the three with B0 = 0 determine Y "
        "as well."
    ),
    judge=lambda: corral().judge,
    target="Y",
)
def corral_dependency(answer: Any) -> Feedback:
    """Compare with the dependency of the exact distribution."""
    said = read_exact(answer, what="D")
    truth = dependency(INPUTS)
    if said == truth:
        return right(f"D({{A0, A1, B0}}) = {truth}.")
    if not 0 <= said <= 1:
        return wrong(f"{said} is no probability; D lies between 0 and 1.")
    return wrong(
        f"{said} is too {'large' if said > truth else 'small'}: in which of the eight combinations is Y "
        "certain?"
    )


@posed(
    "blind_dependency",
    title="What the dependency does not see",
    level="medium",
    task=ABOUT
    + """

    Give a set of features with D = 0 although Y *depends* on it.
    """,
    hints=(
        "D counts only certainty; a clue that leaves doubt is worth nothing to it.",
        "Take a single feature that makes one value of Y more likely, but never certain.",
        "R, or any one of the inputs.",
    ),
    solution="answer = {'R'}",
    why="R makes Y likely and never certain, so D({R}) = 0; only together with others could it ever count.",
    judge=lambda: corral().judge,
    target="Y",
)
def blind_dependency(answer: Any) -> Feedback:
    """Compute D and ask the oracle."""
    X = read_set(answer, features(), what="the set")
    if not X:
        return wrong("Nothing depends on the empty set; give at least one feature.")
    found = dependency(X)
    if found:
        return wrong(f"D({braces(X, features())}) = {found}, not 0: some values of it make Y certain.")
    if corral().judge.judge(Query("Y", X)).independent:
        return wrong(f"D({braces(X)}) = 0, but Y does not depend on {braces(X)} either.")
    return right(f"D({braces(X)}) = 0, and yet Y depends on {braces(X)}.")


@posed(
    "corral_a1",
    title="Find A1",
    level="medium",
    task=ABOUT
    + """

    Algorithm 1 of liu2015 puts a feature a into A1 if D(F) > D(F − {a}), F being all six features.
    Which set is A1?
    """,
    hints=(
        "D(F) = 1, because the inputs determine Y. So: without which feature is Y no longer certain?",
        "Would you miss I? Would you miss R when you know all four inputs?",
        "Without any one input there are combinations in which it decides.",
    ),
    solution="answer = {'A0', 'A1', 'B0', 'B1'}",
    why="Each input decides in some combinations of the others; R and I never do.",
    judge=lambda: corral().judge,
    target="Y",
)
def corral_a1(answer: Any) -> Feedback:
    """Compare with Algorithm 1 on the exact distribution."""
    said = read_set(answer, features(), what="A1")
    truth = run("strong_relevant", corral()).boundary
    if said == truth:
        return right(f"A1 = {braces(truth)}: without any one of them Y is not always certain.")
    extra = [v for v in features() if v in said - truth]
    if extra:
        return wrong(
            f"{extra[0]} is not in A1: D(F − {{{extra[0]}}}) = {dependency(set(features()) - {extra[0]})} "
            "is not below D(F)."
        )
    return wrong(
        f"All of {braces(said)} are in A1, but {len(truth - said)} more are: take each feature away in turn."
    )


@cache
def mixed() -> ExactJoint:
    """Return T = A ∨ B with noise, a copy A2 of A, E, a noisy view of B, and a coin I."""
    table = {}
    for t, a, b, e, i in product((0, 1), repeat=5):
        noise = Fraction(1, 10) if t != (a | b) else Fraction(9, 10)
        table[t, a, a, b, e, i] = noise * (Fraction(1, 5) if e != b else Fraction(4, 5))
    return ExactJoint(table, variables=["T", "A", "A2", "B", "E", "I"])


@posed(
    "relevance_classes",
    title="Four kinds of features",
    level="medium",
    task="""
    A, B and I are fair coins. T is "A or B", wrong in one case out of ten; A2 is a copy of A, E a noisy
    view of B. Give the kind of every feature as a dict, `{'A': …, 'A2': …, 'B': …, 'E': …, 'I': …}`,
    with the words `'strong'`, `'weak non-redundant'`, `'weak redundant'` and `'irrelevant'`.
    """,
    hints=(
        "Strong: T depends on it given *all* others. Weak: only given some of them.",
        "Given its copy, what does A tell? Given B, what does E tell?",
        (
            "A weak feature is redundant if some of the others shield it from everything else: the copy "
            "does, and B does for E."
        ),
    ),
    solution="""
    answer = {
        'A': 'weak redundant', 'A2': 'weak redundant', 'B': 'strong', 'E': 'weak redundant',
        'I': 'irrelevant',
    }
    """,
    why="Only B is indispensable; each copy is redundant because of the other, so keeping only the strong "
    "and the non-redundant ones would lose A altogether.",
    judge=mixed,
    target="T",
)
def relevance_classes(answer: Any) -> Feedback:
    """Compare with the definitions, by brute force."""
    kinds = [str(kind) for kind in Relevance]
    truth = relevance(mixed(), "T")
    if not isinstance(answer, Mapping) or set(answer) != set(truth):
        raise Refused(
            f"{kind_of(answer)} does not give a kind to each of {', '.join(truth)}; write "
            f"{{'A': 'strong', …}}."
        )
    for v, kind in answer.items():
        if not isinstance(kind, str) or kind not in kinds:
            raise Refused(
                f"{shown(kind)} is no kind of feature ({v}); the kinds are {', '.join(map(repr, kinds))}."
            )
    wrong_ones = [v for v in truth if str(answer[v]) != str(truth[v])]
    if not wrong_ones:
        return right("All five are right.")
    v = wrong_ones[0]
    alone = "depends" if not mixed().judge(Query("T", v)).independent else "does not depend"
    others = [u for u in truth if u != v]
    last = "depends" if not mixed().judge(Query("T", v, others)).independent else "does not depend"
    return wrong(
        f"{len(truth) - len(wrong_ones)} of {len(truth)} are right; look again at {v}: by itself T "
        f"{alone} on it, given all others T {last} on it."
    )
