"""Table 5 of hassan2021: the error of support vector regression on the selected features."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mbedu.experiments.data import DataFolder
from mbedu.experiments.framework import Experiment, Options, Params
from mbedu.experiments.framework_tables import select
from mbedu.experiments.framework_verdicts import Check, check_claim
from mbedu.experiments.hassan2021_classification import (
    METHODS,
    QUICK_B,
    drawn,
    reference_check,
    row_checks,
    summarised,
)
from mbedu.experiments.hassan2021_methods import NAMES, REFERENCE, fold_scores, load, reference_installed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "PRINTED"]

PLACE = "Table 5"
FOLDS = 5
PRINTED: dict[str, tuple[tuple[float, ...], int, int]] = {
    "Desharnais": ((3917, 3877, 3811, 3830, 2732), 50, 5),
    "Maxwell": ((7624, 6702, 6555, 6301, 5387), 35, 5),
}
READINGS = {
    "root": "the printed “mean squared error” is its root: an error of the size of the target itself",
    "square": "the printed number is the mean squared error, as the caption says",
    "scaled": "its root, and the regression is fitted to the standardised target",
}


def grid(options: Options) -> list[Params]:
    """List data sets, methods and repetitions; the quick protocol has B ≤ 10 and K = 0."""
    cells: list[Params] = []
    for data, (_, B, K) in PRINTED.items():
        if not options.data.has(NAMES[data]):
            continue
        size = {"B": B, "K": K} if options.full else {"B": min(B, QUICK_B), "K": 0}
        for method in (*METHODS, *([REFERENCE] if reference_installed() else [])):
            cells += [
                {"reading": options.reading, "data": data, "method": method, **size, "repeat": r}
                for r in range(10 if method == "All" else options.choose(5, 10))
            ]
    return cells


def cell(params: Params, seed: int, folder: DataFolder) -> Params:
    """Cross-validate one method on one data set."""
    X, y = load(params["data"], folder)
    found = fold_scores(
        X, y, params["method"], reading="inside", model="svm", B=params["B"], K=params["K"], folds=FOLDS,
        seed=seed, inner=3, scaled=params["reading"] == "scaled",
    )  # fmt: skip
    for row in found:
        if params["reading"] != "square" and row["score"] is not None:
            row["score"] = math.sqrt(row["score"])
    return {"rows": found}


def summarise(cells: pd.DataFrame, options: Options) -> Any:
    """Return the mean errors beside what is printed."""
    return summarised(cells, options, PRINTED, METHODS, FOLDS)


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare each row of the table, and the sentence about it."""
    found: list[Check] = []
    best: dict[str, str] = {}
    for data, (values, B, K) in PRINTED.items():
        rows = select(table, data=data) if len(table) else table
        note = ""
        if len(rows):
            ours = {m: float(select(rows, method=m)["ours"].iloc[0]) for m in METHODS}
            best[data] = min(METHODS, key=ours.__getitem__)
            used = select(rows, method="PPFS").iloc[0]
            note = f"B = {used['B']}, K = {used['K']}; printed with {B}, {K}"
        printed = dict(zip(METHODS, values, strict=True))
        found += row_checks(table, data, printed, what="error", rounding=0.5, place=PLACE, note=note)
    return [
        *found,
        check_claim(
            "PPFS has the smallest error",
            "PPFS once again is the best performer, while Mixed-MB seems to be the best baseline",
            "; ".join(f"{d}: {m} has" for d, m in best.items()) or "no data",
            holds=None if not best else set(best.values()) == {"PPFS"},
            place=PLACE,
            note="criterion: the smallest mean on both",
        ),
        reference_check(table, "error"),
    ]


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw ours with intervals and the printed numbers as crosses."""
    return drawn(table, "error of support vector regression", "error", METHODS)


EXPERIMENTS = (
    Experiment(
        name="hassan2021-table5",
        title="the error of support vector regression on the selected features",
        place=PLACE,
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        readings=READINGS,
        seeded_by=("data", "repeat"),
        needs=tuple(NAMES[d] for d in PRINTED),
        caveats=(
            "The targets' standard deviations are 4,419 and 10,500: the printed numbers can only be roots.",
            "The regression (rbf, C = 1) works on standardised features and on the target as it is.",
            "So it hardly differs from predicting the median; the reading “scaled” cures that.",
            "Five cross-validations or more; the interval is that of one more.",
            "PIFS and SFS for numbers are written here after the paper's words.",
        ),
    ),
)
