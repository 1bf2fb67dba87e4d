"""FSDMS: its dependency counted by hand, its algorithms run by a second, plain transcription."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import weight_tables

import mbedu as mb
from mbedu.ask import Ask
from mbedu.errors import AlgorithmError, DataError, JudgeError
from mbedu.problems import copies, corral, corral_data
from mbedu.query import Query
from mbedu.registry import get_algorithm
from mbedu.selectors import Ranking, Table
from mbedu.selectors.cells import Cells
from mbedu.selectors.neighbours import Neighbours
from mbedu.selectors.source import look
from mbedu.steps import Chose, Scored
from mbedu.trace import Trace

INPUTS = ("A0", "A1", "B0", "B1")


# ------------------------------------------------------------------------ dependency, counted by hand
def by_hand(cells, at, X, target):
    """D(X) by Definition 7, straight from {cell: probability}."""
    if not X:
        return Fraction(0)
    groups = {}
    for cell, p in cells.items():
        groups.setdefault(tuple(cell[at[v]] for v in X), []).append((cell[at[target]], p))
    total = sum(cells.values())
    pure = sum(p for rows in groups.values() if len({y for y, _ in rows}) == 1 for _, p in rows)
    return Fraction(pure) / Fraction(total)


def subsets_of(items):
    return [c for k in range(len(items) + 1) for c in itertools.combinations(items, k)]


def cells_of(judge, target):
    ask = Ask(judge)
    return Cells(look(ask, target, "a test"), target, ask.others(target))


@given(weight_tables())
def test_dependency_of_a_joint_is_the_definition(world):
    """On any joint distribution, with weights of any size, D of every set is what the definition says."""
    variables, table = world
    judge, target = mb.ExactJoint(table, variables=variables), variables[-1]
    cells, at = cells_of(judge, target), {v: i for i, v in enumerate(variables)}
    exact = {c: Fraction(w) for c, w in table.items() if w}
    for X in subsets_of(variables[:-1]):
        assert cells.dependency(X) == by_hand(exact, at, X, target)


@given(weight_tables())
def test_consistency_and_entropy_of_a_joint_are_the_definitions(world):
    """Consistency is the mass of each cell's commonest label; entropy is the oracle's, in bits."""
    variables, table = world
    judge, target = mb.ExactJoint(table, variables=variables), variables[-1]
    cells, at = cells_of(judge, target), {v: i for i, v in enumerate(variables)}
    total = Fraction(sum(table.values()))
    for X in subsets_of(variables[:-1]):
        groups = {}
        for cell, w in table.items():
            inside = groups.setdefault(tuple(cell[at[v]] for v in X), {})
            inside[cell[at[target]]] = inside.get(cell[at[target]], 0) + Fraction(w)
        assert cells.consistency(X) == sum(max(g.values()) for g in groups.values()) / total
        assert cells.entropy(X) == pytest.approx(judge.entropy(X) / np.log(2) if X else 0, abs=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(60, 90))
def test_wide_tables_are_counted_exactly(seed, levels, columns):
    """Where one 64-bit word cannot hold a cell, several do: D is still the definition's."""
    rng = np.random.default_rng(seed)
    few = rng.integers(0, levels, size=(4, columns))  # few patterns, so that cells have several rows
    frame = pd.DataFrame(few[rng.integers(0, 4, size=30)], columns=[f"x{i}" for i in range(columns)])
    frame["Y"] = rng.integers(0, 2, size=30)
    cells = cells_of(Table(frame), "Y")
    at = {v: i for i, v in enumerate(frame.columns)}
    counted = {}
    for row in frame.itertuples(index=False):
        counted[tuple(row)] = counted.get(tuple(row), 0) + 1
    names = list(frame.columns[:-1])
    sets = [names, names[1:], names[::2], names[:1], names[5:-5], names[::-1][3:]]
    for X in sets:
        assert cells.dependency(X) == by_hand(counted, at, X, "Y")


@given(weight_tables())
def test_dependency_is_monotone(world):
    """Theorem 2: more features never determine less. Theorem 3: nor is their margin smaller."""
    variables, table = world
    cells = cells_of(mb.ExactJoint(table, variables=variables), variables[-1])
    D, F = cells.dependency, frozenset(variables[:-1])
    for X in subsets_of(variables[:-1]):
        for f in F - set(X):
            assert D(X) <= D({*X, f})
            assert D(X) - D(F - set(X)) <= D({*X, f}) - D(F - {*X, f})


def test_dependency_of_nothing_is_nothing():
    """D(∅) = 0 even if Y is constant, where any single feature has D = 1."""
    judge = mb.ExactJoint({(0, 0, 7): 1, (0, 1, 7): 2}, variables=["a", "b", "y"])
    cells = cells_of(judge, "y")
    assert [cells.dependency(X) for X in ([], ["a"], ["a", "b"])] == [0, 1, 1]
    assert mb.run("fsdms", judge, "y").answer == ("a",)


# ------------------------------------------------------------------------------------ numeric features
def numeric_frames():
    value = st.sampled_from([0.0, 0.07, 0.14, 0.21, 0.5, 0.64, 1.0])
    row = st.tuples(value, value, st.sampled_from("uvw"), st.integers(0, 2))
    return st.lists(row, min_size=1, max_size=14).map(
        lambda rows: pd.DataFrame(rows, columns=["a", "b", "c", "Y"])
    )


def scaled(column):
    low, high = column.min(), column.max()
    return [Fraction(v - low) / Fraction(high - low) if high > low else Fraction(0) for v in column]


@given(numeric_frames(), st.sampled_from([0.05, 0.14, 0.3, 1.0, 1.2]))
def test_neighbourhoods_are_the_definition(frame, theta):
    """Definition 9, row by row: D counts the rows all of whose θ-neighbours have their label."""
    ask = Ask(Table(frame))
    measure = Neighbours(look(ask, "Y", "a test"), "Y", ["a", "b", "c"], theta)
    numbers = {v: scaled(frame[v]) for v in "ab"}

    def far(X, i, j):
        gaps = [
            (numbers[v][i] - numbers[v][j]) ** 2 if v in numbers else frame[v][i] != frame[v][j] for v in X
        ]
        return float(sum(gaps)) ** 0.5

    for X in subsets_of(["a", "b", "c"])[1:]:
        near = [[j for j in frame.index if far(X, i, j) <= theta + 1e-9] for i in frame.index]
        pure = sum(len({frame.Y[j] for j in js}) == 1 for js in near)
        assert measure.dependency(X) == Fraction(pure, len(frame)), X
        most = [min(sorted(set(frame.Y)), key=lambda y: -sum(frame.Y[j] == y for j in js)) for js in near]
        assert measure.consistency(X) == Fraction(sum(most[i] == frame.Y[i] for i in frame.index), len(frame))
    assert measure.dependency([]) == 0
    for X in subsets_of(["a", "b", "c"]):
        for f in "abc":
            assert measure.dependency(X) <= measure.dependency({*X, f})


@given(st.integers(0, 10**6))
def test_neighbourhoods_of_labels_are_cells(seed):
    """With labels only and θ below 1, a neighbourhood is a cell."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 3, size=(25, 4)), columns=["a", "b", "c", "Y"])
    rows = look(Ask(Table(frame)), "Y", "a test")
    cells, near = Cells(rows, "Y", ["a", "b", "c"]), Neighbours(rows, "Y", ["a", "b", "c"], 0.14)
    for X in subsets_of(["a", "b", "c"]):
        assert cells.dependency(X) == near.dependency(X)
        assert cells.consistency(X) == near.consistency(X)


def test_numeric_columns_are_found_by_their_type():
    """A decimal column is compared by distance after scaling to [0, 1]; numeric=[] makes it a label."""
    frame = pd.DataFrame(
        {"a": [10.0, 11.0, 20.0, 20.5], "Y": [0, 1, 1, 1]}
    )  # 11 is 0.095 from 10 once scaled
    assert mb.run("fsdms", Table(frame), "Y").answer == ("a",)
    assert mb.run("dependency", Table(frame), "Y", record=True).trace.steps[2].value == 0.5
    assert mb.run("dependency", Table(frame, numeric=[]), "Y", record=True).trace.steps[2].value == 1.0
    assert mb.run("dependency", Table(frame), "Y", theta=0.05, record=True).trace.steps[2].value == 1.0


def test_too_many_rows_for_neighbourhoods():
    """A table whose pairs of rows would not fit in memory is refused, with the way out."""
    frame = pd.DataFrame({"a": np.linspace(0, 1, 6001), "Y": [0, 1, 1] * 2000 + [0]})
    with pytest.raises(DataError, match="6001 rows are more than 6000"):
        mb.run("fsdms", Table(frame), "Y")


# --------------------------------------------------------------- the algorithms, by a second transcription
def plainly(D, F, alpha):
    """Algorithms 1, 2 and 3 of the paper, word for word and without any care for speed."""
    F = list(F)

    def E(X):
        return D(X) - alpha * D([f for f in F if f not in X])

    A1 = [a for a in F if D(F) > D([f for f in F if f != a])]

    def needed(b):
        return all(D([f for f in F if f != m]) > D([f for f in F if f not in (m, b)]) for m in F if m != b)

    B2 = [b for b in F if b not in A1 and needed(b)]
    C3 = [f for f in F if f not in A1 + B2]
    P = []
    for part, earlier in [(A1, []), (B2, A1), (C3, A1 + B2)]:
        Q = list(part)
        while Q:
            among = [f for f in F if f in Q + earlier and f not in P]
            gain = {a: E([*P, a]) - E(P) for a in among}
            best = [a for a in among if gain[a] == max(gain.values())]
            if part is C3:
                best = [a for a in best if D([*P, a]) == max(D([*P, b]) for b in best)]
            P.append(best[0])
            Q.remove(best[0])
    return A1, B2, P


@given(weight_tables(smallest=2, largest=4), st.sampled_from([0, 0.5, 1, 3]))
def test_fsdms_is_the_printed_algorithm(world, alpha):
    """A1, B2, C3 and the sequence are those of a plain transcription of Algorithms 1 to 3."""
    variables, table = world
    judge, target = mb.ExactJoint(table, variables=variables), variables[0]
    F = variables[1:]
    at = {v: i for i, v in enumerate(variables)}
    exact = {c: Fraction(w) for c, w in table.items() if w}
    A1, B2, P = plainly(lambda X: by_hand(exact, at, X, target), F, Fraction(alpha))
    run = mb.run("fsdms", judge, target, alpha=alpha, record=True)
    sets = run.trace.state()
    assert sets["C3"] == set(F) - set(A1) - set(B2)
    assert sets["P"] == set(F)
    assert sets["Q"] == set()
    assert run.answer.ranking == tuple(P)
    assert mb.run("strong_relevant", judge, target).boundary == set(A1)
    assert mb.run("weak_nonredundant", judge, target, A1=A1).boundary == set(B2)
    quiet = mb.run("fsdms", judge, target, alpha=alpha)
    assert (quiet.answer, quiet.answer.ranking) == (run.answer, run.answer.ranking)


@given(weight_tables())
def test_the_answer_is_the_shortest_beginning_that_suffices(world):
    """By default P is cut where it determines as much as all features, and not one feature later."""
    variables, table = world
    judge, target = mb.ExactJoint(table, variables=variables), variables[-1]
    D = cells_of(judge, target).dependency
    found = mb.run("fsdms", judge, target).answer
    assert D(found) == D(variables[:-1])
    assert not found or D(found[:-1]) < D(found)
    assert found == found.ranking[: len(found)]
    assert sorted(found.ranking) == sorted(variables[:-1])
    assert mb.run("fsdms", judge, target, top="all").answer == found.ranking
    assert mb.run("fsdms", judge, target, top=1).answer == found.ranking[:1]


@given(weight_tables())
def test_a1_is_strongly_relevant(world):
    """Theorem 4: the label depends on every member of A1 given all others; a constant label errs."""
    variables, table = world
    judge, target = mb.ExactJoint(table, variables=variables), variables[-1]
    if len(variables) == 2 and len({cell[-1] for cell, w in table.items() if w}) == 1:
        # the corner that D(∅) = 0 makes: D({a}) = 1 > D(∅), and yet nothing depends on a constant
        assert mb.run("strong_relevant", judge, target).boundary == {variables[0]}
        return
    for a in mb.run("strong_relevant", judge, target).boundary:
        assert not judge.judge(Query(target, a, set(variables[:-1]) - {a})).independent


@given(weight_tables(largest=3), weight_tables(largest=2))
def test_a_product_is_its_joint(one, other):
    """FSDMS on independent blocks is FSDMS on their joint distribution."""
    names = [f"o{v}" for v in other[0]]
    joint = {c + d: Fraction(w) * Fraction(u) for c, w in one[1].items() for d, u in other[1].items()}
    whole = mb.ExactJoint(joint, variables=[*one[0], *names])
    blocks = mb.Product(mb.ExactJoint(one[1], variables=one[0]), mb.ExactJoint(other[1], variables=names))
    for key in ("fsdms", "consistency", "fcbf", "cfs_sf", "information_gain"):
        assert mb.run(key, blocks, one[0][0]).answer == mb.run(key, whole, one[0][0]).answer, key


def test_noisy_copies_determine_nothing():
    """D of a world with noisy copies, without its joint, is D of the joint written out."""
    small = corral("corral")
    base = mb.ExactJoint(
        {(*x, (x[0] & x[1]) | (x[2] & x[3])): 1 for x in itertools.product((0, 1), repeat=4)},
        variables=[*INPUTS, "Y"],
    )
    coin = mb.ExactJoint({(0,): 1, (1,): 1}, variables=["I"])
    from mbedu.problems import NoisyCopies

    order = small.judge.variables
    same = mb.Product(NoisyCopies(base, {"R": ("Y", Fraction(1, 4))}), coin, variables=order)
    for key in ("fsdms", "dependency"):
        assert mb.run(key, same, "Y", record=True).trace.steps == mb.run(key, small, record=True).trace.steps
    with pytest.raises(JudgeError, match="NoisyCopies carries neither"):
        mb.run("consistency", same, "Y")
    with pytest.raises(JudgeError, match="NoisyCopies carries neither"):
        mb.run("fsdms", same, "R")


# ------------------------------------------------------------------------------------------------ CorrAL
def test_corral_exact_and_sampled_agree():
    """On CorrAL the exact joint and 1,024 rows give the same A1, the same sequence and the right answer."""
    problem = corral("corral")
    exact = mb.run("fsdms", problem, record=True)
    for seed in range(3):
        data = mb.run("fsdms", Table(corral_data("corral", seed=seed)), "Y", record=True)
        assert data.answer == exact.answer == INPUTS
        assert data.answer.ranking[:4] == exact.answer.ranking[:4]
    assert mb.run("strong_relevant", problem.judge, "Y").boundary == set(INPUTS)


def test_rows_and_weights_are_the_same_thing():
    """1,024 rows with exactly the frequencies of CorrAL score to the last digit like its exact joint."""
    problem = corral("corral")
    rows = [cell for cell, p in problem.judge.table().items() for _ in range(int(p * 1024))]
    frame = pd.DataFrame(rows, columns=list(problem.judge.variables))
    assert len(frame) == 1024
    by_rows = mb.run("fsdms", Table(frame), "Y", record=True).trace
    by_test = mb.run("fsdms", mb.G2(frame), "Y", record=True).trace
    exact = mb.run("fsdms", problem, record=True).trace
    assert by_rows.steps == exact.steps == by_test.steps


@pytest.mark.parametrize("which", ["corral-46", "corral-47"])
def test_many_copies_and_the_tie_rule(which):
    """In listed order the inputs are found; in shuffled order the printed rule errs, lookahead does not."""
    known = corral(which).boundaries
    right = {"printed": 0, "lookahead": 0}
    for seed in range(6):
        frame = corral_data(which, seed=seed)
        assert mb.run("fsdms", Table(frame), "Y").answer == INPUTS
        shuffled = np.random.default_rng(seed).permutation(frame.columns.to_numpy())
        for tie in right:
            found = mb.run("fsdms", Table(frame[list(shuffled)]), "Y", tie=tie).boundary
            right[tie] += found in known
    assert right["lookahead"] == 6
    assert right["printed"] < 6


def test_a_copy_counts_twice_in_the_limit():
    """In the exact CorrAL-47 the printed margin takes A0 and then its copy; with α below 2/3 it does not."""
    problem = corral("corral-47")
    for tie in ("printed", "dependency", "lookahead"):
        assert mb.run("fsdms", problem, tie=tie).answer == ("A0", "A0_0", "A1", "B0", "B1")
    trace = mb.run("fsdms", problem, record=True).trace
    second = [s for s in trace if isinstance(s, Scored) and s.score == "G"][47 : 47 + 46]
    assert {s.item[0]: s.value for s in second if s.item[0] in ("A0_0", "A1")} == {"A0_0": 3 / 8, "A1": 1 / 4}
    assert mb.run("fsdms", problem, alpha=0.6).answer == INPUTS
    assert mb.run("fsdms", problem, alpha=0.7).answer != INPUTS


def test_two_copies_of_the_target():
    """With copies that each determine the label nothing is in A1, and one of them is enough."""
    judge = mb.ExactJoint({(v, v, v, v): 1 for v in range(3)}, variables=["a", "b", "c", "Y"])
    run = mb.run("fsdms", judge, "Y", record=True)
    assert run.answer == ("a",)
    assert run.trace.state()["C3"] == {"a", "b", "c"}


def test_what_is_never_determined_has_no_answer():
    """Where the label is noisy in every cell D is 0 for all sets, and FSDMS selects nothing."""
    problem = copies(n=3)
    run = mb.run("fsdms", problem)
    assert run.answer == ()
    assert run.answer.ranking == ("A1", "A2", "A3")
    assert run.boundary not in problem.boundaries


# ------------------------------------------------------------------------------------ the trace, the errors
def test_the_trace_tells_the_algorithm():
    """Scores light the arg max, choices the end of their loop, changes of P their line; JSON keeps it all."""
    run = mb.run("fsdms", corral("corral"), record=True)
    gains = [s for s in run.trace if isinstance(s, Scored) and s.procedure == "fsdms"]
    assert {s.line for s in gains} == {5, 21}
    assert len(gains) == 4 + 3 + 2 + 1 + 2 + 1
    assert {s.line for s in run.trace if isinstance(s, Chose)} == {6, 25}
    assert gains[0].text == "G(A0) = 0.375 (P wins 0, the rest loses 3/8)."
    assert {s.line for s in run.trace if isinstance(s, Scored) and s.procedure != "fsdms"} == {3}
    back = Trace.from_json(run.trace.to_json())
    assert back.steps == run.trace.steps
    assert run.n_asked == 0


def test_ranking_is_a_tuple_that_remembers():
    """A Ranking equals its tuple, survives pickling, and keeps order and scores."""
    found = Ranking(["b"], ranking=["b", "a"], scores={"a": 0.5})
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.ranking, again.scores) == (("b",), ("b", "a"), {"a": 0.5})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": -1}, r"alpha=-1: it has to be a number of at least 0"),
        ({"alpha": float("nan")}, r"alpha=nan: it has to be a number"),
        ({"alpha": "1"}, r"alpha='1'"),
        ({"theta": 0}, r"theta=0: it has to be a number above 0"),
        ({"tie": "coin"}, r"tie='coin': choose 'printed' or 'dependency' or 'lookahead'"),
        ({"top": 0}, r"top=0: give how many"),
        ({"top": True}, r"top=True"),
        ({"top": "most"}, r"top='most'"),
        ({"top": 9}, r"top=9: there are only 6 features"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    """A wrong parameter is refused with its value, the rule and the way out."""
    with pytest.raises(AlgorithmError, match=message):
        mb.run("fsdms", corral("corral"), **params)


def test_a_world_without_features():
    """With no feature, or one, there is an answer all the same."""
    assert mb.run("fsdms", mb.ExactJoint({(0,): 1, (1,): 1}, variables=["Y"]), "Y").answer == ()
    two = mb.ExactJoint({(0, 0): 1, (1, 1): 1}, variables=["a", "Y"])
    assert mb.run("fsdms", two, "Y", record=True).answer == ("a",)
    none = mb.ExactJoint({(a, y): 1 for a in (0, 1) for y in (0, 1)}, variables=["a", "Y"])
    assert mb.run("fsdms", none, "Y", record=True).answer == ()


def test_the_parts_are_procedures():
    """Algorithms 1 and 2 are registered beside Algorithm 3, each with its own numbered lines."""
    kinds = {
        k: get_algorithm(k).kind for k in ("fsdms", "strong_relevant", "weak_nonredundant", "best_prefix")
    }
    assert kinds == {
        "fsdms": "selector", "strong_relevant": "procedure", "weak_nonredundant": "procedure",
        "best_prefix": "procedure",
    }  # fmt: skip
