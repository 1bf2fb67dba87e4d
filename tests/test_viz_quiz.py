"""The quiz: its questions come from the trace, and its code says what was answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mbedu as mb
from mbedu.errors import TraceError
from mbedu.steps import Asked, Changed, Chose
from mbedu.strategies import dags
from mbedu.viz.quiz import check_quiz, digest, questions, quiz, seal


def asia_trace(judge=mb.DSeparation, key="gs_m"):
    return mb.run(key, judge(mb.load_network("asia")), target="either", record=True).trace


@pytest.mark.parametrize("judge", [mb.DSeparation, mb.ExactJoint])
@pytest.mark.parametrize("key", ["gs_m", "iamb"])
def test_the_right_answers_are_those_of_the_trace(judge, key):
    """The right option of each question is what the step then says."""
    trace = asia_trace(judge, key)
    asked = list(questions(trace))
    assert {type(trace[q["step"]]) for q in asked} >= {Asked}
    for q in asked:
        step, right = trace[q["step"]], q["options"][q["right"]]
        assert len(set(q["options"])) == len(q["options"])
        if isinstance(step, Asked):
            assert (right == "independent") is step.verdict.independent
        elif isinstance(step, Chose):
            assert right == ", ".join(step.item)
        elif isinstance(step, Changed):
            assert right == ", ".join(step.added or step.removed)


@pytest.mark.parametrize("key", ["gs", "gs_m", "iamb", "inter_iamb", "hiton_mb", "pcmb", "mbor", "ppfs"])
@given(dag=dags(largest=4))
def test_every_question_leaves_a_choice(key, dag):
    """No question has fewer than two options, none comes twice, and no verdict is left out."""
    for target in dag.variables[:2]:
        trace = mb.run(key, mb.DSeparation(dag), target, record=True).trace
        asked = list(questions(trace))
        for q in asked:
            assert len(set(q["options"])) == len(q["options"]) >= 2
            assert 0 <= q["right"] < len(q["options"])
        steps = {n for n, step in enumerate(trace.steps) if isinstance(step, Asked)}
        assert steps <= {q["step"] for q in asked}


def test_a_step_without_alternatives_is_no_question():
    """With two variables only one can enter; the quiz asks for the verdicts alone."""
    trace = mb.run("gs", mb.DSeparation([("A", "T")]), "T", record=True).trace
    assert any(isinstance(step, Changed) and step.added for step in trace)
    assert [q["options"] for q in questions(trace)] == [["independent", "dependent"]] * len(trace.questions)


@given(st.lists(st.booleans(), max_size=60), st.text(max_size=20))
def test_codes_are_read_back(answers, student):
    """Any code that is sealed checks, for its student, and says the same answers."""
    code = seal("0123ABCD", answers, student)
    found = check_quiz(code.lower(), student=student)
    assert (found.answers, found.right, found.total) == (tuple(answers), sum(answers), len(answers))


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.data())
def test_changed_codes_are_refused(answers, data):
    """Changing any one character of a code makes it fail."""
    code = seal("0123ABCD", answers)
    place = data.draw(st.integers(0, len(code) - 1))
    other = data.draw(
        st.sampled_from([c for c in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c != code[place]])
    )
    with pytest.raises(TraceError):
        check_quiz(code[:place] + other + code[place + 1 :])


def test_a_code_belongs_to_its_run_and_its_student():
    """A code of another run, or made for somebody else, is refused."""
    trace, other = asia_trace(), asia_trace(key="iamb")
    code = seal(digest(trace), [True], "Ada")
    assert check_quiz(code, trace, student="Ada").right == 1
    with pytest.raises(TraceError, match="another run"):
        check_quiz(code, other, student="Ada")
    with pytest.raises(TraceError, match="does not check"):
        check_quiz(code, trace, student="Bob")


def test_most_limits_the_questions():
    """`most` keeps that many questions, the first and the last among them; nonsense is refused."""
    trace = asia_trace()
    everything = list(questions(trace))
    assert len(everything) > 5
    assert "with 5 questions" in str(quiz(trace, most=5))
    assert f"with {len(everything)} questions" in str(quiz(trace, most=None))
    with pytest.raises(TraceError, match="most=0"):
        quiz(trace, most=0)
