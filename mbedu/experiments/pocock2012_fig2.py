"""Figure 2 of pocock2012: wins, draws and losses on four networks, correct and misspecified priors."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework import Experiment, Options, Params
from mbedu.experiments.framework_plots import legend_beside
from mbedu.experiments.framework_tables import interval_at
from mbedu.experiments.framework_verdicts import Check, check_claim
from mbedu.experiments.pocock2012_protocol import NETWORKS, PRIORS, READINGS, cell
from mbedu.experiments.pocock2012_table1 import LARGE, RESULTS, SMALL
from mbedu.experiments.stats import Interval, mean_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PLACE = "section 5 (Empirical Evaluation) and Figure 2"
GROUPS = {"small": SMALL, "large": LARGE}
PRIOR_GROUPS = {"correct": ("2TP", "TPTN"), "misspecified": ("TPFN", "TPFP")}
ALL = "all four"


def grid(options: Options) -> list[Params]:
    """List networks, sizes and trials."""
    sizes = (*SMALL, *LARGE) if options.full else (10, 50, 100, 200, 600, 1000)
    return [
        {"network": network, "size": size, "trial": trial, "unit": options.reading, "priors": PRIORS}
        for network in NETWORKS
        for size in sizes
        for trial in range((30 if size <= 100 else 10) if options.full else 4)
    ]


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the shares of wins, draws and losses by sizes and priors, for each network and all."""
    import pandas as pd

    rows = []
    for group, sizes in GROUPS.items():
        for kind, priors in PRIOR_GROUPS.items():
            part = cells[cells["size"].isin(sizes) & cells["prior"].isin(priors)]
            for network in (*NETWORKS, ALL):
                chosen = part if network == ALL else part[part["network"] == network]
                if len(chosen):
                    rows.append({"network": network, "sizes": group, "priors": kind, **_shares(chosen)})
    for prior in (p for priors in PRIOR_GROUPS.values() for p in priors):
        for group, sizes in GROUPS.items():
            part = cells[cells["size"].isin(sizes) & (cells["prior"] == prior)]
            if len(part):
                rows.append({"network": ALL, "sizes": group, "priors": prior, **_shares(part)})
    return pd.DataFrame(rows)


def _shares(part: pd.DataFrame) -> dict[str, Any]:
    """Return the mean shares with intervals over trials; each network counts the same in a trial's mean."""
    row: dict[str, Any] = {}
    shares = part[["trial", "network"]].copy()
    for result in RESULTS:
        shares[result] = part[result] / part["targets"]
    shares["kept"] = shares["win"] + shares["draw"]
    shares["f"] = part["f"]
    shares["iamb"] = part["iamb"]
    means = shares.groupby(["trial", "network"]).mean().groupby("trial").mean()
    for value in (*RESULTS, "kept", "f", "iamb"):
        found = mean_interval(means[value])
        row |= {value: found.mean, f"{value}_low": found.low, f"{value}_high": found.high}
    return {**row, "repeats": len(means)}


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare with the prose; the bars' heights are not in the text."""

    def at(value: str, sizes: str, priors: str) -> Interval:
        found = interval_at(table, value, network=ALL, sizes=sizes, priors=priors)
        return found if found is not None else Interval(float("nan"), float("nan"), float("nan"), 0)

    kept = {(s, p): at("kept", s, p) for s in GROUPS for p in PRIOR_GROUPS}
    flawed = [kept[s, "misspecified"] for s in GROUPS]
    average = sum(i.mean for i in flawed) / 2
    low, high = (sum(getattr(i, end) for i in flawed) / 2 for end in ("low", "high"))
    wins = {(s, p): at("win", s, p) for s in GROUPS for p in PRIOR_GROUPS}
    losses = {(s, p): at("loss", s, p) for s in GROUPS for p in (*PRIOR_GROUPS, "TPFN", "TPFP")}
    return [
        check_claim(
            "correct priors",
            "better than IAMB or equivalent to it in the vast majority of cases",
            "; ".join(f"{s} sizes: {kept[s, 'correct']}" for s in GROUPS),
            holds=all(kept[s, "correct"].low > 0.9 for s in GROUPS),
            place=PLACE,
            note="criterion: the interval of wins and draws lies above 0.9",
        ),
        check_claim(
            "misspecified priors",
            "equivalently or better than IAMB in four-fifths of the repeats, on average (0.8)",
            f"{average:.3f} [{low:.3f}, {high:.3f}]; "
            + "; ".join(f"{s} sizes: {kept[s, 'misspecified']}" for s in GROUPS),
            holds=low - 0.05 <= 0.8 <= high + 0.05,
            partly=average >= 0.7,
            place=PLACE,
            note="criterion: four fifths, to the nearest tenth, lies in the interval; in direction: 0.7 up",
        ),
        check_claim(
            "more wins than losses",
            "improves performance in many cases, even when half the prior knowledge given is incorrect",
            "; ".join(
                f"{s}, {p}: wins {wins[s, p].mean:.2f}, losses {losses[s, p].mean:.2f}"
                for s in GROUPS
                for p in PRIOR_GROUPS
            ),
            holds=all(wins[key].low > losses[key].high for key in wins),
            place=PLACE,
            note="criterion: the interval of wins lies above that of losses in all four columns",
        ),
        check_claim(
            "correct against misspecified",
            "(Figure 2) misspecified priors lose more often",
            "; ".join(f"{s}: {losses[s, 'correct']} against {losses[s, 'misspecified']}" for s in GROUPS),
            holds=all(losses[s, "misspecified"].low > losses[s, "correct"].high for s in GROUPS),
            place="Figure 2",
        ),
        check_claim(
            "false negatives against false positives",
            "more sensitive to false negatives than false positives, especially with small amounts of data",
            "; ".join(f"{s}: losses TPFN {losses[s, 'TPFN']}, TPFP {losses[s, 'TPFP']}" for s in GROUPS),
            holds=losses["small", "TPFN"].low > losses["small", "TPFP"].high,
            partly=losses["small", "TPFN"].mean > losses["small", "TPFP"].mean,
            place=PLACE,
        ),
    ]


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw the stacked bars of Figure 2."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4))
    axes = figure.add_subplot()
    bars = [(s, p) for p in PRIOR_GROUPS for s in GROUPS]
    for x, (sizes, priors) in enumerate(bars):
        bottom = 0.0
        for result, colour in (("loss", "#c0392b"), ("draw", "#cccccc"), ("win", "#229954")):
            found = interval_at(table, result, network=ALL, sizes=sizes, priors=priors)
            height = 0.0 if found is None else found.mean
            axes.bar(x, height, bottom=bottom, color=colour, width=0.6, label=result if x == 0 else None)
            bottom += height
            if result != "win" and found is not None:
                ends = [max(0.0, height - found.low), max(0.0, found.high - height)]
                axes.errorbar(x, bottom, [[e] for e in ends], color="black", capsize=3, lw=1)
    axes.set_xticks(range(len(bars)), [f"{s}, {p}" for s, p in bars], fontsize=8)
    axes.set_ylabel("fraction")
    axes.set_title(f"four networks, {options.reading}", fontsize=10)
    axes.set_xlabel("sizes of the data sets, kind of prior")
    legend_beside(axes)
    return figure


def cost(params: Params) -> float:
    """Guess a cell's time."""
    return float(params["size"]) + (500 if params["network"] in ("barley", "hailfinder") else 0)


EXPERIMENTS = (
    Experiment(
        name="pocock2012-fig2",
        title="IAMB-IP against IAMB on four networks: wins, draws, losses",
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
            "The bars' heights are not in the text; its prose is checked.",
            "Intervals are over repetitions with new data; a quick run has 4, of six sizes.",
        ),
    ),
)
