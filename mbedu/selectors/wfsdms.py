"""WFSDMS: the sequence of FSDMS, cut where a classifier is most accurate."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import algorithm
from mbedu.selectors.best_prefix import best_prefix
from mbedu.selectors.classify import check_classifier
from mbedu.selectors.fsdms import fsdms
from mbedu.selectors.ranking import Ranking
from mbedu.selectors.source import observed


@algorithm(
    "wfsdms",
    title="WFSDMS",
    paper="liu2015",
    place="Sections IV and V, in words; the numbered lines are ours",
    kind="selector",
    returns="the beginning of the sequence of FSDMS with the highest cross-validated accuracy",
    verified="finds the inputs of the three CorrAL data sets, as the paper says",
    notebook="09_relevance",
    pseudocode="""
    1  (f_1, …, f_n) ← the sequence of FSDMS
    2  return the smallest {f_1, …, f_k} with the highest accuracy in tenfold cross-validation""",
)
def wfsdms(
    ask: Ask,
    T: str,
    *,
    classifier: str = "svm",
    folds: int = 10,
    seed: int = 0,
    alpha: float = 1.0,
    tie: str = "printed",
    theta: float = 0.14,
) -> Ranking:
    """Return the beginning of the FSDMS sequence that a classifier does best with.

    Parameters
    ----------
    ask, T
        The door to what carries the rows, and the label.
    classifier : {"svm", "cart", "bayes"}
        A support vector machine (rbf kernel, C = 1), a decision tree, or naive Bayes.
    folds, seed : int
        Into how many stratified folds the rows are shuffled, and the seed of the shuffle.
    alpha, tie, theta
        As in `fsdms`.
    """
    check_classifier(classifier, folds, seed)
    observed(ask, T, "wfsdms")
    sequence = fsdms(ask, T, alpha=alpha, tie=tie, theta=theta, top="all")  # [1]
    return best_prefix(ask, T, sequence=sequence, classifier=classifier, folds=folds, seed=seed)  # type: ignore[no-any-return]  # [2]
