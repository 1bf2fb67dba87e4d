"""What checks about graphs share: why two variables are connected or not, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mbedu.oracles import DSeparation
from mbedu.query import Query

__all__ = ["arrows", "connected", "why_connected", "why_separated"]


def arrows(text: str, order: str = "") -> DSeparation:
    """Return the oracle of a graph written as "A>C B>C"; `order` lists the variables.

    Examples
    --------
    >>> arrows("A>C B>C", "A B C").edges
    [('A', 'C'), ('B', 'C')]
    """
    pairs = [tuple(pair.split(">")) for pair in text.split()]
    return DSeparation(pairs, variables=order.split() or None)


def connected(judge: Any, x: str, y: str, given: Iterable[str]) -> bool:
    """Say whether x and y are dependent given a set."""
    return not judge.judge(Query(x, y, given)).independent


def why_connected(judge: DSeparation, x: str, y: str, given: Iterable[str]) -> str:
    """Name one open path between x and y."""
    return f"the path {judge.explain(Query(x, y, given))['written']} is open"


def why_separated(judge: DSeparation, x: str, y: str, given: Iterable[str]) -> str:
    """Name one path between x and y and what blocks it."""
    blocked = judge.explain(Query(x, y, given))["blocked"]
    if not blocked:
        return "there is no path between them"
    first = blocked[0]
    return f"the path {first['written']} is blocked at {first['node']} ({first['how']})"
