"""What a comparison found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from mbedu.errors import MbeduError
from mbedu.judge import Verdict
from mbedu.query import Query, sentence_set
from mbedu.running import Run
from mbedu.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "Comparison", "Consequence", "Effect", "FirstWrong", "Wrong", "trace_of"]

KINDS = ("false dependence", "false independence", "unreliable")


class Wrong(NamedTuple):
    """A verdict on data that the oracle contradicts: the step of the data run, the question, and how.

    `kind` is "unreliable" where the test itself had said that it lacked data, otherwise "false
    dependence" or "false independence".
    """

    step: int
    query: Query
    kind: str


class FirstWrong(NamedTuple):
    """The first wrong verdict, in full."""

    step: int
    query: Query
    kind: str
    p_value: float | None
    sentence: str


class Effect(NamedTuple):
    """A change of a set that a wrong verdict caused or prevented: its step, and a sentence."""

    step: int
    sentence: str


class Consequence(NamedTuple):
    """What one wrong verdict led to: the run with its question corrected, and how the two runs differ."""

    wrong: FirstWrong
    repaired: Run
    caused: tuple[Effect, ...]
    prevented: tuple[Effect, ...]


@dataclass(frozen=True, repr=False)
class Comparison:
    """A run under the oracle and a run on data, and what became of the first wrong verdict.

    Attributes
    ----------
    oracle, data : Run
        The two runs, recorded.
    truths : dict
        For each step of the data run that is a question, the oracle's verdict.
    wrong : tuple of Wrong
        The verdicts on data that are not the oracle's, in order.
    first_wrong : FirstWrong or None
        The first of them, with its p-value and a sentence.
    truth : frozenset
        The boundary that is known to be right, or else the answer under the oracle.
    settings : dict
        What was compared: test, alpha, n, seed.
    """

    oracle: Run
    data: Run
    truths: Mapping[int, Verdict]
    wrong: tuple[Wrong, ...]
    first_wrong: FirstWrong | None
    truth: frozenset[str]
    consequence: Consequence | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    edges: tuple[tuple[str, str], ...] | None = None
    correct: Callable[[Wrong], Consequence] | None = field(default=None, compare=False, repr=False)

    @property
    def repaired(self) -> Run | None:
        """The run on data with the first wrong question, whenever it is asked, answered by the oracle."""
        return None if self.consequence is None else self.consequence.repaired

    @property
    def caused(self) -> tuple[Effect, ...]:
        """The changes of sets after the first wrong verdict that the repaired run does not make."""
        return () if self.consequence is None else self.consequence.caused

    @property
    def prevented(self) -> tuple[Effect, ...]:
        """The changes that only the repaired run makes; steps are those of the repaired run."""
        return () if self.consequence is None else self.consequence.prevented

    @cached_property
    def decisive(self) -> Consequence | None:
        """The first wrong verdict whose correction, alone, changes any set; many wrong ones are harmless.

        It costs a run for each wrong verdict before it.
        """
        if self.consequence is None or self.correct is None:
            return None
        seen: set[Query] = set()
        for at in self.wrong:
            if at.query not in seen:
                seen.add(at.query)
                found = self.consequence if at.query == self.consequence.wrong.query else self.correct(at)
                if found.caused or found.prevented:
                    return found
        return None

    @property
    def missing(self) -> frozenset[str]:
        """What the run on data should have found and did not."""
        return self.truth - self.data.boundary

    @property
    def extra(self) -> frozenset[str]:
        """What the run on data found and should not have."""
        return self.data.boundary - self.truth

    @property
    def f1(self) -> float:
        """The F-measure of the answer on data; 1 where both it and the truth are empty."""
        return _f1(self.data.boundary, self.truth)

    def count(self, kind: str) -> int:
        """Return how many verdicts are wrong in this way."""
        return sum(w.kind == kind for w in self.wrong)

    def to_frame(self) -> pd.DataFrame:
        """Return the data run, a row a step, with the oracle's `truth` and the kind of `wrong` (or '')."""
        frame = trace_of(self.data).to_frame()
        kinds = {w.step: w.kind for w in self.wrong}
        truth = [self.truths[n].independent if n in self.truths else None for n in frame["step"]]
        frame["truth"] = truth
        frame["wrong"] = [kinds.get(n, "") for n in frame["step"]]
        return frame.astype({"truth": "boolean"})

    def play(self, **options: Any) -> Any:
        """Return both runs side by side, step by step, with the first wrong verdict and what it caused."""
        from mbedu.compare import twins

        options.setdefault("graph", self.edges)
        first = None if self.first_wrong is None else self.first_wrong.step
        caused = [effect.step for effect in self.caused]
        return twins(trace_of(self.oracle), trace_of(self.data), first_wrong=first, caused=caused, **options)

    def __str__(self) -> str:
        said = self.settings
        kind = trace_of(self.oracle).judge.get("kind", "a judge")
        shown = f"{said.get('test')} on {said.get('n')} rows"
        lines = [
            f"{self.data.algorithm} for {self.data.target}: {shown} beside the oracle ({kind})",
            f"  oracle: {_braces(self.oracle.boundary)} after {self.oracle.n_asked} questions",
            f"  data:   {_braces(self.data.boundary)} after {self.data.n_asked} questions",
        ]
        if self.first_wrong is None:
            return "\n".join([*lines, f"  all {len(self.truths)} verdicts on the data are the oracle's"])
        counts = ", ".join(f"{self.count(k)} {k}" for k in KINDS)
        lines += [f"  wrong:  {len(self.wrong)} of {len(self.truths)} verdicts ({counts})"]
        lines += [f"  first:  step {self.first_wrong.step}: {self.first_wrong.sentence}"]
        lines += [f"  caused: step {e.step}: {e.sentence}" for e in self.caused]
        lines += [f"  instead, with that answer corrected: {e.sentence}" for e in self.prevented]
        if not self.caused and not self.prevented:
            lines += ["  caused: no change of any set; .decisive looks for the first one that matters"]
        if self.repaired is not None:
            end = f" (stopped: {self.repaired.stopped})" if self.repaired.stopped else ""
            lines += [f"  repaired: {_braces(self.repaired.boundary)}{end}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        try:
            player = self.play()
        except ImportError:
            return f"<pre>{escape(str(self))}</pre>"
        return f"<pre>{escape(str(self))}</pre>{player.html}"


def _f1(found: frozenset[str], truth: frozenset[str]) -> float:
    if not found and not truth:
        return 1.0
    return 2 * len(found & truth) / (len(found) + len(truth))


def trace_of(made: Run) -> Trace:
    """Return the trace of a run that was recorded."""
    if made.trace is None:
        raise MbeduError("this run was not recorded; compare records its runs")
    return made.trace


def _braces(members: frozenset[str]) -> str:
    return f"{{{sentence_set(members) if members else ''}}}"
