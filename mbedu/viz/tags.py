"""Where the small words around a node go: to a corner that no arrow passes and no other node takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

__all__ = ["Obstacles", "Spot"]

HALF = 15.0
"""Half the height of a node."""
LINE, HEAD = 1.5, 6.0
"""The room that a line and an arrowhead need on each side."""
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for a word: where it is anchored, how, and the box that it covers."""

    x: float
    y: float
    anchor: str
    box: Box

    @classmethod
    def of(cls, text: str, place: tuple[float, float], anchor: str, size: float) -> Spot:
        """Return the spot of a text; how wide it is, is estimated."""
        (x, y), width = place, 0.68 * size * len(text)
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        return cls(x, y, anchor, (left, y - 0.8 * size, left + width, y + 0.1 * size))


class Obstacles:
    """What is drawn on the sheet already: arrows, nodes, and the words placed so far."""

    def __init__(
        self,
        routes: Sequence[Sequence[Sequence[float]]],
        nodes: Mapping[Any, Sequence[Any]],
        *,
        width: float,
        height: float,
    ) -> None:
        self.width, self.height = width, height
        self.points = [point for route in routes for point in _points(route)]
        self.boxes = [(n[1] - n[3] / 2, n[2] - HALF, n[1] + n[3] / 2, n[2] + HALF) for n in nodes.values()]

    def place(self, spots: Sequence[Spot]) -> Spot:
        """Return the first spot that is free, or the one with the least in its way; it is taken then."""
        best = min(spots, key=lambda spot: self._hidden(spot.box))  # min keeps the first of equals
        self.boxes.append(best.box)
        return best

    def _hidden(self, box: Box) -> float:
        x0, y0, x1, y1 = box
        met = sum(weight for x, y, r, weight in self.points if x0 - r < x < x1 + r and y0 - r < y < y1 + r)
        outside = x0 < 0 or y0 < 0 or x1 > self.width or y1 > self.height
        return (
            1000.0 * outside
            + met
            + sum(10.0 for a, b, c, d in self.boxes if a < x1 and x0 < c and b < y1 and y0 < d)
        )  # a word upon a node or a word is worse than one upon a line


def _points(route: Sequence[Sequence[float]]) -> Iterator[tuple[float, float, float, float]]:
    """Yield points along a route, each with the room that it needs and what it costs to cover it."""
    for (x0, y0), (x1, y1) in pairwise(route):
        steps = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / 4))
        for k in range(steps):
            yield x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, LINE, 1.0
    (x0, y0), (x1, y1) = route[-2:]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    for back in (0.0, 5.0, 10.0):
        yield x1 - (x1 - x0) * back / length, y1 - (y1 - y0) * back / length, HEAD, 20.0
