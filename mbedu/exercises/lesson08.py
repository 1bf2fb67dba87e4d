"""Lesson 08: wrappers, PPI and PPFS, and the spouse that never enters."""

from __future__ import annotations

from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.reading import braces, read_dag
from mbedu.oracles import DSeparation
from mbedu.running import run

VARIABLES = ("T", "A", "B", "C")


def _spouses(judge: DSeparation) -> frozenset[str]:
    return judge.boundary("T") - {*judge.parents("T"), *judge.children("T")}


@posed(
    "ppfs_misses",
    title="The spouse that never enters",
    level="easy",
    task="""
    PPFS (hassan2021, Algorithm 2) lets in the variables that depend on T *by themselves*. Give a graph
    over T, A, B, C (a list of pairs `(parent, child)`) on which it misses a spouse of T, with
    d-separation as the judge.
    """,
    hints=(
        "Which members of a boundary can be independent of the target by themselves?",
        "A spouse that is connected with T only through their common child.",
        "T → A ← B, with C wherever you like.",
    ),
    solution="answer = [('T', 'A'), ('B', 'A')]",
    why="B is independent of T given nothing, so the growing phase never lets it in.",
    target="T",
)
def ppfs_misses(answer: Any) -> Feedback:
    """Run PPFS and compare with the spouses in the graph."""
    judge = read_dag(answer, VARIABLES)
    done = run("ppfs", judge, "T", record=True)
    missed = _spouses(judge) - done.boundary
    if missed:
        return right(
            f"PPFS answers {braces(done.boundary)} and misses the spouse {braces(missed)}.", film=done.play()
        )
    if not _spouses(judge):
        return wrong(
            "In your graph T has no spouse: two variables with a common child and no arrow between them."
        )
    return wrong(
        f"PPFS finds all of {braces(judge.boundary('T'))}: the spouse depends on T by itself.",
        film=done.play(),
    )


@posed(
    "ppfs_lucky",
    title="A spouse that does enter",
    level="medium",
    task="""
    Now give a graph over T, A, B, C on which T has a spouse (a parent of its child, with no arrow
    between it and T) and PPFS finds the right boundary all the same.
    """,
    hints=(
        "The spouse has to depend on T by itself, though there is no arrow between them.",
        "Give them a common cause, or let a chain lead from one to the other.",
        "T → A ← B, and C → T, C → B.",
    ),
    solution="answer = [('T', 'A'), ('B', 'A'), ('C', 'T'), ('C', 'B')]",
    why="Through the common cause C the spouse B depends on T by itself, and given all others it still does.",
    target="T",
)
def ppfs_lucky(answer: Any) -> Feedback:
    """Run PPFS on a graph with a spouse."""
    judge = read_dag(answer, VARIABLES)
    if not _spouses(judge):
        return wrong(
            "In your graph T has no spouse: two variables with a common child and no arrow between them."
        )
    done = run("ppfs", judge, "T", record=True)
    if done.boundary != judge.boundary("T"):
        answer_, truth = braces(done.boundary), braces(judge.boundary("T"))
        return wrong(f"PPFS answers {answer_}, and the boundary is {truth}.", film=done.play())
    return right(
        f"PPFS finds {braces(done.boundary)}, with the spouse {braces(_spouses(judge))}.", film=done.play()
    )
