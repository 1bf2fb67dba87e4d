"""Mixed columns: categories as codes and numbers as floats, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.common import is_discrete, number_column
from mbedu.citests.encode import Ints, check_names, encode_column
from mbedu.errors import DataError, unknown

__all__ = ["MixedColumns", "paired"]

Floats: TypeAlias = NDArray[np.float64]

LABELS = "name it in discrete=[…], or make it numbers"


def paired(a: Ints, b: Ints) -> Ints:
    """Number the pairs that occur."""
    pairs: Ints = np.unique(a * (int(b.max(initial=0)) + 1) + b, return_inverse=True)[1]
    return pairs


@dataclass(slots=True)
class MixedColumns:
    """Mixed columns: codes (−1 for missing) or numbers (NaN for missing), one of the two for each."""

    names: tuple[str, ...]
    n: int
    codes: list[Ints | None]
    values: list[Floats | None]
    gaps: NDArray[np.bool_]

    @classmethod
    def read(cls, data: Any, names: Sequence[str] | None, discrete: Iterable[str] | None) -> MixedColumns:
        frame = _as_frame(data, names)
        named = check_names(frame.columns)
        if not len(frame) or not named:
            raise DataError(
                f"the data have {len(frame)} rows and {len(named)} columns; a test needs at least one of each"
            )
        labels = None if discrete is None else set(discrete)
        for name in sorted(labels or ()):
            if name not in named:
                raise unknown("variable", name, named, hint="discrete= names it")
        codes: list[Ints | None] = []
        values: list[Floats | None] = []
        gaps = np.zeros((len(named), len(frame)), np.bool_)
        for i, name in enumerate(named):
            column = frame.iloc[:, i]
            if is_discrete(column) if labels is None else name in labels:
                code, _ = encode_column(column, name)
                codes.append(code)
                values.append(None)
                gaps[i] = code < 0
            else:
                value = number_column(column, name, LABELS)
                if np.isinf(value).any():
                    raise DataError(
                        f"column {name!r} holds an infinite value; make it missing or take it out"
                    )
                codes.append(None)
                values.append(value)
                gaps[i] = np.isnan(value)
        return cls(named, len(frame), codes, values, gaps)

    def rows(self, index: Ints) -> MixedColumns:
        codes = [None if c is None else c[index] for c in self.codes]
        values = [None if v is None else v[index] for v in self.values]
        return MixedColumns(self.names, len(index), codes, values, self.gaps[:, index])

    def complete(self, used: list[int]) -> MixedColumns:
        """Return the rows that have no gap in these columns."""
        gap = self.gaps[used].any(axis=0)
        return self.rows(np.flatnonzero(~gap)) if gap.any() else self

    def joint(self, block: list[int]) -> Ints:
        """Number the configurations of some categories that occur."""
        made = np.zeros(self.n, np.int64)
        for v in block:
            code = self.codes[v]
            if code is not None:
                made = paired(made, code)
        return made

    def unit(self, v: int) -> Floats:
        """Return a column of numbers, centred and scaled to length 1; zeros if it is constant."""
        value = self.values[v]
        if value is None or self.constant(v):
            return np.zeros(self.n)
        made = value / np.abs(value).max()
        made = made - made.mean()
        length = math.sqrt(float(made @ made))
        return made / length if length > 0.0 else np.zeros(self.n)

    def constant(self, v: int) -> bool:
        column = self.codes[v] if self.values[v] is None else self.values[v]
        return column is None or bool((column == column[0]).all())


def _as_frame(data: Any, names: Sequence[str] | None) -> Any:
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        return data
    if isinstance(data, np.ndarray) and data.ndim == 2:
        import pandas as pd

        named = list(check_names(names if names is not None else [f"x{i}" for i in range(data.shape[1])]))
        if len(named) != data.shape[1]:
            raise DataError(f"{len(named)} names for {data.shape[1]} columns; give one name a column")
        return pd.DataFrame(data, columns=named)
    raise DataError(
        f"{type(data).__name__} is not data that can be tested; give a pandas DataFrame "
        "or a 2-D array (rows are observations)"
    )
