"""Read exact weights over finite variables from a mapping, a DataFrame or a network.

Whatever the source, the result is a `Table`: the rows of positive weight and nothing else, so that a
deterministic variable adds no rows. Weights are integers without a common factor; only their ratios matter.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import numpy.typing as npt

from mbedu.errors import JudgeError
from mbedu.oracles._graph import check_variables, topological

__all__ = ["Ints", "Table", "exact", "from_frame", "from_mapping", "from_network"]

Ints = npt.NDArray[Any]
"""int64, or Python integers (dtype object) where int64 could overflow."""


@dataclass(frozen=True)
class Table:
    """Rows of positive weight: `codes[r, i]` is the number of the state that variable i has in row r."""

    variables: tuple[str, ...]
    states: tuple[tuple[Hashable, ...], ...]
    codes: Ints
    weights: tuple[int, ...]


def exact(value: Any, where: str, *, sign: bool = False) -> Fraction:
    """Return `value` as a Fraction; refuse what is not exact, and what is negative unless `sign`.

    Examples
    --------
    >>> exact(3, "the weight"), exact(Fraction(1, 3), "the weight")
    (Fraction(3, 1), Fraction(1, 3))
    >>> exact(0.1, "the weight of row 2")
    Traceback (most recent call last):
        ...
    mbedu.errors.JudgeError: 0.1 (float) as the weight of row 2 is not exact; give an integer or ...
    """
    if value is None or value != value:  # noqa: PLR0124  # the one value that differs from itself is NaN
        raise JudgeError(f"{value!r}: {where} is missing; give an integer or a fractions.Fraction")
    if isinstance(value, (bool, np.bool_)):
        raise JudgeError(f"{value!r} ({type(value).__name__}) as {where} is a truth value; give 0 or 1")
    if isinstance(value, np.integer):
        value = int(value)
    if not isinstance(value, Rational):
        raise JudgeError(
            f"{value!r} ({type(value).__name__}) as {where} is not exact; give an integer or a "
            f"fractions.Fraction, for example Fraction({str(value)!r})"
        )
    fraction = Fraction(value)
    if fraction < 0 and not sign:
        raise JudgeError(f"{value} as {where} is negative; a weight is zero or more")
    return fraction


def from_mapping(
    source: Mapping[Any, Any],
    variables: Iterable[str] | None,
    states: Mapping[str, Sequence[Hashable]] | None,
    limit: int,
) -> Table:
    """Read {(value, …): weight}."""
    if variables is None:
        raise JudgeError("a mapping of weights has no names of its own; pass variables=[…], one a value")
    order = check_variables(variables)
    cells: list[tuple[Hashable, ...]] = []
    weights: list[Fraction] = []
    for key, weight in source.items():
        cell = key if isinstance(key, tuple) else (key,)
        if len(cell) != len(order):
            raise JudgeError(
                f"the cell {key!r} has {len(cell)} values, but there are {len(order)} variables "
                f"({', '.join(order)}); every cell is a tuple with one value a variable"
            )
        cells.append(cell)
        weights.append(exact(weight, f"the weight of the cell {key!r}"))
    return _build(order, cells, weights, states, limit)


def from_frame(
    source: Any,
    variables: Iterable[str] | None,
    weights: str,
    states: Mapping[str, Sequence[Hashable]] | None,
    limit: int,
) -> Table:
    """Read a DataFrame with one column a variable and one column of weights."""
    columns = list(source.columns)
    if weights not in columns:
        raise JudgeError(
            f"the frame has no column {weights!r}; its columns are {columns}; "
            "name the column of weights with weights=…"
        )
    repeated = [c for c in columns if columns.count(c) > 1]
    if repeated:
        raise JudgeError(f"the frame has the column {repeated[0]!r} more than once; give each its own name")
    order = check_variables([c for c in columns if c != weights] if variables is None else variables)
    lost = [v for v in order if v not in columns] + [c for c in columns if c not in (*order, weights)]
    if lost:
        raise JudgeError(
            f"{lost[0]!r} is not both a column and one of the variables; variables= must name every "
            f"column but {weights!r}: leave a variable out with frame.groupby(…).sum() first"
        )
    if weights in order:
        raise JudgeError(f"{weights!r} is the column of weights and cannot be a variable as well; rename one")
    given = dict(states or {})
    for v in order:  # a categorical column declares its levels
        if v not in given and hasattr(source[v], "cat"):
            given[v] = source[v].cat.categories.tolist()
    cells = list(zip(*(source[v].tolist() for v in order), strict=True)) if order else []
    worth = [exact(w, f"the weight of row {i!r}") for i, w in zip(source.index, source[weights], strict=True)]
    return _build(order, cells, worth, given, limit)


def _build(
    order: tuple[str, ...],
    cells: Sequence[tuple[Hashable, ...]],
    weights: Sequence[Fraction],
    states: Mapping[str, Sequence[Hashable]] | None,
    limit: int,
) -> Table:
    if not order:
        raise JudgeError("there are no variables; a distribution needs at least one")
    if not any(weights):
        what = "there are no cells" if not weights else f"all {len(weights)} weights are zero"
        raise JudgeError(f"{what}; at least one cell needs a positive weight")
    guard(len(cells), limit, f"the table has {len(cells):,} cells")
    levels = _levels(order, cells, states or {})
    number = [{s: k for k, s in enumerate(level)} for level in levels]
    seen: dict[tuple[int, ...], int] = {}
    for cell in cells:
        row = tuple(number[i][value] for i, value in enumerate(cell))
        if row in seen:
            raise JudgeError(
                f"the cell {cell!r} is listed twice; add the weights up first, a cell has one row"
            )
        seen[row] = len(seen)
    scale = math.lcm(*(w.denominator for w in weights))
    whole = [int(w * scale) for w in weights]
    kept = [row for row, w in zip(seen, whole, strict=True) if w]
    codes = np.array(kept, dtype=np.int64).reshape(len(kept), len(order))
    return Table(order, levels, codes, _reduced([w for w in whole if w]))


def _levels(
    order: tuple[str, ...], cells: Sequence[tuple[Hashable, ...]], states: Mapping[str, Sequence[Hashable]]
) -> tuple[tuple[Hashable, ...], ...]:
    """Return the states of each variable: as declared, else in the order in which they appear."""
    stray = [v for v in states if v not in order]
    if stray:
        raise JudgeError(
            f"states= names {stray[0]!r}, which is not a variable; the variables are {list(order)}"
        )
    levels = []
    for i, v in enumerate(order):
        found: dict[Hashable, None] = {}
        for cell in cells:
            value = cell[i]
            try:
                missing = value is None or value != value  # noqa: PLR0124  # NaN differs from itself
                found[value] = None
            except TypeError:
                raise JudgeError(
                    f"the value {value!r} of {v!r} cannot be hashed; use text or numbers"
                ) from None
            if missing:
                raise JudgeError(
                    f"{v!r} has a missing value ({value!r}); a state needs a name: fill it in first"
                )
        declared = tuple(dict.fromkeys(states[v])) if v in states else tuple(found)
        for value in found:
            if value not in declared:
                raise JudgeError(
                    f"{v!r} has the value {value!r}, which is not among its states {list(declared)}"
                )
        levels.append(declared)
    return tuple(levels)


def from_network(network: Any, variables: Iterable[str] | None, limit: int) -> Table:
    """Multiply out a network: `variables`, `states(v)`, `parents(v)` and `exact_cpt(v)`.

    `exact_cpt(v)` holds integers (or Fractions) with one axis a parent and the last for `v`; every row over
    the last axis is divided by its own sum.
    """
    own = check_variables(network.variables)
    order = own if variables is None else check_variables(variables)
    if set(order) != set(own):
        odd = sorted(set(order) ^ set(own))
        raise JudgeError(
            f"variables= and the network differ in {odd}; name every variable of the network, "
            "and leave some out with .marginal([…]) afterwards"
        )
    at = {v: i for i, v in enumerate(order)}
    levels = tuple(tuple(network.states(v)) for v in order)
    parents = {v: tuple(network.parents(v)) for v in own}
    codes = np.zeros((1, len(order)), dtype=np.int64)
    weights = np.array([1], dtype=object)
    size = math.prod(len(level) for level in levels)
    edges = [(p, child) for child in own for p in parents[child]]
    for v in topological(own, edges):
        table = _normalised(
            v, network.exact_cpt(v), [len(levels[at[p]]) for p in parents[v]], len(levels[at[v]])
        )
        row = np.zeros(len(codes), dtype=np.int64)
        for p in parents[v]:
            row = row * len(levels[at[p]]) + codes[:, at[p]]
        positive = (table != 0)[row]
        guard(
            int(positive.sum()), limit, f"the joint distribution of {len(order)} variables has {size:,} cells"
        )
        old, state = np.nonzero(positive)
        weights = weights[old] * table[row[old], state]
        codes = codes[old]
        codes[:, at[v]] = state
    return Table(order, levels, codes, _reduced(weights.tolist()))


def _normalised(v: str, table: Any, parent_cards: list[int], card: int) -> Ints:
    """Return a conditional table as integers over one common denominator: (rows of parents, states)."""
    array = np.asarray(table, dtype=object)
    if array.shape != (*parent_cards, card):
        raise JudgeError(
            f"the table of {v!r} has the shape {array.shape}, expected {(*parent_cards, card)}: "
            "one axis a parent, the last for the variable itself"
        )
    rows = [[exact(w, f"an entry of the table of {v!r}") for w in row] for row in array.reshape(-1, card)]
    totals = [sum(row, Fraction(0)) for row in rows]
    if not all(totals):
        raise JudgeError(f"the table of {v!r} has a row of zeros; every row needs a positive entry")
    shares = [[w / total for w in row] for row, total in zip(rows, totals, strict=True)]
    scale = math.lcm(*(w.denominator for row in shares for w in row))
    whole = [[int(w * scale) for w in row] for row in shares]
    return np.array(whole, dtype=object).reshape(len(rows), card)


def _reduced(weights: Sequence[int]) -> tuple[int, ...]:
    common = math.gcd(*weights)
    return tuple(w // common for w in weights)


def guard(cells: int, limit: int, what: str) -> None:
    """Refuse a table with more cells of positive weight than `limit`."""
    if cells > limit:
        raise JudgeError(
            f"{what}, and at least {cells:,} of them are positive, above limit={limit:,}; "
            "use fewer variables, DSeparation for the graph alone, a Product of independent blocks, "
            "or raise limit="
        )
