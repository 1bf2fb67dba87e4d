"""MMMB: the boundary by MMPC, as first published; it is wrong on some faithful distributions."""

from __future__ import annotations

from mbedu.algorithms.mmpc import mmpc
from mbedu.algorithms.separations import Found, check_by, check_largest, check_through, known_or
from mbedu.ask import Ask
from mbedu.judge import By
from mbedu.registry import algorithm
from mbedu.varset import VarSet


@algorithm(
    "mmmb",
    title="MMMB",
    paper="tsamardinos2003mmmb",
    place="MMMB, after the account in pena2007; the numbered lines are ours",
    assumes=("Faithfulness, which does not suffice",),
    returns="meant to be the Markov boundary",
    notebook="07_divide_and_conquer",
    verified="wrong on 24 of 2,172 runs at 4 nodes and 8,820 of 146,405 at 5; see the docstring",
    pseudocode="""
    1  PC ← MMPC(T)
    2  CMB ← PC ∪ (∪ over Y ∈ PC of MMPC(Y)) − {T}
    3  for all X ∈ CMB − PC do
    4      find Z with T ⊥ X | Z
    5      if T ⊥ X | Z ∪ {Y} for all Y ∈ PC then CMB ← CMB − {X}
    6  return CMB""",
)
def mmmb(
    ask: Ask,
    T: str,
    *,
    by: By = "strength",
    through: str = "any",
    remember: bool = True,
    largest_z: int | None = None,
) -> VarSet:
    """Return what MMMB takes for the Markov boundary of `T`; mmmb_corrected returns the boundary.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    by : {"strength", "p_value"}
        What assoc measures in MMPC.
    through : {"any", "child"}
        Line 5 tries every Y ∈ PC, or only those Y whose own MMPC holds X.
    remember : bool
        Keep the results of MMPC; the answer is the same.
    largest_z : int, optional
        A cap on the size of separating sets. A warning says what it costs.

    Notes
    -----
    The Z of line 4 is the one that MMPC(T) found.
    The smallest DAG on which it errs has four nodes: T → C → D with S → C and S → D. T and D are
    separated only by {C, S}; S is independent of T and leaves MMPC before it could help, so D stays.

    Examples
    --------
    >>> import mbedu as mb
    >>> oracle = mb.DSeparation([("T", "C"), ("C", "D"), ("S", "C"), ("S", "D")])
    >>> sorted(mb.run("mmmb", oracle, "T").boundary), sorted(oracle.boundary("T"))
    (['C', 'D', 'S'], ['C', 'S'])
    """
    check_by(by)
    check_through(through)
    check_largest("largest_z", largest_z)
    known: dict[str, Found] | None = {} if remember else None
    found_by: dict[str, frozenset[str]] = {}
    with ask.phase("parents and children"):
        PC, Sep = known_or(mmpc, ask, T, known, by=by, largest_z=largest_z)  # [1]
        CMB = ask.set("CMB", PC)  # [2]
        for Y in ask.ordered(PC):
            found_by[Y], _ = known_or(mmpc, ask, Y, known, by=by, largest_z=largest_z)  # [2]
            CMB |= found_by[Y] - {T}  # [2]
    with ask.phase("spouses"):
        for X in ask.ordered(CMB - PC):  # [3]
            Z = Sep[X]  # [4]
            tried = [Y for Y in ask.ordered(PC) if through == "any" or X in found_by[Y]]
            if all(ask(T, X, Z | {Y}) for Y in tried):  # [5]
                CMB -= X  # [5]
    return CMB  # [6]
