"""Cases: one judge, one target, one variable order, and the answers that count as right."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, Literal, TypeAlias

from mbedu.errors import MbeduError
from mbedu.judge import Batched, By, Found, Judge, Verdict, completed
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.problem import Problem
from mbedu.query import Query, Vars
from mbedu.theory.boundaries import boundaries, m_boundaries

__all__ = ["Case", "Expect", "Orders", "Reordered", "cases_of", "check_orders"]

Expect: TypeAlias = Literal["auto", "d-separation", "exact", "m-boundary"]
Orders: TypeAlias = Literal["given", "reversed", "both", "all"] | int


@dataclass(frozen=True)
class Case:
    """One question to an algorithm, with every right answer.

    `nodes` and `edges` measure how small it is; `name` says what it is.
    """

    name: str
    judge: Judge
    target: str
    expected: tuple[frozenset[str], ...]
    nodes: int
    edges: int
    graph: tuple[tuple[str, str], ...] | None = field(default=None)

    @property
    def order(self) -> tuple[str, ...]:
        """The variable order, which breaks ties."""
        return tuple(self.judge.variables)


class Reordered(Batched):
    """The same judge with its variables in another order."""

    def __init__(self, judge: Judge, order: Iterable[str]) -> None:
        self.inner = completed(judge)
        self.variables = tuple(order)
        if sorted(self.variables) != sorted(self.inner.variables):
            raise MbeduError(f"{self.variables} is not an order of the variables {self.inner.variables}")
        self.ranks, self.batch = self.inner.ranks, self.inner.batch

    def judge(self, query: Query) -> Verdict:
        """Answer as the inner judge does."""
        return self.inner.judge(query)

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer as the inner judge does."""
        return self.inner.judge_many(x, ys, given)

    def first_dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Found | None:
        """Search as the inner judge does."""
        return self.inner.first_dependent(x, ys, given)

    def strongest(self, x: Vars, ys: Sequence[Vars], given: Vars, by: By = "strength") -> Found | None:
        """Search as the inner judge does."""
        return self.inner.strongest(x, ys, given, by)

    def describe(self) -> dict[str, Any]:
        """Describe the inner judge."""
        return dict(self.inner.describe())


def check_orders(orders: Orders) -> None:
    """Refuse an order that is none."""
    good = orders in ("given", "reversed", "both", "all") or (
        isinstance(orders, int) and not isinstance(orders, bool) and orders >= 1
    )
    if not good:
        raise MbeduError(
            f"orders={orders!r}: choose 'given', 'reversed', 'both', 'all', or a number of random orders"
        )


def _orders(variables: tuple[str, ...], orders: Orders, seed: int) -> list[tuple[str, ...]]:
    if orders == "given":
        return [variables]
    if orders == "reversed":
        return [variables[::-1]]
    if orders == "both":
        return list(dict.fromkeys([variables, variables[::-1]]))
    if orders == "all":
        if len(variables) > 6:
            raise MbeduError(
                f"orders='all' of {len(variables)} variables are too many; pass a number of random orders"
            )
        return list(permutations(variables))
    shuffler = random.Random(seed)
    return [tuple(shuffler.sample(variables, len(variables))) for _ in range(int(orders))]


def cases_of(
    item: Any,
    *,
    orders: Orders = "given",
    expect: Expect = "auto",
    m: int = 1,
    targets: Sequence[str] | None = None,
    seed: int = 0,
) -> Iterator[Case]:
    """Yield the cases of one thing to try: a Dag or graph, a Network, a Problem or a judge.

    A graph is asked about by d-separation unless `expect` is "exact", which needs a network; then, as
    for a plain judge, the right answers are all boundaries found by brute force.
    """
    if isinstance(item, Problem):
        yield from _problem_cases(item, orders=orders, expect=expect, m=m, seed=seed)
        return
    if hasattr(item, "edges") and expect != "exact":
        yield from _graph_cases(item, orders=orders, expect=expect, m=m, targets=targets, seed=seed)
        return
    judge = ExactJoint(item) if hasattr(item, "exact_cpt") else item
    if not hasattr(judge, "judge"):
        raise MbeduError(
            f"{item!r} is nothing to verify on; pass all_dags(n), networks, graphs, problems or judges"
        )
    for order in _orders(tuple(judge.variables), orders, seed):
        ordered = judge if order == tuple(judge.variables) else Reordered(judge, order)
        for target in targets or order:
            expected = _brute(ordered, target, expect, m)
            name = f"{type(judge).__name__} over {len(order)} variables"
            yield Case(name, ordered, target, expected, len(order), 0)


def _graph_cases(
    item: Any, *, orders: Orders, expect: Expect, m: int, targets: Sequence[str] | None, seed: int
) -> Iterator[Case]:
    first = DSeparation(item)
    edges = tuple(first.edges)
    name = getattr(item, "name", "") or ", ".join(f"{a} → {b}" for a, b in edges) or "no edges"
    for order in _orders(first.variables, orders, seed):
        judge = first if order == first.variables else DSeparation(list(edges), variables=order)
        for target in targets or order:
            expected = (
                (judge.boundary(target),) if expect != "m-boundary" else _brute(judge, target, expect, m)
            )
            yield Case(str(name), judge, target, expected, len(order), len(edges), edges)


def _problem_cases(problem: Problem, *, orders: Orders, expect: Expect, m: int, seed: int) -> Iterator[Case]:
    for order in _orders(problem.variables, orders, seed):
        judge = problem.judge if order == problem.variables else Reordered(problem.judge, order)
        known = problem.boundaries if expect != "m-boundary" else ()
        expected = known or _brute(judge, problem.target, expect, m)
        yield Case(problem.name, judge, problem.target, expected, len(order), 0)


def _brute(judge: Judge, target: str, expect: Expect, m: int) -> tuple[frozenset[str], ...]:
    if expect == "m-boundary":
        return tuple(m_boundaries(judge, target, m))
    return tuple(boundaries(judge, target))
