"""The axioms of conditional independence, and whether a judge obeys them.

Symmetry, Decomposition, Weak Union and Contraction hold in *every* probability distribution (a
"semi-graphoid"). Intersection holds where all value combinations are possible (a "graphoid"); copies
and functions break it, and with it the uniqueness of the boundary. Composition is what lets an
algorithm add variables one at a time; parity breaks it. d-separation and Gaussians obey all six, and
Weak Transitivity, which discrete distributions may break; Chordality tells directed graphs (which obey
it) from undirected cycles (which do not).

References
----------
.. [1] J. Pearl. Probabilistic Reasoning in Intelligent Systems. 1988, sections 3.1.2 and 3.3.1.
.. [2] D. Margaritis. Toward Provably Correct Feature Selection in Arbitrary Domains. 2009, Eqs. (1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from math import comb, perm
from typing import Any, NamedTuple, TypeAlias

from mbedu.errors import unknown
from mbedu.query import Vars
from mbedu.theory._facts import Facts

__all__ = [
    "AXIOMS", "Axiom", "AxiomReport", "AxiomResult", "Rule", "check_axioms", "chordality", "composition",
    "contraction", "decomposition", "intersection", "named_axiom", "symmetry", "weak_transitivity",
    "weak_union",
]  # fmt: skip

Statement: TypeAlias = tuple[Any, Any, Any]
"""(X, Y, Z) for X ⊥ Y | Z; the sets are anything that `|` joins: frozensets or bit masks."""


class Rule(NamedTuple):
    """If all `premises` are independencies then so are all `conclusions`, or one of them if `any_of`."""

    premises: tuple[Statement, ...]
    conclusions: tuple[Statement, ...]
    any_of: bool = False


def symmetry(X: Any, Y: Any, Z: Any) -> Rule:
    """X ⊥ Y | Z implies Y ⊥ X | Z."""
    return Rule(((X, Y, Z),), ((Y, X, Z),))


def decomposition(X: Any, Y: Any, W: Any, Z: Any) -> Rule:
    """X ⊥ Y ∪ W | Z implies X ⊥ Y | Z and X ⊥ W | Z."""
    return Rule(((X, Y | W, Z),), ((X, Y, Z), (X, W, Z)))


def weak_union(X: Any, Y: Any, W: Any, Z: Any) -> Rule:
    """X ⊥ Y ∪ W | Z implies X ⊥ Y | Z ∪ W."""
    return Rule(((X, Y | W, Z),), ((X, Y, Z | W),))


def contraction(X: Any, Y: Any, W: Any, Z: Any) -> Rule:
    """X ⊥ Y | Z and X ⊥ W | Y ∪ Z imply X ⊥ Y ∪ W | Z."""
    return Rule(((X, Y, Z), (X, W, Y | Z)), ((X, Y | W, Z),))


def intersection(X: Any, Y: Any, W: Any, Z: Any) -> Rule:
    """X ⊥ Y | Z ∪ W and X ⊥ W | Z ∪ Y imply X ⊥ Y ∪ W | Z."""
    return Rule(((X, Y, Z | W), (X, W, Z | Y)), ((X, Y | W, Z),))


def composition(X: Any, Y: Any, W: Any, Z: Any) -> Rule:
    """X ⊥ Y | Z and X ⊥ W | Z imply X ⊥ Y ∪ W | Z."""
    return Rule(((X, Y, Z), (X, W, Z)), ((X, Y | W, Z),))


def weak_transitivity(X: Any, Y: Any, V: Any, Z: Any) -> Rule:
    """X ⊥ Y | Z and X ⊥ Y | Z ∪ {V} imply X ⊥ V | Z or V ⊥ Y | Z, for a single variable V."""
    return Rule(((X, Y, Z), (X, Y, Z | V)), ((X, V, Z), (V, Y, Z)), any_of=True)


def chordality(A: Any, B: Any, C: Any, D: Any) -> Rule:
    """A ⊥ B | {C, D} and C ⊥ D | {A, B} imply A ⊥ B | C or A ⊥ B | D, for single variables."""
    return Rule(((A, B, C | D), (C, D, A | B)), ((A, B, C), (A, B, D)), any_of=True)


@dataclass(frozen=True)
class Axiom:
    """An axiom by its name: the rule, the parts that its instances consist of, and where it holds.

    `parts` are the roles that need a variable, `single` those that take exactly one; `swaps` are
    pairs of roles that the rule treats alike, so that only one order of them is looked at.
    """

    name: str
    rule: Callable[..., Rule]
    parts: str
    rest: bool = True
    single: str = ""
    swaps: tuple[str, ...] = ()
    universal: bool = False
    holds_in: str = ""

    @property
    def statement(self) -> str:
        """The rule in words."""
        return (self.rule.__doc__ or "").strip()

    def instances(self, size: int, n: int) -> int:
        """Return the number of instances on exactly `size` of `n` variables."""
        sets, ones = len(self.parts) - len(self.single), len(self.single)
        rest = size - ones
        if rest < 0:
            return 0
        ways: int = sum((-1) ** j * comb(sets, j) * (sets + self.rest - j) ** rest for j in range(sets + 1))
        return comb(n, size) * perm(size, ones) * ways >> len(self.swaps)


AXIOMS: tuple[Axiom, ...] = (
    Axiom("Symmetry", symmetry, "XY", swaps=("XY",), universal=True, holds_in="every distribution"),
    Axiom("Decomposition", decomposition, "XYW", swaps=("YW",), universal=True,
          holds_in="every distribution"),
    Axiom("Weak Union", weak_union, "XYW", universal=True, holds_in="every distribution"),
    Axiom("Contraction", contraction, "XYW", universal=True, holds_in="every distribution"),
    Axiom("Intersection", intersection, "XYW", swaps=("YW",),
          holds_in="positive distributions, d-separation"),
    Axiom("Composition", composition, "XYW", swaps=("YW",), holds_in="Gaussians, d-separation"),
    Axiom("Weak Transitivity", weak_transitivity, "XYV", single="V", swaps=("XY",),
          holds_in="Gaussians, d-separation"),
    Axiom("Chordality", chordality, "ABCD", rest=False, single="ABCD", swaps=("AB", "CD"),
          holds_in="d-separation"),
)  # fmt: skip
"""All axioms, the universal ones first."""


@dataclass(frozen=True)
class AxiomResult:
    """What was found about one axiom.

    Attributes
    ----------
    axiom : Axiom
        Which one.
    holds : bool
        Whether no instance breaks it.
    tried, applied : int
        The instances looked at, and how many of them had true premises.
    total : int
        The number of instances that there are.
    witness : dict of str to frozenset or None
        The sets of the smallest instance that breaks the rule, by role.
    text : str
        The finding as a textbook would say it.
    smallest : bool
        Whether the witness is certified to be a smallest one.
    """

    axiom: Axiom
    holds: bool
    tried: int
    applied: int
    total: int
    witness: dict[str, frozenset[str]] | None
    text: str
    smallest: bool = True

    @property
    def name(self) -> str:
        """The axiom's name."""
        return self.axiom.name

    @property
    def exhaustive(self) -> bool:
        """Whether all instances were looked at, or as many as it takes to find the smallest witness."""
        return self.smallest if self.witness is not None else self.tried == self.total

    def algorithms(self) -> tuple[str, ...]:
        """Return the titles of the algorithms whose guarantee names this axiom."""
        from mbedu.registry import all_algorithms

        return tuple(a.title for a in all_algorithms() if self.name in a.assumes)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self.text


class AxiomReport:
    """What `check_axioms` found: one `AxiomResult` an axiom, in order; look one up by its name.

    It is true when none of the *universal* axioms that were checked fails; one that is not universal
    (Intersection, Composition, …) may fail in a perfectly good distribution.
    """

    def __init__(self, results: tuple[AxiomResult, ...], variables: tuple[str, ...]) -> None:
        self.results, self.variables = results, variables

    def __getitem__(self, name: str) -> AxiomResult:
        for result in self.results:
            if result.name.casefold() == name.casefold().replace("_", " "):
                return result
        raise unknown("axiom", name, [r.name for r in self.results])

    def __iter__(self) -> Iterator[AxiomResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __bool__(self) -> bool:
        return all(r.holds for r in self.results if r.axiom.universal)

    @property
    def failing(self) -> tuple[str, ...]:
        """The names of the axioms that fail."""
        return tuple(r.name for r in self.results if not r.holds)

    def __str__(self) -> str:
        return "\n".join(r.text for r in self.results)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = []
        for r in self.results:
            rests = ", ".join(r.algorithms()) or "none registered"
            cells = ("✓" if r.holds else "✗", r.name, r.axiom.statement, r.text, rests)
            columns = "".join(f"<td style='text-align:left'>{escape(c)}</td>" for c in cells)
            rows.append(f"<tr>{columns}</tr>")
        heads = "".join(
            f"<th style='text-align:left'>{h}</th>"
            for h in ("", "axiom", "rule", "here", "guarantees that rest on it")
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def check_axioms(
    judge: Any,
    *,
    axioms: Vars | None = None,
    limit: int = 250_000,
    samples: int = 20_000,
    seed: int = 0,
) -> AxiomReport:
    """Say for each axiom whether the judge obeys it, or show the smallest witness that it does not.

    Parameters
    ----------
    judge
        Anything with `variables` and `judge(query)`.
    axioms : names, optional
        Which axioms; by default all of `AXIOMS`.
    limit : int
        Instances on few variables come first, then those on more, as long as no more than `limit` of an
        axiom have to be looked at; up to eight variables the default covers all of them.
    samples, seed
        How many of the remaining instances are drawn at random; the text says that they were.

    Returns
    -------
    AxiomReport
        A witness has the fewest variables possible, and is the first of those in variable order.

    Examples
    --------
    >>> from mbedu.oracles import ExactJoint
    >>> copies = ExactJoint({(t, t, t): 1 for t in (0, 1)}, variables="T A B".split())
    >>> print(check_axioms(copies, axioms=["Contraction", "Intersection"]))
    Contraction holds (6 instances, 0 with true premises).
    Intersection fails: T ⊥ A | B and T ⊥ B | A, but T and {A, B} are dependent.
    """
    from mbedu.theory._examination import Examination

    facts = Facts(judge)
    asked = [axioms] if isinstance(axioms, str) else axioms
    chosen = AXIOMS if asked is None else tuple(named_axiom(a) for a in asked)
    results = tuple(Examination(facts, a, limit, samples, seed).result() for a in chosen)
    return AxiomReport(results, facts.variables)


def named_axiom(name: str) -> Axiom:
    """Return the axiom of this name (`weak_union` does for "Weak Union"); a wrong one gets suggestions."""
    for axiom in AXIOMS:
        if axiom.name.casefold() == str(name).casefold().replace("_", " "):
            return axiom
    raise unknown("axiom", name, [a.name for a in AXIOMS])
