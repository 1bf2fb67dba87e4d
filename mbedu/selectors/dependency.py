"""Forward selection by dependency: what FSDMS does without the margin."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.checks import number, one_of
from mbedu.selectors.greedy import step
from mbedu.selectors.neighbours import measure
from mbedu.selectors.ranking import Ranking, Top, check_top, first_of
from mbedu.selectors.source import look
from mbedu.selectors.wrapping import check_wrapper, wrapped


@algorithm(
    "dependency",
    title="Dependency",
    paper="liu2015",
    place="Section V, item 3, in words; the numbered lines are ours",
    kind="selector",
    returns="features that determine as much as all do, or nothing where none determines anything alone",
    notebook="09_relevance",
    verified="dependency equal to its definition on generated joints",
    pseudocode="""
    1  P ← ∅
    2  while P ≠ F do
    3      a* ← arg max over a ∈ F − P of D(P ∪ {a})
    4      if D(P ∪ {a*}) = D(P) < D(F) then leave the loop            /* stuck */
    5      P ← P ∪ {a*}
    6  return the shortest beginning of P with the dependency of all of P""",
)
def dependency(
    ask: Ask,
    T: str,
    *,
    stuck: str = "stop",
    theta: float = 0.14,
    top: Top = None,
    wrapper: str | None = None,
    seed: int = 0,
) -> Ranking:
    """Return the features found by adding the one that raises the dependency most.

    Parameters
    ----------
    ask, T
        The door to what carries the data or the distribution, and the label.
    stuck : {"stop", "listed"}
        What to do when no feature raises D although D(F) is larger: end, which is how liu2015 reports
        it ("the dependency of every feature is zero"), or go on with the first in the order of the
        variables.
    theta : float
        The radius θ of a neighbourhood, used only where a feature is numeric.
    top : int, "all" or None
        Return so many features of the sequence instead.
    wrapper : {"svm", "cart", "bayes"} or None
        Let a classifier cut the sequence instead, as liu2015 does.
    seed : int
        The seed of the wrapper's folds; nothing else is random.
    """
    one_of("stuck", stuck, ("stop", "listed"))
    number("theta", theta, above=0)
    check_top(top)
    check_wrapper(wrapper, top, seed)
    F = ask.others(T)
    D = measure(look(ask, T, "dependency", support=True), T, F, theta).dependency
    P = ask.set("P")  # [1]
    sequence: list[str] = []
    while left := [f for f in F if f not in P]:  # [2]
        best, reached = step(ask, sequence, left, D, "D")  # [3]
        if stuck == "stop" and reached == D(sequence) < D(F):  # [4]
            ask.note(f"No feature raises D above {reached}, although all together reach {D(F)}.")  # [4]
            break
        sequence.append(best)
        P |= best  # [5]
    enough = next(k for k in range(len(sequence) + 1) if D(sequence[:k]) == D(sequence))
    kept = sequence[:enough] if top is None else first_of(sequence, top)
    return wrapped(ask, T, Ranking(kept, ranking=sequence), wrapper, seed)  # [6]
