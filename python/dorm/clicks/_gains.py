# SPDX-License-Identifier: Apache-2.0
"""Gains of documents, estimated from clicks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import _core
from .._input.features import take_rows
from ..data._files import RankingData
from ._log import DEEPEST, counted, document_names

#: The column whose labels are gains estimated from clicks.
CLICK_GAIN = "click_gain"


@dataclass(frozen=True, eq=False)
class ClickGains:
    """Gains of documents, estimated from clicks: the result of `gains`."""

    qid: np.ndarray  #: of each document that was shown; of each page where sessions are not pooled
    docid: np.ndarray
    gain: np.ndarray
    data: RankingData | None  #: the features that were given, with gains as labels
    rows: int  #: of the log
    clicks: float
    impressions: float
    effective_clicks: float  #: number of clicks of equal weight with the same variance
    clipped_clicks: float
    clipped_share: float  #: of the weight that clicks would have without clipping
    shifted_queries: int  #: whose gains were raised, since some were below 0
    never_shown: int = 0  #: documents with features that the log never shows
    without_features: int = 0  #: documents of the log
    _shift: dict[str, float] = field(default_factory=dict, repr=False)
    _query_of: dict[str, str] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return (
            f"ClickGains({len(self.gain)} documents, {self.clicks:.6g} clicks worth {self.effective_clicks:.6g}, "
            f"{100 * self.clipped_share:.2f} % of the weight clipped)"
        )

    def join(self, features: RankingData) -> ClickGains:
        """The same with features, by query and document id; documents without ids are named by their row, from 1."""
        return _join(self, features)


def gains(
    log: Any,
    features: RankingData | None = None,
    *,
    propensities: Any = None,
    clip: float = 0.05,
    per: str = "pages",
    pool: str = "query",
    context: str | Sequence[str] = (),
    positions: int = 0,
    n_jobs: int | None = None,
    **columns: str,
) -> ClickGains:
    """Turn a click log into gains that do not depend on where documents were shown.

    Parameters
    ----------
    log
        A file (CSV, TSV, JSON lines, also ``.gz`` and ``.zst``), a data frame or a dict of columns, or a `ClickLog`:
        session, qid, docid, position (from 1) and click, or impressions and clicks of a log of counts.
    features
        Documents with features; the result then has ``data`` to train on.
    propensities
        The probabilities that users look at positions: a file of ``dorm propensity``, a list that begins with
        position 1, a dict by position, or rows (context, position, propensity, se, alpha, beta). None: every click
        weighs 1.
    clip
        Propensities below count as this much.
    per
        A gain is a mean over the ``"pages"`` of the query, or over the pages that showed the document (``"shown"``).
    pool
        ``"query"``: one list for all sessions of a query; ``"session"``: one list for each page.
    context
        Columns that identify the context, such as ``["device"]``.
    positions
        Use only the first positions of the log, this number. 0: all.
    columns
        ``query_column=``, ``document_column=``, ``position_column=``, ``click_column=``, ``session_column=``,
        ``impressions_column=``, ``clicks_column=``.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=50, features=5, seed=1)
    >>> log = dorm.clicks.simulate(data, sessions=100, seed=2)
    >>> gains = dorm.clicks.gains(log, data, propensities=log.propensities)
    >>> ranker = dorm.DormRanker("dcg@10:gain=linear").fit(gains.data)
    """
    counts, query_of, rows = counted(log, pool, context, positions, n_jobs, columns)
    if per not in ("pages", "shown"):
        raise ValueError(f'per is "{per}"; expected "pages" or "shown"')
    query, document, gain, shift, figures = _core.estimate_gains(
        counts, propensity_rows(propensities), float(clip), per == "shown"
    )
    queries, documents = counts.queries, counts.documents
    estimated = ClickGains(
        qid=np.array(queries)[query],
        docid=np.array(documents)[document],
        gain=gain,
        data=None,
        rows=rows,
        _shift=dict(zip(queries, shift.tolist())),
        _query_of=dict(zip(queries, query_of)) if pool == "session" else None,
        **figures,
    )
    return estimated if features is None else estimated.join(features)


def labelled_by_clicks(X: Any, y: Any, given: Any) -> RankingData:
    """What `DormRanker.fit` trains on when it is given clicks."""
    if not isinstance(given, ClickGains):
        raise ValueError(f"clicks is a {type(given).__name__}; expected what dorm.clicks.gains(log, ...) returns")
    if not isinstance(X, RankingData):
        raise ValueError("clicks= needs X to be a RankingData, whose documents have ids; or join them yourself")
    if y is not None:
        raise ValueError("y beside clicks=; expected one of them to say what the labels are")
    joined = given.join(X).data
    assert joined is not None
    return joined


def propensity_rows(propensities: Any) -> list[tuple[str, int, float, float, float, float]]:
    """As the core takes them, from whatever `gains` accepts."""
    if propensities is None:
        return []
    if isinstance(propensities, (str, os.PathLike)):
        return _core.read_propensities(os.fspath(propensities))
    nan = float("nan")
    if isinstance(propensities, Mapping):
        for k in propensities:
            if not 1 <= k <= DEEPEST:
                raise ValueError(f"propensities hold the position {k}; expected whole numbers from 1 to {DEEPEST}")
        return [("", int(k), float(p), nan, nan, 0.0) for k, p in propensities.items()]
    rows = list(propensities)
    if rows and isinstance(rows[0], tuple):
        return rows
    return [("", k + 1, float(p), nan, nan, 0.0) for k, p in enumerate(rows)]


def _join(gains: ClickGains, features: RankingData) -> ClickGains:
    by_query: dict[str, dict[str, float]] = {}
    for q, d, gain in zip(gains.qid.tolist(), gains.docid.tolist(), gains.gain.tolist()):
        by_query.setdefault(q, {})[d] = gain
    rows_of: dict[str, list[int]] = {}
    for row, q in enumerate(np.asarray(features.qid).tolist()):
        rows_of.setdefault(str(q), []).append(row)
    names = document_names(features)
    rows: list[int] = []
    labels: list[float] = []
    qid: list[str] = []
    never_shown = missed = 0
    for query, of_document in by_query.items():
        own = rows_of.get(query if gains._query_of is None else gains._query_of[query], [])
        found = [of_document.get(names[row]) for row in own]
        rows += own
        labels += [gains._shift[query] if gain is None else gain for gain in found]
        qid += [query] * len(own)
        never_shown += found.count(None)
        missed += len(of_document) - (len(found) - found.count(None))
    if not rows or never_shown == len(rows):
        raise ValueError("no document of the log has features; expected the same qid and document ids in both")
    order = np.array(rows)
    # Ids of pages are texts; those of queries stay as they were.
    ids = np.asarray(features.qid)[order] if gains._query_of is None else np.array(qid)
    data = replace(
        features,
        X=take_rows(features.X, order),
        y=np.array(labels, dtype=np.float32),
        qid=ids,
        sample_weight=None,
        document_ids=[names[row] for row in rows],
        groups=None if features.groups is None else [features.groups[row] for row in rows],
        source_rows=None,
        input={**(features.input or {}), "label_column": CLICK_GAIN},
    )
    return replace(gains, data=data, never_shown=never_shown, without_features=missed)
