"""TIE*: all Markov boundaries, against brute force."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary
from strategies import structured_tables, weight_tables

import mbedu as mb
from mbedu.errors import AlgorithmError, UnknownName
from mbedu.oracles import ExactJoint
from mbedu.query import Query


def brute_force(judge, T):
    """Every minimal set that shields T, by asking about all subsets."""
    others = [v for v in judge.variables if v != T]
    found = []
    for size in range(len(others) + 1):
        for M in map(frozenset, itertools.combinations(others, size)):
            rest = frozenset(others) - M
            shields = not rest or judge.judge(Query(T, rest, M)).independent
            if shields and not any(smaller < M for smaller in found):
                found.append(M)
    return set(found)


def check(judge, T, **params):
    answer = mb.run("tie_star", judge, T, **params).answer
    assert len(set(answer)) == len(answer)
    assert set(answer) == brute_force(judge, T)
    return answer


@given(structured_tables())
def test_all_boundaries_of_parities(table):
    """Parities of a few coins have many boundaries; with a base that is right anywhere all are found."""
    variables, weights = table
    judge = ExactJoint(weights, variables=variables)
    for T in variables:
        check(judge, T, base="gs_m", base_params={"m": len(variables)})


@given(weight_tables(largest=4))
def test_all_boundaries_of_any_joint(table):
    """The same for arbitrary joints, constants and deterministic relations among them."""
    variables, weights = table
    judge = ExactJoint(weights, variables=variables)
    for T in variables:
        check(judge, T, base="gs_m", base_params={"m": len(variables)})


def copied(parents, copies):
    """T is noisy in each of independent coins; each coin comes in `copies` identical columns."""
    table = {}
    for bits in itertools.product((0, 1), repeat=parents):
        for t in (0, 1):
            cell = (*(b for b in bits for _ in range(copies)), t)
            table[cell] = 1 + sum(bits) if t else 2
    names = [f"X{i}{'abc'[c]}" for i in range(parents) for c in range(copies)]
    return ExactJoint(table, variables=[*names, "T"])


@pytest.mark.parametrize("base", ["iamb", "gs", "inter_iamb", "fast_iamb", "kiamb"])
@pytest.mark.parametrize(("parents", "copies"), [(1, 3), (2, 2), (3, 2), (2, 3)])
def test_copies(base, parents, copies):
    """k parents with c copies each have cᵏ boundaries; every base of the IAMB family finds them all."""
    judge = copied(parents, copies)
    answer = check(judge, "T", base=base)
    assert len(answer) == copies**parents
    assert (
        answer[0] == mb.run(base, judge, "T").boundary == mb.run("tie_star", judge, "T", base=base).boundary
    )


def test_copies_under_parity_need_a_base_that_sees_pairs():
    """Two coins with copies and their parity: IAMB sees nothing, and says so; GS(2) finds all four."""
    table = {(a, a, b, b, a ^ b): 1 for a in (0, 1) for b in (0, 1)}
    judge = ExactJoint(table, variables=["A", "A2", "B", "B2", "T"])
    blind = mb.run("tie_star", judge, "T", record=True)
    assert blind.answer == (frozenset(),)
    assert any("did not find a blanket" in step.text for step in blind.trace.steps)
    answer = check(judge, "T", base="gs_m", base_params={"m": 2})
    assert set(answer) == {frozenset(pair) for pair in itertools.product(("A", "A2"), ("B", "B2"))}


def test_boundaries_of_different_sizes():
    """T is the sum of two coins, and their pair is given too: {pair} and {A, B} are both boundaries."""
    table = {(a, b, 2 * a + b, a + b): 1 for a in (0, 1) for b in (0, 1)}
    judge = ExactJoint(table, variables=["A", "B", "pair", "T"])
    assert set(check(judge, "T")) == {frozenset({"A", "B"}), frozenset({"pair"})}


def test_all_boundaries_in_asia():
    """`either` is lung or tub, so targets have several boundaries in asia; IAMB as a base finds them all."""
    judge = ExactJoint(mb.load_network("asia"))
    several = {T: check(judge, T) for T in judge.variables}
    assert set(several["xray"]) == {frozenset({"either"}), frozenset({"lung", "tub"})}


@given(st.integers(0, 10**6))
def test_recording_changes_nothing(seed):
    """Quiet and recorded runs agree, also under a judge that obeys no axiom, and every run ends."""
    judge = Arbitrary("TABCDE", seed=seed)
    quiet, loud = mb.run("tie_star", judge, "T"), mb.run("tie_star", judge, "T", record=True)
    assert (quiet.answer, quiet.n_asked) == (loud.answer, loud.n_asked)
    assert len(set(quiet.answer)) == len(quiet.answer)


def test_most_stops_early_and_keeps_the_order():
    """`most` gives the first boundaries of the full answer."""
    judge = copied(2, 3)
    whole = mb.run("tie_star", judge, "T").answer
    for most in range(1, 10):
        assert mb.run("tie_star", judge, "T", most=most).answer == whole[:most]


def test_bad_parameters_are_refused():
    """A base that does not exist, that is TIE* itself, or a parameter that it lacks is refused."""
    judge = copied(1, 2)
    with pytest.raises(UnknownName, match="iamb"):
        mb.run("tie_star", judge, "T", base="imab")
    with pytest.raises(AlgorithmError, match="one boundary"):
        mb.run("tie_star", judge, "T", base="tie_star")
    with pytest.raises(UnknownName, match="parameter of iamb"):
        mb.run("tie_star", judge, "T", base_params={"m": 2})
    with pytest.raises(AlgorithmError, match="at least 1"):
        mb.run("tie_star", judge, "T", most=0)
