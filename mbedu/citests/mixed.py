"""The likelihood-ratio test for mixed data: categories and numbers in one question.

Does y help to predict x once z is known? Two nested regressions of x are compared, on z and on z and y:
linear with Gaussian noise where x is a number, multinomial logistic where x is a category. Twice the
gain in log-likelihood is close to χ² with as many degrees of freedom as y adds parameters. It is the
test of Mixed-MB [1]_ as the PPFS paper describes it.

The question has no direction but a regression has one. So both are asked, x responding and y
responding, and their p-values are combined as min(2·min(p₁, p₂), max(p₁, p₂)) [2]_, which holds its
level where they are positively dependent (Simes) and makes swapping x and y change nothing.

References
----------
.. [1] J. Lee, J.-Y. Jeong, C.-H. Jun, Markov blanket-based universal feature selection for classification
   and regression of mixed-type data, Expert Systems with Applications 158, 2020.
.. [2] M. Tsagris, G. Borboudakis, V. Lagani, I. Tsamardinos, Constraint-based causal discovery with mixed
   data, International Journal of Data Science and Analytics 6, 2018.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.columns import MixedColumns, paired
from mbedu.citests.common import (
    check_alpha,
    check_missing,
    columns_of,
    plain_verdict,
    row_index,
    sides,
)
from mbedu.citests.encode import Ints, Missing, refuse_missing
from mbedu.citests.evidence import Policy
from mbedu.citests.gaussian import ZERO, basis_of
from mbedu.citests.logistic import log_likelihood, saturated
from mbedu.citests.pvalues import chi2_tail
from mbedu.errors import JudgeError
from mbedu.judge import Batched, Verdict
from mbedu.query import Query, sentence_set

__all__ = ["LikelihoodRatio"]

Floats: TypeAlias = NDArray[np.float64]

PERFECT = ZERO * ZERO  # the share of variance left is never taken for less: evidence stays finite


class LikelihoodRatio(Batched):
    """The likelihood-ratio test of nested regressions, for discrete and continuous data together.

    Parameters
    ----------
    data : pandas.DataFrame, or 2-D array of numbers
        One column a variable.
    alpha : float
        Dependent if and only if p ≤ alpha.
    discrete : iterable of str, optional
        The variables that are categories; all others are numbers. By default categories are what is
        categorical, text or boolean, and whole numbers with at most 10 different values.
    unreliable : "independent", "dependent" or "trust"
        What a test with too little data counts as.
    rows_per_df : float or None
        Too little data means fewer rows than this for each degree of freedom.
    missing : "error" or "drop"
        Refuse missing values, or leave out, test by test, the rows that lack one of its variables.
    names : sequence of str, optional
        The variables, if `data` is an array.

    Notes
    -----
    What is given enters with main effects: dummies of categories, numbers as they are. So an effect that
    exists only in the interaction of what is given is not accounted for. The categories *on one side* of a
    question enter as one joint variable, so that two coins do tell their parity. A side of several
    variables responds one after the other by the chain rule, its categories first as one variable,
    then each number given those before; statistics and degrees of freedom add up.

    The statistic of a linear regression has Bartlett's factor (n − k − (m + 2)/2 in the place of n, with
    rank k before and m more after), without which it would reject too often in small samples. `statistic`
    and `df` are those of the direction whose p-value decided; `strength`, in nats, is the mean of
    the two directions' gains in log-likelihood a row, the estimated conditional mutual information.
    Without anything given and with a category on each side the test is G².

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(0, 3, 300)
    >>> frame = pd.DataFrame({"group": np.array(["u", "v", "w"])[group]})
    >>> frame["size"] = group + rng.normal(size=300)
    >>> frame["weight"] = frame["size"] + rng.normal(size=300)
    >>> test = LikelihoodRatio(frame)
    >>> test.judge(Query("group", "weight")).independent
    False
    >>> test.judge(Query("group", "weight", "size")).independent
    True
    """

    ranks = True

    def __init__(
        self,
        data: Any,
        alpha: float = 0.05,
        *,
        discrete: Iterable[str] | None = None,
        unreliable: Policy = "independent",
        rows_per_df: float | None = 5,
        missing: Missing = "error",
        names: Sequence[str] | None = None,
    ) -> None:
        self.alpha = check_alpha(alpha)
        check_missing(missing)
        if unreliable not in ("independent", "dependent", "trust"):
            raise JudgeError(f"unreliable={unreliable!r}: it is 'independent', 'dependent' or 'trust'")
        if rows_per_df is not None and not 0.0 <= rows_per_df < math.inf:
            raise JudgeError(f"rows_per_df={rows_per_df!r}: it is a number ≥ 0, or None for no such rule")
        self.unreliable, self.rows_per_df, self.missing = unreliable, rows_per_df, missing
        columns = MixedColumns.read(data, names, discrete)
        if missing == "error":
            refuse_missing(columns.names, columns.gaps.sum(axis=1), columns.n)
        self._take(columns)

    def _take(self, columns: MixedColumns) -> None:
        self.columns = columns
        self.variables = columns.names
        self._index = {name: i for i, name in enumerate(columns.names)}

    @property
    def discrete(self) -> tuple[str, ...]:
        """The variables that are taken for categories."""
        return tuple(
            v for v, code in zip(self.variables, self.columns.codes, strict=True) if code is not None
        )

    def rows(self, index: Any) -> LikelihoodRatio:
        """Return the same judge on some of the rows (row numbers or a mask)."""
        made = object.__new__(LikelihoodRatio)
        made.__dict__.update(self.__dict__)
        made._take(self.columns.rows(row_index(index, self.columns.n)))
        return made

    # --- questions -------------------------------------------------------------------------------

    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        found, n = self._ratios(query)
        if not any(ratio.df for ratio in found):
            return self._vacuous(query, n)
        p, log_p, deciding = _combine(found)
        strength = sum(ratio.gain for ratio in found) / len(found) / n
        independent, reliable, reason = p > self.alpha, True, deciding.note
        df = max(ratio.df for ratio in found)
        few = self.rows_per_df is not None and n < self.rows_per_df * df
        if few or deciding.short:
            reliable = False
            reason = f"{n} rows for {df:g} degrees of freedom, too few: "
            if self.unreliable == "trust" and not deciding.short:
                reason += "the p-value is trusted all the same"
            else:
                policy = "independent" if self.unreliable == "trust" else self.unreliable
                independent, reason = policy == "independent", reason + f"counted as {policy}"
        return Verdict(
            independent, p, deciding.statistic, float(deciding.df), strength, reliable, reason, n, log_p
        )

    def _ratios(self, query: Query) -> tuple[list[_Ratio], int]:
        """Return the ratios of both directions (one where they are the same), and the rows used."""
        first, second = sides(query)
        xs, ys, zs = (columns_of(self._index, s) for s in (first, second, query.given))
        some = self.columns.complete([*xs, *ys, *zs])
        if some.n == 0:
            return [_Ratio()], 0
        found = [_respond(some, xs, ys, zs)]
        if any(some.codes[v] is not None for v in (*xs, *ys)) or len(xs) + len(ys) > 2:
            found.append(_respond(some, ys, xs, zs))
        return found, some.n

    def _vacuous(self, query: Query, n: int) -> Verdict:
        if n == 0:
            told, reliable = "no row is complete in all the variables: counted as independent", False
        else:
            told, reliable = self._nothing_left(query, n), True
        return Verdict(True, 1.0, 0.0, 0.0, 0.0, reliable, told, n, 0.0)

    def _nothing_left(self, query: Query, n: int) -> str:
        some = self.columns.complete(columns_of(self._index, query.variables))
        for side in sides(query):
            if all(some.constant(v) for v in columns_of(self._index, side)):
                return f"{sentence_set(side)} is constant in these {n} rows: independent"
        return f"one side is a function of {sentence_set(query.given)} in these {n} rows: independent"

    # --- for the reader --------------------------------------------------------------------------

    def explain(self, query: Query) -> dict[str, Any]:
        """Return the regressions of both directions, as plain JSON values."""
        found, n = self._ratios(query)
        first, second = sides(query)
        models = []
        for ratio, (response, added) in zip(found, ((first, second), (second, first)), strict=False):
            p, _ = chi2_tail(ratio.statistic, ratio.df)
            told = {"response": sorted(response), "added": sorted(added), "statistic": ratio.statistic}
            models.append({**told, "df": ratio.df, "p_value": p})
        told = {"x": sorted(query.x), "y": sorted(query.y), "given": sorted(query.given), "n": n}
        return {**told, "models": models, "verdict": plain_verdict(self.judge(query))}

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        return {
            "kind": "LikelihoodRatio",
            "rows": self.columns.n,
            "variables": len(self.variables),
            "alpha": self.alpha,
            "discrete": list(self.discrete),
            "unreliable": self.unreliable,
            "rows_per_df": self.rows_per_df,
            "missing": self.missing,
        }

    def __repr__(self) -> str:
        return f"<LikelihoodRatio on {self.columns.n} rows × {len(self.variables)} variables>"


# --- the regressions -----------------------------------------------------------------------------


@dataclass(slots=True)
class _Ratio:
    """A likelihood ratio: the statistic and its df, the gain in log-likelihood, and what to say of it."""

    statistic: float = 0.0
    df: int = 0
    gain: float = 0.0
    short: bool = False
    note: str = ""

    def add(self, other: _Ratio) -> None:
        self.statistic += other.statistic
        self.df += other.df
        self.gain += other.gain
        self.short |= other.short
        self.note = self.note or other.note


def _combine(found: list[_Ratio]) -> tuple[float, float, _Ratio]:
    """Return the p-value of all directions, its logarithm, and the ratio that decided."""
    if len(found) == 1:
        return (*chi2_tail(found[0].statistic, found[0].df), found[0])
    tails = [chi2_tail(ratio.statistic, ratio.df) for ratio in found]
    low = 0 if tails[0][1] <= tails[1][1] else 1
    if tails[1 - low][1] <= math.log(2.0) + tails[low][1]:
        return (*tails[1 - low], found[1 - low])
    return 2.0 * tails[low][0], math.log(2.0) + tails[low][1], found[low]


def _respond(data: MixedColumns, xs: list[int], ys: list[int], zs: list[int]) -> _Ratio:
    """Compare the regressions of x on z and on z and y, x block by block."""
    total = _Ratio()
    before = _Design.of(data, [[z] for z in zs])
    added = _Design.of(data, _blocks(data, ys))
    for block in _blocks(data, xs):
        code = data.codes[block[0]]
        extra = before.more(added)
        if code is None:
            total.add(_linear(data.unit(block[0]), before.basis, extra))
        else:
            total.add(_logistic(data.joint(block), before, extra, added))
        before = before.joined(_Design.of(data, [block]))
    return total


def _blocks(data: MixedColumns, side: list[int]) -> list[list[int]]:
    """Return the categories of a side as one block, then its numbers one by one."""
    labels = [v for v in side if data.codes[v] is not None]
    return ([labels] if labels else []) + [[v] for v in side if data.codes[v] is None]


@dataclass(slots=True)
class _Design:
    """Regressors: columns of length 1, an orthonormal basis, and the groups of rows that are alike.

    `groups` is None where a number is among the regressors: then all rows count as different.
    """

    columns: Floats
    basis: Floats
    groups: Ints | None

    @classmethod
    def of(cls, data: MixedColumns, blocks: list[list[int]]) -> _Design:
        parts = [np.full((data.n, 1), 1.0 / math.sqrt(data.n))]
        groups: Ints | None = np.zeros(data.n, np.int64)
        for block in blocks:
            if data.codes[block[0]] is None:
                parts.append(data.unit(block[0])[:, None])
                groups = None
            else:
                joint = data.joint(block)
                parts.append(_dummies(joint))
                groups = None if groups is None else paired(groups, joint)
        columns = np.hstack(parts)
        return cls(columns, basis_of(columns), groups)

    def joined(self, other: _Design) -> _Design:
        groups = None if self.groups is None or other.groups is None else paired(self.groups, other.groups)
        columns = np.hstack([self.columns, other.columns[:, 1:]])
        return _Design(columns, basis_of(columns), groups)

    def more(self, other: _Design) -> Floats:
        """Return an orthonormal basis of what `other` adds."""
        rest = other.columns[:, 1:]
        for _ in range(2):  # twice, because once leaves what rounding made of a large projection
            rest = rest - self.basis @ (self.basis.T @ rest)
        length = np.sqrt((rest * rest).sum(axis=0))
        kept = length > ZERO
        return basis_of(rest[:, kept] / length[kept])


def _linear(response: Floats, basis: Floats, extra: Floats) -> _Ratio:
    """Compare two linear regressions of a centred response of length 1 (or 0, if it is constant)."""
    m = extra.shape[1]
    rest = response - basis @ (basis.T @ response)
    rest = rest - basis @ (basis.T @ rest)
    length = math.sqrt(float(rest @ rest))
    if length <= ZERO or not m:
        return _Ratio()
    rest = rest / length
    across = rest - extra @ (extra.T @ rest)
    left = float(across @ across)
    n = len(response)
    factor = n - basis.shape[1] - (m + 2) / 2
    if factor <= 0 or n - basis.shape[1] - m < 1:
        return _Ratio(0.0, m, 0.0, short=True)
    log_left = min(0.0, math.log(max(left, PERFECT)))
    note = f"a perfect fit in these {n} rows" if left < PERFECT else ""
    return _Ratio(-factor * log_left, m, -0.5 * n * log_left, note=note)


def _logistic(response: Ints, before: _Design, extra: Floats, added: _Design) -> _Ratio:
    """Compare two multinomial logistic regressions of a category."""
    classes = int(response.max()) + 1
    m = extra.shape[1]
    if classes < 2 or not m:
        return _Ratio()
    if len(response) <= (before.basis.shape[1] + m) * (classes - 1):  # more parameters than rows
        return _Ratio(0.0, m * (classes - 1), 0.0, short=True)
    small = _fit(before.basis, before.groups, response, classes)
    both = None if before.groups is None or added.groups is None else paired(before.groups, added.groups)
    large = _fit(np.hstack([before.basis, extra]), both, response, classes)
    gain = max(0.0, large - small)
    return _Ratio(2.0 * gain, m * (classes - 1), gain)


def _fit(basis: Floats, groups: Ints | None, response: Ints, classes: int) -> float:
    """Return the largest log-likelihood; rows that are alike are counted together."""
    n = len(response)
    group = np.arange(n) if groups is None else groups
    size = int(group.max()) + 1
    counts = (
        np.bincount(group * classes + response, minlength=size * classes).reshape(size, classes).astype(float)
    )
    if (
        groups is not None and size == basis.shape[1]
    ):  # a parameter for each group: its own frequencies fit best
        return saturated(counts)
    first = np.empty(size, np.int64)
    first[group[::-1]] = np.arange(n)[::-1]
    return log_likelihood(basis[first] * math.sqrt(n), counts)


def _dummies(code: Ints) -> Floats:
    """Return a column of length 1 for each code."""
    count = np.bincount(code)
    made = np.zeros((len(code), len(count)))
    made[np.arange(len(code)), code] = 1.0 / np.sqrt(count[code])
    return made
