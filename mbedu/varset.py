"""Sets of variables that always come in variable order, and the subsets of such sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from math import comb
from typing import Self, overload

from mbedu.query import Vars, names, sentence_set

__all__ = ["Others", "Subsets", "VarSet", "subsets"]


class VarSet(MutableSet[str]):
    """A mutable set of names that iterates in the order of the universe, whatever was added first.

    The operators accept a single name as well as a set, and those that make a new set return a
    frozenset, because only the named set itself is being watched.

    Examples
    --------
    >>> S = VarSet({"T": 0, "A": 1, "B": 2}, name="S")
    >>> S |= {"B"}
    >>> S |= "A"
    >>> list(S), sorted(S - {"A"}), len(S)
    (['A', 'B'], ['B'], 2)
    """

    __slots__ = ("_items", "_position", "name")

    def __init__(self, position: dict[str, int], name: str = "S", items: Iterable[str] = ()) -> None:
        self._position = position
        self.name = name
        self._items: set[str] = set(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items, key=self._position.__getitem__))

    def __len__(self) -> int:
        return len(self._items)

    def frozen(self) -> frozenset[str]:
        """Return the present members as a frozenset."""
        return frozenset(self._items)

    def _change(self, added: frozenset[str], removed: frozenset[str]) -> None:
        for name in added:
            self._position[name]  # an unknown name fails here, before anything has changed
        self._items |= added
        self._items -= removed

    def add(self, value: str) -> None:
        """Put one variable in."""
        self._change(frozenset((value,)) - self._items, frozenset())

    def discard(self, value: str) -> None:
        """Take one variable out, if it is there."""
        self._change(frozenset(), frozenset((value,)) & self._items)

    def __ior__(self, other: Vars) -> Self:  # type: ignore[override]  # accepts a name too
        self._change(names(other) - self._items, frozenset())
        return self

    def __isub__(self, other: Vars) -> Self:
        self._change(frozenset(), names(other) & self._items)
        return self

    def replace(self, other: Vars) -> None:
        """Make the contents equal to `other`, as one change."""
        new = names(other)
        self._change(new - self._items, frozenset(self._items) - new)

    def __or__(self, other: Vars) -> frozenset[str]:  # type: ignore[override]
        return self.frozen() | names(other)

    def __and__(self, other: Vars) -> frozenset[str]:
        return self.frozen() & names(other)

    def __sub__(self, other: Vars) -> frozenset[str]:
        return self.frozen() - names(other)

    def __rsub__(self, other: Vars) -> frozenset[str]:
        return names(other) - self.frozen()

    __ror__ = __or__
    __rand__ = __and__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractSet) and self._items == set(other)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"{self.name} = {{{sentence_set(self._items) if self._items else ''}}}"


class Others(tuple[str, ...]):  # noqa: SLOT001 - a tuple can have no slots of its own
    """All of some variables but a few, in their order.

    It knows the `universe` and what is `left_out`, so that a judge of just these variables can work with
    column numbers and need not look at each name.
    """

    universe: tuple[str, ...]
    left_out: frozenset[str]


class Subsets(Sequence[frozenset[str]]):
    """All subsets of some variables with `smallest` to `largest` members: by size, then in variable order.

    It is lazy: nothing is built until it is looked at, so a judge that works with column numbers
    can scan 160,000 triples without a single Python set (`items`, `smallest`, `largest` tell it all).

    Examples
    --------
    >>> [sorted(s) for s in Subsets(["A", "B", "C"], 1, 2)]
    [['A'], ['B'], ['C'], ['A', 'B'], ['A', 'C'], ['B', 'C']]
    >>> len(Subsets(range(100), 1, 3))
    166750
    """

    __slots__ = ("items", "largest", "smallest")

    def __init__(self, items: Iterable[str], smallest: int, largest: int) -> None:
        self.items = tuple(items)
        self.smallest = max(0, smallest)
        self.largest = min(largest, len(self.items))

    def __len__(self) -> int:
        return sum(comb(len(self.items), k) for k in range(self.smallest, self.largest + 1))

    def __iter__(self) -> Iterator[frozenset[str]]:
        for k in range(self.smallest, self.largest + 1):
            yield from map(frozenset, combinations(self.items, k))

    @overload
    def __getitem__(self, i: int) -> frozenset[str]: ...
    @overload
    def __getitem__(self, i: slice) -> list[frozenset[str]]: ...
    def __getitem__(self, i: int | slice) -> frozenset[str] | list[frozenset[str]]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        return frozenset(self.items[j] for j in self.positions(i))

    def positions(self, i: int) -> tuple[int, ...]:
        """Return the positions in `items` of the members of the i-th subset."""
        size = len(self)
        if i < 0:
            i += size
        if not 0 <= i < size:
            raise IndexError(f"subset {i} of {size}")
        k = self.smallest
        while i >= (block := comb(len(self.items), k)):
            i, k = i - block, k + 1
        chosen, start = [], 0
        while k:  # the i-th combination in lexicographic order
            while i >= (block := comb(len(self.items) - start - 1, k - 1)):
                i, start = i - block, start + 1
            chosen.append(start)
            start, k = start + 1, k - 1
        return tuple(chosen)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Subsets):
            return list(self) == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = f"sizes {self.smallest} to {self.largest}"
        return f"<{len(self)} subsets of {len(self.items)} variables, {sizes}>"


def subsets(items: Iterable[str], largest: int, smallest: int = 1) -> Subsets:
    """Return the subsets of `items` with at least `smallest` and at most `largest` members, lazily."""
    return Subsets(items, smallest, largest)
