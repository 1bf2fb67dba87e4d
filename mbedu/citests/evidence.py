"""From measured tables to verdicts: the one place that decides, and says why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import repeat
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.pvalues import CriticalValues, Tail, benjamini_hochberg
from mbedu.errors import JudgeError
from mbedu.judge import TIE, By, Verdict, better, raised

__all__ = ["Correction", "DfRule", "Evidence", "Policy", "Rule", "Scores", "keys", "strongest_position"]

DfRule: TypeAlias = Literal["adjusted", "full"]
Policy: TypeAlias = Literal["independent", "dependent", "trust"]
Correction: TypeAlias = Literal["bh"]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Why: TypeAlias = Callable[[int], tuple[str, bool]]  # of a vacuous test: the reason, and is it reliable
# G², statistic, free degrees of freedom, n, (p, log p)
Measured: TypeAlias = tuple[float, float, float, float, tuple[float, float]]


_NEW = (
    tuple.__new__
)  # builds a Verdict from its fields in their order, without the call of its own constructor


@dataclass(slots=True)
class _Columns:
    """Arrays of one length, a number for each candidate."""

    def take(self, chosen: NDArray[np.int64] | list[int]) -> Self:
        """Return those of some of the candidates."""
        return type(self)(*(getattr(self, f.name)[chosen] for f in fields(self)))

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Put blocks one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))


@dataclass(slots=True)
class Scores(_Columns):
    """What was measured: G², the test's own statistic, degrees of freedom, rows, cells.

    `free` is the number of degrees of freedom that the data leave, whatever df rule the test has;
    where it is 0 the test is vacuous.
    """

    g2: Floats
    statistic: Floats
    df: Floats
    n: Floats
    cells: Floats
    free: Floats

    @property
    def strength(self) -> Floats:
        """The conditional mutual information in nats."""
        value: Floats = self.g2 / (2.0 * np.maximum(self.n, 1.0))
        return value


@dataclass(slots=True)
class Evidence(_Columns):
    """What follows: dependent or not, the p-value that decides, its logarithm, and the p-value as it was.

    `plain` says where a test had rows and freedom enough.
    """

    dependent: Bools
    p: Floats
    log_p: Floats
    raw: Floats
    plain: Bools


@dataclass(frozen=True, slots=True)
class Rule:
    """When a test says dependent, and what it makes of too little data.

    Either `alpha` (dependent if and only if p ≤ alpha) or `threshold` (dependent if and only if the
    conditional mutual information, in nats, is above it by more than rounding). `scale` turns nats into
    the unit reported.
    """

    alpha: float | None
    threshold: float | None
    unreliable: Policy
    rows_per_df: float | None
    rows_per_cell: float | None
    correction: Correction | None
    tail: Tail
    scale: float = 1.0
    critical: CriticalValues | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0.0 < self.alpha < 1.0:
            raise JudgeError(f"alpha={self.alpha!r} is no level of significance; it lies between 0 and 1")
        if self.threshold is not None and not 0.0 <= self.threshold < math.inf:
            raise JudgeError(f"threshold={self.threshold!r}: information is compared with a number ≥ 0")
        if self.unreliable not in ("independent", "dependent", "trust"):
            raise JudgeError(f"unreliable={self.unreliable!r}: it is 'independent', 'dependent' or 'trust'")
        for name, value in (("rows_per_df", self.rows_per_df), ("rows_per_cell", self.rows_per_cell)):
            if value is not None and not 0.0 <= value < math.inf:
                raise JudgeError(f"{name}={value!r}: it is a number ≥ 0, or None for no such rule")
        if self.correction not in (None, "bh"):
            raise JudgeError(f"correction={self.correction!r}: it is None or 'bh' (Benjamini–Hochberg)")
        if self.alpha is not None:
            object.__setattr__(self, "critical", CriticalValues(self.alpha, tail=self.tail))

    # --- deciding --------------------------------------------------------------------------------

    def lacking(self, scores: Scores) -> Bools:
        """Say where there are too few rows."""
        few = scores.n < (self.rows_per_df or 0.0) * scores.df
        if self.rows_per_cell:
            few |= scores.n < self.rows_per_cell * scores.cells
        return few

    def dependent(self, scores: Scores) -> Bools:
        """Say what is dependent without computing every p-value; the same answers as `evidence`."""
        if self.critical is None:
            return self._settle(self._above(scores), scores)[0]
        return self._settle(self.critical.significant(scores.statistic, scores.df), scores)[0]

    def evidence(self, scores: Scores, *, scan: bool) -> Evidence:
        """Decide with p-values; those of a scan are adjusted together if the rule has a correction.

        Tests that a policy decides, for lack of data, are no part of the family that is adjusted.
        """
        p, log_p = self.tail(scores.statistic, scores.df)
        raw = p
        if scan and self.correction is not None:
            family = self.family(scores)
            log_p[family] = benjamini_hochberg(log_p[family])
            p = np.where(family, np.exp(log_p), p)
        yes = self._above(scores) if self.alpha is None else p <= self.alpha
        dependent, plain = self._settle(yes, scores)
        return Evidence(dependent, p, log_p, raw, plain)

    def family(self, scores: Scores) -> Bools:
        """Say which tests a correction adjusts together: those that their p-value decides."""
        asked = scores.free > 0
        return asked if self.unreliable == "trust" else asked & ~self.lacking(scores)

    def _above(self, scores: Scores) -> Bools:
        return scores.strength > raised(self.threshold or 0.0)

    def _settle(self, yes: Bools, scores: Scores) -> tuple[Bools, Bools]:
        """Apply the policy for too little data, and say where there was enough.

        A vacuous test never says dependent.
        """
        few, free = self.lacking(scores), scores.free > 0
        plain = free & ~few
        if self.unreliable == "independent":
            return yes & plain, plain
        return (yes | few if self.unreliable == "dependent" else yes) & free, plain

    def compiled(self) -> tuple[Floats, int]:
        """Return the limits and the policy as the compiled search wants them."""
        threshold = -1.0 if self.threshold is None else raised(self.threshold)
        limits = np.array([self.alpha or 0.0, threshold, self.rows_per_df or 0.0, self.rows_per_cell or 0.0])
        return limits, ("independent", "dependent", "trust").index(self.unreliable)

    # --- saying ----------------------------------------------------------------------------------

    def verdicts(self, scores: Scores, evidence: Evidence, *, why: Why, family: int = 0) -> list[Verdict]:
        """Write the verdicts; `why(j)` explains a vacuous one, `family` is the number adjusted together."""
        strength = scores.strength
        shown = scores.statistic if self.alpha is not None else strength * self.scale
        plain = evidence.plain
        made: list[Verdict] = [
            _NEW(Verdict, row)
            for row in zip(
                (~evidence.dependent).tolist(), evidence.p.tolist(), shown.tolist(), scores.df.tolist(),
                strength.tolist(), plain.tolist(), repeat(""), scores.n.astype(np.int64).tolist(),
                evidence.log_p.tolist(),
            )
        ]  # fmt: skip
        for j in range(len(made)) if family else (~plain).nonzero()[0].tolist():
            verdict, reason, reliable = made[j], "", True
            if scores.free[j] == 0:
                reason, reliable = why(j)
            elif not plain[j]:
                reason = self._too_few(int(scores.n[j]), float(scores.df[j]), float(scores.cells[j]))
                reliable = False
            if family and scores.free[j] > 0:
                told = f"p = {evidence.raw[j]:.4g} before Benjamini–Hochberg over {family} candidates"
                reason = f"{reason}; {told}" if reason else told
            made[j] = verdict._replace(reliable=reliable, reason=reason)
        return made

    def verdict(
        self, found: Measured, df: float, cells: float, why: Callable[[], tuple[str, bool]]
    ) -> Verdict:
        """Write one verdict from plain numbers: what `evidence` and `verdicts` say of one, in less time."""
        g2, statistic, free, n, (p, log_p) = found
        strength = g2 / (2.0 * max(n, 1.0))
        shown = statistic if self.alpha is not None else strength * self.scale
        yes = p <= self.alpha if self.alpha is not None else strength > raised(self.threshold or 0.0)
        if free == 0.0:
            reason, reliable = why()
            return _NEW(Verdict, (True, p, shown, df, strength, reliable, reason, int(n), log_p))
        few = self.rows_per_df is not None and n < self.rows_per_df * df
        if not few and not (self.rows_per_cell is not None and n < self.rows_per_cell * cells):
            return _NEW(Verdict, (not yes, p, shown, df, strength, True, "", int(n), log_p))
        if self.unreliable != "trust":
            yes = self.unreliable == "dependent"
        reason = self._too_few(int(n), df, cells)
        return _NEW(Verdict, (not yes, p, shown, df, strength, False, reason, int(n), log_p))

    def _too_few(self, n: int, df: float, cells: float) -> str:
        """Say in words that the data are too few, and what the policy makes of it."""
        if self.rows_per_df and n < self.rows_per_df * df:
            fault = f"{n} rows for {df:.6g} degrees of freedom, fewer than {self.rows_per_df:g} each"
        else:
            fault = f"{n} rows for {cells:.6g} cells, fewer than {self.rows_per_cell:g} each"
        trusted = "trusted all the same" if self.alpha is None else "the p-value is trusted all the same"
        return fault + ": " + (trusted if self.unreliable == "trust" else f"counted as {self.unreliable}")


def strongest_position(first: Floats, second: Floats) -> tuple[int, list[int]]:
    """Return the best of some keys and its ties: what judge.strongest_of answers, for very many at once.

    Only keys near the running maximum can win or tie, so that the rule itself is asked about few.
    """
    if len(first) > 64:
        top = np.maximum.accumulate(first)
        near = np.flatnonzero(first >= top - 100.0 * (TIE * np.abs(top) + 1e-12))
    else:
        near = np.arange(len(first))
    positions, firsts, seconds = near.tolist(), first[near].tolist(), second[near].tolist()
    best, key = positions[0], (firsts[0], seconds[0])
    ties: list[int] = []
    for i, value, other in zip(positions[1:], firsts[1:], seconds[1:], strict=True):
        if value < key[0] - 2.0 * (TIE * abs(key[0]) + 1e-12):  # far below: no need to ask
            continue
        if better((value, other), key):
            best, key, ties = i, (value, other), []
        elif not better(key, (value, other)):
            ties.append(i)
    return best, ties


def keys(scores: Scores, log_p: Floats, by: By) -> tuple[Floats, Floats]:
    """Return the keys by which candidates are ordered; see judge.rank_key."""
    if by == "p_value":
        return -log_p, scores.statistic
    return scores.strength, np.zeros(len(scores.n))
