"""Run the cells of an experiment on an executor, remember each as it ends, and go on where it stopped."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn, Self

from mbedu.errors import MbeduError
from mbedu.experiments.data import DataFolder, DataMissing
from mbedu.experiments.framework import Experiment, Options, Params, canonical

__all__ = ["Cells", "measure", "processes", "run_cells", "signature"]

SECONDS = "seconds"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Cells:
    """What the cells gave, in the order of the grid: results that are always the same, and times."""

    params: tuple[Params, ...]
    results: tuple[Params, ...]
    times: tuple[Params, ...]

    def frame(self) -> Any:
        """Return parameters and results as a pandas frame, a row a cell or a row for each of its `rows`."""
        return _frame(self.params, self.results)

    def times_frame(self) -> Any:
        """Return parameters and times as a pandas frame; the labels of `rows` are repeated here."""
        return _frame(self.params, self.times)


def _frame(params: Sequence[Params], results: Sequence[Params]) -> Any:
    import pandas as pd

    rows: list[Params] = []
    for given, found in zip(params, results, strict=True):
        own = {k: v for k, v in found.items() if k != "rows"}
        rows += [{**given, **own, **row} for row in found.get("rows", [{}])]
    return pd.DataFrame(rows)


def measure(
    cell: Callable[..., Params], params: Params, seed: int, folder: DataFolder | None
) -> tuple[Params, Params]:
    """Measure one cell, in whatever process; return its result, and its times apart."""
    start, busy = time.perf_counter(), time.process_time()
    found = cell(params, seed) if folder is None else cell(params, seed, folder)
    elapsed, worked = time.perf_counter() - start, time.process_time() - busy
    result, times = split_times(found)
    return json.loads(canonical(result)), {**times, "cell_seconds": elapsed, "cpu_seconds": worked}


def split_times(found: Params) -> tuple[Params, Params]:
    """Take every `seconds` out of a cell's result.

    Examples
    --------
    >>> split_times({"rows": [{"algorithm": "gs", "f1": 1.0, "seconds": 0.2}]})
    ({'rows': [{'algorithm': 'gs', 'f1': 1.0}]}, {'rows': [{'algorithm': 'gs', 'seconds': 0.2}]})
    """
    result = {k: v for k, v in found.items() if k != SECONDS}
    times: Params = {SECONDS: found[SECONDS]} if SECONDS in found else {}
    if any(SECONDS in row for row in found.get("rows", ())):
        labels = {k for row in found["rows"] for k, v in row.items() if isinstance(v, str | bool)}
        times["rows"] = [
            {k: v for k, v in row.items() if k in labels or k == SECONDS} for row in found["rows"]
        ]
        result["rows"] = [{k: v for k, v in row.items() if k != SECONDS} for row in found["rows"]]
    return result, times


def signature(experiment: Experiment, options: Options) -> Params:
    """Say what a checkpoint belongs to."""
    return {
        "mbedu-experiment": 1,
        "name": experiment.name,
        "revision": experiment.revision,
        "mode": options.mode,
        "reading": options.reading,
        "seed": options.seed,
    }


def run_cells(
    experiment: Experiment,
    options: Options,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    checkpoint: Path | None = None,
    known: Mapping[str, tuple[Params, Params]] | None = None,
    progress: bool | None = None,
) -> Cells:
    """Measure every cell that is not known yet and return all of them.

    With no executor the cells run in `workers` processes, as many as there are cores by default; one
    worker means in this process. An interrupt leaves what is done in `checkpoint`.
    """
    grid = [dict(params) for params in experiment.grid(options)]
    if not grid:
        _nothing_to_do(experiment, options)
    keys = [canonical(params) for params in grid]
    if len(set(keys)) < len(keys):
        twice = next(k for k in keys if keys.count(k) > 1)
        raise MbeduError(
            f"{experiment.name}: the grid has the cell {twice} twice; a cell's parameters are its key"
        )
    done = dict(known or {})
    with _Checkpoint(checkpoint, signature(experiment, options)) as saved:
        done.update(saved.done)
        todo = [i for i, key in enumerate(keys) if key not in done]
        if experiment.cost is not None:  # the longest first, so that no worker is left alone with it
            cost = experiment.cost
            todo.sort(key=lambda i: -cost(grid[i]))
        with _bar(len(grid), len(grid) - len(todo), experiment.name, progress) as bar:
            for i, outcome in _outcomes(experiment, options, grid, todo, executor=executor, workers=workers):
                done[keys[i]] = outcome
                saved.add(keys[i], outcome)
                bar.update()
    return Cells(tuple(grid), tuple(done[k][0] for k in keys), tuple(done[k][1] for k in keys))


def _nothing_to_do(experiment: Experiment, options: Options) -> NoReturn:
    """Say why a grid is empty: its data are missing, or it was written so."""
    missing = options.data.missing(experiment.needs)
    if missing:
        raise DataMissing(missing, options.data.text)
    raise MbeduError(f"{experiment.name}: the grid has no cells; an experiment has to measure something")


def _outcomes(
    experiment: Experiment,
    options: Options,
    grid: Sequence[Params],
    todo: Sequence[int],
    *,
    executor: Executor | None,
    workers: int | None,
) -> Iterator[tuple[int, tuple[Params, Params]]]:
    folder = DataFolder(options.data.text) if experiment.needs else None

    def arguments(i: int) -> tuple[Callable[..., Params], Params, int, DataFolder | None]:
        return experiment.cell, grid[i], experiment.seed_of(grid[i], options.seed), folder

    if executor is None and (workers == 1 or len(todo) < 2):
        with _one_core():
            for i in todo:
                yield i, measure(*arguments(i))
        return
    with contextlib.ExitStack() as stack:
        pool = executor if executor is not None else stack.enter_context(processes(workers))
        waiting: dict[Future[tuple[Params, Params]], int] = {}
        try:
            for i in todo:
                waiting[pool.submit(measure, *arguments(i))] = i
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:  # on an interrupt or an error the rest is not waited for
            for future in waiting:
                future.cancel()


def processes(workers: int | None = None) -> ProcessPoolExecutor:
    """Return a pool of this machine's processes."""
    import multiprocessing

    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise MbeduError(f"workers={workers!r}: it is a whole number, 1 or more")
    # forked workers need no `if __name__ == "__main__"` in the user's script
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    return ProcessPoolExecutor(
        workers or os.cpu_count() or 1, mp_context=context, initializer=_prepare_worker
    )


_FOR_GOOD = contextlib.ExitStack()  # what a worker enters and never leaves


def _prepare_worker() -> None:
    """Leave an interrupt to the parent, and keep each worker to one core: the cells are the parallelism."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _FOR_GOOD.enter_context(_one_core())


@contextlib.contextmanager
def _one_core() -> Iterator[None]:
    """Keep linear algebra to one thread: what is loaded by the call, what is loaded later by its environment.

    A sum by several threads may differ in its last digit from a sum by one, so this is also what makes the
    result the same for every number of workers.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError):
            from threadpoolctl import threadpool_limits  # type: ignore[import-untyped,unused-ignore]

            stack.enter_context(threadpool_limits(1))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _bar(total: int, done: int, name: str, progress: bool | None) -> Any:
    from tqdm.auto import tqdm

    hidden = None if progress is None else not progress  # None: hidden where nobody looks at it
    return tqdm(total=total, initial=done, desc=name, unit=" cells", disable=hidden, leave=False)


class _Checkpoint:
    """Finished cells on disk: a header, then a line a cell as it ends."""

    def __init__(self, path: Path | None, header: Params) -> None:
        self.path, self.header = path, header
        self.done: dict[str, tuple[Params, Params]] = {}
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        if self.path is not None:
            good = self._load(self.path) if self.path.exists() else []
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = self.path.with_name(self.path.name + ".new")  # the old one stays until this one is whole
            new.write_text("".join(canonical(v) + "\n" for v in (self.header, *good)), encoding="utf-8")
            new.replace(self.path)
            self._file = self.path.open("a", encoding="utf-8")
        return self

    def _load(self, path: Path) -> list[Params]:
        lines = path.read_text(encoding="utf-8").splitlines()
        good: list[Params] = []
        for number, line in enumerate(lines):
            try:
                value = json.loads(line)
            except json.JSONDecodeError:  # the process was killed while it wrote its last line
                continue
            if number == 0:
                refuse_other(value, self.header, path)
            else:
                good.append(value)
                self.done[canonical(value["cell"])] = (value["result"], value["times"])
        return good

    def add(self, key: str, outcome: tuple[Params, Params]) -> None:
        """Remember a finished cell."""
        self._write({"cell": json.loads(key), "result": outcome[0], "times": outcome[1]})

    def _write(self, value: Params) -> None:
        if self._file is not None:
            self._file.write(canonical(value) + "\n")
            self._file.flush()

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()


def refuse_other(found: Any, expected: Params, path: Path) -> None:
    """Refuse a file that belongs to another run, and say in what it differs."""
    if found != expected:
        differs = [k for k in expected if not isinstance(found, dict) or found.get(k) != expected[k]]
        raise MbeduError(
            f"{str(path)!r} belongs to another run (it differs in {', '.join(differs)}); delete it or "
            "choose another folder"
        )
