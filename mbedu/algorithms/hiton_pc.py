"""HITON-PC: parents and children, one candidate at a time in the order of its association with the target."""

from __future__ import annotations

from mbedu.algorithms.separations import Separations, check_by, check_largest
from mbedu.ask import Ask
from mbedu.judge import By
from mbedu.registry import algorithm
from mbedu.varset import VarSet


@algorithm(
    "hiton_pc",
    title="HITON-PC",
    paper="aliferis2003",
    place="HITON-PC; the numbered lines are ours",
    assumes=("Faithfulness",),
    returns="meant to be the parents and children; a descendant can be left in. And the separating sets Sep",
    kind="procedure",
    notebook="07_divide_and_conquer",
    pseudocode="""
    1  PC ← ∅
    2  repeat
    3      admit to PC the X ∈ U − {T}, not considered yet, that maximises assoc(X; T)
    4      for all X ∈ PC do
    5          if T ⊥ X | Z for some Z ⊆ PC − {X} then
    6              PC ← PC − {X}, never to be considered again
    7  until no variable is left to consider
    8  return PC""",
)
def hiton_pc(
    ask: Ask, T: str, *, by: By = "strength", largest_z: int | None = None
) -> tuple[VarSet, dict[str, frozenset[str]]]:
    """Return what HITON-PC takes for the parents and children of `T`, and what separates the rest from it.

    It can return too much, like MMPC: a descendant that is separated from T only with the help of a variable
    that has left already. Asking both sides (hiton_mb_corrected) cures that.

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
    What is independent of T by itself would be admitted last and leave at once; all that is asked
    first, together. The loop of line 4 goes in variable order. A question is asked once in an activation.

    Examples
    --------
    >>> import mbedu as mb
    >>> chain = mb.DSeparation([("A", "T"), ("T", "B"), ("B", "C")])
    >>> PC, Sep = hiton_pc(mb.Ask(chain), "T")
    >>> list(PC), sorted(Sep["C"])
    (['A', 'B'], ['B'])

    D is no neighbour of T, and only {C, S} separates them; S is never in PC.

    >>> oracle = mb.DSeparation([("T", "C"), ("C", "D"), ("S", "C"), ("S", "D")])
    >>> list(hiton_pc(mb.Ask(oracle), "T")[0])
    ['C', 'D']
    """
    check_by(by)
    check_largest("largest_z", largest_z)
    seen = Separations(ask, T, by=by, largest=largest_z)
    Sep = seen.of
    PC = ask.set("PC")  # [1]
    seen.search(ask.others(T), ())  # [3]
    waiting = ask.others(T, Sep)
    while waiting:  # [2]
        X = seen.strongest(waiting, frozenset())  # [3]
        waiting = tuple(V for V in waiting if V != X)  # [7]
        PC |= X  # [3]
        for V in tuple(PC):  # [4]
            seen.search([V], PC - V)  # [5]
            if V in Sep:
                PC -= V  # [6]
    return PC, Sep  # [8]
