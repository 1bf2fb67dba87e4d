"""The drawing of a network: everything has a place, nothing covers anything, and arrows point down."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mbedu as mb
from mbedu.viz.layout import NODE_HEIGHT, Layout, _spaced, label, layout


@st.composite
def dags(draw):
    n = draw(st.integers(2, 14))
    names = [f"v{i}" for i in range(n)]
    pairs = list(itertools.combinations(names, 2))
    return names, draw(st.lists(st.sampled_from(pairs), unique=True, max_size=30))


def overlapping(drawn: Layout) -> list[tuple[str, str]]:
    return [
        (v, w)
        for v, w in itertools.combinations(drawn.at, 2)
        if abs(drawn.at[v][1] - drawn.at[w][1]) < NODE_HEIGHT
        and abs(drawn.at[v][0] - drawn.at[w][0]) < (drawn.widths[v] + drawn.widths[w]) / 2
    ]


@given(dags())
def test_no_two_nodes_overlap_and_arrows_point_down(graph):
    """Every node has its own place on the sheet, and every child stands below its parents."""
    names, edges = graph
    drawn = layout(names, edges)
    assert set(drawn.at) == set(names)
    assert overlapping(drawn) == []
    for x, y in drawn.at.values():
        assert 0 < x < drawn.width
        assert 0 < y < drawn.height
    for a, b in edges:
        assert drawn.at[a][1] < drawn.at[b][1]
        route = drawn.routes[a, b]
        assert (route[0], route[-1]) == (drawn.at[a], drawn.at[b])
        assert [y for _, y in route] == sorted(y for _, y in route)


@given(st.integers(1, 130), st.booleans())
def test_without_edges_nothing_overlaps(n, centred):
    """A ring or a grid gives every variable its own place."""
    names = [f"variable{i}" for i in range(n)]
    drawn = layout(names, centre=names[0] if centred else None)
    assert set(drawn.at) == set(names)
    assert overlapping(drawn) == []


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(0.5, 4)), min_size=1, max_size=8),
    st.lists(st.floats(0, 20), min_size=7, max_size=7),
)
def test_spacing_is_the_least_squares_answer(wanted, gaps):
    """The positions keep their distances, and no shift of neighbours brings them nearer to the wishes."""
    wish, weight = [w for w, _ in wanted], [m for _, m in wanted]
    apart = gaps[: len(wish) - 1]
    found = _spaced(wish, weight, apart)

    def cost(xs):
        return sum(m * (x - w) ** 2 for x, w, m in zip(xs, wish, weight, strict=True))

    assert all(b - a >= gap - 1e-9 for a, b, gap in zip(found, found[1:], apart, strict=False))
    for i, j in itertools.combinations(range(len(found) + 1), 2):  # shift any run of neighbours
        for by in (-0.01, 0.01):
            moved = [x + by if i <= k < j else x for k, x in enumerate(found)]
            if all(b - a >= gap - 1e-9 for a, b, gap in zip(moved, moved[1:], apart, strict=False)):
                assert cost(moved) >= cost(found) - 1e-9


def test_a_cycle_is_drawn_too():
    """A graph with a cycle, which a student may type, still gets a drawing."""
    drawn = layout("ABC", [("A", "B"), ("B", "C"), ("C", "A")])
    assert set(drawn.at) == set("ABC")
    assert overlapping(drawn) == []


@pytest.mark.parametrize(("name", "most"), [("asia", 0), ("alarm", 24), ("child", 4), ("insurance", 70)])
def test_known_networks_have_few_crossings(name, most):
    """The layered drawing keeps the crossings of the teaching networks low (counted, not guessed)."""
    net = mb.load_network(name)
    drawn = layout(net.variables, net.edges)
    assert overlapping(drawn) == []
    assert crossings(drawn) <= most


def crossings(drawn: Layout) -> int:
    pieces = [(edge, a, b) for edge, route in drawn.routes.items() for a, b in itertools.pairwise(route)]
    return sum(
        not set(e) & set(f) and _cross(a, b, c, d)
        for (e, a, b), (f, c, d) in itertools.combinations(pieces, 2)
    )


def _cross(a, b, c, d) -> bool:
    def turn(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


@given(st.text(max_size=120))
def test_labels_are_short_and_printable(name):
    """A label never has more than 16 characters and none that cannot be printed."""
    short = label(name)
    assert len(short) <= 16
    assert all(c.isprintable() for c in short)
