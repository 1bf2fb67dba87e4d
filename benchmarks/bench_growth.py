"""How time grows: against rows, columns, conditioning size and number of candidates, with fitted exponents.

    python benchmarks/bench_growth.py [--engine numba|numpy] [--quick]

Random data with three levels a column. The exponent b of time ≈ a·sizeᵇ is the slope of a straight
line through the logarithms of the larger half of the sizes, where constant costs no longer show; for
the conditioning size, which adds and does not multiply, the table shows the microseconds that each
further variable costs instead.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

from mbedu.citests import G2
from mbedu.varset import Subsets


def shortest(judge: G2, work: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several processor times, in microseconds; nothing is remembered between."""
    work()
    times = []
    for _ in range(repeats):
        judge.engine.forget()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e6 * min(times)


def data(rows: int, columns: int, levels: int = 3) -> np.ndarray:
    return np.random.default_rng(0).integers(0, levels, (rows, columns))


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    half = len(sizes) // 2
    slope, _ = np.polyfit(np.log(sizes[half:]), np.log(times[half:]), 1)
    return float(slope)


def show(title: str, sizes: Sequence[int], times: Sequence[float]) -> None:
    print(f"\n{title}")
    print("  size      " + "".join(f"{size:>12,}" for size in sizes))
    print("  µs        " + "".join(f"{spent:>12,.1f}" for spent in times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engine", choices=["auto", "numba", "numpy"], default="auto")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    repeats = 3 if options.quick else 9

    def scan(rows: int, columns: int, given: int) -> float:
        judge = G2(data(rows, columns), engine=options.engine)
        zs, ys = judge.variables[1 : 1 + given], judge.variables[1 + given :]
        return shortest(judge, lambda: judge.strongest("x0", ys, zs), repeats)

    sizes = [250, 1000, 4000, 16_000, 64_000, 256_000][: 4 if options.quick else 6]
    times = [scan(n, 40, 2) for n in sizes]
    show("rows: one scan of 37 candidates given two variables", sizes, times)
    print(f"  exponent  {exponent(sizes, times):.2f}")

    sizes = [50, 200, 800, 3200, 12_800][: 4 if options.quick else 5]
    times = [scan(1000, columns, 1) for columns in sizes]
    show("columns: one scan of all of them given one variable, 1,000 rows", sizes, times)
    print(f"  exponent  {exponent(sizes, times):.2f}")

    sizes = list(range(9))
    times = [scan(5000, 40, given) for given in sizes]
    show("conditioning size: one scan of the rest of 40 columns, 5,000 rows", sizes, times)
    print(
        "  each more " + "".join(f"{b - a:>12,.1f}" for a, b in zip([times[0], *times], times, strict=False))
    )

    judge = G2(data(1000, 120, levels=2), 1e-3, engine=options.engine)
    sizes, times = [], []
    for items in (15, 30, 60, 120)[: 3 if options.quick else 4]:
        triples = Subsets(judge.variables[1:items], 3, 3)
        sizes.append(len(triples))
        times.append(shortest(judge, lambda triples=triples: judge.strongest("x0", triples, ()), repeats))
    show("candidates: all triples of binary variables, 1,000 rows", sizes, times)
    print(f"  exponent  {exponent(sizes, times):.2f}")


if __name__ == "__main__":
    main()
