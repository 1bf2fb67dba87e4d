"""A judge that answers nothing and carries data: what a selector is run on when no test is at hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mbedu.errors import DataError, JudgeError, unknown
from mbedu.judge import Batched, Verdict
from mbedu.query import Query

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table"]


class Table(Batched):
    """A DataFrame with one column a variable, for selectors; it answers no question of independence.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows are observations.
    numeric : iterable of str, optional
        The columns whose values are measurements, to be compared by distance. By default those of a
        decimal (float) type; all others are labels.

    Examples
    --------
    >>> import mbedu as mb, pandas as pd
    >>> frame = pd.DataFrame({"A": [0, 0, 1, 1], "B": [0, 1, 0, 1], "Y": [0, 0, 0, 1]})
    >>> mb.run("fsdms", Table(frame), "Y").answer
    ('A', 'B')
    """

    def __init__(self, frame: pd.DataFrame, *, numeric: Iterable[str] | None = None) -> None:
        if not (hasattr(frame, "columns") and hasattr(frame, "iloc")):
            raise DataError(
                f"{type(frame).__name__} is not a table; pass a pandas DataFrame with one column a variable"
            )
        from mbedu.citests.encode import check_names

        self.frame = frame
        self.variables = check_names(frame.columns)
        if not len(frame) or not self.variables:
            raise DataError(f"the table has {len(frame)} rows and {len(self.variables)} columns; it is empty")
        if numeric is None:
            chosen = [v for v, kind in zip(self.variables, frame.dtypes, strict=True) if _is_float(kind)]
        else:
            chosen = [numeric] if isinstance(numeric, str) else list(numeric)
        for v in chosen:
            if v not in self.variables:
                raise unknown("column", v, self.variables)
        self.numeric = tuple(v for v in self.variables if v in chosen)

    def judge(self, query: Query) -> Verdict:
        """Refuse: a table knows values, not verdicts."""
        raise JudgeError(
            f"{query}: a Table answers no question of independence; for those wrap the data in a test, "
            "for example G2(frame)"
        )

    def describe(self) -> dict[str, Any]:
        """Say what this is: the size of the table and its numeric columns."""
        return {"kind": "Table", "rows": len(self.frame), "numeric": list(self.numeric)}

    def __repr__(self) -> str:
        return f"<Table: {len(self.frame)} rows × {len(self.variables)} columns, {len(self.numeric)} numeric>"


def _is_float(kind: Any) -> bool:
    return getattr(kind, "kind", "") == "f" and not hasattr(kind, "categories")
