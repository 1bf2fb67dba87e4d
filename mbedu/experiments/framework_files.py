"""The folder of a reproduction: what it holds, how it is written and read.

`<out>/<experiment>.<mode>.<reading>.seed<seed>/` holds

* ``cells.jsonl``: every cell's parameters and result, in the order of the grid;
* ``table.csv``, ``summary.json``, ``figure.svg``: the table, the checks with their verdicts, the plot;
* ``times.jsonl``, ``machine.json``, ``times.csv``, ``times.svg``: what differs from run to run.

All but the last line are the same bytes for the same seed, whatever the number of workers.
``unfinished.jsonl`` is there while a run is under way or was interrupted.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbedu.experiments.framework import Experiment, Options, Params, canonical
from mbedu.experiments.framework_run import Cells, refuse_other, signature

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["folder_of", "machine", "read_known", "write_cells", "write_figure", "write_json", "write_table"]

UNFINISHED = "unfinished.jsonl"
PACKAGES = (
    "mbedu",
    "numpy",
    "pandas",
    "scipy",
    "scikit-learn",
    "matplotlib",
    "numba",
    "pgmpy",
    "networkx",
    "dask",
    "PyImpetus",
)


def folder_of(out: Path, experiment: Experiment, options: Options) -> Path:
    """Return the folder of one run."""
    return out / f"{experiment.name}.{options.mode}.{options.reading}.seed{options.seed}"


def write_cells(folder: Path, experiment: Experiment, options: Options, cells: Cells) -> None:
    """Write the cells in the order of the grid, and their times beside them; the checkpoint goes."""
    folder.mkdir(parents=True, exist_ok=True)
    header = signature(experiment, options)
    for name, key, values in (
        ("cells.jsonl", "result", cells.results),
        ("times.jsonl", "times", cells.times),
    ):
        lines = [canonical(header)]
        lines += [canonical({"cell": p, key: v}) for p, v in zip(cells.params, values, strict=True)]
        replace_text(folder / name, "\n".join(lines) + "\n")
    (folder / UNFINISHED).unlink(missing_ok=True)


def read_known(folder: Path, experiment: Experiment, options: Options) -> dict[str, tuple[Params, Params]]:
    """Return the cells of an earlier run in this folder, by key."""
    if not (folder / "cells.jsonl").exists():
        return {}
    results, times = (_read(folder / name, experiment, options) for name in ("cells.jsonl", "times.jsonl"))
    slow = {canonical(line["cell"]): line["times"] for line in times}
    keys = {canonical(line["cell"]): line["result"] for line in results}
    return {key: (result, slow.get(key, {})) for key, result in keys.items()}


def _read(path: Path, experiment: Experiment, options: Options) -> list[Params]:
    if not path.exists():
        return []
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    refuse_other(json.loads(header), signature(experiment, options), path)
    return [json.loads(line) for line in lines]


def replace_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8", newline="\n")
    new.replace(path)


def write_json(path: Path, value: Any) -> None:
    """Write plain values for people: indented, keys in the order given."""
    canonical(value)  # refuses what is not plain
    replace_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV."""
    replace_text(path, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure as SVG, the same bytes each time."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "mbedu", "svg.fonttype": "path"}):
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    figure.clear()


def machine() -> Params:
    """Say what this machine and its software are."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "versions": versions,
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
