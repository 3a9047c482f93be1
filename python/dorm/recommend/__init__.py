# SPDX-License-Identifier: Apache-2.0
"""Recommenders from ratings: matrix factorization and joint kernels."""

from ._compare import compare
from ._factorization import DormFactorization
from ._joint import JointRanker
from ._recommender import Recommendations
from ._report import FactorCandidate, FactorizationReport, FactorRound, HalfStep

__all__ = [
    "DormFactorization",
    "FactorCandidate",
    "FactorRound",
    "FactorizationReport",
    "HalfStep",
    "JointRanker",
    "Recommendations",
    "compare",
]
