"""The verdicts of single experiments on made-up tables: what looks alike by chance is not reproduced."""

from __future__ import annotations

import pandas as pd
import pytest

from mbedu.experiments import Options
from mbedu.experiments.beyond_networks import CLAIMS, _pair
from mbedu.experiments.demorais2008_thrombin import checks as thrombin
from mbedu.experiments.hassan2021_classification import WIDEST, row_checks
from mbedu.experiments.hassan2021_large import checks_7
from mbedu.experiments.liu2015_uci import METHODS, _average, _pairs, _share, _smaller
from mbedu.experiments.margaritis2009_fig1 import _comparable

YES, PARTLY, NO, OPEN = "reproduced", "same ranking, other level", "not reproduced", "not tried"


def network_table(better: list[float], worse: list[float]) -> pd.DataFrame:
    """Return a table of two algorithms on some networks."""
    claim = CLAIMS[0]
    rows = [
        {"part": "network", "network": f"n{i}", "rows": 200, "algorithm": name, "f1": value}
        for name, values in ((claim.better, better), (claim.worse, worse))
        for i, value in enumerate(values)
    ]
    means = [
        {"part": "all networks", "rows": 200, "algorithm": a, "f1": 0.5, "f1_low": 0.4, "f1_high": 0.6}
        for a in (claim.better, claim.worse)
    ]
    return pd.DataFrame([*rows, *({**m, "repeats": len(better)} for m in means)])


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ([0.1] * 14, YES),
        ([0.1] + [0.0] * 13, NO),  # better on one network, nowhere worse: chance
        ([0.01] * 9 + [-0.2] * 5, NO),  # better on most networks, worse in the mean
        ([0.2] * 8 + [-0.21] * 6, PARTLY),
        ([-0.1] * 14, NO),
    ],
)
def test_one_algorithm_above_another_over_the_networks(gains, verdict):
    """A claim holds by Wilcoxon's test, in direction by most networks and the mean, or not."""
    base = [0.5 + i / 1000 for i in range(14)]
    better = [b + g for b, g in zip(base, gains, strict=True)]
    assert _pair(network_table(better, base), CLAIMS[0]).verdict == verdict


@pytest.mark.parametrize(
    ("exact", "drawn", "half", "verdict"),
    [(0.97, 0.95, 0.05, YES), (0.97, 0.69, 0.2, PARTLY), (0.97, 0.3, 0.2, NO)],
)
def test_wide_intervals_that_overlap_do_not_make_means_comparable(exact, drawn, half, verdict):
    """GS and RGS are comparable when intervals overlap and means are near."""
    table = pd.DataFrame(
        [
            {"n": n, "algorithm": a, "f1": f, "f1_low": f - half, "f1_high": f + half, "repeats": 20}
            for n in (10, 100)
            for a, f in (("GS(3)", exact), ("RGS(3)", drawn))
        ]
    )
    assert _comparable(table, 3).verdict == verdict


def accuracies(lead: list[float]) -> pd.DataFrame:
    """Return accuracies of all methods on some data sets; WFSDMS is ahead of all others by `lead`."""
    rows = []
    for i, more in enumerate(lead):
        row: dict[str, object] = {"classifier": "cart", "data": f"d{i}"}
        row |= dict.fromkeys(METHODS, 80.0 + i)
        row |= {"WFSDMS": 80.0 + i + more, "size of Consistency": 5, "size of WFSDMS": 5 + round(more)}
        rows.append(row)
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("lead", "average", "pairs", "sizes"),
    [
        ([2.0, 2.1, 1.9, 2.0, 2.2], YES, YES, YES),
        ([9.0, -1.0, -1.0, -1.0, -1.0], PARTLY, NO, PARTLY),  # first in the mean because of one data set
        ([-2.0, -2.1, -1.9, -2.0, -2.2], NO, NO, NO),
        ([2.0, 2.0], OPEN, OPEN, OPEN),  # two data sets
    ],
)
def test_a_rank_that_hangs_on_one_data_set_is_not_reproduced(lead, average, pairs, sizes):
    """To be first means to be ahead by more than chance over the data sets, and most pairs to be won."""
    table = accuracies(lead)
    assert _average(table, "cart").verdict == average
    assert _pairs(table, "cart").verdict == pairs
    assert _smaller(table).verdict == sizes


def test_two_of_six_data_sets_tell_no_share():
    """The interval of two of six reaches from a tenth to seven tenths and confirms no printed share."""
    found = _share("SVM", "Table III", "svm", ["wine", "wpbc"], 6)
    assert found.verdict == NO
    assert "too wide to confirm" in found.note


def test_a_gain_in_an_interval_with_no_gain_is_not_reproduced():
    """A printed gain of 12.6 points is not reproduced by 3 points that may be none."""
    table = pd.DataFrame(
        [
            {"data": "Statlog", "method": m, "repeats": 5, "ours": 0.7, "ours_low": 0.68, "ours_high": 0.72}
            | {"gain": g, "gain_low": g - h, "gain_high": g + h}
            for m, g, h in (("All", 0.0, 0.0), ("PPFS", 0.033, 0.106))
        ]
    )
    level, gain = row_checks(
        table,
        "Statlog",
        {"All": 0.711, "PPFS": 0.837},
        what="accuracy",
        rounding=0.0005,
        place="Table 2",
        note="",
        widest=WIDEST,
    )
    assert (level.verdict, gain.verdict) == (YES, NO)
    assert "too wide to confirm it: PPFS; cannot be told from no difference: PPFS" in gain.note


def test_a_number_of_features_in_a_wide_interval_is_not_reproduced():
    """Twelve of 500 is not reproduced by 4.2, give or take 8.4."""
    row = {"data": "Madelon", "ours": 4.2, "ours_low": -4.2, "ours_high": 12.6, "repeats": 5}
    found = {c.what: c for c in checks_7(pd.DataFrame([{**row, "of columns": 500}]), Options())}
    assert found["features of PPFS, Madelon"].verdict == NO
    assert found["features of PPFS, Arcene"].verdict == OPEN


def orders(answers: list[str]) -> pd.DataFrame:
    """Return the table of THROMBIN with these answers."""
    sizes = [len(a.split(", ")) for a in answers]
    low, high, mean = min(sizes), max(sizes), sum(sizes) / len(sizes)
    rows = [
        {"order": str(i), "members": a, "answer": s}
        for i, (a, s) in enumerate(zip(answers, sizes, strict=True))
    ]
    last = {"order": "mean", "repeats": len(sizes), "answer": mean, "answer_low": low, "answer_high": high}
    for other, value in (("PCS", 21), ("SPS", 39), ("balanced", 80)):
        last |= {other: value, f"{other}_low": value - 1, f"{other}_high": value + 1}
    return pd.DataFrame([*rows, last])


def test_answers_of_all_sizes_are_not_five_each_time():
    """Different sets of 4 to 10 features, with little in common, are not what is printed."""
    wild = orders(
        ["a, b, c, d", "e, f, g, h, i, j", "k, l, m, n, o, p, q, r", "s, t, u, v, w, x, y, z, 1, 2"]
    )
    found = {c.what: c.verdict for c in thrombin(wild, Options())}
    assert found["the answers of different orders"] == NO
    assert found["MBOR's answer"] == NO
    assert found["SPS"] == YES
    tame = orders(["a, b, c, d, e", "a, b, c, d, f", "a, b, c, g, f"])
    found = {c.what: c.verdict for c in thrombin(tame, Options())}
    assert found["the answers of different orders"] == found["MBOR's answer"] == YES
