"""Small problems, each built to show one thing: copies, functions, spouses and almost-determinism."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from mbedu.oracles import ExactJoint
from mbedu.problem import Problem
from mbedu.problems._checks import HALF, probability, whole

__all__ = [
    "almost_deterministic_parent", "almost_deterministic_parents", "copies", "deterministic_chain",
    "iamb_ip_toy", "silent_spouse", "xor_copies",
]  # fmt: skip

TENTH, FIFTH = Fraction(1, 10), Fraction(1, 5)


def factored(variables: Sequence[str], sizes: Sequence[int], weight: Callable[..., Any]) -> ExactJoint:
    """Return the joint whose cells have `weight(v₁, v₂, …)`, over variables with states 0, 1, …"""
    cells = {cell: weight(*cell) for cell in product(*map(range, sizes))}
    return ExactJoint(
        {cell: w for cell, w in cells.items() if w},
        variables=variables,
        states={v: tuple(range(n)) for v, n in zip(variables, sizes, strict=True)},
    )


def flip(a: int, b: int, noise: Fraction) -> Fraction:
    """Return the probability of b as a noisy copy of a."""
    return noise if a != b else 1 - noise


def copies(n: int = 3, *, noise: Any = TENTH) -> Problem:
    """Return a target that is a noisy view of A1, of which A2 … An are exact copies: n boundaries of size 1.

    Examples
    --------
    >>> [sorted(b) for b in copies(3).boundaries]
    [['A1'], ['A2'], ['A3']]
    """
    n, noise = whole("n", n, least=1, largest=1000), probability("noise", noise)
    names = [f"A{i}" for i in range(1, n + 1)]
    table = {(t, *[a] * n): flip(a, t, noise) for t in (0, 1) for a in (0, 1)}
    known = (frozenset(),) if noise == HALF else tuple(frozenset((v,)) for v in names)
    return Problem(
        f"copies({n})",
        ExactJoint(table, variables=["T", *names], states=dict.fromkeys(["T", *names], (0, 1))),
        "T",
        known,
        "margaritis2009, section 3 (Intersection is not universal)",
        "Any one of the copies shields T from the rest, so the boundary is not unique: Intersection fails.",
    )


def xor_copies(n: int = 2, *, noise: Any = 0) -> Problem:
    """Return T = A1 ⊕ B1, with n − 1 exact copies of each input: n² boundaries, none visible to single tests.

    Examples
    --------
    >>> [sorted(b) for b in xor_copies(2).boundaries]
    [['A1', 'B1'], ['A1', 'B2'], ['A2', 'B1'], ['A2', 'B2']]
    """
    n, noise = whole("n", n, least=1, largest=1000), probability("noise", noise)
    a_names, b_names = [f"A{i}" for i in range(1, n + 1)], [f"B{i}" for i in range(1, n + 1)]
    names = ["T", *a_names, *b_names]
    table = {(t, *[a] * n, *[b] * n): flip(a ^ b, t, noise) for t, a, b in product((0, 1), repeat=3)}
    known = tuple(frozenset((a, b)) for a in a_names for b in b_names)
    return Problem(
        f"xor_copies({n})",
        ExactJoint(table, variables=names, states=dict.fromkeys(names, (0, 1))),
        "T",
        (frozenset(),) if noise == HALF else known,
        "margaritis2009, sections 3 and 5: Intersection and Composition fail together",
        "Each input alone is independent of T, and each has copies: the worst case for adding one variable "
        "at a time, and several boundaries as well.",
    )


def deterministic_chain(length: int = 3, *, noise: Any = TENTH) -> Problem:
    """Return X1 → X2 → … → T, in which every X is a function of the one before: any of them is a boundary.

    X1 has 2^length states, and each next variable forgets one bit; T is a noisy view of the last.

    Examples
    --------
    >>> [sorted(b) for b in deterministic_chain(3).boundaries]
    [['X1'], ['X2'], ['X3']]
    """
    length, noise = whole("length", length, least=1, largest=12), probability("noise", noise)
    names = [f"X{i}" for i in range(1, length + 1)]
    table = {}
    for start in range(2**length):
        values = [start >> i for i in range(length)]
        for t in (0, 1):
            table[*values, t] = flip(values[-1], t, noise)
    states = {v: tuple(range(2 ** (length - i))) for i, v in enumerate(names)}
    return Problem(
        f"deterministic_chain({length})",
        ExactJoint(table, variables=[*names, "T"], states=states | {"T": (0, 1)}),
        "T",
        (frozenset(),) if noise == HALF else tuple(frozenset((v,)) for v in names),
        "margaritis2009, section 3; demorais2008, section 3.2 (true deterministic relationships)",
        "By d-separation the boundary is the last variable alone; in the distribution every earlier one is a "
        "boundary too, of the same size but with more states. Determinism makes it unfaithful.",
    )


def silent_spouse() -> Problem:
    """Return T → C ← S, with a spouse S that T does not see until it looks through their child C.

    Examples
    --------
    >>> [sorted(b) for b in silent_spouse().boundaries]
    [['C', 'S']]
    """

    def weight(t: int, c: int, s: int) -> Fraction:
        return flip(t | s, c, TENTH)

    return Problem(
        "silent_spouse",
        factored(["T", "C", "S"], [2, 2, 2], weight),
        "T",
        (frozenset(("C", "S")),),
        "the pattern behind the spouses of demorais2008, Algorithm 1 (Phase III)",
        "T ⊥ S, but T and S are dependent given C: a filter that tests each variable alone loses the spouse, "
        "and so does a grow phase that conditions on nothing.",
    )


def almost_deterministic_parent(*, epsilon: Any = Fraction(1, 100)) -> Problem:
    """Return X ⇒ T → Y: T is X, but for a fraction `epsilon` of the rows; with 0 it is X exactly.

    Examples
    --------
    >>> [sorted(b) for b in almost_deterministic_parent().boundaries]
    [['X', 'Y']]
    >>> [sorted(b) for b in almost_deterministic_parent(epsilon=0).boundaries]
    [['X']]
    """
    epsilon = probability("epsilon", epsilon)

    def weight(t: int, x: int, y: int) -> Fraction:
        return flip(x, t, epsilon) * flip(t, y, FIFTH)

    known: Iterable[str] = ("X",) if epsilon in (0, 1) else ("Y",) if epsilon == HALF else ("X", "Y")
    return Problem(
        f"almost_deterministic_parent(epsilon={epsilon})",
        factored(["T", "X", "Y"], [2, 2, 2], weight),
        "T",
        (frozenset(known),),
        "demorais2008, section 4 (the sub-graph X ⇒ T → Y)",
        "Given X there is almost nothing left for Y to say about T, so with few rows T ⊥ Y | X is accepted. "
        "The paper says that the OR condition of MBOR then keeps Y, which still sees T. It does not: phase I "
        "(PCSuperSet, line 10) asks the same question and removes Y before OR is reached. With epsilon = 0 "
        "the boundary really is {X}.",
    )


def almost_deterministic_parents(*, epsilon: Any = Fraction(1, 100)) -> Problem:
    """Return Z ⇒ Y → T ⇐ X: Y is almost Z, and T is almost X, whatever Y says; with 0 both are exact.

    T differs from X with probability `epsilon` where Y agrees with X, and 3·`epsilon` where it does not, so
    that Y matters, also alone: the distribution is faithful to the graph. `epsilon` is at most 1/5.

    Examples
    --------
    >>> [sorted(b) for b in almost_deterministic_parents().boundaries]
    [['X', 'Y']]
    """
    epsilon = probability("epsilon", epsilon, largest=FIFTH)

    def weight(t: int, y: int, z: int, x: int) -> Fraction:
        return flip(z, y, epsilon) * flip(x, t, epsilon * (1 if x == y else 3))

    return Problem(
        f"almost_deterministic_parents(epsilon={epsilon})",
        factored(["T", "Y", "Z", "X"], [2, 2, 2, 2], weight),
        "T",
        (frozenset(("Y", "X")) if epsilon else frozenset(("X",)),),
        "demorais2008, section 4 (the sub-graph Z ⇒ Y → T ⇐ X)",
        "X hides Y from T and Z hides T from Y, so that with few rows neither sees the other and the OR "
        "condition does not help. The paper says that phase I of MBOR does, because it filters Z out. Mostly "
        "it removes Y too: T and Y look independent already by themselves, or given X (PCSuperSet, lines 3 "
        "and 10).",
    )


def iamb_ip_toy() -> Problem:
    """Return a problem with everything that the prose says of the toy of pocock2012, Figure 1.

    The figure's estimates are not in the text, so the numbers are ours: Y has the parent X1, and with
    X5 the child X2; X3 is a second, weak effect of X1; X4 is a coin. In bits, I(X1;Y) = 0.12 leads,
    I(X2;Y|X1) = 0.016 lies between the thresholds 0.01 and 0.02, X5 is independent of Y until X2 is in
    (then 0.15), X3 is associated with Y but not given X1, and X4 is not associated at all.

    Examples
    --------
    >>> [sorted(b) for b in iamb_ip_toy().boundaries]
    [['X1', 'X2', 'X5']]
    """
    child = {(0, 0): TENTH, (0, 1): 4 * TENTH, (1, 0): 7 * TENTH, (1, 1): TENTH}  # P(X2 = 1 | Y, X5)

    def weight(*cell: int) -> Fraction:
        x1, x2, x3, _, x5, y = cell
        p = child[y, x5]
        return flip(x1, y, 3 * TENTH) * (p if x2 else 1 - p) * flip(x1, x3, 4 * TENTH)

    return Problem(
        "iamb_ip_toy",
        factored(["X1", "X2", "X3", "X4", "X5", "Y"], [2] * 6, weight),
        "Y",
        (frozenset(("X1", "X2", "X5")),),
        "pocock2012, Figure 1 and section 6 (the properties of the prose; the numbers are not printed)",
        "IAMB with t = 0.02 stops at X1; a prior that favours X2 brings in X2 and then X5; at t = 0.01 a "
        "prior against X2 loses both. A wrong negative costs more than a wrong positive.",
    )
