"""The command line: what it prints can be followed, and what it refuses says why."""

import json

import pytest

from mbedu.cli import main
from mbedu.registry import all_algorithms
from mbedu.trace import Trace

ASIA = ["trace", "gs_m", "--network", "asia", "--target", "dysp", "-p", "m=2"]


def test_trace_prints_a_sentence_a_step(capsys):
    """The transcript names the run, tells each step with its line, and ends with the answer."""
    assert main(ASIA) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "GS(m) for dysp, m = 2; asked of DSeparation."
    assert lines[-1] == "Answer: {bronc, either} after 13 questions, largest conditioning set 6."
    assert any("asia enters S" in line and "[5]" in line for line in lines)


def test_trace_with_the_joint_says_where_graph_and_distribution_disagree(capsys):
    """Under the exact distribution the other boundary and the four targets are named."""
    assert main([*ASIA, "--judge", "joint"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert "{bronc, either} or {bronc, lung, tub}" in last
    assert "4 of 8 targets (bronc, either, xray, dysp)" in last


def test_trace_on_data_is_seeded(capsys):
    """The same seed prints the same transcript; p-values are in it."""
    command = ["trace", "gs", "--network", "asia", "--target", "dysp", "--judge", "g2", "-n", "500"]
    main(command)
    first = capsys.readouterr().out
    main(command)
    assert capsys.readouterr().out == first
    assert "p = " in first


def test_trace_writes_json(tmp_path, capsys):
    """--json writes a trace that can be read back."""
    path = tmp_path / "trace.json"
    main([*ASIA, "--json", str(path)])
    assert Trace.from_json(path.read_text(encoding="utf-8")).answer == ("bronc", "either")


def test_trace_writes_a_page(tmp_path, capsys):
    """--html writes one page with the player in it."""
    path = tmp_path / "trace.html"
    main([*ASIA, "--html", str(path)])
    assert "bronc enters S" in path.read_text(encoding="utf-8")


def test_index_has_every_algorithm(capsys):
    """`mbedu algorithms` lists each registered algorithm with its paper and file, also as Markdown."""
    main(["algorithms"])
    text = capsys.readouterr().out
    main(["algorithms", "--markdown"])
    table = capsys.readouterr().out
    for entry in all_algorithms():
        assert f"{entry.key}: {entry.title}" in text
        assert entry.file in text
        assert f"| `{entry.key}` {entry.title} |" in table
    main(["algorithms", "gs_m"])
    assert "goto line 3" in capsys.readouterr().out


def test_verify_says_right_or_shows_the_smallest(capsys):
    """A right algorithm gives exit code 0, a wrong one 1 and its counterexample."""
    assert main(["verify", "gs", "gs_m", "--nodes", "3"]) == 0
    assert capsys.readouterr().out.count("right on all 75 runs") == 2
    assert main(["verify", "ppfs", "--nodes", "3"]) == 1
    assert "smallest: A → C, B → C; target A" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["trace", "gs", "--network", "asai", "--target", "dysp"], "did you mean 'asia'"),
        (["trace", "gs", "--network", "asia", "--target", "dyspp"], "did you mean 'dysp'"),
        (["trace", "gsm", "--network", "asia", "--target", "dysp"], "did you mean 'gs_m'"),
        (["trace", "gs_m", "--network", "asia", "--target", "dysp", "-p", "m"], "NAME=VALUE"),
        (["trace", "gs_m", "--network", "asia", "--target", "dysp", "-p", "m=0"], "m=0"),
        (["trace", "gs", "--network", "asia", "--target", "dysp", "--judge", "g2", "-n", "0"], "one row"),
        (["trace", "gs", "--network", "nothing.bif", "--target", "dysp"], "nothing.bif"),
        (["verify", "gs", "--nodes", "9"], "n=9"),
        (["verify", "gs", "--nodes", "2", "-p", "m=2"], "unknown parameter of gs 'm'"),
        (["lab", "99.ipynb"], "unknown notebook '99.ipynb'"),
        (["reproduce", "margaritis2009-fig9"], "did you mean 'margaritis2009-fig1'"),
        (["reproduce", "all", "--quick", "--full"], "choose one"),
        (["claims", "margaritis2010"], "did you mean 'margaritis2009'"),
    ],
)
def test_refusals_are_one_line_on_stderr(command, words, capsys):
    """What cannot be done is refused in one line that names it, with exit code 2."""
    assert main(command) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert words in captured.err


def test_reproduce_lists_and_runs(tmp_path, capsys):
    """`mbedu reproduce list` names the experiments; one of them runs and says printed, ours, verdict."""
    assert main(["reproduce", "list"]) == 0
    assert "pocock2012-toy:" in capsys.readouterr().out
    assert main(["reproduce", "pocock2012-toy", "--out", str(tmp_path), "--workers", "1"]) == 0
    assert "reproduced" in capsys.readouterr().out


def test_claims_prints_one_paper(capsys):
    """`mbedu claims margaritis2009` prints its ledger, with a witness where a claim fails."""
    assert main(["claims", "margaritis2009"]) == 0
    text = capsys.readouterr().out
    assert "Lemma 2" in text


def test_no_command_prints_the_help(capsys):
    """Without a command the help is shown."""
    assert main([]) == 0
    assert "algorithms" in capsys.readouterr().out


def test_json_is_json(tmp_path, capsys):
    """The JSON file is standard JSON."""
    path = tmp_path / "t.json"
    main([*ASIA, "--judge", "joint", "--json", str(path)])
    json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
