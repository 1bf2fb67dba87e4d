"""The exact joint distribution of finite variables: integers in, independence out, no tolerance.

X ⊥ Y | Z holds when n(x,y,z)·n(z) = n(x,z)·n(y,z) in every cell, n being the total weight of a cell. Only
the cells of positive weight have to be looked at: if the equation holds in all of them, then within
a stratum z the products n(x,z)·n(y,z) of those cells already add up to n(z)², which is what the
products of *all* cells add up to, so the cells of weight zero have a product of zero as well.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from mbedu.errors import JudgeError, unknown
from mbedu.judge import Batched, Verdict, check_known
from mbedu.oracles._weights import Ints, Table, from_frame, from_mapping, from_network
from mbedu.query import Query, Vars, names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExactJoint"]

INDEPENDENT = Verdict(True, strength=0.0)
SMALLEST = math.ulp(0.0)  # the strength of a dependence too weak for a float: positive all the same
WIDE = 2048  # above so many rows a query first adds up the variables that it does not name
KEPT = 4_000_000  # numbers kept in the cache of one table
REMEMBERED = 100_000  # verdicts kept
WORD = 2**64


class _Rows:
    """Rows of positive weight, and the total weight of any cell that a row lies in."""

    def __init__(self, codes: Ints, weights: Sequence[int], cards: Sequence[int]) -> None:
        self.codes, self.cards = codes, cards
        self.total = sum(weights)
        # the largest product that is ever formed is total², so this bound proves that int64 is exact
        self.small = self.total * self.total < 2**63
        self.weights = np.array(weights, dtype=np.int64 if self.small else object)
        self._counts: dict[int, Ints] = {}
        self._low: dict[int, Ints] = {}
        self._entropy: dict[int, float] = {}
        self._projected: dict[int, _Rows] = {}

    def columns(self, mask: int) -> list[int]:
        return [i for i in range(len(self.cards)) if mask >> i & 1]

    def keys(self, mask: int) -> tuple[Ints, int]:
        """Number the cells of the variables in `mask`: the number of each row's cell, and a bound on them."""
        key, size = np.zeros(len(self.codes), dtype=np.int64), 1
        for c in self.columns(mask):
            key = key * self.cards[c] + self.codes[:, c]
            size *= self.cards[c]
            if size > max(1024, 4 * len(self.codes)):  # count the cells that occur, never the full product
                key = np.unique(key, return_inverse=True)[1].astype(np.int64)
                size = int(key.max()) + 1
        return key, size

    def _sums(self, mask: int) -> tuple[Ints, Ints]:
        key, size = self.keys(mask)
        sums = np.zeros(size, dtype=self.weights.dtype)
        np.add.at(sums, key, self.weights)
        return key, sums

    def _fill(self, mask: int) -> None:
        if len(self._counts) * len(self.codes) > KEPT:
            self._counts.clear()
            self._low.clear()
        key, sums = self._sums(mask)
        self._counts[mask] = sums[key]
        if not self.small:
            self._low[mask] = np.array([s % WORD for s in sums.tolist()], dtype=np.uint64)[key]
        self._entropy[mask] = self._entropy_of(sums)

    def _entropy_of(self, sums: Ints) -> float:
        shares = [s / self.total for s in sums.tolist()]
        return -math.fsum(p * math.log(p) for p in shares if p)

    def counts(self, mask: int) -> Ints:
        """Return for every row the total weight of its cell of the variables in `mask`."""
        if mask not in self._counts:
            self._fill(mask)
        return self._counts[mask]

    def low(self, mask: int) -> Ints:
        """Return `counts(mask)` modulo 2⁶⁴."""
        if mask not in self._low:
            self._fill(mask)
        return self._low[mask]

    def entropy(self, mask: int) -> float:
        if mask not in self._entropy:
            self._entropy[mask] = self._entropy_of(self._sums(mask)[1])
        return self._entropy[mask]

    def independent(self, x: int, y: int, z: int) -> bool:
        if not self.small:
            # uint64 products wrap round modulo 2⁶⁴; if they differ even so, the true ones differ
            low = self.low
            if not (low(x | y | z) * low(z) == low(x | z) * low(y | z)).all():
                return False
        n = self.counts
        return bool((n(x | y | z) * n(z) == n(x | z) * n(y | z)).all())

    def information(self, x: int, y: int, z: int) -> float:
        """Return the conditional mutual information of a dependent pair, in nats; always positive."""
        h = self.entropy
        return max(math.fsum((h(x | z), h(y | z), -h(z), -h(x | y | z))), SMALLEST)

    def project(self, mask: int) -> _Rows:
        """Add up the variables outside `mask`; rows that agree on `mask` become one."""
        if mask not in self._projected:
            if sum(len(rows.codes) for rows in self._projected.values()) * len(self.cards) > KEPT:
                self._projected.clear()
            key, sums = self._sums(mask)
            found, first = np.unique(key, return_index=True)
            codes = np.zeros((len(found), len(self.cards)), dtype=np.int64)
            columns = self.columns(mask)
            codes[:, columns] = self.codes[first][:, columns]
            self._projected[mask] = _Rows(codes, sums[found].tolist(), self.cards)
        return self._projected[mask]


class ExactJoint(Batched):
    """The oracle of a distribution over finite variables, in exact arithmetic.

    Parameters
    ----------
    source : mapping, pandas.DataFrame, Network or pgmpy model
        `{(value, …): weight}`, a frame with one column a variable and a column of weights, or a network,
        whose tables are exact. Weights are integers or Fractions; only their ratios matter. The floats
        of a pgmpy model are taken as the decimal numbers that they print as.
    variables : iterable of str, optional
        The names, in the order that breaks ties. A mapping needs them.
    weights : str
        The name of the column of weights in a frame.
    states : mapping of str to sequence, optional
        The states of a variable in order; by default in order of appearance (or the levels of a
        categorical column). It may name states that have no weight.
    limit : int
        The most cells of positive weight that are accepted.

    Notes
    -----
    `strength` is the conditional mutual information in nats: exactly 0.0 when independent, and
    positive otherwise. There is no p-value.

    Examples
    --------
    Two fair coins and their parity: each coin alone says nothing about it, both together say all.

    >>> xor = ExactJoint({(a, b, a ^ b): 1 for a in (0, 1) for b in (0, 1)}, variables="A B T".split())
    >>> xor.judge(Query("T", "A")).independent, xor.judge(Query("T", {"A", "B"})).independent
    (True, False)
    >>> round(xor.judge(Query("T", "A", "B")).strength, 6) == round(math.log(2), 6)
    True
    """

    ranks = True

    def __init__(
        self,
        source: Any,
        *,
        variables: Iterable[str] | None = None,
        weights: str = "weight",
        states: Mapping[str, Sequence[Hashable]] | None = None,
        limit: int = 1_000_000,
    ) -> None:
        if hasattr(source, "get_cpds"):
            from mbedu.networks import (
                Network,
            )  # a pgmpy model: its floats are read as the decimals they print as

            source = Network.from_pgmpy(source)
        if isinstance(source, Table):  # a marginal of another one
            table = source
        elif isinstance(source, Mapping):
            table = from_mapping(source, variables, states, limit)
        elif hasattr(source, "columns") and hasattr(source, "iloc"):
            table = from_frame(source, variables, weights, states, limit)
        elif hasattr(source, "exact_cpt"):
            if states is not None:
                raise JudgeError("states= is for tables of weights; a network brings its own states")
            table = from_network(source, variables, limit)
        else:
            raise JudgeError(
                f"{type(source).__name__} has no exact weights; pass {{(value, …): weight}}, a DataFrame "
                "with a column of weights, an mbedu Network or a pgmpy model"
            )

        self._table = table
        self.variables = table.variables
        self._bit = {v: 1 << i for i, v in enumerate(self.variables)}
        self._rows = _Rows(table.codes, table.weights, [len(s) for s in table.states])
        self._verdicts: dict[tuple[int, int, int], Verdict] = {}

    # ------------------------------------------------------------------ the verbs
    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        bit = self._bit
        x = y = z = 0
        try:
            for v in query.x:
                x |= bit[v]
            for v in query.y:
                y |= bit[v]
            for v in query.given:
                z |= bit[v]
        except KeyError:
            check_known(self.variables, query)
            raise
        return self._decide(x, y, z)

    def _decide(self, x: int, y: int, z: int) -> Verdict:
        key = (x, y, z) if x < y else (y, x, z)
        verdict = self._verdicts.get(key)
        if verdict is None:
            rows = self._rows if len(self._rows.codes) <= WIDE else self._rows.project(x | y | z)
            if rows.independent(*key):
                verdict = INDEPENDENT
            else:
                verdict = Verdict(False, strength=rows.information(*key))
            if len(self._verdicts) >= REMEMBERED:
                self._verdicts.clear()
            self._verdicts[key] = verdict
        return verdict

    # ------------------------------------------------------------------ the distribution
    @property
    def support(self) -> int:
        """The number of cells of positive weight."""
        return len(self._table.weights)

    def states(self, variable: str) -> tuple[Hashable, ...]:
        """Return the states of `variable`, in order."""
        return self._table.states[self._column(variable)]

    def table(self) -> dict[tuple[Hashable, ...], Fraction]:
        """Return the probability of every cell of positive weight."""
        states, total = self._table.states, self._rows.total
        return {
            tuple(states[i][k] for i, k in enumerate(row)): Fraction(w, total)
            for row, w in zip(self._table.codes.tolist(), self._table.weights, strict=True)
        }

    def marginal(self, variables: Vars) -> ExactJoint:
        """Return the distribution of some of the variables, in the order of this one."""
        mask = self._mask(variables)
        if not mask:
            raise JudgeError("a marginal of no variables; name at least one")
        rows, columns = self._rows.project(mask), self._rows.columns(mask)
        weights = [int(w) for w in rows.weights.tolist()]
        common = math.gcd(*weights)
        table = Table(
            tuple(self.variables[c] for c in columns),
            tuple(self._table.states[c] for c in columns),
            rows.codes[:, columns],
            tuple(w // common for w in weights),
        )
        return ExactJoint(table)

    def prob(self, event: Mapping[str, Hashable], given: Mapping[str, Hashable] | None = None) -> Fraction:
        """Return the exact probability of `event` (and conditional on `given`).

        Examples
        --------
        >>> coin = ExactJoint({("heads",): 2, ("tails",): 1}, variables=["coin"])
        >>> coin.prob({"coin": "heads"})
        Fraction(2, 3)
        """
        condition = self._where(given or {})
        below = self._weight(condition)
        if not below:
            raise JudgeError(f"{dict(given or {})!r} has probability zero; condition on what can happen")
        return Fraction(self._weight(condition & self._where(event)), below)

    def _where(self, event: Mapping[str, Hashable]) -> Ints:
        chosen = np.ones(self.support, dtype=bool)
        for v, value in event.items():
            i = self._column(v)
            if value not in self._table.states[i]:
                raise unknown(f"state of {v}", value, map(str, self._table.states[i]))
            chosen &= self._table.codes[:, i] == self._table.states[i].index(value)
        return chosen

    def _weight(self, chosen: Ints) -> int:
        return sum(w for w, c in zip(self._table.weights, chosen.tolist(), strict=True) if c)

    def entropy(self, variables: Vars, given: Vars = ()) -> float:
        """Return the entropy of some variables, conditional on others, in nats."""
        z = self._mask(given)
        return max(0.0, self._rows.entropy(self._mask(variables) | z) - self._rows.entropy(z))

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw `n` independent rows as categoricals with all states declared."""
        import pandas as pd

        if n < 0:
            raise JudgeError(f"n={n}: a sample has zero or more rows")
        rng = np.random.default_rng(seed)
        if self._rows.small:
            ends = np.cumsum(self._rows.weights)
            rows = np.searchsorted(ends, rng.integers(0, self._rows.total, size=n), side="right")
        else:
            shares = np.array([w / self._rows.total for w in self._table.weights])
            rows = rng.choice(self.support, size=n, p=shares / shares.sum())
        drawn = self._table.codes[rows]
        levels: list[Any] = [
            pd.Index(list(s), tupleize_cols=False) for s in self._table.states
        ]  # also tuples
        return pd.DataFrame(
            {
                v: pd.Categorical.from_codes(drawn[:, i], categories=level)
                for i, (v, level) in enumerate(zip(self.variables, levels, strict=True))
            }
        )

    def _column(self, variable: str) -> int:
        return self._mask(variable).bit_length() - 1

    def _mask(self, variables: Vars) -> int:
        mask = 0
        for v in sorted(names(variables)):
            if v not in self._bit:
                raise unknown("variable", v, self.variables)
            mask |= self._bit[v]
        return mask

    # ------------------------------------------------------------------ for the reader
    def describe(self) -> dict[str, Any]:
        """Say what this judge is: its kind, variables, number of states of each, and of cells."""
        cards = {v: len(self._table.states[i]) for i, v in enumerate(self.variables)}
        return {
            "kind": "ExactJoint",
            "variables": list(self.variables),
            "cards": cards,
            "support": self.support,
        }

    def explain(self, query: Query) -> dict[str, Any]:
        """Say why: the distributions of x given two values of y in one stratum, which differ or agree.

        Returns
        -------
        dict
            Plain JSON values: `query`, `independent`, `strength`, `text`, `stratum` (the values of the
            given variables) and `tables`, one for each of the two values of y: `y`, `weight` and `x`, a list
            of `value`, `fraction` (text, exact) and `float`. When dependent it is the first stratum
            in which two differ; when independent the first with two values of y, or none.

        Examples
        --------
        >>> xor = ExactJoint({(a, b, a ^ b): 1 for a in (0, 1) for b in (0, 1)}, variables="A B T".split())
        >>> print(xor.explain(Query("T", "A", "B"))["text"])
        Dependent: where B = 0, T has another distribution for A = 0 than for A = 1.
        """
        from mbedu.oracles._tables import explain_tables

        verdict = self.judge(query)
        told = {"query": str(query), "independent": verdict.independent, "strength": verdict.strength}
        return told | explain_tables(self.marginal(query.variables), query, verdict.independent)

    def __repr__(self) -> str:
        return f"<ExactJoint: {len(self.variables)} variables, {self.support} cells of positive weight>"
