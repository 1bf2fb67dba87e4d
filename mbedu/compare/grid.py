"""Comparisons over sample sizes, levels and samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from mbedu.citests.by_name import MakeTest, make_test
from mbedu.compare.comparing import compared
from mbedu.compare.comparison import KINDS, Comparison
from mbedu.compare.world import World, oracle_of
from mbedu.problem import Problem
from mbedu.query import Vars
from mbedu.running import Runnable, run

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare_grid"]


def compare_grid(
    algorithm: Runnable,
    net: Any,
    targets: Vars | None = None,
    *,
    n: Iterable[int] = (100, 500, 2000),
    alpha: Iterable[float] = (0.05,),
    repeats: int = 5,
    seed: int = 0,
    test: MakeTest = "auto",
    oracle: Any = None,
    test_params: Mapping[str, Any] | None = None,
    executor: Executor | None = None,
    progress: bool = True,
    **params: Any,
) -> pd.DataFrame:
    """Compare oracle and data for several targets, sample sizes, levels and samples.

    Parameters
    ----------
    algorithm, net, test, oracle, test_params, **params
        As for `compare`.
    targets : str or iterable of str, optional
        Whose boundaries; all variables by default, or a problem's own target.
    n, alpha : iterables
        The sample sizes and the levels.
    repeats, seed : int
        Sample r is drawn with seed + r, so that `compare(…, n=n, seed=row.seed)` shows any row in full.
    executor : concurrent.futures.Executor, optional
        Where the targets and samples are worked on, each apart; in this process by default.
    progress : bool
        Show a bar. Interrupted from the keyboard, the rows that are done are returned.

    Returns
    -------
    pandas.DataFrame
        A row for each target, n, alpha and sample: `missing`, `extra`, `f1`, `asked`, how many verdicts
        are wrong of each kind, the kind of the first one ('' if none) and its p-value.

    Examples
    --------
    >>> import mbedu as mb
    >>> grid = compare_grid("gs", mb.load_network("cancer"), "Cancer", n=[100, 1000], repeats=2)
    >>> grid.groupby("n")["f1"].count().to_dict()
    {100: 2, 1000: 2}
    """
    import pandas as pd

    if targets is None:
        targets = [net.target] if isinstance(net, Problem) else list(oracle_of(net, oracle).variables)
    wanted = [targets] if isinstance(targets, str) else list(targets)
    shared = (algorithm, net, tuple(n), tuple(alpha), test, oracle, dict(test_params or {}), params)
    jobs = [(shared, target, seed + r, r) for target in wanted for r in range(repeats)]
    found: list[dict[str, Any]] = []
    try:
        for rows in _shown(_worked(jobs, executor), len(jobs), progress):
            found += rows
    except KeyboardInterrupt:
        if not found:
            raise
    return pd.DataFrame(found)


def _worked(jobs: list[Any], executor: Executor | None) -> Iterator[list[dict[str, Any]]]:
    return iter(map(_job, jobs) if executor is None else executor.map(_job, jobs))


def _shown(rows: Iterator[Any], total: int, progress: bool) -> Iterator[Any]:
    if not progress:
        return rows
    from tqdm.auto import tqdm

    return iter(tqdm(rows, total=total, desc="compare", unit=" samples", leave=False))


def _job(job: Any) -> list[dict[str, Any]]:
    """Compare one target on one sample, for all sizes and levels."""
    (algorithm, net, sizes, levels, test, oracle, test_params, params), target, seed, repeat = job
    world = World.of(net, target, oracle)
    exact = run(algorithm, world.oracle, target=target, record=True, **params)
    made = []
    for n in sizes:
        data, judge = world.draw(n, seed)
        for alpha in levels:
            settings = {"target": target, "n": n, "alpha": alpha, "repeat": repeat, "seed": seed}
            chosen = judge or make_test(test, data, alpha=alpha, target=target, params=test_params)
            made.append(
                _row(compared(algorithm, world, exact, chosen, params, settings=settings, repair=False))
            )
    return made


def _row(found: Comparison) -> dict[str, Any]:
    first = found.first_wrong
    return {
        **found.settings,
        "missing": len(found.missing),
        "extra": len(found.extra),
        "f1": found.f1,
        "asked": found.data.n_asked,
        "wrong": len(found.wrong),
        **{kind.replace(" ", "_"): found.count(kind) for kind in KINDS},
        "first_wrong": "" if first is None else first.kind,
        "first_wrong_p": None if first is None else first.p_value,
        "found": tuple(sorted(found.data.boundary)),
    }
