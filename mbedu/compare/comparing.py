"""Run under the oracle, run on data, hold every verdict against the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbedu.citests.by_name import MakeTest, make_test
from mbedu.compare.comparison import Comparison, Consequence, Wrong, trace_of
from mbedu.compare.repair import Corrected, effects, in_full, wrong_verdicts
from mbedu.compare.world import World
from mbedu.judge import Judge, completed
from mbedu.running import Run, Runnable, Stopped, run
from mbedu.steps import Asked

__all__ = ["compare", "compared"]


def compare(
    algorithm: Runnable,
    net: Any,
    target: str | None = None,
    n: int = 500,
    seed: int = 0,
    *,
    test: MakeTest = "auto",
    alpha: float = 0.05,
    oracle: Any = None,
    test_params: Mapping[str, Any] | None = None,
    **params: Any,
) -> Comparison:
    """Run an algorithm under the oracle and on data, and find the first wrong verdict and what it caused.

    Parameters
    ----------
    algorithm : str or callable
        A registered key such as "iamb", or a function f(ask, target).
    net : Network, Problem, exact judge with `sample`, or (judge, data)
        Where truth and data come from; with (judge, data) `n` and `seed` are not used, and `data` is a
        DataFrame or a judge.
    target : str
        Whose boundary; a problem brings its own.
    n, seed : int
        How many rows are drawn, and with which random numbers.
    test : str or callable
        A test by name ("g2", "fisher_z", …), "auto" for what fits the columns, or a function of
        (data, alpha).
    alpha : float
        The level of the test.
    oracle : "exact", "dsep" or a judge, optional
        What is true. For a network by default its exact distribution (the data come from it, and where
        it is not faithful the graph is not the truth), and d-separation where it has more than
        20,000 states.
    test_params : mapping, optional
        Options of the test.
    **params
        The algorithm's own parameters.

    Notes
    -----
    A verdict is wrong if it is not the oracle's. What the *first* wrong verdict caused is defined by doing:
    the algorithm runs once more on the same data with this one question, whenever it is asked, answered
    by the oracle. Up to that question both runs are the same. The changes of named sets after it are
    aligned in their order; those that the repaired run does not make were caused, those that only it
    makes were prevented.

    Examples
    --------
    >>> import mbedu as mb
    >>> found = compare("gs", mb.load_network("cancer"), "Cancer", n=200)
    >>> found.first_wrong.kind, sorted(found.missing)
    ('false independence', ['Dyspnoea', 'Pollution', 'Smoker'])
    """
    world = World.of(net, target, oracle)
    data, made = world.draw(n, seed)
    judge = made if made is not None else make_test(
        test, data, alpha=alpha, target=world.target, params=test_params
    )  # fmt: skip
    rows = len(data) if data is not None else completed(judge).describe().get("rows")
    settings = {"test": type(judge).__name__, "alpha": alpha, "n": rows, "seed": seed}
    exact = run(algorithm, world.oracle, target=world.target, record=True, **params)
    return compared(algorithm, world, exact, judge, params, settings=settings, repair=True)


def compared(
    algorithm: Runnable,
    world: World,
    exact: Run,
    judge: Judge,
    params: Mapping[str, Any],
    *,
    settings: Mapping[str, Any],
    repair: bool,
) -> Comparison:
    """Run on data, hold the verdicts against the oracle's and, if asked, repair the first wrong one."""
    found = run(algorithm, judge, target=world.target, record=True, **params)
    trace = trace_of(found)
    truths = {i: world.truth_of(s.query) for i, s in enumerate(trace) if isinstance(s, Asked)}
    wrong = tuple(wrong_verdicts(trace, truths))

    def correct(at: Wrong) -> Consequence:
        corrected = Corrected(judge, {at.query: truths[at.step]})
        # a budget, because one corrected answer among wrong ones may send an algorithm round in circles
        budget = 1000 + 20 * found.n_asked
        try:
            repaired = run(algorithm, corrected, target=world.target, record=True, max_asked=budget, **params)
        except Stopped as stopped:
            repaired = stopped.run
        return Consequence(in_full(trace, truths, at), repaired, *effects(trace, trace_of(repaired), at.step))

    return Comparison(
        oracle=exact,
        data=found,
        truths=truths,
        wrong=wrong,
        first_wrong=in_full(trace, truths, wrong[0]) if wrong else None,
        truth=exact.boundary if world.boundary is None else world.boundary,
        consequence=correct(wrong[0]) if wrong and repair else None,
        settings=settings,
        edges=world.edges,
        correct=correct,
    )
