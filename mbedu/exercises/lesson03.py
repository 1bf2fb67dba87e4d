"""Lesson 03: Grow-Shrink and GS(m), parity and margins."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.graphs import arrows
from mbedu.exercises.most_questions import asked, most_asked
from mbedu.exercises.reading import braces, read_dag, read_order, read_set, read_whole
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.problems import parity
from mbedu.query import Query
from mbedu.running import run
from mbedu.steps import Changed
from mbedu.theory.boundaries import boundaries


# ---------------------------------------------------------------------- predictions
@cache
def grow_graph() -> DSeparation:
    """Return the graph of `predict_grow`, in the order in which GS looks at the variables."""
    return arrows("A>B B>T T>C S>C", "T A S B C")


@posed(
    "predict_grow",
    title="What has grown?",
    level="easy",
    task="""
    In the graph A → B → T → C ← S, Grow-Shrink looks at the variables in the order A, S, B, C and lets
    in the first one that depends on T given what is in already; then it starts again from A. Which set
    S does the *growing* phase end with?
    """,
    hints=(
        "Write down S after every step, and after each addition begin again with A.",
        "A is the first to depend on T, although it is not in the boundary; S is independent of T at first.",
        "Once C is in, S depends on T through the open collider. Nothing leaves while growing.",
    ),
    solution="answer = {'A', 'B', 'C', 'S'}",
    why="A enters first, because it sees T through B; then B, then C, which opens the way to S. Shrinking "
    "will let A out again.",
    judge=grow_graph,
    target="T",
)
def predict_grow(answer: Any) -> Feedback:
    """Compare with the recorded run of GS."""
    judge = grow_graph()
    said = read_set(answer, judge.variables, without=("T",))
    done = run("gs", judge, "T", record=True, order="plain")
    steps = done.trace.steps if done.trace is not None else ()
    grown = [v for step in steps if isinstance(step, Changed) and step.phase == "grow" for v in step.added]
    if said == frozenset(grown):
        return right(f"Right: {', then '.join(grown)}.", film=done.play())
    if frozenset(grown) - said:
        rest = [v for v in judge.variables if v != "T" and v not in said]
        if any(not judge.judge(Query("T", v, said)).independent for v in rest):
            return wrong(f"With {braces(said)} it is not over: some variable still depends on T given that.")
        return wrong(
            f"With {braces(said)} it would be over, but in this order another set comes about: "
            "which is the first variable that enters?"
        )
    extra = next(v for v in judge.variables if v in said - frozenset(grown))
    return wrong(f"{extra} never enters: ask whether it depends on T given what is in at that time.")


@cache
def parity_with_view() -> ExactJoint:
    """Return T = A ⊕ B for fair coins A and B, and C, a noisy view of T."""
    table = {
        (a ^ b, a, b, c): Fraction(1, 5) if c != (a ^ b) else Fraction(4, 5)
        for a, b, c in product((0, 1), repeat=3)
    }
    return ExactJoint(table, variables=["T", "A", "B", "C"])


@posed(
    "predict_gs",
    title="What does GS return?",
    level="medium",
    task="""
    A and B are fair coins, T is their parity A ⊕ B, and C is T seen through noise (wrong in one case
    out of five). What does Grow-Shrink (one variable at a time, an exact oracle) return for T?
    """,
    hints=(
        "Ask for each variable alone whether T depends on it.",
        "Only C does. And then: does T depend on A given C? Does C tell anything about A?",
        "Given C, A is still a fair coin whatever T is. So is B. The growing phase ends there.",
    ),
    solution="answer = {'C'}",
    why="The boundary is {A, B}, but each coin alone says nothing about T, with or without C: Composition "
    "fails, and GS ends with a 1-boundary that is no boundary.",
    judge=parity_with_view,
    target="T",
)
def predict_gs(answer: Any) -> Feedback:
    """Compare with what GS does, and say where the predicted run would have to differ."""
    judge = parity_with_view()
    said = read_set(answer, judge.variables, without=("T",))
    done = run("gs", judge, "T", record=True)
    if said == done.boundary:
        true = braces(boundaries(judge, "T")[0])
        return right(f"Right: GS returns {braces(said)}, although the boundary is {true}.", film=done.play())
    for v in [v for v in judge.variables if v in said - done.boundary]:
        rest = said - {v}
        if judge.judge(Query("T", v, ())).independent:
            return wrong(f"How could {v} enter? T ⊥ {v}, and so it is when GS asks about it later.")
        return wrong(f"{v} would not stay: ask about it given {braces(rest)}.")
    return wrong(f"GS does not stop at {braces(said)}: some single variable still depends on T.")


@posed(
    "smallest_margin",
    title="The smallest margin for parity",
    level="easy",
    task="""
    `parity(5)` ties five fair coins X1 … X5 by their parity; the boundary of X1 is {X2, X3, X4, X5}.
    What is the smallest margin m for which GS(m) finds it?
    """,
    hints=(
        "How many of the coins do you have to look at together before they say anything about X1?",
        "Given three of the other four, X1 is still a fair coin.",
        "All four have to be tried as one set.",
    ),
    solution="answer = 4",
    why=(
        "Any three of the other coins are independent of X1, so a set of all four has to be tried: m = k − 1."
    ),
    judge=lambda: parity(5).judge,
    target="X1",
)
def smallest_margin(answer: Any) -> Feedback:
    """Run GS(m) and GS(m − 1)."""
    m = read_whole(answer, least=1, largest=9, what="the margin")
    problem = parity(5)
    if run("gs_m", problem, m=m).boundary not in problem.boundaries:
        return wrong(f"GS({m}) does not find the boundary: sets of {m} say nothing about X1 yet.")
    if m > 1 and run("gs_m", problem, m=m - 1).boundary in problem.boundaries:
        return wrong(f"GS({m}) finds the boundary, but a smaller margin is enough.")
    return right(
        f"GS({m}) finds it and GS({m - 1}) does not.", film=run("gs_m", problem, m=m, record=True).play()
    )


# ---------------------------------------------------------------------- counting questions
@cache
def order_graph() -> DSeparation:
    """Return the graph of `fewest_questions`."""
    return arrows("A>B B>T T>C S>C D>A", "T A B C D S")


@cache
def _cost(order: tuple[str, ...]) -> int:
    judge = DSeparation(order_graph().edges, variables=["T", *order])
    return run("gs", judge, "T", order="plain").n_asked


@posed(
    "fewest_questions",
    title="The order that asks least",
    level="medium",
    task="""
    In the graph D → A → B → T → C ← S, Grow-Shrink goes through the variables in a fixed order and
    starts again from the first after each addition. Give an order of A, B, C, D, S in which it asks the
    fewest questions about T, as a list.
    """,
    hints=(
        "What does it cost when a variable enters that has to leave again?",
        "The members of the boundary should come first. But S cannot enter before C.",
        "B and C first, in whatever order, then S, then the two that never enter.",
    ),
    solution="answer = ['B', 'C', 'S', 'A', 'D']",
    why="Each member then enters at the first question about it, and nothing needless gets in.",
    judge=order_graph,
    target="T",
)
def fewest_questions(answer: Any) -> Feedback:
    """Compare the number of questions with that of all 120 orders."""
    variables = [v for v in order_graph().variables if v != "T"]
    order = read_order(answer, variables)
    best = min(_cost(p) for p in permutations(variables))
    judge = DSeparation(order_graph().edges, variables=["T", *order])
    film = run("gs", judge, "T", order="plain", record=True).play()
    if _cost(order) > best:
        return wrong(f"In this order GS asks {_cost(order)} questions; there is one with fewer.", film=film)
    return right(f"GS asks {best} questions, and no order needs fewer.", film=film)


@posed(
    "most_questions",
    title="Make GS ask as much as possible",
    level="hard",
    task="""
    Draw a graph over T, A, B, C, D (a list of pairs `(parent, child)`) on which Grow-Shrink asks as
    many questions about T as possible. It goes through the variables in the order A, B, C, D, and
    begins again after each addition and each removal.
    """,
    hints=(
        "Growing is expensive when variables enter late in the order, and one after the other.",
        "A variable that can enter only after a later one has entered costs a whole new pass.",
        "Let D be a child of T, and let spouses that come early in the order wait for it.",
    ),
    solution="answer = [('T', 'D'), ('B', 'D'), ('C', 'D')]",
    why="D comes last and opens the way to B and C, each of which costs a new pass. That 12 is the most was "
    "found by trying all 29,281 graphs (scripts/most_questions.py).",
    target="T",
)
def most_questions(answer: Any) -> Feedback:
    """Compare with the optimum over all graphs, found by enumeration."""
    judge = read_dag(answer, ("T", "A", "B", "C", "D"))
    count = asked(judge)
    film = run("gs", judge, "T", record=True).play()
    if count < most_asked(5):
        return wrong(f"On your graph GS asks {count} questions; it can be made to ask more.", film=film)
    return right(f"GS asks {count} questions, and on no graph with five nodes does it ask more.", film=film)
