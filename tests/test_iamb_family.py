"""IAMB and its relatives: right where they claim to be, and what their priors and guards do."""

import doctest
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iamb_worlds import Told, counts
from judges import Arbitrary
from scipy.stats import false_discovery_control
from strategies import networks

import mbedu as mb
from mbedu.algorithms.iamb_fdr import rejected
from mbedu.citests import G2, MutualInformation
from mbedu.errors import AlgorithmError, UnknownName
from mbedu.judge import Verdict
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.query import Query
from mbedu.registry import get_algorithm
from mbedu.steps import Asked, Changed, Chose, Noted

RIGHT = ("iamb", "inter_iamb", "fast_iamb", "kiamb", "iamb_fdr", "iamb_ip", "mixed_mb")
EVERY = (*RIGHT, "iamb_printed", "koller_sahami")


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
