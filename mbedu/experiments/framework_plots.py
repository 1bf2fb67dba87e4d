"""What the plots of the experiments share."""

from __future__ import annotations

from typing import Any

__all__ = ["above_zero", "legend_beside"]


def legend_beside(axes: Any, *, fontsize: int = 8) -> None:
    """Put the legend to the right of the axes, where it hides nothing."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, fontsize=fontsize)


def above_zero(mean: Any, low: Any) -> Any:
    """Return how far an interval reaches down, kept above zero for a logarithmic scale.

    Examples
    --------
    >>> above_zero(2.0, 1.5), above_zero(2.0, -1.0)
    (0.5, 1.8)
    """
    import numpy as np

    down = np.minimum(np.asarray(mean) - np.asarray(low), 0.9 * np.asarray(mean))
    return float(down) if down.ndim == 0 else down
