"""What the divide-and-conquer algorithms share: which sets separate a variable from the target."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, MutableMapping, Sequence
from typing import Any, TypeAlias

from mbedu.ask import Ask
from mbedu.judge import By, better, rank_key
from mbedu.query import sentence_set
from mbedu.registry import Algorithm, require, whole
from mbedu.varset import subsets

Found: TypeAlias = tuple[frozenset[str], dict[str, frozenset[str]]]
"""The neighbours that a procedure found, and what separates each of the other variables."""

BY = ("strength", "p_value")


def check_by(by: str) -> None:
    """Refuse a measure of association that is not known."""
    require(by in BY, f"by={by!r}: choose 'strength' (conditional mutual information) or 'p_value'")


def check_largest(name: str, largest: int | None) -> None:
    """Refuse a cap that is no size, and warn of one that is: it costs correctness."""
    if largest is None:
        return
    whole(name, largest, at_least=0)
    warnings.warn(
        f"{name}={largest}: separating sets with more than {largest} variables are not looked for, so the "
        f"answer can be wrong even if every test is right; {name}=None looks for all",
        stacklevel=1,  # one place for all who call this, so that Python shows it once
    )


class Separations:
    """What is known of T ⊥ X | Z in one activation of a procedure; no question is asked twice.

    For each X it keeps the first Z found that separates it from T, or, while there is none, how strongly
    T depends on X given each Z that was tried.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    by : {"strength", "p_value"}
        What measures a dependence.
    largest : int, optional
        A cap on the size of Z.
    """

    def __init__(self, ask: Ask, T: str, *, by: By = "strength", largest: int | None = None) -> None:
        self.ask, self.T, self.by, self.largest = ask, T, by, largest
        self.of: dict[str, frozenset[str]] = {}
        self._tried: dict[str, dict[frozenset[str], tuple[float, float]]] = {}

    def search(self, xs: Iterable[str], inside: Iterable[str], new: str | None = None) -> None:
        """Ask T ⊥ X | Z for all Z ⊆ `inside` − {X}, smallest first, and for each X up to its first separator.

        With `new`, only those Z that hold it: the others were asked before it came.
        """
        xs = list(xs)
        base = self.ask.ordered(set(inside) - {new} if new else inside)
        plus = frozenset() if new is None else frozenset((new,))
        cap = len(base) if self.largest is None else self.largest - len(plus)
        if cap < 0:
            return
        for Z in subsets(base, cap, 0):
            self._ask_given(xs, Z | plus)
            xs = [X for X in xs if X not in self.of]
            if not xs:
                return

    def _ask_given(self, xs: Sequence[str], Z: frozenset[str]) -> None:
        still = [X for X in xs if X not in Z and X not in self.of and Z not in self._tried.get(X, ())]
        if not still:
            return
        for X, verdict in zip(still, self.ask.many(self.T, still, Z), strict=True):
            if verdict.independent:
                self.of[X] = Z
                self._tried.pop(X, None)
            else:
                self._tried.setdefault(X, {})[Z] = rank_key(verdict, self.by)

    def weakest(self, X: str, inside: frozenset[str]) -> tuple[tuple[float, float], frozenset[str]]:
        """Return how strongly T depends on X given the Z ⊆ `inside` that leaves least, and that Z."""
        best: tuple[tuple[float, float], frozenset[str]] | None = None
        for Z, key in self._tried[X].items():
            if Z.issubset(inside) and (best is None or better(best[0], key)):
                best = key, Z
        if best is None:
            raise RuntimeError(f"nothing was asked about {X!r} given a subset of {sorted(inside)}")
        return best

    def strongest(self, xs: Sequence[str], inside: frozenset[str]) -> str:
        """Return the X whose weakest dependence is the strongest (max-min); ties go by variable order."""
        ranked = [(X, *self.weakest(X, inside)) for X in xs]
        chosen, key, Z = ranked[0]
        for X, other, W in ranked[1:]:
            if better(other, key):
                chosen, key, Z = X, other, W
        if self.ask.recording:
            self.ask.choose(chosen, len(xs), self._why(key, Z))
        return chosen

    def _why(self, key: tuple[float, float], Z: frozenset[str]) -> str:
        if key == (0.0, 0.0):
            return "the judge knows no strength, so the order of the variables decides"
        measure = "−log p" if self.by == "p_value" else "conditional mutual information"
        weakest = f"its dependence at its weakest, given {sentence_set(Z)}"
        return f"{weakest}, is the strongest ({measure} {key[0]:.4g})"


def known_or(
    procedure: Algorithm, ask: Ask, X: str, known: MutableMapping[str, Found] | None, **params: Any
) -> Found:
    """Return what the procedure finds for X, from `known` if it is there; a new result is put there."""
    if known is not None and X in known:
        ask.note(f"{procedure.title}({X}) was computed before: {sentence_set(known[X][0])}.")
        return known[X]
    members, Sep = procedure(ask, X, **params)
    found = members.frozen(), Sep
    if known is not None:
        known[X] = found
    return found


def symmetric(
    procedure: Algorithm, ask: Ask, T: str, known: MutableMapping[str, Found] | None, **params: Any
) -> Found:
    """Return those that T finds and that find T, and for every other variable what separates it from T.

    Where T itself found no separating set, the one that the other side found is taken.
    """
    members, Sep = known_or(procedure, ask, T, known, **params)
    Sep, both = dict(Sep), set(members)
    for X in ask.ordered(members):
        members_X, Sep_X = known_or(procedure, ask, X, known, **params)
        if T not in members_X:
            both.discard(X)
            Sep[X] = Sep_X[T]
            ask.note(f"{X} does not find {T} in return, so they are no neighbours.")
    return frozenset(both), Sep


def check_through(through: str) -> None:
    """Refuse a way of trying spouses that is not known."""
    require(
        through in ("any", "child"),
        f"through={through!r}: choose 'child' (try a spouse with the child that it shares) "
        "or 'any' (with every parent and child)",
    )
