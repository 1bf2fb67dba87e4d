"""Mixed-MB: a Markov boundary of mixed data, by asking a likelihood-ratio test."""

from __future__ import annotations

from mbedu.algorithms.gs import gs
from mbedu.algorithms.iamb import iamb
from mbedu.ask import Ask
from mbedu.query import Vars
from mbedu.registry import algorithm, require
from mbedu.varset import VarSet


@algorithm(
    "mixed_mb",
    title="Mixed-MB",
    paper="lee2020",
    place="described in hassan2021, related work and experiments; the numbered lines are ours",
    assumes=("Decomposition", "Weak Union", "Contraction", "Composition", "a test that fits mixed data"),
    verified="right on all DAGs with 3, 4 and 5 nodes, every target",
    notebook="05_iamb",
    pseudocode="""
    1  let X ⊥ Y | Z be decided by the likelihood ratio of the regressions of Y on Z and on Z ∪ {X}
    2  MB ← a Markov boundary of T by grow and shrink (IAMB or GS)
    3  return MB""",
)
def mixed_mb(ask: Ask, T: str, *, base: str = "iamb", start: Vars = (), whitelist: Vars = ()) -> VarSet:
    """Return the boundary of `T` that IAMB or GS finds under a judge for mixed data.

    What is new in Mixed-MB is the test, not the search: one likelihood-ratio test for categories
    and numbers alike. So the method is this search *with* the judge `LikelihoodRatio(data)`; under
    any other judge it is IAMB (ranked by p-value) or GS and nothing more.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    base : {"iamb", "gs"}
        The search.
    start, whitelist
        Variables to start with, which may leave again; and variables that never leave.

    Notes
    -----
    The paper itself is not at hand; which grow and shrink it uses is our reading of hassan2021.
    """
    require(base in ("iamb", "gs"), f"base={base!r}: choose 'iamb' or 'gs'")
    ask.note("Every question goes to the judge of this run; Mixed-MB means a likelihood-ratio test.")  # [1]
    if base == "iamb":
        MB: VarSet = iamb(ask, T, by="p_value", start=start, whitelist=whitelist)  # [2]
    else:
        MB = gs(ask, T, start=start, whitelist=whitelist)  # [2]
    return MB  # [3]
