"""What the door costs: a question straight to the judge, through a quiet `ask`, and through a recording one.

    python benchmarks/bench_ask.py

Same judge, same questions, in turn, in one run; the shortest of several rounds. Ratios matter.
"""

import time
from collections.abc import Callable

from mbedu.ask import Ask
from mbedu.networks import load_network
from mbedu.oracles import DSeparation
from mbedu.query import Query
from mbedu.recording import RecordingAsk
from mbedu.running import run

ROUNDS = 7


def best(call: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(name: str, target: str) -> str:
    judge = DSeparation(load_network(name))
    others = [v for v in judge.variables if v != target]
    pairs = [(y, frozenset(others[:3]) - {y}) for y in others] * (2000 // len(others) + 1)
    straight = best(lambda: [judge.judge(Query(target, y, z)) for y, z in pairs])
    quiet = best(lambda: [ask(target, y, z) for ask in [Ask(judge)] for y, z in pairs])
    loud = best(lambda: [ask(target, y, z) for ask in [RecordingAsk(judge)] for y, z in pairs])
    whole = best(lambda: run("gs", judge, target))
    filmed = best(lambda: run("gs", judge, target, record=True))
    each = 1e6 / len(pairs)
    return (
        f"{name:8} µs a question: judge {straight * each:5.2f}, quiet ask {quiet * each:5.2f} "
        f"({quiet / straight:.2f}×), recording {loud * each:6.2f} ({loud / straight:.1f}×); "
        f"GS recorded / quiet: {filmed / whole:.1f}×"
    )


def main() -> None:
    for name in ("asia", "alarm", "andes"):
        print(measure(name, load_network(name).variables[-1]))


if __name__ == "__main__":
    main()
