"""The Markov Boundary Theorem of margaritis2009: what a boundary does to *every* set of variables.

Theorem 1. S ⊆ U − {X} is a Markov boundary of X if and only if for every T ⊆ U − {X}

    T ⊆ U − S  ⟺  X ⊥ T | S − T.                                                   (2)

From left to right this says that S is a blanket, from right to left that it is minimal. S cuts the
subsets of U − {X} into P1, those outside S, which are all independent of X, and P2, those with a
member of S, which are all dependent. With |T| ≤ m it becomes the definition of an m-boundary (Definition 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from math import comb
from typing import Any, TypeAlias

from mbedu.query import Vars
from mbedu.theory._facts import Check, Facts, by_size, guard
from mbedu.theory.boundaries import LIMIT, check_margin, is_m_boundary

__all__ = ["BoundaryTheorem", "check_boundary_theorem", "is_m_boundary", "theorem_1"]

Sets: TypeAlias = tuple[frozenset[str], ...]


@dataclass(frozen=True)
class BoundaryTheorem:
    """Equation (2) evaluated for one S and every T.

    Attributes
    ----------
    target, S, m
        What was examined; `m` is None when sets of every size were.
    p1, p2 : tuple of frozenset
        The two parts: the sets outside S, and those with a member of S; smallest first.
    forward : tuple of frozenset
        The sets of P1 on which ⟹ fails: outside S, and yet dependent. S is no blanket (or no m-blanket).
    backward : tuple of frozenset
        The sets of P2 on which ⟸ fails: with a member of S, and yet independent. S is not minimal.
    """

    target: str
    S: frozenset[str]
    m: int | None
    p1: Sets
    p2: Sets
    forward: Sets
    backward: Sets
    variables: tuple[str, ...] = field(repr=False)

    @property
    def holds_forward(self) -> bool:
        """Whether T ⊆ U − S ⟹ X ⊥ T | S − T for every T: S is a blanket."""
        return not self.forward

    @property
    def holds_backward(self) -> bool:
        """Whether X ⊥ T | S − T ⟹ T ⊆ U − S for every T: S is minimal."""
        return not self.backward

    @property
    def holds(self) -> bool:
        """Whether Eq. (2) holds: S is a boundary (an m-boundary)."""
        return self.holds_forward and self.holds_backward

    @property
    def violating(self) -> Sets:
        """Every set on which Eq. (2) fails, in either direction."""
        return self.forward + self.backward

    def __bool__(self) -> bool:
        return self.holds

    def draw(self, *, most: int = 12) -> str:
        """Draw the partition as text: P1 on the left, P2 on the right, at most `most` sets of each.

        A set that is on the wrong side of the equation is marked with ✗ and comes first.
        """
        left = self._column(self.p1, self.forward, ("⊥", "⊥̸"), most)
        right = self._column(self.p2, self.backward, ("⊥̸", "⊥"), most)
        left = [f"P1: outside S ({len(self.p1):,})", "must be independent (⊥)", *left]
        right = [f"P2: with a part of S ({len(self.p2):,})", "must be dependent (⊥̸)", *right]
        width = max(map(_width, left))
        lines = []
        for i in range(max(len(left), len(right))):
            a = left[i] if i < len(left) else ""
            b = right[i] if i < len(right) else ""
            lines.append(f"{a}{' ' * (width - _width(a))} │ {b}".rstrip())
        lines.insert(2, "─" * (width + 1) + "┼" + "─" * (1 + max(map(_width, right))))
        return "\n".join([*lines, self.verdict])

    def _column(self, sets: Sets, wrong: Sets, signs: tuple[str, str], most: int) -> list[str]:
        shown = [f"{signs[1]} {self._written(T)} ✗" for T in wrong]
        shown += [f"{signs[0]} {self._written(T)}" for T in sets if T not in wrong]
        return shown if len(shown) <= most else [*shown[:most], f"… and {len(shown) - most:,} more"]

    def _written(self, T: frozenset[str]) -> str:
        return "{" + ", ".join(v for v in self.variables if v in T) + "}" if T else "∅"

    @property
    def verdict(self) -> str:
        """The outcome in one sentence."""
        kind = "a Markov boundary" if self.m is None else f"a {self.m}-Markov boundary"
        S = f"S = {self._written(self.S)}"
        if self.holds:
            count = len(self.p1) + len(self.p2)
            return f"Eq. (2) holds for all {count:,} sets: {S} is {kind} of {self.target}."
        why = []
        if self.forward:
            T = self._written(self.forward[0])
            why.append(f"{T} is outside S and depends on {self.target} (⟹ fails on {len(self.forward):,})")
        if self.backward:
            T = self._written(self.backward[0])
            why.append(f"{T} meets S and is independent of {self.target} (⟸ fails on {len(self.backward):,})")
        return f"{S} is not {kind} of {self.target}: {'; '.join(why)}."

    def __str__(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.draw())}</pre>"


def _width(text: str) -> int:
    return len(text) - text.count("\u0338")  # the stroke of ⊥̸ takes no room


def check_boundary_theorem(
    judge: Any, target: str, S: Vars, *, m: int | None = None, limit: int = LIMIT
) -> BoundaryTheorem:
    """Evaluate Eq. (2) for every T ⊆ U − {X}, both directions apart; with `m` only for |T| ≤ m.

    Parameters
    ----------
    judge, target, S
        What answers, the target (X in the paper), and the set in question.
    m : int, optional
        The margin of Definition 3.
    limit : int
        The most sets that are looked at.

    Examples
    --------
    >>> from mbedu.oracles import ExactJoint
    >>> xor = ExactJoint({(a ^ b, a, b): 1 for a in (0, 1) for b in (0, 1)}, variables=["T", "A", "B"])
    >>> print(check_boundary_theorem(xor, "T", ()))
    P1: outside S (4)       │ P2: with a part of S (0)
    must be independent (⊥) │ must be dependent (⊥̸)
    ────────────────────────┼─────────────────────────
    ⊥̸ {A, B} ✗              │
    ⊥ ∅                     │
    ⊥ {A}                   │
    ⊥ {B}                   │
    S = ∅ is not a Markov boundary of T: {A, B} is outside S and depends on T (⟹ fails on 1).
    >>> check_boundary_theorem(xor, "T", (), m=1).holds, check_boundary_theorem(xor, "T", {"A", "B"}).holds
    (True, True)
    """
    facts = Facts(judge)
    x, others = facts.target(target)
    mask = facts.blanket_mask(target, S)
    n = others.bit_count()
    largest = n if m is None else min(n, check_margin(m))
    guard(sum(comb(n, k) for k in range(largest + 1)), limit, f"Eq. (2) over {n} other variables")
    p1: list[frozenset[str]] = []
    p2: list[frozenset[str]] = []
    forward: list[frozenset[str]] = []
    backward: list[frozenset[str]] = []
    for T in by_size(others, largest=largest):
        independent = facts.independent(x, T, mask & ~T)
        part, wrong, expected = (p2, backward, False) if T & mask else (p1, forward, True)
        part.append(facts.set(T))
        if independent is not expected:
            wrong.append(facts.set(T))
    return BoundaryTheorem(
        target, facts.set(mask), m, tuple(p1), tuple(p2), tuple(forward), tuple(backward), facts.variables
    )


def theorem_1(judge: Any, target: str, *, limit: int = LIMIT) -> Check:
    """Check the theorem itself: for every S, Eq. (2) holds if and only if S is a boundary by Definition 2.

    Examples
    --------
    >>> from mbedu.oracles import DSeparation
    >>> print(theorem_1(DSeparation([("T", "C"), ("S", "C")]), "T"))
    Theorem 1 holds (4 instances).
    """
    facts = Facts(judge)
    x, others = facts.target(target)
    guard(4 ** others.bit_count(), max(limit, 4**8), f"Theorem 1 over {others.bit_count()} other variables")
    blankets = [S for S in by_size(others) if facts.independent(x, others & ~S, S)]
    tried = 0
    for S in by_size(others):
        tried += 1
        boundary = S in blankets and not any(B & S == B and B != S for B in blankets)
        equation = all(facts.independent(x, T, S & ~T) == (not T & S) for T in by_size(others))
        if boundary != equation:
            is_, does = ("is", "fails") if boundary else ("is not", "holds")
            text = f"S = {facts.written(S)} {is_} a Markov boundary of {target}, but Eq. (2) {does} for it."
            return Check("Theorem 1", holds=False, tried=tried, witness=text, sets={"S": facts.set(S)})
    return Check("Theorem 1", holds=True, tried=tried)
