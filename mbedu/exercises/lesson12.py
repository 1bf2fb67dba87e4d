"""Lesson 12: what the papers claim and what the oracle says."""

from __future__ import annotations

from functools import cache
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, Refused, right, wrong
from mbedu.exercises.reading import braces, kind_of, read_set, read_sets
from mbedu.problem import Problem
from mbedu.problems import parity
from mbedu.query import Query
from mbedu.theory.boundaries import is_m_boundary, m_boundaries


@cache
def xor() -> Problem:
    """Return three coins tied by their parity."""
    return parity(3)


@posed(
    "lemma_2",
    title="A counterexample to Lemma 2",
    level="hard",
    task="""
    Lemma 2 of margaritis2009 says, as printed: if X ⊥ Yᵢ | S − {Y₁ … Yᵢ} for i = 1 … t, then X ⊥ {Y₁ …
    Yₜ} | S − {Y₁ … Yₜ}. Take `parity(3)`: X1 is the parity of the fair coins X2 and X3. Give a pair
    `(S, [Y1, Y2, …])`, a set and a list of variables out of X2 and X3, on which the lemma fails for X =
    X1.
    """,
    hints=(
        "The proof needs the Y to be members of S. What if they are not?",
        "What do you know about X1 and each of the coins when nothing is given?",
        "S empty, and both coins one after the other.",
    ),
    solution="answer = (set(), ['X2', 'X3'])",
    why=(
        "X1 ⊥ X2 and X1 ⊥ X3, but not X1 ⊥ {X2, X3}. With the Y inside S, as the paper uses it, the "
        "lemma holds."
    ),
    judge=lambda: xor().judge,
    target="X1",
)
def lemma_2(answer: Any) -> Feedback:
    """Check premises and conclusion with the oracle."""
    if not isinstance(answer, tuple | list) or len(answer) != 2 or not isinstance(answer[1], list | tuple):
        raise Refused(
            f"{kind_of(answer)} is no pair of a set and a list; write it as ({{'X2'}}, ['X2', 'X3'])."
        )
    judge = xor().judge
    S = read_set(answer[0], judge.variables, without=("X1",), what="S")
    order = list(answer[1])
    if not order or len(read_set(order, judge.variables, without=("X1",), what="the list")) < len(order):
        return wrong("The list has to name at least one variable, and each at most once.")
    given = S
    for y in order:
        given = given - {y}
        if not judge.judge(Query("X1", y, given)).independent:
            return wrong(
                f"A premise fails: X1 and {y} are dependent given {braces(given)}, so the lemma claims "
                "nothing."
            )
    if judge.judge(Query("X1", order, given)).independent:
        return wrong(f"The premises hold, and so does the conclusion X1 ⊥ {braces(order)} | {braces(given)}.")
    return right(
        f"The premises hold, but X1 depends on {braces(order)} given {braces(given)}: the printed lemma "
        "fails."
    )


@posed(
    "two_m_boundaries",
    title="The m-boundary is not unique",
    level="hard",
    task="""
    margaritis2009 defines *an* m-Markov boundary (Definition 3): Equation (2) holds for every set of at
    most m variables. Take `parity(3)` again. Give a list of two different 1-Markov boundaries of X1.
    """,
    hints=(
        "With m = 1 you only have to look at single variables.",
        "Does a single coin tell anything about X1 when nothing is in the set?",
        "The empty set is one. The other is where each coin is indispensable.",
    ),
    solution="answer = [set(), {'X2', 'X3'}]",
    why="From the empty set no single coin looks relevant; from {X2, X3} neither can go.",
    judge=lambda: xor().judge,
    target="X1",
)
def two_m_boundaries(answer: Any) -> Feedback:
    """Check each set by Definition 3."""
    judge = xor().judge
    said = sorted(read_sets(answer, judge.variables, without=("X1",)), key=lambda s: (len(s), sorted(s)))
    for S in said:
        if not is_m_boundary(judge, "X1", S, m=1):
            return wrong(
                f"{braces(S)} is no 1-boundary: look at each single variable, given {braces(S)} without it."
            )
    if len(said) < 2:
        return wrong(f"That is {len(said)}; give two different sets.")
    known = len(m_boundaries(judge, "X1", 1))
    return right(
        f"Both satisfy Definition 3 with m = 1 (there are {known} of them): an m-boundary need not be unique."
    )
