"""Why d-separation says what it says: an active path, or what blocks each path."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from mbedu.query import Query, sentence_set

__all__ = ["explain_paths"]

WORK = 20_000  # partial paths looked at before giving up: a dense graph has more paths than anyone reads

COLLIDER_SHUT = "collider with no descendant in the given set"


class _View:
    """A graph, a query, and the roles that the nodes of a path play in it."""

    def __init__(
        self,
        names: Sequence[str],
        parents: Sequence[int],
        children: Sequence[int],
        ancestors: Sequence[int],
        query: Query,
    ) -> None:
        self.names, self.parents, self.children = names, parents, children
        self.index = {v: i for i, v in enumerate(names)}
        self.given = {self.index[v] for v in query.given}
        self.x = sorted(self.index[v] for v in query.x)
        self.y = {self.index[v] for v in query.y}
        self.opened = {i for z in self.given for i in range(len(names)) if ancestors[z] >> i & 1}
        self.ancestors = ancestors

    def around(self, v: int) -> list[int]:
        mask = self.parents[v] | self.children[v]
        return [i for i in range(mask.bit_length()) if mask >> i & 1]

    def into(self, tail: int, head: int) -> bool:
        """Say whether the edge between the two points at `head`."""
        return bool(self.parents[head] >> tail & 1)

    def role(self, before: int, v: int, after: int) -> str:
        if self.into(before, v) and self.into(after, v):
            return "collider"
        return "chain" if self.into(before, v) or self.into(after, v) else "fork"

    def blocks(self, before: int, v: int, after: int) -> str:
        """Say how the inner node `v` blocks a path, or return an empty text if it does not."""
        role = self.role(before, v, after)
        if role == "collider":
            return "" if v in self.opened else COLLIDER_SHUT
        return f"{role} node in the given set" if v in self.given else ""

    def passes(self, before: int, v: int, after: int) -> str:
        """Say why the inner node `v` lets a path through."""
        role = self.role(before, v, after)
        if role != "collider":
            return f"{role} node that is not given"
        if v in self.given:
            return "collider in the given set"
        below = sorted(z for z in self.given if self.ancestors[z] >> v & 1)
        return f"collider with the descendant {self.names[below[0]]} in the given set"

    def write(self, path: Sequence[int]) -> str:
        text = self.names[path[0]]
        for a, b in pairwise(path):
            text += (" → " if self.into(a, b) else " ← ") + self.names[b]
        return text


def explain_paths(
    names: Sequence[str],
    parents: Sequence[int],
    children: Sequence[int],
    ancestors: Sequence[int],
    query: Query,
    independent: bool,
    most: int,
) -> dict[str, Any]:
    """Return the part of an explanation that the graph gives; see `DSeparation.explain`."""
    view = _View(names, parents, children, ancestors, query)
    return _blocked(view, query, most) if independent else _active(view)


def _active(view: _View) -> dict[str, Any]:
    path = _shortest_active(view)
    steps = [
        {"node": view.names[v], "role": view.role(a, v, b), "how": view.passes(a, v, b)}
        for a, v, b in zip(path, path[1:], path[2:], strict=False)
    ]
    return {
        "path": [view.names[v] for v in path],
        "written": view.write(path),
        "steps": steps,
        "text": f"Dependent: the path {view.write(path)} is active.",
    }


def _shortest_active(view: _View) -> list[int]:
    """Find a shortest active path, breadth first in variable order.

    States are (node, came from a parent?). A shortest active *walk* repeats no node: where it would
    come back, cutting out the loop leaves an active walk, because the loop itself holds an opened collider.
    """
    start = [(v, False) for v in view.x]
    came: dict[tuple[int, bool], tuple[int, bool] | None] = dict.fromkeys(start)
    queue = deque(start)
    while queue:
        state = queue.popleft()
        v, from_parent = state
        if v in view.y:
            path: list[int] = []
            back: tuple[int, bool] | None = state
            while back is not None:
                path.append(back[0])
                back = came[back]
            return path[::-1]
        for w in view.around(v):
            to_child = view.into(v, w)
            if from_parent and not to_child:
                passes = v in view.opened
            else:
                passes = v not in view.given
            if passes and (w, to_child) not in came:
                came[w, to_child] = state
                queue.append((w, to_child))
    raise AssertionError("judged dependent, but there is no active path")


def _blocked(view: _View, query: Query, most: int) -> dict[str, Any]:
    listed: list[dict[str, Any]] = []
    complete = True
    for path in _simple_paths(view):
        if path is None or len(listed) == most:
            complete = False
            break
        listed.append(_why_blocked(view, path))
    sides = f"{sentence_set(query.x)} and {sentence_set(query.y)}"
    if listed:
        count = f"all {len(listed)}" if complete else f"the first {len(listed)} shown of the"
        text = f"Independent: {count} paths between {sides} are blocked."
        if complete and len(listed) == 1:
            text = f"Independent: the only path between {sides} is blocked."
    elif complete:
        text = f"Independent: no path connects {sides}."
    else:
        text = f"Independent: every path between {sides} is blocked; none is short enough to be listed."
    return {"blocked": listed, "complete": complete, "text": text}


def _why_blocked(view: _View, path: Sequence[int]) -> dict[str, Any]:
    for a, v, b in zip(path, path[1:], path[2:], strict=False):
        how = view.blocks(a, v, b)
        if how:
            return {
                "path": [view.names[i] for i in path],
                "written": view.write(path),
                "node": view.names[v],
                "how": how,
            }
    raise AssertionError("judged independent, but a path is active")


def _simple_paths(view: _View) -> Iterator[tuple[int, ...] | None]:
    """Yield the paths from x to y that touch no other member of x or y, shortest first; None: gave up."""
    queue: deque[tuple[int, ...]] = deque((v,) for v in view.x)
    starts = set(view.x)
    looked = 0
    while queue:
        path = queue.popleft()
        looked += 1
        if looked > WORK:
            yield None
            return
        for w in view.around(path[-1]):
            if w in view.y:
                yield (*path, w)
            elif w not in path and w not in starts:
                queue.append((*path, w))
