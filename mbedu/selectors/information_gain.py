"""Information gain: how many bits each feature alone says about the label."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.cells import Cells
from mbedu.selectors.checks import number
from mbedu.selectors.ranking import Ranking, Top, by_weight, check_top
from mbedu.selectors.source import look, refuse_numeric
from mbedu.selectors.wrapping import check_wrapper, wrapped


@algorithm(
    "information_gain",
    title="Information gain",
    paper="liu2015",
    place="Section V, item 4, in words; the numbered lines are ours",
    kind="selector",
    returns="the features with an information gain above τ",
    notebook="09_relevance",
    verified="gains equal to scikit-learn's mutual information",
    pseudocode="""
    1  for all features f do
    2      G[f] ← H(Y) − H(Y | f)
    3  return {f : G[f] > τ}, by falling gain""",
)
def information_gain(
    ask: Ask, T: str, *, tau: float = 0.0, top: Top = None, wrapper: str | None = None, seed: int = 0
) -> Ranking:
    """Return the features by how many bits each alone says about the label.

    Parameters
    ----------
    ask, T
        The door to what carries the data or the distribution, and the label.
    tau : float
        The gain, in bits, above which a feature is returned.
    top : int, "all" or None
        Return so many features by falling gain instead.
    wrapper : {"svm", "cart", "bayes"} or None
        Let a classifier cut the ranking instead, as liu2015 does.
    seed : int
        The seed of the wrapper's folds; nothing else is random.

    Notes
    -----
    On data every feature has some gain, if only by chance; on an exact joint those and only those that depend
    on the label.
    """
    number("tau", tau)
    check_top(top)
    check_wrapper(wrapper, top, seed)
    features = ask.others(T)
    rows = look(ask, T, "information_gain")
    refuse_numeric(rows, features, "information_gain")
    cells = Cells(rows, T, features)
    gains = {}
    for f in features:  # [1]
        gains[f] = cells.information(f, T)
        ask.score(f, "G", gains[f], "bits")  # [2]
    return wrapped(ask, T, by_weight(ask, gains, tau=tau, top=top), wrapper, seed)  # [3]
