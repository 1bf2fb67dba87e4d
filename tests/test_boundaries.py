"""Blankets and boundaries by definition, relevance after Kohavi–John and Yu–Liu, and Asia's two truths."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import dags, exact_judges, structured_tables, weight_tables

from mbedu.errors import AlgorithmError, QueryError, UnknownName
from mbedu.networks import load_network
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.problems import copies, parity, xor_copies
from mbedu.query import Query
from mbedu.theory.boundaries import boundaries, is_blanket, is_boundary, is_m_boundary, m_boundaries
from mbedu.theory.relevance import Relevance, relevance, without_redundant


def powerset(items):
    return [frozenset(c) for k in range(len(items) + 1) for c in combinations(items, k)]


def others(judge, target):
    return [v for v in judge.variables if v != target]


def shields(judge, target, S):
    rest = set(judge.variables) - {target} - S
    return not rest or judge.judge(Query(target, rest, S)).independent


@given(exact_judges(), st.data())
def test_boundaries_are_the_minimal_blankets(judge, data):
    """`boundaries` is exactly the set of blankets without a smaller blanket inside, in its stated order."""
    target = data.draw(st.sampled_from(judge.variables))
    blankets = [S for S in powerset(others(judge, target)) if shields(judge, target, S)]
    minimal = [S for S in blankets if not any(B < S for B in blankets)]
    assert list(boundaries(judge, target)) == minimal
    for S in powerset(others(judge, target)):
        assert is_blanket(judge, target, S) == (S in blankets)
        assert is_boundary(judge, target, S) == (S in minimal)


@given(dags(smallest=2, largest=6), st.data())
def test_graph_boundary_is_parents_children_and_spouses(graph, data):
    """By d-separation the only boundary is the parents, children and other parents of the children."""
    variables, edges = graph
    target = data.draw(st.sampled_from(variables))
    children = {b for a, b in edges if a == target}
    known = {a for a, b in edges if b == target} | children | {a for a, b in edges if b in children}
    assert boundaries(DSeparation(edges, variables=variables), target) == (frozenset(known - {target}),)


@given(weight_tables(smallest=2, largest=4, weights=st.integers(1, 3)))
def test_positive_distributions_have_one_boundary(table):
    """Where every cell has weight, every target has exactly one boundary."""
    judge = ExactJoint(table[1], variables=table[0])
    for target in judge.variables:
        assert len(boundaries(judge, target)) == 1


@given(exact_judges(), st.data())
def test_largest_margin_gives_the_boundaries(judge, data):
    """An (n − 1)-boundary is a boundary, and every boundary is an m-boundary for every m."""
    target = data.draw(st.sampled_from(judge.variables))
    n = len(judge.variables)
    found = boundaries(judge, target)
    assert m_boundaries(judge, target, max(1, n - 1)) == found
    for m in range(1, n):
        assert set(found) <= set(m_boundaries(judge, target, m))


def test_m_boundary_is_not_unique_though_the_boundary_is():
    """Noisy parity is positive, so its boundary is unique; but with too small a margin ∅ passes as well."""
    judge = parity(4, noise=Fraction(1, 10)).judge
    assert [len(S) for S in boundaries(judge, "X1")] == [3]
    assert [len(S) for S in m_boundaries(judge, "X1", 1)] == [0, 3]
    assert [len(S) for S in m_boundaries(judge, "X1", 2)] == [0, 3]
    assert [len(S) for S in m_boundaries(judge, "X1", 3)] == [3]
    assert is_m_boundary(judge, "X1", (), m=2)
    assert not is_m_boundary(judge, "X1", (), m=3)


def test_asia_graph_and_distribution_disagree_for_four_targets():
    """Asia's `either` is a function of `tub` and `lung`: four targets have another boundary in its joint."""
    asia = load_network("asia")
    graph, joint = DSeparation(asia), ExactJoint(asia)
    differ = {
        v: (boundaries(graph, v), boundaries(joint, v))
        for v in asia.variables
        if boundaries(graph, v) != boundaries(joint, v)
    }
    assert sorted(differ) == ["bronc", "dysp", "either", "xray"]
    s = frozenset
    assert differ["either"] == ((s({"tub", "lung", "bronc", "xray", "dysp"}),), (s({"tub", "lung"}),))
    assert differ["xray"] == ((s({"either"}),), (s({"either"}), s({"tub", "lung"})))
    assert differ["bronc"] == (
        (s({"smoke", "dysp", "either"}),),
        (s({"smoke", "dysp", "either"}), s({"smoke", "dysp", "tub", "lung"})),
    )
    assert set(differ["dysp"][1]) == {s({"bronc", "either"}), s({"bronc", "tub", "lung"})}


# ------------------------------------------------------------------------------------ relevance
@given(exact_judges(), st.data())
def test_relevance_and_boundaries_agree(judge, data):
    """Strongly relevant is what every boundary has; irrelevant features are in none of them."""
    target = data.draw(st.sampled_from(judge.variables))
    kinds = relevance(judge, target)
    assert list(kinds) == others(judge, target)
    found = boundaries(judge, target)
    strong = {v for v, kind in kinds.items() if kind is Relevance.STRONG}
    assert strong == frozenset.intersection(*found)
    for v, kind in kinds.items():
        if kind is Relevance.IRRELEVANT:
            assert not any(v in b for b in found)
        dependent = any(
            not judge.judge(Query(target, v, S)).independent
            for S in powerset([u for u in others(judge, target) if u != v])
        )
        assert dependent == (kind is not Relevance.IRRELEVANT)


@given(structured_tables(), st.data())
def test_without_the_footnote_every_weak_feature_is_redundant(table, data):
    """Footnote 3 of liu2015: if M may be all other features, each weakly relevant feature has a blanket."""
    judge = ExactJoint(table[1], variables=table[0])
    target = data.draw(st.sampled_from(judge.variables))
    loose, strict = relevance(judge, target, strict=False), relevance(judge, target)
    assert Relevance.WEAK_NONREDUNDANT not in loose.values()
    for v in loose:
        weak = (Relevance.WEAK_REDUNDANT, Relevance.WEAK_NONREDUNDANT)
        assert loose[v] == strict[v] or (loose[v] in weak and strict[v] in weak)


@given(exact_judges(), st.data())
def test_removal_one_at_a_time_leaves_a_blanket(judge, data):
    """What is left when redundant and irrelevant features have gone one at a time still shields the label."""
    target = data.draw(st.sampled_from(judge.variables))
    assume(len(judge.variables) > 1)
    order = data.draw(st.permutations(others(judge, target)))
    for strict in (True, False):
        left = without_redundant(judge, target, order=order, strict=strict)
        assert is_blanket(judge, target, left)
    assert is_boundary(judge, target, left)  # without the footnote nothing can be left over


def test_kinds_on_worked_examples():
    """Parity's members are strong and its distractors irrelevant; copied inputs are weak and redundant."""
    kinds = relevance(parity(3, distractors=1).judge, "X1")
    assert {v: str(k) for v, k in kinds.items()} == {"X2": "strong", "X3": "strong", "X4": "irrelevant"}
    assert set(relevance(xor_copies(2).judge, "T").values()) == {Relevance.WEAK_REDUNDANT}


def test_the_footnote_keeps_too_much():
    """Of three bits any two give the third: with the footnote none is redundant, though two are enough."""
    table = {(t, a, b, a ^ b): 1 + 2 * (t == (a & b)) for t in (0, 1) for a in (0, 1) for b in (0, 1)}
    judge = ExactJoint(table, variables=list("TABC"))
    assert set(relevance(judge, "T").values()) == {Relevance.WEAK_NONREDUNDANT}
    assert set(relevance(judge, "T", strict=False).values()) == {Relevance.WEAK_REDUNDANT}
    assert boundaries(judge, "T") == (frozenset("AB"), frozenset("AC"), frozenset("BC"))
    assert without_redundant(judge, "T") == ("A", "B", "C")
    assert without_redundant(judge, "T", strict=False) == ("A", "B")


def test_simultaneous_removal_would_lose_everything():
    """Of two copies both are redundant: taking all redundant ones out at once leaves no blanket."""
    problem = copies(2)
    kinds = relevance(problem.judge, "T", strict=False)
    kept = [v for v, k in kinds.items() if k in (Relevance.STRONG, Relevance.WEAK_NONREDUNDANT)]
    assert kept == []
    assert not is_blanket(problem.judge, "T", kept)
    assert without_redundant(problem.judge, "T", strict=False) == ("A1",)


# --------------------------------------------------------------------------------------- errors
def test_bad_questions_are_refused_with_the_reason():
    """Target inside S, unknown names, m below 1, too many variables: each error shows value and rule."""
    judge = copies(3).judge
    with pytest.raises(QueryError, match="holds the target 'T'"):
        is_blanket(judge, "T", {"T", "A1"})
    with pytest.raises(UnknownName, match="did you mean 'A1'"):
        is_boundary(judge, "T", {"A11"})
    with pytest.raises(UnknownName, match="unknown variable 'Q'"):
        boundaries(judge, "Q")
    with pytest.raises(AlgorithmError, match="m=0: the margin"):
        m_boundaries(judge, "T", 0)
    with pytest.raises(ValueError, match=r"limit=131,072; .* raise limit="):
        boundaries(parity(4, distractors=20).judge, "X1")
    with pytest.raises(AlgorithmError, match="name every feature once"):
        without_redundant(judge, "T", order=["A1"])
