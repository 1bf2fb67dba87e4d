"""Lesson 07: divide and conquer, parents and children first."""

from __future__ import annotations

from functools import cache
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, Refused, right, wrong
from mbedu.exercises.functions import feedback_on, graph_cases, place, pose, read_function, try_on
from mbedu.exercises.graphs import arrows, connected, why_connected, why_separated
from mbedu.exercises.reading import braces, kind_of, read_dag, read_set
from mbedu.oracles import DSeparation
from mbedu.running import run
from mbedu.verify.cases import Case
from mbedu.verify.outcome import Outcome


@cache
def related_spouse() -> DSeparation:
    """Return the graph of `spouse_witness`."""
    return arrows("A>T A>S T>C S>C C>D B>T", "T A B C D S")


@posed(
    "spouse_witness",
    title="Prove that it is a spouse",
    level="medium",
    task="""
    In the graph B → T ← A → S, T → C ← S, C → D, algorithms such as MBOR and PCMB prove that S is a
    spouse of T with a pair `(Z, Y)`: Z separates T and S, Y is a neighbour of T, and T and S are
    dependent given Z ∪ {Y}. Give such a pair, as in `({'B'}, 'D')`.
    """,
    hints=(
        "First find what separates T and S; there is a fork between them.",
        "Z has to block the fork, and to leave the collider closed.",
        "Z = {A} separates them; now choose the neighbour of T that opens the collider.",
    ),
    solution="answer = ({'A'}, 'C')",
    why="Given A the only way left is T → C ← S, and it opens when C is given.",
    judge=related_spouse,
    target="T",
)
def spouse_witness(answer: Any) -> Feedback:
    """Any pair with the three properties is right."""
    judge = related_spouse()
    if not isinstance(answer, tuple | list) or len(answer) != 2 or not isinstance(answer[1], str):
        raise Refused(f"{kind_of(answer)} is no pair of a set and a name; write it as ({{'B'}}, 'D').")
    Z = read_set(answer[0], judge.variables, without=("T", "S"), what="Z")
    (Y,) = read_set(answer[1], judge.variables, without=("T", "S"), what="Y")
    neighbours = {*judge.parents("T"), *judge.children("T")}
    if connected(judge, "T", "S", Z):
        return wrong(f"Z = {braces(Z)} does not separate T and S: {why_connected(judge, 'T', 'S', Z)}.")
    if Y not in neighbours:
        return wrong(f"{Y} is not a neighbour of T (there is no arrow between them).")
    if Y in Z:
        return wrong(f"{Y} is in Z already, so it cannot be added.")
    if not connected(judge, "T", "S", Z | {Y}):
        return wrong(f"With {Y} added T and S stay separated: {why_separated(judge, 'T', 'S', Z | {Y})}.")
    return right(
        f"T ⊥ S | {braces(Z)}, but not given {Y} as well: {why_connected(judge, 'T', 'S', Z | {Y})}."
    )


@cache
def neighbour_cases() -> tuple[Case, ...]:
    """Return small graphs with the boundary as an argument and the neighbours as the answer."""

    def neighbours(case: Case) -> frozenset[str]:
        edges = case.graph or ()
        return frozenset(b if a == case.target else a for a, b in edges if case.target in (a, b))

    return tuple(pose(case, case.expected[0], expected=[neighbours(case)]) for case in graph_cases(4))


def _neighbour_words(case: Case, outcome: Outcome) -> str:
    said, truth = frozenset(outcome.answer or ()), case.expected[0]
    begin = f"On {place(case)} your function answers {braces(said, case.order)}"
    extra = [v for v in case.order if v in said - truth]
    if extra:
        return f"{begin}, but {extra[0]} is no neighbour of {case.target}: some set separates them."
    missed = next(v for v in case.order if v in truth - said)
    return f"{begin}, but nothing separates {case.target} from its neighbour {missed}."


@posed(
    "write_mb_to_pc",
    title="Write MBtoPC",
    level="medium",
    task="""
    Given the Markov boundary MB of T, find the parents and children of T in it (demorais2008, Algorithm
    4): X is out if some Z ⊆ MB − {X} separates it from T. `mb.subsets(items, largest, 0)` gives all
    subsets with 0 to `largest` members. It will be tried on every graph with up to four nodes.
    """,
    start="""
    import mbedu as mb

    def mb_to_pc(ask, T, MB):
        ...
    """,
    hints=(
        "A spouse can be separated from T, a neighbour cannot.",
        "Try all subsets of the *other* members, the empty one and the whole one included.",
        "Keep X if not any(ask(T, X, Z) for Z in mb.subsets(MB - {X}, len(MB), 0)).",
    ),
    solution="""
    import mbedu as mb

    def mb_to_pc(ask, T, MB):
        def separated(X):
            return any(ask(T, X, Z) for Z in mb.subsets(MB - {X}, len(MB), 0))

        return {X for X in MB if not separated(X)}
    """,
    why="In a faithful distribution two variables are neighbours if and only if no set separates them, and "
    "for a spouse such a set is found inside the boundary.",
)
def write_mb_to_pc(answer: Any) -> Feedback:
    """Compare with the arrows of every small graph."""
    trial = try_on(read_function(answer, "mb_to_pc(ask, T, MB)"), neighbour_cases())
    return feedback_on(
        trial, praise="Right on all {tried} runs on graphs with up to four nodes.", words=_neighbour_words
    )


@posed(
    "mmmb_wrong",
    title="Catch MMMB",
    level="hard",
    task="""
    MMMB as first published (`mb.run("mmmb", …)`) is wrong on some graphs although d-separation answers.
    Give a graph over T, A, B, C (a list of pairs `(parent, child)`) on which it is wrong about T.
    """,
    hints=(
        "It goes wrong where T and another variable are separated only by a set that MMPC never tries.",
        "Such a set needs a variable that is independent of T by itself, and so leaves MMPC early.",
        "Let A be a child of T with a second parent B, and let A and B both point to C.",
    ),
    solution="answer = [('T', 'A'), ('A', 'C'), ('B', 'A'), ('B', 'C')]",
    why=(
        "T and C are separated by {A, B} alone; B is independent of T and is gone before it could help, "
        "so C stays."
    ),
    target="T",
)
def mmmb_wrong(answer: Any) -> Feedback:
    """Run MMMB and compare with the boundary of the graph."""
    judge = read_dag(answer, ("T", "A", "B", "C"))
    done = run("mmmb", judge, "T", record=True)
    truth = judge.boundary("T")
    if done.boundary == truth:
        return wrong(f"MMMB is right on your graph: {braces(truth)}.", film=done.play())
    return right(
        f"MMMB answers {braces(done.boundary)}, and the boundary is {braces(truth)}.", film=done.play()
    )
