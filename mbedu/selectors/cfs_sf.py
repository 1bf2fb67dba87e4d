"""CFS-SF: correlation-based feature selection with sequential forward search."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.cells import Cells
from mbedu.selectors.ranking import TIE, Ranking
from mbedu.selectors.source import look, refuse_numeric


@algorithm(
    "cfs_sf",
    title="CFS-SF",
    paper="hall2000",
    place="the merit of Hall with the sequential forward search of yu2004; the numbered lines are ours",
    kind="selector",
    returns="features that go with the label and not with each other",
    notebook="09_relevance",
    verified="every step recomputed from Hall's merit",
    pseudocode="""
    1  S ← ∅
    2  repeat
    3      f* ← arg max over f ∉ S of merit(S ∪ {f}), where
    4          merit(S) = Σ SU(f, Y) over f ∈ S / √(|S| + 2·Σ SU(f, g) over pairs f, g of S)
    5      if merit(S ∪ {f*}) ≤ merit(S) then return S
    6      S ← S ∪ {f*}""",
)
def cfs_sf(ask: Ask, T: str) -> Ranking:
    """Return the features found by adding the one that raises the merit most, as long as one does.

    Notes
    -----
    The merit is k·r̄_cf / √(k + k(k − 1)·r̄_ff) with symmetrical uncertainty as the correlation, written
    with sums instead of means. merit(∅) = 0. Equal merits go by the order of the variables.
    """
    features = ask.others(T)
    rows = look(ask, T, "cfs_sf")
    refuse_numeric(rows, features, "cfs_sf")
    cells = Cells(rows, T, features)
    S, merit = ask.set("S"), 0.0  # [1]
    sequence: list[str] = []
    while left := [f for f in features if f not in S]:  # [2]
        best, highest = "", -math.inf
        for f in left:  # [3]
            value = merit_of(cells, T, [*sequence, f])
            ask.score({*sequence, f}, "merit", value)  # [4]
            if value > highest + TIE:
                best, highest = f, value
        if highest <= merit + TIE:  # [5]
            break
        sequence.append(best)
        merit = highest
        S |= best  # [6]
    return Ranking(sequence)  # [5]


def merit_of(cells: Cells, T: str, members: Sequence[str]) -> float:
    """Return Hall's merit of a set of features."""
    su = cells.symmetrical_uncertainty
    with_label = math.fsum(su(f, T) for f in members)
    together = math.fsum(su(f, g) for i, f in enumerate(members) for g in members[:i])
    return with_label / math.sqrt(len(members) + 2 * together)
