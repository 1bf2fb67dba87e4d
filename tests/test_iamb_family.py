"""IAMB and its relatives: right where they claim to be, and what their priors and guards do."""

import doctest
import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary
from scipy.stats import false_discovery_control
from strategies import networks, weight_tables

import mbedu as mb
from mbedu.algorithms.iamb_fdr import rejected
from mbedu.citests import G2, MutualInformation
from mbedu.errors import AlgorithmError, UnknownName
from mbedu.judge import Batched, Verdict
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.query import Query
from mbedu.registry import get_algorithm
from mbedu.steps import Asked, Changed, Chose, Noted

RIGHT = ("iamb", "inter_iamb", "fast_iamb", "kiamb", "iamb_fdr", "iamb_ip", "mixed_mb")
EVERY = (*RIGHT, "iamb_printed", "koller_sahami")
LOG2 = math.log(2)


def acyclic(n, edges):
    left = set(range(n))
    while sources := {v for v in left if not any(a in left and b == v for a, b in edges)}:
        left -= sources
    return not left


def all_dags(n):
    pairs = list(itertools.combinations(range(n), 2))
    for ways in itertools.product((0, 1, 2), repeat=len(pairs)):
        edges = [(a, b) if way == 1 else (b, a) for (a, b), way in zip(pairs, ways, strict=True) if way]
        if acyclic(n, edges):
            yield edges


@pytest.fixture(scope="module")
def worlds():
    """Every DAG with three or four nodes as an oracle, in the given and in the reversed order."""
    return [
        DSeparation([("ABCD"[a], "ABCD"[b]) for a, b in edges], variables=order)
        for n in (3, 4)
        for edges in all_dags(n)
        for order in (list("ABCD"[:n]), list("ABCD"[:n])[::-1])
    ]


def wrong(key, worlds, **params):
    return [
        (len(world.edges), world.edges, T)
        for world in worlds
        for T in world.variables
        if mb.run(key, world, T, **params).boundary != world.boundary(T)
    ]


class Threshold(Batched):
    """An exact joint whose mutual information decides: dependent if and only if it is above t."""

    ranks = True

    def __init__(self, inner, t):
        self.inner, self.t, self.variables = inner, t, inner.variables

    def judge(self, query):
        strength = self.inner.judge(query).strength
        return Verdict(strength <= self.t, strength=strength, n=100)


class Told(Batched):
    """A judge that is told the strength of every question it may be asked; all others are 0."""

    ranks = True

    def __init__(self, variables, strengths, t):
        self.variables, self.t = tuple(variables), t
        self.strengths = {Query(*key): value for key, value in strengths.items()}

    def judge(self, query):
        strength = self.strengths.get(query, 0.0)
        return Verdict(strength <= self.t, strength=strength, n=500)


def counts(seed, n=5, rows=60):
    """The empirical joint of random correlated bits: its information is the plug-in estimate."""
    coin = random.Random(seed)
    table = {}
    for _ in range(rows):
        cell = [coin.randrange(2)]
        for _ in range(n - 1):
            cell.append(coin.randrange(2) if coin.random() < 0.6 else coin.choice(cell))
        table[tuple(cell)] = table.get(tuple(cell), 0) + 1
    return ExactJoint(table, variables=[f"X{i}" for i in range(1, n)] + ["Y"])


def story(run):
    """The questions and the changes of a run, in order."""
    return [
        (s.query.x, s.query.y, s.query.given) if isinstance(s, Asked) else (s.added, s.removed)
        for s in run.trace.steps
        if isinstance(s, Asked | Changed)
    ]


# ---------------------------------------------------------------------------------- correctness
@pytest.mark.parametrize("key", RIGHT)
def test_right_on_every_small_dag(key, worlds):
    """On all DAGs with 3 and 4 nodes, every target and both variable orders, the boundary is found."""
    assert len(worlds) == 2 * (25 + 543)
    assert wrong(key, worlds) == []


@pytest.mark.parametrize("params", [{"K": 0.0}, {"K": 0.5, "seed": 7}, {"K": 1.0}])
def test_kiamb_is_right_whatever_it_draws(params, worlds):
    """KIAMB is right on every small DAG for every K and seed."""
    assert wrong("kiamb", worlds, **params) == []


def test_iamb_as_printed_keeps_false_positives_at_t_zero(worlds):
    """With t = 0 the printed backward phase removes nothing, so it errs, by extra variables only."""
    errors = wrong("iamb_printed", worlds)
    assert errors
    for world in worlds:
        for T in world.variables:
            run = mb.run("iamb_printed", world, T, record=True)
            assert run.boundary >= world.boundary(T)
            assert not any(s.removed for s in run.trace.steps if isinstance(s, Changed))
    smallest = min(errors, key=lambda e: e[0])
    assert smallest[0] == 2  # a chain A → C → B: B enters before C and stays


def test_iamb_as_printed_is_right_with_a_positive_threshold(worlds):
    """With any t > 0 the printed algorithm is right under d-separation."""
    assert wrong("iamb_printed", worlds, t=0.5) == []


def test_koller_sahami_is_not_correct(worlds):
    """Koller and Sahami's elimination errs on some small DAG for each K below the number of features."""
    three = [w for w in worlds if len(w.variables) == 3]
    assert wrong("koller_sahami", three, K=0)
    assert wrong("koller_sahami", worlds, K=1)
    assert wrong("koller_sahami", worlds, K=3) == []  # then Mi is everything else: plain elimination


@given(networks(largest=4))
def test_exact_joints_of_networks(net):
    """What IAMB returns has no redundant member and no dependent outsider, in any distribution."""
    judge = ExactJoint(net)
    for T in judge.variables:
        for key in ("iamb", "inter_iamb", "fast_iamb", "kiamb", "iamb_fdr"):
            M = mb.run(key, judge, T).boundary
            for X in set(judge.variables) - {T}:
                assert judge.judge(Query(T, X, M - {X})).independent is (X not in M)


@pytest.mark.parametrize("key", EVERY)
def test_parity_hides_from_single_variables(key):
    """Under exact parity no single variable depends on the target, so nothing is found."""
    table = {(*bits, sum(bits) % 2): 1 for bits in itertools.product((0, 1), repeat=3)}
    judge = ExactJoint(table, variables=["A", "B", "C", "T"])
    params = {"K": 0} if key == "koller_sahami" else {}
    run = mb.run(key, judge, "T", record=True, **params)
    assert run.boundary == frozenset()
    assert all(s.verdict.independent for s in run.trace.steps if isinstance(s, Asked))
    assert not judge.judge(Query("T", {"A", "B", "C"})).independent


# --------------------------------------------------------------------------------- the machine
@pytest.mark.parametrize("key", EVERY)
@given(seed=st.integers(0, 10**6), ranks=st.booleans(), dependence=st.sampled_from([0.2, 0.4, 0.7]))
def test_recording_changes_nothing_and_every_run_ends(key, seed, ranks, dependence):
    """Under a judge that obeys no axiom the run ends, quiet and recorded alike, in the same set."""
    judge = Arbitrary("TABCDE", seed=seed, ranks=ranks, dependence=dependence)
    quiet, loud = mb.run(key, judge, "T"), mb.run(key, judge, "T", record=True)
    assert (quiet.boundary, quiet.n_asked, quiet.largest_given) == (
        loud.boundary,
        loud.n_asked,
        loud.largest_given,
    )
    assert loud.n_asked == sum(isinstance(s, Asked) for s in loud.trace.steps)
    changes = [s for s in loud.trace.steps if isinstance(s, Asked | Changed | Chose)]
    assert all(s.line is not None for s in changes)


@pytest.mark.parametrize("key", ["inter_iamb", "fast_iamb", "iamb_fdr"])
def test_a_judge_that_leads_in_a_circle_is_noticed(key):
    """Some judge makes additions and removals chase each other; the trace then says so."""
    ends = []
    for seed in range(300):
        run = mb.run(key, Arbitrary("TABCD", seed=seed), "T", record=True)
        ends += [s.text for s in run.trace.steps if isinstance(s, Noted) and "circle" in s.text]
    assert ends
    assert all("was there before" in text for text in ends)


@pytest.mark.parametrize("key", [k for k in RIGHT if k != "iamb_printed"])
def test_start_may_leave_and_whitelist_may_not(key):
    """A needless variable leaves when it is in `start` and stays when it is in `whitelist`."""
    judge = DSeparation([("A", "T"), ("T", "B")], variables=["A", "B", "C", "T"])
    assert mb.run(key, judge, "T", start=["C"]).boundary == {"A", "B"}
    assert mb.run(key, judge, "T", whitelist="C").boundary == {"A", "B", "C"}
    with pytest.raises(AlgorithmError, match="never in its own boundary"):
        mb.run(key, judge, "T", start=["T"])
    with pytest.raises(UnknownName, match="'D'"):
        mb.run(key, judge, "T", whitelist=["D"])


@pytest.mark.parametrize("key", [*EVERY, "tie_star"])
def test_docstring_examples(key):
    """What the docstrings show is what happens."""
    function = get_algorithm(key).function
    finder = doctest.DocTestFinder(recurse=False)
    for case in finder.find(function, key, globs={}):
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(case).failed == 0


@pytest.mark.parametrize(
    ("key", "params", "words"),
    [
        ("iamb", {"by": "size"}, "choose 'strength' or 'p_value'"),
        ("iamb_printed", {"t": -1}, "not negative"),
        ("iamb_ip", {"t": -0.1}, "not negative"),
        ("iamb_ip", {"unit": "bans"}, "choose 'nats' or 'bits'"),
        ("iamb_ip", {"weights": {"A": 2}}, "bound=False"),
        ("iamb_ip", {"weights": {"A": math.nan}}, "finite"),
        ("iamb_ip", {"weights": {"Z": 1}}, "'Z'"),
        ("iamb_ip", {"weights": {"T": 1}}, "target"),
        ("iamb_ip", {"weights": {"A": 1}}, "pass n="),
        ("iamb_ip", {"weights": {"A": 1}, "n": 0}, "at least 1"),
        ("iamb_ip", {"t": "0.1"}, "number"),
        ("iamb_ip", {"weights": {"A": "1"}}, "finite"),
        ("kiamb", {"seed": -1}, "at least 0"),
        ("koller_sahami", {"threshold": "a"}, "nats"),
        ("iamb_ip", {"alpha_d": -1}, "not negative"),
        ("iamb_ip", {"backward": "up"}, "'objective' or 'printed'"),
        ("kiamb", {"K": 1.5}, "from 0 to 1"),
        ("iamb_fdr", {"alpha": 0}, "between 0 and 1"),
        ("iamb_fdr", {"correction": "bonferroni"}, "'bh' or 'by'"),
        ("koller_sahami", {"K": -1}, "at least 0"),
        ("koller_sahami", {"size": 9}, "2 features"),
        ("koller_sahami", {"size": 1, "threshold": 0.1}, "give one of them"),
        ("mixed_mb", {"base": "pc"}, "'iamb' or 'gs'"),
    ],
)
def test_bad_parameters_are_refused(key, params, words):
    """A wrong parameter is refused with the value and the way out."""
    with pytest.raises((AlgorithmError, UnknownName), match=words):
        mb.run(key, DSeparation([("A", "T"), ("T", "B")]), "T", **params)


# -------------------------------------------------------------------------------------- priors
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.005, 0.02, 0.1]))
def test_a_flat_prior_is_iamb_step_for_step(seed, t):
    """Without weights IAMB-IP asks IAMB's questions and makes its changes, on data and exact joints."""
    judge = Threshold(counts(seed), t)
    for weights in (None, {"X1": 0.0}):
        ip = mb.run("iamb_ip", judge, "Y", t=t, weights=weights, record=True)
        assert story(ip) == story(mb.run("iamb", judge, "Y", record=True))


@given(weight_tables(smallest=3), st.sampled_from([0.0, 0.01, 0.05]))
def test_a_flat_prior_is_iamb_on_any_joint(table, t):
    """The same law under the exact oracle of an arbitrary joint."""
    variables, weights = table
    judge = Threshold(ExactJoint(weights, variables=variables), t)
    for T in variables:
        ip, plain = (
            mb.run("iamb_ip", judge, T, t=t, record=True),
            mb.run("iamb", judge, T, record=True),
        )
        assert story(ip) == story(plain)


@pytest.mark.parametrize("seed", range(3))
def test_a_flat_prior_is_iamb_on_sampled_data(seed):
    """The same law under the data judge that IAMB has in the paper, for every target of a network."""
    data = mb.load_network("asia").sample(150, seed=seed)
    for t, unit in ((0.02, "nats"), (0.02, "bits"), (0.1, "nats")):
        judge = MutualInformation(data, t, unit=unit)
        for Y in judge.variables:
            ip = mb.run("iamb_ip", judge, Y, t=t, unit=unit, record=True)
            assert story(ip) == story(mb.run("iamb", judge, Y, record=True))


def objective(judge, chosen, alpha, weights, N):
    """J of Eq. (12) up to a constant, for p(θ) ∝ exp(α wᵀθ): what both steps are meant to decrease."""
    rest = [v for v in judge.variables if v != "Y" and v not in chosen]
    lost = judge.judge(Query("Y", rest, chosen)).strength if rest else 0.0
    return lost - alpha * sum(weights[v] for v in chosen) / N


def test_the_sign_of_equation_14():
    """Removing argmin I + αw/N minimises J in every world; Eq. (14) as printed, I − αw/N, does not."""
    printed_errs = 0
    for seed in range(40):
        judge, coin = counts(seed), random.Random(seed)
        features = [v for v in judge.variables if v != "Y"]
        alpha, N = 3.0, 100
        weights = {v: coin.uniform(-1, 1) for v in features}

        def without(v, features=features):
            return frozenset(features) - {v}

        J = {v: objective(judge, without(v), alpha, weights, N) for v in features}
        info = {v: judge.judge(Query("Y", v, without(v))).strength for v in features}
        best = min(J, key=J.get)
        assert best == min(features, key=lambda v: info[v] + alpha * weights[v] / N)
        printed_errs += best != min(features, key=lambda v: info[v] - alpha * weights[v] / N)
        # and the change of J is exactly that sum
        all_in = objective(judge, frozenset(features), alpha, weights, N)
        for v in features:
            assert J[v] - all_in == pytest.approx(info[v] + alpha * weights[v] / N, abs=1e-12)
    assert printed_errs > 10


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.03, 0.1]))
def test_no_single_step_can_improve_the_objective(seed, t):
    """Where IAMB-IP ends, neither adding nor removing one variable makes J of Eq. (12) smaller."""
    judge, coin, N = counts(seed), random.Random(seed), 50
    features = [v for v in judge.variables if v != "Y"]
    weights = {v: coin.uniform(-1, 1) for v in features}
    M = mb.run("iamb_ip", judge, "Y", t=t, weights=weights, n=N).boundary
    alpha_d = min(math.log(99), t * N)
    whole = {v: alpha_d * weights[v] - t * N for v in features}  # αd·w − αs, as weights with α = 1
    here = objective(judge, M, 1.0, whole, N)
    for v in features:
        if v in M:
            assert objective(judge, M - {v}, 1.0, whole, N) >= here - 1e-9
    # what was removed last may allow a new addition; IAMB does not look again after phase 2
    if not removed(mb.run("iamb_ip", judge, "Y", t=t, weights=weights, n=N, record=True)):
        for v in set(features) - M:
            assert objective(judge, M | {v}, 1.0, whole, N) >= here - 1e-9


def removed(run):
    return [v for s in run.trace.steps if isinstance(s, Changed) for v in s.removed]


@given(st.integers(0, 10**6), st.sampled_from([0.005, 0.02, 0.05]), st.integers(1, 1000))
def test_the_bound_keeps_what_has_evidence_above_2t(seed, t, N):
    """With the bound no variable is passed over or removed whose evidence at that turn is above 2t."""
    judge, coin = counts(seed), random.Random(seed)
    weights = {v: coin.choice([-1, -1, 0, 1]) for v in judge.variables if v != "Y"}
    run = mb.run("iamb_ip", judge, "Y", t=t, weights=weights, n=N, record=True)
    CMB = set()
    for step in run.trace.steps:
        if isinstance(step, Changed):
            for v in step.removed:
                assert judge.judge(Query("Y", v, CMB - {v})).strength <= 2 * t + 1e-12
            CMB = (CMB | set(step.added)) - set(step.removed)
        if step.kind == "entered" and step.name == "backward":
            for v in set(weights) - CMB:
                assert judge.judge(Query("Y", v, CMB)).strength <= 2 * t + 1e-12


@given(st.integers(1, 10**6), st.floats(0.001, 0.5))
def test_belief_alone_lets_nothing_in(N, t):
    """At the bound a variable without any evidence stays out; without the bound belief can suffice."""
    judge = Told(["X", "Y"], {}, t)
    assert mb.run("iamb_ip", judge, "Y", t=t, weights={"X": 1}, alpha_d=1e9, n=N).boundary == frozenset()
    blind = mb.run("iamb_ip", judge, "Y", t=t, weights={"X": 1}, alpha_d=2 * t * N, bound=False, n=N)
    assert blind.boundary == {"X"}


class Toy(Batched):
    """A world like Figure 1 of pocock2012: X5 tells of Y only together with X2, which alone is weak."""

    ranks, variables = True, ("X1", "X2", "X3", "X4", "X5", "Y")

    def judge(self, query):
        (X,) = query.y
        together = 0.05 if query.given & {"X2", "X5"} else 0.0
        strength = {"X1": 0.2, "X2": 0.015 + together, "X3": 0.012, "X4": 0.0, "X5": together}[X]
        return Verdict(strength <= 0.02, strength=strength, n=400)


def test_the_toy_problem_of_the_paper():
    """Up-weighting X2 brings X2 and then X5; down-weighting it at t = 0.01 loses both (section 5)."""
    judge = Toy()

    def found(t, **weights):
        return mb.run("iamb_ip", judge, "Y", t=t, weights=weights, n=400).boundary

    assert found(0.02) == {"X1"}
    assert found(0.02, X1=1) == {"X1"}
    assert found(0.02, X2=1) == {"X1", "X2", "X5"}
    assert found(0.02, X4=1) == {"X1"}
    assert found(0.02, X3=1) == {"X1", "X3"}
    assert found(0.02, X2=-1) == {"X1"}  # the paper's sentence cannot show at its own t: X2 is not in
    assert found(0.01) == {"X1", "X2", "X3", "X5"}
    assert found(0.01, X2=-1) == {"X1", "X3"}


def test_the_push_of_the_prior_is_in_the_trace():
    """Every comparison in which the prior takes part is told in numbers, and where it turned the tables."""
    judge = Told(["X1", "X2", "Y"], {("Y", "X1", ()): 0.015, ("Y", "X2", ()): 0.03}, 0.02)
    run = mb.run("iamb_ip", judge, "Y", t=0.02, weights={"X1": 1, "X2": -1}, record=True)
    notes = [s.text for s in run.trace.steps if isinstance(s, Noted)]
    assert any("X1: evidence 0.015, and the prior pushes by +0.00919" in note for note in notes)
    assert sum("Without the prior it would be the other way" in note for note in notes) >= 2
    capped = mb.run("iamb_ip", judge, "Y", t=0.02, weights={"X1": 1}, n=50, record=True)
    assert any("αd falls from 4.595 to 1" in s.text for s in capped.trace.steps)


@given(st.integers(0, 10**6))
def test_bits_are_nats_times_log_2(seed):
    """Stating t and αd in bits is stating them in nats, times log 2; log 99 is one strength in both."""
    judge = counts(seed)
    weights = {"X1": 1, "X2": -1}
    for given_, same in ((2.0, 2.0 * LOG2), (None, None)):
        bits = mb.run("iamb_ip", judge, "Y", t=0.05, weights=weights, n=200, unit="bits", alpha_d=given_)
        nats = mb.run("iamb_ip", judge, "Y", t=0.05 * LOG2, weights=weights, n=200, alpha_d=same)
        assert bits.boundary == nats.boundary


# ------------------------------------------------------------------------------------ relatives
def test_kiamb_finds_either_copy():
    """Where two variables are copies, some seeds give one boundary and some the other; K = 1 is IAMB."""
    table = {(a, a, t): 3 if a == t else 1 for a in (0, 1) for t in (0, 1)}
    judge = ExactJoint(table, variables=["A", "copy", "T"])
    by_seed = [mb.run("kiamb", judge, "T", K=0.5, seed=seed).boundary for seed in range(20)]
    assert set(by_seed) == {frozenset({"A"}), frozenset({"copy"})}
    assert by_seed == [mb.run("kiamb", judge, "T", K=0.5, seed=seed).boundary for seed in range(20)]
    for seed in range(20):
        assert mb.run("kiamb", judge, "T", K=1, seed=seed).boundary == mb.run("iamb", judge, "T").boundary


@given(
    st.lists(st.floats(0, 1) | st.floats(0, 0.05), min_size=1, max_size=12),
    st.sampled_from([0.01, 0.05, 0.2]),
    st.sampled_from(["bh", "by"]),
)
def test_the_correction_is_the_one_of_scipy(p_values, alpha, correction):
    """The rejected hypotheses are those whose adjusted p-value (scipy) is at most α."""
    verdicts = {f"X{i}": Verdict(p > alpha, p_value=p) for i, p in enumerate(p_values)}
    adjusted = false_discovery_control(p_values, method=correction)
    if all(abs(a - alpha) > 1e-9 for a in adjusted):  # scipy multiplies where we divide
        expected = [X for X, a in zip(verdicts, adjusted, strict=True) if a <= alpha]
        assert rejected(verdicts, alpha, correction) == expected


def test_fast_iamb_stops_where_the_data_do_not_suffice():
    """A candidate whose test would not be reliable does not enter, and the trace says why it ends."""

    class Scarce(Told):
        def judge(self, query):
            verdict = super().judge(query)
            return Verdict(
                verdict.independent, strength=verdict.strength, n=20, reliable=len(query.given) < 2
            )

    strengths = {("Y", v, z): s for v, s in (("A", 0.5), ("B", 0.4), ("C", 0.3)) for z in ((), "A", "B")
                 if v not in z}  # fmt: skip
    judge = Scarce(["C", "B", "A", "Y"], strengths, 0.1)
    run = mb.run("fast_iamb", judge, "Y", by="strength", record=True)
    assert run.boundary == {"A", "B"}
    assert any("do not suffice" in s.text for s in run.trace.steps)
    free = mb.run("fast_iamb", judge, "Y", by="strength", reliability=False, record=True)
    grown = [s.added for s in free.trace.steps if isinstance(s, Changed) and s.added]
    assert grown[:3] == [("A",), ("B",), ("C",)]


def test_fast_iamb_adds_a_whole_round_before_it_shrinks():
    """All dependent candidates of a round enter, most significant first, before any is removed."""
    judge = mb.ExactJoint(mb.load_network("asia"))
    run = mb.run("fast_iamb", judge, "dysp", by="strength", record=True)
    changes = [s for s in run.trace.steps if isinstance(s, Changed)][1:]
    entered = [s.added[0] for s in itertools.takewhile(lambda s: s.added, changes)]
    alone = {v: judge.judge(Query("dysp", v)).strength for v in judge.variables if v != "dysp"}
    assert entered == sorted(alone, key=lambda v: -alone[v])  # all seven depend on dysp
    assert run.boundary == {"bronc", "either"}


@given(st.integers(0, 10**6), st.integers(0, 4), st.integers(0, 4))
def test_koller_sahami_keeps_as_many_as_it_is_told(seed, K, size):
    """With `size` exactly so many features are left; each removal is the one of least information."""
    judge = counts(seed)
    run = mb.run("koller_sahami", judge, "Y", K=K, size=size, record=True)
    assert len(run.boundary) == size
    kept = mb.run("koller_sahami", judge, "Y", K=K, size=4, whitelist=["X1"]).boundary
    assert len(kept) == 4
    assert "X1" in mb.run("koller_sahami", judge, "Y", K=K, size=1, whitelist=["X1"]).boundary


def test_koller_sahami_misses_a_pair_that_matters_together():
    """Two coins and their parity: with K = 0 each coin says nothing, so both go; K = 3 keeps both."""
    judge = ExactJoint(
        {(a, b, a ^ b, c): 1 for a, b, c in itertools.product((0, 1), repeat=3)},
        variables=["A", "B", "T", "C"],
    )
    assert mb.run("koller_sahami", judge, "T", K=0).boundary == frozenset()
    assert mb.run("koller_sahami", judge, "T", K=3).boundary == {"A", "B"}
    assert mb.run("koller_sahami", judge, "T", K=3, threshold=1.0).boundary == frozenset()


@given(st.integers(0, 10**6), st.sampled_from(["iamb", "gs"]))
def test_mixed_mb_is_its_search(seed, base):
    """Under any judge Mixed-MB asks what its base search asks, and answers what it answers."""
    judge = Arbitrary("TABCDE", seed=seed)
    params = {"by": "p_value"} if base == "iamb" else {}
    mixed = mb.run("mixed_mb", judge, "T", base=base)
    plain = mb.run(base, judge, "T", **params)
    assert (mixed.boundary, mixed.n_asked) == (plain.boundary, plain.n_asked)


@pytest.mark.parametrize("key", RIGHT)
def test_enough_data_is_as_good_as_an_oracle(key):
    """With 20,000 rows of asia the family finds what IAMB finds in the exact joint, if links are strong."""
    net = mb.load_network("asia")
    data, exact = net.sample(20_000, seed=1), ExactJoint(net)
    judge = MutualInformation(data, 0.0005) if key == "iamb_ip" else G2(data, 1e-5)
    params = {"iamb_ip": {"t": 0.0005}, "iamb_fdr": {"alpha": 1e-5}}.get(key, {})
    for T in ("smoke", "bronc", "either", "xray", "dysp"):
        assert mb.run(key, judge, T, **params).boundary == mb.run("iamb", exact, T).boundary


@given(st.integers(0, 10**6))
def test_ranking_by_p_value_and_by_strength_are_both_honoured(seed):
    """The first variable that enters is the extreme one of the order that was asked for."""
    judge = Arbitrary("TABCDE", seed=seed, dependence=0.7)
    verdicts = {v: judge.judge(Query("T", v)) for v in "ABCDE"}
    dependent = [v for v in "ABCDE" if not verdicts[v].independent]
    if not dependent:
        return
    for by, key in (("strength", lambda v: verdicts[v].strength), ("p_value", lambda v: -verdicts[v].log_p)):
        run = mb.run("iamb", judge, "T", by=by, record=True)
        entered = next(s.added for s in run.trace.steps if isinstance(s, Changed) and s.added)
        assert entered == (max(dependent, key=key),)
