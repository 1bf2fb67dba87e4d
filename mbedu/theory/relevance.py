"""Relevance after Kohavi and John, redundancy after Yu and Liu: four kinds of features.

A feature is *strongly* relevant if the target depends on it given all others, *weakly* relevant if it
does so only given some of them, and irrelevant if given none. A weakly relevant feature is *redundant*
if a Markov blanket M of it (which shields it from the other features *and* the target) exists among
the others.

References
----------
.. [1] R. Kohavi, G. H. John. Wrappers for Feature Subset Selection. Artificial Intelligence 97, 1997.
.. [2] L. Yu, H. Liu. Efficient Feature Selection via Analysis of Relevance and Redundancy. JMLR 5, 2004.
.. [3] Y. Liu et al. Feature Selection Based on Dependency Margin. 2015, Definitions 2 to 6 and footnote 3.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from mbedu.errors import AlgorithmError
from mbedu.query import Vars, names
from mbedu.theory._facts import Facts, by_size, guard

__all__ = ["Relevance", "relevance", "without_redundant"]

LIMIT = 2**17


class Relevance(StrEnum):
    """The four kinds of features (Figure 2 of liu2015)."""

    STRONG = "strong"
    WEAK_NONREDUNDANT = "weak non-redundant"
    WEAK_REDUNDANT = "weak redundant"
    IRRELEVANT = "irrelevant"


def relevance(judge: Any, target: str, *, strict: bool = True, limit: int = LIMIT) -> dict[str, Relevance]:
    """Return the kind of every feature, in variable order, by brute force.

    Parameters
    ----------
    judge, target
        What answers, and the label.
    strict : bool
        Footnote 3 of liu2015: the blanket M of a feature f must not be *all* other features. Without
        this, every weakly relevant feature is redundant, because it is independent of the label given
        all others (that is what makes it weak), so that all others are a blanket of it.
    limit : int
        The most subsets that are looked at for one feature.

    Notes
    -----
    Redundancy is about the *whole* set here. Of two copies each is redundant because of the other, so
    "strong or weak non-redundant" keeps neither: redundant features have to be removed one at a time,
    as `without_redundant` does.

    Examples
    --------
    >>> from mbedu.oracles import ExactJoint
    >>> table = {(t, a, a, d): 1 + 2 * (t == a) for t in (0, 1) for a in (0, 1) for d in (0, 1)}
    >>> kinds = relevance(ExactJoint(table, variables=["T", "A", "copy", "coin"]), "T")
    >>> {v: str(kind) for v, kind in kinds.items()}
    {'A': 'weak redundant', 'copy': 'weak redundant', 'coin': 'irrelevant'}
    """
    facts = Facts(judge)
    y, features = facts.target(target)
    guard(2 ** max(0, features.bit_count() - 1), limit, f"relevance among {features.bit_count()} features")
    return {v: _kind(facts, y, facts.bit[v], features, strict) for v in facts.listed(features)}


def without_redundant(
    judge: Any, target: str, *, order: Vars | None = None, strict: bool = True, limit: int = LIMIT
) -> tuple[str, ...]:
    """Return what is left when irrelevant and redundant features go one at a time (Yu and Liu).

    Each feature in turn is judged within the *current* set, of which the earlier ones are already gone.

    Parameters
    ----------
    judge, target
        What answers, and the label.
    order : sequence of names, optional
        In which order features are considered; by default from the last variable to the first.
    strict : bool
        See `relevance`.
    limit : int
        The most subsets that are looked at for one feature.

    Examples
    --------
    >>> from mbedu.oracles import ExactJoint
    >>> table = {(t, a, a): 1 + 2 * (t == a) for t in (0, 1) for a in (0, 1)}
    >>> without_redundant(ExactJoint(table, variables=["T", "A", "copy"]), "T", strict=False)
    ('A',)
    """
    facts = Facts(judge)
    y, current = facts.target(target)
    guard(2 ** max(0, current.bit_count() - 1), limit, f"relevance among {current.bit_count()} features")
    turn = list(reversed(facts.listed(current))) if order is None else list(order)
    if order is not None and (names(turn) != facts.set(current) or len(turn) != len(names(turn))):
        raise AlgorithmError(f"order={turn!r}: name every feature once: {list(facts.listed(current))}")
    for v in turn:
        if _kind(facts, y, facts.bit[v], current, strict) in (Relevance.IRRELEVANT, Relevance.WEAK_REDUNDANT):
            current &= ~facts.bit[v]
    return facts.listed(current)


def _kind(facts: Facts, y: int, f: int, features: int, strict: bool) -> Relevance:
    others = features & ~f
    if not facts.independent(y, f, others):
        return Relevance.STRONG
    if all(facts.independent(y, f, part) for part in by_size(others)):
        return Relevance.IRRELEVANT
    for M in by_size(others):
        if strict and others == M:
            continue
        if facts.independent(f, (others & ~M) | y, M):
            return Relevance.WEAK_REDUNDANT
    return Relevance.WEAK_NONREDUNDANT
