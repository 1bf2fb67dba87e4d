"""The events of a run. Each is a frozen value with its pseudo-code line and one plain sentence.

The sentence is derived, never stored twice: the transcript, the player, the ARIA live region and
`repr` all show `step.text`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

from mbedu.errors import TraceError
from mbedu.judge import Verdict
from mbedu.query import Query, sentence_set

__all__ = [
    "Asked",
    "Changed",
    "Chose",
    "Entered",
    "Noted",
    "Returned",
    "Scored",
    "Step",
    "format_p",
    "step_from_plain",
    "step_to_plain",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where in the run a step stands."""

    line: int | None = None
    """The pseudo-code line of `procedure`, or None for a function that has no line tags."""
    procedure: str = ""
    """The key of the algorithm (or sub-procedure) whose line this is; empty for a plain function."""
    depth: int = 0
    """How many procedures are entered: 1 in the algorithm itself, more in what it calls."""
    phase: str = ""
    """The phase that is going on, such as `grow`."""
    scope: int = 0
    """Which activation of a procedure owns the sets that the step names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(_Place):
    """A question and its verdict."""

    kind: ClassVar[str] = "asked"
    query: Query
    verdict: Verdict

    @property
    def text(self) -> str:
        """Say the question and the answer."""
        q, v = self.query, self.verdict
        words = "independent" if v.independent else "dependent"
        evidence = [] if v.p_value is None else [f"p = {format_p(v.p_value, v.log_p)}"]
        if not v.reliable:
            evidence.append("not reliable")
        if v.reason:
            evidence.append(v.reason)
        given = f" given {sentence_set(q.given)}" if q.given else ""
        return f"{_side(q.x)} and {_side(q.y)} are {words}{given}{_brackets(evidence)}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed(_Place):
    """A named set gained or lost members; both empty means that it was created empty."""

    kind: ClassVar[str] = "changed"
    name: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    size: int = 0
    """The number of members afterwards."""

    @property
    def text(self) -> str:
        """Say who came and who went."""
        parts = []
        if self.added:
            parts.append(f"{_listed(self.added)} {_verb(self.added, 'enters', 'enter')} {self.name}")
        if self.removed:
            parts.append(f"{_listed(self.removed)} {_verb(self.removed, 'leaves', 'leave')} {self.name}")
        if not parts:
            return f"{self.name} starts empty."
        return " and ".join(parts) + f", which now has {_counted(self.size)}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered(_Place):
    """A phase or a procedure began."""

    kind: ClassVar[str] = "entered"
    what: str
    """`procedure` or `phase`."""
    name: str
    target: str = ""
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """Say what begins."""
        if self.what == "phase":
            return f"Phase: {self.name}."
        params = "".join(f", {key} = {value}" for key, value in self.params)
        return f"{self.name} starts for {self.target}{params}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Chose(_Place):
    """One candidate was picked out of several."""

    kind: ClassVar[str] = "chose"
    item: tuple[str, ...]
    among: int
    why: str
    ties: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """Say what was picked, out of how many, and why."""
        tie = ""
        if self.ties:
            shown = "; ".join(_listed(t) for t in self.ties[:3]) + (" …" if len(self.ties) > 3 else "")
            tie = f" It ties with {shown}; the order of the variables decides."
        return f"{_listed(self.item)} is chosen among {self.among}: {self.why}.{tie}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(_Place):
    """A set of features received a number (what selectors do instead of asking)."""

    kind: ClassVar[str] = "scored"
    item: tuple[str, ...]
    score: str
    value: float
    why: str = ""

    @property
    def text(self) -> str:
        """Say the score."""
        return f"{self.score}({sentence_set(self.item)}) = {self.value:.6g}{_brackets([self.why])}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(_Place):
    """Something worth saying that is neither a question nor a change, such as a deadline."""

    kind: ClassVar[str] = "noted"
    message: str

    @property
    def text(self) -> str:
        """Say it."""
        return self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned(_Place):
    """A procedure ended; `value` is its answer where that is a set of variables."""

    kind: ClassVar[str] = "returned"
    name: str
    value: tuple[str, ...] | None = None
    summary: str = ""

    @property
    def text(self) -> str:
        """Say the answer."""
        if self.value is not None:
            return f"{self.name} returns {{{', '.join(self.value)}}}."
        return f"{self.name} returns{' ' + self.summary if self.summary else ''}."


Step: TypeAlias = Asked | Changed | Entered | Chose | Scored | Noted | Returned
KINDS: dict[str, type[Step]] = {k.kind: k for k in (Asked, Changed, Entered, Chose, Scored, Noted, Returned)}


def format_p(p: float, log_p: float | None = None) -> str:
    """Write a p-value for a reader; one that underflows keeps its order of magnitude.

    Examples
    --------
    >>> format_p(0.03127), format_p(2e-9), format_p(0.0, -1000.0)
    ('0.0313', '2.0e-09', '10^-434')
    """
    if p <= 0.0 and log_p is not None:
        return f"10^{log_p / 2.302585092994046:.0f}"
    return f"{p:.3g}" if p >= 1e-4 else f"{p:.1e}"


def _side(members: frozenset[str]) -> str:
    return sentence_set(members) if len(members) == 1 else f"{{{sentence_set(members)}}}"


def _listed(items: Iterable[str]) -> str:
    items = list(items)
    if len(items) > 8:
        return f"{', '.join(items[:7])} and {len(items) - 7} more"
    return ", ".join(items)


def _verb(items: tuple[str, ...], one: str, many: str) -> str:
    return one if len(items) == 1 else many


def _counted(size: int) -> str:
    return "no member" if size == 0 else "1 member" if size == 1 else f"{size} members"


def _brackets(parts: Iterable[str]) -> str:
    kept = [p for p in parts if p]
    return f" ({'; '.join(kept)})" if kept else ""


# --- to and from plain JSON values -------------------------------------------------------------


def step_to_plain(step: Step) -> dict[str, Any]:
    """Return the step as JSON values; what equals the default is left out."""
    plain: dict[str, Any] = {"kind": step.kind}
    for field in fields(step):
        value = getattr(step, field.name)
        if field.name == "query":
            plain["x"], plain["y"], plain["given"] = sorted(value.x), sorted(value.y), sorted(value.given)
        elif field.name == "verdict":
            plain["verdict"] = _verdict_to_plain(value)
        elif value != field.default:
            plain[field.name] = _tuple_to_plain(value)
    return plain


def step_from_plain(plain: dict[str, Any]) -> Step:
    """Rebuild a step from `step_to_plain`."""
    values = dict(plain)
    kind = values.pop("kind", None)
    if kind not in KINDS:
        raise TraceError(f"unknown kind of step {kind!r}; known: {', '.join(KINDS)}")
    if kind == "asked":
        values["query"] = Query(values.pop("x"), values.pop("y"), values.pop("given"))
        values["verdict"] = _verdict_from_plain(values["verdict"])
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = _plain_to_tuple(value)
    if kind == "scored":
        values["value"] = _number(values["value"])
    return KINDS[kind](**values)


def _tuple_to_plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_tuple_to_plain(v) for v in value]
    return _spelled(value) if isinstance(value, float) else value


def _plain_to_tuple(value: Any) -> Any:
    return tuple(_plain_to_tuple(v) for v in value) if isinstance(value, list) else value


def _spelled(value: float) -> float | str:
    # JSON has no infinity, and browsers refuse Python's spelling of it
    return value if abs(value) != float("inf") else str(value)


def _number(value: Any) -> Any:
    return float(value) if value in ("inf", "-inf") else value


def _verdict_to_plain(verdict: Verdict) -> dict[str, Any]:
    plain: dict[str, Any] = {"independent": verdict.independent}
    for name, default in Verdict._field_defaults.items():
        value = getattr(verdict, name)
        if value != default:
            plain[name] = _spelled(value) if isinstance(value, float) else value
    return plain


def _verdict_from_plain(plain: dict[str, Any]) -> Verdict:
    return Verdict(**{name: _number(value) for name, value in plain.items()})
