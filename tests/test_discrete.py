"""G², χ² and mutual information: right to the last digits, alone and in bulk."""

from __future__ import annotations

import itertools
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency, false_discovery_control

from mbedu.ask import Ask
from mbedu.citests import G2, ChiSquare, MutualInformation, false_positive_rate
from mbedu.errors import DataError, JudgeError, QueryError, UnknownName
from mbedu.judge import Batched, Judge, strongest_of, weakest_of
from mbedu.query import Query
from mbedu.varset import Subsets

ENGINES = ["numpy"]
try:
    import numba  # noqa: F401

    ENGINES.append("numba")
except ImportError:
    pass
engines = pytest.mark.parametrize("engine", ENGINES)
NAMES = list("abcdef")


@st.composite
def frames(draw, most=4, columns=6, rows=150, least=1):
    """Random cardinalities with dependence, constant and duplicated columns, few rows or many."""
    n = draw(st.integers(1, rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cards = [draw(st.integers(least, most)) for _ in range(columns)]
    values = np.stack([rng.integers(0, k, n) for k in cards], 1)
    if draw(st.booleans()):
        values[:, 1] = np.where(rng.random(n) < 0.7, values[:, 0] % cards[1], values[:, 1])
    if draw(st.booleans()):
        values[:, 2] = (values[:, 0] + values[:, 3]) % max(2, cards[2])
    if draw(st.booleans()):
        values[:, 5] = values[:, 4]
    return pd.DataFrame(values, columns=NAMES[:columns])


@st.composite
def questions(draw, set_valued=True):
    order = draw(st.permutations(NAMES))
    a = draw(st.integers(1, 2)) if set_valued else 1
    b = draw(st.integers(1, 3)) if set_valued else 1
    c = draw(st.integers(0, 2))
    return order[:a], order[a : a + b], order[a + b : a + b + c]


def by_stratum(frame, x, y, given_):
    """The contingency table of x and y in each stratum, without empty rows and columns."""
    groups = [frame] if not given_ else [group for _, group in frame.groupby(list(given_))]
    for group in groups:
        a, b = (np.unique(group[list(s)].to_numpy(), axis=0, return_inverse=True)[1].ravel() for s in (x, y))
        table = np.zeros((a.max() + 1, b.max() + 1), int)
        np.add.at(table, (a, b), 1)
        yield table


def by_scipy(frame, x, y, given_, kind):
    statistic = df = 0
    for table in by_stratum(frame, x, y, given_):
        if min(table.shape) > 1:
            found = chi2_contingency(table, correction=False, lambda_=kind)
            statistic, df = statistic + found.statistic, df + found.dof
    return statistic, df, chi2.sf(statistic, df) if df else 1.0


@engines
@pytest.mark.parametrize(("test", "kind"), [(G2, "log-likelihood"), (ChiSquare, "pearson")])
@given(frame=frames(), question=questions())
def test_equals_scipy_stratum_by_stratum(engine, test, kind, frame, question):
    """Statistic, df and p are chi2_contingency's, summed over the strata; never NaN."""
    statistic, df, p = by_scipy(frame, *question, kind)
    verdict = test(frame, 0.05, unreliable="trust", engine=engine).judge(Query(*question))
    assert verdict.df == df
    # scipy's own sum of logarithms is exact to about n·1e-15
    assert verdict.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-11)
    if statistic > 1e-3:
        assert verdict.p_value == pytest.approx(p, rel=1e-9)
    else:
        assert verdict.p_value == pytest.approx(p, abs=1e-5)
    assert verdict.independent == (verdict.p_value > 0.05)
    assert verdict.n == len(frame)
    assert verdict.strength >= 0
    assert math.exp(verdict.log_p) == pytest.approx(verdict.p_value, rel=1e-9)


@engines
@given(st.lists(st.integers(1, 3000), min_size=4, max_size=4))
def test_g2_is_exact_where_it_is_almost_zero(engine, cells):
    """G² of a 2 × 2 table agrees with exact arithmetic to 1e-9 relative however small it is."""
    from decimal import Decimal, getcontext

    getcontext().prec = 50
    a, b, c, d = cells
    n = a + b + c + d
    margins = [((a + b), (a + c)), ((a + b), (b + d)), ((c + d), (a + c)), ((c + d), (b + d))]
    exact = 2 * sum(
        Decimal(k) * (Decimal(k) * n / (Decimal(r) * s)).ln()
        for k, (r, s) in zip(cells, margins, strict=True)
    )
    x, y = np.repeat([0, 0, 1, 1], cells), np.repeat([0, 1, 0, 1], cells)
    verdict = G2(pd.DataFrame({"x": x, "y": y}), engine=engine).judge(Query("x", "y"))
    assert verdict.statistic == pytest.approx(float(exact), rel=1e-9, abs=1e-30)


@engines
def test_an_exactly_independent_table_has_statistic_zero(engine):
    """Proportional rows give G² = 0 and p = 1 exactly, also for a threshold of 0."""
    frame = pd.DataFrame({"x": [0] * 30 + [1] * 60, "y": ([0] * 10 + [1] * 20) * 3})
    for test in (G2(frame, engine=engine), MutualInformation(frame, 0.0, engine=engine)):
        verdict = test.judge(Query("x", "y"))
        assert (verdict.statistic, verdict.p_value, verdict.independent) == (0.0, 1.0, True)


@pytest.mark.parametrize(("test", "name"), [(G2, "GSq"), (ChiSquare, "ChiSquare")])
@settings(max_examples=40)
@given(frame=frames(least=3, most=4), question=questions(set_valued=False))
def test_equals_pgmpy(test, name, frame, question):
    """Where no stratum is a 2 × 2 table (pgmpy corrects those after Yates), pgmpy has the same numbers."""
    import pgmpy.ci_tests

    (x,), (y,), z = question
    tables = list(by_stratum(frame, [x], [y], z))
    reduced = [t[np.ix_(t.sum(1) > 0, t.sum(0) > 0)] for t in tables]
    assume(all(t.shape != (2, 2) for t in reduced))
    other = getattr(pgmpy.ci_tests, name)(data=frame, use_cache=False)
    other(X=x, Y=y, Z=list(z), significance_level=0.05)
    verdict = test(frame, unreliable="trust").judge(Query(x, y, z))
    assert verdict.df == other.dof_
    assume(not np.isnan(other.statistic_))  # pgmpy's G² may be NaN where a stratum has no degrees of freedom
    if verdict.df:
        assert verdict.statistic == pytest.approx(other.statistic_, rel=1e-9, abs=1e-11)
    if verdict.df and verdict.statistic > 1e-3:
        assert verdict.p_value == pytest.approx(other.p_value_, rel=1e-9)


@pytest.mark.parametrize(("test", "name"), [(G2, "gsq"), (ChiSquare, "chisq")])
@settings(max_examples=40)
@given(frame=frames(), question=questions(set_valued=False))
def test_equals_causal_learn(test, name, frame, question):
    """causal-learn's p-value is the same: it drops empty rows and columns per stratum too."""
    cit = pytest.importorskip("causallearn.utils.cit")
    (x,), (y,), z = question
    verdict = test(frame, unreliable="trust").judge(Query(x, y, z))
    other = cit.CIT(frame.to_numpy(), name)
    p = other(NAMES.index(x), NAMES.index(y), [NAMES.index(v) for v in z])
    if verdict.statistic > 1e-3 or verdict.df == 0:
        assert verdict.p_value == pytest.approx(p, rel=1e-9)


# --- the laws of a judge ---------------------------------------------------------------------------

MAKERS = [
    lambda f, e: G2(f, engine=e),
    lambda f, e: ChiSquare(f, 0.3, df="full", unreliable="trust", engine=e),
    lambda f, e: G2(f, 0.2, unreliable="dependent", rows_per_df=None, rows_per_cell=3, engine=e),
    lambda f, e: MutualInformation(f, 0.01, unit="bits", engine=e),
    lambda f, e: MutualInformation(f, 0.05, unreliable="independent", df="full", engine=e),
]


@engines
@pytest.mark.parametrize("make", MAKERS)
@settings(max_examples=25)
@given(frame=frames(), question=questions())
def test_bulk_verbs_are_a_promise(engine, make, frame, question):
    """Every bulk verb says exactly what judging one by one says, however the candidates are given."""
    test = make(frame, engine)
    x, _, z = question
    x = next(iter(x)) if len(x) == 1 else x  # one name has ways of its own
    rest = [v for v in NAMES if v != x and v not in x and v not in z]
    for ys in (
        rest,
        Ask(test).others(x, z),
        tuple(rest[::-1]),
        Subsets(rest, 1, 3),
        Subsets(rest[::-1], 2, 4),
        list(Subsets(rest, 1, 2)),
    ):
        alone = [make(frame, engine).judge(Query(x, y, z)) for y in ys]
        assert test.judge_many(x, ys, z) == alone
        for by in ("strength", "p_value"):
            assert test.strongest(x, ys, z, by) == strongest_of(alone, by)
        assert test.first_dependent(x, ys, z) == Batched.first_dependent(test, x, ys, z)
    if z:
        members = [v for v in NAMES if v in z]
        for ys in (members, members[::-1], members[1:]):
            alone = [make(frame, engine).judge(Query(x, y, set(z) - {y})) for y in ys]
            assert test.leave_one_out(x, ys, z) == alone
            for by in ("strength", "p_value"):
                assert test.weakest(x, ys, z, by) == weakest_of(alone, by)


@engines
@pytest.mark.parametrize("make", MAKERS)
@settings(max_examples=15)
@given(frame=frames(), question=questions(), data=st.data())
def test_some_rows_are_the_test_on_those_rows(engine, make, frame, question, data):
    """`rows(index)` answers as the same test on these rows alone, with the levels of the whole."""
    x, y, z = question
    index = data.draw(st.lists(st.integers(0, len(frame) - 1), min_size=1, max_size=len(frame)))
    levels = frame.apply(lambda column: column.astype("category"))
    test = make(levels, engine)
    some = test.rows(index)
    assert some.judge(Query(x, y, z)) == make(levels.iloc[index], engine).judge(Query(x, y, z))
    assert some.describe() == {**test.describe(), "rows": len(index)}
    assert test.describe()["rows"] == len(frame)


@engines
@settings(max_examples=40)
@given(n=st.integers(20, 400), k=st.integers(1, 10), levels=st.integers(2, 4))
def test_an_information_of_exactly_the_threshold_is_not_above_it(engine, n, k, levels):
    """At a threshold that equals the information to the last bits every way to ask says independent."""
    rng = np.random.default_rng([n, k])
    frame = pd.DataFrame(rng.integers(0, levels, (n, 3)), columns=list("xyz"))
    info = MutualInformation(frame, engine=engine).judge(Query("x", "y", "z")).strength
    assume(info > 1e-9)
    for exact in (info, math.nextafter(info, 0.0), math.nextafter(info, 1.0)):
        at = MutualInformation(frame, exact, engine=engine)
        assert at.judge(Query("x", "y", "z")).independent
        assert at.strongest("x", ("y",), ("z",)) is None
        assert at.weakest("x", ("y",), ("y", "z")).position == 0
    below = MutualInformation(frame, info * (1 - 1e-6) - 1e-10, engine=engine)
    assert not below.judge(Query("x", "y", "z")).independent
    assert below.strongest("x", ("y",), ("z",)).position == 0


@engines
@given(frame=frames(least=2, most=2, rows=120))
def test_binary_subsets_are_scanned_without_changing_the_answer(engine, frame):
    """Moments and inclusion–exclusion give the verdicts that each set gets on its own."""
    test = G2(frame, 0.2, engine=engine)
    ys = Subsets(NAMES[1:], 1, 4)
    alone = [G2(frame, 0.2, engine=engine).judge(Query("a", y)) for y in ys]
    assert test.judge_many("a", ys, ()) == alone
    assert test.strongest("a", ys, (), "p_value") == strongest_of(alone, "p_value")


@engines
def test_ties_go_to_the_earliest_and_are_reported(engine):
    """Copies of a column tie exactly, in any order, in every path and for pairs too."""
    rng = np.random.default_rng(1)
    t = rng.integers(0, 2, 400)
    noisy = np.where(rng.random(400) < 0.8, t, 1 - t)
    frame = pd.DataFrame({"t": t, "u": rng.integers(0, 2, 400), "c1": noisy, "c2": 1 - noisy, "c3": noisy})
    for test in (G2(frame, engine=engine), ChiSquare(frame, engine=engine)):
        for by in ("strength", "p_value"):
            found = test.strongest("t", ["u", "c1", "c2", "c3"], (), by)
            assert (found.position, found.ties) == (1, (2, 3))
            pairs = Subsets(["u", "c1", "c2", "c3"], 2, 2)
            found = test.strongest("t", pairs, (), by)
            assert found == strongest_of(test.judge_many("t", pairs, ()), by)


@engines
@given(frame=frames(), question=questions())
def test_swapping_x_and_y_changes_nothing_but_rounding(engine, frame, question):
    """The tests are symmetric."""
    test = ChiSquare(frame, engine=engine)
    one, two = test.judge(Query(*question)), test.judge(Query(*question).swapped())
    assert (one.df, one.n) == (two.df, two.n)
    assert one.statistic == pytest.approx(two.statistic, rel=1e-9, abs=1e-9)
    assert one.strength == pytest.approx(two.strength, rel=1e-9, abs=1e-12)


@given(frame=frames(), question=questions())
def test_both_engines_give_the_same_verdicts(frame, question):
    """numba and NumPy agree on decision, df, n and, to rounding, on all else."""
    if len(ENGINES) < 2:
        pytest.skip("numba is not installed")
    one, two = (G2(frame, engine=e).judge(Query(*question)) for e in ENGINES)
    assert (one.independent, one.df, one.n, one.reliable, one.reason) == (
        two.independent, two.df, two.n, two.reliable, two.reason,
    )  # fmt: skip
    assert one.statistic == pytest.approx(two.statistic, rel=1e-9, abs=1e-20)
    assert one.log_p == pytest.approx(two.log_p, rel=1e-9, abs=1e-12)


# --- degrees of freedom, reliability, vacuous tests --------------------------------------------------


def test_full_df_counts_declared_levels():
    """df="full" is (|x| − 1)(|y| − 1)|z| with the declared categories, also for sets."""
    frame = pd.DataFrame(
        {
            "x": pd.Categorical(list("aabb") * 25, list("abc")),
            "y": pd.Categorical(list("uvuv") * 25, list("uvwst")),
            "z": pd.Categorical(list("pppq") * 25, list("pqrs")),
        }
    )
    full = G2(frame, df="full", unreliable="trust")
    assert full.judge(Query("x", "y", "z")).df == 2 * 4 * 4
    assert full.judge(Query("x", {"y", "z"})).df == 2 * 19
    assert G2(frame).judge(Query("x", "y", "z")).df == 1


@engines
def test_too_little_data_follow_the_policy(engine):
    """Fewer than 5 rows a degree of freedom: the verdict says so and what the policy made of it."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 40)
    frame = pd.DataFrame({"x": x, "y": x, "z": rng.integers(0, 3, 40)})
    asked = Query("x", "y", "z")
    for policy, independent in (("independent", True), ("dependent", False), ("trust", False)):
        verdict = G2(frame, unreliable=policy, engine=engine).judge(asked)
        assert (verdict.independent, verdict.reliable) == (independent, False)
        assert "40 rows for 2" in verdict.reason
        assert ("trusted" if policy == "trust" else f"counted as {policy}") in verdict.reason
        assert verdict.p_value < 1e-6
    assert G2(frame, rows_per_df=1, engine=engine).judge(asked).reliable
    cells = G2(frame, rows_per_df=None, rows_per_cell=5, engine=engine).judge(asked)
    assert not cells.reliable
    assert "cells, fewer than 5 each" in cells.reason


@engines
def test_without_degrees_of_freedom_the_answer_is_independent(engine):
    """Constant columns and strata of one row: independent, p = 1, a reason, no NaN, under every policy."""
    frame = pd.DataFrame({"c": [1] * 8, "x": [0, 1] * 4, "id": range(8), "y": [0, 0, 1, 1] * 2})
    for policy, df in itertools.product(("independent", "dependent", "trust"), ("adjusted", "full")):
        test = G2(frame, unreliable=policy, df=df, engine=engine)
        constant = test.judge(Query("x", "c"))
        assert (constant.independent, constant.p_value, constant.statistic) == (True, 1.0, 0.0)
        assert constant.reason.startswith("c is constant in these 8 rows")
        strata = test.judge(Query("x", "y", "id"))
        assert (strata.independent, strata.p_value, strata.reliable) == (True, 1.0, False)
        assert "in every stratum one side is constant" in strata.reason
        assert test.strongest("x", ["c"], ()) is None
    one = G2(frame.iloc[:1], engine=engine).judge(Query("x", "y"))
    assert (one.independent, one.p_value, one.df, one.n) == (True, 1.0, 0.0, 1)


@engines
def test_p_values_keep_their_order_where_they_underflow(engine):
    """With p = 0 for both, log p and the ranking by p still tell the stronger one."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 20_000)
    weak = np.where(rng.random(20_000) < 0.95, x, 1 - x)
    frame = pd.DataFrame({"x": x, "weak": weak, "strong": x})
    test = G2(frame, engine=engine)
    weak_verdict, strong_verdict = test.judge_many("x", ["weak", "strong"], ())
    assert weak_verdict.p_value == strong_verdict.p_value == 0.0
    assert strong_verdict.log_p < weak_verdict.log_p < -700
    assert test.strongest("x", ["weak", "strong"], (), "p_value").position == 1


@engines
def test_enormous_declared_tables_are_no_problem(engine):
    """df="full" with 1,200 conditioning variables is a number, not NaN and not an overflow."""
    values = np.random.default_rng(0).integers(0, 2, (30, 1202))
    test = G2(pd.DataFrame(values).rename(columns=str), df="full", engine=engine)
    verdict = test.judge(Query("0", "1", [str(i) for i in range(2, 1202)]))
    assert verdict.independent
    assert verdict.df == 1e300
    assert verdict.p_value == 1.0


# --- missing values --------------------------------------------------------------------------------


@engines
@settings(max_examples=40)
@given(frame=frames(rows=100), question=questions(), seed=st.integers(0, 999))
def test_dropping_missing_values_equals_dropping_the_rows(engine, frame, question, seed):
    """missing="drop" answers as if the rows that lack one of the question's variables were not there."""
    lost = frame.astype("Int64").mask(np.random.default_rng(seed).random(frame.shape) < 0.15)
    test = ChiSquare(lost, missing="drop", unreliable="trust", engine=engine)
    x, y, z = question
    verdict = test.judge(Query(x, y, z))
    kept = lost[[*x, *y, *z]].dropna()
    assert verdict.n == len(kept)
    if len(kept):
        statistic, df, _ = by_scipy(kept.astype(int), x, y, z, "pearson")
        assert verdict.df == df
        assert verdict.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-9)
    rest = [v for v in NAMES if v not in x and v not in z]
    ys = Subsets(rest, 1, 2)
    assert test.judge_many(x, ys, z) == [test.judge(Query(x, y, z)) for y in ys]


def test_missing_values_are_refused_by_default_and_counted():
    """The error counts them by column and names the way out."""
    frame = pd.DataFrame({"a": [1, None, None], "b": ["u", None, "v"], "c": [1, 2, 3]})
    with pytest.raises(DataError, match=r"2 of 3 columns \('a': 2, 'b': 1; 3 rows\).*missing='drop'"):
        G2(frame)
    nothing = G2(frame.assign(a=[None, 1.0, None], b=["u", None, "v"]), missing="drop").judge(Query("a", "b"))
    assert (nothing.n, nothing.independent, nothing.p_value, nothing.reliable) == (0, True, 1.0, False)
    assert "no row is complete" in nothing.reason


# --- correction ------------------------------------------------------------------------------------


@engines
@settings(max_examples=30)
@given(frame=frames(rows=150), question=questions())
def test_a_correction_adjusts_the_candidates_of_one_scan(engine, frame, question):
    """The p-values of a scan are scipy's Benjamini–Hochberg of the raw ones; single questions stay raw."""
    x, _, z = question
    ys = [v for v in NAMES if v not in x and v not in z]
    raw = G2(frame, 0.1, engine=engine).judge_many(x, ys, z)
    test = G2(frame, 0.1, correction="bh", engine=engine)
    found = test.judge_many(x, ys, z)
    family = [i for i, v in enumerate(raw) if v.reliable and v.df]
    if family:
        adjusted = false_discovery_control([raw[i].p_value for i in family])
        for i, p in zip(family, adjusted, strict=True):
            assert found[i].p_value == pytest.approx(p, rel=1e-9)
            assert found[i].independent == (found[i].p_value > 0.1)
            assert f"over {len(family)} candidates" in found[i].reason
    assert test.strongest(x, ys, z, "p_value") == strongest_of(found, "p_value")
    dependent = [i for i, v in enumerate(found) if not v.independent]
    first = test.first_dependent(x, ys, z)
    assert (first.position if first else None) == (dependent[0] if dependent else None)
    assert test.judge(Query(x, ys[0], z)) == raw[0]
    assert test.batch >= len(ys)


# --- words and plain values --------------------------------------------------------------------------


def test_mutual_information_has_units():
    """The threshold and the statistic are in the unit, the strength in nats, and the threshold is strict."""
    frame = pd.DataFrame({"x": [0, 0, 1, 1], "y": [0, 0, 1, 1]})
    bits = MutualInformation(frame, 1.0, unit="bits").judge(Query("x", "y"))
    assert (bits.statistic, bits.strength) == (pytest.approx(1.0), pytest.approx(math.log(2)))
    assert MutualInformation(frame, 0.69).judge(Query("x", "y")).independent is False
    assert MutualInformation(frame, 0.70).judge(Query("x", "y")).independent is True


def test_explaining_shows_the_tables_and_stays_small():
    """explain gives observed and expected counts by stratum as JSON, the largest strata first, capped."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({k: rng.integers(0, 3, 300) for k in "xyz"})
    test = G2(frame)
    asked = Query("x", "y", "z")
    told = test.explain(asked)
    json.dumps(told)
    assert told["strata"] == told["shown_strata"] == 3
    assert sum(t["n"] for t in told["tables"]) == told["n"] == 300
    for table in told["tables"]:
        want = chi2_contingency(np.array(table["observed"])).expected_freq
        np.testing.assert_allclose(table["expected"], want)
    assert told["verdict"]["statistic"] == test.judge(asked).statistic
    assert test.explain(asked, largest=10)["shown_strata"] == 1
    json.dumps(test.describe())
    assert test.describe()["kind"] == "G2"


@engines
def test_a_test_is_a_judge_and_can_be_sent_away(engine):
    """It has all the verbs of a judge, and a pickled copy answers alike."""
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (80, 3)), columns=list("xyz"))
    test = G2(frame, engine=engine)
    assert isinstance(test, Judge)
    asked = Query("x", "y", "z")
    assert pickle.loads(pickle.dumps(test)).judge(asked) == test.judge(asked)


def test_bad_questions_and_parameters_are_refused():
    """Errors show the value, the rule and the way out."""
    frame = pd.DataFrame({"x": [0, 1], "y": [0, 1], "z": [0, 1]})
    test = G2(frame)
    with pytest.raises(UnknownName, match="unknown variable 'w'"):
        test.judge(Query("x", "w"))
    with pytest.raises(UnknownName, match="unknown variable 'w'"):
        test.strongest("x", ["y", "w"], ())
    for verb in (test.judge_many, test.strongest, test.first_dependent):
        with pytest.raises(QueryError, match="stands on two sides"):
            verb("x", ["y", "x"], ())
        with pytest.raises(QueryError, match="stands on two sides"):
            verb("x", Subsets(["y", "z"], 1, 2), "z")
        with pytest.raises(QueryError, match="is empty"):
            verb("x", [[]], ())
        assert not verb("x", [], ())
    for bad in ({"alpha": 0}, {"alpha": 1.5}, {"df": "none"}, {"unreliable": "maybe"}, {"rows_per_df": -1}):
        with pytest.raises(JudgeError, match=next(iter(bad))):
            G2(frame, **bad)
    for bad in ({"correction": "holm"}, {"engine": "cuda"}):
        with pytest.raises(JudgeError, match=next(iter(bad))):
            G2(frame, **bad)
    with pytest.raises(JudgeError, match="threshold"):
        MutualInformation(frame, -0.1)
    with pytest.raises(JudgeError, match="unit"):
        MutualInformation(frame, unit="hartleys")
    with pytest.raises(JudgeError, match="by='size'"):
        test.strongest("x", ["y"], (), "size")


# --- the level ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [G2, ChiSquare])
@pytest.mark.parametrize("levels", [(2, 2), (3, 2, 2)])
def test_the_false_positive_rate_is_the_level(test, levels):
    """Where independence holds, the exact interval of the rate of wrong verdicts covers alpha."""
    found = false_positive_rate(lambda frame: test(frame, 0.05), rows=400, levels=levels, tables=1000)
    assert found.low <= 0.05 <= found.high


@pytest.mark.slow
@pytest.mark.parametrize("test", [G2, ChiSquare])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("levels", [(2, 2), (3, 3), (2, 2, 2), (3, 2, 2, 2)])
def test_the_false_positive_rate_is_the_level_on_many_tables(test, alpha, levels):
    """The same on 10,000 tables, with 1,000 rows each, where χ² is a good approximation."""
    found = false_positive_rate(lambda frame: test(frame, alpha), rows=1000, levels=levels)
    assert found.low <= alpha <= found.high
