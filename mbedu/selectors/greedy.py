"""The forward step of `consistency` and `dependency`: which feature raises the score of the set most?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from mbedu.ask import Ask

__all__ = ["step"]

Value: TypeAlias = Callable[[Iterable[str]], Fraction]


def step(
    ask: Ask, chosen: Sequence[str], left: Iterable[str], value: Value, name: str
) -> tuple[str, Fraction]:
    """Return the feature of `left` with the largest value(chosen ∪ {f}), the first of equals."""
    best, highest = "", Fraction(-1)
    for f in left:
        found = value([*chosen, f])
        if ask.recording:
            ask.score({*chosen, f}, name, float(found), str(found))
        if found > highest:
            best, highest = f, found
    return best, highest
