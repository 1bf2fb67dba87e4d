"""IAMB to the letter of pocock2012, Algorithm 1: in at f > t, out at f < t."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mbedu.ask import Ask
from mbedu.judge import Verdict, better
from mbedu.registry import algorithm, require
from mbedu.varset import VarSet


@algorithm(
    "iamb_printed",
    title="IAMB as printed",
    paper="pocock2012",
    place="Algorithm 1",
    assumes=("Decomposition", "Weak Union", "Contraction", "Composition", "t > 0"),
    returns="the Markov boundary; with t = 0 a blanket that need not be minimal",
    notebook="05_iamb",
    verified="to the letter (t = 0) wrong on 600 of 2,172 runs at 4 nodes, all extra; see the docstring",
    pseudocode="""
     1  CMB = ∅
     2  while CMB has changed do                          /* phase 1, forward */
     3      Find X ∈ Ω ∖ CMB to maximise f(X; Y | CMB)
     4      if f(X; Y | CMB) > t then
     5          Add X to CMB
     6  while CMB has changed do                          /* phase 2, backward */
     7      Find X ∈ CMB to minimise f(X; Y | CMB ∖ X)
     8      if f(X; Y | CMB ∖ X) < t then
     9          Remove X from CMB
    10  return CMB""",
)
def iamb_printed(ask: Ask, Y: str, *, t: float = 0.0) -> VarSet:
    """Return what Algorithm 1 of pocock2012 returns when it is followed to the letter.

    It is kept apart from `iamb` because the two comparisons are not each other's opposite: a
    variable enters at f > t and leaves at f < t. Mutual information is never negative, so with
    t = 0 the backward phase never removes anything, and every false positive of the forward phase
    stays. With t > 0 the two differ only for a variable whose f is exactly t.

    Parameters
    ----------
    ask, Y
        The door to a judge, and the target.
    t : float
        The threshold in nats. The judge's own decision is not used, only its `strength`; a verdict
        without one counts as f = 0 when independent and f = ∞ when dependent.

    Notes
    -----
    Symbols: CMB is the current Markov blanket, Ω all variables but the target, f the association.
    "While CMB has changed" has to start true, or neither phase would ever begin. Ties go by
    variable order.
    """
    require(isinstance(t, int | float) and t >= 0, f"t={t!r}: the threshold is a number, not negative")
    CMB = ask.set("CMB")  # [1]
    changed = True
    with ask.phase("forward"):
        while changed:  # [2]
            changed = False
            candidates = ask.others(Y, CMB)
            f = values(ask.many(Y, candidates, CMB))  # [3]
            best = extreme(f, sign=1.0)  # [3]
            if best is not None and f[best] > t:  # [4]
                why = f"the largest f, {f[best]:.4g} > t = {t:.4g}"
                ask.choose(candidates[best], len(candidates), why)  # [4]
                CMB |= candidates[best]  # [5]
                changed = True
    changed = True
    with ask.phase("backward"):
        while changed:  # [6]
            changed = False
            members = tuple(CMB)
            f = values(ask.leave_one_out(Y, members, CMB))  # [7]
            worst = extreme(f, sign=-1.0)  # [7]
            if worst is not None and f[worst] < t:  # [8]
                why = f"the smallest f, {f[worst]:.4g} < t = {t:.4g}"
                ask.choose(members[worst], len(members), why)  # [8]
                CMB -= members[worst]  # [9]
                changed = True
    return CMB  # [10]


def values(verdicts: Sequence[Verdict]) -> list[float]:
    """Return the association that each verdict states."""
    return [v.strength if v.strength is not None else (0.0 if v.independent else math.inf) for v in verdicts]


def extreme(f: Sequence[float], sign: float) -> int | None:
    """Return the position of the largest value (the smallest with sign −1), the earliest of a tie."""
    best: int | None = None
    for i, value in enumerate(f):
        if best is None or better((sign * value, 0.0), (sign * f[best], 0.0)):
            best = i
    return best
