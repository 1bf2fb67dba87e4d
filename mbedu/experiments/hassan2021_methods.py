"""What the tables of hassan2021 share: its data sets, the selectors it compares, and how they are scored.

SGAI is not here: the paper describes it in two sentences, which is not enough to write it down.
"""
# ruff: noqa: N803  # B, K and X are what the paper and everybody call them

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mbedu.experiments.data import DataFolder
from mbedu.experiments.stats import Interval, mean_interval, prediction_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NAMES", "READINGS", "REFERENCE", "choose_features", "cv_interval", "failure", "fold_scores",
    "folds_interval", "load", "reference_installed", "reference_note",
]  # fmt: skip

NAMES = {
    "Statlog": "heart",
    "Iono": "ionosphere",
    "Sonar": "sonar",
    "WDBC": "wdbc",
    "Credit": "credit",
    "Ecoli": "ecoli",
    "Desharnais": "desharnais",
    "Maxwell": "maxwell",
    "Arcene": "arcene",
    "Dexter": "dexter",
    "Dorothea": "dorothea",
    "Madelon": "madelon",
}
READINGS = {
    "inside": "features are selected from the training folds alone, and scored on the fold left out",
    "whole": "features are selected once from all rows, then cross-validated: what is tested was seen",
}
REFERENCE = "PyImpetus"
TARGET = "the target"
ENOUGH = 5  # cross-validations from which their own spread is known well enough


def load(name: str, folder: DataFolder) -> tuple[pd.DataFrame, Any]:
    """Return features and target of a data set by the paper's name, without rows that lack a value."""
    import numpy as np
    import pandas as pd

    found = folder.load(NAMES[name])
    features = found.features
    if not hasattr(features, "columns"):
        features = pd.DataFrame(features.toarray(), columns=[f"v{j + 1}" for j in range(features.shape[1])])
    kept = np.flatnonzero(~features.isna().any(axis=1).to_numpy())
    labels = found.labels.iloc[kept].reset_index(drop=True)
    if name not in ("Desharnais", "Maxwell"):
        labels = labels.astype(str)
    return features.iloc[kept].reset_index(drop=True), labels


def reference_installed() -> bool:
    """Say whether the authors' own package can be imported."""
    return not reference_note()


def reference_note() -> str:
    """Say why the reference implementation cannot be used, or nothing."""
    try:
        importlib.import_module(REFERENCE)
    except ImportError as error:
        if error.name not in (None, REFERENCE):  # it is there, but not what it needs
            return f"the reference implementation ({REFERENCE}) cannot be imported: it needs {error.name}"
        return f"the reference implementation ({REFERENCE}) is not installed: pip install {REFERENCE}"
    return ""


# --- selecting -------------------------------------------------------------------------------------------


def choose_features(
    method: str, X: pd.DataFrame, y: Any, *, model: str, B: int, K: int, seed: int, inner: int = 5
) -> list[str]:
    """Return the features that a method selects from these rows, in the order of the columns.

    Parameters
    ----------
    method : str
        "All", "PIFS", "SFS", "MMB", "PPFS" or "PyImpetus".
    X, y
        Features and target; text for a class, floats for a number.
    model : {"cart", "svm"}
        What PIFS and SFS are wrapped around; PPFS always uses a decision tree.
    B, K : int
        The copies and the folds of PPFS.
    seed : int
        Of everything random.
    inner : int
        The folds of the cross-validation inside SFS.
    """
    from mbedu.citests.mixed import LikelihoodRatio
    from mbedu.citests.ppi import PPI
    from mbedu.running import run
    from mbedu.selectors.table import Table

    names = [str(c) for c in X.columns]
    frame, numeric = X.assign(**{TARGET: y}), y.dtype.kind == "f"
    if method == "All":
        return names
    if method == "PyImpetus":
        return _reference(X, y, B=B, K=K, seed=seed)
    if method == "PPFS":
        found = run("ppfs", PPI(frame, TARGET, B=B, seed=seed), TARGET, K=K, seed=seed).boundary
    elif method == "MMB":
        found = run("mixed_mb", LikelihoodRatio(frame), TARGET).boundary
    elif numeric:
        return _pifs_numbers(X, y, seed) if method == "PIFS" else _sfs_numbers(X, y, inner, seed)
    elif method == "PIFS":
        found = run("permutation_importance", Table(frame), TARGET, classifier=model, seed=seed).boundary
    else:
        counts = y.value_counts()
        common = frame[y.isin(counts.index[counts >= inner])]  # a class needs a row in every fold
        found = run(
            "sequential_forward",
            Table(common),
            TARGET,
            classifier=model,
            folds=inner,
            backward=True,
            seed=seed,
        ).boundary
    return [v for v in names if v in found]


def _reference(X: pd.DataFrame, y: Any, *, B: int, K: int, seed: int) -> list[str]:
    """Run the authors' package, with the same tree, copies and folds; categories go in as codes."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    package = importlib.import_module(REFERENCE)
    codes = X.apply(lambda c: c.cat.codes if c.dtype.name == "category" else c).astype(float)
    numeric = y.dtype.kind == "f"
    tree = (DecisionTreeRegressor if numeric else DecisionTreeClassifier)(random_state=seed)
    made = (package.PPIMBR if numeric else package.PPIMBC)(
        model=tree, num_simul=B, cv=K, random_state=seed, n_jobs=1, verbose=0
    )
    made.fit(codes, y.to_numpy())
    return [v for v in map(str, X.columns) if v in made.MB]


def _pifs_numbers(X: pd.DataFrame, y: Any, seed: int) -> list[str]:
    """Return the features whose shuffling costs a support vector regression anything."""
    from sklearn.inspection import permutation_importance

    fitted = _model(X, "svm", numeric=True, seed=seed).fit(X, y)
    found = permutation_importance(
        fitted, X, y, n_repeats=10, random_state=seed, scoring="neg_mean_squared_error"
    )
    return [str(v) for v, gain in zip(X.columns, found.importances_mean, strict=True) if gain > 0]


def _sfs_numbers(X: pd.DataFrame, y: Any, inner: int, seed: int) -> list[str]:
    """Add the feature that lowers the cross-validated squared error most, while one does."""
    from sklearn.model_selection import KFold, cross_val_score

    def error(members: list[str]) -> float:
        cv = KFold(inner, shuffle=True, random_state=seed)
        machine = _model(X[members], "svm", numeric=True, seed=seed)
        return -float(cross_val_score(machine, X[members], y, cv=cv, scoring="neg_mean_squared_error").mean())

    chosen: list[str] = []
    best = math.inf
    while left := [str(v) for v in X.columns if str(v) not in chosen]:
        errors = {v: error([*chosen, v]) for v in left}
        nearest = min(left, key=errors.__getitem__)
        if errors[nearest] >= best:
            break
        best = errors[nearest]
        chosen.append(nearest)
    return [str(v) for v in X.columns if str(v) in chosen]


# --- scoring ---------------------------------------------------------------------------------------------


def _model(X: pd.DataFrame, model: str, *, numeric: bool, seed: int) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import SVC, SVR
    from sklearn.tree import DecisionTreeClassifier

    labels = [i for i, c in enumerate(X.dtypes) if c.name == "category"]
    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    spread = ColumnTransformer([("labels", hot, labels)], remainder="passthrough")
    if model == "cart":
        return make_pipeline(spread, DecisionTreeClassifier(random_state=seed))
    machine = SVR(kernel="rbf", C=1.0) if numeric else SVC(C=1.0)
    if model == "raw svm":
        return make_pipeline(spread, machine)
    return make_pipeline(spread, StandardScaler(), machine)


def score(
    X: pd.DataFrame, y: Any, test: Any, truth: Any, *, model: str, seed: int, scaled: bool = False
) -> float:
    """Return the accuracy on the test rows, or the mean squared error where the target is a number."""
    import numpy as np
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    numeric = y.dtype.kind == "f"
    if X.shape[1]:
        machine = _model(X, model, numeric=numeric, seed=seed)
        if scaled:
            machine = TransformedTargetRegressor(machine, transformer=StandardScaler())
        predicted = machine.fit(X, y).predict(test)
    else:  # nothing selected: the commonest class, or the mean
        predicted = np.full(len(truth), y.mean() if numeric else y.mode().iloc[0])
    if numeric:
        return float(((predicted - truth) ** 2).mean())
    return float((predicted == truth).mean())


def fold_scores(
    X: pd.DataFrame, y: Any, method: str, *, reading: str, model: str, B: int, K: int, folds: int, seed: int,
    inner: int = 5, scaled: bool = False,
) -> list[dict[str, Any]]:  # fmt: skip
    """Cross-validate a method: for each fold the score on it and the number of features.

    `scaled` fits a regression to the standardised target. Where the reference implementation fails, the
    score is None and `failed` says why.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    numeric = y.dtype.kind == "f"
    few = numeric or int(y.value_counts().min()) < folds  # E. coli has classes of two rows
    cut = (KFold if few else StratifiedKFold)(folds, shuffle=True, random_state=seed % 2**32)
    small = seed % 2**31
    options: dict[str, Any] = {"model": model, "B": B, "K": K, "inner": inner}
    rows: list[dict[str, Any]] = []
    fixed: list[str] | None = None
    for fold, (train, test) in enumerate(cut.split(X, y)):
        row: dict[str, Any] = {"fold": fold, "score": None, "features": None, "failed": ""}
        rows.append(row)
        try:
            if reading == "whole":
                fixed = fixed or choose_features(method, X, y, seed=small, **options)
                chosen = fixed
            else:
                chosen = choose_features(method, X.iloc[train], y.iloc[train], seed=small + fold, **options)
        except Exception as error:
            if method != REFERENCE:  # only what is not ours may fail
                raise
            row["failed"] = failure(error)
            continue
        parts = X[chosen].iloc[train], y.iloc[train], X[chosen].iloc[test], y.iloc[test].to_numpy()
        row |= {"score": score(*parts, model=model, seed=small, scaled=scaled), "features": len(chosen)}
    return rows


def failure(error: Exception) -> str:
    """Say in a line why what is not ours failed; the same line each time, also where it names a set.

    Examples
    --------
    >>> failure(ValueError("y_true contains values {'imS', 'imL'}"))
    "ValueError: y_true contains values {'imL', 'imS'}"
    """
    text = re.sub(r"{([^{}]*)}", lambda m: "{" + ", ".join(sorted(m[1].split(", "))) + "}", str(error))
    return f"{type(error).__name__}: {text}"[:200]


def cv_interval(scores: Mapping[int, Sequence[float]], k: int) -> Interval:
    """Return the mean over cross-validations, with the interval in which one more lies (95 %).

    With five cross-validations or more, each with its own shuffle of the rows, it is that of another shuffle;
    with fewer it is that of k further folds, which is wider: folds differ more than shuffles do.

    Parameters
    ----------
    scores : mapping of int to sequence of float
        For each repetition the scores of its folds.
    k : int
        The number of folds.

    Examples
    --------
    >>> print(cv_interval({r: [0.5, 0.9 + r / 100] for r in range(5)}, 2))
    0.710 [0.686, 0.734]
    >>> cv_interval({0: [0.7, 0.8, 0.9]}, 3) == folds_interval([0.7, 0.8, 0.9], 3)
    True
    """
    if len(scores) < ENOUGH:
        return folds_interval([score for fold in scores.values() for score in fold], k)
    return prediction_interval([math.fsum(fold) / len(fold) for fold in scores.values()])


def folds_interval(values: Sequence[float], k: int) -> Interval:
    """Return the mean over folds, with the interval in which the mean of k further folds lies (95 %).

    The paper prints the mean of one cross-validation of k folds; another shuffle of the rows gives another.

    Examples
    --------
    >>> print(folds_interval([0.7, 0.8, 0.9, 0.8, 0.8], 5))
    0.800 [0.676, 0.924]
    """
    listed = [float(v) for v in values]
    found = mean_interval(listed)
    half = (found.high - found.mean) * math.sqrt(1 + len(listed) / k)
    return Interval(found.mean, found.mean - half, found.mean + half, found.n)
