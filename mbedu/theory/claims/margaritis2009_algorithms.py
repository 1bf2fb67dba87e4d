"""What margaritis2009 claims of GS(m) and RGS(m, k): margins, parity, randomness, and what they cost."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

from mbedu.judge import Judge
from mbedu.problems.parity import READINGS, Reading, parity
from mbedu.query import Query, sentence_set
from mbedu.running import run
from mbedu.theory import lemmas
from mbedu.theory._facts import Check
from mbedu.theory.boundaries import boundaries, is_boundary, is_m_boundary, m_boundaries
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, over
from mbedu.theory.claims.worlds import Part, World, hidden_chain

__all__ = ["forgetful_shrink", "parity_system", "shrink_tests"]

NOISES = (Fraction(0), Fraction(1, 10), Fraction(2, 5))


def braces(members: Any) -> str:
    """Write a set."""
    return "{" + (sentence_set(members) if members else "") + "}"


def margins(world: World) -> range:
    """Return every margin that means something: 1 … n − 1."""
    return range(1, max(2, len(world.variables)))


# ---------------------------------------------------------------------- section 5: GS(m)
@claim(
    "margaritis2009/gs-full-margin",
    "Section 5",
    "With m = n − 1, GS(m) returns a Markov boundary in any domain.",
)
def gs_full_margin(scope: Scope) -> Finding:
    """Every end that GS(n − 1) can come to, whatever the order, is a boundary."""

    def check(world: World) -> Iterator[Check]:
        known = boundaries(world.judge, world.target)
        for S_G in lemmas.grown_sets(world.judge, world.target, m=max(1, len(world.others))):
            for S in lemmas.shrunk_sets(world.judge, world.target, S_G):
                text = f"GS can end with {braces(S)}, which is no boundary."
                yield Check("", holds=S in known, tried=1, witness=text, sets={"S": S})

    return over(scope.joints + scope.shapes, check)


@claim(
    "margaritis2009/gs-is-margin-1",
    "Section 6",
    "GS(m) with m = 1 is the GS algorithm.",
)
def gs_is_margin_1(scope: Scope) -> Finding:
    """The same answer after the same number of questions."""

    def check(world: World) -> Check:
        one, other = (run(key, world.judge, world.target) for key in ("gs", "gs_m"))
        same = (one.boundary, one.n_asked) == (other.boundary, other.n_asked)
        return Check(
            "", holds=same, tried=1, witness=f"{braces(one.boundary)} against {braces(other.boundary)}."
        )

    return over(scope.joints + scope.few_graphs, check)


@claim(
    "margaritis2009/parity-margin",
    "Section 5",
    "GS(m) recovers the boundary in domains with embedded parity functions of k ≤ m + 1 variables each.",
)
def parity_margin(scope: Scope) -> Finding:
    """Single parities of all sizes and readings, then random systems of overlapping noisy parities."""
    tried, count = 0, 2_000 if scope.full else 150
    domain = (
        "single parities of 2 to 5 variables, noise 0, 1/10 and 2/5, all three readings, margins k − 1 to 4; "
        f"{count:,} random systems of overlapping noisy parities of at most 3 among 5 variables, m = 2"
    )
    for k, noise, reading in product((2, 3, 4, 5), NOISES, READINGS):
        problem = parity(k, noise=noise, distractors=2, reading=reading)
        for m in range(k - 1, 5):
            tried += 1
            answer = run("gs_m", problem, m=m).boundary
            if answer not in problem.boundaries:
                text = f"{problem.name}: GS({m}) returns {braces(answer)}."
                return Finding(domain, tried, Witness(text, None, {"problem": problem, "m": m}))
    coin = random.Random(f"{scope.seed}/parities")
    for _ in range(count):
        world = parity_system(coin, variables=5, m=2)
        tried += 1
        answer = run("gs_m", world.judge, world.target, m=2).boundary
        if not is_boundary(world.judge, world.target, answer):
            text = f"{world}: GS(2) returns {braces(answer)}, which is no boundary."
            return Finding(domain, tried, Witness(text, world, {"m": 2, "answer": answer}))
    return Finding(domain, tried)


def parity_system(coin: random.Random, *, variables: int, m: int) -> World:
    """Return a world in which each variable is a coin or a noisy parity of at most m earlier ones."""
    weights: dict[tuple[int, ...], int] = {(): 1}
    for i in range(variables):
        parents = coin.sample(range(i), coin.randint(0, min(m, i)))
        tenths = coin.choice((5, 6)) if not parents else coin.choice((0, 1))
        weights = {
            (*cell, v): w * (tenths if v != sum(cell[p] for p in parents) % 2 else 10 - tenths)
            for cell, w in weights.items()
            for v in (0, 1)
        }
    names = tuple(f"X{i + 1}" for i in range(variables))
    return World(names, coin.choice(names), table={c: w for c, w in weights.items() if w})


@claim(
    "margaritis2009/parity-margin-necessary",
    "Section 5 (the other direction)",
    "GS(m) does not recover the boundary of a uniform parity of k > m + 1 variables.",
)
def parity_margin_necessary(_scope: Scope) -> Finding:
    """Uniform parities that are too wide for the margin."""
    tried, domain = 0, "uniform parities of 3 to 5 variables, noise 0, 1/10 and 2/5, all smaller margins"
    for k, noise in product((3, 4, 5), NOISES):
        problem = parity(k, noise=noise)
        for m in range(1, k - 1):
            tried += 1
            answer = run("gs_m", problem, m=m).boundary
            if answer in problem.boundaries:
                return Finding(domain, tried, Witness(f"{problem.name}: GS({m}) finds it.", None, {"m": m}))
    return Finding(domain, tried)


# ---------------------------------------------------------------------- section 6: near-parity
def _near_parity(reading: Reading, scope: Scope) -> Finding:
    tried = 0
    domain = (
        f"near-parity of 3 to {5 if scope.full else 4} variables, {reading} reading, noise 0, 1/10 and 2/5"
    )
    for k, noise in product((3, 4, 5) if scope.full else (3, 4), NOISES):
        problem = parity(k, noise=noise, reading=reading)
        members = sorted(next(iter(problem.boundaries)))
        for x in members:
            rest = [v for v in members if v != x]
            for size in range(len(rest)):
                for given in combinations(rest, size):
                    tried += 1
                    if not problem.judge.judge(Query("X1", x, given)).independent:
                        said = f"X1 and {x} are dependent" + (f" given {', '.join(given)}" if given else "")
                        values = {"problem": problem, "x": x, "given": given}
                        return Finding(domain, tried, Witness(f"{problem.name}: {said}.", None, values))
    return Finding(domain, tried)


def _enter_near_parity() -> None:
    words = {
        "uniform": "fair bits, the target their parity, flipped with the noise",
        "biased": "independent bits with P(1) = 3/5, the target their parity, flipped with the noise",
        "tilted": "rows of even parity share the weight 3/5, the others 2/5",
    }
    for reading in READINGS:
        claim(
            f"margaritis2009/near-parity-{reading}",
            "Section 6 (near-parity with bit probability 0.60)",
            "Each member of the boundary is independent of X1 given any proper subset of the other "
            "members; read as: "
            f"{words[reading]}.",
        )(lambda scope, reading=reading: _near_parity(reading, scope))  # type: ignore[misc]


_enter_near_parity()


@claim(
    "margaritis2009/near-parity-boundary",
    "Section 6",
    "In these domains the boundary of X1 is {X2, X3, X4}, and no other set is one.",
)
def near_parity_boundary(_scope: Scope) -> Finding:
    """All boundaries by brute force, in all three readings."""
    tried, domain = 0, "three readings, noise 0, 1/10 and 2/5, two distractors"
    for noise, reading in product(NOISES, READINGS):
        problem = parity(4, noise=noise, distractors=2, reading=reading)
        tried += 1
        known = boundaries(problem.judge, "X1")
        if known != (frozenset(("X2", "X3", "X4")),):
            return Finding(domain, tried, Witness(f"{problem.name}: {known}", None, {"problem": problem}))
    return Finding(domain, tried)


# ---------------------------------------------------------------------- section 5: RGS(m, k), costs
@claim(
    "margaritis2009/growing-upper-bound",
    "Section 5, A Practical Randomized Anytime Version",
    "The growing phase of GS(m) produces an upper bound of the m-boundary: it contains every m-boundary.",
    hypothesis="read as: it contains *an* m-boundary (the one that shrinking leaves)",
    repaired=lambda scope: over(scope.joints + scope.shapes, lambda w: _upper_bound(w, every=False)),
)
def growing_upper_bound(scope: Scope) -> Finding:
    """Every end of the growing phase beside every m-boundary."""
    return over(scope.joints, lambda w: _upper_bound(w, every=True))


def _upper_bound(world: World, *, every: bool) -> Iterator[Check]:
    for m in margins(world):
        known = m_boundaries(world.judge, world.target, m)
        for S_G in lemmas.grown_sets(world.judge, world.target, m=m):
            inside = [B <= S_G for B in known]
            outside = next((B for B in known if not B <= S_G), frozenset())
            text = (
                f"with m = {m} growing can end with {braces(S_G)}, but {braces(outside)} is an m-boundary "
                f"too."
            )
            good = all(inside) if every else any(inside)
            yield Check("", holds=good, tried=1, witness=text, sets={"m": m, "S_G": S_G, "B": outside})


@claim(
    "margaritis2009/rgs-equivalent",
    "Section 5, A Practical Randomized Anytime Version",
    "RGS(m, k) becomes equivalent to GS(m) given a large enough k: the same answer.",
    hypothesis="as a member of the family GS(m): it ends where some order of GS(m) can end, with an "
    "m-boundary",
    repaired=lambda scope: over(scope.joints + scope.shapes, _rgs_in_family),
)
def rgs_equivalent(scope: Scope) -> Finding:
    """RGS with k above the number of subsets beside GS(m) in the paper's order."""

    def check(world: World) -> Iterator[Check]:
        for m in margins(world):
            one = run("gs_m", world.judge, world.target, m=m).boundary
            other = run("rgs", world.judge, world.target, m=m, k=1000).boundary
            text = f"with m = {m} GS(m) returns {braces(one)}, RGS(m, 1000) returns {braces(other)}."
            yield Check(
                "", holds=one == other, tried=1, witness=text, sets={"m": m, "gs_m": one, "rgs": other}
            )

    return over(scope.joints, check)


def _rgs_in_family(world: World) -> Iterator[Check]:
    for m in margins(world):
        answer = run("rgs", world.judge, world.target, m=m, k=1000).boundary
        ends = {
            S
            for S_G in lemmas.grown_sets(world.judge, world.target, m=m)
            for S in lemmas.shrunk_sets(world.judge, world.target, S_G)
        }
        good = answer in ends and is_m_boundary(world.judge, world.target, answer, m=m)
        yield Check("", holds=good, tried=1, witness=f"with m = {m} RGS returns {braces(answer)}.")


@claim(
    "margaritis2009/rgs-terminates",
    "Algorithm 2, line 14",
    "Algorithm 2 ends (its last goto stands outside the if).",
    hypothesis="the goto of line 14 stands inside the if",
    repaired=lambda scope: over(scope.joints + scope.shapes, lambda w: _shrink_ends(w, inside=True)),
)
def rgs_terminates(scope: Scope) -> Finding:
    """The printed shrinking phase, stopped after many more tests than there are subsets."""
    return over(scope.shapes, lambda w: _shrink_ends(w, inside=False))


def forgetful_shrink(judge: Judge, target: str, S: set[str], *, inside: bool, most: int = 500) -> int | None:
    """Return how many tests lines 11 to 14 take, or None when they are not done after `most`."""
    tests, again = 0, True
    while again:
        again = False
        for Y in [v for v in judge.variables if v in S]:
            tests += 1
            if tests > most:
                return None
            redundant = judge.judge(Query(target, Y, S - {Y})).independent
            S = S - {Y} if redundant else S
            if redundant or not inside:
                again = True  # line 14: goto line 11
                break
    return tests


def _shrink_ends(world: World, *, inside: bool) -> Check:
    tests = forgetful_shrink(world.judge, world.target, set(world.others), inside=inside)
    S = frozenset(world.others)
    text = (
        f"from S = {braces(S)} the shrinking phase tests its first member that has to stay again and again."
    )
    return Check("", holds=tests is not None, tried=1, witness=text, sets={"S": S})


@claim(
    "margaritis2009/shrink-linear",
    "Section 5, A Practical Randomized Anytime Version",
    "The shrinking phase conducts a number of tests linear in n.",
    hypothesis="without restarts, which exact tests do not need (one pass of n − 1 tests at most leaves "
    "nothing that could go)",
    repaired=lambda scope: over(scope.joints + scope.shapes, _one_pass),
)
def shrink_linear(_scope: Scope) -> Finding:
    """A family on which the tests grow with the square: r parents stay, r grandparents leave one by one."""
    counts = {2 * r + 1: shrink_tests(r) for r in (2, 4, 8, 16)}
    linear = bounded(counts)
    said = ", ".join(f"{tests} with n = {n}" for n, tests in counts.items())
    text = (
        "F1 → P1 → T, …, Fr → Pr → T; the F were grown first and stand last: each restart tests all r "
        "parents "
        f"again, r² + 2r tests in all ({said})."
    )
    witness = None if linear else Witness(text, None, {"counts": counts})
    return Finding("DAGs of 2r + 1 nodes, r = 2, 4, 8, 16", len(counts), witness)


def bounded(counts: dict[int, int]) -> bool:
    """Say whether counts by n look linear: the count per n at most doubles from the first to the last."""
    shares = [count / n for n, count in counts.items()]
    return shares[-1] <= 2 * shares[0]


def shrink_tests(r: int) -> int:
    """Return the number of shrinking tests on Fi → Pi → T from S = all, scanned P first, then F."""
    from mbedu.oracles import DSeparation

    P, F = [f"P{i}" for i in range(r)], [f"F{i}" for i in range(r)]
    edges = [e for f, p in zip(F, P, strict=True) for e in ((f, p), (p, "T"))]
    judge = DSeparation(edges, variables=[*P, *F, "T"])
    return forgetful_shrink(judge, "T", {*P, *F}, inside=True, most=10**6) or 0


def _one_pass(world: World) -> Iterator[Check]:
    """One pass without restarts, in both directions, leaves no member that could go."""
    for order in (world.others, world.others[::-1]):
        S = frozenset(world.others)
        for Y in order:
            if world.judge.judge(Query(world.target, Y, S - {Y})).independent:
                S -= {Y}
        left = [Y for Y in sorted(S) if world.judge.judge(Query(world.target, Y, S - {Y})).independent]
        yield Check(
            "", holds=not left, tried=1, witness=f"one pass leaves {braces(S)}, of which {left} could go."
        )


@claim(
    "margaritis2009/complexity",
    "Section 5, A Practical Randomized Anytime Version",
    "The asymptotic complexity of GS(m) is O(n^m).",
    hypothesis="counted for each set that enters: (entries + 1)·Σ C(n − 1, k) growing tests at most",
    repaired=lambda scope: over(scope.shapes, _tests_per_entry),
)
def complexity(_scope: Scope) -> Finding:
    """A family with m = 1 on which the growing tests are quadratic: each member opens the way to the next."""
    counts = {}
    for n in (4, 8, 16, 32):
        world = hidden_chain(n)
        judge = Part(world.judge, [v for v in world.variables if not v.startswith("H")])
        counts[n + 1] = _growing_tests(judge, "T")
    linear = bounded(counts)
    said = ", ".join(f"{tests} with n = {n}" for n, tests in counts.items())
    text = (
        "T → C1, hidden causes of C1 and C2, of C2 and C3, …: only the last candidate in order depends on "
        "T each "
        f"time, and the loop restarts; with m = 1 the growing phase asks {said}."
    )
    witness = None if linear else Witness(text, None, {"counts": counts})
    return Finding("chains of 4, 8, 16 and 32 colliders, m = 1", len(counts), witness)


def _growing_tests(judge: Judge, target: str) -> int:
    trace = run("gs_m", judge, target, m=1, order="plain", record=True).trace
    steps: Sequence[Any] = trace.steps if trace is not None else ()
    return sum(step.kind == "asked" and step.phase == "grow" for step in steps)


def _tests_per_entry(world: World) -> Iterator[Check]:
    n = len(world.others)
    for m in margins(world):
        trace = run("gs_m", world.judge, world.target, m=m, order="plain", record=True).trace
        steps: Sequence[Any] = trace.steps if trace is not None else ()
        asked = sum(s.kind == "asked" and s.phase == "grow" for s in steps)
        entries = sum(s.kind == "changed" and s.phase == "grow" and bool(s.added) for s in steps)
        most = (entries + 1) * sum(comb(n, k) for k in range(1, m + 1))
        yield Check("", holds=asked <= most, tried=1, witness=f"with m = {m} {asked} tests, {most} allowed.")
