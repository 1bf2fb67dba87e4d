"""Any number of noisy copies of a few binary variables, judged exactly without ever building the joint.

A noisy copy N of a binary variable V equals V, flipped by its own independent coin. With 24 of them the
joint has too many cells to look at, but only few copies can matter to one question X ⊥ Y | Z, which asks
whether P(x,y,z)·P(z) = P(x,z)·P(y,z) everywhere:

- In each value n of the copies of V on the side of X, both products are linear in the pair
  (P(n | V=0), P(n | V=1)). Two of these pairs are linearly independent as soon as one copy is not pure
  noise, so the equation holds for all n if and only if it holds for (1, 0) and (0, 1): that is, if V
  *itself* stood on that side. So all copies on a side may be replaced by one exact copy.
- Among the given variables both products are quadratic in that pair, so in the likelihood ratio
  r = P(n | V=1) / P(n | V=0), apart from a factor that is not zero. A quadratic that vanishes at three
  different r vanishes everywhere. One copy has the two ratios r and 1/r; two copies have at
  least three. So from the second copy on, further ones given change nothing.

Both arguments hold for several V at once, one after the other. So a question never needs more than two
given copies and one exact copy on each side of each V.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mbedu.errors import JudgeError, unknown
from mbedu.judge import Batched, Verdict, check_known
from mbedu.oracles import ExactJoint
from mbedu.oracles._weights import exact
from mbedu.query import Query

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NoisyCopies"]

ROWS = 2**18  # the largest table for which the strength is computed
REMEMBERED = 200_000


class NoisyCopies(Batched):
    """The oracle of a small joint distribution and independent noisy copies of its binary variables.

    Parameters
    ----------
    base : ExactJoint
        The variables that are copied, and whatever else they come with.
    copies : mapping of str to (str, Fraction)
        Name of the copy → the binary variable of `base`, and the probability that the copy differs from
        it: strictly between 0 and 1, and not 1/2 (a coin of its own belongs in another block of a Product).
    variables : iterable of str, optional
        All names in the order that breaks ties; by default those of `base`, then the copies.

    Notes
    -----
    Independence is exact at any size. `strength`, the conditional mutual information, is summed over the
    full table of the question, and is None (the reason says so) where that would have too many rows.

    Examples
    --------
    >>> coin = ExactJoint({(0, 0): 1, (1, 1): 1}, variables=["A", "T"])
    >>> world = NoisyCopies(coin, {f"N{i}": ("A", Fraction(1, 4)) for i in range(40)})
    >>> many = {f"N{i}" for i in range(40)}
    >>> world.judge(Query("T", many)).independent, world.judge(Query("T", many, "A")).independent
    (False, True)
    >>> world.judge(Query("T", "A", many)).independent
    False
    """

    ranks = True

    def __init__(
        self,
        base: ExactJoint,
        copies: Mapping[str, tuple[str, Fraction]],
        *,
        variables: Iterable[str] | None = None,
    ) -> None:
        self.base = base
        self.copies = {
            name: (of, exact(flip, f"the noise of {name!r}")) for name, (of, flip) in copies.items()
        }
        for name, (of, flip) in self.copies.items():
            self._check(name, of, flip)
        known = (*base.variables, *self.copies)
        self.variables = known if variables is None else tuple(variables)
        for v in (*self.variables, *known):
            if v not in known or v not in self.variables:
                raise unknown("variable", v, known, hint="`variables` must name all of them")
        if len(set(self.variables)) != len(known):
            raise JudgeError(f"{list(self.variables)}: a variable is named twice; every name once")
        self._verdicts: dict[Query, Verdict] = {}
        self._reduced: dict[Any, bool] = {}
        self._copies_of: dict[str, list[str]] = {}
        for name, (of, _) in self.copies.items():
            self._copies_of.setdefault(of, []).append(name)
        shares = base.table()
        common = math.lcm(*(p.denominator for p in shares.values()))
        self._rows = [(row, int(p * common)) for row, p in shares.items()]

    def _check(self, name: str, of: str, flip: Fraction) -> None:
        if name in self.base.variables:
            raise JudgeError(f"{name!r} is a variable of the base already; give the copy another name")
        if of not in self.base.variables:
            raise unknown("variable", of, self.base.variables)
        if len(self.base.states(of)) != 2:
            raise JudgeError(
                f"{of!r} has {len(self.base.states(of))} states; the argument for noisy copies needs two"
            )
        if not 0 < flip < 1 or flip == Fraction(1, 2):
            raise JudgeError(
                f"{name!r} differs from {of!r} with probability {flip}; it must be strictly between 0 and 1 "
                "and not 1/2: put exact copies into the base, and coins into another block of a Product"
            )

    # ------------------------------------------------------------------ verdicts
    def judge(self, query: Query) -> Verdict:
        """Answer one query, exactly."""
        verdict = self._verdicts.get(query)
        if verdict is None:
            check_known(self.variables, query)
            independent = self._independent(query)
            verdict = Verdict(True, strength=0.0) if independent else self._dependent(query)
            if len(self._verdicts) >= REMEMBERED:
                self._verdicts.clear()
            self._verdicts[query] = verdict
        return verdict

    def _independent(self, query: Query) -> bool:
        """Reduce the question to at most two given copies and one exact copy a side, and ask that."""
        # which base variables stand for each side; a noisy copy there is as good as its original
        x = self._originals(query.x)
        y = self._originals(query.y)
        z = [(v, "") for v in self.base.variables if v in query.given]
        for of, listed in self._copies_of.items():
            named = [v for v in listed if v in query.given]
            chosen = named if len(named) < 2 else listed[:2]  # two given copies say what any two say
            z += [(of, v) for v in chosen]
        key = (tuple(x), tuple(y), tuple(z))
        if key not in self._reduced:
            if len(self._reduced) >= REMEMBERED:
                self._reduced.clear()
            columns = [(f"x{i}", c) for i, c in enumerate(x)]
            columns += [(f"y{i}", c) for i, c in enumerate(y)]
            columns += [(f"z{i}", c) for i, c in enumerate(z)]
            side = {s: [name for name, _ in columns if name[0] == s] for s in "xyz"}
            asked = Query(side["x"], side["y"], side["z"])
            self._reduced[key] = self._joint(columns).judge(asked).independent
        return self._reduced[key]

    def _originals(self, side: frozenset[str]) -> list[tuple[str, str]]:
        found = {self.copies[v][0] if v in self.copies else v for v in side}
        return [(v, "") for v in self.base.variables if v in found]

    def _joint(self, columns: list[tuple[str, tuple[str, str]]]) -> ExactJoint:
        """Build the joint of some columns: (name, (variable, "")), or (name, (original, its noisy copy))."""
        position = {v: i for i, v in enumerate(self.base.variables)}
        plain = [position[of] for _, (of, copy) in columns if not copy]
        noisy = [
            (position[of], self.base.states(of), self.copies[copy][1]) for _, (of, copy) in columns if copy
        ]
        table: dict[tuple[Any, ...], int] = {}
        for row, p in self._rows:
            head = tuple(row[c] for c in plain)
            tails: list[tuple[tuple[Any, ...], int]] = [((), p)]
            for c, states, flip in noisy:
                same, other = row[c], states[1 - states.index(row[c])]
                a, b = flip.denominator - flip.numerator, flip.numerator
                tails = [t for tail, w in tails for t in (((*tail, same), w * a), ((*tail, other), w * b))]
            for tail, w in tails:
                table[*head, *tail] = table.get((*head, *tail), 0) + w
        order = [name for name, (_, copy) in columns if not copy] + [
            name for name, (_, copy) in columns if copy
        ]
        return ExactJoint(table, variables=order)

    # ------------------------------------------------------------------ strength
    def _dependent(self, query: Query) -> Verdict:
        noisy = [v for v in self.copies if v in query.variables]
        rows = self.base.support * 2 ** len(noisy)
        if rows > ROWS:
            reason = f"dependent; no strength, because its table would have {rows:,} rows"
            return Verdict(False, reason=reason)
        shares, columns = self._floats(query, noisy)
        h = {part: _entropy(shares, [columns[v] for v in self._ordered(part)]) for part in _parts(query)}
        xz, yz, z, xyz = _parts(query)
        return Verdict(False, strength=max(math.fsum((h[xz], h[yz], -h[z], -h[xyz])), math.ulp(0.0)))

    def _ordered(self, part: frozenset[str]) -> list[str]:
        return [v for v in self.variables if v in part]

    def _floats(self, query: Query, noisy: list[str]) -> tuple[npt.NDArray[Any], dict[str, npt.NDArray[Any]]]:
        rows = self._rows
        total = sum(p for _, p in rows)
        code = {
            v: np.array([self.base.states(v).index(row[i]) for row, _ in rows], dtype=np.int64)
            for i, v in enumerate(self.base.variables)
        }
        flips = 2 ** len(noisy)
        shares = np.repeat(np.array([p / total for _, p in rows]), flips)
        pattern = np.tile(np.arange(flips), len(rows))
        columns = {v: np.repeat(c, flips) for v, c in code.items() if v in query.variables}
        for i, v in enumerate(noisy):
            of, flip = self.copies[v]
            bit = pattern >> i & 1
            shares = shares * np.where(bit, float(flip), float(1 - flip))
            columns[v] = np.repeat(code[of], flips) ^ bit
        return shares, columns

    # ------------------------------------------------------------------ for the reader
    def joint(self, *, limit: int = 1_000_000) -> ExactJoint:
        """Return the whole distribution as one table, where it is small enough for that."""
        rows = self.base.support * 2 ** len(self.copies)
        if rows > limit:
            raise JudgeError(f"the joint has {rows:,} rows, above limit={limit:,}; ask this judge instead")
        columns = [(v, (v, "")) for v in self.base.variables]
        full = self._joint(columns + [(v, (of, v)) for v, (of, _) in self.copies.items()])
        table = {}
        for row, p in full.table().items():
            value = dict(zip(full.variables, row, strict=True))
            table[tuple(value[v] for v in self.variables)] = p
        return ExactJoint(table, variables=self.variables, limit=limit)

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw `n` independent rows as categoricals with all states declared."""
        import pandas as pd

        seeds = np.random.SeedSequence(seed).generate_state(2, dtype=np.uint64).tolist()
        drawn, rng = self.base.sample(n, seed=seeds[0]), np.random.default_rng(seeds[1])
        for name, (of, flip) in self.copies.items():
            wrong = rng.integers(0, flip.denominator, size=n) < flip.numerator
            levels: Any = list(self.base.states(of))
            codes = drawn[of].cat.codes.to_numpy() ^ wrong
            drawn[name] = pd.Categorical.from_codes(codes, categories=levels)
        return drawn[list(self.variables)]

    def describe(self) -> dict[str, Any]:
        """Say what this judge is: its kind, variables, base and copies."""
        copies = {name: [of, str(flip)] for name, (of, flip) in self.copies.items()}
        return {
            "kind": "NoisyCopies",
            "variables": list(self.variables),
            "base": self.base.describe(),
            "copies": copies,
        }

    def __repr__(self) -> str:
        return f"<NoisyCopies: {len(self.base.variables)} variables and {len(self.copies)} noisy copies>"


def _parts(query: Query) -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    return query.x | query.given, query.y | query.given, query.given, query.variables


def _entropy(shares: npt.NDArray[Any], columns: list[npt.NDArray[Any]]) -> float:
    key = np.zeros(len(shares), dtype=np.int64)
    for column in columns:
        key = np.unique(key * (int(column.max()) + 1) + column, return_inverse=True)[1].astype(np.int64)
    sums = np.bincount(key, weights=shares)
    return -math.fsum(p * math.log(p) for p in sums.tolist() if p > 0)
