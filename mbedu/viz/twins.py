"""Two runs of one algorithm side by side: the oracle's and the data's, with the first wrong verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbedu.errors import TraceError
from mbedu.trace import Trace
from mbedu.viz.align import Row, aligned
from mbedu.viz.film import Graph, film
from mbedu.viz.page import embed
from mbedu.viz.player import Player, fitting

__all__ = ["pair_film", "play_twins", "player_of"]


def play_twins(
    left: Trace,
    right: Trace,
    *,
    first_wrong: int | None = None,
    caused: Sequence[int] = (),
    labels: Sequence[str] = ("oracle", "data"),
    graph: Graph = None,
    scale: float = 1.0,
) -> Player:
    """Return two players in lock step.

    Parameters
    ----------
    left, right : Trace
        The run under the oracle, and the run on data.
    first_wrong : int or None
        The step of `right` with the first wrong verdict.
    caused : sequence of int
        The steps of `right` that followed from it; they are tinted.
    labels : sequence of str
        What stands above either.
    graph : optional
        The network to draw; by default the one that a judge knows.
    scale : float
        The size of the letters.
    """
    for n in (*caused, *(() if first_wrong is None else (first_wrong,))):
        if not 0 <= n < len(right):
            raise TraceError(f"step {n} does not exist; the right trace has steps 0 to {len(right) - 1}")
    rows = aligned(left, right, together=True)
    tints: list[dict[int, str]] = [{}, dict.fromkeys(sorted(caused), "caused")]
    summary = "Every verdict on the data is the oracle's."
    first = None
    if first_wrong is not None:
        tints[1][first_wrong] = "wrong"
        summary = f"First wrong verdict, at step {first_wrong} of the right run: {right[first_wrong].text}"
        first = next(k for k, row in enumerate(rows) if row[1] == first_wrong)
    made = pair_film(left, right, rows=rows, tints=tints, labels=labels, graph=graph)
    made |= {"first": first, "jump": "Go to the first wrong verdict", "summary": summary}
    made["words"] = {"wrong": "✗ the first wrong verdict", "caused": "⚑ follows from the wrong verdict"}
    words = f"{labels[0]}\n{left.transcript()}\n\n{labels[1]}\n{right.transcript()}\n\n{summary}"
    return player_of(made, words, scale)


def pair_film(
    left: Trace,
    right: Trace,
    *,
    rows: Sequence[Row],
    tints: Sequence[dict[int, str]],
    labels: Sequence[str],
    graph: Graph = None,
) -> dict[str, Any]:
    """Return what the page needs to show two traces side by side."""
    drawn = graph if graph is not None else left.judge.get("edges") or right.judge.get("edges")
    films = [film(trace, graph=drawn) for trace in (left, right)]
    return {
        "title": " / ".join(dict.fromkeys(one["title"] for one in films)),
        "films": films,
        "rows": [list(row) for row in rows],
        "tints": [{str(n): tint for n, tint in side.items()} for side in tints],
        "labels": [str(text) for text in labels],
        "steps": [],
    }


def player_of(made: dict[str, Any], words: str, scale: float) -> Player:
    """Pack two films; explanations give way when both together would be too large."""
    made["films"] = [fitting(one, "") for one in made["films"]]
    return Player(embed(made, words, kind="pair", scale=scale), words, made["title"])
