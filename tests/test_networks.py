"""Known networks: exact tables, the shipped files, sampling, pgmpy and files."""

from __future__ import annotations

import copy
import gzip
import importlib.util
import json
import pickle
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mbedu.errors import UnknownName
from mbedu.networks import Network, NetworkError, data_path, load_network, network_names, read_network
from mbedu.networks.sampling import CHUNK, codes

ROOT = Path(__file__).resolve().parents[1]
NAMES = network_names()
DEMANDED = {
    "asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "alarm", "hailfinder", "barley",
    "mildew", "water", "win95pts", "hepar2", "andes", "pigs",
}  # fmt: skip
TWO = ["no", "yes"]


@st.composite
def networks(draw, max_variables=5):
    """Small networks with rational tables, in which parents may be declared after their children."""
    size = draw(st.integers(1, max_variables))
    order = draw(st.permutations([f"V{i}" for i in range(size)]))
    states = {f"V{i}": [f"s{k}" for k in range(draw(st.integers(1, 4)))] for i in range(size)}
    parents = {v: draw(st.lists(st.sampled_from(order[:i]), unique=True, max_size=3)) if i else []
               for i, v in enumerate(order)}  # fmt: skip
    cpts = {v: draw(nested([len(states[p]) for p in parents[v]], len(states[v]))) for v in states}
    return Network("random", states, parents=parents, cpts=cpts)


def nested(sizes, width):
    row = st.lists(st.integers(0, 6), min_size=width, max_size=width).filter(any)
    for size in reversed(sizes):
        row = st.lists(row, min_size=size, max_size=size)
    return row


def two(**changes):
    """Build A → B with one part replaced."""
    parts = {
        "states": {"A": TWO, "B": TWO},
        "parents": {"B": ["A"]},
        "cpts": {"A": ["0.5", "0.5"], "B": [["0.9", "0.1"], [0, 1]]},
    } | changes
    return Network("two", parts.pop("states"), **parts)


# ---- the shipped files ----


def script():
    spec = importlib.util.spec_from_file_location("compile_networks", ROOT / "scripts/compile_networks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bif(name):
    """The BIF file inside pgmpy, whose newer versions may no longer carry it."""
    spec = importlib.util.find_spec("pgmpy")
    path = Path(spec.origin).parent / "utils/example_models" / f"{name}.bif.gz"
    if not path.exists():
        pytest.skip(f"this pgmpy does not carry {path.name}")
    return path


def test_every_demanded_network_is_shipped():
    """The classics are all there, in one folder of less than a megabyte, with their provenance."""
    assert set(NAMES) >= DEMANDED
    files = sorted((data_path() / "networks").glob("*.json.gz"))
    assert sum(file.stat().st_size for file in files) < 1_000_000
    readme = (data_path() / "README.md").read_text("utf-8")
    for file in files:
        origin = json.loads(gzip.decompress(file.read_bytes()))["source"]
        assert origin["sha256"] in readme
        assert origin["package"].startswith("pgmpy ")


@pytest.mark.parametrize("name", NAMES)
def test_files_are_what_the_script_compiles(name):
    """Compiling pgmpy's BIF file gives the shipped content, twice with the same bytes."""
    module, raw = script(), bif(name).read_bytes()
    shipped = json.loads(gzip.decompress((data_path() / f"networks/{name}.json.gz").read_bytes()))
    content = module.compiled(name, raw, shipped["source"]["package"])
    assert content == shipped
    assert module.packed(content) == module.packed(module.compiled(name, raw, shipped["source"]["package"]))


@pytest.mark.parametrize("name", NAMES)
def test_shipped_tables_are_sound(name):
    """A shipped file, which is loaded unchecked, would pass every check: shapes, signs, sums, no cycle."""
    net = load_network(name)
    assert nx.is_directed_acyclic_graph(net.dag)
    assert sorted(net.topological) == sorted(net.variables)
    for v in net.variables:
        weights = net.table(v).weights()
        assert weights.shape == (
            np.prod([len(net.states(p)) for p in net.parents(v)], dtype=int),
            len(net.states(v)),
        )
        assert weights.min() >= 0
        assert weights.sum(axis=1).min() > 0
        assert weights.dtype == np.int64
        assert weights.sum(axis=1).max() < 2**53
        assert np.allclose(net.table(v).probabilities().sum(axis=1), 1, rtol=0, atol=1e-15 * weights.shape[1])


@pytest.mark.parametrize("name", NAMES)
def test_pgmpy_reads_the_same_network(name):
    """The BIF file as pgmpy reads it has the same order, structure, states and numbers."""
    from pgmpy.readwrite import BIFReader

    net = load_network(name)
    model = BIFReader(string=gzip.decompress(bif(name).read_bytes()).decode("utf-8")).get_model()
    assert tuple(model.nodes) == net.variables
    assert set(model.edges) == set(net.edges)
    raw = json.loads(gzip.decompress((data_path() / f"networks/{name}.json.gz").read_bytes()))
    for entry in raw["variables"]:
        v, cpd = entry["name"], model.get_cpds(entry["name"])
        assert tuple(cpd.variables[1:]) == net.parents(v)
        for u in (v, *net.parents(v)):
            assert tuple(cpd.state_names[u]) == net.states(u)
        printed = cpd.get_values().T  # a row a configuration, the last parent fastest
        assert np.array_equal(net.table(v).weights() / 10 ** entry["decimals"], printed)
        normalised = printed / printed.sum(axis=1, keepdims=True)
        assert np.abs(net.table(v).probabilities() - normalised).max() < 1e-12


PRINTED = [("alarm", "4"), ("barley", "5.25"), ("hailfinder", "4.3"), ("insurance", "5.52")]


@pytest.mark.parametrize(("name", "printed"), PRINTED)
def test_average_boundary_size_of_the_iamb_ip_paper(name, printed):
    """The paper's average boundary sizes are those over the targets with at least two members."""
    net = load_network(name)
    sizes = [size for v in net.variables if (size := len(net.boundary(v))) >= 2]
    digits = len(printed.partition(".")[2])
    assert round(sum(sizes) / len(sizes), digits) == float(printed)


def test_asia_is_the_published_one():
    """Asia's parents, states and numbers, read off the BIF file by hand."""
    asia = load_network("asia")
    assert asia.variables == ("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp")
    assert asia.edges == (
        ("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"), ("lung", "either"), ("tub", "either"),
        ("either", "xray"), ("bronc", "dysp"), ("either", "dysp"),
    )  # fmt: skip
    assert asia.cpt("dysp").loc[("no", "yes"), "yes"] == 0.7
    assert asia.cpt("dysp").loc[("yes", "no"), "yes"] == 0.8
    assert asia.exact_cpt("either").tolist() == [[[1, 0], [1, 0]], [[1, 0], [0, 1]]]
    assert asia.cpt("smoke").loc["P", "yes"] == 0.5
    assert sorted(asia.boundary("either")) == ["bronc", "dysp", "lung", "tub", "xray"]
    assert repr(asia) == "Network('asia': 8 variables, 8 edges, 18 parameters)"


def test_loading_is_light():
    """load_network imports none of pgmpy, pandas, networkx and numpy."""
    program = (
        "import sys; from mbedu.networks import load_network, network_names\n"
        "[load_network(n).boundary(load_network(n).variables[0]) for n in network_names()]\n"
        "print([m for m in ('pgmpy', 'pandas', 'networkx', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def test_an_installed_package_finds_its_own_data(tmp_path):
    """Installed, the data are inside the package; a stranger's `datasets` beside it is left alone."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "mbedu", tmp_path / "mbedu", ignore=ignored)
    shutil.copytree(data_path(), tmp_path / "mbedu/datasets", dirs_exist_ok=True)
    (tmp_path / "datasets/networks").mkdir(parents=True)
    program = "from mbedu.networks import *; print(data_path(), len(network_names()), load_network('asia'))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.startswith(f"{tmp_path / 'mbedu/datasets'} {len(NAMES)} Network('asia'")


def test_loading_is_cached_and_unknown_names_get_suggestions():
    """The same name gives the same object; a misspelt one an error with the close names."""
    assert load_network("alarm") is load_network("alarm")
    with pytest.raises(UnknownName, match=r"unknown network 'alrm'; did you mean 'alarm'.*read_network"):
        load_network("alrm")


# ---- a network is a value ----


@settings(max_examples=60, deadline=None)
@given(networks())
def test_boundary_is_the_neighbourhood_in_the_moral_graph(net):
    """Parents, children and spouses are the neighbours after marrying the parents."""
    moral = nx.moral_graph(net.dag)
    assert all(net.boundary(v) == frozenset(moral[v]) for v in net.variables)


@settings(max_examples=60, deadline=None)
@given(networks())
def test_exact_tables_have_one_smallest_denominator(net):
    """All rows of an exact table sum to the same, smallest, integer and give the stored probabilities."""
    for v in net.variables:
        exact, weights = net.exact_cpt(v), net.table(v).weights()
        rows = exact.reshape(-1, exact.shape[-1])
        (total,) = set(rows.sum(axis=1))
        assert all(type(entry) is int for entry in exact.ravel())
        assert np.gcd.reduce(exact.ravel()) == 1
        assert [Fraction(a, total) for a in rows.ravel()] == [
            Fraction(int(a), int(sum(row))) for row in weights for a in row
        ]


@settings(max_examples=60, deadline=None)
@given(networks(4))
def test_joint_weights_of_the_exact_tables_sum_to_the_product_of_denominators(net):
    """Multiplying exact entries gives integer weights of the joint distribution, with nothing left over."""
    tables = {v: net.exact_cpt(v) for v in net.variables}
    total = 0
    for cell in product(*(range(len(net.states(v))) for v in net.variables)):
        at = dict(zip(net.variables, cell, strict=True))
        weight = 1
        for v in net.variables:
            weight *= tables[v][tuple(at[p] for p in (*net.parents(v), v))]
        total += weight
    denominators = 1
    for t in tables.values():
        denominators *= t.reshape(-1, t.shape[-1])[0].sum()
    assert total == denominators


@settings(max_examples=40, deadline=None)
@given(networks(), st.data())
def test_ancestral_part_keeps_the_tables(net, data):
    """The ancestral part has the ancestors in the same order, with the same tables and parents."""
    target = data.draw(st.sampled_from(net.variables))
    part = net.ancestral(target)
    assert set(part.variables) == nx.ancestors(net.dag, target) | {target}
    assert list(part.variables) == [v for v in net.variables if v in part.variables]
    assert all(part.table(v) == net.table(v) and part.parents(v) == net.parents(v) for v in part.variables)


@settings(max_examples=40, deadline=None)
@given(networks())
def test_copies_are_equal(net):
    """Copies, pickles and rebuilt networks are equal and hash alike; nothing can be assigned."""
    _ = net.dag
    rebuilt = Network(
        "other name",
        {v: net.states(v) for v in net.variables},
        parents={v: net.parents(v) for v in net.variables},
        cpts={v: net.exact_cpt(v) for v in net.variables},
    )
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net)), rebuilt):
        assert other == net
        assert hash(other) == hash(net)
    with pytest.raises(AttributeError, match="cannot be changed"):
        net.name = "x"
    with pytest.raises(nx.NetworkXError):
        net.dag.add_node("x")


def test_networks_differ_by_numbers_states_order_and_parents():
    """A change in any part makes another network."""
    base = two()
    assert base == two(cpts={"A": [1, 1], "B": [[Fraction(9, 10), "1/10"], ["0.0", "1.0"]]})
    assert base != two(cpts={"A": [1, 1], "B": [[9, 2], [0, 1]]})
    assert base != two(states={"A": TWO, "B": ["no", "si"]})
    assert base != two(states={"B": TWO, "A": TWO})
    assert base != two(parents={"A": ["B"]}, cpts={"B": [1, 1], "A": [["0.9", "0.1"], [0, 1]]})
    assert base != "two"


def test_rows_are_normalised_exactly():
    """A rounded row is divided by its sum as fractions, so thirds come out as thirds."""
    net = Network("n", {"A": ["a", "b", "c"]}, cpts={"A": ["0.3333", "0.3333", "0.3333"]})
    assert net.exact_cpt("A").tolist() == [1, 1, 1]
    assert net.cpt("A").loc["P"].tolist() == [1 / 3] * 3


def test_huge_weights_do_not_overflow():
    """Weights beyond 64 bits keep their exact proportions, in tables and in samples."""
    net = Network("n", {"A": TWO}, cpts={"A": [3 * 10**40, 10**40 + 1]})
    assert net.exact_cpt("A").tolist() == [3 * 10**40, 10**40 + 1]
    assert net.cpt("A").loc["P", "no"] == 0.75
    assert set(net.sample(100, seed=0)["A"]) == {"no", "yes"}
    assert pickle.loads(pickle.dumps(net)) == net


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": {}}, "has no variables"),
        ({"states": {"A": TWO, 3: TWO}}, "3 is not a variable name"),
        ({"states": {"A": TWO, "B": []}}, "'B' has no states"),
        ({"states": {"A": TWO, "B": "no"}}, "'no' is one string"),
        ({"states": {"A": TWO, "B": [0, 1]}}, "0 is not a string; convert it, as in '0'"),
        ({"states": {"A": TWO, "B": ["x", "x"]}}, "'x' is there twice"),
        ({"parents": {"B": ["A", "A"]}}, "'A' is there twice"),
        ({"parents": {"B": ["C"]}}, "unknown parent 'C'.*the parents of 'B'"),
        ({"parents": {"C": ["A"]}}, "unknown variable 'C'"),
        ({"parents": {"B": ["B"]}}, "cycle: B → B"),
        ({"parents": {"A": ["B"], "B": ["A"]}, "cpts": {v: [[1, 1]] * 2 for v in "AB"}}, "cycle: A → B → A"),
        ({"cpts": {"A": [1, 1]}}, r"no table for \['B'\]"),
        ({"cpts": {"A": [1, 1], "B": [[1, 1]] * 2, "C": [1]}}, "unknown variable 'C'"),
        ({"cpts": {"A": [1, 1], "B": [1, 1]}}, "1 stands where a list over the states of 'B' should be"),
        ({"cpts": {"A": [1, 1, 1], "B": [[1, 1]] * 2}}, "3 entries where 'A' has 2 states"),
        ({"cpts": {"A": [1, 1], "B": [[1, 1]] * 3}}, "in the order A, B: 2 × 2"),
        ({"cpts": {"A": [1, -1], "B": [[1, 1]] * 2}}, r"P\(A\): -1 is negative"),
        ({"cpts": {"A": [1, 1], "B": [[1, 1], [0, 0]]}}, r"P\(B \| A=yes\): all entries are 0"),
        ({"cpts": {"A": ["0.5", "0.4"], "B": [[1, 1]] * 2}}, "0.5, 0.4 sums to 0.9"),
        ({"cpts": {"A": [0.5, 0.5], "B": [[1, 1]] * 2}}, r"0.5 is a float.*'0.5', Fraction\('0.5'\)"),
        ({"cpts": {"A": np.array([0.5, 0.5]), "B": [[1, 1]] * 2}}, "0.5 is a float"),
        ({"cpts": {"A": ["half", 1], "B": [[1, 1]] * 2}}, "'half'.*not an exact number"),
        ({"cpts": {"A": ["1/0", 1], "B": [[1, 1]] * 2}}, "'1/0'.*not an exact number"),
        ({"cpts": {"A": ["nan", 1], "B": [[1, 1]] * 2}}, "'nan'.*not an exact number"),
        ({"cpts": {"A": [None, 1], "B": [[1, 1]] * 2}}, "None.*not an exact number"),
    ],
)
def test_bad_networks_get_clear_errors(changes, message):
    """Each wrong part is refused with the value, the rule and the way out."""
    with pytest.raises((NetworkError, UnknownName), match=message):
        two(**changes)


def test_cycles_are_named_without_their_tails():
    """Only the variables on the cycle are listed, in the direction of the arrows."""
    parents = {"B": ["A", "D"], "C": ["B"], "D": ["C"], "E": ["D"]}
    cpts = {"A": [1, 1], "B": [[[1, 1]] * 2] * 2, **{v: [[1, 1]] * 2 for v in "CDE"}}
    with pytest.raises(NetworkError, match=r"cycle: B → C → D → B$"):
        Network("n", dict.fromkeys("EABCD", TWO), parents=parents, cpts=cpts)


def test_unknown_variables_get_suggestions():
    """Every method that takes a variable names the unknown one and the close ones."""
    asia = load_network("asia")
    for method in (
        asia.states,
        asia.parents,
        asia.children,
        asia.boundary,
        asia.cpt,
        asia.exact_cpt,
        asia.ancestral,
    ):
        with pytest.raises(UnknownName, match="unknown variable 'lungs'; did you mean 'lung'"):
            method("lungs")


def test_pages_escape_names():
    """Names with markup appear as text in the HTML view."""
    net = Network("<b>", {"<i>x": ["<", "&"]}, cpts={"<i>x": [1, 1]})
    page = net._repr_html_()
    assert "<b>&lt;b&gt;</b>" in page
    assert "&lt;i&gt;x" in page
    assert "<i>" not in page
    assert "and 381 more" in load_network("pigs")._repr_html_()


# ---- sampling ----


@settings(max_examples=30, deadline=None)
@given(networks(), st.integers(0, 50), st.integers(0, 50), st.integers(0, 2**32))
def test_smaller_samples_begin_larger_ones(net, n, more, seed):
    """The same seed gives the same rows, and n rows are the first n of any larger sample."""
    small, large = net.sample(n, seed=seed), net.sample(n + more, seed=seed)
    assert len(small) == n
    pd.testing.assert_frame_equal(small, large.head(n))
    assert tuple(small.columns) == net.variables
    assert all(tuple(small[v].cat.categories) == net.states(v) for v in net.variables)


@settings(max_examples=30, deadline=None)
@given(networks())
def test_samples_never_hit_a_zero(net):
    """Every drawn row has positive probability under every table."""
    drawn = codes(net, 200, seed=3)
    at = dict(zip(net.variables, drawn, strict=True))
    for v in net.variables:
        assert net.exact_cpt(v)[tuple(at[p] for p in (*net.parents(v), v))].min() > 0


def test_bisection_counts_the_bounds_below():
    """Each drawn state is the number of cumulative probabilities that its uniform reaches, for any width."""
    for size in (*range(1, 18), 100):
        net = Network(
            "n", {"A": [str(i) for i in range(size)]}, cpts={"A": [i % 3 for i in range(1, size + 1)]}
        )
        uniforms = np.random.Generator(np.random.PCG64(size)).random(500)
        bounds = net.table("A").cumulative()[0]
        assert (
            codes(net, 500, seed=size)[0].tolist() == np.searchsorted(bounds, uniforms, side="right").tolist()
        )


def test_chunks_leave_no_seam():
    """A sample across several chunks continues as one stream of uniforms."""
    net = load_network("asia")
    n = 2 * CHUNK + 5
    drawn = codes(net, n, seed=1)
    uniforms = np.random.Generator(np.random.PCG64(1)).random((n, 8))
    assert np.array_equal(drawn[2], (uniforms[:, 2] >= 0.5).astype(int))
    assert np.array_equal(drawn[0], (uniforms[:, 0] >= 0.01).astype(int))


@pytest.mark.parametrize("name", ["asia", "survey", "sachs", "child", "insurance", "alarm", "hailfinder"])
def test_sample_frequencies_match_the_tables(name):
    """Given the drawn parents, the drawn states fit the exact tables by a χ² test of all tables together."""
    net = load_network(name)
    drawn = dict(zip(net.variables, codes(net, 50_000, seed=11), strict=True))
    statistic = degrees = 0
    for v in net.variables:
        expected_row = net.table(v).probabilities()
        row = np.zeros(50_000, dtype=np.intp)
        for p in net.parents(v):
            row = row * len(net.states(p)) + drawn[p]
        seen = np.zeros(expected_row.shape)
        np.add.at(seen, (row, drawn[v]), 1)
        expected = expected_row * seen.sum(axis=1, keepdims=True)
        assert not seen[expected == 0].any()
        enough = (expected >= 5) | (expected_row == 0)
        use = enough.all(axis=1) & ((expected_row > 0).sum(axis=1) > 1)  # χ² needs filled cells and a choice
        positive = expected[use] > 0
        statistic += ((seen[use] - expected[use])[positive] ** 2 / expected[use][positive]).sum()
        degrees += int(positive.sum() - use.sum())
    assert degrees >= len(net.variables)
    assert 1e-3 < stats.chi2.sf(statistic, degrees) < 1 - 1e-3


def test_samples_are_the_same_in_every_process():
    """Other processes with other hash seeds draw the same rows."""
    program = (
        "import hashlib; from mbedu.networks import load_network\n"
        "print(hashlib.sha256(load_network('alarm').sample(999, seed=5).to_csv().encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT,
            env={"PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("1", "2")
    }  # fmt: skip
    assert len(digests) == 1


@pytest.mark.parametrize("seed", [None, -1, "0", 1.5])
def test_bad_seeds_are_refused(seed):
    """A seed is a non-negative integer; nothing is drawn from an unknown state."""
    with pytest.raises(NetworkError, match="a seed is an integer"):
        load_network("asia").sample(5, seed=seed)


@pytest.mark.parametrize("n", [-1, 2.0, "3"])
def test_bad_sizes_are_refused(n):
    """The number of rows is a non-negative integer."""
    with pytest.raises(NetworkError, match="number of rows"):
        load_network("asia").sample(n, seed=0)


def test_a_generator_is_advanced():
    """Two samples from one Generator continue its stream instead of repeating it."""
    asia, rng = load_network("asia"), np.random.default_rng(0)
    first, second = asia.sample(20, seed=rng), asia.sample(20, seed=rng)
    assert pd.concat([first, second], ignore_index=True).equals(
        asia.sample(40, seed=np.random.default_rng(0))
    )


# ---- pgmpy and files ----


@pytest.mark.parametrize("name", ["asia", "survey", "sachs", "alarm", "hailfinder", "insurance"])
def test_pgmpy_takes_the_network(name):
    """to_pgmpy gives a model that pgmpy accepts, with every probability at its configuration."""
    net = load_network(name)
    model = net.to_pgmpy()
    assert model.check_model()
    assert tuple(model.nodes) == net.variables
    for v in net.variables:
        cpd = model.get_cpds(v)
        frame = net.cpt(v)
        for key, row in list(frame.iterrows())[::7]:
            configuration = dict(zip(net.parents(v), key if isinstance(key, tuple) else (key,), strict=False))
            for state in net.states(v):
                assert cpd.get_value(**{v: state}, **configuration) == row[state]


@settings(max_examples=25, deadline=None)
@given(networks())
def test_pgmpy_round_trip(net):
    """Through pgmpy and back, order, states and parents are the same and the numbers within rounding."""
    back = Network.from_pgmpy(net.to_pgmpy())
    assert (back.name, back.variables, back.edges) == (net.name, net.variables, net.edges)
    for v in net.variables:
        assert back.states(v) == net.states(v)
        assert np.abs(back.table(v).probabilities() - net.table(v).probabilities()).max() < 1e-15


def test_pgmpy_answers_agree_with_the_exact_joint():
    """Variable elimination in pgmpy gives the marginal that the exact tables give."""
    from pgmpy.inference import VariableElimination

    net = load_network("asia")
    tables = {v: net.exact_cpt(v) for v in net.variables}
    yes = total = 0
    for cell in product(range(2), repeat=8):
        at = dict(zip(net.variables, cell, strict=True))
        weight = 1
        for v in net.variables:
            weight *= tables[v][tuple(at[p] for p in (*net.parents(v), v))]
        total += weight
        yes += weight * (at["dysp"] == 0)
    answer = VariableElimination(net.to_pgmpy()).query(["dysp"], show_progress=False)
    assert abs(answer.get_value(dysp="yes") - Fraction(yes, total)) < 1e-12


@pytest.mark.parametrize("name", ["asia", "survey", "child", "alarm"])
def test_reading_the_bif_file_gives_the_shipped_network(name, tmp_path):
    """read_network of the BIF file, gzipped, plain, or with Windows line ends, equals load_network."""
    raw = gzip.decompress(bif(name).read_bytes())
    (tmp_path / "plain.bif").write_bytes(raw.rstrip())
    (tmp_path / "windows.BIF").write_bytes(raw.replace(b"\n", b"\r\n"))
    for path in (bif(name), tmp_path / "plain.bif", str(tmp_path / "windows.BIF")):
        assert read_network(path) == load_network(name)
    assert read_network(tmp_path / "plain.bif").name == "plain"


WRITERS = {".bif": "BIFWriter", ".xmlbif": "XMLBIFWriter", ".xml": "XMLBIFWriter", ".net": "NETWriter"}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("name", ["asia", "survey"])
def test_every_format_is_read(name, suffix, tmp_path):
    """What pgmpy writes in a format is read back with the same states, parents and probabilities."""
    import pgmpy.readwrite

    net, path = load_network(name), tmp_path / f"x{suffix}"
    getattr(pgmpy.readwrite, WRITERS[suffix])(net.to_pgmpy()).write(str(path))
    read = read_network(path)
    assert set(read.edges) == set(net.edges)
    for v in net.variables:
        assert read.states(v) == net.states(v)
        order = [read.parents(v).index(p) for p in net.parents(v)]
        assert np.array_equal(read.exact_cpt(v).transpose(*order, -1), net.exact_cpt(v))


ONE = "network n {\n}\nvariable A {\n  type discrete [ 2 ] { x, y };\n}\n"
HOLE = f"""{ONE}variable B {{
  type discrete [ 2 ] {{ x, y }};
}}
probability ( A ) {{
  table 0.3, 0.7;
}}
probability ( B | A ) {{
  (x) 0.5, 0.5;
}}
"""


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "", "unknown suffix '.txt'.*.bif, .xmlbif, .xml, .net"),
        ("a.bif", "", "cannot be read as .bif|no variables found"),
        ("a.bif", "hello", "no variables found"),
        ("a.xmlbif", "<a>", "cannot be read as .xmlbif"),
        ("a.xml", "<a></a>", "cannot be read as .xml"),
        ("a.net", "node x", "cannot be read as .net|has no table|no variables"),
        ("a.bif.gz", "not gzip", "cannot be read as .bif: BadGzipFile"),
        ("a.bif", ONE, "'a.bif': 'A' has no table"),
        ("a.bif", f"{ONE}probability ( A ) {{\n  table 0.3, 0.3;\n}}\n", "sums to 0.6"),
        ("a.bif", HOLE, r"P\(B \| A=y\): all entries are 0"),
    ],
)
def test_broken_files_get_clear_errors(name, content, message, tmp_path):
    """A file that cannot be a network is refused by name, with what is wrong in it."""
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(NetworkError, match=message):
        read_network(path)


def test_a_missing_file_is_named(tmp_path):
    """The path that does not exist is in the message."""
    with pytest.raises(NetworkError, match=r"no file .*nowhere\.bif"):
        read_network(tmp_path / "nowhere.bif")


def test_from_pgmpy_refuses_what_is_no_network():
    """Models without tables, or with nodes that are not strings, are refused by name."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([("A", "B")])
    with pytest.raises(NetworkError, match="'A' has no table"):
        Network.from_pgmpy(model)
    model.add_cpds(TabularCPD("A", 2, [[0.5], [0.5]]), TabularCPD("B", 2, [[0.5], [0.5]]))
    with pytest.raises(
        NetworkError, match=r"'B': its table is given \[\], the graph gives it the parents \['A'\]"
    ):
        Network.from_pgmpy(model)
    numbered = DiscreteBayesianNetwork()
    numbered.add_node(1)
    with pytest.raises(NetworkError, match="node 1 is not a string"):
        Network.from_pgmpy(numbered)
