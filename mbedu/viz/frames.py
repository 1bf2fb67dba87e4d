"""What every node of the picture shows after each step; the player and the storyboard only draw it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mbedu.steps import Asked, Changed, Chose, Entered, Returned, Scored
from mbedu.trace import Trace

__all__ = ["ACTS", "STANDINGS", "Frame", "Mark", "frames", "relations"]

STANDINGS = ("open", "target", "in", "removed", "rejected", "outer")
"""Where a variable stands: not yet tried, the target, in a set, taken out again, found independent,
or the target of the outer algorithm while a procedure works on another one."""

ACTS = ("", "asked", "tested", "given", "enters", "leaves", "chosen")
"""What a variable does in this very step: left side, right side or condition of the question, …"""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one node shows: where it stands, what it does now, and the sets it is in."""

    standing: str = "open"
    act: str = ""
    sets: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """The picture after one step."""

    marks: dict[str, Mark]
    sets: tuple[tuple[str, tuple[str, ...]], ...]
    """The named sets of the procedures that are running, innermost last, members in variable order."""
    crumbs: tuple[str, ...]
    """The titles of the procedures that are running, outermost first, each with its target."""


@dataclass(slots=True)
class _Scope:
    """One activation of a procedure."""

    title: str
    target: str
    prefix: str
    sets: dict[str, dict[str, None]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)

    def members(self) -> dict[str, list[str]]:
        """Map each member to the names of the sets that it is in."""
        found: dict[str, list[str]] = {}
        for name, inside in self.sets.items():
            for v in inside:
                found.setdefault(v, []).append(name)
        return found


def frames(trace: Trace) -> Iterator[Frame]:
    """Yield the picture after every step of the trace.

    Examples
    --------
    >>> import mbedu as mb
    >>> run = mb.run("gs_m", mb.DSeparation([("A", "T"), ("T", "B")]), target="T", record=True)
    >>> last = list(frames(run.trace))[-1]
    >>> [(v, mark.standing) for v, mark in last.marks.items()]
    [('A', 'in'), ('T', 'target'), ('B', 'in')]
    """
    order = {v: i for i, v in enumerate(trace.variables)}
    scopes: dict[int, _Scope] = {}
    ended: Returned | None = None
    for step in trace.steps:
        if isinstance(step, Entered) and step.what == "procedure":
            prefix = "" if step.depth <= 1 else f"{step.name}."
            scopes[step.scope] = _Scope(step.name, step.target, prefix)
        scope = scopes.setdefault(step.scope, _Scope(trace.title, trace.target, ""))
        if isinstance(step, Changed):
            _change(scope, step)
        elif isinstance(step, Asked):
            _judge(scope, step)
        elif isinstance(step, Returned) and step.depth <= 1:
            ended = step
        yield Frame(
            marks=_marks(trace, scope, step, ended),
            sets=_sets(scopes.values(), order),
            crumbs=tuple(f"{s.title} for {s.target}" for s in scopes.values()),
        )
        if isinstance(step, Returned) and step.depth > 1:
            scopes.pop(step.scope, None)


def _change(scope: _Scope, step: Changed) -> None:
    inside = scope.sets.setdefault(step.name, {})
    for v in step.added:
        inside[v] = None
        scope.removed.discard(v)
        scope.rejected.discard(v)
    for v in step.removed:
        inside.pop(v, None)
        scope.removed.add(v)


def _judge(scope: _Scope, step: Asked) -> None:
    for v in step.query.y if len(step.query.y) == 1 else ():
        if step.verdict.independent:
            scope.rejected.add(v)
        else:
            scope.rejected.discard(v)


def _acts(step: object) -> dict[str, str]:
    if isinstance(step, Asked):
        q = step.query
        return {
            **dict.fromkeys(q.given, "given"),
            **dict.fromkeys(q.x, "asked"),
            **dict.fromkeys(q.y, "tested"),
        }
    if isinstance(step, Changed):
        return {**dict.fromkeys(step.removed, "leaves"), **dict.fromkeys(step.added, "enters")}
    if isinstance(step, Chose | Scored):
        return dict.fromkeys(step.item, "chosen")
    return {}


def _marks(trace: Trace, scope: _Scope, step: object, ended: Returned | None) -> dict[str, Mark]:
    acts, inside = _acts(step), scope.members()
    if ended is not None:
        chosen = ended.value if ended.value is not None else trace.answer
        inside = {v: ["✓"] for v in chosen}
    marks = {}
    for v in trace.variables:
        if v == scope.target:
            standing = "target"
        elif v in inside:
            standing = "in"
        elif v == trace.target:
            standing = "outer"
        elif v in scope.removed:
            standing = "removed"
        elif v in scope.rejected:
            standing = "rejected"
        else:
            standing = "open"
        marks[v] = Mark(standing, acts.get(v, ""), ", ".join(inside.get(v, ())))
    return marks


def _sets(scopes: Iterable[_Scope], order: dict[str, int]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (scope.prefix + name, tuple(sorted(inside, key=lambda v: order.get(v, 0))))
        for scope in scopes
        for name, inside in scope.sets.items()
    )


def relations(edges: Iterable[tuple[str, str]], target: str) -> dict[str, str]:
    """Return for each variable of the target's boundary its letters: pa(rent), ch(ild), sp(ouse).

    Examples
    --------
    >>> relations([("A", "T"), ("T", "B"), ("D", "B")], "T")
    {'A': 'pa', 'B': 'ch', 'D': 'sp'}
    """
    arcs = list(edges)
    parents = [a for a, b in arcs if b == target]
    children = [b for a, b in arcs if a == target]
    spouses = [a for a, b in arcs if b in children and a != target]
    found: dict[str, str] = {}
    for letter, group in (("pa", parents), ("ch", children), ("sp", spouses)):
        for v in group:
            if letter not in found.get(v, ""):
                found[v] = f"{found[v]} {letter}" if v in found else letter
    return found
