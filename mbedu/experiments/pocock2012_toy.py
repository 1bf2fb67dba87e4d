"""The toy problem of pocock2012, Figure 1: what each piece of prior knowledge does to IAMB's answer.

The figure's estimates are not in the text. The problem here is `mbedu.problems.iamb_ip_toy` with one thing
added: the sample that the prose speaks of shows an association between Y and X3 that is only sampling error.
That estimated distribution is given exactly, so the claims are checked without drawing anything.
"""
# ruff: noqa: ARG001  # the functions of all experiments take the same arguments

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework import Experiment, Options, Params
from mbedu.experiments.framework_verdicts import Check, check_claim
from mbedu.problem import Problem

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS"]

PLACE = "section 5 (Empirical Evaluation), the paragraph on Figure 1"
ROWS = 500  # N of the priors: αd·w/N = 0.013 bits, between nothing and t
CLAIMS: tuple[tuple[str, float, dict[str, int], tuple[str, ...], str], ...] = (
    ("no prior", 0.02, {}, ("X1",), "IAMB (t = 0.02) would select only X1"),
    ("X1 up", 0.02, {"X1": 1}, ("X1",), "upweighted only X1: similar to IAMB"),
    ("X2 up", 0.02, {"X2": 1}, ("X1", "X2", "X5"), "upweighting X2 would include that variable and then X5"),
    ("X3 down", 0.02, {"X3": -1}, ("X1",), "downweighting X3 is a true negative: nothing changes"),
    ("X4 up", 0.02, {"X4": 1}, ("X1",), "if X4 is upweighted it is unlikely to be included"),
    ("X3 up", 0.02, {"X3": 1}, ("X1", "X3"), "X3 would be included if it was upweighted"),
    ("X2 down", 0.02, {"X2": -1}, ("X1",), "downweighting X2 would remove both X2 and X5"),
    ("no prior, t = 0.01", 0.01, {}, ("X1", "X2", "X5"), "(at t = 0.01 X2 and X5 are in to begin with)"),
    ("X2 down, t = 0.01", 0.01, {"X2": -1}, ("X1",), "downweighting X2 would remove both X2 and X5"),
)


NOTES = {
    "X2 down": "at the printed t = 0.02 neither is in to begin with, so nothing can be removed",
    "X2 down, t = 0.01": "at t = 0.01 both are in without the prior: the effect shows",
}


def grid(options: Options) -> list[Params]:
    """List the pieces of prior knowledge that the prose tries."""
    return [{"prior": name, "unit": options.reading} for name, *_ in CLAIMS]


def cell(params: Params, seed: int) -> Params:
    """Run IAMB-IP with one prior on the exact problem."""
    from mbedu.running import run

    problem = measured_toy()
    _, t, weights, _, _ = next(c for c in CLAIMS if c[0] == params["prior"])
    found = run("iamb_ip", problem, t=t, weights=weights, n=ROWS, unit=params["unit"])
    return {"found": [v for v in problem.variables if v in found.boundary], "n_asked": found.n_asked}


def measured_toy() -> Problem:
    """Return the toy as one sample shows it: X3 seems to say 0.0086 bits about Y beyond X1.

    Examples
    --------
    >>> import math
    >>> from mbedu.query import Query
    >>> round(measured_toy().judge.judge(Query("X3", "Y", "X1")).strength / math.log(2), 4)
    0.0086
    """
    from mbedu.problems.structures import factored, flip

    tenth = Fraction(1, 10)
    child = {(0, 0): tenth, (0, 1): 4 * tenth, (1, 0): 7 * tenth, (1, 1): tenth}  # P(X2 = 1 | Y, X5)

    def weight(*cell: int) -> Fraction:
        x1, x2, x3, _, x5, y = cell
        p, q = child[y, x5], Fraction(4 + 2 * x1, 10) + Fraction(58, 1000) * (1 if y else -1)
        return flip(x1, y, 3 * tenth) * (p if x2 else 1 - p) * (q if x3 else 1 - q)

    judge = factored(["X1", "X2", "X3", "X4", "X5", "Y"], [2] * 6, weight)
    return Problem("measured toy", judge, "Y", source="pocock2012, Figure 1")


def summarise(cells: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Put each answer beside the prose."""
    table = cells[["prior"]].copy()
    known = {name: (t, said, claim) for name, t, _, said, claim in CLAIMS}
    table["t"] = [known[p][0] for p in cells["prior"]]
    table["printed"] = [", ".join(known[p][1]) for p in cells["prior"]]
    table["ours"] = [", ".join(found) for found in cells["found"]]
    table["prose"] = [known[p][2] for p in cells["prior"]]
    return table


def checks(table: pd.DataFrame, options: Options) -> list[Check]:
    """Compare each answer with the prose."""
    rows: Sequence[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    ours = {row["prior"]: row["ours"] for row in rows}
    made = []
    for row in rows:
        without = ours["no prior, t = 0.01" if "0.01" in row["prior"] else "no prior"]
        if row["prior"] == "no prior, t = 0.01":
            continue  # no claim of the paper, but what the next one starts from
        holds = row["printed"] == row["ours"]
        if row["prior"].startswith("X2 down"):  # to remove is to change something
            holds = holds and "X2" in without and "X5" in without
        made.append(
            check_claim(
                row["prior"],
                f"{row['prose']} → {{{row['printed']}}}",
                f"{{{row['ours']}}}; without the prior {{{without}}}",
                holds=holds,
                place=PLACE,
                note=NOTES.get(row["prior"], ""),
            )
        )
    return made


def plot(table: pd.DataFrame, options: Options) -> Figure:
    """Draw which variables each prior lets in."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.2))
    axes = figure.add_subplot()
    names = ["X1", "X2", "X3", "X4", "X5"]
    for row, (_, entry) in enumerate(table.iterrows()):
        inside = str(entry["ours"]).split(", ")
        for column, name in enumerate(names):
            axes.scatter(column, -row, s=90, marker="o", color="#1f6f8b" if name in inside else "#dddddd")
    axes.set_xticks(range(5), names)
    axes.set_yticks([-r for r in range(len(table))], list(table["prior"]))
    axes.set_title("What a prior lets into the blanket of Y (true: X1, X2, X5)", fontsize=10)
    return figure


EXPERIMENTS = (
    Experiment(
        name="pocock2012-toy",
        title="what each piece of prior knowledge does to IAMB's answer",
        place="Figure 1 and " + PLACE,
        grid=grid,
        cell=cell,
        summarise=summarise,
        checks=checks,
        plot=plot,
        readings={
            "bits": "the threshold t and the information are in bits (base 2)",
            "nats": "the threshold t and the information are in nats",
        },
        caveats=(
            "The figure's estimates are not printed. Ours is a problem built to have the prose's properties.",
            "The strength of X3 and N = 500 were chosen for it; the behaviour is checked, not numbers.",
        ),
    ),
)
