"""The wrapper: of the beginnings of a sequence of features, the smallest that a classifier likes best."""

from __future__ import annotations

from collections.abc import Sequence

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.classify import check_classifier, n_right
from mbedu.selectors.ranking import Ranking
from mbedu.selectors.source import observed


@algorithm(
    "best_prefix",
    title="Wrapper",
    paper="liu2015",
    place="Sections IV and V, in words; the numbered lines are ours",
    kind="procedure",
    returns="the smallest beginning of a sequence with the highest cross-validated accuracy",
    pseudocode="""
    1  for k = 1, …, n do
    2      score {f_1, …, f_k}: the accuracy of the classifier in tenfold cross-validation
    3  return the smallest {f_1, …, f_k} with the highest score""",
)
def best_prefix(
    ask: Ask, T: str, *, sequence: Sequence[str] = (), classifier: str = "svm", folds: int = 10, seed: int = 0
) -> Ranking:
    """Return the smallest beginning of `sequence` with the highest cross-validated accuracy.

    Parameters
    ----------
    ask, T
        The door to what carries the rows, and the label.
    sequence : sequence of str
        The features in order.
    classifier : {"svm", "cart", "bayes"}
        A support vector machine (rbf kernel, C = 1), a decision tree, or naive Bayes.
    folds, seed : int
        Into how many stratified folds the rows are shuffled, and the seed of the shuffle.

    Notes
    -----
    Once all rows are right no longer beginning can be better, and the search ends.
    """
    check_classifier(classifier, folds, seed)
    rows = observed(ask, T, "the wrapper")
    best, kept = -1, 0
    for k in range(1, len(sequence) + 1):  # [1]
        right = n_right(rows, T, sequence[:k], classifier=classifier, folds=folds, seed=seed)
        why = f"{classifier}, {right} of {len(rows)} right"
        ask.score(sequence[:k], "accuracy", right / len(rows), why)  # [2]
        if right > best:
            best, kept = right, k
        if right == len(rows):
            break
    return Ranking(sequence[:kept], ranking=sequence)  # [3]
