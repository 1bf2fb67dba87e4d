"""PPFS: keep what is relevant by itself, drop what the rest makes redundant, vote over folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mbedu.algorithms.folds import asking, check_folds, fold_judges
from mbedu.algorithms.parts import initial
from mbedu.ask import Ask
from mbedu.judge import Judge, Verdict
from mbedu.query import Vars
from mbedu.registry import algorithm, require, whole
from mbedu.varset import VarSet


@algorithm(
    "ppfs",
    title="PPFS",
    paper="hassan2021",
    place="Algorithm 2",
    assumes=("every member depends on the target by itself, which Faithfulness does not imply",),
    returns="meant to be the Markov boundary; a spouse that is independent of the target by itself is missed",
    notebook="08_wrappers",
    verified="wrong on 6 of 75 runs at 3 nodes, 312 of 2,172 at 4, 25,450 of 146,405 at 5; see the docstring",
    pseudocode="""
     1:  all_MB = []
     2:  new_X, new_Y ← split(X, Y, K)
     3:  for k ← 0 to K do
     4:      X, Y ← new_X[k], new_Y[k]
     5:      MB, p_values, j ← [], [], 0
     6:      for i ← 0 to d do                           /* growth phase */
     7:          p ← PPI(X_i ⊥ Y | ∅)
     8:          if p ≤ α then
     9:              MB ← MB ∪ X_i
    10:              p_values[j] ← p
    11:              j++
    12:          end if
    13:      end for
    14:      MB ← sort(MB, p_values)                     /* ascending importance: the largest p first */
    15:      for i ← 0 to m do                           /* improved shrink phase */
    16:          if PPI(X_i ⊥ Y | MB \\ {X_i}) > α then
    17:              MB = MB \\ {X_i}
    18:          end if
    19:      end for
    20:      all_MB[k] ← MB
    21:  end for
    22:  follow equations 6, 7 and 8 to get array Z
    23:  i ← argmax(Z)
    24:  return all_MB[i]""",
)
def ppfs(
    ask: Ask,
    T: str,
    *,
    growth: str = "printed",
    shrink: str = "improved",
    K: int = 0,
    seed: int = 0,
    folds: Sequence[Any] = (),
    whitelist: Vars = (),
) -> frozenset[str]:
    """Return what PPFS takes for the Markov boundary of `T`.

    The test and its level belong to the judge: `mb.PPI(data, target)` for the paper's own, but
    any judge will do.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target (Y in the paper).
    growth : {"printed", "conditional"}
        "printed" conditions on the empty set, whatever the proof sketch says. "conditional" conditions on
        the current set and goes round until nothing enters, which finds spouses too.
    shrink : {"improved", "basic"}
        "improved" goes once through the members, the least important first. "basic" goes in variable order
        and begins anew after each removal.
    K : int
        The number of folds: the whole is run once without each of them, and the answers vote. 0 means none.
        The judge has to be one that can be restricted to rows (see mbedu.algorithms.folds).
    seed : int
        The same seed cuts the same folds.
    folds : sequence of judges, optional
        The judges of the folds, for a judge that cannot be restricted; then K is their number.
    whitelist
        Variables that are in from the start and never leave.

    Notes
    -----
    Importance is log(1/p); a judge without p-values is ranked by strength, one without that by variable
    order. A lone survivor is kept: given the empty set it was found dependent already. In the vote (equations
    6 to 8) an answer scores the mean, over its members, of the number of answers that hold the member; an
    empty answer scores 0, and the first of the best wins.

    As printed it errs on d-separation where a spouse is independent of the target by itself. The
    smallest case is T → C ← S, where S is missed.

    Examples
    --------
    >>> import mbedu as mb
    >>> collider = mb.DSeparation([("T", "C"), ("S", "C")])
    >>> sorted(mb.run("ppfs", collider, "T").boundary)
    ['C']
    >>> sorted(mb.run("ppfs", collider, "T", growth="conditional").boundary)
    ['C', 'S']
    """
    require(growth in ("printed", "conditional"), f"growth={growth!r}: choose 'printed' or 'conditional'")
    require(shrink in ("improved", "basic"), f"shrink={shrink!r}: choose 'improved' or 'basic'")
    whole("K", K, at_least=0)
    require(K != 1, "K=1: one fold leaves no rows to run on; use K=0 for no folds or K ≥ 2")
    require(
        not folds or K in (0, len(folds)),
        f"K={K} but {len(folds)} judges of folds; leave K out, or make them agree",
    )
    kept = initial(ask, T, (), whitelist)
    all_MB: list[frozenset[str]] = []  # [1]
    judges = split(ask, K, seed, folds)  # [2]
    for k, judge in enumerate(judges):  # [3]
        fold = f"fold {k + 1} of {len(judges)}: " if len(judges) > 1 else ""
        with asking(ask, judge):  # [4]
            MB, importance = grow(ask, T, growth=growth, kept=kept, fold=fold)
            reduce(ask, T, MB, importance, shrink=shrink, kept=kept, fold=fold)
        all_MB.append(MB.frozen())  # [20-21]
    if len(all_MB) == 1:
        return all_MB[0]  # [24]
    Z = votes(ask, all_MB)  # [22]
    i = Z.index(max(Z))  # [23]
    ask.choose(all_MB[i], len(all_MB), f"fold {i + 1} has the highest z; ties go to the first fold")  # [23]
    return all_MB[i]  # [24]


def split(ask: Ask, K: int, seed: int, folds: Sequence[Any]) -> list[Judge]:
    """Return the judges to run on: the whole one, or one for each fold."""
    if folds:
        return check_folds(folds, ask.variables)
    return fold_judges(ask.source, K, seed=seed) if K else [ask.source]


def grow(
    ask: Ask, T: str, *, growth: str, kept: frozenset[str], fold: str
) -> tuple[VarSet, dict[str, float]]:
    """Return the candidates and how important each is."""
    p_values: dict[str, float] = {}  # [5]
    MB = ask.set("MB", kept)  # [5]
    with ask.phase(fold + "growth"):
        entered = True
        while entered:
            entered = False
            if growth == "printed":
                Xs = ask.others(T, kept)  # [6]
                for X, verdict in zip(Xs, ask.many(T, Xs), strict=True):  # [7-8]
                    if not verdict.independent:  # [8]
                        MB |= X  # [9]
                        p_values[X] = importance_of(verdict)  # [10-13]
            else:
                for X in ask.others(T, MB):  # [6]
                    verdict = ask.verdict(T, X, MB)  # [7]
                    if not verdict.independent:  # [8]
                        MB |= X  # [9]
                        p_values[X] = importance_of(verdict)  # [10-13]
                        entered = True  # a larger MB can open a collider, so go round again
        if not MB:
            ask.note(
                f"No variable depends on {T} by itself, so nothing enters and nothing is left to shrink: "
                "what shows itself only in company is invisible to PPFS."
            )
    return MB, p_values


def reduce(
    ask: Ask,
    T: str,
    MB: VarSet,
    importance: dict[str, float],
    *,
    shrink: str,
    kept: frozenset[str],
    fold: str,
) -> None:
    """Remove from MB what the rest of it makes redundant."""
    with ask.phase(fold + "shrink"):
        if shrink == "improved":
            order = sorted(ask.ordered(MB - kept), key=importance.__getitem__)  # [14]
            for X in order:  # [15]
                if len(MB) > 1 and ask(T, X, MB - X):  # [16]
                    MB -= X  # [17-19]
        else:
            while len(MB) > 1 and (found := ask.first_redundant(T, MB, keep=kept)):  # [15-16]
                MB -= found  # [17-19]
        if len(MB) == 1 and not kept:
            ask.note(f"{next(iter(MB))} alone is left; a lone survivor stays.")


def importance_of(verdict: Verdict) -> float:
    """Return log(1/p), or the strength of a judge that has no p-values, or 0."""
    if verdict.log_p is not None:
        return -verdict.log_p
    if verdict.p_value is not None:
        return -math.log(verdict.p_value) if verdict.p_value > 0 else math.inf
    return verdict.strength or 0.0


def votes(ask: Ask, all_MB: Sequence[frozenset[str]]) -> list[float]:
    """Return the score z of each answer, equations 6 to 8."""
    Q = ask.set("Q", frozenset[str]().union(*all_MB))  # [22]
    freq = {X: sum(X in MB for MB in all_MB) for X in Q}
    for X in Q:
        ask.score(X, "freq", freq[X])  # [22]
    Z = [sum(freq[X] for X in MB) / len(MB) if MB else 0.0 for MB in all_MB]
    for k, (MB, z) in enumerate(zip(all_MB, Z, strict=True)):
        ask.score(MB, "z", z, why=f"fold {k + 1}")  # [22]
    return Z
