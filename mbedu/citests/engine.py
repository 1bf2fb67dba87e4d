"""The counting engine: tables of (x, y) in every stratum of a conditioning set, for many y at once.

What is shared is done once. The strata of a conditioning set are its *observed* configurations,
numbered by their first row, refined variable by variable and remembered, so that S ∪ {v} costs one
pass over the rows after S (where they can only be few, NumPy numbers them by their code instead). A
*context* is an x in such strata: each row has a cell (stratum, level of x). All candidates are then
counted against the same cells, by

- bit planes and population counts, when the cells are few;
- adding up row by row, otherwise (without numba: rows of sixteen-bit lanes, sorted by cell);
- moments and inclusion–exclusion for sets of binary variables, with the rows sorted by cell, so that
  a word of 64 rows is looked at once and not once a cell;
- sorting, when a dense table would be far larger than the data.

Numbering strata by their first row or by their code makes the result a function of the question
alone, whatever was asked before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbedu.citests import kernels_numpy
from mbedu.citests.encode import BLOCK, PLANE_LEVELS, Encoded, Ints, Words
from mbedu.errors import JudgeError

__all__ = ["Context", "Engine", "EngineName", "load_kernels"]

EngineName: TypeAlias = Literal["auto", "numba", "numpy"]
Floats: TypeAlias = NDArray[np.float64]
Chooses: TypeAlias = tuple[Floats, int, Floats, Floats]  # limits, policy, sure above, sure below
Chosen: TypeAlias = tuple[int, list[int]]  # position or −1, and those it tied with
Tuples: TypeAlias = Ints  # candidates × members, column numbers in variable order

JOINT = 64  # joint variables with more configurations than this are compacted to the observed ones
PLANE_CELLS = {"numba": 64, "numpy": 48}  # up to this many cells planes beat counting row by row
BIT_WORDS = 1 << 16  # strata are kept as bit masks while these take up to 512 kB
BINARY_MEMBERS = 6  # sets of binary variables up to this size go by inclusion–exclusion
PAIR_BYTES = 1 << 25  # the table of pair moments may take 32 MB
LEAVE_OUT = 1 << 16  # a set with more configurations than this is taken apart question by question
MOST_LANES = (1 << 16) - 1  # rows and cells that sixteen bits can count
DENSE_STRATA = 1 << 12  # up to so many configurations NumPy numbers strata by their code
LANES = 1 << 24  # rows × levels kept as lanes: 32 MB
FEWEST_CELLS = 6  # with fewer cells and many rows planes are shorter than lanes
REMEMBERED = 1 << 23  # rows of strata and contexts kept: up to 64 MB each


def load_kernels(engine: EngineName = "auto") -> tuple[EngineName, Any]:
    """Return the name and the module of the kernels: numba's if it can be imported, else NumPy's."""
    if engine not in ("auto", "numba", "numpy"):
        raise JudgeError(f"engine={engine!r}: it is 'auto', 'numba' (the extra 'fast') or 'numpy'")
    if engine == "numpy":
        return "numpy", kernels_numpy
    try:
        from mbedu.citests import kernels_numba
    except ImportError as why:
        if engine == "numba":
            raise JudgeError(
                f"engine='numba': numba cannot be imported ({why}); install mbedu[fast] or use engine='numpy'"
            ) from why
        return "numpy", kernels_numpy
    return "numba", kernels_numba


@dataclass(slots=True)
class Context:
    """An x within the strata of a conditioning set.

    The rows that count and the cell (stratum, level of x) of each, `strata × r` cells with `sizes` rows.
    Strata in which x is constant are left out, where no value is missing.
    """

    x: tuple[int, ...]
    given: frozenset[int]
    rows: NDArray[Any]
    cell: NDArray[Any]
    strata: int
    r: int
    sizes: Ints
    masks: Words | None
    total: int  # rows in all; −1 where candidates have missing values and each has its own
    order: tuple[Ints, Ints] | None = None
    sorted: dict[tuple[int, ...], tuple[Words, Ints, Ints]] = field(default_factory=dict)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.strata * self.r


class Engine:
    """Count and measure. Results are columns of five numbers: G², χ², adjusted df, rows, cells.

    Parameters
    ----------
    data : Encoded
    engine : "auto", "numba" or "numpy"
    chi : bool
        Whether χ² is wanted too; without it that number is 0.
    """

    def __init__(self, data: Encoded, *, engine: EngineName = "auto", chi: bool = False) -> None:
        self.data = data
        self.name: EngineName
        self.name, self.kernels = load_kernels(engine)
        self.chi = chi
        k = np.arange(data.n + 1, dtype=np.float64)
        self.klogk: Floats = k * np.log(np.maximum(k, 1.0))
        self.any_missing = bool(data.missing.any())
        self._by_code = self.name == "numpy" and not self.any_missing
        self.all_planes = not self.any_missing and bool((data.cards <= PLANE_LEVELS).all())
        self.binary = (data.cards <= 2) & (data.missing == 0)
        self._planes: tuple[Words, Ints] | None = None
        self._lanes: kernels_numpy.Lanes | None = None
        self._short = np.zeros((0, 0), np.uint16)
        self._at_once: tuple[Words, Words, Ints, Ints] | None = None
        self._strata: dict[frozenset[int], tuple[NDArray[np.int32], int]] = {}
        self._contexts: dict[tuple[tuple[int, ...], frozenset[int]], Context] = {}

    def forget(self) -> None:
        """Forget strata and contexts, as a benchmark must between its repetitions."""
        self._strata.clear()
        self._contexts.clear()

    def __getstate__(self) -> dict[str, Any]:  # for another process: the data, not what was remembered
        return {"data": self.data, "engine": self.name, "chi": self.chi}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # a process without numba still answers, by the other path
        engine: EngineName = "auto" if state["engine"] == "numba" else "numpy"
        Engine.__init__(self, state["data"], engine=engine, chi=state["chi"])

    # --- strata and contexts ---------------------------------------------------------------------

    def strata(self, given: frozenset[int]) -> tuple[NDArray[np.int32], int]:
        """Return each row's stratum and how many there are; rows with missing values lie behind them."""
        known = self._strata.get(given)
        if known is not None:
            return known
        members = sorted(given)
        codes = self.data.matrix
        if self._by_code and codes is not None and self.declared(members) <= DENSE_STRATA:
            made = kernels_numpy.number(codes, self.data.cards, members)
            self._remember(self._strata, given, made)
            return made
        for v in reversed(members):  # one variable more than a set that was asked about
            shorter = self._strata.get(given - {v})
            if shorter is not None:
                made = self.refine(*shorter, v)
                break
        else:
            made = self._prefix(members)
        self._remember(self._strata, given, made)
        return made

    def _prefix(self, members: list[int]) -> tuple[NDArray[np.int32], int]:
        """Build strata variable by variable, from the longest prefix that is known."""
        made: tuple[NDArray[np.int32], int] = (np.zeros(self.data.n, np.int32), 1)
        for k, v in enumerate(members):
            prefix = frozenset(members[: k + 1]) if k < 8 else None
            known = self._strata.get(prefix) if prefix else None
            made = self.refine(*made, v) if known is None else known
            if prefix and known is None:
                self._remember(self._strata, prefix, made)
        return made

    def planes(self) -> tuple[Words, Ints]:
        """Return the bit planes as the kernels want them."""
        if self._planes is None:
            self._planes = self.kernels.arrange_planes(*self.data.planes())
        return self._planes

    def refine(self, z: NDArray[np.int32], strata: int, v: int) -> tuple[NDArray[np.int32], int]:
        """Split strata by one more variable."""
        card = int(self.data.cards[v])
        if strata * card <= self._dense():
            return self.kernels.refine(z, strata, self.data.column(v), card)  # type: ignore[no-any-return]
        return _refine_by_sorting(z, strata, self.data.column(v), card)

    def joint(self, members: Sequence[int]) -> tuple[NDArray[np.int32], int]:
        """Return the joint of some variables compacted to the configurations that occur, by first row."""
        made: tuple[NDArray[np.int32], int] = (np.zeros(self.data.n, np.int32), 1)
        for v in members:
            made = self.refine(*made, v)
        return made

    def _remember(self, memory: dict[Any, Any], key: Any, value: Any) -> None:
        if len(memory) >= max(4, min(512, REMEMBERED // self.data.n)):
            for old in list(memory)[: len(memory) // 2]:
                del memory[old]
        memory[key] = value

    def _dense(self) -> int:
        """Tables up to this many cells are dense."""
        return max(1 << 16, 64 * self.data.n)

    def context(self, x: tuple[int, ...], given: frozenset[int]) -> Context:
        """Return the cells of x in the strata of `given`; x in variable order."""
        key = (x, given)
        known = self._contexts.get(key)
        if known is not None:
            return known
        z, strata = self.strata(given)
        if len(x) == 1:
            code: NDArray[Any] = self.data.column(x[0])
            r = int(self.data.cards[x[0]])
        else:
            code, r = self.joint(x)
            r = max(1, r)
        if strata * r <= self._dense():
            most = PLANE_CELLS[self.name]
            drop = not self.any_missing
            rows, cell, left, sizes, masks = self.kernels.cells_of(z, strata, code, r, drop, most)
            made = Context(
                x, given, rows, cell, left, r, sizes,
                masks if left * r <= most else None, self.data.n if drop else -1,
            )  # fmt: skip
        else:
            rows = np.flatnonzero((z < strata) & (code < r))
            cell = z[rows].astype(np.int64) * r + code[rows]
            none = np.zeros(0, np.int64)
            made = Context(x, given, rows, cell, strata, r, none, None, -1)
        self._remember(self._contexts, key, made)
        return made

    def declared(self, columns: Iterable[int]) -> int:
        """Return how many configurations the declared levels of some columns have."""
        return math.prod(int(self.data.cards[v]) for v in columns)

    # --- counting --------------------------------------------------------------------------------

    def scan_at_once(self, x: tuple[int, ...], given: tuple[int, ...], columns: Ints) -> Floats | None:
        """Measure a single x against single columns with nothing in between; None if that cannot be.

        Without missing values, numba does a whole question in one call on bits, if every column has planes
        and the strata are not too many, and NumPy a single candidate in one table.
        """
        if self.any_missing or len(x) > 1:
            return None
        if self.name == "numpy":
            if len(columns) == 1:
                return self._scan_one(x[0], given, int(columns[0]))
            whole = self.scan_all(x[0], given) if 2 * len(columns) >= len(self.data.cards) else None
            return None if whole is None else whole[:, columns]
        if not self.all_planes:
            return None
        out = np.empty((5, len(columns)))
        zs = np.array(given, np.int64)
        done = self.kernels.scan_bits(
            *self._bits(), x[0], zs, columns, self.data.n, BIT_WORDS, self.klogk, self.chi, out
        )
        return out if done else None

    def strongest_other(
        self, sides: tuple[int, ...], rule: Chooses, by_p: bool, out: Floats
    ) -> Chosen | None:
        """Measure x, the first of `sides`, against all columns but these, given the rest of them, and choose.

        One compiled call. The answer is None if that cannot be.
        """
        if self.any_missing or self.name == "numpy" or not self.all_planes:
            return None
        ties = np.empty(out.shape[1], np.int64)
        best, count = self.kernels.strongest_other(
            *self._bits(),
            np.array(sides),
            self.data.n,
            BIT_WORDS,
            self.klogk,
            self.chi,
            *rule,
            by_p,
            out,
            ties,
        )
        return (best, ties[:count].tolist() if count else []) if best > -2 else None

    def choose(
        self, measured: tuple[Floats, Floats, Floats], rule: Chooses, by_p: bool, least: bool
    ) -> Chosen | None:
        """Choose among candidates, with their degrees of freedom and cells; see `kernels_numba.choose`."""
        out, df, cells = measured
        if self.name == "numpy":
            return None
        ties = np.empty(out.shape[1], np.int64)
        best, count = self.kernels.choose(out, self.chi, df, cells, *rule, by_p, least, ties)
        return (best, ties[:count].tolist() if count else []) if best > -2 else None

    def leave_out(self, x: tuple[int, ...], given: tuple[int, ...], columns: Ints) -> Floats | None:
        """Measure x against some members of a set, each given the others; None if that cannot be at once."""
        codes = self.data.matrix
        if self.any_missing or len(x) > 1 or codes is None or self.declared(given) > LEAVE_OUT:
            return None
        out = np.empty((5, len(columns)))
        zs = np.array(given, np.int64)
        self.kernels.leave_out(codes, self.data.cards, x[0], zs, columns, self.klogk, self.chi, out)
        return out

    def weakest_member(
        self,
        sides: tuple[tuple[int, ...], tuple[int, ...]],
        columns: Ints,
        rule: Chooses,
        by_p: bool,
        out: Floats,
    ) -> Chosen | None:
        """Do what `leave_out` does and choose, in one compiled call; None if that cannot be."""
        x, given = sides
        codes = self.data.matrix
        if (
            self.name == "numpy"
            or self.any_missing
            or len(x) > 1
            or codes is None
            or self.declared(given) > LEAVE_OUT
        ):
            return None
        ties = np.empty(len(columns), np.int64)
        best, count = self.kernels.weakest_member(
            codes,
            self.data.cards,
            x[0],
            np.array(given),
            columns,
            self.klogk,
            self.chi,
            *rule,
            by_p,
            out,
            ties,
        )
        return (best, ties[:count].tolist() if count else []) if best > -2 else None

    def _bits(self) -> tuple[Words, Words, Ints, Ints]:
        """Return what the compiled calls on bits read: planes, rows of 0s and 1s, starts, levels."""
        if self._at_once is None:
            planes, start = self.planes()
            ones = self.kernels.arrange_ones(planes, self.data.n)
            self._at_once = (planes, ones, start, self.data.cards)
        return self._at_once

    def _scan_one(self, x: int, given: tuple[int, ...], y: int) -> Floats | None:
        z, strata = self.strata(frozenset(given))
        r, c = int(self.data.cards[x]), int(self.data.cards[y])
        if strata * r * c > self._dense():
            return None
        column = self.data.column
        return kernels_numpy.scan_one(z, strata, column(x), r, column(y), c, self.klogk, self.chi)

    def scan_all(self, x: int, given: tuple[int, ...]) -> Floats | None:
        """Measure x against every column, itself and the given ones too; None if another way is shorter.

        NumPy only, where rows, cells and levels are not more than lanes can hold.
        """
        n, cards, codes = self.data.n, self.data.cards, self.data.matrix
        if not self._by_code or codes is None or n > MOST_LANES:
            return None
        r, strata = int(cards[x]), self.declared(given)
        if strata > DENSE_STRATA or strata * r > MOST_LANES or (strata * r < FEWEST_CELLS and n > 2000):
            return None
        if self._lanes is None:
            if n * int(cards.sum()) > LANES:
                return None
            self._lanes = kernels_numpy.arrange_lanes(codes, cards)
            self._short = codes.astype(np.uint16)  # of one kind with what is added up from them
        cell = kernels_numpy.joint_code(self._short, cards, (*given, x))
        return kernels_numpy.scan_lanes(self._lanes, cell, strata, r, self.klogk, self.chi)

    def scan(self, context: Context, columns: Ints) -> Floats:
        """Measure x against each of these columns."""
        out = np.empty((5, len(columns)))
        cards = self.data.cards
        if context.strata == 0:  # x is constant in every stratum, or no row is complete
            out[:] = 0.0
            out[3] = max(0, context.total)
            return out
        if context.masks is not None:
            if self.all_planes:
                return self._scan_planes(context, columns)
            by_planes = self.planes()[1][columns] >= 0
        else:
            by_planes = np.zeros(len(columns), np.bool_)
        dense = context.cells * cards[columns] <= self._dense()
        if not by_planes.any() and dense.all():
            return self._scan_codes(context, columns[:, None])
        if by_planes.any():
            out[:, by_planes] = self._scan_planes(context, columns[by_planes])
        rest = ~by_planes & dense
        if rest.any():
            out[:, rest] = self._scan_codes(context, columns[rest][:, None])
        for j in np.flatnonzero(~by_planes & ~dense):
            v = int(columns[j])
            out[:, j] = self._scan_sorted(context, self.data.column(v), int(cards[v]))
        return out

    def _scan_planes(self, context: Context, columns: Ints) -> Floats:
        out = np.empty((5, len(columns)))
        planes, start = self.planes()
        self.kernels.scan_planes(
            planes, start, self.data.cards, columns, context.masks, context.sizes, context.strata, context.r,
            context.total, self.klogk, self.chi, out,
        )  # fmt: skip
        return out

    def _scan_codes(self, context: Context, tuples: Tuples) -> Floats:
        shape = (context.rows, context.cell, context.strata, context.r, context.total, self.klogk, self.chi)
        cards = self.data.cards
        out = np.empty((5, len(tuples)))
        if self.data.matrix is not None:
            self.kernels.scan_codes(self.data.matrix, cards, tuples, *shape, out)
            return out
        for a in range(0, len(tuples), BLOCK):  # 0/1 data kept as bits are unpacked a block at a time
            some = tuples[a : a + BLOCK]
            used, at = np.unique(some, return_inverse=True)
            part = np.empty((5, len(some)))
            self.kernels.scan_codes(self.data.codes(used), cards[used], at.reshape(some.shape), *shape, part)
            out[:, a : a + BLOCK] = part
        return out

    def _scan_sorted(self, context: Context, code: NDArray[Any], card: int) -> Floats:
        """Measure one candidate whose dense table would be far larger than the data."""
        kept = code[context.rows] < card
        cell, y = context.cell[kept].astype(np.int64), code[context.rows[kept]].astype(np.int64)
        seen, number = np.unique(y, return_inverse=True)
        size = max(1, len(seen))
        full, count = np.unique(cell * size + number, return_counts=True)
        xz, a = np.unique(cell, return_counts=True)
        yz, b = np.unique(cell // context.r * size + number, return_counts=True)
        z, n = np.unique(cell // context.r, return_counts=True)
        x_of, y_of = np.searchsorted(z, xz // context.r), np.searchsorted(z, yz // size)
        seen_x, seen_y = np.bincount(x_of, minlength=len(z)), np.bincount(y_of, minlength=len(z))
        ea = a[np.searchsorted(xz, full // size)].astype(float)
        eb = b[np.searchsorted(yz, full // size // context.r * size + full % size)].astype(float)
        en = n[np.searchsorted(z, full // size // context.r)].astype(float)
        expected = ea * eb / en
        told = (count - expected) ** 2 / expected - expected  # the empty cells are the rest of Σ expected = n
        delta = (count * en - ea * eb) / (ea * eb)
        g = 2.0 * float((expected * kernels_numpy.divergence(delta) - expected).sum() + n.sum())
        chi = float(told.sum() + n.sum())
        df = int(((seen_x - 1) * (seen_y - 1)).sum())
        if df == 0:
            g = chi = 0.0
        cells = int((seen_x * seen_y)[(seen_x > 1) & (seen_y > 1)].sum())
        rows = len(cell) if context.total < 0 else context.total
        return np.array([max(g, 0.0), max(chi, 0.0), df, rows, cells])

    def scan_tuples(self, context: Context, tuples: Tuples, items: tuple[int, ...]) -> Floats:
        """Measure x against joint candidates, tuples of column numbers out of `items`, all of one size."""
        size, m = tuples.shape
        if m == 1 or context.strata == 0:
            return self.scan(context, tuples[:, 0])
        cards = self.data.cards
        binary = np.zeros(size, np.bool_)
        # a set goes the same way whatever the others are, so that it gets the same number to the last bit
        if m <= BINARY_MEMBERS and context.cells << m <= self._dense():
            binary = self.binary[tuples].all(1)
            if binary.all():
                return self._scan_binary(context, tuples, items)
        configurations = cards[tuples].astype(float).prod(1)
        small = (configurations <= JOINT) & (context.cells * configurations <= self._dense())
        out = np.empty((5, size))
        if binary.any():
            out[:, binary] = self._scan_binary(context, tuples[binary], items)
        rest = small & ~binary
        if rest.any():
            out[:, rest] = self._scan_codes(context, tuples[rest])
        for j in np.flatnonzero(~small & ~binary):
            out[:, j] = self._scan_joint(context, tuples[j].tolist())
        return out

    def _scan_joint(self, context: Context, members: list[int]) -> Floats:
        code, card = self.joint(members)
        if context.cells * max(1, card) > self._dense():
            return self._scan_sorted(context, code, card)
        out = np.empty((5, 1))
        one = np.zeros((1, 1), np.int64)
        shape = (context.rows, context.cell, context.strata, context.r, context.total, self.klogk, self.chi)
        self.kernels.scan_codes(code.astype(np.uint32)[None], np.array([max(1, card)]), one, *shape, out)
        return out[:, 0]

    def _scan_binary(self, context: Context, tuples: Tuples, items: tuple[int, ...]) -> Floats:
        if context.order is None:
            context.order = self.kernels.cell_order(context.cell, context.sizes)
        place, start = context.order
        items = tuple(v for v in items if self.binary[v])
        ready = context.sorted.get(items)
        if ready is None:
            planes = self.kernels.move_bits(self.data.codes(items), context.rows, place, int(start[-1]))
            pairs = len(tuples) > len(items) and len(items) ** 2 * context.cells * 8 <= PAIR_BYTES
            ready = (planes, *self.kernels.moments(planes, start, pairs))
            context.sorted.clear()  # one set of candidates at a time: the next scan has another context
            context.sorted[items] = ready
        planes, single, double = ready
        position = np.full(len(self.data.names), -1)
        position[list(items)] = np.arange(len(items))
        out = np.empty((5, len(tuples)))
        self.kernels.scan_tuples(
            planes, start, context.sizes, single, double, position[tuples], context.strata, context.r,
            context.total, self.klogk, self.chi, out,
        )  # fmt: skip
        return out


def _refine_by_sorting(
    z: NDArray[np.int32], strata: int, code: NDArray[Any], card: int
) -> tuple[NDArray[np.int32], int]:
    kept = (z < strata) & (code < card)
    joint = z[kept].astype(np.int64) * card + code[kept]
    _, first, number = np.unique(joint, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first))
    out = np.full(len(z), len(first), np.int32)
    out[kept] = rank[number]
    return out, len(first)
