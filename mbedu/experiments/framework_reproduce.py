"""Reproduce a published table or figure: run its cells, make the table, compare, draw, write."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbedu.errors import MbeduError
from mbedu.experiments.data import DataFolder, DataMissing
from mbedu.experiments.framework import Experiment, Options, all_experiments, get_experiment
from mbedu.experiments.framework_files import (
    UNFINISHED,
    folder_of,
    machine,
    read_known,
    write_cells,
    write_figure,
    write_json,
    write_table,
)
from mbedu.experiments.framework_run import Cells, run_cells
from mbedu.experiments.framework_verdicts import Check, Verdict, worst

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Outcome", "reproduce", "reproduce_all"]


@dataclass(frozen=True)
class Outcome:
    """What a reproduction gave.

    Attributes
    ----------
    experiment, options
        What was run, and how.
    cells : Cells
        Every cell's parameters, result and times.
    table : pandas.DataFrame
        Ours with intervals, beside what was printed.
    checks : tuple of Check
        A verdict for each published figure.
    times : pandas.DataFrame or None
        The times; None where the experiment has no table of them.
    time_checks : tuple of Check
        A verdict for each published time; they may differ from run to run.
    missing : tuple of str
        Data sets that were not there, and where they belong.
    seconds : float
        Wall time of this call.
    folder : Path or None
        Where it was written.
    """

    experiment: Experiment
    options: Options
    cells: Cells | None
    table: pd.DataFrame
    checks: tuple[Check, ...]
    missing: tuple[str, ...] = ()
    times: pd.DataFrame | None = field(default=None, compare=False)
    time_checks: tuple[Check, ...] = field(default=(), compare=False)
    seconds: float = field(default=0.0, compare=False)
    folder: Path | None = None

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.experiment.name

    @property
    def verdict(self) -> Verdict:
        """The worst of the checks' verdicts, times apart."""
        return worst(self.checks)

    def figure(self) -> Figure | None:
        """Draw the plot in the paper's layout; None where there is none, or nothing to draw."""
        if self.experiment.plot is None or self.cells is None:
            return None
        return self.experiment.plot(self.table, self.options)

    def __str__(self) -> str:
        counts: dict[str, int] = {}
        for check in (*self.checks, *self.time_checks):
            counts[check.verdict] = counts.get(check.verdict, 0) + 1
        shown = ", ".join(f"{n} {verdict}" for verdict, n in counts.items()) or "nothing to compare"
        text = f"{self.name} ({self.options.mode}, reading {self.options.reading}): {shown}"
        lines = [
            f"  {c.verdict}: {c.what}; printed {c.printed}; ours {c.ours}"
            for c in (*self.checks, *self.time_checks)
        ]
        return "\n".join([text, *lines, *(f"  missing: {m}" for m in self.missing)])


def reproduce(
    name: str | Experiment,
    *,
    full: bool = False,
    data: str | Path | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    reading: str | None = None,
    progress: bool | None = None,
) -> Outcome:
    """Run one experiment and compare it with what was printed.

    Parameters
    ----------
    name : str or Experiment
        One of `experiment_names()`, such as `"margaritis2009-fig1"`; or an experiment of your own.
    full : bool
        The paper's protocol instead of the quick one.
    data : path
        The folder with the data sets that can be neither generated nor had from scikit-learn.
    seed : int
        The same seed gives the same result, with any executor.
    out : path
        Where to write; an interrupted run goes on from there. By default nothing is written.
    executor : concurrent.futures.Executor
        Where to run; this machine's processes by default.
    workers : int
        How many processes, when there is no executor; one means none but this.
    reading : str
        How to read what the paper leaves open; one of the experiment's `readings`.
    progress : bool
        Show a progress bar; by default where somebody looks at it.
    """
    experiment = name if isinstance(name, Experiment) else get_experiment(name)
    options = Options(full, _seed(seed), experiment.reading(reading), DataFolder(data))
    folder = None if out is None else folder_of(Path(out), experiment, options)
    start = time.perf_counter()
    known = {} if folder is None else read_known(folder, experiment, options)
    cells = run_cells(
        experiment,
        options,
        executor=executor,
        workers=workers,
        checkpoint=None if folder is None else folder / UNFINISHED,
        known=known,
        progress=progress,
    )
    table = experiment.summarise(cells.frame(), options)
    missing = tuple(options.data.missing(experiment.needs))
    checks = tuple(experiment.checks(table, options))
    times = None if experiment.times is None else experiment.times(cells.times_frame(), options)
    outcome = Outcome(
        experiment=experiment,
        options=options,
        cells=cells,
        table=table,
        checks=checks,
        missing=missing,
        times=times,
        time_checks=_time_checks(experiment, options, times),
        seconds=time.perf_counter() - start,
        folder=folder,
    )
    if folder is not None:
        write_outcome(outcome, folder)
    return outcome


def _time_checks(experiment: Experiment, options: Options, times: pd.DataFrame | None) -> tuple[Check, ...]:
    if times is None or experiment.time_checks is None:
        return ()
    return tuple(experiment.time_checks(times, options))


def _seed(seed: Any) -> int:
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise MbeduError(f"seed={seed!r}: a seed is a whole number, 0 or more")
    return seed


def reproduce_all(
    names: Sequence[str] | None = None,
    *,
    full: bool = False,
    data: str | Path | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> list[Outcome]:
    """Run several experiments (all of them by default) and write the report to `out`.

    An experiment whose data sets are all missing is reported as not tried, with the list of what it needs.
    """
    chosen = all_experiments() if names is None else tuple(get_experiment(n) for n in names)
    outcomes: list[Outcome] = []
    for experiment in chosen:
        try:
            outcomes.append(
                reproduce(
                    experiment,
                    full=full,
                    data=data,
                    seed=seed,
                    out=out,
                    executor=executor,
                    workers=workers,
                    progress=progress,
                )
            )
        except DataMissing as error:
            outcomes.append(_not_tried(experiment, error, full=full, data=data, seed=seed, out=out))
    if out is not None:
        from mbedu.experiments.report import build_report

        build_report(out)
    return outcomes


def _not_tried(
    experiment: Experiment,
    error: DataMissing,
    *,
    full: bool,
    data: str | Path | None,
    seed: int,
    out: str | Path | None,
) -> Outcome:
    import pandas as pd

    options = Options(full, seed, experiment.reading(None), DataFolder(data))
    folder = None if out is None else folder_of(Path(out), experiment, options)
    missing = tuple(error.missing)
    outcome = Outcome(experiment, options, None, pd.DataFrame(), (), missing, folder=folder)
    if folder is not None:
        write_outcome(outcome, folder)
    return outcome


def write_outcome(outcome: Outcome, folder: Path) -> None:
    """Write everything that belongs to an outcome into its folder."""
    experiment, options = outcome.experiment, outcome.options
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "summary.json", _summary(outcome))
    if outcome.cells is None:
        return
    write_cells(folder, experiment, options, outcome.cells)
    write_table(folder / "table.csv", outcome.table)
    if (figure := outcome.figure()) is not None:
        write_figure(folder / "figure.svg", figure)
    measured, worked = (
        sum(t.get(key, 0.0) for t in outcome.cells.times) for key in ("cell_seconds", "cpu_seconds")
    )
    write_json(
        folder / "machine.json",
        {
            **machine(),
            "seconds": round(outcome.seconds, 2),
            "cell_seconds": round(measured, 2),
            "cpu_seconds": round(worked, 2),
            "checks": [check.as_dict() for check in outcome.time_checks],
        },
    )
    if outcome.times is not None:
        write_table(folder / "times.csv", outcome.times)
        if experiment.plot_times is not None:
            write_figure(folder / "times.svg", experiment.plot_times(outcome.times, options))


def _findings(outcome: Outcome) -> list[str]:
    if outcome.experiment.findings is None or outcome.cells is None:
        return []
    return list(outcome.experiment.findings(outcome.table, outcome.options))


def _summary(outcome: Outcome) -> dict[str, Any]:
    experiment, options = outcome.experiment, outcome.options
    return {
        "name": experiment.name,
        "title": experiment.title,
        "place": experiment.place,
        "paper": experiment.paper,
        "mode": options.mode,
        "seed": options.seed,
        "reading": options.reading,
        "reading_means": experiment.readings[options.reading],
        "other_readings": {k: v for k, v in experiment.readings.items() if k != options.reading},
        "caveats": list(experiment.caveats),
        "findings": _findings(outcome),
        "cells": 0 if outcome.cells is None else len(outcome.cells.params),
        "verdict": outcome.verdict,
        "checks": [check.as_dict() for check in outcome.checks],
        "missing": list(outcome.missing),
    }
