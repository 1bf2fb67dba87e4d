"""What the page is given: the marks of every frame, the sentences, the size, the escaping."""

import base64
import json
import re
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mbedu as mb
from mbedu.errors import TraceError
from mbedu.steps import Asked, Changed
from mbedu.trace import Trace
from mbedu.viz.film import film
from mbedu.viz.frames import frames, relations
from mbedu.viz.page import script
from mbedu.viz.player import play

HOSTILE = [
    "T",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    r"$\alpha$",
    "🦊🔥",
    "x" * 80,
    "ימין לשמאל",
    "a\x00b\u202ec",
]


@st.composite
def recorded(draw):
    n = draw(st.integers(2, 6))
    names = [f"v{i}" for i in range(n)]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True))
    judge = mb.DSeparation(edges, variables=names)
    key = draw(st.sampled_from(["gs", "gs_m", "iamb", "inter_iamb", "mbor"]))
    return mb.run(key, judge, target=draw(st.sampled_from(names)), record=True).trace


def unpacked(html: str) -> dict:
    packed = re.search(r'data-film="([^"]*)"', html)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


@given(recorded())
def test_marks_agree_with_the_state_of_the_trace(trace):
    """A variable is drawn as a member exactly when a set of the procedure at work contains it."""
    for n, (step, frame) in enumerate(zip(trace.steps, frames(trace), strict=True)):
        state = trace.state(n)
        if step.kind == "returned":
            continue
        own = {v for name, members in state.items() if ("." in name) == (step.depth > 1) for v in members}
        shown = {v for v, mark in frame.marks.items() if mark.standing == "in"}
        assert shown <= own
        if step.depth <= 1:
            assert shown == own - {trace.target}
        if isinstance(step, Asked):
            acts = {v: frame.marks[v].act for v in trace.variables}
            assert {v for v, act in acts.items() if act == "given"} == step.query.given
            assert {v for v, act in acts.items() if act == "tested"} == step.query.y
        if isinstance(step, Changed):
            assert {v for v in trace.variables if frame.marks[v].act == "enters"} == set(step.added)


@given(recorded())
def test_the_film_holds_every_sentence_and_rebuilds_every_frame(trace):
    """The page has each step's sentence as the trace has it, and its differences add up to the frames."""
    made = unpacked(play(trace).html)
    assert [step["t"] for step in made["steps"]] == [step.text for step in trace.steps]
    now = [0] * len(trace.variables)
    for step, frame in zip(made["steps"], frames(trace), strict=True):
        for i in range(0, len(step["m"]), 2):
            now[step["m"][i]] = step["m"][i + 1]
        words = [made["states"][s] for s in now]
        drawn = [(made["standings"][a], made["acts"][b], sets) for a, b, sets in words]
        assert drawn == [(m.standing, m.act, m.sets) for m in frame.marks.values()]


@given(recorded())
def test_a_stored_trace_plays_the_same(trace):
    """Reading a trace back from JSON gives the same bytes: a graph is enough to explain d-separation."""
    assert play(Trace.from_json(trace.to_json())).html == play(trace).html


def test_the_last_frame_shows_the_answer():
    """After the last step exactly the answer stands in the set."""
    trace = mb.run("gs", mb.DSeparation(mb.load_network("asia")), target="dysp", record=True).trace
    last = list(frames(trace))[-1]
    assert {v for v, mark in last.marks.items() if mark.standing == "in"} == set(trace.answer)


def test_relations_are_those_of_the_network():
    """Parents, children and spouses together are the boundary."""
    net = mb.load_network("alarm")
    for v in net.variables:
        assert set(relations(net.edges, v)) == net.boundary(v)


PROGRAM = """
import mbedu as mb
asia = mb.load_network("asia")
trace = mb.run("gs_m", mb.DSeparation(asia), target="either", m=2, record=True).trace
import hashlib
for made in (trace.play().html, trace.quiz().html, trace.storyboard().svg):
    print(hashlib.sha256(made.encode()).hexdigest())
"""


def test_output_is_the_same_in_every_process():
    """Two processes with different hash seeds write the same bytes."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 3


def test_five_hundred_steps_and_a_hundred_nodes_stay_small():
    """A film of at least 500 steps over 100 drawn variables, with reasons, is below 150 KB of HTML."""
    names = [f"variable_{i}" for i in range(100)]
    edges = [(names[i], names[j]) for i in range(100) for j in (i * 2 + 1, i * 2 + 2, i + 9) if j < 100]
    trace = mb.run(
        "gs", mb.DSeparation(list(dict.fromkeys(edges)), variables=names), target="variable_40", record=True
    ).trace
    assert 500 <= len(trace) <= 800
    player = play(trace)
    assert len(player.html.encode()) < 150_000
    made = unpacked(player.html)
    assert len(made["picture"]["nodes"]) == 100
    assert made["whys"]


def test_names_are_never_markup():
    """Names with tags, quotes and mathematics appear only escaped or packed, on the page and in the SVG."""
    edges = [("T", v) for v in HOSTILE[1:]]
    trace = mb.run("gs", mb.DSeparation(edges), target="T", record=True).trace
    for made in (trace.play().html, trace.quiz().html, trace.storyboard().svg):
        assert "<script>alert" not in made
        assert "<img" not in made
        assert made.count("<script") == ("<svg" not in made)
    assert unpacked(trace.play().html)["names"] == list(trace.variables)
    assert len(trace.storyboard().png()) > 1000


def test_the_html_asks_nobody_for_anything():
    """Neither the output nor the script names an address, draws lots or asks for the time."""
    trace = mb.run("gs", mb.DSeparation([("A", "T")]), target="T", record=True).trace
    html = trace.play().html
    assert not re.search(r"https?:|//cdn|@import|url\((?!#)", html)
    for kind in ("play", "quiz", "pair", "grid"):
        source = script(kind).replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|fetch\(|XMLHttpRequest|Math\.random|Date\.|innerHTML|eval\(", source)


def test_a_run_shows_itself():
    """A recorded run shows the player, an unrecorded one its sentence, and text is there for both."""
    oracle = mb.DSeparation([("A", "T")])
    loud, quiet = (mb.run("gs", oracle, target="T", record=r) for r in (True, False))
    assert "data-film" in loud._repr_mimebundle_()["text/html"]
    assert set(quiet._repr_mimebundle_()) == {"text/plain"}
    assert loud.trace._repr_html_() == loud.play().html
    with pytest.raises(TraceError, match="record=True"):
        quiet.play()


def test_a_missing_explanation_is_no_obstacle():
    """A judge that explains nothing, or that fails to, still has a film."""

    class Mute:
        variables = ("T", "A")

        def judge(self, query):
            return mb.Verdict(False)

    class Broken(Mute):
        def explain(self, query):
            raise mb.MbeduError("no")

    for judge in (Mute(), Broken()):
        trace = mb.run("gs", judge, target="T", record=True).trace
        made = film(trace)
        assert made["whys"] == []
        assert made["picture"]["edges"] == []


def test_very_large_networks_are_drawn_in_part():
    """Of 441 variables those that the run needs are drawn, and the page says how many are not."""
    net = mb.load_network("pigs")
    target = net.variables[200]
    trace = mb.run("gs", mb.DSeparation(net), target=target, record=True).trace
    shown = film(trace)["picture"]
    drawn = {trace.variables[node[0]] for node in shown["nodes"]}
    assert shown["left_out"] == len(net.variables) - len(drawn) > 0
    assert {target, *trace.answer} <= drawn


def test_refusals_say_what_to_do():
    """An empty trace and an impossible scale are refused with the way out."""
    empty = Trace(algorithm="x", title="x", target="T", variables=("T",), steps=())
    with pytest.raises(TraceError, match="record=True"):
        play(empty)
    trace = mb.run("gs", mb.DSeparation([("A", "T")]), target="T", record=True).trace
    with pytest.raises(TraceError, match="projector"):
        play(trace, scale=0)


def test_saving_writes_a_page(tmp_path):
    """save() writes one page that contains the very player that a notebook shows."""
    trace = mb.run("gs", mb.DSeparation([("A", "T")]), target="T", record=True).trace
    path = trace.save(tmp_path / "x.html")
    text = path.read_text(encoding="utf-8")
    assert trace.play().html in text
    assert text.startswith("<!DOCTYPE html>")
