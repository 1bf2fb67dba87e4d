"""GetPC: two variables are neighbours if each finds the other (the symmetry correction)."""

from __future__ import annotations

from collections.abc import MutableMapping

from mbedu.algorithms.get_pcd import get_pcd
from mbedu.algorithms.separations import Found, check_by, check_largest, known_or
from mbedu.ask import Ask
from mbedu.judge import By
from mbedu.registry import algorithm
from mbedu.varset import VarSet


@algorithm(
    "get_pc",
    title="GetPC",
    paper="pena2007",
    place="GetPC; the numbered lines are ours",
    assumes=("Faithfulness",),
    returns="the parents and children, and the separating sets Sep",
    kind="procedure",
    notebook="07_divide_and_conquer",
    pseudocode="""
    1  PC ← ∅
    2  for each X ∈ GetPCD(T) do
    3      if T ∈ GetPCD(X) then PC ← PC ∪ {X}
    4  return PC""",
)
def get_pc(
    ask: Ask,
    T: str,
    *,
    by: By = "strength",
    largest_z: int | None = None,
    known: MutableMapping[str, Found] | None = None,
) -> tuple[VarSet, dict[str, frozenset[str]]]:
    """Return the parents and children of `T`, and what separates the rest from it.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    by, largest_z
        As in GetPCD.
    known : mapping, optional
        Results of GetPCD by variable; what is there is not computed again, what is not is put there.

    Returns
    -------
    PC : VarSet
        Of two variables that are no neighbours, one is no descendant of the other, and it finds out.
    Sep : dict
        For each variable outside PC a set that separates it from T, found from the side of T or,
        where that has none, from its own side.

    Examples
    --------
    >>> import mbedu as mb
    >>> asia = mb.DSeparation(mb.load_network("asia"))
    >>> PC, Sep = get_pc(mb.Ask(asia), "either")
    >>> list(PC)
    ['tub', 'lung', 'xray', 'dysp']
    """
    check_by(by)
    check_largest("largest_z", largest_z)
    PC = ask.set("PC")  # [1]
    PCD, Sep = known_or(get_pcd, ask, T, known, by=by, largest_z=largest_z)  # [2]
    Sep = dict(Sep)
    for X in ask.ordered(PCD):  # [2]
        PCD_X, Sep_X = known_or(get_pcd, ask, X, known, by=by, largest_z=largest_z)  # [3]
        if T in PCD_X:  # [3]
            PC |= X  # [3]
        else:
            Sep[X] = Sep_X[T]
    return PC, Sep  # [4]
