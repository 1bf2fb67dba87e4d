"""Traces: whole, stored without loss, the same in every process, and readable."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges import Arbitrary

from mbedu.errors import TraceError
from mbedu.judge import Verdict
from mbedu.query import Query
from mbedu.running import run
from mbedu.steps import (
    Asked,
    Changed,
    Chose,
    Entered,
    Noted,
    Returned,
    Scored,
    step_from_plain,
    step_to_plain,
)
from mbedu.trace import SCHEMA, Trace

TEXT = st.text(max_size=6)
NUMBER = st.none() | st.floats(allow_nan=False)
PLACE = {
    "line": st.none() | st.integers(1, 40),
    "procedure": TEXT,
    "depth": st.integers(0, 5),
    "phase": TEXT,
    "scope": st.integers(0, 9),
}
NAMES = st.lists(TEXT, max_size=3).map(tuple)
VERDICTS = st.builds(
    Verdict,
    independent=st.booleans(),
    p_value=NUMBER,
    statistic=NUMBER,
    df=NUMBER,
    strength=NUMBER,
    reliable=st.booleans(),
    reason=TEXT,
    n=st.none() | st.integers(0, 10**9),
    log_p=NUMBER,
)
QUERIES = st.lists(TEXT, min_size=2, max_size=5, unique=True).map(lambda v: Query(v[0], v[1], v[2:]))
STEPS = st.one_of(
    st.builds(Asked, query=QUERIES, verdict=VERDICTS, **PLACE),
    st.builds(Changed, name=TEXT, added=NAMES, removed=NAMES, size=st.integers(0, 9), **PLACE),
    st.builds(Entered, what=st.sampled_from(["phase", "procedure"]), name=TEXT, target=TEXT, **PLACE),
    st.builds(
        Chose, item=NAMES, among=st.integers(0, 99), why=TEXT, ties=st.lists(NAMES).map(tuple), **PLACE
    ),
    st.builds(Scored, item=NAMES, score=TEXT, value=st.floats(allow_nan=False), why=TEXT, **PLACE),
    st.builds(Noted, message=TEXT, **PLACE),
    st.builds(Returned, name=TEXT, value=st.none() | NAMES, summary=TEXT, **PLACE),
)


@given(st.lists(STEPS, max_size=6))
def test_json_round_trip_loses_nothing(steps):
    """A trace read back from its JSON equals the trace, and gives the same JSON again."""
    trace = Trace(algorithm="a", title="A", target="T", variables=("T",), steps=tuple(steps), params={"m": 1})
    text = trace.to_json()
    assert Trace.from_json(text) == trace
    assert Trace.from_json(text).to_json() == text
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@given(STEPS)
def test_every_step_has_one_sentence(step):
    """A step's text survives the round trip, as everything else."""
    again = step_from_plain(step_to_plain(step))
    assert again == step
    assert again.text == step.text


@given(st.integers(0, 10**6))
def test_state_is_the_sum_of_the_changes(seed):
    """The set after step n is what the changes up to n make of it, and at the end it is the answer."""
    trace = run("gs_m", Arbitrary("TABCD", seed=seed), target="T", m=2, record=True).trace
    members = set()
    for n, step in enumerate(trace):
        if isinstance(step, Changed):
            members = (members | set(step.added)) - set(step.removed)
            assert step.size == len(members)
            assert trace.state(n) == {"S": members}
    assert trace.state()["S"] == set(trace.answer)


def test_frame_and_transcript_have_a_row_a_step():
    """The DataFrame and the transcript tell every step, in the same words."""
    trace = run("gs_m", Arbitrary("TABCD"), target="T", m=2, record=True).trace
    frame = trace.to_frame()
    assert list(frame["text"]) == [step.text for step in trace]
    lines = trace.transcript().splitlines()
    assert len(lines) == len(trace) + 2
    assert all(step.text in line for step, line in zip(trace, lines[1:], strict=False))
    assert frame["line"].notna().sum() >= len(trace) - 1  # only the first step stands before line 1


def test_a_plain_function_is_recorded_without_lines():
    """A student's function needs nothing from us; its steps have no line."""

    def my_blanket(ask, T):
        return {v for v in ask.others(T) if not ask(T, v, set(ask.others(T)) - {v})}

    done = run(my_blanket, Arbitrary("TABCD"), target="T", record=True)
    assert [q.line for q in done.trace.questions] == [None] * 4
    assert done.trace.algorithm == "my_blanket"
    assert set(done.trace.answer) == done.boundary


def test_the_same_call_gives_the_same_bytes_in_every_process():
    """The trace JSON does not depend on the hash seed."""
    code = (
        "import mbedu as mb; net = mb.load_network('asia');"
        "print(*(mb.run(a, j, target='dysp', record=True, **p).trace.to_json() for a, p in"
        "  [('gs_m', {'m': 2}), ('rgs', {'m': 2, 'k': 5})]"
        " for j in (mb.DSeparation(net), mb.ExactJoint(net))))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 5000


def test_traces_refuse_what_they_cannot_read():
    """Another schema, no JSON, or a step that is not there: the error says which and what can be read."""
    trace = run("gs", Arbitrary("TAB"), target="T", record=True).trace
    with pytest.raises(TraceError, match=f"steps 0 to {len(trace) - 1}"):
        trace.state(len(trace))
    with pytest.raises(TraceError, match="schema 99"):
        Trace.from_json(trace.to_json().replace(f'"schema":{SCHEMA}', '"schema":99'))
    with pytest.raises(TraceError, match="not JSON"):
        Trace.from_json("{")
    with pytest.raises(TraceError, match="unknown kind of step 'jumped'"):
        step_from_plain({"kind": "jumped"})
