"""A laboratory for Markov boundary discovery.

Everything public is a name of this package (``import mbedu as mb``), and each is fetched when it is
first used: importing mbedu loads neither pgmpy nor matplotlib, sklearn, pandas or IPython.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names as in _PUBLIC, for type checkers and editors; a test compares them
    from mbedu.ask import Ask as Ask
    from mbedu.citests import G2 as G2
    from mbedu.citests import ChiSquare as ChiSquare
    from mbedu.citests import MutualInformation as MutualInformation
    from mbedu.citests.fisher_z import FisherZ as FisherZ
    from mbedu.citests.mixed import LikelihoodRatio as LikelihoodRatio
    from mbedu.citests.permutation import Permutation as Permutation
    from mbedu.citests.ppi import PPI as PPI
    from mbedu.compare import compare as compare
    from mbedu.compare import compare_grid as compare_grid
    from mbedu.errors import MbeduError as MbeduError
    from mbedu.estimators import MarkovBoundarySelector as MarkovBoundarySelector
    from mbedu.exercises import exercise as exercise
    from mbedu.exercises import exercises as exercises
    from mbedu.experiments import reproduce as reproduce
    from mbedu.judge import Batched as Batched
    from mbedu.judge import Judge as Judge
    from mbedu.judge import Verdict as Verdict
    from mbedu.networks import Network as Network
    from mbedu.networks import load_network as load_network
    from mbedu.networks import network_names as network_names
    from mbedu.networks import read_network as read_network
    from mbedu.oracles import DSeparation as DSeparation
    from mbedu.oracles import ExactGaussian as ExactGaussian
    from mbedu.oracles import ExactJoint as ExactJoint
    from mbedu.oracles import Product as Product
    from mbedu.oracles import Statements as Statements
    from mbedu.problem import Problem as Problem
    from mbedu.problems import copies as copies
    from mbedu.problems import corral as corral
    from mbedu.problems import corral_data as corral_data
    from mbedu.problems import get_problem as get_problem
    from mbedu.problems import named_problems as named_problems
    from mbedu.problems import parity as parity
    from mbedu.problems import problem_names as problem_names
    from mbedu.problems import silent_spouse as silent_spouse
    from mbedu.query import Query as Query
    from mbedu.registry import Algorithm as Algorithm
    from mbedu.registry import algorithm as algorithm
    from mbedu.registry import all_algorithms as all_algorithms
    from mbedu.registry import get_algorithm as get_algorithm
    from mbedu.running import Run as Run
    from mbedu.running import run as run
    from mbedu.selectors.table import Table as Table
    from mbedu.theory import boundaries as boundaries
    from mbedu.theory import check_axioms as check_axioms
    from mbedu.theory import check_boundary_theorem as check_boundary_theorem
    from mbedu.theory import is_blanket as is_blanket
    from mbedu.theory import is_boundary as is_boundary
    from mbedu.theory import is_m_boundary as is_m_boundary
    from mbedu.theory import m_boundaries as m_boundaries
    from mbedu.theory import relevance as relevance
    from mbedu.theory.claims import claims as claims
    from mbedu.trace import Trace as Trace
    from mbedu.varset import VarSet as VarSet
    from mbedu.varset import subsets as subsets
    from mbedu.verify.dags import all_dags as all_dags
    from mbedu.verify.random_problems import random_dag as random_dag
    from mbedu.verify.random_problems import random_dags as random_dags
    from mbedu.verify.random_problems import random_network as random_network
    from mbedu.verify.random_problems import random_networks as random_networks
    from mbedu.verify.sweep import verify as verify
    from mbedu.verify.worker import Limits as Limits
    from mbedu.viz.diff import play_diff as play_diff
    from mbedu.viz.editor import Editor as Editor
    from mbedu.viz.plots import plot_boundary as plot_boundary
    from mbedu.viz.plots import plot_f1 as plot_f1
    from mbedu.viz.plots import plot_growth as plot_growth
    from mbedu.viz.plots import plot_partition as plot_partition
    from mbedu.viz.plots import plot_queries as plot_queries
    from mbedu.viz.quiz import check_quiz as check_quiz
    from mbedu.viz.sensitivity import sensitivity as sensitivity

_PUBLIC = {  # module: the public names that live there
    "ask": ["Ask"],
    "citests": ["ChiSquare", "G2", "MutualInformation"],
    "citests.fisher_z": ["FisherZ"],
    "citests.mixed": ["LikelihoodRatio"],
    "citests.permutation": ["Permutation"],
    "citests.ppi": ["PPI"],
    "compare": ["compare", "compare_grid"],
    "errors": ["MbeduError"],
    "estimators": ["MarkovBoundarySelector"],
    "exercises": ["exercise", "exercises"],
    "experiments": ["reproduce"],
    "judge": ["Batched", "Judge", "Verdict"],
    "networks": ["Network", "load_network", "network_names", "read_network"],
    "oracles": ["DSeparation", "ExactGaussian", "ExactJoint", "Product", "Statements"],
    "problem": ["Problem"],
    "problems": [
        "copies",
        "corral",
        "corral_data",
        "get_problem",
        "named_problems",
        "parity",
        "problem_names",
        "silent_spouse",
    ],
    "query": ["Query"],
    "registry": ["Algorithm", "algorithm", "all_algorithms", "get_algorithm"],
    "running": ["Run", "run"],
    "selectors.table": ["Table"],
    "theory": [
        "boundaries",
        "check_axioms",
        "check_boundary_theorem",
        "is_blanket",
        "is_boundary",
        "is_m_boundary",
        "m_boundaries",
        "relevance",
    ],
    "theory.claims": ["claims"],
    "trace": ["Trace"],
    "varset": ["VarSet", "subsets"],
    "verify.dags": ["all_dags"],
    "verify.random_problems": ["random_dag", "random_dags", "random_network", "random_networks"],
    "verify.sweep": ["verify"],
    "verify.worker": ["Limits"],
    "viz.diff": ["play_diff"],
    "viz.editor": ["Editor"],
    "viz.plots": ["plot_boundary", "plot_f1", "plot_growth", "plot_partition", "plot_queries"],
    "viz.quiz": ["check_quiz"],
    "viz.sensitivity": ["sensitivity"],
}
_HOME = {name: f"{__name__}.{module}" for module, listed in _PUBLIC.items() for name in listed}


class _Package(ModuleType):
    """The package's own type: public names are fetched on first use and are never shadowed.

    Some public functions are called like the module that they live in (`mb.run`, `mb.verify`).
    Whenever Python imports such a module it also sets it as an attribute of the package, which would
    replace the function; `__setattr__` does not let it. The module itself is still reached by
    ``from mbedu.verify import …`` and ``importlib.import_module``.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOME and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        if name in _HOME:
            value: object = getattr(import_module(_HOME[name]), name)
        elif name == "__version__":
            from importlib.metadata import version

            value = version(__name__)
        else:
            raise AttributeError(_missing(name), name=name, obj=self)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[object, ...]:
        # pickled as other modules are, by name: a function that mentions `mb` can go to another process
        from importlib import import_module

        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_HOME, "__version__"})


def _missing(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, _HOME, n=3)
    hint = "did you mean " + " or ".join(close) + "?" if close else "dir(mbedu) lists what it has"
    return f"module {__name__!r} has no public name {name!r}; {hint}"


__all__ = sorted(_HOME)  # noqa: PLE0605  # computed, so that there is one list
sys.modules[__name__].__class__ = _Package
