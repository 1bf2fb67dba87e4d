"""RGS(m, k): randomised, anytime Grow-Shrink; of k random sets the most dependent one enters."""

from __future__ import annotations

import math

import numpy as np

from mbedu.algorithms.parts import initial
from mbedu.ask import Ask, Stop
from mbedu.judge import By, Verdict
from mbedu.query import Vars
from mbedu.registry import algorithm, whole
from mbedu.varset import VarSet, subsets

RESERVE = 0.1  # the part of a deadline that is kept for the shrinking phase
SPENT = "the budget of questions is spent but for the shrinking phase"
P_FLOOR = 1e-300  # the paper's weight 1/p has no bound; below this a float has none either


@algorithm(
    "rgs",
    title="RGS(m, k)",
    paper="margaritis2009",
    place="Algorithm 2",
    assumes=("Decomposition", "Weak Union", "Contraction", "k large enough"),
    returns="an approximation of an m-Markov boundary; the best set so far when it is stopped",
    anytime=True,
    notebook="04_rgs",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target",
    pseudocode="""
     1  S ← ∅
     2  /* Growing phase */
     3  repeat
     4      Changed ← false
     5      Y ← subset of U − S − {T}, 1 ≤ |Y| ≤ m, of maximum dependence out of k random subsets
     6      if T ⊥̸ Y | S then
     7          S ← S ∪ Y
     8          Changed ← true
     9  until Changed = false
    10  /* Shrinking phase */
    11  for all Y ∈ S do
    12      if T ⊥ Y | S − {Y} then
    13          S ← S − {Y}
    14          goto line 11                        /* restart loop: inside the if */
    15  return S""",
)
def rgs(
    ask: Ask,
    T: str,
    *,
    m: int = 1,
    k: int = 1000,
    seed: int = 0,
    by: By = "p_value",
    start: Vars = (),
    whitelist: Vars = (),
) -> frozenset[str] | VarSet:
    """Return an approximation of an m-Markov boundary of `T`, at any time.

    A subset is drawn with probability proportional to Σ 1/p(T, Yᵢ | S) over its members, where p
    is the p-value of the single variable; an oracle has no p-value, so a dependent variable
    counts as p = 1e-300 and an independent one as 1. When there are no more than k subsets, all
    of them are tried, so that a large k gives GS(m).

    Stopped by a deadline, a budget of questions or the keyboard, it answers with the set it has:
    while growing it keeps a reserve for the shrinking phase, so that the set is shrunk if
    there is time.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target (X in the paper).
    m, k : int
        The margin, and how many random subsets are tried a round.
    seed : int
        The same seed draws the same subsets.
    by : {"p_value", "strength"}
        What "maximum dependence" means where the judge knows both.
    start, whitelist
        Variables to start with, which may leave again; and variables that never leave.

    Notes
    -----
    As printed, line 14 stands outside the `if` and the loop never ends; it belongs inside.
    """
    whole("m", m, at_least=1)
    whole("k", k, at_least=1)
    random = np.random.default_rng(seed)
    S = ask.set("S", initial(ask, T, start, whitelist))  # [1]
    why: BaseException | None = None
    try:
        with ask.phase("grow"):  # [2]
            changed = True
            while changed:  # [3]
                changed = False  # [4]
                k_now = affordable(ask, k, len(ask.others(T, S)), len(S))
                drawn = draw(ask, T, S, m=m, k=k_now, random=random)  # [5]
                if Y := ask.strongest(T, drawn, S, by=by):  # [6]
                    S |= Y  # [7]
                    changed = True  # [8-9]
                if k_now < k:  # fewer subsets than asked for: whatever this round says is not the end
                    raise Stop(SPENT)  # noqa: TRY301
    except (Stop, KeyboardInterrupt) as stop:
        why = stop
    try:
        with ask.phase("shrink"):  # [10]
            while X := ask.first_redundant(T, S, keep=whitelist):  # [11-12]
                S -= X  # [13-14]
    except (Stop, KeyboardInterrupt) as stop:
        why = why or stop
    return S if why is None else ask.unfinished(S, why)  # [15]


def draw(ask: Ask, T: str, S: VarSet, *, m: int, k: int, random: np.random.Generator) -> list[frozenset[str]]:
    """Draw k subsets of at most m candidates, each with probability proportional to its members' Σ 1/p."""
    candidates = ask.others(T, S)
    everything = subsets(candidates, m)
    if len(everything) <= k:
        return list(everything)
    weights = np.array([1.0 / p_of(verdict) for verdict in ask.many(T, candidates, S)])
    # a set of size s holds each of its members equally often, so Σ 1/p factorises into: a size by
    # the number of sets of that size, one member by its own weight, the others uniformly
    n = len(candidates)
    sizes = np.arange(1, min(m, n) + 1)
    ways = np.array([math.comb(n - 1, int(s) - 1) for s in sizes], dtype=float)
    chosen_sizes = random.choice(sizes, size=k, p=ways / ways.sum())
    firsts = random.choice(n, size=k, p=weights / weights.sum())
    keys = random.random((k, n))
    keys[np.arange(k), firsts] = -1.0  # the weighted member always comes first
    largest = len(sizes)
    nearest = np.argpartition(keys, largest - 1, axis=1)[:, :largest]
    within = np.argsort(np.take_along_axis(keys, nearest, axis=1), axis=1, kind="stable")
    ranked = np.take_along_axis(nearest, within, axis=1)
    drawn = {
        tuple(sorted(row[:size])): None
        for row, size in zip(ranked.tolist(), chosen_sizes.tolist(), strict=True)
    }
    return [frozenset(candidates[i] for i in members) for members in drawn]


def affordable(ask: Ask, k: int, candidates: int, members: int) -> int:
    """Return how many subsets can be tried so that the shrinking phase can still be paid for."""
    if ask.left is not None:
        shrink = (members + 1) * (members + 2) // 2
        k = min(k, ask.left - shrink - candidates)
        if k < 1:
            raise Stop(SPENT)
    if ask.seconds is not None and ask.seconds_left <= RESERVE * ask.seconds:
        raise Stop("the deadline has passed but for the shrinking phase")
    return k


def p_of(verdict: Verdict) -> float:
    """Return the p-value of a verdict, clamped away from 0; an oracle's verdict stands for 1 or the clamp."""
    if verdict.p_value is None:
        return 1.0 if verdict.independent else P_FLOOR
    return max(verdict.p_value, P_FLOOR)
