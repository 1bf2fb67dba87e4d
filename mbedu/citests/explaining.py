"""The contingency tables behind a verdict, for a reader: labels, observed and expected counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.encode import Encoded

__all__ = ["explain_table"]


def explain_table(
    data: Encoded, x: Sequence[int], y: Sequence[int], given: Sequence[int], largest: int
) -> dict[str, Any]:
    """Return the table of x and y in each observed stratum of `given`, as plain JSON values.

    Levels that do not occur anywhere in the rows used are left out. The largest strata come first;
    strata that would show more than `largest` cells in all are counted and not shown.
    """
    used = [*x, *y, *given]
    codes = data.codes(used).astype(np.int64)
    complete = (codes < data.cards[used][:, None]).all(axis=0)
    codes = codes[:, complete]
    a, b = len(x), len(x) + len(y)
    x_seen, x_at = _configurations(codes[:a])
    y_seen, y_at = _configurations(codes[a:b])
    z_seen, z_at = _configurations(codes[b:])
    sizes = np.bincount(z_at, minlength=len(z_seen))
    cells = max(1, len(x_seen) * len(y_seen))
    fit = max(1, largest // cells)
    order = np.argsort(-sizes, kind="stable")[:fit].tolist() if len(codes[0]) else []
    return {
        "x": [data.names[v] for v in x],
        "y": [data.names[v] for v in y],
        "given": [data.names[v] for v in given],
        "n": int(complete.sum()),
        "x_levels": _labels(data, x, x_seen),
        "y_levels": _labels(data, y, y_seen),
        "strata": len(z_seen) if len(codes[0]) else 0,
        "shown_strata": len(order),
        "tables": [
            {
                "stratum": dict(
                    zip((data.names[v] for v in given), _values(data, given, z_seen[k]), strict=True)
                ),
                **_table(x_at[z_at == k], y_at[z_at == k], (len(x_seen), len(y_seen))),
            }
            for k in order
        ],
    }


def _configurations(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the joint configurations that occur, one a row, and which of them each row of data has."""
    if len(codes) == 0:
        return np.zeros((1, 0), np.int64), np.zeros(codes.shape[1], np.int64)
    bases = codes.max(axis=1, initial=0) + 1
    if math.prod(map(int, bases)) >= 2**62:  # too many configurations to number
        seen, at = np.unique(codes.T, axis=0, return_inverse=True)
        return seen, at.reshape(-1)
    # one integer a row sorts faster than the row itself, in the same order
    number = np.zeros(codes.shape[1], np.int64)
    for row, base in zip(codes, bases, strict=True):
        number = number * base + row
    _, first, at = np.unique(number, return_index=True, return_inverse=True)
    return codes.T[first], at.reshape(-1)


def _labels(data: Encoded, columns: Sequence[int], seen: NDArray[np.int64]) -> list[str]:
    return [
        ", ".join(str(data.levels[v][c]) for v, c in zip(columns, row, strict=True)) for row in seen.tolist()
    ]


def _values(data: Encoded, given: Sequence[int], z: NDArray[np.int64]) -> list[str]:
    return [str(data.levels[v][c]) for v, c in zip(given, z.tolist(), strict=True)]


def _table(x_at: NDArray[np.int64], y_at: NDArray[np.int64], shape: tuple[int, int]) -> dict[str, Any]:
    observed = np.bincount(x_at * shape[1] + y_at, minlength=shape[0] * shape[1]).reshape(shape)
    expected = observed.sum(1, keepdims=True) * observed.sum(0, keepdims=True) / max(1, observed.sum())
    return {"n": int(observed.sum()), "observed": observed.tolist(), "expected": expected.tolist()}
