# SPDX-License-Identifier: Apache-2.0
"""The loss as an objective for boosted trees: LightGBM and XGBoost train for the measure, in their own interfaces."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._evaluate import evaluate
from ._input.dataset import read_labels
from ._input.queries import Queries, read_queries, read_weights
from ._measure import Measure
from ._threads import thread_count

DEFAULT_SIGMA = 1.0
SIGMAS = (0.3, 1.0, 3.0)


class Objective:
    """Gradient and curvature of the bound on a measure, callable as each library calls its custom objectives.

    ``objective(scores, data)`` with a LightGBM ``Dataset`` or an XGBoost ``DMatrix`` (``objective=`` in LightGBM's
    parameters, ``obj=`` of ``xgboost.train``), and ``objective(labels, scores, weight, group)`` (``objective=`` of
    ``LGBMRanker``). Returns the arrays gradient and curvature. It holds no state: the perturbation depends on the seed
    and the scores only, so a run repeats, and a resumed one goes on as if it had never stopped.

    Made by `objective`, which explains the parameters.
    """

    def __init__(
        self,
        measure: str | Measure = "ndcg@10",
        reference: str = "best",
        sigma: float | str = "auto",
        *,
        decay: str = "auto",
        margin: float = 1.0,
        pairs: int = 1,
        convention: str = "standard",
        random_state: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        if isinstance(sigma, str) and sigma != "auto":
            raise ValueError(f'sigma is {sigma!r}; expected a number, 0 or more, or "auto"')
        self.measure = measure
        self.reference = reference
        self.sigma = sigma
        self.decay = decay
        self.margin = margin
        self.pairs = pairs
        self.convention = convention
        self.random_state = random_state
        self.n_jobs = n_jobs
        self._prepared: tuple[tuple[int, ...], _core.Objective] | None = None

    def __repr__(self) -> str:
        return f"dorm.objective(measure={self.measure!r}, reference={self.reference!r}, sigma={self.sigma!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_prepared": None}

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> tuple[np.ndarray, np.ndarray]:
        scores, labels, queries, weights = _call_arguments(first, second, weight, group)
        return self.gradient(scores, labels, queries, weights)

    def gradient(
        self, scores: Any, labels: Any, queries: Queries, query_weights: np.ndarray, round: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and curvature by document, in the order of the rows. ``round`` names the perturbation; None: a
        hash of the scores."""
        sorted_scores = np.ascontiguousarray(queries.sorted(np.asarray(scores, dtype=np.float64)))
        if round is None:
            round = zlib.crc32(sorted_scores.view(np.uint8))
        prepared = self._prepare(labels, queries, query_weights)
        gradient, curvature, _ = prepared.gradient(sorted_scores, round)
        return queries.unsorted(gradient), queries.unsorted(curvature)

    def loss(self, scores: Any, labels: Any, *, qid: Any = None, group: Any = None, sample_weight: Any = None) -> float:
        """The loss itself, without perturbation: the mean over the queries with something to learn, an upper bound
        of the mean of (best value - value) of the measure."""
        scores = np.asarray(scores, dtype=np.float64)
        queries = read_queries(qid, group, len(scores))
        prepared = self._prepare(labels, queries, read_weights(sample_weight, queries))
        losses = prepared.losses(np.ascontiguousarray(queries.sorted(scores)))
        return float(losses.sum() / max(1, prepared.usable_queries))

    def choose(
        self,
        train: Callable[[Objective], Any],
        score: Callable[[Any], float] | None = None,
        sigmas: Sequence[float] = SIGMAS,
    ) -> Any:
        """Train once for each sigma (only once when sigma is a number) and return the model that is best on its
        validation data.

        ``train(objective)`` trains and returns a model; ``score(model)`` is its validation measure, larger is better.
        Without ``score``, the best score that LightGBM or XGBoost recorded for the first validation set is used. The
        chosen value is left in ``self.sigma``.
        """
        best_model, best_score, best_sigma = None, -np.inf, None
        for sigma in sigmas if self.sigma == "auto" else [self.sigma]:
            model = train(self._with_sigma(sigma))
            value = recorded_score(model) if score is None else score(model)
            if value > best_score:
                best_model, best_score, best_sigma = model, value, sigma
        if best_model is None:
            raise ValueError("no model had a validation score; pass score=, a function of the model")
        self.sigma = best_sigma
        return best_model

    def _with_sigma(self, sigma: float | str) -> Objective:
        twin = Objective.__new__(Objective)
        twin.__dict__.update(self.__getstate__(), sigma=sigma)
        return twin

    def _prepare(self, labels: Any, queries: Queries, query_weights: np.ndarray) -> _core.Objective:
        """Checks and prepares the labels when they are not those of the call before."""
        given = np.asarray(labels)
        if given.dtype.hasobject:
            given = read_labels(labels, int(queries.sizes.sum()))
        order = np.empty(0) if queries.order is None else queries.order
        arrays = (given, queries.sizes, query_weights, order)
        key = tuple(zlib.crc32(np.ascontiguousarray(a).view(np.uint8)) for a in arrays)
        if self._prepared is None or self._prepared[0] != key:
            checked = queries.sorted(read_labels(labels, int(queries.sizes.sum())))
            self._prepared = (key, self._make(np.ascontiguousarray(checked), queries, query_weights))
        return self._prepared[1]

    def _make(self, labels: np.ndarray, queries: Queries, query_weights: np.ndarray) -> _core.Objective:
        options = _core.ObjectiveOptions()
        options.convention = self.convention
        options.reference = self.reference
        options.decay = self.decay
        options.sigma = float(DEFAULT_SIGMA if self.sigma == "auto" else self.sigma)
        options.pairs = self.pairs
        options.margin = float(self.margin)
        options.seed = self.random_state
        options.threads = thread_count(self.n_jobs)
        measure = self.measure
        made = measure._tabulate((labels, queries)) if isinstance(measure, Measure) else measure
        return _core.Objective(made, labels, queries.end, query_weights, options)


def objective(
    measure: str | Measure = "ndcg@10", reference: str = "best", sigma: float | str = "auto", **options: Any
) -> Objective:
    """An objective for LightGBM and XGBoost that trains for a measure.

    Parameters
    ----------
    measure
        Any trainable measure by name, or a `Measure`.
    reference
        ``"best"``: a hinge, against the best-scored of the ideal rankings; ``"predicted"``: a ramp, against the
        predicted ranking.
    sigma
        Scale of the noise added to the scores before the most violated ranking is looked for, in units of scores.
        With little or no noise trees overfit, the more the fewer the training queries. ``"auto"`` is 1, unless
        `Objective.choose` picks it on validation data.
    decay, margin, pairs, convention
        Position weights of a ranking's score; scale of the loss against scores; antithetic pairs of noise per round;
        convention of the measure.
    random_state, n_jobs
        Seed of the noise; threads.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> loss = dorm.objective("ndcg@5")
    >>> labels, scores = np.array([2, 0, 1, 0, 1]), np.array([0.1, 0.4, 0.2, 0.3, 0.1])
    >>> gradient, curvature = loss(labels, scores, None, [3, 2])
    >>> round(loss.loss(scores, labels, group=[3, 2]), 3)
    0.503
    """
    return Objective(measure, reference, sigma, **options)


class Metric:
    """A measure as LightGBM and XGBoost call their evaluation functions; made by `metric`."""

    def __init__(self, measure: str | Measure, convention: str = "standard") -> None:
        self.measure = measure
        self.convention = convention
        self.__name__ = measure if isinstance(measure, str) else measure.name  # both libraries ask for it

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> tuple[Any, ...]:
        scores, labels, queries, weights = _call_arguments(first, second, weight, group)
        result = evaluate(
            labels,
            scores,
            group=queries.sizes,
            measures=[self.measure],
            sample_weight=weights if len(weights) else None,
            convention=self.convention,
            bootstrap=0,
            n_jobs=1,
        )
        value = result.measures[0].mean
        return (self.__name__, value) if _is_matrix(second) else (self.__name__, value, True)


def metric(measure: str | Measure = "ndcg@10", convention: str = "standard") -> Metric:
    """A measure to watch and to stop early on: ``feval=`` of ``lightgbm.train``, ``eval_metric=`` of ``LGBMRanker``,
    ``custom_metric=`` of ``xgboost.train`` (with ``maximize=True`` in its early stopping).

    Every measure and convention of `evaluate`; ties and queries without relevant documents as the convention says.
    """
    return Metric(measure, convention)


def recorded_score(model: Any) -> float:
    """The best score a LightGBM or XGBoost model recorded on its first validation set."""
    score = getattr(model, "best_score_", None)
    if score is None:
        score = getattr(model, "best_score", None)
    while isinstance(score, dict) and score:
        score = next(iter(score.values()))
    if score is None or isinstance(score, dict):
        raise ValueError(
            "the model recorded no validation score; train with a validation set and early stopping, or pass score="
        )
    return float(score)


def _is_matrix(data: Any) -> bool:
    return hasattr(data, "get_uint_info")


def _call_arguments(
    first: Any, second: Any, weight: Any, group: Any
) -> tuple[np.ndarray, np.ndarray, Queries, np.ndarray]:
    """Scores, labels, queries and query weights from whichever interface calls."""
    if _is_matrix(second):  # XGBoost: weights belong to groups
        ends = np.asarray(second.get_uint_info("group_ptr"), dtype=np.int64)
        scores, labels, weight = np.asarray(first), second.get_label(), second.get_weight()
        sizes = np.diff(ends) if len(ends) > 1 else None
    elif hasattr(second, "get_group"):  # LightGBM
        scores, labels, weight, sizes = first, second.get_label(), second.get_weight(), second.get_group()
    else:  # the scikit-learn interface of LightGBM
        scores, labels, sizes = second, first, group
    scores = np.asarray(scores, dtype=np.float64).reshape(-1)
    if sizes is None:
        raise ValueError(
            "the data has no groups, so it is not known which rows belong to which query; pass group= (or qid=) when "
            "making the data set or in fit"
        )
    queries = read_queries(None, sizes, len(scores))
    weights = read_weights(weight if weight is not None and len(weight) else None, queries)
    return scores, np.asarray(labels), queries, weights
