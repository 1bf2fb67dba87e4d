"""The likelihood-ratio test for mixed data: what statsmodels fits, symmetric, and never NaN."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mbedu.citests.fisher_z import FisherZ
from mbedu.citests.logistic import log_likelihood, saturated
from mbedu.citests.mixed import LikelihoodRatio
from mbedu.errors import DataError, JudgeError, UnknownName
from mbedu.query import Query

NAMES = ("A", "B", "C", "N", "M", "L")  # the first three are categories, the others numbers
seeds = st.integers(0, 2**32)


def _draw(rng, n):
    """Categories and numbers that depend on each other."""
    a = rng.integers(0, 2, n)
    b = (a + rng.integers(0, 3, n)) % 3
    m = rng.standard_normal(n) + 0.5 * b
    number = m + a + rng.standard_normal(n)
    c = (number + rng.logistic(size=n) > 0).astype(int)
    frame = pd.DataFrame({"A": a, "B": np.array(["u", "v", "w"])[b], "C": c == 1})
    return frame.assign(N=number, M=m, L=rng.standard_normal(n))


@st.composite
def queries(draw, *, single=False):
    order = draw(st.permutations(NAMES))
    a = 1 if single else draw(st.integers(1, 2))
    b = 1 if single else draw(st.integers(1, 2))
    return Query(order[:a], order[a : a + b], order[a + b : draw(st.integers(a + b, a + b + 2))])


def _design(frame, names):
    parts = [np.ones((len(frame), 1))]
    for name in sorted(names):
        if name in "ABC":
            parts.append(pd.get_dummies(frame[name], drop_first=True).to_numpy(float))
        else:
            parts.append(frame[[name]].to_numpy())
    return np.hstack(parts)


def _statsmodels(frame, response, given_, added):
    """The likelihood ratio of two nested regressions, and the ranks before and added."""
    sm = pytest.importorskip("statsmodels.api")
    small, large = _design(frame, given_), _design(frame, given_ | added)
    fits = []
    for design in (small, large):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if response in "ABC":
                code = pd.factorize(frame[response], sort=True)[0]
                fits.append(sm.MNLogit(code, design).fit(disp=0, method="newton", maxiter=200))
            else:
                fits.append(sm.OLS(frame[response].to_numpy(), design).fit())
    return fits[1].llf - fits[0].llf, small.shape[1], large.shape[1] - small.shape[1]


@settings(max_examples=25)
@given(seeds, queries(single=True))
def test_both_regressions_are_those_of_statsmodels(seed, query):
    """Each direction's statistic is twice statsmodels' gain (with Bartlett's factor if linear)."""
    frame = _draw(np.random.default_rng(seed), 250)
    told = LikelihoodRatio(frame).explain(query)
    for model in told["models"]:
        (response,), added = model["response"], set(model["added"])
        gain, rank, m = _statsmodels(frame, response, set(query.given), added)
        if response in "ABC":
            expected, df = 2 * gain, m * (frame[response].nunique() - 1)
        else:
            expected, df = 2 * gain / 250 * (250 - rank - (m + 2) / 2), m
        assert model["df"] == df
        assert math.isclose(model["statistic"], expected, rel_tol=1e-6, abs_tol=1e-6)


@given(seeds, queries(single=True))
def test_the_two_directions_are_combined_as_documented(seed, query):
    """p = min(2·min(p₁, p₂), max(p₁, p₂)), and statistic and df are those of the direction that decided."""
    judge = LikelihoodRatio(_draw(np.random.default_rng(seed), 60))
    verdict, models = judge.judge(query), judge.explain(query)["models"]
    ps = [stats.chi2.sf(m["statistic"], m["df"]) for m in models]
    expected = ps[0] if len(ps) == 1 else min(2 * min(ps), max(ps))
    assert math.isclose(verdict.p_value, expected, rel_tol=1e-9)
    assert (verdict.statistic, verdict.df) in [(m["statistic"], m["df"]) for m in models]


@given(seeds, queries(), st.integers(5, 60))
def test_swapping_changes_nothing_and_nothing_is_nan(seed, query, n):
    """x ⊥ y and y ⊥ x have the same verdict; every number is finite, also where classes are separated."""
    judge = LikelihoodRatio(_draw(np.random.default_rng(seed), n), rows_per_df=None)
    verdict = judge.judge(query)
    assert judge.judge(query.swapped()) == verdict
    assert all(
        math.isfinite(v) for v in (verdict.p_value, verdict.statistic, verdict.strength, verdict.log_p)
    )
    assert 0 <= verdict.p_value <= 1
    assert verdict.strength >= 0
    assert verdict.independent == (verdict.p_value > 0.05)


@given(seeds)
def test_two_categories_alone_are_tested_by_g2(seed):
    """Without anything given, a category on each side makes it G² on the levels that occur."""
    frame = _draw(np.random.default_rng(seed), 60)
    verdict = LikelihoodRatio(frame).judge(Query("A", "B"))
    table = pd.crosstab(frame.A, frame.B)
    g2, p, df, _ = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert verdict.df == df
    assert math.isclose(verdict.statistic, g2, rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(verdict.p_value, p, rel_tol=1e-9)
    assert math.isclose(verdict.strength, g2 / 120, rel_tol=1e-9, abs_tol=1e-12)


@given(seeds, st.sampled_from([(), ("M",), ("M", "L")]))
def test_numbers_alone_agree_with_fisher_z(seed, zs):
    """With numbers only the strength is Fisher z's, and the p-values of weak relations come close."""
    frame = _draw(np.random.default_rng(seed), 200)[["N", "M", "L"]].assign(K=lambda f: 0.1 * f.N - f.M)
    frame["K"] += np.random.default_rng(seed + 1).standard_normal(200)
    query = Query("N", "K", zs)
    ours, theirs = LikelihoodRatio(frame).judge(query), FisherZ(frame).judge(query)
    assert math.isclose(ours.strength, theirs.strength, rel_tol=1e-8, abs_tol=1e-12)
    if ours.strength < 0.02:
        assert math.isclose(ours.p_value, theirs.p_value, abs_tol=2e-3)


@given(seeds, st.sampled_from([(), ("L",)]))
def test_sets_of_numbers_add_up_to_wilks(seed, zs):
    """The chain rule over several responding numbers gives the multivariate likelihood ratio."""
    frame = _draw(np.random.default_rng(seed), 80)[["N", "M", "L"]]
    rng = np.random.default_rng(seed + 1)
    frame = frame.assign(P=frame.N + rng.standard_normal(80), Q=rng.standard_normal(80))
    query = Query({"N", "M"}, {"P", "Q"}, zs)
    ours, theirs = LikelihoodRatio(frame, discrete=[]).judge(query), FisherZ(frame).judge(query)
    assert ours.df == theirs.df == 4
    assert math.isclose(ours.strength, theirs.strength, rel_tol=1e-7)
    assert math.isclose(ours.statistic, theirs.statistic, rel_tol=0.05)


def test_two_coins_tell_their_parity():
    """The categories of one side are one joint variable, whichever side it is; one coin tells nothing."""
    coins = pd.DataFrame({"a": [0, 0, 1, 1] * 25, "b": [0, 1, 0, 1] * 25})
    coins["parity"] = coins.a ^ coins.b
    judge = LikelihoodRatio(coins)
    assert judge.judge(Query("a", "parity")).independent
    for query in (Query({"a", "b"}, "parity"), Query("parity", {"a", "b"})):
        verdict = judge.judge(query)
        assert not verdict.independent
        assert math.isclose(verdict.strength, math.log(2))
    assert judge.judge(Query("a", "parity", "b")).independent  # main effects only, as documented


def test_separated_classes_have_a_bounded_likelihood():
    """Where a number separates the classes the statistic is that of a perfect fit: the null deviance."""
    x = np.linspace(-1, 1, 60)
    frame = pd.DataFrame({"x": x, "c": np.where(x > 0, "up", "down")})
    told = LikelihoodRatio(frame).explain(Query("c", "x"))
    logistic = next(m for m in told["models"] if m["response"] == ["c"])
    assert math.isclose(logistic["statistic"], 2 * 60 * math.log(2), rel_tol=1e-6)
    assert told["verdict"]["p_value"] < 1e-15


@given(seeds, st.integers(2, 4), st.integers(1, 4))
def test_the_fit_is_a_maximum(seed, classes, columns):
    """No random coefficients have a larger likelihood; a parameter a group reaches the saturated model."""
    rng = np.random.default_rng(seed)
    design = np.hstack([np.ones((9, 1)), rng.standard_normal((9, columns))])
    counts = rng.integers(0, 4, (9, classes)).astype(float) + np.eye(9)[:, :classes]
    best = log_likelihood(design, counts)
    assert best <= saturated(counts) + 1e-9
    for _ in range(20):
        score = design @ np.hstack(
            [rng.standard_normal((columns + 1, classes - 1)), np.zeros((columns + 1, 1))]
        )
        assert (counts * (score - np.log(np.exp(score).sum(1, keepdims=True)))).sum() <= best + 1e-9
    whole = np.linalg.qr(rng.standard_normal((9, 9)))[0]
    assert math.isclose(log_likelihood(whole, counts), saturated(counts), rel_tol=1e-6, abs_tol=1e-6)


def test_nothing_left_and_too_few():
    """Constants and functions of what is given are independent with p = 1; too few rows follow the policy."""
    rng = np.random.default_rng(0)
    frame = _draw(rng, 40).assign(one="k", copy=lambda f: 2 * f.M - 1)
    judge = LikelihoodRatio(frame)
    assert "one is constant" in judge.judge(Query("A", "one")).reason
    fixed = judge.judge(Query("A", "copy", "M"))
    assert (fixed.independent, fixed.p_value, fixed.reliable) == (True, 1.0, True)
    assert "function of M" in fixed.reason
    few = judge.rows(range(9)).judge(Query("B", {"N", "M"}))
    assert (few.independent, few.reliable) == (True, False)
    assert "9 rows for 4 degrees of freedom" in few.reason
    other = LikelihoodRatio(frame.iloc[:9], unreliable="dependent").judge(Query("B", {"N", "M"}))
    assert (other.independent, other.reliable) == (False, False)
    trusted = LikelihoodRatio(frame.iloc[:9], unreliable="trust").judge(Query("B", {"N", "M"}))
    assert trusted.independent == (trusted.p_value > 0.05)
    assert "trusted" in trusted.reason
    none = LikelihoodRatio(frame.iloc[:3], unreliable="trust").judge(Query("N", "M", {"A", "L"}))
    assert (none.independent, none.reliable) == (True, False)


def test_which_columns_are_categories():
    """Text, booleans, categoricals and few whole numbers are categories; discrete= overrules it."""
    frame = _draw(np.random.default_rng(0), 50).assign(age=np.arange(50), half=0.5)
    assert LikelihoodRatio(frame).discrete == ("A", "B", "C")
    assert LikelihoodRatio(frame, discrete=["B", "age"]).discrete == ("B", "age")
    with pytest.raises(UnknownName, match="'nope'"):
        LikelihoodRatio(frame, discrete=["nope"])
    with pytest.raises(DataError, match=r"'B' .* does not hold numbers; name it in discrete"):
        LikelihoodRatio(frame, discrete=["A"])


def test_missing_values_rows_and_errors():
    """Missing values are refused or dropped test by test; `rows` is a judge of those rows."""
    frame = _draw(np.random.default_rng(0), 60)
    gappy = frame.copy()
    gappy.loc[:9, "N"] = np.nan
    gappy["B"] = gappy["B"].where(gappy.index < 50)
    with pytest.raises(DataError, match=r"'B': 10.*'N': 10|'N': 10.*'B': 10"):
        LikelihoodRatio(gappy)
    query = Query("N", "B", "A")
    assert LikelihoodRatio(gappy, missing="drop").judge(query) == LikelihoodRatio(frame.iloc[10:50]).judge(
        query
    )
    assert LikelihoodRatio(frame).rows(frame.index >= 30).judge(query) == LikelihoodRatio(frame[30:]).judge(
        query
    )
    with pytest.raises(JudgeError, match="unreliable='maybe'"):
        LikelihoodRatio(frame, unreliable="maybe")
    with pytest.raises(DataError, match="'N' holds an infinite value"):
        LikelihoodRatio(frame.assign(N=np.inf))
    judge = LikelihoodRatio(frame)
    assert judge.judge_many("A", ["B", "N"], "M") == [judge.judge(Query("A", y, "M")) for y in ("B", "N")]
    assert json.loads(json.dumps(judge.describe()))["discrete"] == ["A", "B", "C"]
    array = LikelihoodRatio(np.array([[0, 0.5], [1, 1.5], [0, 0.1], [1, 1.2]] * 5), names=["c", "n"])
    assert array.discrete == ("c",)
    assert not array.judge(Query("c", "n")).independent


def _rejections(repeats, seed, query, n=80):
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(repeats):
        g, z = rng.integers(0, 3, n), rng.standard_normal(n)
        cat = rng.logistic(size=n) < 0.7 * z + 0.4 * g - 0.4
        frame = pd.DataFrame({"cat": cat, "num": z + g + rng.standard_normal(n), "g": g, "z": z})
        frame["cat2"] = rng.logistic(size=n) < z - 0.5 * g
        count += not LikelihoodRatio(frame).judge(query).independent
    return count


NULLS = [Query("cat", "num", {"g", "z"}), Query("cat", "cat2", {"g", "z"})]


@pytest.mark.parametrize("query", NULLS)
def test_false_positives_are_about_alpha(query):
    """Under the null hypothesis about alpha of the tests on 80 mixed rows say dependent."""
    low, high = stats.binom(300, 0.05).ppf([0.0005, 0.9995])
    assert low <= _rejections(300, 0, query) <= high


@pytest.mark.slow
@pytest.mark.parametrize("query", NULLS)
def test_false_positives_are_alpha_on_ten_thousand_tables(query):
    """On 10,000 tables of 400 rows they are alpha within the binomial interval."""
    low, high = stats.binom(10_000, 0.05).ppf([0.0005, 0.9995])
    assert low <= _rejections(10_000, 1, query, n=400) <= high
