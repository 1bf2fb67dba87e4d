"""Lesson 01: independence, d-separation and the axioms."""

from __future__ import annotations

from functools import cache
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.functions import sorted_sets
from mbedu.exercises.graphs import arrows, connected, why_connected, why_separated
from mbedu.exercises.reading import braces, read_bools, read_joint, read_set, shown
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.query import Query
from mbedu.theory.axioms import check_axioms

QUESTIONS = (Query("A", "B"), Query("A", "B", "D"), Query("C", "E"), Query("D", "F", "B"))


@cache
def colliders() -> DSeparation:
    """Return the graph of the first exercise."""
    return arrows("A>C B>C C>D B>E E>F", "A B C D E F")


@posed(
    "is_it_separated",
    title="Separated or not?",
    level="easy",
    task="""
    In the graph A → C ← B, C → D, B → E → F, are these pairs d-separated? Answer with a list of four,
    `True` for separated:

    - A and B, given nothing
    - A and B, given D
    - C and E, given nothing
    - D and F, given B
    """,
    hints=(
        "List all paths between the two, and look at every inner node of each.",
        (
            "A chain or a fork is blocked by conditioning on its middle; a collider is blocked by *not* "
            "doing so."
        ),
        "A collider also opens when a descendant of it is given, and D is a descendant of C.",
    ),
    solution="answer = [True, False, False, True]",
    why="A → C ← B is closed until C or its descendant D is given; C ← B → E is a fork and open; given B, "
    "the only path D ← C ← B → E → F is blocked at B.",
    judge=colliders,
)
def is_it_separated(answer: Any) -> Feedback:
    """Compare with d-separation; name the first question that went wrong, and its paths."""
    said = read_bools(answer, len(QUESTIONS))
    truth = [colliders().judge(q).independent for q in QUESTIONS]
    if list(said) == truth:
        return right("All four are right.")
    score = sum(a == b for a, b in zip(said, truth, strict=True))
    first = next(i for i, (a, b) in enumerate(zip(said, truth, strict=True)) if a != b)
    return wrong(
        f"{score} of 4 are right; look again at number {first + 1}, {QUESTIONS[first]}: which kind of node "
        "(chain, fork or collider) is each inner node of the path between them?"
    )


@cache
def reach() -> DSeparation:
    """Return the graph of `d_connected`."""
    return arrows("A>B B>C D>C C>F D>E G>E", "A B C D E F G")


@posed(
    "d_connected",
    title="Everything that A can see",
    level="easy",
    task="""
    In the graph A → B → C ← D, C → F, D → E ← G: which variables are d-connected to A given {F}? Answer
    with a set.
    """,
    hints=(
        "Walk away from A along every path, and ask at each inner node whether you may pass.",
        "F is a descendant of C, so the collider at C is open.",
        "From D you reach E along an arrow; E itself is a collider, and nothing below it is given.",
    ),
    solution="answer = {'B', 'C', 'D', 'E'}",
    why="Given F the collider C lets A see D, and through D also E; G stays hidden behind the collider E.",
    judge=reach,
    target="A",
)
def d_connected(answer: Any) -> Feedback:
    """Compare with d-separation, variable by variable."""
    judge = reach()
    said = read_set(answer, judge.variables, without=("A", "F"))
    others = [v for v in judge.variables if v not in ("A", "F")]
    truth = frozenset(v for v in others if connected(judge, "A", v, {"F"}))
    if said == truth:
        return right(f"Right: given F, A sees {braces(truth)}.")
    extra = [v for v in others if v in said - truth]
    if extra:
        why = why_separated(judge, "A", extra[0], {"F"})
        return wrong(f"{extra[0]} does not belong there: {why}; nor does any other way lead there.")
    return wrong(
        f"All of {braces(said)} belong there, but {len(truth - said)} more can be seen from A: "
        "does conditioning on F open something?"
    )


@cache
def two_colliders() -> DSeparation:
    """Return the graph of `open_the_path`."""
    return arrows("X>M N>M N>K Y>K M>P K>Q", "X M N K Y P Q")


@posed(
    "open_the_path",
    title="Open the path",
    level="easy",
    task="""
    In the graph X → M ← N → K ← Y, with M → P and K → Q, the variables X and Y are independent. Give a
    set to condition on that makes them dependent. Several sets do.
    """,
    hints=(
        "There is only one path between X and Y. Which of its inner nodes are colliders?",
        "Every collider has to be opened, and no other inner node may be given.",
        "Take for each of the two colliders the node itself or its child; leave N alone.",
    ),
    solution="answer = {'M', 'K'}",
    why="Both colliders have to be opened (by themselves or a descendant), and the fork N must stay free.",
    judge=two_colliders,
)
def open_the_path(answer: Any) -> Feedback:
    """Any set that connects X and Y is right."""
    judge = two_colliders()
    given = read_set(answer, judge.variables, without=("X", "Y"))
    if connected(judge, "X", "Y", given):
        return right(f"Given {braces(given)}, {why_connected(judge, 'X', 'Y', given)}.")
    return wrong(
        f"Given {braces(given)} X and Y are still independent: {why_separated(judge, 'X', 'Y', given)}."
    )


@cache
def trap() -> DSeparation:
    """Return the graph of `close_all_paths`."""
    return arrows("X>A A>Y B>X B>Y X>C Y>C C>E", "X Y A B C E")


@posed(
    "close_all_paths",
    title="Close all paths",
    level="easy",
    task="""
    In the graph X → A → Y, X ← B → Y, X → C ← Y, C → E: give a set that d-separates X and Y.
    """,
    hints=(
        "There are three paths between X and Y. Which of them are open when nothing is given?",
        "One path is closed already; conditioning can open it.",
        "Block the chain at A and the fork at B, and keep away from the collider and what lies below it.",
    ),
    solution="answer = {'A', 'B'}",
    why="A blocks the chain, B the fork; C and E would open the collider.",
    judge=trap,
)
def close_all_paths(answer: Any) -> Feedback:
    """Any set that separates X and Y is right."""
    judge = trap()
    given = read_set(answer, judge.variables, without=("X", "Y"))
    if connected(judge, "X", "Y", given):
        why = why_connected(judge, "X", "Y", given)
        return wrong(f"X and Y are still connected given {braces(given)}: {why}.")
    return right(f"Given {braces(given)} every path between X and Y is blocked.")


@cache
def detours() -> DSeparation:
    """Return the graph of `fewest_closers`."""
    return arrows("X>A X>B A>D B>D D>Y E>X E>F F>Y", "X Y A B D E F")


@posed(
    "fewest_closers",
    title="Close them with as few as possible",
    level="medium",
    task="""
    In the graph X → A → D → Y, X → B → D, X ← E → F → Y: d-separate X and Y with as few variables as
    possible.
    """,
    hints=(
        "Which variables lie on several paths at once?",
        "All paths through A and B meet again before they reach Y.",
        "One variable for everything that comes through A and B, one for the way through E and F.",
    ),
    solution="answer = {'D', 'E'}",
    why="D lies on both ways through A and B; E or F closes the third. No single variable closes all three.",
    judge=detours,
)
def fewest_closers(answer: Any) -> Feedback:
    """Right are the separating sets of the least size, found by brute force."""
    judge = detours()
    given = read_set(answer, judge.variables, without=("X", "Y"))
    if connected(judge, "X", "Y", given):
        why = why_connected(judge, "X", "Y", given)
        return wrong(f"X and Y are still connected given {braces(given)}: {why}.")
    others = [v for v in judge.variables if v not in ("X", "Y")]
    least = next(len(Z) for Z in sorted_sets(others) if not connected(judge, "X", "Y", Z))
    if len(given) > least:
        return wrong(
            f"{braces(given)} separates X and Y, but a smaller set does too: can one variable do the work "
            "of two?"
        )
    return right(f"{braces(given)} separates X and Y, and no smaller set does.")


def _axiom(answer: Any, name: str, advice: str) -> Feedback:
    joint: ExactJoint = read_joint(answer, ("X", "Y", "W"))
    result = check_axioms(joint)[name]
    if result.holds:
        times = (
            f"its premises are true {result.applied} times"
            if result.applied
            else "its premises are never true"
        )
        return wrong(f"{name} is not broken by {shown(answer)} ({times}); {advice}")
    return right(result.text)


@posed(
    "break_intersection",
    title="Break Intersection",
    level="medium",
    task="""
    Intersection says: X ⊥ Y | W and X ⊥ W | Y imply X ⊥ {Y, W}. Give a distribution over X, Y, W on
    which it fails: a dict `{(x, y, w): weight, …}`, in this order of the variables, with whole numbers
    as weights. Cells that are not named have weight zero.
    """,
    hints=(
        "Intersection holds wherever all combinations of values are possible. So some have to be impossible.",
        "Y and W have to be able to stand in for each other.",
        "Make W a copy of Y, and let X depend on Y.",
    ),
    solution="answer = {(0, 0, 0): 1, (1, 1, 1): 1}",
    why="Given Y nothing is left for W to say, and the other way round; but together they determine X.",
)
def break_intersection(answer: Any) -> Feedback:
    """Any distribution with a witness is right."""
    return _axiom(answer, "Intersection", "which variable could stand in for another one completely?")


@posed(
    "break_composition",
    title="Break Composition",
    level="medium",
    task="""
    Composition says: X ⊥ Y and X ⊥ W imply X ⊥ {Y, W}. Give a distribution over X, Y, W on which it
    fails: a dict `{(x, y, w): weight, …}` with whole numbers as weights.
    """,
    hints=(
        "You need something that two variables tell together and neither tells alone.",
        "Think of two coins and a lamp that is on when they differ.",
        "Let Y and W be fair coins and X their parity: four cells of weight 1.",
    ),
    solution="answer = {(y ^ w, y, w): 1 for y in (0, 1) for w in (0, 1)}",
    why="Each coin alone is independent of the parity; both together determine it.",
)
def break_composition(answer: Any) -> Feedback:
    """Any distribution with a witness is right."""
    return _axiom(answer, "Composition", "what could two variables tell together that neither tells alone?")
