# SPDX-License-Identifier: Apache-2.0
"""Types of results: those of the functions and methods of `dorm`. Each submodule has its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._lazy import lazy_names

if TYPE_CHECKING:
    from ._boosting import Metric, Objective
    from ._compare import ComparedFigure, ComparedMethod, ComparedTrees, MethodComparison
    from ._compare_rankers import RankerTable
    from ._evaluate import Comparison, Evaluation, MeasureResult
    from ._explain import Explanation
    from ._export import ExportCheck
    from ._importance import Importance
    from ._pages import Page
    from ._report import Candidate, Certificate, TrainReport
    from ._serve import Server
    from ._tune import FeatureStep, GridPoint, PrunedPoint, Tested, TreesWorth, TuneResult, Validated

__all__ = [
    "Candidate",
    "Certificate",
    "ComparedFigure",
    "ComparedMethod",
    "ComparedTrees",
    "Comparison",
    "Evaluation",
    "Explanation",
    "ExportCheck",
    "FeatureStep",
    "GridPoint",
    "Importance",
    "MeasureResult",
    "MethodComparison",
    "Metric",
    "Objective",
    "Page",
    "PrunedPoint",
    "RankerTable",
    "Server",
    "Tested",
    "TrainReport",
    "TreesWorth",
    "TuneResult",
    "Validated",
]

_HOMES = {
    "._boosting": ("Metric", "Objective"),
    "._compare": ("ComparedFigure", "ComparedMethod", "ComparedTrees", "MethodComparison"),
    "._compare_rankers": ("RankerTable",),
    "._evaluate": ("Comparison", "Evaluation", "MeasureResult"),
    "._explain": ("Explanation",),
    "._export": ("ExportCheck",),
    "._importance": ("Importance",),
    "._pages": ("Page",),
    "._report": ("Candidate", "Certificate", "TrainReport"),
    "._serve": ("Server",),
    "._tune": ("FeatureStep", "GridPoint", "PrunedPoint", "Tested", "TreesWorth", "TuneResult", "Validated"),
}

__getattr__, __dir__ = lazy_names(__name__, {f".{home}": names for home, names in _HOMES.items()})
