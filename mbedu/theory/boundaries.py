"""Markov blankets and boundaries by their definitions: brute force, and therefore beyond doubt.

Definitions 1 to 3 of margaritis2009. Nothing here assumes an axiom, so the answers are right for any
judge, also for one that breaks them.
"""

from __future__ import annotations

from typing import Any

from mbedu.errors import AlgorithmError
from mbedu.query import Vars
from mbedu.theory._facts import Facts, by_size, guard

__all__ = ["boundaries", "is_blanket", "is_boundary", "is_m_boundary", "m_boundaries"]

LIMIT = 2**17


def is_blanket(judge: Any, target: str, S: Vars) -> bool:
    """Say whether S shields the target: T ⊥ U − S − {T} | S (Definition 1).

    Examples
    --------
    >>> from mbedu.oracles import DSeparation
    >>> chain = DSeparation([("A", "B"), ("B", "T")])
    >>> is_blanket(chain, "T", "B"), is_blanket(chain, "T", "A"), is_blanket(chain, "T", {"A", "B"})
    (True, False, True)
    """
    facts = Facts(judge)
    return _shields(facts, target, facts.blanket_mask(target, S))


def is_boundary(judge: Any, target: str, S: Vars, *, limit: int = LIMIT) -> bool:
    """Say whether S is a blanket none of whose proper subsets is one (Definition 2).

    All proper subsets are looked at: that it is enough to leave out one variable at a time follows
    from Weak Union, which a judge need not obey.
    """
    facts = Facts(judge)
    mask = facts.blanket_mask(target, S)
    guard(2 ** mask.bit_count(), limit, f"is_boundary of a set of {mask.bit_count()} variables")
    if not _shields(facts, target, mask):
        return False
    return not any(_shields(facts, target, part) for part in by_size(mask) if part != mask)


def boundaries(judge: Any, target: str, *, limit: int = LIMIT) -> tuple[frozenset[str], ...]:
    """Return every Markov boundary of the target: smallest first, then in variable order.

    There is always at least one, because all other variables together are a blanket. `limit` is the
    most subsets that are looked at.

    Examples
    --------
    A variable and its copy: either will do, and both together are not minimal.

    >>> from mbedu.oracles import ExactJoint
    >>> table = {(t, a, a): 1 + 2 * (t == a) for t in (0, 1) for a in (0, 1)}
    >>> boundaries(ExactJoint(table, variables=["T", "A", "copy"]), "T")
    (frozenset({'A'}), frozenset({'copy'}))
    """
    facts = Facts(judge)
    _, others = facts.target(target)
    guard(2 ** others.bit_count(), limit, f"boundaries among {others.bit_count()} other variables")
    found: list[int] = []
    for S in by_size(others):
        if any(b & S == b for b in found):
            continue  # it holds a smaller blanket, so it is not minimal
        if _shields(facts, target, S):
            found.append(S)
    return tuple(facts.set(S) for S in found)


def is_m_boundary(judge: Any, target: str, S: Vars, *, m: int, limit: int = LIMIT) -> bool:
    """Say whether S is an m-Markov boundary: Eq. (2) for every set of at most m variables (Definition 3)."""
    facts = Facts(judge)
    _, others = facts.target(target)
    guard(_sets(others, check_margin(m)), limit, f"sets of at most {m} of {others.bit_count()} variables")
    return m_correct(facts, target, facts.blanket_mask(target, S), m)


def m_boundaries(judge: Any, target: str, m: int, *, limit: int = LIMIT) -> tuple[frozenset[str], ...]:
    """Return every m-Markov boundary of the target (Definition 3): smallest first, then in variable order.

    Examples
    --------
    An m-boundary is not unique, even where the boundary is: with m = 1 nothing points to two coins of
    which only the parity matters, but once both are in neither can go.

    >>> from mbedu.oracles import ExactJoint
    >>> xor = ExactJoint({(a ^ b, a, b): 1 for a in (0, 1) for b in (0, 1)}, variables=["T", "A", "B"])
    >>> [sorted(S) for S in m_boundaries(xor, "T", 1)], [sorted(S) for S in m_boundaries(xor, "T", 2)]
    ([[], ['A', 'B']], [['A', 'B']])
    """
    facts = Facts(judge)
    _, others = facts.target(target)
    guard(2 ** others.bit_count(), limit, f"m_boundaries among {others.bit_count()} other variables")
    check_margin(m)
    return tuple(facts.set(S) for S in by_size(others) if m_correct(facts, target, S, m))


def _shields(facts: Facts, target: str, S: int) -> bool:
    x, others = facts.target(target)
    return facts.independent(x, others & ~S, S)


def m_correct(facts: Facts, target: str, S: int, m: int) -> bool:
    """Say whether Eq. (2) holds for every set of at most m variables; for callers with masks at hand."""
    x, others = facts.target(target)
    return all(facts.independent(x, T, S & ~T) == (not T & S) for T in by_size(others, largest=m))


def check_margin(m: int) -> int:
    """Refuse a margin below 1, or one that is no whole number."""
    if isinstance(m, bool) or not isinstance(m, int) or m < 1:
        raise AlgorithmError(f"m={m!r}: the margin is a whole number, at least 1")
    return m


def _sets(others: int, m: int) -> int:
    from math import comb

    n = others.bit_count()
    return sum(comb(n, k) for k in range(min(m, n) + 1))
