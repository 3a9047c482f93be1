# SPDX-License-Identifier: Apache-2.0
"""Baselines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._options import train_options
from .ranker import DormRanker


def train_baseline(
    method: str,
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    sample_weight: Any = None,
    feature_names: Sequence[str] | None = None,
    **parameters: Any,
) -> DormRanker:
    """Train a baseline, as ``dorm train --method`` does.

    Parameters
    ----------
    method
        A name of ``dorm.catalog("method")``, such as ``"ridge"``, ``"ranksvm"`` or ``"feature:bm25"``, or
        ``"pairwise"``.
    X, y, qid, group, sample_weight, feature_names
        As for `DormRanker.fit`.
    parameters
        Of `DormRanker`: C, scale, tolerance, ...; the measure decides the sign of ``feature:NAME``.

    Examples
    --------
    >>> import dorm
    >>> ranker = dorm.train_baseline("ridge", dorm.synth(queries=50, features=3, seed=1))
    >>> ranker.model_.bound
    'none'
    """
    ranker = DormRanker(**parameters)
    train, _ = ranker._training_sets(X, y, qid, group, sample_weight, feature_names, None, None, None)
    ranker._adopt(_core.train_baseline(train.dataset, method, train_options(ranker)))
    return ranker
