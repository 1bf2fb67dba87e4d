"""What every module here asks a judge through: sets as bit masks, answers remembered, words for readers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from mbedu.errors import MbeduError, QueryError, unknown
from mbedu.judge import completed
from mbedu.query import Query, Vars, names

__all__ = ["Check", "Facts", "TooLarge", "by_size", "guard", "join", "submasks"]


class TooLarge(MbeduError):
    """A question about more subsets than brute force was allowed to look at."""


def submasks(mask: int) -> Iterator[int]:
    """Yield every subset of `mask`, the whole first and the empty set last."""
    part = mask
    while part:
        yield part
        part = (part - 1) & mask
    yield 0


def by_size(mask: int, *, largest: int | None = None) -> Iterator[int]:
    """Yield the subsets of `mask` smallest first, then in variable order; the empty set is the first.

    Examples
    --------
    >>> [bin(m) for m in by_size(0b1101, largest=2)]
    ['0b0', '0b1', '0b100', '0b1000', '0b101', '0b1001', '0b1100']
    """
    bits = [1 << i for i in range(mask.bit_length()) if mask >> i & 1]
    for k in range(min(len(bits), len(bits) if largest is None else largest) + 1):
        for chosen in combinations(bits, k):
            yield sum(chosen)


def guard(needed: int, limit: int, what: str) -> None:
    """Refuse brute force over more than `limit` things."""
    if needed > limit:
        raise TooLarge(
            f"{what}: {needed:,} sets to look at, and limit={limit:,}; "
            "ask about fewer variables (a marginal, a part of the network), or raise limit="
        )


def join(parts: list[str], word: str = "and") -> str:
    """Write a list as a sentence does: `a`, `a and b`, `a, b and c`.

    Examples
    --------
    >>> join(["a", "b", "c"])
    'a, b and c'
    """
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


class Facts:
    """A judge's answers on bit masks, each asked once; bit i stands for the i-th variable.

    A statement with an empty side counts as independent: nothing is independent of everything.
    """

    def __init__(self, judge: Any) -> None:
        self.judge = completed(judge)
        self.variables = tuple(self.judge.variables)
        self.bit = {v: 1 << i for i, v in enumerate(self.variables)}
        self.everything = (1 << len(self.variables)) - 1
        self._known: dict[tuple[int, int, int], bool] = {}
        self._sets: dict[int, frozenset[str]] = {}

    def mask(self, variables: Vars) -> int:
        """Return the mask of some variables; an unknown one is refused."""
        mask = 0
        for v in sorted(names(variables)):
            if v not in self.bit:
                raise unknown("variable", v, self.variables)
            mask |= self.bit[v]
        return mask

    def target(self, target: str) -> tuple[int, int]:
        """Return the masks of the target and of all others."""
        if not isinstance(target, str):
            raise QueryError(f"{target!r} is not a target; a target is the name of one variable")
        x = self.mask(target)
        return x, self.everything & ~x

    def blanket_mask(self, target: str, S: Vars) -> int:
        """Return the mask of S, which must not hold the target."""
        mask = self.mask(S)
        if mask & self.mask(target):
            raise QueryError(
                f"S = {self.written(mask)} holds the target {target!r}; a blanket lies in the other variables"
            )
        return mask

    def set(self, mask: int) -> frozenset[str]:
        """Return the set of names of a mask."""
        if mask not in self._sets:
            self._sets[mask] = frozenset(self.listed(mask))
        return self._sets[mask]

    def listed(self, mask: int) -> tuple[str, ...]:
        """Return the names of a mask, in variable order."""
        return tuple(v for i, v in enumerate(self.variables) if mask >> i & 1)

    def independent(self, x: int, y: int, z: int) -> bool:
        """Say whether x ⊥ y | z, asked in this order; an empty side is independent."""
        if not x or not y:
            return True
        key = (x, y, z)
        known = self._known.get(key)
        if known is None:
            known = self.judge.judge(Query.trusted(self.set(x), self.set(y), self.set(z))).independent
            self._known[key] = known
        return known

    # ------------------------------------------------------------------ words
    def written(self, mask: int) -> str:
        """Write a set in braces: `∅`, `{A}`, `{A, B}`."""
        return "{" + ", ".join(self.listed(mask)) + "}" if mask else "∅"

    def side(self, mask: int) -> str:
        """Write one side of a statement: a single variable stands without braces."""
        return self.listed(mask)[0] if mask and not mask & (mask - 1) else self.written(mask)

    def statement(self, x: int, y: int, z: int, *, independent: bool = True) -> str:
        """Write `T ⊥ A | B`, or with ⊥̸ when dependent."""
        given = f" | {', '.join(self.listed(z))}" if z else ""
        return f"{self.side(x)} {'⊥' if independent else '⊥̸'} {self.side(y)}{given}"

    def dependence(self, x: int, y: int, z: int) -> str:
        """Write `T and {A, B} are dependent given C`."""
        given = f" given {join(list(self.listed(z)))}" if z else ""
        return f"{self.side(x)} and {self.side(y)} are dependent{given}"


@dataclass(frozen=True)
class Check:
    """What examining one published statement gave.

    Attributes
    ----------
    claim : str
        The statement's name, with the reading of it.
    holds : bool
        Whether no instance broke it; a Check is true or false accordingly.
    tried : int
        The number of instances whose hypothesis held.
    witness : str
        The smallest instance that breaks it, as a sentence; empty when it holds.
    sets : dict of str to frozenset
        The sets of the witness, by the paper's symbols.
    """

    claim: str
    holds: bool
    tried: int
    witness: str = ""
    sets: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return f"{self.claim} holds ({self.tried:,} instances)."
        return f"{self.claim} fails: {self.witness}"
