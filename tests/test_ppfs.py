"""PPFS: the printed growth and what it misses, both shrinks, and the vote over folds."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from dag_sweeps import check_doctests, oracles, parity, runs, wrong
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary

import mbedu as mb
from mbedu.algorithms.folds import training_folds
from mbedu.citests import G2
from mbedu.errors import AlgorithmError, JudgeError
from mbedu.judge import Batched, Verdict
from mbedu.steps import Asked, Noted, Scored

VARIANTS = [{"growth": g, "shrink": s} for g in ("printed", "conditional") for s in ("improved", "basic")]
judges = st.builds(
    Arbitrary, st.permutations(list("TABCDE")), seed=st.integers(0, 10**6), ranks=st.booleans(),
    dependence=st.sampled_from([0.3, 0.6, 0.9]),
)  # fmt: skip


@pytest.mark.parametrize("shrink", ["improved", "basic"])
@pytest.mark.parametrize(("n", "count", "of"), [(3, 12, 150), (4, 624, 4344)])
def test_how_often_the_printed_growth_errs(shrink, n, count, of):
    """With an exact judge so many runs are wrong; the smallest misses S in T → C ← S."""
    missed = wrong("ppfs", oracles(n), shrink=shrink)
    assert (len(missed), runs(oracles(n))) == (count, of)
    assert all(boundary - answer for _, _, answer, boundary in missed)
    edges, T, answer, boundary = missed[0]
    assert len(edges) == 2
    assert (len(answer), len(boundary), T in {v for e in edges for v in e}) == (1, 2, True)


@pytest.mark.parametrize("shrink", ["improved", "basic"])
@pytest.mark.parametrize("n", [3, 4])
def test_conditional_growth_is_right(shrink, n):
    """Conditioning on the current set finds the spouses: right on every small DAG, in both orders."""
    assert wrong("ppfs", oracles(n), growth="conditional", shrink=shrink) == []


@pytest.mark.slow
@pytest.mark.parametrize(("growth", "count"), [("printed", 25_450), ("conditional", 0)])
def test_five_nodes(growth, count):
    """Of 146,405 runs on all DAGs with five nodes so many are wrong."""
    assert len(wrong("ppfs", oracles(5, orders=1), growth=growth)) == count


@given(judges)
def test_printed_growth_is_equation_5(judge):
    """What enters is what depends on the target by itself, in variable order; one question each."""
    trace = mb.run("ppfs", judge, "T", record=True).trace
    grown = [s for s in trace.steps if isinstance(s, Asked) and s.phase == "growth"]
    assert [next(iter(s.query.variables - {"T"})) for s in grown] == [v for v in judge.variables if v != "T"]
    assert all(not s.query.given for s in grown)


@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.6, 0.9]))
def test_improved_shrink_is_the_printed_loop(seed, dependence):
    """Given p-values, the members are tried from the largest p to the smallest, once each."""

    class Negative(Arbitrary):
        def judge(self, query):
            verdict = super().judge(query)
            return Verdict(verdict.independent, p_value=np.exp(verdict.log_p), log_p=verdict.log_p)

    judge = Negative("TABCDE", seed=seed, dependence=dependence)
    order = {v: i for i, v in enumerate(judge.variables)}

    def by_p(ask, T):
        p = {X: ask.verdict(T, X) for X in ask.others(T)}
        MB = sorted((X for X in p if not p[X].independent), key=lambda X: (-p[X].log_p, order[X]))
        for X in list(MB):
            if len(MB) > 1 and ask(T, X, set(MB) - {X}):
                MB.remove(X)
        return set(MB)

    ours, theirs = mb.run("ppfs", judge, "T"), by_p(mb.Ask(judge), "T")
    assert ours.boundary == theirs


class Told(Batched):
    """Answers by a table; whatever is not in it is dependent with p = 0.01."""

    def __init__(self, table):
        self.table, self.variables = table, ("T", "A", "B", "C")

    def judge(self, query):
        other = next(iter((query.x | query.y) - {"T"}))
        p = self.table.get((other, "".join(sorted(query.given))), 0.01)
        return Verdict(p > 0.05, p_value=p, log_p=float(np.log(p)))


def test_least_important_leaves_first():
    """A and B replace each other; the one with the larger p leaves, whichever comes first in order."""
    alike = {("A", "BC"): 0.9, ("B", "AC"): 0.9}
    assert mb.run("ppfs", Told({("A", ""): 0.02, **alike}), "T").boundary == {"B", "C"}
    assert mb.run("ppfs", Told({("B", ""): 0.02, **alike}), "T").boundary == {"A", "C"}
    assert mb.run("ppfs", Told({("B", ""): 0.02, **alike}), "T", shrink="basic").boundary == {"B", "C"}


def test_basic_shrink_begins_anew():
    """A is needed while C is there; only a second look, after C has left, removes it."""
    table = {("C", "AB"): 0.9, ("A", "B"): 0.9}
    assert mb.run("ppfs", Told(table), "T", shrink="improved").boundary == {"A", "B"}
    assert mb.run("ppfs", Told(table), "T", shrink="basic").boundary == {"B"}


def test_lone_survivor_stays():
    """The last member is not asked about again, and the trace says that it stays."""
    table = {("B", ""): 0.5, ("C", ""): 0.5}
    run = mb.run("ppfs", Told(table), "T", record=True)
    assert run.boundary == {"A"}
    assert run.n_asked == 3
    assert any("lone survivor stays" in s.message for s in run.trace.steps if isinstance(s, Noted))


@given(judges, st.sampled_from(VARIANTS))
def test_recording_changes_nothing(judge, params):
    """A recorded run asks the same questions and gives the same answer; every question has its line."""
    quiet, loud = mb.run("ppfs", judge, "T", **params), mb.run("ppfs", judge, "T", record=True, **params)
    assert (quiet.boundary, quiet.n_asked) == (loud.boundary, loud.n_asked)
    assert all(step.line for step in loud.trace.steps if isinstance(step, Asked))


@given(judges, st.sampled_from(VARIANTS))
def test_whitelist_stays(judge, params):
    """What is on the whitelist is in the answer, whatever the judge says."""
    assert "C" in mb.run("ppfs", judge, "T", whitelist="C", **params).boundary


@pytest.mark.parametrize("params", VARIANTS)
def test_parity_is_invisible(params):
    """Under parity nothing depends on the target by itself: PPFS finds nothing, and says why."""
    run = mb.run("ppfs", parity(3, distractors=2), "T", record=True, **params)
    assert run.boundary == set()
    assert any("invisible to PPFS" in step.text for step in run.trace.steps)


# ------------------------------------------------------------------------------------ the vote over folds


@given(st.integers(2, 60), st.integers(2, 10), st.integers(0, 100))
def test_training_folds_leave_out_a_partition(n, K, seed):
    """What the folds leave out is every row once, in parts of nearly the same size."""
    if n < K:
        with pytest.raises(AlgorithmError, match="at most the number of rows"):
            training_folds(n, K, seed=seed)
        return
    left_out = [set(range(n)) - set(rows.tolist()) for rows in training_folds(n, K, seed=seed)]
    assert sorted(v for fold in left_out for v in fold) == list(range(n))
    assert max(map(len, left_out)) - min(map(len, left_out)) <= 1


def answering(members):
    """A judge under which PPFS answers with these members: each is a parent of T."""
    return mb.DSeparation([(v, "T") for v in members], variables=list("TABCD"))


@given(st.lists(st.sets(st.sampled_from("ABCD")), min_size=2, max_size=6))
def test_vote_is_equations_6_to_8(answers):
    """z is the mean frequency of an answer's members; the first best wins; an empty one scores 0."""
    run = mb.run("ppfs", answering("A"), "T", folds=[answering(a) for a in answers], record=True)
    freq = {x: sum(x in a for a in answers) for x in set().union(*answers)}
    z = [Fraction(sum(freq[x] for x in a), len(a)) if a else Fraction(0) for a in answers]
    assert run.boundary == answers[z.index(max(z))]
    scored = [step for step in run.trace.steps if isinstance(step, Scored)]
    assert [s.value for s in scored if s.score == "z"] == [float(value) for value in z]
    assert {s.item[0]: s.value for s in scored if s.score == "freq"} == freq


@pytest.fixture(scope="module")
def sample():
    random = np.random.default_rng(5)
    a, b, d = random.integers(0, 2, (3, 400))
    return pd.DataFrame({"A": a, "B": b, "D": d, "T": (a + b + (random.random(400) < 0.2)) % 3})


def test_folds_of_a_judge_that_can(sample):
    """K folds of a judge with rows() are the judges made by hand; the same seed, the same answer."""
    run = mb.run("ppfs", G2(sample), "T", K=4, seed=3)
    by_hand = [G2(sample.iloc[rows]) for rows in training_folds(len(sample), 4, seed=3)]
    assert run.boundary == mb.run("ppfs", G2(sample), "T", folds=by_hand).boundary
    assert (run.boundary, run.n_asked) == (
        mb.run("ppfs", G2(sample), "T", K=4, seed=3).boundary,
        mb.run("ppfs", G2(sample), "T", K=4, seed=3).n_asked,
    )
    assert run.boundary == {"A", "B"}


def test_after_the_folds_the_judge_is_back(sample):
    """A fold's judge answers for its fold only."""
    whole = G2(sample)
    door = mb.Ask(whole)
    from mbedu.algorithms.ppfs import ppfs

    ppfs(door, "T", K=3)
    assert door.source is whole


def test_judge_without_rows_is_refused():
    """Folds need rows: the error says what the judge lacks and how to do without."""
    with pytest.raises(JudgeError, match=r"no method rows.*K=0.*training_folds"):
        mb.run("ppfs", answering("A"), "T", K=5)


def test_folds_on_other_variables_are_refused():
    """The judges of the folds have to know the same variables in the same order."""
    other = mb.DSeparation([("A", "T")], variables=["A", "T"])
    with pytest.raises(JudgeError, match=r"folds\[1\].*same variables"):
        mb.run("ppfs", answering("A"), "T", folds=[answering("A"), other])


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"growth": "grow"}, "growth='grow': choose 'printed'"),
        ({"shrink": "fast"}, "shrink='fast': choose 'improved'"),
        ({"K": -1}, "K=-1"),
        ({"K": 1}, "K=1: one fold leaves no rows"),
        ({"K": 3, "folds": [1, 2]}, "K=3 but 2 judges"),
        ({"whitelist": "T"}, "the target 'T'"),
    ],
)
def test_bad_parameters_are_refused(params, words):
    """An error shows the value and the rule."""
    with pytest.raises(AlgorithmError, match=words):
        mb.run("ppfs", answering("A"), "T", **params)


def test_docstring_examples():
    """What the docstrings show is what happens."""
    check_doctests("ppfs")
