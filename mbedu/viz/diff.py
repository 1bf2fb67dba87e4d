"""Two algorithms on one problem, aligned by the questions that they ask."""

from __future__ import annotations

from mbedu.errors import TraceError
from mbedu.trace import Trace
from mbedu.viz.align import aligned, same_questions
from mbedu.viz.film import Graph
from mbedu.viz.player import Player
from mbedu.viz.twins import pair_film, player_of

__all__ = ["play_diff"]


def play_diff(
    left: Trace, right: Trace, *, start: int | None = None, graph: Graph = None, scale: float = 1.0
) -> Player:
    """Return two players aligned by question: equal steps go together, the others wait for each other.

    Parameters
    ----------
    left, right : Trace
        Two runs for one target, for example of `gs` and `iamb`.
    start : int, optional
        The step of `left` at which the film opens, for example where the two part; by default the first.
    graph, scale
        As in `play`.

    Examples
    --------
    >>> import mbedu as mb
    >>> oracle = mb.DSeparation([("A", "T"), ("T", "B")])
    >>> one, two = (mb.run(key, oracle, target="T", record=True).trace for key in ("gs", "gs_m"))
    >>> print(str(play_diff(one, two)).splitlines()[-1])
    Questions asked by both: 3; only by GS: 0; only by GS(m): 0.
    """
    if start is not None and not 0 <= start < len(left):
        raise TraceError(
            f"start={start!r}: the left run has the steps 0 to {len(left) - 1}; choose one of them"
        )
    shared = same_questions(left, right)
    tints = [
        {n: "only" for n, step in enumerate(trace) if step.kind == "asked" and n not in both}
        for trace, both in zip((left, right), shared, strict=True)
    ]
    names = [trace.title or trace.algorithm for trace in (left, right)]
    asked = [{step.query for step in trace.questions} for trace in (left, right)]
    both = len(asked[0] & asked[1])
    alone = [len(asked[0] - asked[1]), len(asked[1] - asked[0])]
    summary = (
        f"Questions asked by both: {both}; only by {names[0]}: {alone[0]}; only by {names[1]}: {alone[1]}."
    )
    rows = aligned(left, right, together=False)
    made = pair_film(left, right, rows=rows, tints=tints, labels=names, graph=graph)
    opened = 0 if start is None else next(k for k, row in enumerate(rows) if row[0] == start)
    made |= {
        "first": None,
        "start": opened,
        "summary": summary,
        "words": {"only": "◆ only this one asks that"},
    }
    words = f"{names[0]}\n{left.transcript()}\n\n{names[1]}\n{right.transcript()}\n\n{summary}"
    return player_of(made, words, scale)
