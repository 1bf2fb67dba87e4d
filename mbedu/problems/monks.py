"""The MONK's problems: a robot described by six attributes, and three rules that it may or may not meet."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from mbedu.errors import JudgeError
from mbedu.oracles import ExactJoint
from mbedu.problem import Problem
from mbedu.problems._checks import HALF, probability

__all__ = ["monk"]

SIZES = (3, 3, 2, 3, 4, 2)
NAMES = tuple(f"a{i}" for i in range(1, 7))
BOUNDARY = {1: ("a1", "a2", "a5"), 2: NAMES, 3: ("a2", "a4", "a5")}
TEACHES = {
    1: "a1 and a2 matter only by being equal: neither says anything about the class alone.",
    2: "All six attributes matter, and each hardly at all alone: a count, close to parity.",
    3: "A rule with noise: 5 % of the labels are wrong, which changes nothing about the boundary.",
}


def rule(which: int, a: tuple[int, ...]) -> bool:
    """Say whether the robot with attributes a1 … a6 (counted from 1) meets the rule of the problem."""
    a1, a2, _, a4, a5, _ = a
    if which == 1:
        return a1 == a2 or a5 == 1
    if which == 2:
        return sum(value == 1 for value in a) == 2
    return (a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3)


def monk(which: int = 1, *, noise: Any = None) -> Problem:
    """Return MONK's problem 1, 2 or 3 with all 432 robots equally likely.

    `noise` is the probability of a wrong label: by default none, and 1/20 in the third problem.

    Examples
    --------
    >>> [sorted(b) for b in monk(1).boundaries]
    [['a1', 'a2', 'a5']]
    """
    if which not in BOUNDARY:
        raise JudgeError(f"which={which!r}: there are three MONK's problems; choose 1, 2 or 3")
    share = Fraction(1, 20) if which == 3 else Fraction(0)
    share = share if noise is None else probability("noise", noise)
    table = {}
    for a in product(*(range(1, n + 1) for n in SIZES)):
        for y in (0, 1):
            if w := (1 - share if y == rule(which, a) else share):
                table[*a, y] = w
    return Problem(
        f"monk-{which}",
        ExactJoint(table, variables=[*NAMES, "class"]),
        "class",
        (frozenset() if share == HALF else frozenset(BOUNDARY[which]),),
        "S. Thrun et al. The MONK's Problems. CMU-CS-91-197, 1991",
        TEACHES[which],
    )
