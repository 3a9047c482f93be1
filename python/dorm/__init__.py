# SPDX-License-Identifier: Apache-2.0
"""Direct optimization of ranking measures.

>>> import dorm
>>> data = dorm.synth(queries=100, features=10, seed=1)
>>> ranker = dorm.DormRanker(measure="ndcg@10", C=100).fit(data)
>>> scores = ranker.predict(data)
>>> print(dorm.evaluate(data.y, scores, qid=data.qid, measures=["ndcg@10", "mrr"]))
measure ...

Names are imported when they are first used: ``import dorm`` alone imports neither scikit-learn nor scipy nor pandas.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import __version__

if TYPE_CHECKING:
    from ._catalog import catalog
    from ._factor_report import FactorCandidate, FactorizationReport, FactorRound, HalfStep
    from ._graphs import Graph, GraphMatch
    from ._pages import Page
    from .added import with_sets, with_user_features
    from .assignment import Assignment, assign
    from .blending import Blend
    from .boosting import Metric, Objective, metric, objective
    from .clicking import ClickGains, ClickLog, clicks, simulate_clicks
    from .comparing import (
        ComparedFigure,
        ComparedMethod,
        MethodComparison,
        RankerTable,
        compare_methods,
        compare_rankers,
        compare_recommenders,
    )
    from .counterfactual import ClickEvaluation, PositionPropensity, PropensityEstimate, evaluate_clicks, propensity
    from .data import RankingData, read_csv, read_letor, synth
    from .describing import info, load_model
    from .ensemble import DormEnsemble
    from .evaluation import Comparison, Evaluation, MeasureResult, compare, evaluate
    from .experimenting import ExperimentResult, ExperimentTable, experiment_files, run_experiment
    from .explanation import Explanation
    from .exporting import ExportCheck
    from .factorization import DormFactorization, Recommendations
    from .importance import Importance, permutation_importance
    from .interleaving import Interleaving, InterleavingResult, analyse_interleaving, interleave, sessions_needed
    from .joint import JointRanker
    from .lists import PositionRanker, TopicRanker
    from .matching import GraphMatcher
    from .measure import Measure
    from .ranker import DormRanker, train_baseline
    from .report import Candidate, Certificate, TrainReport
    from .serving import Server, explore, serve
    from .splitting import QueryKFold
    from .tabular import read_table
    from .trec import Qrels, Run, evaluate_run, read_qrels, read_run
    from .tuning import GridPoint, PrunedPoint, TuneResult, Validated, tune

__all__ = [
    "Assignment",
    "Blend",
    "Candidate",
    "Certificate",
    "ClickEvaluation",
    "ClickGains",
    "ClickLog",
    "ComparedFigure",
    "ComparedMethod",
    "Comparison",
    "DormEnsemble",
    "DormFactorization",
    "DormRanker",
    "Evaluation",
    "ExperimentResult",
    "ExperimentTable",
    "Explanation",
    "ExportCheck",
    "FactorCandidate",
    "FactorRound",
    "FactorizationReport",
    "Graph",
    "GraphMatch",
    "GraphMatcher",
    "HalfStep",
    "Importance",
    "Interleaving",
    "InterleavingResult",
    "JointRanker",
    "PrunedPoint",
    "Measure",
    "MeasureResult",
    "MethodComparison",
    "Metric",
    "Objective",
    "Page",
    "PositionPropensity",
    "PropensityEstimate",
    "PositionRanker",
    "Qrels",
    "QueryKFold",
    "RankerTable",
    "RankingData",
    "Recommendations",
    "Run",
    "Server",
    "TopicRanker",
    "TrainReport",
    "GridPoint",
    "TuneResult",
    "Validated",
    "__version__",
    "analyse_interleaving",
    "assign",
    "catalog",
    "clicks",
    "compare",
    "compare_methods",
    "compare_rankers",
    "compare_recommenders",
    "evaluate",
    "evaluate_clicks",
    "evaluate_run",
    "interleave",
    "experiment_files",
    "explore",
    "info",
    "load_model",
    "metric",
    "objective",
    "permutation_importance",
    "propensity",
    "read_csv",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_table",
    "sessions_needed",
    "simulate_clicks",
    "run_experiment",
    "serve",
    "synth",
    "train_baseline",
    "tune",
    "with_sets",
    "with_user_features",
]

# Where each name lives. No module is called like a public name: importing it would hide the name.
_MODULES = {
    "_catalog": ("catalog",),
    "_factor_report": ("FactorCandidate", "FactorizationReport", "FactorRound", "HalfStep"),
    "_graphs": ("Graph", "GraphMatch"),
    "added": ("with_sets", "with_user_features"),
    "assignment": ("Assignment", "assign"),
    "blending": ("Blend",),
    "dask": (),
    "boosting": ("Metric", "Objective", "metric", "objective"),
    "_pages": ("Page",),
    "clicking": ("ClickGains", "ClickLog", "clicks", "simulate_clicks"),
    "counterfactual": ("ClickEvaluation", "PositionPropensity", "PropensityEstimate", "evaluate_clicks", "propensity"),
    "data": ("RankingData", "read_csv", "read_letor", "synth"),
    "evaluation": ("Comparison", "Evaluation", "MeasureResult", "compare", "evaluate"),
    "explanation": ("Explanation",),
    "exporting": ("ExportCheck",),
    "factorization": ("DormFactorization", "Recommendations"),
    "importance": ("Importance", "permutation_importance"),
    "interleaving": ("Interleaving", "InterleavingResult", "analyse_interleaving", "interleave", "sessions_needed"),
    "comparing": (
        "ComparedFigure",
        "ComparedMethod",
        "MethodComparison",
        "RankerTable",
        "compare_methods",
        "compare_rankers",
        "compare_recommenders",
    ),
    "ensemble": ("DormEnsemble",),
    "describing": ("info", "load_model"),
    "experimenting": ("ExperimentResult", "ExperimentTable", "experiment_files", "run_experiment"),
    "joint": ("JointRanker",),
    "lists": ("PositionRanker", "TopicRanker"),
    "serving": ("Server", "explore", "serve"),
    "ir_measures": (),
    "matching": ("GraphMatcher",),
    "measure": ("Measure",),
    "mlflow": (),
    "plot": (),
    "pyterrier": (),
    "ranker": ("DormRanker", "train_baseline"),
    "report": ("Candidate", "Certificate", "TrainReport"),
    "spark": (),
    "splitting": ("QueryKFold",),
    "tabular": ("read_table",),
    "torch": (),
    "trec": ("Qrels", "Run", "evaluate_run", "read_qrels", "read_run"),
    "tuning": ("PrunedPoint", "GridPoint", "TuneResult", "Validated", "tune"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
