"""Find by enumeration how many questions Grow-Shrink can be made to ask on a graph with n nodes.

    python scripts/most_questions.py            writes mbedu/exercises/most_questions.json
    python scripts/most_questions.py --nodes 4  only prints

Every labelled DAG over T, A, B, … is tried with the target T, which covers every graph, every target and
every variable order. Five nodes are 29,281 graphs and take some seconds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mbedu.exercises.most_questions import asked, renamed
from mbedu.verify.dags import all_dags

OUT = Path(__file__).parents[1] / "mbedu" / "exercises" / "most_questions.json"


def measure(n: int) -> dict[str, object]:
    """Return the most questions over all DAGs with n nodes, how often it is reached, and where first."""
    counts = [asked(renamed(dag)) for dag in all_dags(n)]
    most = max(counts)
    first = renamed(all_dags(n)[counts.index(most)])
    return {
        "most": most,
        "graphs": len(counts),
        "reached": counts.count(most),
        "edges": [list(edge) for edge in first.edges],
    }


def main() -> None:
    """Measure for two to five nodes and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, help="only this number of nodes, and only print")
    wanted = parser.parse_args().nodes
    table = {str(n): measure(n) for n in ([wanted] if wanted else range(2, 6))}
    if not wanted:
        OUT.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    for n, found in table.items():
        print(
            f"{n} nodes: {found['most']} questions, on {found['reached']} of {found['graphs']} graphs: "
            f"{found['edges']}"
        )


if __name__ == "__main__":
    main()
