"""Judges for the tests: one that answers anything at all, and one as small as a judge can be."""

import random

import networkx as nx

from mbedu.judge import Batched, Verdict


class Arbitrary(Batched):
    """Answers every query by a seeded coin: no axiom holds, many strengths tie.

    Whatever is true of a run under this judge owes nothing to probability theory.
    """

    def __init__(self, variables, *, seed=0, ranks=True, batch=3, dependence=0.4):
        self.variables, self.ranks, self.batch = tuple(variables), ranks, batch
        self.seed, self.dependence = seed, dependence

    def judge(self, query):
        key = (self.seed, sorted([sorted(query.x), sorted(query.y)]), sorted(query.given))
        coin = random.Random(repr(key))
        independent = coin.random() > self.dependence
        level = coin.randrange(4)  # few levels, so that ties are common
        strength = None if not self.ranks else level / 100 if independent else (1 + level) / 10
        p = None if not self.ranks else (0.1 + level / 10 if independent else 10.0 ** -(3 + level))
        log_p = None if p is None else -float(level + 1 + 5 * (not independent))
        return Verdict(independent, strength=strength, p_value=p, log_p=log_p, n=100 if self.ranks else None)


class Smallest:
    """Variables and judge(query), nothing else; d-separation as networkx decides it."""

    def __init__(self, edges):
        self.graph = nx.DiGraph(edges)
        self.variables = tuple(self.graph)

    def judge(self, query):
        return Verdict(nx.is_d_separator(self.graph, set(query.x), set(query.y), set(query.given)))
