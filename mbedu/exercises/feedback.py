"""What a learner gets back: feedback that is true or not, hints, solutions; each shows itself well."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any

from mbedu.errors import MbeduError
from mbedu.exercises.prose import to_html
from mbedu.trace import Trace
from mbedu.verify.report import Counterexample

__all__ = ["Feedback", "Hint", "NotYet", "Refused", "Solution", "right", "wrong"]


class NotYet(MbeduError, AssertionError):
    """An answer that is not right; graders raise it with `feedback.require()`."""


class Refused(Exception):
    """Raised inside a check when an answer is of a kind that cannot be looked at; becomes a feedback."""


@dataclass(frozen=True)
class Feedback:
    """The verdict on an answer. It is true if and only if the answer is right.

    Attributes
    ----------
    exercise : str
        The name of the exercise.
    right : bool
        Whether the answer is right.
    message : str
        One sentence.
    counterexample : Counterexample or None
        The smallest case on which a function went wrong, as a film beside a right algorithm's.
    film : object or None
        Something that a notebook can show: a player of what happened.
    answered : bool
        False where nothing has been written yet.

    Examples
    --------
    >>> Feedback("open_the_path", False, "Try again.").require()
    Traceback (most recent call last):
        ...
    mbedu.exercises.feedback.NotYet: open_the_path: Try again.
    """

    exercise: str
    right: bool
    message: str
    counterexample: Counterexample | None = field(default=None, repr=False)
    film: Any = field(default=None, repr=False, compare=False)
    answered: bool = True

    def __bool__(self) -> bool:
        return self.right

    def require(self) -> Feedback:
        """Return the feedback if the answer is right; raise `NotYet` with the message if it is not."""
        if not self.right:
            raise NotYet(f"{self.exercise}: {self.message}")
        return self

    def play(self) -> Any:
        """Return the film, or None where there is none."""
        if self.film is not None or self.counterexample is None:
            return self.film
        found = self.counterexample.play()
        return found.play() if isinstance(found, Trace) else found

    @property
    def sign(self) -> str:
        """✓ right, ✗ wrong, ○ not answered yet."""
        return "✓" if self.right else "✗" if self.answered else "○"

    def __str__(self) -> str:
        return f"{self.sign} {self.message}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        colour = {"✓": "#007a5e", "✗": "#b03a00", "○": "#0072b2"}[self.sign]
        text = (
            f'<p class="mbedu-feedback" style="border-left:4px solid {colour};padding-left:.6em">'
            f"<strong>{self.sign}</strong> {html.escape(self.message)}</p>"
        )
        shown = self.play()
        inside = getattr(shown, "_repr_html_", None)
        return text + (str(inside()) if inside is not None else "")


@dataclass(frozen=True)
class Hint:
    """One of the hints of an exercise."""

    number: int
    of: int
    text: str

    def __str__(self) -> str:
        return f"Hint {self.number} of {self.of}: {self.text}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<p><em>Hint {self.number} of {self.of}:</em></p>{to_html(self.text)}"


@dataclass(frozen=True)
class Solution:
    """One right answer: the source as text, the object, and why it is right.

    Attributes
    ----------
    source : str
        Python source whose last assignment or definition is the answer.
    answer : object
        The answer itself, ready for `check`.
    why : str
        The reason in a sentence or two.
    """

    source: str
    answer: Any = field(repr=False)
    why: str = ""

    def __str__(self) -> str:
        return self.source + (f"\n\n{self.why}" if self.why else "")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        why = to_html(self.why)
        return f"<pre><code>{html.escape(self.source)}</code></pre>{why}"


def right(message: str, *, film: Any = None) -> Feedback:
    """Return the feedback on a right answer."""
    return Feedback("", True, message, film=film)


def wrong(message: str, *, counterexample: Counterexample | None = None, film: Any = None) -> Feedback:
    """Return the feedback on a wrong answer."""
    return Feedback("", False, message, counterexample, film)
