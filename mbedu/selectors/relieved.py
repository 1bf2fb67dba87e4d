"""RELIEVED: RELIEF without chance, over all instances and all of their nearest hits and misses."""

from __future__ import annotations

import numpy as np

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.checks import number
from mbedu.selectors.distances import Differences
from mbedu.selectors.ranking import Ranking, Top, by_weight, check_top
from mbedu.selectors.source import Floats, Ints, observed


@algorithm(
    "relieved",
    title="RELIEVED",
    paper="john1994",
    place="described there after kira1992; the numbered lines are ours",
    kind="selector",
    returns="the features whose weight exceeds τ",
    notebook="09_relevance",
    verified="weights equal to a plain loop on generated tables",
    pseudocode="""
    1  W[f] ← 0 for all features f
    2  for all instances x do
    3      H ← all nearest instances of the same label; M ← all nearest of another label
    4      W[f] ← W[f] − mean of diff(f, x, h)² over h ∈ H + mean of diff(f, x, m)² over m ∈ M
    5  W[f] ← W[f] / number of instances
    6  return {f : W[f] > τ}""",
)
def relieved(ask: Ask, T: str, *, tau: float = 0.03, top: Top = None) -> Ranking:
    """Return the features that tell an instance from its nearest miss more than from its nearest hit.

    Parameters
    ----------
    ask, T
        The door to what carries the rows, and the label.
    tau : float
        The threshold τ; margaritis2009 uses 0.01 and 0.03.
    top : int, "all" or None
        Return so many features by falling weight instead.

    Notes
    -----
    RELIEF draws instances, and of several nearest ones takes any; this is what it tends to in the long run.
    Nearest is by the Euclidean distance, as in kira1992. An instance that is alone with its label has no
    hit, and counts by its misses only.
    """
    number("tau", tau)
    check_top(top)
    rows = observed(ask, T, "relieved")
    gaps = Differences(rows, ask.others(T), "relieved")  # [1]
    far = gaps.distances(power=2)
    same = rows.codes[T][:, None] == rows.codes[T][None, :]  # [2]
    alone = np.eye(len(rows), dtype=bool)
    pairs = nearest(far, ~same) - nearest(far, same & ~alone)  # [3]
    weights = {v: w / len(rows) for v, w in gaps.sums(pairs, power=2).items()}  # [4-5]
    for v, w in weights.items():
        ask.score(v, "W", w)  # [5]
    return by_weight(ask, weights, tau=tau, top=top)  # [6]


def nearest(far: Ints, allowed: Ints) -> Floats:
    """Return for each row equal shares, adding up to 1, of all its nearest allowed rows; 0 without any."""
    beyond = np.iinfo(np.int64).max
    masked = np.where(allowed, far, beyond)
    chosen = (masked == masked.min(axis=1, keepdims=True)) & allowed
    count = chosen.sum(axis=1, keepdims=True)
    out: Floats = chosen / np.maximum(count, 1)
    return out
