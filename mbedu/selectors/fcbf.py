"""FCBF: the fast correlation-based filter, with approximate Markov blankets of one feature each."""

from __future__ import annotations

import math
from typing import Literal

from mbedu.ask import Ask
from mbedu.registry import algorithm, require
from mbedu.selectors.cells import Cells
from mbedu.selectors.checks import number
from mbedu.selectors.ranking import TIE, Ranking, descending
from mbedu.selectors.source import look, refuse_numeric


@algorithm(
    "fcbf",
    title="FCBF",
    paper="yu2004",
    place="the FCBF algorithm, described there; the numbered lines are ours",
    kind="selector",
    returns="predominant features: relevant ones that no better one stands in for",
    notebook="09_relevance",
    verified="worked examples by hand",
    pseudocode="""
    1  for all features f do
    2      if SU(f, Y) ≥ δ then append f to S
    3  order S by falling SU(f, Y)
    4  for p in S, from the first on do
    5      for q in S after p do
    6          if SU(p, q) ≥ SU(q, Y) then remove q from S
    7  return S""",
)
def fcbf(ask: Ask, T: str, *, delta: float | Literal["log"] = 0.0) -> Ranking:
    """Return the relevant features that are no approximate copy of a better one.

    Parameters
    ----------
    ask, T
        The door to what carries the data or the distribution, and the label.
    delta : float or "log"
        The relevance threshold δ. 0 keeps every feature, as FCBF(0) of liu2015 does; "log" is FCBF(log):
        the SU of the feature ranked ⌊N / log₂ N⌋, of N features.

    Notes
    -----
    SU is the symmetrical uncertainty 2·I(f; Y) / (H(f) + H(Y)). Equal values count as equal up to
    rounding, and are ranked in the order of the variables. The comparison of line 2 is ≥, so with δ = 0
    irrelevant features stay in until line 6 meets them; a feature with SU = 0 is then removed by any p.
    """
    if delta != "log":
        number("delta", delta, at_least=0)
        require(delta <= 1, f"delta={delta!r}: a symmetrical uncertainty is at most 1; or use 'log'")
    features = ask.others(T)
    rows = look(ask, T, "fcbf")
    refuse_numeric(rows, features, "fcbf")
    cells = Cells(rows, T, features)
    relevance = {f: cells.symmetrical_uncertainty(f, T) for f in features}
    limit = threshold(relevance, delta)
    S = ask.set("S")
    for f in features:  # [1]
        ask.score(f, "SU", relevance[f], f"with {T}; δ = {limit:.6g}")  # [2]
        if relevance[f] >= limit - TIE:
            S |= f  # [2]
    order = [f for f in descending(relevance) if f in S]  # [3]
    for p in list(order):  # [4]
        if p not in S:
            continue
        for q in order[order.index(p) + 1 :]:  # [5]
            if q in S and (shared := cells.symmetrical_uncertainty(p, q)) >= relevance[q] - TIE:
                ask.score((p, q), "SU", shared, f"at least {relevance[q]:.6g}, that of {q} with {T}")  # [6]
                S -= q  # [6]
    kept = [f for f in order if f in S]
    return Ranking(kept, scores=relevance)  # [7]


def threshold(relevance: dict[str, float], delta: float | Literal["log"]) -> float:
    """Return δ as a number; "log" is the value of the feature ranked ⌊N / log₂ N⌋ (at least the first)."""
    if delta != "log":
        return float(delta)
    N = len(relevance)
    if N < 2:
        return 0.0
    rank = min(N, math.floor(N / math.log2(N)))
    return relevance[descending(relevance)[rank - 1]]
