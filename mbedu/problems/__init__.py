"""Named problems: exact judges with a target and *all* of its boundaries, each of which teaches one thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from mbedu.errors import unknown
from mbedu.problem import Problem
from mbedu.problems.corral import corral, corral_data
from mbedu.problems.monks import monk
from mbedu.problems.noisy_copies import NoisyCopies
from mbedu.problems.parity import parity
from mbedu.problems.structures import (
    almost_deterministic_parent,
    almost_deterministic_parents,
    copies,
    deterministic_chain,
    iamb_ip_toy,
    silent_spouse,
    xor_copies,
)

__all__ = [
    "NoisyCopies", "almost_deterministic_parent", "almost_deterministic_parents", "copies", "corral",
    "corral_data", "deterministic_chain", "get_problem", "iamb_ip_toy", "monk", "named_problems",
    "parity", "problem_names", "silent_spouse", "xor_copies",
]  # fmt: skip

_NAMED: dict[str, Callable[..., Problem]] = {
    "parity": parity,
    "parity-noisy": partial(parity, noise=Fraction(1, 10), distractors=6),
    "parity-biased": partial(parity, noise=Fraction(1, 10), distractors=6, reading="biased"),
    "parity-tilted": partial(parity, noise=Fraction(1, 10), distractors=6, reading="tilted"),
    "copies": copies,
    "xor-copies": xor_copies,
    "deterministic-chain": deterministic_chain,
    "silent-spouse": silent_spouse,
    "adr-parent": almost_deterministic_parent,
    "adr-parent-exact": partial(almost_deterministic_parent, epsilon=0),
    "adr-parents": almost_deterministic_parents,
    "adr-parents-exact": partial(almost_deterministic_parents, epsilon=0),
    "iamb-ip-toy": iamb_ip_toy,
    "corral": corral,
    "corral-46": partial(corral, "corral-46"),
    "corral-47": partial(corral, "corral-47"),
    "monk-1": monk,
    "monk-2": partial(monk, 2),
    "monk-3": partial(monk, 3),
}


def problem_names() -> tuple[str, ...]:
    """Return the names that `get_problem` knows."""
    return tuple(_NAMED)


def named_problems() -> tuple[Problem, ...]:
    """Return every named problem with its default parameters, in the order of `problem_names`.

    Examples
    --------
    >>> [p.name for p in named_problems()][:3]
    ['parity', 'parity-noisy', 'parity-biased']
    """
    return tuple(get_problem(name) for name in _NAMED)


def get_problem(name: str, **params: Any) -> Problem:
    """Return the problem of this name; parameters go to the function that makes it.

    Examples
    --------
    >>> print(get_problem("copies", n=2))
    copies: target T among 3 variables; boundary {A1} or {A2}
    """
    if name not in _NAMED:
        raise unknown("problem", name, _NAMED)
    return replace(_NAMED[name](**params), name=name)
