"""What an experiment is: a grid of independent cells, a table, checks against what was printed, a plot.

A published table or figure is one `Experiment`. Its grid is a list of *cells*, each a dictionary of plain
values; one top-level function `cell(params, seed)` measures a cell and returns plain values. So a grid
runs on any executor, stops and goes on anywhere, and gives the same bytes in whatever order it was done:

* a cell's seed comes from the experiment's seed and the cell's own parameters, never from the order;
* whatever is a time goes under a key called ``seconds``, which is kept in a file of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mbedu.errors import MbeduError, unknown
from mbedu.experiments.data import DataFolder
from mbedu.experiments.framework_verdicts import Check

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = [
    "Experiment", "Options", "Params", "all_experiments", "canonical", "experiment_names", "get_experiment",
    "seed_from",
]  # fmt: skip

Params = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """How an experiment is run.

    Attributes
    ----------
    full : bool
        The paper's protocol; otherwise the quick one, a minute or two.
    seed : int
        Where every random number comes from.
    reading : str
        One of the experiment's readings of what its paper leaves open.
    data : DataFolder
        Where real data sets are.
    """

    full: bool = False
    seed: int = 0
    reading: str = ""
    data: DataFolder = field(default_factory=DataFolder)

    @property
    def mode(self) -> str:
        """`"full"` or `"quick"`."""
        return "full" if self.full else "quick"

    def choose(self, quick: Any, full: Any) -> Any:
        """Return `full` in a full run and `quick` in a quick one."""
        return full if self.full else quick


@dataclass(frozen=True)
class Experiment:
    """One published table or figure.

    Attributes
    ----------
    name : str
        `"margaritis2009-fig1"`: the paper's key, a hyphen, the place.
    title, place : str
        One line on what is measured, and where it is printed.
    grid : callable
        `grid(options)` lists the cells' parameters: dictionaries of plain values.
    cell : callable
        `cell(params, seed)`, or `cell(params, seed, folder)` when the experiment `needs` data: a top-level
        function that returns a dictionary of plain values. A list of dictionaries under ``rows`` gives
        that many rows of the frame; values under ``seconds`` are kept apart.
    summarise : callable
        `summarise(cells, options)` makes the table from the frame of all cells (parameters and results).
    checks : callable
        `checks(table, options)` compares the table with what was printed.
    readings : mapping of str to str
        How the paper can be read, with what each means; the first is the default.
    plot, plot_times : callable, optional
        `plot(table, options)` draws in the paper's layout. `plot_times(times, options)` draws what is in
        the frame of times, which is no part of what has to be the same twice.
    times, time_checks : callable, optional
        `times(frame, options)` makes a table of the times, `time_checks(times, options)` compares it.
    seeded_by : tuple of str
        The parameters that make a cell's seed; all of them when empty. Cells that agree in these see
        the same data.
    cost : callable, optional
        `cost(params)` says how long a cell takes compared with others; the long ones start first.
    needs : tuple of str
        The data sets that it uses from the data folder (`mbedu.experiments.data`).
    findings : callable, optional
        `findings(table, options)` says in a few lines what the table shows beyond the checks.
    caveats : tuple of str
        What the reader should know before comparing.
    revision : int
        Raise it when the same cell would give another result; old checkpoints are then refused.
    """

    name: str
    title: str
    place: str
    grid: Callable[[Options], Iterable[Params]]
    cell: Callable[..., Params]
    summarise: Callable[[pd.DataFrame, Options], pd.DataFrame]
    checks: Callable[[pd.DataFrame, Options], Sequence[Check]]
    readings: Mapping[str, str] = field(default_factory=lambda: {"printed": "as printed"})
    plot: Callable[[pd.DataFrame, Options], Figure] | None = None
    times: Callable[[pd.DataFrame, Options], pd.DataFrame] | None = None
    time_checks: Callable[[pd.DataFrame, Options], Sequence[Check]] | None = None
    plot_times: Callable[[pd.DataFrame, Options], Figure] | None = None
    seeded_by: tuple[str, ...] = ()
    cost: Callable[[Params], float] | None = None
    needs: tuple[str, ...] = ()
    findings: Callable[[pd.DataFrame, Options], Sequence[str]] | None = None
    caveats: tuple[str, ...] = ()
    revision: int = 1

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.name.partition("-")[0]

    def reading(self, chosen: str | None) -> str:
        """Return a reading's name, the default for None; refuse an unknown one."""
        if chosen is None:
            return next(iter(self.readings))
        if chosen not in self.readings:
            raise unknown(f"reading of {self.name}", chosen, self.readings)
        return chosen

    def seed_of(self, params: Params, seed: int) -> int:
        """Return the seed of a cell."""
        keys = self.seeded_by or tuple(params)
        return seed_from(seed, self.name, {k: params[k] for k in keys})


def seed_from(seed: int, *what: Any) -> int:
    """Return a seed that depends on `seed` and on plain values, and on nothing else.

    Examples
    --------
    >>> seed_from(0, "data", 7) == seed_from(0, "data", 7), seed_from(0, "data", 7) == seed_from(0, "data", 8)
    (True, False)
    """
    text = canonical([seed, *what])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def canonical(value: Any) -> str:
    """Write plain values as JSON in the one way that is always the same.

    Examples
    --------
    >>> canonical({"b": 1, "a": [0.1, None]})
    '{"a":[0.1,null],"b":1}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise MbeduError(
            f"{value!r:.200} is not made of plain values ({error}); use str, int, float, bool, None, lists "
            "and dictionaries, and None for a number that does not exist"
        ) from None


def all_experiments(paper: str | None = None) -> tuple[Experiment, ...]:
    """Return every experiment, or every one of a paper, by name.

    The experiments of a module `mbedu.experiments.<paper>_<place>` are in its `EXPERIMENTS`.
    """
    import importlib
    import pkgutil
    import re

    from mbedu import experiments as package

    found: list[Experiment] = []
    for module in pkgutil.iter_modules(package.__path__):
        named = re.fullmatch(r"([a-z]+\d{4}|beyond)_\w+", module.name)
        if named and paper in (None, named[1]):
            found += getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "EXPERIMENTS", ())
    return tuple(sorted(found, key=lambda e: e.name))


def experiment_names() -> tuple[str, ...]:
    """Return the names that `reproduce` knows."""
    return tuple(e.name for e in all_experiments())


def get_experiment(name: str) -> Experiment:
    """Return the experiment of this name."""
    known = {e.name: e for e in all_experiments(str(name).partition("-")[0])}
    if name not in known:
        raise unknown("experiment", name, experiment_names())
    return known[name]
