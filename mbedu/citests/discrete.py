"""G², χ² and mutual information: is x independent of y given z, in a table of counts?

All three compare the counts of (x, y) in every stratum of z with what independence within the
stratum would make of the margins. G² is twice the log-likelihood ratio and equals 2n times the
estimated conditional mutual information, so they share one measurement; they differ in how they decide.

References
----------
.. [1] Agresti, Categorical Data Analysis, 3rd ed., 2013, chapters 3 and 8.
.. [2] Benjamini and Hochberg, Controlling the false discovery rate, JRSS B 57, 1995.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from mbedu.citests.base import DiscreteJudge
from mbedu.citests.encode import Missing
from mbedu.citests.engine import EngineName
from mbedu.citests.evidence import Correction, DfRule, Policy
from mbedu.errors import JudgeError

__all__ = ["G2", "ChiSquare", "MutualInformation"]


class _TailTest(DiscreteJudge):
    """A test that says dependent if and only if p ≤ alpha."""

    _chi = False

    def __init__(
        self,
        data: Any,
        alpha: float = 0.05,
        *,
        df: DfRule = "adjusted",
        unreliable: Policy = "independent",
        rows_per_df: float | None = 5,
        rows_per_cell: float | None = None,
        missing: Missing = "error",
        correction: Correction | None = None,
        names: Sequence[str] | None = None,
        engine: EngineName = "auto",
    ) -> None:
        super().__init__(data, df=df, missing=missing, names=names, engine=engine, chi=self._chi)
        self.alpha = alpha
        self._decide_by(
            alpha=alpha,
            unreliable=unreliable,
            rows_per_df=rows_per_df,
            rows_per_cell=rows_per_cell,
            correction=correction,
        )

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        return {**super().describe(), "alpha": self.alpha}


class G2(_TailTest):
    """The likelihood ratio test of conditional independence on discrete data.

    Parameters
    ----------
    data : pandas.DataFrame, scipy.sparse matrix of 0/1, 2-D integer array, or Encoded
        One column a variable. A Categorical's declared categories are its levels.
    alpha : float
        Dependent if and only if p ≤ alpha.
    df : "adjusted" or "full"
        Degrees of freedom. "adjusted": in each stratum (rows that occur − 1)·(columns that occur − 1),
        summed; "full": (|x| − 1)·(|y| − 1)·|z| with the declared levels.
    unreliable : "independent", "dependent" or "trust"
        What a test with too little data counts as.
    rows_per_df : float or None
        Too little data means fewer rows than this for each degree of freedom.
    rows_per_cell : float or None
        … or fewer rows than this for each cell of the table (under the same rule as `df`).
    missing : "error" or "drop"
        Refuse missing values, or leave out, test by test, the rows that lack one of its variables.
    correction : "bh" or None
        Adjust the p-values of one scan (`judge_many`, `first_dependent`, `strongest`) together by
        Benjamini and Hochberg's method [2]_; the verdict then has the adjusted p-value, and the raw
        one in `reason`. A batch is then by intention not the same as asking one by one.
    names : sequence of str, optional
        The variables, if `data` is a matrix or an array.
    engine : "auto", "numba" or "numpy"
        What counts; both give the same tables.

    Notes
    -----
    A verdict has the statistic, df, p, log p (which keeps the order where p underflows), the rows n it
    rests on, and the conditional mutual information in nats as `strength`. Without degrees of freedom
    the answer is independent with p = 1, and the reason says why.

    Examples
    --------
    >>> import pandas as pd
    >>> from mbedu.query import Query
    >>> coins = pd.DataFrame({"a": [0, 0, 1, 1] * 25, "b": [0, 1, 0, 1] * 25})
    >>> coins["parity"] = coins.a ^ coins.b
    >>> test = G2(coins)
    >>> test.judge(Query("a", "parity")).independent
    True
    >>> verdict = test.judge(Query({"a", "b"}, "parity"))
    >>> verdict.independent, round(verdict.statistic, 4), verdict.df, round(verdict.strength, 4)
    (False, 138.6294, 3.0, 0.6931)
    """


class ChiSquare(_TailTest):
    """Pearson's χ² test of conditional independence on discrete data, without continuity correction.

    The parameters are those of `G2`; only the statistic differs: the sum over strata and cells of
    (observed − expected)² / expected. `strength` is the conditional mutual information in nats here too.

    Examples
    --------
    >>> import pandas as pd
    >>> from mbedu.query import Query
    >>> frame = pd.DataFrame({"u": list("aaaabbbb") * 5, "v": list("xxxyyyyx") * 5})
    >>> verdict = ChiSquare(frame).judge(Query("u", "v"))
    >>> verdict.statistic, verdict.df, round(verdict.p_value, 6), verdict.n
    (10.0, 1.0, 0.001565, 40)
    """

    _chi = True


class MutualInformation(DiscreteJudge):
    """Dependent if and only if the estimated conditional mutual information is above a threshold.

    The plug-in estimate, without bias correction: the judge of the IAMB paper and of IAMB-IP. Above means
    by more than rounding, so that an information of exactly the threshold is independent whichever way
    its logarithms were added up.

    Parameters
    ----------
    data, df, rows_per_df, rows_per_cell, missing, names, engine
        As for `G2`.
    threshold : float
        In `unit`.
    unit : "nats" or "bits"
        The unit of `threshold` and of the verdict's `statistic`; its `strength` is always in nats.
    unreliable : "independent", "dependent" or "trust"
        As for `G2`; by default the estimate is trusted, as the papers do.

    Notes
    -----
    The verdict's p-value is that of G² = 2n × (information in nats). It is evidence and decides nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from mbedu.query import Query
    >>> frame = pd.DataFrame({"u": [0, 0, 1, 1], "v": [0, 0, 1, 1]})
    >>> verdict = MutualInformation(frame, 0.5, unit="bits").judge(Query("u", "v"))
    >>> verdict.independent, verdict.statistic, round(verdict.strength, 6)
    (False, 1.0, 0.693147)
    """

    def __init__(
        self,
        data: Any,
        threshold: float = 0.02,
        *,
        unit: Literal["nats", "bits"] = "nats",
        df: DfRule = "adjusted",
        unreliable: Policy = "trust",
        rows_per_df: float | None = 5,
        rows_per_cell: float | None = None,
        missing: Missing = "error",
        names: Sequence[str] | None = None,
        engine: EngineName = "auto",
    ) -> None:
        if unit not in ("nats", "bits"):
            raise JudgeError(f"unit={unit!r}: it is 'nats' (natural logarithm) or 'bits' (base 2)")
        super().__init__(data, df=df, missing=missing, names=names, engine=engine)
        self.threshold, self.unit = threshold, unit
        nats = 1.0 if unit == "nats" else math.log(2.0)
        self._decide_by(
            threshold=threshold * nats,
            unreliable=unreliable,
            rows_per_df=rows_per_df,
            rows_per_cell=rows_per_cell,
            scale=1.0 / nats,
        )

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        return {**super().describe(), "threshold": self.threshold, "unit": self.unit}
