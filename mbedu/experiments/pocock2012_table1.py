"""Table 1 of pocock2012: wins, draws and losses of IAMB-IP against IAMB on Hailfinder, by size and prior."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework import Experiment, Options, Params
from mbedu.experiments.framework_plots import legend_beside
from mbedu.experiments.framework_verdicts import Check, check_claim, check_ranking, is_inside
from mbedu.experiments.pocock2012_protocol import KINDS, PRIORS, READINGS, cell
from mbedu.experiments.stats import Interval, mean_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "LARGE", "PRINTED", "SMALL"]

PLACE = "Table 1 (Win/Draw/Loss results on Hailfinder)"
RESULTS = ("win", "draw", "loss")
SMALL = tuple(range(10, 101, 10))
LARGE = tuple(range(200, 1001, 100))
PRINTED: dict[int | str, tuple[str, str, str, str]] = {  # in the order of KINDS
    10: ("16/14/0", "15/15/0", "15/12/3", "15/14/1"),
    20: ("13/17/0", "13/17/0", "12/15/3", "12/17/1"),
    30: ("12/18/0", "12/18/0", "11/15/4", "11/18/1"),
    40: ("10/19/0", "11/19/0", "10/16/3", "10/19/1"),
    50: ("14/16/0", "14/16/0", "12/14/4", "12/16/1"),
    60: ("12/18/0", "12/18/0", "11/14/5", "11/17/1"),
    70: ("10/20/0", "10/20/0", "9/16/5", "9/20/1"),
    80: ("11/19/0", "10/20/0", "10/16/4", "10/19/1"),
    90: ("12/17/0", "12/18/0", "11/15/4", "12/17/1"),
    100: ("15/15/0", "15/14/1", "13/12/5", "14/14/1"),
    "mean of 10 to 100": ("12/17/0", "12/18/0", "11/14/4", "12/17/1"),
    200: ("6/4/0", "6/4/0", "5/4/2", "5/4/1"),
    300: ("6/4/0", "6/4/0", "5/4/2", "6/4/1"),
    400: ("6/4/0", "6/4/0", "5/4/2", "5/4/1"),
    500: ("6/4/0", "5/4/0", "4/4/2", "5/4/1"),
    600: ("6/4/0", "5/5/0", "4/4/2", "4/4/1"),
    700: ("5/5/0", "5/5/0", "4/4/2", "4/5/1"),
    800: ("4/6/0", "4/6/0", "4/4/2", "4/5/1"),
    900: ("4/6/0", "3/6/0", "3/5/2", "4/6/0"),
    1000: ("4/6/0", "3/6/0", "3/6/2", "3/6/0"),
    "mean of 200 to 1000": ("5/5/0", "5/5/0", "4/4/2", "4/5/1"),
}


def trials(size: int, options: Options) -> int:
    """Return how many data sets of a size: 30 small or 10 large ones as printed, 6 in a quick run."""
    return (30 if size <= 100 else 10) if options.full else 6


def grid(options: Options) -> list[Params]:
    """List sizes and trials."""
    return [
        {"network": "hailfinder", "size": size, "trial": trial, "unit": options.reading, "priors": PRIORS}
        for size in (*SMALL, *LARGE)
        for trial in range(trials(size, options))
    ]


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return wins, draws and losses, as numbers out of 30 (small) or 10 (large) like the paper's."""
    import pandas as pd

    rows = []
    for group, sizes in (("mean of 10 to 100", SMALL), ("mean of 200 to 1000", LARGE)):
        part = cells[cells["size"].isin(sizes)]
        rows += [_row(part, size, kind) for size in sizes for kind in KINDS if (part["size"] == size).any()]
        rows += [_row(part, group, kind) for kind in KINDS if len(part)]
    return pd.DataFrame(rows)


def _row(cells: pd.DataFrame, size: int | str, kind: str) -> dict[str, Any]:
    part = cells[cells["prior"] == kind]
    if not isinstance(size, str):
        part = part[part["size"] == size]
    out_of = 30 if int(cells["size"].max()) <= 100 else 10
    row: dict[str, Any] = {"size": str(size), "prior": kind}
    found = {}
    for result in RESULTS:
        share = out_of * part[result] / part["targets"]
        found[result] = mean_interval(share.groupby(part["trial"]).mean())  # a trial is one repetition of all
        row |= {
            result: found[result].mean,
            f"{result}_low": found[result].low,
            f"{result}_high": found[result].high,
        }
    check = _check(size, kind, found)
    return {
        **row,
        "repeats": found["win"].n,
        "printed": PRINTED[size][KINDS.index(kind)],
        "verdict": check.verdict,
    }


def _check(size: int | str, kind: str, found: dict[str, Interval]) -> Check:
    numbers = [float(v) for v in PRINTED[size][KINDS.index(kind)].split("/")]
    printed = dict(zip(RESULTS, numbers, strict=True))
    return check_ranking(f"{kind}, {size} rows", printed, found, rounding=0.5, place=PLACE)


def _found(row: Any) -> dict[str, Interval]:
    return {r: Interval(row[r], row[f"{r}_low"], row[f"{r}_high"], int(row["repeats"])) for r in RESULTS}


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare the means of the table's two halves, and count the single numbers that are inside."""
    means = table[table["size"].str.startswith("mean")]
    made = [_check(row["size"], row["prior"], _found(row)) for _, row in means.iterrows()]
    inside = total = 0
    reach: list[float] = []
    for _, row in table[~table["size"].str.startswith("mean")].iterrows():
        for value, ours in zip(row["printed"].split("/"), _found(row).values(), strict=True):
            inside += is_inside(float(value), ours, 0.5)
            total += 1
            reach.append((ours.high - ours.low) / 2 / (30 if int(row["size"]) <= 100 else 10))
    made.append(
        check_claim(
            "all single numbers",
            f"{total} numbers (wins, draws, losses by size and prior)",
            f"{inside} of {total} inside our 95 % intervals, which reach {100 * median(reach):.1f} points to "
            "either side (the median)",
            holds=inside >= 0.9 * total,
            partly=bool((table["verdict"] != "not reproduced").all()),
            place=PLACE,
            note="criterion: nine tenths; a twentieth would be outside by chance. The rows are in the table",
        )
    )
    return [*made, _false_negatives(means)]


def _false_negatives(means: pd.DataFrame) -> Check:
    small = means[means["size"] == "mean of 10 to 100"].set_index("prior")
    losses = {kind: _found(small.loc[kind])["loss"] for kind in ("TPFN", "TPFP")}
    return check_claim(
        "false negatives against false positives",
        "more sensitive to false negatives than false positives, especially with small amounts of data",
        "losses of 30, small sizes: " + "; ".join(f"{kind} {i}" for kind, i in losses.items()),
        holds=losses["TPFN"].low > losses["TPFP"].high,
        place="section 5, the paragraph on Table 1",
        note="criterion: the intervals are apart",
    )


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw the shares of wins by size, ours with intervals and the printed ones as crosses."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6))
    single = table[~table["size"].str.startswith("mean")]
    for place, kind in enumerate(KINDS):
        axes = figure.add_subplot(2, 2, place + 1)
        rows = single[single["prior"] == kind].reset_index(drop=True)
        out_of = [30 if int(s) <= 100 else 10 for s in rows["size"]]
        at = list(range(len(rows)))
        for index, (result, colour) in enumerate(
            zip(RESULTS, ("#229954", "#888888", "#c0392b"), strict=True)
        ):
            mean = rows[result] / out_of
            spread = [mean - rows[f"{result}_low"] / out_of, rows[f"{result}_high"] / out_of - mean]
            axes.errorbar(at, mean, spread, fmt="-", color=colour, capsize=2, lw=1.1, label=result)
            printed = [float(p.split("/")[index]) / n for p, n in zip(rows["printed"], out_of, strict=True)]
            axes.plot(at, printed, "x", color=colour, ms=5)
        axes.set_xticks(at, list(rows["size"]), fontsize=7, rotation=60)
        axes.set_ylim(-0.05, 1)
        axes.set_xlabel("rows", fontsize=8)
        axes.set_ylabel("share of trials", fontsize=8)
        axes.set_title(f"{kind} (crosses: printed)", fontsize=9)
    legend_beside(figure.axes[1])
    figure.subplots_adjust(hspace=0.5)
    return figure


def cost(params: Params) -> float:
    """Guess a cell's time."""
    return float(params["size"])


EXPERIMENTS = (
    Experiment(
        name="pocock2012-table1",
        title="IAMB-IP against IAMB on Hailfinder: wins, draws, losses",
        place=PLACE,
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        readings=READINGS,
        seeded_by=("network", "size", "trial"),
        cost=cost,
        revision=2,
        caveats=(
            "A number is a mean over the valid targets, out of 30 trials (small) or 10 (large), as printed.",
            "Intervals are over repetitions of the whole table with new data; a quick run has 6 of them.",
        ),
    ),
)
