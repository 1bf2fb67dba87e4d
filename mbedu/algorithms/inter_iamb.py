"""Inter-IAMB: IAMB with the backward phase after every single addition."""

from __future__ import annotations

from mbedu.algorithms.parts import initial
from mbedu.ask import Ask
from mbedu.judge import By
from mbedu.query import Vars
from mbedu.registry import algorithm, require
from mbedu.varset import VarSet


@algorithm(
    "inter_iamb",
    title="Inter-IAMB",
    paper="tsamardinos2003",
    place="described there and in demorais2008, sections 3.3 and 4; the numbered lines are ours",
    assumes=("Decomposition", "Weak Union", "Contraction", "Composition"),
    notebook="05_iamb",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target",
    pseudocode="""
    1  MB ← ∅
    2  repeat
    3      X ← the variable of U − MB − {T} that maximises f(X; T | MB)
    4      if T ⊥̸ X | MB then MB ← MB ∪ {X}
    5      while some X ∈ MB has T ⊥ X | MB − {X} do         /* interleaved */
    6          MB ← MB − {X}
    7      if MB is a set that it was before then stop        /* a guard, not in the paper */
    8  until MB does not change
    9  return MB""",
)
def inter_iamb(ask: Ask, T: str, *, by: By = "strength", start: Vars = (), whitelist: Vars = ()) -> VarSet:
    """Return the Markov boundary of `T` where Composition holds, with small conditioning sets on the way.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    by : {"strength", "p_value"}
        What f ranks candidates by.
    start, whitelist
        Variables to start with, which may leave again; and variables that never leave.

    Notes
    -----
    Symbols: MB is the current blanket, U all variables, f the association.
    With an exact judge every round raises the information that MB has about T, so no set comes
    back. A statistical test knows no such law: additions and removals can chase each other for
    ever. The guard of line 7 sees a set that was there before, says so in the trace and stops.
    """
    require(by in ("strength", "p_value"), f"by={by!r}: choose 'strength' or 'p_value'")
    MB = ask.set("MB", initial(ask, T, start, whitelist))  # [1]
    seen = {MB.frozen()}
    while True:  # [2]
        with ask.phase("forward"):
            X = ask.strongest(T, ask.others(T, MB), MB, by=by)  # [3]
            if X is None:  # [8]
                break
            MB |= X  # [4]
        with ask.phase("backward"):
            while X := ask.weakest(T, MB, keep=whitelist, by=by):  # [5]
                MB -= X  # [6]
        if MB.frozen() in seen:  # [7]
            ask.note(f"The judge leads in a circle: {MB!r} was there before. The search stops here.")  # [7]
            break
        seen.add(MB.frozen())
    return MB  # [9]
