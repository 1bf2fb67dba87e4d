"""SPSuperSet: everything that a candidate child makes dependent on the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbedu.algorithms.pc_superset import pc_superset
from mbedu.ask import Ask
from mbedu.query import Vars, names
from mbedu.registry import algorithm, require
from mbedu.varset import VarSet


@algorithm(
    "sp_superset",
    title="SPSuperSet",
    paper="demorais2008",
    place="Algorithm 3",
    assumes=("Faithfulness",),
    returns="a superset of the spouses that are not in PCS",
    kind="procedure",
    notebook="07_divide_and_conquer",
    pseudocode="""
     1:  SPS = ∅
     2:  for all X ∈ PCS do
     3:      SPS_X = ∅
     4:      for all Y ∈ U \\ {T ∪ PCS} do
     5:          if (T ⊥̸ Y | dSep(Y) ∪ X) then
     6:              SPS_X = SPS_X ∪ Y
     7:          end if
     8:      end for
     9:      for all Y ∈ SPS_X do
    10:          for all Z ∈ SPS_X \\ Y do
    11:              if (T ⊥ Y | X ∪ Z) then
    12:                  SPS_X = SPS_X \\ Y
    13:              end if
    14:          end for
    15:      end for
    16:      SPS = SPS ∪ SPS_X
    17:  end for""",
)
def sp_superset(
    ask: Ask,
    T: str,
    *,
    PCS: Vars | None = None,
    dSep: Mapping[str, frozenset[str]] | None = None,
) -> VarSet:
    """Return a superset of the spouses of `T` that are not in PCS already.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    PCS, dSep
        What PCSuperSet returned; both or neither. Without them it is called first.

    Notes
    -----
    The variables Y of line 4 are asked about in groups that have the same dSep(Y), each group at
    once. The inner loop of line 10 stops once Y is removed.

    Examples
    --------
    >>> import mbedu as mb
    >>> collider = mb.DSeparation([("T", "C"), ("S", "C"), ("A", "S")])
    >>> list(sp_superset(mb.Ask(collider), "T"))
    ['S']
    """
    require((PCS is None) == (dSep is None), "PCS and dSep belong together: give both, or neither")
    if PCS is None or dSep is None:
        PCS, dSep = pc_superset(ask, T)
    inside = names(PCS)
    outside = ask.others(T, inside)
    for Y in outside:
        require(Y in dSep, f"dSep has no set for {Y!r}; it needs one for each variable outside PCS")
    groups = by_separator(outside, dSep)
    SPS = ask.set("SPS")  # [1]
    for X in ask.ordered(inside):  # [2]
        SPS_X = ask.set(f"SPS_{X}")  # [3]
        for separator, Ys in groups.items():  # [4]
            found = ask.dependents(T, Ys, separator | {X})  # [5]
            SPS_X |= found  # [6-8]
        for Y in tuple(SPS_X):  # [9]
            pairs = ({X, Z} for Z in ask.ordered(SPS_X - Y))
            if ask.first_separator(T, Y, pairs) is not None:  # [10-11]
                SPS_X -= Y  # [12-15]
        SPS |= SPS_X  # [16-17]
    return SPS


def by_separator(Ys: Sequence[str], dSep: Mapping[str, frozenset[str]]) -> dict[frozenset[str], list[str]]:
    """Group the variables by what separates them from the target; each group is one batch."""
    groups: dict[frozenset[str], list[str]] = {}
    for Y in Ys:
        groups.setdefault(dSep[Y], []).append(Y)
    return groups
