"""GetPCD: a set between the parents and children of the target and those plus its descendants."""

from __future__ import annotations

from mbedu.algorithms.separations import Separations, check_by, check_largest
from mbedu.ask import Ask
from mbedu.judge import By
from mbedu.registry import algorithm
from mbedu.varset import VarSet


@algorithm(
    "get_pcd",
    title="GetPCD",
    paper="pena2007",
    place="GetPCD; the numbered lines are ours",
    assumes=("Faithfulness",),
    returns="the parents and children, perhaps with further descendants, and the separating sets Sep",
    kind="procedure",
    notebook="07_divide_and_conquer",
    pseudocode="""
     1  PCD ← ∅
     2  CanPCD ← U − {T}
     3  repeat
     4      for each X ∈ CanPCD do                      /* remove false candidates */
     5          Sep[X] ← the Z ⊆ PCD that minimises dep(T, X | Z)
     6          if T ⊥ X | Sep[X] then CanPCD ← CanPCD − {X}
     7      Y ← the X ∈ CanPCD that maximises dep(T, X | Sep[X])
     8      PCD ← PCD ∪ {Y}                             /* add the best candidate */
     9      CanPCD ← CanPCD − {Y}
    10      for each X ∈ PCD do                         /* remove false members */
    11          Sep[X] ← the Z ⊆ PCD − {X} that minimises dep(T, X | Z)
    12      PCD ← PCD − {X ∈ PCD : T ⊥ X | Sep[X]}
    13  until PCD does not change
    14  return PCD""",
)
def get_pcd(
    ask: Ask, T: str, *, by: By = "strength", largest_z: int | None = None
) -> tuple[VarSet, dict[str, frozenset[str]]]:
    """Return the parents and children of `T` and perhaps some more descendants, and what separates the rest.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    by : {"strength", "p_value"}
        What dep measures.
    largest_z : int, optional
        A cap on the size of Z. A warning says what it costs.

    Returns
    -------
    PCD : VarSet
        A non-neighbour of T can be in it only if it is a descendant of T: a non-descendant is separated
        by the parents, which are all in PCD in the end.
    Sep : dict
        For each variable outside PCD a set that separates it from T.

    Notes
    -----
    If a Z separates X from T, Sep[X] is the first such Z, smallest first; the minimum matters only
    for what stays. A question is asked once in an activation, and all candidates given one Z together.
    Members that separate each other leave together, as the two loops of lines 10 to 12 say.

    Examples
    --------
    >>> import mbedu as mb
    >>> asia = mb.DSeparation(mb.load_network("asia"))
    >>> PCD, Sep = get_pcd(mb.Ask(asia), "either")
    >>> list(PCD), sorted(Sep["smoke"])
    (['tub', 'lung', 'xray', 'dysp'], ['lung'])
    """
    check_by(by)
    check_largest("largest_z", largest_z)
    seen = Separations(ask, T, by=by, largest=largest_z)
    Sep = seen.of
    PCD = ask.set("PCD")  # [1]
    CanPCD = ask.set("CanPCD", ask.others(T))  # [2]
    Y: str | None = None
    while True:  # [3]
        seen.search(CanPCD, PCD, new=Y)  # [4-5]
        CanPCD -= [X for X in CanPCD if X in Sep]  # [6]
        if not CanPCD:  # [13]
            break
        Y = seen.strongest(tuple(CanPCD), PCD.frozen())  # [7]
        PCD |= Y  # [8]
        CanPCD -= Y  # [9]
        seen.search(PCD - Y, PCD, new=Y)  # [10-11]
        PCD -= [X for X in PCD if X in Sep]  # [12]
    return PCD, Sep  # [14]
