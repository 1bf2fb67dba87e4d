"""Refusing parameters that a selector cannot have."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mbedu.registry import require

__all__ = ["number", "one_of"]


def number(name: str, value: object, *, above: float | None = None, at_least: float | None = None) -> None:
    """Refuse what is not a finite number, or does not lie above (or at) a limit.

    Examples
    --------
    >>> number("theta", -1, above=0)
    Traceback (most recent call last):
        ...
    mbedu.errors.AlgorithmError: theta=-1: it has to be a number above 0
    """
    rule = "" if above is None else f" above {above}"
    rule += "" if at_least is None else f" of at least {at_least}"
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    good = good and (above is None or value > above)  # type: ignore[operator]
    good = good and (at_least is None or value >= at_least)  # type: ignore[operator]
    require(good, f"{name}={value!r}: it has to be a number{rule}")


def one_of(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse what is not among the choices, listing them."""
    require(value in choices, f"{name}={value!r}: choose {' or '.join(map(repr, choices))}")
