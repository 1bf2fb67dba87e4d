"""All algorithms on all networks: the choice among them, the ranks, a tiny run."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mbedu.experiments import get_experiment, reproduce
from mbedu.experiments.beyond_choice import as_good_as_best, holm, which_when
from mbedu.experiments.beyond_networks import ALGORITHMS
from mbedu.experiments.beyond_plots import draw_ranks
from mbedu.experiments.framework_files import folder_of

p_values = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=2), st.floats(0, 1), max_size=8)


@given(p_values)
def test_holm_rejects_between_bonferroni_and_no_correction(found):
    """What Bonferroni rejects Holm does; what Holm rejects is below the level; smaller ones go first."""
    rejected = holm(found)
    assert {n for n, p in found.items() if p <= 0.05 / len(found)} <= rejected
    assert all(found[n] <= 0.05 for n in rejected)
    kept = [p for n, p in found.items() if n not in rejected]
    assert all(found[n] <= p for n in rejected for p in kept)


@given(p_values)
def test_holm_is_that_of_statsmodels(found):
    """The same are rejected as by an implementation of others."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    theirs = multitest.multipletests(list(found.values()), 0.05, method="holm")[0] if found else []
    assume(all(abs(p - 0.05 / k) > 1e-9 for p in found.values() for k in range(1, 9)))  # a tie by rounding
    assert holm(found) == {n for n, rejected in zip(found, theirs, strict=True) if rejected}


@pytest.mark.parametrize(
    ("found", "rejected"),
    [
        ([0.01, 0.02, 0.04], [0, 1, 2]),  # 0.01 ≤ 0.05/3, 0.02 ≤ 0.05/2, 0.04 ≤ 0.05
        ([0.01, 0.03, 0.04], [0]),  # 0.03 > 0.05/2 stops it, also for the 0.04 that is below 0.05
        ([0.04, 0.01, 0.03], [1]),  # in any order
        ([0.02, 0.02, 0.02], []),  # 0.02 > 0.05/3
        ([0.05], [0]),
        ([], []),
    ],
)
def test_holm_by_hand(found, rejected):
    """The i-th smallest of m is held against 0.05/(m − i), and the first that fails keeps all after it."""
    assert holm({str(i): p for i, p in enumerate(found)}) == {str(i) for i in rejected}


def test_the_diagram_of_ranks_shows_every_method_and_bar():
    """Each method is named once beside its mean rank; a bar joins those that cannot be told apart."""
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    ranks = {"A": 1.2, "B": 2.4, "C": 2.5, "D": 3.9}
    draw_ranks(axes, ranks, 1.5, [["A", "B", "C"], ["B", "C", "D"]])
    words = [t.get_text().strip() for t in axes.texts]
    assert [w for w in words if w[0] in ranks] == ["A 1.20", "B 2.40", "C 2.50", "D 3.90"]
    assert {"2", "3"} <= set(words)
    assert "critical difference 1.50 (Nemenyi, 0.05)" in words
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 3]
    assert [[round(float(x), 2) for x in bar] for bar in bars] == [[1.16, 2.54], [2.36, 3.94]]
    low, high = axes.get_xlim()
    assert all(low < t.get_position()[0] < high for t in axes.texts)


def test_the_best_is_among_those_as_good_as_the_best():
    """A worse one on every problem is told apart, a copy of the best is not."""
    good = [0.9, 0.8, 0.85, 0.7, 0.95, 0.6, 0.75, 0.88]
    best, equal = as_good_as_best({"bad": [v - 0.3 for v in good], "good": good, "twin": good})
    assert (best, equal) == ("good", ["good", "twin"])


def test_the_advice_is_the_cheapest_near_the_best():
    """Of those that cannot be told apart, the one with the fewest tests within 0.05 of the best F1."""
    scores = {"slow": 0.90, "quick": 0.87, "poor": 0.60}
    asked = {"slow": 900, "quick": 90, "poor": 9}
    frame = pd.DataFrame(
        [
            {"network": f"n{i}", "rows": 200, "algorithm": a, "f1": s - i / 100, "asked": asked[a]}
            for i in range(4)  # too few networks to tell anything apart
            for a, s in scores.items()
        ]
    )
    row = which_when({"up to 4": frame}).iloc[0]
    assert row["algorithm"] == "slow"
    assert row["not told apart from it"] == "quick, poor"
    assert row["fewest tests within 0.05 of its F1"].startswith("quick (90")


def test_a_tiny_run_has_every_part_and_is_the_same_twice(tmp_path):
    """Advice, ranks, means and networks are there; two workers write the same bytes as one."""
    full = get_experiment("beyond-networks")
    tiny = replace(
        full,
        grid=lambda o: [
            {**c, "targets": 3}
            for c in full.grid(o)
            if c["network"] in ("asia", "cancer", "sachs") and c["rows"] == 200 and c["data"] == 0
        ],
    )
    outcome = reproduce(tiny, workers=1, out=tmp_path / "one", progress=False)
    reproduce(tiny, workers=2, out=tmp_path / "two", progress=False)
    for name in ("cells.jsonl", "table.csv", "summary.json", "figure.svg"):
        one, two = (folder_of(tmp_path / d, tiny, outcome.options) / name for d in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), name
    table = outcome.table
    assert list(dict.fromkeys(table["part"])) == ["which when", "rank", "all networks", "network"]
    ranks = table.query("part == 'rank'")
    assert set(ranks["algorithm"]) == set(ALGORITHMS)
    assert abs(ranks["rank"].mean() - (len(ALGORITHMS) + 1) / 2) < 1e-9
    each = table.query("part == 'network'")
    assert ((each["f1"] >= 0) & (each["f1"] <= 1)).all()
    said = (folder_of(tmp_path / "one", tiny, outcome.options) / "summary.json").read_text(encoding="utf-8")
    best = table.query("part == 'which when'").iloc[0]["algorithm"]
    assert f"Boundaries of up to 4, 200 rows: {best} (F1 " in said
    assert outcome.times is not None
    assert set(outcome.times["algorithm"]) == set(ALGORITHMS)
