"""Conditional probability tables in exact arithmetic.

A table is kept as integer *weights*, one row for each configuration of the parents: the probability
of a state is its weight divided by the sum of its row. Any table of rational numbers can be written
so, and the division is the only place where a float can appear.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from numbers import Integral, Rational
from typing import TYPE_CHECKING, Any

from mbedu.errors import MbeduError

if TYPE_CHECKING:  # numpy takes longer to import than most networks take to load
    import numpy as np
    import numpy.typing as npt

__all__ = ["NetworkError", "Table", "table"]

# Probabilities are rounded where they are printed; a row further from 1 than this is a mistake.
SLACK = Fraction(1, 100)

# Below this bound an integer is a float64 without loss, so that int64 / int64 is rounded once only.
LOSSLESS = 2**53


class NetworkError(MbeduError):
    """A network that cannot be built or read: a cycle, a table of the wrong shape, a broken file."""


class Table:
    """The weights of one variable: a row for each parent configuration, a column for each state.

    The last parent varies fastest, as in numpy's C order. The numbers of a shipped network stay text
    until somebody asks for them, which is what makes loading fast.

    Parameters
    ----------
    shape : tuple of int
        Number of states of each parent, then of the variable.
    weights : str or sequence of int
        Non-negative integers, row by row: numbers separated by blanks, or a flat sequence.
    """

    __slots__ = ("_array", "_raw", "shape")

    def __init__(self, shape: tuple[int, ...], weights: str | Sequence[int]) -> None:
        self.shape = shape
        self._raw: str | Sequence[int] = weights
        self._array: npt.NDArray[Any] | None = None

    def weights(self) -> npt.NDArray[Any]:
        """Return the weights, one row a configuration: int64 where that is lossless, else Python integers."""
        if self._array is None:
            array = _decoded(self._raw, self.shape[-1])
            array.flags.writeable = False  # shared by every caller
            self._array, self._raw = array, ()
        return self._array

    def exact(self) -> npt.NDArray[np.object_]:
        """Return Python integers of shape `shape` whose rows all have the same, smallest possible, sum."""
        import numpy as np

        weights = self.weights()
        reduced = weights // np.gcd.reduce(weights, axis=1)[:, None]
        sums = reduced.sum(axis=1).tolist()
        common = math.lcm(*set(sums))
        factors = np.array([common // total for total in sums], dtype=object)
        return np.asarray(reduced.astype(object) * factors[:, None], dtype=object).reshape(self.shape)

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return the correctly rounded probabilities, one row a parent configuration."""
        import numpy as np

        weights = self.weights()
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)

    def cumulative(self) -> npt.NDArray[np.float64]:
        """Return P(state ≤ column) by row; exactly 1.0 from the last state of positive probability on."""
        import numpy as np

        weights = self.weights()
        return np.asarray(np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True), dtype=np.float64)

    def __eq__(self, other: object) -> bool:
        """Two tables are equal when their probabilities are, exactly, whatever the weights."""
        import numpy as np

        if not isinstance(other, Table):
            return NotImplemented
        if self.shape != other.shape:
            return False
        mine, theirs = self.weights(), other.weights()
        if mine.dtype == theirs.dtype and np.array_equal(mine, theirs):
            return True
        return bool(np.array_equal(self.exact(), other.exact()))

    __hash__ = None  # type: ignore[assignment]  # weights of one distribution may differ

    def __getstate__(self) -> tuple[tuple[int, ...], str | Sequence[int]]:
        # flat and plain: it needs no numpy to be read back, and keeps text as text
        return self.shape, self._raw if self._array is None else self._array.ravel().tolist()

    def __setstate__(self, state: tuple[tuple[int, ...], str | Sequence[int]]) -> None:
        self.shape, self._raw = state
        self._array = None


def _decoded(raw: str | Sequence[int], states: int) -> npt.NDArray[Any]:
    import numpy as np

    if isinstance(raw, str):
        flat = np.fromstring(raw, dtype=np.int64, sep=" ")
    else:
        flat = np.array(raw, dtype=np.int64 if max(raw) * states < LOSSLESS else object)
    return flat.reshape(-1, states)


def table(nested: Any, variable: str, *, parents: Sequence[str], states: dict[str, tuple[str, ...]]) -> Table:
    """Build the table of `variable` from nested sequences of exact numbers, checking everything.

    Parameters
    ----------
    nested : nested sequences
        One level for each parent, in order, then the row over the variable's states. A row of
        integers holds weights; a row with Fractions, Decimals or decimal text holds probabilities,
        which must sum to 1 within 0.01 and are then divided by their sum, exactly.
    variable, parents, states
        Whose table it is, and the names of all states.
    """
    axes = [*parents, variable]
    shape = tuple(len(states[axis]) for axis in axes)
    title = f"P({variable}{' | ' + ', '.join(parents) if parents else ''})"
    flat: list[int] = []
    configurations = product(*(states[parent] for parent in parents))
    for row, configuration in zip(_rows(nested, shape, title, axes), configurations, strict=True):
        given = ", ".join(f"{p}={s}" for p, s in zip(parents, configuration, strict=True))
        flat += _integers(row, f"P({variable}{' | ' + given if given else ''})")
    return Table(shape, flat)


def _rows(nested: Any, shape: tuple[int, ...], title: str, axes: list[str]) -> Iterator[list[Any]]:
    """Yield the rows of nested sequences in order, or say where the shape is wrong."""
    if hasattr(nested, "tolist"):  # a numpy array, also of objects
        nested = nested.tolist()
    if isinstance(nested, (str, bytes)) or not isinstance(nested, Sequence):
        raise NetworkError(
            f"{title}: {nested!r} stands where a list over the states of {axes[0]!r} should be"
        )
    if len(nested) != shape[0]:
        raise NetworkError(
            f"{title}: {len(nested)} entries where {axes[0]!r} has {shape[0]} states; "
            f"nest the lists in the order {', '.join(axes)}: {' × '.join(map(str, shape))}"
        )
    if len(shape) == 1:
        yield list(nested)
        return
    for part in nested:
        yield from _rows(part, shape[1:], title, axes[1:])


def _integers(row: list[Any], place: str) -> list[int]:
    """Turn one row of exact numbers into integer weights of the same proportions."""
    numbers = [_exact(entry, place) for entry in row]
    if min(numbers) < 0:
        bad = row[numbers.index(min(numbers))]
        raise NetworkError(f"{place}: {bad!r} is negative; probabilities and weights are at least 0")
    total = sum(numbers)
    if total == 0:
        raise NetworkError(f"{place}: all entries are 0; at least one state needs a positive probability")
    if not all(isinstance(entry, Integral) for entry in row) and abs(total - 1) > SLACK:
        raise NetworkError(
            f"{place}: {', '.join(map(str, row))} sums to {float(total):g}; "
            f"probabilities sum to 1 (within {float(SLACK):g}): correct the row, or give integer weights, "
            "which are divided by their sum"
        )
    scale = math.lcm(*(number.denominator for number in numbers))
    return [int(number * scale) for number in numbers]


def _exact(value: Any, place: str) -> Fraction:
    """Return `value` as a Fraction; refuse what is not exact."""
    if isinstance(value, float):  # also numpy's float64
        raise NetworkError(
            f"{place}: {float(value)!r} is a float, and exact probabilities are promised; write the text "
            f"'{float(value)!r}', Fraction('{float(value)!r}') or integer weights"
        )
    try:
        if isinstance(value, Integral):  # numpy's integers too, whose products would overflow
            return Fraction(int(value))
        if isinstance(value, (str, Rational, Decimal)):
            return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        pass
    raise NetworkError(
        f"{place}: {value!r} ({type(value).__name__}) is not an exact number; "
        "use integers, Fractions or decimal text such as '0.05'"
    )
