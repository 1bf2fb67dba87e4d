"""Put the steps of two traces side by side."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from mbedu.steps import Asked, Entered, Step
from mbedu.trace import Trace

__all__ = ["Row", "aligned", "same_questions"]

Row = tuple[int | None, int | None]
"""The step of either trace that is shown; None before it has started."""

LONGEST = 4000


def _key(step: Step) -> Hashable:
    """Two steps are the same when they ask the same question, say the same of the sets, or both start."""
    if isinstance(step, Entered) and step.what == "procedure" and step.depth <= 1:
        return ("starts", step.target)  # "GS starts for A" goes with "IAMB starts for A"
    return ("asked", step.query) if isinstance(step, Asked) else (step.kind, step.text)


def aligned(left: Trace, right: Trace, *, together: bool) -> list[Row]:
    """Return which steps are shown at the same time, position by position; neither ever goes back.

    Equal steps share a row. Where the traces differ, `together` steps through both at once; otherwise
    first through the left one and then through the right one.

    Examples
    --------
    >>> import mbedu as mb
    >>> trace = mb.run("gs", mb.DSeparation([("A", "T")]), target="T", record=True).trace
    >>> aligned(trace, trace, together=True)[:2]
    [(0, 0), (1, 1)]
    """
    rows: list[Row] = []
    i: int | None = None
    j: int | None = None
    for equal, (a, b), (c, d) in _blocks(left, right):
        if equal or together:
            pairs: Sequence[Row] = list(zip_longest(range(a, b), range(c, d)))
        else:
            pairs = [(n, None) for n in range(a, b)] + [(None, n) for n in range(c, d)]
        for p, q in pairs:
            i = p if p is not None else i
            j = q if q is not None else j
            rows.append((i, j))
    return rows


def _blocks(left: Trace, right: Trace) -> list[tuple[bool, tuple[int, int], tuple[int, int]]]:
    if (
        max(len(left), len(right)) > LONGEST
    ):  # the comparison is quadratic; long films go side by side as they are
        return [(True, (0, len(left)), (0, len(right)))]
    codes = SequenceMatcher(None, list(map(_key, left)), list(map(_key, right)), autojunk=False).get_opcodes()
    return [(tag == "equal", (a, b), (c, d)) for tag, a, b, c, d in codes]


def same_questions(left: Trace, right: Trace) -> tuple[set[int], set[int]]:
    """Return the steps of either trace whose question the other one asks too, at whatever time."""
    there, here = {s.query for s in right.questions}, {s.query for s in left.questions}
    return (
        {n for n, s in enumerate(left) if isinstance(s, Asked) and s.query in there},
        {n for n, s in enumerate(right) if isinstance(s, Asked) and s.query in here},
    )
