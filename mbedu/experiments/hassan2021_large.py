"""Tables 4 and 7 of hassan2021: the prediction error of an SVM, and the number of features, on wide data."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbedu.experiments.data import DataFolder
from mbedu.experiments.framework import Experiment, Options, Params, seed_from
from mbedu.experiments.framework_tables import interval_at, select
from mbedu.experiments.framework_verdicts import Check, check_claim, check_number
from mbedu.experiments.hassan2021_classification import drawn, row_checks, summarised
from mbedu.experiments.hassan2021_methods import NAMES, READINGS, choose_features, fold_scores, load
from mbedu.experiments.stats import prediction_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

FOLDS = 10  # "for SGAI, 10-fold cross validation is used with SVM classifier"
METHODS = ("All", "PIFS", "SFS", "SGAI", "PPFS")
TABLE_4: dict[str, tuple[tuple[float, ...], int, int]] = {
    "Arcene": ((0.180, 0.172, 0.170, 0.190, 0.153), 10, 5),
    "Dexter": ((0.170, 0.149, 0.111, 0.107, 0.088), 5, 0),
    "Dorothea": ((0.091, 0.085, 0.773, 0.060, 0.043), 5, 0),
    "Madelon": ((0.351, 0.217, 0.191, 0.189, 0.131), 5, 0),
}
TABLE_7 = {
    "Arcene": (10000, 902, 459, 304),
    "Dexter": (20000, 2100, 437, 384),
    "Dorothea": (100000, 10500, 5103, 2001),
    "Madelon": (500, 210, 85, 12),
}
QUICK_COLUMNS = 200
TRIED = ("All", "PPFS")
EVERY = "All, every column"  # beside the 200 columns of the quick protocol
WHY_NOT = "PIFS and SFS take days on so many columns; SGAI is not described"


def columns(params: Params, seed: int, folder: DataFolder) -> tuple[Any, Any]:
    """Return the data set, with only so many random columns where the parameters say so."""
    import numpy as np

    X, y = load(params["data"], folder)
    if params["columns"] and params["columns"] < X.shape[1]:
        drawn = np.random.default_rng(seed_from(seed, "columns")).permutation(X.shape[1])
        X = X.iloc[:, np.sort(drawn[: params["columns"]])]
    return X, y


def grid_4(options: Options) -> list[Params]:
    """List data sets and methods.

    The quick protocol has MADELON as printed; elsewhere 200 random columns, 5 folds and no K, and all
    features, without selection, as printed where that takes seconds.
    """
    cells: list[Params] = []
    for data, (_, B, K) in TABLE_4.items():
        if not options.data.has(NAMES[data]):
            continue
        whole = {"reading": options.reading, "data": data, "B": B, "K": K, "columns": 0, "folds": FOLDS}
        quick = {**whole, "B": 5, "K": 0, "columns": QUICK_COLUMNS, "folds": 5}
        chosen = whole if is_whole(data, options) else quick
        cells += [{**chosen, "method": method, "repeat": 0} for method in TRIED]
        if not is_whole(data, options) and data != "Dorothea":
            cells.append({**whole, "method": EVERY, "repeat": 1})
    return cells


def is_whole(data: str, options: Options) -> bool:
    """Say whether a data set is taken with all its columns, as printed."""
    return options.full or data == "Madelon"


def cell_4(params: Params, seed: int, folder: DataFolder) -> Params:
    """Cross-validate one method on one data set; the score is the prediction error."""
    X, y = columns(params, seed, folder)
    raw = params["reading"] == "raw"
    found = fold_scores(
        X,
        y,
        "All" if params["method"] == EVERY else params["method"],
        reading="inside" if raw else params["reading"],
        model="raw svm" if raw else "svm",
        seed=seed,
        **{k: params[k] for k in ("B", "K", "folds")},
    )
    for row in found:
        row["score"] = 1.0 - row["score"]
    return {"rows": found}


def summarise_4(cells: pd.DataFrame, options: Options) -> Any:
    """Return the mean errors beside what is printed."""
    table = summarised(cells, options, TABLE_4, METHODS, FOLDS)
    every = table["method"] == EVERY
    table.loc[every, "printed"] = [TABLE_4[d][0][0] for d in table.loc[every, "data"]]
    return table


def checks_4(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare each row of the table; what was subsampled is only shown."""
    found: list[Check] = []
    for data, (values, _, _) in TABLE_4.items():
        printed = dict(zip(METHODS, values, strict=True))
        made = row_checks(table, data, printed, what="error", rounding=0.0005, place="Table 4", note=WHY_NOT)
        if is_whole(data, options) or not len(select(table, data=data)):
            found += made
            continue
        note = f"on {QUICK_COLUMNS} random columns: not comparable; --full has them all"
        every = interval_at(table, "ours", data=data, method=EVERY)
        if every is not None:
            found.append(check_number(made[0].what, printed["All"], every, rounding=0.0005, place="Table 4"))
            made = made[1:]
        found += [check_claim(c.what, c.printed, c.ours, holds=None, place=c.place, note=note) for c in made]
    return found


def plot_4(table: pd.DataFrame, options: Options) -> Figure:
    """Draw ours with intervals and the printed numbers as crosses."""
    how = "" if options.full else f"; {QUICK_COLUMNS} random columns but for MADELON and where said"
    return drawn(table, f"prediction error of an SVM{how}", "error", (*METHODS, EVERY))


# --- Table 7 ---------------------------------------------------------------------------------------------


def grid_7(options: Options) -> list[Params]:
    """List data sets and repetitions; the quick protocol has all columns of Madelon only, and no K."""
    return [
        {
            "data": data,
            "B": min(B, options.choose(5, B)),
            "K": options.choose(0, K),
            "columns": 0 if is_whole(data, options) else QUICK_COLUMNS,
            "repeat": r,
        }
        for data, (_, B, K) in TABLE_4.items()
        if options.data.has(NAMES[data])
        for r in range(5 if is_whole(data, options) else 1)
    ]


def cell_7(params: Params, seed: int, folder: DataFolder) -> Params:
    """Select from all rows of one data set with PPFS."""
    X, y = columns(params, seed, folder)
    found = choose_features("PPFS", X, y, model="cart", B=params["B"], K=params["K"], seed=seed % 2**31)
    return {"features": len(found), "of": X.shape[1]}


def summarise_7(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the sizes, with the interval of one more repetition, beside what is printed."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for data, group in cells.groupby("data", sort=False):
        found = prediction_interval(group["features"])
        rows.append(
            {"data": data, "method": "PPFS", "printed": TABLE_7[str(data)][-1], "ours": found.mean,
             "ours_low": found.low, "ours_high": found.high, "repeats": found.n,
             "of columns": int(group["of"].max())}
        )  # fmt: skip
    return pd.DataFrame(rows)


def checks_7(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare the sizes where all columns were looked at."""
    found = []
    for data, (total, *others) in TABLE_7.items():
        interval = interval_at(table, "ours", data=data) if len(table) else None
        of = int(select(table, data=data).iloc[0]["of columns"]) if interval is not None else 0
        what = f"features of PPFS, {data}"
        if interval is not None and of > QUICK_COLUMNS:
            note = f"of {of}; printed for PIFS {others[0]}, SFS {others[1]}. {WHY_NOT}"
            found.append(check_number(what, others[-1], interval, rounding=0.5, place="Table 7", note=note))
            continue
        shown = f"{interval} of {of}" if interval is not None else ""
        note = f"{of} random columns only: not comparable; --full has them all. " if of else ""
        printed = f"{others[-1]} of {total} (PIFS {others[0]}, SFS {others[1]})"
        found.append(check_claim(what, printed, shown, holds=None, place="Table 7", note=note + WHY_NOT))
    return found


EXPERIMENTS = (
    Experiment(
        name="hassan2021-table4",
        title="prediction error of an SVM on the selected features of wide data",
        place="Table 4",
        grid=grid_4,
        cell=cell_4,
        summarise=summarise_4,
        checks=checks_4,
        plot=plot_4,
        readings={**READINGS, "raw": "as inside, but the SVM gets the columns as they are, not standardised"},
        seeded_by=("data", "repeat"),
        cost=lambda params: (2.0 if params["method"] == "PPFS" else 1.0) + 5.0 * (params["columns"] == 0),
        needs=tuple(NAMES[d] for d in TABLE_4),
        caveats=(
            "SGAI is described in two sentences, which is not enough to write it down.",
            "The quick protocol has MADELON as printed; --full has the others too, and takes hours.",
            "Otherwise the quick one selects from 200 random columns, which is not comparable.",
            "DOROTHEA without its 11,881 columns that are zero throughout.",
        ),
    ),
    Experiment(
        name="hassan2021-table7",
        title="how many features PPFS selects from wide data",
        place="Table 7",
        grid=grid_7,
        cell=cell_7,
        summarise=summarise_7,
        checks=checks_7,
        cost=lambda params: 5.0 if params["data"] == "Madelon" else 1.0,
        needs=tuple(NAMES[d] for d in TABLE_4),
        caveats=(
            "The quick protocol looks at all columns of MADELON only, and at 200 random ones elsewhere.",
            "PIFS and SFS take days on so many columns and are not run.",
        ),
    ),
)
