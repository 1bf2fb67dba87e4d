"""The door with a camera: every question, change, choice, phase and return becomes a step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mbedu.ask import Ask, C, Returns, frozen
from mbedu.errors import QueryError
from mbedu.judge import By, Found, Judge, Verdict, chunks, strongest_of, weakest_of
from mbedu.lines import line_of, numbered_lines
from mbedu.query import Query, Vars, names
from mbedu.steps import Asked, Changed, Chose, Entered, Noted, Returned, Scored, Step
from mbedu.trace import Pseudocode, plain
from mbedu.varset import VarSet

__all__ = ["RecordingAsk"]


class _WatchedSet(VarSet):
    """A VarSet that tells its door of every change."""

    __slots__ = ("_tell",)

    def __init__(
        self, position: dict[str, int], name: str, items: frozenset[str], tell: Callable[..., None]
    ) -> None:
        super().__init__(position, name, items)
        self._tell = tell
        tell(name, tuple(self), (), len(self))

    def _change(self, added: frozenset[str], removed: frozenset[str]) -> None:
        super()._change(added, removed)
        if added or removed:
            order = self._position.__getitem__
            came, went = tuple(sorted(added, key=order)), tuple(sorted(removed, key=order))
            self._tell(self.name, came, went, len(self))


class RecordingAsk(Ask):
    """The same door with a camera: every question, change, choice, phase and return becomes a step."""

    recording = True

    def __init__(self, judge: Judge, **limits: Any) -> None:
        super().__init__(judge, **limits)
        self.steps: list[Step] = []
        self.pseudocode: dict[str, Pseudocode] = {}
        self._stack: list[tuple[str, str, int]] = []  # key, source file, scope
        self._phase = ""

    def _where(self, kind: type[Any] = Asked) -> dict[str, Any]:
        if not self._stack:
            return {"phase": self._phase}
        key, path, scope = self._stack[-1]
        lines = line_of(sys._getframe(1), path) if path else None
        return {
            "line": None if lines is None else lines[0 if kind is Changed else 1],
            "procedure": key,
            "depth": len(self._stack),
            "phase": self._phase,
            "scope": scope,
        }

    def _record(self, kind: type[Any], **values: Any) -> None:
        self.steps.append(kind(**values, **self._where(kind)))

    def _asked(
        self, x: frozenset[str], ys: Iterable[Vars], given: frozenset[str], verdicts: Iterable[Verdict]
    ) -> None:
        where = self._where()
        for y, verdict in zip(ys, verdicts, strict=False):
            self.steps.append(Asked(query=Query(x, y, given), verdict=verdict, **where))

    def verdict(self, x: Vars, y: Vars, given: Vars = ()) -> Verdict:
        verdict = super().verdict(x, y, given)
        self._asked(names(x), [y], frozen(given), [verdict])
        return verdict

    def many(self, x: Vars, ys: Sequence[Vars], given: Vars = ()) -> list[Verdict]:
        verdicts = super().many(x, ys, given)
        self._asked(names(x), ys, frozen(given), verdicts)
        return verdicts

    def first_dependent(self, x: Vars, ys: Sequence[C], given: Vars = ()) -> C | None:
        xs, zs, affordable = names(x), frozen(given), self._affordable(ys)
        for _, chunk in chunks(affordable, self._judge.batch):
            verdicts = self._judge.judge_many(x, chunk, zs)
            hit = next((i for i, verdict in enumerate(verdicts) if not verdict.independent), None)
            asked = verdicts if hit is None else verdicts[: hit + 1]
            self._count(len(asked), len(zs))
            self._asked(xs, chunk, zs, asked)
            if hit is not None:
                return chunk[hit]  # type: ignore[return-value]
        self._before(len(ys) - len(affordable))
        return None

    def strongest(self, x: Vars, ys: Sequence[C], given: Vars = (), *, by: By = "strength") -> C | None:
        if not self._judge.ranks:
            return self.first_dependent(x, ys, given)
        found = strongest_of(self.many(x, ys, given), by)
        if found is None:
            return None
        self._chose([ys[found.position]] + [ys[i] for i in found.ties], found, len(ys), "most")
        return ys[found.position]

    def dependents(self, x: Vars, ys: Sequence[C], given: Vars = ()) -> list[C]:
        verdicts = self.many(x, ys, given)
        return [y for y, verdict in zip(ys, verdicts, strict=True) if not verdict.independent]

    def leave_one_out(self, x: Vars, ys: Sequence[str], members: Iterable[str]) -> list[Verdict]:
        inside = frozen(members)
        verdicts = super().leave_one_out(x, ys, inside)
        where = self._where()
        for y, verdict in zip(ys, verdicts, strict=True):
            self.steps.append(Asked(query=Query(x, y, inside - {y}), verdict=verdict, **where))
        return verdicts

    def _weakest(self, x: Vars, ys: Sequence[str], inside: frozenset[str], by: By) -> Found | None:
        found = weakest_of(self.leave_one_out(x, ys, inside), by)
        if found is not None:
            self._chose([ys[found.position]] + [ys[i] for i in found.ties], found, len(ys), "least")
        return found

    def _chose(self, items: Sequence[Vars], found: Found, among: int, degree: str) -> None:
        strength = found.verdict.strength
        shown = "" if strength is None else f" (conditional mutual information {strength:.4g} nats)"
        item, *ties = (self.ordered(names(i)) for i in items)
        self._record(Chose, item=item, among=among, why=f"the {degree} dependent{shown}", ties=tuple(ties))

    def set(self, name: str, items: Vars = ()) -> VarSet:
        def tell(name: str, added: tuple[str, ...], removed: tuple[str, ...], size: int) -> None:
            self._record(Changed, name=name, added=added, removed=removed, size=size)

        return _WatchedSet(self._position, name, self._known(items), tell)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        outer, self._phase = self._phase, name
        self._record(Entered, what="phase", name=name)
        try:
            yield
        finally:
            self._phase = outer

    def choose(self, item: Vars, among: int, why: str) -> None:
        self._record(Chose, item=self.ordered(names(item)), among=among, why=why)

    def score(self, item: Vars, score: str, value: float, why: str = "") -> None:
        self._before(0)
        self._record(Scored, item=self.ordered(names(item)), score=score, value=float(value), why=why)

    def note(self, message: str) -> None:
        self._record(Noted, message=message)

    @contextmanager
    def procedure(
        self, key: str, code: Pseudocode, path: str, target: str, params: dict[str, Any]
    ) -> Iterator[Returns]:
        if code.text:
            self.pseudocode.setdefault(key, code)
        outer, self._phase = self._phase, ""
        self._stack.append((key, path, len(self.steps)))
        shown = tuple((name, plain(value)) for name, value in params.items())
        scope = len(self.steps)
        place: dict[str, Any] = {"procedure": key, "depth": len(self._stack), "scope": scope}
        self.steps.append(Entered(what="procedure", name=code.title, target=target, params=shown, **place))

        def returned(value: Any) -> None:
            line = next(reversed(numbered_lines(code.text)), None)  # the function has left its own last line
            self.steps.append(Returned(name=code.title, line=line, **self._summary(value), **place))

        try:
            yield returned
        finally:
            self._stack.pop()
            self._phase = outer

    def _summary(self, value: Any) -> dict[str, Any]:
        if isinstance(value, tuple | list) and value and all(isinstance(v, set | frozenset) for v in value):
            listed = " and ".join(f"{{{', '.join(self.ordered(v))}}}" for v in value)
            return {"summary": listed}
        if isinstance(value, tuple) and value and isinstance(value[0], VarSet | set | frozenset):
            return {"summary": f"{{{', '.join(self.ordered(value[0]))}}} and what it learned on the way"}
        try:
            return {"value": self.ordered(frozen(value))}
        except (QueryError, KeyError, TypeError):
            return {"summary": "a result that is not one set"}
