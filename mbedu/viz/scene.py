"""A drawing as a list of shapes that becomes SVG text or a matplotlib figure: one look for both."""

from __future__ import annotations

import html
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mbedu.viz.frames import Mark
from mbedu.viz.layout import tag_width
from mbedu.viz.tags import (
    HALF,
    SET_SIZE,
    SIGN_SIZE,
    Obstacles,
    Spot,
    arrow_routes,
    set_spots,
    sign_spots,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OKABE_ITO", "Line", "Scene", "Shape", "Text", "add_network"]

OKABE_ITO = {
    "black": "#000000", "orange": "#E69F00", "sky": "#56B4E9", "green": "#009E73",
    "yellow": "#F0E442", "blue": "#0072B2", "vermillion": "#D55E00", "purple": "#CC79A7",
}  # fmt: skip
"""Eight colours that people with any kind of colour vision can tell apart (Okabe and Ito, 2008)."""

BELOW = 8.0
"""Room that a sheet may add below the last row, for a word."""
FACE = "DejaVu Sans, Segoe UI, Roboto, Noto Sans, sans-serif"
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled outline."""

    points: tuple[Point, ...]
    fill: str = "#ffffff"
    stroke: str = "#555555"
    width: float = 1.5
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, with an arrowhead at its end if wanted."""

    points: tuple[Point, ...]
    stroke: str = "#777777"
    width: float = 1.6
    dash: tuple[float, ...] = ()
    arrow: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    size: float = 14.0
    colour: str = "#111111"
    bold: bool = False
    anchor: str = "middle"
    struck: bool = False
    halo: bool = False
    """A white rim, for words that a line may pass behind."""


@dataclass
class Scene:
    """Shapes, in the order in which they are painted, on a sheet of a size."""

    width: float
    height: float
    items: list[Shape | Line | Text] = field(default_factory=list)
    title: str = ""

    def add(self, *items: Shape | Line | Text) -> None:
        """Paint on top."""
        self.items.extend(items)

    def svg(self) -> str:
        """Return the drawing as SVG text, names escaped; the title is what a screen reader says."""
        body = "".join(map(_svg, self.items))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" role="img" font-family="{FACE}">'
            f"<title>{_escape(self.title)}</title>"
            f'<rect width="{self.width:g}" height="{self.height:g}" fill="#ffffff"/>{body}</svg>'
        )

    def paint(self, ax: Axes) -> None:
        """Draw on matplotlib axes, with the same units, downward y."""
        from matplotlib.patches import FancyArrowPatch, Polygon
        from matplotlib.path import Path

        ax.set_xlim(0, self.width)
        ax.set_ylim(self.height, 0)
        ax.set_aspect("equal")
        ax.axis("off")
        sheet = ax.get_window_extent()  # the drawing keeps its proportions, so the tighter side decides
        unit = (
            72.0 / ax.figure.dpi * min(sheet.width / self.width, sheet.height / self.height)
        )  # points a unit
        for item in self.items:
            if isinstance(item, Text):
                _write(ax, item, unit)
                continue
            look: dict[str, Any] = {"lw": item.width * unit, "edgecolor": item.stroke}
            if item.dash:
                look["linestyle"] = (0, tuple(d / max(item.width, 0.1) for d in item.dash))
            if isinstance(item, Shape):
                ax.add_patch(
                    Polygon(item.points, closed=True, facecolor=item.fill, joinstyle="round", **look)
                )
            else:
                style = "-|>" if item.arrow else "-"
                path = Path(list(item.points))
                scale = 15 * unit
                ax.add_patch(
                    FancyArrowPatch(
                        path=path, arrowstyle=style, mutation_scale=scale, facecolor=item.stroke, **look
                    )
                )

    def figure(self, *, dpi: float = 110) -> Any:
        """Return a matplotlib figure of the drawing."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width / 96, self.height / 96), dpi=dpi)
        FigureCanvasAgg(figure)
        self.paint(figure.add_axes((0, 0, 1, 1)))
        return figure

    def write(self, out: Any, *, form: str, dpi: float) -> None:
        """Write the drawing as png or pdf, without the hour, so that the same drawing has the same bytes."""
        plain = {"CreationDate": None} if form == "pdf" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a glyph that the font lacks is drawn as a box
            self.figure(dpi=dpi).savefig(out, format=form, dpi=dpi, metadata=plain)


def _write(ax: Axes, item: Text, unit: float) -> None:
    place = {"start": "left", "middle": "center", "end": "right"}[item.anchor]
    text = item.text.replace("$", r"\$")  # a name is no formula
    written = ax.text(
        item.x, item.y, text, fontsize=item.size * unit, color=item.colour, ha=place, va="baseline",
        fontweight="bold" if item.bold else "normal", clip_on=True,
    )  # fmt: skip
    if item.halo:
        from matplotlib.patheffects import withStroke

        written.set_path_effects([withStroke(linewidth=3 * unit, foreground="white")])
    if item.struck:
        half = 0.3 * item.size * len(item.text)
        ax.plot([item.x - half, item.x + half], [item.y - item.size * 0.32] * 2, color=item.colour, lw=unit)


def _escape(text: str) -> str:
    # a control character is not allowed in XML, not even escaped
    return html.escape("".join(c if c.isprintable() or c in "\n\t" else "�" for c in text))


def _svg(item: Shape | Line | Text) -> str:
    if isinstance(item, Text):
        more = ' font-weight="bold"' if item.bold else ""
        more += ' text-decoration="line-through"' if item.struck else ""
        more += ' paint-order="stroke" stroke="#ffffff" stroke-width="3"' if item.halo else ""
        return (
            f'<text x="{item.x:.1f}" y="{item.y:.1f}" font-size="{item.size:g}" fill="{item.colour}" '
            f'text-anchor="{item.anchor}"{more}>{_escape(item.text)}</text>'
        )
    route = " ".join(f"{x:.1f},{y:.1f}" for x, y in item.points)
    look = f'stroke="{item.stroke}" stroke-width="{item.width:g}" stroke-linejoin="round"'
    if item.dash:
        look += f' stroke-dasharray="{" ".join(f"{d:g}" for d in item.dash)}"'
    if isinstance(item, Shape):
        return f'<polygon points="{route}" fill="{item.fill}" {look}/>'
    head = _head(item) if item.arrow else ""
    return f'<polyline points="{route}" fill="none" {look}/>{head}'


def _head(line: Line) -> str:
    (x0, y0), (x1, y1) = line.points[-2:]
    turn = math.atan2(y1 - y0, x1 - x0)
    back = [
        (x1 - 10 * math.cos(turn + side * 0.4), y1 - 10 * math.sin(turn + side * 0.4)) for side in (-1, 1)
    ]
    corners = [(x1, y1), *back]
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}" fill="{line.stroke}"/>'


# --- the network -------------------------------------------------------------------------------------

STANDING: dict[str, dict[str, Any]] = {
    "open": {},
    "target": {"fill": "#0072B2", "stroke": "#003c5e", "width": 3.0},
    "outer": {"stroke": "#0072B2", "width": 3.0},
    "in": {"fill": "#bfe8da", "stroke": "#00563e", "width": 3.0},
    "removed": {"stroke": "#a34e7e", "width": 2.0, "dash": (7, 4)},
    "rejected": {"fill": "#ececec", "stroke": "#767676", "dash": (2, 3)},
}
ACT: dict[str, dict[str, Any]] = {
    "given": {"fill": "#a9d8f5", "stroke": "#00507d", "width": 3.5, "dash": ()},
    "tested": {"fill": "#E69F00", "stroke": "#111111", "width": 3.0, "dash": ()},
    "enters": {"fill": "#3fc39b", "stroke": "#111111", "width": 3.0, "dash": ()},
    "leaves": {"fill": "#CC79A7", "stroke": "#111111", "width": 3.0, "dash": (7, 4)},
    "chosen": {"fill": "#F0E442", "stroke": "#111111", "width": 3.0, "dash": ()},
}
SIGN = {
    "given": "|", "tested": "?", "enters": "+", "leaves": "−", "chosen": "★",
    "removed": "−", "rejected": "×", "target": "T", "outer": "T",
}  # fmt: skip


def add_network(
    scene: Scene,
    picture: Mapping[str, Any],
    marks: Sequence[Mark],
    *,
    x: float = 0.0,
    y: float = 0.0,
    scale: float = 1.0,
) -> None:
    """Draw a network of `mbedu.viz.film.picture` with a mark a variable, at a place and a size."""

    def at(points: Iterable[Point]) -> tuple[Point, ...]:
        return tuple((x + px * scale, y + py * scale) for px, py in points)

    nodes = {node[0]: node for node in picture["nodes"]}
    routes = arrow_routes(picture)
    taken = Obstacles(routes, nodes, width=picture["w"], height=picture["h"] + BELOW)
    scene.add(*[Line(at(route), width=1.6 * scale, arrow=True) for route in routes])
    for i, cx, cy, width, text, letters in picture["nodes"]:
        mark = marks[i]
        look = {**STANDING[mark.standing], **ACT.get(mark.act, {})}
        look["width"] = look.get("width", 1.5) * scale
        look["dash"] = tuple(d * scale for d in look.get("dash", ()))
        corners = _outline(mark.act, width)
        scene.add(Shape(at((cx + px, cy + py) for px, py in corners), **look))
        if mark.standing in ("target", "outer"):
            inner = _outline("", width - 7)
            colour = "#ffffff" if mark.standing == "target" else "#0072B2"
            fill = look.get("fill", "#ffffff")
            scene.add(Shape(at((cx + px, cy + py * 0.78) for px, py in inner), fill, colour, 1.5 * scale))
        scene.add(*_words(mark, (text, letters), at(((cx, cy),))[0], width=width, scale=scale))
        for item, spot in _tags(mark, (cx, cy), width, taken):
            ((px, py),) = at(((spot.x, spot.y),))
            scene.add(replace(item, x=px, y=py, size=item.size * scale, anchor=spot.anchor))


def _tags(mark: Mark, centre: Point, width: float, taken: Obstacles) -> Iterator[tuple[Text, Spot]]:
    """Yield the sign and the sets of a node, each with a spot at a corner that is free."""
    half = HALF + (6 if mark.act in ("tested", "enters", "leaves", "chosen") else 3)
    if text := mark.sets[:14]:
        spot = taken.place(set_spots(text, centre, width, half))
        yield Text(0, 0, text, SET_SIZE, "#00563e", bold=True, halo=True), spot
    if sign := SIGN.get(mark.act) or SIGN.get(mark.standing, ""):
        spot = taken.place(sign_spots(sign, centre, width, half))
        yield Text(0, 0, sign, SIGN_SIZE, bold=True, halo=True), spot


def _words(
    mark: Mark, texts: tuple[str, str], centre: Point, *, width: float, scale: float
) -> Iterator[Text]:
    """Yield the name and the relation beside it."""
    (text, letters), (cx, cy) = texts, centre
    strong = mark.standing in ("target", "in") or mark.act not in ("", "asked", "given")
    white = mark.standing == "target" and mark.act in ("", "asked")
    colour = "#ffffff" if white else "#4d4d4d" if mark.standing == "rejected" and not mark.act else "#111111"
    struck = mark.standing == "removed" and not mark.act
    name = cx - tag_width(letters) / 2 * scale
    yield Text(name, cy + 5 * scale, text, 14 * scale, colour, strong, struck=struck)
    right = cx + width / 2 * scale
    if letters:
        yield Text(right - 8 * scale, cy + 5 * scale, letters, 11 * scale, "#222222", bold=True, anchor="end")


def _outline(act: str, width: float) -> list[Point]:
    a = width / 2
    if act in ("tested", "enters", "leaves", "chosen"):
        h = HALF + 2
        return [(-a - 6, 0), (-a + 6, -h), (a - 6, -h), (a + 6, 0), (a - 6, h), (-a + 6, h)]
    if act == "given":
        return [(-a, -HALF), (a, -HALF), (a, HALF), (-a, HALF)]
    r = 10.0
    corners = (
        (a - r, -HALF + r, -90),
        (a - r, HALF - r, 0),
        (-a + r, HALF - r, 90),
        (-a + r, -HALF + r, 180),
    )
    return [
        (cx + r * math.cos(math.radians(start + turn)), cy + r * math.sin(math.radians(start + turn)))
        for cx, cy, start in corners
        for turn in (0, 22.5, 45, 67.5, 90)
    ]
