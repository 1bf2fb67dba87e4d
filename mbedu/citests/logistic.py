"""Multinomial logistic regression by Newton's method, for likelihoods and nothing else.

What is wanted is the largest log-likelihood, not the coefficients. Where the classes are separated the
coefficients have no finite optimum but the likelihood has a limit; the steps go on until it stops
growing, so that separation needs no special care.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_likelihood", "saturated"]

Floats: TypeAlias = NDArray[np.float64]

GAIN = 1e-11  # relative: a step that gains less is the last one
STEPS = 200
HALVINGS = 40
DAMPING = 1e-12  # relative to the largest entry: keeps the system solvable where a class is certain


def saturated(counts: Floats) -> float:
    """Return the log-likelihood when each group has its own frequencies; counts are groups × classes.

    Examples
    --------
    >>> round(saturated(np.array([[1.0, 1.0], [3.0, 0.0]])), 6)
    -1.386294
    """
    size = counts.sum(axis=1, keepdims=True)
    return float((counts * np.log(np.where(counts > 0, counts, 1.0) / np.maximum(size, 1.0))).sum())


def log_likelihood(design: Floats, counts: Floats) -> float:
    """Return the largest log-likelihood of a multinomial logistic model.

    Parameters
    ----------
    design : array, groups × columns
        Columns of full rank, with the constant among what they span.
    counts : array, groups × classes
        How often each class occurs in each group; every class occurs.

    Examples
    --------
    >>> x = np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> round(log_likelihood(x, np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])), 6)
    -7.27127
    >>> round(log_likelihood(x, np.array([[4.0, 0.0], [0.0, 4.0], [0.0, 4.0]])), 6)
    -0.0
    """
    size, classes = counts.sum(axis=1), counts.shape[1]
    weights = np.zeros((design.shape[1], classes - 1))  # of each class against the last
    best, chance = _value(design, counts, weights)
    for _ in range(STEPS):
        step = _newton(design, counts, size, chance)
        share = 1.0
        for _ in range(HALVINGS):
            value, moved = _value(design, counts, weights + share * step)
            if value >= best:
                break
            share /= 2.0
        else:
            return best
        gain, best, chance = value - best, value, moved
        weights = weights + share * step
        if gain <= GAIN * max(1.0, -best):
            break
    return best


def _value(design: Floats, counts: Floats, weights: Floats) -> tuple[float, Floats]:
    """Return the log-likelihood and the probabilities, groups × classes."""
    score = np.hstack([design @ weights, np.zeros((len(design), 1))])
    score -= score.max(axis=1, keepdims=True)
    power = np.exp(score)
    total = power.sum(axis=1, keepdims=True)
    value = float((counts * (score - np.log(total))).sum())
    return value, power / total


def _newton(design: Floats, counts: Floats, size: Floats, chance: Floats) -> Floats:
    """Return the step that the second-order expansion asks for."""
    rank, free = design.shape[1], counts.shape[1] - 1
    slope = design.T @ (counts - size[:, None] * chance)[:, :free]
    curve = np.empty((free, rank, free, rank))
    for a in range(free):
        for b in range(a, free):
            w = size * chance[:, a] * ((1.0 if a == b else 0.0) - chance[:, b])
            curve[a, :, b, :] = design.T @ (design * w[:, None])
            curve[b, :, a, :] = curve[a, :, b, :].T
    matrix = curve.reshape(free * rank, free * rank)
    matrix[np.diag_indices(len(matrix))] += DAMPING * max(float(np.abs(matrix).max()), np.finfo(float).tiny)
    try:
        step = np.linalg.solve(matrix, slope.T.ravel())
    except np.linalg.LinAlgError:
        step = np.linalg.lstsq(matrix, slope.T.ravel(), rcond=None)[0]
    made: Floats = np.asarray(step, np.float64).reshape(free, rank).T
    return made
