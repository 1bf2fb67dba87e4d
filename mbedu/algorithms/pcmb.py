"""PCMB: the boundary from parents and children that agree on being neighbours, then spouses."""

from __future__ import annotations

from mbedu.algorithms.get_pc import get_pc
from mbedu.algorithms.separations import Found, check_by, check_largest
from mbedu.ask import Ask
from mbedu.judge import By
from mbedu.registry import algorithm
from mbedu.varset import VarSet


@algorithm(
    "pcmb",
    title="PCMB",
    paper="pena2007",
    place="GetPCMB; the numbered lines are ours",
    assumes=("Faithfulness",),
    notebook="07_divide_and_conquer",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target (146,405 runs at 5)",
    pseudocode="""
    1  PCS ← GetPC(T)
    2  MB ← PCS                                     /* the neighbours */
    3  for each Y ∈ PCS do
    4      for each X ∈ GetPC(Y) − PCS − {T} do     /* neighbours of a neighbour */
    5          find Z with T ⊥ X | Z
    6          if T ⊥̸ X | Z ∪ {Y} then MB ← MB ∪ {X}
    7  return MB""",
)
def pcmb(
    ask: Ask, T: str, *, by: By = "strength", remember: bool = True, largest_z: int | None = None
) -> VarSet:
    """Return the Markov boundary of `T` where the distribution is faithful to a DAG.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    by : {"strength", "p_value"}
        What dep measures in GetPCD.
    remember : bool
        Keep the results of GetPCD, which is called many times for the same variable; the answer is the same.
    largest_z : int, optional
        A cap on the size of separating sets. A warning says what it costs.

    Notes
    -----
    The Z of line 5 was found by GetPC(T): from the side of T, or from the side of X where T itself has none.
    All neighbours of Y are looked at; a child can bring several spouses.

    Examples
    --------
    >>> import mbedu as mb
    >>> asia = mb.DSeparation(mb.load_network("asia"))
    >>> sorted(mb.run("pcmb", asia, "bronc").boundary)
    ['dysp', 'either', 'smoke']
    """
    check_by(by)
    check_largest("largest_z", largest_z)
    known: dict[str, Found] = {}

    def neighbours(X: str) -> Found:
        memory: dict[str, Found] = known if remember else {}
        PC, Sep = get_pc(ask, X, by=by, largest_z=largest_z, known=memory)
        return PC.frozen(), Sep

    with ask.phase("parents and children"):
        PCS, Sep = neighbours(T)  # [1]
        MB = ask.set("MB", PCS)  # [2]
    with ask.phase("spouses"):
        for Y in ask.ordered(PCS):  # [3]
            PC_Y, _ = neighbours(Y)  # [4]
            for X in ask.ordered(PC_Y - PCS - {T}):  # [4]
                Z = Sep[X]  # [5]
                if not ask(T, X, Z | {Y}):  # [6]
                    MB |= X  # [6]
    return MB  # [7]
