"""MBOR and its procedures: right on faithful worlds, and the printed loops to the letter."""

import warnings

import pytest
from dag_sweeps import check_doctests, oracles, parity, runs, wrong
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary
from strategies import dags

import mbedu as mb
from mbedu.algorithms.mb_to_pc import mb_to_pc
from mbedu.algorithms.pc_superset import pc_superset
from mbedu.algorithms.sp_superset import sp_superset
from mbedu.errors import AlgorithmError
from mbedu.recording import RecordingAsk
from mbedu.steps import Asked, Entered, Noted
from mbedu.varset import subsets

NAMES = list("TABCDE")
judges = st.builds(
    Arbitrary, st.permutations(NAMES), seed=st.integers(0, 10**6), ranks=st.booleans(),
    dependence=st.sampled_from([0.3, 0.6, 0.9]),
)  # fmt: skip


class Door(RecordingAsk):
    """A recording door that also lists what was asked."""

    @property
    def questions(self):
        return [step.query for step in self.steps if isinstance(step, Asked)]


def printed_pc_superset(ask, T):
    """Algorithm 2 loop by loop; the inner loop stops once X is removed."""
    PCS, dSep = list(ask.others(T)), {}
    for X in list(PCS):
        if ask(T, X):
            PCS.remove(X)
            dSep[X] = frozenset()
    for X in list(PCS):
        for Y in [Y for Y in PCS if Y != X]:
            if ask(T, X, {Y}):
                PCS.remove(X)
                dSep[X] = frozenset({Y})
                break
    return PCS, dSep


def printed_sp_superset(ask, T, PCS, dSep):
    """Algorithm 3 loop by loop; the inner loop stops once Y is removed."""
    SPS = set()
    for X in PCS:
        SPS_X = [Y for Y in ask.others(T, PCS) if not ask(T, Y, dSep[Y] | {X})]
        for Y in list(SPS_X):
            for Z in [Z for Z in SPS_X if Z != Y]:
                if ask(T, Y, {X, Z}):
                    SPS_X.remove(Y)
                    break
        SPS |= set(SPS_X)
    return SPS


@given(judges)
def test_pc_superset_is_the_printed_loops(judge):
    """Batches or not: the same set, the same separators and the same questions, each asked once."""
    ours, theirs = Door(judge), Door(judge)
    PCS, dSep = pc_superset(ours, "T")
    assert (list(PCS), dSep) == printed_pc_superset(theirs, "T")
    assert sorted(map(str, ours.questions)) == sorted(map(str, theirs.questions))
    assert len(set(ours.questions)) == len(ours.questions)


@given(judges)
def test_sp_superset_is_the_printed_loops(judge):
    """Grouping by separator changes neither the answer nor which questions are asked."""
    PCS, dSep = pc_superset(mb.Ask(judge), "T")
    ours, theirs = Door(judge), Door(judge)
    assert sp_superset(ours, "T", PCS=PCS, dSep=dSep) == printed_sp_superset(theirs, "T", tuple(PCS), dSep)
    assert sorted(map(str, ours.questions)) == sorted(map(str, theirs.questions))
    assert sp_superset(mb.Ask(judge), "T") == sp_superset(mb.Ask(judge), "T", PCS=PCS, dSep=dSep)


@given(judges, st.sampled_from(["gs", "iamb", "inter_iamb"]))
def test_mb_to_pc_keeps_what_nothing_separates(judge, correct_mb):
    """Of the boundary stays what no subset of the rest, the empty and the whole one included, separates."""
    MB = mb.run(correct_mb, judge, "T").boundary
    ask = mb.Ask(judge)
    kept = {X for X in MB if not any(ask("T", X, Z) for Z in subsets(sorted(MB - {X}), len(MB), 0))}
    assert mb_to_pc(mb.Ask(judge), "T", correct_mb=correct_mb) == kept


@pytest.mark.parametrize("n", [3, 4])
def test_right_on_all_small_dags(n):
    """MBOR returns the boundary on every DAG, for every target, in the given and the reversed order."""
    assert runs(oracles(n)) == {3: 150, 4: 4344}[n]
    assert wrong("mbor", oracles(n)) == []


@pytest.mark.parametrize("correct_mb", ["gs", "iamb"])
def test_any_correct_mb_will_do(correct_mb):
    """CorrectMB may be any algorithm that is right under faithfulness."""
    assert wrong("mbor", oracles(4, orders=1, every=2), correct_mb=correct_mb) == []


def test_right_on_a_sample_of_five_node_dags():
    """Every thirtieth DAG with five nodes (all of them: the slow test)."""
    assert wrong("mbor", oracles(5, orders=1, every=30)) == []


@pytest.mark.slow
def test_right_on_all_five_node_dags():
    """29,281 DAGs × 5 targets; all labellings are there, so one variable order is all of them."""
    assert runs(oracles(5, orders=1)) == 146_405
    assert wrong("mbor", oracles(5, orders=1)) == []


@given(dags(smallest=6, largest=8))
def test_right_on_larger_dags(world):
    """MBOR is right on random DAGs with up to eight nodes."""
    variables, edges = world
    assert wrong("mbor", [mb.DSeparation(edges, variables=variables)]) == []


@pytest.mark.parametrize(
    ("edges", "target", "boundary"),
    [
        ([("0", "3"), ("1", "2"), ("1", "3"), ("3", "2")], "0", {"1", "3"}),
        ([("T", "C"), ("S1", "C"), ("S2", "C")], "T", {"C", "S1", "S2"}),
    ],
)
def test_worked_examples(edges, target, boundary):
    """The DAG that misleads MMMB, and a child with two spouses."""
    assert mb.run("mbor", mb.DSeparation(edges), target).boundary == boundary


@given(judges, st.sampled_from(["gs", "iamb", "inter_iamb"]))
def test_memory_and_recording_change_no_answer(judge, correct_mb):
    """Remembering MBtoPC saves questions and nothing else; recording changes nothing at all."""
    quiet = mb.run("mbor", judge, "T", correct_mb=correct_mb)
    loud = mb.run("mbor", judge, "T", correct_mb=correct_mb, record=True)
    forgetful = mb.run("mbor", judge, "T", correct_mb=correct_mb, remember=False)
    assert (quiet.boundary, quiet.n_asked) == (loud.boundary, loud.n_asked)
    assert forgetful.boundary == quiet.boundary
    assert forgetful.n_asked >= quiet.n_asked


def test_memory_saves_questions():
    """A neighbour that only its own side sees (line 7) is needed again in line 13."""
    saved = 0
    for seed in range(40):
        judge = Arbitrary(NAMES, seed=seed, dependence=0.9)
        saved += mb.run("mbor", judge, "T", remember=False).n_asked - mb.run("mbor", judge, "T").n_asked
    assert saved > 0


def test_trace_nests_and_tells():
    """Procedures nest, phase I narrows the universe in words, and every question has its line."""
    edges = [("T", "C"), ("S", "C"), ("F", "S"), ("E", "F")]
    trace = mb.run("mbor", mb.DSeparation(edges), "T", record=True).trace
    entered = {step.procedure: step.depth for step in trace.steps if isinstance(step, Entered)}
    assert entered == {"mbor": 1, "pc_superset": 2, "sp_superset": 2, "mb_to_pc": 2, "inter_iamb": 3}
    assert all(step.line is not None for step in trace.steps if isinstance(step, Asked))
    notes = [step.message for step in trace.steps if isinstance(step, Noted)]
    assert any("only T and the" in note for note in notes)
    superset = ("pc_superset", "sp_superset")
    late = [s for s in trace.steps if isinstance(s, Asked) and s.procedure not in superset]
    assert late
    assert not any("E" in step.query.variables for step in late)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_parity_is_invisible(k):
    """Under parity no single variable depends on the target: MBOR finds nothing, and says why."""
    run = mb.run("mbor", parity(k, distractors=2), "T", record=True)
    assert run.boundary == set()
    assert run.n_asked == k + 2
    assert any("invisible to MBOR" in step.text for step in run.trace.steps)


def test_cap_warns_and_can_cost_a_spouse():
    """Without a cap S is found; sets of no variable cannot separate it from T, and then it is lost."""
    edges = [("P", "T"), ("P", "S"), ("T", "C"), ("S", "C")]
    oracle = mb.DSeparation(edges)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mb.run("mbor", oracle, "T").boundary == {"P", "C", "S"}
    with pytest.warns(UserWarning, match="largest_z=0.*can be wrong even if every test is right"):
        assert mb.run("mbor", oracle, "T", largest_z=0).boundary == {"P", "C"}


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"correct_mb": "rgs"}, "correct_mb='rgs': choose one of 'inter_iamb', 'iamb', 'gs'"),
        ({"largest_z": -1}, "largest_z=-1: it has to be a whole number, at least 0"),
        ({"largest_z": 1.5}, "largest_z=1.5"),
    ],
)
def test_bad_parameters_are_refused(params, words):
    """An error shows the value and the rule."""
    with pytest.raises(AlgorithmError, match=words):
        mb.run("mbor", mb.DSeparation([("A", "T")]), "T", **params)


def test_sp_superset_wants_both_or_neither():
    """PCS without the separating sets is refused, and so are separating sets with a hole."""
    ask = mb.Ask(mb.DSeparation([("A", "T"), ("B", "A")]))
    with pytest.raises(AlgorithmError, match="belong together"):
        sp_superset(ask, "T", PCS={"A"})
    with pytest.raises(AlgorithmError, match="no set for 'B'"):
        sp_superset(ask, "T", PCS={"A"}, dSep={})


def test_docstring_examples():
    """What the docstrings show is what happens."""
    check_doctests("mbor", "pc_superset", "sp_superset", "mb_to_pc")
