"""Tests by name: what `compare` and the scikit-learn estimator build their judge with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from mbedu.citests.common import is_discrete
from mbedu.errors import JudgeError, unknown
from mbedu.judge import Judge

__all__ = ["TESTS", "MakeTest", "fitting_test", "make_test", "named_test"]

MakeTest: TypeAlias = str | Callable[..., Any]

TESTS = {
    "g2": ("discrete", "G2"),
    "chi_square": ("discrete", "ChiSquare"),
    "mutual_information": ("discrete", "MutualInformation"),
    "permutation": ("permutation", "Permutation"),
    "fisher_z": ("fisher_z", "FisherZ"),
    "likelihood_ratio": ("mixed", "LikelihoodRatio"),
    "ppi": ("ppi", "PPI"),
}
"""Name → where the test lives."""


def named_test(test: MakeTest) -> str | None:
    """Return the name of a known test, given by name or as its class; None for a function of one's own.

    Examples
    --------
    >>> named_test("g2"), named_test(len)
    ('g2', None)
    >>> named_test("g3")
    Traceback (most recent call last):
        ...
    mbedu.errors.UnknownName: unknown test 'g3'; did you mean 'g2'? Known: 'auto', 'g2', 'chi_square', ...
    """
    if isinstance(test, str):
        if test not in TESTS and test != "auto":
            raise unknown("test", test, ["auto", *TESTS], hint="A function of (data, alpha) will do, too.")
        return test
    if not callable(test):
        raise JudgeError(f"test={test!r} is neither a name, as 'g2', nor a function of (data, alpha)")
    home = str(getattr(test, "__module__", "")).rpartition(".")[2]
    own = getattr(test, "__name__", "")
    return next((name for name, place in TESTS.items() if place == (home, own)), None)


def fitting_test(data: Any) -> tuple[str, tuple[str, ...]]:
    """Return the test that fits the columns of a DataFrame, and which columns are categories.

    Categories only: G². Numbers only: Fisher's z. Both: the likelihood ratio.

    Examples
    --------
    >>> import pandas as pd
    >>> fitting_test(pd.DataFrame({"a": ["u", "v"], "b": [0.5, 1.5]}))
    ('likelihood_ratio', ('a',))
    """
    labels = tuple(name for i, name in enumerate(data.columns) if is_discrete(data.iloc[:, i]))
    if len(labels) == len(data.columns):
        return "g2", labels
    return ("likelihood_ratio" if labels else "fisher_z"), labels


def make_test(
    test: MakeTest,
    data: Any,
    *,
    alpha: float = 0.05,
    target: str = "",
    params: Mapping[str, Any] | None = None,
) -> Judge:
    """Build a test on data.

    Parameters
    ----------
    test : str or callable
        A name of `TESTS`, "auto" (what fits the columns), a test's class, or a function of (data, alpha).
    data : pandas.DataFrame
    alpha : float
        The level; mutual information has a threshold instead (`params`) and does not use it.
    target : str
        What PPI predicts; the others do not use it.
    params : mapping, optional
        The test's own options.

    Examples
    --------
    >>> import pandas as pd
    >>> make_test("auto", pd.DataFrame({"a": [0, 1], "b": ["u", "v"]}), alpha=0.01)
    <G2 on 2 rows × 2 variables>
    """
    options = dict(params or {})
    name = named_test(test)
    if name == "auto":
        name, labels = fitting_test(data)
        if name == "likelihood_ratio":
            options.setdefault("discrete", labels)
    if name is None:
        judge: Judge = test(data, alpha, **options)  # type: ignore[operator]
        return judge
    module, kind = TESTS[name]
    make = getattr(import_module(f"mbedu.citests.{module}"), kind)
    if name == "ppi":
        judge = make(data, target, alpha=alpha, **options)
    elif name == "mutual_information":
        judge = make(data, **options)
    else:
        judge = make(data, alpha, **options)
    return judge
