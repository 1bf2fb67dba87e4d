"""Fisher's z: equal to regression residuals to the last digits, and never NaN."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from mbedu.citests import gaussian
from mbedu.citests.fisher_z import FisherZ
from mbedu.errors import DataError
from mbedu.oracles import ExactGaussian
from mbedu.query import Query

NAMES = ("A", "B", "C", "D", "E")


def _draw(rng, n, *, mix=1.0):
    """Correlated columns: noise, mixed by a random matrix, shifted and scaled."""
    made = rng.standard_normal((n, 5)) @ (np.eye(5) + mix * rng.standard_normal((5, 5)))
    return pd.DataFrame(made * 10.0 ** rng.integers(-3, 4, 5) + rng.integers(-5, 6, 5), columns=list(NAMES))


@st.composite
def queries(draw, *, single=False):
    order = draw(st.permutations(NAMES))
    a = 1 if single else draw(st.integers(1, 2))
    b = 1 if single else draw(st.integers(1, 2))
    return Query(order[:a], order[a : a + b], order[a + b : draw(st.integers(a + b, 5))])


seeds = st.integers(0, 2**32)


def _residuals(frame, side, query):
    design = np.column_stack([np.ones(len(frame)), frame[sorted(query.given)]])
    values = frame[sorted(side)].to_numpy()
    return values - design @ np.linalg.lstsq(design, values, rcond=None)[0]


@given(seeds, queries(single=True), st.integers(12, 200))
def test_the_partial_correlation_is_that_of_the_residuals(seed, query, n):
    """Statistic and p-value equal √(n − k − 3)·artanh(r) with r the correlation of regression residuals."""
    frame = _draw(np.random.default_rng(seed), n)
    verdict = FisherZ(frame).judge(query)
    a, b = (_residuals(frame, s, query)[:, 0] for s in (query.x, query.y))
    r = a @ b / math.sqrt((a @ a) * (b @ b))
    assume(abs(r) < 0.999)  # there the residuals themselves lose digits
    z = math.sqrt(n - len(query.given) - 3) * abs(math.atanh(r))
    assert math.isclose(verdict.statistic, z, rel_tol=1e-7, abs_tol=1e-9)
    assert math.isclose(verdict.p_value, 2 * stats.norm.sf(verdict.statistic), rel_tol=1e-9)
    assert math.isclose(verdict.strength, -0.5 * math.log1p(-r * r), rel_tol=1e-7, abs_tol=1e-12)
    assert verdict.independent == (verdict.p_value > 0.05)
    assert math.isclose(
        FisherZ(frame).explain(query)["partial_correlations"][0], r, rel_tol=1e-7, abs_tol=1e-9
    )


@given(seeds, queries(single=True))
def test_agrees_with_causal_learn(seed, query):
    """The p-value equals that of causal-learn's fisherz to 1e-9 relative."""
    cit = pytest.importorskip("causallearn.utils.cit")
    frame = _draw(np.random.default_rng(seed), 300, mix=0.5)
    verdict = FisherZ(frame).judge(query)
    index = {v: i for i, v in enumerate(NAMES)}
    (x,), (y,) = query.x, query.y
    theirs = cit.CIT(frame.to_numpy(), "fisherz")(index[x], index[y], [index[v] for v in sorted(query.given)])
    # theirs is 2·(1 − Φ(z)), which has no digits left below 1e-16
    assert math.isclose(verdict.p_value, theirs, rel_tol=1e-9, abs_tol=1e-13)


@given(seeds, queries(), st.integers(14, 80))
def test_sets_are_tested_by_wilks_lambda(seed, query, n):
    """For sets the statistic is Bartlett's, with Λ the ratio of determinants of residual covariances."""
    assume(len(query.x) + len(query.y) > 2)
    frame = _draw(np.random.default_rng(seed), n)
    verdict = FisherZ(frame).judge(query)
    a, b = (_residuals(frame, s, query) for s in (query.x, query.y))
    a, b = a / np.sqrt((a * a).sum(0)), b / np.sqrt((b * b).sum(0))
    both = np.hstack([a, b])
    det = np.linalg.det
    wilks = det(both.T @ both) / (det(a.T @ a) * det(b.T @ b))
    assume(wilks > 1e-4)
    p, q, k = len(query.x), len(query.y), len(query.given)
    statistic = -(n - 1 - k - (p + q + 1) / 2) * math.log(wilks)
    assert verdict.df == p * q
    assert math.isclose(verdict.statistic, statistic, rel_tol=1e-6, abs_tol=1e-8)
    assert math.isclose(verdict.p_value, stats.chi2.sf(verdict.statistic, p * q), rel_tol=1e-9)


@given(seeds, queries())
def test_swapping_changes_nothing(seed, query):
    """x ⊥ y and y ⊥ x have the same verdict, to the last digit."""
    test = FisherZ(_draw(np.random.default_rng(seed), 30))
    assert test.judge(query) == test.judge(query.swapped())


@given(seeds, st.integers(0, 3), st.booleans(), st.booleans())
def test_a_batch_equals_one_by_one(seed, k, odd, wide):
    """judge_many gives the digits of judge, also with constant and copied columns, also on the wide path."""
    frame = _draw(np.random.default_rng(seed), 40)
    if odd:
        frame["D"] = frame["B"] * 3 + 1
        frame["E"] = 2.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaussian, "WIDE", 2 if wide else 4000)
        test = FisherZ(frame)
        zs, ys = NAMES[1 : 1 + k], NAMES[1 + k :]
        assert test.judge_many("A", ys, zs) == [test.judge(Query("A", y, zs)) for y in ys]


@given(seeds, st.integers(4, 30), st.data())
def test_degenerate_columns_never_give_nan(seed, n, data):
    """Constants, copies, sums and too few rows give finite evidence and p = 1 where nothing is left."""
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, n))
    frame = pd.DataFrame({"A": a, "B": b, "C": 2 * a + b - 1, "D": np.full(n, 0.1), "E": -a})
    query = data.draw(queries())
    verdict = FisherZ(frame).judge(query)
    assert all(
        math.isfinite(v) for v in (verdict.p_value, verdict.statistic, verdict.strength, verdict.log_p)
    )
    assert 0 <= verdict.p_value <= 1
    span = {"A": {"A", "E"}, "E": {"A", "E"}, "B": {"B"}, "C": {"C"}, "D": {"D"}}
    side_fixed = any(
        s == {"D"} or all(v == "D" or span[v] & query.given or _plane(v, query.given) for v in s)
        for s in (query.x, query.y)
    )
    if side_fixed:
        assert verdict.independent
        assert verdict.p_value == 1.0


def _plane(v, given):
    """Whether v lies in the span of two of the three directions A, B, C, which form a plane."""
    directions = {"A": "A", "E": "A", "B": "B", "C": "C"}
    return v in directions and len({directions[g] for g in given if g in directions}) >= 2


def test_reasons_for_the_degenerate_cases():
    """A constant, a function of what is given, a perfect correlation and too few rows each say so."""
    a, b = np.random.default_rng(0).standard_normal((2, 50))
    frame = pd.DataFrame({"a": a, "b": b, "sum": a + b, "one": 1.0, "copy": 1 - 2 * a})
    test = FisherZ(frame)
    assert "one is constant" in test.judge(Query("a", "one")).reason
    fixed = test.judge(Query("sum", "copy", {"a", "b"}))
    assert (fixed.independent, fixed.p_value) == (True, 1.0)
    assert "linear function of a, b" in fixed.reason
    perfect = test.judge(Query("a", "copy"))
    assert (perfect.independent, perfect.p_value) == (False, 0.0)
    assert "perfectly correlated" in perfect.reason
    assert -math.inf < perfect.log_p < -1000
    few = FisherZ(frame.iloc[:4]).judge(Query("a", "b", "sum"))
    assert (few.independent, few.reliable) == (True, False)
    assert "4 rows are too few" in few.reason


@given(seeds, st.sampled_from(["x", "y", "given"]))
def test_a_copy_on_its_own_side_changes_nothing(seed, where):
    """Adding a linear copy of a variable to its own side leaves statistic, p and n as they were."""
    frame = _draw(np.random.default_rng(seed), 60, mix=0.3)
    frame["copy"] = 5 - 3 * frame[{"x": "A", "y": "B", "given": "C"}[where]]
    plain = Query("A", "B", "C")
    doubled = Query({"A", "copy"} if where == "x" else "A", {"B", "copy"} if where == "y" else "B",
                    {"C", "copy"} if where == "given" else "C")  # fmt: skip
    one, two = FisherZ(frame).judge(plain), FisherZ(frame).judge(doubled)
    assert math.isclose(one.statistic, two.statistic, rel_tol=1e-8, abs_tol=1e-8)
    assert math.isclose(one.p_value, two.p_value, rel_tol=1e-7)


def test_near_collinear_columns_keep_their_digits():
    """With correlations of 1 − 1e-10 among what is given, the answer is still that of the residuals."""
    rng = np.random.default_rng(3)
    z = rng.standard_normal(200)
    frame = pd.DataFrame({"A": z + rng.standard_normal(200), "B": z + rng.standard_normal(200), "C": z})
    frame["D"] = z + 1e-5 * rng.standard_normal(200)
    query = Query("A", "B", {"C", "D"})
    a, b = (_residuals(frame, s, query)[:, 0] for s in (query.x, query.y))
    r = a @ b / math.sqrt((a @ a) * (b @ b))
    assert math.isclose(FisherZ(frame).explain(query)["partial_correlations"][0], r, rel_tol=1e-9)


@given(seeds)
def test_missing_values(seed):
    """Dropping is test by test: the verdict is that of the complete rows of the variables asked about."""
    rng = np.random.default_rng(seed)
    frame = _draw(rng, 40)
    frame.loc[rng.random(40) < 0.3, "A"] = np.nan
    frame.loc[3, "D"] = np.nan
    with pytest.raises(DataError, match=r"missing values in 2 of 5 columns"):
        FisherZ(frame)
    test = FisherZ(frame, missing="drop")
    query = Query("A", "B", "C")
    kept = frame.dropna(subset=["A"])
    assert test.judge(query).n == len(kept)
    assert math.isclose(
        test.judge(query).statistic, FisherZ(kept, missing="drop").judge(query).statistic, rel_tol=1e-9
    )
    assert test.judge(Query("B", "C")) == FisherZ(frame[["B", "C"]]).judge(Query("B", "C"))
    assert test.judge_many("B", ["A", "C", "D"], "E") == [test.judge(Query("B", y, "E")) for y in "ACD"]


def test_rows_and_bad_input():
    """`rows` is a judge of those rows; labels, infinities and shapes are refused with a way out."""
    frame = _draw(np.random.default_rng(0), 30)
    query = Query("A", "B", "C")
    assert FisherZ(frame).rows(range(20)).judge(query) == FisherZ(frame.iloc[:20]).judge(query)
    with pytest.raises(DataError, match=r"'t' .* does not hold numbers; .* LikelihoodRatio"):
        FisherZ(pd.DataFrame({"t": ["u", "v"], "a": [1.0, 2.0]}))
    with pytest.raises(DataError, match="'a' holds an infinite value"):
        FisherZ(pd.DataFrame({"a": [1.0, np.inf]}))
    with pytest.raises(DataError, match="list is not data"):
        FisherZ([[1.0, 2.0]])
    with pytest.raises(DataError, match="0 rows"):
        FisherZ(frame.iloc[:0])
    nullable = pd.DataFrame({"a": pd.array([1, 2, None, 4], "Int64"), "b": [True, False, True, True]})
    assert FisherZ(nullable, missing="drop").judge(Query("a", "b")).n == 3


@given(seeds)
def test_extreme_scales(seed):
    """Scaling columns by 1e±150 or shifting them changes nothing but rounding."""
    frame = _draw(np.random.default_rng(seed), 40, mix=0.3)
    far = frame * np.array([1e150, 1e-150, 1.0, 1e100, 1e-100])
    query = Query("A", "B", {"C", "D"})
    assert math.isclose(
        FisherZ(frame).judge(query).statistic, FisherZ(far).judge(query).statistic, rel_tol=1e-9
    )


def test_many_rows_agree_with_the_exact_gaussian():
    """On 20,000 rows the verdicts at alpha 1e-6 are those of the exact oracle, and strengths come close."""
    world = ExactGaussian.from_equations(
        {"B": {"A": 1}, "C": {"B": 1, "D": -2}, "E": {"C": 1}}, variables=list(NAMES)
    )
    test = FisherZ(world.sample(20_000, seed=1), 1e-6)
    asked = 0
    for x in NAMES:
        for y in NAMES:
            for given_ in ((), ("A",), ("B",), ("C",), ("D", "E"), ("B", "D")):
                if x != y and x not in given_ and y not in given_:
                    query = Query(x, y, given_)
                    truth, found = world.judge(query), test.judge(query)
                    assert truth.independent == found.independent, query
                    assert math.isclose(truth.strength, found.strength, rel_tol=0.1, abs_tol=5e-4)
                    asked += 1
    assert asked > 60
    sets = Query({"A", "D"}, {"C", "E"}, "B")
    assert math.isclose(world.judge(sets).strength, test.judge(sets).strength, rel_tol=0.05)


def _rejections(repeats, seed, query, n=25):
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(repeats):
        z = rng.standard_normal((n, 2))
        left, right = (z @ rng.standard_normal((2, 2)) + rng.standard_normal((n, 2)) for _ in range(2))
        frame = pd.DataFrame(np.hstack([left, right, z]), columns=["x1", "x2", "y1", "y2", "z1", "z2"])
        count += not FisherZ(frame).judge(query).independent
    return count


SINGLE = Query("x1", "y1", {"z1", "z2"})
SETS = Query({"x1", "x2"}, {"y1", "y2"}, {"z1", "z2"})


@pytest.mark.parametrize("query", [SINGLE, SETS])
def test_false_positives_are_alpha(query):
    """Under the null hypothesis alpha of the tests say dependent, within the binomial interval."""
    low, high = stats.binom(1000, 0.05).ppf([0.0005, 0.9995])
    assert low <= _rejections(1000, 0, query) <= high


@pytest.mark.slow
@pytest.mark.parametrize("query", [SINGLE, SETS])
def test_false_positives_are_alpha_on_ten_thousand_tables(query):
    """The same on 10,000 simulated tables of 100 rows."""
    low, high = stats.binom(10_000, 0.05).ppf([0.0005, 0.9995])
    assert low <= _rejections(10_000, 1, query, n=100) <= high
