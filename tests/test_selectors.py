"""The selectors that FSDMS is compared with: against plain loops, hand-worked examples, scikit-learn."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges import Arbitrary

import mbedu as mb
from mbedu.ask import Ask
from mbedu.errors import AlgorithmError, DataError, JudgeError, UnknownName
from mbedu.problems import corral, corral_data
from mbedu.query import Query
from mbedu.registry import all_algorithms
from mbedu.selectors import Table
from mbedu.selectors.cells import Cells
from mbedu.selectors.classify import n_right
from mbedu.selectors.ranking import descending
from mbedu.selectors.source import look
from mbedu.steps import Asked, Scored
from mbedu.trace import Trace

INPUTS = ("A0", "A1", "B0", "B1")
SELECTORS = [a.key for a in all_algorithms() if a.kind == "selector"]
NEED_ROWS = {"wfsdms", "relieved", "relieff", "irelief", "permutation_importance", "sequential_forward"}
LABELS_ONLY = {"fcbf", "cfs_sf", "information_gain"}


def small(seed=0, rows=60):
    """A table that every selector accepts: four binary or ternary features, two labels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, [2, 2, 3, 2], size=(rows, 4)), columns=list("abcd"))
    frame["Y"] = (frame.a & frame.b) ^ (rng.random(rows) < 0.1)
    return frame.astype(int)


@st.composite
def mixed_frames(draw, *, labels=3, smallest=4):
    """A table with two numeric columns, two of labels, and Y; with many ties among the distances."""
    n = draw(st.integers(smallest, 12))
    value = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    columns = {
        "a": draw(st.lists(value, min_size=n, max_size=n)),
        "b": draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)),
        "c": draw(st.lists(value, min_size=n, max_size=n)),
        "d": draw(st.lists(st.sampled_from("uvw"), min_size=n, max_size=n)),
    }
    columns["Y"] = [i % labels if i < 2 * labels else draw(st.integers(0, labels - 1)) for i in range(n)]
    return pd.DataFrame(columns)


# ------------------------------------------------------------------------------------- all of them
def test_the_list_is_complete():
    """Every selector that the papers compare with is registered; SGAI is not, and the package says why."""
    assert set(SELECTORS) == {
        "fsdms", "wfsdms", "relieved", "relieff", "irelief", "fcbf", "cfs_sf", "information_gain",
        "consistency", "dependency", "permutation_importance", "sequential_forward",
    }  # fmt: skip
    import mbedu.selectors

    assert "SGAI" in mbedu.selectors.__doc__


@pytest.mark.parametrize("key", SELECTORS)
def test_recording_changes_nothing_and_every_run_is_the_same(key):
    """Quiet, recorded and repeated runs agree; every score is a step with a line; no question is asked."""
    table = Table(small())
    quiet, loud, again = (
        mb.run(key, table, "Y"),
        mb.run(key, table, "Y", record=True),
        mb.run(key, table, "Y", record=True),
    )
    assert quiet.answer == loud.answer == again.answer
    assert quiet.answer.ranking == loud.answer.ranking
    assert loud.trace.steps == again.trace.steps
    scores = [s for s in loud.trace if isinstance(s, Scored)]
    assert scores
    assert all(s.line is not None and math.isfinite(s.value) for s in scores)
    assert not any(isinstance(s, Asked) for s in loud.trace)
    assert quiet.n_asked == 0
    assert Trace.from_json(loud.trace.to_json()).steps == loud.trace.steps
    assert quiet.boundary == set(quiet.answer)


@pytest.mark.parametrize("key", SELECTORS)
def test_a_test_on_data_is_as_good_as_a_table(key):
    """The data inside a G² test and the same data in a Table give the same answer."""
    frame = small(seed=1)
    assert mb.run(key, mb.G2(frame), "Y").answer == mb.run(key, Table(frame), "Y").answer


@pytest.mark.parametrize("key", SELECTORS)
def test_a_judge_without_data_is_refused(key):
    """A judge that carries neither data nor a distribution gets an error that says what to pass."""
    with pytest.raises(JudgeError, match="DSeparation carries neither; pass Table"):
        mb.run(key, mb.DSeparation([("a", "Y")]), "Y")
    with pytest.raises(JudgeError, match="Arbitrary carries neither"):
        mb.run(key, Arbitrary("aY"), "Y")


@pytest.mark.parametrize("key", SELECTORS)
def test_an_exact_joint_is_scored_or_refused(key):
    """Selectors of distributions take an exact joint; those that need rows say how to draw some."""
    problem = corral("corral")
    if key in NEED_ROWS:
        with pytest.raises(JudgeError, match=r"needs rows .* ExactJoint is a distribution; draw some"):
            mb.run(key, problem)
    else:
        assert mb.run(key, problem).boundary <= {*INPUTS, "I", "R"}


@pytest.mark.parametrize("key", SELECTORS)
def test_numeric_columns_are_used_or_refused(key):
    """A numeric column is compared by distance, or refused by name where only labels can be counted."""
    frame = small(rows=40)
    frame["x"] = frame.Y + np.linspace(0, 0.3, 40)
    if key in LABELS_ONLY:
        with pytest.raises(DataError, match=r"\['x'\] is numeric; discretise"):
            mb.run(key, Table(frame), "Y")
    else:
        assert "x" in mb.run(key, Table(frame), "Y").boundary


@pytest.mark.parametrize("key", SELECTORS)
def test_missing_values_are_refused(key):
    """Missing values are counted and refused, never dropped in silence."""
    frame = small(rows=20).astype({"a": object})
    frame.loc[3, "a"] = None
    with pytest.raises(DataError, match="missing values in 1 of 5 columns"):
        mb.run(key, Table(frame), "Y")


BAD = [
    ("relieved", {"tau": "high"}, "tau='high'"),
    ("relieved", {"top": 0}, "top=0"),
    ("relieff", {"k": 0}, "k=0"),
    ("relieff", {"wrapper": "knn"}, "wrapper='knn': choose 'svm'"),
    ("relieff", {"wrapper": "svm", "top": 2}, "give one of them"),
    ("irelief", {"sigma": 0}, "sigma=0"),
    ("irelief", {"rounds": 0}, "rounds=0"),
    ("irelief", {"tolerance": -1}, "tolerance=-1"),
    ("fcbf", {"delta": -0.1}, "delta=-0.1"),
    ("fcbf", {"delta": 1.5}, "at most 1"),
    ("information_gain", {"seed": -1}, "seed=-1"),
    ("information_gain", {"top": 7}, "there are only 4 features"),
    ("consistency", {"theta": -1}, "theta=-1"),
    ("dependency", {"stuck": "go"}, "stuck='go': choose 'stop' or 'listed'"),
    ("wfsdms", {"classifier": "knn"}, "classifier='knn'"),
    ("wfsdms", {"folds": 1}, "folds=1"),
    ("wfsdms", {"folds": 50}, "the rarest value of 'Y' has"),
    ("permutation_importance", {"repeats": 0}, "repeats=0"),
    ("sequential_forward", {"top": 9}, "there are only 4 features"),
    ("sequential_forward", {"top": 2, "backward": True}, "give one of them"),
]


@pytest.mark.parametrize(("key", "params", "message"), BAD)
def test_bad_parameters_are_refused(key, params, message):
    """A wrong parameter is refused with its value, the rule and the way out."""
    with pytest.raises(AlgorithmError, match=message):
        mb.run(key, Table(small()), "Y", **params)


@pytest.mark.parametrize("key", ["wfsdms", "permutation_importance", "sequential_forward", "irelief"])
def test_one_label_is_refused(key):
    """A classifier cannot learn a label with one value, and is not asked to."""
    frame = small(rows=20)
    frame["Y"] = 1
    with pytest.raises(DataError, match=r"one value in all 20 rows|two labels"):
        mb.run(key, Table(frame), "Y")


# ------------------------------------------------------------------------------------------- the table
def test_a_table_answers_nothing():
    """A Table carries data; a question of independence is refused, with the way out."""
    with pytest.raises(JudgeError, match="wrap the data in a test"):
        Table(small()).judge(Query("Y", "a"))
    with pytest.raises(JudgeError, match="a Table answers no question"):
        mb.run("gs", Table(small()), "Y")


def test_a_table_is_checked():
    """What is no table, is empty, or has columns that are not there is refused."""
    with pytest.raises(DataError, match="list is not a table"):
        Table([1, 2])
    with pytest.raises(DataError, match="0 rows"):
        Table(pd.DataFrame({"a": []}))
    with pytest.raises(UnknownName, match="unknown column 'z'"):
        Table(small(), numeric=["z"])
    with pytest.raises(DataError, match="is called numeric, but holds 'u'"):
        mb.run("relieved", Table(pd.DataFrame({"a": ["u", "v"], "Y": [0, 1]}), numeric=["a"]), "Y")
    with pytest.raises(DataError, match="infinite"):
        mb.run("relieved", Table(pd.DataFrame({"a": [1.0, math.inf], "Y": [0, 1]})), "Y")
    assert Table(pd.DataFrame({"a": [0.5], "b": [1]})).describe() == {
        "kind": "Table",
        "rows": 1,
        "numeric": ["a"],
    }


# ------------------------------------------------------------------------------------- the RELIEF family
def diff(frame, v, i, j):
    if frame[v].dtype.kind != "f":
        return float(frame[v][i] != frame[v][j])
    spread = frame[v].max() - frame[v].min()
    return abs(frame[v][i] - frame[v][j]) / spread if spread else 0.0


def relief_by_loops(frame):
    """RELIEVED as one would explain it at the blackboard."""
    features, n = [v for v in frame if v != "Y"], len(frame)
    weight = dict.fromkeys(features, 0.0)
    for i in range(n):
        for sign, group in [
            (-1, [j for j in range(n) if j != i and frame.Y[j] == frame.Y[i]]),
            (1, [j for j in range(n) if frame.Y[j] != frame.Y[i]]),
        ]:
            far = {j: sum(diff(frame, v, i, j) ** 2 for v in features) for j in group}
            near = [j for j in group if far[j] <= min(far.values()) + 1e-9]
            for v in features:
                for j in near:
                    weight[v] += sign * diff(frame, v, i, j) ** 2 / len(near) / n
    return weight


@given(mixed_frames())
def test_relieved_is_the_loop(frame):
    """RELIEVED weighs as a plain loop over instances, their nearest hits and nearest misses does."""
    found = mb.run("relieved", Table(frame), "Y", top="all").answer
    assert found.scores == pytest.approx(relief_by_loops(frame), abs=1e-5)
    chosen = mb.run("relieved", Table(frame), "Y", tau=0.01).boundary
    assert chosen == {v for v, w in found.scores.items() if w > 0.01 + 1e-12}


@given(mixed_frames(), st.randoms(use_true_random=False))
def test_relieved_does_not_care_for_the_order_of_rows(frame, random):
    """All nearest rows count alike, so shuffling the rows changes no weight."""
    order = list(range(len(frame)))
    random.shuffle(order)
    one = mb.run("relieved", Table(frame), "Y").answer.scores
    other = mb.run("relieved", Table(frame.iloc[order].reset_index(drop=True)), "Y").answer.scores
    assert one == pytest.approx(other, abs=1e-12)


def relieff_by_loops(frame, k):
    features, n = [v for v in frame if v != "Y"], len(frame)
    prior = frame.Y.value_counts(normalize=True)
    weight = dict.fromkeys(features, 0.0)
    for i in range(n):
        for c in prior.index:
            group = [j for j in range(n) if j != i and frame.Y[j] == c]
            far = {j: round(sum(diff(frame, v, i, j) for v in features), 9) for j in group}
            near = sorted(group, key=lambda j: (far[j], j))[:k]
            factor = -1 if c == frame.Y[i] else prior[c] / (1 - prior[frame.Y[i]])
            for v in features:
                for j in near:
                    weight[v] += factor * diff(frame, v, i, j) / len(near) / n
    return weight


@given(mixed_frames(smallest=6), st.integers(1, 5))
def test_relieff_is_the_loop(frame, k):
    """ReliefF weighs as a plain loop over instances, labels and their k nearest rows does."""
    found = mb.run("relieff", Table(frame), "Y", k=k, top="all").answer
    assert found.scores == pytest.approx(relieff_by_loops(frame, k), abs=1e-5)


def irelief_by_loops(frame, rounds, sigma):
    features, n = [v for v in frame if v != "Y"], len(frame)
    w = dict.fromkeys(features, 1 / len(features))
    for _ in range(rounds):
        nu = dict.fromkeys(features, 0.0)
        for i in range(n):
            near = {
                j: math.exp(-sum(w[v] * diff(frame, v, i, j) for v in features) / sigma) for j in range(n)
            }
            misses = [j for j in range(n) if frame.Y[j] != frame.Y[i]]
            hits = [j for j in range(n) if frame.Y[j] == frame.Y[i] and j != i]
            m, h = sum(near[j] for j in misses), sum(near[j] for j in hits)
            gamma = 1 - m / (m + h)
            for v in features:
                nu[v] += gamma / n * sum(near[j] / m * diff(frame, v, i, j) for j in misses)
                nu[v] -= gamma / n * sum(near[j] / h * diff(frame, v, i, j) for j in hits)
        length = math.sqrt(sum(max(x, 0) ** 2 for x in nu.values()))
        w = {v: max(x, 0) / length if length else 0.0 for v, x in nu.items()}
    return w


@settings(max_examples=30)
@given(mixed_frames(labels=2), st.sampled_from([0.5, 1.0]))
def test_irelief_is_the_loop(frame, sigma):
    """After one round and after three, I-RELIEF has the weights of a plain loop."""
    for rounds in (1, 3):
        found = mb.run(
            "irelief", Table(frame), "Y", sigma=sigma, rounds=rounds, tolerance=1e-300, top="all"
        ).answer
        expected = irelief_by_loops(frame, rounds, sigma)
        if max(expected.values()) > 1e-3:  # where nothing is left but rounding, the direction is rounding too
            assert found.scores == pytest.approx(expected, abs=1e-4)


def test_irelief_settles():
    """On CorrAL the weights are a fixed point: one more round changes them by less than the tolerance."""
    table = Table(corral_data("corral"))
    settled = mb.run("irelief", table, "Y", tolerance=1e-9, record=True)
    assert not any(s.kind == "noted" for s in settled.trace)
    hurried = mb.run("irelief", table, "Y", rounds=1, record=True)
    assert any("still change" in s.text for s in hurried.trace)


def test_three_labels_are_too_many_for_irelief():
    """I-RELIEF is for two labels and says so."""
    frame = small()
    frame["Y"] = frame.c
    with pytest.raises(DataError, match="two labels"):
        mb.run("irelief", Table(frame), "Y")


# ---------------------------------------------------------------------------------- information measures
def square(**columns):
    """Two fair bits a, b and the label Y = (a, b), with more columns made of them."""
    rows = [(a, b) for a in (0, 1) for b in (0, 1)]
    return Table(pd.DataFrame({v: [f(a, b) for a, b in rows] for v, f in columns.items()}))


def test_fcbf_by_hand():
    """Y = (a, b): SU(a, Y) = 2·1/(1 + 2) = 2/3; the copy of a goes (SU = 1), b stays (SU(a, b) = 0)."""
    table = square(
        a=lambda a, b: a,
        copy=lambda a, b: 1 - a,
        b=lambda a, b: b,
        still=lambda a, b: 0,
        Y=lambda a, b: 2 * a + b,
    )
    run = mb.run("fcbf", table, "Y", record=True)
    assert run.answer == ("a", "b")
    assert run.answer.scores == pytest.approx({"a": 2 / 3, "copy": 2 / 3, "b": 2 / 3, "still": 0.0})
    removed = [s.removed for s in run.trace if s.kind == "changed" and s.removed]
    assert removed == [("copy",), ("still",)]


def test_fcbf_prefers_the_better_of_two():
    """Of Y = (a, b), max(a, b) says less than a does, but it shares less with a than with Y: it stays."""
    table = square(m=lambda a, b: a | b, a=lambda a, b: a, Y=lambda a, b: 2 * a + b)
    h = 2 - 0.75 * math.log2(3)  # the entropy of max(a, b), which is 0 in one of four rows
    su_m, su_ma = 2 * h / (h + 2), 2 * (h + 1 - 1.5) / (h + 1)
    run = mb.run("fcbf", table, "Y")
    assert run.answer.scores == pytest.approx({"m": su_m, "a": 2 / 3})
    assert su_ma < su_m  # so m is not an approximate copy of a, and stays
    assert run.answer == ("a", "m")
    assert mb.run("fcbf", table, "Y", delta=0.6).answer == ("a",)


def test_fcbf_log_is_the_ranked_threshold():
    """δ = log is the SU of the feature ranked ⌊N / log₂ N⌋: of 6 features the second, of 46 the eighth."""
    from mbedu.selectors.fcbf import threshold

    values = {f"x{i}": 1 / (i + 2) for i in range(46)}
    assert threshold(values, "log") == values["x7"]
    assert threshold({v: values[v] for v in list(values)[:6]}, "log") == values["x1"]
    assert threshold({"x0": 0.5}, "log") == 0.0
    assert threshold(values, 0.25) == 0.25


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_information_is_that_of_scikit_learn(seed):
    """Gains equal scikit-learn's mutual information (in bits), and SU is symmetric and at most 1."""
    from sklearn.metrics import mutual_info_score

    frame = small(seed=seed, rows=30)
    cells = Cells(look(Ask(Table(frame)), "Y", "a test"), "Y", list("abcd"))
    gains = mb.run("information_gain", Table(frame), "Y", top="all").answer.scores
    for v in "abcd":
        assert gains[v] == pytest.approx(mutual_info_score(frame[v], frame.Y) / math.log(2), abs=1e-12)
        assert cells.symmetrical_uncertainty(v, "Y") == cells.symmetrical_uncertainty("Y", v) <= 1 + 1e-12


def test_gains_of_an_exact_joint_are_exact():
    """On the exact CorrAL the gain of the irrelevant I is 0 and not merely small, so it is not returned."""
    found = mb.run("information_gain", corral("corral")).answer
    assert found == ("R", *INPUTS)
    assert found.scores["I"] == 0.0


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_cfs_is_halls_merit(seed):
    """Each step of CFS-SF adds the feature with the largest k·r̄cf / √(k + k(k−1)·r̄ff), while it grows."""
    frame = small(seed=seed, rows=40)
    cells = Cells(look(Ask(Table(frame)), "Y", "a test"), "Y", list("abcd"))
    su = cells.symmetrical_uncertainty

    def merit(S):
        k = len(S)
        r_cf = np.mean([su(f, "Y") for f in S])
        r_ff = np.mean([su(f, g) for f in S for g in S if f != g]) if k > 1 else 0
        return k * r_cf / math.sqrt(k + k * (k - 1) * r_ff)

    S = []
    while left := [f for f in "abcd" if f not in S]:
        best = descending({f: merit([*S, f]) for f in left})[0]
        if merit([*S, best]) <= (merit(S) if S else 0) + 1e-12:
            break
        S.append(best)
    assert mb.run("cfs_sf", Table(frame), "Y").answer == tuple(S)


def test_ties_go_by_the_order_of_the_variables():
    """Scores that differ by rounding only are equal."""
    assert descending({"b": 0.3, "a": 0.1 + 0.2, "c": 0.2, "d": 0.9}) == ("d", "b", "a", "c")
    assert descending({}) == ()


# ------------------------------------------------------------------------------- greedy by a set's score
def test_dependency_is_stuck_on_parity_and_says_so():
    """Where no feature determines anything alone it ends with a note, or goes on in the listed order."""
    parity = mb.ExactJoint({(a, b, a ^ b): 1 for a in (0, 1) for b in (0, 1)}, variables=["a", "b", "Y"])
    run = mb.run("dependency", parity, "Y", record=True)
    assert run.answer == ()
    assert any("No feature raises D above 0, although all together reach 1" in s.text for s in run.trace)
    assert mb.run("dependency", parity, "Y", stuck="listed").answer == ("a", "b")
    assert mb.run("consistency", parity, "Y").answer == ("a", "b")


def test_consistency_stops_when_all_is_said():
    """The answer has the consistency of all features, and its beginning has not."""
    table = Table(small(seed=3))
    found = mb.run("consistency", table, "Y").answer
    C = Cells(look(Ask(table), "Y", "a test"), "Y", list("abcd")).consistency
    assert C(found) == C("abcd")
    assert C(found[:-1]) < C(found)
    assert sorted(found.ranking) == list("abcd")


# --------------------------------------------------------------------------------------- with a classifier
@pytest.mark.parametrize("classifier", ["svm", "cart", "bayes"])
def test_wrapper_counts_as_scikit_learn_does(classifier):
    """With folds of equal size, rows right over rows is the mean of scikit-learn's fold accuracies."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    frame = small(rows=80)[["a", "b", "d", "Y"]]
    rows = look(Ask(Table(frame)), "Y", "a test")
    direct = {
        "svm": SVC(),
        "cart": DecisionTreeClassifier(random_state=0),
        "bayes": CategoricalNB(min_categories=2),
    }
    folds = StratifiedKFold(8, shuffle=True, random_state=0)
    expected = cross_val_score(direct[classifier], frame[["a", "b", "d"]], frame.Y, cv=folds).mean()
    right = n_right(rows, "Y", ["a", "b", "d"], classifier=classifier, folds=8, seed=0)
    assert right / 80 == pytest.approx(expected)


def test_wrapper_takes_the_smallest_of_the_best():
    """The answer is the first beginning with the most rows right."""
    table = Table(small(seed=5))
    run = mb.run("wfsdms", table, "Y", record=True)
    sequence = mb.run("fsdms", table, "Y", top="all").answer
    rows = look(Ask(table), "Y", "a test")
    right = [n_right(rows, "Y", sequence[:k], classifier="svm", folds=10, seed=0) for k in range(1, 5)]
    assert run.answer == sequence[: right.index(max(right)) + 1]
    assert run.answer.ranking == sequence
    assert [s.value for s in run.trace if isinstance(s, Scored) and s.score == "accuracy"] == [
        r / 60 for r in right
    ]


@pytest.mark.parametrize("key", ["relieff", "irelief", "information_gain", "consistency", "dependency"])
def test_filters_can_be_wrapped(key):
    """With wrapper= the ranking of a filter is cut by a classifier; the ranking itself stays."""
    table = Table(small(seed=2))
    plain, wrapped = mb.run(key, table, "Y").answer, mb.run(key, table, "Y", wrapper="cart").answer
    assert wrapped.ranking == plain.ranking
    assert wrapped == wrapped.ranking[: len(wrapped)]


def test_sequential_forward_is_that_of_scikit_learn():
    """The first k features are those of scikit-learn's SequentialFeatureSelector, for every k."""
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.model_selection import StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, size=(200, 6))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["Y"] = ((2 * frame.a + frame.b + frame.c > 1) ^ (rng.random(200) < 0.15)).astype(int)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for k in (1, 2, 3, 4):
        theirs = SequentialFeatureSelector(
            DecisionTreeClassifier(random_state=0), n_features_to_select=k, cv=folds, scoring="accuracy"
        ).fit(frame[list("abcdef")], frame.Y)
        ours = mb.run("sequential_forward", Table(frame), "Y", classifier="cart", folds=5, top=k)
        assert ours.boundary == set(theirs.get_feature_names_out())


def test_sequential_forward_is_caught_by_the_decoy():
    """On CorrAL the decoy R comes first, no single feature helps it, and the search ends there."""
    found = mb.run("sequential_forward", Table(corral_data("corral")), "Y", classifier="cart", folds=4)
    assert found.answer == ("R",)


def test_stepwise_takes_back():
    """Y = (a, b): a noisy copy of Y comes first, a and b follow, and going backward too the copy leaves."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, size=(400, 2)), columns=["a", "b"])
    frame["Y"] = 2 * frame.a + frame.b
    frame["R"] = np.where(rng.random(400) < 0.3, rng.integers(0, 4, size=400), frame.Y)
    forward = mb.run("sequential_forward", Table(frame), "Y", classifier="cart", folds=4)
    both = mb.run(
        "sequential_forward", Table(frame), "Y", classifier="cart", folds=4, backward=True, record=True
    )
    assert forward.answer[0] == "R"
    assert forward.boundary == {"a", "b", "R"}
    assert both.boundary == {"a", "b"}
    assert any(s.kind == "changed" and s.removed == ("R",) and s.line == 6 for s in both.trace)


def test_permutation_importance_of_corral():
    """A support vector machine that knows all features is hurt most by losing an input, and not by I."""
    found = mb.run("permutation_importance", Table(corral_data("corral")), "Y").answer
    assert set(found[:4]) == set(INPUTS)
    assert "I" not in found


# ---------------------------------------------------------------------------- CorrAL beside the paper's words
@pytest.fixture(scope="module")
def tables():
    return {which: Table(corral_data(which)) for which in ("corral", "corral-46", "corral-47")}


@pytest.mark.parametrize("which", ["corral", "corral-46", "corral-47"])
def test_wfsdms_finds_the_inputs(tables, which):
    """liu2015: WFSDMS finds the optimal subset."""
    assert mb.run("wfsdms", tables[which], "Y").answer == INPUTS


@pytest.mark.parametrize("key", ["fcbf", "cfs_sf", "information_gain", "consistency"])
def test_most_keep_the_decoy(tables, key):
    """liu2015: most algorithms fail to remove R from CorrAL and CorrAL-47."""
    for which in ("corral", "corral-47"):
        assert "R" in mb.run(key, tables[which], "Y").boundary


def test_relieff_leaves_the_decoy_and_keeps_copies(tables):
    """liu2015: ReliefF removes R, but selects features correlated with the inputs."""
    assert "R" not in mb.run("relieff", tables["corral"], "Y", wrapper="svm").boundary
    found = mb.run("relieff", tables["corral-47"], "Y", wrapper="svm").boundary
    assert "R" not in found
    assert found > set(INPUTS)


def test_irelief_keeps_the_decoy_and_copies(tables):
    """liu2015: IRelief avoids the irrelevant features of CorrAL-47 but keeps R and A0_0."""
    found = mb.run("irelief", tables["corral-47"], "Y", wrapper="svm").boundary
    assert {"R", "A0_0"} <= found
    assert not any(v.startswith("I") for v in found)


def test_dependency_fails_on_all_three(tables):
    """liu2015: the dependency of every single feature is zero, so nothing is generated."""
    for table in tables.values():
        assert mb.run("dependency", table, "Y").answer == ()
