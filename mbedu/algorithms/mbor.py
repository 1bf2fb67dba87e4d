"""MBOR: a superset of the boundary from small tests, then parents and children by the OR condition."""

from __future__ import annotations

from collections.abc import Callable

from mbedu.algorithms.mb_to_pc import check_correct_mb, mb_to_pc
from mbedu.algorithms.pc_superset import pc_superset
from mbedu.algorithms.separations import check_largest
from mbedu.algorithms.sp_superset import sp_superset
from mbedu.ask import Ask
from mbedu.query import sentence_set
from mbedu.registry import algorithm
from mbedu.varset import VarSet, subsets


@algorithm(
    "mbor",
    title="MBOR",
    paper="demorais2008",
    place="Algorithm 1",
    assumes=("Faithfulness",),
    notebook="07_divide_and_conquer",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target (146,405 runs at 5)",
    pseudocode="""
         /* Phase I: find MB superset (MBS) */
     1:  [PCS, dSep] = PCSuperSet(T, D)
     2:  SPS = SPSuperSet(T, D, PCS, dSep)
     3:  MBS = PCS ∪ SPS
     4:  D = D(MBS ∪ T), i.e. remove from the data all variables in U \\ {MBS ∪ T}
         /* Phase II: find parents and children of the target */
     5:  PC = MBtoPC(T, D)
     6:  for all X ∈ PCS \\ PC do
     7:      if T ∈ MBtoPC(X, D) then
     8:          PC = PC ∪ X
     9:      end if
    10:  end for
         /* Phase III: find spouses of the target */
    11:  SP = ∅
    12:  for all X ∈ PC do
    13:      for all Y ∈ MBtoPC(X, D) \\ {PC ∪ T} do
    14:          find minimal Z ⊂ MBS \\ {T ∪ Y} such that T ⊥ Y | Z
    15:          if (T ⊥̸ Y | Z ∪ X) then
    16:              SP = SP ∪ Y
    17:          end if
    18:      end for
    19:  end for""",
)
def mbor(
    ask: Ask, T: str, *, correct_mb: str = "inter_iamb", remember: bool = True, largest_z: int | None = None
) -> frozenset[str]:
    """Return the Markov boundary of `T` where the distribution is faithful to a DAG.

    X and T are neighbours if either sees the other (the OR condition), which on little data loses
    fewer neighbours than the AND of PCMB.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    correct_mb : {"inter_iamb", "iamb", "gs"}
        The algorithm inside MBtoPC.
    remember : bool
        Keep the result of MBtoPC for a variable that lines 7 and 13 both need; the answer is the same.
    largest_z : int, optional
        Look in line 14 for sets of at most this many variables. A warning says what it costs: a
        spouse that only a larger set separates from T is lost.

    Notes
    -----
    Readings of the print: `Z ⊂ …` includes the empty set and the whole set. Minimal Z means smallest
    first, then variable order. Without such a Z (possible on data only) Y is not a spouse. Line 13
    works on the data of line 4, as the proof of Theorem 5 says.

    Symbols: PCS, SPS and MBS are supersets of the parents and children, the spouses and the boundary.

    Examples
    --------
    >>> import mbedu as mb
    >>> print(mb.run("mbor", mb.DSeparation([("T", "C"), ("S1", "C"), ("S2", "C")]), "T"))
    mbor says that the boundary of T is {C, S1, S2} (... questions, largest conditioning set ...)
    """
    check_correct_mb(correct_mb)
    check_largest("largest_z", largest_z)
    with ask.phase("superset of the boundary"):
        PCS, dSep = pc_superset(ask, T)  # [1]
        SPS = sp_superset(ask, T, PCS=PCS, dSep=dSep)  # [2]
        MBS = ask.set("MBS", PCS | SPS)  # [3]
    say_what_is_left(ask, T, PCS, MBS)
    with ask.within(MBS | {T}):  # [4]
        neighbours = neighbours_of(ask, correct_mb, remember=remember)
        with ask.phase("parents and children"):
            PC = ask.set("PC", neighbours(T))  # [5]
            for X in ask.ordered(PCS - PC):  # [6]
                if T in neighbours(X):  # [7]
                    PC |= X  # [8-10]
        with ask.phase("spouses"):
            SP = ask.set("SP")  # [11]
            for X in PC:  # [12]
                for Y in ask.ordered(neighbours(X) - PC - {T}):  # [13]
                    Z = minimal_separator(ask, T, Y, MBS, largest_z)  # [14]
                    if Z is not None and not ask(T, Y, Z | {X}):  # [15]
                        SP |= Y  # [16-19]
    return PC | SP


def neighbours_of(ask: Ask, correct_mb: str, *, remember: bool) -> Callable[[str], frozenset[str]]:
    """Return MBtoPC as a function of the variable, with a memory unless that is not wanted."""
    known: dict[str, frozenset[str]] = {}

    def neighbours(X: str) -> frozenset[str]:
        if X in known:
            ask.note(f"MBtoPC({X}) was computed before: {sentence_set(known[X])}.")
            return known[X]
        found: frozenset[str] = mb_to_pc(ask, X, correct_mb=correct_mb).frozen()
        if remember:
            known[X] = found
        return found

    return neighbours


def minimal_separator(ask: Ask, T: str, Y: str, MBS: VarSet, largest_z: int | None) -> frozenset[str] | None:
    """Return the first Z ⊆ MBS − {T, Y}, smallest first, with T ⊥ Y | Z, or None."""
    rest = ask.ordered(MBS - {T, Y})
    Z = ask.first_separator(T, Y, subsets(rest, len(rest) if largest_z is None else largest_z, 0))
    if Z is None:
        ask.note(f"No set separates {Y} from {T}, so {Y} is not taken for a spouse.")
    return Z


def say_what_is_left(ask: Ask, T: str, PCS: VarSet, MBS: VarSet) -> None:
    """Say in the trace what phase I has left, and why nothing can follow when it left nothing."""
    if not ask.recording:
        return
    if not PCS:
        ask.note(
            f"No variable depends on {T} by itself (or none still does given one other), so PCS is empty. "
            "Spouses are looked for through PCS only: what shows itself only in company is invisible to MBOR."
        )
    else:
        ask.note(f"From here on only {T} and the {len(MBS)} variables of MBS are looked at.")
