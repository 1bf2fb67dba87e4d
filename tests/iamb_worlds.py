"""Small worlds for the tests of the IAMB family, and what a run did in them."""

import random

from mbedu.judge import Batched, Verdict
from mbedu.oracles import ExactJoint
from mbedu.query import Query
from mbedu.steps import Asked, Changed


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
