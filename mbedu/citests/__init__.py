"""Statistical judges: tests of conditional independence on data, and the engine that counts for them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbedu.citests.calibration import false_positive_rate as false_positive_rate
    from mbedu.citests.discrete import G2 as G2
    from mbedu.citests.discrete import ChiSquare as ChiSquare
    from mbedu.citests.discrete import MutualInformation as MutualInformation
    from mbedu.citests.fisher_z import FisherZ as FisherZ
    from mbedu.citests.mixed import LikelihoodRatio as LikelihoodRatio
    from mbedu.citests.permutation import Permutation as Permutation
    from mbedu.citests.ppi import PPI as PPI

_HOME = {  # fetched on first use, so that one test does not load what another needs
    "PPI": "ppi",
    "ChiSquare": "discrete",
    "FisherZ": "fisher_z",
    "G2": "discrete",
    "LikelihoodRatio": "mixed",
    "MutualInformation": "discrete",
    "Permutation": "permutation",
    "false_positive_rate": "calibration",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = sorted(_HOME)  # noqa: PLE0605 - computed, so that there is one list
