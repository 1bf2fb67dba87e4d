"""PPI, the Predictive Permutation Independence test: does shuffling x hurt the prediction of the target?

Algorithm 1 of PPFS [1]_. B times: split the rows 80 to 20, train a model of the target on x and what is
given, measure its risk R on the test rows, shuffle x among the test rows, measure the risk R̃ again. A
one-tailed Wilcoxon signed-rank test asks whether R < R̃.

The B splits share rows, so the B differences are not independent and the p-value need not hold its
level; x is shuffled as a whole and not within what is given, so where x and what is given go together
the shuffled rows are unlike any the model has seen. `ppi_type_one_error` measures what comes of it.

References
----------
.. [1] A. Hassan, J. H. Paik, S. Khare, S. A. Hassan, PPFS: Predictive Permutation Feature Selection, 2021.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests.columns import MixedColumns
from mbedu.citests.common import (
    check_alpha,
    check_missing,
    check_seed,
    columns_of,
    plain_verdict,
    query_seed,
    row_index,
)
from mbedu.citests.encode import Ints, Missing, refuse_missing
from mbedu.errors import JudgeError, QueryError, unknown
from mbedu.judge import Batched, Verdict
from mbedu.query import Query

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PPI", "ppi_type_one_error"]

Floats: TypeAlias = NDArray[np.float64]
Loss: TypeAlias = Literal["auto", "log", "squared"]
Encoding: TypeAlias = Literal["onehot", "ordinal"]


class PPI(Batched):
    """The predictive permutation independence test, a judge of questions about one target.

    Parameters
    ----------
    data : pandas.DataFrame, or 2-D array of numbers
        One column a variable.
    target : str
        The variable that is predicted. Only questions with the target alone on one side have an answer.
    alpha : float
        Dependent if and only if p ≤ alpha.
    B : int
        How many copies, each with its own split. The paper: 5 ≤ B ≤ n.
    model : scikit-learn estimator, optional
        Any classifier with `predict_proba`, or any regressor; a decision tree by default. It is cloned
        for each copy, and where its `random_state` is None it is seeded.
    test_size : float
        The share of rows tested on.
    loss : "auto", "log" or "squared"
        Log-loss for a category, squared error for a number, unless said otherwise.
    clip : float
        Probabilities are taken for no less than this in the log-loss.
    encoding : "onehot" or "ordinal"
        How categories become numbers for the model.
    discrete : iterable of str, optional
        The variables that are categories; by default as for `LikelihoodRatio`.
    missing : "error" or "drop"
        Refuse missing values, or leave out, test by test, the rows that lack one of its variables.
    seed : int
        The splits depend on the seed and on the question alone.
    n_jobs : int, optional
        How many copies are trained at once (joblib); it changes no number.
    names : sequence of str, optional
        The variables, if `data` is an array.

    Notes
    -----
    Copies with R = R̃ are dropped in the Wilcoxon test; where all are equal the answer is independent with
    p = 1. A set of variables is shuffled jointly: its rows stay together. `statistic` is Wilcoxon's
    rank sum of the copies in which shuffling helped, and `strength` the mean of R̃ − R, an increase
    in risk and not in information.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"signal": rng.normal(size=200), "noise": rng.normal(size=200)})
    >>> frame["T"] = np.where(frame.signal + 0.3 * rng.normal(size=200) > 0, "yes", "no")
    >>> test = PPI(frame, "T", B=20)
    >>> test.judge(Query("T", "signal")).independent, test.judge(Query("T", "noise", "signal")).independent
    (False, True)
    """

    ranks = True
    batch = 1  # a question costs B models: none is asked ahead

    def __init__(
        self,
        data: Any,
        target: str,
        *,
        alpha: float = 0.05,
        B: int = 30,  # noqa: N803 - the paper's symbol
        model: Any = None,
        test_size: float = 0.2,
        loss: Loss = "auto",
        clip: float = 1e-15,
        encoding: Encoding = "onehot",
        discrete: Iterable[str] | None = None,
        missing: Missing = "error",
        seed: int = 0,
        n_jobs: int | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.alpha, self.seed = check_alpha(alpha), check_seed(seed)
        self.B = _copies(B, self.alpha)
        check_missing(missing)
        for name, value in (("test_size", test_size), ("clip", clip)):
            if not 0.0 < value < 1.0:
                raise JudgeError(f"{name}={value!r}: it lies between 0 and 1")
        if encoding not in ("onehot", "ordinal"):
            raise JudgeError(f"encoding={encoding!r}: it is 'onehot' or 'ordinal'")
        self.test_size, self.clip, self.encoding = test_size, clip, encoding
        self.missing, self.n_jobs, self.target = missing, n_jobs, target
        columns = MixedColumns.read(data, names, discrete)
        if missing == "error":
            refuse_missing(columns.names, columns.gaps.sum(axis=1), columns.n)
        if target not in columns.names:
            raise unknown("target", target, columns.names, hint="PPI predicts one variable of the data.")
        self._take(columns)
        self.loss = self._chosen_loss(loss)
        self.model = self._checked(model)

    def _take(self, columns: MixedColumns) -> None:
        self.columns = columns
        self.variables = columns.names
        self._index = {name: i for i, name in enumerate(columns.names)}

    def _chosen_loss(self, loss: str) -> str:
        label = self.columns.codes[self._index[self.target]] is not None
        if loss not in ("auto", "log", "squared"):
            raise JudgeError(
                f"loss={loss!r}: it is 'auto', 'log' (for a category) or 'squared' (for a number)"
            )
        if loss == "auto":
            return "log" if label else "squared"
        if (loss == "log") != label:
            kind = "a category" if label else "a number"
            raise JudgeError(
                f"loss={loss!r} but {self.target!r} is {kind}; use loss='auto', or say discrete=[…]"
            )
        return loss

    def _checked(self, model: Any) -> Any:
        if model is None:
            from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

            return DecisionTreeClassifier() if self.loss == "log" else DecisionTreeRegressor()
        needed = ("fit", "get_params", "predict_proba" if self.loss == "log" else "predict")
        lacking = [name for name in needed if not hasattr(model, name)]
        if lacking or isinstance(model, type):
            shown = (
                "is a class; pass an instance" if isinstance(model, type) else f"lacks {', '.join(lacking)}"
            )
            raise JudgeError(
                f"model={model!r} {shown}; it has to be a scikit-learn "
                + ("classifier with probabilities" if self.loss == "log" else "regressor")
            )
        return model

    def rows(self, index: Any) -> PPI:
        """Return the same judge on some of the rows (row numbers or a mask)."""
        made = object.__new__(PPI)
        made.__dict__.update(self.__dict__)
        made._take(self.columns.rows(row_index(index, self.columns.n)))
        return made

    # --- questions -------------------------------------------------------------------------------

    def judge(self, query: Query) -> Verdict:
        """Answer one query, which has to have the target alone on one side."""
        risks, shuffled, n = self._risks(query)
        if risks is None:
            told = f"{n} rows are too few to split and shuffle: counted as independent"
            return Verdict(True, 1.0, 0.0, None, 0.0, False, told, n, 0.0)
        difference = risks - shuffled
        strength = max(0.0, -float(difference.mean()))
        kept = difference[difference != 0.0]
        if not len(kept):
            told = f"shuffling changed nothing in any of {self.B} copies: independent"
            return Verdict(True, 1.0, 0.0, None, 0.0, True, told, n, 0.0)
        from scipy.stats import wilcoxon

        found = wilcoxon(kept, alternative="less")
        p = float(found.pvalue)
        reason = (
            ""
            if len(kept) == self.B
            else f"shuffling changed nothing in {self.B - len(kept)} of {self.B} copies"
        )
        log_p = math.log(max(p, np.finfo(float).tiny))
        return Verdict(p > self.alpha, p, float(found.statistic), None, strength, True, reason, n, log_p)

    def _risks(self, query: Query) -> tuple[Floats | None, Floats, int]:
        """Return R and R̃ of all copies, and the number of rows; no risks where the rows are too few."""
        side = self._other_side(query)
        used = columns_of(self._index, query.variables)
        some = self.columns.complete(used)
        held_out = math.ceil(self.test_size * some.n)
        if held_out < 2 or some.n - held_out < 1:
            return None, np.zeros(0), some.n
        features, moved = self._features(some, columns_of(self._index, query.variables - {self.target}), side)
        at = self._index[self.target]
        code, value = some.codes[at], some.values[at]
        y = code if code is not None else value
        task = _Task(self.model, features, moved, y, held_out, self.loss, self.clip)
        seeds = [query_seed(self.seed, query, j) for j in range(self.B)]
        if self.n_jobs is None or self.n_jobs == 1:
            found = [task.copy(seed) for seed in seeds]
        else:
            from joblib import Parallel, delayed

            found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(task.copy)(seed) for seed in seeds)
        risks = np.array(found)
        return risks[:, 0], risks[:, 1], some.n

    def _other_side(self, query: Query) -> frozenset[str]:
        for one, other in ((query.x, query.y), (query.y, query.x)):
            if one == {self.target}:
                return other
        raise QueryError(
            f"{query}: PPI predicts {self.target!r}, so {self.target!r} has to stand alone on one side; "
            "ask another judge, such as LikelihoodRatio, or build PPI for another target"
        )

    def _features(
        self, some: MixedColumns, used: list[int], side: frozenset[str]
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the model's columns, in variable order, and which of them are to be shuffled."""
        parts: list[Floats] = []
        moved: list[bool] = []
        for v in used:
            code, value = some.codes[v], some.values[v]
            if code is None and value is not None:
                part = value[:, None]
            elif code is not None and self.encoding == "onehot":
                part = np.eye(int(code.max()) + 1)[code]
            elif code is not None:
                part = code[:, None].astype(float)
            parts.append(part)
            moved += [self.variables[v] in side] * part.shape[1]
        return np.hstack(parts), np.array(moved)

    # --- for the reader --------------------------------------------------------------------------

    def explain(self, query: Query) -> dict[str, Any]:
        """Return the risks of every copy, before and after shuffling, as plain JSON values."""
        risks, shuffled, n = self._risks(query)
        told: dict[str, Any] = {
            "x": sorted(query.x),
            "y": sorted(query.y),
            "given": sorted(query.given),
            "n": n,
        }
        told |= {"risk": [] if risks is None else risks.tolist(), "shuffled_risk": shuffled.tolist()}
        return {**told, "loss": self.loss, "verdict": plain_verdict(self.judge(query))}

    def describe(self) -> dict[str, Any]:
        """Say what this judge is, as plain JSON values."""
        return {
            "kind": "PPI",
            "rows": self.columns.n,
            "variables": len(self.variables),
            "target": self.target,
            "alpha": self.alpha,
            "B": self.B,
            "model": repr(self.model),
            "loss": self.loss,
            "test_size": self.test_size,
            "encoding": self.encoding,
            "seed": self.seed,
            "missing": self.missing,
        }

    def __repr__(self) -> str:
        return (
            f"<PPI of {self.target} on {self.columns.n} rows × {len(self.variables)} variables, B = {self.B}>"
        )


def _copies(B: int, alpha: float) -> int:  # noqa: N803 - the paper's symbol
    if isinstance(B, bool) or not isinstance(B, int | np.integer) or B < 1:
        raise JudgeError(f"B={B!r}: it is a whole number, at least 1 (the paper: at least 5)")
    if alpha < 2.0**-B:
        raise JudgeError(
            f"B={B} with alpha={alpha}: the Wilcoxon test of {B} pairs is never below 2^-{B}, so nothing "
            f"could be dependent; use at least {math.ceil(-math.log2(alpha))} copies"
        )
    return int(B)


@dataclass(frozen=True, slots=True)
class _Task:
    """What is the same for all copies of a question."""

    model: Any
    features: Floats
    moved: NDArray[np.bool_]
    y: Any
    held_out: int
    loss: str
    clip: float

    def copy(self, seed: int) -> tuple[float, float]:
        """Split, train, and return the risk on the test rows and the risk after shuffling."""
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(self.features))
        test, train = order[: self.held_out], order[self.held_out :]
        if self.loss == "log" and (self.y[train] == self.y[train[0]]).all():
            return 0.0, 0.0  # one class only: the prediction cannot depend on x
        model = _seeded(self.model, int(rng.integers(2**31 - 1)))
        model.fit(self.features[train], self.y[train])
        before = self.features[test]
        after = before.copy()
        after[:, self.moved] = before[rng.permutation(len(test))][:, self.moved]
        return self._risk(model, before, self.y[test]), self._risk(model, after, self.y[test])

    def _risk(self, model: Any, features: Floats, y: Any) -> float:
        if self.loss == "squared":
            errors = (np.asarray(model.predict(features), float) - y) ** 2
        else:
            errors = -np.log(np.clip(_chance(model, features, y), self.clip, 1.0))
        # an exact sum: the same errors in another order are the same risk, and the pair is dropped
        return math.fsum(errors.tolist()) / len(y)


def _chance(model: Any, features: Floats, y: Ints) -> Floats:
    """Return the predicted probability of the true class; 0 for a class that was not trained on."""
    chances, classes = np.asarray(model.predict_proba(features), float), np.asarray(model.classes_)
    at = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return np.where(classes[at] == y, chances[np.arange(len(y)), at], 0.0)


def _seeded(model: Any, seed: int) -> Any:
    """Clone a model and seed whatever in it is not seeded."""
    from sklearn.base import clone

    made = clone(model)
    loose = [
        key
        for key, value in made.get_params(deep=True).items()
        if value is None and (key == "random_state" or key.endswith("__random_state"))
    ]
    return made.set_params(**dict.fromkeys(sorted(loose), seed)) if loose else made


def ppi_type_one_error(
    B: Sequence[int] = (5, 10, 20, 40),  # noqa: N803 - the paper's symbol
    *,
    given: bool = True,
    n: int = 200,
    repeats: int = 100,
    alpha: float = 0.05,
    model: Any = None,
    task: Literal["classification", "regression"] = "classification",
    seed: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Measure how often PPI says dependent where independence holds, against the number of copies.

    Z is standard normal, T = Z + noise (its sign, for classification). Asked is T ⊥ X | Z with X = Z + noise,
    or, with `given=False`, T ⊥ X with X standard normal. Both are true.

    Returns
    -------
    pandas.DataFrame
        For each B: how many of the `repeats` tests rejected, the rate, and its exact 95 % interval.
        A test that holds its level has alpha inside or above the interval.

    Examples
    --------
    >>> ppi_type_one_error([5], n=40, repeats=10)[["B", "repeats"]].to_dict("records")
    [{'B': 5, 'repeats': 10}]
    """
    import pandas as pd
    from scipy.stats import binomtest

    query = Query("T", "X", "Z" if given else ())
    rejected = dict.fromkeys(B, 0)
    for i in range(repeats):
        rng = np.random.default_rng([seed, i])
        z, x, t = rng.standard_normal((3, n))
        t = z + t
        if task == "classification":
            t = (t > 0).astype(float)
        frame = pd.DataFrame({"Z": z, "X": z + x if given else x, "T": t})
        for copies in B:
            judge = PPI(frame, "T", alpha=alpha, B=copies, model=model, seed=seed, n_jobs=n_jobs)
            rejected[copies] += not judge.judge(query).independent
    found = []
    for copies, count in rejected.items():
        interval = binomtest(count, repeats).proportion_ci(0.95)
        rate = {"rejected": count, "rate": count / repeats, "low": interval.low, "high": interval.high}
        found.append({"B": copies, "repeats": repeats, "alpha": alpha, **rate})
    return pd.DataFrame(found)
