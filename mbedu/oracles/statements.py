"""Independence by decree: a list of statements, and what follows from them by named axioms.

The axioms are those of semigraphoids, graphoids and compositional graphoids [1]_; W, X, Y, Z are disjoint:

    symmetry       X ⊥ Y | Z                      ⟹  Y ⊥ X | Z          (always)
    decomposition  X ⊥ Y∪W | Z                    ⟹  X ⊥ Y | Z
    weak_union     X ⊥ Y∪W | Z                    ⟹  X ⊥ Y | Z∪W
    contraction    X ⊥ Y | Z    and X ⊥ W | Z∪Y   ⟹  X ⊥ Y∪W | Z
    intersection   X ⊥ Y | Z∪W  and X ⊥ W | Z∪Y   ⟹  X ⊥ Y∪W | Z
    composition    X ⊥ Y | Z    and X ⊥ W | Z     ⟹  X ⊥ Y∪W | Z

References
----------
.. [1] J. Pearl, Probabilistic Reasoning in Intelligent Systems, Morgan Kaufmann, 1988, section 3.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from mbedu.errors import JudgeError, unknown
from mbedu.judge import Batched, Verdict, check_known
from mbedu.oracles._graph import check_variables
from mbedu.query import Query

__all__ = ["AXIOMS", "Statements"]

AXIOMS = ("symmetry", "decomposition", "weak_union", "contraction", "intersection", "composition")

Triple: TypeAlias = tuple[int, int, int]  # x, y, given as bit masks

LISTED, DERIVED, DEPENDENT = Verdict(True, reason="listed"), Verdict(True, reason="derived"), Verdict(False)


class Statements(Batched):
    """The oracle that knows a list of independencies; everything else is dependent.

    Parameters
    ----------
    variables : iterable of str
        The universe, in the order that breaks ties.
    holds : iterable of Query
        The independencies that hold; (x, y, given) and (x, y) tuples do as well.
    close : iterable of str
        Axioms under which the list is closed, any of `AXIOMS`. Symmetry always holds.
    limit : int
        The most variables for which a closure is computed: it may hold about 4ⁿ/2 statements.

    Notes
    -----
    The closure is the least set that holds the list and obeys the axioms named: nothing is in it that
    does not follow. It is what the axioms give, not all that holds in every distribution with these
    independencies: no finite set of axioms gives that.

    Examples
    --------
    >>> pair = Statements("XYW", [Query("X", {"Y", "W"})], close=["decomposition", "weak_union"])
    >>> pair.judge(Query("X", "Y")).independent, pair.judge(Query("W", "X", "Y")).independent
    (True, True)
    >>> pair.judge(Query("Y", "W")).independent
    False
    """

    ranks = False

    def __init__(
        self,
        variables: Iterable[str],
        holds: Iterable[Query | tuple[Any, ...]],
        *,
        close: Iterable[str] = (),
        limit: int = 7,
    ) -> None:
        self.variables = check_variables(list(variables) if isinstance(variables, str) else variables)
        self._bit = {v: 1 << i for i, v in enumerate(self.variables)}
        self.close = _check_axioms(close)
        self.holds = tuple(dict.fromkeys(_as_query(statement) for statement in holds))
        for query in self.holds:
            check_known(self.variables, query)
        listed = [self._triple(query) for query in self.holds]
        self._listed = {t for x, y, z in listed for t in ((x, y, z), (y, x, z))}
        self._known = self._listed
        if self.close:
            if len(self.variables) > limit:
                raise JudgeError(
                    f"a closure over {len(self.variables)} variables may hold {_most(len(self.variables)):,} "
                    f"statements, above limit={limit} variables; use fewer variables, list the statements "
                    "without close=, or raise limit="
                )
            self._known = _closure(listed, frozenset(self.close))

    def _triple(self, query: Query) -> Triple:
        x, y, z = (sum(self._bit[v] for v in side) for side in (query.x, query.y, query.given))
        return x, y, z

    def judge(self, query: Query) -> Verdict:
        """Answer one query; the reason says whether the statement was listed or derived."""
        try:
            triple = self._triple(query)
        except KeyError:
            check_known(self.variables, query)
            raise
        if triple not in self._known:
            return DEPENDENT
        return LISTED if triple in self._listed else DERIVED

    def statements(self) -> list[Query]:
        """Return every independence that holds, each once: by size of given, then in variable order."""
        once = sorted((z.bit_count(), z, x, y) for x, y, z in self._known if x < y)
        return [Query(self._members(x), self._members(y), self._members(z)) for _, z, x, y in once]

    def _members(self, mask: int) -> list[str]:
        return [v for v, bit in self._bit.items() if mask & bit]

    def describe(self) -> dict[str, Any]:
        """Say what this judge is: its kind, variables, listed statements and axioms."""
        return {
            "kind": "Statements",
            "variables": list(self.variables),
            "holds": [[sorted(q.x), sorted(q.y), sorted(q.given)] for q in self.holds],
            "close": list(self.close),
        }

    def explain(self, query: Query) -> dict[str, Any]:
        """Say why: listed, derived by the axioms, or neither."""
        verdict = self.judge(query)
        if verdict is LISTED:
            text = "Independent: the statement is listed."
        elif verdict is DERIVED:
            text = f"Independent: it follows from the list by {', '.join(('symmetry', *self.close))}."
        else:
            text = "Dependent: the statement is not listed" + (" and does not follow." if self.close else ".")
        return {
            "query": str(query),
            "independent": verdict.independent,
            "text": text,
            "reason": verdict.reason,
        }

    def __repr__(self) -> str:
        hold = len(self._known) // 2
        return f"<Statements: {len(self.variables)} variables, {len(self.holds)} listed, {hold} hold>"


def _check_axioms(close: Iterable[str]) -> tuple[str, ...]:
    asked = (close,) if isinstance(close, str) else tuple(close)
    for axiom in asked:
        if axiom not in AXIOMS:
            raise unknown("axiom", axiom, AXIOMS)
    return tuple(axiom for axiom in AXIOMS[1:] if axiom in asked)


def _as_query(statement: Query | tuple[Any, ...]) -> Query:
    if isinstance(statement, Query):
        return statement
    if isinstance(statement, tuple) and len(statement) in (2, 3):
        return Query(*statement)
    raise JudgeError(f"{statement!r} is not a statement; give Query(x, y, given) or the tuple (x, y, given)")


def _most(n: int) -> int:
    total: int = (4**n - 2 * 3**n + 2**n) // 2
    return total


def _parts(mask: int) -> Iterator[int]:
    """Yield the subsets of `mask` other than itself and the empty one."""
    part = (mask - 1) & mask
    while part:
        yield part
        part = (part - 1) & mask


class _Known:
    """The statements found so far, both ways round, and for each (x, given) the sides y that go with it."""

    def __init__(self) -> None:
        self.all: set[Triple] = set()
        self.sides: defaultdict[tuple[int, int], list[int]] = defaultdict(list)

    def add(self, x: int, y: int, z: int) -> bool:
        if (x, y, z) in self.all:
            return False
        for a, b in ((x, y), (y, x)):
            self.all.add((a, b, z))
            self.sides[a, z].append(b)
        return True


def _closure(listed: Iterable[Triple], axioms: frozenset[str]) -> set[Triple]:
    """Apply the axioms to every statement and every pair of statements until nothing new comes out."""
    known = _Known()
    waiting = list(listed)
    while waiting:
        x, y, z = waiting.pop()
        if known.add(x, y, z):
            # each new statement meets all earlier ones, in both roles and both ways round
            for a, b in ((x, y), (y, x)):
                waiting.extend(_from_one(a, b, z, axioms))
                waiting.extend(_from_two(a, b, z, known, axioms))
    return known.all


def _from_one(x: int, y: int, z: int, axioms: frozenset[str]) -> Iterator[Triple]:
    for part in _parts(y):
        if "decomposition" in axioms:
            yield x, part, z
        if "weak_union" in axioms:
            yield x, part, z | (y ^ part)


def _from_two(x: int, y: int, z: int, known: _Known, axioms: frozenset[str]) -> list[Triple]:
    """Return what follows from x ⊥ y | z together with another known statement about x."""
    found: list[Triple] = []
    subsets = [z, *_parts(z)] if z else []
    if "contraction" in axioms:
        found += [(x, y | w, z) for w in known.sides.get((x, z | y), ())]  # as the first premise
        for part in subsets:  # as the second: its given set is Z ∪ Y for some Y with x ⊥ Y | Z
            if (x, part, z ^ part) in known.all:
                found.append((x, part | y, z ^ part))
    if "intersection" in axioms:
        for w in subsets:
            if (x, w, (z ^ w) | y) in known.all:
                found.append((x, y | w, z ^ w))
    if "composition" in axioms:
        found += [(x, y | w, z) for w in known.sides.get((x, z), ()) if not w & y]
    return found
