"""Figure 2 (left) of margaritis2009: F1 of GS(m), RGS(m, 1000) and RELIEVED as noise grows, 50 variables."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework import Experiment, Options, Params, seed_from
from mbedu.experiments.framework_plots import legend_beside
from mbedu.experiments.framework_tables import interval_at, intervals, select
from mbedu.experiments.framework_verdicts import Check, check_claim
from mbedu.experiments.margaritis2009_fig1 import DRAWN, READINGS, ROWS, TRUE, level_of
from mbedu.experiments.stats import Interval, f1

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PLACE = "section 6, the paragraph on Figure 2 (left)"
N = 50
NOISES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
THRESHOLDS = (0.01, 0.03)
SHARES = ("precision", "recall")
LEVEL = "1e-3"
ALGORITHMS = ("GS(1)", "GS(3)", "RGS(1)", "RGS(3)", "RELIEVED(0.01)", "RELIEVED(0.03)")


def grid(options: Options) -> list[Params]:
    """List noise levels and data sets."""
    noises = NOISES if options.full else NOISES[::2]
    return [
        {"reading": options.reading, "noise": noise, "data": data} for noise in noises for data in range(20)
    ]


def cell(params: Params, seed: int) -> Params:
    """Run all of them on one data set."""
    from mbedu.citests.discrete import ChiSquare
    from mbedu.experiments.data_generated import near_parity
    from mbedu.running import run
    from mbedu.selectors.relieved import relieved
    from mbedu.selectors.table import Table

    data = near_parity(N, ROWS, noise=params["noise"], reading=params["reading"], seed=seed)
    found: dict[str, tuple[set[str], float]] = {}
    for m in (1, 3):
        level = level_of(LEVEL, N, m)
        exact = run("gs_m", ChiSquare(data, level), "X1", m=m)
        drawn = run("rgs", ChiSquare(data, level), "X1", m=m, k=DRAWN, seed=seed_from(seed, "rgs", m))
        found[f"GS({m})"] = set(exact.boundary), exact.seconds
        found[f"RGS({m})"] = set(drawn.boundary), drawn.seconds
    weighed = run(relieved, Table(data), "X1", tau=min(THRESHOLDS))
    for tau in THRESHOLDS:
        kept = {v for v in weighed.boundary if weighed.answer.scores[v] > tau}
        found[f"RELIEVED({tau})"] = kept, weighed.seconds
    rows = []
    for name in ALGORITHMS:
        members, seconds = found[name]
        right = len(members & set(TRUE))
        rows.append(
            {
                "algorithm": name,
                "f1": f1(members, TRUE),
                "precision": right / len(members) if members else 0.0,
                "recall": right / len(TRUE),
                "size": len(members),
                "seconds": seconds,
            }
        )
    return {"rows": rows}


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the means with intervals."""
    return intervals(cells, ["noise", "algorithm"], ["f1", "precision", "recall", "size"])


def times(frame: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the mean times."""
    return intervals(frame, ["noise", "algorithm"], ["seconds"])


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare with the prose; the figure's own numbers are not in the text."""

    def at(algorithm: str, noise: float, value: str = "f1") -> Interval:
        found = interval_at(table, value, noise=noise, algorithm=algorithm)
        return found if found is not None else Interval(float("nan"), float("nan"), float("nan"), 0)

    noises = sorted(set(table["noise"]))
    low, high = noises[0], noises[-1]
    low_noises = [x for x in noises if x <= 0.2]

    def line(algorithm: str, value: str = "f1") -> str:
        return f"{algorithm} " + ", ".join(
            f"{at(algorithm, x, value).mean:.2f} (noise {x:g})" for x in noises
        )

    best = {x: max(THRESHOLDS, key=lambda tau: at(f"RELIEVED({tau})", x).mean) for x in noises}
    return [
        check_claim(
            "GS(1)",
            "m = 1 (equivalent to the GS algorithm) performs poorly",
            line("GS(1)"),
            holds=all(at("GS(1)", x).high < 0.5 for x in noises),
            place=PLACE,
            note="criterion: the interval of F1 ends below 0.5 at every noise",
        ),
        check_claim(
            "GS(3)",
            "GS(3) recovers the exact blanket even with few (1,000) data points",
            line("GS(3)"),
            holds=all(at("GS(3)", x).high >= 1.0 for x in low_noises),
            partly=all(at("GS(3)", x).low > at("GS(1)", x).high for x in low_noises),
            place=PLACE,
            note="criterion: the interval of F1 reaches 1 at every noise up to 0.2",
        ),
        check_claim(
            "GS(m) and RGS(m, 1000)",
            "(Figure 1) perform comparably, up to their intervals",
            f"{line('GS(3)')}; {line('RGS(3)')}",
            holds=all(at(f"GS({m})", x).overlaps(at(f"RGS({m})", x)) for m in (1, 3) for x in noises),
            place="section 6, the paragraph on Figure 1",
            note="criterion: the intervals overlap at every noise, for m = 1 and 3",
        ),
        check_claim(
            "RELIEVED with little noise",
            "does comparably to GS(3) for little noise and for a large threshold",
            f"noise {low:g}: RELIEVED(0.03) {at('RELIEVED(0.03)', low)}, GS(3) {at('GS(3)', low)}; "
            f"RELIEVED(0.01) {at('RELIEVED(0.01)', low)}",
            holds=at("RELIEVED(0.03)", low).overlaps(at("GS(3)", low)),
            partly=at("RELIEVED(0.03)", low).low > at("RELIEVED(0.01)", low).high,
            place=PLACE,
            note="criterion: the intervals overlap without noise",
        ),
        check_claim(
            "RELIEVED with much noise",
            "appears to deteriorate for more noisy domains",
            f"{line('RELIEVED(0.01)')}; {line('RELIEVED(0.03)')}",
            holds=all(at(f"RELIEVED({t})", high).high < at(f"RELIEVED({t})", low).low for t in THRESHOLDS),
            place=PLACE,
            note=f"criterion: the interval at noise {high:g} lies below that at {low:g}, for both thresholds",
        ),
        check_claim(
            "the threshold of RELIEVED",
            "small τ tend to include irrelevant variables while large τ tend to miss actual members",
            "; ".join(f"{value} of {line(f'RELIEVED({t})', value)}" for value in SHARES for t in THRESHOLDS),
            holds=at("RELIEVED(0.01)", low, "precision").high < at("RELIEVED(0.03)", low, "precision").low
            and at("RELIEVED(0.03)", high, "recall").high < at("RELIEVED(0.01)", high, "recall").low,
            place=PLACE,
            note="criterion: lower precision of 0.01 at the least noise, lower recall of 0.03 at the most",
        ),
        check_claim(
            "the better threshold changes",
            "better performing τ at low noise can become worse in noisy environments",
            "better τ: " + ", ".join(f"{best[x]} (noise {x:g})" for x in noises),
            holds=best[low] != best[high],
            place=PLACE,
        ),
    ]


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw F1 against the noise."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4))
    axes = figure.add_subplot()
    colours = ("#c0392b", "#1f6f8b", "#c0392b", "#1f6f8b", "#7d3c98", "#229954")
    for name, colour in zip(ALGORITHMS, colours, strict=True):
        rows: Any = select(table, algorithm=name).sort_values("noise")
        spread = [rows["f1"] - rows["f1_low"], rows["f1_high"] - rows["f1"]]
        line = "--" if name.startswith("RGS") else ":" if name.startswith("REL") else "-"
        axes.errorbar(
            rows["noise"], rows["f1"], spread, fmt=line, color=colour, capsize=2, label=name, lw=1.2
        )
    axes.set_xlabel("noise")
    axes.set_ylabel("F1")
    axes.set_title(f"50 variables, 1,000 rows, reading {options.reading}, α = {LEVEL}", fontsize=10)
    legend_beside(axes)
    return figure


EXPERIMENTS = (
    Experiment(
        name="margaritis2009-fig2-left",
        title="F1 of GS(m), RGS(m, 1000) and RELIEVED as noise grows",
        place="Figure 2 (left) and " + PLACE,
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        times=times,
        readings=READINGS,
        caveats=(
            "The figure's numbers are not in the text; its prose is checked.",
            "χ² at level 1e-3, adjusted df. RELIEVED is RELIEF over all instances and their nearest.",
        ),
    ),
)
