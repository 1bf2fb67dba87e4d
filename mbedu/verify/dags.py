"""Every directed acyclic graph with n nodes, each exactly once, by number.

A DAG has one layering: its sources, the sources of what is left, and so on. Every node of a layer has at
least one parent in the layer just before and any parents further up. So the DAGs with a given
layering are a product of independent choices, and the i-th DAG can be built without the others:
a sweep can be cut into ranges, spread over processes and resumed. The counts are those of
Robinson (1973): 1, 3, 25, 543, 29,281, 3,781,503.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, combinations, permutations
from typing import Literal, NamedTuple, overload

from mbedu.errors import MbeduError

__all__ = ["AllDags", "Dag", "all_dags"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 7  # beyond that even the list of layerings is long, and nobody can wait for the DAGs


class Dag(NamedTuple):
    """A graph as a value: the nodes in their order, and the edges (parent, child)."""

    variables: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        linked = {v for edge in self.edges for v in edge}
        parts = [f"{a} → {b}" for a, b in self.edges] + [v for v in self.variables if v not in linked]
        return ", ".join(parts)


class Layering(NamedTuple):
    """One way to stack the nodes in layers, and how many DAGs have it."""

    layers: tuple[tuple[int, ...], ...]
    above: tuple[tuple[int, int, int], ...]  # node, mask just above, mask further up; not for the top
    dags: int


class AllDags(Sequence[Dag]):
    """All labelled DAGs with `n` nodes as a lazy sequence; see `all_dags`."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.variables = tuple(LETTERS[:n])
        self._layerings = _layerings(n)
        self._ends = list(accumulate(layering.dags for layering in self._layerings))

    exhaustive = True

    def __len__(self) -> int:
        return self._ends[-1]

    @overload
    def __getitem__(self, i: int) -> Dag: ...
    @overload
    def __getitem__(self, i: slice) -> list[Dag]: ...
    def __getitem__(self, i: int | slice) -> Dag | list[Dag]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        size = len(self)
        if not -size <= i < size:
            raise IndexError(f"DAG {i} of {size}")
        i %= size
        place = bisect_right(self._ends, i)
        layering = self._layerings[place]
        return self._build(layering, i - (self._ends[place - 1] if place else 0))

    def _build(self, layering: Layering, rest: int) -> Dag:
        edges: list[tuple[int, int]] = []
        for node, near, far in layering.above:
            near_nodes, far_nodes = _bits(near), _bits(far)
            rest, choice = divmod(rest, (2 ** len(near_nodes) - 1) * 2 ** len(far_nodes))
            further, chosen = divmod(choice, 2 ** len(near_nodes) - 1)
            edges += [(p, node) for k, p in enumerate(near_nodes) if (chosen + 1) >> k & 1]
            edges += [(p, node) for k, p in enumerate(far_nodes) if further >> k & 1]
        names = self.variables
        return Dag(names, tuple((names[a], names[b]) for a, b in sorted(edges)))

    def __iter__(self) -> Iterator[Dag]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<all {len(self):,} DAGs with {self.n} nodes>"


class DagClasses(Sequence[Dag]):
    """One DAG of each isomorphism class with `n` nodes."""

    exhaustive = True

    def __init__(self, n: int) -> None:
        self.n = n
        self.variables = tuple(LETTERS[:n])
        self._edges = _classes(n)

    def __len__(self) -> int:
        return len(self._edges)

    @overload
    def __getitem__(self, i: int) -> Dag: ...
    @overload
    def __getitem__(self, i: slice) -> list[Dag]: ...
    def __getitem__(self, i: int | slice) -> Dag | list[Dag]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        names = self.variables
        return Dag(names, tuple((names[a], names[b]) for a, b in self._edges[i]))

    def __repr__(self) -> str:
        return f"<all {len(self):,} DAGs with {self.n} nodes up to isomorphism>"


def all_dags(n: int, *, up_to: Literal["labels", "isomorphism"] = "labels") -> AllDags | DagClasses:
    """Return every DAG with `n` nodes, lazily.

    Parameters
    ----------
    n : int
        The number of nodes, named A, B, C, …; at most 7 (6 up to isomorphism).
    up_to : {"labels", "isomorphism"}
        All labelled DAGs (which, for a fixed order of the variables, covers every variable order of
        every graph), or one representative of each shape (try those with several variable orders).

    Examples
    --------
    >>> len(all_dags(4)), len(all_dags(6)), len(all_dags(4, up_to="isomorphism"))
    (543, 3781503, 31)
    >>> print(all_dags(3)[24])
    B → A, C → A, C → B
    """
    if up_to not in ("labels", "isomorphism"):
        raise MbeduError(f"up_to={up_to!r}: choose 'labels' or 'isomorphism'")
    most = MOST if up_to == "labels" else 6
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= most:
        raise MbeduError(
            f"n={n!r}: all DAGs can be listed for 1 to {most} nodes; "
            "for larger graphs use random_dags(n, count)"
        )
    return AllDags(n) if up_to == "labels" else DagClasses(n)


@cache
def _layerings(n: int) -> tuple[Layering, ...]:
    found = []
    for layers in _ordered_partitions(tuple(range(n))):
        above, count, before, near = [], 1, 0, 0
        for depth, layer in enumerate(layers):
            if depth:
                far = before & ~near
                for node in layer:
                    above.append((node, near, far))
                    count *= (2 ** near.bit_count() - 1) * 2 ** far.bit_count()
            near = sum(1 << node for node in layer)
            before |= near
        found.append(Layering(layers, tuple(above), count))
    return tuple(found)


def _ordered_partitions(items: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    if not items:
        yield ()
        return
    for size in range(len(items), 0, -1):  # flattest first, so that small graphs come early
        for first in combinations(items, size):
            rest = tuple(i for i in items if i not in first)
            for others in _ordered_partitions(rest):
                yield (first, *others)


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


@cache
def _classes(n: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the edges of one DAG of each class: of all upper triangular ones, the least relabelling."""
    import numpy as np

    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    codes = np.arange(2 ** len(pairs), dtype=np.int64)
    least = np.full(codes.shape, np.iinfo(np.int64).max)
    for order in permutations(range(n)):
        relabelled = np.zeros_like(codes)
        for k, (a, b) in enumerate(pairs):
            relabelled |= (codes >> k & 1) << (order[a] * n + order[b])
        np.minimum(least, relabelled, out=least)
    _, first = np.unique(least, return_index=True)
    chosen = sorted((int(c).bit_count(), int(c)) for c in codes[first])
    return tuple(tuple(pair for k, pair in enumerate(pairs) if code >> k & 1) for _, code in chosen)
