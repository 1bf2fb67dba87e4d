"""The named problems: every boundary that they claim, by brute force; and the judge of noisy copies."""

import math
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import queries

from mbedu.errors import JudgeError, UnknownName
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.problems import (
    NoisyCopies,
    almost_deterministic_parent,
    almost_deterministic_parents,
    copies,
    corral,
    corral_data,
    deterministic_chain,
    get_problem,
    iamb_ip_toy,
    monk,
    named_problems,
    parity,
    problem_names,
    silent_spouse,
    xor_copies,
)
from mbedu.problems.corral import INPUTS, large
from mbedu.query import Query
from mbedu.running import run
from mbedu.theory import boundaries, check_axioms, is_blanket, is_boundary, relevance

F = Fraction
SMALL = [name for name in problem_names() if name not in ("corral-46", "corral-47")]


# ---------------------------------------------------------------------------------- the claims
@pytest.mark.parametrize("name", SMALL)
def test_known_boundaries_are_all_boundaries(name):
    """The boundaries that a problem claims are exactly those that brute force finds, in the same order."""
    problem = get_problem(name)
    assert problem.boundaries == boundaries(problem.judge, problem.target)


@given(
    k=st.integers(2, 4),
    noise=st.sampled_from([0, F(1, 10), F(1, 2), F(2, 3), 1]),
    distractors=st.integers(0, 2),
    reading=st.sampled_from(["uniform", "biased", "tilted"]),
    bit=st.sampled_from([None, F(1, 2), F(1, 5), F(9, 10)]),
)
def test_parity_claims_its_boundary_for_all_parameters(k, noise, distractors, reading, bit):
    """Whatever the reading, noise and bit, the claimed boundary of parity is the only one."""
    if reading == "uniform":
        bit = None
    problem = parity(k, noise=noise, distractors=distractors, reading=reading, bit=bit)
    assert problem.boundaries == boundaries(problem.judge, "X1")


@pytest.mark.parametrize(
    "problem",
    [
        copies(1), copies(4, noise=0), copies(2, noise=F(1, 2)), xor_copies(1), xor_copies(3, noise=F(1, 7)),
        xor_copies(2, noise=F(1, 2)), deterministic_chain(1), deterministic_chain(5),
        deterministic_chain(2, noise=0),
        almost_deterministic_parent(epsilon=F(1, 1000)), almost_deterministic_parent(epsilon=F(1, 2)),
        almost_deterministic_parent(epsilon=1), almost_deterministic_parents(epsilon=F(1, 10**6)),
        almost_deterministic_parents(epsilon=F(1, 5)), monk(1, noise=F(1, 2)), monk(3, noise=0),
    ],
    ids=lambda p: p.name,
)  # fmt: skip
def test_other_parameters_keep_the_claims(problem):
    """The claimed boundaries are right for other sizes, without noise and with too much of it."""
    assert problem.boundaries == boundaries(problem.judge, problem.target)


def test_every_problem_says_where_it_comes_from_and_what_it_teaches():
    """Each named problem has its own name, a source, a note, and a target among its variables."""
    problems = named_problems()
    assert [p.name for p in problems] == list(problem_names())
    for p in problems:
        assert p.source
        assert p.note
        assert p.target in p.variables
        assert p.boundaries
        assert "boundary" in str(p)


# -------------------------------------------------------------------------------------- parity
def test_parity_with_96_distractors_works_at_once():
    """Near-parity among 100 variables has an exact oracle; GS(3) finds its boundary and GS(2) nothing."""
    problem = parity(4, noise=F(1, 10), distractors=96)
    assert problem.variables == tuple(f"X{i}" for i in range(1, 101))
    assert is_boundary(problem.judge, "X1", problem.boundaries[0])
    assert run("gs_m", problem.judge, target="X1", m=2).boundary == frozenset()
    assert run("gs_m", problem.judge, target="X1", m=3).boundary in problem.boundaries


@pytest.mark.parametrize(("reading", "true"), [("uniform", True), ("biased", False), ("tilted", True)])
def test_independent_given_any_proper_subset_depends_on_the_reading(reading, true):
    """margaritis2009, section 6: "each X_i is independent of X_1 given any proper subset of the others"."""
    judge = parity(4, noise=F(1, 10), reading=reading).judge
    verdicts = [
        judge.judge(Query("X1", v, Z)).independent
        for v in ("X2", "X3", "X4")
        for k in range(2)
        for Z in combinations([u for u in ("X2", "X3", "X4") if u != v], k)
    ]
    assert all(verdicts) is true
    if not true:
        assert not any(verdicts)  # with biased bits every one of these independencies fails


def test_tilted_is_uniform_with_another_noise():
    """Tilting by b is the same distribution as uniform bits with noise 1 − b, then more noise on top."""
    tilted = parity(3, reading="tilted", bit=F(3, 5), noise=F(1, 10)).judge
    even = F(3, 5) * F(9, 10) + F(2, 5) * F(1, 10)
    assert tilted.table() == parity(3, noise=1 - even).judge.table()


def test_distractors_are_seeded():
    """The same seed gives the same distractors, another seed others; the parity block does not change."""
    a, b, c = (parity(3, distractors=5, seed=s).judge for s in (1, 1, 2))
    assert [x.table() for x in a.blocks] == [x.table() for x in b.blocks]
    assert [x.table() for x in a.blocks] != [x.table() for x in c.blocks]
    assert a.blocks[0].table() == c.blocks[0].table()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"k": 1}, "k=1: give a whole number from 2"),
        ({"k": 40}, "k=40: give a whole number from 2 to 16"),
        ({"noise": 0.1}, r"noise=0.1: a float is not exact; give a Fraction, for example Fraction\('0.1'\)"),
        ({"noise": F(3, 2)}, "from 0 to 1"),
        ({"noise": True}, "noise=True"),
        ({"distractors": -1}, "distractors=-1"),
        ({"reading": "bent"}, "choose 'uniform', 'biased', 'tilted'"),
        ({"bit": F(3, 5)}, "choose 'biased' or 'tilted'"),
        ({"bit": 1, "reading": "biased"}, "would be constant"),
    ],
)
def test_bad_parameters_are_refused(bad, message):
    """Each bad parameter gets an error that shows it and the rule."""
    with pytest.raises(JudgeError, match=message):
        parity(**bad)


def test_unknown_problem_gets_suggestions():
    """A misspelt name is refused, with what was probably meant."""
    with pytest.raises(UnknownName, match="did you mean 'parity'"):
        get_problem("partiy")
    with pytest.raises(UnknownName, match="'corral-47'"):
        corral("corral-48")
    with pytest.raises(JudgeError, match="choose 1, 2 or 3"):
        monk(4)


# ---------------------------------------------------------------------------------- structures
def test_silent_spouse_is_silent_until_the_child_is_known():
    """T ⊥ S, but not given C; and the graph T → C ← S says the same of every question."""
    judge = silent_spouse().judge
    assert judge.judge(Query("T", "S")).independent
    assert not judge.judge(Query("T", "S", "C")).independent
    assert not judge.judge(Query("T", "C")).independent
    assert same_answers(judge, DSeparation([("T", "C"), ("S", "C")], variables=judge.variables))


def same_answers(judge, other):
    for roles in product("xyz-", repeat=len(judge.variables)):
        x, y, z = ([v for v, r in zip(judge.variables, roles, strict=True) if r == s] for s in "xyz")
        if x and y and judge.judge(Query(x, y, z)).independent != other.judge(Query(x, y, z)).independent:
            return False
    return True


def test_almost_deterministic_is_faithful_and_deterministic_is_not():
    """demorais2008, section 3.2: almost-deterministic relations keep faithfulness, true ones break it."""
    pair = DSeparation([("X", "T"), ("T", "Y")], variables=["T", "X", "Y"])
    assert same_answers(almost_deterministic_parent().judge, pair)
    assert not same_answers(almost_deterministic_parent(epsilon=0).judge, pair)
    four = DSeparation([("Z", "Y"), ("Y", "T"), ("X", "T")], variables=["T", "Y", "Z", "X"])
    assert same_answers(almost_deterministic_parents().judge, four)
    exact = almost_deterministic_parents(epsilon=0).judge
    assert not same_answers(exact, four)
    for query in (Query("T", "Y", "X"), Query("Y", "T", "Z")):
        assert exact.judge(query).independent  # as the paper says of the sub-graph


def test_iamb_ip_toy_has_the_properties_of_the_prose():
    """pocock2012: X1 leads, X2 lies between the thresholds, X5 needs X2, X3 is screened off, X4 is silent."""
    judge = iamb_ip_toy().judge

    def bits(x, z=()):
        return judge.judge(Query("Y", x, z)).strength / math.log(2)

    assert max(("X1", "X2", "X3", "X4", "X5"), key=bits) == "X1"
    assert bits("X1") > 0.1
    for unit in (1, math.log(2)):  # in bits and in nats alike
        assert 0.01 < unit * bits("X2") < 0.02
        assert 0.01 < unit * bits("X2", {"X1"}) < 0.02
        assert unit * bits("X5", {"X1", "X2"}) > 0.02
    assert judge.judge(Query("Y", "X5", "X1")).independent
    assert 0 < bits("X3") < 0.02
    assert judge.judge(Query("Y", "X3", "X1")).independent
    assert judge.judge(Query("Y", "X4")).independent
    edges = [("X1", "Y"), ("Y", "X2"), ("X5", "X2"), ("X1", "X3")]
    assert same_answers(judge, DSeparation(edges, variables=judge.variables))


def test_chain_boundaries_differ_in_states_not_in_size():
    """Each variable of the deterministic chain is a boundary, with half as many states as the one before."""
    judge = deterministic_chain(3).judge
    assert [len(judge.states(v)) for v in ("X1", "X2", "X3")] == [8, 4, 2]
    assert "Intersection" in check_axioms(judge).failing


# -------------------------------------------------------------------------------------- CorrAL
def test_corral_is_what_the_paper_describes():
    """Y = (A0 ∧ A1) ∨ (B0 ∧ B1), the inputs fair and independent, R right 75 % of the time, I irrelevant."""
    judge = corral().judge
    assert judge.prob({"Y": 1}) == F(7, 16)
    assert judge.prob({"Y": 1}, given={"A0": 1, "A1": 1, "B0": 0}) == 1
    for y in (0, 1):
        assert judge.prob({"R": y}, given={"Y": y}) == F(3, 4)
    kinds = {v: str(k) for v, k in relevance(judge, "Y").items()}
    assert {v: k for v, k in kinds.items() if k == "strong"} == dict.fromkeys(INPUTS, "strong")
    assert kinds["I"] == "irrelevant"
    assert kinds["R"] == "weak redundant"
    strongest = max((*INPUTS, "I", "R"), key=lambda v: judge.judge(Query("Y", v)).strength)
    assert strongest == "R"  # the decoy is the best single predictor


@pytest.mark.parametrize(("which", "features"), [("corral-46", 46), ("corral-47", 47)])
def test_large_corral_has_sixteen_boundaries(which, features):
    """Each of the 16 choices between an input and its exact copy is a boundary; a noisy copy will not do."""
    problem = corral(which)
    assert len(problem.variables) == features + 1
    assert ("R" in problem.variables) == (which == "corral-47")
    assert len(set(problem.boundaries)) == 16
    for S in problem.boundaries:
        assert is_boundary(problem.judge, "Y", S)
    others = set(problem.variables) - {"Y"}
    for v in INPUTS:  # nothing but v and its exact copy knows v
        assert not is_blanket(problem.judge, "Y", others - {v, f"{v}_0"})
        assert is_blanket(problem.judge, "Y", others - {v})


def test_sixteen_boundaries_by_brute_force_on_a_smaller_relative():
    """With one exact and one noisy copy of each input, brute force finds the 16 boundaries and no others."""
    judge = large([F(0), F(1, 16)], decoy=False, irrelevant=0)
    found = boundaries(judge, "Y")
    assert set(found) == {frozenset(c) for c in product(*((v, f"{v}_0") for v in INPUTS))}


@pytest.mark.parametrize("which", ["corral", "corral-46", "corral-47"])
def test_corral_data_has_the_exact_numbers(which):
    """1,024 rows, each combination 64 times, exactly 64·k mismatches in the k-th copy and 256 in R."""
    data = corral_data(which, seed=3)
    assert tuple(data.columns) == corral(which).variables
    assert (data.groupby(list(INPUTS)).size() == 64).all()
    assert (data.Y == (data.A0 & data.A1) | (data.B0 & data.B1)).all()
    if "R" in data:
        assert (data.R != data.Y).sum() == 256
    for v in data.columns:
        stem, _, k = v.partition("_")
        if k:
            assert (data[v] != data[stem]).sum() == (64 * int(k) if stem in INPUTS else 0)
    assert data.equals(corral_data(which, seed=3))
    assert not data.equals(corral_data(which, seed=4))


# -------------------------------------------------------------------------------- noisy copies
@st.composite
def worlds(draw):
    """A NoisyCopies small enough to be written out: a random or a structured base, up to six copies."""
    cells = list(product("pq", (0, 1), (0, 1, 2)))
    kind = draw(st.sampled_from(["random", "function", "product"]))
    if kind == "random":
        weights = draw(st.lists(st.integers(0, 3), min_size=12, max_size=12))
    elif kind == "function":
        weights = [int(t == (a == "q") ^ b) for a, b, t in cells]
    else:
        weights = [(1 + b) * (1 + (t == b)) for _, b, t in cells]
    table = {c: w for c, w in zip(cells, weights, strict=True) if w}
    table |= {("p", 0, 0): 1, ("q", 1, 1): 1}  # both A and B take both values
    base = ExactJoint(table, variables=["A", "B", "T"])
    flips = st.sampled_from([F(1, 4), F(3, 4), F(1, 3), F(1, 16)])
    copies_ = draw(st.lists(st.tuples(st.sampled_from("AB"), flips), min_size=1, max_size=6))
    return NoisyCopies(base, {f"N{i}": c for i, c in enumerate(copies_)})


@given(worlds(), st.data())
def test_noisy_copies_equal_the_written_out_joint(world, data):
    """The reduced question has the answer, and the strength, of the full joint distribution."""
    full = world.joint()
    assert full.variables == world.variables
    for _ in range(12):
        query = data.draw(queries(world.variables))
        ours, theirs = world.judge(query), full.judge(query)
        assert ours.independent == theirs.independent
        assert math.isclose(ours.strength, theirs.strength, abs_tol=1e-11)


def test_noisy_copies_sample_what_they_say():
    """A sample has the states of the base and about the promised share of mismatches; the seed fixes it."""
    base = ExactJoint({("no",): 1, ("yes",): 2}, variables=["A"])
    world = NoisyCopies(base, {"N": ("A", F(1, 8))}, variables=["N", "A"])
    data = world.sample(20_000, seed=0)
    assert list(data.columns) == ["N", "A"]
    assert list(data.N.cat.categories) == ["no", "yes"]
    assert abs((data.N.astype(str) != data.A.astype(str)).mean() - 1 / 8) < 4 * math.sqrt(7 / 64 / 20_000)
    assert data.equals(world.sample(20_000, seed=0))


def test_strength_is_withheld_where_it_would_cost_too_much():
    """Independence is exact at any size; a strength that cannot be summed is None, and the reason says so."""
    verdict = corral("corral-47").judge.judge(Query("Y", [f"{v}_{k}" for v in INPUTS for k in range(7)]))
    assert not verdict.independent
    assert verdict.strength is None
    assert "no strength" in verdict.reason


@pytest.mark.parametrize(
    ("copies_", "message"),
    [
        ({"N": ("A", F(1, 2))}, "not 1/2"),
        ({"N": ("A", 0)}, "strictly between 0 and 1"),
        ({"N": ("A", 0.25)}, "not exact"),
        ({"A": ("A", F(1, 4))}, "give the copy another name"),
        ({"N": ("T", F(1, 4))}, "'T' has 3 states"),
        ({"N": ("Q", F(1, 4))}, "unknown variable 'Q'"),
    ],
)
def test_bad_noisy_copies_are_refused(copies_, message):
    """A copy that the argument does not cover is refused, with what to do instead."""
    base = ExactJoint({(a, t): 1 for a in (0, 1) for t in (0, 1, 2)}, variables=["A", "T"])
    with pytest.raises(ValueError, match=message):
        NoisyCopies(base, copies_)
