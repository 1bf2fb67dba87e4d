"""The exact joint against a second implementation in Fractions, and its refusals."""

import itertools
import json
import math
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import all_queries, networks, queries, random_query, structured_tables, weight_tables

from mbedu.errors import JudgeError, UnknownName
from mbedu.networks import Network, load_network
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.oracles import exact_joint as module
from mbedu.query import Query


# ---------------------------------------------------------------- a second implementation
def brute(variables, table, query):
    """(independent, information) straight from the definition P(x,y|z) = P(x|z) P(y|z), in Fractions."""
    at = {v: i for i, v in enumerate(variables)}
    sides = [[at[v] for v in sorted(side)] for side in (query.x, query.y, query.given)]
    total = sum(map(Fraction, table.values()))
    values = [sorted({cell[i] for cell in table}) for i in range(len(variables))]

    def p(fixed):
        return (
            sum(
                (Fraction(w) for cell, w in table.items() if all(cell[i] == v for i, v in fixed.items())),
                Fraction(0),
            )
            / total
        )

    information, independent = 0.0, True
    for z in itertools.product(*(values[i] for i in sides[2])):
        given_z = dict(zip(sides[2], z, strict=True))
        pz = p(given_z)
        if not pz:
            continue
        for x in itertools.product(*(values[i] for i in sides[0])):
            for y in itertools.product(*(values[i] for i in sides[1])):
                at_x, at_y = dict(zip(sides[0], x, strict=True)), dict(zip(sides[1], y, strict=True))
                pxy, px, py = (p(given_z | more) / pz for more in (at_x | at_y, at_x, at_y))
                independent &= pxy == px * py
                if pxy:
                    information += float(pz * pxy) * math.log(pxy / (px * py))
    return independent, information


def assert_equals_brute(joint, variables, table, query):
    independent, information = brute(variables, table, query)
    verdict = joint.judge(query)
    assert verdict.independent == independent
    assert verdict.strength == pytest.approx(information, abs=1e-12)
    assert (verdict.strength == 0) == independent


@settings(max_examples=300)
@given(st.one_of(weight_tables(), structured_tables()), st.data())
def test_equals_the_definition(world, data):
    """Verdict and strength equal P(x,y|z) = P(x|z) P(y|z) worked out in Fractions, cell by cell."""
    variables, table = world
    joint = ExactJoint(table, variables=variables)
    for _ in range(5):
        assert_equals_brute(joint, variables, table, data.draw(queries(variables)))


@given(networks(largest=4), st.data())
def test_network_is_multiplied_out(network, data):
    """The joint of a network is the product of its tables, each row divided by its own sum."""
    joint = ExactJoint(network)
    table = {}
    for cell in itertools.product(*(range(len(network.states(v))) for v in network.variables)):
        at = dict(zip(network.variables, cell, strict=True))
        p = Fraction(1)
        for v in network.variables:
            row = network.exact_cpt(v)[tuple(at[u] for u in network.parents(v))].tolist()
            p *= Fraction(row[at[v]], sum(row))
        table[tuple(network.states(v)[at[v]] for v in network.variables)] = p
    assert joint.table() == {cell: p for cell, p in table.items() if p}
    assert_equals_brute(joint, network.variables, table, data.draw(queries(network.variables)))


@given(weight_tables(), st.data())
def test_projecting_first_changes_nothing(world, data):
    """Adding up the variables that a query does not name gives the same verdict."""
    variables, table = world
    joint = ExactJoint(table, variables=variables)
    query = data.draw(queries(variables))
    rows = joint._rows
    masks = [sum(joint._bit[v] for v in side) for side in (query.x, query.y, query.given)]
    small = rows.project(masks[0] | masks[1] | masks[2])
    assert small.independent(*masks) == rows.independent(*masks)
    assert len(small.codes) <= len(rows.codes)
    if not rows.independent(*masks):
        assert small.information(*masks) == rows.information(*masks)


@given(weight_tables(weights=st.integers(0, 3)), st.integers(1, 10**40), st.data())
def test_common_factor_changes_nothing(world, factor, data):
    """Only ratios matter: integers beyond any machine word, Fractions and small integers agree."""
    variables, table = world
    query = data.draw(queries(variables))
    one = ExactJoint(table, variables=variables)
    huge = ExactJoint({c: w * factor for c, w in table.items()}, variables=variables)
    tiny = ExactJoint({c: Fraction(w, factor) for c, w in table.items()}, variables=variables)
    assert one.judge(query) == huge.judge(query) == tiny.judge(query)


@pytest.mark.parametrize("size", [2, 10**9, 3037000499, 3037000500, 10**18, 2**62, 2**64, 2**64 + 1, 10**60])
def test_no_overflow(size):
    """A product of margins is independent and one unit off it is not, at every size of the weights."""
    a, b = (1, size), (3, size + 1)
    table = {(i, j): a[i] * b[j] for i in (0, 1) for j in (0, 1)}
    query = Query("X", "Y")
    assert ExactJoint(table, variables=["X", "Y"]).judge(query).independent
    table[1, 1] += 1
    off = ExactJoint(table, variables=["X", "Y"]).judge(query)
    assert not off.independent
    assert off.strength > 0


@pytest.mark.parametrize("power", [63, 64, 65, 96, 128])
def test_difference_that_vanishes_modulo_a_word(power):
    """Products that agree modulo 2⁶⁴ but not in truth are told apart."""
    # n(xy)·n − n(x)·n(y) = ad − bc for a 2×2 table
    a, d, b = 2**power, 2**power, 1
    table = {(0, 0): a, (0, 1): b, (1, 0): b, (1, 1): d}  # ad − bc = 2^(2·power) − 1: odd
    assert not ExactJoint(table, variables=["X", "Y"]).judge(Query("X", "Y")).independent
    table = {(0, 0): a + 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}  # ad − bc = 2^power
    assert not ExactJoint(table, variables=["X", "Y"]).judge(Query("X", "Y")).independent


def test_wrapping_round_a_word_is_no_equality():
    """ad − bc = −2⁶⁴ is not zero, although all four weights are small enough for a machine word."""
    a, b, c = 1, 2**32 + 1, 2**32 + 1
    table = {(0, 0): a, (0, 1): b, (1, 0): c, (1, 1): b * c - 2**64}
    assert not ExactJoint(table, variables=["X", "Y"]).judge(Query("X", "Y")).independent
    table[1, 1] = b * c
    assert ExactJoint(table, variables=["X", "Y"]).judge(Query("X", "Y")).independent


def test_rows_of_a_table_are_divided_by_their_own_sums():
    """Whatever the sums of the rows of a conditional table, only the ratios within a row count."""

    class Uneven:
        variables = ("A", "B")

        def states(self, v):
            return ("no", "yes")

        def parents(self, v):
            return ("A",) if v == "B" else ()

        def exact_cpt(self, v):
            return np.array([[1, 1], [30, 60]]) if v == "B" else np.array([1, 3])

    joint = ExactJoint(Uneven())
    assert joint.prob({"A": "no"}) == Fraction(1, 4)
    assert joint.prob({"B": "no"}, given={"A": "yes"}) == Fraction(1, 3)
    assert joint.prob({"B": "no"}, given={"A": "no"}) == Fraction(1, 2)


def test_wide_table_is_projected():
    """A table with more rows than are kept at hand is added up first, with the same answers."""
    n = 12
    names = [f"b{i}" for i in range(n)]
    table = {c: 1 + c[0] * c[1] + 2 * c[2] for c in itertools.product((0, 1), repeat=n)}
    joint = ExactJoint(table, variables=names)
    assert joint.support > module.WIDE
    small = ExactJoint(
        {c: 1 + c[0] * c[1] + 2 * c[2] for c in itertools.product((0, 1), repeat=4)}, variables=names[:4]
    )
    for query in all_queries(names[:4]):
        mine, theirs = joint.judge(query), small.judge(query)
        assert mine.independent == theirs.independent
        assert mine.strength == pytest.approx(theirs.strength, rel=1e-9)


def test_caches_may_overflow(monkeypatch):
    """Emptying the caches in the middle of a query changes no verdict."""
    network = load_network("asia")
    rng = random.Random(5)
    asked = [random_query(rng, network.variables) for _ in range(400)]
    calm = [ExactJoint(network).judge(q) for q in asked[:50]]
    monkeypatch.setattr(module, "KEPT", 1)
    monkeypatch.setattr(module, "REMEMBERED", 1)
    monkeypatch.setattr(module, "WIDE", 10)
    joint = ExactJoint(network)
    for query, expected in zip(asked[:50], calm, strict=True):
        verdict = joint.judge(query)
        assert verdict.independent == expected.independent
        assert verdict.strength == pytest.approx(expected.strength, abs=1e-12)


# ------------------------------------------------------------------------------ worked examples
def test_asia_is_unfaithful():
    """Asia's `either` is a function of its parents: the joint has independencies that the graph has not."""
    network = load_network("asia")
    graph, joint = DSeparation(network), ExactJoint(network)
    query = Query("either", "dysp", ["tub", "lung"])
    assert not graph.judge(query).independent
    assert joint.judge(query).independent


def test_parity_needs_all_its_bits():
    """The parity of four coins is independent of any three of them, and determined by the four."""
    bits = ["a", "b", "c", "d"]
    table = {(*c, sum(c) % 2): 1 for c in itertools.product((0, 1), repeat=4)}
    joint = ExactJoint(table, variables=[*bits, "T"])
    assert joint.judge(Query("T", bits[:3])).independent
    assert joint.judge(Query("T", bits)).strength == pytest.approx(math.log(2), rel=1e-15)
    assert joint.judge(Query("T", "d", bits[:3])).strength == pytest.approx(math.log(2), rel=1e-15)


def test_support_only():
    """Deterministic variables add no cells: eight coins and their parity have 2⁸ cells, not 2⁹."""
    states = {f"b{i}": ["0", "1"] for i in range(8)} | {"T": ["0", "1"]}
    cpts = {f"b{i}": [1, 1] for i in range(8)}
    rows = [[1 - sum(c) % 2, sum(c) % 2] for c in itertools.product((0, 1), repeat=8)]
    cpts["T"] = np.array(rows).reshape(*[2] * 8, 2).tolist()
    network = Network("parity", states, parents={"T": [f"b{i}" for i in range(8)]}, cpts=cpts)
    assert ExactJoint(network, limit=256).support == 256


def test_weak_dependence_is_not_lost():
    """A dependence far below what a float can see is still a dependence, with a positive strength."""
    n = 10**200
    table = {(0, 0): n + 1, (0, 1): n, (1, 0): n, (1, 1): n}
    verdict = ExactJoint(table, variables=["X", "Y"]).judge(Query("X", "Y"))
    assert not verdict.independent
    assert verdict.strength > 0


# ------------------------------------------------------------------------------ the distribution
@given(weight_tables(), st.data())
def test_marginals_and_probabilities(world, data):
    """Marginals add up, conditional probabilities divide, entropies come from the marginals."""
    variables, table = world
    joint = ExactJoint(table, variables=variables)
    chosen = data.draw(st.lists(st.sampled_from(variables), min_size=1, unique=True))
    small = joint.marginal(chosen)
    assert small.variables == tuple(v for v in variables if v in chosen)
    assert sum(small.table().values()) == 1
    for cell, p in small.table().items():
        event = dict(zip(small.variables, cell, strict=True))
        assert joint.prob(event) == p
        first = {small.variables[0]: cell[0]}
        assert joint.prob(event, given=first) * joint.prob(first) == p
    entropy = -math.fsum(float(p) * math.log(p) for p in small.table().values())
    assert joint.entropy(chosen) == pytest.approx(entropy, abs=1e-12)
    assert joint.entropy(chosen, given=()) == joint.entropy(chosen)


def test_frame_mapping_and_network_agree():
    """The same distribution from a mapping, a frame and a network is the same oracle."""
    network = load_network("cancer")
    from_network = ExactJoint(network)
    table = from_network.table()
    frame = pd.DataFrame(list(table), columns=list(network.variables)).assign(mass=list(table.values()))
    from_frame = ExactJoint(frame, weights="mass")
    from_mapping = ExactJoint(table, variables=network.variables)
    for query in all_queries(network.variables):
        verdicts = [j.judge(query) for j in (from_network, from_frame, from_mapping)]
        assert len({v.independent for v in verdicts}) == 1
        assert verdicts[1].strength == pytest.approx(verdicts[0].strength, rel=1e-9)


def test_pgmpy_models_are_read_through_their_decimals():
    """A pgmpy model gives the same exact joint as the shipped network that it came from."""
    network = load_network("cancer")
    joint = ExactJoint(network.to_pgmpy())
    order = [network.variables.index(v) for v in joint.variables]
    expected = {tuple(cell[i] for i in order): p for cell, p in ExactJoint(network).table().items()}
    assert joint.table() == expected


def test_categoricals_declare_states():
    """A categorical column brings its levels, in order, also those without weight."""
    frame = pd.DataFrame({"A": pd.Categorical(["y", "x"], categories=["x", "y", "z"]), "weight": [1, 2]})
    joint = ExactJoint(frame)
    assert joint.states("A") == ("x", "y", "z")
    assert joint.prob({"A": "z"}) == 0
    assert joint.prob({"A": "x"}) == Fraction(2, 3)


def test_sample_is_seeded_and_follows_the_weights():
    """A sample repeats under its seed, declares all levels, and its shares approach the probabilities."""
    for scale in (1, 10**30):
        joint = ExactJoint({("a", (1, 2)): 3 * scale, ("b", "n"): scale + (scale > 1)}, variables=["U", "V"])
        frame = joint.sample(20_000, seed=4)
        assert frame.equals(joint.sample(20_000, seed=4))
        assert not frame.equals(joint.sample(20_000, seed=5))
        assert list(frame["V"].cat.categories) == [(1, 2), "n"]
        assert abs((frame["U"] == "a").mean() - 0.75) < 5 * math.sqrt(0.75 * 0.25 / 20_000)
    assert len(joint.sample(0, seed=0)) == 0


# ------------------------------------------------------------------------------ explanations
@given(weight_tables(), st.data())
def test_explanations_are_true(world, data):
    """The two tables shown are the exact conditional distributions, and differ if and only if dependent."""
    variables, table = world
    joint = ExactJoint(table, variables=variables)
    query = data.draw(queries(variables))
    told = joint.explain(query)
    json.dumps(told)
    assert told["independent"] == joint.judge(query).independent
    if not told["tables"]:
        assert told["independent"]
        return
    shown = [[Fraction(e["fraction"]) for e in t["x"]] for t in told["tables"]]
    assert (shown[0] == shown[1]) == told["independent"]
    for t, shares in zip(told["tables"], shown, strict=True):
        assert sum(shares) == 1
        assert t["y"] != told["tables"][0]["y"] or t is told["tables"][0]
        for entry, share in zip(t["x"], shares, strict=True):
            assert joint.prob(entry["value"], given=t["y"] | told["stratum"]) == share
            assert entry["float"] == float(share)
        assert joint.prob(t["y"], given=told["stratum"]) == Fraction(t["weight"])


# ------------------------------------------------------------------------------ refusals
def frame(**columns):
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ({(0,): -1, (1,): 2}, {"variables": ["A"]}, r"-1 as the weight of the cell \(0,\) is negative"),
        ({(0,): 0, (1,): 0}, {"variables": ["A"]}, "all 2 weights are zero"),
        ({}, {"variables": ["A"]}, "there are no cells"),
        ({(): 1}, {"variables": []}, "no variables"),
        ({(0,): 0.5, (1,): 1}, {"variables": ["A"]}, r"0.5 \(float\).*not exact.*Fraction\('0.5'\)"),
        ({(0,): np.float64(2), (1,): 1}, {"variables": ["A"]}, r"\(float64\).*not exact"),
        ({(0,): True, (1,): 1}, {"variables": ["A"]}, r"True \(bool\).*truth value"),
        ({(0,): np.True_, (1,): 1}, {"variables": ["A"]}, "truth value"),
        ({(0,): None, (1,): 1}, {"variables": ["A"]}, "missing"),
        ({(0,): float("nan"), (1,): 1}, {"variables": ["A"]}, "missing"),
        ({(0,): "3", (1,): 1}, {"variables": ["A"]}, r"'3' \(str\).*not exact"),
        ({(0,): 1 + 0j}, {"variables": ["A"]}, "not exact"),
        ({(0, 1): 1}, {"variables": ["A"]}, r"the cell \(0, 1\) has 2 values, but there are 1 variables"),
        ({(0,): 1}, {}, "pass variables="),
        ({(0,): 1}, {"variables": "A"}, "'A' is one string"),
        ({(0, 1): 1}, {"variables": ["A", "A"]}, "'A' is listed twice"),
        ({(None,): 1}, {"variables": ["A"]}, "missing value"),
        ({(float("nan"),): 1}, {"variables": ["A"]}, "missing value"),
        ({(0,): 1}, {"variables": ["A"], "states": {"A": [1]}}, "value 0, which is not among its states"),
        ({(0,): 1}, {"variables": ["A"], "states": {"B": [1]}}, "states= names 'B'"),
        ({(0,): 1, (1,): 1}, {"variables": ["A"], "limit": 1}, "2 cells.*above limit=1;.*Product"),
        (frame(A=[0, 1], weight=[0.5, 0.5]), {}, r"0.5 \(float\) as the weight of row 0 is not exact"),
        (frame(A=[0, 1], weight=[1.0, 1.0]), {}, "not exact"),
        (frame(A=[0, 1], weight=[True, False]), {}, "truth value"),
        (frame(A=[0, 0], weight=[1, 2]), {}, r"the cell \(0,\) is listed twice"),
        (frame(A=[0, None], weight=[1, 2]), {}, "missing value"),
        (frame(A=[0, 1], weight=[1, None]), {}, "not exact|missing"),
        (frame(A=[0, 1]), {}, "no column 'weight'"),
        (frame(A=[0, 1], weight=[1, 1]), {"variables": ["B"]}, "'B' is not both"),
        (frame(A=[0, 1], B=[0, 1], weight=[1, 1]), {"variables": ["A"]}, "'B' is not both"),
        (frame(A=[], weight=[]), {}, "no cells"),
        (pd.DataFrame([[0, 0, 1]], columns=["A", "A", "weight"]), {}, "'A' more than once"),
        ([1, 2], {}, "list has no exact weights"),
    ],
)
def test_bad_weights_are_refused(source, options, message):
    """Negative, zero, inexact, missing or repeated weights, and too many, are refused with the reason."""
    with pytest.raises(JudgeError, match=message):
        ExactJoint(source, **options)


def test_large_networks_are_refused():
    """A joint that cannot be written down is refused with its size and the way out."""
    with pytest.raises(JudgeError, match=r"37 variables has 17,332,899,271,409,664 cells.*DSeparation"):
        ExactJoint(load_network("alarm"))


def test_unknown_names_are_refused():
    """Unknown variables, states and impossible conditions are named."""
    joint = ExactJoint({("u", 0): 1, ("v", 1): 1, ("v", 0): 0}, variables=["A", "B"])
    for ask in (
        lambda: joint.judge(Query("A", "C")),
        lambda: joint.marginal(["C"]),
        lambda: joint.states("C"),
        lambda: joint.prob({"C": 1}),
        lambda: joint.judge_many("A", ["C"], ()),
    ):
        with pytest.raises(UnknownName, match="unknown variable 'C'"):
            ask()
    with pytest.raises(UnknownName, match="'w'"):
        joint.prob({"A": "w"})
    with pytest.raises(JudgeError, match="probability zero"):
        joint.prob({"A": "u"}, given={"A": "v", "B": 0})
    with pytest.raises(JudgeError, match="at least one"):
        joint.marginal([])
