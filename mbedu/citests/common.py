"""What the tests beside the discrete ones share: seeds, rows, numbers, and which columns hold labels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.encode import BLOCK, Encoded, Ints, Missing, check_names, pack
from mbedu.errors import DataError, JudgeError, unknown
from mbedu.judge import Verdict
from mbedu.query import Query

__all__ = [
    "FEW_LEVELS",
    "check_alpha",
    "check_missing",
    "check_seed",
    "columns_of",
    "is_discrete",
    "number_column",
    "plain_verdict",
    "query_seed",
    "read_numbers",
    "row_index",
    "sides",
    "take_rows",
]

Floats: TypeAlias = NDArray[np.float64]

FEW_LEVELS = 10  # whole numbers with more values than this are a measurement, not labels


def check_alpha(alpha: float) -> float:
    """Return a significance level, or say why it is none.

    Examples
    --------
    >>> check_alpha(5)
    Traceback (most recent call last):
        ...
    mbedu.errors.JudgeError: alpha=5 is no significance level; it lies between 0 and 1, as 0.05
    """
    if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.floating) or not 0.0 < alpha < 1.0:
        raise JudgeError(f"alpha={alpha!r} is no significance level; it lies between 0 and 1, as 0.05")
    return float(alpha)


def check_missing(missing: str) -> None:
    """Refuse what is neither 'error' nor 'drop'."""
    if missing not in ("error", "drop"):
        raise DataError(f"missing={missing!r}: it is 'error' (refuse them) or 'drop' (test by test)")


# --- questions -----------------------------------------------------------------------------------


def sides(query: Query) -> tuple[frozenset[str], frozenset[str]]:
    """Return the two sides in an order that does not depend on how the question was put."""
    first, second = sorted((query.x, query.y), key=sorted)
    return first, second


def query_seed(seed: int, query: Query, *more: int) -> int:
    """Return a seed for this question: the same in every process, and whichever way round it is asked.

    So the random numbers behind an answer do not depend on what was asked before.

    Examples
    --------
    >>> query_seed(0, Query("T", "A", "B")) == query_seed(0, Query("A", "T", "B"))
    True
    >>> query_seed(0, Query("T", "A", "B")) == query_seed(1, Query("T", "A", "B"))
    False
    """
    written = json.dumps([seed, [sorted(side) for side in sides(query)], sorted(query.given), *more])
    return int.from_bytes(hashlib.blake2b(written.encode(), digest_size=16).digest(), "little")


def check_seed(seed: object) -> int:
    """Return the seed if it is a whole number."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise JudgeError(f"seed={seed!r} ({type(seed).__name__}): a seed is a whole number, as 0")
    return int(seed)


def columns_of(index: Mapping[str, int], wanted: frozenset[str]) -> list[int]:
    """Return the column numbers of some variables, in variable order."""
    try:
        return sorted([index[name] for name in wanted])
    except KeyError:
        raise unknown("variable", min(name for name in wanted if name not in index), list(index)) from None


def plain_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON values."""
    return verdict._asdict()


# --- rows ----------------------------------------------------------------------------------------


def row_index(index: Any, n: int) -> Ints:
    """Return row numbers from row numbers or a mask, checked against `n` rows.

    Examples
    --------
    >>> row_index([True, False, True], 3).tolist(), row_index([2, 0], 3).tolist()
    ([0, 2], [2, 0])
    """
    given = np.asarray(index)
    if given.ndim != 1:
        raise DataError(f"rows have {given.ndim} dimensions; give a list of row numbers or a mask")
    if given.dtype.kind == "b":
        if len(given) != n:
            raise DataError(f"a mask of {len(given)} rows for data of {n}; give one value a row")
        return np.flatnonzero(given)
    if given.dtype.kind not in "iu" and len(given):
        raise DataError(f"rows are given as {given.dtype}; give whole numbers or a mask of booleans")
    rows = given.astype(np.int64)
    wrong = rows[(rows < -n) | (rows >= n)]
    if len(wrong):
        raise DataError(f"row {wrong[0]} does not exist; the data have rows 0 to {n - 1}")
    if not len(rows):
        raise DataError("no rows are chosen; a test needs at least one")
    return rows % n


def take_rows(data: Encoded, index: Any) -> Encoded:
    """Return the same variables and levels on some of the rows.

    Examples
    --------
    >>> from mbedu.citests.encode import encode
    >>> some = take_rows(encode(np.array([[0, 2], [1, 0], [1, 1]])), [2, 2, 0])
    >>> some.matrix.tolist(), some.cards.tolist()
    ([[1, 1, 0], [1, 1, 2]], [2, 3])
    """
    rows = row_index(index, data.n)
    if data.matrix is not None:
        codes = data.matrix[:, rows]
        missing = (codes >= data.cards[:, None]).sum(axis=1) if data.missing.any() else None
        return Encoded(data.names, len(rows), levels=data.levels, codes=codes, missing=missing)
    parts = []
    for a in range(0, len(data.names), BLOCK):  # 0/1 data kept as bits are unpacked a block at a time
        some = np.arange(a, min(a + BLOCK, len(data.names)))
        parts.append(pack(data.codes(some)[:, rows]))
    return Encoded(data.names, len(rows), levels=data.levels, bits=np.concatenate(parts))


# --- numbers and labels --------------------------------------------------------------------------


def read_numbers(
    data: Any, names: Sequence[str] | None, missing: Missing, way_out: str
) -> tuple[tuple[str, ...], Floats]:
    """Return the names and the numbers, rows × variables, with NaN for what is missing.

    `way_out` says what to use for columns that hold labels.
    """
    from mbedu.citests.encode import refuse_missing

    check_missing(missing)
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        named = check_names(data.columns)
        values = np.empty((len(data), len(named)), order="F")
        for i, name in enumerate(named):
            values[:, i] = number_column(data.iloc[:, i], name, way_out)
    elif isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in "biuf":
        values = np.asfortranarray(data, dtype=np.float64)
        named = check_names(names if names is not None else [f"x{i}" for i in range(values.shape[1])])
        if len(named) != values.shape[1]:
            raise DataError(f"{len(named)} names for {values.shape[1]} columns; give one name a column")
    else:
        shape = f" of {data.dtype} with {data.ndim} dimensions" if isinstance(data, np.ndarray) else ""
        raise DataError(
            f"{type(data).__name__}{shape} is not data that can be tested; give a pandas DataFrame "
            "or a 2-D array of numbers (rows are observations)"
        )
    rows, columns = values.shape
    if not rows or not columns:
        raise DataError(f"the data have {rows} rows and {columns} columns; a test needs at least one of each")
    infinite = np.isinf(values).any(axis=0)
    if infinite.any():
        name = named[int(np.flatnonzero(infinite)[0])]
        raise DataError(f"column {name!r} holds an infinite value; make it missing or take the row out")
    if missing == "error":
        refuse_missing(named, np.isnan(values).sum(axis=0), len(values))
    return named, values


def number_column(column: Any, name: str, way_out: str) -> Floats:
    """Return a pandas Series of numbers as floats, or say that it holds labels."""
    from pandas.api import types

    if not types.is_numeric_dtype(column.dtype) or types.is_complex_dtype(column.dtype):
        raise DataError(f"column {name!r} ({column.dtype}) does not hold numbers; {way_out}")
    numbers: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def is_discrete(column: Any, few: int = FEW_LEVELS) -> bool:
    """Say whether a pandas Series holds labels: categories, text, booleans, or few whole numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> [is_discrete(pd.Series(v)) for v in (["a", "b"], [True, False], [1, 2, 2], [0.5, 1.5], range(99))]
    [True, True, True, False, False]
    """
    from pandas.api import types

    if types.is_bool_dtype(column.dtype) or not types.is_numeric_dtype(column.dtype):
        return True
    found = column.dropna().unique()
    if len(found) > few:
        return False
    values = np.asarray(found, dtype=float)
    return bool(np.isfinite(values).all() and (values % 1 == 0).all())
