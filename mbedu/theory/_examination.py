"""How the instances of an axiom are gone through: few variables first, a sample where there are too many."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import combinations, product
from typing import Any

from mbedu.theory._facts import Facts, join
from mbedu.theory.axioms import Axiom, AxiomResult, Rule

__all__ = ["Examination", "broken_rule"]


@lru_cache(maxsize=128)
def _shapes(axiom: Axiom, size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return every way to share `size` places among the axiom's roles, as tuples of places, Z last."""
    found = []
    roles = axiom.parts + ("Z" if axiom.rest else "")
    for given in product(range(len(roles)), repeat=size):
        places = tuple(tuple(i for i, r in enumerate(given) if r == k) for k in range(len(roles)))
        part = dict(zip(roles, places, strict=True))
        if (
            all(part[r] for r in axiom.parts)
            and all(len(part[r]) == 1 for r in axiom.single)
            and all(part[a][0] < part[b][0] for a, b in map(tuple, axiom.swaps))
        ):
            found.append(places)
    return tuple(found)


class Examination:
    """Goes through the instances of one axiom, the small ones first."""

    def __init__(self, facts: Facts, axiom: Axiom, limit: int, samples: int, seed: int) -> None:
        self.facts, self.axiom = facts, axiom
        self.limit, self.samples = limit, samples
        self.random = random.Random(f"{seed}/{axiom.name}")
        self.tried = self.applied = 0
        self.total = sum(axiom.instances(s, len(facts.variables)) for s in range(len(facts.variables) + 1))

    def result(self) -> AxiomResult:
        n, covered = len(self.facts.variables), 0
        for size in range(n + 1):
            count = self.axiom.instances(size, n)
            if self.tried + count > self.limit:
                break
            if broken := self._first(size) if count else None:
                return self._failed(broken, smallest=True)
            covered = size
        if covered < n and (broken := self._sampled(covered + 1)):
            return self._failed(broken, smallest=False)
        return self._held()

    def _first(self, size: int) -> tuple[int, ...] | None:
        for places in combinations(range(len(self.facts.variables)), size):
            bits = [1 << p for p in places]
            for shape in _shapes(self.axiom, size):
                instance = tuple(sum(bits[i] for i in part) for part in shape)
                if self._breaks(instance):
                    return instance
        return None

    def _sampled(self, smallest: int) -> tuple[int, ...] | None:
        n = len(self.facts.variables)
        largest = min(n, smallest + 4)  # beyond that nearly everything is dependent, or trivially not
        best: tuple[int, ...] | None = None
        for _ in range(self.samples):
            size = self.random.randint(smallest, largest)
            instance = self._draw(size)
            if instance and self._breaks(instance) and (best is None or _order(instance) < _order(best)):
                best = instance
        return best

    def _draw(self, size: int) -> tuple[int, ...] | None:
        """Give `size` random variables random roles; None where the axiom has no such instance."""
        if not self.axiom.instances(size, size):
            return None
        bits = [1 << p for p in sorted(self.random.sample(range(len(self.facts.variables)), size))]
        roles = self.axiom.parts + ("Z" if self.axiom.rest else "")
        needed = [*self.axiom.parts]
        free = [r for r in roles if r not in self.axiom.single]
        given = needed + [self.random.choice(free) for _ in range(size - len(needed))]
        self.random.shuffle(given)
        return tuple(sum(b for b, g in zip(bits, given, strict=True) if g == r) for r in roles)

    def _breaks(self, instance: tuple[int, ...]) -> bool:
        self.tried += 1
        premises, conclusions, any_of = self.axiom.rule(*instance)
        holds = self.facts.independent
        for statement in premises:
            if not holds(*statement):
                return False
        self.applied += 1
        found = (holds(*statement) for statement in conclusions)
        return not (any(found) if any_of else all(found))

    def _failed(self, instance: tuple[int, ...], *, smallest: bool) -> AxiomResult:
        roles = self.axiom.parts + ("Z" if self.axiom.rest else "")
        witness = {r: self.facts.set(m) for r, m in zip(roles, instance, strict=True)}
        text = f"{self.axiom.name} fails: {broken_rule(self.facts, self.axiom.rule(*instance))}"
        if not smallest:
            text += f" (In a sample of {self.tried:,} of {self.total:,} instances; a smaller one may exist.)"
        return self._report(holds=False, witness=witness, text=text, smallest=smallest)

    def _held(self) -> AxiomResult:
        if self.tried == self.total:
            text = f"{self.axiom.name} holds ({self.tried:,} instances, {self.applied:,} with true premises)."
        else:
            text = (
                f"{self.axiom.name}: no witness against it in {self.tried:,} of {self.total:,} instances "
                f"({self.applied:,} with true premises), the larger ones sampled."
            )
        return self._report(holds=True, witness=None, text=text, smallest=True)

    def _report(self, **found: Any) -> AxiomResult:
        return AxiomResult(self.axiom, tried=self.tried, applied=self.applied, total=self.total, **found)


def _order(instance: tuple[int, ...]) -> tuple[int, int]:
    union = 0
    for part in instance:
        union |= part
    return union.bit_count(), union


def broken_rule(facts: Facts, rule: Rule) -> str:
    """Write a broken rule: the premises, but what is dependent all the same."""
    said = join([facts.statement(*s) for s in dict.fromkeys(rule.premises)])
    missing = [facts.dependence(*s) for s in rule.conclusions if not facts.independent(*s)]
    return f"{said}, but {join(missing)}."
