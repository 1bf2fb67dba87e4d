"""Theory that runs: axioms, boundaries by brute force, relevance, and the papers' theorems as checkers."""

from __future__ import annotations

from mbedu.theory._facts import Check, TooLarge
from mbedu.theory.axioms import AXIOMS, Axiom, AxiomReport, AxiomResult, check_axioms
from mbedu.theory.boundaries import boundaries, is_blanket, is_boundary, is_m_boundary, m_boundaries
from mbedu.theory.boundary_theorem import BoundaryTheorem, check_boundary_theorem, theorem_1
from mbedu.theory.lemmas import (
    boundary_is_unique,
    corollary_3,
    grown_sets,
    lemma_2,
    lemma_4,
    m_boundary_is_unique,
    observation_1,
    observation_2,
    shrunk_sets,
    theorem_5,
)
from mbedu.theory.relations import Relation, closed_relations, count_closed
from mbedu.theory.relevance import Relevance, relevance, without_redundant

__all__ = [
    "AXIOMS", "Axiom", "AxiomReport", "AxiomResult", "BoundaryTheorem", "Check", "Relation", "Relevance",
    "TooLarge", "boundaries", "boundary_is_unique", "check_axioms", "check_boundary_theorem",
    "closed_relations", "corollary_3", "count_closed", "grown_sets", "is_blanket", "is_boundary",
    "is_m_boundary", "lemma_2", "lemma_4", "m_boundaries", "m_boundary_is_unique", "observation_1",
    "observation_2", "relevance", "shrunk_sets", "theorem_1", "theorem_5", "without_redundant",
]  # fmt: skip
