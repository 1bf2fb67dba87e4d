"""The conditional permutation test: how often does shuffling x within the strata of z do as much?

If x and y are independent given z, then within a stratum of z every order of the x values was equally
likely. So shuffle them there B times, count the b shuffles whose G² is at least the observed one, and
p = (1 + b) / (1 + B). Under the null hypothesis P(p ≤ alpha) ≤ alpha at every sample size; no
asymptotics are involved [1]_ [2]_.

A shuffle matters only through its table of counts. Where the tables are small they are drawn
directly, cell by cell, from the hypergeometric distributions that shuffling gives them; where they are
larger than the data, the rows themselves are shuffled. Both have the same distribution.

References
----------
.. [1] Phipson and Smyth, Permutation p-values should never be zero, 2010.
.. [2] Tsamardinos and Borboudakis, Permutation testing improves Bayesian network learning, 2010.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.common import (
    check_alpha,
    check_seed,
    columns_of,
    plain_verdict,
    query_seed,
    sides,
    take_rows,
)
from mbedu.citests.encode import Encoded, Ints, Missing, encode
from mbedu.citests.explaining import explain_table
from mbedu.errors import JudgeError
from mbedu.judge import Batched, Verdict
from mbedu.query import Query

__all__ = ["Permutation"]

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[np.random.Generator, int], Floats]

FIRST = 32  # shuffles before the first look; each further block is twice as long
CELLS = 1 << 20  # numbers held at once
DRAWN = 4  # a hypergeometric number costs about as much as shuffling four rows
SAME = 1e-10  # relative: sums of the same logarithms in another order


class Permutation(Batched):
    """A Monte Carlo conditional permutation test on discrete data.

    Parameters
    ----------
    data : pandas.DataFrame, scipy.sparse matrix of 0/1, 2-D integer array, or Encoded
        As for `G2`.
    alpha : float
        Dependent if and only if p ≤ alpha.
    permutations : int
        B, the number of shuffles; p is a multiple of 1 / (1 + B).
    seed : int
        The random numbers depend on the seed and on the question alone: not on what was asked
        before, on the process, or on which side is called x.
    statistic : "g2" or "mi"
        What the verdict reports: G², or the conditional mutual information in nats. Within one
        question they order tables alike, so the p-value is the same.
    exact : bool
        Do all B shuffles. Otherwise shuffling stops as soon as it is certain whether p ≤ alpha, the
        verdict being the same, and the p-value is then a bound, as its reason says. Rank candidates
        by p-value only with `exact=True`.
    missing : "error" or "drop"
        Refuse missing values, or leave out, test by test, the rows that lack one of its variables.
    names : sequence of str, optional
        The variables, if `data` is a matrix or an array.

    Notes
    -----
    There are no degrees of freedom. `reliable` is False where the strata allow so few different
    orders that p ≤ alpha cannot come about but by luck of the draw.

    Examples
    --------
    >>> import pandas as pd
    >>> coins = pd.DataFrame({"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5})
    >>> coins["parity"] = coins.a ^ coins.b
    >>> test = Permutation(coins, exact=True)
    >>> test.judge(Query("a", "parity")).independent
    True
    >>> verdict = test.judge(Query("a", "parity", "b"))
    >>> verdict.independent, verdict.p_value, verdict.n
    (False, 0.001, 20)
    """

    ranks = True

    def __init__(
        self,
        data: Any,
        alpha: float = 0.05,
        *,
        permutations: int = 999,
        seed: int = 0,
        statistic: Literal["g2", "mi"] = "g2",
        exact: bool = False,
        missing: Missing = "error",
        names: Sequence[str] | None = None,
    ) -> None:
        self.alpha = check_alpha(alpha)
        if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 1:
            raise JudgeError(f"permutations={permutations!r}: it is a whole number, at least 1")
        if statistic not in ("g2", "mi"):
            raise JudgeError(f"statistic={statistic!r}: it is 'g2' or 'mi' (conditional mutual information)")
        self.permutations, self.statistic, self.exact = permutations, statistic, exact
        self.most = _most(permutations, self.alpha)
        if self.most < 0:
            raise JudgeError(
                f"permutations={permutations} with alpha={alpha}: p is never below 1/{permutations + 1}, "
                f"so nothing could be dependent; use at least {math.ceil(1 / self.alpha) - 1} permutations"
            )
        self.seed = check_seed(seed)
        self.missing = missing
        self.data: Encoded = encode(data, names=names, missing=missing)
        self.variables = self.data.names

    def rows(self, index: Any) -> Permutation:
        """Return the same judge on some of the rows (row numbers or a mask)."""
        return Permutation(take_rows(self.data, index), self.alpha, **self._options())

    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        table = _Strata.read(self.data, query)
        if table.vacuous:
            return Verdict(True, 1.0, 0.0, None, 0.0, table.vacuous_reliable, table.vacuous, table.n, 0.0)
        g2 = table.g2()
        strength = g2 / (2.0 * table.n)
        statistic = g2 if self.statistic == "g2" else strength
        rng = np.random.default_rng(query_seed(self.seed, query))
        p, reason = self._shuffle(table, rng, exact=self.exact)
        reliable = True
        if table.log_orders() < -math.log(self.alpha):
            orders = round(math.exp(table.log_orders()))
            told = f"the strata allow only {orders} different orders, too few for alpha"
            reason, reliable = "; ".join(filter(None, (told, reason))), False
        return Verdict(p > self.alpha, p, statistic, None, strength, reliable, reason, table.n, math.log(p))

    def _shuffle(self, table: _Strata, rng: np.random.Generator, *, exact: bool) -> tuple[float, str]:
        """Return the p-value, and what to say of it."""
        total, done, above = self.permutations, 0, 0
        draw, observed, largest = table.sampler()
        for block in _blocks(total, largest):
            if not exact and (above > self.most or above + total - done <= self.most):
                break
            above += int((draw(rng, block) >= observed).sum())
            done += block
        if done == total:
            return (1 + above) / (1 + total), ""
        if above > self.most:
            return (1 + above) / (1 + total), f"decided after {done} of {total} shuffles: p is at least this"
        bound = (1 + above + total - done) / (1 + total)
        return bound, f"decided after {done} of {total} shuffles: p is at most this"

    def explain(self, query: Query, *, largest: int = 2000) -> dict[str, Any]:
        """Return the contingency tables behind a verdict and the p-value of all shuffles, as JSON values."""
        x, y, given = (columns_of(self.data.index, s) for s in (query.x, query.y, query.given))
        told = {**explain_table(self.data, x, y, given, largest), "verdict": plain_verdict(self.judge(query))}
        table = _Strata.read(self.data, query)
        if not table.vacuous:
            rng = np.random.default_rng(query_seed(self.seed, query))
            told["p_of_all_shuffles"] = self._shuffle(table, rng, exact=True)[0]
        return told

    def _options(self) -> dict[str, Any]:
        return {
            "permutations": self.permutations,
            "seed": self.seed,
            "statistic": self.statistic,
            "exact": self.exact,
            "missing": self.missing,
        }

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        size = {"kind": "Permutation", "rows": self.data.n, "variables": len(self.variables)}
        return {**size, "alpha": self.alpha, **self._options()}

    def __repr__(self) -> str:
        return f"<Permutation on {self.data.n} rows × {len(self.variables)} variables>"


def _most(permutations: int, alpha: float) -> int:
    """Return the largest b with (1 + b) / (1 + B) ≤ alpha in floating point; −1 if there is none."""
    b = math.floor(alpha * (1 + permutations)) + 1
    while b >= 0 and not (1 + b) / (1 + permutations) <= alpha:
        b -= 1
    return b


def _blocks(total: int, largest: int) -> Iterator[int]:
    size = FIRST
    while total > 0:
        size = min(size, total, largest)
        yield size
        total -= size
        size *= 2


@dataclass(slots=True)
class _Strata:
    """The rows of a question, sorted by stratum: only the strata in which both sides vary."""

    x: Ints
    y: Ints
    z: Ints
    n: int
    vacuous: str = ""
    vacuous_reliable: bool = True

    @classmethod
    def read(cls, data: Encoded, query: Query) -> _Strata:
        first, second = sides(query)  # so that it does not matter which one is shuffled
        xs, ys, zs = (columns_of(data.index, s) for s in (first, second, query.given))
        used = [*xs, *ys, *zs]
        codes = data.codes(used).astype(np.int64)
        if data.missing[used].any():
            codes = codes[:, (codes < data.cards[used][:, None]).all(axis=0)]
        n = codes.shape[1]
        a, b = len(xs), len(xs) + len(ys)
        x, y, z = _joint(codes[:a], n), _joint(codes[a:b], n), _joint(codes[b:], n)
        if n == 0:
            reason = "no row is complete in all the variables: counted as independent"
            return cls(x, y, z, 0, reason, vacuous_reliable=False)
        for side, code in ((first, x), (second, y)):
            if not code.any():
                shown = ", ".join(sorted(side))
                return cls(x, y, z, n, f"{shown} is constant in these {n} rows: independent")
        alive = _levels(x, z) > 1
        alive &= _levels(y, z) > 1
        if not alive.any():
            reason = "in every stratum one side is constant, so nothing can be tested: counted as independent"
            return cls(x, y, z, n, reason, vacuous_reliable=False)
        order = np.flatnonzero(alive[z])
        order = order[np.argsort(z[order], kind="stable")]
        x, y, z = (np.unique(code[order], return_inverse=True)[1] for code in (x, y, z))
        return cls(x, y, z, n)

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many strata, levels of x and levels of y there are."""
        return int(self.z.max()) + 1, int(self.x.max()) + 1, int(self.y.max()) + 1

    def margins(self) -> tuple[Ints, Ints]:
        """Return the counts of x and of y in each stratum."""
        s, r, c = self.shape
        x = np.bincount(self.z * r + self.x, minlength=s * r).reshape(s, r)
        y = np.bincount(self.z * c + self.y, minlength=s * c).reshape(s, c)
        return x, y

    def g2(self) -> float:
        """Return G² of the observed table; what the other strata add to it is zero."""
        x, y = self.margins()
        r, c = self.shape[1:]
        cell, count = np.unique((self.z * r + self.x) * c + self.y, return_counts=True)
        z = cell // (r * c)
        expected = x[z, cell // c % r] * y[z, cell % c] / x.sum(axis=1)[z]
        return max(0.0, 2.0 * float((count * np.log(count / expected)).sum()))

    def log_orders(self) -> float:
        """Return the logarithm of the number of different orders of the side that has fewer of them."""
        fewest = math.inf
        for margin in self.margins():
            total = [math.lgamma(k + 1.0) for k in margin.sum(axis=1).tolist()]
            alike = [math.lgamma(k + 1.0) for k in margin.ravel().tolist()]
            fewest = min(fewest, math.fsum(total) - math.fsum(alike))
        return fewest

    def sampler(self) -> tuple[Draw, float, int]:
        """Return what draws Σ k·log k of shuffled tables, its observed value, and the largest block."""
        s, r, c = self.shape
        k = np.arange(len(self.x) + 1.0)
        klogk = k * np.log(np.maximum(k, 1.0))
        cell = (self.z * r + self.x) * c + self.y
        observed = float(klogk[np.unique(cell, return_counts=True)[1]].sum())
        least = observed - SAME * max(1.0, observed)
        if s * (r - 1) * (c - 1) * DRAWN <= len(self.x):
            x, y = self.margins()
            return (lambda rng, m: _draw_tables(rng, m, x, y, klogk)), least, max(1, CELLS // (s * c))
        return (lambda rng, m: self._shuffle_rows(rng, m, klogk)), least, max(1, CELLS // len(self.x))

    def _shuffle_rows(self, rng: np.random.Generator, m: int, klogk: Floats) -> Floats:
        """Shuffle x within the strata m times and return Σ k·log k of each table."""
        _, r, c = self.shape
        keys = rng.random((m, len(self.z)))
        keys += self.z  # the rows are sorted by stratum, so each stratum keeps its places
        moved = self.x[np.argsort(keys, axis=1)]
        cells = int(self.z[-1] + 1) * r * c
        flat = ((self.z * r + moved) * c + self.y) + np.arange(m)[:, None] * cells
        found, count = np.unique(flat, return_counts=True)
        sums: Floats = np.bincount(found // cells, weights=klogk[count], minlength=m).astype(np.float64)
        return sums


def _draw_tables(rng: np.random.Generator, m: int, x: Ints, y: Ints, klogk: Floats) -> Floats:
    """Draw m shuffled tables from the margins of x and y in each stratum; return Σ k·log k of each.

    The first x value takes a sample of the places; how many of them have the first y value is
    hypergeometric, how many of the rest have the second is hypergeometric given that, and so on.
    """
    left = np.broadcast_to(y, (m, *y.shape)).copy()  # places not yet taken, by y
    sums = np.zeros(m)
    for i in range(x.shape[1] - 1):
        wanted = np.broadcast_to(x[:, i], left.shape[:2]).copy()
        behind = left.sum(axis=2)
        for j in range(y.shape[1] - 1):
            behind -= left[:, :, j]
            taken = rng.hypergeometric(left[:, :, j], behind, wanted)
            sums += klogk[taken].sum(axis=1)
            left[:, :, j] -= taken
            wanted -= taken
        sums += klogk[wanted].sum(axis=1)
        left[:, :, -1] -= wanted
    sums += klogk[left].sum(axis=(1, 2))
    return sums


def _joint(codes: Ints, n: int) -> Ints:
    """Number the configurations that occur."""
    made = np.zeros(n, np.int64)
    for code in codes:
        made = made * (int(code.max(initial=0)) + 1) + code
        made = np.unique(made, return_inverse=True)[1]
    return made


def _levels(code: Ints, z: Ints) -> Ints:
    """Return how many different codes occur in each stratum."""
    width = int(code.max()) + 1
    return np.bincount(np.unique(z * width + code) // width, minlength=int(z.max()) + 1)
