"""The experiments' statistics against scipy, and their data against definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbedu.errors import DataError
from mbedu.experiments.data import SOURCES, DataFolder, DataMissing
from mbedu.experiments.data_generated import monks, near_parity, tic_tac_toe, waveform
from mbedu.experiments.data_readers import read_arff, read_index_value
from mbedu.experiments.stats import (
    critical_difference,
    f1,
    mean_interval,
    mean_ranks,
    missing_extra,
    prediction_interval,
    share_interval,
    wilcoxon,
)

values = st.lists(st.floats(-100, 100), min_size=2, max_size=30)
sets = st.frozensets(st.sampled_from("ABCDEF"))


@given(sets, sets)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(found, true):
    """Where precision and recall exist and are not both 0, F1 is 2PR/(P+R); it is 1 only for equal sets."""
    both = len(found & true)
    if both:
        precision, recall = both / len(found), both / len(true)
        assert f1(found, true) == pytest.approx(2 * precision * recall / (precision + recall))
    assert (f1(found, true) == 1.0) == (found == true)
    assert missing_extra(found, true) == (len(true - found), len(found - true))


@given(values)
def test_the_interval_of_a_mean_is_students(listed):
    """Mean and interval are those of scipy's t distribution."""
    from scipy import stats

    ours = mean_interval(listed)
    error = stats.sem(listed)
    assert ours.mean == pytest.approx(np.mean(listed), abs=1e-9)
    if error > 1e-9:
        low, high = stats.t.interval(0.95, len(listed) - 1, loc=np.mean(listed), scale=error)
        assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-6, abs=1e-6)
    assert mean_interval(listed[:1]).low == listed[0]


@given(values)
def test_the_interval_of_one_more_value_is_wider(listed):
    """It has the mean of the values, and the width of the mean's interval times the root of n + 1."""
    one, mean = prediction_interval(listed), mean_interval(listed)
    assert one.mean == mean.mean
    assert one.high - one.mean == pytest.approx((mean.high - mean.mean) * math.sqrt(len(listed) + 1))
    assert one.low <= mean.low <= mean.high <= one.high


@given(st.integers(1, 200), st.data())
def test_the_interval_of_a_share_is_wilsons(n, data):
    """The interval is scipy's Wilson interval and holds the share itself."""
    from scipy import stats

    hits = data.draw(st.integers(0, n))
    ours = share_interval(hits, n)
    theirs = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert ours.low <= hits / n <= ours.high


@given(values.filter(any))
def test_wilcoxon_drops_what_does_not_differ(listed):
    """Equal pairs change nothing, and swapping the sides keeps the two-sided p-value."""
    zeros = [0.0] * len(listed)
    p = wilcoxon(listed, zeros)
    assert wilcoxon([*listed, 5.0], [*zeros, 5.0]) == pytest.approx(p)
    assert wilcoxon(zeros, listed) == pytest.approx(p)
    assert wilcoxon(zeros, zeros) == 1.0


def test_the_critical_difference_is_demsars():
    """The critical values of Nemenyi's test are those of Demšar 2006, Table 5."""
    for k, q in ((2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)):
        scores = {f"m{i}": [float(i), float(i), float(-i)] for i in range(k)}
        cd = critical_difference(scores)["difference"]
        assert cd / math.sqrt(k * (k + 1) / (6 * 3)) == pytest.approx(q, abs=2e-3)
    ranks = mean_ranks({"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 0.0]})
    assert ranks == {"a": 1.25, "b": 2.0, "c": 2.75}


def test_statistics_refuse_what_has_no_answer():
    """No values, impossible shares, unpaired lists and single methods are refused with words."""
    for call in (
        lambda: mean_interval([]),
        lambda: share_interval(3, 2),
        lambda: wilcoxon([1.0], [1.0, 2.0]),
        lambda: critical_difference({"a": [1.0, 2.0]}),
    ):
        with pytest.raises(DataError):
            call()


# --- data --------------------------------------------------------------------------------------------------


def test_tic_tac_toe_is_the_uci_data_set():
    """958 boards, 626 won by x; each has at most one more x than o, and no two are equal."""
    boards = tic_tac_toe()
    squares = boards.drop(columns="Class").astype(str).to_numpy()
    assert len({tuple(row) for row in squares}) == len(boards) == 958
    assert (boards["Class"] == "positive").sum() == 626
    difference = (squares == "x").sum(axis=1) - (squares == "o").sum(axis=1)
    assert set(difference) == {0, 1}


def test_waveforms_have_breimans_means():
    """Each class has the mean of half of each of its two triangles, and noise of variance 1 at the ends."""
    frame = waveform(30000, seed=3)
    at = np.arange(1, 22)
    one, two, three = (np.maximum(6 - np.abs(at - peak), 0) for peak in (7, 15, 11))
    for label, pair in (("0", (one, two)), ("1", (one, three)), ("2", (two, three))):
        part = frame[frame["class"] == label].drop(columns="class").to_numpy()
        assert np.abs(part.mean(axis=0) - (pair[0] + pair[1]) / 2).max() < 0.08
        assert part[:, 0].var() == pytest.approx(1, abs=0.06)
    assert waveform(5, seed=1).equals(waveform(5, seed=1))


def test_monks_follow_their_rules():
    """The three problems have the known numbers of positive robots; the third has 22 wrong labels."""
    assert [int(monks(i)["class"].sum()) for i in (1, 2)] == [216, 142]
    from mbedu.problems.monks import rule

    third = monks(3, seed=5)
    right = [rule(3, tuple(row)) for row in third.drop(columns="class").to_numpy().tolist()]
    assert int((np.array(right, dtype=int) != third["class"].to_numpy()).sum()) == 22


@pytest.mark.parametrize("reading", ["biased", "uniform", "tilted"])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_near_parity_is_drawn_from_the_exact_distribution(reading, noise):
    """The frequencies of X1 … X4 are those of the exact block of `mbedu.problems.parity`, up to chance."""
    from fractions import Fraction

    from mbedu.problems.parity import _bit, parity_block

    n = 200_000
    frame = near_parity(5, n, noise=noise, reading=reading, seed=11)
    block = parity_block(4, noise=Fraction(str(noise)), reading=reading, bit=_bit(reading, None))
    exact = {cell: float(block.prob(dict(zip(block.variables, cell, strict=True)))) for cell in _cells(4)}
    counts = frame.groupby(["X1", "X2", "X3", "X4"]).size()
    for cell, p in exact.items():
        ours = counts.get(cell, 0) / n
        assert abs(ours - p) <= 5 * math.sqrt(p * (1 - p) / n)
    with pytest.raises(DataError):
        near_parity(3, 10)
    with pytest.raises(DataError):
        near_parity(10, 10, reading="blue")


def _cells(k):
    from itertools import product

    return list(product((0, 1), repeat=k))


words = st.text("abcxyz ", min_size=1, max_size=5).map(str.strip).filter(bool)


@settings(max_examples=60, deadline=None)
@given(
    name=words,
    levels=st.lists(words, min_size=2, max_size=4, unique=True),
    numbers=st.lists(st.integers(-99, 99), min_size=1, max_size=6),
    data=st.data(),
)
def test_arff_is_read_as_scipy_reads_it(tmp_path_factory, name, levels, numbers, data):
    """On dense files with numbers and nominal columns our reader agrees with scipy's."""
    from scipy.io import arff

    rows = [(data.draw(st.sampled_from(levels)), number) for number in numbers]
    path = tmp_path_factory.mktemp("arff") / "t.arff"
    quoted = [f"'{level}'" for level in levels]
    lines = [
        "% a comment",
        "@relation t",
        f"@attribute '{name}' {{{','.join(quoted)}}}",
        "@ATTRIBUTE num real",
    ]
    lines += ["@data", *(f"'{level}',{number / 4}" for level, number in rows)]
    path.write_text("\n".join(lines) + "\n")
    ours = read_arff(path)
    theirs, _ = arff.loadarff(path)
    assert list(ours["num"]) == [float(r[1]) for r in theirs]
    assert list(ours[name]) == [level for level, _ in rows]
    assert list(ours[name].cat.categories) == levels


def test_damaged_files_are_refused(tmp_path):
    """Wrong numbers of values, unknown types and sparse rows name the file and the place."""
    path = tmp_path / "x.arff"
    head = "@relation x\n@attribute a real\n@attribute b {u,v}\n@data\n"
    for text, words_ in (
        (head + "1\n", "1 values in row 1, but 2 attributes"),
        (head, "no rows"),
        (head + "{0 1}\n", "line 5: sparse"),
        ("@relation x\n@attribute a date\n@data\n1\n", "the type 'date'"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=words_):
            read_arff(path)
    path.write_text(head + "?, v\n2.5, ?\n")
    frame = read_arff(path)
    assert frame["a"].isna().tolist() == [True, False]
    assert frame["b"].isna().tolist() == [False, True]


def test_index_value_lines_become_a_matrix(tmp_path):
    """Indices count from 1, and an empty line is an empty row."""
    path = tmp_path / "x.data"
    path.write_text("1:5 3:7\n\n2:1\n")
    assert read_index_value(path, 3).toarray().tolist() == [[5, 0, 7], [0, 0, 0], [0, 1, 0]]


def test_the_data_folder_names_what_is_missing(tmp_path):
    """Without its files a data set is missing, with its place; generated ones are always there."""
    folder = DataFolder(tmp_path)
    assert folder.missing(["tic-tac-toe", "wine", "spect"]) == [
        "spect: uci/spect.train.arff, uci/spect.test.arff"
    ]
    with pytest.raises(DataMissing, match=r"uci/car\.arff"):
        folder.load("car")
    with pytest.raises(DataMissing, match=r"networks/carpo\.bif"):
        folder.file("carpo")
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "car.arff").write_text(
        "@relation c\n@attribute a {x,y}\n@attribute class {p,n}\n@data\nx,p\ny,n\n"
    )
    assert folder.load("car").frame.shape == (2, 2)
    assert folder.present(["car", "sonar"]) == ["car"]
    assert len(folder.listing()) == len(SOURCES)


def test_generated_and_shipped_sets_load():
    """What needs no file has the size that its description says."""
    for name, source in SOURCES.items():
        if source.files:
            continue
        rows, columns = (
            int(v) for v in source.what.split(", ")[-2 if "," in source.what else 0].split(" × ")
        )
        assert DataFolder().load(name).frame.shape == (rows, columns), name
