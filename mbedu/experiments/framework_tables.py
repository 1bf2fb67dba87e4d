"""From cells to tables: means with intervals by group, and their look-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mbedu.experiments.stats import Interval, mean_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["interval_at", "intervals", "select"]


def intervals(cells: pd.DataFrame, by: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """Return one row a group, in order of appearance, with mean, low and high of each value.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = pd.DataFrame({"n": [10, 10, 20], "f1": [0.5, 1.0, 1.0]})
    >>> intervals(cells, ["n"], ["f1"]).round(2).to_dict("records")[0]
    {'n': 10, 'f1': 0.75, 'f1_low': -2.43, 'f1_high': 3.93, 'repeats': 2}
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for key, group in cells.groupby(list(by), sort=False, dropna=False):
        labels = key if isinstance(key, tuple) else (key,)
        row: dict[str, Any] = dict(zip(by, labels, strict=True))
        for value in values:
            found = mean_interval(group[value])
            row |= {value: found.mean, f"{value}_low": found.low, f"{value}_high": found.high}
        rows.append({**row, "repeats": len(group)})
    return pd.DataFrame(rows)


def select(table: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Return the rows that have these values.

    Examples
    --------
    >>> import pandas as pd
    >>> len(select(pd.DataFrame({"m": [1, 1, 2], "n": [10, 20, 10]}), m=1, n=20))
    1
    """
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def interval_at(table: pd.DataFrame, value: str, **where: Any) -> Interval | None:
    """Return the interval in the one row that has these values; None if there is no such row."""
    rows = select(table, **where)
    if len(rows) != 1:
        return None
    row = rows.iloc[0]
    mean, low, high = (float(row[f"{value}{end}"]) for end in ("", "_low", "_high"))
    return Interval(mean, low, high, int(row["repeats"]))
