"""What a verification found: how many were tried, how many went wrong and how, and the smallest one."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mbedu.query import sentence_set
from mbedu.trace import Trace

if TYPE_CHECKING:
    from mbedu.verify.cases import Case

__all__ = ["Counterexample", "Report"]


@dataclass(frozen=True, repr=False)
class Counterexample:
    """The smallest case that went wrong, as a film beside a right algorithm's.

    Attributes
    ----------
    case : Case
        The judge, the target, the variable order and the right answers.
    kind, detail : str
        What went wrong.
    answer : frozenset or None
        What came back, if anything did.
    trace, reference : Trace or None
        Every step of the function, and of the reference algorithm on the same case.
    diverges_at : int or None
        The first step at which the two traces tell different things.
    certified : bool
        Whether every smaller graph was tried as well, so that none is smaller.
    """

    case: Case
    kind: str
    detail: str
    answer: frozenset[str] | None
    questions: int
    trace: Trace | None = field(repr=False)
    reference: Trace | None = field(repr=False)
    certified: bool

    @property
    def expected(self) -> tuple[frozenset[str], ...]:
        """Every right answer."""
        return self.case.expected

    @cached_property
    def diverges_at(self) -> int | None:
        """Return the first question that the two runs do not share; None where there is none."""
        if self.trace is None or self.reference is None:
            return None
        mine = [n for n, step in enumerate(self.trace) if step.kind == "asked"]
        theirs = self.reference.questions
        for k, n in enumerate(mine):
            if k >= len(theirs) or self.trace.questions[k].query != theirs[k].query:
                return n
        return len(self.trace) - 1 if len(mine) < len(theirs) else None

    def __str__(self) -> str:
        case = self.case
        right = " or ".join(_braces(b) for b in self.expected)
        said = f"answers {_braces(self.answer)}" if self.answer is not None else self.detail
        order = (
            f" (variable order {', '.join(case.order)})" if case.order != tuple(sorted(case.order)) else ""
        )
        small = "no smaller one exists" if self.certified else "smaller ones may exist"
        return f"{case.name}; target {case.target}{order}: {said}; right: {right}; {small}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(str(self))}</p>" + _film(self)

    def play(self) -> Any:
        """Return the film: the function's run beside the reference's, opened where they part."""
        from mbedu.viz.diff import play_diff

        if self.trace is None or self.reference is None:
            return self.trace
        return play_diff(self.trace, self.reference, start=self.diverges_at)


def _film(found: Counterexample) -> str:
    try:
        film = found.play()
    except ImportError:
        film = None
    if film is not None and hasattr(film, "_repr_html_"):
        return str(film._repr_html_())
    if found.trace is None:
        return ""
    return f"<pre>{html.escape(found.trace.transcript())}</pre>"


def _braces(members: frozenset[str] | None) -> str:
    return "{" + (sentence_set(members) if members else "") + "}"


@dataclass(frozen=True, repr=False)
class Report:
    """What `verify` found. It is true when everything that was tried went right.

    Attributes
    ----------
    tried : int
        How many runs: every graph or problem × target × variable order.
    counts : mapping
        How many ended in each way; `right`, `missing`, `extra`, `both` and what else happened.
    counterexample : Counterexample or None
        The smallest run that went wrong: fewest nodes, then edges, then questions.
    examples : mapping
        For each way to go wrong, one sentence from the first run that did.
    complete : bool
        False when the sweep was interrupted.
    """

    name: str
    domain: str
    tried: int
    counts: Mapping[str, int]
    questions: int
    most_questions: int
    examples: Mapping[str, str]
    counterexample: Counterexample | None
    complete: bool = True

    @property
    def wrong(self) -> int:
        """How many runs did not give a right answer."""
        return self.tried - self.counts.get("right", 0)

    @property
    def missing(self) -> int:
        """How many answers only lacked members."""
        return self.counts.get("missing", 0)

    @property
    def extra(self) -> int:
        """How many answers only had too many members."""
        return self.counts.get("extra", 0)

    @property
    def both(self) -> int:
        """How many answers lacked members and had others too many."""
        return self.counts.get("both", 0)

    def __bool__(self) -> bool:
        return self.wrong == 0

    def __str__(self) -> str:
        state = "" if self.complete else " (interrupted)"
        if not self.wrong:
            return f"{self.name}: right on all {self.tried:,} runs on {self.domain}{state}"
        ways = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items() if kind != "right")
        lines = [
            f"{self.name}: wrong on {self.wrong:,} of {self.tried:,} runs on {self.domain}{state} ({ways})"
        ]
        lines += [f"  {kind}: {example}" for kind, example in self.examples.items()]
        if self.counterexample is not None:
            lines.append(f"  smallest: {self.counterexample}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = f"<pre>{html.escape(str(self))}</pre>"
        return text + (_film(self.counterexample) if self.counterexample is not None else "")
