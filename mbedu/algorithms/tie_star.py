"""TIE*: every Markov boundary, by taking variables away and looking for another one in what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mbedu.ask import Ask
from mbedu.errors import unknown
from mbedu.query import names, sentence_set
from mbedu.registry import algorithm, get_algorithm, require, whole
from mbedu.varset import subsets


@algorithm(
    "tie_star",
    title="TIE*",
    paper="statnikov2013",
    place="the generic algorithm described there; the numbered lines are ours",
    assumes=("what the base learner assumes, in every distribution that is left when variables are removed",),
    returns="all Markov boundaries, the first one first",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target; finds what brute force finds on asia",
    notebook="02_boundary",
    pseudocode="""
    1  M ← the boundary of T that the base learner finds among all variables V
    2  found ← (M)
    3  for G ⊆ ⋃ found, small ones first, such that G meets every set of found
               and holds no G' that failed do
    4      M ← the boundary of T that the base learner finds among V − G
    5      if T ⊥ V − {T} − M | M then found ← found + (M)
    6      else G failed
    7  return found""",
)
def tie_star(
    ask: Ask,
    T: str,
    *,
    base: str = "iamb",
    base_params: Mapping[str, Any] | None = None,
    most: int | None = None,
) -> tuple[frozenset[str], ...]:
    """Return every Markov boundary of `T`, in the order in which they were found.

    Where a distribution breaks Intersection (copies, deterministic relations) a target has several
    boundaries. Each is shown by hiding some variables from the base learner; what it then finds is
    a boundary if and only if it still shields the target from *all* variables, also the hidden ones.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    base : str
        The learner of a single boundary: any registered key whose answer is one set, such as `iamb`,
        `gs`, `inter_iamb`, or `gs_m` where single variables say nothing (parity).
    base_params : mapping, optional
        Parameters for it, such as `{"m": 2}`.
    most : int, optional
        Stop after so many boundaries. Their number can grow exponentially with that of the copies.

    Notes
    -----
    Symbols: V all variables, M a boundary, G the variables that are hidden ("embedded distribution").

    No boundary is missed if the base learner is right in every embedded distribution. Let M* be one
    that is missing in the end, and G = ⋃found − M*. G meets every found set, for none of them lies
    inside M* (both are minimal). M* shields T in V − G, so what the learner finds there shields T in V
    (by Weak Union and Contraction), which passes line 5; it avoids G, so it is not among `found`. Hence
    G was not tried, which only a failed G' ⊆ G explains; but M* avoids G' too, so G' did not fail.

    Line 5 tests the blanket in one set-valued question. On data such a test soon lacks rows, and a
    policy that calls it independent then accepts what it should not: the trace says when it was
    not reliable. That M is minimal is the base learner's word (its shrinking phase).

    Examples
    --------
    >>> import mbedu as mb
    >>> rows = {(a, a, t): 3 if a == t else 1 for a in (0, 1) for t in (0, 1)}
    >>> copies = mb.ExactJoint(rows, variables=["A", "copy", "T"])
    >>> [sorted(m) for m in mb.run("tie_star", copies, "T").answer]
    [['A'], ['copy']]
    """
    learner = get_algorithm(base)
    params = dict(base_params or {})
    require(base != "tie_star", "base='tie_star': the base learner finds one boundary, as 'iamb' does")
    for key in params:
        if key not in learner.params:
            raise unknown(f"parameter of {base} in base_params", key, learner.params)
    if most is not None:
        whole("most", most, at_least=1)
    M = names(frozenset(learner(ask, T, **params)))  # [1]
    if not shields(ask, T, M):
        ask.note(f"{base} did not find a blanket: {{{sentence_set(M)}}} does not shield {T}.")  # [1]
    found, failed = [M], list[frozenset[str]]()  # [2]
    while (most is None or len(found) < most) and (G := next_hidden(ask, found, failed)):  # [3]
        ask.note(f"Hide {sentence_set(G)} from {base}.")  # [3]
        with ask.within(v for v in ask.variables if v not in G):
            M = names(frozenset(learner(ask, T, **params)))  # [4]
        if shields(ask, T, M):  # [5]
            ask.note(f"{{{', '.join(ask.ordered(M))}}} is another boundary.")  # [5]
            found.append(M)
        else:
            ask.note(f"Without {sentence_set(G)} nothing found shields {T}.")  # [6]
            failed.append(G)
    return tuple(found)  # [7]


def shields(ask: Ask, T: str, M: frozenset[str]) -> bool:
    """Say whether M shields T from all other variables, the hidden ones too."""
    rest = ask.others(T, M)
    return not rest or ask(T, rest, M)


def next_hidden(
    ask: Ask, found: Sequence[frozenset[str]], failed: Sequence[frozenset[str]]
) -> frozenset[str] | None:
    """Return the next set to hide: the smallest that meets all found boundaries and contains no failure."""
    union = ask.ordered(frozenset[str]().union(*found))
    for G in subsets(union, len(union)):
        if all(G & M for M in found) and not any(bad <= G for bad in failed):
            return G
    return None
