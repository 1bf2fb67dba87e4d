"""Try an algorithm, or any function, on everything: `verify`."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbedu.errors import MbeduError
from mbedu.registry import Algorithm, get_algorithm
from mbedu.running import check_params, run
from mbedu.trace import Trace
from mbedu.verify.cases import Case, Expect, Orders, cases_of, check_orders
from mbedu.verify.dags import AllDags, DagClasses
from mbedu.verify.outcome import Outcome, try_case
from mbedu.verify.report import Counterexample, Report
from mbedu.verify.sandbox import Sandbox, packed
from mbedu.verify.worker import Limits

__all__ = ["verify"]

CHUNK = 100  # graphs a task: long enough to be worth sending, short enough to show progress
SERIAL = 2_000  # below this many graphs, starting processes costs more than it saves
ENOUGH = 3  # after so many timeouts in a chunk, the rest of it is not worth waiting for


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know; it travels once a chunk, so it holds no graphs."""

    key: str
    blob: bytes
    params: dict[str, Any]
    orders: Orders
    expect: Expect
    m: int
    seed: int
    limits: Limits

    def cases(self, item: Any) -> Iterator[Case]:
        """Yield the cases of one item."""
        return cases_of(item, orders=self.orders, expect=self.expect, m=self.m, seed=self.seed)


def verify(
    function: str | Algorithm | Callable[..., Any],
    problems: Any,
    *,
    orders: Orders | None = None,
    expect: Expect = "auto",
    margin: int | None = None,
    limits: Limits | None = None,
    reference: str = "gs",
    executor: Executor | None = None,
    checkpoint: str | Path | None = None,
    progress: bool | None = None,
    seed: int = 0,
    **params: Any,
) -> Report:
    """Try an algorithm or a plain function on every problem and report what went wrong.

    Parameters
    ----------
    function : str or callable
        A registered key, an `Algorithm`, or any `f(ask, target)`. A plain function runs in a process of
        its own, with limits: whatever it does becomes a line of the report.
    problems : sequence
        `all_dags(n)`, or a list of graphs, networks, problems or judges; every variable is a target.
    orders : {"given", "reversed", "both", "all"} or int
        The variable orders to try (they break ties). All labelled DAGs in the given order already
        cover every order of every graph, so "given" is the default there, and "both" elsewhere.
    expect : {"auto", "d-separation", "exact", "m-boundary"}
        What counts as right: the d-separation boundary of a graph, any exact Markov boundary (by
        brute force), or any m-Markov boundary.
    margin : int
        The m of an m-Markov boundary; by default the algorithm's own `m`, or 1.
    limits : Limits
        Time, memory, questions and printed characters that a plain function may use on one problem.
    reference : str
        The algorithm whose film is shown beside the counterexample's.
    executor : concurrent.futures.Executor
        Where to run; this machine's processes by default, in line when there is little to do.
    checkpoint : path
        A file that remembers finished parts, so that an interrupted sweep can go on.
    progress : bool
        Show a progress bar; by default when there is much to do.
    **params
        The algorithm's own parameters.

    Examples
    --------
    >>> from mbedu.verify.dags import all_dags
    >>> print(verify("gs", all_dags(3)))
    gs: right on all 75 runs on all 25 DAGs with 3 nodes
    >>> def lazy(ask, target):
    ...     return {v for v in ask.others(target) if not ask(target, v)}
    >>> report = verify(lazy, all_dags(3))
    >>> report.tried, report.wrong, report.missing, report.extra
    (75, 24, 6, 18)
    >>> print(report.counterexample)
    A → C, B → C; target A: answers {C}; right: {B, C}; no smaller one exists
    """
    items: Sequence[Any] = problems if isinstance(problems, AllDags | DagClasses) else _listed(problems)
    if orders is None:
        orders = "given" if isinstance(items, AllDags) else "both"
    check_orders(orders)
    chosen = get_algorithm(function) if isinstance(function, str) else function
    trusted = isinstance(chosen, Algorithm) and get_algorithm(chosen.key) is chosen
    if isinstance(chosen, Algorithm) and not trusted:
        chosen = chosen.function  # a changed copy: its own function is tried, not the registered one
    check_params(chosen, params)
    job = Job(
        key=chosen.key if trusted and isinstance(chosen, Algorithm) else "",
        blob=b"" if trusted else packed(_with(chosen, params)),
        params=params if trusted else {},
        orders=orders,
        expect=expect,
        m=margin if margin is not None else int(params.get("m", 1)),
        seed=seed,
        limits=limits or Limits(),
    )
    name = job.key or getattr(chosen, "__name__", type(chosen).__name__)
    try:
        parts, complete = _sweep(
            job, items, executor=executor, checkpoint=checkpoint, progress=progress, name=name
        )
        counterexample = _counterexample(job, items, _smallest(parts), reference)
    finally:
        close_sandbox()
    return _report(name, items, parts, counterexample, complete=complete, params=params)


def _with(function: Callable[..., Any], params: dict[str, Any]) -> Callable[..., Any]:
    if not params:
        return function

    def called(ask: Any, target: str) -> Any:
        return function(ask, target, **params)

    called.__name__ = getattr(function, "__name__", "called")
    return called


def _listed(problems: Any) -> list[Any]:
    if hasattr(problems, "judge") or hasattr(problems, "edges"):
        return [problems]
    try:
        listed = list(problems)
    except TypeError:
        raise MbeduError(
            f"{problems!r} is nothing to verify on; pass all_dags(4), or a list of graphs, networks, "
            "problems or judges"
        ) from None
    if not listed:
        raise MbeduError("there is nothing to verify on: the list of problems is empty")
    return listed


# --- one chunk, in whatever process ---------------------------------------------------------------


def check_chunk(job: Job, items: Sequence[Any], start: int) -> dict[str, Any]:
    """Try every case of some items and return plain values: counts, the smallest failure, examples."""
    if job.key:
        algorithm = get_algorithm(job.key)
        return _collect(job, items, start, lambda case: try_case(algorithm, case, params=job.params))
    return _collect(job, items, start, kept_sandbox(job).check)


_kept = threading.local()  # this thread's worker for foreign code: starting one costs more than a chunk


def kept_sandbox(job: Job) -> Sandbox:
    """Return this thread's sandbox for a job's function; one for another function is closed first."""
    kept: Sandbox | None = getattr(_kept, "sandbox", None)
    if kept is None or (kept.blob, kept.limits) != (job.blob, job.limits):
        close_sandbox()
        kept = _kept.sandbox = Sandbox(job.blob, job.limits)
    return kept


def close_sandbox() -> None:
    """End this thread's sandbox, if there is one."""
    kept: Sandbox | None = getattr(_kept, "sandbox", None)
    if kept is not None:
        kept.close()
        _kept.sandbox = None


def check_range(job: Job, dags: AllDags | DagClasses, start: int, stop: int) -> dict[str, Any]:
    """Try a range of an enumeration: only the numbers travel, the graphs are built on the spot."""
    return check_chunk(job, dags[start:stop], start)


def _collect(job: Job, items: Sequence[Any], start: int, check: Callable[[Case], Outcome]) -> dict[str, Any]:
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    smallest: list[Any] | None = None
    questions = most = slow = 0
    for index, item in enumerate(items, start):
        for number, case in enumerate(job.cases(item)):
            outcome = (
                check(case) if slow < ENOUGH else Outcome("not tried", None, 0, "too many timeouts before")
            )
            counts[outcome.kind] = counts.get(outcome.kind, 0) + 1
            questions, most = questions + outcome.questions, max(most, outcome.questions)
            slow += outcome.kind == "time"
            if outcome.kind == "right":
                continue
            if outcome.detail:
                examples.setdefault(outcome.kind, f"{outcome.detail} ({case.name}; target {case.target})")
            key = [case.nodes, case.edges, outcome.questions, index, number]
            if outcome.kind != "not tried" and (smallest is None or key < smallest[0]):
                smallest = [key, outcome.kind, outcome.detail, outcome.answer]
    return {
        "start": start,
        "counts": counts,
        "questions": questions,
        "most": most,
        "examples": examples,
        "smallest": smallest,
    }


# --- all chunks ------------------------------------------------------------------------------------


def _sweep(
    job: Job,
    items: Sequence[Any],
    *,
    executor: Executor | None,
    checkpoint: str | Path | None,
    progress: bool | None,
    name: str,
) -> tuple[list[dict[str, Any]], bool]:
    """Return the parts in order, and whether all of them were done."""
    chunk = max(CHUNK, len(items) // 2_000) if len(items) > SERIAL else max(1, -(-len(items) // 8))
    starts = range(0, len(items), chunk)
    done = _Checkpoint(checkpoint, _signature(job, items, name, chunk))
    todo = [start for start in starts if start not in done.parts]

    def submit(pool: Executor, start: int) -> Future[dict[str, Any]]:
        stop = min(start + chunk, len(items))
        if isinstance(items, AllDags | DagClasses):
            return pool.submit(check_range, job, items, start, stop)
        return pool.submit(check_chunk, job, items[start:stop], start)

    bar = _bar(len(items), len(items) - sum(min(chunk, len(items) - s) for s in todo), name, progress)
    complete = True
    try:
        with bar, contextlib.ExitStack() as stack:
            if executor is None and len(items) <= SERIAL:
                for start in todo:
                    done.add(check_chunk(job, items[start : start + chunk], start))
                    bar.update(min(chunk, len(items) - start))
            else:
                pool = executor if executor is not None else stack.enter_context(_processes())
                waiting = [submit(pool, start) for start in todo]
                try:
                    for future in as_completed(waiting):
                        part = future.result()
                        done.add(part)
                        bar.update(min(chunk, len(items) - part["start"]))
                except BaseException:
                    for future in waiting:
                        future.cancel()
                    raise
    except KeyboardInterrupt:
        complete = False
    finally:
        done.close()
    return [done.parts[start] for start in starts if start in done.parts], complete


def _processes() -> ProcessPoolExecutor:
    import multiprocessing

    # forked workers need no `if __name__ == "__main__"` in the user's script
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    return ProcessPoolExecutor(os.cpu_count() or 1, mp_context=multiprocessing.get_context(method))


def _bar(total: int, done: int, name: str, progress: bool | None) -> Any:
    from tqdm.auto import tqdm

    watched = "ipykernel" in sys.modules or sys.stderr.isatty()  # not in a log file
    shown = total > SERIAL and watched if progress is None else progress
    return tqdm(total=total, initial=done, desc=name, unit=" graphs", disable=not shown, leave=False)


def _signature(job: Job, items: Sequence[Any], name: str, chunk: int) -> dict[str, Any]:
    """Say what a checkpoint belongs to; another sweep must not go on with it."""
    import hashlib

    return {
        "mbedu-verify": 1,
        "name": name,
        "code": hashlib.sha256(job.blob).hexdigest() if job.blob else "",
        "params": {k: repr(v) for k, v in sorted(job.params.items())},
        "items": repr(items) if isinstance(items, AllDags | DagClasses) else [str(i) for i in items],
        "orders": job.orders,
        "expect": job.expect,
        "m": job.m,
        "seed": job.seed,
        "limits": repr(job.limits),
        "chunk": chunk,
    }


class _Checkpoint:
    """Finished parts, by their start; on disk too when a path is given: a header, then a line a part."""

    def __init__(self, path: str | Path | None, signature: dict[str, Any]) -> None:
        self.parts: dict[int, dict[str, Any]] = {}
        self._file = None
        if path is None:
            return
        path = Path(path)
        if path.exists() and path.stat().st_size:
            self._load(path, signature)
            self._file = path.open("a", encoding="utf-8")
        else:
            self._file = path.open("w", encoding="utf-8")
            self._write(signature)

    def _load(self, path: Path, signature: dict[str, Any]) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        if json.loads(lines[0]) != signature:
            raise MbeduError(
                f"the checkpoint {str(path)!r} belongs to another sweep; choose another file or delete it"
            )
        good = [lines[0]]
        for line in lines[1:]:
            try:
                part = json.loads(line)
            except json.JSONDecodeError:  # the process was killed while writing its last line
                continue
            good.append(line)
            self.parts[part["start"]] = part
        if len(good) < len(lines):
            path.write_text("\n".join(good) + "\n", encoding="utf-8")

    def _write(self, value: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(value) + "\n")
            self._file.flush()

    def add(self, part: dict[str, Any]) -> None:
        """Remember a finished part."""
        part = json.loads(json.dumps(part))  # the same values, whether they come from disk or not
        self.parts[part["start"]] = part
        self._write(part)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()


# --- the smallest counterexample ---------------------------------------------------------------------


def _smallest(parts: Sequence[dict[str, Any]]) -> list[Any] | None:
    return min((p["smallest"] for p in parts if p["smallest"]), key=lambda s: s[0], default=None)


def _counterexample(
    job: Job, items: Sequence[Any], found: list[Any] | None, reference: str
) -> Counterexample | None:
    """Film the smallest failure; of an enumeration, all graphs with fewer nodes are looked through first."""
    if found is None:
        return None
    enumerated = isinstance(items, AllDags | DagClasses)
    if isinstance(items, AllDags | DagClasses):
        for n in range(1, items.n):
            fewer = type(items)(n)
            smaller = check_chunk(job, fewer[:], 0)["smallest"]
            if smaller is not None:
                found, items = smaller, fewer
                break
    (_, _, questions, index, number), kind, detail, answer = found
    case = next(c for k, c in enumerate(job.cases(items[index])) if k == number)
    return Counterexample(
        case=case,
        kind=kind,
        detail=detail,
        answer=None if answer is None else frozenset(answer),
        questions=questions,
        trace=_filmed(job, case, answered=answer is not None),
        reference=run(reference, case.judge, case.target, record=True).trace,
        certified=enumerated,
    )


def _filmed(job: Job, case: Case, *, answered: bool) -> Trace | None:
    """Run a case once more, with the camera on."""
    if not job.key:
        text = kept_sandbox(job).check(case, record=True).trace
        return Trace.from_json(text) if text else None
    return run(job.key, case.judge, case.target, record=True, **job.params).trace if answered else None


def _report(
    name: str,
    items: Sequence[Any],
    parts: Sequence[dict[str, Any]],
    counterexample: Counterexample | None,
    *,
    complete: bool,
    params: dict[str, Any],
) -> Report:
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    for part in parts:
        for kind, count in part["counts"].items():
            counts[kind] = counts.get(kind, 0) + count
        for kind, example in part["examples"].items():
            examples.setdefault(kind, example)
    if (
        "too many questions" in examples
        and counterexample is not None
        and counterexample.reference is not None
    ):
        right = counterexample.reference
        examples["too many questions"] += f"; {right.algorithm} asks {len(right.questions)}"
    shown = name + ("(" + ", ".join(f"{k}={v}" for k, v in params.items()) + ")" if params else "")
    enumerated = isinstance(items, AllDags | DagClasses)
    domain = repr(items).strip("<>") if enumerated else f"{len(items)} problem{'s' * (len(items) != 1)}"
    return Report(
        name=shown,
        domain=domain,
        tried=sum(counts.values()),
        counts=dict(sorted(counts.items(), key=lambda kv: (kv[0] != "right", -kv[1], kv[0]))),
        questions=sum(part["questions"] for part in parts),
        most_questions=max((part["most"] for part in parts), default=0),
        examples=examples,
        counterexample=counterexample,
        complete=complete,
    )
