"""What must hold of the parts of a network before it is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mbedu.errors import unknown
from mbedu.networks.tables import NetworkError

__all__ = ["checked_parents", "checked_states", "one_cycle"]


def checked_states(name: str, states: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the states of every variable as tuples: strings, none twice, at least one."""
    if not states:
        raise NetworkError(f"network {name!r} has no variables; states maps each variable to its states")
    known: dict[str, tuple[str, ...]] = {}
    variable: Any  # callers without a type checker pass what they like
    for variable, values in states.items():
        if not isinstance(variable, str) or not variable:
            raise NetworkError(f"{variable!r} is not a variable name; names are strings that are not empty")
        if isinstance(values, str):
            raise NetworkError(f"states of {variable!r}: {values!r} is one string; give a list of names")
        known[variable] = _checked_values(variable, tuple(values))
    return known


def _checked_values(variable: str, values: tuple[str, ...]) -> tuple[str, ...]:
    if not values:
        raise NetworkError(f"{variable!r} has no states; a variable needs at least one")
    for value in values:
        if not isinstance(value, str):
            raise NetworkError(
                f"states of {variable!r}: {value!r} is not a string; convert it, as in '{value}'"
            )
    if twice := _repeated(values):
        raise NetworkError(f"states of {variable!r}: {twice!r} is there twice; states must differ")
    return values


def checked_parents(
    parents: Mapping[str, Sequence[str]], known: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return the parents of every variable as tuples: all known, none twice."""
    for variable in parents:
        if variable not in known:
            raise unknown("variable", variable, known, hint="parents has an entry for it")
    edges: dict[str, tuple[str, ...]] = {}
    for variable in known:
        given = parents.get(variable, ())
        edges[variable] = (given,) if isinstance(given, str) else tuple(given)
        for parent in edges[variable]:
            if parent not in known:
                raise unknown("parent", parent, known, hint=f"It stands among the parents of {variable!r}")
        if twice := _repeated(edges[variable]):
            raise NetworkError(f"parents of {variable!r}: {twice!r} is there twice; name each parent once")
    return edges


def _repeated(values: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def one_cycle(parents: Mapping[str, tuple[str, ...]], done: Iterable[str]) -> list[str]:
    """Return one cycle among the variables not in `done`, along its arrows, from its first variable."""
    rest = {v: None for v in parents if v not in set(done)}
    path: list[str] = []
    variable = next(iter(rest))
    while variable not in path:
        path.append(variable)
        variable = next(p for p in parents[variable] if p in rest)  # a stuck variable has a stuck parent
    cycle = path[path.index(variable) :][::-1]  # it was walked against the arrows
    start = cycle.index(next(v for v in rest if v in cycle))
    return [*cycle[start:], *cycle[:start], cycle[start]]
