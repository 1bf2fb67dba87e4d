"""The frame of the experiments: cells, seeds, executors, resume, files, verdicts, the report."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbedu.errors import MbeduError, UnknownName
from mbedu.experiments import (
    Check,
    DataMissing,
    Experiment,
    Interval,
    Options,
    all_experiments,
    build_report,
    check_claim,
    check_number,
    check_ranking,
    experiment_names,
    get_experiment,
    reproduce,
    reproduce_all,
)
from mbedu.experiments.framework import canonical, seed_from
from mbedu.experiments.framework_run import Cells, split_times
from mbedu.experiments.framework_tables import intervals
from mbedu.experiments.framework_verdicts import NOT_TRIED, ranked_alike, worst

CALLS: list[dict] = []  # what was measured in this process
STOP_AT: list[int] = []


def grid(options):
    return [{"n": n, "repeat": r} for n in (1, 2, 3) for r in range(4)]


def cell(params, seed):
    import numpy as np

    if STOP_AT and len(CALLS) == STOP_AT[0]:
        raise KeyboardInterrupt
    CALLS.append(params)
    value = float(np.random.default_rng(seed).random())
    return {"rows": [{"method": "<b>", "value": value + params["n"], "seconds": os.getpid() * 1e-6}]}


def summarise(cells, options):
    return intervals(cells, ["n", "method"], ["value"])


def checks(table, options):
    return [check_claim("a <script>", "x | y", f"{len(table)} rows", holds=len(table) == 3, place="here")]


def times(frame, options):
    return intervals(frame, ["n", "method"], ["seconds"])


def plot(table, options):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.add_subplot().plot(table["n"], table["value"])
    return figure


TOY = Experiment(
    name="nobody2026-toy",
    title="a toy",
    place="nowhere",
    grid=grid,
    cell=cell,
    summarise=summarise,
    checks=checks,
    times=times,
    plot=plot,
    seeded_by=("n", "repeat"),
)


@pytest.fixture(autouse=True)
def _fresh():
    CALLS.clear()
    STOP_AT.clear()


def same_bytes(a: Path, b: Path) -> list[str]:
    """Return the files that have to be equal and are not."""
    names = ("cells.jsonl", "table.csv", "summary.json", "figure.svg")
    return [n for n in names if (a / n).read_bytes() != (b / n).read_bytes()]


# --- the same result, whoever computes it ----------------------------------------------------------------


def test_any_number_of_workers_gives_the_same_bytes(tmp_path):
    """One process, three processes and a pool of threads write the same files, times apart."""
    one = reproduce(TOY, workers=1, out=tmp_path / "one")
    three = reproduce(TOY, workers=3, out=tmp_path / "three")
    with ThreadPoolExecutor(4) as pool:
        threads = reproduce(TOY, executor=pool, out=tmp_path / "threads")
    assert same_bytes(one.folder, three.folder) == same_bytes(one.folder, threads.folder) == []
    assert (one.folder / "times.jsonl").read_bytes() != (three.folder / "times.jsonl").read_bytes()
    assert reproduce(TOY, workers=1, seed=1).table.value.tolist() != one.table.value.tolist()


def test_a_dask_cluster_gives_the_same_bytes(tmp_path):
    """A local dask cluster of two processes runs a published figure and gives the same files."""
    distributed = pytest.importorskip("distributed")
    here = reproduce("pocock2012-toy", workers=1, out=tmp_path / "here")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        there = reproduce("pocock2012-toy", executor=client.get_executor(), out=tmp_path / "there")
    assert same_bytes(here.folder, there.folder) == []


@given(st.integers(0, 2**32), st.permutations(range(12)))
def test_a_cells_seed_does_not_depend_on_the_order(seed, order):
    """Each cell has its own seed, whatever stands before it in the grid; and all are different."""
    cells = grid(Options())
    seeds = [TOY.seed_of(c, seed) for c in cells]
    assert [TOY.seed_of(cells[i], seed) for i in order] == [seeds[i] for i in order]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= s < 2**63 for s in seeds)
    assert seed_from(seed, "a", 1) != seed_from(seed + 1, "a", 1)


# --- interrupt and go on ---------------------------------------------------------------------------------


@pytest.mark.parametrize("done", [0, 1, 7, 11])
def test_an_interrupted_run_goes_on(tmp_path, done):
    """What was measured before the interrupt is not measured again, and the files are those of one go."""
    whole = reproduce(TOY, workers=1, out=tmp_path / "whole")
    CALLS.clear()
    STOP_AT.append(done)
    with pytest.raises(KeyboardInterrupt):
        reproduce(TOY, workers=1, out=tmp_path / "halves")
    assert len(CALLS) == done
    STOP_AT.clear()
    halves = reproduce(TOY, workers=1, out=tmp_path / "halves")
    assert len(CALLS) == 12
    assert same_bytes(whole.folder, halves.folder) == []
    assert not (halves.folder / "unfinished.jsonl").exists()


SLOW = """
import signal, sys, time
from mbedu.experiments import Experiment, reproduce

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job starts with it ignored

def cell(params, seed):
    time.sleep(0.15)
    return {"value": params["i"]}

slow = Experiment(name="nobody2026-slow", title="t", place="p", grid=lambda o: [{"i": i} for i in range(40)],
                  cell=cell, summarise=lambda cells, o: cells, checks=lambda table, o: [])
print("ready", flush=True)
reproduce(slow, workers=2, out=sys.argv[1], progress=False)
"""


def test_ctrl_c_stops_worker_processes_and_keeps_what_they_did(tmp_path):
    """An interrupt of a run with processes ends it soon, and quietly; finished cells are kept."""
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert process.stdout.readline() == "ready\n"
    saved = tmp_path / "out" / "nobody2026-slow.quick.printed.seed0" / "unfinished.jsonl"
    end = time.monotonic() + 30
    while time.monotonic() < end and (not saved.exists() or saved.read_text().count("\n") < 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert errors.count("Traceback") == 1
    assert 3 <= saved.read_text().count("\n") < 40


def test_a_line_that_was_cut_off_is_measured_again(tmp_path):
    """A process killed while it wrote its last line loses that cell only."""
    STOP_AT.append(5)
    with pytest.raises(KeyboardInterrupt):
        reproduce(TOY, workers=1, out=tmp_path)
    (saved,) = tmp_path.glob("*/unfinished.jsonl")
    text = saved.read_text()
    saved.write_text(text[:-10])
    STOP_AT.clear()
    reproduce(TOY, workers=1, out=tmp_path)
    assert len(CALLS) == 5 + 8


def test_a_finished_run_is_not_measured_again(tmp_path):
    """Running once more only makes the table, the checks and the plot again."""
    first = reproduce(TOY, workers=1, out=tmp_path)
    assert len(CALLS) == 12
    before = (first.folder / "times.jsonl").read_bytes()
    again = reproduce(TOY, workers=1, out=tmp_path)
    assert len(CALLS) == 12
    assert again.table.equals(first.table)
    assert (first.folder / "times.jsonl").read_bytes() == before


def test_another_revision_is_refused(tmp_path):
    """Results of an older form of an experiment are not mixed with new ones."""
    from dataclasses import replace

    reproduce(TOY, workers=1, out=tmp_path)
    with pytest.raises(MbeduError, match=r"belongs to another run \(it differs in revision\); delete it"):
        reproduce(replace(TOY, revision=2), workers=1, out=tmp_path)


def test_a_failing_cell_is_not_hidden(tmp_path):
    """An error in a cell comes out, also from a worker, and what was done before stays."""
    from dataclasses import replace

    broken = replace(
        TOY, grid=lambda options: [*grid(options), {"n": 0, "repeat": None, "more": 1}], cell=fails
    )
    with pytest.raises(ZeroDivisionError):
        reproduce(broken, workers=2, out=tmp_path)
    with pytest.raises(ZeroDivisionError):
        reproduce(broken, workers=1, out=tmp_path)


def fails(params, seed):
    return {"value": 1 / params["n"]}


# --- input that cannot be meant --------------------------------------------------------------------------


def test_bad_input_is_refused_with_words(tmp_path):
    """An unknown name, reading, seed, folder or number of workers names the value and the way out."""
    from dataclasses import replace

    with pytest.raises(UnknownName, match=r"pocock2012-tabel1.*pocock2012-table1"):
        reproduce("pocock2012-tabel1")
    with pytest.raises(UnknownName, match="reading of pocock2012-toy"):
        reproduce("pocock2012-toy", reading="decibel")
    with pytest.raises(MbeduError, match="seed=-1"):
        reproduce(TOY, seed=-1)
    with pytest.raises(MbeduError, match="workers=0"):
        reproduce(TOY, workers=0)
    with pytest.raises(MbeduError, match="there is no such folder"):
        reproduce(TOY, data=tmp_path / "nowhere")
    with pytest.raises(MbeduError, match="twice"):
        reproduce(replace(TOY, grid=lambda o: [{"n": 1, "repeat": 0}] * 2), workers=1)
    with pytest.raises(MbeduError, match="not made of plain values"):
        reproduce(replace(TOY, cell=lambda params, seed: {"value": float("nan")}), workers=1)
    with pytest.raises(MbeduError, match="holds no reproduction"):
        build_report(tmp_path)


def test_missing_data_are_named_with_their_place(tmp_path):
    """An experiment without any of its data sets says which files belong where, and `all` goes on."""
    from dataclasses import replace

    needy = replace(
        TOY, grid=lambda o: [{"n": n} for n in o.data.present(["car", "sonar"])], needs=("car", "sonar")
    )
    with pytest.raises(DataMissing, match=r"--data DIR.*car: uci/car\.arff; sonar: uci/sonar\.arff"):
        reproduce(needy)
    empty = replace(TOY, grid=lambda o: [n for n in ("car",) if o.data.has(n)], needs=("car",))
    with pytest.raises(DataMissing, match=r"car: uci/car\.arff"):
        reproduce(empty)
    with pytest.raises(MbeduError, match="the grid has no cells"):
        reproduce(replace(TOY, grid=lambda o: []))
    from mbedu.experiments import framework_reproduce

    reproduce(TOY, workers=1, out=tmp_path)  # an earlier run, when the data were there
    outcome = framework_reproduce._not_tried(
        needy, DataMissing(["car: uci/car.arff"], None), full=False, data=None, seed=0, out=tmp_path
    )
    assert outcome.verdict == NOT_TRIED
    text = build_report(tmp_path)[0].read_text()
    assert "uci/car.arff" in text
    assert "figure.svg" not in text  # nothing of the earlier run
    assert "| nobody2026-toy | quick, printed, seed 0 | not tried: data missing | not tried |  |  |" in text


# --- times ---------------------------------------------------------------------------------------------


def test_times_are_apart():
    """No time is among the results, and the labels of rows go with the times."""
    found = {"a": 1, "seconds": 2.0, "rows": [{"m": "x", "f": 0.5, "seconds": 1.0}, {"m": "y", "f": 0.1}]}
    result, times_ = split_times(found)
    assert result == {"a": 1, "rows": [{"m": "x", "f": 0.5}, {"m": "y", "f": 0.1}]}
    assert times_ == {"seconds": 2.0, "rows": [{"m": "x", "seconds": 1.0}, {"m": "y"}]}
    assert split_times({"a": 1}) == ({"a": 1}, {})


def test_a_frame_has_a_row_for_each_row():
    """A cell's rows become rows, with the cell's parameters beside each."""
    cells = Cells(({"n": 1}, {"n": 2}), ({"rows": [{"a": 1}, {"a": 2}], "b": 3}, {"a": 4}), ({}, {}))
    frame = cells.frame()
    assert frame.n.tolist() == [1, 1, 2]
    assert frame.a.tolist() == [1, 2, 4]
    assert frame.b.tolist()[:2] == [3, 3]


# --- verdicts --------------------------------------------------------------------------------------------

numbers = st.floats(-10, 10, allow_nan=False)


@given(numbers, st.floats(0, 5), st.floats(0, 1))
def test_a_number_is_reproduced_if_and_only_if_it_is_inside(mean, half, rounding):
    """The ends of a narrow interval, widened by the rounding, are inside; what is beyond is not."""
    ours = Interval(mean, mean - half, mean + half, 9)
    for printed in (mean, mean - half, mean + half, mean + half + rounding):
        assert check_number("x", printed, ours, rounding=rounding, widest=half).verdict == "reproduced"
    beyond = mean + half + rounding + 0.01
    assert check_number("x", beyond, ours, rounding=rounding, widest=half).verdict == "not reproduced"


@given(st.floats(0.1, 100), st.floats(0.3, 5), st.floats(0, 0.01))
def test_a_wide_interval_confirms_no_number(printed, share, rounding):
    """Wider than a quarter of the number to either side: inside, yet not reproduced; the note says why."""
    half = share * printed
    ours = Interval(printed, printed - half, printed + half, 3)
    found = check_number("x", printed, ours, rounding=rounding, note="more")
    assert found.verdict == "not reproduced"
    assert found.note == "inside, but in an interval too wide to confirm it; more"
    ranked = check_ranking("x", {"a": printed}, {"a": ours}, rounding=rounding)
    assert ranked.verdict == "not reproduced"
    assert ranked.note == "inside, but in an interval too wide to confirm it: a"
    narrow = Interval(printed, 0.8 * printed, 1.2 * printed, 3)
    assert check_number("x", printed, narrow).verdict == "reproduced"
    assert check_ranking("x", {"a": printed}, {"a": narrow}).verdict == "reproduced"


def test_one_confirmed_pair_of_many_is_no_ranking():
    """At least half of the printed differences have to be confirmed, and none contradicted."""
    ours = [Interval(v, v - 1, v + 1, 9) for v in (10, 5, 4.9, 4.8)]
    assert ranked_alike([4, 3, 2, 1], ours)  # three of six
    assert not ranked_alike([4, 3, 2, 1], [ours[0], Interval(5, 0, 10, 9), *ours[2:]])  # two of six
    assert not ranked_alike([1, 2, 3, 4], ours)
    assert not ranked_alike([1, 1, 1, 1], ours)  # nothing printed as different


@given(
    st.lists(st.integers(-10, 10), min_size=2, max_size=6, unique=True), st.floats(0.1, 10), st.floats(20, 50)
)
def test_a_shifted_ranking_keeps_its_order(printed, scale, shift):
    """Numbers of the same order at another level are told from numbers in another order."""
    by_name = {f"m{i}": p for i, p in enumerate(printed)}

    def tight(values):
        return {m: Interval(v, v, v, 9) for m, v in values.items()}

    moved = {m: p * scale + shift + scale * 20 for m, p in by_name.items()}
    turned = {m: -p * scale + shift + scale * 20 for m, p in by_name.items()}
    assert check_ranking("x", by_name, tight(by_name)).verdict == "reproduced"
    assert check_ranking("x", by_name, tight(moved)).verdict == "same ranking, other level"
    assert check_ranking("x", by_name, tight(turned)).verdict == "not reproduced"


def test_overlapping_intervals_alone_confirm_nothing():
    """A ranking that is nowhere contradicted but nowhere confirmed is not reproduced."""
    wide = [Interval(5, 0, 10, 3), Interval(6, 0, 10, 3)]
    assert not ranked_alike([1, 2], wide)
    assert (
        check_ranking("x", {"a": 20.0, "b": 30.0}, dict(zip("ab", wide, strict=True))).verdict
        == "not reproduced"
    )
    assert check_ranking("x", {"a": 1.0}, {}).verdict == "not tried"


def test_the_worst_verdict_counts():
    """A figure is as well reproduced as the worst of its checks; what was not tried does not count."""
    verdicts = ("reproduced", "same ranking, other level", "not reproduced", "not tried")
    made = [Check("", "", "", v) for v in verdicts]
    assert [worst(made[:k]) for k in range(1, 5)] == [*verdicts[:3], "not reproduced"]
    assert worst([]) == worst(made[3:]) == "not tried"
    assert check_claim("", "", "", holds=None).verdict == "not tried"
    assert check_claim("", "", "", holds=False, partly=True).verdict == "same ranking, other level"


# --- the registry and the report ---------------------------------------------------------------------------


def test_every_experiment_is_well_formed():
    """Names are unique and are a paper's key and a place; cells are top-level functions; grids are plain."""
    import importlib

    found = all_experiments()
    assert len({e.name for e in found}) == len(found)
    assert {"margaritis2009-fig1", "pocock2012-table1"} <= set(experiment_names())
    for e in found:
        assert e.name == f"{e.paper}-{e.name.partition('-')[2]}"
        assert getattr(importlib.import_module(e.cell.__module__), e.cell.__name__) is e.cell
        assert get_experiment(e.name) is e
        assert e.place
        assert e.title
        try:
            cells = list(e.grid(Options(reading=e.reading(None))))
        except DataMissing:
            continue
        assert len({canonical(c) for c in cells}) == len(cells)
        assert cells or Options().data.missing(e.needs), e.name


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.links, self.ids, self.scripts = [], [], set(), 0

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        values = dict(attrs)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if "id" in values:
            self.ids.add(values["id"])


def test_the_report_has_everything_and_escapes_names(tmp_path):
    """Both pages name every check, verdict, reading, seed and version; links lead somewhere; no tag leaks."""
    reproduce(TOY, workers=1, out=tmp_path)
    reproduce("pocock2012-toy", workers=1, out=tmp_path)
    reproduce("pocock2012-toy", workers=1, reading="nats", out=tmp_path)
    markdown, page = build_report(tmp_path)
    tags = _Tags()
    text = page.read_text()
    tags.feed(text)
    assert tags.scripts == 0
    assert len([link for link in tags.links if link.startswith("#")]) >= 3
    assert {link[1:] for link in tags.links if link.startswith("#") and "." in link} <= tags.ids
    assert "&lt;script&gt;" in text
    for found in (text, markdown.read_text()):
        for word in ("nobody2026-toy", "seed 0", "numpy", "reproduced", "nats", "Python"):
            assert word in found
    assert "x \\| y" in markdown.read_text()
    before = page.read_bytes(), markdown.read_bytes()
    assert build_report(tmp_path) == (markdown, page)
    assert (page.read_bytes(), markdown.read_bytes()) == before


def test_the_report_begins_with_what_is_missing(tmp_path):
    """Each missing file is named once with its place and who needs it, and each check that was not tried."""
    from dataclasses import replace

    open_check = check_claim("a thing", "42", "it cannot be had", holds=None)
    for name in ("nobody2026-first", "nobody2026-second", "beyond-last"):
        needy = replace(
            TOY, name=name, needs=("car",), cell=cell_with_folder, checks=lambda t, o: [open_check]
        )
        reproduce(needy, workers=1, out=tmp_path)
    markdown, page = (path.read_text() for path in build_report(tmp_path))
    wanted = (
        "car: uci/car.arff below the data folder (--data DIR); needed by nobody2026-first, nobody2026-second"
    )
    for text in (markdown, page):
        assert text.count(wanted) == 1
        assert "nobody2026-first, a thing: it cannot be had" in text
        assert text.index("nobody2026-second") < text.index("beyond-last")  # no paper's: last
    assert "| all |  | 3 not tried |" in markdown


def cell_with_folder(params, seed, folder):
    return cell(params, seed)


THREADS = """
import os, sys
from mbedu.experiments import Experiment, reproduce

def cell(params, seed):
    import scipy.linalg  # loads a library with threads of its own, after the workers were made
    from threadpoolctl import threadpool_info
    return {"threads": max(found["num_threads"] for found in threadpool_info())}

one = Experiment(name="nobody2026-one", title="t", place="p", grid=lambda o: [{"i": i} for i in range(4)],
                 cell=cell, summarise=lambda cells, o: cells, checks=lambda table, o: [])
before = dict(os.environ)
found = reproduce(one, workers=int(sys.argv[1]), progress=False).table["threads"]
print(sorted(set(found)), dict(os.environ) == before)
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_thread_of_linear_algebra_for_any_number_of_workers(tmp_path, workers):
    """A cell has one thread, whether in this process or in another; the environment is left as it was."""
    script = tmp_path / "threads.py"
    script.write_text(THREADS)
    free = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    found = subprocess.run(
        [sys.executable, str(script), workers],
        capture_output=True,
        text=True,
        check=True,
        env={**free, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert found.stdout == "[1] True\n"


def test_all_runs_what_it_is_told(tmp_path):
    """`reproduce_all` returns an outcome for each name and writes the report."""
    outcomes = reproduce_all(["pocock2012-toy"], out=tmp_path, workers=1)
    assert [o.name for o in outcomes] == ["pocock2012-toy"]
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "report.md").exists()
    machine = json.loads((outcomes[0].folder / "machine.json").read_text())
    assert machine["versions"]["numpy"]
    assert "pocock2012-toy" in str(outcomes[0])
