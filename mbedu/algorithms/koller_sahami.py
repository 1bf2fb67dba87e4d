"""Koller and Sahami: throw out the feature whose K closest fellows say all that it says."""

from __future__ import annotations

from collections.abc import Sequence

from mbedu.ask import Ask
from mbedu.judge import Verdict, better
from mbedu.query import Vars, names
from mbedu.registry import algorithm, require, whole
from mbedu.varset import VarSet


@algorithm(
    "koller_sahami",
    title="Koller-Sahami",
    paper="koller1996",
    place="described there and in pocock2012, section 2.2; the numbered lines are ours",
    assumes=("every feature is shielded by the K features that it is most correlated with",),
    returns="a set of features, not in general a blanket",
    verified="a heuristic: wrong on 600 of 2,172 runs at 4 nodes (K = 1); see the docstring",
    notebook="09_relevance",
    pseudocode="""
    1  G ← all features F
    2  for each pair: γ(i, j) ← the correlation of Fi and Fj
    3  repeat
    4      for each Fi ∈ G: Mi ← the K features of G − {Fi} with the largest γ(i, ·)
    5      for each Fi ∈ G: Δ(Fi | Mi) ← expected cross-entropy of P(T | Mi, Fi) and P(T | Mi)
    6      G ← G − {the Fi of smallest Δ}
    7  until enough features are gone
    8  return G""",
)
def koller_sahami(
    ask: Ask,
    T: str,
    *,
    K: int = 1,
    size: int | None = None,
    threshold: float | None = None,
    whitelist: Vars = (),
) -> VarSet:
    """Return the features that survive a backward elimination with approximate blankets of size K.

    The expected cross-entropy Δ(Fi | Mi) is the conditional mutual information of the target and
    Fi given Mi (pocock2012, Eq. 7), so it is the `strength` of a verdict; γ(i, j) is the mutual
    information of the two features. A judge without strengths (a graph) counts dependent as 1 and
    independent as 0.

    It is **not correct in general**, whatever the data: Mi is a guess, so a member of the boundary
    goes when its K closest fellows happen to shield it (two parents that only together matter),
    and a stranger stays when K fellows are too few to shield it.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target (C, the class, in the paper).
    K : int
        The size of the approximate blankets; 0 ranks the features by their own information.
    size : int, optional
        Stop when so many features are left, the paper's rule.
    threshold : float, optional
        Stop when the smallest Δ is above so many nats. Without `size` and `threshold` it stops when
        the judge calls the feature of smallest Δ dependent.
    whitelist
        Features that never leave.

    Notes
    -----
    Symbols: G the features left, Fi a feature, Mi its approximate blanket; `cost` is Δ and `gamma` γ.
    Ties go by variable order.
    """
    whole("K", K, at_least=0)
    require(size is None or threshold is None, f"size={size!r} and threshold={threshold!r}: give one of them")
    features = ask.others(T)
    if size is not None:
        whole("size", size, at_least=0)
        require(size <= len(features), f"size={size!r}: there are {len(features)} features to choose from")
    require(
        threshold is None or isinstance(threshold, int | float),
        f"threshold={threshold!r}: a number of nats, or None",
    )
    require(T not in names(whitelist), f"the target {T!r} is in whitelist; leave it out")
    ask.others(names(whitelist))  # refuses unknown names
    G = ask.set("G", features)  # [1]
    closest = ranked_fellows(ask, features) if K else {F: [] for F in features}  # [2]
    with ask.phase("eliminate"):
        while candidates := ask.ordered(G - names(whitelist)):  # [3]
            if size is not None and len(G) <= size:  # [7]
                break
            M = {F: [other for other in closest[F] if other in G][:K] for F in candidates}  # [4]
            cost = [ask.verdict(T, F, M[F]) for F in candidates]  # [5]
            i = least(cost)
            if size is None and needed(cost[i], threshold):  # [7]
                break
            F = candidates[i]
            shield = ", ".join(M[F]) or "nothing"
            ask.choose(F, len(candidates), f"it adds least, {strength(cost[i]):.4g} nats, to {shield}")  # [6]
            G -= F  # [6]
    return G  # [8]


def ranked_fellows(ask: Ask, features: Sequence[str]) -> dict[str, list[str]]:
    """Return for each feature the others, the most correlated first; ties in variable order."""
    gamma: dict[tuple[str, str], float] = {}
    for i, F in enumerate(features):
        later = features[i + 1 :]
        for other, verdict in zip(later, ask.many(F, later), strict=True):
            gamma[F, other] = gamma[other, F] = strength(verdict)
    return {F: sorted((o for o in features if o != F), key=lambda o: -gamma[F, o]) for F in features}


def strength(verdict: Verdict) -> float:
    """Return the strength of a verdict; without one, dependent counts 1 and independent 0."""
    return verdict.strength if verdict.strength is not None else float(not verdict.independent)


def least(verdicts: Sequence[Verdict]) -> int:
    """Return the position of the smallest strength; the earliest of a tie."""
    best = 0
    for i, verdict in enumerate(verdicts):
        if better((strength(verdicts[best]), 0.0), (strength(verdict), 0.0)):
            best = i
    return best


def needed(verdict: Verdict, threshold: float | None) -> bool:
    """Say whether the feature has to stay: above the threshold, or dependent if there is none."""
    return strength(verdict) > threshold if threshold is not None else not verdict.independent
