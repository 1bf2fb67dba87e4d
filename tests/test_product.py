"""Products of independent blocks: equal to the joint that they stand for, and instant at any size."""

import itertools
import json
import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import check_batch_law, check_evidence, check_semigraphoid, queries, weight_tables

from mbedu.errors import JudgeError, QueryError, UnknownName
from mbedu.oracles import DSeparation, ExactGaussian, ExactJoint, Product, Statements
from mbedu.query import Query
from mbedu.varset import subsets


def bit(name, p=Fraction(1, 2)):
    return ExactJoint({(0,): 1 - p, (1,): p}, variables=[name])


def parity(n, *, noise=Fraction(0), names="abcdefgh"):
    table = {}
    for c in itertools.product((0, 1), repeat=n):
        for flip, weight in ((0, 1 - noise), (1, noise)):
            table[*c, (sum(c) + flip) % 2] = weight
    return ExactJoint(table, variables=[*names[:n], "T"])


@st.composite
def worlds(draw):
    """(product, the same distribution as one joint): one to three blocks of small tables, order shuffled."""
    blocks, table, names = [], {(): Fraction(1)}, []
    for b in range(draw(st.integers(1, 3))):
        variables, weights = draw(weight_tables(smallest=1, largest=2, weights=st.integers(0, 3)))
        own = [f"{v}{b}" for v in variables]
        blocks.append(ExactJoint(weights, variables=own))
        names += own
        table = {(*cell, *more): w * Fraction(v) for cell, w in table.items() for more, v in weights.items()}
    order = draw(st.permutations(names))
    return Product(*blocks, variables=order), ExactJoint(table, variables=names)


@given(worlds().filter(lambda w: len(w[0].variables) > 1), st.data())
def test_equals_the_joint_it_stands_for(world, data):
    """A product of blocks answers as the multiplied-out joint does, strength included."""
    product, joint = world
    for _ in range(6):
        query = data.draw(queries(product.variables))
        mine, theirs = product.judge(query), joint.judge(query)
        assert mine.independent == theirs.independent
        assert mine.strength == pytest.approx(theirs.strength, abs=1e-12)
        assert (mine.strength == 0) == mine.independent


@given(worlds().filter(lambda w: len(w[0].variables) > 1), st.data())
def test_bulk_verbs_and_evidence(world, data):
    """The bulk verbs of a product equal judging one by one, and it has no p-value."""
    product, _ = world
    query = data.draw(queries(product.variables))
    rest = [v for v in product.variables if v not in query.x and v not in query.given]
    ys = [*rest, *subsets(rest, 3)]
    check_batch_law(product, query.x, ys, query.given)
    check_batch_law(product, query.x, subsets(rest, 2), query.given)
    check_evidence(product, query)


@given(worlds(), st.randoms(use_true_random=False))
def test_semigraphoid(world, rng):
    """Symmetry, Decomposition, Weak Union and Contraction hold for products."""
    check_semigraphoid(world[0], rng, rounds=20)


def test_mixed_blocks():
    """Graphs, joints, Gaussians and statements stand side by side; strength is there only if all have one."""
    product = Product(
        DSeparation([("A", "B")]),
        parity(2, names="xy"),
        ExactGaussian([[1, 1], [1, 2]], variables=["G", "H"]),
        Statements(["u", "v"], []),
    )
    assert not product.ranks
    assert product.judge(Query({"A", "T"}, {"B", "G"})).strength is None
    assert not product.judge(Query({"A", "x"}, {"B", "y"})).independent
    assert product.judge(Query({"A", "x"}, {"G", "y"}, "B")).independent
    assert not product.judge(Query("u", "v")).independent
    ranked = Product(parity(2, names="xy"), ExactGaussian([[1, 1], [1, 2]], variables=["G", "H"]))
    both = ranked.judge(Query({"T", "G"}, {"x", "y", "H"})).strength
    assert both == pytest.approx(math.log(2) + math.log(2) / 2)


def test_near_parity_with_96_distractors_is_instant():
    """96 distractors cost nothing: all 156,849 sets of up to three candidates are judged within seconds."""
    start = time.perf_counter()
    blocks = [bit(f"D{i}", Fraction(1 + i, 100)) for i in range(96)]
    world = Product(parity(4, noise=Fraction(1, 10)), *blocks)
    built = time.perf_counter() - start
    others = [v for v in world.variables if v != "T"]
    candidates = subsets(others, 3)
    start = time.perf_counter()
    assert world.first_dependent("T", candidates, ()) is None
    scanned = time.perf_counter() - start
    found = world.first_dependent("T", subsets(others, 4, smallest=4), ())
    assert found is not None
    assert found.position == 0  # a, b, c, d come first
    assert not world.judge(Query("T", "a", {"b", "c", "d", "D3"})).independent
    assert built < 2
    assert scanned < 5  # generous: it takes a fraction of a second, and a loop over blocks would take minutes


def test_sample_joins_the_blocks():
    """A sample has the columns in variable order, repeats under its seed, and keeps what holds in a block."""
    world = Product(parity(2), bit("D", Fraction(1, 4)), variables=["D", "T", "a", "b"])
    frame = world.sample(2000, seed=3)
    assert list(frame.columns) == ["D", "T", "a", "b"]
    assert frame.equals(world.sample(2000, seed=3))
    assert ((frame["a"].astype(int) + frame["b"].astype(int)) % 2 == frame["T"].astype(int)).all()
    assert abs((frame["D"] == 1).mean() - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 2000)
    twins = Product(bit("D"), bit("E")).sample(500, seed=0)
    assert (twins["D"].astype(int) != twins["E"].astype(int)).any()  # each block has a stream of its own
    with pytest.raises(JudgeError, match=r"block 1 \(DSeparation\) cannot draw"):
        Product(bit("D"), DSeparation([("A", "B")])).sample(10, seed=0)


def test_explains_block_by_block():
    """The explanation names the blocks that hold a part of both sides, with their own explanations."""
    world = Product(parity(2), bit("D"), bit("E"))
    told = world.explain(Query({"T", "D"}, {"a", "E"}, "b"))
    json.dumps(told)
    assert not told["independent"]
    assert [block["variables"] for block in told["blocks"]] == [["a", "b", "T"]]
    assert told["blocks"][0]["explanation"]["tables"]
    assert "different blocks" in world.explain(Query("D", "E"))["text"]
    assert [b["kind"] for b in world.describe()["blocks"]] == ["ExactJoint"] * 3


def test_refusals():
    """Shared variables, no blocks, what is no judge, and unknown or repeated names are refused and named."""
    with pytest.raises(JudgeError, match="no blocks"):
        Product()
    with pytest.raises(JudgeError, match="'D' is in block 0 and in block 1"):
        Product(bit("D"), bit("D"))
    with pytest.raises(JudgeError, match="block 1 is 7"):
        Product(bit("D"), 7)
    with pytest.raises(UnknownName, match="'F'"):
        Product(bit("D"), bit("E"), variables=["D", "E", "F"])
    with pytest.raises(UnknownName, match="'E'"):
        Product(bit("D"), bit("E"), variables=["D"])
    world = Product(bit("D"), bit("E"))
    for verb in (world.judge_many, world.first_dependent):
        for x, y, z in (("D", "F", ()), ("F", "E", ()), ("D", "E", "F")):
            with pytest.raises(UnknownName, match="'F'"):
                verb(x, [y], z)
        with pytest.raises(QueryError, match="two sides"):
            verb("D", ["E", "D"], ())
        with pytest.raises(QueryError, match="y is empty"):
            verb("D", [()], ())
        with pytest.raises(QueryError, match="x is empty"):
            verb((), ["D"], ())
    assert world.judge_many("D", [], ()) == []
