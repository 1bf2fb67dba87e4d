"""Markov boundaries for scikit-learn: a feature selector that works in pipelines and grid searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mbedu.citests.by_name import MakeTest, make_test
from mbedu.judge import completed
from mbedu.registry import Algorithm
from mbedu.running import Run, run
from mbedu.varset import VarSet

__all__ = ["MarkovBoundarySelector"]


class MarkovBoundarySelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the features that form the Markov boundary of the target.

    Parameters
    ----------
    algorithm : str or callable
        A registered algorithm such as "iamb" or "gs_m" (`mbedu algorithms` lists them), or a function
        f(ask, target).
    test : str or callable
        The test that answers: "g2", "chi_square", "mutual_information", "permutation", "fisher_z",
        "likelihood_ratio", "ppi", a function of (data, alpha), or "auto": G² where X and y are categories,
        Fisher's z where they are numbers, the likelihood ratio where both occur. Categories are what
        is categorical, text or boolean, and whole numbers with at most 10 different values.
    alpha : float
        The level of the test.
    params : dict, optional
        The algorithm's own parameters, as {"m": 2} for "gs_m".
    test_params : dict, optional
        The test's own options, as {"df": "full"} for "g2"; with {"missing": "drop"} missing values are
        accepted.
    record : bool
        Keep every step of the run, in `run_.trace`.

    Attributes
    ----------
    boundary_ : frozenset of str
        The names of the selected features; `x0`, `x1`, … where X has no names.
    support_ : array of bool
        Which features are selected; the same as `get_support()`.
    run_ : Run
        The run: what was asked, how often, and the trace if it was recorded.
    judge_ : dict
        What answered, as plain values.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    >>> y = X.a - 2 * X.c + rng.normal(size=300)
    >>> MarkovBoundarySelector("iamb", alpha=0.01).fit(X, y).get_feature_names_out().tolist()
    ['a', 'c']
    """

    def __init__(
        self,
        algorithm: str | Algorithm | Callable[..., Any] = "iamb",
        test: MakeTest = "auto",
        *,
        alpha: float = 0.05,
        params: Mapping[str, Any] | None = None,
        test_params: Mapping[str, Any] | None = None,
        record: bool = False,
    ) -> None:
        self.algorithm = algorithm
        self.test = test
        self.alpha = alpha
        self.params = params
        self.test_params = test_params
        self.record = record

    def fit(self, X: Any, y: Any) -> MarkovBoundarySelector:
        """Find the Markov boundary of y among the columns of X.

        Parameters
        ----------
        X : DataFrame or array, rows × features
        y : Series or array, one value a row

        Returns
        -------
        MarkovBoundarySelector
            Itself, fitted.
        """
        finite = "allow-nan" if self._drops() else True
        values, target = validate_data(self, X, y, dtype=None, ensure_all_finite=finite)
        frame, name = self._frame(X, values, target)
        judge = make_test(self.test, frame, alpha=self.alpha, target=name, params=self.test_params)
        found = run(self.algorithm, judge, target=name, record=self.record, **dict(self.params or {}))
        self.run_ = _storable(found)
        self.boundary_ = self.run_.boundary
        self.judge_ = completed(judge).describe()
        self.support_: NDArray[np.bool_] = np.array([c in self.boundary_ for c in frame.columns if c != name])
        return self

    def _frame(self, X: Any, values: NDArray[Any], target: NDArray[Any]) -> tuple[Any, str]:
        """Return features and target as one DataFrame, with the types of X where it has some."""
        import pandas as pd

        named = getattr(self, "feature_names_in_", None)
        columns = [f"x{i}" for i in range(values.shape[1])] if named is None else [str(c) for c in named]
        if isinstance(X, pd.DataFrame):  # keeps categoricals and their declared levels
            frame = X.reset_index(drop=True).set_axis(columns, axis=1)
        else:
            frame = pd.DataFrame(values, columns=columns)
        name = "y"
        while name in columns:
            name += "_"
        return frame.assign(**{name: target}).infer_objects(), name

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _drops(self) -> bool:
        return dict(self.test_params or {}).get("missing") == "drop"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self._drops()
        return tags


def _storable(found: Run) -> Run:
    """Return a run that can be pickled: without the judge, which holds the data, and its watched sets."""
    trace = None if found.trace is None else replace(found.trace, live_judge=None)
    return replace(found, trace=trace, answer=_plain(found.answer))


def _plain(answer: Any) -> Any:
    if isinstance(answer, VarSet):
        return answer.frozen()
    if isinstance(answer, list | tuple):
        return [_plain(part) for part in answer]
    return answer
