"""All abstract independence relations of a target, closed under some axioms and no others.

A theorem that assumes Decomposition and Contraction speaks about more than distributions: about every
relation that obeys these two. For a target and two or three other variables there are few enough
of them to look at all. A relation here is *one-sided*: it says for which Y and Z the target is
independent of Y given Z, and nothing about the other variables among themselves. The relations that obey
the rules on the target's side include the restrictions of all that obey them on both sides, so what
holds for all of these holds for all of those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from mbedu.errors import JudgeError
from mbedu.judge import Batched, Verdict
from mbedu.query import Query, sentence_set
from mbedu.theory._facts import guard
from mbedu.theory.axioms import AXIOMS, Axiom, Rule, named_axiom

__all__ = ["Relation", "closed_relations", "count_closed"]

LARGEST = 3  # 2¹⁹ relations with three others; with four there would be 2⁶⁵


class Relation(Batched):
    """The judge of one abstract relation: the target's independencies, listed as (Y, Z).

    Asked about anything but the target it refuses, because it does not know.

    Examples
    --------
    >>> r = Relation("T", ["A", "B"], [({"A"}, set())])
    >>> r.judge(Query("T", "A")).independent, r.judge(Query("B", "T")).independent
    (True, False)
    """

    def __init__(
        self, target: str, others: Sequence[str], holds: Iterable[tuple[Iterable[str], Iterable[str]]]
    ) -> None:
        self.target = target
        self.variables = (target, *others)
        self.holds = frozenset((frozenset(Y), frozenset(Z)) for Y, Z in holds)
        self._target = frozenset((target,))

    def judge(self, query: Query) -> Verdict:
        """Answer a query that has the target alone on one side."""
        if query.x == self._target:
            return Verdict((query.y, query.given) in self.holds)
        if query.y == self._target:
            return Verdict((query.x, query.given) in self.holds)
        raise JudgeError(f"{query}: this relation only knows statements {self.target} ⊥ Y | Z")

    def __str__(self) -> str:
        listed = sorted(self.holds, key=lambda s: (len(s[0]) + len(s[1]), sorted(s[1]), sorted(s[0])))
        said = [str(Query(self.target, Y, Z)) for Y, Z in listed]
        among = f"{self.target} among {sentence_set(self.variables[1:])}"
        return f"{among}: {'; '.join(said) or 'no independence'}"

    __repr__ = __str__


def _statements(n: int) -> dict[tuple[int, int], int]:
    """Number the statements T ⊥ Y | Z over n others, as masks (Y, Z)."""
    found = []
    for roles in product((0, 1, 2), repeat=n):
        Y = sum(1 << i for i, r in enumerate(roles) if r == 1)
        Z = sum(1 << i for i, r in enumerate(roles) if r == 2)
        if Y:
            found.append((Y, Z))
    return {s: i for i, s in enumerate(sorted(found, key=lambda s: ((s[0] | s[1]).bit_count(), s)))}


def _rules(axioms: Iterable[Axiom], n: int) -> Iterator[Rule]:
    """Yield every instance of the axioms with the target as X."""
    for axiom in axioms:
        for roles in product("YWZ-", repeat=n):
            Y, W, Z = (sum(1 << i for i, r in enumerate(roles) if r == part) for part in "YWZ")
            if Y and W:
                yield axiom.rule(0, Y, W, Z)


def _closed(axioms: Sequence[Axiom], n: int) -> np.ndarray:
    number = _statements(n)
    relations = np.arange(2 ** len(number), dtype=np.int64)
    for rule in dict.fromkeys(_rules(axioms, n)):
        premise = sum({1 << number[Y, Z] for _, Y, Z in rule.premises})
        conclusion = sum({1 << number[Y, Z] for _, Y, Z in rule.conclusions})
        obeys = ((relations & premise) != premise) | ((relations & conclusion) == conclusion)
        relations = relations[obeys]
    return relations


def _usable(axioms: str | Iterable[str], n: int) -> tuple[Axiom, ...]:
    chosen = tuple(named_axiom(a) for a in ([axioms] if isinstance(axioms, str) else axioms))
    for axiom in chosen:
        if axiom.parts != "XYW":
            usable = ", ".join(a.name for a in AXIOMS if a.parts == "XYW")
            raise JudgeError(f"{axiom.name} is not about the target's side alone; choose among {usable}")
    guard(n, LARGEST, "relations over that many other variables")
    return chosen


def count_closed(axioms: str | Iterable[str], *, others: int = 3) -> int:
    """Return how many relations of a target and `others` variables are closed under the axioms.

    Examples
    --------
    >>> count_closed([], others=2), count_closed(["Decomposition", "Weak Union", "Contraction"], others=2)
    (32, 10)
    """
    return len(_closed(_usable(axioms, others), others))


def closed_relations(axioms: str | Iterable[str], *, others: int = 3) -> Iterator[Relation]:
    """Yield every relation of target T and others A, B, C that obeys the axioms, fewest statements first.

    Parameters
    ----------
    axioms : names
        Any of Decomposition, Weak Union, Contraction, Intersection and Composition; none gives all relations.
    others : int
        The number of other variables, at most three.

    Examples
    --------
    >>> first, second, *rest = closed_relations(["Decomposition", "Contraction"], others=2)
    >>> print(first)
    T among A, B: no independence
    >>> print(second)
    T among A, B: T ⊥ A
    """
    chosen = _usable(axioms, others)
    names = [chr(ord("A") + i) for i in range(others)]
    sets = [frozenset(v for i, v in enumerate(names) if mask >> i & 1) for mask in range(1 << others)]
    listed = [(sets[Y], sets[Z]) for Y, Z in _statements(others)]
    found = _closed(chosen, others).tolist()
    for code in sorted(found, key=lambda c: (c.bit_count(), c)):
        yield Relation("T", names, [s for i, s in enumerate(listed) if code >> i & 1])
