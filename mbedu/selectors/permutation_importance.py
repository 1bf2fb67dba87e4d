"""Permutation importance: how much worse does a fitted classifier get when one feature is shuffled?"""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import algorithm, whole
from mbedu.selectors.checks import number
from mbedu.selectors.classify import check_classifier, columns, model, refuse_one_label
from mbedu.selectors.ranking import Ranking, Top, by_weight, check_top
from mbedu.selectors.source import observed


@algorithm(
    "permutation_importance",
    title="Permutation importance",
    paper="hassan2021",
    place="PIFS, in words, after Altmann et al. 2010; the numbered lines are ours",
    kind="selector",
    returns="the features whose shuffling costs accuracy",
    verified="CorrAL: the inputs matter, the irrelevant feature does not",
    notebook="09_relevance",
    pseudocode="""
    1  fit the classifier on all features; r ← its accuracy
    2  for all features f do
    3      I[f] ← r − mean accuracy when f is shuffled, several times
    4  return {f : I[f] > τ}, by falling importance""",
)
def permutation_importance(
    ask: Ask,
    T: str,
    *,
    classifier: str = "svm",
    repeats: int = 10,
    tau: float = 0.0,
    top: Top = None,
    seed: int = 0,
) -> Ranking:
    """Return the features by how much accuracy their shuffling costs (scikit-learn's implementation).

    Parameters
    ----------
    ask, T
        The door to what carries the rows, and the label.
    classifier : {"svm", "cart", "bayes"}
        A support vector machine (rbf kernel, C = 1), a decision tree, or naive Bayes.
    repeats : int
        How often each feature is shuffled.
    tau : float
        The importance above which a feature is returned.
    top : int, "all" or None
        Return so many features by falling importance instead.
    seed : int
        The seed of the shuffles.

    Notes
    -----
    As described there, the classifier is fitted and judged on the same rows; a classifier that
    overfits then finds importance where there is none.
    """
    check_classifier(classifier, 2, seed)
    whole("repeats", repeats, at_least=1)
    number("tau", tau)
    check_top(top)
    rows = observed(ask, T, "permutation_importance")
    features = ask.others(T)
    refuse_one_label(rows, T)
    if not features:
        return Ranking()
    from sklearn.inspection import permutation_importance as shuffled

    X, y = columns(rows, features), rows.codes[T]
    fitted = model(rows, features, classifier, seed).fit(X, y)  # [1]
    ask.score(features, "accuracy", float(fitted.score(X, y)), classifier)  # [1]
    found = shuffled(fitted, X, y, n_repeats=repeats, random_state=seed)  # [2]
    importance = dict(zip(features, found.importances_mean.tolist(), strict=True))
    for f in features:
        ask.score(f, "I", importance[f])  # [3]
    return by_weight(ask, importance, tau=tau, top=top)  # [4]
