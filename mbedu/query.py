"""The question that everything turns on: is X independent of Y given Z?

X, Y and Z are *sets* of variables. A set-valued question is not the conjunction of its pairwise
ones: two fair coins are each independent of their parity, but together they determine it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from mbedu.errors import QueryError

__all__ = ["Query", "Vars", "names", "sentence_set"]

Vars: TypeAlias = str | Iterable[str]
"""One variable, or several: a plain string is always *one* name, never a sequence of letters."""


def names(value: Vars) -> frozenset[str]:
    """Return `value` as a frozenset of names; a string is one name.

    Examples
    --------
    >>> sorted(names("lung")), sorted(names(["a", "b"]))
    (['lung'], ['a', 'b'])
    """
    if isinstance(value, str):
        return frozenset((value,))
    if isinstance(value, frozenset):
        found = value
    else:
        try:
            found = frozenset(value)
        except TypeError:
            raise QueryError(
                f"{value!r} is neither a variable name nor a collection of names; "
                "names are strings, as in 'lung' or {'lung', 'tub'}"
            ) from None
    for name in found:
        if not isinstance(name, str):
            raise QueryError(
                f"{name!r} ({type(name).__name__}) is not a variable name; names are strings, "
                "so convert them first, for example with map(str, …)"
            )
    return found


def sentence_set(variables: Iterable[str]) -> str:
    """Write a set of names for a reader, sorted: `∅`, `A`, `A, B`.

    Examples
    --------
    >>> sentence_set({"B", "A"}), sentence_set([])
    ('A, B', '∅')
    """
    return ", ".join(sorted(variables)) or "∅"


class Query:
    """X ⊥ Y | Z as a value: three pairwise disjoint sets of names, X and Y not empty.

    Two queries are equal when they ask the same thing, so swapping `x` and `y` changes nothing;
    the order in which it was asked is kept for display.

    Parameters
    ----------
    x, y : str or iterable of str
        The two sides; a string is one variable.
    given : str or iterable of str
        The conditioning set, empty by default.

    Examples
    --------
    >>> Query("T", "A", {"B"}) == Query("A", "T", ["B"])
    True
    >>> print(Query("T", {"A", "B"}, "C"))
    T ⊥ {A, B} | C
    >>> Query("T", "A", {"A", "B"})
    Traceback (most recent call last):
        ...
    mbedu.errors.QueryError: T ⊥ A | A, B: ['A'] stands on two sides; x, y and given must be disjoint
    """

    __slots__ = ("given", "x", "y")
    x: frozenset[str]
    y: frozenset[str]
    given: frozenset[str]

    def __init__(self, x: Vars, y: Vars, given: Vars = ()) -> None:
        xs, ys, zs = names(x), names(y), names(given)
        if not xs or not ys:
            side = "x" if not xs else "y"
            raise QueryError(
                f"{_written(xs, ys, zs)}: {side} is empty; both sides need at least one variable"
            )
        if xs & ys or xs & zs or ys & zs:
            twice = sorted((xs & ys) | (xs & zs) | (ys & zs))
            raise QueryError(
                f"{_written(xs, ys, zs)}: {twice} stands on two sides; x, y and given must be disjoint"
            )
        self._set(xs, ys, zs)

    def _set(self, x: frozenset[str], y: frozenset[str], given: frozenset[str]) -> None:
        put = object.__setattr__
        put(self, "x", x)
        put(self, "y", y)
        put(self, "given", given)

    @classmethod
    def trusted(cls, x: frozenset[str], y: frozenset[str], given: frozenset[str]) -> Query:
        """Build without checking: for code that has already made sure of disjoint frozensets."""
        query = object.__new__(cls)
        query._set(x, y, given)
        return query

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Query is a value and cannot be changed; build a new one ({name}={value!r})")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Query):
            return NotImplemented
        return self.given == other.given and (
            (self.x == other.x and self.y == other.y) or (self.x == other.y and self.y == other.x)
        )

    def __hash__(self) -> int:
        return hash((hash(self.x) ^ hash(self.y), self.given))

    def __reduce__(self) -> tuple[Any, ...]:
        return Query, (self.x, self.y, self.given)

    def swapped(self) -> Query:
        """Return the same question asked the other way round."""
        return Query.trusted(self.y, self.x, self.given)

    @property
    def variables(self) -> frozenset[str]:
        """Every variable that the question names."""
        return self.x | self.y | self.given

    def __str__(self) -> str:
        return _written(self.x, self.y, self.given)

    def __repr__(self) -> str:
        return f"Query({sorted(self.x)}, {sorted(self.y)}, {sorted(self.given)})"


def _written(x: frozenset[str], y: frozenset[str], given: frozenset[str]) -> str:
    def side(s: frozenset[str]) -> str:
        return sentence_set(s) if len(s) < 2 else "{" + sentence_set(s) + "}"

    return f"{side(x)} ⊥ {side(y)}" + (f" | {sentence_set(given)}" if given else "")
