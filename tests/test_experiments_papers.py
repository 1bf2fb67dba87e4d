"""Small versions of the reproduced figures of margaritis2009 and pocock2012, and laws that hold in them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbedu.experiments import Options, get_experiment, reproduce
from mbedu.experiments import margaritis2009_fig1 as fig1
from mbedu.experiments import margaritis2009_fig2_isolation as isolation
from mbedu.experiments import pocock2012_protocol as protocol
from mbedu.experiments import pocock2012_table1 as table1
from mbedu.experiments.cached_judge import CachedJudge


def small(name, keep):
    """Return an experiment with the cells that `keep` likes."""
    whole = get_experiment(name)
    return replace(whole, grid=lambda options: [c for c in whole.grid(options) if keep(c)])


# --- margaritis2009 -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    def keep(c):
        return c["n"] in (10, 20) and c["data"] < 4 and c["level"] == "1e-3" and c["df"] == "adjusted"

    return reproduce(small("margaritis2009-fig1", keep), workers=1, out=tmp_path_factory.mktemp("fig1"))


def test_gs_and_rgs_with_margin_one_are_the_same(sizes):
    """With m = 1 there are fewer sets than draws, so RGS tries them all and gives GS's answer."""
    frame = sizes.cells.frame()
    for _, group in frame.groupby(["n", "data"]):
        rows = group.set_index("algorithm")
        assert rows.loc["GS(1)", "f1"] == rows.loc["RGS(1)", "f1"]


def test_gs_with_margin_three_finds_the_parity_that_one_misses(sizes):
    """In small domains GS(3) finds the three members and GS(1) does not."""
    table = sizes.table.set_index(["n", "algorithm"])
    assert (table.loc[[(10, "GS(3)"), (20, "GS(3)")], "f1"] > 0.9).all()
    assert (table.loc[[(10, "GS(1)"), (20, "GS(1)")], "f1"] < 0.5).all()
    assert (sizes.folder / "figure.svg").exists()
    assert (sizes.folder / "times.svg").exists()


def test_all_settings_of_a_data_set_see_the_same_rows():
    """Cells that differ only in level, df rule and reliability rule have the same seed."""
    cells = fig1.EXPERIMENTS[0].grid(Options(reading="biased"))
    seeds = {}
    for c in cells:
        seeds.setdefault((c["n"], c["data"]), set()).add(fig1.EXPERIMENTS[0].seed_of(c, 0))
    assert all(len(s) == 1 for s in seeds.values())
    assert len({next(iter(s)) for s in seeds.values()}) == len(seeds)


def test_the_full_protocol_is_the_papers():
    """In full: ten sizes, twenty data sets, five levels, both df rules; thirty and ten trials in Table 1."""
    cells = fig1.EXPERIMENTS[0].grid(Options(full=True, reading="biased"))
    assert {c["n"] for c in cells} == set(range(10, 101, 10))
    assert {c["data"] for c in cells} == set(range(20))
    assert len(cells) == 10 * 20 * 5 * 2 * 2
    cells = table1.EXPERIMENTS[0].grid(Options(full=True, reading="bits"))
    assert len(cells) == 10 * 30 + 9 * 10
    cells = get_experiment("pocock2012-fig2").grid(Options(full=True, reading="bits"))
    assert len(cells) == 4 * (10 * 30 + 9 * 10)


def test_noise_small(tmp_path):
    """Without noise GS(3) and RELIEVED see the members, and GS(1) does not."""
    tiny = small("margaritis2009-fig2-left", lambda c: c["noise"] in (0.0, 0.4) and c["data"] < 3)
    outcome = reproduce(tiny, workers=1, out=tmp_path)
    table = outcome.table.set_index(["noise", "algorithm"])
    assert table.loc[(0.0, "GS(3)"), "f1"] == 1.0
    assert table.loc[(0.0, "RELIEVED(0.01)"), "recall"] == 1.0
    assert table.loc[(0.0, "GS(1)"), "f1"] < 0.5
    assert len(outcome.checks) == 7


def test_isolation_small(tmp_path):
    """On MONK's problem 1 every method is measured for every variable, both ways of counting."""
    tiny = small("margaritis2009-fig2-isolation", lambda c: c["data"] == "monk-1")
    outcome = reproduce(tiny, workers=1, out=tmp_path)
    assert outcome.table["variable"].tolist() == ["a1", "a2", "a3", "a4", "a5", "a6", "class"]
    assert outcome.missing
    label = outcome.table.set_index("variable").loc["class"]
    assert label["GS(3) size"] == 3


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_isolation_counts_vacuous_tests_both_ways(seed):
    """The mean with vacuous tests as 1 is the mean of the real ones pulled up by their share."""
    import pandas as pd

    from mbedu.citests import ChiSquare

    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 2, (12, 6)), columns=list("TABCDE"))
    for given_ in (frozenset(), frozenset("AB"), frozenset("ABCD"), frozenset("ABCDE")):
        counted, left, vacuous, tried = isolation.isolation(ChiSquare(frame), "T", given_, seed=0)
        if tried == 0:
            assert (counted, left) == (1.0, None)
        elif left is None:
            assert (counted, vacuous) == (1.0, tried)
        else:
            assert counted == pytest.approx((left * (tried - vacuous) + vacuous) / tried)


# --- pocock2012 ---------------------------------------------------------------------------------------------


def test_the_toy_does_what_the_prose_says():
    """With bits every sentence about the toy holds, but that X2 is removed: at t = 0.02 it is not in."""
    outcome = reproduce("pocock2012-toy", workers=1)
    assert [c.what for c in outcome.checks if c.verdict != "reproduced"] == ["X2 down"]
    assert len(outcome.checks) == 8


def test_the_printed_table_adds_up():
    """Each printed triple adds up to 30 or 10, up to rounding, and each mean is that of its column."""
    for size, row in table1.PRINTED.items():
        small_ = size == "mean of 10 to 100" or (isinstance(size, int) and size <= 100)
        for text in row:
            assert abs(sum(map(int, text.split("/"))) - (30 if small_ else 10)) <= 1
    for mean, listed in (("mean of 10 to 100", table1.SMALL), ("mean of 200 to 1000", table1.LARGE)):
        for column, text in enumerate(table1.PRINTED[mean]):
            for place, value in enumerate(map(int, text.split("/"))):
                numbers = [int(table1.PRINTED[s][column].split("/")[place]) for s in listed]
                assert abs(np.mean(numbers) - value) <= 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["asia", "insurance"]), st.sampled_from(protocol.KINDS))
def test_remembering_changes_no_answer(seed, name, kind):
    """IAMB and IAMB-IP give the same boundary through a judge that remembers as without it."""
    import mbedu as mb

    net = mb.load_network(name)
    judge = mb.MutualInformation(net.sample(60, seed=seed), 0.02, unit="bits")
    targets = protocol.valid_targets(net)
    rng = np.random.default_rng(seed)
    target = list(targets)[int(rng.integers(len(targets)))]
    others = [v for v in net.variables if v != target and v not in targets[target]]
    remembering = CachedJudge(judge)
    assert mb.run("iamb", remembering, target).boundary == mb.run("iamb", judge, target).boundary
    for _ in range(3):
        weights = dict(protocol.random_prior(kind, targets[target], others, rng))
        a, b = (mb.run("iamb_ip", j, target, unit="bits", weights=weights) for j in (remembering, judge))
        assert a.boundary == b.boundary
        assert a.n_asked == b.n_asked
    before = remembering.asked
    mb.run("iamb_ip", remembering, target, unit="bits", weights=weights)
    assert remembering.asked == before  # it never asks what it knows


@pytest.mark.parametrize(("size", "trial"), [(300, 5), (1000, 5)])
def test_an_information_of_exactly_t_is_not_above_it_in_any_engine(size, trial):
    """Data sets that have an information of exactly t give the same tallies with numba and with NumPy."""
    pytest.importorskip("numba")
    params = {"network": "hailfinder", "size": size, "trial": trial, "unit": "bits", "priors": 40}
    seed = table1.EXPERIMENTS[0].seed_of(params, 0)
    one, other = (protocol.cell({**params, "engine": engine}, seed) for engine in ("numba", "numpy"))
    assert one == other


@given(st.sampled_from(protocol.KINDS), st.integers(0, 1000))
def test_a_prior_is_what_its_name_says(kind, seed):
    """The first piece of knowledge is a true positive; the second is what the name says; they differ."""
    members, others = ("A", "B", "C"), ("X", "Y")
    (first, up), (second, sign) = protocol.random_prior(kind, members, others, np.random.default_rng(seed))
    assert (first in members, up) == (True, 1)
    assert first != second
    expected = {"2TP": (True, 1), "TPTN": (False, -1), "TPFN": (True, -1), "TPFP": (False, 1)}
    assert (second in members, sign) == expected[kind]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.floats(0, 1))
def test_a_win_is_a_loss_seen_from_the_other_side(values, alone):
    """Turning all numbers around turns wins into losses; a constant wins if and only if it is larger."""
    flip = {"win": "loss", "loss": "win", "draw": "draw"}
    assert protocol.outcome([-v for v in values], -alone) == flip[protocol.outcome(values, alone)]
    assert protocol.outcome([0.5] * 40, 0.5) == "draw"
    assert protocol.outcome([0.1 + 0.2] * 40, 0.3) == "draw"  # rounding wins nothing
    assert protocol.outcome([0.51] * 40, 0.5) == "win"


def test_table1_small(tmp_path):
    """A few data sets of Table 1 add up to all targets, in each trial and for each prior."""
    tiny = small("pocock2012-table1", lambda c: c["size"] in (10, 200) and c["trial"] < 2)
    tiny = replace(tiny, grid=lambda o, g=tiny.grid: [{**c, "priors": 5} for c in g(o)])
    outcome = reproduce(tiny, workers=1, out=tmp_path)
    frame = outcome.cells.frame()
    assert (frame[["win", "draw", "loss"]].sum(axis=1) == frame["targets"]).all()
    assert set(frame["targets"]) == {43}
    assert outcome.table["printed"].iloc[0] == "16/14/0"
    assert len(outcome.checks) == 10


def test_fig2_small(tmp_path):
    """One data set of two networks goes all the way to the figure."""
    tiny = small(
        "pocock2012-fig2",
        lambda c: c["size"] in (10, 200) and c["trial"] < 2 and c["network"] in ("alarm", "insurance"),
    )
    tiny = replace(tiny, grid=lambda o, g=tiny.grid: [{**c, "priors": 5} for c in g(o)])
    outcome = reproduce(tiny, workers=1, out=tmp_path)
    total = outcome.table[["win", "draw", "loss"]].sum(axis=1)
    assert np.allclose(total, 1)
    assert (outcome.folder / "figure.svg").exists()
