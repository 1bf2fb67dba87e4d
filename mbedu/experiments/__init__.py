"""Experiments: every published table and figure again, beside what was printed.

>>> from mbedu.experiments import experiment_names
>>> "pocock2012-toy" in experiment_names()
True
"""

from __future__ import annotations

from mbedu.experiments.data import DataFolder, DataMissing
from mbedu.experiments.framework import Experiment, Options, all_experiments, experiment_names, get_experiment
from mbedu.experiments.framework_reproduce import Outcome, reproduce, reproduce_all
from mbedu.experiments.framework_verdicts import Check, check_claim, check_number, check_ranking
from mbedu.experiments.report import build_report
from mbedu.experiments.stats import Interval

__all__ = [
    "Check", "DataFolder", "DataMissing", "Experiment", "Interval", "Options", "Outcome", "all_experiments",
    "build_report", "check_claim", "check_number", "check_ranking", "experiment_names", "get_experiment",
    "reproduce", "reproduce_all",
]  # fmt: skip
