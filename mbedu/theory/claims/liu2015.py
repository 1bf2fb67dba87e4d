"""What liu2015 claims in its framework: independence, relevance, redundancy, and the set P* of its Figure 2.

In every world here T is the label (Y in the paper) and the other variables are the features F. The
claims about D, A1, B2 and Algorithm 3 are in `liu2015_dependency`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from mbedu.query import Query, sentence_set
from mbedu.theory._facts import Check
from mbedu.theory.axioms import check_axioms
from mbedu.theory.boundaries import boundaries, is_blanket, is_boundary
from mbedu.theory.claims._labels import kinds_of, labelled, optimal
from mbedu.theory.claims.ledger import Finding, Scope, claim, over
from mbedu.theory.claims.worlds import World
from mbedu.theory.relevance import Relevance

__all__ = ["braces"]


def braces(members: Any) -> str:
    """Write a set."""
    return "{" + (sentence_set(members) if members else "") + "}"


@claim(
    "liu2015/definition-1",
    "Definition 1",
    "I(X, Y | Z) means P(x | y, z) = P(x | z) whenever P(x, y) > 0, which is conditional independence.",
    hypothesis="whenever P(y, z) > 0 (as printed the condition does not see to it that P(x | y, z) exists)",
    repaired=lambda scope: over(labelled(scope.full), lambda w: _definition_1(w, defined=True)),
)
def definition_1(scope: Scope) -> Finding:
    """The printed condition beside the oracle; a conditional on what cannot happen breaks it."""
    return over(labelled(scope.full), lambda w: _definition_1(w, defined=False))


def _definition_1(world: World, *, defined: bool) -> Iterator[Check]:
    table, names = world.table or {}, world.variables
    if len(names) != 3:
        return
    x, y, z = 0, 1, 2

    def weight(**values: int) -> int:
        places = {"x": x, "y": y, "z": z}
        return sum(w for cell, w in table.items() if all(cell[places[k]] == v for k, v in values.items()))

    printed = True
    for a, b, c in product((0, 1), repeat=3):
        if not weight(x=a, y=b) or not weight(z=c):
            continue
        if not weight(y=b, z=c):
            if defined:
                continue
            text = (
                f"P({names[x]} = {a}, {names[y]} = {b}) > 0, but P({names[x]} | {names[y]} = {b}, "
                f"{names[z]} = {c}) does "
                "not exist."
            )
            yield Check("", holds=False, tried=1, witness=text, sets={"y": b, "z": c, "x": a})
            return
        printed &= weight(x=a, y=b, z=c) * weight(z=c) == weight(x=a, z=c) * weight(y=b, z=c)
    right = world.judge.judge(Query(names[x], names[y], names[z])).independent
    yield Check("", holds=printed == right, tried=1, witness="the printed condition and independence differ.")


@claim(
    "liu2015/theorem-1", "Theorem 1", "Conditional independence obeys Symmetry, Decomposition and Weak Union."
)
def theorem_1(scope: Scope) -> Finding:
    """Every instance of the three."""

    def check(world: World) -> Iterator[Check]:
        for result in check_axioms(world.judge, axioms=("Symmetry", "Decomposition", "Weak Union")):
            yield Check("", holds=result.holds, tried=result.tried, witness=result.text)

    return over(scope.joints, check)


@claim(
    "liu2015/strong-necessary",
    "Section III, after Definition 4",
    "A strongly relevant feature is always necessary: it is in every Markov boundary of the label.",
)
def strong_necessary(scope: Scope) -> Finding:
    """Kinds of features beside all boundaries."""
    return _kind_in_boundaries(scope, Relevance.STRONG, lambda v, known: all(v in b for b in known))


@claim(
    "liu2015/irrelevant-unnecessary",
    "Section III, after Definition 4",
    "An irrelevant feature is not necessary at all: it is in no Markov boundary of the label.",
)
def irrelevant_unnecessary(scope: Scope) -> Finding:
    """Kinds of features beside all boundaries."""
    return _kind_in_boundaries(scope, Relevance.IRRELEVANT, lambda v, known: not any(v in b for b in known))


def _kind_in_boundaries(scope: Scope, kind: Relevance, good: Callable[[str, Any], bool]) -> Finding:
    def check(world: World) -> Iterator[Check]:
        known = boundaries(world.judge, "T")
        for v, one in kinds_of(world).items():
            if one is kind:
                yield Check("", holds=good(v, known), tried=1, witness=f"{v} is {one}.")

    return over(scope.joints, check)


@claim(
    "liu2015/footnote-3",
    "Footnote 3 to Definition 6",
    "Were M = F − {f} allowed, every weakly relevant feature would have a Markov blanket, and be redundant.",
)
def footnote_3(scope: Scope) -> Finding:
    """Without the footnote no weakly relevant feature is left that is not redundant."""

    def check(world: World) -> Check:
        kinds = kinds_of(world, strict=False)
        left = [v for v, kind in kinds.items() if kind is Relevance.WEAK_NONREDUNDANT]
        return Check(
            "", holds=not left, tried=len(kinds), witness=f"{left} are weakly relevant, not redundant."
        )

    return over(scope.joints, check)


@claim(
    "liu2015/p-star-sufficient",
    "Figure 2",
    "P*, the strongly relevant and the non-redundant features, is optimal: given it the others say "
    "nothing about Y.",
    hypothesis="Intersection holds",
    repaired=lambda scope: over(
        scope.joints.where(lambda w: w.obeys("Intersection"), "where Intersection holds"),
        _sufficient,
    ),
)
def p_star_sufficient(scope: Scope) -> Finding:
    """Whether P* is a Markov blanket of the label."""
    return over(scope.joints, _sufficient)


def _sufficient(world: World) -> Check:
    P = optimal(world)
    text = f"P* = {braces(P)} does not shield T: features that replace each other are all redundant."
    return Check("", holds=is_blanket(world.judge, "T", P), tried=1, witness=text, sets={"P*": P})


@claim(
    "liu2015/p-star-minimal",
    "Figure 2",
    "P* is optimal: no part of it does as well.",
)
def p_star_minimal(scope: Scope) -> Finding:
    """Where P* is a blanket, whether it is a boundary."""

    def check(world: World) -> Check:
        P = optimal(world)
        if not is_blanket(world.judge, "T", P):
            return Check("", holds=True, tried=0)
        text = f"P* = {braces(P)}, and a part of it shields T already."
        return Check("", holds=is_boundary(world.judge, "T", P), tried=1, witness=text, sets={"P*": P})

    return over(scope.joints, check)
