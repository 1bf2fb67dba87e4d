"""What demorais2008 claims of faithfulness, of almost deterministic relations, and of MBOR's first phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from mbedu.algorithms.mb_to_pc import mb_to_pc
from mbedu.algorithms.pc_superset import pc_superset
from mbedu.algorithms.sp_superset import sp_superset
from mbedu.ask import Ask
from mbedu.judge import Batched, Verdict
from mbedu.oracles import DSeparation
from mbedu.problem import Problem
from mbedu.problems import almost_deterministic_parent, almost_deterministic_parents
from mbedu.query import Query, sentence_set
from mbedu.running import run
from mbedu.theory._facts import Check
from mbedu.theory.boundaries import boundaries
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, over
from mbedu.theory.claims.worlds import Threshold, World

__all__ = ["adr_story", "faithful_to", "inseparable", "neighbours", "spouses"]


def braces(members: Any) -> str:
    """Write a set."""
    return "{" + (sentence_set(members) if members else "") + "}"


def neighbours(world: World, v: str) -> frozenset[str]:
    """Return the parents and children of v."""
    edges = world.edges or ()
    return frozenset([a for a, b in edges if b == v] + [b for a, b in edges if a == v])


def spouses(world: World, v: str) -> frozenset[str]:
    """Return the parents of the children of v, adjacent to v or not."""
    edges = world.edges or ()
    children = {b for a, b in edges if a == v}
    return frozenset(a for a, b in edges if b in children and a != v)


# ---------------------------------------------------------------------- sections 2 and 3
@claim(
    "demorais2008/faithful-boundary",
    "Section 2",
    "Under faithfulness the parents, the children and the parents of the children are the only Markov "
    "boundary.",
)
def faithful_boundary(scope: Scope) -> Finding:
    """All boundaries by brute force beside the graph."""

    def check(world: World) -> Check:
        known = boundaries(world.judge, world.target)
        expected = neighbours(world, world.target) | spouses(world, world.target)
        return Check("", holds=known == (expected,), tried=1, witness=f"boundaries {known}")

    return over(scope.shapes, check)


@claim(
    "demorais2008/pc-definition",
    "Section 5, before Theorem 2",
    "Under faithfulness PC is the set of those that nothing separates from X: its parents and children.",
)
def pc_definition(scope: Scope) -> Finding:
    """Adjacent if and only if no set separates."""

    def check(world: World) -> Check:
        kept = inseparable(world.judge, world.target, world.others)
        same = kept == neighbours(world, world.target)
        return Check("", holds=same, tried=1, witness=f"inseparable are {braces(kept)}.")

    return over(scope.shapes, check)


def inseparable(judge: Any, T: str, V: Any) -> frozenset[str]:
    """Return those of V that no set within V separates from T."""
    kept = []
    for X in V:
        rest = [v for v in V if v != X]
        sets = (Z for k in range(len(rest) + 1) for Z in combinations(rest, k))
        if not any(judge.judge(Query(T, X, Z)).independent for Z in sets):
            kept.append(X)
    return frozenset(kept)


@claim(
    "demorais2008/determinism",
    "Section 3.2",
    "A deterministic relationship makes a distribution unfaithful; an almost deterministic one need not.",
)
def determinism(_scope: Scope) -> Finding:
    """X ⇒ T → Y and Z ⇒ Y → T ⇐ X, exact, with and without a small ε: every statement beside d-separation."""
    tried = 0
    domain = "both sub-graphs of section 4, ε = 0, 1/1000, 1/100 and 1/20, every statement"
    for make, edges in ADR.values():
        for epsilon in (0, Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20)):
            problem, graph = make(epsilon=epsilon), DSeparation(edges)
            tried += 1
            if faithful_to(problem.judge, graph) != (epsilon != 0):
                return Finding(domain, tried, Witness(f"{problem.name} with ε = {epsilon}"))
    return Finding(domain, tried)


ADR: dict[str, tuple[Callable[..., Problem], list[tuple[str, str]]]] = {
    "X ⇒ T → Y": (almost_deterministic_parent, [("X", "T"), ("T", "Y")]),
    "Z ⇒ Y → T ⇐ X": (almost_deterministic_parents, [("Z", "Y"), ("Y", "T"), ("X", "T")]),
}


def faithful_to(joint: Any, graph: Any) -> bool:
    """Say whether joint and graph agree on every pair given every set."""
    V = joint.variables
    for a, b in combinations(V, 2):
        rest = [v for v in V if v not in (a, b)]
        for k in range(len(rest) + 1):
            for Z in combinations(rest, k):
                query = Query(a, b, Z)
                if joint.judge(query).independent != graph.judge(query).independent:
                    return False
    return True


# ---------------------------------------------------------------------- section 4: almost-determinism
class Accepted(Batched):
    """d-separation, but a few independencies are accepted as well: what almost-determinism hides."""

    def __init__(
        self, edges: list[tuple[str, str]], accepted: Sequence[Query], variables: Sequence[str]
    ) -> None:
        self.inner, self.accepted = DSeparation(edges, variables=variables), frozenset(accepted)
        self.variables = tuple(variables)

    def judge(self, query: Query) -> Verdict:
        """Answer as the graph does, or accept."""
        return Verdict(True) if query in self.accepted else self.inner.judge(query)


ACCEPTED = {
    "X ⇒ T → Y": [Query("T", "Y", "X")],
    "Z ⇒ Y → T ⇐ X": [Query("T", "Y", Z) for Z in ("X", "Z", ("X", "Z"))],
}
ORDER = {"X ⇒ T → Y": ("T", "X", "Y"), "Z ⇒ Y → T ⇐ X": ("T", "X", "Y", "Z")}


def adr_story(name: str, order: Sequence[str], *, filtered: bool = True) -> dict[str, Any]:
    """Replay one illustration of section 4: the graph's answers, and the independencies that it names.

    Without `filtered`, PCSuperSet ends after its first phase (line 7), so that the OR condition gets to
    see what one other variable would have separated.
    """
    judge = Accepted(ADR[name][1], ACCEPTED[name], order)
    ask = Ask(judge)
    PCS, dSep = pc_superset(ask, "T")
    inside = PCS.frozen() if filtered else frozenset(v for v in ask.others("T") if not ask("T", v))
    with ask.within(inside | {"T"}):
        T_sees, Y_sees = "Y" in mb_to_pc(ask, "T"), "Y" in inside and "T" in mb_to_pc(ask, "Y")
    answer = run("mbor", judge, "T").boundary if filtered else None
    adjacent = "Y" in answer if answer is not None else T_sees or Y_sees
    return {"judge": judge, "PCS": inside, "dSep": dSep.get("Y"), "T sees Y": T_sees, "Y sees T": Y_sees,
            "adjacent": adjacent, "answer": answer}  # fmt: skip


def samples(name: str, scope: Scope) -> tuple[int, int]:
    """Return how many samples accept T ⊥ Y | X, and in how many of these MBOR has Y in its answer."""
    from mbedu.citests import G2

    accepted = with_y = 0
    for seed in range(60 if scope.full else 20):
        data = ADR[name][0](epsilon=Fraction(1, 100)).judge.sample(300, seed=1000 * scope.seed + seed)  # type: ignore[attr-defined]
        judge = G2(data, alpha=0.05, engine="numpy")  # no waiting for a compiler
        if judge.judge(Query("T", "Y", "X")).independent:
            accepted += 1
            with_y += "Y" in run("mbor", judge, "T").boundary
    return accepted, with_y


@claim(
    "demorais2008/or-example-sides",
    "Section 4, X ⇒ T → Y",
    "T ⊥ Y | X is accepted, so T does not see Y; Y still sees T.",
)
def or_example_sides(_scope: Scope) -> Finding:
    """MBtoPC from both sides: with T ⊥ Y | X accepted, and with a test that is blind below a threshold."""
    told = adr_story("X ⇒ T → Y", ORDER["X ⇒ T → Y"], filtered=False)
    problem = almost_deterministic_parent(epsilon=Fraction(1, 100))
    given, alone = (problem.judge.judge(Query("T", "Y", Z)).strength or 0.0 for Z in ("X", ()))
    blind = Threshold(problem.judge, (given + alone) / 2)
    sides = (
        told["T sees Y"],
        told["Y sees T"],
        "Y" in mb_to_pc(Ask(blind), "T"),
        "T" in mb_to_pc(Ask(blind), "Y"),
    )
    good = sides == (False, True, False, True)
    domain = (
        "the graph with T ⊥ Y | X accepted; the exact joint with ε = 1/100 and a test blind to I(T; Y | X)"
    )
    return Finding(domain, 2, None if good else Witness(f"{sides}"))


@claim(
    "demorais2008/or-example",
    "Section 4, X ⇒ T → Y",
    "Although T ⊥ Y | X is accepted, MBOR takes Y for a neighbour of T, because Y still sees T.",
    hypothesis="PCSuperSet ends after its Phase I (line 7): its Phase II asks T ⊥ Y | X too, and removes Y "
    "before the OR condition could help; and Y looks at T before X",
    repaired=lambda scope: _adr_finding("X ⇒ T → Y", scope, filtered=False),
)
def or_example(scope: Scope) -> Finding:
    """MBOR as printed."""
    return _adr_finding("X ⇒ T → Y", scope)


@claim(
    "demorais2008/filter-example",
    "Section 4, Z ⇒ Y → T ⇐ X",
    "Although T ⊥ Y | X and Y ⊥ T | Z are accepted, MBOR takes Y for a neighbour of T, because its first "
    "phase has "
    "filtered Z out.",
)
def filter_example(scope: Scope) -> Finding:
    """The phase that filters Z out (T ⊥ Z | Y) filters Y out as well (T ⊥ Y | X)."""
    return _adr_finding("Z ⇒ Y → T ⇐ X", scope)


def _adr_finding(name: str, scope: Scope, *, filtered: bool = True) -> Finding:
    orders = list(permutations(ORDER[name]))
    if not filtered:  # Y sees T because T is the stronger of the two: it is asked about before X
        orders = [order for order in orders if order.index("T") < order.index("X")]
    stories = [adr_story(name, order, filtered=filtered) for order in orders]
    lost = [story for story in stories if not story["adjacent"]]
    which = "every variable order" if filtered else "every variable order with T before X"
    domain = f"the graph with the named independencies accepted, {which}"
    if not lost:
        return Finding(domain, len(stories))
    story = lost[0] | {"lost": len(lost), "orders": len(orders)}
    accepted, with_y = samples(name, scope)
    story |= {"accepted": accepted, "with_y": with_y}
    text = (
        f"{name}: PCSuperSet asks T ⊥ Y | {', '.join(sorted(story['dSep'] or ()))} and removes Y, so that "
        f"PCS = "
        f"{braces(story['PCS'])} and the OR condition never looks at Y; MBOR returns "
        f"{braces(story['answer'])} (Y is "
        f"lost in {len(lost)} of {len(orders)} variable orders). In samples of 300 rows (ε = 1/100, G², "
        f"α = 0.05) T ⊥ Y | X was accepted {accepted} times, and MBOR then found Y {with_y} times."
    )
    return Finding(f"{domain}; samples", len(stories) + accepted, Witness(text, None, story))


# ---------------------------------------------------------------------- section 4: phase I
@claim(
    "demorais2008/small-conditioning-sets",
    "Section 4",
    "PCSuperSet conditions on at most one variable, SPSuperSet on at most two.",
)
def small_conditioning_sets(scope: Scope) -> Finding:
    """The largest set ever given."""

    def check(world: World) -> Check:
        first, second = Ask(world.judge), Ask(world.judge)
        PCS, dSep = pc_superset(first, world.target)
        sp_superset(second, world.target, PCS=PCS, dSep=dSep)
        good = first.largest_given <= 1 and second.largest_given <= 2
        return Check("", holds=good, tried=1, witness=f"{first.largest_given} and {second.largest_given}")

    return over(scope.graphs, check)


@claim("demorais2008/pcs-superset", "Algorithm 2", "PCS is a superset of the parents and children.")
def pcs_superset(scope: Scope) -> Finding:
    """PCS beside the graph."""

    def check(world: World) -> Check:
        PCS, _ = pc_superset(Ask(world.judge), world.target)
        lost = neighbours(world, world.target) - PCS.frozen()
        return Check("", holds=not lost, tried=1, witness=f"PCS lacks {braces(lost)}.")

    return over(scope.graphs, check)


@claim(
    "demorais2008/sps-superset",
    "Algorithm 3, Ensure",
    "SPS is a superset of the spouses, the parents of the children.",
    hypothesis="of the spouses outside PCS, the only ones that line 4 looks at",
    repaired=lambda scope: over(scope.graphs, lambda w: _sps(w, outside=True)),
)
def sps_superset(scope: Scope) -> Finding:
    """SPS beside the graph; a spouse that is itself a neighbour counts."""
    return over(scope.graphs, lambda w: _sps(w, outside=False))


def _sps(world: World, *, outside: bool) -> Check:
    PCS, dSep = pc_superset(Ask(world.judge), world.target)
    SPS = sp_superset(Ask(world.judge), world.target, PCS=PCS, dSep=dSep).frozen()
    wanted = spouses(world, world.target) - (PCS.frozen() if outside else frozenset())
    text = f"{braces(wanted - SPS)} is a spouse of {world.target}, and SPS = {braces(SPS)}."
    return Check("", holds=wanted <= SPS, tried=1, witness=text, sets={"SPS": SPS, "spouses": wanted})


@claim(
    "demorais2008/mb-in-mbs",
    "Proof of Theorem 5",
    "The Markov boundary lies inside MBS = PCS ∪ SPS (“straightforward to show”).",
)
def mb_in_mbs(scope: Scope) -> Finding:
    """PCSuperSet ∪ SPSuperSet beside the boundary, in every variable order."""

    def check(world: World) -> Check:
        PCS, dSep = pc_superset(Ask(world.judge), world.target)
        SPS = sp_superset(Ask(world.judge), world.target, PCS=PCS, dSep=dSep)
        lost = world.judge.boundary(world.target) - PCS.frozen() - SPS.frozen()
        return Check("", holds=not lost, tried=1, witness=f"MBS lacks {braces(lost)}.")

    return over(scope.graphs, check)
