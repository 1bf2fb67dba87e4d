"""The parameters that problems take: exact probabilities and whole numbers, with errors that help."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any

from mbedu.errors import JudgeError

__all__ = ["HALF", "probability", "whole"]

HALF = Fraction(1, 2)


def probability(name: str, value: Any, *, largest: Fraction = Fraction(1)) -> Fraction:
    """Return `value` as a Fraction; refuse floats, and what is not between 0 and `largest`.

    Examples
    --------
    >>> probability("noise", 0.1)
    Traceback (most recent call last):
        ...
    mbedu.errors.JudgeError: noise=0.1: a float is not exact; give a Fraction, for example Fraction('0.1')
    """
    if isinstance(value, float):
        raise JudgeError(
            f"{name}={value!r}: a float is not exact; give a Fraction, for example Fraction({str(value)!r})"
        )
    if isinstance(value, Rational) and not isinstance(value, bool) and 0 <= Fraction(value) <= largest:
        return Fraction(value)
    raise JudgeError(f"{name}={value!r}: give an exact number from 0 to {largest}, as in Fraction(1, 10)")


def whole(name: str, value: Any, *, least: int, largest: int = 10**6) -> int:
    """Return `value`; refuse what is not a whole number from `least` to `largest`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= largest:
        raise JudgeError(f"{name}={value!r}: give a whole number from {least} to {largest:,}")
    return value
