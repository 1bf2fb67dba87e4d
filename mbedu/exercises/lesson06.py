"""Lesson 06: priors, right and wrong knowledge in IAMB-IP."""

from __future__ import annotations

from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.reading import braces, read_weights, read_whole
from mbedu.problems import iamb_ip_toy
from mbedu.running import Run, run

ROWS = 500
ABOUT = """
    The toy problem (`mb.get_problem("iamb-ip-toy")`): Y has the parent X1, and with X5 the child X2; X3
    is a weak effect of X1, X4 a coin. The boundary of Y is {X1, X2, X5}."""


def _run(weights: dict[str, float], t: float, *, rows: int = ROWS) -> Run:
    return run("iamb_ip", iamb_ip_toy(), t=t, n=rows, unit="bits", weights=weights, record=True)


def _beliefs(answer: Any) -> tuple[dict[str, float], str]:
    variables = [v for v in iamb_ip_toy().variables if v != "Y"]
    weights = {v: w for v, w in read_weights(answer, variables).items() if w}
    return weights, ", ".join(f"{v}: {w:g}" for v, w in weights.items()) or "no belief at all"


@posed(
    "pull_in",
    title="Knowledge that brings two in",
    level="medium",
    task=ABOUT
    + """

    `mb.run("iamb_ip", problem, t=0.02, n=500, unit="bits", weights=…)` with no weights stops at {X1}.
    Give a prior that names *one* variable, with a weight from −1 to 1, and makes the answer the whole
    boundary.
    """,
    hints=(
        "A positive weight lowers the threshold for a variable. Which of the two missing ones does Y see?",
        "Y and X5 are independent until their common child is in.",
        "Believe in X2; X5 then enters by its own strength.",
    ),
    solution="answer = {'X2': 1}",
    why="The belief lifts X2 over the threshold, and once it is in X5 shows itself.",
    judge=lambda: iamb_ip_toy().judge,
    target="Y",
)
def pull_in(answer: Any) -> Feedback:
    """Run IAMB-IP with the prior."""
    weights, said = _beliefs(answer)
    if len(weights) > 1:
        return wrong(f"{len(weights)} variables are named; one is enough.")
    done = _run(weights, 0.02)
    if done.boundary not in iamb_ip_toy().boundaries:
        return wrong(
            f"With {said} the answer is {braces(done.boundary)}, not the whole boundary.", film=done.play()
        )
    return right(f"With {said} the answer is {braces(done.boundary)}.", film=done.play())


@posed(
    "push_out",
    title="A wrong belief that costs two",
    level="medium",
    task=ABOUT
    + """

    At t = 0.01 (`n=500, unit="bits"`) IAMB-IP finds the boundary without any prior. Give a prior that
    names *one* variable and makes it lose *two* members of the boundary.
    """,
    hints=(
        "A negative weight raises the threshold for a variable.",
        "Which member does another one depend on to be seen?",
        "Without X2 the spouse X5 is invisible: disbelieve X2.",
    ),
    solution="answer = {'X2': -1}",
    why="X2 is kept out, and with it X5, which Y sees only through X2: a wrong negative costs more than one.",
    judge=lambda: iamb_ip_toy().judge,
    target="Y",
)
def push_out(answer: Any) -> Feedback:
    """Run IAMB-IP with the prior and count what is lost."""
    weights, said = _beliefs(answer)
    if len(weights) > 1:
        return wrong(f"{len(weights)} variables are named; one is enough.")
    done = _run(weights, 0.01)
    lost = iamb_ip_toy().boundaries[0] - done.boundary
    if len(lost) < 2:
        return wrong(
            f"With {said} the answer is {braces(done.boundary)}, which has lost {len(lost)}.",
            film=done.play(),
        )
    return right(
        f"With {said} the answer is {braces(done.boundary)}: {braces(lost)} are lost.", film=done.play()
    )


@posed(
    "harmless_belief",
    title="A wrong belief that costs nothing",
    level="easy",
    task=ABOUT
    + """

    Now be wrong in the other direction: at t = 0.01 give a prior with the weight 1 for *at least one*
    variable that is not in the boundary, and for nothing else, with which IAMB-IP is right all the
    same.
    """,
    hints=(
        "Which variables are not in the boundary of Y?",
        "Under the bound αd ≤ αs a belief alone lets nobody in: there has to be some evidence as well.",
        "X4 is a coin: it has no evidence for itself at all.",
    ),
    solution="answer = {'X4': 1}",
    why=(
        "The bound lets belief lift a variable to the threshold, not over it; X4 and X3 (given X1) have "
        "no evidence."
    ),
    judge=lambda: iamb_ip_toy().judge,
    target="Y",
)
def harmless_belief(answer: Any) -> Feedback:
    """Run IAMB-IP with the prior."""
    weights, said = _beliefs(answer)
    true = [v for v in weights if v in iamb_ip_toy().boundaries[0]]
    if true:
        return wrong(f"{true[0]} is in the boundary, so to name it is no belief in an outsider.")
    if not weights or any(w != 1 for w in weights.values()):
        return wrong(f"Give at least one outsider, each with the weight 1; this is {said}.")
    done = _run(weights, 0.01)
    if done.boundary not in iamb_ip_toy().boundaries:
        return wrong(f"With {said} the answer is {braces(done.boundary)}.", film=done.play())
    return right(f"With {said} the answer is still {braces(done.boundary)}.", film=done.play())


@posed(
    "belief_fades",
    title="How long a belief lasts",
    level="hard",
    task=ABOUT
    + """

    At t = 0.02 the belief `weights={"X2": 1}` (αd = log₂ 99) brings in the whole boundary with `n=500`.
    But the more rows there are, the less a belief counts. With the exact numbers of the toy
    (`unit="bits"`): what is the *largest* number of rows n with which it still does?
    """,
    hints=(
        "X enters if I(X; Y | CMB) + αd·w/n > t. Which of these depends on n?",
        "Take I(X2; Y | X1) in bits from the oracle, not from a rounded table, and solve for n.",
        "n < log₂ 99 / (0.02 − I(X2; Y | X1)); or run `iamb_ip` with one n after the other.",
    ),
    solution="""
    from math import log

    import mbedu as mb

    toy = mb.get_problem("iamb-ip-toy")
    evidence = mb.Ask(toy.judge).verdict("Y", "X2", "X1").strength / log(2)
    answer = int(log(99, 2) / (0.02 - evidence))
    """,
    why="The prior is divided by n, the evidence is not. X2 lacks a fixed amount of information, and n "
    "times that amount must stay below αd.",
    judge=lambda: iamb_ip_toy().judge,
    target="Y",
)
def belief_fades(answer: Any) -> Feedback:
    """Run IAMB-IP with this many rows and with one more."""
    rows = read_whole(answer, least=1, largest=1_000_000, what="the number of rows")
    here, more = (_run({"X2": 1}, 0.02, rows=n) for n in (rows, rows + 1))
    whole = iamb_ip_toy().boundaries
    if here.boundary not in whole:
        return wrong(f"With n={rows:,} the answer is only {braces(here.boundary)}.", film=here.play())
    if more.boundary in whole:
        return wrong(f"n={rows:,} is few enough, but with one row more it still works.", film=more.play())
    return right(
        f"With n={rows:,} the answer is {braces(here.boundary)}, with one row more {braces(more.boundary)}.",
        film=more.play(),
    )
