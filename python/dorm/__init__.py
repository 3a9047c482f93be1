# SPDX-License-Identifier: Apache-2.0
"""Direct optimization of ranking measures.

>>> import dorm
>>> data = dorm.synth(queries=100, features=10, seed=1)
>>> ranker = dorm.DormRanker(measure="ndcg@10", C=100).fit(data)
>>> scores = ranker.predict(data)
>>> print(dorm.evaluate(data.y, scores, qid=data.qid, measures=["ndcg@10", "mrr"]))
measure ...
"""

from ._core import __version__
from ._factor_report import FactorCandidate, FactorizationReport, FactorRound, HalfStep
from .assignment import Assignment, assign
from .blending import Blend
from .boosting import Metric, Objective, metric, objective
from .catalog import catalog
from .data import RankingData, read_letor, synth
from .evaluation import Comparison, Evaluation, MeasureResult, compare, evaluate
from .factorization import DormFactorization, Recommendations
from .measure import Measure
from .ranker import DormRanker
from .report import Candidate, Certificate, TrainReport
from .splitting import QueryKFold

__all__ = [
    "Assignment",
    "Blend",
    "Candidate",
    "Certificate",
    "Comparison",
    "DormFactorization",
    "DormRanker",
    "Evaluation",
    "FactorCandidate",
    "FactorRound",
    "FactorizationReport",
    "HalfStep",
    "Measure",
    "MeasureResult",
    "Metric",
    "Objective",
    "QueryKFold",
    "RankingData",
    "Recommendations",
    "TrainReport",
    "__version__",
    "assign",
    "catalog",
    "compare",
    "evaluate",
    "metric",
    "objective",
    "read_letor",
    "synth",
]
