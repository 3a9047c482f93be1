# SPDX-License-Identifier: Apache-2.0
"""Click logs: gains for training, and simulated users."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import _core
from ._features import take_rows
from ._inputs import read_input
from ._threads import thread_count
from .data import RankingData

#: The column whose labels are gains estimated from clicks.
CLICK_GAIN = "click_gain"

_ROLES = ("session", "query", "document", "position", "click", "ranker", "impressions", "clicks")
_NAMES = {"query": "qid", "document": "docid"}
_DEEPEST = 1_000_000  # position, as in files


@dataclass(frozen=True, eq=False)
class ClickLog:
    """What simulated users did: a row for each document that was shown."""

    session: np.ndarray | None  #: None: expected counts
    qid: np.ndarray
    docid: np.ndarray
    position: np.ndarray  #: from 1
    ranker: np.ndarray
    impressions: np.ndarray
    clicks: np.ndarray
    propensities: list[tuple[Any, ...]] = field(repr=False)  #: the truth: see `clicks`

    def columns(self) -> dict[str, np.ndarray]:
        """As a table, e.g. for pandas."""
        table = {} if self.session is None else {"session": self.session}
        table.update(qid=self.qid, docid=self.docid, position=self.position, ranker=self.ranker)
        if self.session is None:
            return {**table, "impressions": self.impressions, "clicks": self.clicks}
        return {**table, "click": self.clicks.astype(np.int64)}

    def __repr__(self) -> str:
        kind = "expected counts" if self.session is None else f"{len(np.unique(self.session))} sessions"
        return f"ClickLog({len(self.qid)} rows, {kind}, {self.clicks.sum():.6g} clicks)"


@dataclass(frozen=True, eq=False)
class ClickGains:
    """Gains of documents, estimated from clicks; what `clicks` returns."""

    qid: np.ndarray  #: of each document that was shown; of each page where sessions are not pooled
    docid: np.ndarray
    gain: np.ndarray
    data: RankingData | None  #: the features that were given, with gains as labels
    rows: int  #: of the log
    clicks: float
    impressions: float
    effective_clicks: float  #: so many clicks of equal weight say as much
    clipped_clicks: float
    clipped_share: float  #: of the weight that clicks would have without clipping
    shifted_queries: int  #: whose gains were raised, since some were below 0
    never_shown: int = 0  #: documents with features that the log never shows: nothing is known of them
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


def clicks(
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
        How likely positions are looked at: a file of ``dorm propensity``, a list that begins with position 1, a dict
        by position, or rows (context, position, propensity, se, alpha, beta). None: every click weighs 1.
    clip
        Propensities below count as this much.
    per
        What a gain is the mean over: ``"pages"`` of the query, or ``"shown"``: pages that showed the document.
    pool
        ``"query"``: all sessions of a query make one list; ``"session"``: each page is one of its own.
    context
        Columns that tell contexts apart, such as ``["device"]``.
    positions
        Use the first so many positions of the log; 0: all.
    columns
        ``query_column=``, ``document_column=``, ``position_column=``, ``click_column=``, ``session_column=``,
        ``impressions_column=``, ``clicks_column=``.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=50, features=5, seed=1)
    >>> log = dorm.simulate_clicks(data, sessions=100, seed=2)
    >>> gains = dorm.clicks(log, data, propensities=log.propensities)
    >>> ranker = dorm.DormRanker("dcg@10:gain=linear").fit(gains.data)
    """
    counts, query_of, rows = _counted(log, pool, context, positions, n_jobs, columns)
    if per not in ("pages", "shown"):
        raise ValueError(f'per is "{per}"; expected "pages" or "shown"')
    query, document, gain, shift, figures = _core.estimate_gains(
        counts, propensity_rows(propensities), float(clip), per == "shown"
    )
    queries, documents = counts.queries, counts.documents
    gains = ClickGains(
        qid=np.array(queries)[query],
        docid=np.array(documents)[document],
        gain=gain,
        data=None,
        rows=rows,
        _shift=dict(zip(queries, shift.tolist())),
        _query_of=dict(zip(queries, query_of)) if pool == "session" else None,
        **figures,
    )
    return gains if features is None else gains.join(features)


def simulate_clicks(
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
    >>> dorm.simulate_clicks(dorm.synth(queries=10, features=2, seed=1), sessions=5, seed=1)
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
        docid=np.array(_document_names(data))[rows],
        position=columns["position"].astype(np.int64),
        ranker=columns["ranker"].astype(np.int64) + 1,
        impressions=columns["impressions"],
        clicks=columns["clicks"],
        propensities=truth,
    )


def labelled_by_clicks(X: Any, y: Any, given: Any) -> RankingData:
    """What `DormRanker.fit` trains on when it is given clicks."""
    if not isinstance(given, ClickGains):
        raise ValueError(f"clicks is a {type(given).__name__}; expected what dorm.clicks(log, ...) returns")
    if not isinstance(X, RankingData):
        raise ValueError("clicks= needs X to be a RankingData, whose documents have ids; or join them yourself")
    if y is not None:
        raise ValueError("y beside clicks=; expected one of them to say what the labels are")
    joined = given.join(X).data
    assert joined is not None
    return joined


def propensity_rows(propensities: Any) -> list[tuple[str, int, float, float, float, float]]:
    """As the core takes them, from whatever `clicks` accepts."""
    if propensities is None:
        return []
    if isinstance(propensities, (str, os.PathLike)):
        return _core.read_propensities(os.fspath(propensities))
    nan = float("nan")
    if isinstance(propensities, Mapping):
        for k in propensities:
            if not 1 <= k <= _DEEPEST:
                raise ValueError(f"propensities hold the position {k}; expected whole numbers from 1 to {_DEEPEST}")
        return [("", int(k), float(p), nan, nan, 0.0) for k, p in propensities.items()]
    rows = list(propensities)
    if rows and isinstance(rows[0], tuple):
        return rows
    return [("", k + 1, float(p), nan, nan, 0.0) for k, p in enumerate(rows)]


def _document_names(data: RankingData) -> list[str]:
    if data.document_ids is not None:
        return list(data.document_ids)
    rows = range(len(data.qid)) if data.source_rows is None else data.source_rows
    return [str(int(row) + 1) for row in rows]


def _counted(
    log: Any, pool: str, context: Any, positions: int, n_jobs: Any, columns: dict[str, str]
) -> tuple[_core.ClickCounts, list[str], int]:
    if pool not in ("query", "session"):
        raise ValueError(f'pool is "{pool}"; expected "query" or "session"')
    unknown = set(columns) - {f"{role}_column" for role in _ROLES}
    if unknown:
        raise TypeError(f"unexpected argument {min(unknown)!r}; of columns there are {', '.join(_ROLES)}")
    context = [context] if isinstance(context, str) else list(context)
    if isinstance(log, (str, os.PathLike)):
        fields = {**columns, "context": context, "positions": positions, "threads": thread_count(n_jobs)}
        counts, query_of, rows, _ = _core.read_click_counts(os.fspath(log), fields, pool == "session")
        return counts, query_of, rows
    return _count_table(log, pool, context, positions, columns)


def _count_table(
    log: Any, pool: str, context: list[str], positions: int, columns: dict[str, str]
) -> tuple[_core.ClickCounts, list[str], int]:
    table = log.columns() if isinstance(log, ClickLog) else log
    names = {role: columns.get(f"{role}_column", _NAMES.get(role, role)) for role in _ROLES}
    present = list(table.keys()) if isinstance(table, Mapping) else list(table.columns)

    def column(role: str) -> np.ndarray:
        if names.get(role, role) not in present:
            raise ValueError(f"the log has no column {names.get(role, role)!r}; it has {', '.join(map(str, present))}")
        found = table[names.get(role, role)]
        if np.ma.is_masked(found):
            raise ValueError(f"the column {names.get(role, role)!r} of the log is masked in places; drop those rows")
        return np.asarray(found)

    counted = names["impressions"] in present
    made = column("clicks" if counted else "click").astype(np.float64)
    shown = column("impressions").astype(np.float64) if counted else np.ones(len(made))
    at = column("position").astype(np.float64)
    for bad, what in (
        (
            ~((at >= 1) & (at <= _DEEPEST) & (at == np.floor(at))),
            f"position: expected whole numbers from 1 to {_DEEPEST}",
        ),
        (~((made >= 0) & (made <= shown)), "clicks: expected numbers from 0 to the impressions"),
        (~np.isfinite(shown), "impressions: expected numbers"),
    ):
        if bad.any():
            raise ValueError(f"row {int(bad.argmax())} of the log, {what}")
    kept = np.arange(len(at)) if positions == 0 else np.flatnonzero(at <= positions)
    queries = [str(q) for q in column("query")[kept]]
    query_of: list[str] = []
    if pool == "session":
        pages = [f"{q}/{s}" for q, s in zip(queries, column("session")[kept])]
        first: dict[str, str] = {}
        for page, query in zip(pages, queries):
            first.setdefault(page, query)
        query_of, queries = list(first.values()), pages
    contexts = ["|".join(map(str, row)) for row in zip(*(column(name)[kept] for name in context))]
    counts = _core.count_clicks(
        queries,
        [str(d) for d in column("document")[kept]],
        at[kept].astype(np.uint32),
        np.ascontiguousarray(shown[kept]),
        np.ascontiguousarray(made[kept]),
        contexts,
    )
    return counts, query_of, len(at)


def _join(gains: ClickGains, features: RankingData) -> ClickGains:
    by_query: dict[str, dict[str, float]] = {}
    for q, d, gain in zip(gains.qid.tolist(), gains.docid.tolist(), gains.gain.tolist()):
        by_query.setdefault(q, {})[d] = gain
    rows_of: dict[str, list[int]] = {}
    for row, q in enumerate(np.asarray(features.qid).tolist()):
        rows_of.setdefault(str(q), []).append(row)
    names = _document_names(features)
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
