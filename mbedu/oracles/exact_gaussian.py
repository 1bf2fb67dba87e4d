"""The exact Gaussian: rational covariances, and zero means zero.

For jointly Gaussian variables X ⊥ Y | Z holds when the conditional covariance Σxy − Σxz Σzz⁻ Σzy is the
zero matrix. It is computed by fraction-free elimination [1]_ of the variables of Z, one at a
time; a variable that is a linear function of those before it has conditional variance zero and then,
the covariance being positive semidefinite, a row of zeros: it is passed over, which is what the
generalised inverse does. So deterministic relations need no special care.

References
----------
.. [1] E. Bareiss, Sylvester's identity and multistep integer-preserving Gaussian elimination, 1968.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from mbedu.errors import JudgeError, unknown
from mbedu.judge import Batched, Verdict, check_known
from mbedu.oracles._graph import check_variables, find_cycle, topological
from mbedu.oracles._weights import exact
from mbedu.query import Query, sentence_set

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExactGaussian"]

INDEPENDENT = Verdict(True, strength=0.0)
SMALLEST = math.ulp(0.0)  # the strength of a dependence too weak for a float: positive all the same
KEPT = 2_000_000  # entries of conditional covariances kept

Matrix: TypeAlias = list[list[int]]


class ExactGaussian(Batched):
    """The oracle of jointly Gaussian variables with a rational covariance matrix.

    Parameters
    ----------
    covariance : sequence of rows, mapping of mappings, or pandas.DataFrame
        Integers or Fractions; symmetric and positive semidefinite. It may be singular.
    variables : iterable of str, optional
        The names, in the order that breaks ties. Rows without names need them.

    Notes
    -----
    `strength` is the conditional mutual information in nats. It is infinite (`math.inf`) when some
    combination of x is a function of y (and given) that was not fixed already, as with a
    deterministic relation between continuous variables. There is no p-value.

    Examples
    --------
    >>> chain = ExactGaussian.from_equations({"B": {"A": 2}, "C": {"B": Fraction(1, 3)}})
    >>> chain.judge(Query("A", "C")).independent, chain.judge(Query("A", "C", "B")).independent
    (False, True)
    >>> copies = ExactGaussian([[1, 1], [1, 1]], variables=["A", "copy"])
    >>> copies.judge(Query("A", "copy")).strength
    inf
    """

    ranks = True

    def __init__(self, covariance: Any, *, variables: Iterable[str] | None = None) -> None:
        self.variables, rows = _read(covariance, variables)
        self._bit = {v: 1 << i for i, v in enumerate(self.variables)}
        self._exact = rows
        self._scale = math.lcm(*(c.denominator for row in rows for c in row))
        whole = [[int(c * self._scale) for c in row] for row in rows]
        self._start = (whole, 1)  # a common factor changes neither zeros nor information
        self._given: dict[int, tuple[Matrix, int]] = {}
        self._check_semidefinite()

    @classmethod
    def from_equations(
        cls,
        equations: Mapping[str, Mapping[str, Any]],
        *,
        noise: Any = 1,
        variables: Iterable[str] | None = None,
    ) -> ExactGaussian:
        """Build from linear structural equations: child = Σ coefficient · parent + noise.

        Parameters
        ----------
        equations : mapping of child to mapping of parent to coefficient
            Integers or Fractions. A variable without an entry has no parents.
        noise : number or mapping of str to number
            The variance of the noise of all, or of each variable named (the others have 1); 0 makes a
            variable a function of its parents.
        variables : iterable of str, optional
            The order; by default parents before children as they are mentioned.

        Examples
        --------
        >>> total = ExactGaussian.from_equations({"S": {"A": 1, "B": 1}}, noise={"S": 0})
        >>> total.judge(Query("A", "B")).independent, total.judge(Query("A", "B", "S")).independent
        (True, False)
        """
        mentioned = dict.fromkeys(v for child, line in equations.items() for v in (*line, child))
        order = check_variables(mentioned if variables is None else variables)
        for v in mentioned:
            if v not in order:
                raise unknown(
                    "variable", v, order, hint="`variables` must name all that the equations mention"
                )
        edges = [(p, child) for child, line in equations.items() for p in line]
        if any(p == child for p, child in edges):
            raise JudgeError(
                f"{next(p for p, c in edges if p == c)!r} stands in its own equation; take it out"
            )
        cycle = find_cycle(order, edges)
        if cycle:
            raise JudgeError(f"the equations form a cycle: {' → '.join(cycle)}; no variable may cause itself")
        variance = _noise(noise, order)
        effects: dict[str, dict[str, Fraction]] = {}  # of each noise on the variable
        for v in topological(order, edges):
            effects[v] = {v: Fraction(1)}
            for p, weight in equations.get(v, {}).items():
                by = exact(weight, f"the coefficient of {p!r} in the equation of {v!r}", sign=True)
                for e, effect in effects[p].items():
                    effects[v][e] = effects[v].get(e, Fraction(0)) + by * effect
        rows = [
            [
                sum(
                    (c * effects[b][e] * variance[e] for e, c in effects[a].items() if e in effects[b]),
                    Fraction(0),
                )
                for b in order
            ]
            for a in order
        ]
        return cls(rows, variables=order)

    # ------------------------------------------------------------------ elimination
    def _check_semidefinite(self) -> None:
        matrix, pivot = self._start
        for i, v in enumerate(self.variables):
            others = [self.variables[j] for j, c in enumerate(matrix[i]) if c and j != i]
            if matrix[i][i] < 0 or (matrix[i][i] == 0 and others):
                why = (
                    f"has conditional variance {Fraction(matrix[i][i], pivot)} given the variables before it"
                )
                if others:
                    why += f" and covaries with {others[0]!r}"
                raise JudgeError(
                    f"the covariance is not positive semidefinite: {v!r} {why}; "
                    "no variables have such covariances: check the entries of these rows"
                )
            matrix, pivot = _eliminate(matrix, pivot, i)

    def _conditional(self, given: int) -> tuple[Matrix, int]:
        """Return the conditional covariance given a mask: integers, and their denominator."""
        known = self._given.get(given)
        if known is not None:
            return known
        if len(self._given) * len(self.variables) ** 2 > KEPT:
            self._given.clear()
        found, mask = self._start, 0
        for i in range(given.bit_length()):
            if given >> i & 1:
                mask |= 1 << i
                if mask not in self._given:
                    self._given[mask] = _eliminate(*found, i)
                found = self._given[mask]
        return found

    # ------------------------------------------------------------------ the verbs
    def judge(self, query: Query) -> Verdict:
        """Answer one query."""
        try:
            x, y = (sorted(self._bit[v].bit_length() - 1 for v in side) for side in (query.x, query.y))
            given = sum(self._bit[v] for v in query.given)
        except KeyError:
            check_known(self.variables, query)
            raise
        matrix, _ = self._conditional(given)
        if not any(matrix[i][j] for i in x for j in y):
            return INDEPENDENT
        return Verdict(False, strength=_information(matrix, x, y))

    # ------------------------------------------------------------------ the distribution
    def covariance(self, a: str, b: str, given: Iterable[str] = ()) -> Fraction:
        """Return the exact covariance of `a` and `b`, conditional on the variables of `given`.

        Examples
        --------
        >>> fork = ExactGaussian.from_equations({"A": {"Z": 1}, "B": {"Z": 1}})
        >>> fork.covariance("A", "B"), fork.covariance("A", "A", given=["Z"])
        (Fraction(1, 1), Fraction(1, 1))
        """
        chosen = [given] if isinstance(given, str) else list(given)
        for v in (a, b, *chosen):
            if v not in self._bit:
                raise unknown("variable", v, self.variables)
        mask = 0
        for v in chosen:
            mask |= self._bit[v]
        matrix, pivot = self._conditional(mask)
        i, j = self.variables.index(a), self.variables.index(b)
        return Fraction(matrix[i][j], pivot * self._scale)

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw `n` independent rows with mean zero."""
        import numpy as np
        import pandas as pd

        if n < 0:
            raise JudgeError(f"n={n}: a sample has zero or more rows")
        rng = np.random.default_rng(seed)
        k = len(self.variables)
        factor = np.zeros((k, k))
        rest = [list(row) for row in self._exact]
        for v in range(k):  # Cholesky with rational arithmetic up to the last square root
            pivot = rest[v][v]
            if pivot:
                factor[:, v] = [float(rest[i][v] / pivot) * math.sqrt(pivot) for i in range(k)]
                rest = [[rest[i][j] - rest[i][v] * rest[v][j] / pivot for j in range(k)] for i in range(k)]
        return pd.DataFrame(rng.standard_normal((n, k)) @ factor.T, columns=list(self.variables))

    # ------------------------------------------------------------------ for the reader
    def describe(self) -> dict[str, Any]:
        """Say what this judge is: its kind, variables and covariance (exact, as text)."""
        return {
            "kind": "ExactGaussian",
            "variables": list(self.variables),
            "covariance": [[str(c) for c in row] for row in self._exact],
        }

    def explain(self, query: Query) -> dict[str, Any]:
        """Say why: the conditional covariance of every pair of the two sides.

        Returns
        -------
        dict
            Plain JSON values: `query`, `independent`, `strength` (None where it is infinite), `text`
            and `pairs`, a list of `x`, `y`, `covariance` (text, exact) and `float`.
        """
        verdict = self.judge(query)
        given = sorted(query.given)
        pairs = []
        for a in (v for v in self.variables if v in query.x):
            for b in (v for v in self.variables if v in query.y):
                c = self.covariance(a, b, given=given)
                pairs.append({"x": a, "y": b, "covariance": str(c), "float": float(c)})
        telling = next((p for p in pairs if p["covariance"] != "0"), None)
        if telling is None:
            text = f"Independent: all {len(pairs)} conditional covariances are exactly zero."
        else:
            pair = f"Cov({telling['x']}, {telling['y']} | {sentence_set(given)})"
            text = f"Dependent: {pair} = {telling['covariance']}."
        strength = verdict.strength
        return {
            "query": str(query),
            "independent": verdict.independent,
            "strength": None if strength is None or math.isinf(strength) else strength,
            "text": text,
            "pairs": pairs,
        }

    def __repr__(self) -> str:
        return f"<ExactGaussian: {len(self.variables)} variables>"


def _eliminate(matrix: Matrix, pivot: int, v: int) -> tuple[Matrix, int]:
    """Condition on variable `v`: covariances are matrix / pivot, before and after, all integers."""
    row = matrix[v]
    d = row[v]
    if not d:  # v is already a function of what is given: its row is zero and it changes nothing
        return matrix, pivot
    return [[(d * c - line[v] * r) // pivot for c, r in zip(line, row, strict=True)] for line in matrix], d


def _determinant(matrix: Matrix, chosen: Sequence[int]) -> tuple[int, int]:
    """Return the rank of the chosen block, and the determinant of its first basis."""
    block = [[matrix[i][j] for j in chosen] for i in chosen]
    rank, pivot = 0, 1
    for i in range(len(chosen)):
        if block[i][i]:
            rank += 1
            block, pivot = _eliminate(block, pivot, i)
    return rank, pivot


def _information(matrix: Matrix, x: Sequence[int], y: Sequence[int]) -> float:
    """Return ½ log(|Σx| |Σy| / |Σxy|) over bases, in nats: infinite where the ranks do not add up."""
    (rank_x, det_x), (rank_y, det_y) = _determinant(matrix, x), _determinant(matrix, y)
    rank, det = _determinant(matrix, [*x, *y])
    if rank < rank_x + rank_y:
        return math.inf
    ratio = Fraction(det, det_x * det_y)  # below 1 by Fischer's inequality
    if 2 * ratio < 1:
        return (math.log(ratio.denominator) - math.log(ratio.numerator)) / 2
    return max(-math.log1p(float(ratio - 1)) / 2, SMALLEST)  # ratio − 1 is exact: no cancellation


def _read(covariance: Any, variables: Iterable[str] | None) -> tuple[tuple[str, ...], list[list[Fraction]]]:
    """Return the names and the covariances, checked: complete, exact and symmetric."""
    if hasattr(covariance, "columns") and hasattr(covariance, "iloc"):
        if list(covariance.index) != list(covariance.columns):
            raise JudgeError(
                "the frame's index and columns differ; a covariance has the same names on both sides"
            )
        covariance = {c: dict(zip(covariance.index, covariance[c], strict=True)) for c in covariance.columns}
    if isinstance(covariance, Mapping):
        order = check_variables(covariance if variables is None else variables)
        for v in (*order, *covariance):
            if v not in covariance or v not in order:
                raise unknown("variable", v, order if v in covariance else covariance)
        for a in order:
            if set(covariance[a]) != set(order):
                odd = sorted(map(str, set(covariance[a]) ^ set(order)))
                raise JudgeError(
                    f"the row of {a!r} differs from the variables in {odd}; a row names each once"
                )
        raw: list[list[Any]] = [[covariance[a][b] for b in order] for a in order]
    else:
        if variables is None:
            raise JudgeError("rows of covariances have no names of their own; pass variables=[…], one a row")
        order = check_variables(variables)
        raw = [list(row) for row in covariance]
        if len(raw) != len(order) or any(len(row) != len(order) for row in raw):
            shape = f"{len(raw)} rows of lengths {sorted({len(row) for row in raw})}"
            raise JudgeError(
                f"{shape} for {len(order)} variables; a covariance is square, one row a variable"
            )
    if not order:
        raise JudgeError("there are no variables; a distribution needs at least one")
    rows = [
        [exact(c, f"the covariance of {a!r} and {b!r}", sign=True) for b, c in zip(order, row, strict=True)]
        for a, row in zip(order, raw, strict=True)
    ]
    for i, a in enumerate(order):
        for j, b in enumerate(order[:i]):
            if rows[i][j] != rows[j][i]:
                raise JudgeError(
                    f"Cov({a}, {b}) = {rows[i][j]} but Cov({b}, {a}) = {rows[j][i]}; "
                    "a covariance is symmetric: correct one of them"
                )
    return order, rows


def _noise(noise: Any, order: tuple[str, ...]) -> dict[str, Fraction]:
    if not isinstance(noise, Mapping):
        return dict.fromkeys(order, exact(noise, "the noise variance"))
    for v in noise:
        if v not in order:
            raise unknown("variable", v, order, hint="noise= names it")
    return {v: exact(noise.get(v, 1), f"the noise variance of {v!r}") for v in order}
