"""IAMB-FDR: IAMB that controls the false discovery rate of the boundary it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbedu.algorithms.parts import initial
from mbedu.ask import Ask
from mbedu.judge import Verdict, better, rank_key
from mbedu.query import Vars, names
from mbedu.registry import algorithm, require
from mbedu.varset import VarSet


@algorithm(
    "iamb_fdr",
    title="IAMB-FDR",
    paper="pena2008",
    place="described there; the numbered lines are ours",
    assumes=("Decomposition", "Weak Union", "Contraction", "Composition", "p-values"),
    notebook="10_from_oracle_to_data",
    verified="right on all DAGs with 3, 4 and 5 nodes, every target",
    pseudocode="""
    1  MB ← ∅
    2  repeat
    3      for each X ∈ U − {T}: p(X) ← the p-value of T ⊥ X | MB − {X}
    4      R ← the hypotheses that Benjamini and Hochberg reject at level α among these n − 1
    5      if some X ∈ MB is not in R then MB ← MB − {the X of largest p(X)}
    6      else if some X ∉ MB is in R then MB ← MB ∪ {the X of smallest p(X)}
    7      if MB is a set that it was before then stop      /* a guard, not in the paper */
    8  until MB does not change
    9  return MB""",
)
def iamb_fdr(
    ask: Ask,
    T: str,
    *,
    alpha: float = 0.05,
    correction: str = "bh",
    start: Vars = (),
    whitelist: Vars = (),
) -> VarSet:
    """Return a boundary of `T` of whose members at most a share α is expected to be false.

    All n − 1 hypotheses are tested anew in each round, members given the other members and
    outsiders given all of them, and the correction goes over all of them together.

    Parameters
    ----------
    ask, T
        The door to a judge, and the target.
    alpha : float
        The false discovery rate to keep. The judge's own level is not used, only its p-values; an
        oracle has none, so its plain decisions stand in for the correction.
    correction : {"bh", "by"}
        Benjamini and Hochberg's step-up procedure, which is exact for independent or positively
        dependent tests, or Benjamini and Yekutieli's, which needs no assumption.
    start, whitelist
        Variables to start with, which may leave again; and variables that never leave.

    Notes
    -----
    Symbols: MB is the current blanket, R the rejected hypotheses (so: dependent), U all variables.
    Step-up means: if the i-th smallest p-value passes i·α/(n − 1), all smaller ones pass too.
    On data a set MB can come back; then the search stops, with a note in the trace.
    """
    require(
        isinstance(alpha, float) and 0 < alpha < 1,
        f"alpha={alpha!r}: a false discovery rate lies between 0 and 1",
    )
    require(correction in ("bh", "by"), f"correction={correction!r}: choose 'bh' or 'by'")
    kept = names(whitelist)
    MB = ask.set("MB", initial(ask, T, start, whitelist))  # [1]
    seen = {MB.frozen()}
    while True:  # [2]
        p = verdicts_of(ask, T, MB)  # [3]
        R = rejected(p, alpha, correction)  # [4]
        ask.note(f"Dependent after the correction for {len(p)} tests: {', '.join(R) or 'none'}.")  # [4]
        false = [X for X in MB if X not in R and X not in kept]
        missing = [X for X in R if X not in MB]
        if false:
            X = extreme(false, p, most=False)
            ask.choose(X, len(false), "the least significant member that the correction does not keep")  # [5]
            MB -= X  # [5]
        elif missing:
            X = extreme(missing, p, most=True)
            ask.choose(X, len(missing), "the most significant variable that the correction lets in")  # [6]
            MB |= X  # [6]
        else:
            break  # [8]
        if MB.frozen() in seen:  # [7]
            ask.note(f"The tests lead in a circle: {MB!r} was there before. The search stops here.")  # [7]
            break
        seen.add(MB.frozen())
    return MB  # [9]


def verdicts_of(ask: Ask, T: str, MB: VarSet) -> dict[str, Verdict]:
    """Return the verdict on every variable: members given the others, outsiders given all members."""
    members, others = tuple(MB), ask.others(T, MB)
    verdicts = dict(zip(members, ask.leave_one_out(T, members, MB), strict=True))
    verdicts.update(zip(others, ask.many(T, others, MB), strict=True))
    return {X: verdicts[X] for X in ask.others(T)}


def rejected(p: Mapping[str, Verdict], alpha: float, correction: str) -> list[str]:
    """Return the variables whose independence the step-up procedure rejects, in variable order."""
    values = [v.p_value for v in p.values() if v.p_value is not None]
    if len(values) < len(p):  # an oracle: nothing to correct
        return [X for X, v in p.items() if not v.independent]
    m = len(values)
    penalty = sum(1 / i for i in range(1, m + 1)) if correction == "by" else 1.0
    passing = [q for i, q in enumerate(sorted(values), 1) if q <= i * alpha / (m * penalty)]
    return [X for X, q in zip(p, values, strict=True) if passing and q <= passing[-1]]


def extreme(among: Sequence[str], p: Mapping[str, Verdict], *, most: bool) -> str:
    """Return the most (or least) significant variable; the earliest of a tie."""
    chosen = among[0]
    for X in among[1:]:
        a, b = rank_key(p[X], "p_value"), rank_key(p[chosen], "p_value")
        if better(a, b) if most else better(b, a):
            chosen = X
    return chosen
