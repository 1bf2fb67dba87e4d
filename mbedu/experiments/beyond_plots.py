"""All algorithms on one page: intervals against the number of rows, and a critical-difference diagram."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework_plots import above_zero, legend_beside
from mbedu.experiments.framework_tables import select

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from mbedu.experiments.framework import Options

__all__ = ["draw", "draw_ranks", "draw_times"]

PANELS = {
    "f1": "F1",
    "missing": "missing",
    "extra": "extra",
    "asked": "tests",
    "largest": "largest conditioning set",
}
COLOURS = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22",
    "#17becf",
)  # fmt: skip
MARKERS = "os^Dv<>pXP*hd"


def _lines(axes: Any, table: Any, value: str, label: str) -> None:
    names = list(dict.fromkeys(table["algorithm"]))
    for i, name in enumerate(names):
        rows = select(table, algorithm=name).sort_values("rows")
        shift = 1.03 ** (i - len(names) / 2)  # so that intervals do not hide each other
        down = above_zero(rows[value], rows[f"{value}_low"])  # three of the scales are logarithmic
        spread = [down, rows[f"{value}_high"] - rows[value]]
        axes.errorbar(
            rows["rows"] * shift,
            rows[value],
            spread,
            marker=MARKERS[i % len(MARKERS)],
            ms=4,
            lw=1,
            elinewidth=0.5,
            color=COLOURS[i % len(COLOURS)],
            linestyle="-" if i < len(COLOURS) else "--",
            label=name,
        )
    axes.set_xscale("log")
    sizes = sorted({int(n) for n in table["rows"]})
    axes.set_xticks(sizes, [str(n) for n in sizes])
    axes.minorticks_off()
    axes.set_xlabel("rows")
    axes.set_ylabel(label)


def draw(table: pd.DataFrame, options: Options) -> Figure:
    """Draw the means over networks with their intervals, and the ranks by F1."""
    from matplotlib.figure import Figure

    means = select(table, part="all networks")
    figure = Figure(figsize=(14, 12))
    cells = figure.add_gridspec(3, 3, height_ratios=(1, 1, 0.8))
    panels = [figure.add_subplot(cells[i // 3, i % 3]) for i in range(5)]
    for axes, (value, label) in zip(panels, PANELS.items(), strict=True):
        _lines(axes, means, value, label)
    panels[2].set_yscale("symlog", linthresh=0.5)
    panels[2].set_ylim(bottom=0)
    panels[3].set_yscale("log")
    panels[4].set_yscale("log")
    legend = figure.add_subplot(cells[1, 2])
    legend.axis("off")
    legend.legend(*panels[0].get_legend_handles_labels(), fontsize=8, loc="center", ncols=2)
    ranks = select(table, part="rank")
    draw_ranks(
        figure.add_subplot(cells[2, :]),
        dict(zip(ranks["algorithm"], ranks["rank"], strict=True)),
        float(ranks["difference"].iloc[0]),
        cliques(list(ranks["algorithm"]), list(ranks["group"])),
    )
    figure.tight_layout()
    return figure


def cliques(names: Sequence[str], groups: Sequence[str]) -> list[list[str]]:
    """Return the groups that are named by letters, as lists of members.

    Examples
    --------
    >>> cliques(["GS", "IAMB", "PCMB"], ["A", "A B", "B"])
    [['GS', 'IAMB'], ['IAMB', 'PCMB']]
    """
    letters = dict.fromkeys(letter for group in groups for letter in str(group).split())
    return [[n for n, g in zip(names, groups, strict=True) if letter in str(g).split()] for letter in letters]


def draw_ranks(
    axes: Any, ranks: Mapping[str, float], difference: float, cliques: Sequence[Sequence[str]]
) -> None:
    """Draw a critical-difference diagram: mean ranks, and a bar over those that cannot be told apart."""
    ordered = sorted(ranks, key=ranks.__getitem__)
    half = (len(ordered) + 1) // 2
    low, high = min(ranks.values()), max(ranks.values())
    top = 0.35 + 0.22 * len(cliques)
    for i, name in enumerate(ordered):
        left = i < half
        y = -0.6 - 0.5 * (i if left else len(ordered) - 1 - i)
        x = low - 0.4 if left else high + 0.4
        axes.plot([ranks[name], ranks[name], x], [0, y, y], color="#444444", lw=0.8)
        axes.text(
            x, y, f" {name} {ranks[name]:.2f} ", ha="right" if left else "left", va="center", fontsize=8
        )
    for i, clique in enumerate(cliques):
        ends = [ranks[n] for n in clique]
        y = 0.2 + 0.22 * i
        axes.plot([min(ends) - 0.04, max(ends) + 0.04], [y, y], color="black", lw=3, solid_capstyle="butt")
    axes.plot([low, high], [0, 0], color="black", lw=1)
    for rank in range(math.ceil(low), math.floor(high) + 1):
        axes.plot([rank, rank], [-0.06, 0.06], color="black", lw=1)
        axes.text(rank, -0.1, str(rank), ha="center", va="top", fontsize=7, color="#777777")
    axes.plot([low, low + difference], [top, top], color="#c0392b", lw=2)
    axes.text(low, top + 0.12, f"critical difference {difference:.2f} (Nemenyi, 0.05)", fontsize=8)
    axes.set_xlim(low - 3, high + 3)
    axes.set_ylim(-0.6 - 0.5 * half, top + 0.7)
    axes.set_title("mean rank by F1 over the networks (left is better)", fontsize=10)
    axes.axis("off")


def draw_times(times: pd.DataFrame, options: Options) -> Figure:
    """Draw the times against the number of rows."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5))
    axes = figure.add_subplot()
    _lines(axes, times, "seconds", "seconds for all targets of a data set")
    axes.set_yscale("log")
    legend_beside(axes)
    return figure
