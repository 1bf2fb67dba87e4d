"""Every small DAG as an oracle, and what an algorithm makes of all of them."""

import doctest
import itertools
from functools import cache

import mbedu as mb
from mbedu.oracles import DSeparation
from mbedu.registry import get_algorithm

LETTERS = "ABCDE"


def acyclic(n, edges):
    left = set(range(n))
    while sources := {v for v in left if not any(a in left and b == v for a, b in edges)}:
        left -= sources
    return not left


def every_dag(n):
    pairs = list(itertools.combinations(range(n), 2))
    for ways in itertools.product((0, 1, 2), repeat=len(pairs)):
        edges = [(a, b) if way == 1 else (b, a) for (a, b), way in zip(pairs, ways, strict=True) if way]
        if acyclic(n, edges):
            yield [(LETTERS[a], LETTERS[b]) for a, b in edges]


@cache
def oracles(n, orders=2, every=1):
    """The oracles of every DAG with n nodes, in the given and (orders=2) in the reversed order."""
    given = list(LETTERS[:n])
    return tuple(
        DSeparation(edges, variables=order)
        for edges in itertools.islice(every_dag(n), 0, None, every)
        for order in (given, given[::-1])[:orders]
    )


def wrong(key, worlds, **params):
    """The runs that miss the boundary, fewest edges first: (edges, target, answer, boundary)."""
    algorithm, missed = get_algorithm(key), []
    for world in worlds:
        for T in world.variables:
            answer = mb.run(algorithm, world, T, **params).boundary
            if answer != world.boundary(T):
                missed.append((world.edges, T, answer, world.boundary(T)))
    return sorted(missed, key=lambda run: len(run[0]))


def runs(worlds):
    return sum(len(world.variables) for world in worlds)


def parity(k, distractors=0):
    """T is the parity of k fair coins; the distractors are coins of their own."""
    names = [*(f"X{i}" for i in range(k)), *(f"D{i}" for i in range(distractors)), "T"]
    cells = itertools.product((0, 1), repeat=k + distractors)
    return mb.ExactJoint({(*cell, sum(cell[:k]) % 2): 1 for cell in cells}, variables=names)


def check_doctests(*keys):
    """The examples in the docstrings are true: of registered functions pytest does not find them itself."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for key in keys:
        function = get_algorithm(key).function
        for case in doctest.DocTestFinder().find(function, key, globs=dict(function.__globals__)):
            assert case.examples, f"{key} has no example"
            runner.run(case)
    assert runner.summarize().failed == 0
