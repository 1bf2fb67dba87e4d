"""What the experiments of demorais2008 share: the test, in the readings that its paper leaves open.

Degrees of freedom without the empty cells are no reading here: then large conditioning sets count as
reliable, and MBOR's search for a separating set, which has no cap, goes through millions of sets.
"""

from __future__ import annotations

from typing import Any

from mbedu.citests.discrete import G2

__all__ = ["ALGORITHMS", "ALPHA", "READINGS", "g2", "shuffled"]

ALPHA = 0.05  # section 6: "the significance level of the test in all compared algorithms is 0.05"
ALGORITHMS = {"InterIAMB": "inter_iamb", "PCMB": "pcmb", "MBOR": "mbor"}
READINGS = {
    "rows-per-df": "G² with the declared levels; fewer than 5 rows a degree of freedom count as independent",
    "rows-per-cell": "G² with the declared levels; fewer than 5 rows a cell count as independent",
}


def g2(data: Any, reading: str, *, alpha: float = ALPHA, **more: Any) -> G2:
    """Return the paper's test under one reading."""
    if reading == "rows-per-cell":
        return G2(data, alpha, df="full", rows_per_df=None, rows_per_cell=5, **more)
    return G2(data, alpha, df="full", rows_per_df=5, **more)


def shuffled(frame: Any, seed: int) -> Any:
    """Return the columns in a random order: "a random permutation of the variables is carried out"."""
    import numpy as np

    return frame[[frame.columns[i] for i in np.random.default_rng(seed).permutation(len(frame.columns))]]
