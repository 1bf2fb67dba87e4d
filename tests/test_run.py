"""run: it refuses what it cannot run, and loses nothing when it is stopped."""

import pickle

import pytest
from judges import Arbitrary, Smallest

from mbedu.errors import AlgorithmError, JudgeError, MbeduError
from mbedu.oracles import DSeparation
from mbedu.problem import Problem
from mbedu.running import Interrupted, Stopped, run

JUDGE = Smallest([("A", "T"), ("T", "B"), ("S", "B")])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: run("gs_m", JUDGE, target="X"), "unknown target 'X'"),
        (lambda: run("gs_m", JUDGE), "unknown target None"),
        (lambda: run("gs_mm", JUDGE, target="T"), "did you mean 'gs_m'"),
        (lambda: run("gs_m", JUDGE, target="T", n=2), "unknown parameter of gs_m 'n'"),
        (lambda: run("gs_m", JUDGE, target="T", m=0), "m=0.*at least 1"),
        (lambda: run("gs_m", JUDGE, target="T", m=1.5), "m=1.5.*whole number"),
        (lambda: run("rgs", JUDGE, target="T", k=0), "k=0.*at least 1"),
        (lambda: run("gs", JUDGE, target="T", order="random"), "order='random'.*'plain'"),
        (lambda: run("gs", JUDGE, target="T", whitelist={"T"}), "'T' is in start or whitelist"),
        (lambda: run("gs", JUDGE, target="T", start={"Z"}), "unknown variable 'Z'"),
        (lambda: run("gs", JUDGE, target="T", max_asked=-1), "max_asked=-1.*negative"),
        (lambda: run("gs", object(), target="T"), "is not a judge: it lacks variables, judge"),
        (lambda: run(3, JUDGE, target="T"), "3 is not an algorithm"),
        (lambda: run(lambda ask, T: {"T"}, JUDGE, target="T"), "returned the target 'T' itself"),
        (lambda: run(lambda ask, T: {"Q"}, JUDGE, target="T"), "'Q', which is not a variable"),
        (lambda: run(lambda ask, T: "A", JUDGE, target="T"), r"returned 'A' \(str\)"),
        (lambda: run(lambda ask, T: None, JUDGE, target="T"), r"returned None \(NoneType\)"),
        (lambda: run(lambda ask, T: set(), JUDGE, target="T", m=1), "unexpected keyword argument 'm'"),
    ],
)
def test_bad_calls_show_value_rule_and_way_out(call, words):
    """Each bad call is refused with a message that names the value."""
    with pytest.raises(MbeduError, match=words):
        call()


def test_a_problem_brings_its_target():
    """A problem is a judge with a target."""
    problem = Problem("collider", JUDGE, "T", (frozenset("ABS"),))
    assert run("gs", problem).boundary == frozenset("ABS")
    assert run("gs", problem, target="A").boundary == frozenset("T")
    assert "boundary {A, B, S}" in str(problem)


def test_a_run_travels():
    """A recorded run survives the trip to another process."""
    done = run("gs", DSeparation([("A", "T"), ("T", "B"), ("S", "B")]), target="T", record=True)
    again = pickle.loads(pickle.dumps(done))
    assert again == done
    assert again.trace == done.trace


def test_a_spent_budget_keeps_the_trace():
    """An algorithm that is not anytime raises; what it did so far is in the error."""
    with pytest.raises(Stopped, match="budget of 3 questions") as caught:
        run("gs", JUDGE, target="T", max_asked=3, record=True)
    assert caught.value.run.n_asked == len(caught.value.run.trace.questions) == 3
    assert not caught.value.run.complete


class Tired(Smallest):
    """Presses Ctrl-C at the n-th question."""

    def __init__(self, edges, n):
        super().__init__(edges)
        self.n = n

    def judge(self, query):
        self.n -= 1
        if self.n == 0:
            raise KeyboardInterrupt
        return super().judge(query)


def test_an_interrupt_keeps_the_trace():
    """Ctrl-C in the middle loses nothing that was recorded."""
    judge = Tired(JUDGE.graph, 4)
    with pytest.raises(Interrupted) as caught:
        run("gs", judge, target="T", record=True, order="plain")
    assert 1 <= len(caught.value.run.trace.questions) <= 3


def test_an_anytime_algorithm_answers_when_interrupted():
    """RGS answers with the best set so far, says so in the run and in the trace."""
    done = run("rgs", Tired(JUDGE.graph, 5), target="T", m=1, k=3, record=True)
    assert done.stopped == done.trace.stopped == "interrupted from the keyboard"
    assert any("Stopped early" in step.text for step in done.trace)
    assert done.boundary == done.trace.state()["S"]


def test_rgs_keeps_a_reserve_for_shrinking():
    """Under any budget RGS stays within it, says that it stopped, and in the end has shrunk."""
    judge = Arbitrary("TABCDEFGH", seed=5, dependence=0.6)
    whole = run("rgs", judge, target="T", m=2, k=10)
    assert whole.complete
    shrunk = []
    for budget in range(whole.n_asked):
        cut = run("rgs", judge, target="T", m=2, k=10, max_asked=budget, record=True)
        assert cut.n_asked <= budget
        assert cut.stopped
        last = [step for step in cut.trace.questions if step.phase == "shrink"][-len(cut.boundary) :]
        shrunk.append({q.query.y for q in last} == {frozenset({v}) for v in cut.boundary})
    assert shrunk[-1]
    assert any(shrunk[: whole.n_asked // 2])


def test_what_is_not_a_judge_is_refused():
    """A DataFrame or a graph is not a judge; the message says how to make one."""
    with pytest.raises(JudgeError, match="wrap it first"):
        run("gs", {"A": 1}, target="T")


def test_an_exception_in_a_students_function_is_theirs():
    """What a plain function raises comes out as it is."""

    def broken(ask, T):
        return {}["nothing"]

    with pytest.raises(KeyError):
        run(broken, JUDGE, target="T")


def test_algorithm_error_is_an_mbedu_error():
    """All refusals share a base."""
    assert issubclass(AlgorithmError, MbeduError)
