"""Random worlds for the tests, small enough to shrink; and the laws that every exact judge obeys."""

from __future__ import annotations

import itertools
from fractions import Fraction

from hypothesis import strategies as st

from mbedu.judge import strongest_of, weakest_of
from mbedu.networks import Network
from mbedu.oracles import DSeparation, ExactGaussian, ExactJoint
from mbedu.query import Query

NAMES = ("A", "B", "C", "D", "E", "F", "G", "H")


# ------------------------------------------------------------------------------------ worlds
@st.composite
def dags(draw, *, smallest=2, largest=6):
    """(variables, edges): an acyclic graph whose variable order is not its topological order."""
    n = draw(st.integers(smallest, largest))
    causal = draw(st.permutations(NAMES[:n]))
    pairs = list(itertools.combinations(causal, 2))
    chosen = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return NAMES[:n], [pair for pair, there in zip(pairs, chosen, strict=True) if there]


@st.composite
def networks(draw, *, smallest=2, largest=5):
    """A Network over a random DAG with integer weights, small or huge, and zeros (so deterministic rows)."""
    variables, edges = draw(dags(smallest=smallest, largest=largest))
    cards = {v: draw(st.integers(2, 3)) for v in variables}
    parents = {v: [p for p, child in edges if child == v] for v in variables}
    # the second kind has products beyond int64, without a common factor that would bring them back
    weights = draw(st.sampled_from([st.integers(0, 4), st.sampled_from([0, 1, 10**9, 10**9 + 7])]))
    row = {v: st.lists(weights, min_size=cards[v], max_size=cards[v]).filter(any) for v in variables}

    def nested(v, left):
        if not left:
            return draw(row[v])
        return [nested(v, left[1:]) for _ in range(cards[left[0]])]

    cpts = {v: nested(v, parents[v]) for v in variables}
    states = {v: [f"s{k}" for k in range(cards[v])] for v in variables}
    return Network("random", states, parents=parents, cpts=cpts)


@st.composite
def weight_tables(draw, *, smallest=2, largest=4, weights=None):
    """(variables, {cell: weight}): a joint of any kind, with many zeros and sometimes huge weights."""
    n = draw(st.integers(smallest, largest))
    cards = [draw(st.integers(1, 3 if n < 4 else 2)) for _ in range(n)]
    cells = list(itertools.product(*map(range, cards)))
    sizes = weights if weights is not None else draw(
        st.sampled_from(
            [
                st.integers(0, 1),
                st.integers(0, 4),
                st.sampled_from([0, 1, 2**32, 2**64, 10**30]),
                st.fractions(0, 2, max_denominator=4),
            ]
        )
    )  # fmt: skip
    drawn = draw(st.lists(sizes, min_size=len(cells), max_size=len(cells)).filter(any))
    return NAMES[:n], dict(zip(cells, drawn, strict=True))


@st.composite
def structured_tables(draw):
    """(variables, {cell: weight}) with independencies in it: a function of a few fair coins each."""
    coins = draw(st.integers(1, 3))
    n = draw(st.integers(2, 5))
    masks = [draw(st.integers(0, 2**coins - 1)) for _ in range(n)]
    table: dict[tuple[int, ...], int] = {}
    for toss in range(2**coins):  # each variable is the parity of some of the coins
        cell = tuple((toss & mask).bit_count() % 2 for mask in masks)
        table[cell] = table.get(cell, 0) + 1
    return NAMES[:n], table


@st.composite
def covariances(draw, *, smallest=2, largest=5):
    """(variables, rows): a rational positive semidefinite matrix F·Fᵀ, often singular, often with zeros."""
    n = draw(st.integers(smallest, largest))
    k = draw(st.integers(1, n))
    entries = st.sampled_from([*map(Fraction, (0, 0, 0, 1, 1, -1, 2)), Fraction(1, 2), Fraction(-2, 3)])
    factor = [draw(st.lists(entries, min_size=k, max_size=k)) for _ in range(n)]
    rows = [[sum((a * b for a, b in zip(r, s, strict=True)), Fraction(0)) for s in factor] for r in factor]
    return NAMES[:n], rows


@st.composite
def equations(draw, *, largest=6):
    """(variables, edges, coefficients, noise): linear structural equations over a random DAG, noise ≥ 0."""
    variables, edges = draw(dags(largest=largest))
    nonzero = st.sampled_from([Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 3)])
    lines: dict[str, dict[str, Fraction]] = {v: {} for v in variables}
    for parent, child in edges:
        lines[child][parent] = draw(nonzero)
    noise = {v: draw(st.sampled_from([0, 1, 1, Fraction(1, 2), 3])) for v in variables}
    return variables, edges, lines, noise


def exact_judges():
    """Any of the oracles that must be semigraphoids, over two to five variables."""
    return st.one_of(
        dags(largest=5).map(lambda g: DSeparation(g[1], variables=g[0])),
        networks(largest=4).map(ExactJoint),
        weight_tables().map(lambda t: ExactJoint(t[1], variables=t[0])),
        structured_tables().map(lambda t: ExactJoint(t[1], variables=t[0])),
        covariances().map(lambda c: ExactGaussian(c[1], variables=c[0])),
        equations(largest=5).map(lambda e: ExactGaussian.from_equations(e[2], noise=e[3], variables=e[0])),
    )


# ----------------------------------------------------------------------------------- queries
@st.composite
def queries(draw, variables):
    """A set-valued query over `variables`, which are at least two."""
    order = draw(st.permutations(variables))
    cut = draw(st.integers(2, len(order)))
    sides = [0, 1, *draw(st.lists(st.integers(0, 2), min_size=cut - 2, max_size=cut - 2))]
    parts = [[v for v, s in zip(order, sides, strict=False) if s == k] for k in range(3)]
    return Query(*parts)


@st.composite
def batches(draw, variables):
    """(x, ys, given) for the bulk verbs: candidates are single names and sets, disjoint from the rest."""
    query = draw(queries(variables))
    rest = [v for v in variables if v not in query.x and v not in query.given]
    sets = st.lists(st.sampled_from(rest), min_size=1, unique=True).map(frozenset)
    ys = draw(st.lists(st.one_of(st.sampled_from(rest), sets), max_size=6))
    return query.x, ys, query.given


def random_query(random, variables, *, most_given=5):
    """A set-valued query drawn with a `random.Random`, for sweeps too large for hypothesis."""
    k = random.randint(1, min(3, len(variables) - 1))
    m = random.randint(1, min(3, len(variables) - k))
    z = random.randint(0, min(most_given, len(variables) - k - m))
    drawn = random.sample(variables, k + m + z)
    return Query(drawn[:k], drawn[k : k + m], drawn[k + m :])


def all_queries(variables):
    """Every set-valued query over `variables`, each once."""
    for sides in itertools.product(range(4), repeat=len(variables)):
        parts = [[v for v, s in zip(variables, sides, strict=True) if s == k] for k in range(3)]
        if parts[0] and parts[1] and parts[0] < parts[1]:
            yield Query(*parts)


# -------------------------------------------------------------------------------------- laws
def check_batch_law(judge, x, ys, given):
    """The bulk verbs equal judging one by one."""
    singly = [judge.judge(Query(x, y, given)) for y in ys]
    assert judge.judge_many(x, ys, given) == singly
    first = judge.first_dependent(x, ys, given)
    expected = next((i for i, v in enumerate(singly) if not v.independent), None)
    assert (None if first is None else first.position) == expected
    assert first is None or first.verdict == singly[first.position]
    assert judge.strongest(x, ys, given) == strongest_of(singly)
    each = [y for y in judge.variables if y not in x]
    loo = judge.leave_one_out(x, each, given)
    assert loo == [judge.judge(Query(x, y, frozenset(given) - {y})) for y in each]
    assert judge.weakest(x, each, given) == weakest_of(loo)


def check_evidence(judge, query):
    """An exact judge has no p-value; strength is zero if and only if independent, and never NaN."""
    verdict = judge.judge(query)
    assert verdict.p_value is None
    assert verdict.log_p is None
    if judge.ranks:
        assert (verdict.strength == 0) == verdict.independent
        assert verdict.strength >= 0
    else:
        assert verdict.strength is None
    swapped = judge.judge(query.swapped())
    assert swapped.independent == verdict.independent
    assert swapped.strength == verdict.strength


def check_semigraphoid(judge, random, *, rounds=60):
    """Symmetry, Decomposition, Weak Union and Contraction, on random disjoint X, Y, W, Z."""

    def holds(x, y, z):
        return judge.judge(Query(x, y, z)).independent

    for _ in range(rounds):
        order = random.sample(judge.variables, len(judge.variables))
        if len(order) < 3:
            return
        sides = [0, 1, 2, *(random.randint(0, 4) for _ in order[3:])]
        X, Y, W, Z = (frozenset(v for v, s in zip(order, sides, strict=True) if s == k) for k in range(4))
        joint = holds(X, Y | W, Z)
        assert joint == holds(Y | W, X, Z)
        if joint:
            assert holds(X, Y, Z), "Decomposition"
            assert holds(X, W, Z), "Decomposition"
            assert holds(X, Y, Z | W), "Weak Union"
            assert holds(X, W, Z | Y), "Weak Union"
        assert joint or not (holds(X, Y, Z) and holds(X, W, Z | Y)), "Contraction"
