"""Hypothesis strategies, for your own property tests of an algorithm.

Needs the `hypothesis` package. Every example shrinks towards fewer variables, fewer edges and
plainer weights, so a failing test ends with a small witness.

Examples
--------
>>> from hypothesis import given
>>> import mbedu as mb
>>> from mbedu.strategies import dags
>>> @given(dags(largest=4))
... def test_gs_is_right(dag):
...     oracle = mb.DSeparation(dag)
...     for target in oracle.variables:
...         assert mb.run("gs", oracle, target).boundary == oracle.boundary(target)
>>> test_gs_is_right()
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from mbedu.judge import Judge
from mbedu.networks import Network
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.problem import Problem
from mbedu.query import Query
from mbedu.theory.boundaries import boundaries
from mbedu.verify.dags import Dag

__all__ = ["dags", "networks", "problems", "queries"]

NAMES = tuple("ABCDEFGHIJKL")


@st.composite
def dags(draw: DrawFn, *, smallest: int = 2, largest: int = 6) -> Dag:
    """Draw a DAG whose variable order need not be a causal one."""
    n = draw(st.integers(smallest, largest))
    causal = draw(st.permutations(NAMES[:n]))
    edges = [pair for pair in combinations(causal, 2) if draw(st.booleans())]
    return Dag(NAMES[:n], tuple(sorted(edges)))


@st.composite
def networks(
    draw: DrawFn,
    *,
    smallest: int = 2,
    largest: int = 4,
    arity: int = 2,
    weights: SearchStrategy[int] | None = None,
) -> Network:
    """Draw a network with whole-number weights; zeros among them make deterministic rows."""
    dag = draw(dags(smallest=smallest, largest=largest))
    parents = {v: [a for a, b in dag.edges if b == v] for v in dag.variables}
    entry = st.integers(0, 4) if weights is None else weights
    row = st.lists(entry, min_size=arity, max_size=arity).filter(any)

    def table(depth: int) -> list[Any]:
        return draw(row) if depth == 0 else [table(depth - 1) for _ in range(arity)]

    cpts = {v: table(len(parents[v])) for v in dag.variables}
    states = {v: [str(i) for i in range(arity)] for v in dag.variables}
    return Network("drawn", states, cpts=cpts, parents=parents)


@st.composite
def queries(draw: DrawFn, judge: Judge) -> Query:
    """Draw a set-valued query over a judge's variables (it needs at least two)."""
    pool = draw(st.permutations(judge.variables))
    x = draw(st.integers(1, len(pool) - 1))
    y = draw(st.integers(x + 1, len(pool)))
    z = draw(st.integers(y, len(pool)))
    return Query(pool[:x], pool[x:y], pool[y:z])


@st.composite
def problems(draw: DrawFn, *, exact: bool = False, smallest: int = 2, largest: int = 4) -> Problem:
    """Draw a problem with its boundaries: d-separation on a DAG, or the exact joint of a network."""
    if exact:
        net = draw(networks(smallest=smallest, largest=largest))
        judge: ExactJoint | DSeparation = ExactJoint(net)
        target = draw(st.sampled_from(judge.variables))
        return Problem("exact joint", judge, target, tuple(boundaries(judge, target)))
    judge = DSeparation(draw(dags(smallest=smallest, largest=largest)))
    target = draw(st.sampled_from(judge.variables))
    return Problem("d-separation", judge, target, (judge.boundary(target),))
