# SPDX-License-Identifier: Apache-2.0
"""Clicks of simulated users."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._input.inputs import read_input
from ..data._files import RankingData
from ._log import ClickLog, document_names


def simulate(
    data: RankingData,
    model: str = "pbm",
    *,
    scores: Any = None,
    sessions: int = 100,
    rankers: int = 1,
    ranker_noise: float = 0.5,
    top: int = 10,
    eta: float = 1.0,
    noise: float = 0.1,
    go_on: float = 0.5,
    trust: float = 0.65,
    expected: bool = False,
    seed: int = 0,
) -> ClickLog:
    """Clicks of simulated users on judged documents; the same as ``dorm synth --clicks`` of the command line.

    Parameters
    ----------
    data
        Judged documents; those without ids are named by their row, from 1.
    model
        ``"pbm"``, ``"cascade"``, ``"ubm"`` or ``"trust"``: docs/clicks.md says what each assumes.
    scores
        Of production rankers, one array each; None: ``rankers`` that sort by relevance and noise.
    expected
        Expected counts of each ranker's page instead of sessions.

    Examples
    --------
    >>> import dorm
    >>> dorm.clicks.simulate(dorm.synth(queries=10, features=2, seed=1), sessions=5, seed=1)
    ClickLog(500 rows, 50 sessions, ... clicks)
    """
    labelled = read_input(data).labelled(data.feature_names)
    order = labelled.queries.order
    given = [] if scores is None else [np.asarray(one, dtype=np.float64) for one in np.atleast_2d(scores)]
    if order is not None:
        given = [one[order] for one in given]
    fields = {
        "model": model,
        "sessions": sessions,
        "rankers": rankers,
        "ranker_noise": float(ranker_noise),
        "top": top,
        "eta": float(eta),
        "noise": float(noise),
        "go_on": float(go_on),
        "trust": float(trust),
        "expected": bool(expected),
        "seed": seed,
    }
    columns, truth = _core.simulate_clicks(labelled.dataset, fields, [one.tolist() for one in given])
    rows = columns["document"].astype(np.int64)
    if order is not None:
        rows = order[rows]
    return ClickLog(
        session=None if expected else columns["session"].astype(np.int64),
        qid=np.asarray(data.qid)[rows],
        docid=np.array(document_names(data))[rows],
        position=columns["position"].astype(np.int64),
        ranker=columns["ranker"].astype(np.int64) + 1,
        impressions=columns["impressions"],
        clicks=columns["clicks"],
        propensities=truth,
    )
