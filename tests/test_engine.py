"""The encoder and the counting engine: both paths count the same, whatever the data look like."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from mbedu.citests import kernels_numpy
from mbedu.citests.encode import Encoded, encode, pack, unpack
from mbedu.citests.engine import Engine, load_kernels
from mbedu.citests.pvalues import CompiledTails, CriticalValues, chi2_sf, chi2_tail, chi2_tails, log_chi2_sf
from mbedu.citests.tuples import _unrank, all_tuples
from mbedu.errors import DataError, JudgeError

ENGINES = ["numpy"]
try:
    import numba  # noqa: F401

    ENGINES.append("numba")
except ImportError:
    pass
both = pytest.mark.skipif(len(ENGINES) < 2, reason="numba is not installed")


@st.composite
def coded(draw, columns=5, most=5, missing=False):
    """Columns of random cardinality; some constant, some copies of others."""
    n = draw(st.integers(1, 200))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cards = [draw(st.integers(1, most)) for _ in range(columns)]
    codes = np.array([rng.integers(0, k, n) for k in cards], np.uint8)
    if draw(st.booleans()):
        codes[1] = np.where(rng.random(n) < 0.6, codes[0], codes[1]) % cards[1]
    if draw(st.booleans()):
        codes[-1], cards[-1] = codes[-2], cards[-2]
    lost = np.zeros(columns, np.int64)
    if missing:
        gone = rng.random(codes.shape) < draw(st.sampled_from([0.0, 0.1, 0.6]))
        gone[0] &= draw(st.booleans())
        codes = np.where(gone, np.array(cards, np.uint8)[:, None], codes)
        lost = gone.sum(1)
    names = [f"v{i}" for i in range(columns)]
    return Encoded(names, n, levels=[tuple(range(k)) for k in cards], codes=codes, missing=lost)


def brute_table(data, x, members, given):
    """The table strata × x × y by counting tuples in Python; only strata in which x takes two values."""
    rows = {}
    order = []
    for i in range(data.n):
        values = {v: int(data.matrix[v, i]) for v in (*x, *members, *given)}
        if any(values[v] >= data.cards[v] for v in values):
            continue
        z = tuple(values[v] for v in given)
        if z not in rows:
            rows[z] = {}
            order.append(z)
        key = (tuple(values[v] for v in x), tuple(values[v] for v in members))
        rows[z][key] = rows[z].get(key, 0) + 1
    return [rows[z] for z in order]


def brute_scores(tables):
    """G², χ², degrees of freedom, rows and cells from the definition."""
    g = chi = df = n = cells = 0.0
    for table in tables:
        total = sum(table.values())
        n += total
        a, b = {}, {}
        for (x, y), k in table.items():
            a[x], b[y] = a.get(x, 0) + k, b.get(y, 0) + k
        if len(a) < 2 or len(b) < 2:
            continue
        df += (len(a) - 1) * (len(b) - 1)
        cells += len(a) * len(b)
        for x, y in itertools.product(a, b):
            k, e = table.get((x, y), 0), a[x] * b[y] / total
            chi += (k - e) ** 2 / e
            g += 2 * k * math.log(k / e) if k else 0.0
    return np.array([g, chi, df, n, cells])


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60, deadline=None)
@given(data=coded(missing=True), size=st.integers(0, 2), m=st.integers(1, 2))
def test_scores_follow_the_definition(engine, data, size, m):
    """Whatever path counts, the five scores are those of a table counted tuple by tuple."""
    machine = Engine(data, engine=engine, chi=True)
    given_, rest = tuple(range(1, 1 + size)), list(range(1 + size, 5))
    tuples = np.array(list(itertools.combinations(rest, m)))
    context = machine.context((0,), frozenset(given_))
    out = machine.scan_tuples(context, tuples, tuple(rest))
    for j, members in enumerate(tuples.tolist()):
        want = brute_scores(brute_table(data, (0,), members, given_))
        np.testing.assert_allclose(out[:, j], want, rtol=1e-9, atol=1e-9)
    assert np.isfinite(out).all()
    assert (out >= 0).all()


@both
@settings(max_examples=80, deadline=None)
@given(data=coded(missing=True), size=st.integers(0, 3))
def test_both_paths_fill_the_same_strata_and_tables(data, size):
    """numba and NumPy find the same strata, place the same rows and count the same integers."""
    one, two = (Engine(data, engine=name) for name in ("numba", "numpy"))
    given_ = frozenset(range(1, 1 + size))
    (z, k), (y, m) = one.strata(given_), two.strata(given_)
    assert k == m
    same_classes(z, y)
    a, b = one.context((0,), given_), two.context((0,), given_)
    np.testing.assert_array_equal(a.rows, b.rows)
    to = same_classes(a.cell, b.cell)
    assert (a.strata, a.r, a.total, a.sizes.sum()) == (b.strata, b.r, b.total, b.sizes.sum())
    fast = one.kernels
    for v in range(1 + size, 5):
        c = max(1, int(data.cards[v]))
        table = np.zeros(a.cells * c + 1, np.int64)
        fast.count_codes(data.matrix[v], c, a.rows, a.cell, a.cells, table)
        codes = kernels_numpy.joint_codes(data.matrix, np.maximum(data.cards, 1), np.array([[v]]), b.rows)
        plain = kernels_numpy.count_codes(codes, np.array([c]), c, b.cell, b.cells)[:, :, 0]
        assert table[:-1].sum() == plain.sum()
        for i, j in to.items():
            assert a.sizes[i] == b.sizes[j]
            np.testing.assert_array_equal(table[i * c : (i + 1) * c], plain[j])


def same_classes(one, two):
    """Two numberings of the rows are the same up to the names of the classes; return the translation."""
    pairs = set(zip(one.tolist(), two.tolist(), strict=True))
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    return dict(pairs)


@both
@settings(max_examples=60, deadline=None)
@given(data=coded(columns=6, most=2), size=st.integers(0, 2), m=st.integers(1, 4))
def test_moments_and_planes_and_rows_count_alike(data, size, m):
    """Inclusion–exclusion on sorted bits and row-by-row counting give the same scores in both paths."""
    given_, rest = frozenset(range(1, 1 + size)), tuple(range(1 + size, 6))
    tuples = np.array(list(itertools.combinations(rest, min(m, len(rest)))))
    found = []
    for name in ("numba", "numpy"):
        machine = Engine(data, engine=name, chi=True)
        context = machine.context((0,), given_)
        if context.strata == 0:
            return
        found += [machine._scan_binary(context, tuples, rest), machine._scan_codes(context, tuples)]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0][2:], other[2:])
        np.testing.assert_allclose(found[0][:2], other[:2], rtol=1e-11, atol=1e-11)


@settings(max_examples=80, deadline=None)
@given(data=coded(most=4), size=st.integers(0, 3), chi=st.booleans())
def test_one_table_equals_the_long_way(data, size, chi):
    """NumPy's short ways for one and for many give to the last bit what the long way gives."""
    machine = Engine(data, engine="numpy", chi=chi)
    columns = np.arange(1 + size, 5)
    long = machine.scan(machine.context((0,), frozenset(range(1, 1 + size))), columns)
    lanes = machine.scan_all(0, tuple(range(1, 1 + size)))
    np.testing.assert_array_equal(lanes[:, columns], long)
    for j, v in enumerate(columns):
        short = machine.scan_at_once((0,), tuple(range(1, 1 + size)), np.array([v]))
        np.testing.assert_array_equal(short[:, 0], long[:, j])


@both
@settings(max_examples=80, deadline=None)
@given(data=coded(most=4), size=st.integers(0, 3))
def test_one_compiled_call_equals_the_long_way(data, size):
    """The question done wholly in bits gives to the last bit what strata, cells and planes give."""
    machine = Engine(data, engine="numba", chi=True)
    columns = np.arange(1 + size, 5)
    short = machine.scan_at_once((0,), tuple(range(1, 1 + size)), columns)
    long = machine.scan(machine.context((0,), frozenset(range(1, 1 + size))), columns)
    np.testing.assert_array_equal(short, long)


@pytest.mark.parametrize("engine", ENGINES)
def test_tables_far_larger_than_the_data_are_sorted(engine):
    """Columns with as many levels as rows are measured without a dense table, and rightly."""
    rng = np.random.default_rng(3)
    n = 1500
    codes = np.stack([rng.integers(0, k, n) for k in (900, 1200, 3)]).astype(np.uint16)
    levels = [tuple(range(k)) for k in (900, 1200, 3)]
    data = Encoded(["a", "b", "c"], n, levels=levels, codes=codes)
    machine = Engine(data, engine=engine, chi=True)
    for given_ in ((), (2,)):
        out = machine.scan(machine.context((0,), frozenset(given_)), np.array([1]))
        want = brute_scores(brute_table(data, (0,), (1,), given_))
        np.testing.assert_allclose(out[:, 0], want, rtol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40, deadline=None)
@given(data=coded(most=3), order=st.permutations([1, 2, 3]))
def test_strata_do_not_depend_on_what_was_asked_before(engine, data, order):
    """Strata are numbered by their first row or by their code, by whatever prefix they were reached."""
    fresh, used = Engine(data, engine=engine), Engine(data, engine=engine)
    for k in range(1, 4):
        used.strata(frozenset(order[:k]))
    z, k = used.strata(frozenset((1, 2, 3)))
    want, count = fresh.strata(frozenset((1, 2, 3)))
    assert k == count
    np.testing.assert_array_equal(z, want)
    first = [int(np.flatnonzero(z == s)[0]) for s in range(k)]
    codes = [tuple(data.matrix[[1, 2, 3], row]) for row in first]
    assert first == sorted(first) if engine == "numba" else codes == sorted(codes)


@given(size=st.integers(1, 9), m=st.integers(1, 4), block=st.integers(1, 50))
def test_all_tuples_are_all_combinations_in_order(size, m, block):
    """The blocks of subsets, written down or unranked, are itertools.combinations."""
    want = [list(c) for c in itertools.combinations(range(size), m)]
    assert [t for part in all_tuples(size, m, block=block) for t in part.tolist()] == want
    assert _unrank(np.arange(len(want)), size, m).tolist() == want


# --- p-values ------------------------------------------------------------------------------------


@both
@given(st.integers(1, 250), st.floats(1e-6, 5e5))
def test_compiled_tails_equal_scipys(df, statistic):
    """The finite sum agrees with scipy's tail and with the continued fraction where that underflows."""
    x, d = np.array([statistic]), np.array([float(df)])
    (p, log_p), (q, log_q) = CompiledTails().many(x, d), chi2_tails(x, d)
    np.testing.assert_allclose(p, q, rtol=1e-9, atol=1e-290)
    np.testing.assert_allclose(log_p, log_q, rtol=1e-10, atol=1e-12)
    assert CompiledTails().one(statistic, float(df)) == (p[0], log_p[0])
    assert chi2_tail(statistic, float(df)) == (q[0], log_q[0])


@given(st.integers(1, 40), st.floats(30, 1000))
def test_the_logarithm_is_that_of_the_tail(df, excess):
    """Where nothing underflows, the continued fraction is the logarithm of scipy's tail."""
    x = df + excess
    assert log_chi2_sf([x], [df])[0] == pytest.approx(math.log(chi2_sf([x], [df])[0]), rel=1e-10)


@given(st.integers(1, 30), st.floats(300, 1e6), st.floats(1e-6, 10))
def test_order_survives_underflow(df, statistic, more):
    """A larger statistic at the same df always has the smaller logarithm of p."""
    _, log_p = chi2_tails(np.array([statistic, statistic * (1 + more)]), np.array([df, df], float))
    assert log_p[1] < log_p[0] < 0


@given(st.integers(0, 700), st.floats(0, 2000), st.sampled_from([0.05, 0.001, 1e-12, 0.9]))
def test_the_critical_value_never_changes_a_decision(df, statistic, alpha):
    """Comparing with the critical value says what p ≤ alpha says, also right at it."""
    critical = CriticalValues(alpha, tail=chi2_tails)
    d = np.array([float(df)])
    near = critical.sure_above[min(df, 512)] if 0 < df <= 512 else statistic
    for x in (statistic, near, np.nextafter(near, 0), near * (1 - 1e-9)):
        at = np.array([float(x)])
        assert critical.significant(at, d)[0] == (df > 0 and chi2_tails(at, d)[0][0] <= alpha)


# --- encoding ------------------------------------------------------------------------------------


def test_declared_categories_are_the_levels():
    """A Categorical keeps levels that do not occur, in their declared order; other columns are sorted."""
    frame = pd.DataFrame(
        {
            "cat": pd.Categorical(["lo", "hi", "lo"], ["lo", "mid", "hi"]),
            "int": [7, -1, 7],
            "str": ["b", "a", "b"],
            "bool": [True, False, True],
            "Int64": pd.array([3, 1, 3], dtype="Int64"),
            "boolean": pd.array([True, True, False], dtype="boolean"),
            "string": pd.array(["u", "v", "u"], dtype="string"),
            "object": ["x", 1, (2, 3)],
            "float": [1.0, 2.0, 1.0],
        }
    )
    made = encode(frame)
    assert made.levels[0] == ("lo", "mid", "hi")
    assert made.levels[1:3] == [(-1, 7), ("a", "b")]
    assert made.levels[3] == (False, True)
    assert made.cards.tolist() == [3, 2, 2, 2, 2, 2, 2, 3, 2]
    for i, name in enumerate(frame):
        decoded = [made.levels[i][c] for c in made.matrix[i]]
        assert decoded == frame[name].tolist()


@settings(max_examples=40)
@given(st.integers(1, 200), st.integers(1, 6), st.integers(0, 2**31))
def test_sparse_dense_and_frame_encode_alike(n, columns, seed):
    """A 0/1 matrix has the same bits however it comes; packing and unpacking undo each other."""
    dense = np.random.default_rng(seed).integers(0, 2, (n, columns))
    made = [
        encode(kind(dense))
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_matrix)
    ]
    for data in made:
        np.testing.assert_array_equal(data.bits, pack(dense.T))
        np.testing.assert_array_equal(data.codes(range(columns)), dense.T)
    np.testing.assert_array_equal(unpack(pack(dense.T), n), dense.T)
    array = encode(dense)
    values = [[array.levels[v][c] for c in array.matrix[v]] for v in range(columns)]
    assert values == dense.T.tolist()


def test_many_sparse_columns_stay_small():
    """20,000 columns by 1,909 rows are kept in one bit a value."""
    matrix = scipy.sparse.random(1909, 20_000, density=0.01, format="csr", random_state=0, dtype=np.float32)
    made = encode((matrix != 0).astype(np.int8))
    assert made.bits.nbytes == 20_000 * 30 * 8
    assert made.matrix is None


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (pd.DataFrame({"a": [1.5, 2.5] * 20 + list(np.linspace(0, 1, 30))}), "discretise.*FisherZ"),
        (pd.DataFrame({"a": []}), "0 rows"),
        (pd.DataFrame(index=[1, 2]), "0 columns"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"\['a'\] occur more than once"),
        (pd.DataFrame([[1, 2]], columns=[0, 1]), r"0 \(int\) is not a string.*map\(str\)"),
        (pd.DataFrame({"a": [[1], [2]]}), "cannot be labels"),
        (
            pd.DataFrame({"a": [1, None], "b": [None, None]}),
            "missing values in 2 of 2 columns.*'a': 1, 'b': 2",
        ),
        (scipy.sparse.csr_matrix([[0, 3]]), "value 3; only 0 and 1"),
        (np.zeros(3, int), "1 dimensions"),
        ({"a": [1]}, "dict is not data"),
    ],
)
def test_bad_data_are_refused_with_a_way_out(bad, words):
    """Data that cannot be used get an error that shows the value and the way out."""
    with pytest.raises(DataError, match=words):
        encode(bad)


def test_numpy_arrays_take_names():
    """An array has the names x0, x1, … or the given ones, one a column."""
    assert encode(np.eye(3, dtype=int)).names == ("x0", "x1", "x2")
    assert encode(np.eye(2, dtype=bool), names=["a", "b"]).levels == [(False, True)] * 2
    with pytest.raises(DataError, match="2 names for 3 columns"):
        encode(np.eye(3, dtype=int), names=["a", "b"])


def test_engines_are_chosen_by_name():
    """An unknown engine is refused; 'auto' always gives one."""
    assert load_kernels("auto")[0] in ("numba", "numpy")
    assert load_kernels("numpy")[1] is kernels_numpy
    with pytest.raises(JudgeError, match="'auto', 'numba'"):
        load_kernels("cuda")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_can_be_sent_to_another_process(engine):
    """A pickled engine counts as before."""
    data = encode(np.random.default_rng(0).integers(0, 3, (50, 3)))
    machine = Engine(data, engine=engine)
    again = pickle.loads(pickle.dumps(machine))
    for one in (machine, again):
        one.context((0,), frozenset((1,)))
    a, b = (one.scan(one.context((0,), frozenset((1,))), np.array([2])) for one in (machine, again))
    np.testing.assert_array_equal(a, b)
