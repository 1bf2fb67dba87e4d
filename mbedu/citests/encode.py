"""Columns to codes, once: what every test on discrete data starts from.

Each column becomes small unsigned integers, one row of a matrix a variable, so that counting a
table is adding up integers. A sparse 0/1 matrix is kept as bits (one bit a value), so that 1,909
rows by 139,351 columns take 33 MB.

A missing value gets the code after the last level; it is never a level of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.errors import DataError

__all__ = ["Codes", "Encoded", "Missing", "Words", "check_names", "encode", "encode_column", "refuse_missing"]

Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
Words: TypeAlias = NDArray[np.uint64]
Ints: TypeAlias = NDArray[np.int64]
Missing: TypeAlias = Literal["error", "drop"]

MANY_FLOATS = 20  # a float column with more values than this is a measurement, not a label
PLANE_LEVELS = 16  # beyond this many levels counting row by row is cheaper than one plane a level
BLOCK = 4096  # columns unpacked at once: 8 MB at 1,909 rows


class Encoded:
    """Discrete data as codes: `names`, `cards` (declared levels, at least 1), `levels` (their labels).

    Parameters
    ----------
    names : sequence of str
        The variables, in the order of the columns.
    n : int
        The number of rows.
    levels : sequence of sequences
        The labels of the levels of each column, in code order.
    codes : array of unsigned integers, variables × rows, optional
        Code `cards[v]` means missing.
    bits : array of uint64, variables × words, optional
        For 0/1 data instead of `codes`: bit i of a variable is its value in row i.
    """

    def __init__(
        self,
        names: Sequence[str],
        n: int,
        *,
        levels: Sequence[Sequence[Hashable]],
        codes: Codes | None = None,
        bits: Words | None = None,
        missing: Ints | None = None,
    ) -> None:
        self.names = tuple(names)
        self.n = n
        self.levels = levels
        self.matrix = codes
        self.bits = bits
        size = len(self.names)
        # a column without a single value has no level; it is given one that no row has
        self.cards: Ints = np.array([2] * size if bits is not None else [max(1, len(v)) for v in levels])
        self.missing: Ints = np.zeros(size, np.int64) if missing is None else missing
        self.index = {name: i for i, name in enumerate(self.names)}
        self._planes: tuple[Words, Ints] | None = None

    def codes(self, columns: Sequence[int] | Ints) -> Codes:
        """Return the codes of some columns, variables × rows."""
        chosen = np.asarray(columns, np.int64)
        if self.bits is not None:
            return unpack(self.bits[chosen], self.n)
        return self._matrix()[chosen]

    def column(self, v: int) -> Codes:
        """Return the codes of one column."""
        one: Codes = self.codes([v])[0] if self.matrix is None else self.matrix[v]
        return one

    def _matrix(self) -> Codes:
        if self.matrix is None:
            raise DataError(f"{self!r} has neither codes nor bits; build it with one of them")
        return self.matrix

    def planes(self) -> tuple[Words, Ints]:
        """Return bit planes of the levels 1, 2, … and where each column's planes start.

        Level 0 follows by subtraction. Columns with missing values or very many levels have no
        planes; their start is −1.
        """
        if self._planes is None:
            self._planes = self._build_planes()
        return self._planes

    def _build_planes(self) -> tuple[Words, Ints]:
        if self.bits is not None:
            return self.bits, np.arange(len(self.names))
        matrix = self._matrix()
        fits = (self.cards <= PLANE_LEVELS) & (self.missing == 0)
        count = np.where(fits, np.maximum(self.cards - 1, 0), 0)
        start = np.where(fits, np.cumsum(count) - count, -1)
        planes = np.zeros((int(count.sum()), words(self.n)), np.uint64)
        for level in range(1, int(self.cards[fits].max(initial=1))):
            having = np.flatnonzero(fits & (self.cards > level))
            for part in range(0, len(having), BLOCK):
                some = having[part : part + BLOCK]
                planes[start[some] + level - 1] = pack(matrix[some] == level)
        return planes, start

    def __repr__(self) -> str:
        return f"<{self.n} rows × {len(self.names)} discrete columns>"


def words(n: int) -> int:
    """Return how many 64-bit words hold n rows."""
    return -(-n // 64)


def pack(values: NDArray[Any]) -> Words:
    """Pack 0/1 values, variables × rows, into words; bit i of word w is row 64·w + i."""
    rows = values.shape[-1]
    packed = np.zeros((*values.shape[:-1], words(rows) * 8), np.uint8)
    packed[..., : -(-rows // 8)] = np.packbits(values, axis=-1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack(bits: Words, n: int) -> NDArray[np.uint8]:
    """Undo `pack`."""
    raw = np.ascontiguousarray(bits).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(raw, axis=-1, count=n, bitorder="little")


def encode(data: Any, *, names: Sequence[str] | None = None, missing: Missing = "error") -> Encoded:
    """Encode discrete data.

    Parameters
    ----------
    data : pandas.DataFrame, scipy.sparse matrix of 0/1, 2-D integer array, or Encoded
        A Categorical's declared categories are its levels; otherwise the values that occur, sorted.
        A sparse matrix has the levels 0 and 1.
    names : sequence of str, optional
        The variables of a matrix or array; default x0, x1, …
    missing : "error" or "drop"
        Refuse missing values, counting them by column, or keep them for tests to drop.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [1, 0, 1], "b": pd.Categorical(["u", "u", "v"], ["u", "v", "w"])})
    >>> made = encode(frame)
    >>> made.matrix.tolist(), made.cards.tolist(), made.levels[1]
    ([[1, 0, 1], [0, 0, 1]], [2, 3], ('u', 'v', 'w'))
    """
    if missing not in ("error", "drop"):
        raise DataError(f"missing={missing!r}: it is 'error' (refuse) or 'drop' (drop rows test by test)")
    if isinstance(data, Encoded):
        made = data
    elif hasattr(data, "columns") and hasattr(data, "iloc"):
        made = _from_frame(data)
    elif hasattr(data, "tocsr"):
        made = _from_sparse(data, names)
    elif isinstance(data, np.ndarray):
        made = _from_array(data, names)
    else:
        raise DataError(
            f"{type(data).__name__} is not data that can be tested; give a pandas DataFrame, "
            "a scipy.sparse matrix of 0/1 or a 2-D integer array (rows are observations)"
        )
    if missing == "error":
        refuse_missing(made.names, made.missing, made.n)
    return made


def check_names(found: Iterable[object]) -> tuple[str, ...]:
    """Return column names that are distinct strings, or say which are not."""
    listed = list(found)
    for name in listed:
        if not isinstance(name, str):
            raise DataError(
                f"the column name {name!r} ({type(name).__name__}) is not a string; "
                "rename first, for example df.columns = df.columns.map(str)"
            )
    if len(set(listed)) < len(listed):
        seen: set[object] = set()
        twice = sorted({str(n) for n in listed if n in seen or seen.add(n)})  # type: ignore[func-returns-value]
        raise DataError(f"column names {twice[:5]} occur more than once; every variable needs its own name")
    return tuple(str(name) for name in listed)


def refuse_missing(names: Sequence[str], missing: Sequence[int] | Ints, rows: int) -> None:
    """Refuse data with missing values, counting them by column."""
    where = np.flatnonzero(np.asarray(missing))
    if not len(where):
        return
    shown = ", ".join(f"{names[i]!r}: {missing[i]}" for i in where[:10]) + (", …" if len(where) > 10 else "")
    raise DataError(
        f"missing values in {len(where)} of {len(names)} columns ({shown}; {rows} rows); use missing='drop' "
        "to drop them test by test, or drop or fill them before"
    )


def _check_shape(rows: int, columns: int) -> None:
    if rows == 0 or columns == 0:
        raise DataError(f"the data have {rows} rows and {columns} columns; a test needs at least one of each")


def _from_frame(frame: Any) -> Encoded:
    names = check_names(frame.columns)
    _check_shape(len(frame), len(names))
    kinds = frame.dtypes.unique()
    if all(isinstance(d, np.dtype) and d.kind in "iub" for d in kinds):
        return _from_array(frame.to_numpy(), names)
    if all(hasattr(d, "subtype") and hasattr(d, "fill_value") for d in kinds):
        return _from_sparse(frame.sparse.to_coo(), names)
    pairs = [encode_column(frame.iloc[:, i], name) for i, name in enumerate(names)]
    return _assemble(names, len(frame), pairs)


def _assemble(names: Sequence[str], rows: int, pairs: list[tuple[Ints, tuple[Hashable, ...]]]) -> Encoded:
    missing = np.array([int((codes < 0).sum()) for codes, _ in pairs])
    largest = max(max(1, len(levels)) + (m > 0) for (_, levels), m in zip(pairs, missing, strict=True))
    matrix = np.empty((len(names), rows), _small(largest))
    for i, (codes, levels) in enumerate(pairs):
        matrix[i] = np.where(codes < 0, max(1, len(levels)), codes)
    return Encoded(names, rows, levels=[levels for _, levels in pairs], codes=matrix, missing=missing)


def _small(levels: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if levels <= 256 else np.uint16 if levels <= 65536 else np.uint32


def encode_column(column: Any, name: str) -> tuple[Ints, tuple[Hashable, ...]]:
    """Return the codes (−1 for missing) and level labels of one pandas Series."""
    if hasattr(column, "cat"):
        return column.cat.codes.to_numpy().astype(np.int64), tuple(column.cat.categories.tolist())
    import pandas as pd

    try:
        codes, found = pd.factorize(column, use_na_sentinel=True)
    except TypeError:
        raise DataError(
            f"column {name!r} holds values that cannot be labels (such as lists); make them strings first"
        ) from None
    labels = list(found.tolist())
    try:
        order = sorted(range(len(labels)), key=labels.__getitem__)
    except TypeError:  # mixed types have no order of their own; any fixed one will do
        order = sorted(range(len(labels)), key=lambda i: (type(labels[i]).__name__, repr(labels[i])))
    rank = np.empty(len(labels) + 1, np.int64)
    rank[order] = np.arange(len(labels))
    rank[-1] = -1  # the code −1 of a missing value points here
    levels = tuple(labels[i] for i in order)
    _refuse_measurements(levels, name)
    return rank[codes], levels


def _refuse_measurements(levels: Sequence[Any], name: str) -> None:
    if len(levels) <= MANY_FLOATS or not all(isinstance(v, float) for v in levels):
        return
    if all(v.is_integer() for v in levels):  # whole numbers that a missing value has turned into floats
        return
    raise DataError(
        f"column {name!r} has {len(levels)} different decimal values, which are measurements and not labels; "
        "discretise it first (for example with pandas.cut), or use FisherZ or the mixed-type test"
    )


def _default_names(names: Sequence[str] | None, columns: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{i}" for i in range(columns))
    checked = check_names(names)
    if len(checked) != columns:
        raise DataError(f"{len(checked)} names for {columns} columns; give one name a column")
    return checked


def _from_array(array: NDArray[Any], names: Sequence[str] | None) -> Encoded:
    if array.ndim != 2:
        raise DataError(f"the array has {array.ndim} dimensions; give rows × columns")
    rows, columns = array.shape
    _check_shape(rows, columns)
    named = _default_names(names, columns)
    if array.dtype.kind not in "iub":
        import pandas as pd

        return _assemble(named, rows, [encode_column(pd.Series(array[:, i]), v) for i, v in enumerate(named)])
    by_variable = np.ascontiguousarray(array.T)
    low, high = by_variable.min(axis=1), by_variable.max(axis=1)
    plain = (low == 0) & (high == 1)  # already codes: nothing to look up
    levels: list[tuple[Hashable, ...]] = [(0, 1)] * columns
    if array.dtype.kind == "b":
        levels = [(False, True)] * columns
    pairs: dict[int, Ints] = {}
    for i in np.flatnonzero(~plain).tolist():
        found, pairs[i] = np.unique(by_variable[i], return_inverse=True)
        levels[i] = tuple(found.tolist())
    matrix = np.empty((columns, rows), _small(max(map(len, levels))))
    matrix[plain] = by_variable[plain]
    for i, codes in pairs.items():
        matrix[i] = codes
    return Encoded(named, rows, levels=levels, codes=matrix)


class _Binary(Sequence[Sequence[Hashable]]):
    """The levels of a 0/1 matrix: the same pair for every column, without a list of them."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: Any) -> Any:
        return (0, 1)


def _from_sparse(matrix: Any, names: Sequence[str] | None) -> Encoded:
    rows, columns = matrix.shape
    _check_shape(rows, columns)
    named = _default_names(names, columns)
    by_row = matrix.tocsr()
    if not by_row.has_canonical_format:
        by_row = by_row.copy()  # summing duplicates works in place, and the matrix belongs to the caller
        by_row.sum_duplicates()
    wrong = by_row.data[(by_row.data != 0) & (by_row.data != 1)]
    if len(wrong):
        raise DataError(
            f"the sparse matrix holds the value {wrong[0].item()!r}; only 0 and 1 are read from one: "
            "use (matrix != 0), or give the other columns as a DataFrame"
        )
    ones = by_row.data != 0  # stored zeros are zeros
    row = np.repeat(np.arange(rows), np.diff(by_row.indptr))[ones]
    word = by_row.indices[ones].astype(np.int64) * words(rows) + (row >> 6)
    bits = np.zeros(columns * words(rows), np.uint64)
    np.bitwise_or.at(bits, word, np.uint64(1) << (row & 63).astype(np.uint64))
    return Encoded(named, rows, levels=_Binary(columns), bits=bits.reshape(columns, words(rows)))
