"""Exact judges: d-separation, exact joint distributions, exact Gaussians, lists of statements."""

from __future__ import annotations

from mbedu.oracles.dseparation import DSeparation
from mbedu.oracles.exact_joint import ExactJoint
from mbedu.oracles.product import Product

__all__ = ["DSeparation", "ExactJoint", "Product"]
