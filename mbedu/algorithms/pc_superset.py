"""PCSuperSet: everything that is not separated from the target by no variable or by one."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.varset import VarSet


@algorithm(
    "pc_superset",
    title="PCSuperSet",
    paper="demorais2008",
    place="Algorithm 2",
    assumes=("Faithfulness",),
    returns="a superset of the parents and children, and the separating sets dSep",
    kind="procedure",
    notebook="07_divide_and_conquer",
    pseudocode="""
         /* Phase I: remove X if T ⊥ X */
     1:  PCS = U \\ T
     2:  for all X ∈ PCS do
     3:      if (T ⊥ X) then
     4:          PCS = PCS \\ X
     5:          dSep(X) = ∅
     6:      end if
     7:  end for
         /* Phase II: remove X if T ⊥ X | Y */
     8:  for all X ∈ PCS do
     9:      for all Y ∈ PCS \\ X do
    10:          if (T ⊥ X | Y) then
    11:              PCS = PCS \\ X
    12:              dSep(X) = Y
    13:          end if
    14:      end for
    15:  end for""",
)
def pc_superset(ask: Ask, T: str) -> tuple[VarSet, dict[str, frozenset[str]]]:
    """Return a superset of the parents and children of `T`, and what separates each of the others.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.

    Returns
    -------
    PCS : VarSet
        Every variable that depends on T, also given any one other variable of PCS.
    dSep : dict
        For each variable outside PCS the set, of at most one variable, that separates it from T.

    Notes
    -----
    The inner loop stops once X is removed, and both loops go in variable order. When an X stays, what
    comes after it is asked about given X at once: those are the questions that the printed loops ask
    later, one by one, and each is asked once. X itself is then tried against the others after it.

    Examples
    --------
    >>> import mbedu as mb
    >>> chain = mb.DSeparation([("A", "B"), ("B", "T"), ("C", "D")], variables=list("ABCDT"))
    >>> PCS, dSep = pc_superset(mb.Ask(chain), "T")
    >>> list(PCS), {x: sorted(z) for x, z in dSep.items()}
    (['B'], {'C': [], 'D': [], 'A': ['B']})
    """
    dSep: dict[str, frozenset[str]] = {}
    PCS = ask.set("PCS", ask.others(T))  # [1]
    with ask.phase("remove what is independent by itself"):
        dependent = frozenset(ask.dependents(T, tuple(PCS)))  # [2-3]
        alone = [X for X in PCS if X not in dependent]
        PCS -= alone  # [4]
        dSep.update(dict.fromkeys(alone, frozenset()))  # [5-7]
    with ask.phase("remove what one other variable separates"):
        candidates = tuple(PCS)
        for i, X in enumerate(candidates):  # [8]
            if X not in dSep:
                later = candidates[i + 1 :]
                Y = ask.first_separator(T, X, ({Y} for Y in later))  # [9-10]
                if Y is None:
                    stays_before(ask, T, X, later, dSep)  # [9-10]
                    continue
                dSep[X] = Y  # [12]
            PCS -= X  # [11-15]
    return PCS, dSep


def stays_before(ask: Ask, T: str, Y: str, later: tuple[str, ...], dSep: dict[str, frozenset[str]]) -> None:
    """Y stays in PCS for good, so it is the next one that everything after it is tried with."""
    open_ones = [X for X in later if X not in dSep]
    dependent = frozenset(ask.dependents(T, open_ones, {Y}))
    dSep.update((X, frozenset((Y,))) for X in open_ones if X not in dependent)
