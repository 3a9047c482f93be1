# SPDX-License-Identifier: Apache-2.0
"""DormRecommender: a recommender from likes, plays and purchases."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._estimator import FinishFit
from .._evaluate import Evaluation, MeasureResult, options_of
from .._notebook import FittedView
from .._options import _seed
from .._progress import ImplicitProgress, watching
from .._threads import thread_count
from ._events import checked_rows, read_events
from ._implicit_answers import ImplicitAnswers, ImplicitExplanation
from ._ratings import extended_ids, following_ids, from_texts
from ._vectors import RecommenderVectors

__all__ = ["DormRecommender", "ImplicitExplanation"]


class DormRecommender(FinishFit, FittedView, ImplicitAnswers, RecommenderVectors, BaseEstimator):
    """A recommender from events: the average of implicit ALS and EASE, chosen by held-out events (docs/recommend.md).

    Methods and arguments are those of the models of the package ``implicit``: of a matrix, users and items are row and
    column numbers. Parameters that are None are chosen on a fifth of the events. The same events and parameters give
    the same model as ``dorm recommend train --implicit``, bit for bit, on any number of threads.

    Parameters
    ----------
    factors, regularization, alpha, iterations
        Of implicit ALS: factors, ridge, weight ``1 + alpha r`` of an event of weight r, iterations. None: chosen.
    ease_regularization
        Ridge of EASE. None: chosen.
    ease_share
        Share of EASE in the average, from 0 (ALS alone) to 1. None: chosen.
    measure
        What chooses: ``"ndcg@10"``, ``"recall@20"``, ``"mrr@10"``, ...
    memory
        Bytes that EASE may take: 16 times the square of the number of items. Beyond that it has no part.
    time_limit
        Seconds; None: no limit.
    n_jobs, random_state, verbose
        As for `DormRanker`.

    Attributes
    ----------
    user_factors, item_factors : ndarray
        Of ALS, a row per user and per item.
    user_ids_, item_ids_ : ndarray
        Ids of the rows; of a matrix their numbers.
    options_ : dict
        The values of the six options of the learners.
    trials_ : list of dict
        Options that were tried on held-out events, and the values of the measure.
    report_ : dict
        status (finished, time_limit, interrupted), kept (what a training that was cut short has left), note,
        validation, search_seconds, seconds.
    model_
        The core's model.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> rng = np.random.default_rng(1)
    >>> liked = csr_matrix((rng.random((60, 40)) < 0.2) * (np.add.outer(np.arange(60), np.arange(40)) % 2))
    >>> recommender = dorm.recommend.DormRecommender(factors=8, iterations=5).fit(liked)
    >>> items, scores = recommender.recommend(0, liked[0], N=5)
    >>> (items % 2).tolist()
    [1, 1, 1, 1, 1]
    """

    def __init__(
        self,
        factors: int | None = None,
        *,
        regularization: float | None = None,
        alpha: float | None = None,
        iterations: int | None = None,
        ease_regularization: float | None = None,
        ease_share: float | None = None,
        measure: str = "ndcg@10",
        memory: float = 4e9,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
    ) -> None:
        self.factors = factors
        self.regularization = regularization
        self.alpha = alpha
        self.iterations = iterations
        self.ease_regularization = ease_regularization
        self.ease_share = ease_share
        self.measure = measure
        self.memory = memory
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        user_items: Any,
        y: Any = None,
        *,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> DormRecommender:
        """Train.

        Parameters
        ----------
        user_items
            A scipy.sparse matrix of users and items whose entries are the weights of events; a pandas, polars or
            pyarrow table with columns user, item and perhaps weight; arrays ``(users, items)`` or
            ``(users, items, weights)``; the name of a file (docs/recommend.md). Zeros are no events.
        y
            Ignored.
        callbacks, progress
            As for `DormRanker.fit`; the dict has stage, trials and best.

        Ctrl-C raises KeyboardInterrupt; the best model so far is kept, if there is one.
        """
        options = _options_of(self)
        events = read_events(user_items, "user_items")
        with watching(callbacks, ImplicitProgress(self.verbose), progress) as callback:
            model, report, interrupted = _core.train_implicit(events.core, options, callback)
        return self._finish_fit(model, events.user_ids, events.item_ids, interrupted=interrupted, report_=report)

    def partial_fit_users(self, userids: Any, user_items: Any) -> DormRecommender:
        """Fold users in without retraining: row k of ``user_items`` holds the events of ``userids[k]``.

        Users that the model knows are replaced. None for ``userids``: new users, numbered on behind the highest.
        """
        check_is_fitted(self)
        ids = following_ids(user_items, 0, self.user_ids_) if userids is None else np.asarray(userids)
        checked_rows(user_items, len(ids), len(self.item_ids_))
        columns = self.item_ids_[: user_items.shape[1]]
        given = read_events(user_items, "user_items", user_ids=ids, item_ids=columns)
        self.model_.fold_in_users(given.core, thread_count(self.n_jobs))
        users = extended_ids(self.user_ids_, given.user_ids, self.model_.find_users, self.model_.num_users)
        self._adopt(self.model_, users, self.item_ids_)
        return self

    def evaluate(
        self,
        test: Any,
        measures: str | Sequence[str] = ("recall@10", "ndcg@10", "mrr@10", "success@10", "coverage@10", "novelty@10"),
        *,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        random_state: int = 0,
    ) -> Evaluation:
        """Evaluate over the whole catalogue: every item that a user has not had in training is ranked, and the user's
        events in ``test`` (as for `fit`) are the relevant ones. Events of training are left out."""
        check_is_fitted(self)
        given = read_events(test, "test")
        options = options_of("standard", None, bootstrap, confidence, random_state, self.n_jobs)
        asked = [measures] if isinstance(measures, str) else [str(measure) for measure in measures]
        table = self.model_.evaluate(given.core, asked, options)
        results = [MeasureResult(**entry) for entry in table["measures"]]
        return Evaluation(results, self.user_ids_.tolist(), table["convention"], table["ties"], confidence)

    def score(self, test: Any, y: Any = None) -> float:
        """The mean over users of `measure`."""
        return self.evaluate(test, self.measure, bootstrap=0).measures[0].mean

    @property
    def user_factors(self) -> np.ndarray:
        """Factors of ALS, a row per user."""
        values, rows, width = self.model_.user_factors
        return values.reshape(rows, width)

    @property
    def item_factors(self) -> np.ndarray:
        """Factors of ALS, a row per item."""
        values, rows, width = self.model_.item_factors
        return values.reshape(rows, width)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``dorm recommend train`` does; the command, the server and `load` read it. Ids become
        text."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DormRecommender:
        """A recommender from a file of `save` or of the command; ids that are whole numbers become numbers."""
        model = _core.ImplicitModel.load(os.fspath(path))
        made = cls(**model.options, measure=model.measure, random_state=model.seed)
        made._adopt(model, from_texts(model.users), from_texts(model.items))
        return made

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fitted_html(self) -> str:
        if not hasattr(self, "model_"):
            return ""
        told = ", ".join(f"{name} {value:g}" for name, value in self.options_.items())
        return f"<p>{len(self.user_ids_)} users, {len(self.item_ids_)} items; {told}</p>"

    def _adopt(self, model: _core.ImplicitModel, user_ids: np.ndarray, item_ids: np.ndarray) -> None:
        self.model_ = model
        self.user_ids_, self.item_ids_ = user_ids, item_ids
        self.options_, self.trials_ = model.options, model.trials()


_WHOLE = ("factors", "iterations")
_REAL = ("regularization", "alpha", "ease_regularization", "ease_share")


def _options_of(estimator: DormRecommender) -> dict[str, Any]:
    """What the core takes; types are checked here, ranges there."""
    given: dict[str, Any] = {"measure": str(estimator.measure)}
    for name in (*_WHOLE, *_REAL, "memory", "time_limit"):
        value = getattr(estimator, name)
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if value is not None and (not number or (name in _WHOLE and (value != int(value) or value < 1))):
            raise ValueError(
                f"{name} is {value!r}; expected {'a whole number from 1 on' if name in _WHOLE else 'a number'}"
            )
        given[name] = None if value is None else int(value) if name in _WHOLE else float(value)
    given["seconds"] = given.pop("time_limit") or 0.0
    given["threads"], given["seed"] = thread_count(estimator.n_jobs), _seed(estimator.random_state)
    return given
