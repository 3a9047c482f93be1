# SPDX-License-Identifier: Apache-2.0
"""Folds and parts of whole queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .. import _core
from .._input.dataset import read_labels
from .._input.features import QID
from .._input.queries import Queries, read_queries
from ._files import RankingData


class QueryKFold(BaseEstimator):
    """Cross-validation folds that keep queries whole, shuffled by a seed; pass it as ``cv=`` to scikit-learn.

    Fold sizes differ by at most one query (scikit-learn's ``GroupKFold`` balances rows instead). The queries come
    from ``groups`` or ``qid`` (with metadata routing on), or from a column ``"qid"`` of ``X``.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> qid = np.repeat([10, 11, 12, 13], 3)
    >>> for train, test in dorm.QueryKFold(n_splits=2, random_state=0).split(np.zeros((12, 1)), groups=qid):
    ...     print(np.unique(qid[train]), np.unique(qid[test]))
    [10 11] [12 13]
    [12 13] [10 11]
    """

    __metadata_request__split = {"groups": True, "qid": True}

    def __init__(self, n_splits: int = 5, *, shuffle: bool = True, random_state: Any = 1) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, qid: Any = None) -> int:
        """The number of folds."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None, qid: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Row numbers of the training and the test part of each fold."""
        ids = qid if groups is None else groups
        if ids is None and QID in getattr(X, "column_names", getattr(X, "columns", ())):  # pyarrow, or the others
            ids = X[QID]
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        queries = read_queries(ids, None, rows)
        count = len(queries.sizes)
        if not 2 <= self.n_splits <= count:
            raise ValueError(f"n_splits is {self.n_splits}, with {count} queries; expected 2 to {count}")
        order = np.arange(count)
        if self.shuffle:
            check_random_state(self.random_state).shuffle(order)
        fold = np.empty(count, dtype=np.int64)
        fold[order] = np.arange(count) * self.n_splits // count
        fold_of_row = queries.unsorted(np.repeat(fold, queries.sizes))
        for k in range(self.n_splits):
            yield np.flatnonzero(fold_of_row != k), np.flatnonzero(fold_of_row == k)


def split(
    data: Any,
    *,
    test: float = 0.2,
    valid: float = 0.0,
    seed: int = 0,
    label_column: str = "label",
    query_column: str = "qid",
) -> tuple[Any, ...]:
    """Divide judged documents into ``(train, test)``, or with ``valid`` into ``(train, valid, test)``.

    Queries stay whole. They are drawn at random within layers of queries that have about as many relevant documents,
    as ``dorm split`` does: the same seed draws the same queries, whatever their order.

    Parameters
    ----------
    data
        A `RankingData`, a tuple ``(X, y, qid)``, or a table of pandas, polars or pyarrow. The parts are of its type.
    test, valid
        Shares of the queries.
    seed
        Of the random numbers.
    label_column, query_column
        Of a table: the columns of the labels and of the query ids.

    Examples
    --------
    >>> import dorm
    >>> train, test = dorm.data.split(dorm.synth(queries=50, features=3, documents_median=5, seed=1), test=0.2)
    >>> train, test
    (RankingData(40 queries, ... RankingData(10 queries, ...
    """
    y, qid = _labels_and_queries(data, label_column, query_column)
    labels = read_labels(y, len(qid))
    queries = read_queries(qid, None, len(qid))
    part = np.empty(len(queries.sizes), np.int64)
    starts = np.cumsum(queries.sizes) - queries.sizes
    relevant = np.add.reduceat((queries.sorted(labels) > 0).astype(np.uint64), starts)
    parts = _core.split_queries(queries.names, relevant.tolist(), float(test), float(valid), int(seed))
    for number, indices in enumerate(parts):
        part[indices] = number
    of_row = queries.unsorted(np.repeat(part, queries.sizes))
    asked = [0] + ([1] if valid else []) + ([2] if test else [])
    return tuple(_rows_of(data, np.flatnonzero(of_row == number), queries, part == number) for number in asked)


def _labels_and_queries(data: Any, label_column: str, query_column: str) -> tuple[Any, Any]:
    if isinstance(data, (RankingData, tuple, list)):
        _, y, qid = data
        if y is None or qid is None:
            raise ValueError("data has no labels or no query ids; expected (X, y, qid)")
        return y, qid
    names = list(getattr(data, "column_names", getattr(data, "columns", ())))
    for role, name in (("label_column", label_column), ("query_column", query_column)):
        if name not in names:
            raise ValueError(
                f"no column {name!r}; pass {role}=, one of {', '.join(map(repr, names))}"
                if names
                else f"data is a {type(data).__name__}; expected a RankingData, (X, y, qid) or a table"
            )
    return data[label_column], data[query_column]


def _rows_of(data: Any, rows: np.ndarray, queries: Queries, chosen: np.ndarray) -> Any:
    if isinstance(data, RankingData):
        pick = lambda values: None if values is None else [values[row] for row in rows]
        return RankingData(
            X=data.X[rows],
            y=None if data.y is None else data.y[rows],
            qid=data.qid[rows],
            sample_weight=None if data.sample_weight is None else np.asarray(data.sample_weight)[chosen],
            feature_names=data.feature_names,
            document_ids=pick(data.document_ids),
            groups=pick(data.groups),
            source_rows=rows if data.source_rows is None else np.asarray(data.source_rows)[rows],
            input=data.input,
        )
    if isinstance(data, (tuple, list)):
        return tuple(_rows_of_table(values, rows) for values in data)
    return _rows_of_table(data, rows)


def _rows_of_table(table: Any, rows: np.ndarray) -> Any:
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if hasattr(table, "take") and hasattr(table, "schema") and not hasattr(table, "lazy"):  # pyarrow
        return table.take(rows)
    return np.asarray(table)[rows] if isinstance(table, (list, tuple)) else table[rows]
