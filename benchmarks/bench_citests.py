"""Microseconds a test, side by side in one run: mbedu alone, mbedu in batches, pgmpy, causal-learn, pyAgrum.

    python benchmarks/bench_citests.py [--rows 1000 5000 50000] [--quick] [--no-whole]

Data: alarm, sampled with seed 0. Each question is timed on its own, the shortest of several times
counts, and the table has the median over the questions. What mbedu remembers of earlier questions
(strata) is forgotten before every repetition. `scan` asks for the strongest of all candidates,
`batch` builds the verdict of every candidate.

Below the table: whole algorithms in units of one single pgmpy ChiSquare test with its cache off (the
mean over conditioning sizes 0 to 4 at 1,000 rows). Both are processor time there, so that other work
on the machine does not count.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import mbedu as mb
from mbedu.citests import G2, ChiSquare
from mbedu.query import Query

Question = tuple[str, str, list[str], list[str]]  # x, y, given, all candidates
SIZES = range(5)


def shortest(
    work: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the shortest of several times, in microseconds."""
    work()
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return 1e6 * min(times)


def questions(names: list[str], size: int, count: int, seed: int) -> list[Question]:
    rng = np.random.default_rng([seed, size])
    made = []
    for _ in range(count):
        x, y, *given = (str(v) for v in rng.permutation(names)[: size + 2])
        made.append((x, y, given, [v for v in names if v != x and v not in given]))
    return made


def mbedu_single(frame: pd.DataFrame, engine: str) -> Callable[[Question], Callable[[], object]]:
    judge = ChiSquare(frame, engine=engine)

    def prepare(question: Question) -> Callable[[], object]:
        x, y, given, _ = question

        def work() -> object:
            judge.engine.forget()
            return judge.judge(Query(x, y, given))

        return work

    return prepare


def mbedu_bulk(frame: pd.DataFrame, engine: str, verb: str) -> Callable[[Question], Callable[[], object]]:
    judge = ChiSquare(frame, engine=engine)

    def prepare(question: Question) -> Callable[[], object]:
        x, _, given, candidates = question
        ask, zs = getattr(judge, verb), frozenset(given)

        def work() -> object:
            judge.engine.forget()
            return ask(x, candidates, zs)

        return work

    return prepare


def with_pgmpy(frame: pd.DataFrame) -> Callable[[Question], Callable[[], object]]:
    from pgmpy.ci_tests import ChiSquare as Peer

    peer = Peer(data=frame, use_cache=False)
    return lambda q: lambda: peer(X=q[0], Y=q[1], Z=q[2], significance_level=0.05)


def with_causal_learn(frame: pd.DataFrame) -> Callable[[Question], Callable[[], object]]:
    from causallearn.utils.cit import CIT

    names = list(frame)
    peer = CIT(frame.apply(lambda column: pd.factorize(column)[0]).to_numpy(), "chisq")

    def prepare(question: Question) -> Callable[[], object]:
        x, y = names.index(question[0]), names.index(question[1])
        given = [names.index(v) for v in question[2]]

        def work() -> object:
            peer.pvalue_cache.clear()
            return peer(x, y, given)

        return work

    return prepare


def with_pyagrum(frame: pd.DataFrame) -> Callable[[Question], Callable[[], object]]:
    import pyagrum

    pyagrum.setNumberOfThreads(1)  # like all the others here
    peer = pyagrum.BNLearner(frame.astype(str))
    return lambda q: lambda: peer.chi2(q[0], q[1], q[2])


def columns(frame: pd.DataFrame) -> dict[str, tuple[Any, bool]]:
    """Return name: (how a question is prepared, whether one call is a test for every candidate)."""
    made: dict[str, tuple[Any, bool]] = {}
    for engine in ("numba", "numpy"):
        try:
            made[f"single {engine}"] = (mbedu_single(frame, engine), False)
            made[f"scan {engine}"] = (mbedu_bulk(frame, engine, "strongest"), True)
            made[f"batch {engine}"] = (mbedu_bulk(frame, engine, "judge_many"), True)
        except mb.MbeduError as why:
            print(why)
    for name, make in (("pgmpy", with_pgmpy), ("causal-learn", with_causal_learn), ("pyAgrum", with_pyagrum)):
        try:
            made[name] = (make(frame), False)
        except ImportError as why:
            print(f"{name}: {why}")
    return made


def measure(frame: pd.DataFrame, *, count: int, repeats: int) -> pd.DataFrame:
    names = list(frame)
    rows = {}
    ready = columns(frame)
    for size in SIZES:
        asked = questions(names, size, count, seed=1)
        rows[size] = {
            name: float(
                np.median([shortest(prepare(q), repeats) / (len(q[3]) if bulk else 1) for q in asked])
            )
            for name, (prepare, bulk) in ready.items()
        }
    return pd.DataFrame(rows).T


def ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many times as long the others take."""
    wanted = [("scan numba", "pgmpy"), ("scan numba", "causal-learn"), ("scan numba", "pyAgrum"),
              ("batch numba", "pgmpy"), ("batch numba", "causal-learn"), ("batch numba", "pyAgrum"),
              ("batch numpy", "pgmpy")]  # fmt: skip
    there = [(a, b) for a, b in wanted if a in table and b in table]
    return pd.DataFrame({f"{b} / {a}": table[b] / table[a] for a, b in there})


def one_pgmpy_test(frame: pd.DataFrame, *, repeats: int) -> float:
    prepare = with_pgmpy(frame)
    asked = [q for size in SIZES for q in questions(list(frame), size, 12, seed=1)]
    return float(np.mean([shortest(prepare(q), repeats, time.process_time) for q in asked]))


def whole_runs(frame: pd.DataFrame, unit: float, *, repeats: int) -> None:
    """Print whole algorithms in units of a single pgmpy test."""
    for engine, target in (("numba", 75), ("numpy", 400)):
        judge = G2(frame, engine=engine)

        def work(judge: Any = judge) -> None:
            judge.engine.forget()
            for variable in judge.variables:
                mb.run("iamb", judge, variable)

        spent = shortest(work, 4 * repeats, time.process_time)
        print(f"IAMB, all {frame.shape[1]} targets, {engine}: {spent / 1000:.2f} ms "
              f"= {spent / unit:.0f} single pgmpy tests (wanted: {target})")  # fmt: skip
    near = near_parity(seed=0)
    for name, params, target in (("gs_m", {"m": 3}, 3000), ("rgs", {"m": 3, "k": 1000, "seed": 0}, 1000)):
        judge = ChiSquare(near, 1e-3)

        def once(judge: Any = judge, name: str = name, params: dict[str, Any] = params) -> None:
            judge.engine.forget()
            mb.run(name, judge, "T", **params)

        spent = shortest(once, max(3, repeats // 3), time.process_time)
        print(f"{name}({', '.join(f'{k}={v}' for k, v in params.items())}), near-parity 100 × 1,000: "
              f"{spent / 1000:.1f} ms = {spent / unit:.0f} single tests (wanted: {target})")  # fmt: skip


def near_parity(seed: int) -> pd.DataFrame:
    """Three members Bernoulli(0.6), the target their parity with 10 % noise, 97 others, 1,000 rows."""
    rng = np.random.default_rng(seed)
    values = rng.random((1000, 100)) < np.concatenate([np.full(3, 0.6), rng.uniform(0.1, 0.9, 97)])
    noise = rng.random(1000) < 0.1
    frame = pd.DataFrame(values.astype(np.uint8), columns=[f"v{i:02d}" for i in range(100)])
    frame["T"] = (values[:, :3].sum(axis=1) % 2 ^ noise).astype(np.uint8)
    return frame


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 5000, 50_000])
    parser.add_argument("--quick", action="store_true", help="fewer questions and repetitions")
    parser.add_argument("--no-whole", action="store_true", help="leave the whole algorithms out")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    count, repeats = (4, 5) if options.quick else (12, 15)
    pd.set_option("display.width", 200, "display.max_columns", 20)
    for rows in options.rows:
        frame = mb.load_network("alarm").sample(rows, seed=0)
        table = measure(frame, count=count, repeats=repeats if rows < 20_000 else 5)
        print(f"\nalarm, {rows:,} rows: microseconds a test by conditioning size")
        print(table.round(2).to_string())
        print("times as long as mbedu")
        print(ratios(table).round(1).to_string())
    if not options.no_whole:
        frame = mb.load_network("alarm").sample(1000, seed=0)
        unit = one_pgmpy_test(frame, repeats=repeats)
        print(f"\none single pgmpy test: {unit:.1f} µs (mean over conditioning sizes 0 to 4)")
        whole_runs(frame, unit, repeats=repeats)


if __name__ == "__main__":
    main()
