"""Draw a network, pick a target, run: a small editor for a running notebook, on ipywidgets.

Edges are edited by clicks (two lists and two buttons) or as text, a line an edge: `A -> B`. Everything
that the page shows below is the ordinary player.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

from mbedu.errors import MbeduError
from mbedu.oracles.dseparation import DSeparation
from mbedu.registry import all_algorithms
from mbedu.running import Run, run
from mbedu.viz.film import edges_of
from mbedu.viz.plots import boundary_scene

__all__ = ["Editor", "edges_from_text", "edges_to_text"]

ARROW = re.compile(r"\s*(.+?)\s*(->|→|<-|←)\s*(.+?)\s*")


class EdgeError(MbeduError):
    """A line of the editor that is not an edge."""


def edges_from_text(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    r"""Read a line an edge, `A -> B` or `B <- A`; a line with a single name is a variable without edges.

    Examples
    --------
    >>> edges_from_text("A -> T\nB <- T\nC")
    (['A', 'T', 'B', 'C'], [('A', 'T'), ('T', 'B')])
    """
    names: dict[str, None] = {}
    edges: dict[tuple[str, str], None] = {}
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip():
            continue
        found = ARROW.fullmatch(row)
        if not found:
            if "->" in row or "→" in row:
                raise EdgeError(f"line {number}, {row!r}: an edge has a name on either side, as in A -> B")
            names[row.strip()] = None
            continue
        a, arrow, b = found.groups()
        tail, head = (a, b) if arrow in ("->", "→") else (b, a)
        if tail == head:
            raise EdgeError(f"line {number}, {row!r}: an edge joins two different variables")
        names |= {a: None, b: None}
        edges[tail, head] = None
    return list(names), list(edges)


def edges_to_text(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> str:
    """Write edges as `edges_from_text` reads them."""
    arcs = list(edges)
    linked = {v for arc in arcs for v in arc}
    return "\n".join([f"{a} -> {b}" for a, b in arcs] + [v for v in names if v not in linked])


class Editor:
    """A network to draw and to run algorithms on; show it as the last line of a cell.

    Parameters
    ----------
    graph : optional
        Where to start: a network, a graph or a list of edges.
    target : str, optional
        Whose boundary.
    algorithm : str
        The registered key that is chosen first.

    Attributes
    ----------
    names, edges, target, algorithm
        What is drawn and chosen now.
    last : Run or None
        The last run.

    Examples
    --------
    >>> editor = Editor([("A", "T"), ("T", "B")], target="T")
    >>> editor.add("C", "B")
    >>> sorted(editor.run().boundary)
    ['A', 'B', 'C']
    """

    def __init__(
        self,
        graph: Any = (("A", "T"), ("T", "B"), ("C", "B")),
        *,
        target: str | None = None,
        algorithm: str = "gs",
    ) -> None:
        self.edges = edges_of(graph)
        named = getattr(graph, "variables", None) or getattr(graph, "nodes", None) or ()
        self.names = list(dict.fromkeys([*map(str, named), *(v for edge in self.edges for v in edge)]))
        self.target = target if target is not None else (self.names[0] if self.names else "")
        self.algorithm = algorithm
        self.last: Run | None = None
        self.oracle()  # refuses a cycle or a bad name at once

    # --- what can be done, with or without widgets ---------------------------------------------------

    def oracle(self) -> DSeparation:
        """Return the judge for what is drawn; a cycle is refused."""
        return DSeparation(self.edges, variables=self.names)

    def set(self, text: str) -> None:
        """Replace everything by what the text says; nothing changes if it is wrong."""
        names, edges = edges_from_text(text)
        if not names:
            raise EdgeError("there is no variable in this text; write at least one edge, as in A -> B")
        DSeparation(edges, variables=names)
        self.names, self.edges = names, edges
        if self.target not in names:
            self.target = names[0] if names else ""

    def add(self, tail: str, head: str) -> None:
        """Draw an edge; an edge that would close a cycle is refused."""
        new = [*self.edges, (tail, head)] if (tail, head) not in self.edges else self.edges
        names = list(dict.fromkeys([*self.names, tail, head]))
        DSeparation(new, variables=names)
        self.names, self.edges = names, list(new)

    def remove(self, tail: str, head: str) -> None:
        """Take an edge away, if it is there."""
        self.edges = [edge for edge in self.edges if edge != (tail, head)]

    def run(self) -> Run:
        """Run the chosen algorithm for the chosen target, recorded."""
        self.last = run(self.algorithm, self.oracle(), target=self.target, record=True)
        return self.last

    def svg(self) -> str:
        """Return the drawing, with the true boundary of the target by role."""
        return boundary_scene(self.edges, self.target, variables=self.names).svg()

    # --- the face --------------------------------------------------------------------------------------

    def widget(self) -> Any:
        """Return the ipywidgets face."""
        return _Face(self).box

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = self.widget()._repr_mimebundle_(include=include, exclude=exclude)
        return bundle

    def __repr__(self) -> str:
        return f"<Editor: {len(self.names)} variables, {len(self.edges)} edges, target {self.target}>"


class _Face:
    """The widgets of an editor."""

    def __init__(self, editor: Editor) -> None:
        import ipywidgets as w

        self.editor = editor
        wide = {"description_width": "initial"}
        self.text = w.Textarea(description="edges", rows=8, style=wide)
        self.tail, self.head = w.Dropdown(description="from"), w.Dropdown(description="to")
        self.target = w.Dropdown(description="target")
        keys = sorted(one.key for one in all_algorithms())
        self.algorithm = w.Dropdown(description="algorithm", options=keys, value=editor.algorithm)
        self.picture, self.said, self.out = w.HTML(), w.HTML(), w.Output()
        buttons = []
        for name, action in (
            ("Add edge", self.add),
            ("Remove edge", self.remove),
            ("Apply text", self.apply),
            ("Run", self.run),
        ):
            button = w.Button(description=name)
            button.on_click(action)
            buttons.append(button)
        self.target.observe(self.choose, "value")
        self.algorithm.observe(self.choose, "value")
        left = w.VBox([self.tail, self.head, w.HBox(buttons[:2]), self.text, buttons[2]])
        self.box = w.VBox(
            [
                w.HBox([left, w.VBox([self.target, self.picture])]),
                w.HBox([self.algorithm, buttons[3]]),
                self.said,
                self.out,
            ]
        )
        self.refresh()

    def refresh(self) -> None:
        e = self.editor
        target = e.target  # new options move a box to its first one, which would choose it
        for box in (self.tail, self.head, self.target):
            kept = target if box is self.target else box.value
            box.options = e.names
            box.value = kept if kept in e.names else (e.names[0] if e.names else None)
        e.target = target
        self.text.value = edges_to_text(e.names, e.edges)
        self.picture.value = e.svg()

    def attempt(self, action: Any, *arguments: Any) -> None:
        """Do it, and say what is wrong where something is."""
        try:
            action(*arguments)
            self.said.value = ""
        except MbeduError as error:
            self.said.value = f"<p role='alert'>{html.escape(str(error))}</p>"
        self.refresh()

    def add(self, _button: Any) -> None:
        self.attempt(self.editor.add, self.tail.value, self.head.value)

    def remove(self, _button: Any) -> None:
        self.attempt(self.editor.remove, self.tail.value, self.head.value)

    def apply(self, _button: Any) -> None:
        self.attempt(self.editor.set, self.text.value)

    def choose(self, _change: Any) -> None:
        if self.target.value:
            self.editor.target, self.editor.algorithm = self.target.value, self.algorithm.value
            self.picture.value = self.editor.svg()

    def run(self, _button: Any) -> None:
        from IPython.display import display

        show: Any = display  # IPython has no types

        self.out.clear_output()
        with self.out:
            self.attempt(lambda: show(self.editor.run()))
