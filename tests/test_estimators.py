"""The scikit-learn face: it keeps scikit-learn's rules, and selects what the run says."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mbedu as mb
from mbedu.citests.discrete import G2
from mbedu.errors import AlgorithmError, DataError, UnknownName
from mbedu.estimators import MarkovBoundarySelector


@parametrize_with_checks(
    [MarkovBoundarySelector(), MarkovBoundarySelector("gs", "fisher_z"), MarkovBoundarySelector(record=True)]
)
def test_scikit_learn_conventions(estimator, check):
    """Every check that scikit-learn has for a selector passes."""
    check(estimator)


def _numbers(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    return X, 2 * X.a - X.d + rng.normal(size=n)


def _asia(target, n=1500):
    frame = mb.load_network("asia").sample(n, seed=1)
    return frame.drop(columns=target), frame[target]


def test_selects_what_the_run_finds():
    """support_, boundary_, names and the columns of transform all tell of the same run."""
    X, y = _asia("dysp")
    selector = MarkovBoundarySelector("iamb", "g2", alpha=0.01).fit(X, y)
    run = mb.run("iamb", G2(X.assign(y=y), 0.01), target="y")
    assert selector.boundary_ == run.boundary
    assert selector.run_ == run
    assert selector.boundary_ == {"bronc", "either"}
    assert selector.get_feature_names_out().tolist() == [c for c in X if c in selector.boundary_]
    assert X.columns[selector.get_support()].tolist() == selector.get_feature_names_out().tolist()
    assert selector.feature_names_in_.tolist() == list(X)
    assert selector.judge_["kind"] == "G2"
    both = [c for c in X if c in ("either", "bronc")]
    assert (selector.transform(X) == X[both].to_numpy()).all()
    kept = selector.set_output(transform="pandas").transform(X)
    pd.testing.assert_frame_equal(kept, X[both])  # types and levels survive


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda X, y: (X, y), "FisherZ"),
        (lambda X, y: (X, y > 0), "LikelihoodRatio"),
        (lambda X, y: (X > 0, y > 0), "G2"),
        (lambda X, y: (X.assign(a=np.where(X.a > 0, "u", "v")), y), "LikelihoodRatio"),
        (lambda X, y: (X.to_numpy(), y.to_numpy()), "FisherZ"),
        (lambda X, y: ((X > 0).to_numpy().astype(float), (y > 0).to_numpy()), "G2"),
        (lambda X, y: ((X > 0).to_numpy().astype(object), np.where(y > 0, "yes", "no")), "G2"),
        (lambda X, y: ((X > 0).astype("category"), pd.Series(y > 0, dtype="string")), "G2"),
    ],
)
def test_auto_takes_the_test_that_fits(make, kind):
    """Categories, numbers or both: G², Fisher's z or the likelihood ratio, and a and d are found by each."""
    X, y = make(*_numbers())
    selector = MarkovBoundarySelector(alpha=0.001).fit(X, y)
    assert selector.judge_["kind"] == kind
    assert selector.get_support().tolist() == [True, False, False, True, False]


def test_in_a_pipeline_and_a_grid_search():
    """It can be cloned, scored by cross-validation and searched over, algorithm, test and level alike."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :8]
    pipe = make_pipeline(StandardScaler(), MarkovBoundarySelector(), LogisticRegression())
    assert cross_val_score(pipe, X, y, cv=3).mean() > 0.85
    name = "markovboundaryselector"
    grid = {f"{name}__algorithm": ["gs", "iamb"], f"{name}__alpha": [0.01, 0.1]}
    found = GridSearchCV(pipe, grid, cv=2).fit(X, y)
    assert not np.isnan(found.cv_results_["mean_test_score"]).any()
    assert found.best_estimator_[1].boundary_ <= {f"x{i}" for i in range(8)} | set(X)
    Xn, yn = _numbers()
    regression = make_pipeline(MarkovBoundarySelector("gs_m", params={"m": 2}), LinearRegression()).fit(
        Xn, yn
    )
    assert regression[0].boundary_ >= {"a", "d"}


@pytest.mark.parametrize(
    "test", ["g2", "chi_square", "mutual_information", "permutation", "likelihood_ratio"]
)
def test_every_discrete_test_by_name(test):
    """Each test can be chosen by name; all find the two neighbours of dysp."""
    X, y = _asia("dysp", 600)
    selector = MarkovBoundarySelector("gs", test, alpha=0.01).fit(X, y)
    assert "bronc" in selector.boundary_


def test_ppi_and_functions():
    """PPI predicts y; a function of (data, alpha) and a function as algorithm do as well."""
    X, y = _numbers(300)
    ppi = MarkovBoundarySelector("gs", "ppi", test_params={"B": 12}).fit(X, y > 0)
    assert ppi.judge_["kind"] == "PPI"
    assert "a" in ppi.boundary_
    own = MarkovBoundarySelector(lambda ask, T: {v for v in ask.others(T) if not ask(T, v)}, fisher).fit(X, y)
    assert own.boundary_ >= {"a", "d"}


def fisher(data, alpha):
    from mbedu.citests.fisher_z import FisherZ

    return FisherZ(data, alpha)


def test_missing_values():
    """Missing values are refused, as everywhere in scikit-learn, unless the test is told to drop them."""
    X, y = _numbers()
    X.loc[:20, "b"] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MarkovBoundarySelector().fit(X, y)
    selector = MarkovBoundarySelector(test_params={"missing": "drop"}, alpha=0.001).fit(X, y)
    assert selector.boundary_ == {"a", "d"}
    assert selector.transform(X).shape == (400, 2)


def test_pickle_clone_and_names():
    """A fitted selector can be stored; a clone is unfitted; a feature called y is no obstacle."""
    X, y = _numbers()
    selector = MarkovBoundarySelector(record=True).fit(X.rename(columns={"b": "y", "c": "y_"}), y)
    assert len(selector.run_.trace) > 0
    again = pickle.loads(pickle.dumps(selector))
    assert again.boundary_ == selector.boundary_
    assert (again.get_support() == selector.get_support()).all()
    assert not hasattr(clone(selector), "boundary_")
    assert clone(selector).get_params() == selector.get_params()


def test_errors_say_what_to_do():
    """An unknown algorithm, test or parameter, and data that do not suit the test, are explained."""
    X, y = _numbers()
    with pytest.raises(UnknownName, match="did you mean 'iamb'"):
        MarkovBoundarySelector("imab").fit(X, y)
    with pytest.raises(UnknownName, match="unknown test 'g3'"):
        MarkovBoundarySelector(test="g3").fit(X, y)
    with pytest.raises((UnknownName, AlgorithmError), match="'k'"):
        MarkovBoundarySelector(params={"k": 2}).fit(X, y)
    with pytest.raises(DataError, match="measurements and not labels"):
        MarkovBoundarySelector(test="g2").fit(X, y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        MarkovBoundarySelector().fit(X, None)


@pytest.mark.parametrize("key", [a.key for a in mb.all_algorithms() if a.kind == "independence"])
def test_every_registered_algorithm_by_name(key):
    """Any registered algorithm can be chosen; it gives what `run` gives."""
    X, y = _asia("lung", 300)
    selector = MarkovBoundarySelector(key).fit(X, y)
    assert selector.boundary_ == mb.run(key, G2(X.assign(y=y)), target="y").boundary


def test_import_mbedu_does_not_import_scikit_learn():
    """scikit-learn is loaded with the estimator and not before."""
    code = "import sys, mbedu; print('sklearn' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False\n"
    )
