"""Tail probabilities of χ², their logarithms where they underflow, and critical values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = [
    "CompiledTails",
    "CriticalValues",
    "benjamini_hochberg",
    "chi2_sf",
    "chi2_tail",
    "chi2_tails",
    "log_chi2_sf",
]

Floats: TypeAlias = NDArray[np.float64]
Tail: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]  # p and log p
OneTail: TypeAlias = Callable[[float, float], tuple[float, float]]
TINY = 1e-280  # below this the logarithm is computed on its own
GUARD = 1e-9  # relative: nearer to a critical value than this the p-value itself decides


def chi2_sf(statistic: ArrayLike, df: ArrayLike) -> Floats:
    """Return P(χ² with `df` degrees of freedom > statistic); 1 where df is 0.

    Examples
    --------
    >>> chi2_sf([3.841458820694124, 0.0, 5.0], [1, 3, 0]).round(12).tolist()
    [0.05, 1.0, 1.0]
    """
    x, d = np.broadcast_arrays(np.asarray(statistic, float), np.asarray(df, float))
    p = np.ones(x.shape)
    one = (d == 1) & (x > 0)
    more = (d > 1) & (x > 0)
    if one.any():
        p[one] = special.erfc(np.sqrt(0.5 * x[one]))
    if more.any():
        p[more] = special.chdtrc(d[more], x[more])
    return p


def chi2_tails(statistic: Floats, df: Floats) -> tuple[Floats, Floats]:
    """Return p-values and their logarithms, which keep their order where p underflows."""
    return _with_logs(chi2_sf(statistic, df), statistic, df)


def chi2_tail(statistic: float, df: float) -> tuple[float, float]:
    """Return one p-value and its logarithm: what `chi2_tails` gives, in less time."""
    if df < 1.0 or statistic <= 0.0:
        return 1.0, 0.0
    p = special.erfc(np.sqrt(0.5 * statistic)) if df == 1.0 else special.chdtrc(df, statistic)
    if p < TINY:
        log_p = float(log_chi2_sf([statistic], [df])[0])
        return float(np.exp(log_p)), log_p
    return float(p), float(np.log(p))


class CompiledTails:
    """The same two functions by the compiled finite sum, and by scipy where that does not reach."""

    def __init__(self) -> None:
        from mbedu.citests import kernels_numba

        self._one: Any = kernels_numba.chi2_tail
        self._many: Any = kernels_numba.chi2_tails

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledTails, ()

    def one(self, statistic: float, df: float) -> tuple[float, float]:
        """Return one p-value and its logarithm."""
        p, log_p = self._one(statistic, df)
        return (p, log_p) if p == p else chi2_tail(statistic, df)  # noqa: PLR0124 - NaN is out of reach

    def many(self, statistic: Floats, df: Floats) -> tuple[Floats, Floats]:
        """Return p-values and their logarithms."""
        p, log_p = self._many(statistic, df)
        rest = np.flatnonzero(np.isnan(p))
        if len(rest):
            p[rest], log_p[rest] = chi2_tails(statistic[rest], df[rest])
        return p, log_p


def _with_logs(p: Floats, statistic: Floats, df: Floats) -> tuple[Floats, Floats]:
    low = p < TINY
    log_p = np.log(np.where(low, 1.0, p))
    if low.any():
        log_p[low] = log_chi2_sf(statistic[low], df[low])
        p = p.copy()
        p[low] = np.exp(log_p[low])
    return p, log_p


def log_chi2_sf(statistic: ArrayLike, df: ArrayLike) -> Floats:
    """Return the logarithm of the upper tail of χ², for statistics far out (statistic > df + 2).

    Legendre's continued fraction of the incomplete gamma function, by Lentz's method.

    Examples
    --------
    >>> log_chi2_sf([2000.0, 20000.0], [1, 4]).round(6).tolist()
    [-1004.026742, -9990.78956]
    """
    x, d = np.broadcast_arrays(np.asarray(statistic, float), np.asarray(df, float))
    return np.array([_log_tail(0.5 * v, 0.5 * k) for v, k in zip(x.flat, d.flat, strict=True)])


def _log_tail(x: float, a: float) -> float:
    # one by one: each stops when it has converged, whatever the others need
    b = x + 1.0 - a
    c = 1e300
    d = h = 1.0 / b
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2.0
        d = 1.0 / (an * d + b)  # b > a and x > a + 1 keep the denominators away from 0
        c = b + an / c
        step = d * c
        h *= step
        if abs(step - 1.0) < 1e-15:
            break
    return -x + a * math.log(x) - math.lgamma(a) + math.log(h)


class CriticalValues:
    """For one alpha: the statistics above which p ≤ alpha is certain, and below which it is not.

    `sure_above[df]` and `sure_below[df]` leave a band around the critical value, relative 1e-9, in
    which rounding could decide; there the p-value is computed. So the shortcut never changes a verdict.
    """

    def __init__(self, alpha: float, *, tail: Tail, largest: int = 512) -> None:
        self.alpha = alpha
        self.tail = tail
        self.sure_above, self.sure_below = self._bounds(np.arange(largest + 1.0))

    def _bounds(self, df: Floats) -> tuple[Floats, Floats]:
        value = special.chdtri(np.maximum(df, 1.0), self.alpha)  # where p = alpha
        value = np.where(np.isfinite(value), value, 0.0)
        above, below = value * (1 + GUARD) + GUARD, value * (1 - GUARD) - GUARD
        return np.where(df < 1, np.inf, above), np.where(df < 1, np.inf, below)  # df = 0 is never significant

    def significant(self, statistic: Floats, df: Floats) -> NDArray[np.bool_]:
        """Say where p ≤ alpha."""
        if len(df) and df.max() >= len(self.sure_above):
            above, below = self._bounds(df)
        else:
            at = df.astype(np.int64)
            above, below = self.sure_above[at], self.sure_below[at]
        yes = statistic > above
        unsure = np.flatnonzero(~yes & (statistic >= below))
        if len(unsure):
            yes[unsure] = self.tail(statistic[unsure], df[unsure])[0] <= self.alpha
        return yes


def benjamini_hochberg(log_p: Floats) -> Floats:
    """Return the logarithms of the adjusted p-values.

    Rejecting those with an adjusted p ≤ q keeps the false discovery rate at q.

    Examples
    --------
    >>> np.exp(benjamini_hochberg(np.log([0.01, 0.04, 0.03, 0.5]))).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    """
    order = np.argsort(log_p, kind="stable")
    m = len(log_p)
    raised = log_p[order] + np.log(m / np.arange(1, m + 1))
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 0.0)
    return adjusted
