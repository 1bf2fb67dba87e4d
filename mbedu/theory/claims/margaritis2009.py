"""What margaritis2009 claims of axioms, boundaries and its own appendix.

The claims about GS(m), RGS(m, k) and near-parity are in `margaritis2009_algorithms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from mbedu.oracles import ExactGaussian
from mbedu.theory import lemmas
from mbedu.theory._facts import Check, Facts, by_size
from mbedu.theory.axioms import check_axioms
from mbedu.theory.boundaries import m_correct
from mbedu.theory.boundary_theorem import theorem_1
from mbedu.theory.claims._abstract import abstract, both, over_relations
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, found, over, shown
from mbedu.theory.claims.worlds import World, Worlds
from mbedu.theory.relations import Relation

__all__ = ["margins", "with_intersection"]

UNIVERSAL = ("Symmetry", "Decomposition", "Weak Union", "Contraction")


def margins(world: World) -> range:
    """Return every margin that means something: 1 … n − 1."""
    return range(1, max(2, len(world.variables)))


def with_intersection(scope: Scope) -> Worlds:
    """Return the distributions in which Intersection holds."""
    return scope.joints.where(lambda w: w.obeys("Intersection"), "where Intersection holds")


# ---------------------------------------------------------------------- section 3
@claim(
    "margaritis2009/definition-1",
    "Definition 1",
    "A Markov blanket of X, which is any S ⊆ U with X ⊥ U − S − {X} | S, never holds X itself (Definition "
    "2 demands "
    "it of boundaries, Definition 1 does not of blankets).",
)
def definition_1(scope: Scope) -> Finding:
    """{X} itself shields X in every world: seen through an exact copy of X."""

    def check(world: World) -> Check:
        if world.table is None:
            return Check("", holds=True, tried=0)
        # a copy of X stands for X inside S: knowing it is knowing X
        doubled = {(*cell, cell[0]): w for cell, w in world.table.items()}
        copied = World((*world.variables, "X"), "T", table=doubled)
        facts = Facts(copied.judge)
        shields = facts.independent(facts.bit["T"], facts.mask(world.others), facts.bit["X"])
        text = "S = {T} shields T from the rest, as it does in every world."
        return Check("", holds=not shields, tried=1, witness=text, sets={"S": frozenset("T")})

    return over(scope.small, check)


@claim(
    "margaritis2009/axioms-universal",
    "Section 3, Eqs. (1)",
    "Symmetry, Decomposition, Weak Union and Contraction hold in every probability distribution.",
)
def axioms_universal(scope: Scope) -> Finding:
    """Every instance of the four axioms in every distribution."""

    def check(world: World) -> Iterator[Check]:
        for result in check_axioms(world.judge, axioms=UNIVERSAL):
            yield Check(result.name, holds=result.holds, tried=result.tried, witness=result.text)

    return over(scope.joints, check)


@claim("margaritis2009/intersection", "Section 3", "Intersection holds in every positive distribution.")
def intersection(scope: Scope) -> Finding:
    """Intersection where every combination of values is possible."""

    def check(world: World) -> Check:
        result = check_axioms(world.judge, axioms="Intersection")["Intersection"]
        return Check("", holds=result.holds, tried=result.tried, witness=result.text)

    def positive(world: World) -> bool:
        return world.table is not None and len(world.table) == 2 ** len(world.variables)

    return over(scope.joints.where(positive, "that are positive"), check)


@claim("margaritis2009/intersection-not-universal", "Section 3", "Intersection is not universal.")
def intersection_not_universal(scope: Scope) -> Finding:
    """Look for a distribution that breaks it."""

    def search(world: World) -> Witness | None:
        result = check_axioms(world.judge, axioms="Intersection")["Intersection"]
        text = result.text.removeprefix("Intersection fails: ")
        return None if result.holds else shown(world, text, **(result.witness or {}))

    return found(scope.joints, search)


@claim(
    "margaritis2009/gaussian-composition",
    "Section 2",
    "In a multivariate Gaussian the Composition axiom holds.",
)
def gaussian_composition(scope: Scope) -> Finding:
    """Composition in Gaussians with small whole-number covariances, singular ones among them."""
    import random

    coin, tried = random.Random(scope.seed), 0
    count = 400 if scope.full else 60
    domain = f"{count} random exact Gaussians over 4 variables, singular ones among them"
    for _ in range(count):
        rows = [[coin.choice((-1, 0, 0, 1, 2)) for _ in range(3)] for _ in range(4)]
        covariance = [[Fraction(sum(a * b for a, b in zip(p, q, strict=True))) for q in rows] for p in rows]
        for i in range(4):
            covariance[i][i] += coin.choice((0, 1))
        if any(covariance[i][i] == 0 for i in range(4)):
            continue
        result = check_axioms(ExactGaussian(covariance, variables=list("TABC")), axioms="Composition")[
            "Composition"
        ]
        tried += result.tried
        if not result.holds:
            return Finding(domain, tried, Witness(f"covariance {rows}: {result.text}", None, {"rows": rows}))
    return Finding(domain, tried)


@claim(
    "margaritis2009/unique-boundary",
    "Section 3 (after Pearl)",
    "Symmetry, Decomposition, Weak Union and Intersection guarantee a unique Markov boundary (Contraction is "
    "not among them).",
)
def unique_boundary(scope: Scope) -> Finding:
    """One boundary, in every distribution with Intersection and every abstract relation with these axioms."""
    axioms = ("Decomposition", "Weak Union", "Intersection")
    return both(
        over(with_intersection(scope), lambda w: lemmas.boundary_is_unique(w.judge, w.target)),
        over_relations(axioms, lambda r: lemmas.boundary_is_unique(r, "T")),
    )


@claim(
    "margaritis2009/several-boundaries",
    "Section 3 (after Pearl), the other way round",
    "Where Intersection fails a variable can have several Markov boundaries.",
)
def several_boundaries(scope: Scope) -> Finding:
    """Look for a distribution with two."""

    def search(world: World) -> Witness | None:
        result = lemmas.boundary_is_unique(world.judge, world.target)
        return None if result.holds else shown(world, result.witness, **result.sets)

    return found(scope.joints, search)


# ---------------------------------------------------------------------- section 4
@claim(
    "margaritis2009/theorem-1",
    "Theorem 1 (Markov Boundary Theorem)",
    "S is a Markov boundary of X if and only if for every T: T lies outside S ⟺ X ⊥ T | S − T (Eq. 2).",
)
def theorem_1_distributions(scope: Scope) -> Finding:
    """Theorem 1 for every S in every distribution and graph."""
    worlds = scope.joints + scope.shapes
    several = sum(not lemmas.boundary_is_unique(w.judge, w.target) for w in scope.joints)
    words = f"{worlds.text}; {several:,} of the patterns have several boundaries"
    return over(worlds, lambda w: theorem_1(w.judge, w.target), words)


@claim(
    "margaritis2009/theorem-1-hypotheses",
    "Theorem 1, hypotheses",
    "Theorem 1 needs no more than Decomposition and Contraction (Weak Union is not assumed).",
)
def theorem_1_abstract(_scope: Scope) -> Finding:
    """Theorem 1 for every abstract relation with these two axioms."""
    return over_relations(("Decomposition", "Contraction"), lambda r: theorem_1(r, "T"))


@claim(
    "margaritis2009/theorem-1-several-boundaries",
    "Theorem 1, where the boundary is not unique",
    "Each of several boundaries splits the subsets of U − {X} in its own way: Eq. (2) holds for all of them.",
)
def theorem_1_several(scope: Scope) -> Finding:
    """Theorem 1 where there is more than one boundary."""
    several = scope.joints.where(
        lambda w: not lemmas.boundary_is_unique(w.judge, w.target), "with several boundaries"
    )
    return over(several, lambda w: theorem_1(w.judge, w.target))


# ---------------------------------------------------------------------- section 5, definition 3
@claim(
    "margaritis2009/definition-3",
    "Definition 3",
    "A variable has only one m-Markov boundary (the paper says both “an” and “the m-boundary”).",
    hypothesis="Intersection and Composition hold",
    repaired=lambda scope: over(
        scope.joints.where(
            lambda w: w.obeys("Intersection") and w.obeys("Composition"),
            "where Intersection and Composition hold",
        )
        + scope.shapes,
        _unique_m,
    ),
)
def definition_3(scope: Scope) -> Finding:
    """One m-boundary for each m, in every distribution."""
    return over(scope.joints, _unique_m)


def _unique_m(world: World) -> Iterator[Check]:
    for m in margins(world):
        unique = lemmas.m_boundary_is_unique(world.judge, world.target, m=m)
        yield Check("", holds=unique.holds, tried=1, witness=unique.witness, sets={"m": m, **unique.sets})


@claim(
    "margaritis2009/definition-3-full-margin",
    "Section 5, after Definition 3",
    "With m = n − 1 the definition is that of a Markov boundary.",
)
def definition_3_full(scope: Scope) -> Finding:
    """The (n − 1)-boundaries are the boundaries."""

    def check(world: World) -> Check:
        facts = Facts(world.judge)
        _, others = facts.target(world.target)
        x = facts.bit[world.target]
        blankets = [S for S in by_size(others) if facts.independent(x, others & ~S, S)]
        minimal = [S for S in blankets if not any(B & S == B and B != S for B in blankets)]
        m = len(world.variables) - 1
        same = minimal == [S for S in by_size(others) if m_correct(facts, world.target, S, m)]
        return Check("", holds=same, tried=1, witness="the two differ.")

    return over(scope.joints + scope.shapes, check)


# ---------------------------------------------------------------------- appendix B
def _each_margin(checker: object) -> object:
    def check(world: World) -> Iterator[Check]:
        for m in margins(world):
            yield checker(world.judge, world.target, m=m)  # type: ignore[operator]

    return check


@claim(
    "margaritis2009/observation-1",
    "Observation 1",
    "When the growing phase ends, X ⊥ Y | S_G for every Y outside S_G with 1 ≤ |Y| ≤ m.",
)
def observation_1(scope: Scope) -> Finding:
    """Every order of growing, every margin."""
    return over(scope.joints + scope.shapes, _each_margin(lemmas.observation_1))  # type: ignore[arg-type]


@claim(
    "margaritis2009/observation-2",
    "Observation 2",
    "When the shrinking phase ends, X and Y are dependent given S_S − {Y} for every Y in S_S.",
)
def observation_2(scope: Scope) -> Finding:
    """Every order of growing and shrinking, every margin."""
    return over(scope.joints + scope.shapes, _each_margin(lemmas.observation_2))  # type: ignore[arg-type]


@claim(
    "margaritis2009/lemma-2",
    "Lemma 2",
    "If X ⊥ Y_i | S − {Y_1 … Y_i} for i = 1 … t, then X ⊥ {Y_1 … Y_t} | S − {Y_1 … Y_t}, for any Y_1 … Y_t.",
    hypothesis="Y_2 … Y_t lie inside S (Y_1 need not); the paper only uses it with all of them inside",
    repaired=lambda scope: both(
        over(scope.joints, lambda w: lemmas.lemma_2(w.judge, w.target, reading="sharp")),
        over_relations(
            ("Contraction",), lambda r: lemmas.lemma_2(r, "T", reading="sharp"), 3 if scope.full else 2
        ),
    ),
)
def lemma_2(scope: Scope) -> Finding:
    """Lemma 2 as printed."""
    return over(scope.joints, lambda w: lemmas.lemma_2(w.judge, w.target))


@claim(
    "margaritis2009/corollary-3",
    "Corollary 3",
    "X ⊥ S_Δ | S_S: what the shrinking phase removed is jointly independent of X given what is left. "
    "Contraction is "
    "all that it needs.",
)
def corollary_3(scope: Scope) -> Finding:
    """Every start S_G, every order, also where only Contraction holds."""
    return both(
        over(scope.joints, lambda w: lemmas.corollary_3(w.judge, w.target)),
        over_relations(("Contraction",), lambda r: lemmas.corollary_3(r, "T"), 3 if scope.full else 2),
    )


@claim(
    "margaritis2009/lemma-4-independence",
    "Lemma 4, Eq. (3)",
    "If X ⊥ T | S_G for a T outside S_G, then X ⊥ T ∪ (S_G − S_S) | S_S.",
)
def lemma_4_independence(scope: Scope) -> Finding:
    """Every S_G, S_S and T."""
    axioms = ("Decomposition", "Weak Union", "Contraction")
    return both(
        over(scope.joints, lambda w: lemmas.lemma_4(w.judge, w.target)),
        over_relations(axioms, lambda r: lemmas.lemma_4(r, "T")),
    )


@claim(
    "margaritis2009/lemma-4-minimality",
    "Lemma 4, minimality",
    "There does not exist a subset of S_S for which Eq. (3) is true.",
    hypothesis="a *proper* subset, which is what the proof uses (S_S itself satisfies it)",
    repaired=lambda scope: both(
        over(scope.joints, lambda w: lemmas.lemma_4(w.judge, w.target, part="minimality")),
        over_relations(
            ("Decomposition", "Weak Union", "Contraction"),
            lambda r: lemmas.lemma_4(r, "T", part="minimality"),
        ),
    ),
)
def lemma_4_minimality(scope: Scope) -> Finding:
    """Minimality as printed."""
    return over(
        scope.joints, lambda w: lemmas.lemma_4(w.judge, w.target, part="minimality", reading="printed")
    )


@claim(
    "margaritis2009/theorem-5",
    "Theorem 5",
    "GS(m) returns an m-Markov boundary, whatever the order; Contraction, Decomposition and Weak Union "
    "are all that "
    "it needs.",
)
def theorem_5(scope: Scope) -> Finding:
    """Every order, every margin, in every distribution, graph and abstract relation."""

    def relation(r: Relation) -> Iterator[Check]:
        for m in range(1, len(r.variables)):
            yield lemmas.theorem_5(r, "T", m=m)

    axioms = ("Decomposition", "Weak Union", "Contraction")
    worlds = scope.joints + scope.shapes
    return both(
        over(worlds, _each_margin(lemmas.theorem_5)),  # type: ignore[arg-type]
        over_relations(axioms, relation),
    )


@claim(
    "margaritis2009/theorem-5-weak-union",
    "Theorem 5, hypotheses",
    "Weak Union is needed: with Decomposition and Contraction alone GS(m) can return what is no m-boundary.",
)
def theorem_5_weak_union(_scope: Scope) -> Finding:
    """Look for a relation without Weak Union on which GS(m) errs."""
    text, relations = abstract(("Decomposition", "Contraction"), 3)
    for tried, relation in enumerate(relations, 1):
        for m in (1, 2, 3):
            result = lemmas.theorem_5(relation, "T", m=m)
            if not result.holds:
                values = {"relation": relation, "m": m, **result.sets}
                example = Witness(f"{relation}: {result.witness}", None, values)
                return Finding(text, tried, example=example)
    return Finding(text, len(relations), witness=Witness("no such relation was found"))
