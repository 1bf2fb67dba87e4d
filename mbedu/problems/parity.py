"""Near-parity: the corner of the space of distributions where single variables show nothing."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any, Literal, TypeAlias

from mbedu.errors import JudgeError
from mbedu.oracles import ExactJoint, Product
from mbedu.problem import Problem
from mbedu.problems._checks import HALF, probability, whole

__all__ = ["Reading", "parity", "parity_block"]

Reading: TypeAlias = Literal["uniform", "biased", "tilted"]
READINGS: tuple[Reading, ...] = ("uniform", "biased", "tilted")
LARGEST = 16  # 2¹⁶ cells in the block of parity


def parity(
    k: int = 4,
    *,
    noise: Any = 0,
    distractors: int = 0,
    reading: Reading = "uniform",
    bit: Any = None,
    seed: int = 0,
) -> Problem:
    """Return the problem of k variables tied by their parity, among independent distractors.

    k counts *all* variables of the relation, the target X1 included, as in "k-bit parity" of the paper:
    with k = 4 the boundary of X1 is {X2, X3, X4}, and GS(m) finds it if and only if m ≥ k − 1.

    Parameters
    ----------
    k : int
        The number of variables that are tied, at least 2.
    noise : int or Fraction
        The probability with which the target is flipped.
    distractors : int
        Independent variables after them, each with its own random probability (out of 1/100 … 99/100).
    reading : {"uniform", "biased", "tilted"}
        The paper says "near-parity with bit probability 0.60", which can be read in three ways.
        `"uniform"`: the members are fair coins, the target their parity.
        `"biased"`: the members are independent with P(1) = `bit`, the target their parity.
        `"tilted"`: all rows of even parity share the weight `bit`, those of odd parity the rest.
    bit : Fraction, optional
        The bit probability; 3/5 as printed (uniform has none: it is 1/2).
    seed : int
        For the probabilities of the distractors.

    Notes
    -----
    That each member is independent of the target given any proper subset of the other members holds when
    the reading is uniform or tilted, and not when it is biased. Tilted with probability b is uniform with
    the noise 1 − b. Where parity says nothing about the target (noise 1/2) its boundary is empty.

    Examples
    --------
    >>> problem = parity(4, noise=Fraction(1, 10), distractors=96)
    >>> len(problem.variables), problem.target, [sorted(b) for b in problem.boundaries]
    (100, 'X1', [['X2', 'X3', 'X4']])
    """
    k, distractors = whole("k", k, least=2, largest=LARGEST), whole("distractors", distractors, least=0)
    noise, bit = probability("noise", noise), _bit(reading, bit)
    members = [f"X{i}" for i in range(1, k + 1)]
    blocks = [parity_block(k, noise=noise, reading=reading, bit=bit)]
    rng = random.Random(seed)
    for i in range(k + 1, k + distractors + 1):
        ones = rng.randint(1, 99)
        blocks.append(
            ExactJoint({(0,): 100 - ones, (1,): ones}, variables=[f"X{i}"], states={f"X{i}": (0, 1)})
        )
    silent = noise == HALF or (reading == "tilted" and bit == HALF)
    return Problem(
        _title(k, noise, distractors, reading, bit),
        Product(*blocks) if distractors else blocks[0],
        "X1",
        (frozenset() if silent else frozenset(members[1:]),),
        "margaritis2009, section 6 (near-parity) and section 5 (k ≤ m + 1)",
        f"{k - 1} variables that say something about X1 only when all of them are looked at together: "
        f"GS(m) needs a margin of at least {k - 1}"
        + (" to be sure of them; their bias betrays them a little already." if reading == "biased" else "."),
    )


def parity_block(k: int, *, noise: Fraction, reading: Reading, bit: Fraction) -> ExactJoint:
    """Return the joint distribution of X1 (the target) and X2 … Xk alone."""
    table: dict[tuple[int, ...], Fraction] = {}
    for others in product((0, 1), repeat=k - 1):
        for target in (0, 1):
            odd = (sum(others) + target) % 2
            if reading == "tilted":
                even = bit * (1 - noise) + (1 - bit) * noise  # the noise moves weight to the other parity
                weight = (1 - even if odd else even) / 2 ** (k - 2)
            else:
                weight = noise if odd else 1 - noise
                for value in others:
                    weight *= bit if value else 1 - bit
            table[target, *others] = weight
    names = [f"X{i}" for i in range(1, k + 1)]
    return ExactJoint(table, variables=names, states=dict.fromkeys(names, (0, 1)))


def _bit(reading: str, bit: Any) -> Fraction:
    if reading not in READINGS:
        raise JudgeError(f"reading={reading!r}: choose {', '.join(map(repr, READINGS))}")
    if bit is None:
        return HALF if reading == "uniform" else Fraction(3, 5)
    given = probability("bit", bit)
    if reading == "uniform" and given != HALF:
        raise JudgeError(f"bit={bit} with reading='uniform': choose 'biased' or 'tilted', or bit=1/2")
    if reading == "biased" and given in (0, 1):
        raise JudgeError(f"bit={bit}: the members would be constant; choose a probability between 0 and 1")
    return given


def _title(k: int, noise: Fraction, distractors: int, reading: str, bit: Fraction) -> str:
    said = [str(k)]
    said += [f"noise={noise}"] if noise else []
    said += [f"distractors={distractors}"] if distractors else []
    said += [f"reading={reading}, bit={bit}"] if reading != "uniform" else []
    return f"parity({', '.join(said)})"
