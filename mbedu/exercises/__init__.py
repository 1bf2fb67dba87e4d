"""Exercises that check themselves: a task, feedback that helps, three hints, and a solution one call away."""

from __future__ import annotations

from typing import Any

from mbedu.exercises.core import Exercise, Exercises, exercise, exercises
from mbedu.exercises.feedback import Feedback, Hint, NotYet, Solution

__all__ = [
    "Exercise", "Exercises", "Feedback", "Hint", "NotYet", "Solution", "check", "exercise", "exercises",
    "hint", "solution",
]  # fmt: skip


def check(name: str, answer: Any) -> Feedback:
    """Look at an answer to the exercise of this name; the feedback is true if it is right.

    Examples
    --------
    >>> check("close_all_paths", {"A"})
    ✗ X and Y are still connected ...
    """
    return exercise(name).check(answer)


def hint(name: str, number: int = 1) -> Hint:
    """Return a hint to the exercise of this name: 1, 2 or 3."""
    return exercise(name).hint(number)


def solution(name: str) -> Solution:
    """Return a right answer to the exercise of this name, with its source."""
    return exercise(name).solution()
