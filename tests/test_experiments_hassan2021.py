"""The experiments of hassan2021: selectors, scores, the reference implementation, tiny runs of each table."""

from __future__ import annotations

import importlib
import math
import re
import sys
import types
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbedu.experiments import DataFolder, get_experiment, reproduce
from mbedu.experiments.hassan2021_classification import reference_check
from mbedu.experiments.hassan2021_methods import (
    choose_features,
    cv_interval,
    fold_scores,
    folds_interval,
    load,
    reference_note,
)
from mbedu.experiments.stats import mean_interval, prediction_interval

METHODS = ("All", "PIFS", "SFS", "MMB", "PPFS")


def labelled(n: int = 120, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """One numeric and one categorical column that matter, and two that do not."""
    rng = np.random.default_rng(seed)
    signal, kind = rng.normal(size=n), rng.integers(0, 2, n)
    X = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "signal": signal,
            "kind": pd.Categorical.from_codes(kind, categories=["u", "v"]),
            "more": rng.normal(size=n),
        }
    )
    y = np.where(signal + 1.5 * kind + 0.3 * rng.normal(size=n) > 0.75, "yes", "no")
    return X, pd.Series(y, dtype=object)


def numbers(n: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    """Return a regression problem in which one column matters."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X, 3 * X["b"] + 0.1 * rng.normal(size=n)


@pytest.fixture
def folder(tmp_path):
    """A data folder with small files in the form of the real ones."""
    from scipy.io import savemat

    (tmp_path / "uci").mkdir()
    X, y = labelled(80)
    head = "".join(f"@attribute {c} {'{u,v}' if c == 'kind' else 'real'}\n" for c in X.columns)
    body = "\n".join(",".join([*map(str, row), label]) for row, label in zip(X.to_numpy(), y, strict=True))
    (tmp_path / "uci" / "heart.statlog.arff").write_text(
        f"@relation heart\n{head}@attribute class {{no,yes}}\n@data\n{body}\n", encoding="utf-8"
    )
    (tmp_path / "effort").mkdir()
    X, y = numbers(40)
    body = "\n".join(",".join(map(str, [*row, e])) for row, e in zip(X.to_numpy(), y, strict=True))
    (tmp_path / "effort" / "maxwell.arff").write_text(
        "@relation m\n@attribute a real\n@attribute b real\n@attribute c real\n@attribute Effort real\n"
        f"@data\n{body}\n",
        encoding="utf-8",
    )
    (tmp_path / "nips2003").mkdir()
    rng = np.random.default_rng(2)
    wide = rng.integers(0, 50, size=(60, 205))
    savemat(
        tmp_path / "nips2003" / "madelon.mat",
        {"X": wide, "Y": np.where(wide[:, 7] + wide[:, 100] > 49, 1, -1)[:, None]},
    )
    return tmp_path


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_what_matters(method):
    """Each method returns names of columns, in their order; one that decides the label is among them."""
    X, y = labelled()
    found = choose_features(method, X, y, model="cart", B=10, K=0, seed=0, inner=3)
    assert "signal" in found
    assert found == [v for v in X.columns if v in found]
    assert found == choose_features(method, X, y, model="cart", B=10, K=0, seed=0, inner=3)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_works_for_numbers(method):
    """Where the target is a number the column that makes it is found, too."""
    X, y = numbers()
    assert "b" in choose_features(method, X, y, model="svm", B=10, K=0, seed=0, inner=3)


def test_scores_are_what_a_perfect_and_an_empty_answer_deserve():
    """All features predict well; no feature predicts the commonest class, or the mean."""
    from mbedu.experiments.hassan2021_methods import score

    X, y = labelled()
    rows = fold_scores(X, y, "All", reading="inside", model="svm", B=5, K=0, folds=4, seed=3)
    assert [row["fold"] for row in rows] == [0, 1, 2, 3]
    assert all(row["features"] == 4 for row in rows)
    assert np.mean([row["score"] for row in rows]) > 0.85
    commonest = y.mode().iloc[0]
    empty = score(X[[]], y, X[[]], y.to_numpy(), model="cart", seed=0)
    assert empty == pytest.approx((y == commonest).mean())
    X, y = numbers()
    assert score(X[[]], y, X[[]], y.to_numpy(), model="svm", seed=0) == pytest.approx(y.var(ddof=0))


def test_the_whole_reading_selects_once():
    """Selected from all rows, every fold has the same features."""
    X, y = labelled(60)
    rows = fold_scores(X, y, "PPFS", reading="whole", model="cart", B=5, K=0, folds=3, seed=1)
    assert len({row["features"] for row in rows}) == 1


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.integers(2, 10))
def test_the_interval_of_further_folds_is_wider_than_that_of_the_mean(values, k):
    """It contains the interval of the mean, and for very many further folds equals it."""
    folds, mean = folds_interval(values, k), mean_interval(values)
    assert folds.low <= mean.low <= mean.high <= folds.high
    assert math.isclose(folds_interval(values, 10**9).high, mean.high, rel_tol=1e-6, abs_tol=1e-6)


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=8))
def test_the_interval_of_cross_validations_is_that_of_one_more(folds):
    """From five on, what each gave is one value; with fewer, the folds are the values; same mean."""
    found = cv_interval(dict(enumerate(folds)), 3)
    if len(folds) >= 5:
        assert found == prediction_interval([math.fsum(f) / 3 for f in folds])
    else:
        assert found == folds_interval([v for f in folds for v in f], 3)
    assert math.isclose(found.mean, np.mean(folds), abs_tol=1e-12)


def test_rows_that_lack_a_value_are_left_out(folder):
    """The features are those of the file, without the incomplete rows; the labels stay with their rows."""
    file = folder / "uci" / "heart.statlog.arff"
    text = file.read_text(encoding="utf-8").rstrip().splitlines()
    text[-1] = "?," + text[-1].split(",", 1)[1]
    whole, labels = load("Statlog", DataFolder(folder))
    file.write_text("\n".join(text), encoding="utf-8")
    fewer, kept = load("Statlog", DataFolder(folder))
    assert (len(whole), len(fewer)) == (80, 79)
    assert list(kept) == list(labels[:79])


class Reference:
    """A stand-in for the authors' package that always takes the first column."""

    def __init__(self, **options):
        self.options = options

    def fit(self, X, y):
        assert X.dtypes.map(lambda t: t.kind == "f").all()
        self.MB = [X.columns[0]]


class Failing(Reference):
    """One that fails, as the package does on classes it has not seen."""

    def fit(self, X, y):
        raise ValueError("y_true contains values {'imL'}")


def test_the_reference_implementation_is_used_where_it_is_installed(monkeypatch):
    """It gets codes for categories, and its failure is reported instead of raised."""
    X, y = labelled(60)
    monkeypatch.setitem(sys.modules, "PyImpetus", types.SimpleNamespace(PPIMBC=Reference, PPIMBR=Reference))
    assert choose_features("PyImpetus", X, y, model="cart", B=5, K=0, seed=0) == ["noise"]
    monkeypatch.setitem(sys.modules, "PyImpetus", types.SimpleNamespace(PPIMBC=Failing))
    rows = fold_scores(X, y, "PyImpetus", reading="inside", model="cart", B=5, K=0, folds=3, seed=1)
    assert [row["score"] for row in rows] == [None] * 3
    assert rows[0]["failed"] == "ValueError: y_true contains values {'imL'}"


@pytest.mark.parametrize(
    ("theirs", "half", "verdict"),
    [
        (0.80, 0.03, "reproduced"),
        (0.70, 0.10, "same ranking, other level"),
        (0.60, 0.03, "not reproduced"),
        (None, 0.0, "not tried"),
    ],
)
def test_the_reference_implementation_is_held_against_ours(theirs, half, verdict):
    """It agrees when intervals overlap and means are near; where it failed it is not counted."""
    rows = [
        {"data": "Statlog", "method": "PPFS", "ours": 0.8, "ours_low": 0.77, "ours_high": 0.83, "failed": ""}
    ]
    failed = {"data": "Ecoli", "method": "PyImpetus", "repeats": 0, "failed": "ValueError: no"}
    if theirs is not None:
        found = {"ours": theirs, "ours_low": theirs - half, "ours_high": theirs + half}
        rows.append({"data": "Statlog", "method": "PyImpetus", **found, "failed": ""})
    table = pd.DataFrame([{**r, "repeats": 10} for r in rows] + [failed])
    check = reference_check(table, "accuracy")
    assert check.verdict == verdict
    assert "Ecoli failed: ValueError: no" in check.ours


def test_why_the_reference_implementation_cannot_be_used(monkeypatch, tmp_path):
    """That it is not installed, or that it is and what it needs is not, is said in words."""
    monkeypatch.setitem(sys.modules, "PyImpetus", None)
    assert "is not installed: pip install PyImpetus" in reference_note()
    monkeypatch.delitem(sys.modules, "PyImpetus")
    (tmp_path / "PyImpetus.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "cannot be imported: it needs nothing_of_this_name" in reference_note()
    (tmp_path / "PyImpetus.py").write_text("", encoding="utf-8")
    importlib.invalidate_caches()
    monkeypatch.delitem(sys.modules, "PyImpetus", raising=False)
    assert reference_note() == ""
    monkeypatch.delitem(sys.modules, "PyImpetus")


def few(name: str, *data: str):
    """Return an experiment with some of its data sets, two repetitions and three folds only."""
    full = get_experiment(name)

    def grid(options):
        cells = [c for c in full.grid(options) if c["data"] in data and c["repeat"] < 2]
        return [{**c, "folds": 3} if "folds" in c else c for c in cells]

    return replace(full, grid=grid)


@pytest.mark.parametrize("number", [2, 3])
def test_the_accuracy_tables_on_a_small_file(folder, number, monkeypatch):
    """Level and gain are judged where there are data; the missing package is said to be missing."""
    monkeypatch.setitem(sys.modules, "PyImpetus", None)
    outcome = reproduce(few(f"hassan2021-table{number}", "Statlog"), data=folder, workers=1, progress=False)
    verdicts = {c.what: c for c in outcome.checks}
    assert verdicts["accuracy with all features, Statlog"].verdict != "not tried"
    assert verdicts["accuracy: difference from all features, Statlog"].verdict != "not tried"
    assert "B = 10, K = 0" in verdicts["accuracy: difference from all features, Statlog"].note
    assert verdicts["accuracy, Sonar"].verdict == "not tried"
    assert "is not installed" in verdicts["the reference implementation, accuracy"].ours
    gain = outcome.table.set_index("method")["gain"]
    assert gain["All"] == 0.0
    assert any(m.startswith("sonar") for m in outcome.missing)
    assert outcome.figure() is not None


def test_a_wide_interval_is_no_confirmation(folder, monkeypatch):
    """Where the interval of a difference contains zero the note says that it cannot be told from none."""
    monkeypatch.setitem(sys.modules, "PyImpetus", None)
    outcome = reproduce(few("hassan2021-table2", "Statlog"), data=folder, workers=1, progress=False)
    found = next(c for c in outcome.checks if c.what == "accuracy: difference from all features, Statlog")
    rows = outcome.table.set_index("method")
    for method in ("PIFS", "SFS", "MMB", "PPFS"):
        (words,) = re.findall("cannot be told from no difference: ([^;]*)", found.note)
        told = method in words.split(", ")
        assert told == (rows["gain_low"][method] <= 0 <= rows["gain_high"][method]), method


def test_the_regression_table_on_a_small_file(folder, monkeypatch):
    """The root is the root of the square, fold by fold, with the same folds."""
    monkeypatch.setitem(sys.modules, "PyImpetus", None)
    full = few("hassan2021-table5", "Maxwell")
    root, square = (
        reproduce(full, data=folder, reading=r, workers=1, progress=False) for r in ("root", "square")
    )
    a, b = root.cells.frame(), square.cells.frame()
    np.testing.assert_allclose(a["score"] ** 2, b["score"])
    assert {c.verdict for c in root.checks if "Desharnais" in c.what} == {"not tried"}


def test_the_tables_of_sizes_on_small_files(folder, monkeypatch):
    """Sizes never exceed the number of columns; what is subsampled is not judged."""
    monkeypatch.setitem(sys.modules, "PyImpetus", None)
    six = reproduce(few("hassan2021-table6", "Statlog"), data=folder, workers=1, progress=False)
    assert (six.table["ours"] <= 4).all()
    assert six.figure() is not None
    seven = reproduce("hassan2021-table7", data=folder, workers=1, progress=False)
    assert (seven.table["of columns"] == 205).all()
    assert {c.what: c.verdict == "not tried" for c in seven.checks} == {
        "features of PPFS, Arcene": True,
        "features of PPFS, Dexter": True,
        "features of PPFS, Dorothea": True,
        "features of PPFS, Madelon": False,
    }


def test_the_quick_table_of_errors_judges_what_is_whole(folder):
    """MADELON is taken with all its columns and judged; what is selected from some columns only is not."""
    whole = reproduce(few("hassan2021-table4", "Madelon"), data=folder, workers=1, progress=False)
    judged = [c.what for c in whole.checks if c.verdict != "not tried"]
    assert judged == ["error with all features, Madelon", "error: difference from all features, Madelon"]
    errors = whole.table.set_index("method")["ours"]
    assert list(errors.index) == ["All", "PPFS"]
    assert ((errors >= 0) & (errors <= 1)).all()
    (folder / "nips2003" / "madelon.mat").rename(folder / "nips2003" / "arcene.mat")
    some = reproduce(few("hassan2021-table4", "Arcene"), data=folder, workers=1, progress=False)
    judged = [c.what for c in some.checks if c.verdict != "not tried"]
    assert judged == ["error with all features, Arcene"]
    assert any("200 random columns" in c.note and c.ours for c in some.checks)
    assert some.figure() is not None
