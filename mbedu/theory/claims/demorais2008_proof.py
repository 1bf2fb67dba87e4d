"""What demorais2008 proves: Theorems 1 to 5, the steps of the last proof, and the algorithms beside MBOR."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from mbedu.algorithms.mb_to_pc import mb_to_pc
from mbedu.algorithms.mbor import minimal_separator
from mbedu.algorithms.pc_superset import pc_superset
from mbedu.algorithms.sp_superset import sp_superset
from mbedu.ask import Ask
from mbedu.oracles import DSeparation
from mbedu.running import run
from mbedu.theory._facts import Check
from mbedu.theory.boundaries import boundaries
from mbedu.theory.claims.demorais2008 import braces, faithful_to, inseparable, neighbours, spouses
from mbedu.theory.claims.ledger import Finding, Scope, Witness, claim, found, over, shown
from mbedu.theory.claims.worlds import Part, World, Worlds, dags, random_tables

__all__ = ["between", "phases"]


def between(world: World) -> Iterator[frozenset[str]]:
    """Yield every V with MB(T) ⊆ V ⊆ U, the target left out."""
    MB = world.judge.boundary(world.target)
    rest = [v for v in world.others if v not in MB]
    for k in range(len(rest) + 1):
        for extra in combinations(rest, k):
            yield MB | set(extra)


FIVE = Worlds(
    [
        World(
            ("T", "A", "P", "S", "C"), "T", edges=(("A", "P"), ("S", "P"), ("P", "T"), ("T", "C"), ("S", "C"))
        )
    ],
    "A → P ← S, P → T, T → C ← S",
)
SIX = Worlds(
    [
        World(
            ("T", "P", "B", "C", "S", "D"),
            "T",
            edges=(("P", "T"), ("T", "C"), ("S", "C"), ("S", "D"), ("P", "B"), ("B", "D")),
        )
    ],
    "P → T, T → C ← S → D, P → B → D",
)


# ---------------------------------------------------------------------- section 5: theorems
@claim(
    "demorais2008/theorem-1",
    "Theorem 1",
    "The marginal of a faithful distribution is embedded faithful: d-separation in the graph of U says "
    "what holds "
    "among V.",
)
def theorem_1(scope: Scope) -> Finding:
    """Exact marginals of random joints that are faithful to a DAG, every statement beside d-separation."""
    graphs = [
        DSeparation(list(w.edges or ()), variables=w.variables) for w in dags(4)[:: 4 if scope.full else 12]
    ]
    drawn = random_tables(4, scope.many, scope.seed)
    faithful = [(w, g) for w in drawn for g in graphs if faithful_to(w.judge, g)]
    tried, domain = (
        0,
        f"{drawn.text}: {len(faithful)} pairs of a joint and a DAG that it is faithful to, every V",
    )
    for world, graph in faithful:
        for k in (2, 3):
            for V in combinations(world.variables, k):
                tried += 1
                if not faithful_to(world.judge.marginal(V), Part(graph, V)):
                    return Finding(domain, tried, shown(world, f"V = {braces(V)}"))
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

    return over(scope.shapes, check)


@claim(
    "demorais2008/theorem-3",
    "Theorem 3",
    "For every V with MB ⊆ V ⊆ U, what nothing within V separates from T is what nothing within U does.",
)
def theorem_3(scope: Scope) -> Finding:
    """Every V, every candidate, every separating set."""

    def check(world: World) -> Iterator[Check]:
        for V in between(world):
            found_ = inseparable(world.judge, world.target, sorted(V))
            good = found_ == neighbours(world, world.target)
            yield Check("", holds=good, tried=1, witness=f"V = {braces(V)}: {braces(found_)}")

    return over(scope.shapes, check)


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
    "For every such V and X ∈ V, T is in MBtoPC(X, V) if and only if X is a parent or child of T, "
    "although V need "
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


@claim(
    "demorais2008/proof-phase-2", "Proof of Theorem 5", "Phase II of MBOR ends with the parents and children."
)
def proof_phase_2(scope: Scope) -> Finding:
    """PC of line 10 beside the graph."""

    def check(world: World) -> Check:
        PC, _ = phases(world)
        return Check("", holds=neighbours(world, world.target) == PC, tried=1, witness=f"PC = {braces(PC)}")

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

    return found(scope.graphs + SIX, search)


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
    hypothesis="besides the AND condition a spouse is tried with the child that it shares, not with every "
    "neighbour",
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
