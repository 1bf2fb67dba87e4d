"""CorrAL and its larger relatives: Y = (A0 ∧ A1) ∨ (B0 ∧ B1), a decoy, and copies of all qualities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias

from mbedu.errors import unknown
from mbedu.oracles import ExactJoint, Product
from mbedu.problem import Problem
from mbedu.problems.noisy_copies import NoisyCopies

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CorrAL", "corral", "corral_data"]

CorrAL: TypeAlias = Literal["corral", "corral-46", "corral-47"]
WHICH: tuple[CorrAL, ...] = ("corral", "corral-46", "corral-47")
INPUTS = ("A0", "A1", "B0", "B1")
MISMATCHES = tuple(Fraction(i, 16) for i in range(7))  # 0, 1/16, …, 6/16
DECOY = Fraction(1, 4)  # R matches Y 75 % of the time
ROWS = 1024


def label(a0: int, a1: int, b0: int, b1: int) -> int:
    """Return Y = (A0 ∧ A1) ∨ (B0 ∧ B1)."""
    return (a0 & a1) | (b0 & b1)


def corral(which: CorrAL = "corral") -> Problem:
    """Return CorrAL, CorrAL-46 or CorrAL-47 as an exact distribution.

    Parameters
    ----------
    which : {"corral", "corral-46", "corral-47"}
        CorrAL has the inputs A0, A1, B0, B1, an irrelevant I and R, which matches Y 75 % of the time.
        CorrAL-47 has the inputs, R, two irrelevant coins with six exact copies each, and seven redundant
        copies of each input that mismatch it with probability 0, 1/16, …, 6/16; CorrAL-46 is without R.

    Notes
    -----
    The paper prints how 1,024 rows are made (`corral_data`); this is the distribution behind them, in
    which every mismatch is an independent coin. The boundary of Y in CorrAL is {A0, A1, B0, B1}. In
    the larger two the copies without mismatch (A0_0, …) are as good as the inputs, so there are
    2⁴ = 16 boundaries. R, however well it predicts Y, is in none.

    Examples
    --------
    >>> [sorted(b) for b in corral().boundaries]
    [['A0', 'A1', 'B0', 'B1']]
    >>> problem = corral("corral-47")
    >>> len(problem.variables) - 1, len(problem.boundaries)
    (47, 16)
    """
    _known(which)
    if which == "corral":
        return _problem(which, _small(), (frozenset(INPUTS),))
    judge = large(MISMATCHES, decoy=which == "corral-47", irrelevant=6)
    choices = product(*((v, f"{v}_0") for v in INPUTS))
    return _problem(which, judge, tuple(frozenset(c) for c in choices))


def _problem(which: str, judge: ExactJoint | Product, known: tuple[frozenset[str], ...]) -> Problem:
    note = (
        "R is the best single predictor of Y and belongs to no boundary: only all four inputs together show "
        "that it is redundant."
    )
    if which == "corral-46":
        note = "Copies of the inputs from exact to bad: the exact ones make 16 boundaries."
    return Problem(which, judge, "Y", known, "liu2015, section V-A", note)


def _small() -> ExactJoint:
    table = {}
    for row in product((0, 1), repeat=4):
        for i, r in product((0, 1), repeat=2):
            y = label(*row)
            table[*row, i, r, y] = 1 - DECOY if r == y else DECOY
    names = [*INPUTS, "I", "R", "Y"]
    return ExactJoint(table, variables=names, states=dict.fromkeys(names, (0, 1)))


def large(mismatches: Sequence[Fraction], *, decoy: bool, irrelevant: int) -> Product:
    """Return the judge of a CorrAL with these redundant copies of each input, R if `decoy`, and coins."""
    exact = [f"{v}_{k}" for v in INPUTS for k, flip in enumerate(mismatches) if not flip]
    noisy = {f"{v}_{k}": (v, flip) for v in INPUTS for k, flip in enumerate(mismatches) if flip}
    base = {}
    for row in product((0, 1), repeat=4):
        value = dict(zip(INPUTS, row, strict=True))
        base[*row, *(value[v.rsplit("_", 1)[0]] for v in exact), label(*row)] = 1
    copied = NoisyCopies(
        ExactJoint(base, variables=[*INPUTS, *exact, "Y"]), noisy | ({"R": ("Y", DECOY)} if decoy else {})
    )
    coins = [[c, *(f"{c}_{k}" for k in range(1, irrelevant + 1))] for c in ("I1", "I2")]
    blocks = [ExactJoint({(b,) * len(names): 1 for b in (0, 1)}, variables=names) for names in coins]
    redundant = [f"{v}_{k}" for v in INPUTS for k in range(len(mismatches))]
    order = [*INPUTS, *(["R"] if decoy else []), *coins[0], *coins[1], *redundant, "Y"]
    return Product(copied, *blocks, variables=order)


def corral_data(which: CorrAL = "corral", seed: int = 0) -> pd.DataFrame:
    """Return the 1,024 rows that the paper describes, with 0 and 1 as integers and the label Y last.

    Each of the 16 combinations of the inputs comes 64 times. The decoy R and the redundant copies have
    *exactly* the printed number of mismatches (256 of 1,024 for R, 64·k for the k-th copy), in rows drawn
    at random; the irrelevant coins are drawn at random. The columns are those of the exact
    problem, the original features first.

    Examples
    --------
    >>> data = corral_data("corral-47", seed=1)
    >>> data.shape, int((data.A0 != data.A0_3).sum()), int((data.R == data.Y).sum())
    ((1024, 48), 192, 768)
    """
    import numpy as np
    import pandas as pd

    order = corral(_known(which)).variables
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.array(list(product((0, 1), repeat=4))), ROWS // 16, axis=0)
    columns = {v: rows[:, i] for i, v in enumerate(INPUTS)}
    columns["Y"] = (columns["A0"] & columns["A1"]) | (columns["B0"] & columns["B1"])

    def flipped(of: str, share: Fraction) -> np.ndarray:
        wrong = np.zeros(ROWS, dtype=np.int64)
        wrong[rng.choice(ROWS, size=int(ROWS * share), replace=False)] = 1
        return columns[of] ^ wrong

    for v in order:
        stem, _, k = v.partition("_")
        if v in columns:
            continue
        if v == "R":
            columns[v] = flipped("Y", DECOY)
        elif stem in INPUTS:
            columns[v] = flipped(stem, MISMATCHES[int(k)])
        else:
            columns[v] = columns[stem] if k else rng.integers(0, 2, size=ROWS)
    return pd.DataFrame({v: columns[v].astype(np.int64) for v in order})


def _known(which: str) -> CorrAL:
    for name in WHICH:
        if name == which:
            return name
    raise unknown("CorrAL data set", which, WHICH)
