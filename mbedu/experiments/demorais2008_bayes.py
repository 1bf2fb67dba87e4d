"""Naive Bayes with Laplace smoothing, kappa, Weka's relative absolute error; for Table 2 of demorais2008."""
# ruff: noqa: N803  # X is what a table of features is called

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cross_validate", "kappa", "mdl_cuts", "mdl_discretise", "naive_bayes", "relative_absolute_error"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def naive_bayes(X: Ints, y: Ints, *, cards: Ints, classes: int, test: Ints) -> Floats:
    """Return P(class | row) for the rows of `test`: all counts of X and y start at one.

    Parameters
    ----------
    X, y : arrays of codes
        Training rows × features, and their classes.
    cards : array of int
        The number of declared levels of each feature.
    classes : int
        The number of classes.
    test : array of codes
        The rows to predict.

    Examples
    --------
    >>> X, y = np.array([[0], [0], [1]]), np.array([0, 0, 1])
    >>> naive_bayes(X, y, cards=np.array([2]), classes=2, test=np.array([[0]])).round(4).tolist()
    [[0.7714, 0.2286]]
    """
    count = np.bincount(y, minlength=classes).astype(float)
    score = np.tile(np.log((count + 1) / (len(y) + classes)), (len(test), 1))
    for j, card in enumerate(cards):
        table = np.bincount(y * card + X[:, j], minlength=classes * card).reshape(classes, card)
        score += np.log((table + 1) / (count[:, None] + card)).T[test[:, j]]
    score -= score.max(axis=1, keepdims=True)
    chance = np.exp(score)
    found: Floats = chance / chance.sum(axis=1, keepdims=True)
    return found


def kappa(y: Ints, predicted: Ints) -> float:
    """Return Cohen's kappa: the agreement beyond that of chance; 0 where chance agrees always.

    Examples
    --------
    >>> round(kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0])), 4)
    0.5
    """
    k = int(max(y.max(), predicted.max())) + 1
    table = np.bincount(y * k + predicted, minlength=k * k).reshape(k, k) / len(y)
    by_chance = float(table.sum(axis=0) @ table.sum(axis=1))
    return 0.0 if by_chance >= 1 else (float(np.trace(table)) - by_chance) / (1 - by_chance)


def relative_absolute_error(y: Ints, chance: Floats, prior: Floats) -> float:
    """Return Weka's relative absolute error: the absolute error of the probabilities by that of the prior.

    Parameters
    ----------
    y : array of codes
        The true classes.
    chance, prior : arrays, rows × classes
        The predicted probabilities, and the class frequencies of what each row was predicted from.

    Examples
    --------
    >>> y, prior = np.array([0, 1]), np.array([[0.5, 0.5], [0.5, 0.5]])
    >>> relative_absolute_error(y, np.array([[0.75, 0.25], [0.5, 0.5]]), prior)
    0.75
    """
    true = np.zeros_like(chance)
    true[np.arange(len(y)), y] = 1.0
    return float(np.abs(chance - true).sum() / np.abs(prior - true).sum())


def cross_validate(X: Ints, y: Ints, cards: Ints, *, folds: int = 10, seed: int = 0) -> dict[str, float]:
    """Return hit rate, kappa and relative absolute error of naive Bayes in stratified cross-validation."""
    from sklearn.model_selection import StratifiedKFold

    classes = int(y.max()) + 1
    chance, prior = np.empty((len(y), classes)), np.empty((len(y), classes))
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y):
        chance[test] = naive_bayes(X[train], y[train], cards=cards, classes=classes, test=X[test])
        count = np.bincount(y[train], minlength=classes)
        prior[test] = (count + 1) / (len(train) + classes)  # Weka's class priors start at one, too
    predicted = chance.argmax(axis=1).astype(np.int64)
    return {
        "hit rate": 100 * float((predicted == y).mean()),
        "kappa": kappa(y, predicted),
        "rel. abs. error": 100 * relative_absolute_error(y, chance, prior),
    }


# --- discretisation --------------------------------------------------------------------------------------


def mdl_cuts(values: Floats, y: Ints) -> list[float]:
    """Return the cuts of a numeric column by Fayyad and Irani's entropy and minimum description length.

    References
    ----------
    U. Fayyad and K. Irani. Multi-interval discretization of continuous-valued attributes for classification
    learning. IJCAI 1993.

    Examples
    --------
    >>> mdl_cuts(np.arange(20.0), np.repeat([0, 1], 10)), mdl_cuts(np.arange(20.0), np.tile([0, 1], 10))
    ([9.5], [])
    """
    order = np.argsort(values, kind="stable")
    v, labels = values[order], y[order]
    hot = np.eye(int(y.max()) + 1)[labels]
    below = np.vstack([np.zeros(hot.shape[1]), hot.cumsum(axis=0)])  # below[i]: the classes of v[:i]
    cuts: list[float] = []

    def split(a: int, b: int) -> None:
        inner = np.flatnonzero(v[a + 1 : b] > v[a : b - 1]) + a + 1
        if not len(inner):
            return
        left, right = below[inner] - below[a], below[b] - below[inner]
        whole = below[b] - below[a]
        n, n1, n2 = b - a, inner - a, b - inner
        after = (n1 * _entropy(left) + n2 * _entropy(right)) / n
        best = int(np.argmin(after))
        gain = float(_entropy(whole)) - float(after[best])
        k, k1, k2 = (int((c > 0).sum()) for c in (whole, left[best], right[best]))
        delta = np.log2(3.0**k - 2) - (
            k * float(_entropy(whole)) - k1 * float(_entropy(left[best])) - k2 * float(_entropy(right[best]))
        )
        if gain <= (np.log2(n - 1) + delta) / n:
            return
        i = int(inner[best])
        cuts.append(float(v[i - 1] + v[i]) / 2)
        split(a, i)
        split(i, b)

    split(0, len(v))
    return sorted(cuts)


def _entropy(counts: Any) -> Any:
    """Return the entropy in bits of each row of counts."""
    whole = counts.sum(axis=-1, keepdims=True)
    p = counts / np.maximum(whole, 1)
    return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)


def mdl_discretise(features: pd.DataFrame, labels: Any) -> pd.DataFrame:
    """Return the frame with its numeric columns cut by `mdl_cuts`; a column without a cut is constant."""
    import pandas as pd

    y = pd.Categorical(labels).codes.astype(np.int64)
    made = {}
    for name, column in features.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            made[name] = column
            continue
        cuts = mdl_cuts(column.to_numpy(dtype=float), y)
        codes = np.searchsorted(cuts, column.to_numpy(dtype=float), side="left")
        made[name] = pd.Series(
            pd.Categorical.from_codes(codes, categories=pd.Index(range(len(cuts) + 1))), index=features.index
        )
    return pd.DataFrame(made)
