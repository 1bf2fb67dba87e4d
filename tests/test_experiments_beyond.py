"""All algorithms on all networks: the choice among them, the ranks, a tiny run."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from mbedu.experiments import get_experiment, reproduce
from mbedu.experiments.beyond_choice import as_good_as_best, holm, which_when
from mbedu.experiments.beyond_networks import ALGORITHMS
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
    assert outcome.times is not None
    assert set(outcome.times["algorithm"]) == set(ALGORITHMS)
