"""What hassan2021 claims: definitions, the sketch of a proof, what the growth and the shrink phase do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

from mbedu.query import Query, sentence_set
from mbedu.running import run
from mbedu.steps import Changed
from mbedu.theory._facts import Check
from mbedu.theory.boundaries import boundaries
from mbedu.theory.claims.demorais2008 import neighbours, spouses
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, over, shown
from mbedu.theory.claims.worlds import World, Worlds, dags, small_tables

__all__ = ["grown", "markov_to", "risks"]


def braces(members: Any) -> str:
    """Write a set."""
    return "{" + (sentence_set(members) if members else "") + "}"


def grown(world: World) -> frozenset[str]:
    """Return what Eq. (5) puts into the candidate set: all that depend on the target by themselves."""
    return frozenset(v for v in world.others if not world.judge.judge(Query(world.target, v)).independent)


# ---------------------------------------------------------------------- definitions
@claim(
    "hassan2021/definition-2",
    "Definition 2 (with Definition 3)",
    "If all independencies that the graph entails are present in P (“faithful”), the Markov blanket is "
    "unique.",
    hypothesis="and P has no other independencies",
    repaired=lambda scope: over(
        scope.shapes, lambda w: Check("", holds=len(boundaries(w.judge, w.target)) == 1, tried=1)
    ),
)
def definition_2(scope: Scope) -> Finding:
    """Distributions beside graphs whose independencies they have, and perhaps more."""
    graphs = [w for n in (2, 3) for w in dags(n)[::n]]

    def check(world: World) -> Iterator[Check]:
        known = boundaries(world.judge, world.target)
        for graph in graphs:
            if graph.variables != world.variables or not markov_to(world.judge, graph):
                continue
            said = " and ".join(map(braces, known))
            text = f"all that {graph} entails holds, and the boundaries of {world.target} are {said}."
            sets = {"edges": graph.edges, "boundaries": known}
            yield Check("", holds=len(known) == 1, tried=1, witness=text, sets=sets)

    return over(scope.small, check, f"{scope.small.text}, beside every DAG that they are Markov to")


def markov_to(joint: Any, graph: World) -> bool:
    """Say whether every d-separation of the graph is an independence of the joint."""
    V = graph.variables
    for a, b in ((a, b) for i, a in enumerate(V) for b in V[i + 1 :]):
        rest = [v for v in V if v not in (a, b)]
        for mask in range(1 << len(rest)):
            query = Query(a, b, [v for i, v in enumerate(rest) if mask >> i & 1])
            if graph.judge.judge(query).independent and not joint.judge(query).independent:
                return False
    return True


@claim(
    "hassan2021/definition-4",
    "Definition 4",
    "With p ≤ 0.05 the importance log(1/p) is at least 2.99.",
)
def definition_4(_scope: Scope) -> Finding:
    """The logarithm is natural; the importance rises as p falls."""
    scores = [math.log(1 / p) for p in (0.05, 0.01, 1e-5, 1e-300)]
    good = scores[0] >= 2.99 and scores == sorted(scores)
    return Finding("p = 0.05, 0.01, 1e-5 and 1e-300", len(scores), None if good else Witness(f"{scores}"))


# ---------------------------------------------------------------------- the test
def risks(world: World, X: str) -> tuple[float, float]:
    """Return the log-loss of the best predictor from X and all others: as it is, and with X permuted.

    In the limit of many rows. Where a permuted row falls on values never seen together, the predictor
    answers with the overall distribution of the target.
    """
    table, names = world.table or {}, world.variables
    total, y, x = sum(table.values()), names.index(world.target), names.index(X)
    rest = [i for i in range(len(names)) if i not in (x, y)]
    marginal_y = _sums(table, [y])
    seen, joint = _sums(table, [x, *rest]), _sums(table, [y, x, *rest])

    def loss(value: int, x_value: int, u: tuple[int, ...]) -> float:
        whole = seen.get((x_value, *u), 0)
        p = joint.get((value, x_value, *u), 0) / whole if whole else marginal_y[value,] / total
        return -math.log(p) if p else math.inf

    plain = shuffled = 0.0
    for cell, w in table.items():
        u = tuple(cell[i] for i in rest)
        plain += w / total * loss(cell[y], cell[x], u)
        for (other,), share in _sums(table, [x]).items():
            shuffled += w / total * share / total * loss(cell[y], other, u)
    return plain, shuffled


def _sums(table: dict[tuple[int, ...], int], places: list[int]) -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {}
    for cell, w in table.items():
        key = tuple(cell[i] for i in places)
        found[key] = found.get(key, 0) + w
    return found


@claim(
    "hassan2021/equation-4",
    "Equations (1) and (4)",
    "X ⊥ Y | U can be replaced by E(R) ≥ E(R̃): permuting X raises the risk if and only if X and Y are "
    "dependent "
    "given U. (Best predictor, log-loss, infinitely many rows.)",
    hypothesis="every value of X is possible with every value of U that occurs, so that permuting makes no "
    "unseen rows",
    repaired=lambda scope: over(
        _risk_worlds(scope), lambda w: _risk(w, only_positive=True), _risk_worlds(scope).text
    ),
)
def equation_4(scope: Scope) -> Finding:
    """The exact risks beside the exact independence."""
    return over(_risk_worlds(scope), lambda w: _risk(w, only_positive=False))


def _risk_worlds(scope: Scope) -> Worlds:
    drawn = Worlds(
        scope.drawn[: 2000 if scope.full else 300], f"{300 if not scope.full else 2000} random joints over 4"
    )
    return scope.small + drawn


def _risk(world: World, *, only_positive: bool) -> Iterator[Check]:
    for X in world.others:
        if only_positive and not _free(world, X):
            continue
        rest = [v for v in world.others if v != X]
        independent = world.judge.judge(Query(world.target, X, rest)).independent
        plain, shuffled = risks(world, X)
        raised = shuffled > plain + 1e-12
        given = f" | {', '.join(rest)}" if rest else ""
        sign, does = ("⊥", "rises") if independent else ("⊥̸", "does not rise")
        text = (
            f"{world.target} {sign} {X}{given}, but the risk {does} when {X} is permuted: {plain:.4f} to "
            f"{shuffled:.4f}."
        )
        yield Check("", holds=raised != independent, tried=1, witness=text, sets={"X": X})


def _free(world: World, X: str) -> bool:
    names, table = world.variables, world.table or {}
    x, y = names.index(X), names.index(world.target)
    rest = [i for i in range(len(names)) if i not in (x, y)]
    pairs = {(cell[x], tuple(cell[i] for i in rest)) for cell in table}
    return len(pairs) == len({p[0] for p in pairs}) * len({p[1] for p in pairs})


# ---------------------------------------------------------------------- the sketch of the proof
@claim(
    "hassan2021/growth-parents-children",
    "Sketch of Proof of Correctness",
    "Parents and children enter in the growth phase.",
)
def growth_parents_children(scope: Scope) -> Finding:
    """What Eq. (5) admits under faithfulness."""

    def check(world: World) -> Check:
        lost = neighbours(world, world.target) - grown(world)
        return Check("", holds=not lost, tried=1, witness=f"{braces(lost)} does not enter.")

    return over(scope.shapes, check)


@claim(
    "hassan2021/growth-spouses",
    "Sketch of Proof of Correctness",
    "Spouses enter in the growth phase too, although it conditions on the empty set.",
    hypothesis="the growth phase conditions on the current set and goes round until nothing enters",
    repaired=lambda scope: over(scope.few_graphs, _conditional_growth),
)
def growth_spouses(scope: Scope) -> Finding:
    """What Eq. (5) admits, beside the spouses."""

    def check(world: World) -> Check:
        lost = spouses(world, world.target) - grown(world)
        return Check(
            "",
            holds=not lost,
            tried=1,
            witness=f"the spouse {braces(lost)} does not enter.",
            sets={"lost": lost},
        )

    return over(scope.shapes, check)


def _conditional_growth(world: World) -> Check:
    trace = run("ppfs", world.judge, world.target, growth="conditional", record=True).trace
    steps = trace.steps if trace is not None else ()
    entered = {v for s in steps if isinstance(s, Changed) and s.phase == "growth" for v in s.added}
    lost = world.judge.boundary(world.target) - entered
    return Check("", holds=not lost, tried=1, witness=f"{braces(lost)} does not enter.")


@claim(
    "hassan2021/domain-shift",
    "Sketch of Proof of Correctness",
    "A permuted test feature is further from the training feature than the test feature itself: "
    "g(X_train, X_test) < g(X_train, X̃_test) for a measure g of domain shift.",
)
def domain_shift(_scope: Scope) -> Finding:
    """A measure of distributions sees the values, not their order, which is all that changes."""
    train, test = (0, 0, 1), (0, 1)
    tried = 0
    for shuffled in list(permutations(test))[1:]:  # the first is the test sample itself
        for g in (_total_variation, _mean_shift):
            tried += 1
            before, after = g(train, test), g(train, shuffled)
            if not before < after:
                text = (
                    f"training values {train}, test values {test}, permuted {shuffled}: {g.__name__[1:]} is "
                    f"{before:g} before and {after:g} after; permuting one feature leaves its "
                    f"distribution as it is."
                )
                values = {"train": train, "test": test, "shuffled": shuffled}
                return Finding(
                    "two measures of shift on the smallest samples", tried, Witness(text, None, values)
                )
    return Finding("two measures of shift on the smallest samples", tried)


def _total_variation(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    return sum(abs(a.count(v) / len(a) - b.count(v) / len(b)) for v in {*a, *b}) / 2


def _mean_shift(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    return abs(sum(a) / len(a) - sum(b) / len(b))


@claim(
    "hassan2021/growth-superset",
    "Sketch of Proof of Correctness",
    "After the growth phase the candidate set is a superset of the Markov blanket.",
    hypothesis="the growth phase conditions on the current set",
    repaired=lambda scope: over(scope.few_graphs, _conditional_growth),
)
def growth_superset(scope: Scope) -> Finding:
    """Eq. (5) beside the boundary."""

    def check(world: World) -> Check:
        lost = world.judge.boundary(world.target) - grown(world)
        return Check(
            "", holds=not lost, tried=1, witness=f"{braces(lost)} is not in it.", sets={"lost": lost}
        )

    return over(scope.shapes, check)


# ---------------------------------------------------------------------- the shrink phase
@claim(
    "hassan2021/shrink-superset",
    "Sketch of Proof of Correctness",
    "From a superset of the blanket the shrink phase removes exactly the false positives.",
)
def shrink_superset(scope: Scope) -> Finding:
    """One pass in every order, from all variables, under faithfulness."""

    def check(world: World) -> Iterator[Check]:
        right = world.judge.boundary(world.target)
        for order in permutations(world.others):
            S = _one_pass(world, order)
            yield Check(
                "", holds=right == S, tried=1, witness=f"in the order {', '.join(order)}: {braces(S)}"
            )

    return over(scope.shapes, check)


def _one_pass(world: World, order: tuple[str, ...]) -> frozenset[str]:
    S = frozenset(world.others)
    for X in order:
        if world.judge.judge(Query(world.target, X, S - {X})).independent:
            S -= {X}
    return S


@claim(
    "hassan2021/shrink-restart",
    "Improved Shrink Phase",
    "After a removal the shrink phase would have to restart; sorted by importance it need not: one pass "
    "leaves no "
    "member that could still go.",
)
def shrink_restart(scope: Scope) -> Finding:
    """One pass from all variables, in *every* order: with exact answers sorting is not even needed."""

    def check(world: World) -> Iterator[Check]:
        for order in permutations(world.others):
            S = _one_pass(world, order)
            left = [v for v in sorted(S) if world.judge.judge(Query(world.target, v, S - {v})).independent]
            yield Check(
                "", holds=not left, tried=1, witness=f"in the order {', '.join(order)}: {left} could go."
            )

    return over(scope.joints, check, f"{scope.joints.text}, every order of the members")


@claim(
    "hassan2021/shrink-importance",
    "Improved Shrink Phase",
    "In ascending order of importance the false positives come before the more important members, which "
    "are therefore "
    "not reached before them.",
)
def shrink_importance(scope: Scope) -> Finding:
    """The association of every grown variable with the target, false positives beside members."""

    def check(world: World) -> Check:
        known = boundaries(world.judge, world.target)
        if len(known) != 1:
            return Check("", holds=True, tried=0)
        inside = grown(world)
        strength = {v: world.judge.judge(Query(world.target, v)).strength or 0.0 for v in sorted(inside)}
        members = [v for v in strength if v in known[0]]
        false = [v for v in strength if v not in known[0]]
        pairs = [(f, m) for f, m in product(false, members) if strength[f] > strength[m] + 1e-9]
        if not pairs:
            return Check("", holds=True, tried=1)
        f, m = pairs[0]
        text = (
            f"the false positive {f} says more about {world.target} by itself ({strength[f]:.4f} nats) "
            f"than the "
            f"member {m} of the only boundary {braces(known[0])} ({strength[m]:.4f})."
        )
        return Check(
            "", holds=False, tried=1, witness=text, sets={"false": f, "member": m, "boundary": known[0]}
        )

    return over(small_tables(3, 2) + small_tables(4, 1, symmetric=False) + scope.drawn, check)


# ---------------------------------------------------------------------- the whole
@claim(
    "hassan2021/ppfs-correct",
    "Sketch of Proof of Correctness",
    "Under faithfulness PPFS returns the unique and correct Markov blanket.",
    hypothesis="the growth phase conditions on the current set",
    repaired=lambda scope: over(scope.few_graphs, lambda w: _ppfs(w, growth="conditional")),
)
def ppfs_correct(scope: Scope) -> Finding:
    """PPFS with exact answers."""
    return over(scope.few_graphs, lambda w: _ppfs(w, growth="printed"))


def _ppfs(world: World, *, growth: str) -> Check:
    answer = run("ppfs", world.judge, world.target, growth=growth).boundary
    right = world.judge.boundary(world.target)
    text = f"PPFS returns {braces(answer)}, the boundary is {braces(right)}."
    return Check("", holds=answer == right, tried=1, witness=text, sets={"answer": answer})


@claim(
    "hassan2021/ppfs-unfaithful",
    "Markov Blanket Aggregation",
    "Without faithfulness PPFS might not find the blanket, since it is not unique then.",
)
def ppfs_unfaithful(_scope: Scope) -> Finding:
    """An example: a boundary that PPFS misses, with exact answers, in a distribution that is not faithful."""
    xor = World(("T", "A", "B"), "T", table={(a ^ b, a, b): 1 for a, b in product((0, 1), repeat=2)})
    answer = run("ppfs", xor.judge, "T").boundary
    known = boundaries(xor.judge, "T")
    text = f"PPFS returns {braces(answer)}; the boundary, {braces(known[0])}, is unique all the same."
    if answer not in known:
        return Finding("two coins and their parity", 1, example=shown(xor, text, answer=answer))
    return Finding("two coins and their parity", 1, Witness("PPFS finds it"))
