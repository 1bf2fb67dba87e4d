"""Figure 2 (middle and right) of margaritis2009: how well a learned boundary isolates its variable.

For each variable X of each data set: the boundary S by GS(3), RGS(3, 1000) and RELIEVED(0.03); then the mean
p-value of χ² between X and sets Y of one, two and three variables outside S, given S, at most 2,000 sets.
A large mean says that S leaves nothing to be learned about X. The measure has a hole: given a large S a
test may have no degrees of freedom left, and its p = 1 says nothing. Both ways are shown.
"""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mbedu.experiments.data import DataFolder
from mbedu.experiments.framework import Experiment, Options, Params, seed_from
from mbedu.experiments.framework_plots import legend_beside
from mbedu.experiments.framework_verdicts import Check, check_claim
from mbedu.experiments.stats import wilcoxon

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from mbedu.judge import Judge

__all__ = ["EXPERIMENTS", "isolation"]

PLACE = "section 6, last paragraph, and Figure 2 (middle and right)"
MOST = 2000
MARGIN = 3
DRAWN = 1000
TAU = 0.03
LEVEL = 1e-3
GENERATED = ("tic-tac-toe", "monk-1", "monk-2", "monk-3")
FROM_FOLDER = ("car", "spect", "kr-vs-kp", "splice")
METHODS = ("GS(3)", "RGS(3)", "RELIEVED")
WAYS = {
    "counted": "a test without degrees of freedom counts as p = 1",
    "left out": "a test without degrees of freedom is left out",
}


def data_sets(options: Options) -> list[str]:
    """List the data sets that can be had; splice, with 61 variables of four states, takes hours."""
    wanted = FROM_FOLDER if options.full else FROM_FOLDER[:-1]
    return [*GENERATED, *(name for name in wanted if options.data.has(name))]


def grid(options: Options) -> list[Params]:
    """List every variable of every data set."""
    return [
        {"data": name, "variable": str(v), "level": LEVEL if options.reading == "1e-3" else 0.05}
        for name in data_sets(options)
        for v in options.data.load(name).frame.columns
    ]


def cell(params: Params, seed: int, folder: DataFolder) -> Params:
    """Find the boundary of one variable by the three methods, and measure each one's isolation."""
    from mbedu.citests.discrete import ChiSquare
    from mbedu.running import run
    from mbedu.selectors.relieved import relieved
    from mbedu.selectors.table import Table

    frame, X = folder.load(params["data"]).frame, params["variable"]
    judge = ChiSquare(frame, params["level"])
    runs = {
        "GS(3)": run("gs_m", judge, X, m=MARGIN),
        "RGS(3)": run("rgs", judge, X, m=MARGIN, k=DRAWN, seed=seed_from(seed, "rgs")),
        "RELIEVED": run(relieved, Table(frame), X, tau=TAU),
    }
    rows = []
    for name, found in runs.items():
        counted, left, vacuous, tried = isolation(judge, X, found.boundary, seed=seed_from(seed, "subsets"))
        rows.append(
            {
                "method": name,
                "size": len(found.boundary),
                "counted": counted,
                "left out": left,
                "vacuous": vacuous,
                "sets": tried,
                "seconds": found.seconds,
            }
        )
    return {"rows": rows}


def isolation(
    judge: Judge, target: str, given: frozenset[str], *, seed: int, most: int = MOST
) -> tuple[float, float | None, int, int]:
    """Return the mean p-value outside, the same without vacuous tests, and how many there were of each.

    With nothing outside there is nothing left to test: the first is 1 and the second does not exist.
    """
    outside = [v for v in judge.variables if v != target and v not in given]
    chosen = some_subsets(outside, MARGIN, most=most, seed=seed)
    if not chosen:
        return 1.0, None, 0, 0
    verdicts = judge.judge_many(target, chosen, given)
    p = np.array([1.0 if v.p_value is None else v.p_value for v in verdicts])
    real = np.array([bool(v.df) for v in verdicts])
    left = float(p[real].mean()) if real.any() else None
    return float(p.mean()), left, int((~real).sum()), len(p)


def some_subsets(items: Sequence[str], largest: int, *, most: int, seed: int) -> list[frozenset[str]]:
    """Return all sets of 1 to `largest` items, or `most` of them drawn without repetition.

    Examples
    --------
    >>> [len(some_subsets(items, 3, most=50, seed=0)) for items in ("abcd", "abcdefghij")]
    [14, 50]
    """
    from mbedu.varset import subsets

    everything = subsets(tuple(items), largest)
    if len(everything) <= most:
        return [frozenset(s) for s in everything]
    picked = np.random.default_rng(seed).choice(len(everything), size=most, replace=False)
    return [frozenset(everything[int(i)]) for i in np.sort(picked)]


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return one row a variable, with the isolation by each method, both ways."""
    wide = cells.pivot(
        index=["data", "variable"], columns="method", values=["size", *WAYS, "vacuous", "sets"]
    )
    order = cells[["data", "variable"]].drop_duplicates()
    wide = wide.loc[[tuple(row) for row in order.itertuples(index=False)]]
    wide.columns = [f"{column[1]} {column[0]}" for column in list(wide.columns)]
    table: pd.DataFrame = wide.reset_index()
    return table


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare by Wilcoxon's signed-rank test, both ways."""
    made = []
    for way, words in WAYS.items():
        made.append(_equivalent(table, way, words))
        made += [_better(table, way, words, method) for method in METHODS[:2]]
    return made


def _pairs(table: pd.DataFrame, way: str, a: str, b: str) -> tuple[list[float], list[float]]:
    both = table[[f"{a} {way}", f"{b} {way}"]].astype(float).dropna()
    return list(both.iloc[:, 0]), list(both.iloc[:, 1])


def _shown(a: str, b: str, first: list[float], second: list[float], p: float) -> str:
    above = sum(x > y for x, y in zip(first, second, strict=True))
    below = sum(x < y for x, y in zip(first, second, strict=True))
    return (
        f"mean {a} {np.mean(first):.3f}, {b} {np.mean(second):.3f}; {a} higher for {above} of {len(first)} "
        f"variables, lower for {below}; Wilcoxon p = {p:.2g}"
    )


def _equivalent(table: pd.DataFrame, way: str, words: str) -> Check:
    first, second = _pairs(table, way, "GS(3)", "RGS(3)")
    p = wilcoxon(first, second)
    return check_claim(
        f"GS(3) against RGS(3, 1000), vacuous tests {way}",
        "statistically equivalent",
        _shown("GS(3)", "RGS(3)", first, second, p),
        holds=p > 0.05,
        place=PLACE,
        note=f"{words}; criterion: two-sided p above 0.05",
    )


def _better(table: pd.DataFrame, way: str, words: str, method: str) -> Check:
    first, second = _pairs(table, way, method, "RELIEVED")
    p = wilcoxon(first, second, alternative="greater")
    return check_claim(
        f"{method} against RELIEVED(0.03), vacuous tests {way}",
        "outperforms RELIEVED at the 99.99 % level (α < 1e-7)",
        _shown(method, "RELIEVED", first, second, p),
        holds=p < 1e-7,
        partly=p < 0.05,
        place=PLACE,
        note=f"{words}; criterion: one-sided p below 1e-7; between that and 0.05: the ranking only",
    )


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw a point for each variable: RELIEVED and RGS against GS, in the paper's layout."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 8))
    for row, way in enumerate(WAYS):
        for column, other in enumerate(("RELIEVED", "RGS(3)")):
            axes: Any = figure.add_subplot(2, 2, 2 * row + column + 1)
            for name in dict.fromkeys(table["data"]):
                part = table[table["data"] == name]
                axes.scatter(
                    part[f"GS(3) {way}"].astype(float), part[f"{other} {way}"].astype(float), s=12, label=name
                )
            axes.plot([0, 1], [0, 1], color="#999999", lw=0.8)
            axes.set_xlabel("mean p-value, GS(3)")
            axes.set_ylabel(f"mean p-value, {other}")
            axes.set_title(f"vacuous tests {way}", fontsize=9)
    legend_beside(figure.axes[1])
    figure.subplots_adjust(wspace=0.3, hspace=0.35)
    return figure


def times(frame: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the mean time of each method on each data set."""
    from mbedu.experiments.framework_tables import intervals

    return intervals(frame, ["data", "method"], ["seconds"])


def cost(params: Params) -> float:
    """Guess a cell's time: the large data sets first."""
    return {"splice": 100.0, "kr-vs-kp": 10.0, "car": 2.0}.get(params["data"], 1.0)


EXPERIMENTS = (
    Experiment(
        name="margaritis2009-fig2-isolation",
        title="how well learned boundaries isolate a variable, on real data",
        place=PLACE,
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        times=times,
        readings={
            "1e-3": "GS and RGS test at level 1e-3 (not printed)",
            "0.05": "GS and RGS test at level 0.05 (not printed)",
        },
        cost=cost,
        needs=FROM_FOLDER,
        caveats=(
            "The paper does not name its data sets; these are discrete ones at hand, splice only in full.",
            "Points under the diagonal are better for GS(3).",
        ),
    ),
)
