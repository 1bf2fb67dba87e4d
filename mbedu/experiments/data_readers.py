"""Readers of the files in the data folder: ARFF, comma separated, sparse text, MATLAB and NumPy."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbedu.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_arff", "read_csv", "read_index_value"]


def read_arff(path: Path) -> pd.DataFrame:
    """Read a dense ARFF file: numeric columns as floats, nominal ones as categories in declared order.

    A missing value (``?``) becomes NaN. Sparse files, dates and weights are refused.
    """
    import pandas as pd

    names: list[str] = []
    kinds: list[list[str] | None] = []
    rows: list[list[str]] = []
    in_data = False
    for number, raw in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            if line.startswith("{"):
                raise DataError(
                    f"{path.name}, line {number}: sparse ARFF rows cannot be read; write them densely"
                )
            rows.append(_split(line))
        elif line.lower().startswith("@attribute"):
            name, kind = _attribute(line, path, number)
            names.append(name)
            kinds.append(kind)
        elif line.lower().startswith("@data"):
            in_data = True
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if not rows or wrong is not None:
        found = "no rows" if not rows else f"{len(rows[wrong or 0])} values in row {(wrong or 0) + 1}"
        raise DataError(
            f"{path.name}: {found}, but {len(names)} attributes are declared; the file is damaged"
        )
    columns = {}
    for j, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        values = [None if row[j] == "?" else row[j] for row in rows]
        if kind is None:
            columns[name] = pd.Series([float("nan") if v is None else float(v) for v in values])
        else:
            columns[name] = pd.Series(pd.Categorical(values, categories=kind))
    return pd.DataFrame(columns)


def _attribute(line: str, path: Path, number: int) -> tuple[str, list[str] | None]:
    rest = line.split(None, 1)[1].strip()
    if rest[0] in "'\"":
        end = rest.index(rest[0], 1)
        name, kind = rest[1:end], rest[end + 1 :].strip()
    else:
        name, kind = (*rest.split(None, 1), "")[:2]
    kind = kind if kind.startswith("{") else kind.partition("%")[0].strip()  # some files comment on the type
    if kind.startswith("{"):
        return name, list(dict.fromkeys(_split(kind[1 : kind.rindex("}")])))
    if kind.lower() in ("real", "numeric", "integer"):
        return name, None
    raise DataError(
        f"{path.name}, line {number}: attribute {name!r} has the type {kind!r}; known are numbers and {{…}}"
    )


def _split(text: str) -> list[str]:
    quote = '"' if '"' in text else "'"
    parts = next(csv.reader([text], quotechar=quote, skipinitialspace=True))
    return [p.strip() for p in parts]


def read_csv(path: Path) -> pd.DataFrame:
    """Read comma separated values with a header line; ``?`` is a missing value."""
    import pandas as pd

    frame: pd.DataFrame = pd.read_csv(path, na_values="?", skipinitialspace=True)
    frame.columns = [str(c).strip() for c in frame.columns]
    return frame


def read_index_value(path: Path, columns: int) -> Any:
    """Read lines of `index:value` (indices from 1) as a sparse matrix of rows."""
    from scipy.sparse import csr_matrix

    values: list[float] = []
    indices: list[int] = []
    ends = [0]
    for line in path.read_text(encoding="ascii").splitlines():
        for pair in line.split():
            index, _, value = pair.partition(":")
            indices.append(int(index) - 1)
            values.append(float(value))
        ends.append(len(indices))
    return csr_matrix((values, indices, ends), shape=(len(ends) - 1, columns))
