"""All marginal tests on thrombin (1,909 × 139,351) against the time to read the file; peak memory.

    python benchmarks/bench_thrombin.py DATA_DIR

DATA_DIR holds thrombin/thrombin_X.npz (scipy CSR of 0/1) and thrombin/thrombin_y.npy. Times are
processor time, the shortest of three, with compiled functions already loaded.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse

from mbedu.citests import G2
from mbedu.citests.encode import encode

TARGET = "active"
T = TypeVar("T")


def peak() -> float:
    """Return the largest memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--engine", choices=["auto", "numba", "numpy"], default="auto")
    options = parser.parse_args()
    folder = options.data_dir / "thrombin"
    warm_up(options.engine)
    print(f"{'imports':<34}{'':>9}   peak {peak():4.0f} MB")

    def read() -> tuple[Any, Any]:
        matrix = scipy.sparse.load_npz(folder / "thrombin_X.npz")
        target = np.load(folder / "thrombin_y.npy")
        return matrix, target

    reading, (matrix, target) = timed("reading the file", read)
    names = (TARGET, *(f"f{i}" for i in range(1, matrix.shape[1] + 1)))
    first = scipy.sparse.csr_matrix(target[:, None].astype(matrix.dtype))
    whole = scipy.sparse.hstack([first, matrix], format="csr")
    _, data = timed("encoding to bits", lambda: encode(whole, names=names))

    def fresh() -> G2:
        return G2(data, 0.0001, engine=options.engine)  # it has not looked up a single name yet

    judge = fresh()
    candidates = list(names[1:])
    testing, found = timed(
        f"strongest of {len(candidates):,} tests", lambda: fresh().strongest(TARGET, candidates, ())
    )
    _, verdicts = timed(f"{len(candidates):,} verdicts", lambda: judge.judge_many(TARGET, candidates, ()))
    timed("strongest given one feature", lambda: judge.strongest(TARGET, candidates[1:], candidates[:1]))

    dependent = sum(not verdict.independent for verdict in verdicts)
    shown = "none" if found is None else f"{candidates[found.position]}, p = {found.verdict.p_value:.3g}"
    print(f"{dependent:,} features depend on the target at alpha = 0.0001; the strongest: {shown}")
    print(f"all marginal tests take {testing / reading:.2f} times the reading (wanted: less than 1)")


def warm_up(engine: str) -> None:
    """Let numba load its compiled functions before anything is timed."""
    small = scipy.sparse.csr_matrix(np.random.default_rng(0).integers(0, 2, (100, 4)))
    judge = G2(small, 0.999, engine=engine)
    judge.strongest("x0", ["x1", "x2"], ["x3"])
    judge.judge_many("x0", ["x1", "x2"], ())


def timed(what: str, work: Callable[[], T]) -> tuple[float, T]:
    """Print and return the shortest of three processor times, and the result."""
    times = []
    for _ in range(3):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    print(f"{what:<34}{min(times) * 1e3:6.0f} ms   peak {peak():4.0f} MB")
    return min(times), result


if __name__ == "__main__":
    main()
