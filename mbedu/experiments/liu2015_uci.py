"""Tables III to V of liu2015: SVM, CART and naive Bayes on the features that eight selectors choose.

The bodies of the tables are not in the text at hand, only the sentences about them; nor is the list of the
15 data sets. Four of them are named (sonar, blood, wpbc, wine); the others here are UCI data at hand.
"""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mbedu.experiments.data import DataFolder
from mbedu.experiments.framework import Experiment, Options, Params, seed_from
from mbedu.experiments.framework_tables import select
from mbedu.experiments.framework_verdicts import Check, check_claim, check_number
from mbedu.experiments.stats import mean_interval, share_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

CLASSIFIERS = {"svm": ("SVM", "Table III"), "cart": ("CART", "Table IV"), "bayes": ("naive Bayes", "Table V")}
NAMED = ("wine", "sonar", "transfusion", "wpbc")
DATA = (*NAMED, "heart", "ionosphere", "wdbc", "credit", "spect", "tic-tac-toe", "car")
RANKERS = {
    "ReliefF": "relieff",
    "Consistency": "consistency",
    "Dependency": "dependency",
    "Information gain": "information_gain",
    "IRelief": "irelief",
    "WFSDMS": "fsdms",
}
FILTERS: dict[str, tuple[str, dict[str, Any]]] = {
    "CFS-SF": ("cfs_sf", {}),
    "FCBF(0)": ("fcbf", {"delta": 0.0}),
    "FCBF(log)": ("fcbf", {"delta": "log"}),
}
METHODS = (*RANKERS, *FILTERS)
FEWEST = 4  # data sets, below which nothing is said of most of them
PREFIX = 12  # the longest beginning of a ranking that the quick protocol tries
PRINTED_BEST = {"svm": 9, "cart": 5, "bayes": 8}  # of 15 data sets WFSDMS has the highest accuracy


def grid(options: Options) -> list[Params]:
    """List data sets and methods; the quick protocol tries the first 12 beginnings of a ranking only."""
    names = [n for n in DATA if options.data.has(n)]
    return [
        {"data": n, "method": m, "longest": options.choose(PREFIX, 0)}
        for n in names
        for m in ("Raw", *METHODS)
    ]


def tables(name: str, folder: DataFolder) -> tuple[Any, Any, str]:
    """Return the data as they are and with their numbers cut into intervals, and the target's name."""
    from mbedu.experiments.demorais2008_bayes import mdl_discretise
    from mbedu.selectors.table import Table

    found = folder.load(name)
    kept = ~found.features.isna().any(axis=1)
    features = found.features[kept].reset_index(drop=True)
    labels = found.labels[kept].reset_index(drop=True).astype(str)
    numeric = [c for c, kind in features.dtypes.items() if kind.kind in "fiu"]
    target = "the label"
    whole = Table(features.assign(**{target: labels}), numeric=numeric)
    return whole, Table(mdl_discretise(features, labels).assign(**{target: labels}), numeric=[]), target


def cell(params: Params, seed: int, folder: DataFolder) -> Params:
    """Select with one method and cross-validate the three classifiers on what it chose."""
    from mbedu.ask import Ask
    from mbedu.selectors.classify import n_right
    from mbedu.selectors.source import Rows, look

    whole, cut, target = tables(params["data"], folder)
    rows: Rows = look(Ask(whole), target, "the wrapper")
    names = [v for v in whole.variables if v != target]
    if params["method"] == "IRelief" and whole.frame[target].nunique() > 2:
        return {"rows": []}
    ranking, fixed = sequence(params["method"], whole, cut, target, names)
    longest = min(params["longest"] or len(ranking), len(ranking))
    found: list[Params] = []
    for classifier in CLASSIFIERS:
        fold_seed, test_seed = (seed_from(seed, what, classifier) % 2**31 for what in ("wrap", "test"))

        def right(members: list[str], at: int, classifier: str = classifier) -> int:
            return n_right(rows, target, members, classifier=classifier, folds=10, seed=at)

        scores = {k: right(ranking[:k], fold_seed) for k in range(1, longest + 1)} if not fixed else {}
        size = len(ranking) if fixed else max(scores, key=lambda k: (scores[k], -k), default=0)
        found.append(
            {
                "classifier": classifier,
                "accuracy": 100 * right(ranking[:size], test_seed) / len(whole.frame),
                "features": size,
                "with one": 100 * scores[1] / len(whole.frame) if scores else None,
            }
        )
    return {"rows": found}


def sequence(method: str, whole: Any, cut: Any, target: str, names: list[str]) -> tuple[list[str], bool]:
    """Return the features in order, and whether they are the answer as they stand.

    What counts labels (information gain, CFS-SF, FCBF) works on numbers cut by Fayyad and Irani's rule, as
    Weka does.
    """
    from mbedu.running import run

    if method == "Raw":
        return names, True
    if method in FILTERS:
        key, more = FILTERS[method]
        return list(run(key, cut, target, **more).answer), True
    if method == "Information gain":
        return list(run("information_gain", cut, target).answer.ranking), False
    more = {"top": "all"} if method == "WFSDMS" else {}
    return list(run(RANKERS[method], whole, target, **more).answer.ranking), False


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return the accuracies, a row a data set and classifier, a column a method."""
    import pandas as pd

    rows = []
    for (classifier, data), group in cells.groupby(["classifier", "data"], sort=False):
        row: dict[str, Any] = {"classifier": classifier, "data": data}
        for method in ("Raw", *METHODS):
            one = select(group, method=method)
            row[method] = float(one["accuracy"].iloc[0]) if len(one) else math.nan
        for method in ("Consistency", "WFSDMS", "ReliefF"):
            row[f"size of {method}"] = int(select(group, method=method)["features"].iloc[0])
        for method in RANKERS:
            one = select(group, method=method)
            row[f"first of {method}"] = float(one["with one"].iloc[0]) if len(one) else math.nan
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.sort_values("classifier", key=lambda c: c.map(list(CLASSIFIERS).index), kind="stable")


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare with the sentences about Tables III to V and Figure 6."""
    return [
        *(check for c in CLASSIFIERS for check in _classifier(table, c)),
        _sonar(table),
        _insensitive(table),
        _smaller(table),
        _first(table),
    ]


def _classifier(table: pd.DataFrame, classifier: str) -> list[Check]:
    title, place = CLASSIFIERS[classifier]
    rows = select(table, classifier=classifier)
    best = [
        r["data"]
        for _, r in rows.iterrows()
        if r["WFSDMS"] >= max(r[m] for m in METHODS if not math.isnan(r[m]))
    ]
    return [
        _share(title, place, classifier, best, len(rows)),
        _average(rows, classifier),
        _pairs(rows, classifier),
    ]


def _few(rows: pd.DataFrame) -> str:
    """Say that there are too few data sets, or nothing."""
    return f"{len(rows)} data sets are too few to tell; " if len(rows) < FEWEST else ""


def _average(rows: pd.DataFrame, classifier: str) -> Check:
    """Compare the rank by average accuracy; what a few data sets cannot tell apart is a rank by chance."""
    title, place = CLASSIFIERS[classifier]
    means = {m: float(rows[m].mean()) for m in METHODS if m != "IRelief"}
    ranked = sorted(means, key=lambda m: -means[m])
    rank = ranked.index("WFSDMS") + 1
    printed = 2 if classifier == "svm" else 1
    lower = ranked[rank] if rank < len(ranked) else None
    lead = None if lower is None else mean_interval(rows["WFSDMS"] - rows[lower])
    return check_claim(
        f"{title}: WFSDMS by average accuracy",
        "the second highest" if classifier == "svm" else "the highest in all the eight methods",
        _few(rows)
        + ", ".join(f"{m} {means[m]:.2f}" for m in ranked)
        + (f"; ahead of {lower} by {lead}" if lower else ""),
        holds=None if len(rows) < FEWEST else rank == printed and lead is not None and lead.low > 0,
        partly=rank == printed,
        place=place,
        note="criterion: that rank, and ahead of the next by more than chance over the data sets; in "
        "direction: that rank. IRelief apart, which is for two classes only",
    )


def _pairs(rows: pd.DataFrame, classifier: str) -> Check:
    """Compare WFSDMS with each other method over the data sets, as in Figures 3 to 5."""
    title, place = CLASSIFIERS[classifier]
    others = [m for m in METHODS if m != "WFSDMS"]
    won = {m: int((rows["WFSDMS"] > rows[m]).sum()) for m in others}
    lost = {m: int((rows["WFSDMS"] < rows[m]).sum()) for m in others}
    return check_claim(
        f"{title}: WFSDMS pair by pair",
        "WFSDMS can achieve better performance in most of the datasets",
        f"{_few(rows)}better : worse " + ", ".join(f"{m} {won[m]} : {lost[m]}" for m in others),
        holds=None if len(rows) < FEWEST else all(2 * won[m] > rows[m].notna().sum() for m in others),
        partly=sum(won.values()) > sum(lost.values()),
        place=f"{place} and Figure {3 + list(CLASSIFIERS).index(classifier)}",
        note="criterion: better than each other method on more than half of the data sets; in direction: "
        "better more often than worse over all pairs",
    )


def _share(title: str, place: str, classifier: str, best: list[str], n: int) -> Check:
    """Compare the share of data sets that WFSDMS wins; of a few no share can be told."""
    what = f"{title}: share of data sets on which WFSDMS is the most accurate"
    note = f"printed: {PRINTED_BEST[classifier]} of 15; ours on {', '.join(best) or 'none'}"
    if n < FEWEST:
        shown = f"{len(best)} of {n}, which are too few to tell"
        return check_claim(
            what, f"{PRINTED_BEST[classifier]} of 15", shown, holds=None, place=place, note=note
        )
    return check_number(
        what, PRINTED_BEST[classifier] / 15, share_interval(len(best), n), place=place, note=note
    )


def _row(table: pd.DataFrame, classifier: str, data: str) -> Any:
    found = select(table, classifier=classifier, data=data)
    return None if not len(found) else found.iloc[0]


def _sonar(table: pd.DataFrame) -> Check:
    row = _row(table, "svm", "sonar")
    return check_claim(
        "SVM on sonar",
        "WFSDMS's accuracy is much lower than ReliefF's",
        "no data" if row is None else f"WFSDMS {row['WFSDMS']:.1f}, ReliefF {row['ReliefF']:.1f}",
        holds=None if row is None else row["WFSDMS"] < row["ReliefF"] - 2,
        partly=row is not None and row["WFSDMS"] < row["ReliefF"],
        place="Table III",
        note="criterion: lower by more than two points; in direction: lower",
    )


def _insensitive(table: pd.DataFrame) -> Check:
    found = {d: r for d in ("transfusion", "wpbc") if (r := _row(table, "svm", d)) is not None}
    spread = {d: max(abs(r[m] - r["Raw"]) for m in METHODS if not math.isnan(r[m])) for d, r in found.items()}
    return check_claim(
        "SVM on blood and wpbc",
        "all the selection methods achieve the same accuracy as the original feature set",
        "; ".join(f"{d}: {found[d]['Raw']:.1f} with all, others within {s:.1f}" for d, s in spread.items())
        or "no data",
        holds=None if not found else all(s < 0.5 for s in spread.values()),
        partly=bool(found) and all(s < 3 for s in spread.values()),
        place="section V-B",
        note="criterion: within half a point; in direction: within three",
    )


def _smaller(table: pd.DataFrame) -> Check:
    rows = select(table, classifier="cart")
    a, b = float(rows["size of Consistency"].mean()), float(rows["size of WFSDMS"].mean())
    more = mean_interval(rows["size of WFSDMS"] - rows["size of Consistency"])
    return check_claim(
        "CART: sizes",
        "the consistency methods tend to select smaller feature subsets comparing with WFSDMS",
        f"{_few(rows)}Consistency {a:.1f}, WFSDMS {b:.1f} features on average; WFSDMS has {more} more",
        holds=None if len(rows) < FEWEST else more.low > 0,
        partly=a < b,
        place="section V-B, on Table IV",
        note="criterion: the difference's interval over the data sets lies above 0; in direction: the mean",
    )


def _first(table: pd.DataFrame) -> Check:
    told, worse = [], []
    for data in ("wpbc", "wine"):
        for classifier in CLASSIFIERS:
            row = _row(table, classifier, data)
            if row is None:
                continue
            others = [row[f"first of {m}"] for m in RANKERS if m != "WFSDMS"]
            rest = [v for v in others if not math.isnan(v)]
            worse.append(row["first of WFSDMS"] <= min(rest))
            told.append(
                f"{data}, {classifier}: {row['first of WFSDMS']:.1f} against {min(rest):.1f}–{max(rest):.1f}"
            )
    return check_claim(
        "the first feature alone",
        "WFSDMS performs much worse than other methods in the first selected feature (wine and wpbc)",
        "; ".join(told),
        holds=None if not worse else all(worse),
        partly=2 * sum(worse) > len(worse),
        place="Figure 6 and section V-B",
        note="criterion: no other method has a worse first feature; in direction: in most of the six plots",
    )


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw Figures 3 to 5: where WFSDMS is better (red), worse (green) or equal (white)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.8))
    panels = figure.subplots(1, 3, sharey=True)
    others = [m for m in METHODS if m != "WFSDMS"]
    for axes, (classifier, (title, _)) in zip(panels, CLASSIFIERS.items(), strict=True):
        rows = select(table, classifier=classifier)
        for x, (_, row) in enumerate(rows.iterrows()):
            for y, method in enumerate(others):
                gap = row["WFSDMS"] - row[method]
                colour = "#d9544d" if gap > 0 else "#58a55c" if gap < 0 else "white"
                colour = "#dddddd" if math.isnan(gap) else colour
                axes.add_patch(_square(x, y, colour))
        axes.set_xlim(-0.6, len(rows) - 0.4)
        axes.set_ylim(-0.6, len(others) - 0.4)
        axes.set_xticks(range(len(rows)), list(rows["data"]), rotation=60, fontsize=8)
        axes.set_title(f"WFSDMS against the others, {title}", fontsize=9)
    panels[1].set_xlabel("data set; red: WFSDMS is more accurate, green: less, white: equal, grey: not run")
    panels[0].set_yticks(range(len(others)), others, fontsize=8)
    figure.tight_layout()
    return figure


def _square(x: int, y: int, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="black", lw=0.5)


EXPERIMENTS = (
    Experiment(
        name="liu2015-uci",
        title="SVM, CART and naive Bayes on the features that eight selectors choose",
        place="Tables III to V, Figures 3 to 6",
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        readings={"wrapped": "each ranking is cut where ten folds are best, and scored on ten other folds"},
        seeded_by=("data",),
        cost=lambda params: {"credit": 5.0, "car": 4.0, "wdbc": 4.0, "sonar": 3.0}.get(params["data"], 1.0),
        needs=DATA,
        caveats=(
            "The bodies of Tables II to V are not in the text at hand: sentences are checked, not numbers.",
            "Only sonar, blood (transfusion), wpbc and wine are named; the other data sets may be others.",
            "The quick protocol tries beginnings of at most 12 features; --full all.",
        ),
    ),
)
