"""Oracle and data side by side: every wrong verdict is named, and the first one's consequences are real."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges import Arbitrary

import mbedu as mb
from mbedu.citests.by_name import make_test
from mbedu.citests.discrete import G2, MutualInformation
from mbedu.citests.fisher_z import FisherZ
from mbedu.compare import compare, compare_grid
from mbedu.compare.repair import Corrected
from mbedu.errors import JudgeError, UnknownName
from mbedu.judge import Batched, Verdict
from mbedu.oracles import DSeparation, ExactGaussian, ExactJoint
from mbedu.query import Query
from mbedu.steps import Asked, Changed

ASIA = mb.load_network("asia")
ALGORITHMS = ("gs", "iamb", "inter_iamb", "gs_m")


@settings(max_examples=30)
@given(
    st.sampled_from(ALGORITHMS),
    st.sampled_from(ASIA.variables),
    st.sampled_from([60, 300]),
    st.integers(0, 99),
)
def test_every_verdict_is_held_against_the_oracle(algorithm, target, n, seed):
    """`wrong` lists exactly the verdicts that differ from the oracle's, in order, with the right kind."""
    found = compare(algorithm, ASIA, target, n, seed)
    oracle = ExactJoint(ASIA)
    expected = []
    for i, step in enumerate(found.data.trace):
        if isinstance(step, Asked):
            truth = oracle.judge(step.query)
            assert found.truths[i] == truth
            if truth.independent != step.verdict.independent:
                kind = "false independence" if step.verdict.independent else "false dependence"
                expected.append((i, step.query, kind if step.verdict.reliable else "unreliable"))
        else:
            assert i not in found.truths
    assert [tuple(w) for w in found.wrong] == expected
    assert (found.first_wrong is None) == (not expected)
    if expected:
        first = found.first_wrong
        assert (first.step, first.query, first.kind) == expected[0]
        assert first.p_value == found.data.trace[first.step].verdict.p_value
        assert first.kind in first.sentence


@settings(max_examples=30)
@given(st.sampled_from(ALGORITHMS), st.sampled_from(ASIA.variables), st.integers(0, 99))
def test_the_repaired_run_is_the_same_up_to_the_wrong_verdict(algorithm, target, seed):
    """Both runs agree before the first wrong step, there the answer differs, effects explain the rest."""
    found = compare(algorithm, ASIA, target, 200, seed)
    if found.first_wrong is None:
        assert found.repaired is None
        assert found.caused == found.prevented == ()
        return
    k = found.first_wrong.step
    data, repaired = found.data.trace, found.repaired.trace
    assert data.steps[:k] == repaired.steps[:k]
    assert data[k].query == repaired[k].query
    assert data[k].verdict.independent != repaired[k].verdict.independent
    assert repaired[k].verdict.independent == found.truths[k].independent
    if not found.caused and not found.prevented:
        assert found.repaired.boundary == found.data.boundary
    for effects, trace in ((found.caused, data), (found.prevented, repaired)):
        for effect in effects:
            assert effect.step > k
            assert isinstance(trace[effect.step], Changed)
            assert trace[effect.step].text == effect.sentence
    taken = [i for i, s in enumerate(data) if i > k and isinstance(s, Changed) and (s.added or s.removed)]
    other = [i for i, s in enumerate(repaired) if i > k and isinstance(s, Changed) and (s.added or s.removed)]
    # what is left after taking out the effects is the same sequence of changes in both
    kept = [data[i].added + data[i].removed for i in taken if i not in {e.step for e in found.caused}]
    also = [
        repaired[i].added + repaired[i].removed for i in other if i not in {e.step for e in found.prevented}
    ]
    assert kept == also


class Liar(Batched):
    """The truth, except for one question."""

    def __init__(self, judge, query):
        self.inner, self.query, self.variables = judge, query, judge.variables

    def judge(self, query):
        truth = self.inner.judge(query)
        if query == self.query:
            return Verdict(not truth.independent, p_value=0.04)
        return truth


def test_one_lie_is_found_and_its_consequences_named():
    """With one question answered wrongly, it is found, and repairing it gives the oracle's run."""
    edges = [("A", "T"), ("T", "B"), ("C", "B"), ("D", "A")]
    truth = DSeparation(edges, variables=list("TABCD"))
    lie = Query("T", "D", {"A", "B", "C"})  # says dependent: D enters, and stays when asked again
    found = compare("gs", (truth, Liar(truth, lie)), "T", order="plain")
    assert [(w.query, w.kind) for w in found.wrong] == [(lie, "false dependence")] * 2
    assert found.extra == {"D"}
    assert found.first_wrong.p_value == 0.04
    assert [e.sentence for e in found.caused] == ["D enters S, which now has 4 members."]
    assert found.prevented == ()
    assert found.repaired.boundary == found.oracle.boundary == {"A", "B", "C"}
    kept = Query("T", "A")  # says independent: A is not let in where it should be
    missed = compare("gs", (truth, Liar(truth, kept)), "T", order="plain")
    assert missed.first_wrong.kind == "false independence"
    assert missed.prevented
    assert missed.repaired.boundary == missed.oracle.boundary
    assert missed.decisive is not None


def test_no_wrong_verdict():
    """Where data and oracle agree throughout, nothing is wrong and the text says so."""
    truth = DSeparation([("A", "T")])
    found = compare("gs", (truth, truth), "T")
    assert found.first_wrong is None
    assert found.decisive is None
    assert found.f1 == 1.0
    assert f"all {found.data.n_asked} verdicts on the data are the oracle's" in str(found)
    assert "oracle" in found._repr_html_()


def test_the_decisive_verdict_changes_something():
    """`decisive` is the first wrong verdict whose correction alone changes a set."""
    found = compare("iamb", ASIA, "lung", 500, 3)
    decisive = found.decisive
    assert decisive.caused or decisive.prevented
    before = [w for w in found.wrong if w.step < decisive.wrong.step]
    for at in before:
        harmless = found.correct(at)
        assert not harmless.caused
        assert not harmless.prevented


@given(st.integers(0, 200), st.sampled_from(["gs", "iamb"]))
def test_corrected_answers_differ_in_the_corrected_question_only(seed, algorithm):
    """A corrected judge is the inner one, batch by batch, except for the questions corrected."""
    inner = Arbitrary("ABCDT", seed=seed)
    query = Query("T", "A", "B")
    truth = Verdict(not inner.judge(query).independent)
    judge = Corrected(inner, {query: truth})
    assert judge.judge(query.swapped()).independent == truth.independent
    assert judge.judge_many("T", ["A", "C"], "B") == [judge.judge(Query("T", y, "B")) for y in "AC"]
    assert judge.judge(Query("T", "C", "B")) == inner.judge(Query("T", "C", "B"))
    assert judge.leave_one_out("T", ["A", "B"], {"A", "B"}) == [
        judge.judge(Query("T", "A", "B")),
        judge.judge(Query("T", "B", "A")),
    ]
    assert mb.run(algorithm, Corrected(inner, {}), "T").boundary == mb.run(algorithm, inner, "T").boundary


def test_worlds():
    """Networks, problems, exact judges, and (judge, data) are all worlds; the oracle can be chosen."""
    by_graph = compare("gs", ASIA, "dysp", 200, oracle="dsep")
    assert by_graph.oracle.trace.judge["kind"] == "DSeparation"
    alarm = mb.load_network("alarm")
    assert compare("iamb", alarm, "CVP", 100).oracle.trace.judge["kind"] == "DSeparation"
    data = ASIA.sample(150, seed=1)
    pair = compare("gs", (ExactJoint(ASIA), data), "dysp")
    whole = compare("gs", ASIA, "dysp", 150, 1)
    assert pair.wrong == whole.wrong
    assert pair.settings["n"] == 150
    chain = ExactGaussian.from_equations({"B": {"A": 1}, "C": {"B": 1}})
    found = compare("gs", chain, "A", 400)
    assert found.settings["test"] == "FisherZ"
    assert found.truth == {"B"}
    problem = mb.Problem("chain", chain, "C", (frozenset({"B"}),))
    assert compare("gs", problem, n=300).truth == {"B"}
    lambdas = compare("gs", ASIA, "dysp", 200, test=lambda frame, alpha: G2(frame, alpha, df="full"))
    assert lambdas.data.trace.judge["df"] == "full"
    options = compare(
        "gs", ASIA, "dysp", 200, test="g2", test_params={"df": "full"}, alpha=0.01, order="plain"
    )
    assert options.data.trace.judge["alpha"] == 0.01
    assert options.data.params == {"order": "plain"}


def test_bad_worlds_are_explained():
    """Errors show the value, the rule and the way out."""
    with pytest.raises(UnknownName, match="'nope'"):
        compare("gs", ASIA, "nope")
    with pytest.raises(JudgeError, match="oracle='psychic'"):
        compare("gs", ASIA, "dysp", oracle="psychic")
    with pytest.raises(JudgeError, match="cannot draw data"):
        compare("gs", DSeparation([("A", "T")]), "T")
    with pytest.raises(JudgeError, match="is no world"):
        compare("gs", 7, "T")
    with pytest.raises(UnknownName, match="unknown test 'g3'"):
        compare("gs", ASIA, "dysp", test="g3")


def test_text_frame_and_page():
    """The text names first wrong verdict and effects; the frame carries the truth; the page plays both."""
    found = compare("iamb", ASIA, "lung", 500, 3)
    text = str(found)
    assert found.first_wrong.sentence in text
    assert f"{len(found.wrong)} of {len(found.truths)}" in text
    frame = found.to_frame()
    asked = frame[frame.kind == "asked"]
    assert asked.truth.notna().all()
    assert ((asked.truth != asked.independent) == (asked.wrong != "")).all()
    player = found.play()
    assert "<" in player.html
    assert found._repr_html_()


def test_grid():
    """A row for each target, n, alpha and sample; each equals the comparison it stands for."""
    settings_ = {"n": [50, 300], "alpha": [0.01, 0.05], "repeats": 2, "seed": 7, "progress": False}
    grid = compare_grid("iamb", ASIA, ["dysp", "lung"], **settings_)
    assert len(grid) == 16
    for _, row in grid.sample(4, random_state=0).iterrows():
        one = compare("iamb", ASIA, row.target, row.n, row.seed, alpha=row.alpha)
        assert (row.missing, row.extra, row.asked) == (len(one.missing), len(one.extra), one.data.n_asked)
        assert row.f1 == one.f1
        kinds = [row.false_dependence, row.false_independence, row.unreliable]
        assert kinds == [one.count(k) for k in ("false dependence", "false independence", "unreliable")]
        assert sum(kinds) == row.wrong
        assert row.first_wrong == (one.first_wrong.kind if one.first_wrong else "")
    with ThreadPoolExecutor(2) as pool:
        again = compare_grid("iamb", ASIA, ["dysp", "lung"], **settings_, executor=pool)
    pd.testing.assert_frame_equal(grid, again)
    everyone = compare_grid("gs", mb.load_network("cancer"), n=[50], repeats=1, progress=False)
    assert everyone.target.tolist() == list(mb.load_network("cancer").variables)


def test_tests_by_name():
    """Every name builds its test; "auto" takes what fits the columns; mutual information has no alpha."""
    rng = np.random.default_rng(0)
    labels = pd.DataFrame({"a": rng.integers(0, 2, 60), "b": list("uvw") * 20})
    numbers = pd.DataFrame({"a": rng.standard_normal(60), "b": rng.standard_normal(60)})
    mixed = labels.assign(n=numbers.a)
    assert isinstance(make_test("auto", labels), G2)
    assert isinstance(make_test("auto", numbers), FisherZ)
    assert make_test("auto", mixed).discrete == ("a", "b")
    assert make_test("mutual_information", labels, params={"threshold": 0.1}).threshold == 0.1
    assert make_test(MutualInformation, labels, alpha=0.5).threshold == 0.02
    assert make_test("ppi", mixed, target="b", alpha=0.1, params={"B": 5}).target == "b"
    for name in ("chi_square", "permutation"):
        assert make_test(name, labels, alpha=0.02).alpha == 0.02
    with pytest.raises(JudgeError, match="neither a name"):
        make_test(7, labels)
