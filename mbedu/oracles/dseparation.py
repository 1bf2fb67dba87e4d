"""d-separation: the independencies that a directed acyclic graph promises.

A path is *active* given Z when every collider on it (→ v ←) is in Z or has a descendant in Z, and no
other inner node is in Z. X and Y are d-separated by Z when no path between them is active [1]_. In a
distribution that factorises over the graph, d-separated variables are independent; the converse is
faithfulness, which a deterministic or finely tuned distribution breaks.

The walk is the Bayes ball [2]_: a ball that comes from a child goes on to parents and children; one that
comes from a parent goes on to the children, unless the node is given, and bounces back to the
parents when the node or a descendant of it is given. Sets of nodes are bits of Python integers.

References
----------
.. [1] J. Pearl, Probabilistic Reasoning in Intelligent Systems, Morgan Kaufmann, 1988, section 3.3.
.. [2] R. Shachter, Bayes-Ball: the rational pastime, UAI 1998.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mbedu.errors import unknown
from mbedu.judge import Batched, Found, Verdict, check_known
from mbedu.oracles._graph import read_graph, topological
from mbedu.oracles._paths import explain_paths
from mbedu.query import Query, Vars, names
from mbedu.varset import Subsets

__all__ = ["DSeparation"]

INDEPENDENT, DEPENDENT = Verdict(True), Verdict(False)  # the two verdicts carry no evidence, so two do


class DSeparation(Batched):
    """The oracle that reads independence off a directed acyclic graph.

    Parameters
    ----------
    graph : list of (parent, child), networkx.DiGraph, pgmpy model or Network
        The graph; it is checked once, here.
    variables : iterable of str, optional
        All nodes, in the order that breaks ties; also the way to add isolated nodes to a list of edges.
        By default the graph's own order of nodes.

    Notes
    -----
    There is no p-value and no strength: a graph says whether, not how much (`ranks` is False).

    Examples
    --------
    >>> oracle = DSeparation([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])
    >>> oracle.judge(Query("rain", "sprinkler")).independent
    True
    >>> oracle.judge(Query("rain", "sprinkler", "slippery")).independent
    False
    >>> sorted(oracle.boundary("rain"))
    ['sprinkler', 'wet']
    """

    ranks = False

    def __init__(self, graph: Any, *, variables: Iterable[str] | None = None) -> None:
        self.variables, self.edges = read_graph(graph, variables)
        self._bit = {v: 1 << i for i, v in enumerate(self.variables)}
        n = len(self.variables)
        index = {v: i for i, v in enumerate(self.variables)}
        self._parents, self._children = [0] * n, [0] * n
        for parent, child in self.edges:
            self._parents[index[child]] |= 1 << index[parent]
            self._children[index[parent]] |= 1 << index[child]
        order = [index[v] for v in topological(self.variables, self.edges)]
        # both closures hold the node itself
        self._ancestors = _closure(order, self._parents)
        self._descendants = _closure(order[::-1], self._children)
        self._above = dict(zip(self.variables, self._ancestors, strict=True))

    # ------------------------------------------------------------------ the graph
    def parents(self, variable: str) -> tuple[str, ...]:
        """Return the parents of `variable`, in variable order."""
        return self._members(self._parents[self._index(variable)])

    def children(self, variable: str) -> tuple[str, ...]:
        """Return the children of `variable`, in variable order."""
        return self._members(self._children[self._index(variable)])

    def boundary(self, target: str) -> frozenset[str]:
        """Return the parents, children and spouses of `target`: its Markov boundary in a faithful world."""
        i = self._index(target)
        mask = self._parents[i] | self._children[i]
        for child in _positions(self._children[i]):
            mask |= self._parents[child]
        return frozenset(self._members(mask & ~(1 << i)))

    def _index(self, variable: str) -> int:
        if variable not in self._bit:
            raise unknown("variable", variable, self.variables)
        return self._bit[variable].bit_length() - 1

    def _members(self, mask: int) -> tuple[str, ...]:
        return tuple(self.variables[i] for i in _positions(mask))

    # ------------------------------------------------------------------ the walk
    def _reach(self, x: int, given: int) -> int:
        """Return every node that is d-connected to some node of `x` given `given`, as a mask."""
        parents, children, descendants = self._parents, self._children, self._descendants
        opened = self._opened(given)
        up, down = x, 0  # still to visit: arriving from a child, arriving from a parent
        seen_up = seen_down = 0
        while up or down:
            if up:
                v = up.bit_length() - 1
                seen_up |= 1 << v
                up |= parents[v] & ~given
                down |= children[v]
            else:
                v = down.bit_length() - 1
                low = 1 << v
                if low & opened:
                    seen_down |= low
                    up |= parents[v] & ~given  # a given parent stops a ball that comes from a child
                    if not low & given:
                        down |= children[v]
                else:  # nothing below v is given, so the ball falls through to all descendants
                    seen_down |= descendants[v]
            up &= ~seen_up
            down &= ~seen_down
        return (seen_up | seen_down) & ~(x | given)

    def _connected(self, x: int, y: int, above_y: int, given: int, opened: int) -> bool:
        """Say whether some node of `x` is d-connected to one of `y`; stops at the first path found.

        `above_y` and `opened` are `y` and `given`, each with all ancestors.
        """
        parents, children = self._parents, self._children
        # A ball that falls on a node above y with nothing given below it falls on to y; one that falls
        # on a node with neither y nor given below it is lost. So only opened nodes need a visit. (An
        # opened y would be met later, when the ball bounces back; to add y only ends the walk sooner.)
        falls = above_y & ~opened | y
        free = ~given
        up, down, seen_up, seen_down = x, 0, 0, 0
        while up or down:
            if up:
                v = up.bit_length() - 1
                seen_up |= 1 << v
                above, below = parents[v] & free, children[v]
            else:
                v = down.bit_length() - 1
                low = 1 << v
                seen_down |= low
                above, below = parents[v] & free, 0 if low & given else children[v]
            if above & y or below & falls:
                return True
            up = (up | above) & ~seen_up
            down = (down | below & opened) & ~seen_down
        return False

    def _opened(self, given: int) -> int:
        """Return the nodes at which a collider is open: those in `given` and all their ancestors."""
        ancestors, opened = self._ancestors, 0
        while given:
            v = given.bit_length() - 1
            opened |= ancestors[v]
            given ^= 1 << v
        return opened

    # ------------------------------------------------------------------ the verbs
    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        bit, above = self._bit, self._above
        x = y = above_y = given = opened = 0
        try:
            for v in query.x:
                x |= bit[v]
            for v in query.y:
                y |= bit[v]
                above_y |= above[v]
            for v in query.given:
                given |= bit[v]
                opened |= above[v]
        except KeyError:
            check_known(self.variables, query)
            raise
        return DEPENDENT if self._connected(x, y, above_y, given, opened) else INDEPENDENT

    def judge_many(self, x: Vars, ys: Sequence[Vars], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given for each y; one pass over the graph answers them all."""
        x_names, given_names = names(x), names(given)
        reached, taken = self._prepare(x_names, given_names, ys)
        return [
            DEPENDENT if self._mask(y, taken, x_names, given_names) & reached else INDEPENDENT for y in ys
        ]

    def first_dependent(self, x: Vars, ys: Sequence[Vars], given: Vars) -> Found | None:
        """Return the first candidate that is d-connected to x, or None; one pass over the graph."""
        x_names, given_names = names(x), names(given)
        reached, taken = self._prepare(x_names, given_names, ys)
        if isinstance(ys, Subsets) and ys.smallest and len(ys):
            # a set is connected when one of its members is (d-separation is compositional), so the first
            # connected set fills up with the earliest items and ends with the first connected one
            hits = [self._mask(item, taken, x_names, given_names) & reached for item in ys.items]
            first = next((i for i, hit in enumerate(hits) if hit), None)
            return None if first is None else Found(max(0, first + 1 - ys.smallest), DEPENDENT)
        for i, y in enumerate(ys):
            if self._mask(y, taken, x_names, given_names) & reached:
                return Found(i, DEPENDENT)
        return None

    def leave_one_out(self, x: Vars, ys: Sequence[str], given: Vars) -> list[Verdict]:
        """Answer x ⊥ y | given − {y} for each y in `ys`, in order."""
        x_names, given_names = names(x), names(given)
        bit, verdicts = self._bit, []
        sound = bool(x_names) and x_names.isdisjoint(given_names) and x_names | given_names <= bit.keys()
        x_mask, z_mask = (sum(bit[v] for v in side) if sound else 0 for side in (x_names, given_names))
        for y in ys:
            if not sound or not isinstance(y, str) or y not in bit or y in x_names:
                verdicts.append(self.judge(Query(x_names, y, given_names - {y})))  # raises, with the reason
                continue
            rest = z_mask & ~bit[y]
            found = self._connected(x_mask, bit[y], self._above[y], rest, self._opened(rest))
            verdicts.append(DEPENDENT if found else INDEPENDENT)
        return verdicts

    def _known(self, wanted: frozenset[str], y: Vars, rest: frozenset[str]) -> int:
        bit, mask = self._bit, 0
        for v in wanted:
            if v not in bit:
                check_known(self.variables, Query.trusted(wanted, names(y), rest))
            mask |= bit[v]
        return mask

    def _prepare(self, x: frozenset[str], given: frozenset[str], ys: Sequence[Vars]) -> tuple[int, int]:
        """Return what `x` reaches, and the mask of the names that no candidate may use."""
        if not len(ys):
            return 0, 0  # as one by one: with no candidate there is no question to refuse
        y = next(iter(ys))
        if not x or not x.isdisjoint(given):
            Query(x, y, given)  # raises, with the reason
        x_mask, z_mask = self._known(x, y, given), self._known(given, y, x)
        return self._reach(x_mask, z_mask), x_mask | z_mask

    def _mask(self, y: Vars, taken: int, x: frozenset[str], given: frozenset[str]) -> int:
        """Return the candidate as a mask, refused exactly as a query would refuse it."""
        bit = self._bit
        mask = 0
        try:
            if isinstance(y, str):
                mask = bit[y]
            else:
                for v in y:
                    mask |= bit[v]
        except (KeyError, TypeError):
            check_known(self.variables, Query(x, y, given))
            raise
        if not mask or mask & taken:
            Query(x, y, given)  # raises, with the reason
        return mask

    # ------------------------------------------------------------------ for the reader
    def describe(self) -> dict[str, Any]:
        """Say what this judge is: its kind, variables and edges."""
        return {
            "kind": "DSeparation",
            "variables": list(self.variables),
            "edges": [list(edge) for edge in self.edges],
        }

    def explain(self, query: Query, *, most: int = 8) -> dict[str, Any]:
        """Say why: an active path when dependent, what blocks each path when independent.

        Parameters
        ----------
        query : Query
            The question.
        most : int
            How many blocked paths to list, shortest first; `complete` says whether these are all.

        Returns
        -------
        dict
            Plain JSON values: `query`, `independent`, `text`; when dependent `path` (a shortest active
            path) and `steps` (why each inner node lets it through); when independent `blocked`, a list of
            `path`, `node` and `how`, and `complete`.

        Examples
        --------
        >>> oracle = DSeparation([("A", "C"), ("B", "C"), ("C", "D")])
        >>> oracle.explain(Query("A", "B", "D"))["path"]
        ['A', 'C', 'B']
        >>> oracle.explain(Query("A", "D", "C"))["blocked"][0]["how"]
        'chain node in the given set'
        """
        independent = self.judge(query).independent
        return {"query": str(query), "independent": independent} | explain_paths(
            self.variables, self._parents, self._children, self._ancestors, query, independent, most
        )

    def __repr__(self) -> str:
        return f"<DSeparation: {len(self.variables)} variables, {len(self.edges)} edges>"


def _positions(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _closure(order: Sequence[int], step: Sequence[int]) -> list[int]:
    """Return for each node all that `step` leads to, itself included; `order` visits targets first."""
    closed = [0] * len(order)
    for i in order:
        mask = 1 << i
        for j in _positions(step[i]):
            mask |= closed[j]
        closed[i] = mask
    return closed
