"""The exact Gaussian against a second implementation, against graphs, and on singular covariances."""

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import all_queries, covariances, equations, queries

from mbedu.errors import JudgeError, UnknownName
from mbedu.oracles import DSeparation, ExactGaussian
from mbedu.oracles import exact_gaussian as module
from mbedu.query import Query


# ---------------------------------------------------------------- a second implementation
def solve(rows, right):
    """Solve rows · u = right in Fractions by Gauss-Jordan; any solution if there are several."""
    n = len(rows)
    table = [[*map(Fraction, row), Fraction(r)] for row, r in zip(rows, right, strict=True)]
    pivots, r = [], 0
    for c in range(n):
        best = next((i for i in range(r, n) if table[i][c]), None)
        if best is None:
            continue
        table[r], table[best] = table[best], table[r]
        table[r] = [e / table[r][c] for e in table[r]]
        for i in range(n):
            if i != r:
                table[i] = [e - table[i][c] * f for e, f in zip(table[i], table[r], strict=True)]
        pivots.append(c)
        r += 1
    assert all(not row[n] for row in table[r:]), "a covariance column always lies in the range"
    solution = [Fraction(0)] * n
    for i, c in enumerate(pivots):
        solution[c] = table[i][n]
    return solution


def conditional_covariance(variables, rows, a, b, z):
    """Cov(a, b) − Cov(a, z) · u, where u solves Cov(z, z) · u = Cov(z, b)."""
    at = {v: i for i, v in enumerate(variables)}
    inner = [[rows[at[p]][at[q]] for q in z] for p in z]
    u = solve(inner, [rows[at[p]][at[b]] for p in z])
    return rows[at[a]][at[b]] - sum((rows[at[a]][at[p]] * c for p, c in zip(z, u, strict=True)), Fraction(0))


@settings(max_examples=200)
@given(covariances(), st.data())
def test_equals_the_regression(world, data):
    """Conditional covariances equal those of solving the normal equations in Fractions, singular or not."""
    variables, rows = world
    oracle = ExactGaussian(rows, variables=variables)
    query = data.draw(queries(variables))
    z = sorted(query.given)
    values = {(a, b): conditional_covariance(variables, rows, a, b, z) for a in query.x for b in query.y}
    assert oracle.judge(query).independent == (not any(values.values()))
    for (a, b), value in values.items():
        assert oracle.covariance(a, b, given=z) == value


@given(covariances(), st.data())
def test_strength_equals_the_float_formula(world, data):
    """Where the covariance is regular, strength is ½ log(|Σxz||Σyz| / |Σz||Σxyz|) as floats work it out."""
    variables, rows = world
    # a ridge makes it regular
    regular = [[c + (i == j) for j, c in enumerate(row)] for i, row in enumerate(rows)]
    oracle = ExactGaussian(regular, variables=variables)
    query = data.draw(queries(variables))
    at = {v: i for i, v in enumerate(variables)}
    floats = np.array(regular, dtype=float)

    def logdet(names):
        index = sorted(at[v] for v in names)
        return np.linalg.slogdet(floats[np.ix_(index, index)])[1] if index else 0.0

    z = query.given
    expected = (logdet(query.x | z) + logdet(query.y | z) - logdet(z) - logdet(query.x | query.y | z)) / 2
    assert oracle.judge(query).strength == pytest.approx(expected, abs=1e-9)


@given(covariances(), st.data())
def test_infinite_strength_means_determined(world, data):
    """Strength is infinite exactly when x and y together have a lower rank given z than apart."""
    variables, rows = world
    oracle = ExactGaussian(rows, variables=variables)
    query = data.draw(queries(variables))
    at = {v: i for i, v in enumerate(variables)}

    def rank(names):
        index = sorted(at[v] for v in names)
        block = [[rows[i][j] for j in index] for i in index]
        count = 0
        while block:  # Fractions, so that the rank is exact
            row = next((r for r in block if any(r)), None)
            if row is None:
                break
            c = next(k for k, e in enumerate(row) if e)
            block = [
                [e - r[c] / row[c] * f for e, f in zip(r, row, strict=True)] for r in block if r is not row
            ]
            count += 1
        return count

    z = query.given
    lost = rank(query.x | z) + rank(query.y | z) - rank(z) - rank(query.x | query.y | z)
    assert (oracle.judge(query).strength == math.inf) == (lost > 0)


@given(equations(), st.data())
def test_graph_promises_are_kept(world, data):
    """Wherever d-separation says independent, linear structural equations over that graph agree."""
    variables, edges, lines, noise = world
    graph = DSeparation(edges, variables=variables)
    oracle = ExactGaussian.from_equations(lines, noise=noise, variables=variables)
    for _ in range(8):
        query = data.draw(queries(variables))
        assert not graph.judge(query).independent or oracle.judge(query).independent


@given(equations(largest=5))
def test_equations_give_the_covariance_of_the_model(world):
    """The covariance solves Σ = B Σ Bᵀ + D, checked entry by entry through Cov(v, w) = Σ b·Cov(p, w)."""
    variables, _, lines, noise = world
    oracle = ExactGaussian.from_equations(lines, noise=noise, variables=variables)
    below = {v: set() for v in variables}  # descendants, v included
    for v in variables:
        todo = [v]
        while todo:
            u = todo.pop()
            below[v].add(u)
            todo += [c for c in variables if u in lines[c]]
    for v in variables:
        for w in variables:
            if w not in below[v] or w == v:  # the noise of v does not reach w, but for v itself
                expected = sum((b * oracle.covariance(p, w) for p, b in lines[v].items()), Fraction(0))
                assert oracle.covariance(v, w) == expected + (noise[v] if v == w else 0)


# ------------------------------------------------------------------------------ worked examples
def test_composition_holds_but_cancellation_is_seen():
    """Two paths that cancel make an independence that the graph has not: exactly, with no tolerance."""
    lines = {"B": {"A": 1}, "C": {"A": Fraction(1, 3), "B": Fraction(-1, 3)}}
    oracle = ExactGaussian.from_equations(lines)
    assert oracle.judge(Query("A", "C")).independent
    assert not DSeparation([("A", "B"), ("A", "C"), ("B", "C")]).judge(Query("A", "C")).independent
    lines["C"]["B"] += Fraction(1, 10**40)
    weak = ExactGaussian.from_equations(lines).judge(Query("A", "C"))
    assert not weak.independent
    assert weak.strength > 0


def test_deterministic_sum():
    """Given a sum and one term the other is fixed, and so independent of everything."""
    oracle = ExactGaussian.from_equations({"S": {"A": 1, "B": 1}, "C": {"S": 1}}, noise={"S": 0})
    assert oracle.judge(Query("A", "C", ["S", "B"])).independent
    assert oracle.judge(Query("A", {"S", "B"})).strength == math.inf
    assert oracle.judge(Query("S", "C", ["A", "B"])).independent
    assert oracle.judge(Query("A", "B", "S")).strength == math.inf
    assert oracle.covariance("A", "A", given=["S"]) == Fraction(1, 2)


def test_constant_is_independent_of_all():
    """A variable without variance is independent of everything, also of itself in company."""
    oracle = ExactGaussian([[0, 0, 0], [0, 1, 1], [0, 1, 2]], variables=["K", "A", "B"])
    for query in all_queries(oracle.variables):
        if query.x == {"K"} or query.y == {"K"}:
            assert oracle.judge(query).independent
    assert oracle.judge(Query("A", "B", "K")).strength == oracle.judge(Query("A", "B")).strength


def test_strength_of_a_correlation():
    """For two variables strength is −½ log(1 − ρ²)."""
    oracle = ExactGaussian([[4, 3], [3, 9]], variables=["A", "B"])
    assert oracle.judge(Query("A", "B")).strength == pytest.approx(-0.5 * math.log(1 - 9 / 36), rel=1e-14)


def test_cache_may_overflow(monkeypatch):
    """Emptying the cache changes no verdict."""
    lines = {"B": {"A": 1}, "C": {"B": 1}, "D": {"C": 1, "A": 2}}
    calm = ExactGaussian.from_equations(lines)
    monkeypatch.setattr(module, "KEPT", 0)
    small = ExactGaussian.from_equations(lines)
    for query in all_queries(calm.variables):
        assert calm.judge(query) == small.judge(query)


def test_sample_has_the_covariance():
    """A sample repeats under its seed, keeps deterministic relations and approaches the covariance."""
    oracle = ExactGaussian.from_equations({"S": {"A": 1, "B": -2}}, noise={"S": 0, "B": 3})
    frame = oracle.sample(50_000, seed=1)
    assert list(frame.columns) == list(oracle.variables)
    assert frame.equals(oracle.sample(50_000, seed=1))
    assert np.allclose(frame["S"], frame["A"] - 2 * frame["B"])
    for a in oracle.variables:
        for b in oracle.variables:
            exact = float(oracle.covariance(a, b))
            spread = math.sqrt(float(oracle.covariance(a, a) * oracle.covariance(b, b)))
            assert abs(frame[a].cov(frame[b]) - exact) < 5 * 1.5 * spread / math.sqrt(50_000)


def test_forms_of_a_covariance_agree():
    """Rows, a mapping, a frame and an integer array give the same oracle."""
    rows, names = [[2, 1], [1, 3]], ["A", "B"]
    forms = [
        ExactGaussian(rows, variables=names),
        ExactGaussian({"A": {"A": 2, "B": 1}, "B": {"A": 1, "B": 3}}),
        ExactGaussian(pd.DataFrame(rows, index=names, columns=names)),
        ExactGaussian(np.array(rows), variables=names),
    ]
    assert len({json.dumps(form.describe()) for form in forms}) == 1
    assert len({form.judge(Query("A", "B")).strength for form in forms}) == 1


# ------------------------------------------------------------------------------ explanations
@given(covariances(), st.data())
def test_explanations_are_true(world, data):
    """Every conditional covariance shown is exact, and one differs from zero if and only if dependent."""
    variables, rows = world
    oracle = ExactGaussian(rows, variables=variables)
    query = data.draw(queries(variables))
    told = oracle.explain(query)
    json.dumps(told, allow_nan=False)
    assert len(told["pairs"]) == len(query.x) * len(query.y)
    for pair in told["pairs"]:
        value = oracle.covariance(pair["x"], pair["y"], given=query.given)
        assert Fraction(pair["covariance"]) == value
        assert pair["float"] == float(value)
    assert any(p["covariance"] != "0" for p in told["pairs"]) == (not told["independent"])


# ------------------------------------------------------------------------------ refusals
@pytest.mark.parametrize(
    ("covariance", "options", "message"),
    [
        ([[1, 0.5], [0.5, 1]], {"variables": ["A", "B"]}, r"0.5 \(float\) as the covariance of 'A' and 'B'"),
        (np.eye(2), {"variables": ["A", "B"]}, "not exact"),
        ([[1, 2], [2, 1]], {"variables": ["A", "B"]}, "semidefinite: 'B' has conditional variance -3"),
        ([[0, 1], [1, 1]], {"variables": ["A", "B"]}, "'A' has conditional variance 0.*covaries with 'B'"),
        ([[-1]], {"variables": ["A"]}, "not positive semidefinite: 'A'"),
        ([[1, 2], [3, 9]], {"variables": ["A", "B"]}, r"Cov\(B, A\) = 3 but Cov\(A, B\) = 2"),
        ([[1, 2]], {"variables": ["A", "B"]}, "1 rows of lengths .2. for 2 variables"),
        ([[1]], {}, "pass variables="),
        ([], {"variables": []}, "no variables"),
        ([[True]], {"variables": ["A"]}, "truth value"),
        ({"A": {"A": 1, "B": 0}, "B": {"A": 0}}, {}, "the row of 'B' differs"),
        ({"A": {"A": 1}}, {"variables": ["A", "B"]}, "unknown variable 'B'"),
        (pd.DataFrame([[1]], index=["A"], columns=["B"]), {}, "index and columns differ"),
    ],
)
def test_bad_covariances_are_refused(covariance, options, message):
    """What is inexact, not symmetric, not square or not positive semidefinite is refused with the reason."""
    with pytest.raises((JudgeError, UnknownName), match=message):
        ExactGaussian(covariance, **options)


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ({"A": {"B": 1}, "B": {"A": 1}}, {}, "cycle: B → A → B|cycle: A → B → A"),
        ({"A": {"A": 1}}, {}, "'A' stands in its own equation"),
        ({"A": {"B": 0.5}}, {}, r"0.5 \(float\) as the coefficient of 'B' in the equation of 'A'"),
        ({"A": {"B": 1}}, {"noise": -1}, "-1 as the noise variance is negative"),
        ({"A": {"B": 1}}, {"noise": {"C": 1}}, "unknown variable 'C'"),
        ({"A": {"B": 1}}, {"noise": {"A": 0.1}}, "noise variance of 'A' is not exact"),
        ({"A": {"B": 1}}, {"variables": ["A"]}, "unknown variable 'B'"),
    ],
)
def test_bad_equations_are_refused(lines, options, message):
    """A cycle, a loop, an inexact number, a negative variance or an unknown name is refused and named."""
    with pytest.raises((JudgeError, UnknownName), match=message):
        ExactGaussian.from_equations(lines, **options)


def test_unknown_variables_are_refused():
    """A query about a variable that is not there is refused, also in bulk."""
    oracle = ExactGaussian([[1]], variables=["A"])
    with pytest.raises(UnknownName, match="'B'"):
        oracle.judge(Query("A", "B"))
    with pytest.raises(UnknownName, match="'B'"):
        oracle.covariance("A", "B")
