"""CARPO, a network whose tables are noisy-MAX: a leak, and a row for each single active cause.

In the file a table with ``property function max`` has a row in which no cause is active (the leak) and one
row for each active value of each cause alone. The effect is the maximum of the leak and of what each active
cause makes by itself, all independent, so with F the probability of at most y

    F(y | causes) = F_leak(y) · ∏ over active causes F_cause(y).

A row is the cause's *own* distribution, without the leak. Read as what cause and leak make together it
could never lie below the leak, and for N5 it does: (0.25, 0.75) without a cause, (0.5, 0.5) with one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from mbedu.networks.network import Network
from mbedu.networks.tables import NetworkError

__all__ = ["noisy_max", "read_noisy_max"]

VARIABLE = re.compile(r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}")
TABLE = re.compile(r"probability\s*\(([^)]*)\)\s*\{(.*?)\n\}", re.DOTALL)
ROW = re.compile(r"\(([^)]*)\)\s*([^;]+);")
PLAIN = re.compile(r"\btable\s+([^;]+);")

Row = Sequence[Fraction]


def noisy_max(leak: Row, causes: Sequence[Sequence[Row]]) -> Any:
    """Return the whole table of an effect from its leak and its causes, one level of nesting a cause.

    Parameters
    ----------
    leak : sequence of Fraction
        The effect's distribution when no cause is active.
    causes : sequence of sequences of rows
        For each cause the effect's distribution under its values 1, 2, … alone; value 0 is inactive.

    Examples
    --------
    >>> half, tenth = Fraction(1, 2), Fraction(1, 10)
    >>> two = noisy_max([1 - tenth, tenth], [[[half, half]], [[half, half]]])
    >>> [[str(p) for p in row] for parent in two for row in parent]
    [['9/10', '1/10'], ['9/20', '11/20'], ['9/20', '11/20'], ['9/40', '31/40']]
    """
    inactive = (Fraction(1),) * len(leak)
    steps = [[inactive, *(_cumulative(row) for row in rows)] for rows in causes]

    def rows(chosen: tuple[int, ...]) -> Any:
        if len(chosen) < len(causes):
            return [rows((*chosen, value)) for value in range(len(steps[len(chosen)]))]
        F = list(_cumulative(leak))
        for cause, value in enumerate(chosen):
            F = [a * b for a, b in zip(F, steps[cause][value], strict=True)]
        return [b - a for a, b in zip([Fraction(0), *F], F, strict=False)]

    return rows(())


def _cumulative(row: Row) -> tuple[Fraction, ...]:
    """Return P(at most y) for each y; a row that does not sum to 1 is divided by its sum."""
    whole = sum(row, Fraction(0))
    return tuple(sum(row[: y + 1], Fraction(0)) / whole for y in range(len(row)))


def read_noisy_max(path: str | Path, *, name: str | None = None) -> Network:
    """Read a BIF file some of whose tables are noisy-MAX, and write them out in full.

    A variable without a table (N117 of CARPO, which has no arcs either) gets equal probabilities. The file
    prints single-precision numbers with ten digits; each is taken as the shortest decimal number that has
    this single precision (0.8999999762 is 0.9).
    """
    file = Path(path)
    text = re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
    states = {v: [s.strip() for s in listed.split(",")] for v, listed in VARIABLE.findall(text)}
    if not states:
        raise NetworkError(f"{file.name!r}: no variables found; is it a BIF file?")
    parents: dict[str, list[str]] = {}
    cpts: dict[str, Any] = {v: [1] * len(listed) for v, listed in states.items()}
    for head, body in TABLE.findall(text):
        variable, _, given = (part.strip() for part in head.partition("|"))
        parents[variable] = [p.strip() for p in given.split(",") if p.strip()]
        try:
            cpts[variable] = _table(body, variable, parents[variable], states)
        except (KeyError, ValueError) as error:
            raise NetworkError(f"{file.name!r}: the table of {variable!r} cannot be read: {error}") from error
    return Network(name or file.stem, states, parents=parents, cpts=cpts, source=file.name)


def _table(body: str, variable: str, parents: Sequence[str], states: Mapping[str, Sequence[str]]) -> Any:
    if not parents:
        found = PLAIN.search(body)
        if found is None:
            raise ValueError("it has neither parents nor a line `table …;`")
        return _numbers(found[1], states[variable])
    rows = {
        tuple(states[p].index(s.strip()) for p, s in zip(parents, at.split(","), strict=True)): _numbers(
            values, states[variable]
        )
        for at, values in ROW.findall(body)
    }
    cards = [len(states[p]) for p in parents]
    if "function max" not in body:
        return _nested({at: rows[at] for at in product(*map(range, cards))}, cards)
    none = (0,) * len(parents)
    alone = [
        [rows[tuple(value if j == i else 0 for j in range(len(parents)))] for value in range(1, card)]
        for i, card in enumerate(cards)
    ]
    return noisy_max(rows[none], alone)


def _nested(rows: Mapping[tuple[int, ...], Row], cards: Sequence[int], at: tuple[int, ...] = ()) -> Any:
    if len(at) == len(cards):
        return rows[at]
    return [_nested(rows, cards, (*at, value)) for value in range(cards[len(at)])]


def _numbers(text: str, states: Sequence[str]) -> list[Fraction]:
    import numpy as np

    found = [Fraction(str(np.float32(part))) for part in text.split(",")]
    if len(found) != len(states):
        raise ValueError(f"{len(found)} numbers for the {len(states)} states {list(states)}")
    return found
