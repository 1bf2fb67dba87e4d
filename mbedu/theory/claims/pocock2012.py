"""What pocock2012 claims of its objective, the steps that minimise it, and its priors."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from mbedu.oracles import ExactJoint
from mbedu.query import sentence_set
from mbedu.theory._facts import Check, by_size
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, over
from mbedu.theory.claims.worlds import World, Worlds, small_tables
from mbedu.theory.lemmas import boundary_is_unique

__all__ = ["CLOSE", "Objective", "backward_step"]

CLOSE = 1e-9  # sums of a few logarithms; what is compared differs by much more or not at all


def braces(members: Any) -> str:
    """Write a set."""
    return "{" + (sentence_set(members) if members else "") + "}"


class Objective:
    """J(θ) = I(X¬θ; Y | Xθ) − log p(θ)/N of Eq. (12), for a prior p(θ) ∝ exp(Σ w_i θ_i), all in nats."""

    def __init__(self, world: World, weights: dict[str, float] | None = None, n: int = 1) -> None:
        self.joint: ExactJoint = world.judge
        self.Y, self.features = world.target, world.others
        self.weights, self.n = weights or {}, n

    def information(self, x: frozenset[str], given: frozenset[str]) -> float:
        """Return I(x; Y | given)."""
        H = self.joint.entropy
        return H({self.Y}, given) - H({self.Y}, given | x) if x else 0.0

    def log_prior(self, theta: frozenset[str]) -> float:
        """Return log p(θ) up to a constant."""
        return sum(self.weights.get(v, 0.0) for v in theta)

    def __call__(self, theta: frozenset[str]) -> float:
        rest = frozenset(self.features) - theta
        return self.information(rest, theta) - self.log_prior(theta) / self.n


def random_priors(world: World, coin: random.Random, count: int) -> Iterator[dict[str, float]]:
    """Yield priors with small whole-number weights, the flat one first."""
    yield {}
    for _ in range(count):
        yield {v: float(coin.choice((-2, -1, 0, 1, 2))) for v in world.others}


def subsets_of(world: World) -> Iterator[frozenset[str]]:
    """Yield every set of features, smallest first."""
    for mask in by_size((1 << len(world.others)) - 1):
        yield frozenset(v for i, v in enumerate(world.others) if mask >> i & 1)


def steps_domain(scope: Scope) -> tuple[Worlds, str]:
    """Return the joints on which steps are compared with brute force, and how to say it."""
    worlds = small_tables(3, 2).joined(
        Worlds(scope.drawn[: 400 if scope.full else 60], ""), "the patterns of 3 binary variables"
    )
    count = len(worlds) - len(small_tables(3, 2))
    return worlds, f"{len(small_tables(3, 2))} joints over 3 and {count} random ones over 4 binary variables"


# ---------------------------------------------------------------------- section 2
@claim(
    "pocock2012/x-star",
    "Section 2.1",
    "There is one minimal feature set X* with p(y | x_θ*) = p(y | x) (“the minimal feature set”).",
    hypothesis="Intersection holds",
    repaired=lambda scope: over(
        scope.joints.where(lambda w: w.obeys("Intersection"), "where Intersection holds"),
        lambda w: boundary_is_unique(w.judge, w.target),
    ),
)
def x_star(scope: Scope) -> Finding:
    """The minimal sets that leave the conditional distribution of Y as it is are the boundaries."""
    return over(scope.joints, lambda w: boundary_is_unique(w.judge, w.target))


@claim(
    "pocock2012/equation-7",
    "Equation (7)",
    "The expected divergence of p(y | x_θ) from p(y | x) is the conditional mutual information I(X¬θ; Y | "
    "Xθ).",
)
def equation_7(scope: Scope) -> Finding:
    """The sum over all cells beside a difference of entropies."""

    def check(world: World) -> Iterator[Check]:
        J = Objective(world)
        for theta in subsets_of(world):
            given = _divergence(world, theta)
            info = J.information(frozenset(world.others) - theta, theta)
            text = f"θ = {braces(theta)}: {given} against {info}"
            yield Check("", holds=abs(given - info) < CLOSE, tried=1, witness=text)

    worlds, text = steps_domain(scope)
    return over(worlds, check, text)


def _divergence(world: World, theta: frozenset[str]) -> float:
    """Return Σ p(x, y) log p(y | x) / p(y | x_θ), from the table itself."""
    table = world.table or {}
    total, y = sum(table.values()), world.variables.index(world.target)
    kept = [i for i, v in enumerate(world.variables) if v in theta]

    def weight(cell: tuple[int, ...], places: list[int]) -> int:
        return sum(w for other, w in table.items() if all(other[i] == cell[i] for i in places))

    rest = [i for i in range(len(world.variables)) if i != y]
    result = 0.0
    for cell, w in table.items():
        full = w / weight(cell, rest)
        part = weight(cell, [*kept, y]) / weight(cell, kept)
        result += w / total * math.log(full / part)
    return result


@claim(
    "pocock2012/equation-9",
    "Equation (9)",
    "I(X; Y) = I(Xθ; Y) + I(X¬θ; Y | Xθ), so minimising the second term is maximising the first.",
)
def equation_9(scope: Scope) -> Finding:
    """The chain rule for every θ, and the same best sets of every size."""

    def check(world: World) -> Iterator[Check]:
        J, empty = Objective(world), frozenset[str]()
        whole = J.information(frozenset(world.others), empty)
        for theta in subsets_of(world):
            parts = J.information(theta, empty) + J.information(frozenset(world.others) - theta, theta)
            yield Check("", holds=abs(whole - parts) < CLOSE, tried=1, witness=f"{whole} against {parts}")

    worlds, text = steps_domain(scope)
    return over(worlds, check, text)


@claim(
    "pocock2012/theorem-1",
    "Theorem 1, Eq. (11)",
    "Adding the X that maximises I(X; Y | Xθ) + log(p(θ')/p(θ))/N is the forward step that minimises the "
    "objective.",
)
def theorem_1(scope: Scope) -> Finding:
    """Brute force over all additions, with flat and other priors."""

    def check(world: World, weights: dict[str, float]) -> Iterator[Check]:
        J = Objective(world, weights, n=4)
        for theta in subsets_of(world):
            out = [v for v in world.others if v not in theta]
            if not out:
                continue
            score = {v: J.information(frozenset({v}), theta) + weights.get(v, 0.0) / J.n for v in out}
            best = min(J(theta | {v}) for v in out)
            chosen = max(out, key=score.__getitem__)
            text = (
                f"θ = {braces(theta)}, log-prior weights {weights}: Eq. (11) adds {chosen}, which is not "
                f"best."
            )
            yield Check("", holds=J(theta | {chosen}) <= best + CLOSE, tried=1, witness=text)

    return _with_priors(scope, check)


def _with_priors(scope: Scope, check: Any) -> Finding:
    worlds, text = steps_domain(scope)
    coin, each = random.Random(scope.seed), 8 if scope.full else 4

    def all_priors(world: World) -> Iterator[Check]:
        for weights in random_priors(world, coin, each):
            yield from check(world, weights)

    return over(worlds, all_priors, f"{text}, the flat and {each} random priors each, every θ")


def backward_step(world: World, weights: dict[str, float], *, sign: float) -> Iterator[Check]:
    """Compare Eq. (14), with the printed sign (+1) or the other (−1), with brute force over all removals."""
    J = Objective(world, weights, n=4)
    for theta in subsets_of(world):
        if not theta:
            continue
        inside = [v for v in world.others if v in theta]
        # the ratio p(θ')/p(θ) of a removal is exp(−w): log = −w
        score = {
            v: J.information(frozenset({v}), theta - {v}) + sign * -weights.get(v, 0.0) / J.n for v in inside
        }
        best = min(J(theta - {v}) for v in inside)
        chosen = min(inside, key=score.__getitem__)
        w = ", ".join(f"w({v}) = {weights.get(v, 0.0):g}" for v in inside)
        text = f"θ = {braces(theta)}, {w}: Eq. (14) removes {chosen}, the objective says another one."
        sets = {"theta": theta, "weights": weights, "chosen": chosen, "n": 4}
        yield Check("", holds=J(theta - {chosen}) <= best + CLOSE, tried=1, witness=text, sets=sets)


@claim(
    "pocock2012/theorem-2",
    "Theorem 2, Eq. (14)",
    "Removing the X that minimises I(X; Y | Xθ ∖ X) + log(p(θ')/p(θ))/N is the backward step that "
    "minimises the "
    "objective.",
    hypothesis="the prior term has a minus sign (or the prior is flat)",
    repaired=lambda scope: _with_priors(scope, lambda w, weights: backward_step(w, weights, sign=-1.0)),
)
def theorem_2(scope: Scope) -> Finding:
    """Eq. (14) as printed."""

    def smallest(world: World) -> Iterator[Check]:
        for values_ in product((0.0, 1.0), repeat=len(world.others)):
            weights = dict(zip(world.others, values_, strict=True))
            yield from backward_step(world, weights, sign=1.0)

    first = over(small_tables(3, 2), smallest, "the patterns of 3 binary variables, weights 0 and 1, every θ")
    return first if not first.holds else _with_priors(scope, lambda w, p: backward_step(w, p, sign=1.0))


# ---------------------------------------------------------------------- section 3: priors
@claim(
    "pocock2012/equation-18",
    "Equations (16) to (19)",
    "With β_i = 1/(1 + e^(−αw_i)) the Bernoulli prior is ∝ e^(α wᵀθ); adding X_k multiplies it by "
    "e^(αw_k), removing "
    "it by e^(−αw_k).",
)
def equation_18(scope: Scope) -> Finding:
    """The product of Bernoullis beside the exponential form, for many α and w."""
    coin, tried = random.Random(scope.seed), 0
    domain = "200 random α and w for 3 features, every θ and every flip"
    for _ in range(200):
        alpha, w = coin.uniform(0.1, 5), [coin.uniform(-2, 2) for _ in range(3)]
        beta = [1 / (1 + math.exp(-alpha * v)) for v in w]

        def bernoulli(theta: tuple[int, ...], beta: list[float] = beta) -> float:
            return math.prod(b if on else 1 - b for on, b in zip(theta, beta, strict=True))

        for theta in product((0, 1), repeat=3):
            for k in range(3):
                other = tuple(1 - v if i == k else v for i, v in enumerate(theta))
                ratio, sign = bernoulli(other) / bernoulli(theta), 1 if other[k] else -1
                tried += 1
                if not math.isclose(ratio, math.exp(sign * alpha * w[k]), rel_tol=1e-9):
                    return Finding(domain, tried, Witness(f"α = {alpha}, w = {w}, θ = {theta}: {ratio}"))
    return Finding(domain, tried)


@claim(
    "pocock2012/log-99",
    "Section 5",
    "α_d = log 99 with w = ±1 stands for prior probabilities of 0.99 and 0.01.",
)
def log_99(_scope: Scope) -> Finding:
    """Eq. (17) at α = log 99, in natural logarithms."""
    for w, p in ((1, 0.99), (-1, 0.01)):
        beta = 1 / (1 + math.exp(-math.log(99) * w))
        if not math.isclose(beta, p, rel_tol=1e-12):
            return Finding("Eq. (17)", 2, Witness(f"w = {w}: {beta}"))
    return Finding("Eq. (17) at w = 1 and w = −1", 2)
