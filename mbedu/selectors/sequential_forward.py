"""Sequential forward (and stepwise) selection: add what helps a classifier most, while something does."""

from __future__ import annotations

from collections.abc import Callable

from mbedu.ask import Ask
from mbedu.registry import algorithm, require, whole
from mbedu.selectors.classify import check_classifier, n_right
from mbedu.selectors.ranking import Ranking
from mbedu.selectors.source import observed


@algorithm(
    "sequential_forward",
    title="Sequential forward selection",
    paper="hassan2021",
    place="SFS, in words; the numbered lines are ours",
    kind="selector",
    returns="features to which no single one can be added with profit",
    verified="equal to scikit-learn's SequentialFeatureSelector",
    notebook="09_relevance",
    pseudocode="""
    1  S ← ∅
    2  repeat
    3      f* ← arg max over f ∉ S of the cross-validated accuracy with S ∪ {f}
    4      if that is no better than with S then return S
    5      S ← S ∪ {f*}
    6      while some f ∈ S can go without loss do S ← S − {f}         /* stepwise only */""",
)
def sequential_forward(
    ask: Ask,
    T: str,
    *,
    classifier: str = "svm",
    folds: int = 10,
    backward: bool = False,
    top: int | None = None,
    seed: int = 0,
) -> Ranking:
    """Return the features found by adding the one that raises the cross-validated accuracy most.

    Parameters
    ----------
    ask, T
        The door to what carries the rows, and the label.
    classifier : {"svm", "cart", "bayes"}
        A support vector machine (rbf kernel, C = 1), a decision tree, or naive Bayes.
    folds, seed : int
        Into how many stratified folds the rows are shuffled, and the seed of the shuffle.
    backward : bool
        After each addition take out features that can go without loss (hassan2021's stepwise selection).
    top : int, optional
        Go on to exactly so many features, also without profit; not together with `backward`.

    Notes
    -----
    scikit-learn's SequentialFeatureSelector keeps no score of a candidate and goes one way only; its
    cross-validation is used here, and a test compares the two. Accuracy is counted in rows, so ties are
    exact; they go by the order of the variables. With S empty the classifier is the commonest label.
    """
    check_classifier(classifier, folds, seed)
    if top is not None:
        whole("top", top, at_least=1)
        require(not backward, f"top={top} and backward=True: give one of them")
    rows = observed(ask, T, "sequential_forward")
    features = ask.others(T)
    require(top is None or top <= len(features), f"top={top}: there are only {len(features)} features")

    def right(members: list[str]) -> int:
        listed = ask.ordered(members)
        found = n_right(rows, T, listed, classifier=classifier, folds=folds, seed=seed)
        ask.score(listed, "accuracy", found / len(rows), f"{found} of {len(rows)} right")
        return found

    S = ask.set("S")  # [1]
    sequence: list[str] = []
    now = right([])  # [1]
    while left := [f for f in features if f not in S]:  # [2]
        scores = {f: right([*sequence, f]) for f in left}  # [3]
        best = max(left, key=scores.__getitem__)
        if len(sequence) == top or (top is None and scores[best] <= now):  # [4]
            break
        now = scores[best]
        sequence.append(best)
        S |= best  # [5]
        while backward and (spare := _spare(sequence, right, now)):  # [6]
            sequence.remove(spare)
            S -= spare  # [6]
            now = right(sequence)  # [6]
    return Ranking(sequence)  # [4]


def _spare(sequence: list[str], right: Callable[[list[str]], int], now: int) -> str | None:
    return next((f for f in sequence if right([g for g in sequence if g != f]) >= now), None)
