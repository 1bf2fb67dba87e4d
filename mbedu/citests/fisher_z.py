"""Fisher's z: is the partial correlation of x and y given z zero?

For jointly Gaussian variables X ⊥ Y | Z holds exactly when the partial correlation r is zero. From n rows
and k variables in Z, √(n − k − 3) · artanh(r) is then close to standard normal [1]_, and twice its tail
is the p-value.

A question about sets is not the conjunction of its pairs, and it has one test too: Wilks's Λ, the
product of 1 − ρ² over the canonical correlations of X and Y given Z, with Bartlett's factor [2]_:
−(n − 1 − k − (p + q + 1)/2) · log Λ is close to χ² with p·q degrees of freedom.

References
----------
.. [1] R. A. Fisher, The distribution of the partial correlation coefficient, Metron 3, 1924.
.. [2] T. W. Anderson, An Introduction to Multivariate Statistical Analysis, 3rd ed., 2003, chapter 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mbedu.citests.common import (
    check_alpha,
    columns_of,
    plain_verdict,
    read_numbers,
    row_index,
    sides,
)
from mbedu.citests.encode import Missing
from mbedu.citests.gaussian import ZERO, Numbers, Relation
from mbedu.citests.pvalues import chi2_tail
from mbedu.judge import Batched, Verdict
from mbedu.query import Query, Vars, names, sentence_set

__all__ = ["FisherZ"]

Floats: TypeAlias = NDArray[np.float64]

PERFECT = ZERO * ZERO  # 1 − r² is never taken for less, so that z, log p and strength stay finite
LABELS = "make it numbers, discretise all columns and use G2, or use LikelihoodRatio for mixed data"


class FisherZ(Batched):
    """The test of zero partial correlation, for continuous data.

    Parameters
    ----------
    data : pandas.DataFrame of numbers, or 2-D array
        One column a variable.
    alpha : float
        Dependent if and only if p ≤ alpha.
    missing : "error" or "drop"
        Refuse missing values, or leave out, test by test, the rows that lack one of its variables.
    names : sequence of str, optional
        The variables, if `data` is an array.

    Notes
    -----
    `statistic` is √(n − k − 3) · artanh|r| (with df None) for single variables, k being the *rank* of
    what is given; for sets it is Bartlett's χ² with df = p·q, p and q being the ranks of the sides.
    `strength` is the conditional mutual information of Gaussians in nats, −½ log(1 − r²) or −½ log Λ.

    A side that is constant, or a linear function of what is given, is independent with p = 1, and the
    reason says so. Where x and y determine each other (1 − r² below 1e-18, beyond what floats tell
    apart) 1 − r² is taken as 1e-18: a finite, enormous z. With n ≤ k + 3 there is no test: independent,
    `reliable=False`.

    What is not linear is not seen: y = x² with x symmetric counts as independent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.standard_normal(500), rng.standard_normal((500, 2))
    >>> chain = FisherZ(np.column_stack([a, a + noise[:, 0], a + noise.sum(1)]), names=["a", "b", "c"])
    >>> chain.judge(Query("a", "c")).independent, chain.judge(Query("a", "c", "b")).independent
    (False, True)
    """

    ranks = True
    batch = 256

    def __init__(
        self,
        data: Any,
        alpha: float = 0.05,
        *,
        missing: Missing = "error",
        names: Sequence[str] | None = None,
    ) -> None:
        self.alpha = check_alpha(alpha)
        self.missing = missing
        self.variables, self._values = read_numbers(data, names, missing, LABELS)
        self._index = {name: i for i, name in enumerate(self.variables)}
        self._gaps: NDArray[np.bool_] = np.isnan(self._values)
        self._gappy: NDArray[np.bool_] = np.asarray(self._gaps.any(axis=0))
        filled = np.where(self._gappy, 0.0, self._values) if self._gappy.any() else self._values
        self._numbers = Numbers(filled)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self._values)

    def rows(self, index: Any) -> FisherZ:
        """Return the same judge on some of the rows (row numbers or a mask)."""
        chosen = self._values[row_index(index, self.n)]
        return FisherZ(chosen, self.alpha, missing=self.missing, names=self.variables)

    # --- questions -------------------------------------------------------------------------------

    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        if len(query.x) == len(query.y) == 1:
            return self._single(query.x, [query.y], query.given)[0]
        relation, n = self._relation(query)
        return self._verdict(query, relation, n)

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given for each y, in order; single variables share the elimination of `given`."""
        queries = [Query(x, y, given) for y in ys]
        if not queries or len(names(x)) > 1 or any(len(q.y) > 1 for q in queries):
            return [self.judge(q) for q in queries]
        return self._single(queries[0].x, [q.y for q in queries], queries[0].given)

    def _single(self, x: frozenset[str], ys: list[frozenset[str]], given: frozenset[str]) -> list[Verdict]:
        (i,), zs = columns_of(self._index, x), columns_of(self._index, given)
        columns = [columns_of(self._index, y)[0] for y in ys]
        whole = [] if self._gappy[[i, *zs]].any() else [j for j in columns if not self._gappy[j]]
        shared = iter(self._numbers.pairs(i, whole, zs) if whole else ())
        complete = set(whole)
        made = []
        for y, j in zip(ys, columns, strict=True):
            query = Query.trusted(x, y, given)
            if j in complete:
                made.append(self._verdict(query, next(shared), self.n))
            else:
                made.append(self._verdict(query, *self._relation(query)))
        return made

    def _relation(self, query: Query) -> tuple[Relation, int]:
        """Measure one query, dropping rows with gaps where it has to; return the number of rows too."""
        first, second = sides(query)
        xs, ys, zs = (columns_of(self._index, s) for s in (first, second, query.given))
        numbers, used = self._numbers, [*xs, *ys, *zs]
        if self._gappy[used].any():
            kept = ~self._gaps[:, used].any(axis=1)
            numbers = Numbers(self._values[kept][:, used])
            a, b = len(xs), len(xs) + len(ys)
            xs, ys, zs = list(range(a)), list(range(a, b)), list(range(b, len(used)))
        if len(xs) == len(ys) == 1:
            relation = numbers.pair(xs[0], ys[0], zs)
        else:
            relation = numbers.sets(xs, ys, zs)
        if first != query.x:
            relation = Relation(relation.dims[::-1], relation.rank, relation.left, relation.sign)
        return relation, numbers.n

    # --- deciding --------------------------------------------------------------------------------

    def _verdict(self, query: Query, relation: Relation, n: int) -> Verdict:
        p, q = relation.dims
        freedom = n - relation.rank - 3.0 if max(p, q) < 2 else n - 1 - relation.rank - (p + q + 1) / 2
        if n == 0:
            told = "no row is complete in all the variables: counted as independent"
            return Verdict(True, 1.0, 0.0, None, 0.0, False, told, 0, 0.0)
        if freedom <= 0:
            told = f"{n} rows are too few for {len(query.variables)} variables: counted as independent"
            return Verdict(True, 1.0, 0.0, None, 0.0, False, told, n, 0.0)
        if not p or not q:
            return Verdict(
                True, 1.0, 0.0, None, 0.0, True, self._nothing_left(query, relation.dims, n), n, 0.0
            )
        left = np.maximum(relation.left, PERFECT)
        reason = ""
        if min(relation.left) < PERFECT:
            reason = f"perfectly correlated in these {n} rows"
        strength = max(0.0, -0.5 * float(np.log(left).sum()))
        if p == q == 1:
            r = math.sqrt(max(0.0, 1.0 - left[0]))
            statistic, df = math.sqrt(freedom) * (math.log1p(r) - 0.5 * math.log(left[0])), None
            log_p = min(0.0, math.log(2.0) + float(special.log_ndtr(-statistic)))
            value = float(special.erfc(statistic / math.sqrt(2.0)))
        else:
            statistic, df = freedom * 2.0 * strength, float(p * q)
            value, log_p = chi2_tail(statistic, df)
        return Verdict(value > self.alpha, value, statistic, df, strength, True, reason, n, log_p)

    def _nothing_left(self, query: Query, dims: tuple[int, int], n: int) -> str:
        empty = [side for side, rank in zip((query.x, query.y), dims, strict=True) if not rank]
        side = min(empty, key=sorted)  # the same words whichever is called x
        used = ~self._gaps[:, columns_of(self._index, query.variables)].any(axis=1)
        values = self._values[used][:, columns_of(self._index, side)]
        if not query.given or (values == values[0]).all():
            return f"{sentence_set(side)} is constant in these {n} rows: independent"
        return f"{sentence_set(side)} is a linear function of {sentence_set(query.given)}: independent"

    # --- for the reader --------------------------------------------------------------------------

    def explain(self, query: Query) -> dict[str, Any]:
        """Return the partial (or canonical) correlations behind a verdict, as plain JSON values."""
        relation, n = self._relation(query)
        rho = [relation.sign * math.sqrt(max(0.0, 1.0 - left)) for left in relation.left]
        told = {"x": sorted(query.x), "y": sorted(query.y), "given": sorted(query.given), "n": n}
        told |= {"rank_of_given": relation.rank, "ranks": list(relation.dims), "partial_correlations": rho}
        return {**told, "verdict": plain_verdict(self.judge(query))}

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        size = {"kind": "FisherZ", "rows": self.n, "variables": len(self.variables)}
        return {**size, "alpha": self.alpha, "missing": self.missing}

    def __repr__(self) -> str:
        return f"<FisherZ on {self.n} rows × {len(self.variables)} variables>"
