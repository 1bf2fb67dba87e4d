"""Lesson 04: RGS, randomised and anytime."""

from __future__ import annotations

from functools import cache
from typing import Any

from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, Refused, right, wrong
from mbedu.exercises.reading import braces, kind_of, read_whole
from mbedu.problem import Problem
from mbedu.problems import parity
from mbedu.running import Run, run
from mbedu.varset import subsets

MARGIN, DRAWN = 3, 60


@posed(
    "count_subsets",
    title="How many sets?",
    level="easy",
    task="""
    There are 100 variables, T among them, and the current set S is empty. How many sets Y with 1 ≤ |Y|
    ≤ 3 does GS(3) have to ask about before it can say that the growing phase is over?
    """,
    hints=(
        "T itself is never a candidate.",
        "Add up the sets with one, two and three members.",
        "99 + 99·98/2 + 99·98·97/6.",
    ),
    solution="""
    from math import comb
    answer = comb(99, 1) + comb(99, 2) + comb(99, 3)
    """,
    why="This number grows like n^m, which is why RGS tries only k of them a round.",
)
def count_subsets(answer: Any) -> Feedback:
    """Count them."""
    said = read_whole(answer, least=1, largest=10**9)
    truth = len(subsets([f"X{i}" for i in range(99)], 3))
    if said == truth:
        return right(f"Right: {truth:,} questions for one pass.")
    if said == len(subsets([f"X{i}" for i in range(100)], 3)):
        return wrong("Is the target a candidate for its own boundary?")
    if said == len(subsets([f"X{i}" for i in range(99)], 3, 3)):
        return wrong("The smaller sets have to be asked about as well.")
    return wrong(
        f"{said:,} is {'more' if said > truth else 'less'} than there are: sets have no order, and sizes "
        "1 to 3 count."
    )


@cache
def hidden() -> Problem:
    """Return the parity of four among eight distractors."""
    return parity(4, distractors=8)


def _drawn(seed: int, **budget: Any) -> Run:
    return run("rgs", hidden(), m=MARGIN, k=DRAWN, seed=seed, **budget)


@posed(
    "lucky_seed",
    title="Luck and bad luck",
    level="medium",
    task="""
    `problem = parity(4, distractors=8)` (from `mbedu.problems`) hides the boundary {X2, X3, X4} of X1
    among eight coins. `mb.run("rgs", problem, m=3, k=60, seed=…)` tries 60 of the 231 sets. Give a pair
    `(lucky, unlucky)` of seeds: with the first RGS finds the boundary, with the second it does not. Use
    seeds from 0 to 9,999.
    """,
    hints=(
        "Try some seeds and look at .boundary.",
        "The one set of three that matters is among the 60 in about one run out of four.",
        "Run a loop over seeds 0 to 20 and sort them by whether .boundary equals {'X2', 'X3', 'X4'}.",
    ),
    solution="""
    import mbedu as mb
    from mbedu.problems import parity

    problem = parity(4, distractors=8)
    runs = [mb.run("rgs", problem, m=3, k=60, seed=seed) for seed in range(40)]
    found = [run.boundary in problem.boundaries for run in runs]
    answer = (found.index(True), found.index(False))
    """,
    why="No single variable and no pair hints at the triple, so only the luck of the draw decides.",
    judge=lambda: hidden().judge,
    target="X1",
)
def lucky_seed(answer: Any) -> Feedback:
    """Run RGS with both seeds."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Refused(f"{kind_of(answer)} is no pair of seeds; write (lucky, unlucky), two whole numbers.")
    seeds = [read_whole(seed, least=0, largest=9_999, what="a seed") for seed in answer]
    for seed, wanted in zip(seeds, (True, False), strict=True):
        done = _drawn(seed)
        if (done.boundary in hidden().boundaries) is not wanted:
            does = "does not find" if wanted else "finds"
            return wrong(f"With seed {seed} RGS {does} the boundary (it answers {braces(done.boundary)}).")
    return right(f"With seed {seeds[0]} the triple was drawn, with seed {seeds[1]} it was not.")


@posed(
    "stop_in_time",
    title="Stopped, and right all the same",
    level="medium",
    task="""
    RGS can be stopped at any time. On `mb.load_network("asia")`, asked by d-separation for the target
    `either`, `mb.run("rgs", mb.DSeparation(asia), target="either", m=2, k=10, max_asked=…)` has a
    budget of questions. Give a budget with which it is stopped early (`.stopped` says so) and the
    answer is the boundary nevertheless.
    """,
    hints=(
        "Find out first how many questions it asks without a budget.",
        "Then try smaller budgets, and look at .stopped and .boundary.",
        (
            "It keeps a reserve for the shrinking phase, so that it may be stopped although the budget is "
            "larger than what it would have asked: try all budgets up to 100."
        ),
    ),
    solution="""
    import mbedu as mb

    oracle = mb.DSeparation(mb.load_network("asia"))
    runs = [mb.run("rgs", oracle, target="either", m=2, k=10, max_asked=n) for n in range(100)]
    answer = max(n for n, run in enumerate(runs) if run.stopped and run.boundary == oracle.boundary("either"))
    """,
    why="The last rounds of growing only confirm that nothing more enters; without them the set is the same.",
    target="either",
)
def stop_in_time(answer: Any) -> Feedback:
    """Run RGS with the budget."""
    from mbedu.networks import load_network
    from mbedu.oracles import DSeparation

    budget = read_whole(answer, least=1, largest=10_000, what="a budget of questions")
    judge = DSeparation(load_network("asia"))
    done = run("rgs", judge, "either", m=2, k=10, max_asked=budget)
    if not done.stopped:
        return wrong(f"With {budget} questions RGS comes to its own end; give it less.")
    if done.boundary != judge.boundary("either"):
        return wrong(
            f"Stopped after {done.n_asked} questions it answers {braces(done.boundary)}, which is not the "
            "boundary; give it more."
        )
    return right(f"Stopped early ({done.stopped}), and {braces(done.boundary)} is the boundary all the same.")
