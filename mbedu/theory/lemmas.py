"""The appendix of margaritis2009 as code: observations, lemmas and theorems that can be checked.

Every function takes a judge and a target (X in the paper) and returns a `Check`: it holds on every
instance, or here is the smallest one on which it fails. The algorithm of the statements is the
*abstract* GS(m), whose order is left open, so the checkers go through **every** order: all sets that
the growing phase can end with (S_G) and all that the shrinking phase can make of each (S_S).

Nothing assumes an axiom. On a distribution the universal axioms hold anyway; what happens without
them is for `mbedu.theory.relations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any, Literal, TypeAlias

from mbedu.errors import AlgorithmError
from mbedu.query import Vars
from mbedu.theory._facts import Check, Facts, by_size, guard
from mbedu.theory.boundaries import check_margin, m_correct

__all__ = [
    "boundary_is_unique", "corollary_3", "grown_sets", "lemma_2", "lemma_4", "m_boundary_is_unique",
    "observation_1", "observation_2", "shrunk_sets", "theorem_5",
]  # fmt: skip

MOST = 8  # other variables: 2⁸ sets S_G and all their ways down
Reading: TypeAlias = Literal["printed", "inside", "sharp"]


# ---------------------------------------------------------------------- the abstract algorithm
def _start(judge: Any, target: str) -> tuple[Facts, int, int]:
    facts = Facts(judge)
    x, others = facts.target(target)
    guard(others.bit_count(), MOST, "every order of GS(m) on that many other variables")
    return facts, x, others


def _grown(facts: Facts, x: int, others: int, m: int) -> list[int]:
    """Return every S with which the growing phase can end, whatever the order; smallest first."""
    seen, ends, waiting = {0}, set(), [0]
    while waiting:
        S = waiting.pop()
        steps = [Y for Y in by_size(others & ~S, largest=m) if not facts.independent(x, Y, S)]
        if not steps:
            ends.add(S)
        for Y in steps:
            if S | Y not in seen:
                seen.add(S | Y)
                waiting.append(S | Y)
    return [S for S in by_size(others) if S in ends]


def _shrunk(facts: Facts, x: int, S: int) -> list[int]:
    """Return every set that the shrinking phase can make of S, whatever the order."""
    seen, ends, waiting = {S}, set(), [S]
    while waiting:
        now = waiting.pop()
        bits = [1 << i for i in range(now.bit_length()) if now >> i & 1]
        smaller = [now & ~Y for Y in bits if facts.independent(x, Y, now & ~Y)]
        if not smaller:
            ends.add(now)
        for then in smaller:
            if then not in seen:
                seen.add(then)
                waiting.append(then)
    return sorted(ends, key=lambda s: (s.bit_count(), s))


def grown_sets(judge: Any, target: str, *, m: int = 1) -> tuple[frozenset[str], ...]:
    """Return every S_G that GS(m)'s growing phase can end with, over all orders.

    Examples
    --------
    >>> from mbedu.oracles import DSeparation
    >>> chain = DSeparation([("A", "B"), ("B", "T")])
    >>> [sorted(S) for S in grown_sets(chain, "T")]
    [['B'], ['A', 'B']]
    """
    facts, x, others = _start(judge, target)
    return tuple(facts.set(S) for S in _grown(facts, x, others, check_margin(m)))


def shrunk_sets(judge: Any, target: str, S: Vars) -> tuple[frozenset[str], ...]:
    """Return every S_S that the shrinking phase can make of S_G = S, over all orders."""
    facts = Facts(judge)
    x, _ = facts.target(target)
    return tuple(facts.set(end) for end in _shrunk(facts, x, facts.blanket_mask(target, S)))


def _runs(facts: Facts, x: int, starts: list[int]) -> Iterator[tuple[int, int]]:
    for S_G in starts:
        for S_S in _shrunk(facts, x, S_G):
            yield S_G, S_S


# ---------------------------------------------------------------------- the observations
def observation_1(judge: Any, target: str, *, m: int = 1) -> Check:
    """Observation 1: for every Y outside S_G with 1 ≤ |Y| ≤ m, X ⊥ Y | S_G."""
    facts, x, others = _start(judge, target)
    tried = 0
    for S in _grown(facts, x, others, check_margin(m)):
        for Y in by_size(others & ~S, largest=m):
            if not Y:
                continue
            tried += 1
            if not facts.independent(x, Y, S):
                return _fails(facts, "Observation 1", tried, facts.dependence(x, Y, S), S_G=S, Y=Y)
    return Check("Observation 1", holds=True, tried=tried)


def observation_2(judge: Any, target: str, *, m: int = 1) -> Check:
    """Observation 2: for every Y in S_S, X and Y are dependent given S_S − {Y}."""
    facts, x, others = _start(judge, target)
    tried = 0
    for S_G, S in _runs(facts, x, _grown(facts, x, others, check_margin(m))):
        for Y in _members(S):
            tried += 1
            if facts.independent(x, Y, S & ~Y):
                text = facts.statement(x, Y, S & ~Y)
                return _fails(facts, "Observation 2", tried, text, S_G=S_G, S_S=S, Y=Y)
    return Check("Observation 2", holds=True, tried=tried)


# ---------------------------------------------------------------------- Lemma 2 and Corollary 3
def lemma_2(judge: Any, target: str, *, reading: Reading = "printed", most: int = 4) -> Check:
    """Lemma 2: if X ⊥ Y_i | S − {Y_1 … Y_i} for i = 1 … t, then X ⊥ {Y_1 … Y_t} | S − {Y_1 … Y_t}.

    Parameters
    ----------
    judge, target
        What answers, and X.
    reading : {"printed", "inside", "sharp"}
        As printed, for any Y_1 … Y_t: false, because variables outside S may matter only together.
        `"inside"`: all of them in S, which is how the paper uses it: follows from Contraction.
        `"sharp"`: all but the *first* in S, which is as far as the proof reaches: the first step needs
        no Contraction.
    most : int
        The largest t.

    Examples
    --------
    >>> from mbedu.oracles import ExactJoint
    >>> xor = ExactJoint({(a ^ b, a, b): 1 for a in (0, 1) for b in (0, 1)}, variables=["T", "A", "B"])
    >>> print(lemma_2(xor, "T"))
    Lemma 2 as printed fails: with S = ∅ and Y = (A, B): T ⊥ A and T ⊥ B, but T and {A, B} are dependent.
    >>> print(lemma_2(xor, "T", reading="inside"))
    Lemma 2 with all Y inside S holds (2 instances).
    """
    words = {
        "printed": "Lemma 2 as printed",
        "inside": "Lemma 2 with all Y inside S",
        "sharp": "Lemma 2 with all Y but the first inside S",
    }
    if reading not in words:
        raise AlgorithmError(f"reading={reading!r}: choose {', '.join(map(repr, words))}")
    facts, x, others = _start(judge, target)
    tried = 0
    for t in range(1, min(most, others.bit_count()) + 1):
        for S in by_size(others):
            for Y in permutations(_members(others), t):
                bound = {"printed": (), "inside": Y, "sharp": Y[1:]}[reading]
                if any(not y & S for y in bound) or not _premises_of_lemma_2(facts, x, S, Y):
                    continue
                tried += 1
                if not facts.independent(x, sum(Y), S & ~sum(Y)):
                    text, sets = _lemma_2_fails(facts, x, S, Y)
                    return Check(words[reading], holds=False, tried=tried, witness=text, sets=sets)
    return Check(words[reading], holds=True, tried=tried)


def _premises_of_lemma_2(facts: Facts, x: int, S: int, Y: tuple[int, ...]) -> bool:
    for y in Y:
        S &= ~y
        if not facts.independent(x, y, S):
            return False
    return True


def _lemma_2_fails(facts: Facts, x: int, S: int, Y: tuple[int, ...]) -> tuple[str, dict[str, Any]]:
    said, now = [], S
    for y in Y:
        now &= ~y
        said.append(facts.statement(x, y, now))
    order = ", ".join(facts.side(y) for y in Y)
    text = (
        f"with S = {facts.written(S)} and Y = ({order}): {' and '.join(said)}, "
        f"but {facts.dependence(x, sum(Y), S & ~sum(Y))}."
    )
    return text, {"S": facts.set(S), "Y": tuple(facts.side(y) for y in Y)}


def corollary_3(judge: Any, target: str, *, m: int | None = None) -> Check:
    """Corollary 3: X ⊥ S_Δ | S_S, where S_Δ = S_G − S_S is what the shrinking phase removed.

    With `m` for every S_G that GS(m) can grow; without, for *every* set S_G, however it was grown, which
    is what the proof gives (and what an interrupted growing phase needs).
    """
    facts, x, others = _start(judge, target)
    tried = 0
    for S_G, S_S in _runs(facts, x, _tops(facts, x, others, m)):
        tried += 1
        if not facts.independent(x, S_G & ~S_S, S_S):
            text = facts.dependence(x, S_G & ~S_S, S_S)
            return _fails(facts, "Corollary 3", tried, text, S_G=S_G, S_S=S_S)
    return Check("Corollary 3", holds=True, tried=tried)


def _tops(facts: Facts, x: int, others: int, m: int | None) -> list[int]:
    return list(by_size(others)) if m is None else _grown(facts, x, others, check_margin(m))


# ---------------------------------------------------------------------- Lemma 4
def lemma_4(
    judge: Any,
    target: str,
    *,
    part: Literal["independence", "minimality"] = "independence",
    reading: Literal["proper", "printed"] = "proper",
    m: int | None = None,
) -> Check:
    """Lemma 4: for every T outside S_G with X ⊥ T | S_G, X ⊥ T ∪ (S_G − S_S) | S_S, and S_S is minimal.

    Parameters
    ----------
    judge, target
        What answers, and X.
    part : {"independence", "minimality"}
        Eq. (3), or that no subset S' of S_S satisfies it in the place of S_S.
    reading : {"proper", "printed"}
        Minimality is printed as "there does not exist a subset of S_S", which S_S itself refutes;
        a *proper* subset is meant, and is what the proof uses.
    m : int, optional
        Only for the S_G that GS(m) can grow; by default for every set.
    """
    if part not in ("independence", "minimality"):
        raise AlgorithmError(f"part={part!r}: choose 'independence' or 'minimality'")
    claim = f"Lemma 4 ({part})" + (" as printed" if part == "minimality" and reading == "printed" else "")
    facts, x, others = _start(judge, target)
    tried = 0
    for S_G, S_S in _runs(facts, x, _tops(facts, x, others, m)):
        for T in by_size(others & ~S_G):
            if not facts.independent(x, T, S_G):
                continue
            tried += 1
            if part == "independence":
                if not facts.independent(x, T | (S_G & ~S_S), S_S):
                    text = facts.dependence(x, T | (S_G & ~S_S), S_S)
                    return _fails(facts, claim, tried, text, S_G=S_G, S_S=S_S, T=T)
                continue
            for P in by_size(S_S):
                if (P != S_S or reading == "printed") and facts.independent(x, T | (S_G & ~P), P):
                    text = f"{facts.statement(x, T | (S_G & ~P), P)} for the subset {facts.written(P)} of S_S"
                    return _fails(facts, claim, tried, text, S_G=S_G, S_S=S_S, T=T, subset=P)
    return Check(claim, holds=True, tried=tried)


# ---------------------------------------------------------------------- Theorem 5 and Definition 3
def theorem_5(judge: Any, target: str, *, m: int = 1) -> Check:
    """Theorem 5: whatever the order, GS(m) returns an m-Markov boundary (Definition 3)."""
    facts, x, others = _start(judge, target)
    tried = 0
    for S_G, S_S in _runs(facts, x, _grown(facts, x, others, check_margin(m))):
        tried += 1
        if not m_correct(facts, target, S_S, m):
            T = next(
                T for T in by_size(others, largest=m) if facts.independent(x, T, S_S & ~T) == bool(T & S_S)
            )
            wrong = facts.statement(x, T, S_S & ~T, independent=bool(T & S_S))
            text = f"GS({m}) can end with {facts.written(S_S)}, but {wrong}"
            return _fails(facts, f"Theorem 5 (m = {m})", tried, text, S_G=S_G, S_S=S_S, T=T)
    return Check(f"Theorem 5 (m = {m})", holds=True, tried=tried)


def m_boundary_is_unique(judge: Any, target: str, *, m: int) -> Check:
    """Say whether there is only one m-Markov boundary: the paper defines "an" m-boundary, and rightly so.

    It is unique wherever Intersection and Composition hold, and need not be where either fails.
    """
    facts, _, others = _start(judge, target)
    found = [S for S in by_size(others) if m_correct(facts, target, S, check_margin(m))]
    return _unique(facts, f"{m}-boundar", target, found)


def boundary_is_unique(judge: Any, target: str) -> Check:
    """Say whether the target has only one Markov boundary: so it is wherever Intersection holds (Pearl).

    Examples
    --------
    >>> from mbedu.oracles import ExactJoint
    >>> copies = ExactJoint({(t, t, t): 1 for t in (0, 1)}, variables="T A B".split())
    >>> print(boundary_is_unique(copies, "T"))
    Uniqueness of the boundary fails: {A} and {B} are both boundaries of T.
    """
    facts, x, others = _start(judge, target)
    found: list[int] = []
    for S in by_size(others):
        if facts.independent(x, others & ~S, S) and not any(B & S == B for B in found):
            found.append(S)
    return _unique(facts, "boundar", target, found)


def _unique(facts: Facts, kind: str, target: str, found: list[int]) -> Check:
    claim = f"Uniqueness of the {kind}y"
    if len(found) < 2:
        return Check(claim, holds=True, tried=len(found))
    text = f"{' and '.join(map(facts.written, found[:2]))} are both {kind}ies of {target}."
    sets = {"all": tuple(facts.set(S) for S in found)}
    return Check(claim, holds=False, tried=len(found), witness=text, sets=sets)


def _members(mask: int) -> list[int]:
    return [1 << i for i in range(mask.bit_length()) if mask >> i & 1]


def _fails(facts: Facts, claim: str, tried: int, text: str, **sets: int) -> Check:
    named = ", ".join(f"{k} = {facts.written(v)}" for k, v in sets.items())
    listed = {k: facts.set(v) for k, v in sets.items()}
    return Check(claim, holds=False, tried=tried, witness=f"with {named}: {text}.", sets=listed)
