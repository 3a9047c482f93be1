# SPDX-License-Identifier: Apache-2.0
"""DormFactorization: a recommender from ratings."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._estimator import FinishFit
from .._notebook import FittedView
from .._options import factorize_options
from .._pages import page_at
from .._progress import FactorProgress, watching
from .._threads import thread_count
from ._ratings import following_ids, from_texts, read_ratings, read_side
from ._recommender import Recommendations, RecommenderAnswers
from ._report import FactorCandidate, FactorizationReport
from ._vectors import RecommenderVectors

__all__ = ["DormFactorization", "Recommendations"]


class DormFactorization(FinishFit, FittedView, RecommenderAnswers, RecommenderVectors, BaseEstimator):
    """A matrix factorization of ratings, trained directly for the ranking measure that evaluates it.

    The score of item j for user u is ``item_offsets_[j] + user_factors_[u] @ item_factors_[j]``. Minimises the sum of
    the bounds on the measure of every user's list plus ``regularization / 2`` times the squared distance of the factors
    from a squared-loss factorization, by rounds of two convex problems (docs/ratings.md). The same ratings and
    parameters give the same model as the command ``dorm factorize``, bit for bit, whatever the number of threads.

    Parameters
    ----------
    rank
        Factors of users and items, beside biases and features.
    measure
        What to train for: ``"ndcg@10"``, ``"ndcg"``, ``"mrr:rel=4"``, ...
    fixed
        False: parameters that are None are chosen by held-out training ratings, and the item prior is learnt from how
        the means of items spread. True: they have the value that their line names.
    regularization
        Towards the start. None: chosen (fixed: 12).
    margin
        Scale of the measure in stars (a fourth of the range of the ratings).
    rounds
        Of item step and user step; 0: the squared loss only. None: chosen, or by ``validation`` (fixed: 2).
    bound
        ``"average"``, ``"given"``, ``"best"`` or ``"predicted"``.
    decay
        Position weights of the score of a ranking; see `DormRanker`.
    convention
        Whose definition of the measure; see `evaluate`.
    centred
        Regularise towards the squared-loss start; False: towards 0.
    start_regularization, start_sweeps
        Ridge and sweeps of the squared-loss start. An infinite ridge leaves the item means alone. None: chosen
        (fixed: 12).
    implicit
        Ridge of the table of implicit feedback, in units of the other ridges; 0: no such term. None: chosen (fixed: 0).
    neighbours
        Features of the items from the graph of who rated them together; 0: none. None: chosen (fixed: 0).
    item_damping, item_prior
        Number of ratings that damp the mean of an item, and their distance from the mean in stars. None: learnt
        (fixed: 5, -1).
    tolerance
        Relative duality gap of each half step.
    max_passes
        Most passes over the users in an item step.
    patience
        Rounds without a better validation value after which to stop.
    time_limit
        Seconds after which the best round so far is kept.
    checkpoint
        A file to save progress to after each round, and to go on from where it exists.
    n_jobs
        Threads, as for `DormRanker`. The model does not depend on it.
    random_state
        Seed of the first factors and of the order of users.
    verbose
        1: a line of progress per second; 2: a line per pass.

    Attributes
    ----------
    user_factors_, item_factors_ : ndarray
        A row per user and per item, constants and features included.
    item_offsets_ : ndarray
        Damped means of the items, in stars.
    user_ids_, item_ids_ : ndarray
        Ids of the rows.
    report_ : FactorizationReport
        Half steps with their gaps, rounds with their objective and validation value.
    candidates_ : list of FactorCandidate
        The settings that were tried on held-out ratings; empty where nothing was left to choose.
    model_
        The core's model.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> users, items = rng.integers(0, 50, 800), rng.integers(0, 30, 800)
    >>> stars = 1 + (users + items) % 5
    >>> _, first = np.unique(users * 30 + items, return_index=True)
    >>> known = (users[first], items[first], stars[first])
    >>> recommender = dorm.recommend.DormFactorization(rank=4, fixed=True).fit(known)
    >>> best = recommender.recommend(7, n=3)
    >>> len(best.items)
    3
    >>> recommender.report_.status
    'rounds'
    """

    _ADDING = {"user": "fold_in adds new ones", "item": "fold_in_items adds new ones"}
    _STRANGERS = "offsets only"

    def __init__(
        self,
        rank: int = 10,
        *,
        fixed: bool = False,
        measure: str = "ndcg@10",
        regularization: float | None = None,
        margin: float = 10.0,
        rounds: int | None = None,
        bound: str = "average",
        decay: str = "measure",
        convention: str = "standard",
        centred: bool = True,
        start_regularization: float | None = None,
        start_sweeps: int = 12,
        implicit: float | None = None,
        neighbours: int | None = None,
        item_damping: float | None = None,
        item_prior: float | None = None,
        tolerance: float = 1e-3,
        max_passes: int = 50,
        patience: int = 2,
        time_limit: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
    ) -> None:
        self.rank = rank
        self.fixed = fixed
        self.measure = measure
        self.regularization = regularization
        self.margin = margin
        self.rounds = rounds
        self.bound = bound
        self.decay = decay
        self.convention = convention
        self.centred = centred
        self.start_regularization = start_regularization
        self.start_sweeps = start_sweeps
        self.implicit = implicit
        self.neighbours = neighbours
        self.item_damping = item_damping
        self.item_prior = item_prior
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.patience = patience
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        item_features: Any = None,
        user_features: Any = None,
        eval_set: Any = None,
        initial: DormFactorization | str | os.PathLike[str] | None = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> DormFactorization:
        """Train.

        Parameters
        ----------
        X
            The ratings: a scipy.sparse matrix, whose row and column numbers are the ids of users and items; its
            *stored* entries are the ratings, zeros among them (of BSR and DIA the entries that are not 0). Or a pandas,
            polars or pyarrow table with columns user, item and rating; three arrays ``(users, items, ratings)``; the
            name of a file (docs/ratings.md). Ids may be whole numbers, text or any hashable ids except floats; in files
            they are text. Of several ratings of one item by one user the last counts.
        y
            Ignored.
        item_features, user_features
            Features of items (users): a table with a column item (user) or the ids as its index, a matrix whose row j
            belongs to id j, or the name of a file. Rows are scaled to unit length.
        eval_set
            Validation ratings, which choose the round; never trained on.
        initial
            A fitted factorization or a model file to start from instead of the squared loss; matched by id.
        callbacks
            Function(s) called after every pass with a dict (stage, round, objective, gap, validation); a true result
            stops training and keeps the best round.
        progress
            As for `DormRanker.fit`.

        Ctrl-C raises KeyboardInterrupt; the best round so far is kept, and ``report_.status`` is ``"interrupted"``.
        """
        options = factorize_options(self)
        if eval_set is not None:
            options.search.rounds = False  # eval_set chooses the round
        train = read_ratings(X)
        with watching(callbacks, FactorProgress(self.verbose), progress) as callback:
            model, report, report_data = _core.factorize(
                train.core,
                options,
                read_side(item_features, train.item_ids, "item"),
                read_side(user_features, train.user_ids, "user"),
                None if eval_set is None else read_ratings(eval_set, "eval_set").core,
                _model_of(initial),
                callback,
            )
        return self._finish_fit(
            model,
            train.user_ids,
            train.item_ids,
            report=FactorizationReport._of(report),
            _report_data=report_data,
        )

    def fold_in(self, ratings: Any, *, user_ids: Any = None, user_features: Any = None) -> DormFactorization:
        """Add new users without retraining: least squares, then one exact user step with the items fixed.

        Users the model knows are replaced; ratings of items it does not know are ignored, with a warning. The rows of a
        sparse matrix are new users ``user_ids``, or else numbered on behind the highest of the model.
        """
        check_is_fitted(self)
        new = following_ids(ratings, 0, self.user_ids_) if user_ids is None else user_ids
        given = read_ratings(ratings, user_ids=new)
        side = read_side(user_features, given.user_ids, "user")
        ignored = self.model_.fold_in_users(given.core, side, thread_count(self.n_jobs))
        return self._grown(given, ignored, "items")

    def fold_in_items(self, ratings: Any, *, item_ids: Any = None, item_features: Any = None) -> DormFactorization:
        """Add new items without retraining, by least squares against the factors of the users who rated them.

        Items the model knows stay as they are; ratings by unknown users are ignored, with a warning. The columns of a
        sparse matrix are new items ``item_ids``, or else numbered on behind the highest of the model.
        """
        check_is_fitted(self)
        new = following_ids(ratings, 1, self.item_ids_) if item_ids is None else item_ids
        given = read_ratings(ratings, item_ids=new)
        side = read_side(item_features, given.item_ids, "item")
        ignored = self.model_.fold_in_items(given.core, side, thread_count(self.n_jobs))
        return self._grown(given, ignored, "users")

    def report(self, path: str | os.PathLike[str] | None = None, ratings: Any = None) -> Any:
        """Write the page of ``dorm factorize --report`` and return its path; without one, show it in a notebook.

        ``ratings``: held out, to judge by. A loaded factorization does not know its training, and has no page.
        """
        check_is_fitted(self)
        if getattr(self, "_report_data", None) is None:
            raise ValueError("a loaded factorization does not know how it was trained; fit it to have a page")
        held_out = None if ratings is None else read_ratings(ratings).core
        return page_at(self._report_data.page(held_out, self.model_, "ratings"), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``dorm factorize`` does; ``dorm recommend`` and `load` read it. Ids become text."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DormFactorization:
        """A factorization from a file of `save` or of the command. Ids are whole numbers where all of them look like
        it, else text; ``report_`` is not stored."""
        model = _core.FactorModel.load(os.fspath(path))
        stored = model.options
        names = set(cls().get_params()) - {"fixed", "time_limit", "checkpoint", "n_jobs", "random_state", "verbose"}
        made = cls(**{name: getattr(stored, name) for name in names}, fixed=True, random_state=stored.seed)
        made._adopt(model, from_texts(model.users), from_texts(model.items))
        return made

    def _scores_of(self, ratings: Any) -> tuple[np.ndarray, int, int]:
        return self.model_.score(ratings.core)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fitted_html(self) -> str:
        if not hasattr(self, "model_"):
            return ""
        users, items = len(self.user_ids_), len(self.item_ids_)
        return f"<p>{users} users, {items} items, {self.item_factors_.shape[1]} factors</p>"

    def __getstate__(self) -> Any:
        return {k: v for k, v in super().__getstate__().items() if k not in _ARRAYS}

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if hasattr(self, "model_"):
            self._adopt(self.model_, self.user_ids_, self.item_ids_)

    def _adopt(self, model: _core.FactorModel, user_ids: np.ndarray, item_ids: np.ndarray) -> None:
        self.model_ = model
        self.user_ids_, self.item_ids_ = user_ids, item_ids
        for name in ("user_factors", "item_factors"):
            values, rows, width = getattr(model, name)
            setattr(self, f"{name}_", values.reshape(rows, width))
        self.item_offsets_ = model.offsets
        self.candidates_ = [FactorCandidate(**entry) for entry in model.candidates()]


_ARRAYS = ("user_factors_", "item_factors_", "item_offsets_", "_report_data")  # made anew, or not kept


def _model_of(initial: Any) -> _core.FactorModel | None:
    if initial is None:
        return None
    if isinstance(initial, DormFactorization):
        check_is_fitted(initial)
        return initial.model_
    return _core.FactorModel.load(os.fspath(initial))
