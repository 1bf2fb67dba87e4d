"""Random graphs and random exact distributions, by density, arity and determinism; all seeded."""

from __future__ import annotations

import random
from collections.abc import Iterator

from mbedu.errors import MbeduError
from mbedu.networks import Network
from mbedu.verify.dags import Dag

__all__ = ["random_dag", "random_dags", "random_network", "random_networks"]


def random_dag(n: int, *, density: float = 0.4, seed: int = 0) -> Dag:
    """Return a random DAG: a random order of the nodes, then each possible edge with probability `density`.

    Examples
    --------
    >>> print(random_dag(4, density=0.5, seed=1))
    V0 → V3, V1 → V2, V1 → V3, V2 → V0, V2 → V3
    """
    if n < 1:
        raise MbeduError(f"n={n!r}: a graph has at least one node")
    if not 0 <= density <= 1:
        raise MbeduError(f"density={density!r}: it is a probability, between 0 and 1")
    coin = random.Random(seed)
    names = tuple(f"V{i}" for i in range(n))
    order = coin.sample(range(n), n)
    edges = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if coin.random() < density]
    return Dag(names, tuple((names[a], names[b]) for a, b in sorted(edges)))


def random_dags(n: int, count: int, *, density: float = 0.4, seed: int = 0) -> list[Dag]:
    """Return `count` random DAGs with `n` nodes."""
    return [random_dag(n, density=density, seed=_mixed(seed, i)) for i in range(count)]


def random_network(
    n: int, *, density: float = 0.4, arity: int = 2, determinism: float = 0.0, grain: int = 8, seed: int = 0
) -> Network:
    """Return a random network with small whole-number weights, so that every probability is exact.

    Parameters
    ----------
    n : int
        The number of variables.
    density : float
        The probability of each edge.
    arity : int
        The number of values of each variable.
    determinism : float
        The probability that a variable with parents is a function of them.
    grain : int
        Weights are whole numbers from 1 to `grain`; few grains make accidental independencies
        (unfaithfulness) more likely.
    seed : int
        The same seed gives the same network.
    """
    if arity < 2 or grain < 1:
        raise MbeduError(
            f"arity={arity!r}, grain={grain!r}: a variable has at least 2 values, weights start at 1"
        )
    dag = random_dag(n, density=density, seed=seed)
    coin = random.Random(_mixed(seed, 1))
    parents: dict[str, list[str]] = {v: [a for a, b in dag.edges if b == v] for v in dag.variables}
    states = {v: [str(i) for i in range(arity)] for v in dag.variables}
    cpts = {}
    for v in dag.variables:
        functional = bool(parents[v]) and coin.random() < determinism
        rows = []
        for _ in range(arity ** len(parents[v])):
            if functional:
                value = coin.randrange(arity)
                rows.append([int(i == value) for i in range(arity)])
            else:
                rows.append([coin.randint(1, grain) for _ in range(arity)])
        cpts[v] = _nested(rows, [arity] * len(parents[v]))
    return Network(f"random{n}-{seed}", states, cpts=cpts, parents=parents, source="drawn at random")


def random_networks(n: int, count: int, *, seed: int = 0, **options: float) -> Iterator[Network]:
    """Yield `count` random networks; the options are those of `random_network`."""
    for i in range(count):
        yield random_network(n, seed=_mixed(seed, i), **options)  # type: ignore[arg-type]


def _mixed(seed: int, i: int) -> int:
    return seed * 1_000_003 + i * 7_919 + 17


def _nested(rows: list[list[int]], shape: list[int]) -> list[object]:
    if not shape:
        return list(rows[0])
    step = len(rows) // shape[0]
    return [_nested(rows[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
