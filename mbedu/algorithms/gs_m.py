"""GS(m): Grow-Shrink with a margin, which sees interactions of up to m variables at once."""

from __future__ import annotations

from mbedu.algorithms.parts import initial
from mbedu.ask import Ask
from mbedu.query import Vars
from mbedu.registry import algorithm, require, whole
from mbedu.varset import VarSet, subsets


@algorithm(
    "gs_m",
    title="GS(m)",
    paper="margaritis2009",
    place="Algorithm 1",
    assumes=("Decomposition", "Weak Union", "Contraction"),
    returns="an m-Markov boundary (Definition 3)",
    notebook="03_grow_shrink",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target",
    pseudocode="""
     1  S ← ∅
     2  /* Growing phase */
     3  for all Y ⊆ U − S − {T} with 1 ≤ |Y| ≤ m do
     4      if T ⊥̸ Y | S then
     5          S ← S ∪ Y
     6          goto line 3                         /* restart loop */
     7  /* Shrinking phase */
     8  for all Y ∈ S do
     9      if T ⊥ Y | S − {Y} then
    10          S ← S − {Y}
    11          goto line 8                         /* restart loop */
    12  return S""",
)
def gs_m(
    ask: Ask, T: str, *, m: int = 1, order: str = "strength", start: Vars = (), whitelist: Vars = ()
) -> VarSet:
    """Return an m-Markov boundary of `T`; with m = 1 this is the classical Grow-Shrink.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target (X in the paper).
    m : int
        The margin: the largest set of variables that is tried together.
    order : {"strength", "plain"}
        The paper's order: by set size, then by decreasing conditional mutual information, ties by
        variable order; or plain variable order within each size. A judge that knows no strength
        is asked in plain order.
    start, whitelist
        Variables to start with, which may leave again; and variables that never leave.

    Notes
    -----
    Symbols: S is the candidate boundary, Y the set being tried, U all variables.
    """
    whole("m", m, at_least=1)
    require(order in ("strength", "plain"), f"order={order!r}: choose 'strength' or 'plain'")
    S = ask.set("S", initial(ask, T, start, whitelist))  # [1]
    with ask.phase("grow"):  # [2]
        while Y := next_dependent(ask, T, S, m, order):  # [3-4]
            S |= Y  # [5-6]
    with ask.phase("shrink"):  # [7]
        while X := ask.first_redundant(T, S, keep=whitelist):  # [8-9]
            S -= X  # [10-11]
    return S  # [12]


def next_dependent(ask: Ask, T: str, S: VarSet, m: int, order: str) -> frozenset[str] | None:
    """Return the next set of at most m variables that depends on T given S, smallest sets first."""
    candidates = ask.others(T, S)
    if order == "plain":
        return ask.first_dependent(T, subsets(candidates, m), S)
    for size in range(1, m + 1):
        if Y := ask.strongest(T, subsets(candidates, size, size), S):
            return Y
    return None
