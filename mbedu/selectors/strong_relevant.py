"""FSDMS, first part: the strongly relevant features, without which the whole set determines less."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.neighbours import Measure, measure
from mbedu.selectors.source import look
from mbedu.varset import VarSet


@algorithm(
    "strong_relevant",
    title="Strong Relevant Features Generation",
    paper="liu2015",
    place="Algorithm 1",
    kind="procedure",
    returns="A1, some of the strongly relevant features (Theorem 4)",
    notebook="09_relevance",
    pseudocode="""
    1  A1 ← ∅
    2  for each a ∈ F do
    3      if D(F) > D(F − {a}) then
    4          A1 = A1 ∪ a
    5      end
    6  end""",
)
def strong_relevant(ask: Ask, T: str, *, theta: float = 0.14, using: Measure | None = None) -> VarSet:
    """Return A1: the features whose loss lowers the dependency of the whole set.

    Parameters
    ----------
    ask, T
        The door to what carries the data, and the label (Y in the paper).
    theta : float
        The radius of a neighbourhood, for numeric columns.
    using : Measure, optional
        What computes D, when a caller has it at hand already.

    Notes
    -----
    Symbols: F is the set of all features, D the dependency (Definition 7 or 9).
    """
    F = ask.others(T)
    D = (using or measure(look(ask, T, "strong_relevant", support=True), T, F, theta)).dependency
    A1 = ask.set("A1")  # [1]
    whole = D(F)
    for a in F:  # [2]
        without = D(frozenset(F) - {a})
        if ask.recording:
            ask.score(a, "loss", float(whole - without), f"D(F) = {whole}, without it {without}")  # [3]
        if whole > without:  # [3]
            A1 |= a  # [4-5]
    return A1  # [6]
