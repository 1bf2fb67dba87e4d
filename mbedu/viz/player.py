"""The player: a trace as a small film that works in a notebook, in an exported page and offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mbedu.errors import TraceError
from mbedu.trace import Trace
from mbedu.viz.film import Graph, film
from mbedu.viz.page import embed, page

__all__ = ["Player", "play", "save"]

MOST_BYTES = 140_000


class Player:
    """A piece of a page that plays; a notebook shows it, `save` writes it to a file of its own.

    Its text form is the transcript: the same sentences that the player says.
    """

    def __init__(self, html: str, words: str, title: str) -> None:
        self.html = html
        self.words = words
        self.title = title

    def save(self, path: str | Path) -> Path:
        """Write a page that stands alone and return its path."""
        path = Path(path)
        path.write_text(page(self.title, self.html), encoding="utf-8")
        return path

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.words}

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.words


def play(trace: Trace, *, scale: float = 1.0, graph: Graph = None, why: bool = True) -> Player:
    """Return a player of the trace.

    Parameters
    ----------
    trace : Trace
        What to show.
    scale : float
        The size of the letters: 1.5 or 2 for a projector.
    graph : optional
        The network to draw when the judge knows none, for example the true one beside a test on data.
    why : bool
        Store the judge's explanations (in a very long film only those of the first questions).

    Examples
    --------
    >>> import mbedu as mb
    >>> run = mb.run("gs_m", mb.DSeparation([("A", "T")]), target="T", record=True)
    >>> play(run.trace)
    GS(m) for T; asked of DSeparation.
       0         GS(m) starts for T.
    ...
    """
    if not trace.steps:
        raise TraceError(
            "this trace has no steps, so there is nothing to play; record a run with record=True"
        )
    if not 0.3 <= scale <= 6:
        raise TraceError(f"scale={scale!r}: choose between 0.3 and 6; 1.5 suits a projector")
    words = trace.transcript()
    made = film(trace, graph=graph, why=why)
    return Player(embed(fitting(made, words), words, scale=scale), words, made["title"])


def fitting(made: dict[str, Any], words: str, *, kind: str = "play") -> dict[str, Any]:
    """Drop explanations from the end until the output is small enough to keep many of them in a notebook."""
    if not made["whys"]:
        return made
    bare = {**made, "whys": []}
    most = max(MOST_BYTES, len(embed(bare, words, kind=kind)) + MOST_BYTES // 4)  # a long run may be larger
    while made["whys"] and len(embed(made, words, kind=kind)) > most:
        made = {**made, "whys": made["whys"][: len(made["whys"]) * 3 // 4]}
        kept = len(made["whys"])
        made["steps"] = [{k: v for k, v in step.items() if k != "why" or v < kept} for step in made["steps"]]
    return made


def save(trace: Trace, path: str | Path, **options: Any) -> Path:
    """Write a page with the player that stands alone; the options are those of `play`."""
    return play(trace, **options).save(path)
