"""Lesson 10: from oracle to data."""

from __future__ import annotations

from functools import cache
from typing import Any

from mbedu.citests import G2
from mbedu.exercises.core import posed
from mbedu.exercises.feedback import Feedback, right, wrong
from mbedu.exercises.reading import braces, read_number, read_whole
from mbedu.oracles import ExactJoint
from mbedu.problem import Problem
from mbedu.problems import iamb_ip_toy
from mbedu.query import Query
from mbedu.running import run
from mbedu.varset import subsets

ALPHA, SEED = 0.001, 0
QUESTIONS = len(subsets([f"X{i}" for i in range(99)], 3))  # one pass of GS(3) over 100 variables
STATISTIC, DF = 60.0, 7


@cache
def toy() -> Problem:
    """Return the problem that is sampled."""
    return iamb_ip_toy()


@posed(
    "enough_rows",
    title="Until the last wrong verdict is gone",
    level="medium",
    task="""
    `problem = mb.get_problem("iamb-ip-toy")`; `data = problem.judge.sample(n, seed=0)` draws n rows,
    and `mb.run("gs", mb.G2(data, alpha=0.001), target="Y", record=True)` asks them. Choose n, at most
    20,000, so that *every* verdict of this run agrees with the exact oracle `problem.judge`.
    """,
    hints=(
        "With few rows weak dependences go unnoticed. Look at the first verdict that is wrong.",
        "run.trace.questions has every question with its verdict; ask problem.judge the same.",
        "Double n until no verdict is wrong.",
    ),
    solution="""
    import mbedu as mb

    problem = mb.get_problem("iamb-ip-toy")

    def agrees(n):
        data = problem.judge.sample(n, seed=0)
        run = mb.run("gs", mb.G2(data, alpha=0.001), target="Y", record=True)
        truth = problem.judge.judge
        return all(truth(s.query).independent == s.verdict.independent for s in run.trace.questions)

    answer = next(n for n in (250, 500, 1000, 2000, 4000, 8000, 16000) if agrees(n))
    """,
    why="The weakest dependence that GS meets decides how many rows it takes.",
    judge=lambda: toy().judge,
    target="Y",
)
def enough_rows(answer: Any) -> Feedback:
    """Sample, run, and compare every verdict with the oracle."""
    n = read_whole(answer, least=1, largest=20_000, what="the number of rows")
    judge: ExactJoint = toy().judge  # type: ignore[assignment]
    done = run("gs", G2(judge.sample(n, seed=SEED), alpha=ALPHA, engine="numpy"), "Y", record=True)
    asked = done.trace.questions if done.trace is not None else []
    for number, step in enumerate(asked, 1):
        if judge.judge(step.query).independent != step.verdict.independent:
            said = "independent" if step.verdict.independent else "dependent"
            return wrong(
                f"With {n:,} rows question {number}, {step.query}, is answered with {said}, which is wrong; "
                f"the run ends with {braces(done.boundary)}.",
                film=done.play(),
            )
    return right(f"With {n:,} rows all {len(asked)} verdicts are right.", film=done.play())


@posed(
    "enough_for_a_test",
    title="Rows for one test",
    level="medium",
    task="""
    T has 3 levels, X has 4, and the condition consists of Z1 with 2 and Z2 with 5 levels. `mb.G2(data,
    df="full")` calls a test reliable if there are at least 5 rows for each degree of freedom. How many
    rows does T ⊥ X | Z1, Z2 need at least?
    """,
    hints=(
        "First the degrees of freedom of one table of T and X.",
        "(3 − 1)·(4 − 1) of them in each stratum. How many strata are there?",
        "2·5 strata with 6 degrees of freedom each, and 5 rows for each of these.",
    ),
    solution="answer = 5 * (3 - 1) * (4 - 1) * 2 * 5",
    why="(|T| − 1)·(|X| − 1)·|Z1|·|Z2| = 60 degrees of freedom. Every further condition multiplies this.",
)
def enough_for_a_test(answer: Any) -> Feedback:
    """Ask the test itself, with so many rows and with one less."""
    n = read_whole(answer, least=1, largest=100_000, what="the number of rows")
    if not _reliable(n):
        return wrong(f"With {n:,} rows the test calls itself unreliable: count the degrees of freedom again.")
    if n > 1 and _reliable(n - 1):
        return wrong(f"{n:,} rows are enough, but so are {n - 1:,}.")
    return right(f"With {n:,} rows the test is reliable, with {n - 1:,} it is not.")


def _reliable(n: int) -> bool:
    import numpy as np
    import pandas as pd

    levels = {"T": 3, "X": 4, "Z1": 2, "Z2": 5}
    rows = np.arange(n)
    data = pd.DataFrame(
        {v: pd.Categorical(rows // (7 * k) % k, categories=list(range(k))) for v, k in levels.items()}
    )
    return G2(data, df="full", rows_per_df=5, engine="numpy").judge(Query("T", "X", {"Z1", "Z2"})).reliable


@posed(
    "level_for_many",
    title="A level for very many questions",
    level="medium",
    task="""
    One pass of GS(3) over 100 variables asks 161,799 questions. Suppose that all but one of them are
    about true independences, and that the one true dependence has G² = 60 with 7 degrees of freedom.
    Choose alpha so that the expected number of false alarms is at most 0.05 and the true dependence is
    still found (p ≤ alpha; `scipy.stats.chi2.sf(60, 7)` is its p-value).
    """,
    hints=(
        "At level alpha each true independence raises a false alarm with probability alpha.",
        "So alpha times the number of questions must not exceed 0.05 (Bonferroni).",
        "Anything from the p-value of the dependence up to 0.05 divided by the number of questions will do.",
    ),
    solution="answer = 0.05 / 161_799",
    why=(
        "At 0.05 about 8,000 sets would pass by chance; Bonferroni's level keeps them out and lets a "
        "strong dependence in."
    ),
)
def level_for_many(answer: Any) -> Feedback:
    """Compare with both bounds."""
    from scipy.stats import chi2

    alpha = read_number(answer, least=0, largest=1, what="alpha")
    false = alpha * (QUESTIONS - 1)
    if false > 0.05:
        return wrong(f"At alpha = {alpha:g} one expects {false:,.3g} false alarms; that is more than 0.05.")
    if float(chi2.sf(STATISTIC, DF)) > alpha:
        return wrong(f"At alpha = {alpha:g} the true dependence is missed: its p-value is larger.")
    return right(
        f"At alpha = {alpha:g} one expects {false:.2g} false alarms, and the true dependence is found."
    )


@posed(
    "false_alarms",
    title="How many false alarms?",
    level="easy",
    task="""
    A scan asks 2,000 questions about true independences, with a test that holds its level alpha = 0.05.
    How many false alarms (verdict dependent) do you expect?
    """,
    hints=(
        "The level is the probability of a false alarm in one question.",
        "Expectations add up, whether the questions are independent of each other or not.",
        "2,000 times 0.05.",
    ),
    solution="answer = 100",
    why=(
        "A hundred variables would enter that have nothing to do with the target: alpha is a rate a question."
    ),
)
def false_alarms(answer: Any) -> Feedback:
    """Compute it."""
    said = read_number(answer, least=0, largest=1e9)
    if said == 2000 * 5 / 100:
        return right("About a hundred: a level that suits one question does not suit thousands.")
    if said < 1:
        return wrong(f"{said:g} looks like a probability; asked for is a number of alarms.")
    return wrong(
        f"{said:g} is too {'many' if said > 100 else 'few'}: each question has its own chance of a false "
        "alarm."
    )
