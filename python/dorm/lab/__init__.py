# SPDX-License-Identifier: Apache-2.0
"""The experiments of the paper."""

from ._experiment import ExperimentResult, ExperimentTable, experiment_files, run_experiment

__all__ = ["ExperimentResult", "ExperimentTable", "experiment_files", "run_experiment"]
