"""Lesson 11: verify your own algorithm."""

from __future__ import annotations

import textwrap
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.functions import feedback_on, graph_cases, read_function, try_on
from mbedu.exercises.reading import braces, read_dag
from mbedu.running import run

BROKEN_GS = """
def gs(ask, T):
    S = set()
    for v in ask.others(T):
        if not ask(T, v, S):
            S = S | {v}
    for v in ask.others(T):
        if v in S and ask(T, v, S):
            S = S - {v}
    return S
"""

HASTY = """
import mbedu as mb

def hasty(ask, T):
    def separator(X, Y):
        rest = ask.others(X, Y)
        return next((Z for Z in mb.subsets(rest, len(rest), 0) if ask(X, Y, Z)), None)

    PC = [v for v in ask.others(T) if separator(T, v) is None]
    MB = set(PC)
    for Y in PC:
        for X in ask.others(T, PC):
            if separator(X, Y) is None and not ask(T, X, separator(T, X) | {Y}):
                MB.add(X)
                break
    return MB
"""


@posed(
    "repair_gs",
    title="Repair Grow-Shrink",
    level="medium",
    task="""
    This function is meant to be Grow-Shrink, but it is wrong in more than one way. Repair it. It will
    be tried on every graph with up to four nodes.
    """,
    start=BROKEN_GS,
    hints=(
        "Run mb.verify(gs, mb.all_dags(3)) and read what it says.",
        "A variable cannot be in the condition of a question about itself.",
        "And the growing phase has to begin again after each addition: a spouse may come before the child.",
    ),
    solution="""
    def gs(ask, T):
        S = set()
        grown = True
        while grown:
            grown = [v for v in ask.others(T, S) if not ask(T, v, S)][:1]
            S = S | set(grown)
        for v in ask.others(T):
            if v in S and ask(T, v, S - {v}):
                S = S - {v}
        return S
    """,
    why="The question about v conditions on S − {v}; growing goes on until no variable depends. One pass of "
    "shrinking is enough, in every distribution: if v could leave after others have left, then by "
    "Contraction and Weak Union it could have left before them.",
)
def repair_gs(answer: Any) -> Feedback:
    """Try it on every small graph."""
    trial = try_on(read_function(answer, "gs(ask, T)"), graph_cases(4))
    return feedback_on(
        trial, praise="Right on all {tried} runs on graphs with up to four nodes.", reference="gs"
    )


def hasty() -> Any:
    """Return the function of `catch_hasty`, made from the text that the learner sees."""
    namespace: dict[str, Any] = {"__name__": "mbedu_exercise"}
    exec(compile(HASTY, "<hasty>", "exec"), namespace)  # noqa: S102 - our own text
    return namespace["hasty"]


@posed(
    "catch_hasty",
    title="Catch the hasty one",
    level="medium",
    task="""
    This function looks for the neighbours of T and then for spouses. (A published program has the same
    flaw.) Give a graph over T, A, B, C (a list of pairs `(parent, child)`) on which it is wrong about
    T.
    """,
    start=HASTY,
    hints=(
        "Read the two inner loops. When does the search for spouses end?",
        "It stops after the first spouse of each child.",
        "Give one child of T two further parents.",
    ),
    solution="answer = [('T', 'A'), ('B', 'A'), ('C', 'A')]",
    why="The break leaves the loop after B, so the second spouse C is never looked at.",
    target="T",
)
def catch_hasty(answer: Any) -> Feedback:
    """Run the function on the graph."""
    judge = read_dag(answer, ("T", "A", "B", "C"))
    done = run(hasty(), judge, "T", record=True)
    truth = judge.boundary("T")
    if done.boundary == truth:
        return wrong(f"On your graph it is right: {braces(truth)}.", film=done.play())
    return right(
        f"It answers {braces(done.boundary)}, and the boundary is {braces(truth)}.", film=done.play()
    )


@posed(
    "repair_hasty",
    title="Repair the hasty one",
    level="easy",
    task="""
    Now repair the function of the last exercise (`exercise('catch_hasty').start` has its source), so
    that it is right on every graph with up to four nodes.
    """,
    start=HASTY,
    hints=(
        "What happens after the first spouse of a child has been found?",
        "A child may have more than two parents.",
        "Take out the break.",
    ),
    solution=textwrap.dedent(HASTY).replace("\n                break", ""),
    why="Without the break every candidate is tried with every neighbour.",
)
def repair_hasty(answer: Any) -> Feedback:
    """Try it on every small graph."""
    trial = try_on(read_function(answer, "hasty(ask, T)"), graph_cases(4))
    return feedback_on(
        trial, praise="Right on all {tried} runs on graphs with up to four nodes.", reference="gs"
    )
