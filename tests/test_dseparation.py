"""d-separation against two other implementations, against distributions, and against its own definition."""

import itertools
import json
import random
import warnings

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import (
    batches,
    check_batch_law,
    check_evidence,
    check_semigraphoid,
    dags,
    exact_judges,
    networks,
    queries,
    random_query,
)

from mbedu.errors import JudgeError, QueryError, UnknownName
from mbedu.judge import Judge
from mbedu.networks import load_network
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.query import Query
from mbedu.varset import Subsets

SHIPPED = [
    "asia",
    "sachs",
    "child",
    "insurance",
    "alarm",
    "hailfinder",
    "win95pts",
    "hepar2",
    "andes",
    "pigs",
]


# ----------------------------------------------------------------------- other implementations
def random_graph(rng, n):
    """A networkx DAG of `n` nodes with between 0 and 2.5 edges a node, names in no causal order."""
    names = [f"v{i}" for i in rng.sample(range(n), n)]
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(names))
    density = rng.uniform(0, 5 / max(n - 1, 1))
    graph.add_edges_from(pair for pair in itertools.combinations(names, 2) if rng.random() < density)
    return graph


def pgmpy_dag(graph):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.base import DAG

    dag = DAG()
    dag.add_nodes_from(graph.nodes)
    dag.add_edges_from(graph.edges)
    return dag


def against_networkx(rng, graph, oracle, rounds):
    wrong = []
    for _ in range(rounds):
        q = random_query(rng, oracle.variables)
        theirs = nx.is_d_separator(graph, set(q.x), set(q.y), set(q.given))
        batch = oracle.judge_many(q.x, [q.y], q.given)[0].independent
        if not theirs == oracle.judge(q).independent == batch:
            wrong.append((list(graph.edges), q))
    return wrong


def against_pgmpy(rng, dag, oracle, rounds):
    """One active-trail pass of pgmpy gives all y of one (x, given): each is a query of ours."""
    wrong, asked = [], 0
    while asked < rounds:
        x, *z = rng.sample(oracle.variables, rng.randint(1, min(6, len(oracle.variables) - 1)))
        ys = [v for v in oracle.variables if v != x and v not in z]
        reached = dag.active_trail_nodes(x, observed=z)[x]
        for y in ys:
            asked += 1
            if oracle.judge(Query(x, y, z)).independent != (y not in reached):
                wrong.append((list(dag.edges), x, y, z))
        y = rng.choice(ys)
        if dag.is_dconnected(x, y, observed=z) == oracle.judge(Query(x, y, z)).independent:
            wrong.append((list(dag.edges), x, y, z))
    return wrong, asked


def count_disagreements(*, queries, seed):
    """Ask `queries` random questions in all, half of networkx and half of pgmpy; return (asked, wrong).

    A third is about the shipped networks, the rest about random DAGs of 2 to 12 nodes.
    """
    rng = random.Random(seed)
    share = queries // 3
    asked, wrong = 0, []

    def put(graph, rounds):
        nonlocal asked
        oracle = DSeparation(graph)
        half = (rounds + 1) // 2
        wrong.extend(against_networkx(rng, graph, oracle, half))
        found, count = against_pgmpy(rng, pgmpy_dag(graph), oracle, half)
        wrong.extend(found)
        asked += half + count

    for name in SHIPPED:
        put(load_network(name).dag, share // len(SHIPPED))
    while asked < queries:
        put(random_graph(rng, rng.randint(2, 12)), 60)
    return asked, wrong


def test_agrees_with_networkx_and_pgmpy():
    """On 20,000 random queries networkx, pgmpy and DSeparation never disagree."""
    asked, wrong = count_disagreements(queries=20_000, seed=1)
    assert asked >= 20_000
    assert wrong == []


@pytest.mark.slow
def test_agrees_with_networkx_and_pgmpy_at_length():
    """On 150,000 random queries networkx, pgmpy and DSeparation never disagree."""
    asked, wrong = count_disagreements(queries=150_000, seed=2)
    assert asked >= 150_000
    assert wrong == []


# ------------------------------------------------------------------------------ distributions
@given(networks(), st.data())
def test_what_the_graph_promises_the_distribution_keeps(network, data):
    """Wherever d-separation says independent, the exact joint of a network over that graph agrees."""
    graph, joint = DSeparation(network), ExactJoint(network)
    for _ in range(10):
        query = data.draw(queries(network.variables))
        assert not graph.judge(query).independent or joint.judge(query).independent


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey"])
def test_shipped_networks_keep_what_their_graph_promises(name):
    """On shipped networks every d-separation is an independence of the exact joint."""
    network = load_network(name)
    graph, joint = DSeparation(network), ExactJoint(network)
    rng = random.Random(0)
    held = 0
    for _ in range(3000):
        query = random_query(rng, network.variables)
        if graph.judge(query).independent:
            held += 1
            assert joint.judge(query).independent, query
    assert held > 100


# ------------------------------------------------------------------------------ laws
@settings(max_examples=600)  # six kinds of oracle
@given(exact_judges(), st.data())
def test_batch_is_one_by_one(judge, data):
    """judge_many, first_dependent, strongest and leave_one_out equal judging one by one, for every oracle."""
    check_batch_law(judge, *data.draw(batches(judge.variables)))


@settings(max_examples=300)
@given(exact_judges(), st.data())
def test_no_p_value(judge, data):
    """An oracle has no p-value, and its strength is zero exactly when independent, either way round."""
    check_evidence(judge, data.draw(queries(judge.variables)))
    assert isinstance(judge, Judge)


@settings(max_examples=300)
@given(exact_judges(), st.randoms(use_true_random=False))
def test_semigraphoid(judge, rng):
    """Symmetry, Decomposition, Weak Union and Contraction hold for every oracle, singular ones included."""
    check_semigraphoid(judge, rng)


@settings(max_examples=400)
@given(dags(), st.data())
def test_first_dependent_over_subsets(dag, data):
    """The shortcut over lazy subsets finds what a scan of the listed subsets finds."""
    oracle = DSeparation(dag[1], variables=dag[0])
    query = data.draw(queries(oracle.variables))
    items = [v for v in oracle.variables if v not in query.x and v not in query.given]
    lazy = Subsets(items, data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3)))
    fast = oracle.first_dependent(query.x, lazy, query.given)
    slow = oracle.first_dependent(query.x, list(lazy), query.given)
    assert fast == slow


@given(dags(), st.data())
def test_order_of_variables_changes_no_answer(dag, data):
    """The order of the variables breaks ties; it does not change a verdict."""
    variables, edges = dag
    query = data.draw(queries(variables))
    other = DSeparation(edges, variables=data.draw(st.permutations(variables)))
    assert other.judge(query) == DSeparation(edges, variables=variables).judge(query)


@given(dags(smallest=3))
def test_boundary_shields(dag):
    """Parents, children and spouses shield the target from the rest, and none of them can be left out."""
    oracle = DSeparation(dag[1], variables=dag[0])
    for target in oracle.variables:
        boundary = oracle.boundary(target)
        rest = set(oracle.variables) - boundary - {target}
        assert not rest or oracle.judge(Query(target, rest, boundary)).independent
        for v in boundary:
            assert not oracle.judge(Query(target, v, boundary - {v})).independent


@given(dags(), st.data())
def test_leave_one_out_leaves_it_out(dag, data):
    """Each member of the given set is judged given the others, and a stranger given them all."""
    oracle = DSeparation(dag[1], variables=dag[0])
    query = data.draw(queries(oracle.variables))
    everyone = [v for v in oracle.variables if v not in query.x]
    expected = [oracle.judge(Query(query.x, v, query.given - {v})) for v in everyone]
    assert oracle.leave_one_out(query.x, everyone, query.given) == expected


# ------------------------------------------------------------------------------ explanations
def is_active(edges, path, given):
    """The definition: colliders are in given or above it, other inner nodes are not in it."""
    graph = nx.DiGraph(edges)
    for a, v, b in zip(path, path[1:], path[2:], strict=False):
        if (a, v) in graph.edges and (b, v) in graph.edges:
            if not (nx.descendants(graph, v) | {v}) & set(given):
                return False
        elif v in given:
            return False
    return True


def all_paths(edges, x, y):
    skeleton = nx.Graph(edges)
    return [
        path
        for a in sorted(x)
        for b in sorted(y)
        if a in skeleton and b in skeleton
        for path in nx.all_simple_paths(skeleton, a, b)
        if not set(path[1:-1]) & (x | y)
    ]


@settings(max_examples=200)
@given(dags(largest=6), st.data())
def test_explanations_are_true(dag, data):
    """When dependent a shortest active path is shown; when independent all paths, each with its block."""
    oracle = DSeparation(dag[1], variables=dag[0])
    query = data.draw(queries(oracle.variables))
    told = oracle.explain(query, most=10_000)
    paths = all_paths(oracle.edges, query.x, query.y)
    active = [p for p in paths if is_active(oracle.edges, p, query.given)]
    assert told["independent"] == (not active) == oracle.judge(query).independent
    json.dumps(told)
    if active:
        assert told["path"] in active
        assert len(told["path"]) == min(map(len, active))
        assert len(told["steps"]) == len(told["path"]) - 2
    else:
        assert told["complete"]
        assert sorted(b["path"] for b in told["blocked"]) == sorted(paths)
        for blocked in told["blocked"]:
            assert_blocks(oracle, query, blocked)


def assert_blocks(oracle, query, blocked):
    path, i = blocked["path"], blocked["path"].index(blocked["node"])
    into = [(path[i - 1], path[i]) in oracle.edges, (path[i + 1], path[i]) in oracle.edges]
    if all(into):
        assert blocked["how"] == "collider with no descendant in the given set"
    else:
        assert blocked["how"] == ("chain" if any(into) else "fork") + " node in the given set"
        assert blocked["node"] in query.given


def test_explanation_is_capped_and_says_so():
    """Of many blocked paths the first few are listed, and the explanation says that there are more."""
    edges = [("X", f"m{i}") for i in range(20)] + [(f"m{i}", "Y") for i in range(20)]
    oracle = DSeparation(edges)
    told = oracle.explain(Query("X", "Y", [f"m{i}" for i in range(20)]), most=3)
    assert len(told["blocked"]) == 3
    assert not told["complete"]
    assert "the first 3" in told["text"]


def test_explains_an_open_collider():
    """A collider opened by its descendant is named with that descendant."""
    told = DSeparation([("A", "C"), ("B", "C"), ("C", "D")]).explain(Query("A", "B", "D"))
    assert told["written"] == "A → C ← B"
    assert told["steps"] == [
        {"node": "C", "role": "collider", "how": "collider with the descendant D in the given set"}
    ]


def test_explains_a_disconnected_pair():
    """Where nothing connects the two sides, the explanation says so."""
    told = DSeparation([], variables=["A", "B"]).explain(Query("A", "B"))
    assert told["blocked"] == []
    assert "no path" in told["text"]


def test_explain_gives_up_on_a_dense_graph():
    """A dense graph has more paths than can be listed: the explanation ends, and says it is not complete."""
    names = [f"v{i:02}" for i in range(40)]
    edges = list(itertools.combinations(names, 2))
    edges.remove((names[0], names[1]))
    told = DSeparation(edges, variables=names).explain(Query(names[0], names[1]))
    assert told["independent"]
    assert not told["complete"]


# ------------------------------------------------------------------------------ construction
def test_sources_agree():
    """Edges, networkx, pgmpy and a Network give the same oracle."""
    network = load_network("asia")
    graph = nx.DiGraph(network.edges)
    sources = [list(network.edges), graph, pgmpy_dag(graph), network, network.to_pgmpy()]
    oracles = [DSeparation(s, variables=network.variables) for s in sources]
    rng = random.Random(3)
    for _ in range(300):
        q = random_query(rng, network.variables)
        assert len({o.judge(q).independent for o in oracles}) == 1
    assert DSeparation(network).variables == network.variables
    assert DSeparation(network).boundary("either") == network.boundary("either")


def test_isolated_nodes_come_through_variables():
    """A list of edges gets its isolated nodes, and its order, from `variables`."""
    oracle = DSeparation([("B", "A")], variables=["Z", "A", "B"])
    assert oracle.variables == ("Z", "A", "B")
    assert oracle.judge(Query("Z", {"A", "B"})).independent
    assert oracle.parents("A") == ("B",)
    assert oracle.children("B") == ("A",)
    assert oracle.describe() == {"kind": "DSeparation", "variables": ["Z", "A", "B"], "edges": [["B", "A"]]}


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        ([("A", "B"), ("B", "C"), ("C", "A"), ("D", "A")], {}, "cycle: A → B → C → A"),
        ([("A", "A")], {}, "'A' → 'A' is a self-loop"),
        ([("A", "B"), ("A", "B")], {}, "'A' → 'B' is listed twice"),
        ([("A", "B")], {"variables": ["A"]}, "unknown node 'B'"),
        ([("A", "B")], {"variables": ["A", "B", "A"]}, "'A' is listed twice"),
        ([("A", "B")], {"variables": "AB"}, "'AB' is one string"),
        ([("A", 2)], {}, r"2 \(int\) is not a variable name"),
        ([("A", "B", "C")], {}, r"\('A', 'B', 'C'\) is not an edge"),
        (["AB"], {}, "'AB' is not an edge"),
        ("A->B", {}, "'A->B' is not a graph"),
        (7, {}, "7 is not a graph"),
        ({"A": ["B"]}, {}, "is not a graph"),
        (nx.Graph([("A", "B")]), {}, "undirected"),
        (nx.MultiDiGraph([("A", "B"), ("A", "B")]), {}, "is not an edge|listed twice"),
        (nx.DiGraph([(1, 2)]), {}, r"1 \(int\) is not a variable name"),
    ],
)
def test_bad_graphs_are_refused(graph, options, message):
    """A cycle, a loop, a repeated edge, an unknown node or a wrong name is refused and named."""
    with pytest.raises((JudgeError, UnknownName), match=message):
        DSeparation(graph, **options)


@given(dags(smallest=3), st.data())
def test_cycles_are_found_and_named(dag, data):
    """An edge against the order of a path makes a cycle, and the message walks along existing edges."""
    variables, edges = dag
    graph = nx.DiGraph(edges)
    ancestors = [(a, b) for a in graph for b in nx.descendants(graph, a)]
    if not ancestors:
        return
    top, bottom = data.draw(st.sampled_from(sorted(ancestors)))
    closed = [*edges, (bottom, top)]
    with pytest.raises(JudgeError) as caught:
        DSeparation(closed, variables=variables)
    walk = str(caught.value).split("cycle: ")[1].split(";")[0].split(" → ")
    assert walk[0] == walk[-1]
    assert all(pair in closed for pair in itertools.pairwise(walk))


@pytest.mark.parametrize("verb", ["judge_many", "first_dependent", "leave_one_out"])
@pytest.mark.parametrize(
    ("x", "ys", "z", "error", "message"),
    [
        ("A", ["Bee"], (), UnknownName, "unknown variable 'Bee'"),
        ("Q", ["B"], (), UnknownName, "unknown variable 'Q'"),
        ("A", ["B"], ["Q"], UnknownName, "unknown variable 'Q'"),
        ("A", ["A"], (), QueryError, "stands on two sides"),
        ("A", ["B"], ["A"], QueryError, "stands on two sides"),
        ((), ["B"], (), QueryError, "x is empty"),
        ("A", [()], (), QueryError, "y is empty"),
        ("A", [3], (), QueryError, "3"),
    ],
)
def test_bulk_verbs_refuse_what_a_query_refuses(*, verb, x, ys, z, error, message):
    """A bad candidate gets the same error from the bulk verbs as from a single query."""
    if verb == "leave_one_out" and ys == [()]:
        return  # its candidates are names
    with pytest.raises(error, match=message):
        getattr(DSeparation([("A", "B"), ("B", "C")]), verb)(x, ys, z)


def test_unknown_variables_get_suggestions():
    """A misspelt variable is named, with what may have been meant."""
    oracle = DSeparation(load_network("asia"))
    with pytest.raises(UnknownName, match=r"'smok'; did you mean 'smoke'"):
        oracle.judge(Query("smok", "lung"))
    with pytest.raises(UnknownName, match="'smok'"):
        oracle.boundary("smok")
