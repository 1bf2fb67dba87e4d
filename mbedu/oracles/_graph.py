"""Read a directed acyclic graph from whatever holds one, and refuse what is not one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from mbedu.errors import JudgeError, unknown

__all__ = ["Edge", "check_variables", "find_cycle", "read_graph", "topological"]

Edge: TypeAlias = tuple[str, str]


def read_graph(graph: Any, variables: Iterable[str] | None) -> tuple[tuple[str, ...], list[Edge]]:
    """Return the variables in order and the edges of `graph`, checked: names, loops, duplicates, cycles.

    Examples
    --------
    >>> read_graph([("B", "A"), ("A", "C")], None)
    (('B', 'A', 'C'), [('B', 'A'), ('A', 'C')])
    >>> read_graph([("A", "B"), ("B", "A")], None)
    Traceback (most recent call last):
        ...
    mbedu.errors.JudgeError: the edges form a cycle: A → B → A; a graph for d-separation must be acyclic, ...
    """
    found, pairs = _take_apart(graph)
    edges = _check_edges(pairs)
    if found is None:
        found = list(dict.fromkeys(v for edge in edges for v in edge))
    order = check_variables(found if variables is None else variables)
    known = set(order)
    hint = "`variables` must name every node of the graph" if variables is not None else ""
    for v in (*found, *(v for edge in edges for v in edge)):
        if v not in known:
            raise unknown("node", v, order, hint=hint)
    cycle = find_cycle(order, edges)
    if cycle:
        raise JudgeError(
            f"the edges form a cycle: {' → '.join(cycle)}; "
            "a graph for d-separation must be acyclic, so remove one of them"
        )
    return order, edges


def _take_apart(graph: Any) -> tuple[list[Any] | None, list[Any]]:
    """Split a Network, a networkx or pgmpy graph or a plain list into nodes (None: not told) and edges."""
    if isinstance(graph, (str, bytes, Mapping)) or not (
        hasattr(graph, "edges") or isinstance(graph, Iterable)
    ):
        raise JudgeError(
            f"{graph!r} is not a graph; pass a list of (parent, child) pairs, a networkx.DiGraph, "
            "a pgmpy model or an mbedu Network"
        )
    if not hasattr(graph, "edges"):
        return None, list(graph)
    directed = getattr(graph, "is_directed", None)
    if callable(directed) and not directed():
        raise JudgeError(f"{type(graph).__name__} is undirected; d-separation needs a networkx.DiGraph")
    edges = graph.edges() if callable(graph.edges) else graph.edges
    nodes = graph.variables if hasattr(graph, "variables") else graph.nodes
    return list(nodes() if callable(nodes) else nodes), list(edges)


def _check_edges(pairs: Sequence[Any]) -> list[Edge]:
    edges: list[Edge] = []
    seen: set[Edge] = set()
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise JudgeError(f"{pair!r} is not an edge; an edge is a pair (parent, child) of names")
        parent, child = pair
        for v in (parent, child):
            if not isinstance(v, str):
                raise JudgeError(_not_a_name(v))
        if parent == child:
            raise JudgeError(
                f"{parent!r} → {child!r} is a self-loop; no variable is its own parent: remove it"
            )
        if (parent, child) in seen:
            raise JudgeError(f"the edge {parent!r} → {child!r} is listed twice; list every edge once")
        seen.add((parent, child))
        edges.append((parent, child))
    return edges


def _not_a_name(value: object) -> str:
    return (
        f"{value!r} ({type(value).__name__}) is not a variable name; names are strings, "
        "so rename the nodes first, for example with networkx.relabel_nodes(graph, str)"
    )


def check_variables(variables: Iterable[str]) -> tuple[str, ...]:
    """Return `variables` as a tuple; refuse a bare string, names that are not strings, and repeats.

    Examples
    --------
    >>> check_variables(["A", "B", "A"])
    Traceback (most recent call last):
        ...
    mbedu.errors.JudgeError: variable 'A' is listed twice; every variable has one name of its own
    """
    if isinstance(variables, str):
        raise JudgeError(
            f"variables={variables!r} is one string; pass a list of names, as in [{variables!r}]"
        )
    order = tuple(variables)
    seen: set[str] = set()
    for v in order:
        if not isinstance(v, str):
            raise JudgeError(_not_a_name(v))
        if v in seen:
            raise JudgeError(f"variable {v!r} is listed twice; every variable has one name of its own")
        seen.add(v)
    return order


def topological(variables: Sequence[str], edges: Iterable[Edge]) -> list[str]:
    """Return the variables parents first; those on or below a cycle are left out.

    Among the variables whose parents are all out, the one that became free first goes first.
    """
    waiting = dict.fromkeys(variables, 0)
    children: dict[str, list[str]] = {v: [] for v in variables}
    for parent, child in edges:
        waiting[child] += 1
        children[parent].append(child)
    order = [v for v in variables if not waiting[v]]
    for v in order:  # grows while it is read
        for child in children[v]:
            waiting[child] -= 1
            if not waiting[child]:
                order.append(child)
    return order


def find_cycle(variables: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """Return one directed cycle, its first node repeated at the end, or an empty list."""
    left = set(variables) - set(topological(variables, edges))
    if not left:
        return []
    # every node that is left over has a parent that is left over: walking up must meet itself
    parent = {child: p for p, child in edges if child in left and p in left}
    walk = [next(v for v in variables if v in left)]
    while walk[-1] not in walk[:-1]:
        walk.append(parent[walk[-1]])
    cycle = walk[walk.index(walk[-1]) :]
    cycle.reverse()
    # start at the earliest variable, so that the message does not depend on where the walk began
    first = min(range(len(cycle) - 1), key=lambda i: variables.index(cycle[i]))
    body = cycle[:-1]
    return [*body[first:], *body[:first], body[first]]
