"""Table 6 of hassan2021: how many features each method selects from all rows."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbedu.experiments.data import DataFolder
from mbedu.experiments.framework import Experiment, Options, Params
from mbedu.experiments.framework_tables import interval_at, select
from mbedu.experiments.framework_verdicts import Check, check_claim, check_ranking
from mbedu.experiments.hassan2021_classification import QUICK_B, TABLE_2, drawn, left_out
from mbedu.experiments.hassan2021_methods import (
    NAMES,
    REFERENCE,
    choose_features,
    failure,
    load,
    reference_installed,
)
from mbedu.experiments.hassan2021_regression import PRINTED as TABLE_5
from mbedu.experiments.stats import prediction_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PLACE = "Table 6"
METHODS = ("PIFS", "SFS", "MMB", "PPFS")
PRINTED: dict[str, tuple[int, ...]] = {
    "Statlog": (10, 8, 8, 3),
    "Iono": (27, 23, 12, 14),
    "Sonar": (32, 24, 9, 7),
    "WDBC": (22, 13, 7, 9),
    "Credit": (8, 7, 4, 2),
    "Ecoli": (6, 6, 6, 6),
    "Desharnais": (10, 10, 2, 4),
    "Maxwell": (9, 6, 4, 3),
}
AVERAGE = (15.5, 12.1, 6.4, 6.0)
SETTINGS = {data: (B, K) for data, (_, B, K) in {**TABLE_2, **TABLE_5}.items()}


def grid(options: Options) -> list[Params]:
    """List data sets, methods and repetitions; the quick protocol has B ≤ 10 and K = 0."""
    cells: list[Params] = []
    for data in PRINTED:
        if not options.data.has(NAMES[data]):
            continue
        B, K = SETTINGS[data]
        size = {"B": B, "K": K, "inner": 5} if options.full else {"B": min(B, QUICK_B), "K": 0, "inner": 3}
        for method in (*METHODS, *([REFERENCE] if reference_installed() else [])):
            if not options.full and left_out(method, data):
                continue
            repeats = 1 if method == "MMB" else options.choose(5, 10)  # nothing in it is random
            cells += [{"data": data, "method": method, **size, "repeat": r} for r in range(repeats)]
    return cells


def cell(params: Params, seed: int, folder: DataFolder) -> Params:
    """Select from all rows of one data set."""
    X, y = load(params["data"], folder)
    keys = ("B", "K", "inner")
    try:
        found = choose_features(
            params["method"], X, y, model="cart", seed=seed % 2**31, **{k: params[k] for k in keys}
        )
    except Exception as error:
        if params["method"] != REFERENCE:  # only what is not ours may fail
            raise
        return {"features": None, "failed": failure(error)}
    return {"features": len(found), "failed": ""}


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the sizes, with the interval of one more repetition, beside what is printed."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for (data, method), group in cells.groupby(["data", "method"], sort=False):
        good = group["features"].dropna()
        listed = dict(zip(METHODS, PRINTED[str(data)], strict=True))
        row = {"data": data, "method": method, "printed": listed.get(str(method)), "repeats": len(good)}
        if len(good):
            found = prediction_interval(good)
            row |= {"ours": found.mean, "ours_low": found.low, "ours_high": found.high}
        failed = [f for f in group["failed"] if f]
        rows.append(
            {**row, "B": group.iloc[0]["B"], "K": group.iloc[0]["K"], "failed": "; ".join(failed[:1])}
        )
    return pd.DataFrame(rows)


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare each row of the table, and the sentence about the average."""
    found = []
    for data, values in PRINTED.items():
        ours = {
            m: interval
            for m in METHODS
            if (interval := interval_at(table, "ours", data=data, method=m)) is not None
        }
        B, K = SETTINGS[data]
        note = ""
        if ours:
            used = select(table, data=data, method="PPFS").iloc[0]
            theirs = interval_at(table, "ours", data=data, method=REFERENCE)
            note = f"B = {used['B']}, K = {used['K']}; printed with {B}, {K} (Tables 2 and 5)"
            note += f"; {REFERENCE} {theirs}" if theirs is not None and theirs.n else ""
        printed = dict(zip(METHODS, map(float, values), strict=True))
        found.append(check_ranking(f"features, {data}", printed, ours, rounding=0.5, place=PLACE, note=note))
    return [*found, _least(table)]


def _least(table: pd.DataFrame) -> Check:
    """Check that PPFS selects fewest on average, over the data sets on which the methods were run."""
    told, less = [], []
    mine = select(table, method="PPFS").set_index("data")["ours"]
    for method, printed in zip(METHODS[:-1], AVERAGE[:-1], strict=True):
        other = select(table, method=method).set_index("data")["ours"]
        both = [d for d in mine.index if d in other.index]
        if both:
            a, b = float(mine[both].mean()), float(other[both].mean())
            less.append(a < b)
            told.append(
                f"PPFS {a:.1f} against {method} {b:.1f} on {len(both)} data sets (printed: {printed})"
            )
    return check_claim(
        "the average number of features",
        "PPFS outperforms Mixed-MB and other methods by selecting the least number: 6 on average",
        "; ".join(told),
        holds=all(less) if less else None,
        partly=any(less),
        place=PLACE,
        note="pairwise, over the data sets on which both were run",
    )


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw ours with intervals and the printed numbers as crosses."""
    return drawn(table, "features selected from all rows", "features", METHODS)


EXPERIMENTS = (
    Experiment(
        name="hassan2021-table6",
        title="how many features each method selects",
        place=PLACE,
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        readings={
            "cart": "PIFS and SFS are wrapped around a decision tree (an SVM where a number is predicted)"
        },
        cost=lambda params: {"SFS": 9.0, "MMB": 3.0, REFERENCE: 9.0}.get(params["method"], 1.0),
        needs=tuple(NAMES[d] for d in PRINTED),
        caveats=(
            "The paper does not say from which rows; here from all. B and K are those of Tables 2 and 5.",
            "The quick protocol has B ≤ 10 and K = 0; SFS and the authors' package where features are few.",
        ),
    ),
)
