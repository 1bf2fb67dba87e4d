"""PCMB: GetPCD, GetPC and the spouses."""

import itertools
import warnings

import networkx as nx
import pytest
from dag_sweeps import check_doctests, oracles, parity, runs, wrong
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary
from strategies import dags

import mbedu as mb
from mbedu.algorithms.get_pc import get_pc
from mbedu.algorithms.get_pcd import get_pcd
from mbedu.algorithms.separations import Separations
from mbedu.errors import AlgorithmError
from mbedu.judge import Batched, Verdict
from mbedu.recording import RecordingAsk
from mbedu.steps import Asked, Chose

judges = st.builds(
    Arbitrary, st.permutations(list("TABCDE")), seed=st.integers(0, 10**6), ranks=st.booleans(),
    dependence=st.sampled_from([0.3, 0.6, 0.9]),
)  # fmt: skip


@given(dags(smallest=2, largest=7))
def test_get_pcd_lies_between(world):
    """GetPCD holds all neighbours and else only descendants; whatever is outside is truly separated."""
    variables, edges = world
    oracle = mb.DSeparation(edges, variables=variables)
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(variables)
    for T in variables:
        PCD, Sep = get_pcd(mb.Ask(oracle), T)
        neighbours = set(graph.predecessors(T)) | set(graph.successors(T))
        assert neighbours <= PCD.frozen() <= neighbours | nx.descendants(graph, T)
        assert set(Sep) == set(variables) - PCD.frozen() - {T}
        assert all(nx.is_d_separator(graph, {T}, {X}, set(Z)) for X, Z in Sep.items())


@given(dags(smallest=2, largest=7))
def test_get_pc_is_the_neighbours(world):
    """After the symmetry correction exactly the neighbours are left, each other variable with a separator."""
    variables, edges = world
    oracle = mb.DSeparation(edges, variables=variables)
    graph = nx.Graph(edges)
    graph.add_nodes_from(variables)
    for T in variables:
        PC, Sep = get_pc(mb.Ask(oracle), T)
        assert set(graph[T]) == PC.frozen()
        assert set(Sep) == set(variables) - PC.frozen() - {T}
        assert all(nx.is_d_separator(nx.DiGraph(oracle.edges), {T}, {X}, set(Z)) for X, Z in Sep.items()
                   if graph.degree[T] and graph.degree[X])  # fmt: skip


@pytest.mark.parametrize("n", [3, 4])
def test_right_on_all_small_dags(n):
    """PCMB returns the boundary on every DAG, for every target, in the given and the reversed order."""
    assert runs(oracles(n)) == {3: 150, 4: 4344}[n]
    assert wrong("pcmb", oracles(n)) == []


def test_right_on_a_sample_of_five_node_dags():
    """Every sixtieth DAG with five nodes (all of them: the slow test)."""
    assert wrong("pcmb", oracles(5, orders=1, every=60)) == []


@pytest.mark.slow
def test_right_on_all_five_node_dags():
    """29,281 DAGs × 5 targets; all labellings are there, so one variable order is all of them."""
    assert wrong("pcmb", oracles(5, orders=1)) == []


@given(dags(smallest=6, largest=7))
def test_right_on_larger_dags(world):
    """PCMB is right on random DAGs with up to seven nodes."""
    variables, edges = world
    assert wrong("pcmb", [mb.DSeparation(edges, variables=variables)]) == []


@pytest.mark.parametrize(
    ("edges", "target", "boundary"),
    [
        ([("0", "3"), ("1", "2"), ("1", "3"), ("3", "2")], "0", {"1", "3"}),
        ([("T", "C"), ("S1", "C"), ("S2", "C")], "T", {"C", "S1", "S2"}),
    ],
)
def test_worked_examples(edges, target, boundary):
    """A descendant that only the other side unmasks, and a child with two spouses."""
    assert mb.run("pcmb", mb.DSeparation(edges), target).boundary == boundary


def test_separator_of_the_other_side():
    """Where GetPCD(T) keeps a descendant, the separating set comes from the descendant's own side."""
    oracle = mb.DSeparation([("0", "3"), ("1", "2"), ("1", "3"), ("3", "2")], variables=list("0123"))
    PCD, Sep = get_pcd(mb.Ask(oracle), "0")
    assert (list(PCD), "2" in Sep) == (["2", "3"], False)
    PC, Sep = get_pc(mb.Ask(oracle), "0")
    assert (list(PC), Sep["2"]) == (["3"], {"1", "3"})


@given(judges)
def test_memory_and_recording_change_no_answer(judge):
    """Remembering GetPCD saves questions and nothing else; recording changes nothing at all."""
    quiet, loud = mb.run("pcmb", judge, "T"), mb.run("pcmb", judge, "T", record=True)
    forgetful = mb.run("pcmb", judge, "T", remember=False)
    assert (quiet.boundary, quiet.n_asked) == (loud.boundary, loud.n_asked)
    assert forgetful.boundary == quiet.boundary
    assert forgetful.n_asked >= quiet.n_asked
    assert all(step.line for step in loud.trace.steps if isinstance(step, Asked))


@given(judges, st.sampled_from(["strength", "p_value"]))
def test_no_question_twice_in_an_activation(judge, by):
    """GetPCD asks each question once, and what it returns nothing inside it separates."""
    door = RecordingAsk(judge)
    PCD, _ = get_pcd(door, "T", by=by)
    asked = [step.query for step in door.steps if isinstance(step, Asked)]
    assert len(set(asked)) == len(asked)
    ask = mb.Ask(judge)
    for X in PCD:
        rest = sorted(PCD - X)
        assert not any(ask("T", X, Z) for k in range(len(rest) + 1) for Z in itertools.combinations(rest, k))


class Graded(Batched):
    """Everything depends on T, as strongly as the table says."""

    ranks = True

    def __init__(self, table):
        self.table, self.variables = table, ("T", "A", "B", "C")

    def judge(self, query):
        other = next(iter((query.x | query.y) - {"T"}))
        return Verdict(False, strength=self.table.get((other, "".join(sorted(query.given))), 0.9))


def test_max_min_picks_the_strongest_at_its_weakest():
    """B is stronger than C by itself, but weaker given A, which is in: C comes first."""
    table = {("A", ""): 1.0, ("B", ""): 0.8, ("C", ""): 0.5, ("B", "A"): 0.1, ("C", "A"): 0.4}
    door = RecordingAsk(Graded(table))
    get_pcd(door, "T")
    assert [step.item for step in door.steps if isinstance(step, Chose)] == [("A",), ("C",), ("B",)]
    assert "given A, is the strongest" in next(s for s in door.steps if getattr(s, "item", "") == ("C",)).text


def test_search_goes_smallest_first():
    """The separating set that is found is a smallest one."""
    oracle = mb.DSeparation([("A", "T"), ("B", "T"), ("X", "A"), ("X", "B")], variables=list("TABX"))
    seen = Separations(mb.Ask(oracle), "T")
    seen.search(["X"], ["A", "B"])
    assert seen.of == {"X": {"A", "B"}}


def test_parity_is_invisible():
    """Under parity nothing depends on the target by itself, so PCMB finds nothing."""
    assert mb.run("pcmb", parity(3), "T").boundary == set()


def test_cap_warns_and_can_cost_correctness():
    """A, two parents away, is separated from T by both parents only; with sets of one it stays."""
    oracle = mb.DSeparation([("A", "P"), ("A", "Q"), ("P", "T"), ("Q", "T")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mb.run("pcmb", oracle, "T").boundary == {"P", "Q"}
    with pytest.warns(UserWarning, match="largest_z=1.*can be wrong"):
        assert mb.run("pcmb", oracle, "T", largest_z=1).boundary == {"P", "Q", "A"}


@pytest.mark.parametrize(
    ("params", "words"),
    [({"by": "size"}, "by='size': choose 'strength'"), ({"largest_z": True}, "largest_z=True: it has to be")],
)
def test_bad_parameters_are_refused(params, words):
    """An error shows the value and the rule."""
    with pytest.raises(AlgorithmError, match=words):
        mb.run("pcmb", mb.DSeparation([("A", "T")]), "T", **params)


def test_docstring_examples():
    """What the docstrings show is what happens."""
    check_doctests("pcmb", "get_pcd", "get_pc")
