"""MBtoPC: from a Markov boundary to the parents and children in it."""

from __future__ import annotations

from mbedu.algorithms.gs import gs
from mbedu.algorithms.iamb import iamb
from mbedu.algorithms.inter_iamb import inter_iamb
from mbedu.ask import Ask
from mbedu.registry import algorithm, require
from mbedu.varset import VarSet, subsets

CORRECT_MB = {"inter_iamb": inter_iamb, "iamb": iamb, "gs": gs}


@algorithm(
    "mb_to_pc",
    title="MBtoPC",
    paper="demorais2008",
    place="Algorithm 4",
    assumes=("Faithfulness",),
    returns="the parents and children",
    kind="procedure",
    notebook="07_divide_and_conquer",
    pseudocode="""
    1:  MB = CorrectMB(T, D)
    2:  PC = MB
    3:  for all X ∈ MB do
    4:      if ∃ Z ⊂ (MB \\ X) such that T ⊥ X | Z then
    5:          PC = PC \\ X
    6:      end if
    7:  end for""",
)
def mb_to_pc(ask: Ask, T: str, *, correct_mb: str = "inter_iamb") -> VarSet:
    """Return the parents and children of `T`: the members of its boundary that nothing separates from it.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    correct_mb : {"inter_iamb", "iamb", "gs"}
        The algorithm that finds the boundary (CorrectMB; the paper uses Inter-IAMB).

    Notes
    -----
    `Z ⊂ …` includes the empty set, which is needed, and the whole set; smallest sets come first.

    Examples
    --------
    >>> import mbedu as mb
    >>> collider = mb.DSeparation([("T", "C"), ("S", "C")])
    >>> list(mb_to_pc(mb.Ask(collider), "T"))
    ['C']
    """
    check_correct_mb(correct_mb)
    MB = ask.set("MB", CORRECT_MB[correct_mb](ask, T))  # [1]
    PC = ask.set("PC", MB)  # [2]
    for X in MB:  # [3]
        rest = ask.ordered(MB - X)
        if ask.first_separator(T, X, subsets(rest, len(rest), 0)) is not None:  # [4]
            PC -= X  # [5-7]
    return PC


def check_correct_mb(correct_mb: str) -> None:
    """Refuse a name that is no algorithm for CorrectMB."""
    known = ", ".join(map(repr, CORRECT_MB))
    require(correct_mb in CORRECT_MB, f"correct_mb={correct_mb!r}: choose one of {known}")
