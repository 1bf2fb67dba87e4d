"""Forward selection by consistency: how many rows have the commonest label of their cell?"""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.checks import number
from mbedu.selectors.greedy import step
from mbedu.selectors.neighbours import measure
from mbedu.selectors.ranking import Ranking, Top, check_top, first_of
from mbedu.selectors.source import look
from mbedu.selectors.wrapping import check_wrapper, wrapped


@algorithm(
    "consistency",
    title="Consistency",
    paper="dash2003",
    place="the measure of Dash and Liu, with the greedy search of liu2015; the numbered lines are ours",
    kind="selector",
    returns="features that are as consistent with the label as all are",
    notebook="09_relevance",
    verified="consistency equal to its definition on generated joints",
    pseudocode="""
    1  P ← ∅
    2  while P ≠ F do
    3      a* ← arg max over a ∈ F − P of C(P ∪ {a})
    4      P ← P ∪ {a*}
    5  return the shortest beginning of P with C(P) = C(F)""",
)
def consistency(
    ask: Ask, T: str, *, theta: float = 0.14, top: Top = None, wrapper: str | None = None, seed: int = 0
) -> Ranking:
    """Return the features found by adding the one that raises the consistency most.

    Parameters
    ----------
    ask, T
        The door to what carries the data or the distribution, and the label.
    theta : float
        The radius θ of a neighbourhood, used only where a feature is numeric.
    top : int, "all" or None
        Return so many features of the sequence instead.
    wrapper : {"svm", "cart", "bayes"} or None
        Let a classifier cut the sequence instead, as liu2015 does.
    seed : int
        The seed of the wrapper's folds; nothing else is random.

    Notes
    -----
    C(X) is the mass of the rows that have the commonest label of their cell of X (1 minus the
    inconsistency rate), or of their θ-neighbourhood. Equal values go by the order of the variables.
    """
    number("theta", theta, above=0)
    check_top(top)
    check_wrapper(wrapper, top, seed)
    F = ask.others(T)
    C = measure(look(ask, T, "consistency"), T, F, theta).consistency
    P = ask.set("P")  # [1]
    sequence: list[str] = []
    while left := [f for f in F if f not in P]:  # [2]
        best, _ = step(ask, sequence, left, C, "C")  # [3]
        sequence.append(best)
        P |= best  # [4]
    goal = C(F)
    enough = next(k for k in range(len(sequence) + 1) if C(sequence[:k]) == goal)
    kept = sequence[:enough] if top is None else first_of(sequence, top)
    return wrapped(ask, T, Ranking(kept, ranking=sequence), wrapper, seed)  # [5]
