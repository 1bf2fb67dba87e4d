"""What pocock2012 claims: the objective and its steps, the priors, IAMB as their special case, the toy problem."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from mbedu.algorithms.iamb_ip import iamb_ip
from mbedu.algorithms.iamb_printed import extreme, values
from mbedu.ask import Ask
from mbedu.oracles import ExactJoint
from mbedu.problems import iamb_ip_toy
from mbedu.query import sentence_set
from mbedu.running import run
from mbedu.theory._facts import Check, by_size
from mbedu.theory.boundaries import boundaries
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, over
from mbedu.theory.claims.worlds import Threshold, World, Worlds, small_tables
from mbedu.theory.lemmas import boundary_is_unique

__all__ = ["Objective", "backward_step", "literal_iamb"]

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
    "The expected divergence of p(y | x_θ) from p(y | x) is the conditional mutual information I(X¬θ; Y | Xθ).",
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
    "Adding the X that maximises I(X; Y | Xθ) + log(p(θ')/p(θ))/N is the forward step that minimises the objective.",
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
            text = f"θ = {braces(theta)}, log-prior weights {weights}: Eq. (11) adds {chosen}, which is not best."
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
    "Removing the X that minimises I(X; Y | Xθ ∖ X) + log(p(θ')/p(θ))/N is the backward step that minimises the "
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
    "With β_i = 1/(1 + e^(−αw_i)) the Bernoulli prior is ∝ e^(α wᵀθ); adding X_k multiplies it by e^(αw_k), removing "
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
def log_99(scope: Scope) -> Finding:
    """Eq. (17) at α = log 99, in natural logarithms."""
    for w, p in ((1, 0.99), (-1, 0.01)):
        beta = 1 / (1 + math.exp(-math.log(99) * w))
        if not math.isclose(beta, p, rel_tol=1e-12):
            return Finding("Eq. (17)", 2, Witness(f"w = {w}: {beta}"))
    return Finding("Eq. (17) at w = 1 and w = −1", 2)


# ---------------------------------------------------------------------- section 4: IAMB
def literal_iamb(ask: Ask, Y: str, *, t: float, changed: bool) -> frozenset[str]:
    """Run Algorithm 1 with the flag “CMB has changed” starting as given and never set but by a change."""
    CMB: frozenset[str] = frozenset()
    while changed:
        changed = False
        candidates = ask.others(Y, CMB)
        f = values(ask.many(Y, candidates, CMB))
        best = extreme(f, sign=1.0)
        if best is not None and f[best] > t:
            CMB |= {candidates[best]}
            changed = True
    while changed:  # the flag is what phase 1 left behind
        changed = False
        members = ask.ordered(CMB)
        f = values(ask.leave_one_out(Y, members, CMB))
        worst = extreme(f, sign=-1.0)
        if worst is not None and f[worst] < t:
            CMB -= {members[worst]}
            changed = True
    return CMB


def _is_right(world: World, answer: frozenset[str], said: str) -> Check:
    right = answer in boundaries(world.judge, world.target)
    text = f"{said} returns {braces(answer)}, which is no boundary."
    return Check("", holds=right, tried=1, witness=text, sets={"answer": answer})


def _faithful(scope: Scope) -> Worlds:
    kept = scope.drawn.where(lambda w: w.obeys("Composition"), "where Composition holds")
    return small_tables(3, 2).where(lambda w: w.obeys("Composition"), "where Composition holds") + kept


@claim(
    "pocock2012/iamb-while",
    "Algorithm 1, “while CMB has changed”",
    "Algorithm 1 read to the letter, with nothing changed before the first loop, finds the boundary.",
    hypothesis="the flag starts true in both phases, f < t reads f ≤ t, and Composition holds",
    repaired=lambda scope: over(
        _faithful(scope) + scope.few_graphs,
        lambda w: _is_right(w, run("iamb", w.judge, w.target).boundary, "IAMB"),
    ),
)
def iamb_while(scope: Scope) -> Finding:
    """The flag starts false, so neither loop is ever entered."""

    def check(world: World) -> Check:
        return _is_right(world, literal_iamb(Ask(world.judge), world.target, t=0.0, changed=False), "to the letter it")

    return over(scope.small, check)


@claim(
    "pocock2012/iamb-threshold-0",
    "Algorithm 1, backward step “f < t”",
    "With t = 0 and exact mutual information the backward phase removes the false positives.",
    hypothesis="a variable leaves at f ≤ t",
    repaired=lambda scope: over(
        _threshold_worlds(scope), lambda w: _minimal(w, run("iamb", w.judge, w.target).boundary, "IAMB")
    ),
)
def iamb_threshold_0(scope: Scope) -> Finding:
    """Mutual information is never below 0, so nothing ever leaves."""

    def check(world: World) -> Check:
        answer = run("iamb_printed", world.judge, world.target, t=0.0).boundary
        return _minimal(world, answer, "with t = 0 it")

    return over(_threshold_worlds(scope), check)


def _threshold_worlds(scope: Scope) -> Worlds:
    return small_tables(4, 1, symmetric=False) + scope.drawn


def _minimal(world: World, answer: frozenset[str], said: str) -> Check:
    left = [v for v in sorted(answer) if Ask(world.judge)(world.target, v, answer - {v})]
    text = f"{said} returns {braces(answer)}, of which {', '.join(left)} is independent of {world.target} given the rest."
    return Check("", holds=not left, tried=1, witness=text, sets={"answer": answer})


@claim(
    "pocock2012/theorem-3-correct",
    "Theorem 3, first sentence",
    "IAMB returns the true Markov blanket whenever its independence test is perfect.",
    hypothesis="Composition holds, as it does under faithfulness",
    repaired=lambda scope: over(
        _faithful(scope) + scope.few_graphs,
        lambda w: _is_right(w, run("iamb", w.judge, w.target).boundary, "IAMB"),
    ),
)
def theorem_3_correct(scope: Scope) -> Finding:
    """IAMB with exact answers in every distribution."""
    return over(scope.joints, lambda w: _is_right(w, run("iamb", w.judge, w.target).boundary, "IAMB"))


@claim(
    "pocock2012/theorem-3-maximisation",
    "Theorem 3 with Eqs. (11), (14) and (23)",
    "Under the sparsity prior with α_s = tN each step of IAMB, forward and backward, is the one that Eqs. (11) and "
    "(14) take.",
    hypothesis="Eq. (14) with the minus sign: then every step is the best one for the objective, and stops where none "
    "helps",
    repaired=lambda scope: over(_step_worlds(scope), lambda w: _steps_of_iamb(w, sign=-1.0)),
)
def theorem_3_maximisation(scope: Scope) -> Finding:
    """Whether IAMB removes a variable exactly when the printed Eq. (14) says that it should."""
    return over(_step_worlds(scope), lambda w: _steps_of_iamb(w, sign=1.0))


def _step_worlds(scope: Scope) -> Worlds:
    chosen = Worlds(scope.drawn[: 1500 if scope.full else 300], "")
    return small_tables(4, 1).joined(
        chosen, f"the patterns of 0/1 tables over 4 binary variables and {len(chosen)} random joints, t = 0.02 nats"
    )


def _steps_of_iamb(world: World, *, sign: float) -> Iterator[Check]:
    """Replay the changes of a run and compare each with the objective; α_s/N = t, so w = −t for every feature."""
    t = 0.02
    J = Objective(world, dict.fromkeys(world.others, -t), n=1)
    trace = run("iamb", Threshold(world.judge, t), world.target, record=True).trace
    CMB: frozenset[str] = frozenset()
    for step in trace.steps if trace is not None else ():
        if step.kind != "changed" or not (step.added or step.removed):
            continue
        then = (CMB | set(step.added)) - set(step.removed)
        if step.added:
            rivals = [J(CMB | {v}) for v in world.others if v not in CMB]
        else:
            rivals = [J(CMB - {v}) for v in CMB]
        best = J(then) <= min(rivals) + CLOSE and J(then) <= J(CMB) + CLOSE
        if step.removed:
            (X,) = step.removed
            # the printed rule removes when I + log(p(θ')/p(θ))/N < 0, and the ratio of a removal is e^(+tN)
            info = J.information(frozenset({X}), then)
            best = best and (info + sign * t <= CLOSE)
        text = f"t = {t}: IAMB goes from {braces(CMB)} to {braces(then)}, which the rule does not."
        yield Check("", holds=best, tried=1, witness=text, sets={"before": CMB, "after": then, "t": t})
        CMB = then


@claim(
    "pocock2012/prior-bound",
    "Section 4, α_d ≤ α_s",
    "With α_d ≤ α_s the knowledge prior never includes a feature without some evidence from the data.",
    hypothesis="|w_i| ≤ 1, as in the experiments (Eq. (22) lets the w_i range freely)",
    repaired=lambda scope: _prior_bound(scope, (-1.0, 0.5, 1.0)),
)
def prior_bound(scope: Scope) -> Finding:
    """Coins that say nothing about Y, with weights as large as Eq. (22) allows."""
    return _prior_bound(scope, (1.0, 2.0))


def _prior_bound(scope: Scope, weights: tuple[float, ...]) -> Finding:
    tried = 0
    domain = f"a feature without evidence, w in {weights}, three t, two N, α_d = α_s/2 and α_s"
    coin = ExactJoint(dict.fromkeys(product((0, 1), repeat=2), 1), variables=["X", "Y"])
    for w, t, n, share in product(weights, (0.01, 0.02, 0.1), (50, 1000), (0.5, 1.0)):
        tried += 1
        # the bound is applied here by hand, so that a weight above 1 can be tried at all
        alpha_d = share * t * n
        answer = iamb_ip(Ask(coin), "Y", t=t, weights={"X": w}, alpha_d=alpha_d, bound=False, n=n)
        if answer:
            text = (
                f"two independent fair coins X and Y, w(X) = {w:g}, t = {t}, N = {n}, α_d = {alpha_d:g} ≤ "
                f"α_s = {t * n:g}: X enters without any evidence."
            )
            return Finding(domain, tried, Witness(text, None, {"w": w, "t": t, "n": n, "alpha_d": alpha_d}))
    return Finding(domain, tried)


# ---------------------------------------------------------------------- section 5: the toy problem
def _toy(t: float, **weights: float) -> frozenset[str]:
    problem = iamb_ip_toy()
    return run("iamb_ip", problem, t=t, weights=weights, n=1000, unit="bits", alpha_d=t * 1000).boundary


@claim(
    "pocock2012/toy-iamb",
    "Section 5, Figure 1",
    "In the toy problem IAMB with t = 0.02 selects X1 only, and upweighting X2 brings in X2 and then X5. (Our numbers "
    "for it: those of the figure are not printed in the text.)",
)
def toy_iamb(scope: Scope) -> Finding:
    """IAMB and IAMB-IP on a distribution with the properties that the prose names."""
    alone, up = _toy(0.02), _toy(0.02, X2=1.0)
    good = alone == {"X1"} and up == {"X1", "X2", "X5"}
    text = f"IAMB selects {braces(alone)}, with X2 upweighted {braces(up)}."
    return Finding("the toy problem, t = 0.02 bits, N = 1000", 2, None if good else Witness(text))


@claim(
    "pocock2012/toy-downweight",
    "Section 5, Figure 1",
    "In the toy problem with t = 0.02, downweighting X2 removes both X2 and X5.",
    hypothesis="t = 0.01, at which IAMB selects X2 and X5 in the first place",
    repaired=lambda scope: _downweighted(0.01),
)
def toy_downweight(scope: Scope) -> Finding:
    """Removal means: in without the prior, out with it."""
    return _downweighted(0.02)


def _downweighted(t: float) -> Finding:
    alone, down = _toy(t), _toy(t, X2=-1.0)
    removed = {"X2", "X5"} <= alone and not {"X2", "X5"} & down
    text = (
        f"without the prior IAMB selects {braces(alone)}, with X2 downweighted {braces(down)}: "
        "X2 and X5 cannot be removed, they are not in."
    )
    witness = None if removed else Witness(text, None, {"t": t, "alone": alone, "down": down})
    return Finding(f"the toy problem, t = {t} bits, N = 1000", 2, witness)
