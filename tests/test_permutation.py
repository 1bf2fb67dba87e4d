"""The conditional permutation test: exactly what the definition says, whatever the order of asking."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import mbedu.citests.permutation as module
from mbedu.citests.common import take_rows
from mbedu.citests.encode import encode
from mbedu.citests.permutation import Permutation, _draw_tables, _Strata
from mbedu.errors import DataError, JudgeError, MbeduError, UnknownName
from mbedu.query import Query


@st.composite
def frames(draw, rows=(1, 40), columns=4, levels=4):
    n = draw(st.integers(*rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cards = [draw(st.integers(1, levels)) for _ in range(columns)]
    return pd.DataFrame({"ABCD"[i]: rng.integers(0, card, n) for i, card in enumerate(cards)})


QUERIES = [
    Query("A", "B"), Query("A", "B", "C"), Query("A", {"B", "C"}, "D"),
    Query({"A", "B"}, {"C", "D"}), Query("C", "A", {"B", "D"}),
]  # fmt: skip


@given(frames(), st.sampled_from(QUERIES), st.sampled_from([0.01, 0.05, 0.3]))
def test_stopping_early_never_changes_the_verdict(frame, query, alpha):
    """Stopping early gives the verdict of all shuffles, and a p-value that truly bounds theirs."""
    early = Permutation(frame, alpha, permutations=199).judge(query)
    whole = Permutation(frame, alpha, permutations=199, exact=True).judge(query)
    assert early.independent == whole.independent == (whole.p_value > alpha)
    assert early.independent == (early.p_value > alpha)
    if "at least" in early.reason:
        assert early.p_value <= whole.p_value
    elif "at most" in early.reason:
        assert early.p_value >= whole.p_value
    else:
        assert early.p_value == whole.p_value


@given(frames(), st.sampled_from(QUERIES))
def test_swapping_and_order_of_asking_do_not_matter(frame, query):
    """The verdict depends on data, seed and question, not on which side is x or what was asked before."""
    fresh = Permutation(frame, permutations=99).judge(query)
    used = Permutation(frame, permutations=99)
    used.judge_many("A", ["B", "C", "D"], ())
    assert used.judge(query.swapped()) == fresh
    assert used.judge_many(query.x, [query.y], query.given) == [fresh]


@given(frames(), st.sampled_from(QUERIES))
def test_the_statistic_is_g2_summed_over_strata(frame, query):
    """The statistic equals the sum over strata of scipy's log-likelihood ratio; strength is it over 2n."""
    verdict = Permutation(frame, permutations=19).judge(query)
    x, y = (frame[sorted(s)].astype(str).agg("-".join, axis=1) for s in (query.x, query.y))
    strata = frame.groupby(sorted(query.given)).indices.values() if query.given else [np.arange(len(frame))]
    total = 0.0
    for rows in strata:
        table = pd.crosstab(x.iloc[rows], y.iloc[rows]).to_numpy()
        if min(table.shape) > 1:
            total += stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")[0]
    assert math.isclose(verdict.statistic, total, rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(verdict.strength, total / 2 / len(frame), rel_tol=1e-9, abs_tol=1e-9)
    assert 0 < verdict.p_value <= 1
    assert verdict.log_p == math.log(verdict.p_value)


def _all_orders(x, y, z):
    """Every G² that shuffling x within the strata of z can give, each once."""
    frame = pd.DataFrame({"x": x, "y": y, "z": z})
    groups = [rows.tolist() for rows in frame.groupby("z").indices.values()]
    found = []
    for orders in itertools.product(*(itertools.permutations(rows) for rows in groups)):
        moved = np.array(x)
        for rows, order in zip(groups, orders, strict=True):
            moved[rows] = np.array(x)[list(order)]
        found.append(_Strata.read(encode(frame.assign(x=moved)), Query("x", "y", "z")).g2())
    return np.array(found)


@pytest.mark.parametrize("rows_instead_of_tables", [False, True])
def test_the_p_value_converges_to_full_enumeration(monkeypatch, rows_instead_of_tables):
    """Both ways of shuffling approach the share of *all* orders whose G² is at least the observed one."""
    x, y, z = [0, 0, 1, 1, 2, 0, 1, 0], [0, 0, 1, 1, 1, 0, 1, 1], [0] * 5 + [1] * 3
    every = _all_orders(x, y, z)
    exact = (every >= every[0] - 1e-9).mean()  # the first order is the one observed
    monkeypatch.setattr(module, "DRAWN", 10**9 if rows_instead_of_tables else 0)
    B = 20_000
    test = Permutation(pd.DataFrame({"x": x, "y": y, "z": z}), permutations=B, exact=True)
    p = test.judge(Query("x", "y", "z")).p_value
    assert abs(p - exact) < 4 * math.sqrt(exact * (1 - exact) / B) + 1 / B


def test_a_two_by_two_table_agrees_with_the_exact_hypergeometric_distribution():
    """For a 2 × 2 table p is the exact conditional one (ordered by G²), within Monte Carlo error."""
    table = np.array([[12, 5], [6, 14]])
    x, y = np.repeat([0, 0, 1, 1], table.ravel()), np.repeat([0, 1, 0, 1], table.ravel())
    n, row, column = 37, 17, 18
    a = np.arange(max(0, row + column - n), min(row, column) + 1)
    cells = np.array([a, row - a, column - a, n - row - column + a], float)
    g = (cells * np.log(np.maximum(cells, 1))).sum(0)
    chance = stats.hypergeom(n, column, row).pmf(a)
    exact = chance[g >= g[a == 12] - 1e-9].sum()
    B = 50_000
    p = Permutation(pd.DataFrame({"x": x, "y": y}), permutations=B, exact=True).judge(Query("x", "y")).p_value
    assert abs(p - exact) < 4 * math.sqrt(exact * (1 - exact) / B) + 1 / B


def test_drawn_tables_keep_the_margins_and_have_the_hypergeometric_mean():
    """Σ k·log k of drawn tables is that of real shuffles on average."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    strata = _Strata.read(
        encode(pd.DataFrame({"x": x, "y": y, "z": rng.integers(0, 2, 60)})), Query("x", "y", "z")
    )
    k = np.arange(61.0)
    klogk = k * np.log(np.maximum(k, 1))
    drawn = _draw_tables(rng, 4000, *strata.margins(), klogk)
    moved = strata._shuffle_rows(rng, 4000, klogk)
    assert stats.ks_2samp(drawn, moved).pvalue > 1e-3


def test_the_same_verdict_in_another_process():
    """Python's own hash is salted by process; the random numbers are not."""
    code = (
        "import numpy as np\nfrom mbedu.citests.permutation import Permutation\n"
        "from mbedu.query import Query\n"
        "data = np.random.default_rng(0).integers(0, 3, (50, 3))\n"
        "print(Permutation(data, exact=True).judge(Query({'x0', 'x1'}, 'x2')).p_value)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("1", "2")
    }
    data = np.random.default_rng(0).integers(0, 3, (50, 3))
    here = Permutation(data, exact=True).judge(Query({"x0", "x1"}, "x2")).p_value
    assert found == {f"{here}\n"}


def test_nothing_to_shuffle():
    """A constant column, or strata of one row, are independent with p = 1, and the reason says why."""
    frame = pd.DataFrame({"a": [0, 1, 0, 1], "one": [5] * 4, "id": [1, 2, 3, 4], "b": [0, 1, 0, 1]})
    test = Permutation(frame)
    constant = test.judge(Query("a", "one"))
    assert (constant.independent, constant.p_value, constant.reliable) == (True, 1.0, True)
    assert "one is constant" in constant.reason
    thin = test.judge(Query("a", "b", "id"))
    assert (thin.independent, thin.p_value, thin.reliable) == (True, 1.0, False)
    assert "nothing can be tested" in thin.reason
    few = test.judge(Query("a", "b"))
    assert few.independent
    assert not few.reliable
    assert "only 6 different orders" in few.reason


def test_parity_needs_sets():
    """Two coins together tell their parity, one alone does not."""
    coins = pd.DataFrame({"a": [0, 0, 1, 1] * 10, "b": [0, 1, 0, 1] * 10})
    coins["parity"] = coins.a ^ coins.b
    test = Permutation(coins, statistic="mi")
    assert test.judge(Query("a", "parity")).independent
    both = test.judge(Query({"a", "b"}, "parity"))
    assert not both.independent
    assert math.isclose(both.statistic, math.log(2))


def test_missing_values_are_refused_or_dropped():
    """Missing values are counted by column; 'drop' answers as the complete rows do."""
    frame = pd.DataFrame({"a": ["u", "v", None] * 10, "b": [1, 2, 3] * 10, "c": [0, 1] * 15})
    with pytest.raises(DataError, match="'a': 10"):
        Permutation(frame)
    verdict = Permutation(frame, missing="drop").judge(Query("a", "b"))
    assert verdict.n == 20
    assert verdict == Permutation(frame.dropna()).judge(Query("a", "b"))


@given(frames(rows=(5, 30)), st.integers(0, 2**32))
def test_rows_gives_the_judge_of_those_rows(frame, seed):
    """`rows(index)` answers as a judge built on those rows."""
    index = np.random.default_rng(seed).integers(0, len(frame), 12)
    some = Permutation(frame, permutations=49).rows(index)
    assert some.judge(QUERIES[1]) == Permutation(frame.iloc[index], permutations=49).judge(QUERIES[1])


def test_rows_of_sparse_bits():
    """Rows of 0/1 data that are kept as bits are the same rows."""
    from scipy import sparse

    dense = np.random.default_rng(0).integers(0, 2, (130, 5))
    index = np.r_[3:100, 7]
    taken = take_rows(encode(sparse.csr_matrix(dense)), index)
    assert (dense[index] == taken.codes(range(5)).T).all()


def test_bad_input_is_explained():
    """Errors show the value, the rule and the way out."""
    frame = pd.DataFrame({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(JudgeError, match="use at least 19 permutations"):
        Permutation(frame, permutations=9)
    with pytest.raises(JudgeError, match="alpha=2"):
        Permutation(frame, 2)
    with pytest.raises(JudgeError, match="statistic='chi'"):
        Permutation(frame, statistic="chi")
    with pytest.raises(JudgeError, match=r"seed=1\.5"):
        Permutation(frame, seed=1.5)
    with pytest.raises(UnknownName, match="'z'"):
        Permutation(frame).judge(Query("a", "z"))
    with pytest.raises(DataError, match="row 7"):
        Permutation(frame).rows([7])
    with pytest.raises(MbeduError, match="a mask of 3 rows"):
        Permutation(frame).rows([True, False, True])


def test_describe_and_explain_are_plain():
    """What the trace and the player show is JSON."""
    import json

    frame = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (40, 3)), columns=list("abc"))
    test = Permutation(frame)
    assert json.loads(json.dumps(test.describe()))["permutations"] == 999
    told = json.loads(json.dumps(test.explain(Query("a", "b", "c"))))
    assert 0 < told["p_of_all_shuffles"] <= 1


def _rejections(repeats, seed, alpha=0.05):
    rng = np.random.default_rng(seed)
    count = 0
    for i in range(repeats):
        z = rng.integers(0, 3, 40)
        x, y = rng.random(40) < 0.2 + 0.3 * z, rng.random(40) < 0.8 - 0.3 * z
        frame = pd.DataFrame({"x": x, "y": y, "z": z})
        count += (
            not Permutation(frame, alpha, permutations=199, seed=i).judge(Query("x", "y", "z")).independent
        )
    return count


def test_false_positives_stay_within_alpha():
    """Under the null hypothesis at most alpha of the tests say dependent, within the binomial interval."""
    assert _rejections(600, 0) <= stats.binom(600, 0.05).ppf(0.9995)


@pytest.mark.slow
def test_false_positives_stay_within_alpha_on_ten_thousand_tables():
    """The same on 10,000 simulated tables; discreteness makes the test a little conservative."""
    count = _rejections(10_000, 1)
    assert stats.binom(10_000, 0.02).ppf(0.0005) <= count <= stats.binom(10_000, 0.05).ppf(0.9995)
