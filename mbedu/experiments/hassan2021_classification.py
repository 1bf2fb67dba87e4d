"""Tables 2 and 3 of hassan2021: accuracy of a decision tree and of an SVM on the selected features."""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mbedu.experiments.data import DataFolder
from mbedu.experiments.framework import Experiment, Options, Params
from mbedu.experiments.framework_plots import legend_beside
from mbedu.experiments.framework_tables import interval_at, select
from mbedu.experiments.framework_verdicts import Check, check_claim, check_number, check_ranking
from mbedu.experiments.hassan2021_methods import (
    NAMES,
    READINGS,
    REFERENCE,
    cv_interval,
    fold_scores,
    load,
    reference_installed,
    reference_note,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = [
    "EXPERIMENTS", "METHODS", "QUICK_B", "TABLE_2", "drawn", "left_out", "reference_check",
    "row_checks", "summarised",
]  # fmt: skip

FOLDS = 5  # "5-fold cross validation is used with both decision tree and SVM classifiers"
METHODS = ("All", "PIFS", "SFS", "MMB", "PPFS")
Printed = dict[str, tuple[tuple[float, ...], int, int]]
"""Data set → what is printed for `METHODS`, then B and K."""
TABLE_2: Printed = {
    "Statlog": ((0.711, 0.739, 0.742, 0.773, 0.837), 30, 5),
    "Iono": ((0.880, 0.884, 0.897, 0.884, 0.923), 10, 0),
    "Sonar": ((0.716, 0.751, 0.754, 0.807, 0.784), 10, 5),
    "WDBC": ((0.933, 0.922, 0.937, 0.928, 0.949), 50, 0),
    "Credit": ((0.831, 0.842, 0.849, 0.846, 0.864), 50, 0),
    "Ecoli": ((0.807, 0.805, 0.816, 0.813, 0.822), 10, 0),
}
TABLE_3: Printed = {
    "Statlog": ((0.833, 0.839, 0.840, 0.848, 0.844), 30, 5),
    "Iono": ((0.940, 0.940, 0.943, 0.906, 0.946), 50, 0),
    "Sonar": ((0.851, 0.851, 0.852, 0.783, 0.856), 30, 5),
    "WDBC": ((0.971, 0.971, 0.973, 0.953, 0.979), 50, 0),
    "Credit": ((0.860, 0.862, 0.865, 0.859, 0.867), 50, 0),
    "Ecoli": ((0.863, 0.869, 0.871, 0.872, 0.875), 30, 0),
}
QUICK_B = 10
WIDEST = (0.05, 0.02)  # an accuracy within five points, a difference of two within two points
NARROW = ("Statlog", "Credit", "Ecoli", "Desharnais", "Maxwell")  # where stepwise selection takes seconds
COST = {"All": 0.1, "PIFS": 1.0, "SFS": 12.0, "MMB": 4.0, "PPFS": 8.0, REFERENCE: 9.0}


def grid(options: Options, printed: Printed, model: str) -> list[Params]:
    """List data sets, methods and repetitions.

    The quick protocol has B ≤ 10 and K = 0; SFS (with 3 folds inside) and the reference implementation where
    there are few features only; and no Mixed-MB on Credit, whose categories make large logistic models.
    """
    cells: list[Params] = []
    for data, (_, B, K) in printed.items():
        if not options.data.has(NAMES[data]):
            continue
        for method in (*METHODS, *([REFERENCE] if reference_installed() else [])):
            if not options.full and left_out(method, data):
                continue
            size = (
                {"B": B, "K": K, "inner": 5} if options.full else {"B": min(B, QUICK_B), "K": 0, "inner": 3}
            )
            cells += [
                {
                    "reading": options.reading,
                    "data": data,
                    "method": method,
                    "model": model,
                    **size,
                    "repeat": r,
                }
                for r in range(repeats(method, data, options))
            ]
    return cells


def repeats(method: str, data: str, options: Options) -> int:
    """Return how often the cross-validation is repeated with another shuffle: the cheap ones more often."""
    if method == "All":
        return 10
    dear = method == REFERENCE or (method in ("MMB", "PPFS") and data not in NARROW)
    return int(options.choose(2 if dear else 3, 3))


def left_out(method: str, data: str) -> bool:
    """Say whether a method takes minutes on a data set, so that it is left to the full protocol."""
    return (method in ("SFS", REFERENCE) and data not in NARROW) or (method == "MMB" and data == "Credit")


def cell(params: Params, seed: int, folder: DataFolder) -> Params:
    """Cross-validate one method on one data set."""
    X, y = load(params["data"], folder)
    keys = ("reading", "model", "B", "K", "inner")
    found = fold_scores(X, y, params["method"], folds=FOLDS, seed=seed, **{k: params[k] for k in keys})
    return {"rows": found}


def summarised(
    cells: pd.DataFrame, options: Options, printed: Printed, methods: tuple[str, ...], k: int
) -> pd.DataFrame:
    """Return for each data set and method the mean score and its gain over all features, beside the print.

    The gain is taken fold by fold, which is far sharper than two scores side by side.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for (data, method), group in cells.groupby(["data", "method"], sort=False):
        good = group[group["score"].notna()]
        base = select(cells, data=data, method="All").set_index(["repeat", "fold"])["score"]
        failed = [f for f in group["failed"] if f]
        listed = dict(zip(methods, printed[str(data)][0], strict=True))
        row: dict[str, Any] = {"data": data, "method": method, "printed": listed.get(str(method))}
        if len(good):
            pairs = [(r["score"], (r["repeat"], r["fold"])) for _, r in good.iterrows()]
            gains = [(score - base[at], at) for score, at in pairs if at in base.index]
            for what, values in (("ours", pairs), ("gain", gains)):
                if values:
                    found = cv_interval(_by_repeat(values), k)
                    row |= {what: found.mean, f"{what}_low": found.low, f"{what}_high": found.high}
            row["features"] = float(good["features"].mean())
        first = group.iloc[0]
        last = {"B": first["B"], "K": first["K"], "repeats": len(good), "failed": failed[0] if failed else ""}
        rows.append({**row, **last})
    return pd.DataFrame(rows)


def _by_repeat(values: list[tuple[float, tuple[int, int]]]) -> dict[int, list[float]]:
    """Return the scores of each repetition's folds."""
    found: dict[int, list[float]] = {}
    for score, (repeat, _) in values:
        found.setdefault(repeat, []).append(score)
    return found


def row_checks(
    table: pd.DataFrame,
    data: str,
    printed: dict[str, float],
    *,
    what: str,
    rounding: float,
    place: str,
    note: str,
    widest: tuple[float | None, float | None] = (None, None),
) -> list[Check]:
    """Compare one row of a table: the level with all features, and how each method's differs from that.

    `widest` is how far the intervals of the level and of the differences may reach and still confirm.
    """
    level = interval_at(table, "ours", data=data, method="All") if len(table) else None
    if level is None:
        return [check_ranking(f"{what}, {data}", printed, {}, place=place)]
    gains = {
        m: interval
        for m in printed
        if m != "All" and (interval := interval_at(table, "gain", data=data, method=m)) is not None
    }
    open_ones = [m for m, i in gains.items() if i.low <= 0 <= i.high]
    if open_ones:
        note = f"cannot be told from no difference: {', '.join(open_ones)}" + (f"; {note}" if note else "")
    differences = {m: round(v - printed["All"], 6) for m, v in printed.items() if m != "All"}
    title = f"{what}: difference from all features, {data}"
    return [
        check_number(
            f"{what} with all features, {data}",
            printed["All"],
            level,
            rounding=rounding,
            widest=widest[0],
            place=place,
        ),
        check_ranking(
            title, differences, gains, rounding=2 * rounding, widest=widest[1], place=place, note=note
        ),
    ]


def checks(table: pd.DataFrame, options: Options, printed: Printed, place: str) -> list[Check]:
    """Compare each row of the table, and the sentences about it."""
    found: list[Check] = []
    best: list[str] = []
    for data, (values, B, K) in printed.items():
        rows = select(table, data=data) if len(table) else table
        tried = (
            {m: i for m in METHODS if (i := interval_at(rows, "ours", method=m)) is not None}
            if len(rows)
            else {}
        )
        if tried and tried["PPFS"].mean >= max(i.mean for i in tried.values()):
            best.append(data)
        found += row_checks(
            table,
            data,
            dict(zip(METHODS, values, strict=True)),
            what="accuracy",
            rounding=0.0005,
            place=place,
            note=row_note(table, data, B, K) if tried else "",
            widest=WIDEST,
        )
    looked = [d for d in printed if len(table) and len(select(table, data=d))]
    won = [d for d, (values, _, _) in printed.items() if values[-1] == max(values) and d in looked]
    return [
        *found,
        check_claim(
            "PPFS is the most accurate",
            f"on {', '.join(won)}",
            f"on {', '.join(best) or 'none'}, of {len(looked)} data sets",
            holds=None if not looked else set(best) == set(won),
            partly=2 * len(best) > len(looked),
            place=place,
            note="criterion: the highest mean on the same data sets; in direction, on more than half of all",
        ),
        reference_check(table, "accuracy"),
    ]


def row_note(table: pd.DataFrame, data: str, B: int, K: int) -> str:  # noqa: N803
    """Say what was used, and how many features were selected."""
    rows = select(table, data=data)
    used = select(rows, method="PPFS").iloc[0]
    missing = [m for m in METHODS if m not in set(rows["method"])]
    sizes = ", ".join(f"{r['method']} {r['features']:.1f}" for _, r in rows.iterrows() if r["features"] > 0)
    told = f"B = {used['B']}, K = {used['K']}; features: {sizes}"
    if (used["B"], used["K"]) != (B, K):
        told += f"; printed with B = {B}, K = {K} (--full)"
    return told + (f"; only with --full: {', '.join(missing)}" if missing else "")


def reference_check(table: pd.DataFrame, what: str) -> Check:
    """Put the authors' own package beside our PPFS: no printed number, but the same algorithm."""
    shown, near, overlap = [], [], []
    for data in dict.fromkeys(table["data"]) if len(table) else ():
        rows = select(table, data=data, method=REFERENCE)
        theirs = interval_at(table, "ours", data=data, method=REFERENCE)
        mine = interval_at(table, "ours", data=data, method="PPFS")
        if theirs is not None and theirs.n and mine is not None:
            shown.append(f"{data} {theirs} (ours {mine})")
            near.append(abs(theirs.mean - mine.mean) <= 0.05 * abs(theirs.mean))
            overlap.append(theirs.overlaps(mine))
        elif len(rows):
            shown.append(f"{data} failed: {rows.iloc[0]['failed']}")
    return check_claim(
        f"the reference implementation, {what}",
        "(not printed: the authors' package, run here)",
        "; ".join(shown) or reference_note() or "not run",
        holds=all(near) and all(overlap) if near else None,
        partly=all(overlap),
        note="criterion: intervals overlap and means differ by at most 5 %; in direction: intervals overlap",
    )


def drawn(table: pd.DataFrame, title: str, unit: str, methods: tuple[str, ...]) -> Figure:
    """Draw ours with intervals and the printed numbers as crosses."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 4))
    axes = figure.add_subplot()
    names = list(dict.fromkeys(table["data"])) if len(table) else []
    colours = ("#999999", "#229954", "#7d3c98", "#c0392b", "#1f6f8b", "#e67e22", "#111111")
    for m, (method, colour) in enumerate(zip((*methods, REFERENCE), colours, strict=False)):
        rows: Any = select(table, method=method) if len(table) else table
        rows = rows[rows["ours"].notna()] if len(rows) else rows
        if not len(rows):
            continue
        x = [names.index(d) + 0.13 * (m - 2) for d in rows["data"]]
        spread = [rows["ours"] - rows["ours_low"], rows["ours_high"] - rows["ours"]]
        axes.errorbar(x, rows["ours"], spread, fmt="o", ms=4, color=colour, capsize=2, label=method, lw=1)
        axes.scatter(x, rows["printed"], marker="x", color=colour, s=40)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel(unit)
    axes.set_title(f"{title} (× printed)", fontsize=10)
    axes.set_xlabel("data set")
    if axes.get_legend_handles_labels()[0]:
        legend_beside(axes)
    return figure


def _experiment(number: int, printed: Printed, model: str, title: str) -> Experiment:
    place = f"Table {number}"

    def plot(table: pd.DataFrame, options: Options) -> Figure:
        return drawn(table, title, "accuracy", METHODS)

    return Experiment(
        name=f"hassan2021-table{number}",
        title=title,
        place=place,
        grid=partial(grid, printed=printed, model=model),
        cell=cell,
        summarise=partial(summarised, printed=printed, methods=METHODS, k=FOLDS),
        checks=partial(checks, printed=printed, place=place),
        plot=plot,
        readings=READINGS,
        seeded_by=("data", "repeat"),
        cost=lambda params: COST[params["method"]],
        needs=tuple(NAMES[d] for d in printed),
        caveats=(
            "All methods see the same folds. All features: ten cross-validations, the interval of one more.",
            "Selected features: two or three cross-validations, the interval of the mean of five more folds.",
            "What a method gains over all features is taken fold by fold, and held against the printed gain.",
            "To confirm, an interval reaches at most 5 points (level) or 2 points (gain) to either side.",
            "The quick protocol has B ≤ 10 and K = 0; SFS and the authors' package where features are few.",
            "E. coli has eight classes in the file; the paper says seven.",
        ),
    )


EXPERIMENTS = (
    _experiment(2, TABLE_2, "cart", "accuracy of a decision tree on the selected features"),
    _experiment(3, TABLE_3, "svm", "accuracy of an SVM on the selected features"),
)
