# SPDX-License-Identifier: Apache-2.0
"""Recommenders: from events, implicit ALS and EASE; from ratings, matrix factorization and joint kernels."""

from ._compare import compare
from ._factorization import DormFactorization
from ._implicit import DormRecommender, ImplicitExplanation
from ._joint import JointRanker
from ._recommender import Recommendations
from ._report import FactorCandidate, FactorizationReport, FactorRound, HalfStep

__all__ = [
    "DormFactorization",
    "DormRecommender",
    "FactorCandidate",
    "FactorRound",
    "FactorizationReport",
    "HalfStep",
    "ImplicitExplanation",
    "JointRanker",
    "Recommendations",
    "compare",
]
