# SPDX-License-Identifier: Apache-2.0
"""Several rankers as one: the sum of their scores on a common scale."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from .data._files import RankingData


class Blend:
    """Ranks by the sum of the scores of several models, each divided by its standard deviation over the rows ``X``.

    Models trained for different losses make different errors, so their sum is often better than each of them, above
    all with few training queries. The standard deviations are computed once, from ``X``, so a score does not depend on
    the other rows that are scored together with it.

    Parameters
    ----------
    models : sequence of estimators or functions
        Models with a method ``predict``, or functions, from rows to one score per row.
    X : array-like, sparse matrix, data frame or RankingData
        Rows like those that the models will score: the features of the training or of the validation data.
    qid : array-like, default=None
        Query of every row of ``X``, for models that scale features within each query. A `RankingData` holds it.
    group : array-like, default=None
        Instead of ``qid``: the sizes of consecutive queries.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> rows = np.array([[1.0, 30.0], [2.0, 10.0], [3.0, 20.0]])
    >>> blend = dorm.Blend([lambda X: X[:, 0], lambda X: X[:, 1]], rows)
    >>> blend.predict(rows).round(2)
    array([4.9 , 3.67, 6.12])
    """

    def __init__(self, models: Sequence[Any], X: Any, *, qid: Any = None, group: Any = None) -> None:
        self.models = list(models)
        if not self.models:
            raise ValueError("no models to blend; expected one or more")
        spreads = np.array([np.std(scores) for scores in self._scores(X, qid, group)])
        if not np.isfinite(spreads).all():
            bad = int(np.flatnonzero(~np.isfinite(spreads))[0])
            raise ValueError(f"model {bad} gives scores that are not finite")
        self.weights = np.where(spreads > 0, 1 / np.where(spreads > 0, spreads, 1), 0)  # a constant ranks nothing

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> np.ndarray:
        """One score per row; a larger score ranks first. ``qid`` and ``group`` as in the constructor."""
        return np.sum([weight * scores for weight, scores in zip(self.weights, self._scores(X, qid, group))], axis=0)

    def _scores(self, X: Any, qid: Any, group: Any) -> list[np.ndarray]:
        return [np.asarray(_scored(model, X, qid, group), dtype=np.float64).reshape(-1) for model in self.models]


def _scored(model: Any, X: Any, qid: Any, group: Any) -> Any:
    """The scores of one model, which is given the queries where it takes them."""
    predict = getattr(model, "predict", model)
    if _takes_queries(predict):
        return predict(X, qid=qid, group=group)
    return predict(X.X if isinstance(X, RankingData) else X)


def _takes_queries(predict: Any) -> bool:
    try:
        return {"qid", "group"} <= set(inspect.signature(predict).parameters)
    except (TypeError, ValueError):  # functions of extension modules have no signature
        return False
