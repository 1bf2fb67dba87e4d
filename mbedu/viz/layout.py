"""Where the nodes of a network go: a layered drawing (after Sugiyama), computed here, without Graphviz.

Layers come from the longest path and are then tightened, long edges get waypoints, crossings are
reduced by medians and exchanges of neighbours, and the positions within a layer are the exact
least-squares answer to "stand below your neighbours, but keep your distance". Everything is
deterministic: the order of the variables decides every tie. Without edges the variables stand on a
ring around the target, or in a grid when there are many.
"""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Layout", "label", "layout", "tag_width", "text_width"]

FONT = 14.0
NODE_HEIGHT = 30.0
GAP = 16.0
LAYER_GAP = 68.0
MARGIN = 14.0
RING_MOST = 20
SWEEPS = 12

Point = tuple[float, float]
Edge = tuple[str, str]


@dataclass(frozen=True)
class Layout:
    """Positions of the centres of the nodes, their widths, and the waypoints of the edges."""

    width: float
    height: float
    at: Mapping[str, Point]
    widths: Mapping[str, float]
    routes: Mapping[Edge, tuple[Point, ...]] = field(default_factory=dict)


def text_width(text: str, size: float = FONT) -> float:
    """Estimate how wide a text is drawn in a common sans-serif face, on the generous side.

    Examples
    --------
    >>> text_width("ill") < text_width("mmm") < text_width("你好吗")
    True
    """
    return size * sum(map(_em, text))


def _em(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF" or ord(char) > 0xFFFF:
        return 1.3
    if char in "ijl.,:;'|!()[]tfr ":
        return 0.38
    if char in "mwMW@%_":
        return 0.92
    return 0.72 if char.isupper() else 0.6


def tag_width(letters: str) -> float:
    """Return the room that the letters pa, ch and sp take inside a node, right of its name.

    Examples
    --------
    >>> tag_width(""), tag_width("pa") < tag_width("ch sp")
    (0.0, True)
    """
    return 7.5 * len(letters) + 5.0 if letters else 0.0


def label(name: str, most: int = 16) -> str:
    """Shorten a name for the picture, keeping both ends; the full name stays in the tooltip.

    Examples
    --------
    >>> label("either"), label("a_very_long_name_of_a_variable")
    ('either', 'a_very_lo…riable')
    """
    clean = "".join(c if c.isprintable() else "�" for c in name)
    if len(clean) <= most:
        return clean
    tail = (most - 1) * 2 // 5
    return clean[: most - 1 - tail] + "…" + clean[-tail:]


def layout(
    names: Sequence[str],
    edges: Iterable[Edge] = (),
    *,
    centre: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Layout:
    """Return where everything stands.

    `centre` is the target, around which a ring is drawn; `tags` are letters beside the name in a node.

    Examples
    --------
    >>> drawn = layout("ABC", [("A", "C"), ("B", "C")])
    >>> drawn.at["A"][1] == drawn.at["B"][1] < drawn.at["C"][1]
    True
    """
    known = set(names)
    arcs = [(a, b) for a, b in edges if a in known and b in known and a != b]
    most = 16 if len(names) <= 24 else 12
    tags = tags or {}
    widths = {
        v: max(44.0, 1.07 * text_width(label(v, most)) + 22.0) + tag_width(tags.get(v, "")) for v in names
    }
    if not arcs:
        return _ring(names, widths, centre) if len(names) <= RING_MOST else _grid(names, widths, centre)
    touched = {v for arc in arcs for v in arc}
    linked = [v for v in names if v in touched]
    drawn = _Layers(linked, _without_cycles(linked, arcs), widths).place(arcs)
    return _with_loose(drawn, [v for v in names if v not in touched], widths)


# --- without edges ---------------------------------------------------------------------------------


def _ring(names: Sequence[str], widths: Mapping[str, float], centre: str | None) -> Layout:
    around = [v for v in names if v != centre]
    widest = max(widths.values(), default=44.0)
    count = max(1, len(around))
    rx = max(widest * 1.3, count * (widest + GAP) / 5.2)
    ry = max(80.0, count * (NODE_HEIGHT + GAP) / 3.2)
    cx, cy = rx + widest / 2 + MARGIN, ry + NODE_HEIGHT / 2 + MARGIN + 8
    at = {}
    for i, v in enumerate(around):
        turn = 2 * math.pi * i / count - math.pi / 2
        at[v] = (round(cx + rx * math.cos(turn), 1), round(cy + ry * math.sin(turn), 1))
    if centre is not None:
        at[centre] = (round(cx, 1), round(cy, 1))
    return Layout(round(2 * cx, 1), round(2 * cy, 1), at, dict(widths))


def _grid(names: Sequence[str], widths: Mapping[str, float], centre: str | None) -> Layout:
    ordered = ([centre] if centre is not None else []) + [v for v in names if v != centre]
    at, width, bottom = _rows(ordered, widths, max(640.0, 60.0 * math.sqrt(len(names)) * 1.6), MARGIN)
    return Layout(width, bottom, at, dict(widths))


def _rows(
    names: Sequence[str], widths: Mapping[str, float], limit: float, top: float
) -> tuple[dict[str, Point], float, float]:
    """Fill columns of equal width, row by row; return the positions, the width and the bottom."""
    cell = max((widths[v] for v in names), default=44.0) + GAP
    columns = max(1, int((limit - 2 * MARGIN) // cell))
    pitch = NODE_HEIGHT + 22.0
    at = {
        v: (round(MARGIN + cell * (i % columns + 0.5), 1), round(top + pitch * (i // columns) + pitch / 2, 1))
        for i, v in enumerate(names)
    }
    rows = -(-len(names) // columns)
    return (
        at,
        round(2 * MARGIN + cell * min(columns, max(1, len(names))), 1),
        round(top + rows * pitch + MARGIN, 1),
    )


def _with_loose(drawn: Layout, loose: Sequence[str], widths: Mapping[str, float]) -> Layout:
    """Put the variables without any edge below the drawing."""
    if not loose:
        return Layout(drawn.width, drawn.height, drawn.at, dict(widths), drawn.routes)
    at, width, bottom = _rows(loose, widths, max(drawn.width, 480.0), drawn.height)
    return Layout(max(drawn.width, width), bottom, {**drawn.at, **at}, dict(widths), drawn.routes)


# --- with edges --------------------------------------------------------------------------------------


def _without_cycles(names: Sequence[str], arcs: Sequence[Edge]) -> list[Edge]:
    """Return the arcs with those that close a cycle turned round (a drawing needs an up and a down)."""
    follow: dict[str, list[str]] = {v: [] for v in names}
    for a, b in arcs:
        follow[a].append(b)
    state: dict[str, int] = {}
    back: set[Edge] = set()
    for root in names:
        stack = [(root, iter(follow[root]))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            v, rest = stack[-1]
            w = next(rest, None)
            if w is None:
                state[v] = 2
                stack.pop()
            elif w not in state:
                state[w] = 1
                stack.append((w, iter(follow[w])))
            elif state[w] == 1:
                back.add((v, w))
    return list(dict.fromkeys((b, a) if (a, b) in back else (a, b) for a, b in arcs))


class _Layers:
    """The layered drawing of an acyclic graph; nodes are numbers, waypoints are further numbers."""

    def __init__(self, names: Sequence[str], arcs: Sequence[Edge], widths: Mapping[str, float]) -> None:
        self.names = list(names)
        index = {v: i for i, v in enumerate(self.names)}
        self.arcs = [(index[a], index[b]) for a, b in arcs]
        self.width = [widths[v] for v in self.names]
        self.level = self._levels()
        self.chains: dict[tuple[int, int], list[int]] = {}
        self.up: list[list[int]] = []
        self.down: list[list[int]] = []
        self._waypoints()
        self.rows = self._order()

    # each node stands below all its parents; then whatever shortens edges is moved
    def _levels(self) -> list[int]:
        n = len(self.names)
        parents: list[list[int]] = [[] for _ in range(n)]
        children: list[list[int]] = [[] for _ in range(n)]
        for a, b in self.arcs:
            parents[b].append(a)
            children[a].append(b)
        level, waiting = [0] * n, [len(p) for p in parents]
        order = [i for i in range(n) if not waiting[i]]
        for v in order:
            for w in children[v]:
                level[w] = max(level[w], level[v] + 1)
                waiting[w] -= 1
                if not waiting[w]:
                    order.append(w)
        for _ in range(8):
            for v in reversed(order):
                low = max((level[p] + 1 for p in parents[v]), default=0)
                high = min((level[c] - 1 for c in children[v]), default=level[v])
                if len(children[v]) > len(parents[v]) or not parents[v]:
                    level[v] = max(low, high)
                elif len(parents[v]) > len(children[v]):
                    level[v] = low
        lowest = min(level)
        return [k - lowest for k in level]

    def _waypoints(self) -> None:
        self.up = [[] for _ in self.names]
        self.down = [[] for _ in self.names]
        for a, b in self.arcs:
            chain = [a]
            for k in range(self.level[a] + 1, self.level[b]):
                self.level.append(k)
                self.width.append(10.0)
                self.up.append([])
                self.down.append([])
                chain.append(len(self.level) - 1)
            chain.append(b)
            self.chains[a, b] = chain
            for v, w in itertools.pairwise(chain):
                self.down[v].append(w)
                self.up[w].append(v)

    # --- crossings ---------------------------------------------------------------------------------
    def _order(self) -> list[list[int]]:
        best: list[list[int]] = []
        fewest = -1
        for start in (self._by_search(False), self._by_search(True)):
            rows, crossings = self._reduced(start)
            if fewest < 0 or crossings < fewest:
                best, fewest = rows, crossings
        return best

    def _by_search(self, backwards: bool) -> list[list[int]]:
        """Start with the order in which a depth-first walk over both directions meets the nodes."""
        rows: list[list[int]] = [[] for _ in range(max(self.level) + 1)]
        seen: set[int] = set()
        roots = range(len(self.level))
        for root in reversed(roots) if backwards else roots:
            stack = [root]
            while stack:
                v = stack.pop()
                if v in seen:
                    continue
                seen.add(v)
                rows[self.level[v]].append(v)
                stack.extend(reversed(self.up[v] + self.down[v]))
        return rows

    def _reduced(self, rows: list[list[int]]) -> tuple[list[list[int]], int]:
        best, fewest = [list(row) for row in rows], self._crossings(rows)
        for sweep in range(SWEEPS):
            downward = sweep % 2 == 0
            for k in range(1, len(rows)) if downward else range(len(rows) - 2, -1, -1):
                near = self.up if downward else self.down
                place = {v: i for i, v in enumerate(rows[k - 1 if downward else k + 1])}
                here = {v: i for i, v in enumerate(rows[k])}
                rows[k].sort(key=lambda v: (_median(near[v], place, here[v]), here[v]))
            self._exchange(rows)
            crossings = self._crossings(rows)
            if crossings < fewest:
                best, fewest = [list(row) for row in rows], crossings
        return best, fewest

    def _exchange(self, rows: list[list[int]]) -> None:
        """Swap neighbours while that removes crossings."""
        better, rounds = True, 0
        while better and rounds < 6:
            better, rounds = False, rounds + 1
            for k, row in enumerate(rows):
                above = {v: i for i, v in enumerate(rows[k - 1])} if k else {}
                below = {v: i for i, v in enumerate(rows[k + 1])} if k + 1 < len(rows) else {}
                for i in range(len(row) - 1):
                    v, w = row[i], row[i + 1]
                    now = _pair(self.up[v], self.up[w], above) + _pair(self.down[v], self.down[w], below)
                    then = _pair(self.up[w], self.up[v], above) + _pair(self.down[w], self.down[v], below)
                    if then < now:
                        row[i], row[i + 1] = w, v
                        better = True

    def _crossings(self, rows: Sequence[Sequence[int]]) -> int:
        total = 0
        for row, after in itertools.pairwise(rows):
            place = {v: i for i, v in enumerate(after)}
            ends = [e for v in row for e in sorted(place[w] for w in self.down[v])]
            total += sum(ends[j] < ends[i] for i in range(len(ends)) for j in range(i + 1, len(ends)))
        return total

    # --- positions -----------------------------------------------------------------------------------
    def place(self, arcs: Sequence[Edge]) -> Layout:
        """Compute the coordinates and gather the drawing."""
        x = self._columns()
        left = min(x[v] - self.width[v] / 2 for v in range(len(x)))
        right = max(x[v] + self.width[v] / 2 for v in range(len(x)))
        y = [MARGIN + 8 + NODE_HEIGHT / 2 + k * LAYER_GAP for k in range(len(self.rows))]
        point = [(round(x[v] - left + MARGIN, 1), round(y[self.level[v]], 1)) for v in range(len(x))]
        index = {v: i for i, v in enumerate(self.names)}
        routes = {}
        for a, b in arcs:
            chain = self.chains.get((index[a], index[b]))
            if chain is None:
                chain = list(reversed(self.chains[index[b], index[a]]))
            routes[a, b] = tuple(point[v] for v in chain)
        at = {v: point[i] for i, v in enumerate(self.names)}
        widths = {v: self.width[i] for i, v in enumerate(self.names)}
        height = y[-1] + NODE_HEIGHT / 2 + MARGIN
        return Layout(round(right - left + 2 * MARGIN, 1), round(height, 1), at, widths, routes)

    def _columns(self) -> list[float]:
        x = [0.0] * len(self.level)
        for row in self.rows:
            reach = 0.0
            for v in row:
                x[v] = reach + self.width[v] / 2
                reach += self.width[v] + GAP
            for v in row:
                x[v] -= reach / 2
        real = len(self.names)
        for sweep in range(16):
            downward = sweep % 2 == 0
            for row in self.rows if downward else reversed(self.rows):
                wish, weight = [], []
                for v in row:
                    near = (self.up[v] if downward else self.down[v]) or self.up[v] + self.down[v]
                    if sweep >= 10:
                        near = self.up[v] + self.down[v]
                    wish.append(sum(x[w] for w in near) / len(near) if near else x[v])
                    weight.append(4.0 if v >= real else 1.0)  # waypoints want to be straight
                apart = [(self.width[v] + self.width[w]) / 2 + GAP for v, w in itertools.pairwise(row)]
                for v, new in zip(row, _spaced(wish, weight, apart), strict=True):
                    x[v] = new
        return x


def _median(near: Sequence[int], place: Mapping[int, int], stay: float) -> float:
    spots = sorted(place[v] for v in near)
    if not spots:
        return stay
    middle = len(spots) // 2
    return spots[middle] if len(spots) % 2 else (spots[middle - 1] + spots[middle]) / 2


def _pair(first: Sequence[int], second: Sequence[int], place: Mapping[int, int]) -> int:
    """Count the crossings between the edges of two neighbours, the first standing left."""
    return sum(place[a] > place[b] for a in first for b in second)


def _spaced(wish: Sequence[float], weight: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Return the positions nearest to `wish` (weighted least squares) with the given least distances.

    Taking the distances out leaves an isotonic regression, which pooling neighbours solves exactly.

    Examples
    --------
    >>> _spaced([0, 0], [1, 1], [10])
    [-5.0, 5.0]
    """
    shift = [0.0]
    for gap in apart:
        shift.append(shift[-1] + gap)
    pools: list[list[float]] = []  # mean, weight, count
    for want, w, s in zip(wish, weight, shift, strict=True):
        pools.append([want - s, w, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, mass, count = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[1] + mean * mass) / (last[1] + mass)
            last[1] += mass
            last[2] += count
    level = [mean for mean, _, count in pools for _ in range(int(count))]
    return [a + b for a, b in zip(level, shift, strict=True)]
