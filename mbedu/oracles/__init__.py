"""Exact judges: d-separation, exact joint distributions, products, exact Gaussians, lists of statements."""

from __future__ import annotations

from mbedu.oracles.dseparation import DSeparation
from mbedu.oracles.exact_gaussian import ExactGaussian
from mbedu.oracles.exact_joint import ExactJoint
from mbedu.oracles.product import Product
from mbedu.oracles.statements import AXIOMS, Statements

__all__ = ["AXIOMS", "DSeparation", "ExactGaussian", "ExactJoint", "Product", "Statements"]
