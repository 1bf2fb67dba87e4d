"""CorrAL, CorrAL-46 and CorrAL-47 with 1,024 rows: what each selector returns, beside what liu2015 says.

    python benchmarks/corral_table.py [--seed 0] [--seeds 3] [--shuffle]

The body of Table I is not in the text of the paper that the project works from, so each algorithm is
held to the sentences about Table I in sections V-A and V-D. Every sentence is checked on every seed;
`--shuffle` permutes the columns first, which the paper does not do.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import mbedu as mb
from mbedu.problems import corral, corral_data
from mbedu.selectors import Table

WHICH = ("corral", "corral-46", "corral-47")
INPUTS = {"A0", "A1", "B0", "B1"}
WRAPPERS = ("svm", "bayes", "cart")

Answers = dict[str, dict[str, tuple[str, ...]]]
"""Data set → row of the table → the features."""


def rows() -> dict[str, tuple[str, dict[str, object]]]:
    """Name of the row → selector and parameters: the rows of Table I, then the others."""
    listed: dict[str, tuple[str, dict[str, object]]] = {
        "CFS-SF": ("cfs_sf", {}),
        "FCBF(0)": ("fcbf", {"delta": 0.0}),
        "FCBF(log)": ("fcbf", {"delta": "log"}),
    }
    for title, key in [
        ("ReliefF", "relieff"),
        ("Consistency", "consistency"),
        ("Information gain", "information_gain"),
        ("IRelief", "irelief"),
    ]:
        listed |= {f"{title}, {w}": (key, {"wrapper": w}) for w in WRAPPERS}
    listed |= {f"WFSDMS, {w}": ("wfsdms", {"classifier": w}) for w in WRAPPERS}
    listed |= {
        "Dependency": ("dependency", {}),
        "FSDMS, own rule": ("fsdms", {}),
        "FSDMS, lookahead": ("fsdms", {"tie": "lookahead"}),
        "RELIEVED, τ = 0.03": ("relieved", {}),
        "ReliefF, weight > 0": ("relieff", {}),
        "IRelief, weight > 0": ("irelief", {}),
        "Consistency, own rule": ("consistency", {}),
        "Permutation importance, cart": ("permutation_importance", {"classifier": "cart"}),
        "Sequential forward, bayes": ("sequential_forward", {"classifier": "bayes"}),
        "Stepwise, bayes": ("sequential_forward", {"classifier": "bayes", "backward": True}),
    }
    return listed


def data(which: str, seed: int, *, shuffle: bool) -> pd.DataFrame:
    frame = corral_data(which, seed=seed)
    if shuffle:
        frame = frame[list(np.random.default_rng(seed).permutation(frame.columns.to_numpy()))]
    return frame


def irrelevant(found: tuple[str, ...]) -> set[str]:
    return {v for v in found if v.startswith("I")}


def originals(found: tuple[str, ...]) -> set[str]:
    """Return the features with exact copies (A0_0, …) taken for what they copy."""
    return {v.removesuffix("_0") for v in found}


def copied(found: tuple[str, ...]) -> set[str]:
    return {v for v in found if "_" in v and v[0] in "AB"}


def each(
    answers: Answers, prefix: str, whiches: tuple[str, ...], holds: Callable[[tuple[str, ...]], bool]
) -> bool:
    """Whether `holds` of every row that starts with `prefix` in each of these data sets."""
    return all(
        holds(found) for which in whiches for name, found in answers[which].items() if name.startswith(prefix)
    )


SENTENCES: dict[str, Callable[[Answers], bool]] = {
    **{
        f"WFSDMS, {w}: finds A0, A1, B0, B1 in all three": lambda a, w=w: each(
            a, f"WFSDMS, {w}", WHICH, lambda f: len(f) == 4 and originals(f) == INPUTS
        )
        for w in WRAPPERS
    },
    **{
        f"ReliefF, {w}: removes R": lambda a, w=w: each(a, f"ReliefF, {w}", WHICH, lambda f: "R" not in f)
        for w in WRAPPERS
    },
    "ReliefF keeps redundant copies in CorrAL-46 and -47": lambda a: all(
        copied(a[w][f"ReliefF, {c}"]) for w in WHICH[1:] for c in WRAPPERS
    ),
    "CFS-SF keeps R": lambda a: each(a, "CFS-SF", ("corral", "corral-47"), lambda f: "R" in f),
    "FCBF keeps R": lambda a: each(a, "FCBF", ("corral", "corral-47"), lambda f: "R" in f),
    "Information gain keeps R": lambda a: each(a, "Information", ("corral", "corral-47"), lambda f: "R" in f),
    "Consistency keeps R": lambda a: each(a, "Consistency, ", ("corral", "corral-47"), lambda f: "R" in f),
    "IRelief keeps no irrelevant feature in -46 and -47": lambda a: all(
        not irrelevant(a[w][f"IRelief, {c}"]) for w in WHICH[1:] for c in WRAPPERS
    ),
    "IRelief keeps R and copies in CorrAL-47": lambda a: all(
        "R" in a["corral-47"][f"IRelief, {c}"] and copied(a["corral-47"][f"IRelief, {c}"]) for c in WRAPPERS
    ),
    "Consistency selects fewer than four in CorrAL-46": lambda a: all(
        len(a["corral-46"][f"Consistency, {c}"]) < 4 for c in WRAPPERS
    ),
    "Dependency generates nothing": lambda a: each(a, "Dependency", WHICH, lambda f: not f),
    "CFS-SF keeps irrelevant features somewhere": lambda a: any(irrelevant(a[w]["CFS-SF"]) for w in WHICH),
    "FCBF(0) keeps irrelevant features somewhere": lambda a: any(irrelevant(a[w]["FCBF(0)"]) for w in WHICH),
    "CFS-SF, FCBF, information gain have all four inputs in CorrAL-46": lambda a: all(
        originals(a["corral-46"][n]) >= INPUTS
        for n in a["corral-46"] if n.startswith(("CFS", "FCBF", "Information"))
    ),
}  # fmt: skip


def shown(found: tuple[str, ...]) -> str:
    return " ".join(found) if len(found) <= 9 else " ".join(found[:8]) + f" … ({len(found)} in all)"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="the first seed; its table is printed")
    parser.add_argument("--seeds", type=int, default=3, help="on how many seeds the sentences are checked")
    parser.add_argument("--shuffle", action="store_true", help="permute the columns first")
    options = parser.parse_args()
    results: list[Answers] = []
    for seed in range(options.seed, options.seed + options.seeds):
        answers: Answers = {}
        for which in WHICH:
            table = Table(data(which, seed, shuffle=options.shuffle))
            answers[which] = {}
            for name, (key, params) in rows().items():
                start = time.perf_counter()
                found = mb.run(key, table, "Y", **params)
                answers[which][name] = tuple(found.answer)
                if seed == options.seed:
                    right = "right" if found.boundary in corral(which).boundaries else ""
                    spent = time.perf_counter() - start
                    print(f"{which:10} {name:30} {right:6} {spent:6.2f} s  {shown(found.answer)}", flush=True)
        results.append(answers)
    print(
        f"\nWhat liu2015 says of Table I, on {len(results)} seeds"
        + (", columns shuffled" if options.shuffle else "")
    )
    for sentence, holds in SENTENCES.items():
        count = sum(holds(answers) for answers in results)
        print(f"  {count} of {len(results)}  {sentence}")


if __name__ == "__main__":
    main()
