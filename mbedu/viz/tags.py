"""Where the small words around a node go: to a corner that no arrow passes and no other node takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

__all__ = [
    "HALF", "SET_SIZE", "SIGN_SIZE", "Obstacles", "Spot", "arrow_routes", "moved_tags", "set_spots",
    "sign_spots",
]  # fmt: skip

HALF = 15.0
"""Half the height of a node."""
SET_SIZE, SIGN_SIZE = 11.0, 16.0
"""How large the names of the sets and the sign are written."""
LINE, HEAD = 1.5, 6.0
"""The room that a line and an arrowhead need on each side."""
CELL = 40.0
"""The sheet is looked at in squares of this size, so that a large network takes no longer a node."""
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
        self.points: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}
        for route in routes:
            for point in _points(route):
                self.points.setdefault((int(point[0] // CELL), int(point[1] // CELL)), []).append(point)
        self.boxes = [(n[1] - n[3] / 2, n[2] - HALF, n[1] + n[3] / 2, n[2] + HALF) for n in nodes.values()]

    def place(self, spots: Sequence[Spot]) -> Spot:
        """Return the first spot that is free, or the one with the least in its way; it is taken then."""
        best = min(spots, key=lambda spot: self._hidden(spot.box))  # min keeps the first of equals
        self.boxes.append(best.box)
        return best

    def _hidden(self, box: Box) -> float:
        x0, y0, x1, y1 = box
        columns = range(int((x0 - HEAD) // CELL), int((x1 + HEAD) // CELL) + 1)
        rows = range(int((y0 - HEAD) // CELL), int((y1 + HEAD) // CELL) + 1)
        near = [point for cell in product(columns, rows) for point in self.points.get(cell, ())]
        met = sum(weight for x, y, r, weight in near if x0 - r < x < x1 + r and y0 - r < y < y1 + r)
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


def set_spots(text: str, centre: tuple[float, float], width: float, half: float) -> list[Spot]:
    """Return where the sets of a node may stand: above or below it, at its left or its right."""
    (cx, cy), inside = centre, width / 2
    places = [(cx - inside + 2, "start"), (cx + inside - 8, "end")]
    return [
        Spot.of(text, (x, y), anchor, SET_SIZE) for y in (cy - half, cy + half + 9) for x, anchor in places
    ]


def sign_spots(sign: str, centre: tuple[float, float], width: float, half: float) -> list[Spot]:
    """Return where the sign of a node may stand: at its four corners, the upper right first, or beside it."""
    (cx, cy), inside = centre, width / 2
    left, right, above, below = cx - inside, cx + inside, cy - half, cy + half + 13
    corners = [(right, above), (right, below), (left, below), (left, above)]
    corners += [(right + 15, cy + 6), (left - 15, cy + 6)]
    return [Spot.of(sign, corner, "middle", SIGN_SIZE) for corner in corners]


def moved_tags(picture: Mapping[str, Any]) -> dict[int, list[Any]]:
    """Return for each node whose usual corners are taken where its sign and its sets go, from its centre."""
    nodes = {node[0]: node for node in picture["nodes"]}
    taken = Obstacles(arrow_routes(picture), nodes, width=picture["w"], height=picture["h"])
    moved = {}
    for i, cx, cy, width, *_ in picture["nodes"]:
        half = HALF + 3
        sets, signs = set_spots("S", (cx, cy), width, half), sign_spots("T", (cx, cy), width, half)
        members, sign = taken.place(sets), taken.place(signs)
        if (members, sign) != (sets[0], signs[0]):
            places = (sign.x - cx, sign.y - cy, members.x - cx, members.y - cy)
            moved[i] = [*(round(place, 1) for place in places), members.anchor]
    return moved


def arrow_routes(picture: Mapping[str, Any]) -> list[list[tuple[float, float]]]:
    """Return the way of each arrow, from the rim of one node to the rim of the other."""
    nodes = {node[0]: node for node in picture["nodes"]}
    routes = []
    for a, b, *via in picture["edges"]:
        route = [nodes[a][1:3], *zip(via[::2], via[1::2], strict=True), nodes[b][1:3]]
        route[0] = _leave(route[0], route[1], nodes[a][3])
        route[-1] = _leave(route[-1], route[-2], nodes[b][3])
        routes.append([(x, y) for x, y in route])
    return routes


def _leave(point: Sequence[float], toward: Sequence[float], width: float) -> tuple[float, float]:
    """Return where a line from the centre of a node to another point leaves the node."""
    dx, dy = toward[0] - point[0], toward[1] - point[1]
    sides = [0.5]
    if dx:
        sides.append((width / 2 + 2) / abs(dx))
    if dy:
        sides.append((HALF + 3) / abs(dy))
    t = min(sides)
    return (point[0] + dx * t, point[1] + dy * t)
