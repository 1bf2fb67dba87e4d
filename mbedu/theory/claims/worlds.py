"""The worlds in which claims are checked: every small distribution, every small graph, and random ones.

What a checker asks of a distribution is which independencies hold in it. So of all tables with small
weights only one is kept for each *pattern* of independencies, the smallest, and a claim that holds
for it holds for all the others. The patterns of ten thousands of tables are computed at once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, permutations, product
from typing import Any, overload

import numpy as np

from mbedu.errors import JudgeError
from mbedu.judge import Batched, Verdict
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.query import Query, Vars, names
from mbedu.theory.axioms import check_axioms

__all__ = [
    "Part", "Threshold", "World", "Worlds", "dags", "hidden_chain", "independencies", "random_tables",
    "shapes", "small_tables", "tables",
]  # fmt: skip

NAMES = "TABCDEFG"


@dataclass(frozen=True)
class World:
    """One distribution (a table of whole-number weights) or one graph, with a target.

    Examples
    --------
    >>> xor = World(("T", "A", "B"), "T", table={(0, 0, 0): 1, (0, 1, 1): 1, (1, 0, 1): 1, (1, 1, 0): 1})
    >>> print(xor)
    T, A, B with the rows 000, 011, 101, 110 equally likely
    >>> print(World(("T", "C", "S"), "T", edges=(("T", "C"), ("S", "C"))))
    T → C, S → C
    """

    variables: tuple[str, ...]
    target: str
    table: dict[tuple[int, ...], int] | None = None
    edges: tuple[tuple[str, str], ...] | None = None

    @cached_property
    def judge(self) -> Any:
        """The oracle: exact arithmetic for a table, d-separation for a graph."""
        if self.table is not None:
            return ExactJoint(self.table, variables=self.variables)
        return DSeparation(list(self.edges or ()), variables=self.variables)

    @property
    def others(self) -> tuple[str, ...]:
        """All variables but the target."""
        return tuple(v for v in self.variables if v != self.target)

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What was computed about this world before; many claims ask the same of it."""
        return {}

    def obeys(self, axiom: str) -> bool:
        """Say whether an axiom holds here, in every instance."""
        if axiom not in self.memo:
            self.memo[axiom] = bool(check_axioms(self.judge, axioms=axiom)[axiom])
        return bool(self.memo[axiom])

    def aimed_at(self, target: str) -> World:
        """Return the same world with another target."""
        return World(self.variables, target, self.table, self.edges)

    def __str__(self) -> str:
        if self.table is None:
            linked = {v for edge in self.edges or () for v in edge}
            parts = [f"{a} → {b}" for a, b in self.edges or ()]
            return ", ".join(parts + [v for v in self.variables if v not in linked])
        rows = {"".join(map(str, cell)): w for cell, w in sorted(self.table.items()) if w}
        said = f"{', '.join(self.variables)} with "
        if len(rows) == 1:
            return said + f"the only row {next(iter(rows))}"
        if len(set(rows.values())) == 1:
            return said + f"the rows {', '.join(rows)} equally likely"
        return said + "the weights " + ", ".join(f"{row}: {w}" for row, w in rows.items())


class Worlds(Sequence[World]):
    """Some worlds, and in words how they were chosen; `a + b` joins both."""

    def __init__(self, worlds: Sequence[World], text: str) -> None:
        self._worlds, self.text = tuple(worlds), text

    @overload
    def __getitem__(self, i: int) -> World: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[World]: ...
    def __getitem__(self, i: int | slice) -> World | Sequence[World]:
        return self._worlds[i]

    def __len__(self) -> int:
        return len(self._worlds)

    def __add__(self, other: Worlds) -> Worlds:
        return self.joined(other, f"{self.text}; {other.text}")

    def joined(self, other: Worlds, text: str) -> Worlds:
        """Return both, with words of their own."""
        return Worlds((*self._worlds, *other._worlds), text)

    def where(self, condition: Any, words: str) -> Worlds:
        """Return those that fulfil a condition; the words say which."""
        kept = [w for w in self._worlds if condition(w)]
        return Worlds(kept, f"{self.text}; of these the {len(kept):,} {words}")

    def aimed_everywhere(self) -> Worlds:
        """Return each world once for every variable as its target."""
        return Worlds([w.aimed_at(v) for w in self._worlds for v in w.variables], f"{self.text} × targets")


# ---------------------------------------------------------------------- tables
@lru_cache(maxsize=8)
def _triples(n: int) -> tuple[tuple[int, int, int], ...]:
    """Return all (x, y, z) of disjoint masks with x < y, neither empty."""
    found = []
    for roles in product(range(4), repeat=n):
        x, y, z = (sum(1 << i for i, r in enumerate(roles) if r == part) for part in (1, 2, 3))
        if x and y and x < y:
            found.append((x, y, z))
    return tuple(sorted(found, key=lambda t: (t[2].bit_count(), t)))


def independencies(weights: np.ndarray) -> np.ndarray:
    """Return for each table (first axis; one more axis a variable) which independencies hold in it.

    Examples
    --------
    >>> xor = np.zeros((1, 2, 2, 2), np.int64)
    >>> for a, b in product((0, 1), repeat=2): xor[0, a ^ b, a, b] = 1
    >>> int(independencies(xor).sum()), independencies(xor).shape
    (3, (1, 9))
    """
    n = weights.ndim - 1
    sums: dict[int, np.ndarray] = {}

    def total(mask: int) -> np.ndarray:
        if mask not in sums:
            axes = tuple(i + 1 for i in range(n) if not mask >> i & 1)
            sums[mask] = weights.sum(axis=axes, keepdims=True) if axes else weights
        return sums[mask]

    axes = tuple(range(1, n + 1))
    columns = [
        (total(x | y | z) * total(z) == total(x | z) * total(y | z)).all(axis=axes) for x, y, z in _triples(n)
    ]
    return np.stack(columns, axis=1)


def _one_a_pattern(weights: np.ndarray, *, symmetric: bool) -> list[np.ndarray]:
    """Return the smallest table of each pattern: fewest rows, then least weight, then the first.

    With `symmetric` patterns that differ only in the names of the other variables count as one.
    """
    flat = weights.reshape(len(weights), -1)
    order = np.lexsort((*-flat.T[::-1], flat.sum(axis=1), (flat > 0).sum(axis=1)))
    facts = independencies(weights)
    codes = _least_renaming(facts, weights.ndim - 1) if symmetric else np.packbits(facts, axis=1)
    _, first = np.unique(codes[order], axis=0, return_index=True)
    return [weights[order[i]] for i in sorted(first.tolist())]


def _least_renaming(facts: np.ndarray, n: int) -> np.ndarray:
    """Return each pattern under those names of the other variables that make it least."""
    number = {t: i for i, t in enumerate(_triples(n))}

    def renamed(mask: int, to: Sequence[int]) -> int:
        return sum(1 << to[i] for i in range(n) if mask >> i & 1)

    best: np.ndarray | None = None
    for others in permutations(range(1, n)):
        to = (0, *others)
        moved = []
        for x, y, z in _triples(n):
            a, b, c = renamed(x, to), renamed(y, to), renamed(z, to)
            moved.append(number[(a, b, c) if a < b else (b, a, c)])
        codes = np.packbits(facts[:, moved], axis=1)
        best = codes if best is None else _smaller(best, codes)
    return best if best is not None else np.packbits(facts, axis=1)


def _smaller(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return row by row the lexicographically smaller one."""
    differ = a != b
    where = differ.argmax(axis=1)
    rows = np.arange(len(a))
    less = differ.any(axis=1) & (b[rows, where] < a[rows, where])
    smaller: np.ndarray = np.where(less[:, None], b, a)
    return smaller


def _as_world(weights: np.ndarray) -> World:
    common = int(np.gcd.reduce(weights, axis=None))
    cells = {tuple(map(int, cell)): int(weights[tuple(cell)]) // common for cell in np.argwhere(weights)}
    variables = tuple(NAMES[: weights.ndim])
    return World(variables, "T", table=cells)


def tables(n: int, largest: int) -> np.ndarray:
    """Return every table of weights 0 … `largest` over `n` binary variables, but the empty one."""
    count = (largest + 1) ** (2**n)
    codes = np.arange(1, count, dtype=np.int64)
    digits: np.ndarray = (codes[:, None] // (largest + 1) ** np.arange(2**n)[::-1]) % (largest + 1)
    return digits.reshape(-1, *[2] * n)


@lru_cache(maxsize=16)
def small_tables(n: int, largest: int, *, symmetric: bool = True) -> Worlds:
    """Return one world for each pattern of independencies among all tables with small weights.

    Examples
    --------
    >>> print(small_tables(3, 1).text)
    all 255 tables with weights 0 to 1 over 3 binary variables (14 patterns of independence)
    """
    weights = tables(n, largest)
    kept = _one_a_pattern(weights, symmetric=symmetric)
    text = (
        f"all {len(weights):,} tables with weights 0 to {largest} over {n} binary variables "
        f"({len(kept):,} patterns of independence)"
    )
    return Worlds([_as_world(w) for w in kept], text)


@lru_cache(maxsize=8)
def random_tables(n: int, count: int, seed: int, *, distinct: bool = True) -> Worlds:
    """Return random exact joints of `n` binary variables: random graphs with quarters as probabilities.

    In every second one a variable with parents is a function of them with probability 1/2. With
    `distinct` one of each pattern of independencies is kept.
    """
    coin = random.Random(f"{seed}/{n}/{count}")
    drawn = np.stack([_random_table(n, coin, functions=bool(i % 2)) for i in range(count)])
    kept = _one_a_pattern(drawn, symmetric=False) if distinct else list(drawn)
    text = f"{count:,} random exact joints over {n} binary variables, half of them with functions"
    text += f" ({len(kept):,} patterns)" if distinct else ""
    return Worlds([_as_world(w) for w in kept], text)


def _random_table(n: int, coin: random.Random, *, functions: bool) -> np.ndarray:
    order = coin.sample(range(n), n)
    weights = np.ones([2] * n, dtype=np.int64)
    for place, v in enumerate(order):
        parents = [p for p in order[:place] if coin.random() < 0.5]
        function = functions and parents and coin.random() < 0.5
        for values in product((0, 1), repeat=len(parents)):
            quarters = coin.choice((0, 4)) if function else coin.choice((1, 2, 3))
            index: list[Any] = [slice(None)] * n
            for p, value in zip(parents, values, strict=True):
                index[p] = value
            for value in (0, 1):
                index[v] = value
                weights[tuple(index)] *= quarters if value else 4 - quarters
    return weights


# ---------------------------------------------------------------------- graphs
@lru_cache(maxsize=8)
def dags(n: int, *, every: int = 1) -> Worlds:
    """Return every labelled DAG with `n` nodes, fewest edges first, with each node as the target.

    Every variable order of every graph is among them. With `every` only each k-th graph is kept.

    Examples
    --------
    >>> dags(3).text, len(dags(3))
    ('all 25 DAGs with 3 nodes × targets', 75)
    """
    variables = tuple(NAMES[:n])
    graphs = sorted(_acyclic(n), key=lambda edges: (len(edges), edges))
    kept = graphs[::every]
    text = f"all {len(graphs):,} DAGs with {n} nodes × targets"
    if every > 1:
        text = f"{len(kept):,} of the {len(graphs):,} DAGs with {n} nodes (every {every}th) × targets"
    worlds = []
    for edges in kept:
        named = tuple((variables[a], variables[b]) for a, b in edges)
        worlds += [World(variables, target, edges=named) for target in variables]
    return Worlds(worlds, text)


@lru_cache(maxsize=8)
def shapes(n: int) -> Worlds:
    """Return one DAG of each shape with `n` nodes, each node as the target: for claims without an order.

    Examples
    --------
    >>> shapes(4).text, len(shapes(4))
    ('all 31 DAGs with 4 nodes up to renaming × targets', 124)
    """
    variables = tuple(NAMES[:n])
    kept: dict[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = {}
    for edges in sorted(_acyclic(n), key=lambda edges: (len(edges), edges)):
        least = min(tuple(sorted((to[a], to[b]) for a, b in edges)) for to in permutations(range(n)))
        kept.setdefault(least, edges)
    worlds = []
    for edges in kept.values():
        named = tuple((variables[a], variables[b]) for a, b in edges)
        worlds += [World(variables, target, edges=named) for target in variables]
    return Worlds(worlds, f"all {len(kept):,} DAGs with {n} nodes up to renaming × targets")


def _acyclic(n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    pairs = list(combinations(range(n), 2))
    for ways in product((0, 1, 2), repeat=len(pairs)):
        edges = tuple((a, b) if w == 1 else (b, a) for (a, b), w in zip(pairs, ways, strict=True) if w)
        left = set(range(n))
        while sources := left - {b for a, b in edges if a in left}:
            left -= sources
        if not left:
            yield edges


# ---------------------------------------------------------------------- judges made of others
class Part(Batched):
    """A judge that knows only some of the variables of another: the marginal distribution.

    Examples
    --------
    >>> chain = DSeparation([("A", "B"), ("B", "C")])
    >>> Part(chain, ["A", "C"]).variables
    ('A', 'C')
    """

    def __init__(self, judge: Any, variables: Vars) -> None:
        inside = names(variables)
        self.inner, self.ranks = judge, judge.ranks
        self.variables = tuple(v for v in judge.variables if v in inside)

    def judge(self, query: Query) -> Verdict:
        """Answer as the whole does, unless a variable outside is asked about."""
        if not query.variables <= set(self.variables):
            raise JudgeError(f"{query}: only {', '.join(self.variables)} are known here")
        verdict: Verdict = self.inner.judge(query)
        return verdict


class Threshold(Batched):
    """A judge whose test is blind below t: dependent if and only if the mutual information is above t nats.

    It stands for a statistical test without its chance: what is weaker than t goes unseen.

    Examples
    --------
    >>> weak = ExactJoint({(0, 0): 11, (0, 1): 9, (1, 0): 9, (1, 1): 11}, variables=["X", "Y"])
    >>> [Threshold(weak, t).judge(Query("X", "Y")).independent for t in (0.0, 0.1)]
    [False, True]
    """

    ranks = True

    def __init__(self, judge: Any, t: float) -> None:
        self.inner, self.t, self.variables = judge, t, tuple(judge.variables)

    def judge(self, query: Query) -> Verdict:
        """Answer by comparing the exact mutual information with t."""
        strength = self.inner.judge(query).strength or 0.0
        return Verdict(strength <= self.t, strength=strength)


def hidden_chain(n: int) -> World:
    """Return T → C1, and hidden causes between C1 and C2, C2 and C3, …: each Ci opens the way to the next.

    All of C1 … Cn are in the boundary of T, and Ci depends on T only given C1 … C(i−1).
    """
    C = [f"C{i}" for i in range(1, n + 1)]
    edges = [("T", C[0])]
    for i, (a, b) in enumerate(pairwise(C), 1):
        edges += [(f"H{i}", a), (f"H{i}", b)]
    return World((*C[::-1], "T", *(f"H{i}" for i in range(1, n))), "T", edges=tuple(edges))
