# SPDX-License-Identifier: Apache-2.0
"""Click logs: rows, and their counts by query, document and position."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from .._input.dataset import make_dataset
from .._input.inputs import read_input
from .._input.queries import Queries
from .._threads import thread_count
from ..data._files import RankingData

_ROLES = ("session", "query", "document", "position", "click", "ranker", "impressions", "clicks")
_NAMES = {"query": "qid", "document": "docid"}
DEEPEST = 1_000_000  #: position, as in files


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Clicks of simulated users: a row for each document that was shown."""

    session: np.ndarray | None  #: None: expected counts
    qid: np.ndarray
    docid: np.ndarray
    position: np.ndarray  #: from 1
    ranker: np.ndarray
    impressions: np.ndarray
    clicks: np.ndarray
    propensities: list[tuple[Any, ...]] = field(repr=False)  #: the truth: see `gains`

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


def document_names(data: RankingData) -> list[str]:
    if data.document_ids is not None:
        return list(data.document_ids)
    rows = range(len(data.qid)) if data.source_rows is None else data.source_rows
    return [str(int(row) + 1) for row in rows]


def counted(
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
            ~((at >= 1) & (at <= DEEPEST) & (at == np.floor(at))),
            f"position: expected whole numbers from 1 to {DEEPEST}",
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


def documents_of(data: RankingData) -> tuple[_core.Dataset, Queries]:
    """The documents under the names that logs call them by."""
    given = read_input(data)
    queries = given.queries()
    about = {**given.about, "document_ids": document_names(data)}
    labels = np.zeros(given.rows, np.float32)
    return make_dataset(given.features, labels, queries, names=data.feature_names, about=about), queries
