"""Why an exact joint says what it says: two conditional distributions, side by side."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from mbedu.query import Query

if TYPE_CHECKING:
    from mbedu.oracles.exact_joint import ExactJoint

__all__ = ["explain_tables", "plain"]

Cell: TypeAlias = tuple[Hashable, ...]


def plain(value: Hashable) -> str | int | float | bool | None:
    """Return a state as a JSON value: itself where JSON knows it, its text otherwise."""
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def explain_tables(joint: ExactJoint, query: Query, independent: bool) -> dict[str, Any]:
    """Return the part of an explanation that the tables give; see `ExactJoint.explain`."""
    sides = [[v for v in joint.variables if v in part] for part in (query.given, query.y, query.x)]
    given, y, x = sides
    strata = _strata(joint, given, y, x)
    for z in _in_order(joint, given, list(strata)):
        tables = {b: _shares(strata[z][b]) for b in _in_order(joint, y, list(strata[z]))}
        first, *others = tables
        second = next((b for b in others if independent or tables[b] != tables[first]), None)
        if second is None:
            continue
        total = sum(sum(inner.values()) for inner in strata[z].values())
        xs = _in_order(joint, x, list({a: None for b in tables for a in tables[b]}))
        where = f"where {_write(given, z)}, " if given else ""
        same, joint_word = (
            ("the same distribution", "and") if independent else ("another distribution", "than")
        )
        text = f"{where}{_join(x)} has {same} for {_write(y, first)} {joint_word} for {_write(y, second)}."
        return {
            "stratum": _named(given, z),
            "tables": [
                {
                    "y": _named(y, b),
                    "weight": str(sum(strata[z][b].values()) / total),
                    "x": [_entry(x, a, tables[b].get(a, Fraction(0))) for a in xs],
                }
                for b in (first, second)
            ],
            "text": ("Independent: " if independent else "Dependent: ") + text,
        }
    return {
        "stratum": {},
        "tables": [],
        "text": f"Independent: {_join(y)} has a single value in every stratum, so it can tell nothing.",
    }


def _strata(
    joint: ExactJoint, given: list[str], y: list[str], x: list[str]
) -> dict[Cell, dict[Cell, dict[Cell, Fraction]]]:
    """Return the probabilities of the cells, stratum by stratum and by value of y."""
    at = {v: i for i, v in enumerate(joint.variables)}
    strata: dict[Cell, dict[Cell, dict[Cell, Fraction]]] = {}
    for cell, p in joint.table().items():
        z, b, a = (tuple(cell[at[v]] for v in part) for part in (given, y, x))
        strata.setdefault(z, {}).setdefault(b, {})[a] = p
    return strata


def _in_order(joint: ExactJoint, variables: list[str], cells: list[Cell]) -> list[Cell]:
    number = [{s: k for k, s in enumerate(joint.states(v))} for v in variables]
    return sorted(cells, key=lambda cell: [number[i][value] for i, value in enumerate(cell)])


def _shares(weights: dict[Cell, Fraction]) -> dict[Cell, Fraction]:
    total = sum(weights.values())
    return {cell: w / total for cell, w in weights.items()}


def _entry(x: list[str], cell: Cell, share: Fraction) -> dict[str, Any]:
    return {"value": _named(x, cell), "fraction": str(share), "float": float(share)}


def _named(variables: list[str], cell: Cell) -> dict[str, Any]:
    return {v: plain(value) for v, value in zip(variables, cell, strict=True)}


def _write(variables: list[str], cell: Cell) -> str:
    return ", ".join(f"{v} = {value}" for v, value in zip(variables, cell, strict=True))


def _join(variables: list[str]) -> str:
    return ", ".join(variables)
