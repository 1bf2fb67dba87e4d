"""The protocol of pocock2012, Algorithm 2: IAMB-IP under random priors against IAMB, win, draw or loss.

One cell is one data set: every valid target (two members in its boundary, or more), IAMB once, IAMB-IP
with 40 random priors of each kind. A win: the mean F of the 40 less 1.96 standard errors is above IAMB's
F; a loss the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mbedu.algorithms.iamb import iamb
from mbedu.algorithms.iamb_ip import iamb_ip
from mbedu.ask import Ask
from mbedu.experiments.cached_judge import CachedJudge
from mbedu.experiments.framework import Params, seed_from
from mbedu.experiments.stats import f1

if TYPE_CHECKING:
    from mbedu.networks import Network

__all__ = ["KINDS", "NETWORKS", "READINGS", "cell", "outcome", "random_prior", "valid_targets"]

KINDS = ("2TP", "TPTN", "TPFN", "TPFP")
NETWORKS = ("alarm", "barley", "hailfinder", "insurance")
# With 300 rows an information of exactly t = 0.02 bits occurs (6 bits / 300), and the last digit of a sum of
# logarithms would decide. "Above t" means above it by more than rounding, the same for IAMB and IAMB-IP.
THRESHOLD = 0.02 + 1e-10
PRIORS = 40
READINGS = {
    "bits": "the threshold t = 0.02, the information and αd = log 99 are in bits (base 2)",
    "nats": "the threshold t = 0.02, the information and αd = log 99 are in nats",
}


def valid_targets(net: Network) -> dict[str, tuple[str, ...]]:
    """Return the variables whose boundary has two members or more, with the boundary in variable order."""
    boundaries = {v: net.boundary(v) for v in net.variables}
    return {v: tuple(u for u in net.variables if u in b) for v, b in boundaries.items() if len(b) >= 2}


def random_prior(
    kind: str, members: Sequence[str], others: Sequence[str], rng: np.random.Generator
) -> tuple[tuple[str, int], ...]:
    """Draw a prior: a true positive, and a second piece of knowledge that is true or false.

    Examples
    --------
    >>> random_prior("TPTN", ["A"], ["B"], np.random.default_rng(0))
    (('A', 1), ('B', -1))
    """
    first = members[int(rng.integers(len(members)))]
    pool = [v for v in members if v != first] if kind in ("2TP", "TPFN") else list(others)
    second = pool[int(rng.integers(len(pool)))]
    return (first, 1), (second, 1 if kind in ("2TP", "TPFP") else -1)


def outcome(values: Sequence[float], alone: float) -> str:
    """Say whether the values win against `alone`, lose, or draw, by their 95 % interval.

    Examples
    --------
    >>> outcome([0.5, 0.5], 0.4), outcome([0.0, 1.0], 0.4), outcome([0.1, 0.1], 0.4)
    ('win', 'draw', 'loss')
    """
    n = len(values)
    mean = math.fsum(values) / n
    error = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1) / n)
    if mean - 1.96 * error > alone + 1e-12:
        return "win"
    return "loss" if mean + 1.96 * error < alone - 1e-12 else "draw"


def cell(params: Params, seed: int) -> Params:
    """Run the protocol on one data set of one network."""
    from mbedu.citests.discrete import MutualInformation
    from mbedu.networks import load_network

    net = load_network(params["network"])
    data = net.sample(params["size"], seed=seed)
    judge = MutualInformation(data, THRESHOLD, unit=params["unit"], engine=params.get("engine", "auto"))
    tally = {kind: dict.fromkeys(("win", "draw", "loss"), 0) for kind in KINDS}
    scores: dict[str, list[float]] = {kind: [] for kind in ("IAMB", *KINDS)}
    targets = valid_targets(net)
    for target, members in targets.items():
        alone, found = one_target(CachedJudge(judge), target, members, params, seed_from(seed, target))
        scores["IAMB"].append(alone)
        for kind, values in found.items():
            tally[kind][outcome(values, alone)] += 1
            scores[kind].append(math.fsum(values) / len(values))
    return {
        "targets": len(targets),
        "iamb": math.fsum(scores["IAMB"]) / len(targets),
        "rows": [
            {"prior": kind, **tally[kind], "f": math.fsum(scores[kind]) / len(targets)} for kind in KINDS
        ],
    }


def one_target(
    judge: CachedJudge, target: str, members: Sequence[str], params: Params, seed: int
) -> tuple[float, dict[str, list[float]]]:
    """Return IAMB's F for one target, and IAMB-IP's F under each of the random priors."""
    rng, door = np.random.default_rng(seed), Ask(judge)  # one door: `run` would check the same each time
    others = [v for v in judge.variables if v != target and v not in members]
    known: dict[tuple[tuple[str, int], ...], float] = {}

    def score(prior: tuple[tuple[str, int], ...]) -> float:
        if prior not in known:  # few priors are different when a boundary is small
            weights: Mapping[str, int] = dict(prior)
            found = iamb_ip(door, target, t=THRESHOLD, unit=params["unit"], weights=weights)
            known[prior] = f1(found, members)
        return known[prior]

    def draw(kind: str) -> Iterator[float]:
        for _ in range(params["priors"]):
            yield score(tuple(sorted(random_prior(kind, members, others, rng))))

    alone = f1(iamb(door, target), members)
    return alone, {kind: list(draw(kind)) for kind in KINDS}
