"""The answer of a selector: features in order, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Self, TypeAlias

from mbedu.ask import Ask
from mbedu.errors import AlgorithmError
from mbedu.registry import require

__all__ = ["Ranking", "Top", "by_weight", "check_top", "first_of"]

Top: TypeAlias = int | Literal["all"] | None
TIE = 1e-12  # two scores that differ by rounding only are equal, and the order of the variables decides


class Ranking(tuple[str, ...]):  # noqa: SLOT001  # a subclass of tuple with attributes cannot have slots
    """The selected features, best first.

    Attributes
    ----------
    ranking : tuple of str
        All features in order, the unselected ones too, where the selector ranks them all.
    scores : dict
        The score of each feature, where it has one of its own.

    Examples
    --------
    >>> found = Ranking(["B", "A"], ranking=["B", "A", "C"])
    >>> found, found.ranking
    (('B', 'A'), ('B', 'A', 'C'))
    """

    ranking: tuple[str, ...]
    scores: dict[str, float]

    def __new__(
        cls,
        selected: Iterable[str] = (),
        *,
        ranking: Iterable[str] | None = None,
        scores: Mapping[str, float] | None = None,
    ) -> Self:
        """Build from the selected features, the order of all, and their scores."""
        made = super().__new__(cls, selected)
        made.ranking = tuple(made if ranking is None else ranking)
        made.scores = dict(scores or {})
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[tuple[str, ...]], dict[str, object]]:
        return (tuple(self),), {"ranking": self.ranking, "scores": self.scores}


def check_top(top: object) -> None:
    """Refuse a `top` that is neither None, "all" nor a whole number from 1."""
    good = top is None or top == "all" or (isinstance(top, int) and not isinstance(top, bool) and top >= 1)
    require(good, f"top={top!r}: give how many features to keep (1 or more), 'all', or None for the own rule")


def first_of(ranking: Sequence[str], top: int | Literal["all"]) -> tuple[str, ...]:
    """Return the first `top` features, or all of them."""
    if top == "all":
        return tuple(ranking)
    if top > len(ranking):
        raise AlgorithmError(f"top={top}: there are only {len(ranking)} features; ask for fewer or for 'all'")
    return tuple(ranking[:top])


def descending(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Return the features by falling score; equal ones stay in the order in which they are listed.

    Examples
    --------
    >>> descending({"A": 0.1, "B": 0.1 + 1e-17, "C": 0.5})
    ('C', 'A', 'B')
    """
    place = {v: i for i, v in enumerate(scores)}
    falling = sorted(scores, key=lambda v: -scores[v])
    out: list[str] = []
    start = 0
    while start < len(falling):  # a group of ties at a time: plain sorting would let rounding order it
        best = scores[falling[start]]
        end = start
        while end < len(falling) and scores[falling[end]] >= best - TIE * max(1.0, abs(best)):
            end += 1
        out += sorted(falling[start:end], key=place.__getitem__)
        start = end
    return tuple(out)


def by_weight(ask: Ask, scores: Mapping[str, float], *, tau: float, top: Top) -> Ranking:
    """Rank by falling weight; keep the weights above τ, or the first `top`."""
    order = descending(scores)
    if top is None:
        kept = tuple(v for v in order if scores[v] > tau + TIE)
    else:
        kept = first_of(order, top)
    S = ask.set("S")
    for v in kept:
        S |= v
    return Ranking(kept, ranking=order, scores=scores)
