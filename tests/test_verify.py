"""verify: every DAG once, every misbehaviour a line, nothing lost when it is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import networkx as nx
import pytest

from mbedu.errors import MbeduError
from mbedu.networks import load_network
from mbedu.oracles import DSeparation, ExactJoint
from mbedu.theory.boundaries import boundaries
from mbedu.verify.cases import Reordered, cases_of
from mbedu.verify.dags import all_dags
from mbedu.verify.random_problems import random_dags, random_networks
from mbedu.verify.sweep import verify
from mbedu.verify.worker import Limits

QUICK = Limits(seconds=0.5, megabytes=512, questions=2000)


@pytest.mark.parametrize(
    ("n", "count", "shapes"), [(1, 1, 1), (2, 3, 2), (3, 25, 6), (4, 543, 31), (5, 29281, 302)]
)
def test_every_dag_comes_once(n, count, shapes):
    """The enumeration has as many DAGs as Robinson counts, no two alike; its shapes are as many as known."""
    dags = all_dags(n)
    assert len(dags) == len(set(dags)) == count
    assert len(all_dags(n, up_to="isomorphism")) == shapes


def test_every_dag_of_three_nodes_is_there():
    """All digraphs on three nodes that are acyclic, found the slow way, are the ones listed."""
    names, pairs = "ABC", [(a, b) for a in "ABC" for b in "ABC" if a != b]
    slow = set()
    for chosen in product((0, 1), repeat=len(pairs)):
        graph = nx.DiGraph([pair for pair, there in zip(pairs, chosen, strict=True) if there])
        graph.add_nodes_from(names)
        if nx.is_directed_acyclic_graph(graph):
            slow.add(frozenset(graph.edges))
    assert {frozenset(dag.edges) for dag in all_dags(3)} == slow


def test_shapes_cover_the_labelled_dags():
    """Each labelled DAG is isomorphic to exactly one of the shapes."""
    shapes = [nx.DiGraph(dag.edges) for dag in all_dags(4, up_to="isomorphism")]
    for shape in shapes:
        shape.add_nodes_from(n for n in "ABCD" if len(shape) < 4 and n not in shape)
    found = [0] * len(shapes)
    for dag in all_dags(4):
        graph = nx.DiGraph(dag.edges)
        graph.add_nodes_from(dag.variables)
        (match,) = [i for i, shape in enumerate(shapes) if nx.is_isomorphic(graph, shape)]
        found[match] += 1
    assert all(found)


@pytest.mark.parametrize("bad", [0, 8, 2.0, "4", True])
def test_too_many_nodes_are_refused(bad):
    """A size that cannot be listed is refused, and the way out is named."""
    with pytest.raises(MbeduError, match="random_dags"):
        all_dags(bad)


def test_a_right_algorithm_is_right():
    """GS and its family are right on all DAGs with four nodes, in every variable order."""
    for key in ("gs", "gs_m", "rgs"):
        report = verify(key, all_dags(4))
        assert (report.tried, report.wrong) == (543 * 4, 0)
        assert report
        assert report.counterexample is None


def marginal_only(ask, target):
    return {v for v in ask.others(target) if not ask(target, v)}


def test_a_wrong_function_gets_its_smallest_counterexample():
    """The counterexample is the smallest of all, opened where it parts from the reference."""
    report = verify(marginal_only, all_dags(4))
    found = report.counterexample
    assert not report
    assert report.wrong == report.missing + report.extra + report.both
    assert (found.case.nodes, found.case.edges) == (3, 2)
    assert found.certified
    assert found.answer not in found.expected
    assert found.trace.algorithm == "marginal_only"
    assert set(found.trace.answer) == found.answer
    assert frozenset(found.reference.answer) in found.expected
    assert 0 <= found.diverges_at < len(found.trace)
    assert "no smaller one exists" in str(report)


def test_the_smallest_counterexample_is_the_smallest():
    """No DAG with fewer nodes, or as many and fewer edges, fools the function."""
    found = verify(marginal_only, all_dags(3)).counterexample
    size = (found.case.nodes, found.case.edges)
    smaller = [dag for n in (1, 2, 3) for dag in all_dags(n) if (n, len(dag.edges)) < size]
    assert len(smaller) == 11
    assert verify(marginal_only, smaller, orders="all")


HOSTILE = {
    "time": "while True: pass",
    "stubborn": "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    "error": "return [1, 2][target == target and 5]",
    "recursion": "return f(ask, target)",
    "memory": "return bytearray(10**12)",
    "output": "while True: print('x' * 100000)",
    "exit": "exit(3)",
    "crash": "import os; os._exit(7)",
    "mutated": "ask.variables = (); return set()",
    "questions": "while True: ask(target, ask.others(target)[0])",
    "type": "return 42",
    "nothing": "pass",
    "unknown": "return {'nobody'}",
    "duplicate": "return [ask.others(target)[0]] * 2",
    "target": "return {target}",
    "generator": "yield 1 / 0",
    "repr": "class R:\n        def __repr__(self): raise ValueError\n    return [R()]",
}
EXPECTED = {
    "time": ("time", "did not finish within 0.5 seconds"),
    "stubborn": ("time", ""),
    "error": ("error", "IndexError: list index out of range at line 2 of f"),
    "recursion": ("error", "RecursionError"),
    "memory": ("memory", "needed more than 512 MB"),
    "output": ("output", "printed more than"),
    "exit": ("exit", "called exit(3)"),
    "crash": ("crash", "exit code 7"),
    "mutated": ("mutated", "changed what it was given (ask.variables)"),
    "questions": ("too many questions", "asked 2,000 questions"),
    "type": ("bad answer", "returned 42 (int), not a set"),
    "nothing": ("bad answer", "returned None"),
    "unknown": ("bad answer", "'nobody', which is not a variable"),
    "duplicate": ("bad answer", "more than once"),
    "target": ("bad answer", "returned the target"),
    "generator": ("error", "ZeroDivisionError"),
    "repr": ("bad answer", "repr fails with ValueError"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_function_becomes_a_line_of_the_report(what):
    """Whatever a function does, the report says so, and the run goes on to its end."""
    space = {}
    exec(f"def f(ask, target):\n    {HOSTILE[what]}", space)  # typed in, as in a notebook: no source file
    report = verify(space["f"], all_dags(2)[1:], orders="given", limits=QUICK)
    kind, words = EXPECTED[what]
    assert report.tried == 4
    assert set(report.counts) <= {kind, "not tried"}
    assert words in str(report)
    assert report.counterexample.kind == kind


def test_a_function_may_mention_the_package():
    """A function that uses `mb`, as one in a notebook does, travels to the worker."""
    space = {}
    exec(
        "import mbedu as mb\ndef f(ask, target):\n    return set(mb.subsets(ask.others(target), 1)[0])", space
    )
    report = verify(space["f"], all_dags(2), limits=QUICK)
    assert "error" not in report.counts


def test_what_cannot_travel_is_refused():
    """A function that holds an open file is refused with the reason."""
    import threading

    lock = threading.Lock()
    with pytest.raises(MbeduError, match="cannot be sent to a process of its own"):
        verify(lambda ask, target: {str(lock)}, all_dags(2))


def test_misbehaving_sometimes_leaves_the_rest_intact():
    """A function that fails on one target only is counted right on the others."""

    def sometimes(ask, target):
        if target == "B":
            raise SystemExit
        return {v for v in ask.others(target) if not ask(target, v)}

    report = verify(sometimes, all_dags(2), limits=QUICK)
    assert dict(report.counts) == {"right": 3, "exit": 3}


def test_too_many_questions_are_set_against_the_reference():
    """A function that asks without end is told how many GS asks."""

    def curious(ask, target):
        while True:
            ask(target, ask.others(target)[0])

    text = str(verify(curious, all_dags(2), limits=Limits(questions=500)))
    assert "asked 500 questions and wanted more" in text
    assert "gs asks" in text


def test_any_executor_gives_the_same_report(tmp_path):
    """In line, in threads or in processes: the same report."""
    graphs = random_dags(4, 24, seed=3)
    alone = verify(marginal_only, graphs, orders=2, seed=5)
    with ThreadPoolExecutor(2) as pool:
        shared = verify(marginal_only, graphs, orders=2, seed=5, executor=pool)
    assert str(alone) == str(shared)
    assert alone.counts == shared.counts


def test_a_checkpoint_is_resumed_and_not_mixed_up(tmp_path):
    """A sweep goes on where it stopped, even behind a torn last line, and gives the same report."""
    path = tmp_path / "sweep.jsonl"
    whole = verify("gs", all_dags(3), checkpoint=path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:3]) + "\n" + lines[3][:20])
    again = verify("gs", all_dags(3), checkpoint=path)
    assert str(again) == str(whole)
    assert sorted(path.read_text().splitlines()[1:]) == sorted(lines[1:])
    with pytest.raises(MbeduError, match="belongs to another sweep"):
        verify("gs_m", all_dags(3), checkpoint=path)


def test_killed_halfway_and_resumed(tmp_path):
    """Kill the process of a long sweep, run it again, and get the report of an unbroken one."""
    path = tmp_path / "killed.jsonl"
    code = f"import mbedu as mb; mb.verify('gs', mb.all_dags(5), checkpoint={str(path)!r}, progress=False)"
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    for _ in range(600):
        time.sleep(0.1)
        if process.poll() is not None or (path.exists() and path.read_text().count("\n") > 5):
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = path.read_text().count("\n") - 1
    assert 5 <= done < 293
    starts = {json.loads(line)["start"] for line in path.read_text().splitlines()[1:] if line.endswith("}")}
    report = verify("gs", all_dags(5), checkpoint=path, progress=False)
    assert (report.tried, report.wrong) == (146405, 0)
    assert len(starts) <= done


def test_expect_chooses_the_truth():
    """In Asia "either" is a function of its parents: the graph's answer for it is not a boundary."""
    asia = load_network("asia")
    assert verify("gs", [asia], orders="given")
    exact = verify("gs", [asia], expect="exact", orders="given")
    assert exact.tried == 8
    assert exact  # GS gives a boundary of the distribution, whatever the graph says
    other = verify(
        lambda ask, target: DSeparation(load_network("asia")).boundary(target), [asia], expect="exact"
    )
    assert other.wrong == 2  # "either" itself, in both orders
    joint, graph = ExactJoint(asia), DSeparation(asia)
    disagree = [v for v in asia.variables if boundaries(joint, v) != (graph.boundary(v),)]
    assert disagree == ["bronc", "either", "xray", "dysp"]


def test_m_boundaries_are_another_truth():
    """GS(m) returns an m-boundary on every random distribution, deterministic ones included."""
    nets = list(random_networks(4, 6, determinism=0.5, seed=2))
    judges = [ExactJoint(net) for net in nets]
    for m in (1, 2, 3):
        assert verify("gs_m", judges, expect="m-boundary", m=m)


def test_reordering_changes_the_order_only():
    """A reordered judge gives the same verdicts; a wrong order is refused."""
    judge = ExactJoint(load_network("cancer"))
    case = next(cases_of(judge, orders="reversed"))
    assert case.order == judge.variables[::-1]
    with pytest.raises(MbeduError, match="is not an order"):
        Reordered(judge, ["A"])


@pytest.mark.parametrize("bad", [None, 3, [], "asia"])
def test_nothing_to_verify_is_refused(bad):
    """What cannot be verified on is refused with the way out."""
    with pytest.raises(MbeduError, match="verify on"):
        verify("gs", bad)


def test_bad_orders_are_refused():
    """An order that is none is refused."""
    with pytest.raises(MbeduError, match="orders='sideways'"):
        verify("gs", all_dags(2), orders="sideways")
