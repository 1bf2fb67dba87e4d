"""What demorais2008 claims: supersets, projections, MBOR's correctness, and what almost-determinism does to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from mbedu.algorithms.mb_to_pc import mb_to_pc
from mbedu.algorithms.mbor import minimal_separator
from mbedu.algorithms.pc_superset import pc_superset
from mbedu.algorithms.sp_superset import sp_superset
from mbedu.ask import Ask
from mbedu.oracles import DSeparation
from mbedu.problem import Problem
from mbedu.problems import almost_deterministic_parent, almost_deterministic_parents
from mbedu.query import Query, sentence_set
from mbedu.running import run
from mbedu.theory._facts import Check
from mbedu.theory.boundaries import boundaries
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, found, over, shown
from mbedu.theory.claims.worlds import Part, Threshold, World, dags

__all__ = ["adr_story", "neighbours", "phases", "spouses"]


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


def between(world: World) -> Iterator[frozenset[str]]:
    """Yield every V with MB(T) ⊆ V ⊆ U, the target left out."""
    MB = world.judge.boundary(world.target)
    rest = [v for v in world.others if v not in MB]
    for k in range(len(rest) + 1):
        for extra in combinations(rest, k):
            yield MB | set(extra)


# ---------------------------------------------------------------------- sections 2 and 3
@claim(
    "demorais2008/faithful-boundary",
    "Section 2",
    "Under faithfulness the parents, the children and the parents of the children are the only Markov boundary.",
)
def faithful_boundary(scope: Scope) -> Finding:
    """All boundaries by brute force beside the graph."""

    def check(world: World) -> Check:
        known = boundaries(world.judge, world.target)
        expected = neighbours(world, world.target) | spouses(world, world.target)
        return Check("", holds=known == (expected,), tried=1, witness=f"boundaries {known}")

    return over(scope.graphs, check)


@claim(
    "demorais2008/pc-definition",
    "Section 5, before Theorem 2",
    "Under faithfulness PC is the set of those that nothing separates from X: its parents and children.",
)
def pc_definition(scope: Scope) -> Finding:
    """Adjacent if and only if no set separates."""

    def check(world: World) -> Check:
        inseparable = _inseparable(world.judge, world.target, world.others)
        same = inseparable == neighbours(world, world.target)
        return Check("", holds=same, tried=1, witness=f"inseparable are {braces(inseparable)}.")

    return over(scope.graphs, check)


def _inseparable(judge: Any, T: str, V: Any) -> frozenset[str]:
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
def determinism(scope: Scope) -> Finding:
    """X ⇒ T → Y and Z ⇒ Y → T ⇐ X, exact, with and without a small ε: every statement beside d-separation."""
    tried = 0
    domain = "both sub-graphs of section 4, ε = 0, 1/1000, 1/100 and 1/20, every statement"
    for make, edges in ADR.values():
        for epsilon in (0, Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20)):
            problem, graph = make(epsilon=epsilon), DSeparation(edges)
            tried += 1
            if _faithful_to(problem.judge, graph) != (epsilon != 0):
                return Finding(domain, tried, Witness(f"{problem.name} with ε = {epsilon}"))
    return Finding(domain, tried)


ADR: dict[str, tuple[Callable[..., Problem], list[tuple[str, str]]]] = {
    "X ⇒ T → Y": (almost_deterministic_parent, [("X", "T"), ("T", "Y")]),
    "Z ⇒ Y → T ⇐ X": (almost_deterministic_parents, [("Z", "Y"), ("Y", "T"), ("X", "T")]),
}


def _faithful_to(joint: Any, graph: DSeparation) -> bool:
    V = joint.variables
    for a, b in combinations(V, 2):
        rest = [v for v in V if v not in (a, b)]
        for k in range(len(rest) + 1):
            for Z in combinations(rest, k):
                query = Query(a, b, Z)
                if joint.judge(query).independent != graph.judge(query).independent:
                    return False
    return True


# ---------------------------------------------------------------------- section 4: almost-deterministic relationships
def adr_story(name: str) -> dict[str, Any]:
    """Replay one illustration of section 4 with a test that is blind to what almost-determinism hides.

    ε is 1/100, and the threshold lies halfway between I(T; Y | X), which the example takes for
    zero, and the weakest dependence that it relies on, I(T; Y).
    """
    make, _ = ADR[name]
    problem = make(epsilon=Fraction(1, 100))
    strength = lambda *q: problem.judge.judge(Query(*q)).strength or 0.0  # noqa: E731
    hidden = max(strength("T", "Y", "X"), strength("T", "Y", "Z") if "Z" in problem.variables else 0.0)
    t = (hidden + strength("T", "Y")) / 2
    judge = Threshold(problem.judge, t)
    PCS, dSep = pc_superset(Ask(judge), "T")
    answers = {key: run(key, judge, "T").boundary for key in ("mbor", "pcmb", "inter_iamb")}
    return {
        "t": t,
        "visible": strength("T", "Y") > hidden,
        "T sees Y": "Y" in mb_to_pc(Ask(judge), "T"),
        "Y sees T": "T" in mb_to_pc(Ask(judge), "Y"),
        "PCS": PCS.frozen(),
        "dSep": dSep.get("Y"),
        "answers": answers,
        "problem": problem,
    }


def _adr_domain(name: str) -> str:
    return f"the exact joint of {name} with ε = 1/100 and a test that sees nothing weaker than I(T; Y | X)"


@claim(
    "demorais2008/or-example-sides",
    "Section 4, X ⇒ T → Y",
    "T ⊥ Y | X is accepted, so T does not see Y; Y still sees T.",
)
def or_example_sides(scope: Scope) -> Finding:
    """MBtoPC from both sides, on all variables."""
    story = adr_story("X ⇒ T → Y")
    good = story["visible"] and not story["T sees Y"] and story["Y sees T"]
    return Finding(_adr_domain("X ⇒ T → Y"), 1, None if good else Witness(f"{story}", None, story))


@claim(
    "demorais2008/or-example",
    "Section 4, X ⇒ T → Y",
    "Although T ⊥ Y | X is accepted, MBOR takes Y for a neighbour of T, because Y still sees T.",
)
def or_example(scope: Scope) -> Finding:
    """MBOR as printed: its first phase uses the very statement T ⊥ Y | X to remove Y."""
    return _adr_finding("X ⇒ T → Y")


@claim(
    "demorais2008/filter-example",
    "Section 4, Z ⇒ Y → T ⇐ X",
    "Although T ⊥ Y | X and Y ⊥ T | Z are accepted, MBOR takes Y for a neighbour of T, because its first phase has "
    "filtered Z out.",
)
def filter_example(scope: Scope) -> Finding:
    """The same, with a second deterministic parent."""
    return _adr_finding("Z ⇒ Y → T ⇐ X")


def _adr_finding(name: str) -> Finding:
    story = adr_story(name)
    answer = story["answers"]["mbor"]
    if "Y" in answer:
        return Finding(_adr_domain(name), 1)
    text = (
        f"{name} with ε = 1/100 and a test blind below {story['t']:.2g} nats: PCSuperSet asks T ⊥ Y | X itself, and "
        f"removes Y (dSep = {braces(story['dSep'])}), so PCS = {braces(story['PCS'])} and the OR condition never "
        f"looks at Y; MBOR returns {braces(answer)}."
    )
    return Finding(_adr_domain(name), 1, Witness(text, None, story))


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


# ---------------------------------------------------------------------- section 5: theorems
@claim(
    "demorais2008/theorem-1",
    "Theorem 1",
    "The marginal of a faithful distribution is embedded faithful: d-separation in the graph of U says what holds "
    "among V.",
)
def theorem_1(scope: Scope) -> Finding:
    """Exact marginals of random joints that are faithful to a DAG, every statement beside d-separation."""
    from mbedu.theory.claims.worlds import random_tables

    graphs = [DSeparation(list(w.edges or ()), variables=w.variables) for w in dags(4)[::4]]
    drawn = random_tables(4, scope.many, scope.seed)
    faithful = [(w, g) for w in drawn for g in graphs if _faithful_to(w.judge, g)]
    tried = 0
    for world, graph in faithful:
        for k in (2, 3):
            for V in combinations(world.variables, k):
                tried += 1
                if not _faithful_to(world.judge.marginal(V), Part(graph, V)):  # type: ignore[arg-type]
                    return Finding(drawn.text, tried, shown(world, f"V = {braces(V)}"))
    domain = f"{drawn.text}: {len(faithful)} pairs of a joint and a DAG that it is faithful to, every V"
    return Finding(domain, tried)


@claim(
    "demorais2008/theorem-2",
    "Theorem 2",
    "Under faithfulness T has one Markov boundary over every V with MB ⊆ V ⊆ U, and it is that over U.",
)
def theorem_2(scope: Scope) -> Finding:
    """All boundaries over every V by brute force."""

    def check(world: World) -> Iterator[Check]:
        MB = world.judge.boundary(world.target)
        for V in between(world):
            known = boundaries(Part(world.judge, V | {world.target}), world.target)
            yield Check("", holds=known == (MB,), tried=1, witness=f"V = {braces(V)}: {known}")

    return over(scope.few_graphs, check)


@claim(
    "demorais2008/theorem-3",
    "Theorem 3",
    "For every V with MB ⊆ V ⊆ U, what nothing within V separates from T is what nothing within U does.",
)
def theorem_3(scope: Scope) -> Finding:
    """Every V, every candidate, every separating set."""

    def check(world: World) -> Iterator[Check]:
        for V in between(world):
            found_ = _inseparable(world.judge, world.target, sorted(V))
            good = found_ == neighbours(world, world.target)
            yield Check("", holds=good, tried=1, witness=f"V = {braces(V)}: {braces(found_)}")

    return over(scope.few_graphs, check)


@claim(
    "demorais2008/theorem-4",
    "Theorem 4, first part",
    "For every V with MB ⊆ V ⊆ U, MBtoPC(T, V) returns the parents and children of T.",
)
def theorem_4(scope: Scope) -> Finding:
    """MBtoPC on every V."""

    def check(world: World) -> Iterator[Check]:
        for V in between(world):
            part = Part(world.judge, V | {world.target})
            answer = mb_to_pc(Ask(part), world.target).frozen()
            good = answer == neighbours(world, world.target)
            yield Check("", holds=good, tried=1, witness=f"V = {braces(V)}: {braces(answer)}")

    return over(scope.few_graphs, check)


@claim(
    "demorais2008/theorem-4-other-side",
    "Theorem 4, second part",
    "For every such V and X ∈ V, T is in MBtoPC(X, V) if and only if X is a parent or child of T, although V need "
    "not hold the boundary of X.",
)
def theorem_4_other_side(scope: Scope) -> Finding:
    """MBtoPC from every other side, on every V."""

    def check(world: World) -> Iterator[Check]:
        PC = neighbours(world, world.target)
        for V in between(world):
            part = Part(world.judge, V | {world.target})
            for X in sorted(V):
                sees = world.target in mb_to_pc(Ask(part), X)
                yield Check("", holds=sees == (X in PC), tried=1, witness=f"V = {braces(V)}, X = {X}")

    return over(scope.few_graphs, check)


def phases(world: World) -> tuple[frozenset[str], frozenset[str]]:
    """Return PC after phase II and SP after phase III of Algorithm 1, line by line."""
    ask, T = Ask(world.judge), world.target
    PCS, dSep = pc_superset(ask, T)
    MBS = ask.set("MBS", PCS | sp_superset(ask, T, PCS=PCS, dSep=dSep))
    with ask.within(MBS | {T}):
        PC = mb_to_pc(ask, T).frozen()
        PC |= {X for X in PCS.frozen() - PC if T in mb_to_pc(ask, X)}
        SP = set()
        for X in ask.ordered(PC):
            for Y in ask.ordered(mb_to_pc(ask, X).frozen() - PC - {T}):
                Z = minimal_separator(ask, T, Y, MBS, None)
                if Z is not None and not ask(T, Y, Z | {X}):
                    SP.add(Y)
    return PC, frozenset(SP)


@claim("demorais2008/proof-phase-2", "Proof of Theorem 5", "Phase II of MBOR ends with the parents and children.")
def proof_phase_2(scope: Scope) -> Finding:
    """PC of line 10 beside the graph."""

    def check(world: World) -> Check:
        PC, _ = phases(world)
        return Check("", holds=PC == neighbours(world, world.target), tried=1, witness=f"PC = {braces(PC)}")

    return over(scope.few_graphs, check)


@claim(
    "demorais2008/proof-phase-3",
    "Proof of Theorem 5",
    "Y is put into SP if and only if it is a spouse of T in U (and no neighbour): no fake spouse enters.",
)
def proof_phase_3(scope: Scope) -> Finding:
    """SP of line 19 beside the graph."""

    def check(world: World) -> Check:
        _, SP = phases(world)
        right = spouses(world, world.target) - neighbours(world, world.target)
        return Check("", holds=right == SP, tried=1, witness=f"SP = {braces(SP)}")

    return over(scope.few_graphs, check)


@claim(
    "demorais2008/proof-fake-neighbours",
    "Proof of Theorem 5",
    "For X ≠ T, MBtoPC(X, MBS) may differ from the parents and children of X: fake neighbours occur.",
)
def proof_fake_neighbours(scope: Scope) -> Finding:
    """Look for a graph in which MBtoPC of a neighbour of T, on MBS, has too much."""

    def search(world: World) -> Witness | None:
        ask, T = Ask(world.judge), world.target
        PCS, dSep = pc_superset(ask, T)
        MBS = PCS | sp_superset(ask, T, PCS=PCS, dSep=dSep)
        with ask.within(MBS | {T}):
            for X in ask.ordered(neighbours(world, T)):
                fake = mb_to_pc(ask, X).frozen() - neighbours(world, X)
                if fake:
                    text = f"MBS = {braces(MBS)}, and MBtoPC({X}) holds {braces(fake)}."
                    return shown(world, text, MBS=frozenset(MBS), X=X, fake=fake)
        return None

    return found(scope.graphs + dags(5, every=3), search)


@claim("demorais2008/theorem-5", "Theorem 5", "Under faithfulness MBOR(T) returns the Markov boundary of T.")
def theorem_5(scope: Scope) -> Finding:
    """MBOR with exact tests."""
    return over(scope.graphs, lambda w: _right(w, "mbor"))


def _right(world: World, key: str, **params: Any) -> Check:
    answer = run(key, world.judge, world.target, **params).boundary
    right = world.judge.boundary(world.target)
    text = f"{key} returns {braces(answer)}, the boundary is {braces(right)}."
    return Check("", holds=answer == right, tried=1, witness=text, sets={"answer": answer})


# ---------------------------------------------------------------------- the others
@claim(
    "demorais2008/iamb-correct",
    "Sections 4 and 6",
    "IAMB and Inter-IAMB are correct under faithfulness.",
)
def iamb_correct(scope: Scope) -> Finding:
    """Both with exact tests."""
    return over(scope.graphs, lambda w: [_right(w, "iamb"), _right(w, "inter_iamb")])


@claim("demorais2008/pcmb-correct", "Section 6", "PCMB is correct under faithfulness.")
def pcmb_correct(scope: Scope) -> Finding:
    """PCMB with exact tests."""
    return over(scope.graphs, lambda w: _right(w, "pcmb"))


@claim(
    "demorais2008/mmmb-and",
    "Section 4",
    "MMMB applies the AND condition and is correct under faithfulness (it is named among the “correct "
    "divide-and-conquer algorithms”).",
    hypothesis="besides the AND condition a spouse is tried with the child that it shares, not with every neighbour",
    repaired=lambda scope: over(
        scope.graphs + FIVE, lambda w: [_right(w, "mmmb_corrected"), _right(w, "hiton_mb_corrected")]
    ),
)
def mmmb_and(scope: Scope) -> Finding:
    """MMMB as published, then MMMB with the AND condition and nothing else."""
    published = over(scope.graphs, lambda w: _right(w, "mmmb"))
    symmetric = over(scope.graphs + FIVE, lambda w: _right(w, "mmmb_corrected", through="any"))
    if published.holds or published.witness is None or symmetric.witness is None:
        return published if not published.holds else symmetric
    text = f"as published: {published.witness.text} With the AND condition alone: {symmetric.witness.text}"
    values = {"and": symmetric.witness.world, **published.witness.values}
    domain = f"{published.domain}; with the AND condition: {symmetric.domain}"
    return Finding(domain, published.tried + symmetric.tried, Witness(text, published.witness.world, values))


def _five() -> Any:
    from mbedu.theory.claims.worlds import Worlds

    variables = ("T", "A", "P", "S", "C")
    edges = (("A", "P"), ("S", "P"), ("P", "T"), ("T", "C"), ("S", "C"))
    return Worlds([World(variables, "T", edges=edges)], "A → P ← S, P → T, T → C ← S")


FIVE = _five()


@claim(
    "demorais2008/mmmb-hiton-unsound",
    "Section 6",
    "MMMB and HITON-MB do not guarantee correctness under faithfulness.",
)
def mmmb_hiton_unsound(scope: Scope) -> Finding:
    """Look for a graph on which both err."""

    def search(world: World) -> Witness | None:
        first, second = _right(world, "mmmb"), _right(world, "hiton_mb")
        if first.holds or second.holds:
            return None
        return shown(world, f"{first.witness} {second.witness}", **first.sets)

    return found(scope.graphs, search)
