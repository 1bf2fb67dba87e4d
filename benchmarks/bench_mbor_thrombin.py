"""MBOR on THROMBIN (1,909 rows, 139,351 binary features): time, questions and memory.

    python benchmarks/bench_mbor_thrombin.py DATA_DIR [--alpha 0.0001] [--shuffle SEED …]

DATA_DIR holds thrombin/thrombin_X.npz (a scipy sparse 0/1 matrix) and thrombin/thrombin_y.npy. The paper
reports 21 variables in PCS, 39 in SPS and 5 in the answer at alpha 0.0001, on average over random
variable orders, after about three hours. `--shuffle` runs in such an order, once for each seed.
"""

import argparse
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from tqdm import tqdm

from mbedu.algorithms.mbor import mbor
from mbedu.algorithms.pc_superset import pc_superset
from mbedu.algorithms.sp_superset import sp_superset
from mbedu.ask import Ask
from mbedu.citests import G2

TARGET = "active"


def load(folder: Path) -> tuple[sp.csr_matrix, list[str]]:
    """Return features and target as one sparse matrix, and the names of its columns."""
    features = sp.load_npz(folder / "thrombin_X.npz")
    active = np.load(folder / "thrombin_y.npy")
    names = [f"f{i + 1}" for i in range(features.shape[1])]
    return sp.hstack([features, sp.csr_matrix(active[:, None])]).tocsr(), [*names, TARGET]


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@contextmanager
def progress(door: Ask, what: str) -> Iterator[None]:
    """Show how many questions were asked so far; looking on from a thread costs the run nothing."""
    done = threading.Event()

    def look() -> None:
        with tqdm(desc=what, unit=" questions", unit_scale=True) as bar:
            while not done.wait(0.2):
                bar.update(door.n_asked - bar.n)
            bar.update(door.n_asked - bar.n)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def bench(judge: G2, label: str) -> None:
    start = time.perf_counter()
    door = Ask(judge)
    with progress(door, f"supersets, {label}"):
        PCS, dSep = pc_superset(door, TARGET)
        first = time.perf_counter() - start
        SPS = sp_superset(door, TARGET, PCS=PCS, dSep=dSep)
    print(f"PCS {len(PCS)} ({first:.1f} s), SPS {len(SPS)} ({time.perf_counter() - start:.1f} s for both)")
    start, cpu = time.perf_counter(), time.process_time()
    door = Ask(judge)
    with progress(door, f"MBOR, {label}"):
        answer = mbor(door, TARGET)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(
        f"MBOR {sorted(answer)}: {seconds:.1f} s ({cpu:.1f} s CPU), {door.n_asked:,} questions, "
        f"largest conditioning set {door.largest_given}, peak memory {peak_mb():,} MB"
    )


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("data", type=Path, metavar="DATA_DIR")
    parser.add_argument("--alpha", type=float, default=1e-4)
    parser.add_argument("--df", choices=["full", "adjusted"], default="full")
    parser.add_argument("--shuffle", type=int, nargs="*", default=[], metavar="SEED")
    args = parser.parse_args()
    start = time.perf_counter()
    data, names = load(args.data / "thrombin")
    judge = G2(data, args.alpha, df=args.df, names=names)
    size = " × ".join(f"{k:,}" for k in data.shape)
    print(f"{size} values ready after {time.perf_counter() - start:.1f} s, peak memory {peak_mb():,} MB")
    if not args.shuffle:
        bench(judge, "file order")
    for seed in args.shuffle:
        order = np.random.default_rng(seed).permutation(len(names))
        shuffled = G2(data[:, order], args.alpha, df=args.df, names=[names[i] for i in order])
        bench(shuffled, f"order {seed}")


if __name__ == "__main__":
    main()
