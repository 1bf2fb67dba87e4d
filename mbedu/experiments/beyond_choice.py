"""Which algorithm to use when, from measurements: the best, what is as good, the cheapest of those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mbedu.experiments.stats import wilcoxon

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["advice", "as_good_as_best", "holm", "which_when"]

NEAR = 0.05  # few networks cannot tell much apart: what is recommended is also near in its mean


def advice(row: Any) -> str:
    """Say one row of `which_when` in words.

    Examples
    --------
    >>> near = {"fewest tests within 0.05 of its F1": "B (9, F1 0.88)", "not told apart from it": "B, C"}
    >>> advice({"boundary": "up to 4", "rows": 200, "algorithm": "A", "f1": 0.9, "asked": 70.2, **near})
    'Boundaries of up to 4, 200 rows: A (F1 0.900, 70 tests); cheapest near it: B (9, F1 0.88); the networks cannot tell from it: B, C'
    """  # noqa: E501  # the line that it makes is long
    cheap, same = row[f"fewest tests within {NEAR} of its F1"], row["not told apart from it"] or "none"
    return (
        f"Boundaries of {row['boundary']}, {int(row['rows'])} rows: {row['algorithm']} (F1 {row['f1']:.3f}, "
        f"{row['asked']:.0f} tests); cheapest near it: {cheap}; the networks cannot tell from it: {same}"
    )


def holm(p_values: Mapping[str, float], *, alpha: float = 0.05) -> set[str]:
    """Return those that Holm's step-down procedure rejects at a family-wise level.

    The smallest of m p-values is held against alpha/m, the next against alpha/(m − 1), and so on to the
    first that is larger; that one and all after it stay.

    Examples
    --------
    >>> sorted(holm({"A": 0.01, "B": 0.02, "C": 0.04}))
    ['A', 'B', 'C']
    >>> sorted(holm({"A": 0.01, "B": 0.03, "C": 0.04}))
    ['A']
    """
    rejected: set[str] = set()
    for i, name in enumerate(sorted(p_values, key=lambda n: p_values[n])):
        if p_values[name] > alpha / (len(p_values) - i):
            break
        rejected.add(name)
    return rejected


def as_good_as_best(scores: Mapping[str, list[float]]) -> tuple[str, list[str]]:
    """Return the best by its mean, and all that a Wilcoxon test with Holm's correction cannot tell from it.

    Parameters
    ----------
    scores : mapping of str to list of float
        For each algorithm its score on each problem, larger being better.

    Examples
    --------
    >>> good, bad = [0.9, 0.8, 0.7, 0.9, 0.8, 0.6, 0.7, 0.9], [0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.3, 0.2]
    >>> as_good_as_best({"good": good, "bad": bad, "same": good})
    ('good', ['good', 'same'])
    """
    mean = {name: sum(values) / len(values) for name, values in scores.items()}
    best = max(scores, key=mean.__getitem__)
    against = {n: wilcoxon(scores[best], v) for n, v in scores.items() if n != best}
    worse = holm(against)
    return best, [n for n in scores if n not in worse]


def which_when(groups: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return for each size of boundary and number of rows the algorithms to use.

    The best by mean F1; those that the networks cannot tell from it; and of these the one with the fewest
    tests among those whose mean F1 is within 0.05 of the best.

    Parameters
    ----------
    groups : mapping of str to DataFrame
        For each size of boundary a row a network, number of rows and algorithm, with f1 and asked.
    """
    import pandas as pd

    made: list[dict[str, Any]] = []
    for boundary, frame in groups.items():
        for rows, part in frame.groupby("rows"):
            wide = part.pivot_table(index="network", columns="algorithm", values="f1", sort=False)
            asked = part.groupby("algorithm")["asked"].mean()
            best, good = as_good_as_best({str(a): [float(v) for v in wide[a]] for a in wide.columns})
            near = [a for a in good if float(wide[a].mean()) >= float(wide[best].mean()) - NEAR]
            cheap = min(near, key=lambda a: float(asked[a]))
            least = f"{cheap} ({float(asked[cheap]):.0f}, F1 {float(wide[cheap].mean()):.3f})"
            made.append(
                {
                    "boundary": boundary,
                    "rows": rows,
                    "algorithm": best,
                    "f1": float(wide[best].mean()),
                    "asked": float(asked[best]),
                    "not told apart from it": ", ".join(a for a in good if a != best),
                    f"fewest tests within {NEAR} of its F1": least,
                }
            )
    return pd.DataFrame(made)
