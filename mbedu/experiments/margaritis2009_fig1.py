"""Figure 1 of margaritis2009: F1 and time of GS(m) and RGS(m, 1000) as the domain grows.

Near-parity of four variables with 10 % noise among 6 to 96 distractors, 1,000 rows, 20 data sets a size.
"""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework import Experiment, Options, Params, seed_from
from mbedu.experiments.framework_plots import above_zero, legend_beside
from mbedu.experiments.framework_tables import interval_at, intervals, select
from mbedu.experiments.framework_verdicts import Check, check_claim, check_ranking
from mbedu.experiments.stats import Interval, f1, missing_extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "LEVELS", "READINGS", "TRUE", "level_of", "settings"]

PLACE = "section 6, the paragraph on Figure 1"
TRUE = ("X2", "X3", "X4")
ROWS = 1000
CLOSE = 0.1  # of F1: wide intervals overlap also where means are far apart
DRAWN = 1000  # k of RGS(m, k)
MARGINS = (1, 2, 3)
SIZES = tuple(range(10, 101, 10))
LEVELS = ("1e-3", "0.05", "0.01", "1e-4", "Bonferroni")
MAIN = ("1e-3", "adjusted", "independent")
READINGS = {
    "biased": "members are independent with P(1) = 0.6, the target is their parity, flipped with the noise",
    "uniform": "members are fair coins, the target is their parity, flipped with the noise",
    "tilted": "rows of even parity share the weight 0.6, those of odd parity 0.4; then the target is flipped",
}


def settings(options: Options) -> list[tuple[str, str, str]]:
    """List what the paper does not print: level, degrees of freedom, what too little data counts as."""
    both = [(level, df, "independent") for level in LEVELS for df in ("adjusted", "full")]
    trusting = [(level, df, "trust") for level in LEVELS for df in ("adjusted", "full")]
    return [*both, *trusting] if options.full else both


def grid(options: Options) -> list[Params]:
    """List sizes and data sets, with the main setting on all and the others (in a quick run) on a few."""

    def repeats(setting: tuple[str, str, str]) -> tuple[tuple[int, ...], int]:
        return (SIZES, 20) if setting == MAIN or options.full else ((50, 100), 3)

    return [
        {"reading": options.reading, "n": n, "data": data, "level": level, "df": df, "unreliable": unreliable}
        for level, df, unreliable in settings(options)
        for sizes, count in (repeats((level, df, unreliable)),)
        for n in sizes
        for data in range(count)
    ]


def level_of(level: str, n: int, m: int) -> float:
    """Return the significance level; Bonferroni divides 0.05 by the number of sets that a scan tries.

    Examples
    --------
    >>> level_of("1e-3", 100, 3), round(level_of("Bonferroni", 10, 2) * 45, 6)
    (0.001, 0.05)
    """
    if level != "Bonferroni":
        return float(level)
    return 0.05 / sum(math.comb(n - 1, size) for size in range(1, m + 1))


@cache
def _warm() -> None:
    """Load what is compiled before anything is timed, once a process."""
    from mbedu.citests.discrete import ChiSquare
    from mbedu.experiments.data_generated import near_parity
    from mbedu.running import run

    judge = ChiSquare(near_parity(8, 50))
    for key in ("gs_m", "rgs"):
        run(key, judge, "X1", m=3)


def cell(params: Params, seed: int) -> Params:
    """Run all six algorithms on one data set."""
    from mbedu.citests.discrete import ChiSquare
    from mbedu.experiments.data_generated import near_parity
    from mbedu.running import run

    _warm()
    n = params["n"]
    data = near_parity(n, ROWS, noise=0.1, reading=params["reading"], seed=seed)
    rows = []
    for m in MARGINS:
        own: Params = {"k": DRAWN, "seed": seed_from(seed, "rgs", m)}
        for key, title, more in (("gs_m", f"GS({m})", {}), ("rgs", f"RGS({m})", own)):
            judge = ChiSquare(  # a new one each time: no algorithm profits from another's tables
                data, level_of(params["level"], n, m), df=params["df"], unreliable=params["unreliable"]
            )
            found = run(key, judge, "X1", m=m, **more)
            lost, extra = missing_extra(found.boundary, TRUE)
            rows.append(
                {
                    "algorithm": title,
                    "f1": f1(found.boundary, TRUE),
                    "missing": lost,
                    "extra": extra,
                    "tests": found.n_asked,
                    "largest_given": found.largest_given,
                    "seconds": found.seconds,
                }
            )
    return {"rows": rows}


GROUPS = ["level", "df", "unreliable", "n", "algorithm"]


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the mean F1, missing, extra and number of tests with intervals."""
    return intervals(cells, GROUPS, ["f1", "missing", "extra", "tests"])


def times(frame: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the mean time at the main setting."""
    return intervals(main(frame), ["n", "algorithm"], ["seconds"])


def main(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the main setting."""
    return select(table, **dict(zip(("level", "df", "unreliable"), MAIN, strict=True)))


def _f1(table: pd.DataFrame, algorithm: str) -> dict[int, Interval]:
    found = {n: interval_at(table, "f1", n=n, algorithm=algorithm) for n in SIZES}
    return {n: i for n, i in found.items() if i is not None}


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare with the prose; the figure's own numbers are not in the text."""
    shown = main(table)
    made = [_comparable(shown, m) for m in MARGINS]
    poor, good = _f1(shown, "GS(1)"), _f1(shown, "GS(3)")
    made.append(
        check_claim(
            "a larger margin finds more",
            "GS(1) performs poorly, increasing m makes it more likely to recover the boundary",
            _series({"GS(1)": poor, "GS(2)": _f1(shown, "GS(2)"), "GS(3)": good}),
            holds=bool(good) and all(good[n].low > poor[n].high for n in good),
            place="section 6, the paragraph on Figure 2 (left)",
            note="criterion: at each size the interval of GS(3) lies above that of GS(1)",
        )
    )
    tests = {a: interval_at(shown, "tests", n=100, algorithm=a) for a in ("GS(3)", "RGS(3)")}
    if all(tests.values()):
        many, few = (t for t in tests.values() if t is not None)
        made.append(
            check_claim(
                "cost at 100 variables, in tests",
                "GS(m) about 100 times as long as RGS(m, k) (1,000 s against 10 s)",
                f"GS(3) {many.mean:,.0f} tests, RGS(3) {few.mean:,.0f}: {many.mean / few.mean:.0f} times",
                holds=many.low / few.high <= 100 <= many.high / few.low,
                partly=many.low > few.high,
                place=PLACE,
                note="tests do not depend on the machine; the seconds are below",
            )
        )
    return made


def _comparable(shown: pd.DataFrame, m: int) -> Check:
    exact, drawn = _f1(shown, f"GS({m})"), _f1(shown, f"RGS({m})")
    apart = [n for n in exact if not exact[n].overlaps(drawn[n])]
    gap, at = max((abs(exact[n].mean - drawn[n].mean), n) for n in exact)
    return check_claim(
        f"GS({m}) and RGS({m}, 1000)",
        "perform comparably with respect to F1, up to their 95 % confidence intervals",
        f"intervals overlap at {len(exact) - len(apart)} of {len(exact)} sizes; apart at {apart or 'none'}; "
        f"means at most {gap:.2f} apart (n = {at}); " + _series({f"GS({m})": exact, f"RGS({m})": drawn}),
        holds=not apart and gap <= CLOSE,
        partly=not apart,
        place=PLACE,
        note=f"criterion: overlap at every size, and means within {CLOSE}; in direction: overlap",
    )


def _series(found: dict[str, dict[int, Interval]]) -> str:
    parts = []
    for name, by_size in found.items():
        ends = [n for n in (10, 50, 100) if n in by_size]
        parts.append(f"{name} " + ", ".join(f"{by_size[n].mean:.2f} (n = {n})" for n in ends))
    return "; ".join(parts)


def time_checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare the seconds at 100 variables."""
    ours = {a: interval_at(table, "seconds", n=100, algorithm=a) for a in ("GS(3)", "RGS(3)")}
    known = {a: i for a, i in ours.items() if i is not None}
    return [
        check_ranking(
            "seconds at 100 variables",
            {"GS(3)": 1000.0, "RGS(3)": 10.0},
            known,
            place=PLACE,
            note="a printed time is that of a machine of 2009; GS(3) tests 160,000 triples in one batch here",
        )
    ]


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw F1 against the number of variables."""
    figure = _draw(main(table), "f1", "F1", f"near-parity, reading {options.reading}, α = 1e-3", wide=True)
    axes = figure.add_subplot(1, 2, 2)
    rows = select(table, n=100)
    named = [f"{level}, {df}, {unreliable}" for level, df, unreliable in settings(options)]
    for algorithm, colour, lift in (("GS(3)", "#1f6f8b", 0.12), ("RGS(3)", "#c0392b", -0.12)):
        axes.plot([], [], "o", color=colour, ms=4, label=algorithm)
        for place, (level, df, unreliable) in enumerate(settings(options)):
            found = interval_at(rows, "f1", level=level, df=df, unreliable=unreliable, algorithm=algorithm)
            if found is not None:
                axes.plot([max(0, found.low), min(1, found.high)], [lift - place] * 2, color=colour, lw=1)
                axes.plot(found.mean, lift - place, "o", color=colour, ms=4)
    axes.set_yticks([-i for i in range(len(named))], named, fontsize=7)
    axes.set_title("100 variables: level, df rule, too little data counts as", fontsize=9)
    axes.set_xlabel("F1")
    axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    figure.subplots_adjust(wspace=0.5)
    return figure


def plot_times(table: pd.DataFrame, options: Options) -> Figure:
    """Draw the time against the number of variables, on a logarithmic scale."""
    figure = _draw(table, "seconds", "seconds", "execution time")
    figure.axes[0].set_yscale("log")
    return figure


def _draw(table: pd.DataFrame, value: str, label: str, title: str, *, wide: bool = False) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12 if wide else 6.4, 4))
    axes = figure.add_subplot(1, 2 if wide else 1, 1)
    for m, colour in zip(MARGINS, ("#c0392b", "#d68910", "#1f6f8b"), strict=True):
        for kind, line in (("GS", "-"), ("RGS", "--")):
            rows: Any = select(table, algorithm=f"{kind}({m})").sort_values("n")
            spread = [above_zero(rows[value], rows[f"{value}_low"]), rows[f"{value}_high"] - rows[value]]
            name = f"GS({m})" if kind == "GS" else f"RGS({m}, {DRAWN})"
            axes.errorbar(
                rows["n"], rows[value], spread, fmt=line, color=colour, capsize=2, label=name, lw=1.2
            )
    axes.set_xlabel("number of variables")
    axes.set_ylabel(label)
    axes.set_title(title, fontsize=10)
    if wide:
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
    else:
        legend_beside(axes)
    return figure


def cost(params: Params) -> float:
    """Guess a cell's time: the triples count."""
    return float(params["n"]) ** 3


EXPERIMENTS = (
    Experiment(
        name="margaritis2009-fig1",
        title="F1 and time of GS(m) and RGS(m, 1000) as the domain grows",
        place="Figure 1 and " + PLACE,
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        times=times,
        time_checks=time_checks,
        plot_times=plot_times,
        readings=READINGS,
        seeded_by=("reading", "n", "data"),
        cost=cost,
        caveats=(
            "The figure's numbers are not in the text; its prose is checked.",
            "Main setting: χ² at level 1e-3, adjusted df, fewer than 5 rows per df: independent.",
        ),
    ),
)
