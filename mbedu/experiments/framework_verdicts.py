"""Honest verdicts, by rule: what was printed against what we got.

The rules, in this order:

* a printed number is *reproduced* when it lies inside our interval, widened by half a unit of its last
  printed digit, and the interval is narrow enough to confirm anything: at most a quarter of the number to
  either side, unless an experiment says how much;
* several printed numbers that are compared with each other have the *same ranking, other level* when they
  are not all reproduced, but of each two that the paper prints as different ours either differ the same way
  or have overlapping intervals, and at least half of these pairs differ the same way with intervals apart;
* everything else is *not reproduced*. That is no refutation: where the printed number lies inside an interval
  that is too wide to confirm it, the note says so.

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


def is_inside(printed: float, ours: Interval, rounding: float = 0.0) -> bool:
    """Say whether a printed number lies in an interval, widened by its rounding."""
    return ours.low - rounding <= printed <= ours.high + rounding


def is_sharp(printed: float, ours: Interval, *, rounding: float = 0.0, widest: float | None = None) -> bool:
    """Say whether an interval is narrow enough to confirm a number that lies in it.

    To either side it may reach `widest`, a quarter of the printed number by default, and in any case as far
    as the number's own rounding leaves open.

    Examples
    --------
    >>> is_sharp(12.0, Interval(4.2, -4.2, 12.6, 5)), is_sharp(12.0, Interval(11.0, 9.0, 13.0, 5))
    (False, True)
    """
    most = max(0.25 * abs(printed) if widest is None else widest, 2 * rounding)
    return (ours.high - ours.low) / 2 <= most + 1e-12


def check_number(
    what: str,
    printed: float,
    ours: Interval,
    *,
    rounding: float = 0.0,
    widest: float | None = None,
    place: str = "",
    note: str = "",
) -> Check:
    """Compare one printed number with an interval; `rounding` is half a unit of the last printed digit.

    Examples
    --------
    >>> check_number("accuracy", 0.94, Interval(0.93, 0.92, 0.938, 10), rounding=0.005).verdict
    'reproduced'
    >>> check_number("accuracy", 0.94, Interval(0.7, 0.4, 1.0, 3)).note
    'inside, but in an interval too wide to confirm it'
    """
    inside = is_inside(printed, ours, rounding)
    sharp = is_sharp(printed, ours, rounding=rounding, widest=widest)
    if inside and not sharp:
        note = "; ".join(n for n in ("inside, but in an interval too wide to confirm it", note) if n)
    verdict = REPRODUCED if inside and sharp else NOT_REPRODUCED
    return Check(what, f"{printed:g}", str(ours), verdict, place, note)


def check_ranking(
    what: str,
    printed: Mapping[str, float],
    ours: Mapping[str, Interval],
    *,
    rounding: float = 0.0,
    widest: float | None = None,
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
    inside = [m for m in labels if is_inside(printed[m], ours[m], rounding)]
    vague = [m for m in inside if not is_sharp(printed[m], ours[m], rounding=rounding, widest=widest)]
    if vague:
        told = f"inside, but in an interval too wide to confirm it: {', '.join(vague)}"
        note = f"{told}; {note}" if note else told
    if len(inside) == len(labels) and not vague:
        return Check(what, shown, got, REPRODUCED, place, note)
    same = ranked_alike([printed[m] for m in labels], [ours[m] for m in labels], rounding)
    return Check(what, shown, got, SAME_RANKING if same else NOT_REPRODUCED, place, note)


def ranked_alike(printed: Sequence[float], ours: Sequence[Interval], rounding: float = 0.0) -> bool:
    """Say whether ours contradict no printed difference, and confirm at least half of them."""
    different = confirmed = 0
    for i, j in combinations(range(len(printed)), 2):
        if abs(printed[i] - printed[j]) <= 2 * rounding:
            continue
        high, low = (i, j) if printed[i] > printed[j] else (j, i)
        if ours[high].high < ours[low].low:
            return False
        different += 1
        confirmed += ours[high].low > ours[low].high
    return 0 < different <= 2 * confirmed


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
