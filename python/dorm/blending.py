# SPDX-License-Identifier: Apache-2.0
"""Several rankers as one: the sum of their scores on a common scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Blend:
    """Ranks by the sum of the scores of several models, each divided by its standard deviation over the rows ``X``.

    Models trained for different losses err in different places, so their sum is often better than any of them, above
    all with few training queries. The scales are taken once, from ``X``, so a score does not depend on what is scored
    together with it.

    Parameters
    ----------
    models
        Models with a method ``predict``, or functions, from rows to one score per row.
    X
        Rows as the models are going to see them: the features of the training or of the validation data.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> rows = np.array([[1.0, 30.0], [2.0, 10.0], [3.0, 20.0]])
    >>> blend = dorm.Blend([lambda X: X[:, 0], lambda X: X[:, 1]], rows)
    >>> blend.predict(rows).round(2)
    array([4.9 , 3.67, 6.12])
    """

    def __init__(self, models: Sequence[Any], X: Any) -> None:
        self.models = list(models)
        if not self.models:
            raise ValueError("no models to blend; expected one or more")
        spreads = np.array([np.std(scores) for scores in self._scores(X)])
        if not np.isfinite(spreads).all():
            bad = int(np.flatnonzero(~np.isfinite(spreads))[0])
            raise ValueError(f"model {bad} gives scores that are not finite")
        self.weights = np.where(spreads > 0, 1 / np.where(spreads > 0, spreads, 1), 0)  # a constant ranks nothing

    def predict(self, X: Any) -> np.ndarray:
        """One score per row; larger ranks first."""
        return np.sum([weight * scores for weight, scores in zip(self.weights, self._scores(X))], axis=0)

    def _scores(self, X: Any) -> list[np.ndarray]:
        return [np.asarray(getattr(model, "predict", model)(X), dtype=np.float64).reshape(-1) for model in self.models]
