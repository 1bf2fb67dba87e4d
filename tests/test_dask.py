"""A cluster: the same report from dask.distributed's executor as in line."""

import warnings

import pytest

import mbedu as mb
from mbedu.verify.dags import all_dags

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def executor():
    """The executor of a real cluster: a scheduler and two workers, each a process of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ports taken by others, and the like
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


def marginal_only(ask, target):
    return {v for v in ask.others(target) if not ask(target, v)}


def summary(report):
    found = report.counterexample
    return (report.tried, dict(report.counts), report.questions, report.most_questions, dict(report.examples),
            str(found), None if found is None else found.trace.transcript(), str(report))  # fmt: skip


@pytest.mark.parametrize("function", ["gs", "mmmb"])
def test_an_algorithm_gives_the_same_report(executor, function):
    """Right or wrong, all DAGs with four nodes: the report of the cluster is the report in line."""
    there, here = (mb.verify(function, all_dags(4), executor=e) for e in (executor, None))
    assert summary(there) == summary(here)


def test_a_plain_function_gives_the_same_report(executor):
    """A function that is pickled by value runs behind its fence on every worker too."""
    there, here = (mb.verify(marginal_only, all_dags(3), executor=e) for e in (executor, None))
    assert summary(there) == summary(here)
    assert there.wrong == 24


def test_problems_and_networks_travel(executor):
    """Exact joints with all their boundaries are sent, not only numbers of graphs."""
    worlds = [*mb.random_networks(4, 6, determinism=0.5, seed=3), mb.get_problem("copies")]
    there, here = (mb.verify("gs_m", worlds, expect="m-boundary", executor=e, m=2) for e in (executor, None))
    assert there
    assert summary(there) == summary(here)


def test_a_sweep_resumes_elsewhere(executor, tmp_path):
    """What was finished in line is not done again on the cluster, and the report is the same."""
    whole, path = mb.verify("iamb", all_dags(4)), tmp_path / "sweep.jsonl"
    mb.verify("iamb", all_dags(4), checkpoint=path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[: len(lines) // 2]) + "\n")
    resumed = mb.verify("iamb", all_dags(4), checkpoint=path, executor=executor)
    assert len(path.read_text().splitlines()) == len(lines)
    assert summary(resumed) == summary(whole)
