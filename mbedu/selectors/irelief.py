"""I-RELIEF: RELIEF with the neighbours unknown, averaged over how likely each is one."""

from __future__ import annotations

import math

import numpy as np

from mbedu.ask import Ask
from mbedu.errors import DataError
from mbedu.registry import algorithm, whole
from mbedu.selectors.checks import number
from mbedu.selectors.distances import Differences
from mbedu.selectors.ranking import Ranking, Top, by_weight, check_top
from mbedu.selectors.source import Floats, Ints, observed
from mbedu.selectors.wrapping import check_wrapper, wrapped


@algorithm(
    "irelief",
    title="I-RELIEF",
    paper="sun2007",
    place="I-RELIEF-1, described there; the numbered lines are ours",
    kind="selector",
    assumes=("two labels",),
    returns="the features whose weight exceeds τ",
    verified="weights equal to a plain loop on generated tables",
    notebook="09_relevance",
    pseudocode="""
    1  w[f] ← 1 / number of features
    2  repeat
    3      K(x, z) ← exp(−Σ_f w[f]·diff(f, x, z) / σ)
    4      α(x, m) ← K(x, m) / Σ K over the misses of x; β(x, h) ← K(x, h) / Σ K over its hits
    5      γ(x) ← 1 − Σ K over the misses of x / Σ K over all others
    6      ν[f] ← mean over x of γ(x)·[Σ_m α(x, m)·diff(f, x, m) − Σ_h β(x, h)·diff(f, x, h)]
    7      w ← ν⁺ / ‖ν⁺‖
    8  until w changes by less than the tolerance
    9  return {f : w[f] > τ}""",
)
def irelief(
    ask: Ask,
    T: str,
    *,
    sigma: float = 1.0,
    tolerance: float = 1e-3,
    rounds: int = 1000,
    tau: float = 0.0,
    top: Top = None,
    wrapper: str | None = None,
    seed: int = 0,
) -> Ranking:
    """Return the features with a positive weight after I-RELIEF has settled.

    Parameters
    ----------
    ask, T
        The door to what carries the rows, and the label, which must have two values.
    sigma : float
        The width σ of the kernel; liu2015 takes 1.
    tolerance, rounds : float, int
        When to stop: the change of w, and the most rounds (a note in the trace says when they did not do).
    tau : float
        The weight above which a feature is returned; weights have length 1 together.
    top : int, "all" or None
        Return so many features by falling weight instead.
    wrapper : {"svm", "cart", "bayes"} or None
        Let a classifier cut the ranking instead, as liu2015 does.
    seed : int
        The seed of the wrapper's folds; nothing else is random.
    """
    number("sigma", sigma, above=0)
    number("tolerance", tolerance, above=0)
    number("tau", tau)
    whole("rounds", rounds, at_least=1)
    check_top(top)
    check_wrapper(wrapper, top, seed)
    rows = observed(ask, T, "irelief")
    label = rows.codes[T]
    counts = np.bincount(label)
    if (counts > 0).sum() != 2 or counts[counts > 0].min() < 2:
        raise DataError(
            f"irelief is for two labels with at least two rows each, and {T!r} has the counts "
            f"{counts[counts > 0].tolist()}; use relieff"
        )
    features = ask.others(T)
    gaps = Differences(rows, features, "irelief")
    same = label[:, None] == label[None, :]
    w = dict.fromkeys(features, 1 / max(1, len(features)))  # [1]
    for _ in range(rounds):  # [2]
        kernel = np.exp(-gaps.weighted_distances(w) / sigma)  # [3]
        pairs = expected(kernel, same)  # [4-5]
        nu = {v: max(0.0, total / len(rows)) for v, total in gaps.sums(pairs, power=1).items()}  # [6]
        length = math.sqrt(math.fsum(x * x for x in nu.values()))
        new = {v: x / length if length else 0.0 for v, x in nu.items()}  # [7]
        change = math.sqrt(math.fsum((new[v] - w[v]) ** 2 for v in features))
        w = new
        if change < tolerance:  # [8]
            break
    else:
        ask.note(f"After {rounds} rounds the weights still change by {change:.2g}; they are used as is.")
    for v in features:
        ask.score(v, "w", w[v])  # [8]
    return wrapped(ask, T, by_weight(ask, w, tau=tau, top=top), wrapper, seed)  # [9]


def expected(kernel: Floats, same: Ints) -> Floats:
    """Return what each pair of rows counts: γ·α for misses, −γ·β for hits."""
    other = ~np.eye(len(kernel), dtype=bool)
    hits, misses = np.where(same & other, kernel, 0.0), np.where(same, 0.0, kernel)
    hit, miss = hits.sum(axis=1, keepdims=True), misses.sum(axis=1, keepdims=True)
    gamma = hit / (hit + miss)  # 1 − miss / (hit + miss), without the cancellation
    out: Floats = gamma * (misses / miss - hits / hit)
    return out
