"""d-separation queries a second: mbedu against networkx, pgmpy and pyAgrum, side by side in one run.

    python benchmarks/bench_dseparation.py [--networks alarm andes pigs] [--queries 1000] [--rounds 5]

Every package answers the same random queries: two single variables and zero to five given ones. The
others get their arguments in the form that they like best, built beforehand; mbedu starts from plain
names, so that building the Query is part of its time. `mbedu batch` answers one (x, given) for all
other variables at once; the figure is per candidate. Rounds are interleaved, so that a slow moment of the
machine hits all alike, and the best round counts. The answers are compared before anything is printed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from collections.abc import Callable

import networkx as nx

from mbedu.networks import load_network
from mbedu.oracles import DSeparation
from mbedu.query import Query

Contender = tuple[Callable[[], list[bool]], int]  # answers (True: independent), and how many queries


def draw_queries(variables, count, seed):
    rng = random.Random(seed)
    drawn = [rng.sample(variables, 2 + rng.randint(0, 5)) for _ in range(count)]
    return [(x, y, z) for x, y, *z in drawn]


def of_mbedu(network, queries):
    oracle = DSeparation(network)
    return lambda: [oracle.judge(Query(x, y, z)).independent for x, y, z in queries]


def of_networkx(network, queries):
    graph = network.dag
    sets = [({x}, {y}, set(z)) for x, y, z in queries]
    return lambda: [nx.is_d_separator(graph, x, y, z) for x, y, z in sets]


def of_pgmpy(network, queries):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.base import DAG

    dag = DAG(network.edges)
    dag.add_nodes_from(network.variables)
    return lambda: [not dag.is_dconnected(x, y, observed=z) for x, y, z in queries]


def of_pyagrum(network, queries):
    import pyagrum

    bn = pyagrum.BayesNet()
    for v in network.variables:
        bn.add(pyagrum.LabelizedVariable(v, v, 2))
    for parent, child in network.edges:
        bn.addArc(parent, child)
    return lambda: [bn.isIndependent(x, y, z) for x, y, z in queries]


def batch_of_mbedu(network, queries):
    """One (x, given) of each query against all other variables."""
    oracle = DSeparation(network)
    batches = []
    for x, _, z in queries:
        taken = {x, *z}
        batches.append((x, [v for v in network.variables if v not in taken], z))
    count = sum(len(ys) for _, ys, _ in batches)
    return lambda: [v.independent for x, ys, z in batches for v in oracle.judge_many(x, ys, z)], count


def contenders(network, queries) -> dict[str, Contender]:
    few = queries[: max(1, len(queries) // 5)]  # the slow ones get fewer
    found: dict[str, Contender] = {
        "mbedu single": (of_mbedu(network, queries), len(queries)),
        "mbedu batch": batch_of_mbedu(network, few),
        "networkx": (of_networkx(network, few), len(few)),
        "pgmpy": (of_pgmpy(network, few), len(few)),
    }
    try:
        found["pyAgrum"] = (of_pyagrum(network, queries), len(queries))
    except ImportError:
        print("pyAgrum is not installed: left out")
    return found


def check_agreement(found: dict[str, Contender], network, queries):
    """Stop if any two packages disagree: a fast wrong answer is worth nothing."""
    answers = {name: run() for name, (run, _) in found.items() if name != "mbedu batch"}
    for name, given in answers.items():
        for i, answer in enumerate(given):
            if answer != answers["mbedu single"][i]:
                sys.exit(f"{network.name}: {name} and mbedu disagree on {queries[i]}")
    flat = iter(found["mbedu batch"][0]())
    oracle = DSeparation(network)
    for x, _, z in queries[: max(1, len(queries) // 5)]:
        for y in network.variables:
            if y != x and y not in z and next(flat) != oracle.judge(Query(x, y, z)).independent:
                sys.exit(f"{network.name}: batch and single disagree on {(x, y, z)}")


def measure(found: dict[str, Contender], rounds: int) -> dict[str, float]:
    """Return the queries a second of each, best of interleaved rounds."""
    best = dict.fromkeys(found, float("inf"))
    for _ in range(rounds):
        for name, (run, count) in found.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], (time.perf_counter() - start) / count)
    return {name: 1 / seconds for name, seconds in best.items()}


def report(network, rates: dict[str, float]) -> bool:
    """Print one table; return whether the targets are met."""
    print(f"\n{network.name}: {len(network.variables)} variables, {len(network.edges)} edges")
    print(f"  {'':14}{'queries/s':>12}{'µs/query':>10}{'× networkx':>12}{'× pyAgrum':>11}")
    for name, rate in rates.items():
        gum = f"{rate / rates['pyAgrum']:>11.2f}" if "pyAgrum" in rates else f"{'–':>11}"
        print(f"  {name:14}{rate:>12,.0f}{1e6 / rate:>10.2f}{rate / rates['networkx']:>12.1f}{gum}")
    single, batch = rates["mbedu single"], rates["mbedu batch"]
    targets = [
        ("single ≥ 15 × networkx", single >= 15 * rates["networkx"]),
        ("batch ≥ 100 × networkx", batch >= 100 * rates["networkx"]),
    ]
    if "pyAgrum" in rates:
        targets.append(("single ≥ pyAgrum", single >= rates["pyAgrum"]))
    print("  " + "   ".join(f"{text}: {'met' if met else 'MISSED'}" for text, met in targets))
    return all(met for _, met in targets)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--networks", nargs="+", default=["alarm", "andes", "pigs"])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    met = True
    for name in options.networks:
        network = load_network(name)
        queries = draw_queries(network.variables, options.queries, options.seed)
        found = contenders(network, queries)
        check_agreement(found, network, queries)
        met &= report(network, measure(found, options.rounds))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
