"""The registry: what every algorithm is called, where it is printed, what it assumes, what it returns."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mbedu.ask import Ask
from mbedu.errors import AlgorithmError, unknown
from mbedu.lines import numbered_lines
from mbedu.trace import Pseudocode

__all__ = ["Algorithm", "algorithm", "all_algorithms", "get_algorithm", "papers", "require", "whole"]

PACKAGES = ("mbedu.algorithms", "mbedu.selectors")
papers: dict[str, str] = {
    "margaritis2009": (
        "D. Margaritis. Toward Provably Correct Feature Selection in Arbitrary Domains. NIPS 2009."
    ),
    "pocock2012": (
        "A. Pocock, M. Luján, G. Brown. Informative Priors for Markov Blanket Discovery. AISTATS 2012."
    ),
    "demorais2008": (
        "S. Rodrigues de Morais, A. Aussem. A Novel Scalable and Data Efficient Feature Subset Selection "
        "Algorithm. ECML PKDD 2008."
    ),
    "hassan2021": (
        "A. Hassan, J. H. Paik, S. Khare, S. A. Hassan. PPFS: Predictive Permutation Feature Selection. 2021."
    ),
    "liu2015": (
        "Y. Liu et al. Feature Selection Based on Dependency Margin. IEEE Transactions on Cybernetics, 2015."
    ),
    "margaritis2000": (
        "D. Margaritis, S. Thrun. Bayesian Network Induction via Local Neighborhoods. NIPS 12, 2000."
    ),
    "tsamardinos2003": (
        "I. Tsamardinos, C. Aliferis, A. Statnikov. Algorithms for Large Scale Markov Blanket Discovery. "
        "FLAIRS 2003."
    ),
    "tsamardinos2003mmmb": (
        "I. Tsamardinos, C. Aliferis, A. Statnikov. Time and Sample Efficient Discovery of Markov Blankets "
        "and Direct Causal Relations. KDD 2003."
    ),
    "aliferis2003": (
        "C. Aliferis, I. Tsamardinos, A. Statnikov. HITON: A Novel Markov Blanket Algorithm for Optimal "
        "Variable Selection. AMIA 2003."
    ),
    "yaramakala2005": (
        "S. Yaramakala, D. Margaritis. Speculative Markov Blanket Discovery for Optimal Feature Selection. "
        "ICDM 2005."
    ),
    "pena2007": (
        "J. M. Peña, R. Nilsson, J. Björkegren, J. Tegnér. Towards Scalable and Data Efficient Learning of "
        "Markov Boundaries. International Journal of Approximate Reasoning 45, 2007."
    ),
    "pena2008": (
        "J. M. Peña. Learning Gaussian Graphical Models of Gene Networks with False Discovery Rate Control. "
        "EvoBIO 2008."
    ),
    "koller1996": "D. Koller, M. Sahami. Toward Optimal Feature Selection. ICML 1996.",
    "statnikov2013": (
        "A. Statnikov, N. Lytkin, J. Lemeire, C. Aliferis. Algorithms for Discovery of Multiple Markov "
        "Boundaries. Journal of Machine Learning Research 14, 2013."
    ),
    "lee2020": (
        "J. Lee, J.-Y. Jeong, C.-H. Jun. Markov Blanket-Based Universal Feature Selection for Classification "
        "and Regression of Mixed-Type Data. Expert Systems with Applications 158, 2020."
    ),
    "kira1992": (
        "K. Kira, L. Rendell. The Feature Selection Problem: Traditional Methods and a New Algorithm. "
        "AAAI 1992."
    ),
    "john1994": (
        "G. John, R. Kohavi, K. Pfleger. Irrelevant Features and the Subset Selection Problem. ICML 1994."
    ),
    "kononenko1994": "I. Kononenko. Estimating Attributes: Analysis and Extensions of RELIEF. ECML 1994.",
    "hall2000": (
        "M. Hall. Correlation-Based Feature Selection for Discrete and Numeric Class Machine Learning. "
        "ICML 2000."
    ),
    "dash2003": (
        "M. Dash, H. Liu. Consistency-Based Search in Feature Selection. Artificial Intelligence 151, 2003."
    ),
    "yu2004": (
        "L. Yu, H. Liu. Efficient Feature Selection via Analysis of Relevance and Redundancy. "
        "Journal of Machine Learning Research 5, 2004."
    ),
    "sun2007": (
        "Y. Sun. Iterative RELIEF for Feature Weighting: Algorithms, Theories, and Applications. IEEE "
        "Transactions on Pattern Analysis and Machine Intelligence 29(6), 2007."
    ),
}
"""Key → full reference. Files add the works that the five papers compare with."""


@dataclass(frozen=True)
class Algorithm:
    """A published algorithm: one function that can be held beside its paper, and what is known of it.

    Calling it runs the function; through a recording door it also marks the activation in the trace.
    """

    key: str
    function: Callable[..., Any]
    title: str
    paper: str
    place: str
    pseudocode: str
    assumes: tuple[str, ...] = ()
    returns: str = "the Markov boundary"
    anytime: bool = False
    kind: str = "independence"
    """`independence` (asks a judge), `selector` (scores features) or `procedure` (a part of others)."""
    notebook: str = ""
    verified: str = ""
    path: str = field(default="", repr=False)

    def __call__(self, ask: Ask, target: str, **params: Any) -> Any:
        if not ask.recording:
            return self.function(ask, target, **params)
        code = Pseudocode(self.title, self.pseudocode, self.paper, self.place)
        with ask.procedure(self.key, code, self.path, target, shown_params(params)) as returned:
            value = self.function(ask, target, **params)
            returned(value)
        return value

    @property
    def file(self) -> str:
        """The file that holds it, from the top of the project."""
        return self.function.__module__.replace(".", "/") + ".py"

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that it takes after the target, with their defaults."""
        signature = inspect.signature(self.function)
        return {
            name: parameter.default
            for name, parameter in list(signature.parameters.items())[2:]
            if parameter.kind is parameter.KEYWORD_ONLY
        }

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.function.__doc__


def shown_params(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters worth showing: not the sets that one procedure hands to another."""
    return {k: v for k, v in params.items() if isinstance(v, bool | int | float | str) or v is None}


_REGISTRY: dict[str, Algorithm] = {}


def algorithm(
    key: str,
    *,
    title: str,
    paper: str,
    place: str,
    pseudocode: str,
    assumes: tuple[str, ...] = (),
    returns: str = "the Markov boundary",
    anytime: bool = False,
    kind: str = "independence",
    notebook: str = "",
    verified: str = "",
) -> Callable[[Callable[..., Any]], Algorithm]:
    """Register the function below as an algorithm; see `Algorithm` for what the words mean.

    The key equals the name of the function and of its file. Every numbered line of the pseudo-code
    is tagged in the source as `# [n]`; a test checks that the two agree.
    """

    def register(function: Callable[..., Any]) -> Algorithm:
        if function.__name__ != key:
            raise AlgorithmError(f"the function {function.__name__!r} is registered as {key!r}; use one name")
        if key in _REGISTRY and _REGISTRY[key].function.__module__ != function.__module__:
            raise AlgorithmError(f"two algorithms are called {key!r}; choose another key")
        if paper not in papers:
            raise unknown("paper", paper, papers, hint="Add its reference to mbedu.registry.papers first.")
        text = inspect.cleandoc(pseudocode)
        if not numbered_lines(text):
            raise AlgorithmError(
                f"the pseudo-code of {key!r} has no numbered lines; start each with its number"
            )
        registered = Algorithm(
            key=key,
            function=function,
            title=title,
            paper=paper,
            place=place,
            pseudocode=text,
            assumes=assumes,
            returns=returns,
            anytime=anytime,
            kind=kind,
            notebook=notebook,
            verified=verified,
            path=function.__code__.co_filename,
        )
        _REGISTRY[key] = registered
        return registered

    return register


def _load_all() -> None:
    for package in PACKAGES:
        try:
            module = importlib.import_module(package)
        except ModuleNotFoundError as error:
            if error.name != package:
                raise
            continue
        for found in pkgutil.iter_modules(module.__path__):
            importlib.import_module(f"{package}.{found.name}")


def all_algorithms(*, procedures: bool = False) -> tuple[Algorithm, ...]:
    """Return every registered algorithm, sorted by paper and key; sub-procedures only on request."""
    _load_all()
    found = [a for a in _REGISTRY.values() if procedures or a.kind != "procedure"]
    return tuple(sorted(found, key=lambda a: (list(papers).index(a.paper), a.key)))


def get_algorithm(key: str) -> Algorithm:
    """Return the algorithm of this key; a wrong one gets suggestions."""
    if key not in _REGISTRY:
        for package in PACKAGES:  # file = key, so one import usually does
            with contextlib.suppress(ModuleNotFoundError):
                if key.isidentifier() and importlib.util.find_spec(f"{package}.{key}") is not None:
                    importlib.import_module(f"{package}.{key}")
    if key not in _REGISTRY:
        _load_all()
        raise unknown("algorithm", key, sorted(_REGISTRY), hint="'mbedu algorithms' lists them all.")
    return _REGISTRY[key]


def require(condition: bool, message: str) -> None:
    """Refuse a parameter: raise `AlgorithmError(message)` unless the condition holds."""
    if not condition:
        raise AlgorithmError(message)


def whole(name: str, value: object, *, at_least: int) -> None:
    """Refuse a parameter that is not a whole number, or is below `at_least`.

    Examples
    --------
    >>> whole("m", 0, at_least=1)
    Traceback (most recent call last):
        ...
    mbedu.errors.AlgorithmError: m=0: it has to be a whole number, at least 1
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < at_least:
        raise AlgorithmError(f"{name}={value!r}: it has to be a whole number, at least {at_least}")
