"""MMMB and HITON-MB: where the originals err, and that the corrected forms do not."""

import pytest
from dag_sweeps import check_doctests, oracles, parity, runs, wrong
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary
from strategies import dags

import mbedu as mb
from mbedu.algorithms.hiton_pc import hiton_pc
from mbedu.algorithms.mmpc import mmpc
from mbedu.errors import AlgorithmError
from mbedu.steps import Asked, Noted

ORIGINAL = ("mmmb", "hiton_mb")
CORRECTED = ("mmmb_corrected", "hiton_mb_corrected")
TRAP = [("0", "3"), ("1", "2"), ("1", "3"), ("3", "2")]
judges = st.builds(
    Arbitrary, st.permutations(list("TABCDE")), seed=st.integers(0, 10**6), ranks=st.booleans(),
    dependence=st.sampled_from([0.3, 0.6, 0.9]),
)  # fmt: skip


@pytest.mark.parametrize("key", CORRECTED)
@pytest.mark.parametrize("n", [3, 4])
def test_corrected_right_on_all_small_dags(key, n):
    """The corrected forms are right on every DAG, for every target, in both variable orders."""
    assert wrong(key, oracles(n)) == []


@pytest.mark.parametrize("key", ORIGINAL)
def test_originals_err_from_four_nodes_on(key):
    """Right on all DAGs with three nodes; wrong in 48 of 4,344 runs with four, always by one too many."""
    assert wrong(key, oracles(3)) == []
    missed = wrong(key, oracles(4))
    assert (len(missed), runs(oracles(4))) == (48, 4344)
    assert all(len(answer - boundary) == 1 and boundary < answer for _, _, answer, boundary in missed)
    assert len(missed[0][0]) == 4


@pytest.mark.parametrize("key", ORIGINAL)
def test_the_trap(key):
    """0 → 3 → 2 with 1 → 3 and 1 → 2: 2 is separated from 0 by {1, 3} only, and 1 is not there to help."""
    oracle = mb.DSeparation(TRAP)
    assert mb.run(key, oracle, "0").boundary == {"1", "2", "3"}
    assert mb.run(f"{key}_corrected", oracle, "0").boundary == {"1", "3"}


@pytest.mark.parametrize("key", ORIGINAL + CORRECTED)
def test_two_spouses_of_one_child(key):
    """The search does not stop at the first spouse of a child."""
    oracle = mb.DSeparation([("T", "C"), ("S1", "C"), ("S2", "C")])
    assert mb.run(key, oracle, "T").boundary == {"C", "S1", "S2"}


@pytest.mark.parametrize("key", CORRECTED)
def test_symmetry_alone_does_not_suffice(key):
    """Right with four nodes, wrong with five: a spouse has to be tried with the child that it shares."""
    assert wrong(key, oracles(4, orders=1), through="any") == []
    oracle = mb.DSeparation([("A", "P"), ("S", "P"), ("P", "T"), ("T", "C"), ("S", "C")])
    assert mb.run(key, oracle, "T", through="any").boundary == {"A", "C", "P", "S"}
    assert mb.run(key, oracle, "T").boundary == oracle.boundary("T") == {"C", "P", "S"}


@pytest.mark.parametrize("key", CORRECTED)
def test_corrected_right_on_a_sample_of_five_node_dags(key):
    """Every sixtieth DAG with five nodes (all of them: the slow test)."""
    assert wrong(key, oracles(5, orders=1, every=60)) == []


@pytest.mark.slow
@pytest.mark.parametrize("key", CORRECTED)
def test_corrected_right_on_all_five_node_dags(key):
    """29,281 DAGs × 5 targets; all labellings are there, so one variable order is all of them."""
    assert wrong(key, oracles(5, orders=1)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "params", "count"),
    [
        ("mmmb", {}, 8820),
        ("hiton_mb", {}, 8670),
        ("mmmb_corrected", {"through": "any"}, 3600),
        ("hiton_mb_corrected", {"through": "any"}, 3600),
    ],
)
def test_how_often_the_others_err_with_five_nodes(key, params, count):
    """Of 146,405 runs so many are wrong."""
    assert len(wrong(key, oracles(5, orders=1), **params)) == count


@pytest.mark.parametrize("key", CORRECTED)
@given(world=dags(smallest=6, largest=7))
def test_corrected_right_on_larger_dags(key, world):
    """The corrected forms are right on random DAGs with up to seven nodes."""
    variables, edges = world
    assert wrong(key, [mb.DSeparation(edges, variables=variables)]) == []


@pytest.mark.parametrize("procedure", [mmpc, hiton_pc], ids=lambda p: p.key)
@given(world=dags(smallest=2, largest=6))
def test_no_neighbour_is_lost(procedure, world):
    """MMPC and HITON-PC can return too much, never too little; each of the rest has a true separator."""
    variables, edges = world
    oracle = mb.DSeparation(edges, variables=variables)
    ask = mb.Ask(oracle)
    for T in variables:
        members, Sep = procedure(mb.Ask(oracle), T)
        assert {*oracle.parents(T), *oracle.children(T)} <= members.frozen()
        assert set(Sep) == set(variables) - members.frozen() - {T}
        assert all(ask(T, X, Z) for X, Z in Sep.items())


@pytest.mark.parametrize("key", ORIGINAL + CORRECTED)
@given(judge=judges, by=st.sampled_from(["strength", "p_value"]))
def test_memory_and_recording_change_no_answer(key, judge, by):
    """Remembering saves questions and nothing else; recording changes nothing; every question has a line."""
    quiet, loud = mb.run(key, judge, "T", by=by), mb.run(key, judge, "T", by=by, record=True)
    forgetful = mb.run(key, judge, "T", by=by, remember=False)
    assert (quiet.boundary, quiet.n_asked) == (loud.boundary, loud.n_asked)
    assert forgetful.boundary == quiet.boundary
    assert forgetful.n_asked >= quiet.n_asked
    assert all(step.line for step in loud.trace.steps if isinstance(step, Asked))


def test_the_correction_is_told():
    """The trace says in words that a candidate does not find the target in return."""
    trace = mb.run("mmmb_corrected", mb.DSeparation(TRAP), "0", record=True).trace
    notes = [step.message for step in trace.steps if isinstance(step, Noted)]
    assert any("2 does not find 0 in return" in note for note in notes)


@pytest.mark.parametrize("key", ORIGINAL + CORRECTED)
def test_parity_is_invisible(key):
    """Under parity nothing depends on the target by itself, so nothing is found."""
    assert mb.run(key, parity(3), "T").boundary == set()


@pytest.mark.parametrize("key", ORIGINAL + CORRECTED)
def test_cap_warns_and_can_cost_correctness(key):
    """A, two parents away, is separated from T by both parents only; with sets of one it stays."""
    oracle = mb.DSeparation([("A", "P"), ("A", "Q"), ("P", "T"), ("Q", "T")])
    assert mb.run(key, oracle, "T").boundary == {"P", "Q"}
    with pytest.warns(UserWarning, match="largest_z=1.*can be wrong"):
        assert mb.run(key, oracle, "T", largest_z=1).boundary == {"P", "Q", "A"}


@pytest.mark.parametrize("key", ORIGINAL + CORRECTED)
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"by": "size"}, "by='size'"),
        ({"through": "all"}, "through='all': choose 'child'"),
        ({"largest_z": -2}, "largest_z=-2"),
    ],
)
def test_bad_parameters_are_refused(key, params, words):
    """An error shows the value and the rule."""
    with pytest.raises(AlgorithmError, match=words):
        mb.run(key, mb.DSeparation([("A", "T")]), "T", **params)


def test_docstring_examples():
    """What the docstrings show is what happens."""
    check_doctests("mmpc", "hiton_pc", *ORIGINAL, *CORRECTED)
