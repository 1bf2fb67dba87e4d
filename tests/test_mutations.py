"""The mutation check: verify finds every broken algorithm that can be found; why the rest cannot be."""

import mutants
import pytest
from judges import Arbitrary
from mutants import LIMITS, MUTANTS, PARAMS, compiled, killed_by, problems

import mbedu as mb
from mbedu.ask import Ask

KILLED = [m for m in MUTANTS if not m.survives]
SURVIVORS = [m for m in MUTANTS if m.survives]


def named(chosen):
    return pytest.mark.parametrize("mutant", chosen, ids=[m.name for m in chosen])


def test_there_are_many_and_every_algorithm_is_among_them():
    """At least 25 mutants, of every algorithm that is right, no two alike."""
    assert len(MUTANTS) == len({m.name for m in MUTANTS}) >= 25
    assert {m.algorithm for m in MUTANTS} == set(mutants.FAMILIES)


def test_the_survivors_are_these():
    """Eight mutants survive four nodes and the named problems: five change no answer of an exact judge."""
    assert [m.name for m in SURVIVORS] == [
        "gs: shrinks in one pass, without the restart",
        "gs_m: lets in one member of the set that was found",
        "gs_m: tries large sets first",
        "mbor: forgets the OR condition",
        "mbor: takes spouses for neighbours",
        "mbor: separates by proper subsets only",
        "mbor: forgets what separated a spouse",
        "mmmb_corrected: tries a spouse with every neighbour",
    ]


@pytest.mark.parametrize("algorithm", [a for a in mutants.FAMILIES if a != "tie_star"])
def test_the_compiled_original_is_the_original(algorithm):
    """Without a replacement the compiled function asks and answers as the registered one does."""
    function, params = compiled(algorithm), PARAMS.get(algorithm, {})
    for seed in range(5):
        judge = Arbitrary("TABCDE", seed=seed, dependence=0.6)
        ours, theirs = mb.run(function, judge, "T"), mb.run(algorithm, judge, "T", **params)
        assert (ours.boundary, ours.n_asked) == (theirs.boundary, theirs.n_asked)


def test_a_replacement_that_does_not_occur_is_refused():
    """A mutant cannot silently be the original."""
    with pytest.raises(AssertionError, match="0 times"):
        compiled("gs", "gs", "no such text", "")
    with pytest.raises(AssertionError, match="times 'S'"):
        compiled("gs", "gs", "S", "")


def test_the_unbroken_algorithms_are_right_on_what_kills():
    """A problem may kill a mutant only if the original is right on it; parity is among them."""
    assert {p.name for p in problems("gs_m")} >= {"parity", "copies", "silent-spouse", "xor-copies"}
    assert not mutants.lost_boundaries(compiled("tie_star"))


@named(KILLED)
def test_verify_kills(mutant):
    """All DAGs with up to four nodes, or a named problem, show that the mutant is wrong."""
    assert killed_by(mutant)


@named(SURVIVORS)
def test_survivors_survive_for_the_reason_given(mutant):
    """What survives four nodes fails with five if that is the reason, and otherwise survives five as well."""
    assert not killed_by(mutant)
    shapes = mb.all_dags(5, up_to="isomorphism")
    report = mb.verify(mutant.function(), shapes, orders="both", limits=LIMITS, progress=False)
    assert bool(report) is not mutant.survives.startswith(mutants.FIVE)
    if not report:
        assert report.counterexample.case.nodes == 5


@named([m for m in SURVIVORS if m.survives.startswith(mutants.DATA)])
def test_what_shows_on_data_only_does_show(mutant):
    """Under a judge that breaks the axioms, as tests on data do, the mutant answers differently."""
    function = mutant.function()
    answers = [
        (frozenset(function(Ask(judge), "T")), mb.run(mutant.algorithm, judge, "T").boundary)
        for judge in (Arbitrary("TABCDE", seed=seed, dependence=0.7) for seed in range(60))
    ]
    assert any(ours != theirs for ours, theirs in answers)
