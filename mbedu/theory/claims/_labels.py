"""The worlds of liu2015: a label T, its features, the dependency D, and what the algorithms build."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from mbedu.ask import Ask
from mbedu.selectors.strong_relevant import strong_relevant
from mbedu.selectors.weak_nonredundant import weak_nonredundant
from mbedu.theory._facts import Facts, by_size
from mbedu.theory.claims.ledger import Scope
from mbedu.theory.claims.worlds import World, Worlds, independencies, tables
from mbedu.theory.relevance import Relevance, relevance

__all__ = [
    "VARIES", "as_world", "constant", "dependencies", "dependency", "features", "kinds_of", "labelled",
    "needs", "optimal", "sets_of", "several", "varying", "with_blanket",
]  # fmt: skip

VARIES = "the label is not constant (D(∅) = 0 even where nothing is left to determine)"


@lru_cache(maxsize=4)
def labelled(full: bool) -> Worlds:
    """Return one table for each pattern of independencies *and* order of the D of all sets of features.

    All comparisons of D and all independencies are what the claims are about, so one of each kind does.
    """
    kept: list[np.ndarray] = []
    count = 0
    for n, largest in ((2, 2), (3, 3 if full else 2), (4, 1)):
        weights = tables(n, largest)
        count += len(weights)
        flat = weights.reshape(len(weights), -1)
        order = np.lexsort((*-flat.T[::-1], flat.sum(axis=1), (flat > 0).sum(axis=1)))
        D = dependencies(weights)
        compared = np.stack([D[:, i] < D[:, j] for i, j in product(range(D.shape[1]), repeat=2)], axis=1)
        codes = np.packbits(np.concatenate([independencies(weights), compared], axis=1), axis=1)
        _, first = np.unique(codes[order], axis=0, return_index=True)
        kept += [weights[order[i]] for i in sorted(first.tolist())]
    worlds = [as_world(w) for w in kept]
    text = (
        f"all {count:,} tables of a label and 1 to 3 features, all binary, with weights 0 to "
        f"{3 if full else 2} (0 and 1 "
        f"with three): {len(worlds):,} patterns of independencies and dependencies"
    )
    return Worlds(worlds, text)


def as_world(weights: np.ndarray) -> World:
    cells = {tuple(map(int, cell)): int(weights[tuple(cell)]) for cell in np.argwhere(weights)}
    return World(tuple("TABC"[: weights.ndim]), "T", table=cells)


def dependencies(weights: np.ndarray) -> np.ndarray:
    """Return D of every set of features (by mask) for every table, as a mass; D(∅) = 0."""
    n = weights.ndim - 2  # the features; axis 1 is the label
    columns = [np.zeros(len(weights), np.int64)]
    for mask in range(1, 1 << n):
        axes = tuple(i + 2 for i in range(n) if not mask >> i & 1)
        joint = weights.sum(axis=axes) if axes else weights
        whole = joint.sum(axis=1, keepdims=True)
        pure = np.where(joint == whole, joint, 0)
        columns.append(pure.reshape(len(weights), -1).sum(axis=1))
    return np.stack(columns, axis=1)


def dependency(world: World, X: Any) -> Fraction:
    """Return D(X) by Definition 7, from the table itself; D(∅) = 0."""
    key = ("D", frozenset(X))
    if key not in world.memo:
        world.memo[key] = _dependency(world, frozenset(X))
    value: Fraction = world.memo[key]
    return value


def _dependency(world: World, X: frozenset[str]) -> Fraction:
    table, names = world.table or {}, world.variables
    places = [i for i, v in enumerate(names) if v in X]
    if not places:
        return Fraction(0)
    labels: dict[tuple[int, ...], set[int]] = {}
    mass: dict[tuple[int, ...], int] = {}
    for cell, w in table.items():
        key = tuple(cell[i] for i in places)
        labels.setdefault(key, set()).add(cell[0])
        mass[key] = mass.get(key, 0) + w
    return Fraction(sum(m for key, m in mass.items() if len(labels[key]) == 1), sum(table.values()))


def constant(world: World) -> bool:
    """Say whether the label has one value only."""
    return len({cell[0] for cell in world.table or {}}) < 2


def varying(scope: Scope) -> Worlds:
    """Return the worlds whose label is not constant."""
    return labelled(scope.full).where(lambda w: not constant(w), "whose label varies")


def several(scope: Scope) -> Worlds:
    """Return the worlds with two or more features, whose label is not constant."""
    return varying(scope).where(lambda w: len(w.others) > 1, "with two or three features")


def features(world: World) -> Iterator[frozenset[str]]:
    """Yield every set of features."""
    for mask in by_size((1 << len(world.others)) - 1):
        yield frozenset(v for i, v in enumerate(world.others) if mask >> i & 1)


def sets_of(world: World) -> tuple[frozenset[str], frozenset[str]]:
    """Return A1 of Algorithm 1 and B2 of Algorithm 2."""
    if "A1, B2" not in world.memo:
        A1 = strong_relevant(Ask(world.judge), "T").frozen()
        world.memo["A1, B2"] = A1, weak_nonredundant(Ask(world.judge), "T", A1=A1).frozen()
    found_: tuple[frozenset[str], frozenset[str]] = world.memo["A1, B2"]
    return found_


def kinds_of(world: World, *, strict: bool = True) -> dict[str, Relevance]:
    """Return the relevance of every feature, by brute force."""
    key = ("kinds", strict)
    if key not in world.memo:
        world.memo[key] = relevance(world.judge, "T", strict=strict)
    kinds: dict[str, Relevance] = world.memo[key]
    return kinds


def with_blanket(world: World, f: str, inside: frozenset[str], *, strict: bool) -> frozenset[str] | None:
    """Return a Markov blanket of f within `inside` (Definition 5), proper if `strict`, or None."""
    facts = Facts(world.judge)
    P, y, bit = facts.mask(inside), facts.bit["T"], facts.bit[f]
    for M in by_size(P):
        if (M != P or not strict) and facts.independent(bit, (P & ~M) | y, M):
            return facts.set(M)
    return None


def optimal(world: World, *, strict: bool = True) -> frozenset[str]:
    """Return P*: the strongly relevant and the weakly relevant but non-redundant features (Figure 2)."""
    kept = (Relevance.STRONG, Relevance.WEAK_NONREDUNDANT)
    return frozenset(v for v, kind in kinds_of(world, strict=strict).items() if kind in kept)


def needs(world: World, F: frozenset[str], f: str) -> bool:
    """Say whether D(F) > D(F − {f})."""
    return dependency(world, F) > dependency(world, F - {f})
