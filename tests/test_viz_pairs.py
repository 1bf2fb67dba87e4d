"""Two films side by side, sensitivity, storyboards, figures and the editor."""

import itertools
import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mbedu as mb
from mbedu.errors import DataError, MbeduError, TraceError
from mbedu.theory.boundary_theorem import check_boundary_theorem
from mbedu.viz.align import aligned
from mbedu.viz.diff import play_diff
from mbedu.viz.editor import Editor, edges_from_text, edges_to_text
from mbedu.viz.plots import boundary_scene, plot_boundary, plot_f1, plot_growth, plot_partition, plot_queries
from mbedu.viz.sensitivity import sensitivity
from mbedu.viz.storyboard import key_steps
from mbedu.viz.twins import play_twins

EDGES = [("A", "T"), ("T", "B"), ("C", "B"), ("B", "D"), ("A", "E")]


def recorded(key="gs", edges=EDGES, **params):
    return mb.run(key, mb.DSeparation(edges), target="T", record=True, **params).trace


@given(
    st.lists(st.sampled_from(EDGES), unique=True, min_size=2),
    st.lists(st.sampled_from(EDGES), unique=True, min_size=2),
    st.booleans(),
)
def test_alignment_shows_every_step_once_and_never_goes_back(first, second, together):
    """Either film shows all its steps in order; a row advances at least one of them."""
    names = sorted({v for edge in EDGES for v in edge})
    traces = [
        mb.run("gs", mb.DSeparation(edges, variables=names), target="T", record=True).trace
        for edges in (first, second)
    ]
    rows = aligned(*traces, together=together)
    for side, trace in enumerate(traces):
        shown = [row[side] for row in rows if row[side] is not None]
        assert sorted(set(shown)) == list(range(len(trace)))
        assert shown == sorted(shown)
    assert all(a != b for a, b in itertools.pairwise(rows))


def test_equal_traces_go_in_step():
    """A trace beside itself advances on both sides at every row."""
    trace = recorded()
    assert aligned(trace, trace, together=False) == [(n, n) for n in range(len(trace))]


def test_twins_name_the_first_wrong_verdict():
    """The words say which verdict was wrong; a step that does not exist is refused."""
    left, right = recorded(), recorded(edges=EDGES[:2] + EDGES[3:])
    shown = play_twins(left, right, first_wrong=4, caused=[5, 6])
    assert right[4].text in str(shown).splitlines()[-1]
    assert "every verdict" in str(play_twins(left, left)).lower()
    with pytest.raises(TraceError, match="step 999"):
        play_twins(left, right, first_wrong=999)


def test_diff_counts_the_questions():
    """Both, left only and right only add up to the different questions of either."""
    left, right = recorded("gs"), recorded("iamb")
    both, one, two = map(int, re.findall(r": (\d+)", str(play_diff(left, right)).splitlines()[-1]))
    assert both + one == len({s.query for s in left.questions})
    assert both + two == len({s.query for s in right.questions})


def test_two_algorithms_start_together_and_the_film_opens_where_it_is_told():
    """The first row shows both starts; a step that the left run does not have is refused."""
    left, right = recorded("gs"), recorded("iamb")
    assert aligned(left, right, together=False)[0] == (0, 0)
    assert play_diff(left, right, start=3).html != play_diff(left, right).html
    with pytest.raises(TraceError, match=f"start=999: the left run has the steps 0 to {len(left) - 1}"):
        play_diff(left, right, start=999)


def test_a_counterexample_opens_where_the_runs_part():
    """The film of a counterexample is the one that starts at its divergence."""
    found = mb.verify(_marginal, mb.all_dags(3), executor=None).counterexample
    assert found.diverges_at > 0
    assert found.play().html == play_diff(found.trace, found.reference, start=found.diverges_at).html


def _marginal(ask, target):
    return {v for v in ask.others(target) if not ask(target, v)}


def test_sensitivity_runs_are_the_runs():
    """Each stored cell is the run on the beginning of the one sample, and the page says its sentence."""
    net = mb.load_network("asia")
    shown = sensitivity("gs", net, "either", ns=[100, 500], alphas=[0.01, 0.05], seed=3)
    from mbedu.citests.discrete import G2

    for n, alpha in shown.runs:
        judge = G2(net.sample(500, seed=3).iloc[:n], alpha)
        assert shown.runs[n, alpha].boundary == mb.run("gs", judge, target="either").boundary
        assert f"n = {n} and alpha = {alpha:g}" in str(shown.play())
    assert list(shown.frame["f1"].between(0, 1)) == [True] * 4
    with pytest.raises(DataError, match="at least one"):
        sensitivity("gs", net, "either", ns=[])


def test_sensitivity_recomputes_live():
    """Moving a slider of the live face runs anew."""
    shown = sensitivity("gs", mb.load_network("cancer"), "Cancer", ns=[100, 1000], alphas=[0.05])
    box = shown.live()
    sliders, said, picture = box.children
    before = said.value
    sliders.children[0].value = 1000
    assert "n = 1000" in said.value != before
    assert picture.value.startswith("<svg")


def test_storyboards_keep_the_end():
    """A storyboard has at most `most` frames, in order, and the last one is the answer."""
    trace = recorded()
    for most in (1, 2, 3, 50):
        steps = key_steps(trace, most)
        assert len(steps) <= most
        assert steps == sorted(set(steps))
        assert steps[-1] == len(trace) - 1
    board = trace.storyboard(most=3)
    assert board.svg.count("<title>") == 1
    assert str(board).splitlines()[-1].endswith(trace[-1].text)


def test_storyboards_are_written_by_their_ending(tmp_path):
    """SVG, PNG and PDF are written; another ending is refused."""
    board = recorded().storyboard(most=2)
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    for ending, start in starts.items():
        assert board.save(tmp_path / f"x{ending}", dpi=60).read_bytes().startswith(start)
    with pytest.raises(TraceError, match=r"\.svg, \.png or \.pdf"):
        board.save(tmp_path / "x.gif")


def test_figures_show_the_numbers():
    """The curves and the heat map carry the numbers of the trace."""
    trace = mb.run("gs", mb.ExactJoint(mb.load_network("asia")), target="dysp", record=True).trace
    curve = plot_growth(trace).get_lines()[0]
    assert curve.get_ydata()[-1] == len(trace.answer)
    heat = plot_queries(trace)
    assert heat.images[0].get_array().sum() == len(trace.questions)
    assert plot_boundary(mb.load_network("asia"), "dysp", found={"bronc"}) is not None
    assert plot_boundary(trace) is not None
    plt.close("all")


@pytest.mark.parametrize(("name", "target"), [("asia", "lung"), ("insurance", "Accident"), ("alarm", "HR")])
def test_names_fit_into_their_boxes(name, target):
    """In the figure no name or letter sticks out of its box, and none covers another."""
    axes = plot_boundary(mb.load_network(name), target)
    axes.figure.canvas.draw()
    boxes = [p.get_window_extent() for p in axes.patches if p.__class__.__name__ == "Polygon"]
    written = [t for t in axes.texts if t.get_text() not in ("T", "−", "×")]
    extents = [t.get_window_extent() for t in written]
    for text, extent in zip(written, extents, strict=True):
        assert any(b.x0 < extent.x0 and extent.x1 < b.x1 for b in boxes if b.y0 < extent.y0 < b.y1), text
    assert not [1 for a, b in itertools.combinations(extents, 2) if a.overlaps(b)]
    plt.close("all")


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey", "sachs"])
def test_no_mark_covers_an_arrowhead(name):
    """Whatever was found for whom: the small words around the nodes leave arrowheads free."""
    network = mb.load_network(name)
    for k, target in enumerate(network.variables):
        others = [v for v in network.variables if v != target]
        found = others[k % 3 :: 3]
        axes = plot_boundary(network, target, found=found)
        axes.figure.canvas.draw()
        marks = [t for t in axes.texts if t.get_text() in ("T", "−", "✓", "miss", "extra")]
        lines = [
            item for item in boundary_scene(network, target, found=found).items if hasattr(item, "arrow")
        ]
        assert len(lines) == len(network.edges)
        tips = axes.transData.transform([line.points[-1] for line in lines])
        for mark in marks:
            box = mark.get_window_extent()
            assert not [tip for tip in tips if box.contains(*tip)], (target, mark.get_text())
            base = axes.transData.transform(mark.get_position())[1]  # none of these words goes below its line
            assert 0 <= box.x0 < box.x1 <= axes.figure.bbox.x1
            assert 0 <= base < box.y1 <= axes.figure.bbox.y1
        plt.close("all")


@pytest.mark.parametrize("key", ["gs", "iamb", "mbor", "pcmb", "rgs"])
def test_the_names_of_phases_stand_free(key):
    """In a growth plot they touch neither the frame nor each other, and all curves end below them."""
    trace = mb.run(key, mb.ExactJoint(mb.load_network("asia")), target="lung", record=True).trace
    axes = plot_growth(trace)
    axes.figure.canvas.draw()
    frame = axes.get_window_extent()
    boxes = [t.get_window_extent() for t in axes.texts]
    assert boxes
    for box in boxes:
        assert frame.y0 < box.y0
        assert box.y1 < frame.y1 - 2
        assert frame.x0 < box.x0
        assert box.x1 < frame.x1
    assert not [1 for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)]
    lowest = axes.transData.inverted().transform((0, min(box.y0 for box in boxes)))[1]
    assert max(max(line.get_ydata()) for line in axes.get_lines()) < lowest
    plt.close("all")


def test_found_missed_and_extra_look_different():
    """A right, a missed and an extra variable have three looks."""
    scene = boundary_scene(EDGES, "T", found={"A", "E"})
    words = {item.text for item in scene.items if hasattr(item, "text")}
    assert {"✓", "miss", "extra"} <= words


def test_f1_averages_repetitions():
    """Rows that share n and method are averaged; columns that lack are named."""
    frame = pd.DataFrame({"n": [10, 10, 100], "f1": [0.2, 0.4, 0.9], "algorithm": ["gs"] * 3})
    line = plot_f1(frame).get_lines()[0]
    assert list(line.get_ydata()) == pytest.approx([0.3, 0.9])
    with pytest.raises(MbeduError, match="column"):
        plot_f1(frame, y="accuracy")
    plt.close("all")


def test_the_lattice_has_every_set():
    """Each subset is a point of the lattice, and the failing ones are crossed."""
    oracle = mb.DSeparation(EDGES)
    theorem = check_boundary_theorem(oracle, "T", {"A", "B"})
    axes = plot_partition(theorem)
    p1, p2, crossed = (len(c.get_offsets()) for c in axes.collections)
    assert (p1, p2, crossed) == (len(theorem.p1), len(theorem.p2), len(theorem.violating))
    with pytest.raises(DataError, match="too many"):
        plot_partition(theorem, most=3)
    plt.close("all")


def test_the_editor_edits_and_refuses():
    """Edges come and go by clicks or text; a cycle changes nothing and is explained."""
    editor = Editor(EDGES, target="T")
    face = editor.widget()
    assert face.children
    editor.add("D", "F")
    editor.remove("A", "E")
    assert edges_from_text(edges_to_text(editor.names, editor.edges))[1] == editor.edges
    before = list(editor.edges)
    with pytest.raises(MbeduError):
        editor.add("D", "T")
    assert editor.edges == before
    assert editor.run().boundary == {"A", "B", "C"}
    with pytest.raises(MbeduError, match="line 2"):
        editor.set("A -> B\nA -> A")
    with pytest.raises(MbeduError, match="either side"):
        editor.set("A ->")
    with pytest.raises(MbeduError, match="no variable"):
        editor.set(" ")


def test_the_editor_works_by_clicking():
    """The widgets do what the methods do, and say what was wrong."""
    from mbedu.viz.editor import _Face

    editor = Editor(EDGES, target="T")
    face = _Face(editor)
    face.tail.value, face.head.value = "C", "E"
    face.add(None)
    assert ("C", "E") in editor.edges
    face.tail.value, face.head.value = "D", "T"
    face.add(None)
    assert "cycle" in face.said.value
    face.text.value = "X -> Y"
    face.apply(None)
    assert (editor.names, editor.target) == (["X", "Y"], "X")
    assert face.picture.value.startswith("<svg")
