"""What a selector looks at: the rows of a table, or the cells of an exact distribution with their weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.ask import Ask
from mbedu.citests.encode import Encoded, encode_column, refuse_missing
from mbedu.errors import DataError, JudgeError

__all__ = ["Floats", "Ints", "Rows", "look", "observed"]

Ints: TypeAlias = NDArray[Any]
"""int64, or Python's own integers (dtype object) where int64 could overflow."""
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Columns of codes, and how much each row weighs.

    Attributes
    ----------
    codes : mapping of str to array
        For each variable the number of its level in every row.
    weights : array
        A positive whole number a row; 1 where the rows are observations.
    numbers : mapping of str to array
        The numeric columns, scaled to [0, 1]; a constant one is all 0.
    observed : bool
        Whether the rows are observations, not the cells of a distribution.
    """

    codes: Mapping[str, Ints]
    weights: Ints
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    observed: bool = True

    @property
    def total(self) -> int:
        """The weight of all rows."""
        return int(self.weights.sum())

    def __len__(self) -> int:
        return len(self.weights)


def look(ask: Ask, T: str, who: str, *, support: bool = False) -> Rows:
    """Return what the judge behind `ask` carries; `who` is the selector that wants it.

    With `support` only *which* labels a cell may have is asked for, not how likely each is; then also
    noisy copies can be looked at, whose joint distribution is too large to write down.
    """
    judge: Any = ask.source
    judge = getattr(judge, "inner", judge)  # a judge with only the smallest interface comes wrapped
    if hasattr(judge, "frame"):
        return _from_frame(judge.frame, getattr(judge, "numeric", ()), T)
    data: Any = getattr(judge, "data", None)
    if isinstance(data, Encoded):
        return _from_codes(data)
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        from mbedu.selectors.table import Table

        return _from_frame(data, Table(data).numeric, T)
    if hasattr(judge, "blocks"):
        return _from_product(judge, T, who, support)
    return _from_distribution(judge, T, who, support)


def observed(ask: Ask, T: str, who: str) -> Rows:
    """Return the rows of a table; refuse an exact distribution, which has none."""
    rows = look(ask, T, who)
    if not rows.observed:
        raise JudgeError(
            f"{who} needs rows that were observed, and {type(ask.source).__name__} is a distribution; "
            "draw some: Table(joint.sample(1000, seed=0))"
        )
    return rows


def refuse_numeric(rows: Rows, features: Sequence[str], who: str) -> None:
    """Refuse numeric columns where only labels can be counted."""
    found = [v for v in features if v in rows.numbers]
    if found:
        raise DataError(
            f"{who} counts labels, and {found[:5]} {'is' if len(found) == 1 else 'are'} numeric; "
            "discretise first (for example with pandas.cut), or say that the values are labels: "
            "Table(frame, numeric=[])"
        )


def _from_frame(frame: Any, numeric: Sequence[str], T: str) -> Rows:
    codes: dict[str, Ints] = {}
    numbers: dict[str, Floats] = {}
    missing = []
    for v in frame.columns:
        column = frame[v]
        if v in numeric and v != T:  # a target is a label, whatever its type
            try:
                values = column.to_numpy(dtype=float)
            except (TypeError, ValueError):
                raise DataError(f"column {v!r} is called numeric, but holds {column.iloc[0]!r}") from None
            if np.isinf(values).any():
                raise DataError(f"column {v!r} holds an infinite value; replace it by a finite one")
            missing.append(int(np.isnan(values).sum()))
            numbers[v] = _scaled(values)
            codes[v] = np.unique(values, return_inverse=True)[1].astype(np.int64)
        else:
            codes[v], _ = encode_column(column, v)
            missing.append(int((codes[v] < 0).sum()))
    refuse_missing(list(frame.columns), missing, len(frame))
    return Rows(codes, np.ones(len(frame), np.int64), numbers)


def _scaled(values: Floats) -> Floats:
    low, high = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
    if not high > low:
        return np.zeros_like(values)
    half = high / 2 - low / 2  # high − low itself may overflow
    return (values / 2 - low / 2) / half


def _from_codes(data: Encoded) -> Rows:
    refuse_missing(data.names, data.missing, data.n)
    codes: dict[str, Ints] = {v: data.column(i).astype(np.int64) for i, v in enumerate(data.names)}
    return Rows(codes, np.ones(data.n, np.int64))


def _from_joint(joint: Any) -> Rows:
    cells = joint.table()
    scale = math.lcm(*(p.denominator for p in cells.values()))
    weights = [int(p * scale) for p in cells.values()]
    codes = {}
    for i, v in enumerate(joint.variables):
        number = {state: k for k, state in enumerate(joint.states(v))}
        codes[v] = np.array([number[cell[i]] for cell in cells], dtype=np.int64)
    return Rows(codes, np.array(weights, dtype=np.int64 if sum(weights) < 2**62 else object), observed=False)


def _from_product(product: Any, T: str, who: str, support: bool) -> Rows:
    """Return the block of the target; the other variables are constant there.

    They are independent of the block, so they split a cell of it into parts in which the target
    has the same distribution: every score of a set is that of its part in the block.
    """
    block = next(b for b in product.blocks if T in b.variables)
    rows = _from_distribution(block, T, who, support)
    return _with_constants(rows, product.variables)


def _from_distribution(judge: Any, T: str, who: str, support: bool) -> Rows:
    if hasattr(judge, "table"):
        return _from_joint(judge)
    if support and hasattr(judge, "base") and T in judge.base.variables:
        # a noisy copy may have any value whatever it copies, so it never rules out a label
        return _with_constants(_from_joint(judge.base), judge.variables)
    raise JudgeError(
        f"{who} scores data or a distribution, and {type(judge).__name__} carries neither; "
        "pass Table(frame), a test on discrete data such as G2(frame), or an ExactJoint; "
        "Table(judge.sample(1000, seed=0)) where it can be sampled"
    )


def _with_constants(rows: Rows, variables: Sequence[str]) -> Rows:
    still = np.zeros(len(rows), np.int64)
    return Rows({v: rows.codes.get(v, still) for v in variables}, rows.weights, observed=False)
