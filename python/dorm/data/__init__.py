# SPDX-License-Identifier: Apache-2.0
"""Data sets of queries and documents, runs and judgments, and columns from other data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:
    from ._added import with_sets, with_user_features
    from ._files import RankingData, read_csv, read_letor, synth
    from ._judging import JudgingPlan, plan_judging
    from ._split import QueryKFold, split
    from ._table import read_table
    from ._trec import Qrels, Run, evaluate_run, read_qrels, read_run

__all__ = [
    "JudgingPlan",
    "Qrels",
    "QueryKFold",
    "RankingData",
    "Run",
    "evaluate_run",
    "plan_judging",
    "read_csv",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_table",
    "split",
    "synth",
    "with_sets",
    "with_user_features",
]

_HOMES = {
    "._added": ("with_sets", "with_user_features"),
    "._files": ("RankingData", "read_csv", "read_letor", "synth"),
    "._judging": ("JudgingPlan", "plan_judging"),
    "._split": ("QueryKFold", "split"),
    "._table": ("read_table",),
    "._trec": ("Qrels", "Run", "evaluate_run", "read_qrels", "read_run"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
