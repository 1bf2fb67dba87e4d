"""Classifiers for wrappers: which rows does a classifier get right that has not seen them?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbedu.errors import AlgorithmError, DataError
from mbedu.registry import whole
from mbedu.selectors.checks import one_of
from mbedu.selectors.source import Floats, Rows

__all__ = ["CLASSIFIERS", "check_classifier", "columns", "model", "n_right", "refuse_one_label"]

CLASSIFIERS = ("svm", "cart", "bayes")


def check_classifier(classifier: object, folds: object, seed: object) -> None:
    """Refuse an unknown classifier, fewer than two folds, or a seed that is not a whole number."""
    one_of("classifier", classifier, CLASSIFIERS)
    whole("folds", folds, at_least=2)
    whole("seed", seed, at_least=0)


def columns(rows: Rows, members: Sequence[str]) -> Floats:
    """Return the features side by side, rows × features: numbers as they are, labels as codes."""
    found = [rows.numbers[v] if v in rows.numbers else rows.codes[v] for v in members]
    return np.column_stack(found).astype(float)


def model(rows: Rows, members: Sequence[str], classifier: str, seed: int) -> Any:
    """Return an unfitted scikit-learn pipeline for the features in `members`.

    Labels of more than two levels become one column a level, except for naive Bayes on labels alone, which
    counts them (with Laplace smoothing). Numbers are already scaled to [0, 1].
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    cards = [0 if v in rows.numbers else int(rows.codes[v].max()) + 1 for v in members]
    if classifier == "bayes" and all(cards):
        return CategoricalNB(min_categories=cards)
    wide = [i for i, card in enumerate(cards) if card > 2]
    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    spread = ColumnTransformer([("labels", hot, wide)], remainder="passthrough")
    last = {
        "svm": SVC(kernel="rbf", C=1.0),
        "cart": DecisionTreeClassifier(random_state=seed),
        "bayes": GaussianNB(),
    }[classifier]
    return make_pipeline(spread, last) if wide else last


def refuse_one_label(rows: Rows, T: str) -> None:
    """Refuse a label that is the same in all rows."""
    if len(np.unique(rows.codes[T])) < 2:
        raise DataError(f"the label {T!r} has one value in all {len(rows)} rows; a classifier needs two")


def splitter(rows: Rows, T: str, folds: int, seed: int) -> Any:
    """Return stratified, shuffled, seeded folds; refuse more folds than the rarest label has rows."""
    from sklearn.model_selection import StratifiedKFold

    refuse_one_label(rows, T)
    counts = np.bincount(rows.codes[T])
    rarest = int(counts[counts > 0].min())
    if rarest < folds:
        raise AlgorithmError(f"folds={folds}: the rarest value of {T!r} has {rarest} rows; use fewer folds")
    return StratifiedKFold(folds, shuffle=True, random_state=seed)


def n_right(rows: Rows, T: str, members: Sequence[str], *, classifier: str, folds: int, seed: int) -> int:
    """Return how many rows are classified right when each is predicted from the folds without it.

    A whole number, so that two sets of features are equally good or not, whatever the rounding.
    """
    from sklearn.model_selection import cross_val_predict

    y = rows.codes[T]
    cv = splitter(rows, T, folds, seed)
    if not members:  # the commonest label of the other folds
        return sum(int((y[test] == np.bincount(y[train]).argmax()).sum()) for train, test in cv.split(y, y))
    predicted = cross_val_predict(model(rows, members, classifier, seed), columns(rows, members), y, cv=cv)
    return int((predicted == y).sum())
