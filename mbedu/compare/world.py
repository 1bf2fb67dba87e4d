"""Where truth and data come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from mbedu.errors import JudgeError, unknown
from mbedu.judge import Judge, Verdict
from mbedu.problem import Problem
from mbedu.query import Query

__all__ = ["World", "oracle_of"]

CELLS = 20_000  # joint states up to which a network's exact distribution is the oracle by default


@dataclass
class World:
    """The oracle, the target, where rows are drawn, and the boundary where it is known."""

    oracle: Judge
    target: str
    source: Any
    data: Any = None
    boundary: frozenset[str] | None = None
    edges: tuple[tuple[str, str], ...] | None = None
    known: dict[Query, Verdict] = field(default_factory=dict)

    @classmethod
    def of(cls, net: Any, target: str | None, oracle: Any) -> World:
        boundary, data, edges = None, None, None
        if isinstance(net, Problem):
            target = net.target if target is None else target
            if net.boundaries and target == net.target:
                boundary = net.boundaries[0]
            net = net.judge
        if isinstance(net, tuple | list) and len(net) == 2:
            net, data = net
        judge = oracle_of(net, oracle)
        if target is None or target not in judge.variables:
            raise unknown("target", target, judge.variables, hint="Pass target='…', one of the variables.")
        if hasattr(net, "exact_cpt"):  # a network
            edges = tuple(net.edges)
            boundary = frozenset(net.boundary(target))
        return cls(judge, target, net, data, boundary, edges)

    def truth_of(self, query: Query) -> Verdict:
        if query not in self.known:
            self.known[query] = self.oracle.judge(query)
        return self.known[query]

    def draw(self, n: int, seed: int) -> tuple[Any, Judge | None]:
        """Return data, or a judge where one was given in the place of data."""
        if self.data is not None:
            return (None, self.data) if hasattr(self.data, "judge") else (self.data, None)
        if not hasattr(self.source, "sample"):
            raise JudgeError(
                f"{self.source!r} cannot draw data; pass (judge, data), or something with sample(n, seed=…) "
                "such as a network, ExactJoint or ExactGaussian"
            )
        return self.source.sample(n, seed=seed), None


def oracle_of(net: Any, oracle: Any) -> Judge:
    """Return the judge that knows the truth."""
    if oracle is not None and not isinstance(oracle, str):
        judge: Judge = oracle
        return judge
    if oracle not in (None, "exact", "dsep"):
        raise JudgeError(f"oracle={oracle!r}: it is 'exact', 'dsep', or a judge")
    if not hasattr(net, "exact_cpt"):
        if not hasattr(net, "judge"):
            raise JudgeError(
                f"{net!r} is no world to compare in; pass a network, a problem, an exact judge "
                "or (judge, data)"
            )
        return net  # type: ignore[no-any-return]
    from mbedu.oracles import DSeparation, ExactJoint

    small = prod(len(net.states(v)) for v in net.variables) <= CELLS
    if oracle == "exact" or (oracle is None and small):
        return ExactJoint(net)
    return DSeparation(net)
