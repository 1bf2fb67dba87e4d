"""PPI: Algorithm 1 of the PPFS paper as printed, seeded by the question."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mbedu.citests.ppi import PPI, ppi_type_one_error
from mbedu.errors import DataError, JudgeError, QueryError, UnknownName
from mbedu.query import Query


def _draw(n=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.standard_normal(n), "b": rng.standard_normal(n), "u": rng.integers(0, 3, n)}
    )
    frame["size"] = 2 * frame.a + (frame.u == 1) + 0.3 * rng.standard_normal(n)
    frame["T"] = np.where(frame.a + (frame.u == 2) > 0.3, "yes", "no")
    return frame


SEEN = []


class Watching(RegressorMixin, BaseEstimator):
    """A regressor that writes down what it is given; it predicts the sum of the columns."""

    def fit(self, X, y):
        SEEN.append(("fit", X.copy(), y.copy()))
        return self

    def predict(self, X):
        SEEN.append(("predict", X.copy(), None))
        return X.sum(1)


def test_every_line_of_algorithm_1():
    """B times: an 80/20 split, one training, a test, and a test with x alone shuffled; then Wilcoxon."""
    frame = _draw(50)
    SEEN.clear()
    judge = PPI(frame[["a", "b", "size"]], "size", B=8, model=Watching())
    told = judge.explain(Query("size", "a", "b"))
    calls = SEEN[: 3 * 8]
    for fit, first, second in zip(calls[0::3], calls[1::3], calls[2::3], strict=True):
        assert [fit[0], first[0], second[0]] == ["fit", "predict", "predict"]
        assert (len(fit[1]), len(first[1])) == (40, 10)
        rows = np.vstack([fit[1], first[1]])  # together they are the data, each row once
        assert (np.sort(rows[:, 0]) == np.sort(frame.a)).all()
        assert (second[1][:, 1] == first[1][:, 1]).all()  # what is given stays
        assert (np.sort(second[1][:, 0]) == np.sort(first[1][:, 0])).all()  # x is shuffled
    assert any((c[1][:, 0] != b[1][:, 0]).any() for b, c in zip(calls[1::3], calls[2::3], strict=True))
    assert len({tuple(c[1][:, 0]) for c in calls[0::3]}) == 8  # each copy has its own split
    risk, shuffled = np.array(told["risk"]), np.array(told["shuffled_risk"])
    by_row = frame.set_index(["a", "b"])["size"]
    for j, (first, second) in enumerate(zip(calls[1::3], calls[2::3], strict=True)):
        y = np.array([by_row[tuple(row)] for row in first[1]])
        assert math.isclose(risk[j], ((first[1].sum(1) - y) ** 2).mean())
        assert math.isclose(shuffled[j], ((second[1].sum(1) - y) ** 2).mean())
    expected = stats.wilcoxon(risk, shuffled, alternative="less")
    verdict = judge.judge(Query("size", "a", "b"))
    assert math.isclose(verdict.p_value, expected.pvalue)
    assert math.isclose(verdict.strength, (shuffled - risk).mean())


def test_log_loss_is_clipped_also_for_unseen_classes():
    """A classifier's risk is the mean of −log of the true class's probability, clipped, also if unseen."""

    class Sure(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            p = np.full((len(X), len(self.classes_)), 0.0)
            p[:, 0] = 1.0
            return p

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.standard_normal(20), "T": ["u"] * 12 + ["v"] * 7 + ["w"]})
    told = PPI(frame, "T", B=30, model=Sure(), clip=1e-6).explain(Query("T", "a"))
    steps = {round(r / -math.log(1e-6) * 4) for r in told["risk"]}  # so many of 4 test rows were wrong
    assert np.allclose(
        told["risk"], [round(r / -math.log(1e-6) * 4) / 4 * -math.log(1e-6) for r in told["risk"]]
    )
    assert len(steps) > 1
    assert told["risk"] == told["shuffled_risk"]
    assert told["verdict"]["p_value"] == 1.0


@pytest.mark.parametrize(
    ("target", "model"),
    [
        ("T", None),
        ("T", LogisticRegression()),
        ("T", RandomForestClassifier(n_estimators=10)),
        ("T", make_pipeline(StandardScaler(), SVC(probability=True))),
        ("size", None),
        ("size", LinearRegression()),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_finds_signal_and_not_noise(target, model):
    """Classification and regression with any estimator: the signal is dependent, and seeded runs agree."""
    frame = _draw(160)[["a", "b", "u", target]]
    judge = PPI(frame, target, B=12, model=model)
    verdict = judge.judge(Query(target, "a", {"b", "u"}))
    assert not verdict.independent
    assert verdict.strength > 0
    assert PPI(frame, target, B=12, model=model).judge(Query("a", target, {"b", "u"})) == verdict


def test_noise_is_mostly_independent():
    """With few copies, noise rarely looks like signal (see the measured rates for more copies)."""
    count = sum(not PPI(_draw(80, s), "T", B=5).judge(Query("T", "b")).independent for s in range(40))
    assert count <= stats.binom(40, 0.05).ppf(0.9995)


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from(["onehot", "ordinal"]))
def test_the_verdict_depends_on_the_question_alone(seed, encoding):
    """Order of asking, side, and number of jobs change nothing; another seed gives other splits."""
    frame = _draw(60, seed % 1000)
    query = Query("T", {"a", "u"}, "b")
    first = PPI(frame, "T", B=6, encoding=encoding).judge(query)
    other = PPI(frame, "T", B=6, encoding=encoding, n_jobs=2)
    other.judge(Query("T", "a"))
    assert other.judge(query.swapped()) == first
    assert other.judge_many("T", [{"a", "u"}], "b") == [first]
    again = PPI(frame, "T", B=6, encoding=encoding, seed=1)
    assert again.explain(query)["risk"] != PPI(frame, "T", B=6, encoding=encoding).explain(query)["risk"]


def test_a_set_is_shuffled_jointly():
    """The rows of a set of variables stay together: their inner relation survives the shuffle."""
    frame = _draw(50)[["a", "b", "size"]]
    frame["b"] = frame.a * 2
    SEEN.clear()
    PPI(frame, "size", B=6, model=Watching()).judge(Query("size", {"a", "b"}))
    predicted = [x for kind, x, _ in SEEN if kind == "predict"]
    assert len(predicted) == 12
    assert all((x[:, 1] == 2 * x[:, 0]).all() for x in predicted)


def test_what_changes_nothing_is_independent():
    """A constant column gives R = R̃ in every copy: independent with p = 1; equal copies are dropped."""
    frame = _draw(60).assign(one=1.0)
    verdict = PPI(frame, "T", B=10).judge(Query("T", "one", "a"))
    assert (verdict.independent, verdict.p_value, verdict.reliable) == (True, 1.0, True)
    assert "changed nothing in any of 10 copies" in verdict.reason
    rare = frame.assign(rare=(frame.index < 2) * 1.0)
    partly = PPI(rare, "T", B=10, model=DecisionTreeClassifier(max_depth=3)).judge(Query("T", "rare", "a"))
    assert partly.independent
    few = PPI(frame.iloc[:4], "T", B=10).judge(Query("T", "a"))
    assert (few.independent, few.reliable, few.n) == (True, False, 4)


def test_only_questions_about_the_target():
    """A question in which the target does not stand alone on one side is refused, with the way out."""
    judge = PPI(_draw(40), "T", B=5)
    for query in (Query("a", "b"), Query("a", "b", "T"), Query({"T", "a"}, "b")):
        with pytest.raises(QueryError, match="'T' has to stand alone on one side"):
            judge.judge(query)


def test_bad_input_is_explained():
    """Errors show the value, the rule and the way out."""
    frame = _draw(40)
    with pytest.raises(JudgeError, match="use at least 5 copies"):
        PPI(frame, "T", B=4)
    with pytest.raises(UnknownName, match="'nope'"):
        PPI(frame, "nope")
    with pytest.raises(JudgeError, match="'size' is a number"):
        PPI(frame, "size", loss="log")
    with pytest.raises(JudgeError, match="lacks predict_proba"):
        PPI(frame, "T", model=LinearSVC())
    with pytest.raises(JudgeError, match="is a class; pass an instance"):
        PPI(frame, "T", model=DecisionTreeClassifier)
    with pytest.raises(JudgeError, match="test_size=1"):
        PPI(frame, "T", test_size=1)
    with pytest.raises(DataError, match="'a': 1"):
        PPI(frame.assign(a=frame.a.where(frame.index > 0)), "T")


def test_missing_rows_and_description():
    """'drop' answers as the complete rows do; `rows` is a judge of those rows; the description is JSON."""
    frame = _draw(60)
    gappy = frame.assign(a=frame.a.where(frame.index >= 10))
    query = Query("T", "a", "u")
    assert PPI(gappy, "T", B=6, missing="drop").judge(query) == PPI(frame[10:], "T", B=6).judge(query)
    assert PPI(frame, "T", B=6).rows(range(10, 60)).judge(query) == PPI(frame[10:], "T", B=6).judge(query)
    assert json.loads(json.dumps(PPI(frame, "T").describe()))["model"] == "DecisionTreeClassifier()"


def test_the_type_one_error_is_measured():
    """The table counts what it says; whether the level holds is a finding, not a promise.

    At n = 150, alpha 0.05 and a decision tree, 60 repeats gave 0.03, 0.23, 0.30 and 0.37 for B = 5, 10, 20
    and 40 (T ⊥ X | Z with X and Z alike) and 0.02, 0.03, 0.12, 0.17 (T ⊥ X, X noise): it grows with B.
    """
    table = ppi_type_one_error([5, 12], n=60, repeats=12, seed=3)
    assert table["B"].tolist() == [5, 12]
    assert (table["rate"] == table["rejected"] / 12).all()
    assert ((table["low"] <= table["rate"]) & (table["rate"] <= table["high"])).all()
    again = ppi_type_one_error([12], n=60, repeats=12, seed=3)
    assert again.iloc[0].tolist() == table.iloc[1].tolist()  # one B does not depend on the others
    regression = ppi_type_one_error([5], n=60, repeats=5, task="regression", given=False)
    assert regression["repeats"].tolist() == [5]


@pytest.mark.slow
def test_the_type_one_error_grows_with_the_copies():
    """The B splits share rows, so more copies reject a true hypothesis more often (a measured finding)."""
    table = ppi_type_one_error([5, 40], n=150, repeats=100)
    assert table["rate"].iloc[1] > table["rate"].iloc[0]
    assert table["low"].iloc[1] > 0.05


def test_ppfs_runs_on_ppi_with_folds():
    """PPFS restricts PPI to its training folds and finds the two causes of the class."""
    import mbedu as mb

    judge = PPI(_draw(240)[["a", "b", "u", "T"]], "T", B=8, model=DecisionTreeClassifier(max_depth=4))
    found = mb.run("ppfs", judge, "T", K=3)
    assert found.boundary >= {"a"}
    assert found.boundary == mb.run("ppfs", judge, "T", K=3).boundary
