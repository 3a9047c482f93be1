# SPDX-License-Identifier: Apache-2.0
"""Click logs: gains for training, propensities of positions, evaluation by clicks, interleaving and simulation."""

from ._evaluate import ClickEvaluation, evaluate
from ._gains import ClickGains, gains
from ._interleave import Interleaving, InterleavingResult, analyse_interleaving, interleave, sessions_needed
from ._log import ClickLog
from ._propensity import PositionPropensity, PropensityEstimate, propensity
from ._simulate import simulate

__all__ = [
    "ClickEvaluation",
    "ClickGains",
    "ClickLog",
    "Interleaving",
    "InterleavingResult",
    "PositionPropensity",
    "PropensityEstimate",
    "analyse_interleaving",
    "evaluate",
    "gains",
    "interleave",
    "propensity",
    "sessions_needed",
    "simulate",
]
