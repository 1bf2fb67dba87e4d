"""ReliefF: the k nearest hits, and the k nearest misses of every other label."""

from __future__ import annotations

import numpy as np

from mbedu.ask import Ask
from mbedu.registry import algorithm, whole
from mbedu.selectors.checks import number
from mbedu.selectors.distances import Differences
from mbedu.selectors.ranking import Ranking, Top, by_weight, check_top
from mbedu.selectors.source import Floats, Ints, observed
from mbedu.selectors.wrapping import check_wrapper, wrapped


@algorithm(
    "relieff",
    title="ReliefF",
    paper="kononenko1994",
    place="described there; the numbered lines are ours",
    kind="selector",
    returns="the features whose weight exceeds τ",
    notebook="09_relevance",
    verified="weights equal to a plain loop on generated tables",
    pseudocode="""
    1  W[f] ← 0 for all features f
    2  for all instances x do
    3      H ← the k nearest instances with the label of x
    4      M(c) ← the k nearest instances with label c, for every other label c
    5      W[f] ← W[f] − mean of diff(f, x, h) over h ∈ H
    6                  + Σ_c P(c) / (1 − P(label of x)) · mean of diff(f, x, m) over m ∈ M(c)
    7  W[f] ← W[f] / number of instances
    8  return {f : W[f] > τ}""",
)
def relieff(
    ask: Ask,
    T: str,
    *,
    k: int = 10,
    tau: float = 0.0,
    top: Top = None,
    wrapper: str | None = None,
    seed: int = 0,
) -> Ranking:
    """Return the features that tell an instance from its k nearest misses more than from its k nearest hits.

    Parameters
    ----------
    ask, T
        The door to what carries the rows, and the label.
    k : int
        How many neighbours of each label; where there are fewer, all of them.
    tau : float
        The weight above which a feature is returned.
    top : int, "all" or None
        Return so many features by falling weight instead.
    wrapper : {"svm", "cart", "bayes"} or None
        Let a classifier cut the ranking instead, as liu2015 does.
    seed : int
        The seed of the wrapper's folds; nothing else is random.

    Notes
    -----
    All instances are used, so nothing is drawn. Nearest is by the sum of the differences (Manhattan); of
    equally near rows the earlier ones are taken.
    """
    whole("k", k, at_least=1)
    number("tau", tau)
    check_top(top)
    check_wrapper(wrapper, top, seed)
    rows = observed(ask, T, "relieff")
    gaps = Differences(rows, ask.others(T), "relieff")  # [1]
    pairs = neighbours(gaps.distances(power=1), rows.codes[T], k)  # [2-6]
    weights = {v: w / len(rows) for v, w in gaps.sums(pairs, power=1).items()}  # [7]
    for v, w in weights.items():
        ask.score(v, "W", w)  # [7]
    return wrapped(ask, T, by_weight(ask, weights, tau=tau, top=top), wrapper, seed)  # [8]


def neighbours(far: Ints, label: Ints, k: int) -> Floats:
    """Return what each pair of rows counts: hits below 0, misses above, by the prior of their label."""
    n = len(label)
    beyond = np.iinfo(np.int64).max
    other = ~np.eye(n, dtype=bool)
    prior = np.bincount(label) / n
    pairs: Floats = np.zeros((n, n))
    for c in np.unique(label).tolist():
        masked = np.where(other & (label == c), far, beyond)
        taken = np.argsort(masked, axis=1, kind="stable")[:, :k]
        there = np.take_along_axis(masked, taken, axis=1) < beyond
        share = np.full(n, -1.0)
        miss = label != c
        share[miss] = prior[c] / (1 - prior[label[miss]])
        worth = share[:, None] * there / np.maximum(there.sum(axis=1, keepdims=True), 1)
        pairs[np.arange(n)[:, None], taken] += worth
    return pairs
