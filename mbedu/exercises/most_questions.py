"""How many questions Grow-Shrink can be made to ask: the measured optimum, and what measures it.

The table is written by scripts/most_questions.py, which tries every graph.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from mbedu.oracles import DSeparation
from mbedu.running import run
from mbedu.verify.dags import Dag

__all__ = ["asked", "most_asked", "renamed"]

NAMES = ("T", "A", "B", "C", "D", "E")


def renamed(dag: Dag) -> DSeparation:
    """Return the oracle of a graph of the enumeration with its first node called T."""
    name = dict(zip(dag.variables, NAMES, strict=False))
    return DSeparation([(name[a], name[b]) for a, b in dag.edges], variables=[name[v] for v in dag.variables])


def asked(judge: DSeparation) -> int:
    """Return how many questions Grow-Shrink asks for T."""
    return run("gs", judge, "T").n_asked


@cache
def most_asked(n: int) -> int:
    """Return the most questions over all graphs with n nodes, 2 to 5.

    Examples
    --------
    >>> most_asked(3)
    5
    """
    table = json.loads((files("mbedu.exercises") / "most_questions.json").read_text(encoding="utf-8"))
    return int(table[str(n)]["most"])
