"""Letting a classifier cut the ranking of a filter, as liu2015 does with all that it compares."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.registry import require, whole
from mbedu.selectors.best_prefix import best_prefix
from mbedu.selectors.classify import CLASSIFIERS
from mbedu.selectors.ranking import Ranking

__all__ = ["check_wrapper", "wrapped"]


def check_wrapper(wrapper: object, top: object, seed: object) -> None:
    """Refuse an unknown classifier, and a wrapper together with `top`: only one of them can cut."""
    choices = " or ".join(map(repr, CLASSIFIERS))
    require(wrapper is None or wrapper in CLASSIFIERS, f"wrapper={wrapper!r}: choose {choices}, or None")
    require(wrapper is None or top is None, f"top={top!r} and wrapper={wrapper!r}: give one of them")
    whole("seed", seed, at_least=0)


def wrapped(ask: Ask, T: str, found: Ranking, wrapper: str | None, seed: int) -> Ranking:
    """Return the ranking as it is, or as the classifier cuts it."""
    if wrapper is None:
        return found
    cut: Ranking = best_prefix(ask, T, sequence=found.ranking, classifier=wrapper, seed=seed)
    return Ranking(cut, ranking=found.ranking, scores=found.scores)
