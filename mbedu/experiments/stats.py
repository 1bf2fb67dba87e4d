"""The statistics of the experiments: F1, intervals, paired tests, critical differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mbedu.errors import DataError

__all__ = [
    "Interval", "critical_difference", "f1", "mean_interval", "mean_ranks", "missing_extra",
    "prediction_interval", "share_interval", "wilcoxon",
]  # fmt: skip


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % confidence interval, from n values.

    Examples
    --------
    >>> print(Interval(0.5, 0.41, 0.59, 20))
    0.500 [0.410, 0.590]
    """

    mean: float
    low: float
    high: float
    n: int

    def overlaps(self, other: Interval) -> bool:
        """Say whether the two intervals have a point in common."""
        return self.low <= other.high and other.low <= self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if self.low == self.high == self.mean:
            return f"{self.mean:.3f}" + ("" if self.n > 1 else " (once)")
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def missing_extra(found: Iterable[str], true: Iterable[str]) -> tuple[int, int]:
    """Return how many true members were not found, and how many found ones are not true."""
    a, b = set(found), set(true)
    return len(b - a), len(a - b)


def f1(found: Iterable[str], true: Iterable[str]) -> float:
    """Return the harmonic mean of precision and recall; 1 when both sets are empty, 0 when one is.

    Examples
    --------
    >>> f1({"A", "B"}, {"B", "C", "D"})
    0.4
    """
    a, b = set(found), set(true)
    return 1.0 if not a and not b else 2.0 * len(a & b) / (len(a) + len(b))


def mean_interval(values: Iterable[float], *, level: float = 0.95) -> Interval:
    """Return the mean with Student's confidence interval; of one value the interval is that value.

    Examples
    --------
    >>> print(mean_interval([1, 2, 3, 4]))
    2.500 [0.446, 4.554]
    """
    listed = [float(v) for v in values]
    if not listed:
        raise DataError("the mean of no values; an experiment has to measure something first")
    n, mean = len(listed), math.fsum(listed) / len(listed)
    if n == 1:
        return Interval(mean, mean, mean, 1)
    from scipy.special import stdtrit

    error = math.sqrt(math.fsum((v - mean) ** 2 for v in listed) / (n - 1) / n)
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    return Interval(mean, mean - half, mean + half, n)


def prediction_interval(values: Iterable[float], *, level: float = 0.95) -> Interval:
    """Return the mean, with the interval in which one more value lies with probability 95 %.

    Where a paper prints what one repetition gave, this is the interval to hold it against; the interval of
    the mean would shrink to nothing with more repetitions, and one repetition would not.

    Examples
    --------
    >>> print(prediction_interval([1, 2, 3, 4]))
    2.500 [-2.093, 7.093]
    """
    found = mean_interval(values, level=level)
    half = (found.high - found.mean) * math.sqrt(found.n + 1)
    return Interval(found.mean, found.mean - half, found.mean + half, found.n)


def share_interval(hits: int, n: int, *, level: float = 0.95) -> Interval:
    """Return a share with Wilson's interval, which is right for few trials and shares near 0 and 1.

    Examples
    --------
    >>> print(share_interval(8, 10))
    0.800 [0.490, 0.943]
    """
    if not 0 <= hits <= n or n < 1:
        raise DataError(f"{hits} of {n}: a share needs at least one trial and no more hits than trials")
    from scipy.special import ndtri

    z = float(ndtri(0.5 + level / 2))
    p, scale = hits / n, 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    return Interval(p, max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)), n)


def wilcoxon(
    a: Sequence[float],
    b: Sequence[float],
    *,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
) -> float:
    """Return the p-value of Wilcoxon's signed-rank test on pairs; 1 when no pair differs.

    Examples
    --------
    >>> round(wilcoxon([1, 2, 3, 4, 5, 6], [2, 3, 5, 6, 8, 9]), 4)
    0.0312
    >>> wilcoxon([1, 2], [1, 2])
    1.0
    """
    if len(a) != len(b):
        raise DataError(f"{len(a)} values against {len(b)}: a paired test needs pairs")
    differences = [float(x) - float(y) for x, y in zip(a, b, strict=True)]
    if not any(differences):
        return 1.0
    from scipy.stats import wilcoxon as signed_rank

    found: Any = signed_rank([d for d in differences if d], None, alternative=alternative)
    return float(found.pvalue)


def mean_ranks(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return each method's mean rank over the problems, 1 for the largest score; equal scores share ranks.

    Examples
    --------
    >>> mean_ranks({"A": [3, 2], "B": [1, 2], "C": [2, 1]})
    {'A': 1.25, 'B': 2.25, 'C': 2.5}
    """
    import numpy as np
    from scipy.stats import rankdata

    table = np.array([list(map(float, v)) for v in scores.values()])
    ranks = rankdata(-table, axis=0)
    return {name: float(r) for name, r in zip(scores, ranks.mean(axis=1), strict=True)}


def critical_difference(scores: Mapping[str, Sequence[float]], *, alpha: float = 0.05) -> dict[str, Any]:
    """Compare several methods on several problems by Friedman's test and Nemenyi's critical difference.

    Returns
    -------
    dict
        `ranks` (mean rank of each method, best first), `p_value` (of Friedman's test), `difference` (two
        methods differ when their mean ranks are further apart), `cliques` (maximal groups that do not).

    References
    ----------
    J. Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> found = critical_difference({"A": [5, 6, 7, 8, 9], "B": [4, 5, 6, 7, 8], "C": [1, 1, 1, 1, 1]})
    >>> found["ranks"], round(found["difference"], 3), found["cliques"]
    ({'A': 1.0, 'B': 2.0, 'C': 3.0}, 1.482, [['A', 'B'], ['B', 'C']])
    """
    from scipy.stats import friedmanchisquare, studentized_range

    k, n = len(scores), len(next(iter(scores.values()), ()))
    if k < 2 or n < 2:
        raise DataError(f"{k} methods on {n} problems: a comparison of ranks needs two of each at least")
    ranks = dict(sorted(mean_ranks(scores).items(), key=lambda item: item[1]))
    difference = (
        float(studentized_range.ppf(1 - alpha, k, 1e6)) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n))
    )
    same = all(len(set(column)) == 1 for column in zip(*scores.values(), strict=True))
    p_value = 1.0 if same or k < 3 else float(friedmanchisquare(*scores.values()).pvalue)
    if k == 2:
        first, second = scores.values()
        p_value = wilcoxon(first, second)
    return {
        "ranks": ranks,
        "p_value": p_value,
        "difference": difference,
        "cliques": _cliques(ranks, difference),
    }


def _cliques(ranks: Mapping[str, float], difference: float) -> list[list[str]]:
    """Return the maximal runs of neighbours in rank whose ends are not further apart than `difference`."""
    names = list(ranks)
    runs: list[list[str]] = []
    for i, first in enumerate(names):
        run = [m for m in names[i:] if ranks[m] - ranks[first] <= difference]
        if len(run) > 1 and not any(set(run) <= set(r) for r in runs):
            runs.append(run)
    return runs
