"""Data sets that can be made exactly: tic-tac-toe endgames, Breiman's waveforms, the MONK's problems."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["monks", "near_parity", "tic_tac_toe", "waveform"]

SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def tic_tac_toe() -> pd.DataFrame:
    """Return all boards at which a game of tic-tac-toe can end, x having begun; positive where x has won.

    Examples
    --------
    >>> boards = tic_tac_toe()
    >>> len(boards), int((boards["Class"] == "positive").sum())
    (958, 626)
    """
    import pandas as pd

    ends: dict[str, bool] = {}

    def play(board: str, mover: str) -> None:
        won = any(board[a] == board[b] == board[c] != "b" for a, b, c in LINES)
        if won or "b" not in board:
            ends[board] = won and mover == "o"  # it would be o's turn: x has made the last move
            return
        for i, square in enumerate(board):
            if square == "b":
                after = board[:i] + mover + board[i + 1 :]
                if after not in seen:
                    seen.add(after)
                    play(after, "o" if mover == "x" else "x")

    seen: set[str] = set()
    play("b" * 9, "x")
    rows = [[*board, "positive" if x else "negative"] for board, x in sorted(ends.items())]
    frame = pd.DataFrame(rows, columns=[*SQUARES, "Class"])
    for name in SQUARES:
        frame[name] = pd.Categorical(frame[name], categories=["b", "o", "x"])
    frame["Class"] = pd.Categorical(frame["Class"], categories=["negative", "positive"])
    return frame


def waveform(n: int = 5000, seed: int = 0) -> pd.DataFrame:
    """Return Breiman's waveforms, version 1: mixtures of two of three triangles at 21 points, with noise.

    Examples
    --------
    >>> waveform(100, seed=1).shape
    (100, 22)

    References
    ----------
    Breiman, Friedman, Olshen and Stone. Classification and Regression Trees, 1984, section 2.6.2.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    at = np.arange(1, 22)
    base = [np.maximum(6 - np.abs(at - peak), 0) for peak in (7, 15, 11)]
    pairs = [(0, 1), (0, 2), (1, 2)]
    label, u = rng.integers(0, 3, n), rng.random((n, 1))
    first = np.array([base[a] for a, _ in pairs])[label]
    second = np.array([base[b] for _, b in pairs])[label]
    x = u * first + (1 - u) * second + rng.standard_normal((n, 21))
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in at])
    frame["class"] = pd.Categorical([str(c) for c in label], categories=["0", "1", "2"])
    return frame


def monks(which: int = 1, seed: int = 0) -> pd.DataFrame:
    """Return all 432 robots with the label of MONK's problem 1, 2 or 3 (of the third, 5 % are wrong).

    Examples
    --------
    >>> monks(1).shape
    (432, 7)
    """
    import pandas as pd

    from mbedu.problems.monks import NAMES, SIZES, rule

    rows = [[*a, int(rule(which, a))] for a in product(*(range(1, n + 1) for n in SIZES))]
    frame = pd.DataFrame(rows, columns=[*NAMES, "class"])
    if which == 3:
        wrong = np.random.default_rng(seed).choice(len(frame), size=round(0.05 * len(frame)), replace=False)
        frame.loc[wrong, "class"] = 1 - frame.loc[wrong, "class"]
    return frame


def near_parity(
    variables: int, rows: int, *, noise: float = 0.1, reading: str = "biased", bit: float = 0.6, seed: int = 0
) -> pd.DataFrame:
    """Draw rows in which X1 … X4 are tied by a near-parity and X5 … are distractors.

    The three readings of "near-parity with bit probability 0.60" are those of `mbedu.problems.parity`:
    ``biased`` (members with P(1) = `bit`, the target their parity, flipped with the noise), ``uniform``
    (fair members), ``tilted`` (rows of even parity share the weight `bit`, those of odd parity the rest;
    then the target is flipped). A distractor has its own probability, uniform on [0, 1].

    Examples
    --------
    >>> frame = near_parity(6, 1000, noise=0.0, seed=1)
    >>> bool((frame[["X1", "X2", "X3", "X4"]].sum(axis=1) % 2 == 0).all())
    True
    """
    import pandas as pd

    from mbedu.errors import DataError

    if variables < 4 or rows < 1:
        raise DataError(
            f"{variables} variables, {rows} rows: near-parity ties four variables, in one row at least"
        )
    if reading not in ("biased", "uniform", "tilted"):
        raise DataError(f"reading={reading!r}: choose 'biased', 'uniform' or 'tilted'")
    rng = np.random.default_rng(seed)
    members = rng.random((rows, 3)) < (bit if reading == "biased" else 0.5)
    target = members.sum(axis=1) % 2 == 1
    if reading == "tilted":
        target ^= rng.random(rows) < 1 - bit
    target ^= rng.random(rows) < noise
    share = rng.random(variables - 4)
    others = rng.random((rows, variables - 4)) < share
    table = np.column_stack([target, members, others]).astype(np.uint8)
    return pd.DataFrame(table, columns=[f"X{i}" for i in range(1, variables + 1)])
