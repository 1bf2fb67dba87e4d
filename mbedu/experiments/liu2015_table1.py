"""Table I of liu2015: what eight selectors find in CorrAL, CorrAL-46 and CorrAL-47.

The body of the table is not in the text of the paper that this project works from. Each algorithm is held
to the sentences about the table in sections V-A and V-D.
"""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework import Experiment, Options, Params, seed_from
from mbedu.experiments.framework_plots import legend_beside
from mbedu.experiments.framework_verdicts import Check, check_claim

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

WHICH = ("corral", "corral-46", "corral-47")
INPUTS = {"A0", "A1", "B0", "B1"}
WRAPPERS = ("svm", "bayes", "cart")
RANKERS = {
    "ReliefF": "relieff",
    "Consistency": "consistency",
    "Information gain": "information_gain",
    "IRelief": "irelief",
}
READINGS = {
    "listed": "columns in the order in which the paper lists them; ties go to the first",
    "shuffled": "columns in random order: with exact copies WFSDMS starts with a tie of many columns",
    "lookahead": "columns in random order, and WFSDMS breaks ties by looking one feature ahead",
}
Answers = dict[str, dict[str, tuple[str, ...]]]
"""Data set → row of the table → the features."""


def methods(reading: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the rows of the table: the selector and its parameters."""
    tie = {"tie": "lookahead"} if reading == "lookahead" else {}
    return {
        "CFS-SF": ("cfs_sf", {}),
        "FCBF(0)": ("fcbf", {"delta": 0.0}),
        "FCBF(log)": ("fcbf", {"delta": "log"}),
        "Dependency": ("dependency", {}),
        **{f"{title}, {w}": (key, {"wrapper": w}) for title, key in RANKERS.items() for w in WRAPPERS},
        **{f"WFSDMS, {w}": ("wfsdms", {"classifier": w, **tie}) for w in WRAPPERS},
    }


def grid(options: Options) -> list[Params]:
    """List data sets, rows of the table and samples."""
    return [
        {"reading": options.reading, "which": which, "method": method, "sample": sample}
        for which in WHICH
        for method in methods(options.reading)
        for sample in range(options.choose(4, 10))
    ]


def cell(params: Params, seed: int) -> Params:
    """Run one selector on one sample of 1,024 rows."""
    import numpy as np

    from mbedu.problems import corral, corral_data
    from mbedu.running import run
    from mbedu.selectors.table import Table

    frame = corral_data(params["which"], seed=seed)
    if params["reading"] != "listed":
        order = np.random.default_rng(seed_from(seed, "order")).permutation(len(frame.columns))
        frame = frame[[frame.columns[i] for i in order]]
    key, more = methods(params["reading"])[params["method"]]
    if params["method"] not in ("CFS-SF", "FCBF(0)", "FCBF(log)", "Dependency"):
        more = {**more, "seed": seed % 2**31}
    found = run(key, Table(frame), "Y", **more)
    return {
        "found": list(found.answer),
        "right": found.boundary in corral(params["which"]).boundaries,
        "seconds": found.seconds,
    }


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Return a row a selector, with what it found in each sample."""
    import pandas as pd

    rows = []
    for (which, method), group in cells.groupby(["which", "method"], sort=False):
        rows.append(
            {
                "data": which,
                "method": method,
                "optimal": f"{int(group['right'].sum())} of {len(group)}",
                "found": " | ".join(" ".join(found) for found in group["found"]),
            }
        )
    return pd.DataFrame(rows)


def irrelevant(found: Sequence[str]) -> set[str]:
    """Return the irrelevant features among them."""
    return {v for v in found if v.startswith("I")}


def originals(found: Sequence[str]) -> set[str]:
    """Return the features with exact copies (A0_0, …) taken for what they copy."""
    return {v.removesuffix("_0") for v in found}


def copied(found: Sequence[str]) -> set[str]:
    """Return the redundant copies among them."""
    return {v for v in found if "_" in v and v[0] in "AB"}


@dataclass(frozen=True)
class Sentence:
    """What the paper says of some rows, in some data sets, and when it holds of an answer."""

    what: str
    printed: str
    place: str
    rows: tuple[str, ...]
    whiches: tuple[str, ...]
    holds: Callable[[tuple[str, ...]], bool]
    somewhere: bool = False

    def true_of(self, answers: Answers) -> bool:
        """Say whether it holds in one sample: of every row (or, if somewhere, of one)."""
        found = [
            self.holds(answers[which][row])
            for which in self.whiches
            for row in answers[which]
            if row in self.rows
        ]
        return any(found) if self.somewhere else all(found)


def rows_of(*titles: str) -> tuple[str, ...]:
    """Return the rows of these selectors, with every wrapper."""
    return tuple(m for m in methods("listed") if m.split(", ")[0] in titles)


WITH_R = ("corral", "corral-47")
FIRST = "section V-A"
LAST = "section V-D"
SENTENCES = (
    *(
        Sentence(
            f"WFSDMS with {w}",
            "can find the optimal feature subset {A0, A1, B0, B1} in all three",
            FIRST,
            (f"WFSDMS, {w}",),
            WHICH,
            lambda f: len(f) == 4 and originals(f) == INPUTS,
        )
        for w in WRAPPERS
    ),
    *(
        Sentence(
            f"ReliefF with {w} and R",
            "most fail to remove the redundant feature R except ReliefF and WFSDMS",
            FIRST,
            (f"ReliefF, {w}",),
            WITH_R,
            lambda f: "R" not in f,
        )
        for w in WRAPPERS
    ),
    Sentence(
        "R stays with the others",
        "most of the algorithms fail to remove the highly redundant feature R",
        FIRST,
        rows_of("CFS-SF", "FCBF(0)", "FCBF(log)", "Information gain", "Consistency", "IRelief"),
        WITH_R,
        lambda f: "R" in f,
    ),
    Sentence(
        "ReliefF and copies",
        "tends to select several redundant features in both CorrAL-46 and CorrAL-47",
        FIRST,
        rows_of("ReliefF"),
        WHICH[1:],
        lambda f: len(copied(f)) > 1,
    ),
    Sentence(
        "IRelief and irrelevant features",
        "can avoid irrelevant features in both CorrAL-46 and CorrAL-47",
        FIRST,
        rows_of("IRelief"),
        WHICH[1:],
        lambda f: not irrelevant(f),
    ),
    Sentence(
        "IRelief and redundant features",
        "fails to remove relevant but redundant features such as R, A0_0",
        FIRST,
        rows_of("IRelief"),
        ("corral-47",),
        lambda f: "R" in f and bool(copied(f)),
    ),
    Sentence(
        "Consistency in CorrAL-46",
        "consistency based methods often tend to select smaller feature subsets in CorrAL-46",
        FIRST,
        rows_of("Consistency"),
        ("corral-46",),
        lambda f: len(f) < 4,
    ),
    Sentence(
        "Dependency",
        "failed to generate the nested candidate feature subsets: the dependency of every feature is zero",
        FIRST,
        ("Dependency",),
        WHICH,
        lambda f: not f,
    ),
    *(
        Sentence(
            f"{m} and irrelevant features",
            "almost all can remove irrelevant features, except CFS-SF and FCBF(0)",
            LAST,
            (m,),
            WHICH,
            lambda f: bool(irrelevant(f)),
            somewhere=True,
        )
        for m in ("CFS-SF", "FCBF(0)")
    ),
    Sentence(
        "CorrAL-46, without R",
        "CFS-SF, FCBF(0), FCBF(log), Information Gain can almost find the optimal subset in CorrAL-46",
        LAST,
        rows_of("CFS-SF", "FCBF(0)", "FCBF(log)", "Information gain"),
        ("corral-46",),
        lambda f: originals(f) >= INPUTS,
    ),
    Sentence(
        "CorrAL and CorrAL-47, with R",
        "while they fail to find the optimal subset in CorrAL and CorrAL-47",
        LAST,
        rows_of("CFS-SF", "FCBF(0)", "FCBF(log)", "Information gain"),
        WITH_R,
        lambda f: not (len(f) == 4 and originals(f) == INPUTS),
    ),
)


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Hold the answers to the sentences, in each sample."""
    samples = _answers(table)
    found = []
    for sentence in SENTENCES:
        count = sum(sentence.true_of(answers) for answers in samples)
        first = samples[0]
        shown = "; ".join(
            f"{which} {row}: {_short(first[which][row])}"
            for which in sentence.whiches
            for row in sentence.rows[:4]
        )
        found.append(
            check_claim(
                sentence.what,
                sentence.printed,
                f"in {count} of {len(samples)} samples; the first: {shown}",
                holds=count == len(samples),
                partly=2 * count > len(samples),
                place=sentence.place,
            )
        )
    return found


def _answers(table: pd.DataFrame) -> list[Answers]:
    """Return the answers of each sample, read back from the table."""
    samples: list[Answers] = []
    for _, row in table.iterrows():
        for i, text in enumerate(str(row["found"]).split(" | ")):
            if i == len(samples):
                samples.append({which: {} for which in WHICH})
            samples[i][row["data"]][row["method"]] = tuple(text.split())
    return samples


def _short(found: Sequence[str]) -> str:
    return " ".join(found[:8]) + (f" … ({len(found)} in all)" if len(found) > 8 else "") or "nothing"


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw for each selector how many of its features are inputs, R, copies and irrelevant."""
    from matplotlib.figure import Figure

    samples = _answers(table)
    figure = Figure(figsize=(11, 5))
    panels = figure.subplots(1, 3, sharey=True)
    names = list(methods(options.reading))
    parts: dict[str, tuple[str, Callable[[Sequence[str]], int]]] = {
        "inputs": ("#1f6f8b", lambda f: len(INPUTS & set(f))),
        "R": ("#c0392b", lambda f: int("R" in f)),
        "copies": ("#e6b450", lambda f: len(copied(f))),
        "irrelevant": ("#999999", lambda f: len(irrelevant(f))),
    }
    for axes, which in zip(panels, WHICH, strict=True):
        left = [0.0] * len(names)
        for label, (colour, count) in parts.items():
            width = [sum(count(s[which][m]) for s in samples) / len(samples) for m in names]
            axes.barh(range(len(names)), width, left=left, color=colour, label=label)
            left = [a + b for a, b in zip(left, width, strict=True)]
        axes.set_title(which, fontsize=10)
        axes.set_xlabel("features")
        axes.xaxis.get_major_locator().set_params(integer=True)
    panels[0].set_yticks(range(len(names)), names, fontsize=8)
    panels[0].invert_yaxis()
    legend_beside(panels[2])
    figure.tight_layout()
    return figure


EXPERIMENTS = (
    Experiment(
        name="liu2015-table1",
        title="what eight selectors find in CorrAL, CorrAL-46 and CorrAL-47",
        place="Table I, sections V-A and V-D",
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        readings=READINGS,
        seeded_by=("which", "sample"),
        cost=lambda params: (9.0 if "bayes" in params["method"] else 1.0) * (params["which"] != "corral") + 1,
        caveats=(
            "The body of Table I is not in the text at hand; the sentences about it are checked.",
            "A sentence is reproduced if it holds in every sample; an exact copy counts as what it copies.",
        ),
    ),
)
