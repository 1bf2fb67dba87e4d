"""Feature selectors that score features instead of asking questions; file = registry key = function name.

They run like any algorithm, ``mb.run("fsdms", judge, target)``, and leave the same trace, with *scored*
steps in place of asked ones. What they look at comes from the judge, by the first of these that it has:

===================  ======================================================================
the judge has        such as
===================  ======================================================================
`frame`              `Table(frame)`, which answers no question and only carries the data
`data`               a test on discrete data: `G2(frame)`, `ChiSquare(frame)`, …
`table()`            `ExactJoint`: exact weights, so exact scores
`blocks`             `Product`: the block that holds the target
`base`               `NoisyCopies`: for `fsdms` and `dependency`, which ask only what is possible
===================  ======================================================================

A selector that needs observed rows (the RELIEF family, everything with a classifier) refuses an exact
distribution, and one that needs labels refuses numeric columns; the error says what to pass instead.

They return a `Ranking`: a tuple of names, best first, with the order of *all* features in `.ranking` for
those that rank.

SGAI (selection via group alpha-investing) is not here: hassan2021 compares with it, but describes it in
two sentences (representative sets, no search over all boundaries), which is not enough to write it down.
"""

from __future__ import annotations

from mbedu.selectors.ranking import Ranking
from mbedu.selectors.table import Table

__all__ = ["Ranking", "Table"]
