"""The key moments of a run as one picture, for slides, GitHub and print."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mbedu.errors import TraceError
from mbedu.steps import Changed, Chose, Returned
from mbedu.trace import Trace
from mbedu.viz.film import Graph, edges_of, picture
from mbedu.viz.frames import frames
from mbedu.viz.scene import Scene, Shape, Text, add_network

__all__ = ["Storyboard", "key_steps", "storyboard"]

PANEL = 380.0
GAP = 14.0
WORDS = 3


class Storyboard:
    """Some frames of a trace in one picture: a notebook shows it, `save` writes SVG, PNG or PDF."""

    def __init__(self, scene: Scene, words: str) -> None:
        self.scene = scene
        self.words = words

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return self.scene.svg()

    def png(self, *, dpi: float = 110) -> bytes:
        """Return the picture as PNG, with a palette: a fifth of the size, and it has few colours anyway."""
        from PIL import Image

        full, small = io.BytesIO(), io.BytesIO()
        self.scene.write(full, form="png", dpi=dpi)
        Image.open(full).convert("RGB").quantize(64).save(small, format="png", optimize=True)
        return small.getvalue()

    def save(self, path: str | Path, *, dpi: float = 200) -> Path:
        """Write the picture; the ending of the name says how: .svg, .png or .pdf."""
        path = Path(path)
        if path.suffix == ".svg":
            path.write_text(self.svg, encoding="utf-8")
        elif path.suffix in (".png", ".pdf"):
            self.scene.write(path, form=path.suffix[1:], dpi=dpi)
        else:
            raise TraceError(f"{path.name!r}: a storyboard is written as .svg, .png or .pdf")
        return path

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"image/svg+xml": self.svg, "image/png": self.png(), "text/plain": self.words}

    def __repr__(self) -> str:
        return self.words


def storyboard(
    trace: Trace, *, steps: Sequence[int] | None = None, most: int = 6, columns: int = 3, graph: Graph = None
) -> Storyboard:
    """Return the key moments of a trace side by side.

    Parameters
    ----------
    trace : Trace
        What happened.
    steps : sequence of int, optional
        Which steps to draw; by default those at which the sets change, evenly thinned out.
    most, columns : int
        At most so many pictures, so many in a row.
    graph : optional
        The network to draw when the judge knows none.

    Examples
    --------
    >>> import mbedu as mb
    >>> run = mb.run("gs_m", mb.DSeparation([("A", "T")]), target="T", record=True)
    >>> run.trace.storyboard()
    step 4: A enters S, which now has 1 member.
    step 7: GS(m) returns {A}.
    """
    if not trace.steps:
        raise TraceError(
            "this trace has no steps, so there is nothing to draw; record a run with record=True"
        )
    chosen = key_steps(trace, most) if steps is None else [trace._index(n) for n in steps]  # noqa: SLF001
    shown = picture(trace.variables, edges_of(graph) or edges_of(trace.judge.get("edges")), trace.target)
    scale = PANEL / shown["w"]
    height = shown["h"] * scale + 34 + WORDS * 19
    columns = max(1, min(columns, len(chosen)))
    rows = math.ceil(len(chosen) / columns)
    title = f"{trace.title or trace.algorithm} for {trace.target}"
    scene = Scene(columns * (PANEL + GAP) + GAP, rows * (height + GAP) + GAP + 34, title=title)
    scene.add(Text(GAP, 28, title, 20, bold=True, anchor="start"))
    pictures = list(frames(trace))
    for k, n in enumerate(chosen):
        left, top = GAP + k % columns * (PANEL + GAP), 40 + k // columns * (height + GAP)
        _panel(scene, trace, n, (left, top, height))
        marks = list(pictures[n].marks.values())
        add_network(scene, shown, marks, x=left, y=top + 26, scale=scale)
    return Storyboard(scene, "\n".join(f"step {n}: {trace.steps[n].text}" for n in chosen))


def key_steps(trace: Trace, most: int) -> list[int]:
    """Return the steps at which something changes, thinned out evenly to `most`, the last among them."""
    if most < 1:
        raise TraceError(f"most={most!r}: a storyboard has at least one picture")
    found = [
        n
        for n, step in enumerate(trace.steps)
        if (isinstance(step, Changed) and (step.added or step.removed))
        or (isinstance(step, Returned) and step.depth <= 1)
    ]
    if not found:
        found = [n for n, s in enumerate(trace.steps) if isinstance(s, Chose)] or [len(trace.steps) - 1]
    if len(found) <= most:
        return found
    return (
        [found[-1]] if most == 1 else [found[round(i * (len(found) - 1) / (most - 1))] for i in range(most)]
    )


def _panel(scene: Scene, trace: Trace, n: int, place: tuple[float, float, float]) -> None:
    left, top, height = place
    step = trace.steps[n]
    box = ((left, top), (left + PANEL, top), (left + PANEL, top + height), (left, top + height))
    scene.add(Shape(box, stroke="#999999", width=1.0))
    where = [f"step {n}", step.phase and f"phase {step.phase}", step.line is not None and f"line {step.line}"]
    scene.add(
        Text(left + 10, top + 19, " · ".join(str(w) for w in where if w), 14, "#444444", anchor="start")
    )
    lines = textwrap.wrap(step.text, 42)[:WORDS]
    for k, line in enumerate(lines):
        base = top + height - 12 - (WORDS - 1 - k) * 19
        scene.add(Text(left + 10, base, line, 15, bold=True, anchor="start"))
