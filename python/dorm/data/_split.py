# SPDX-License-Identifier: Apache-2.0
"""Folds of whole queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .._input.features import QID
from .._input.queries import read_queries


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
