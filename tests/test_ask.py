"""The door: recording changes nothing, batching changes nothing, budgets hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary, Smallest

from mbedu.ask import Ask, Stop
from mbedu.errors import MbeduError
from mbedu.registry import all_algorithms
from mbedu.running import Stopped, run

UNIVERSE = tuple("TABCD")
INDEPENDENCE = [a.key for a in all_algorithms() if a.kind == "independence"]


@st.composite
def arbitrary(draw, batch=None):
    return Arbitrary(
        UNIVERSE,
        seed=draw(st.integers(0, 10**6)),
        ranks=draw(st.booleans()),
        batch=batch or draw(st.integers(1, 9)),
        dependence=draw(st.sampled_from([0.1, 0.4, 0.8])),
    )


def outcome(key, judge, **options):
    """Run it within a budget and return all that must not depend on how it is watched."""
    try:
        done = run(key, judge, target="T", max_asked=400, **options)
    except Stopped as stopped:
        return "stopped", stopped.run.n_asked
    except MbeduError as refused:  # an algorithm may need what this judge has not
        return "refused", str(refused)
    return done.answer if isinstance(done.answer, tuple) else done.boundary, done.n_asked, done.largest_given


@pytest.mark.parametrize("key", INDEPENDENCE)
@given(judge=arbitrary())
def test_recording_changes_nothing(key, judge):
    """A recorded run asks as many questions and gives the same answer as a quiet one."""
    assert outcome(key, judge, record=True) == outcome(key, judge)


@pytest.mark.parametrize("key", INDEPENDENCE)
@given(judge=arbitrary(), batch=st.integers(1, 9))
def test_batching_changes_nothing(key, judge, batch):
    """However many candidates a judge takes at once, the same questions are recorded in the same order."""
    other = Arbitrary(UNIVERSE, seed=judge.seed, ranks=judge.ranks, batch=batch, dependence=judge.dependence)
    assert recorded(key, judge) == recorded(key, other)


def recorded(key, judge):
    try:
        return run(key, judge, target="T", max_asked=400, record=True).trace.to_json()
    except Stopped as stopped:
        return stopped.run.trace.to_json()
    except MbeduError as refused:
        return str(refused)


@given(judge=arbitrary(), budget=st.integers(0, 30), size=st.integers(0, 4))
def test_a_budget_is_never_exceeded(judge, budget, size):
    """No verb asks more than the budget allows, quiet or recording, and both stop at the same place."""
    counts = []
    for record in (False, True):
        try:
            done = run("gs_m", judge, target="T", m=2, max_asked=budget, record=record)
            counts.append((done.n_asked, done.boundary))
        except Stopped as stopped:
            counts.append((stopped.run.n_asked, None))
    assert counts[0] == counts[1]
    assert counts[0][0] <= budget


@given(judge=arbitrary())
def test_counts_are_the_recorded_questions(judge):
    """n_asked and largest_given are what the trace shows."""
    done = run("gs_m", judge, target="T", m=2, record=True)
    assert done.n_asked == len(done.trace.questions)
    assert done.largest_given == max(len(q.query.given) for q in done.trace.questions)


def test_a_judge_needs_only_variables_and_judge():
    """The smallest judge runs every verb."""
    ask = Ask(Smallest([("A", "T"), ("T", "B"), ("S", "B")]))
    assert ask("T", "S")
    assert not ask("T", "S", "B")
    assert ask.first_dependent("T", ask.others("T"), ()) == "A"
    assert ask.strongest("T", ["S", "B"], ()) == "B"
    assert ask.first_redundant("T", {"A", "S"}) == "S"
    assert ask.weakest("T", {"A", "S"}) == "S"
    assert ask.first_separator("T", "S", [{"B"}, ()]) == frozenset()
    assert ask.first_separator("T", "A", [{"B"}, ()]) is None
    assert ask.n_asked == 13


def test_within_narrows_the_universe_for_a_while():
    """Inside `within` the others are those of the narrower universe; afterwards all are back."""
    ask = Ask(Smallest([("A", "T"), ("T", "B"), ("S", "B")]))
    with ask.within({"T", "B", "A"}):
        assert ask.others("T") == ("A", "B")
    assert ask.others("T") == ("A", "B", "S")


def test_a_deadline_stops():
    """When the clock has passed the deadline, the next question is not asked."""
    now = [0.0]
    ask = Ask(Smallest([("A", "T")]), seconds=1.0, clock=lambda: now[0])
    assert not ask("A", "T")
    now[0] = 1.0
    with pytest.raises(Stop, match="deadline"):
        ask("A", "T")
    assert ask.n_asked == 1


def test_unknown_names_are_refused_with_a_suggestion():
    """A misspelt variable is named, and the nearest known one suggested."""
    ask = Ask(Smallest([("asia", "tub")]))
    with pytest.raises(MbeduError, match="unknown variable 'asai'; did you mean 'asia'"):
        ask.others("asai")
    with pytest.raises(MbeduError, match="unknown variable"):
        ask.set("S", {"asai"})
