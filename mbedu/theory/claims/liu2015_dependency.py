"""What liu2015 claims of the dependency D and its margin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from mbedu.ask import Ask
from mbedu.query import Query
from mbedu.theory._facts import Check
from mbedu.theory.claims._labels import (
    VARIES,
    as_world,
    dependencies,
    dependency,
    features,
    labelled,
    needs,
    varying,
)
from mbedu.theory.claims.ledger import Finding, Scope, claim, over, shown
from mbedu.theory.claims.liu2015 import braces
from mbedu.theory.claims.worlds import World, tables

__all__: list[str] = []


# ---------------------------------------------------------------------- section II and IV.A: D and its margin
@claim(
    "liu2015/equation-1",
    "Equation (1)",
    "The gain E(P ∪ {x}) − E(P) is what P wins plus α times what the remaining features lose.",
)
def equation_1(scope: Scope) -> Finding:
    """Both sides for every P and x, α = 1 (the paper's) and 1/2."""

    def check(world: World) -> Iterator[Check]:
        F = frozenset(world.others)

        def d(X: frozenset[str]) -> Fraction:
            return dependency(world, X)

        for P in features(world):
            for x in sorted(F - P):
                for alpha in (Fraction(1), Fraction(1, 2)):
                    won, lost = d(P | {x}) - d(P), d(F - P) - d(F - P - {x})
                    margin = [d(X) - alpha * d(F - X) for X in (P, P | {x})]
                    same = margin[1] - margin[0] == won + alpha * lost
                    yield Check("", holds=same, tried=1, witness=f"P = {braces(P)}, x = {x}")

    return over(varying(scope), check)


@claim(
    "liu2015/alpha-example",
    "Section II.B",
    "If D({f1, f2}) > D({f1, f3}) then a large enough α makes the first gain of f2 larger than that of f3.",
)
def alpha_example(scope: Scope) -> Finding:
    """The named α, just above the turning point, in every world with three features."""

    def check(world: World) -> Iterator[Check]:
        if len(world.others) != 3:
            return
        F = frozenset(world.others)

        def d(*X: str) -> Fraction:
            return dependency(world, X)

        for f1, f2, f3 in (("A", "B", "C"), ("B", "C", "A"), ("C", "A", "B"), ("A", "C", "B")):
            if d(f1, f2) <= d(f1, f3):
                continue
            alpha = max(Fraction(0), (d(f3) - d(f2)) / (d(f1, f2) - d(f1, f3))) + 1
            gain = {f: d(f) + alpha * (d(*F) - d(*(F - {f}))) for f in (f2, f3)}
            yield Check("", holds=gain[f2] > gain[f3], tried=1, witness=f"α = {alpha}: {gain}")

    return over(labelled(scope.full), check)


@claim(
    "liu2015/definition-7",
    "Definition 7",
    "Both printed forms of D agree: the cells with P(x) = P(x, y), and those with P(y | x) = 1.",
)
def definition_7(scope: Scope) -> Finding:
    """Both forms, and the one that the selectors use, from the table."""
    from mbedu.selectors.neighbours import measure
    from mbedu.selectors.source import look

    def check(world: World) -> Iterator[Check]:
        used = measure(look(Ask(world.judge), "T", "fsdms", support=True), "T", world.others, 0.14).dependency
        for X in features(world):
            if X:
                one, other = _printed_forms(world, X)
                same = one == other == used(X) == dependency(world, X)
                yield Check("", holds=same, tried=1, witness=f"X = {braces(X)}: {one}, {other}, {used(X)}")

    return over(labelled(scope.full), check)


def _printed_forms(world: World, X: frozenset[str]) -> tuple[Fraction, Fraction]:
    table, total = world.table or {}, sum((world.table or {}).values())
    places = [i for i, v in enumerate(world.variables) if v in X]
    joint: dict[tuple[int, ...], int] = {}
    alone: dict[tuple[int, ...], int] = {}
    for cell, w in table.items():
        key = tuple(cell[i] for i in places)
        alone[key] = alone.get(key, 0) + w
        joint[*key, cell[0]] = joint.get((*key, cell[0]), 0) + w
    first = sum(w for (*x, _), w in joint.items() if alone[tuple(x)] == w)
    second = sum(w for (*x, _), w in joint.items() if Fraction(w, alone[tuple(x)]) == 1)
    return Fraction(first, total), Fraction(second, total)


@claim("liu2015/theorem-2", "Theorem 2", "D never falls when features are added: M ⊆ Q implies D(M) ≤ D(Q).")
def theorem_2(scope: Scope) -> Finding:
    """Every pair of sets, every table, constant labels too."""
    return _vectorised(scope, lambda D, m, q, _full: D[:, m] <= D[:, q])


@claim(
    "liu2015/theorem-3",
    "Theorem 3",
    "The margin E never falls either: ∅ ≠ M ⊆ Q implies E(M) ≤ E(Q). (The empty set need not be excluded.)",
)
def theorem_3(scope: Scope) -> Finding:
    """Every pair of sets, the empty one too, every table, constant labels too."""
    return _vectorised(scope, lambda D, m, q, full: D[:, m] - D[:, full ^ m] <= D[:, q] - D[:, full ^ q])


def _vectorised(scope: Scope, good: Callable[[np.ndarray, int, int, int], np.ndarray]) -> Finding:
    tried = count = 0
    domain = ""
    for n, largest in ((2, 2), (3, 3 if scope.full else 2), (4, 1)):
        weights = tables(n, largest)
        D, full = dependencies(weights), (1 << (n - 1)) - 1
        count += len(weights)
        domain = f"all {count:,} tables of a label and 1 to {n - 1} features with small weights, every M ⊆ Q"
        for q in range(full + 1):
            for m in (m for m in range(full + 1) if m & q == m):
                right = good(D, m, q, full)
                tried += len(right)
                if not right.all():
                    return Finding(
                        domain, tried, shown(as_world(weights[int(right.argmin())]), f"M = {m}, Q = {q}")
                    )
    return Finding(domain, tried)


def _corollary_1(world: World) -> Iterator[Check]:
    for F in features(world):
        for f in sorted(F):
            if needs(world, F, f):
                G = F - {f}
                given = f" | {', '.join(sorted(G))}" if G else ""
                independent = world.judge.judge(Query("T", f, G)).independent
                text = f"D({braces(F)}) > D({braces(G)}), but T ⊥ {f}{given}."
                yield Check("", holds=not independent, tried=1, witness=text, sets={"F": F, "f": f})


@claim(
    "liu2015/corollary-1",
    "Corollary 1",
    "If D(F) > D(F − {f}) then Y and f are dependent given F − {f}.",
    hypothesis=VARIES,
    repaired=lambda scope: over(varying(scope), _corollary_1),
)
def corollary_1(scope: Scope) -> Finding:
    """Every feature set F and every f in it."""
    return over(labelled(scope.full), _corollary_1)
