"""Figures for slides and papers: matplotlib, Okabe–Ito colours, and never colour alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mbedu.errors import DataError, TraceError, unknown
from mbedu.steps import Asked, Changed
from mbedu.trace import Trace
from mbedu.viz.film import Graph, edges_of, picture
from mbedu.viz.frames import Mark, relations
from mbedu.viz.layout import label
from mbedu.viz.scene import BELOW, OKABE_ITO, Scene, add_network

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["boundary_scene", "plot_boundary", "plot_f1", "plot_growth", "plot_partition", "plot_queries"]

COLOURS = [OKABE_ITO[c] for c in ("blue", "vermillion", "green", "purple", "orange", "sky", "black")]
MARKERS = "osD^vPX"
STYLES = ("-", "--", "-.", ":")
LARGE = 1.7 / 96
"""Inches a unit of a drawing: names get 18 points, to be read from the back of a room."""
SHADES = ("#f0f0f0", "#e0ecf4")
ROW = 0.08
"""The height of a row of names of phases, as a share of the axes."""
WIDEST = 11.0
"""Inches; a larger network gets smaller names instead."""


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def boundary_scene(
    graph: Graph, target: str, *, found: Iterable[str] | None = None, variables: Iterable[str] | None = None
) -> Scene:
    """Return the network with the target's boundary by role, and beside it what was found, as a drawing.

    Right ones stand as members (✓), missed ones are dashed and struck, extra ones are hatched off as leaving.
    """
    edges = edges_of(graph)
    names = list(variables if variables is not None else _variables(graph, edges))
    if target not in names:
        raise unknown("target", target, names)
    truth = relations(edges, target)
    chosen = set(truth) if found is None else set(found)
    marks = []
    for v in names:
        if v == target:
            marks.append(Mark("target"))
        elif v in chosen and (v in truth or not edges):
            marks.append(Mark("in", sets="" if found is None else "✓"))
        elif v in chosen:
            marks.append(Mark("open", "leaves", "extra"))
        elif v in truth:
            marks.append(Mark("removed", sets="miss"))
        else:
            marks.append(Mark("open"))
    shown = picture(names, edges, target, near=[target, *truth, *sorted(chosen)])
    room = 0 if found is None else BELOW
    scene = Scene(shown["w"], shown["h"] + room, title=f"The Markov boundary of {target}")
    add_network(scene, shown, marks)
    return scene


def _variables(graph: Graph, edges: list[tuple[str, str]]) -> list[str]:
    named = getattr(graph, "variables", None) or getattr(graph, "nodes", None)
    return [str(v) for v in named] if named is not None else list(dict.fromkeys(v for e in edges for v in e))


def plot_boundary(
    graph: Graph | Trace,
    target: str | None = None,
    *,
    found: Iterable[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a network with the target's boundary: parents (pa), children (ch) and spouses (sp).

    Parameters
    ----------
    graph : network, graph, list of edges, or Trace
        What to draw; a trace brings its target and its answer along.
    target : str
        Whose boundary.
    found : iterable of str, optional
        An answer to compare: right, missed and extra variables then look different.
    ax : matplotlib axes, optional
    """
    variables = None
    if isinstance(graph, Trace):
        trace = graph
        graph, target, variables = trace.judge.get("edges") or [], trace.target, trace.variables
        found = trace.answer if found is None else found
    if target is None:
        raise TraceError("plot_boundary needs a target: plot_boundary(net, 'dysp')")
    scene = boundary_scene(graph, target, found=found, variables=variables)
    axes = _sheet(scene) if ax is None else ax
    scene.paint(axes)
    return axes


def _sheet(scene: Scene) -> Axes:
    """Return axes that fill a figure of the drawing's own proportions, as large as a page lets it be."""
    import matplotlib.pyplot as plt

    inches = min(LARGE, WIDEST / scene.width)
    figure = plt.figure(figsize=(scene.width * inches, scene.height * inches))
    return figure.add_axes((0, 0, 1, 1))


def plot_growth(trace: Trace, *, ax: Axes | None = None) -> Axes:
    """Plot how large each set of the algorithm itself is after each step, phases shaded.

    Where the judge knows it, the conditional information of each question is drawn too, as stems on the
    right-hand axis: filled for dependent, hollow for independent.
    """
    from matplotlib.ticker import MaxNLocator

    axes = _axes(ax, (7.2, 3.6))
    sizes: dict[str, list[tuple[int, int]]] = {}
    for n, step in enumerate(trace.steps):
        if isinstance(step, Changed) and step.depth <= 1:
            sizes.setdefault(step.name, []).append((n, step.size))
    if not sizes:
        raise TraceError(f"{trace.title or trace.algorithm} names no set, so there is no size to plot")
    for k, (name, points) in enumerate(sizes.items()):
        xs = [n for n, _ in points] + [len(trace) - 1]
        ys = [size for _, size in points] + [points[-1][1]]
        axes.step(
            xs, ys, where="post", label=f"|{name}|", color=COLOURS[k % 7], ls=STYLES[k % 4], lw=2.4,
            marker=MARKERS[k % 7], markevery=slice(0, len(points)), ms=6,
        )  # fmt: skip
    # the names of the phases stand in rows of their own, above all that is drawn
    room = 1 / (1 - ROW * (_phases(axes, trace) + 0.7))
    axes.set_xlabel("step")
    axes.set_ylabel("members")
    axes.set_ylim(0, room * max(1, *(size for points in sizes.values() for _, size in points)))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    _information(axes, trace, room)
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.16), ncols=3, frameon=False)
    axes.set_title(f"{trace.title or trace.algorithm} for {_safe(trace.target)}", loc="left")
    return axes


def _phases(axes: Axes, trace: Trace) -> int:
    """Shade the phases of the algorithm itself and name them; return how many rows the names take."""
    spans: list[tuple[int, int, str]] = []
    start, current = 0, ""
    for n, step in enumerate(trace.steps):
        phase = step.phase if step.depth <= 1 else current  # a phase of a part is none of the whole
        if phase != current:
            spans.append((start, n, current))
            start, current = n, phase
    spans.append((start, len(trace), current))
    named = [span for span in spans if span[2]]
    for k, (first, end, _) in enumerate(named):
        axes.axvspan(first - 0.5, end - 0.5, color=SHADES[k % 2], lw=0, zorder=0)
    inches = axes.get_window_extent().width / axes.figure.dpi
    letter = len(trace) / (13 * inches)  # steps that a letter takes
    ends: list[float] = []
    for first, _, phase in named:
        row = next((r for r, end in enumerate(ends) if end < first), len(ends))
        ends[row : row + 1] = [first + letter * (len(phase) + 1)]
        axes.text(
            first, 1 - ROW * (row + 0.35), phase, transform=axes.get_xaxis_transform(), va="top", color="#444"
        )
    return len(ends)


def _information(axes: Axes, trace: Trace, room: float) -> None:
    asked = [
        (n, s) for n, s in enumerate(trace.steps) if isinstance(s, Asked) and s.verdict.strength is not None
    ]
    if not asked:
        return
    right = axes.twinx()
    for independent, face in ((False, OKABE_ITO["vermillion"]), (True, "white")):
        xs = [n for n, s in asked if s.verdict.independent is independent]
        ys = [s.verdict.strength or 0.0 for _, s in asked if s.verdict.independent is independent]
        if xs:
            right.vlines(xs, 0, ys, color=OKABE_ITO["vermillion"], lw=1, alpha=0.6)
            name = "independent" if independent else "dependent"
            right.scatter(
                xs, ys, s=22, facecolor=face, edgecolor=OKABE_ITO["vermillion"], label=name, zorder=3
            )
    right.set_ylabel("conditional information (nats)")
    right.set_ylim(0, room * (max(s.verdict.strength or 0.0 for _, s in asked) or 1.0))
    right.legend(loc="upper right", bbox_to_anchor=(1, -0.16), ncols=2, frameon=False)


def plot_queries(trace: Trace, *, ax: Axes | None = None) -> Axes:
    """Plot how often each variable was asked about, by the size of the conditioning set, as a heat map."""
    import numpy as np

    questions = trace.questions
    if not questions:
        raise TraceError("this trace asks no question, so there is nothing to count")
    largest = max(len(q.query.given) for q in questions)
    rows = [v for v in trace.variables if any(v in q.query.y for q in questions)]
    counts = np.zeros((len(rows), largest + 1), dtype=int)
    place = {v: i for i, v in enumerate(rows)}
    for q in questions:
        for v in q.query.y:
            counts[place[v], len(q.query.given)] += 1
    axes = _axes(ax, (max(4.0, 1.6 + 0.55 * (largest + 1)), max(2.4, 0.9 + 0.3 * len(rows))))
    axes.imshow(counts, cmap="cividis", aspect="auto")
    for i in range(len(rows)):
        for k in range(largest + 1):
            if counts[i, k]:
                light = counts[i, k] > counts.max() * 0.6
                axes.text(
                    k, i, str(counts[i, k]), ha="center", va="center", color="black" if light else "white"
                )
    axes.set_xticks(range(largest + 1))
    axes.set_yticks(range(len(rows)), [_safe(label(v)) for v in rows])
    axes.set_xlabel("size of the conditioning set")
    axes.set_title(f"{len(questions)} questions of {trace.title or trace.algorithm}", loc="left")
    return axes


def plot_f1(
    frame: pd.DataFrame,
    *,
    x: str = "n",
    y: str = "f1",
    by: str = "algorithm",
    low: str | None = None,
    high: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot a score against the sample size, a line a method, with intervals.

    Parameters
    ----------
    frame : DataFrame
        A row a measurement, or a row a summary.
    x, y, by : str
        The columns with the sample size, the score and the method.
    low, high : str, optional
        Columns with the ends of the interval. Without them the rows that share `x` and `by` are
        averaged, and the interval is the mean ± 1.96 standard errors of their values.
    ax : matplotlib axes, optional
    """
    for column in (x, y, by, *filter(None, (low, high))):
        if column not in frame.columns:
            raise unknown("column", column, map(str, frame.columns))
    if (low is None) != (high is None):
        raise DataError("give both low= and high=, or neither")
    axes = _axes(ax, (6.4, 4.0))
    for k, (name, part) in enumerate(frame.groupby(by, sort=False)):
        if low is not None and high is not None:
            part = part.sort_values(x)
            xs, ys, bottom, top = (part[c].to_numpy(float) for c in (x, y, low, high))
        else:
            grouped = part.groupby(x)[y]
            mean, error = grouped.mean(), grouped.sem().fillna(0.0) * 1.96
            xs, ys = mean.index.to_numpy(float), mean.to_numpy(float)
            bottom, top = ys - error.to_numpy(float), ys + error.to_numpy(float)
        colour = COLOURS[k % 7]
        look: dict[str, Any] = {
            "ls": STYLES[k % 4],
            "marker": MARKERS[k % 7],
            "ms": 7,
            "lw": 2.2,
        }
        axes.plot(xs, ys, color=colour, label=_safe(str(name)), **look)
        axes.fill_between(xs, bottom, top, color=colour, alpha=0.15, lw=0)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(f"{x} (rows)" if x == "n" else x)
    axes.set_ylabel(y.upper() if y == "f1" else y)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return axes


def plot_partition(theorem: Any, *, ax: Axes | None = None, most: int = 128) -> Axes:
    """Draw the sets of the boundary theorem as a lattice: P1 as circles, P2 as squares, failures crossed.

    Parameters
    ----------
    theorem : BoundaryTheorem
        What `check_boundary_theorem` returned.
    ax : matplotlib axes, optional
    most : int
        The most sets that are drawn.
    """
    sets = [*theorem.p1, *theorem.p2]
    if len(sets) > most:
        raise DataError(
            f"{len(sets)} sets are too many for one picture (most={most}); give the theorem a margin m=…"
        )
    order = {v: i for i, v in enumerate(theorem.variables)}
    rows: dict[int, list[frozenset[str]]] = {}
    for one in sorted(sets, key=lambda s: sorted(order[v] for v in s)):
        rows.setdefault(len(one), []).append(one)
    widest = max(map(len, rows.values()))
    axes = _axes(ax, (min(WIDEST, max(6.5, 1.3 * widest)), max(3.5, 1.3 * len(rows))))
    at = {s: ((i + 0.5) / len(row), -size) for size, row in rows.items() for i, s in enumerate(row)}
    for s, (sx, sy) in at.items():
        for v in s:
            if (below := s - {v}) in at:
                axes.plot([sx, at[below][0]], [sy, at[below][1]], color="#bbbbbb", lw=0.8, zorder=1)
    for name, part, marker, colour in (
        ("P1: outside S", theorem.p1, "o", OKABE_ITO["sky"]),
        ("P2: meets S", theorem.p2, "s", OKABE_ITO["orange"]),
    ):
        xs, ys = [at[s][0] for s in part], [at[s][1] for s in part]
        if part:
            axes.scatter(xs, ys, marker=marker, s=420, c=colour, ec="#111", lw=1.2, label=name, zorder=2)
    wrong = theorem.violating
    if wrong:
        xs, ys = [at[s][0] for s in wrong], [at[s][1] for s in wrong]
        axes.scatter(xs, ys, marker="x", s=420, c="#000", lw=2.5, label="fails", zorder=3)
    size = max(7.0, min(13.0, 110.0 / widest))
    for s, (sx, sy) in at.items():
        text = _safe(",".join(sorted(s, key=order.__getitem__)) or "∅")
        folded = "\n".join(textwrap.wrap(text, 18))
        axes.text(sx, sy - 0.27, folded, ha="center", va="top", fontsize=size, zorder=4)
    axes.set_ylim(-max(rows) - 0.75, 0.5)
    axes.set_xlim(0, 1)
    axes.set_axis_off()
    axes.legend(
        loc="upper left", bbox_to_anchor=(0, 1.12), ncols=3, frameon=False, markerscale=0.6, fontsize=12
    )
    axes.set_title("\n".join(textwrap.wrap(_safe(theorem.verdict), 64)), fontsize=13, y=1.1)
    return axes


def _safe(text: str) -> str:
    return text.replace("$", r"\$")  # a name is no formula
