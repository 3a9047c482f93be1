# SPDX-License-Identifier: Apache-2.0
"""Linear weights learnt from a stream of queries, by subgradients of the loss; no learning rate to tune."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from . import _core
from ._features import take_rows
from ._inputs import Input
from ._options import train_options
from ._queries import Queries, read_weights
from .boosting import Objective
from .measure import Measure

_QUERIES_PER_STEP = 4
_AVERAGING = 8  # the average weighs iterate t about by t^8: the poor first ones are soon forgotten
_REFERENCES = {"auto": "best", "best": "best", "predicted": "predicted"}
_SCALES = ("none", "query-minmax", "log-query-zscore")

Slope = Callable[[np.ndarray], tuple[np.ndarray, float, int]]


class Stream:
    """Averaged subgradient steps for ``1/2 |w|^2 shrinkage + mean of H_q(w)``.

    The length of a step is the largest distance from the start so far over the root of the sum of squared gradients;
    the first one is as long as takes away the loss of its queries, were it linear. Both are in the units of the data,
    so that nothing is left to be set.
    """

    def __init__(self, weights: np.ndarray, scaling: dict[str, Any]) -> None:
        self.scaling = scaling  # of the features, as in a model's file
        self.start = weights.copy()
        self.weights = weights.copy()
        self.average = weights.copy()
        self.C = 1.0
        self.steps = 0
        self.farthest = 0.0
        self.squared_gradients = 0.0
        self.squared_norms = 0.0  # of rows, centred within their queries
        self.queries = self.usable_queries = self.documents = 0

    @property
    def shrinkage(self) -> float:
        """Weight of ``1/2 |w|^2``. As in fit, C is in units of the mean squared row norm."""
        return self.squared_norms / max(1, self.documents) / self.C

    def meet(self, rows: Any, sizes: np.ndarray) -> None:
        """Counts queries and sums the squared norms of their rows, to be called before they are learnt from."""
        ends = np.r_[0, np.cumsum(sizes)]
        by_query = sparse.csr_matrix((np.ones(ends[-1]), np.arange(ends[-1]), ends)) @ rows
        self.squared_norms += float(_row_squares(rows).sum() - (_row_squares(by_query) / sizes).sum())
        self.queries += len(sizes)
        self.documents += int(ends[-1])

    def learn(self, rows: Any, slope: Slope) -> None:
        """One step. ``slope(scores)`` is the gradient by document, the sum of the losses, and how many queries have
        something to learn."""
        by_document, loss, count = slope(rows @ self.weights)
        if count == 0:
            return
        self.usable_queries += count
        gradient = (rows.T @ by_document) / count + self.weights * self.shrinkage
        square = float(gradient @ gradient)
        if square == 0:
            return
        self.steps += 1
        self.squared_gradients += square
        length = self.farthest / np.sqrt(self.squared_gradients) if self.farthest else loss / count / square
        self.weights -= length * gradient
        self.farthest = max(self.farthest, float(np.linalg.norm(self.weights - self.start)))
        self.average += (1 + _AVERAGING) / (self.steps + _AVERAGING) * (self.weights - self.average)


def learn_from(ranker: Any, given: Input) -> _core.Model:
    """One pass over the queries of ``given`` in their order; the ranker's stream is begun when it has none."""
    objective = _objective(ranker)
    train = given.labelled(ranker._names())
    stream = getattr(ranker, "_stream", None) or _begin(ranker, given)
    stream.C = float(ranker.C)
    if stream.scaling == {"kind": "none"}:
        rows = take_rows(given.features.values, train.queries.order).astype(np.float64)
    else:
        flat = _model(ranker, stream).scaled_rows(train.dataset)
        rows = flat.reshape(given.rows, -1).astype(np.float64)
    weights = read_weights(given.sample_weight, train.queries)
    _one_pass(stream, objective, rows, train.sorted_labels, train.queries, weights)
    ranker._stream = stream
    return _model(ranker, stream)


def _begin(ranker: Any, given: Input) -> Stream:
    """At the weights of an earlier fit, or at 0."""
    if hasattr(ranker, "model_"):
        return Stream(ranker.coef_, json.loads(ranker.model_.to_json())["scaling"])
    return Stream(np.zeros(ranker.n_features_in_), _scaling(ranker, given))


def _one_pass(
    stream: Stream, objective: Objective, rows: Any, labels: np.ndarray, queries: Queries, weights: np.ndarray
) -> None:
    stream.meet(rows, queries.sizes)
    ends = np.r_[0, np.cumsum(queries.sizes)]
    for first in range(0, len(queries.sizes), _QUERIES_PER_STEP):
        some = slice(first, min(first + _QUERIES_PER_STEP, len(queries.sizes)))
        documents = slice(ends[some.start], ends[some.stop])
        part = Queries(queries.sizes[some], queries.ids[some], None)
        prepared = objective._make(np.ascontiguousarray(labels[documents]), part, weights[some])

        def slope(scores: np.ndarray, prepared: _core.Objective = prepared) -> tuple[np.ndarray, float, int]:
            gradient, _, losses = prepared.gradient(np.ascontiguousarray(scores), 0)
            return gradient, float(losses.sum()), prepared.usable_queries

        stream.learn(rows[documents], slope)


def _objective(ranker: Any) -> Objective:
    train_options(ranker)  # checks types and names
    if ranker.bound not in _REFERENCES:
        raise ValueError(f'bound is {ranker.bound!r}; partial_fit can do "best" ("auto" is the same) and "predicted"')
    if ranker.kernel is not None:
        raise ValueError("partial_fit is for linear rankers; leave kernel=None, or fit on all data at once")
    if ranker.paper_C:
        raise ValueError("paper_C counts all queries, which a stream does not know; leave it off for partial_fit")
    return Objective(
        ranker.measure, _REFERENCES[ranker.bound], 0.0, decay=ranker.decay, convention=ranker.convention, n_jobs=1
    )


def _scaling(ranker: Any, given: Input) -> dict[str, str]:
    """Only scalings that need no more than the query at hand; "auto" is settled by the first documents."""
    kind = ranker.scale
    if kind == "auto":
        values = given.features.values
        inside = values.size == 0 or (values.min() >= 0 and values.max() <= 1)
        kind = "none" if inside else "log-query-zscore"
    if kind not in _SCALES:
        raise ValueError(
            f"scale is {kind!r}, which needs all the data; partial_fit can do {', '.join(_SCALES)} (or scale "
            'features before it and pass scale="none", or call fit first)'
        )
    return {"kind": kind}


def _model(ranker: Any, stream: Stream) -> _core.Model:
    measure, width = ranker.measure, ranker.n_features_in_
    document = {
        "format": "dorm-model",
        "version": 1,
        "measure": measure.name if isinstance(measure, Measure) else measure,
        "convention": ranker.convention,
        "decay": ranker.decay,
        "bound": _REFERENCES[ranker.bound],
        "start": "stream",
        "options": {"C": stream.C, "tolerance": float(ranker.tolerance), "solver": "online", "seed": 1},
        "certificate": {"primal": 0.0, "dual": 0.0, "gap": 0.0, "status": "none"},
        "data": {
            "queries": stream.queries,
            "usable_queries": stream.usable_queries,
            "documents": stream.documents,
            "features": width,
        },
        "scaling": stream.scaling,
        "features": ranker._names() or [str(j + 1) for j in range(width)],
        "weights": stream.average.tolist(),
    }
    return _core.Model.from_json(json.dumps(document), "partial_fit")


def _row_squares(rows: Any) -> np.ndarray:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", rows, rows)
