"""The experiments of demorais2008: noisy-MAX tables, naive Bayes and its measures, tiny runs."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbedu.algorithms.pc_superset import pc_superset
from mbedu.algorithms.sp_superset import sp_superset
from mbedu.experiments import DataFolder, DataMissing, get_experiment, reproduce
from mbedu.experiments.carpo import noisy_max, read_noisy_max
from mbedu.experiments.demorais2008_bayes import (
    cross_validate,
    kappa,
    mdl_cuts,
    mdl_discretise,
    naive_bayes,
    relative_absolute_error,
)
from mbedu.experiments.demorais2008_thrombin import Watching
from mbedu.experiments.framework_files import folder_of
from mbedu.networks.tables import NetworkError

# --- noisy-MAX -------------------------------------------------------------------------------------------


def rows(states: int):
    """Distributions over so many states, as Fractions."""
    whole = st.lists(st.integers(0, 6), min_size=states, max_size=states).filter(sum)
    return whole.map(lambda weights: [Fraction(w, sum(weights)) for w in weights])


@given(st.data())
@settings(max_examples=40)
def test_noisy_max_is_the_distribution_of_a_maximum(data):
    """Each row is that of max(leak, what each active cause makes), by enumerating all of them."""
    states = data.draw(st.integers(2, 3))
    cards = data.draw(st.lists(st.integers(2, 3), min_size=1, max_size=3))
    leak = data.draw(rows(states))
    causes = [[data.draw(rows(states)) for _ in range(card - 1)] for card in cards]
    table = noisy_max(leak, causes)
    for values in product(*map(range, cards)):
        parts = [leak, *(causes[i][value - 1] for i, value in enumerate(values) if value)]
        expected = [Fraction(0)] * states
        for outcome in product(range(states), repeat=len(parts)):
            expected[max(outcome)] += math.prod(part[o] for part, o in zip(parts, outcome, strict=True))
        found = table
        for value in values:
            found = found[value]
        assert found == expected


BIF = """
network small {}
variable A { type discrete [ 2 ] { 0, 1 }; }
variable B { type discrete [ 3 ] { 0, 1, 2 }; }
variable C { type discrete [ 3 ] { 0, 1, 2 };
  property cost = 0;
}
variable D { type discrete [ 2 ] { 0, 1 }; }
variable alone { type discrete [ 2 ] { 0, 1 }; }
probability ( A   ) {
  table 0.8999999762 , 0.1000000015;  // Leak term
}
probability ( B | A ) {
  (0) 0.5, 0.25, 0.25;
  (1) 1, 0, 0;
}
probability ( C | A , B ) {
  property function max;
  (0, 0) 0.5 , 0.25 , 0.25;  // Leak term
  (1, 0) 0.2 , 0.4 , 0.4;
  (0, 1) 0.5 , 0.5 , 0;
  (0, 2) 0 , 0.5 , 0.5;
}
probability ( D | C ) {
  property function max;
  (0) 1 , 0;
  (1) 0.5 , 0.5;
  (2) 0.25 , 0.75;
}
"""


def test_a_small_noisy_max_file_by_hand(tmp_path):
    """Leak, plain tables, causes with several values, single precision and a variable without a table."""
    file = tmp_path / "small.bif"
    file.write_text(BIF, encoding="utf-8")
    net = read_noisy_max(file)
    assert net.variables == ("A", "B", "C", "D", "alone")
    assert net.exact_cpt("A").tolist() == [9, 1]
    assert net.exact_cpt("alone").tolist() == [1, 1]
    assert net.exact_cpt("B").tolist() == [[2, 1, 1], [4, 0, 0]]
    c = net.table("C").probabilities().reshape(2, 3, 3)
    # F of the leak (.5, .75, 1), of A (.2, .6, 1), of B = 1 (.5, 1, 1), of B = 2 (0, .5, 1)
    np.testing.assert_allclose(c[0, 0], [0.5, 0.25, 0.25])
    np.testing.assert_allclose(c[1, 0], [0.1, 0.35, 0.55])
    np.testing.assert_allclose(c[0, 2], [0.0, 0.375, 0.625])
    np.testing.assert_allclose(c[1, 1], [0.05, 0.4, 0.55])
    np.testing.assert_allclose(net.table("D").probabilities(), [[1, 0], [0.5, 0.5], [0.25, 0.75]])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(0, 2) 0 , 0.5 , 0.5;", "", "'C'"),
        ("(1) 1, 0, 0;", "(1) 1, 0;", "2 numbers for the 3 states"),
        ("table 0.8999999762 , 0.1000000015;", "", "'A'"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, old, new, says):
    """The error names the variable whose table cannot be read."""
    file = tmp_path / "small.bif"
    file.write_text(BIF.replace(old, new), encoding="utf-8")
    with pytest.raises(NetworkError, match=says):
        read_noisy_max(file)


# --- naive Bayes and its measures ------------------------------------------------------------------------

codes = st.integers(0, 10**6).map(np.random.default_rng)


@given(codes)
@settings(max_examples=25, deadline=None)
def test_naive_bayes_is_that_of_scikit_learn(rng):
    """The same probabilities as CategoricalNB with α = 1, when it is given the same smoothed prior."""
    from sklearn.naive_bayes import CategoricalNB

    n, classes, cards = 30, 3, rng.integers(2, 5, size=4)
    X = np.column_stack([rng.integers(0, c, n) for c in cards])
    y = rng.integers(0, classes, n)
    y[:classes] = range(classes)  # scikit-learn leaves out a class without rows
    test = np.column_stack([rng.integers(0, c, 7) for c in cards])
    ours = naive_bayes(X, y, cards=cards, classes=classes, test=test)
    prior = (np.bincount(y, minlength=classes) + 1) / (n + classes)
    theirs = CategoricalNB(alpha=1.0, min_categories=cards, class_prior=prior).fit(X, y).predict_proba(test)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@given(codes)
@settings(max_examples=50, deadline=None)
def test_kappa_is_that_of_scikit_learn(rng):
    """Cohen's kappa, except that ours is 0 where scikit-learn's is undefined."""
    from sklearn.metrics import cohen_kappa_score

    y, predicted = rng.integers(0, 3, 20), rng.integers(0, 3, 20)
    assert kappa(y, predicted) == pytest.approx(cohen_kappa_score(y, predicted), abs=1e-12)
    assert kappa(np.zeros(5, int), np.zeros(5, int)) == 0.0


def test_relative_absolute_error_by_hand():
    """Sum of |p − truth| over rows and classes, by the same of the prior: 0.6 / 1.2 here."""
    y = np.array([0, 2])
    chance = np.array([[0.8, 0.1, 0.1], [0.1, 0.0, 0.9]])
    prior = np.array([[0.7, 0.2, 0.1], [0.2, 0.1, 0.7]])
    assert relative_absolute_error(y, chance, prior) == pytest.approx(0.6 / 1.2)
    assert relative_absolute_error(y, prior, prior) == 1.0


def test_without_features_the_prior_predicts():
    """No features: the commonest class, kappa 0 and, up to the folds, all of the prior's error."""
    y = np.repeat([0, 1], [30, 10])
    found = cross_validate(np.zeros((40, 0), int), y, np.zeros(0, int), seed=1)
    assert found["hit rate"] == 75.0
    assert found["kappa"] == 0.0
    assert found["rel. abs. error"] == pytest.approx(100)


def slow_cuts(values, y):
    """Fayyad and Irani's rule again, from the formulas, with lists."""

    def entropy(labels):
        shares = [labels.count(c) / len(labels) for c in set(labels)]
        return -sum(p * math.log2(p) for p in shares)

    pairs = sorted(zip(values, y, strict=True), key=lambda pair: pair[0])

    def split(part):
        labels = [c for _, c in part]
        n, best = len(part), None
        for i in range(1, n):
            if part[i][0] > part[i - 1][0]:
                after = (i * entropy(labels[:i]) + (n - i) * entropy(labels[i:])) / n
                if best is None or after < best[0] - 1e-12:
                    best = after, i
        if best is None:
            return []
        after, i = best
        parts = labels, labels[:i], labels[i:]
        k, k1, k2 = (len(set(p)) for p in parts)
        e, e1, e2 = (entropy(p) for p in parts)
        if e - after <= (math.log2(n - 1) + math.log2(3**k - 2) - (k * e - k1 * e1 - k2 * e2)) / n:
            return []
        return [*split(part[:i]), (part[i - 1][0] + part[i][0]) / 2, *split(part[i:])]

    return split(pairs)


@given(codes, st.integers(2, 60), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_cuts_by_minimum_description_length(rng, n, classes):
    """The cuts are those of the formulas written out, and move with the values."""
    y = np.sort(rng.integers(0, classes, n))
    values = np.round(y + rng.normal(0, 0.4, n), 2)
    found = mdl_cuts(values, y)
    assert found == pytest.approx(slow_cuts(values.tolist(), y.tolist()))
    assert mdl_cuts(4 * values - 1, y) == pytest.approx([4 * cut - 1 for cut in found])


def test_discretised_columns_have_a_level_for_each_interval():
    """One cut makes two levels, no cut a constant; categories stay as they are."""
    import pandas as pd

    y = np.repeat(["a", "b"], 10)
    frame = pd.DataFrame({"sharp": np.arange(20.0), "flat": np.zeros(20), "label": pd.Categorical(y)})
    found = mdl_discretise(frame, y)
    assert found["sharp"].cat.codes.tolist() == [0] * 10 + [1] * 10
    assert len(found["flat"].cat.categories) == 1
    assert found["label"].equals(frame["label"])


# --- tiny runs -------------------------------------------------------------------------------------------


def test_figure_1_without_data_says_that_carpo_is_missing(tmp_path):
    """What can be had is run; two workers write the same bytes as one."""
    full = get_experiment("demorais2008-fig1")
    tiny = replace(full, grid=lambda o: [c for c in full.grid(o) if c["network"] == "asia" and c["run"] < 2])
    outcome = reproduce(tiny, workers=1, out=tmp_path / "one", progress=False)
    reproduce(tiny, workers=2, out=tmp_path / "two", progress=False)
    for name in ("cells.jsonl", "table.csv", "summary.json", "figure.svg"):
        one, two = (folder_of(tmp_path / d, tiny, outcome.options) / name for d in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), name
    assert outcome.missing == ("carpo: networks/carpo.bif",)
    verdicts = {check.what: check.verdict for check in outcome.checks}
    assert verdicts["CARPO"] == "not tried"
    assert verdicts["INSULINE, variable IPA, 1000 rows"] == "not tried"
    forgetful = outcome.table.query("algorithm == 'PCMB, forgetful' and network == 'asia' and group == 'all'")
    remembering = outcome.table.query("algorithm == 'PCMB' and network == 'asia' and group == 'all'")
    assert (forgetful["missing"].to_numpy() == remembering["missing"].to_numpy()).all()
    assert (forgetful["asked"].to_numpy() > remembering["asked"].to_numpy()).all()


def test_table_2_on_what_can_be_generated():
    """Tic-tac-toe needs no data folder; on it MBOR is the best, as printed."""
    full = get_experiment("demorais2008-table2")
    tiny = replace(
        full, grid=lambda o: [c for c in full.grid(o) if c["data"] == "tic-tac-toe" and c["run"] < 3]
    )
    outcome = reproduce(tiny, workers=1, progress=False)
    hit = outcome.table.query("measure == 'hit rate'").set_index("algorithm")["ours"]
    assert hit["MBOR"] > max(hit["PCMB"], hit["InterIAMB"])
    assert {c.verdict for c in outcome.checks if c.what.startswith("car,")} == {"not tried"}
    assert all(c.verdict != "not tried" for c in outcome.checks if c.what.startswith("tic-tac-toe"))


def test_thrombin_says_what_it_needs():
    """Without the data there is nothing to run, and the message says where they belong."""
    with pytest.raises(DataMissing, match=r"thrombin/thrombin_X\.npz"):
        reproduce("demorais2008-thrombin", progress=False)


def test_the_supersets_that_the_door_keeps_are_those_of_the_procedures():
    """Watching a run of MBOR sees the PCS and SPS that PCSuperset and SPSuperset return."""
    import mbedu as mb
    from mbedu.algorithms.mbor import mbor

    judge = mb.DSeparation(mb.load_network("alarm"))
    door = Watching(judge)
    answer = frozenset(mbor(door, "HRBP"))
    PCS, dSep = pc_superset(mb.Ask(judge), "HRBP")
    SPS = sp_superset(mb.Ask(judge), "HRBP", PCS=PCS, dSep=dSep)
    assert (set(door.made["PCS"]), set(door.made["SPS"])) == (set(PCS), set(SPS))
    assert answer == mb.run("mbor", judge, "HRBP").boundary


def test_a_small_thrombin(tmp_path):
    """On a small sparse table of the same form two columns that decide the target are found."""
    from scipy.sparse import csr_matrix, save_npz

    rng = np.random.default_rng(0)
    X = (rng.random((400, 12)) < 0.4).astype(np.int8)
    y = ((X[:, 2] & X[:, 5]) ^ (rng.random(400) < 0.02)).astype(np.int8)
    folder = tmp_path / "thrombin"
    folder.mkdir()
    save_npz(folder / "thrombin_X.npz", csr_matrix(X))
    np.save(folder / "thrombin_y.npy", y)
    outcome = reproduce("demorais2008-thrombin", data=tmp_path, workers=1, progress=False)
    members = outcome.table.query("order != 'mean'")["members"]
    assert set(members) == {"f3, f6"}
    assert DataFolder(tmp_path).has("thrombin")
    assert [c.verdict for c in outcome.checks][-3:] == ["not tried"] * 3
