"""KIAMB: IAMB that chooses among a random part of the dependent candidates."""

from __future__ import annotations

import math

import numpy as np

from mbedu.algorithms.parts import initial
from mbedu.ask import Ask
from mbedu.judge import By, strongest_of
from mbedu.query import Vars, names
from mbedu.registry import algorithm, require, whole
from mbedu.varset import VarSet


@algorithm(
    "kiamb",
    title="KIAMB",
    paper="pena2007",
    place="described there; the numbered lines are ours",
    assumes=("Decomposition", "Weak Union", "Contraction", "Composition"),
    returns="a Markov boundary; where there are several, which one depends on the seed",
    notebook="05_iamb",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target",
    pseudocode="""
     1  MB ← ∅
     2  repeat                                            /* add true positives */
     3      CanMB1 ← {X ∈ U − MB − {T} : T ⊥̸ X | MB}
     4      CanMB2 ← a random subset of CanMB1 of size max(1, ⌊K · |CanMB1|⌋)
     5      Y ← the variable of CanMB2 that maximises dep(T, Y | MB)
     6      MB ← MB ∪ {Y}
     7  until MB does not change
     8  for each X ∈ MB do                                /* remove false positives */
     9      if T ⊥ X | MB − {X} then MB ← MB − {X}
    10  return MB""",
)
def kiamb(
    ask: Ask,
    T: str,
    *,
    K: float = 0.8,
    seed: int = 0,
    by: By = "strength",
    start: Vars = (),
    whitelist: Vars = (),
) -> VarSet:
    """Return a Markov boundary of `T`; run with several seeds, it can show that there is more than one.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    K : float
        The trade between greed and chance, from 0 (any dependent candidate) to 1 (the most
        dependent one, which is IAMB).
    seed : int
        The same seed draws the same subsets.
    by : {"strength", "p_value"}
        What dep ranks candidates by.
    start, whitelist
        Variables to start with, which may leave again; and variables that never leave.

    Notes
    -----
    Symbols: MB is the current blanket, CanMB1 and CanMB2 the candidates, U all variables.
    Every candidate is asked about in every round, also where the judge knows no strength.
    """
    require(isinstance(K, int | float) and 0 <= K <= 1, f"K={K!r}: a share of the candidates, from 0 to 1")
    whole("seed", seed, at_least=0)
    require(by in ("strength", "p_value"), f"by={by!r}: choose 'strength' or 'p_value'")
    random = np.random.default_rng(seed)
    MB = ask.set("MB", initial(ask, T, start, whitelist))  # [1]
    with ask.phase("add"):
        while True:  # [2]
            asked = ask.others(T, MB)
            verdicts = dict(zip(asked, ask.many(T, asked, MB), strict=True))  # [3]
            can_mb1 = [X for X in asked if not verdicts[X].independent]  # [3]
            if not can_mb1:  # [7]
                break
            size = max(1, math.floor(K * len(can_mb1)))
            drawn = sorted(random.choice(len(can_mb1), size=size, replace=False).tolist())
            can_mb2 = [can_mb1[i] for i in drawn]  # [4]
            found = strongest_of([verdicts[X] for X in can_mb2], by)
            Y = can_mb2[found.position if found is not None else 0]  # [5]
            ask.choose(Y, size, f"the most dependent of those drawn from {len(can_mb1)} candidates")  # [5]
            MB |= Y  # [6]
    with ask.phase("remove"):
        for X in ask.ordered(MB - names(whitelist)):  # [8]
            if ask(T, X, MB - {X}):  # [9]
                MB -= X  # [9]
    return MB  # [10]
