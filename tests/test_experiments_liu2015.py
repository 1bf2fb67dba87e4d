"""The experiments of liu2015: sentences about Table I, wrappers on UCI data."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from mbedu.experiments import Options, get_experiment, reproduce
from mbedu.experiments.liu2015_table1 import SENTENCES, WHICH, cell, checks, copied, methods, originals

BEST = ("A0", "A1", "B0", "B1")


def as_printed(which: str, method: str) -> tuple[str, ...]:
    """Return an answer of which all sentences are true."""
    title = method.partition(", ")[0]
    r = () if which == "corral-46" else ("R",)
    if title == "WFSDMS":
        return BEST
    if title == "Dependency":
        return ()
    if title == "ReliefF":
        return BEST if which == "corral" else (*BEST, "A0_0", "B0_1")
    if title == "IRelief":
        return (*r, *BEST, *(("A0_0",) if which != "corral" else ()))
    if title == "Consistency":
        return (*r, "A0", "A1")
    return (*r, *BEST, *(("I1",) if title in ("CFS-SF", "FCBF(0)") else ()))


def table(answer) -> pd.DataFrame:
    """Return a table with two samples of the same answers."""
    rows = [
        {"data": w, "method": m, "optimal": "", "found": " | ".join([" ".join(answer(w, m))] * 2)}
        for w in WHICH
        for m in methods("listed")
    ]
    return pd.DataFrame(rows)


def test_what_the_paper_says_is_reproduced_by_what_it_would_print():
    """Answers of which every sentence is true get the verdict reproduced, all of them."""
    found = checks(table(as_printed), Options())
    assert {c.what: c.verdict for c in found} == {s.what: "reproduced" for s in SENTENCES}


def test_selecting_everything_contradicts_the_paper():
    """A method that always takes all inputs, R, a copy and an irrelevant feature fails most sentences."""
    found = checks(table(lambda w, m: (*BEST, "R", "A0_3", "I1")), Options())
    verdicts = {c.what: c.verdict for c in found}
    for what in (
        "WFSDMS with svm",
        "ReliefF with cart and R",
        "Dependency",
        "IRelief and irrelevant features",
    ):
        assert verdicts[what] == "not reproduced"
    assert verdicts["R stays with the others"] == "reproduced"


def test_an_exact_copy_counts_as_what_it_copies():
    """A0_0 stands for A0, A0_1 does not; both are copies."""
    assert originals(("A0_0", "B1", "A1_1")) == {"A0", "B1", "A1_1"}
    assert copied(("A0_0", "I1_2", "R", "A1_1")) == {"A0_0", "A1_1"}


@pytest.mark.parametrize("reading", ["listed", "shuffled", "lookahead"])
def test_wfsdms_on_corral(reading):
    """With the tree as its wrapper WFSDMS finds the four inputs of CorrAL, whatever the order of columns."""
    found = cell({"reading": reading, "which": "corral", "method": "WFSDMS, cart", "sample": 0}, 5)
    assert sorted(found["found"]) == list(BEST)
    assert found["right"] is True


def test_the_filters_on_corral_keep_r():
    """FCBF and CFS-SF keep the redundant R, and Dependency finds no beginning."""
    for method, r in (("FCBF(0)", True), ("CFS-SF", True), ("Dependency", False)):
        found = cell({"reading": "listed", "which": "corral", "method": method, "sample": 0}, 3)["found"]
        assert ("R" in found) == r, method


def test_uci_without_a_data_folder():
    """What is generated or shipped is measured (here wine), the other data sets are named as missing."""
    full = get_experiment("liu2015-uci")
    tiny = replace(full, grid=lambda o: [{**c, "longest": 2} for c in full.grid(o) if c["data"] == "wine"])
    assert {c["data"] for c in full.grid(Options())} == {"wine", "wdbc", "tic-tac-toe"}
    outcome = reproduce(tiny, workers=1, progress=False)
    assert list(outcome.table["data"]) == ["wine"] * 3
    assert list(outcome.table["classifier"]) == ["svm", "cart", "bayes"]
    assert outcome.table["IRelief"].isna().all()  # three classes
    assert (outcome.table["WFSDMS"] > 60).all()
    assert "sonar: uci/sonar.arff" in outcome.missing
    verdicts = {c.what: c.verdict for c in outcome.checks}
    assert verdicts["SVM on sonar"] == verdicts["SVM on blood and wpbc"] == "not tried"
    assert verdicts["CART: sizes"] == "not tried"  # one data set is not most of them
    assert verdicts["SVM: share of data sets on which WFSDMS is the most accurate"] == "not tried"
    assert outcome.figure() is not None
