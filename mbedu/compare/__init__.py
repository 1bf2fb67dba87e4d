"""The same algorithm on the same problem, under the oracle and on data: where does it first go wrong?

Every verdict on the data is held against the oracle's. The *first wrong* one is named, and what it
caused: the algorithm is run again on the same data with the answer to that one question corrected,
and the changes of its sets that this repaired run does not make are what the wrong answer caused.
"""

from __future__ import annotations

from typing import Any

from mbedu.compare.comparing import compare
from mbedu.compare.comparison import Comparison, Consequence, Effect, FirstWrong, Wrong
from mbedu.compare.grid import compare_grid
from mbedu.trace import Trace

__all__ = ["Comparison", "Consequence", "Effect", "FirstWrong", "Wrong", "compare", "compare_grid", "twins"]


def twins(left: Trace, right: Trace, **options: Any) -> Any:
    """Return two runs side by side, step by step; see `mbedu.viz.twins.play_twins`."""
    from mbedu.viz.twins import play_twins

    return play_twins(left, right, **options)
