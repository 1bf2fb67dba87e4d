"""A problem: a judge, a target, and the boundaries where they are known."""

from __future__ import annotations

from dataclasses import dataclass

from mbedu.judge import Judge
from mbedu.query import sentence_set

__all__ = ["Problem"]


@dataclass(frozen=True)
class Problem:
    """A judge and a target, with the known answers.

    Attributes
    ----------
    name : str
        What it is called.
    judge : Judge
        What answers.
    target : str
        The variable whose boundary is sought.
    boundaries : tuple of frozenset
        *Every* Markov boundary of the target where they are known; empty when they are not.
    source : str
        Where it comes from.
    note : str
        What it teaches.
    """

    name: str
    judge: Judge
    target: str
    boundaries: tuple[frozenset[str], ...] = ()
    source: str = ""
    note: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The universe, in its order."""
        return tuple(self.judge.variables)

    def __str__(self) -> str:
        known = " or ".join(f"{{{sentence_set(b) if b else ''}}}" for b in self.boundaries) or "not known"
        return f"{self.name}: target {self.target} among {len(self.variables)} variables; boundary {known}"
