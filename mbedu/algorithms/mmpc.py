"""MMPC: parents and children by the max-min heuristic, as first published."""

from __future__ import annotations

from mbedu.algorithms.separations import Separations, check_by, check_largest
from mbedu.ask import Ask
from mbedu.judge import By
from mbedu.registry import algorithm
from mbedu.varset import VarSet


@algorithm(
    "mmpc",
    title="MMPC",
    paper="tsamardinos2003mmmb",
    place="MMPC, after the account in pena2007; the numbered lines are ours",
    assumes=("Faithfulness",),
    returns="meant to be the parents and children; a descendant can be left in. And the separating sets Sep",
    kind="procedure",
    notebook="07_divide_and_conquer",
    pseudocode="""
    1  CPC ← ∅
    2  repeat                                           /* phase I, forward */
    3      F ← the X ∈ U − CPC − {T} that maximises min over Z ⊆ CPC of assoc(X; T | Z)
    4      if T ⊥̸ F | Z for all Z ⊆ CPC then CPC ← CPC ∪ {F}
    5  until CPC does not change
    6  for all X ∈ CPC do                               /* phase II, backward */
    7      if T ⊥ X | Z for some Z ⊆ CPC − {X} then CPC ← CPC − {X}
    8  return CPC""",
)
def mmpc(
    ask: Ask, T: str, *, by: By = "strength", largest_z: int | None = None
) -> tuple[VarSet, dict[str, frozenset[str]]]:
    """Return what MMPC takes for the parents and children of `T`, and what separates the rest from it.

    It can return too much: a descendant that is separated from T only with the help of one that is itself
    no neighbour of T and has left already. Asking both sides (mmmb_corrected) cures that.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    by : {"strength", "p_value"}
        What assoc measures.
    largest_z : int, optional
        A cap on the size of Z. A warning says what it costs.

    Notes
    -----
    What some Z ⊆ CPC separates from T cannot come in any more, because CPC only grows in phase I; it is
    asked about no further. A question is asked once, and all candidates given one Z together.

    Examples
    --------
    >>> import mbedu as mb
    >>> chain = mb.DSeparation([("A", "T"), ("T", "B"), ("B", "C")])
    >>> CPC, Sep = mmpc(mb.Ask(chain), "T")
    >>> list(CPC), sorted(Sep["C"])
    (['A', 'B'], ['B'])

    D is no neighbour of T, and only {C, S} separates them; S has left before.

    >>> oracle = mb.DSeparation([("T", "C"), ("C", "D"), ("S", "C"), ("S", "D")])
    >>> list(mmpc(mb.Ask(oracle), "T")[0])
    ['C', 'D']
    """
    check_by(by)
    check_largest("largest_z", largest_z)
    seen = Separations(ask, T, by=by, largest=largest_z)
    Sep = seen.of
    CPC = ask.set("CPC")  # [1]
    with ask.phase("forward"):
        F: str | None = None
        while True:  # [2]
            seen.search(ask.others(T, CPC, Sep), CPC, new=F)  # [3]
            candidates = ask.others(T, CPC, Sep)
            if not candidates:  # [5]
                break
            F = seen.strongest(candidates, CPC.frozen())  # [3]
            CPC |= F  # [4]
    with ask.phase("backward"):
        for X in tuple(CPC):  # [6]
            seen.search([X], CPC - X)  # [7]
            if X in Sep:
                CPC -= X  # [7]
    return CPC, Sep  # [8]
