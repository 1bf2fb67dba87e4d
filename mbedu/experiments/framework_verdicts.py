"""Honest verdicts, by rule: what was printed against what we got.

The rules, in this order:

* a printed number is *reproduced* when it lies inside our interval, widened by half a unit of its last
  printed digit;
* several printed numbers that are compared with each other have the *same ranking, other level* when they
  are not all inside, but of each two that the paper prints as different ours either differ the same way or
  have overlapping intervals, and at least one pair differs the same way with intervals apart;
* everything else is *not reproduced*.

A claim in prose either holds by a stated criterion or does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

from mbedu.experiments.stats import Interval

__all__ = [
    "NOT_REPRODUCED", "NOT_TRIED", "REPRODUCED", "SAME_RANKING", "Check", "Verdict", "check_claim",
    "check_number", "check_ranking", "worst",
]  # fmt: skip

Verdict: TypeAlias = Literal["reproduced", "same ranking, other level", "not reproduced", "not tried"]
REPRODUCED: Verdict = "reproduced"
SAME_RANKING: Verdict = "same ranking, other level"
NOT_REPRODUCED: Verdict = "not reproduced"
NOT_TRIED: Verdict = "not tried"
_ORDER = (REPRODUCED, SAME_RANKING, NOT_REPRODUCED, NOT_TRIED)


@dataclass(frozen=True)
class Check:
    """One published number, group of numbers or claim beside ours.

    Attributes
    ----------
    what : str
        What is compared.
    printed, ours : str
        As printed; and what we got, with its interval or the figures that decide.
    verdict : str
        "reproduced", "same ranking, other level", "not reproduced" or "not tried".
    place : str
        Where it is printed.
    note : str
        What else has to be said.
    """

    what: str
    printed: str
    ours: str
    verdict: Verdict
    place: str = ""
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def check_number(
    what: str, printed: float, ours: Interval, *, rounding: float = 0.0, place: str = "", note: str = ""
) -> Check:
    """Compare one printed number with an interval; `rounding` is half a unit of the last printed digit.

    Examples
    --------
    >>> check_number("accuracy", 0.94, Interval(0.93, 0.92, 0.938, 10), rounding=0.005).verdict
    'reproduced'
    """
    inside = ours.low - rounding <= printed <= ours.high + rounding
    return Check(what, f"{printed:g}", str(ours), REPRODUCED if inside else NOT_REPRODUCED, place, note)


def check_ranking(
    what: str,
    printed: Mapping[str, float],
    ours: Mapping[str, Interval],
    *,
    rounding: float = 0.0,
    place: str = "",
    note: str = "",
) -> Check:
    """Compare printed numbers that belong together, such as the methods in one row of a table.

    Examples
    --------
    >>> ours = {"A": Interval(0.8, 0.78, 0.82, 9), "B": Interval(0.6, 0.55, 0.65, 9)}
    >>> check_ranking("accuracy", {"A": 0.9, "B": 0.7}, ours).verdict
    'same ranking, other level'
    """
    labels = [label for label in printed if label in ours]
    shown = "; ".join(f"{label} {printed[label]:g}" for label in printed)
    got = "; ".join(f"{label} {ours[label]}" for label in labels)
    if not labels:
        return Check(what, shown, "", NOT_TRIED, place, note)
    inside = all(ours[m].low - rounding <= printed[m] <= ours[m].high + rounding for m in labels)
    if inside:
        return Check(what, shown, got, REPRODUCED, place, note)
    same = ranked_alike([printed[m] for m in labels], [ours[m] for m in labels], rounding)
    return Check(what, shown, got, SAME_RANKING if same else NOT_REPRODUCED, place, note)


def ranked_alike(printed: Sequence[float], ours: Sequence[Interval], rounding: float = 0.0) -> bool:
    """Say whether ours contradict no printed difference, and confirm at least one."""
    confirmed = False
    for i, j in combinations(range(len(printed)), 2):
        if abs(printed[i] - printed[j]) <= 2 * rounding:
            continue
        high, low = (i, j) if printed[i] > printed[j] else (j, i)
        if ours[high].high < ours[low].low:
            return False
        if ours[high].mean < ours[low].mean and not ours[high].overlaps(ours[low]):
            return False
        confirmed = confirmed or ours[high].low > ours[low].high
    return confirmed


def check_claim(
    what: str,
    printed: str,
    ours: str,
    *,
    holds: bool | None,
    partly: bool = False,
    place: str = "",
    note: str = "",
) -> Check:
    """Record a claim in prose: it holds, its direction holds but not its level (`partly`), or it does not.

    `holds=None` means that it was not tried.
    """
    if holds is None:
        verdict = NOT_TRIED
    else:
        verdict = REPRODUCED if holds else SAME_RANKING if partly else NOT_REPRODUCED
    return Check(what, printed, ours, verdict, place, note)


def worst(checks: Sequence[Check]) -> Verdict:
    """Return the worst verdict among those that were tried; "not tried" when none was.

    Examples
    --------
    >>> worst([Check("a", "", "", REPRODUCED), Check("b", "", "", NOT_TRIED)])
    'reproduced'
    """
    tried = [c.verdict for c in checks if c.verdict != NOT_TRIED]
    return max(tried, key=_ORDER.index) if tried else NOT_TRIED
