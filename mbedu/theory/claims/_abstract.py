"""Claims about all abstract relations that obey some axioms, be they distributions or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mbedu.theory._facts import Check
from mbedu.theory.claims.ledger import Finding, Witness
from mbedu.theory.relations import Relation, closed_relations

__all__ = ["abstract", "both", "over_relations"]


def abstract(axioms: tuple[str, ...], others: int) -> tuple[str, list[Relation]]:
    """Return all relations of a target that are closed under the axioms, and how to call them."""
    relations = list(closed_relations(axioms, others=others))
    named = ", ".join(axioms[:-1]) + (" and " if axioms[1:] else "") + axioms[-1] if axioms else "no axiom"
    return f"all {len(relations):,} relations of a target to {others} others closed under {named}", relations


def over_relations(
    axioms: tuple[str, ...], check: Callable[[Relation], Check | Iterable[Check]], most: int = 3
) -> Finding:
    """Check every abstract relation, those among few variables first."""
    tried = count = 0
    witness = None
    for others in range(1, most + 1):
        _, relations = abstract(axioms, others)
        count += len(relations)
        for relation in relations:
            result = check(relation)
            for one in [result] if isinstance(result, Check) else result:
                tried += one.tried
                if not one.holds and witness is None:
                    witness = Witness(f"{relation}: {one.witness}", None, {"relation": relation, **one.sets})
            if witness is not None:
                break
    named = abstract(axioms, 1)[0].partition("closed under ")[2]
    domain = f"all {count:,} relations of a target to 1 to {most} others closed under {named}"
    return Finding(domain, tried, witness)


def both(one: Finding, other: Finding) -> Finding:
    """Return what two sweeps found together."""
    return Finding(f"{one.domain}; {other.domain}", one.tried + other.tried, one.witness or other.witness)
