# SPDX-License-Identifier: Apache-2.0
"""Direct optimization of ranking measures.

>>> import dorm
>>> data = dorm.synth(queries=100, features=10, seed=1)
>>> ranker = dorm.DormRanker(measure="ndcg@10", C=100).fit(data)
>>> scores = ranker.predict(data)
>>> print(dorm.evaluate(data.y, scores, qid=data.qid, measures=["ndcg@10", "mrr"]))
measure ...

Submodules: `dorm.data` (data sets, runs and judgments), `dorm.results` (types of results), `dorm.clicks` (click
logs), `dorm.recommend` (ratings), `dorm.matching` (graphs and assignments), `dorm.fusion` (runs of several
retrievers), `dorm.lab` (experiments), `dorm.plot`, and the integrations `dorm.dask`, `dorm.spark`, `dorm.torch`,
`dorm.mlflow`, `dorm.pyterrier` and `dorm.ir_measures`.

Names are imported when they are first used: ``import dorm`` alone imports neither scikit-learn nor scipy nor pandas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._core import __version__
from ._lazy import lazy_names

if TYPE_CHECKING:
    from ._blend import Blend
    from ._boosting import metric, objective
    from ._catalog import catalog
    from ._compare import compare_methods
    from ._compare_rankers import compare_rankers, compare_runs
    from ._describe import info, load_model
    from ._evaluate import compare, evaluate
    from ._importance import permutation_importance
    from ._measure import Measure
    from ._rankers.baseline import train_baseline
    from ._rankers.ensemble import DormEnsemble
    from ._rankers.ranker import DormRanker
    from ._rankers.slates import PositionRanker, TopicRanker
    from ._serve import explore, serve
    from ._tune import tune
    from .data import (
        QueryKFold,
        RankingData,
        evaluate_run,
        read_csv,
        read_letor,
        read_qrels,
        read_run,
        read_table,
        synth,
    )
    from .fusion import fuse

__all__ = [
    "Blend",
    "DormEnsemble",
    "DormRanker",
    "Measure",
    "PositionRanker",
    "QueryKFold",
    "RankingData",
    "TopicRanker",
    "__version__",
    "catalog",
    "compare",
    "compare_methods",
    "compare_rankers",
    "compare_runs",
    "evaluate",
    "evaluate_run",
    "explore",
    "fuse",
    "info",
    "load_model",
    "metric",
    "objective",
    "permutation_importance",
    "read_csv",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_table",
    "serve",
    "synth",
    "train_baseline",
    "tune",
]

_HOMES = {
    "._blend": ("Blend",),
    "._boosting": ("metric", "objective"),
    "._catalog": ("catalog",),
    "._compare": ("compare_methods",),
    "._compare_rankers": ("compare_rankers", "compare_runs"),
    "._describe": ("info", "load_model"),
    "._evaluate": ("compare", "evaluate"),
    "._importance": ("permutation_importance",),
    "._measure": ("Measure",),
    "._rankers.baseline": ("train_baseline",),
    "._rankers.ensemble": ("DormEnsemble",),
    "._rankers.ranker": ("DormRanker",),
    "._rankers.slates": ("PositionRanker", "TopicRanker"),
    "._serve": ("explore", "serve"),
    "._tune": ("tune",),
    ".fusion": ("fuse",),
    ".data": (
        "QueryKFold",
        "RankingData",
        "evaluate_run",
        "read_csv",
        "read_letor",
        "read_qrels",
        "read_run",
        "read_table",
        "synth",
    ),
}
_SUBMODULES = (
    "clicks",
    "dask",
    "data",
    "fusion",
    "ir_measures",
    "lab",
    "matching",
    "mlflow",
    "plot",
    "pyterrier",
    "recommend",
    "results",
    "spark",
    "torch",
)

__getattr__, __dir__ = lazy_names(__name__, _HOMES, _SUBMODULES)
