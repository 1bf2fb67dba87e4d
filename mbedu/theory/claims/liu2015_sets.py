"""What liu2015 claims of the sets A1 and B2, of Algorithm 3, and of CorrAL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from mbedu.ask import Ask
from mbedu.problems import corral
from mbedu.running import run
from mbedu.theory._facts import Check
from mbedu.theory.boundaries import boundaries
from mbedu.theory.claims._labels import (
    VARIES,
    constant,
    dependency,
    features,
    kinds_of,
    labelled,
    needs,
    optimal,
    sets_of,
    several,
    varying,
    with_blanket,
)
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, found, over, shown
from mbedu.theory.claims.liu2015 import braces
from mbedu.theory.claims.worlds import World
from mbedu.theory.relevance import Relevance

__all__: list[str] = []


# ---------------------------------------------------------------------- section IV.B: A1 and B2
def _theorem_4(world: World) -> Iterator[Check]:
    kinds = kinds_of(world)
    A1, _ = sets_of(world)
    for f in sorted(A1):
        text = f"D(F) > D(F − {{{f}}}), but {f} is {kinds[f]}."
        yield Check("", holds=kinds[f] is Relevance.STRONG, tried=1, witness=text, sets={"f": f})


@claim(
    "liu2015/theorem-4",
    "Theorem 4",
    "If D(F) > D(F − {f}) then f is strongly relevant: so is all of A1.",
    hypothesis=VARIES,
    repaired=lambda scope: over(varying(scope), _theorem_4),
)
def theorem_4(scope: Scope) -> Finding:
    """A1 of Algorithm 1 beside relevance by brute force."""
    return over(labelled(scope.full), _theorem_4)


def _theorem_5(world: World, *, strict: bool) -> Iterator[Check]:
    _, B2 = sets_of(world)
    for b in sorted(B2):
        M = with_blanket(world, b, frozenset(world.others) - {b}, strict=strict)
        text = f"{b} is in B2, and {braces(M)} is a Markov blanket of it."
        yield Check("", holds=M is None, tried=1, witness=text, sets={"b": b, "M": M})


@claim(
    "liu2015/theorem-5",
    "Theorem 5, with the footnote (M ⊂ F − {b}, not equal)",
    "No feature b of B2 has a Markov blanket M within F.",
    hypothesis=VARIES,
    repaired=lambda scope: over(varying(scope), lambda w: _theorem_5(w, strict=True)),
)
def theorem_5(scope: Scope) -> Finding:
    """B2 of Algorithm 2 beside every proper subset of the others."""
    return over(labelled(scope.full), lambda w: _theorem_5(w, strict=True))


@claim(
    "liu2015/theorem-5-no-footnote",
    "Theorem 5, without the footnote (M = F − {b} allowed)",
    "No feature b of B2 has a Markov blanket M ⊆ F − {b}.",
)
def theorem_5_no_footnote(scope: Scope) -> Finding:
    """B2 of Algorithm 2 beside every subset of the others, where this is no corner case."""
    return over(several(scope), lambda w: _theorem_5(w, strict=False))


def _b2_relevant(world: World) -> Iterator[Check]:
    kinds = kinds_of(world)
    _, B2 = sets_of(world)
    for b in sorted(B2):
        good = kinds[b] in (Relevance.STRONG, Relevance.WEAK_NONREDUNDANT)
        yield Check("", holds=good, tried=1, witness=f"{b} is in B2 and {kinds[b]}.", sets={"b": b})


@claim(
    "liu2015/b2-relevant",
    "Section IV.B, after Theorem 5",
    "The features of B2 are relevant (“obviously”): strongly, or weakly and not redundant.",
    hypothesis="there are at least two features (with one, “for all m” holds of nothing) and the label is "
    "not constant",
    repaired=lambda scope: over(several(scope), _b2_relevant),
)
def b2_relevant(scope: Scope) -> Finding:
    """B2 beside relevance by brute force."""
    return over(varying(scope), _b2_relevant)


def _inclusion(world: World, *, strict: bool) -> Check:
    A1, B2 = sets_of(world)
    P = optimal(world, strict=strict)
    text = f"A1 = {braces(A1)}, B2 = {braces(B2)}, but P* = {braces(P)}."
    return Check("", holds=A1 | B2 <= P, tried=1, witness=text, sets={"A1": A1, "B2": B2, "P*": P})


@claim(
    "liu2015/a1-b2-in-p-star",
    "Section IV.D, with the footnote",
    "A1 ∪ B2 ⊆ P*.",
    hypothesis="there are at least two features and the label is not constant",
    repaired=lambda scope: over(several(scope), lambda w: _inclusion(w, strict=True)),
)
def a1_b2_in_p_star(scope: Scope) -> Finding:
    """Both sets beside P* by brute force."""
    return over(labelled(scope.full), lambda w: _inclusion(w, strict=True))


@claim(
    "liu2015/a1-b2-in-p-star-no-footnote",
    "Section IV.D, without the footnote",
    "A1 ∪ B2 ⊆ P*, where P* is what Definition 6 gives without its footnote.",
)
def a1_b2_in_p_star_no_footnote(scope: Scope) -> Finding:
    """The same where at least two features are there and the label varies."""
    return over(several(scope), lambda w: _inclusion(w, strict=False))


@claim(
    "liu2015/constant-label",
    "Definition 7, D(∅) = 0",
    "With a constant label, where every feature is irrelevant, A1 and B2 are empty.",
    hypothesis="D(∅) = 1 for a constant label, which is what Definition 7 would give for it",
    repaired=lambda scope: over(
        labelled(scope.full).where(constant, "whose label is constant"), lambda w: _constant(w, empty=1)
    ),
)
def constant_label(scope: Scope) -> Finding:
    """The corner that D(∅) = 0 makes."""
    worlds = labelled(scope.full).where(constant, "whose label is constant")
    return over(worlds, lambda w: _constant(w, empty=0))


def _constant(world: World, *, empty: int) -> Check:
    F = frozenset(world.others)

    def d(X: frozenset[str]) -> Fraction:
        return dependency(world, X) if X else Fraction(empty)

    A1 = frozenset(a for a in F if d(F) > d(F - {a}))
    B2 = frozenset(b for b in F - A1 if len(F) > 1 and all(d(F - {m}) > d(F - {m, b}) for m in F - {b}))
    text = f"A1 = {braces(A1)}, B2 = {braces(B2)}."
    return Check("", holds=not A1 | B2, tried=1, witness=text, sets={"A1": A1, "B2": B2})


@claim(
    "liu2015/a1-incomplete",
    "Section IV.B, after Theorem 4",
    "A1 need not hold every strongly relevant feature.",
)
def a1_incomplete(scope: Scope) -> Finding:
    """Look for a strongly relevant feature outside A1."""
    return _missing(scope, Relevance.STRONG, lambda A1, _B2: A1, "A1")


@claim(
    "liu2015/b2-incomplete",
    "Section IV.D",
    "B2 need not hold every weakly relevant but non-redundant feature.",
)
def b2_incomplete(scope: Scope) -> Finding:
    """Look for a weakly relevant, non-redundant feature outside A1 and B2."""
    return _missing(scope, Relevance.WEAK_NONREDUNDANT, lambda A1, B2: A1 | B2, "B2")


def _missing(scope: Scope, kind: Relevance, chosen: Callable[..., frozenset[str]], name: str) -> Finding:
    def search(world: World) -> Witness | None:
        inside = chosen(*sets_of(world))
        left = [v for v, one in kinds_of(world).items() if one is kind and v not in inside]
        return shown(world, f"{left[0]} is {kind}, but not in {name}.", f=left[0]) if left else None

    return found(varying(scope), search)


# ---------------------------------------------------------------------- section IV.C and IV.D
def _theorem_6(world: World, *, strict: bool) -> Iterator[Check]:
    for P in features(world):
        for f in sorted(frozenset(world.others) - P):
            if dependency(world, P | {f}) > dependency(world, P):
                M = with_blanket(world, f, P, strict=strict)
                text = (
                    f"P = {braces(P)}, f = {f}: D rises, and M = {braces(M)} is a Markov blanket of f "
                    f"within P."
                )
                yield Check("", holds=M is None, tried=1, witness=text, sets={"P": P, "f": f, "M": M})


@claim(
    "liu2015/theorem-6",
    "Theorem 6 (M ⊂ P, not equal)",
    "If D(P ∪ {f}) > D(P) then no M within P is a Markov blanket of f.",
)
def theorem_6(scope: Scope) -> Finding:
    """Every P, f and proper subset M of P; constant labels too."""
    return over(labelled(scope.full), lambda w: _theorem_6(w, strict=True))


@claim(
    "liu2015/theorem-6-whole",
    "Theorem 6 (M = P allowed)",
    "If D(P ∪ {f}) > D(P) then no M ⊆ P is a Markov blanket of f.",
    hypothesis=VARIES,
    repaired=lambda scope: over(varying(scope), lambda w: _theorem_6(w, strict=False)),
)
def theorem_6_whole(scope: Scope) -> Finding:
    """Every P, f and subset M of P."""
    return over(labelled(scope.full), lambda w: _theorem_6(w, strict=False))


@claim(
    "liu2015/redundant-gain",
    "Section IV.D",
    "A feature that is redundant with respect to F has D(F) − D(F − {f}) = 0.",
)
def redundant_gain(scope: Scope) -> Finding:
    """Every redundant feature, with and without the footnote."""

    def check(world: World) -> Iterator[Check]:
        F = frozenset(world.others)
        for strict in (True, False):
            for f, kind in kinds_of(world, strict=strict).items():
                if kind is Relevance.WEAK_REDUNDANT:
                    yield Check("", holds=not needs(world, F, f), tried=1, witness=f"{f} is needed.")

    return over(labelled(scope.full), check)


@claim(
    "liu2015/algorithm-3-complete",
    "Algorithm 3",
    "The sequence P ends with every feature in it, once.",
)
def algorithm_3_complete(scope: Scope) -> Finding:
    """The whole ranking of FSDMS."""

    def check(world: World) -> Check:
        ranking = run("fsdms", world.judge, "T").answer.ranking
        return Check("", holds=sorted(ranking) == sorted(world.others), tried=1, witness=f"{ranking}")

    return over(labelled(scope.full), check)


@claim(
    "liu2015/algorithm-3-order",
    "Section IV.B and IV.D",
    "Strongly relevant and non-redundant features are selected earlier than redundant and irrelevant ones.",
)
def algorithm_3_order(scope: Scope) -> Finding:
    """The ranking of FSDMS beside relevance by brute force, where the label varies."""

    def check(world: World) -> Check:
        kinds, P = kinds_of(world), optimal(world)
        ranking = run("fsdms", world.judge, "T").answer.ranking
        late = [v for i, v in enumerate(ranking) if v in P and any(u not in P for u in ranking[:i])]
        if not late:
            return Check("", holds=True, tried=1)
        first = next(u for u in ranking if u not in P)
        text = (
            f"the sequence is {', '.join(ranking)}: {first} ({kinds[first]}) before {late[0]} "
            f"({kinds[late[0]]})."
        )
        return Check(
            "", holds=False, tried=1, witness=text, sets={"ranking": ranking, "early": first, "late": late[0]}
        )

    return over(varying(scope), check)


# ---------------------------------------------------------------------- section V: CorrAL
@claim(
    "liu2015/corral-optimal",
    "Section V.A",
    "In CorrAL the optimal subset is {A0, A1, B0, B1}.",
)
def corral_optimal(_scope: Scope) -> Finding:
    """All boundaries of CorrAL by brute force."""
    problem = corral()
    known = boundaries(problem.judge, problem.target)
    good = known == (frozenset(("A0", "A1", "B0", "B1")),)
    return Finding("CorrAL as an exact distribution", 1, None if good else Witness(f"{known}"))


@claim(
    "liu2015/corral-dependency",
    "Section V.A",
    "In the three synthetic data sets the dependency of every single feature is zero.",
)
def corral_dependency(_scope: Scope) -> Finding:
    """D of each feature of CorrAL, CorrAL-46 and CorrAL-47."""
    from mbedu.selectors.neighbours import measure
    from mbedu.selectors.source import look

    tried = 0
    for name in ("corral", "corral-46", "corral-47"):
        problem = corral(name)
        F = [v for v in problem.variables if v != problem.target]
        D = measure(
            look(Ask(problem.judge), problem.target, "fsdms", support=True), problem.target, F, 0.14
        ).dependency
        for f in F:
            tried += 1
            if D([f]):
                return Finding("the three data sets", tried, Witness(f"{name}: D({{{f}}}) = {D([f])}"))
    return Finding("the features of CorrAL, CorrAL-46 and CorrAL-47 as exact distributions", tried)
