"""Lists of statements: what is listed, what follows, and nothing else."""

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import (
    NAMES,
    all_queries,
    check_batch_law,
    check_semigraphoid,
    covariances,
    dags,
    queries,
    structured_tables,
)

from mbedu.errors import JudgeError, QueryError, UnknownName
from mbedu.oracles import AXIOMS, DSeparation, ExactGaussian, ExactJoint, Statements
from mbedu.query import Query

SEMIGRAPHOID = ("decomposition", "weak_union", "contraction")


# ---------------------------------------------------------------- a second implementation
def proper_parts(side):
    for k in range(1, len(side)):
        yield from map(frozenset, itertools.combinations(sorted(side), k))


def one_round(held, axioms):
    """Everything that one use of an axiom gives from `held`, a set of (x, y, z); slow and plain."""
    new = {(y, x, z) for x, y, z in held}
    for x, y, z in held:
        for part in proper_parts(y):
            if "decomposition" in axioms:
                new.add((x, part, z))
            if "weak_union" in axioms:
                new.add((x, part, z | (y - part)))
    for (x, y, z), (x2, w, z2) in itertools.product(held, held):
        if x != x2 or y & w:
            continue
        if "contraction" in axioms and z2 == z | y:
            new.add((x, y | w, z))
        if "intersection" in axioms and w <= z and z2 == (z - w) | y:
            new.add((x, y | w, z - w))
        if "composition" in axioms and z == z2:
            new.add((x, y | w, z))
    return new


def slow_closure(statements, axioms):
    held = {(q.x, q.y, q.given) for q in statements}
    while not one_round(held, axioms) <= held:
        held |= one_round(held, axioms)
    return {Query(*s) for s in held}


@st.composite
def lists(draw, *, largest=4):
    n = draw(st.integers(2, largest))
    return NAMES[:n], draw(st.lists(queries(NAMES[:n]), max_size=3))


def axiom_sets():
    return st.lists(st.sampled_from(AXIOMS), unique=True).map(tuple)


@settings(max_examples=150)
@given(lists(), axiom_sets())
def test_closure_equals_a_plain_fixpoint(world, axioms):
    """The closure is what applying the rules as printed, until nothing new comes, gives."""
    variables, holds = world
    oracle = Statements(variables, holds, close=axioms)
    assert set(oracle.statements()) == slow_closure(holds, axioms)


@given(lists(), axiom_sets(), axiom_sets())
def test_closure_is_a_closure(world, axioms, more):
    """Closing is monotone in the axioms, keeps the list, and closing twice adds nothing."""
    variables, holds = world
    once = Statements(variables, holds, close=axioms)
    twice = Statements(variables, once.statements(), close=axioms)
    wider = Statements(variables, holds, close=(*axioms, *more))
    assert set(holds) <= set(once.statements()) == set(twice.statements()) <= set(wider.statements())


@given(lists(), st.data())
def test_without_axioms_it_is_a_list(world, data):
    """Without axioms exactly the listed statements hold, either way round."""
    variables, holds = world
    oracle = Statements(variables, holds)
    query = data.draw(queries(variables))
    assert oracle.judge(query).independent == (query in holds)
    assert oracle.judge(query.swapped()) == oracle.judge(query)
    assert oracle.judge(query).p_value is None


def sound_for(judge, axioms, data):
    """Close some of what holds for `judge` under `axioms`: everything derived holds for it too."""
    true = [q for q in all_queries(judge.variables) if judge.judge(q).independent]
    some = data.draw(st.lists(st.sampled_from(true), max_size=4)) if true else []
    for query in Statements(judge.variables, some, close=axioms).statements():
        assert judge.judge(query).independent, query


@settings(max_examples=30)
@given(structured_tables().filter(lambda t: len(t[0]) < 5), st.data())
def test_semigraphoid_closure_is_sound_for_distributions(world, data):
    """What follows by the semigraphoid axioms from independencies of a distribution holds in it."""
    sound_for(ExactJoint(world[1], variables=world[0]), SEMIGRAPHOID, data)


@settings(max_examples=30)
@given(covariances(largest=4), st.data())
def test_compositional_closure_is_sound_for_gaussians(world, data):
    """Gaussians obey Composition as well, singular ones included."""
    sound_for(ExactGaussian(world[1], variables=world[0]), (*SEMIGRAPHOID, "composition"), data)


@settings(max_examples=30)
@given(dags(largest=4), st.data())
def test_full_closure_is_sound_for_graphs(world, data):
    """d-separation obeys every axiom here."""
    sound_for(DSeparation(world[1], variables=world[0]), AXIOMS, data)


@given(lists(), st.randoms(use_true_random=False), st.data())
def test_laws(world, rng, data):
    """A closed list is a semigraphoid, and the bulk verbs equal judging one by one."""
    variables, holds = world
    oracle = Statements(variables, holds, close=SEMIGRAPHOID)
    check_semigraphoid(oracle, rng, rounds=20)
    query = data.draw(queries(variables))
    rest = [v for v in variables if v not in query.x and v not in query.given]
    check_batch_law(oracle, query.x, rest, query.given)


# ------------------------------------------------------------------------------ worked examples
def test_marginal_independencies_do_not_add_up():
    """Pairwise independence does not give joint independence, unless Composition is asked for."""
    pairs = [Query("T", "A"), Query("T", "B")]
    both = Query("T", {"A", "B"})
    assert not Statements("TAB", pairs, close=SEMIGRAPHOID).judge(both).independent
    assert not Statements("TAB", pairs, close=(*SEMIGRAPHOID, "intersection")).judge(both).independent
    assert Statements("TAB", pairs, close=["composition"]).judge(both).independent


def test_axioms_speak_of_disjoint_sets():
    """Composition joins disjoint sides only; without Decomposition overlapping ones give nothing."""
    overlapping = [Query("T", {"A", "B"}), Query("T", {"B", "C"})]
    three = Query("T", {"A", "B", "C"})
    assert not Statements("TABC", overlapping, close=["composition"]).judge(three).independent
    assert Statements("TABC", overlapping, close=["composition", "decomposition"]).judge(three).independent


def test_copies_break_intersection():
    """T ⊥ A | B and T ⊥ B | A give T ⊥ {A, B} only by Intersection: with copies it is false."""
    crossed = [Query("T", "A", "B"), Query("T", "B", "A")]
    both = Query("T", {"A", "B"})
    assert not Statements("TAB", crossed, close=SEMIGRAPHOID).judge(both).independent
    assert Statements("TAB", crossed, close=["intersection"]).judge(both).independent


def test_tells_listed_from_derived():
    """The verdict's reason and the explanation say whether a statement was listed or derived."""
    oracle = Statements("TAB", [("T", {"A", "B"})], close=["decomposition"])
    assert oracle.judge(Query({"A", "B"}, "T")).reason == "listed"
    assert oracle.judge(Query("T", "A")).reason == "derived"
    assert oracle.judge(Query("A", "B")).reason == ""
    assert "listed" in oracle.explain(Query("T", {"A", "B"}))["text"]
    assert "decomposition" in oracle.explain(Query("T", "A"))["text"]
    assert "does not follow" in oracle.explain(Query("A", "B"))["text"]
    assert json.loads(json.dumps(oracle.describe())) == {
        "kind": "Statements",
        "variables": ["T", "A", "B"],
        "holds": [[["T"], ["A", "B"], []]],
        "close": ["decomposition"],
    }


def test_largest_closure_is_quick():
    """Everything about seven variables, the default limit, closes in seconds."""
    names = NAMES[:7]
    oracle = Statements(names, [Query(a, set(names) - {a}) for a in names], close=AXIOMS)
    assert len(oracle.statements()) == (4**7 - 2 * 3**7 + 2**7) // 2


def test_refusals():
    """Unknown axioms and variables, what is no statement, and closures that are too large are refused."""
    with pytest.raises(UnknownName, match="unknown axiom 'weak-union'; did you mean 'weak_union'"):
        Statements("AB", [], close=["weak-union"])
    with pytest.raises(UnknownName, match="unknown variable 'C'"):
        Statements("AB", [Query("A", "C")])
    with pytest.raises(UnknownName, match="unknown variable 'C'"):
        Statements("AB", []).judge(Query("A", "C"))
    with pytest.raises(JudgeError, match="'A ⊥ B' is not a statement"):
        Statements("AB", ["A ⊥ B"])
    with pytest.raises(QueryError, match="two sides"):
        Statements("AB", [("A", "A")])
    with pytest.raises(JudgeError, match=r"8 variables may hold 26,335 statements.*limit=7"):
        Statements("ABCDEFGH", [], close=["decomposition"])
    assert Statements("ABCDEFGH", []).judge(Query("A", "B")).independent is False
