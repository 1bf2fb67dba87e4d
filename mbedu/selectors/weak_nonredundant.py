"""FSDMS, second part: features that are needed whatever other feature is left out."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.query import Vars
from mbedu.registry import algorithm
from mbedu.selectors.neighbours import Measure, measure
from mbedu.selectors.source import look
from mbedu.varset import VarSet


@algorithm(
    "weak_nonredundant",
    title="Approximate Weakly Relevant Nonredundant Feature Set Generation",
    paper="liu2015",
    place="Algorithm 2",
    kind="procedure",
    returns="B2, features without a Markov blanket inside F (Theorem 5)",
    notebook="09_relevance",
    pseudocode="""
    1  B2 ← ∅
    2  for each b ∈ F − A1 do
    3      if ∀m ∈ F − {b} satisfied D(F − {m}) > D(F − {m} − {b}) then
    4          B2 = B2 ∪ b
    5      end
    6  end""",
)
def weak_nonredundant(
    ask: Ask, T: str, *, A1: Vars = (), theta: float = 0.14, using: Measure | None = None
) -> VarSet:
    """Return B2: the features outside `A1` that are needed once any other single feature is gone.

    Parameters
    ----------
    ask, T
        The door to what carries the data, and the label (Y in the paper).
    A1 : set of str
        What `strong_relevant` found.
    theta : float
        The radius of a neighbourhood, for numeric columns.
    using : Measure, optional
        What computes D, when a caller has it at hand already.

    Notes
    -----
    With a single feature F − {b} is empty and "for all m" holds of nothing; the feature then enters B2
    although it may be irrelevant, as printed. The search for an m ends at the first that fails.
    """
    F = ask.others(T)
    D = (using or measure(look(ask, T, "weak_nonredundant", support=True), T, F, theta)).dependency
    everything = frozenset(F)
    B2 = ask.set("B2")  # [1]
    for b in ask.others(T, A1):  # [2]
        needed = True
        for m in F:
            if m != b and not D(everything - {m}) > D(everything - {m, b}):
                needed = False
                break
        if ask.recording and len(F) > 1:
            kept, lost = D(everything - {m}), D(everything - {m, b})
            told = f"with every m; the last, {m}" if needed else f"not without {m}"
            ask.score(b, "loss", float(kept - lost), f"{told}: D(F − m) = {kept}, without {b} {lost}")  # [3]
        if needed:  # [3]
            B2 |= b  # [4-5]
    return B2  # [6]
