# SPDX-License-Identifier: Apache-2.0
"""JointRanker: one ranker for all users, with a joint kernel of users and items."""

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
from .._options import train_options
from .._progress import JointProgress, watching
from .._threads import thread_count
from ._ratings import RatingsInput, following_ids, from_texts, read_ratings, read_side
from ._recommender import RecommenderAnswers


class JointRanker(FinishFit, FittedView, RecommenderAnswers, BaseEstimator):
    """A recommender that compares users and items: a rating also informs the scores of similar users and items.

    Pairs are compared by ``k((u, i), (v, j)) = K_U(u, v) K_I(i, j)``, and ``score(v, j)`` is a sum over rated pairs
    (docs/joint-kernels.md). The same ratings and parameters give the same model as ``dorm train --ratings``.

    Parameters
    ----------
    measure
        What ``method="dorm"`` trains for.
    kernel
        ``"user(PART + ...) * item(PART + ...)"``, the means of parts ``constant``, ``identity``, ``correlation``,
        ``attributes`` (features are needed) and ``given`` (a matrix is needed); ``"auto"``: everything that is known.
    method
        ``"dorm"``, ``"ridge[:lambda]"``, ``"jrank[:passes]"`` or ``"prank[:passes]"`` (``dorm.catalog("joint")``).
    C, paper_C, bound, decay, rounds, convention, solver, tolerance, max_passes, time_limit
        As for `DormRanker`, of ``method="dorm"``; the bound is one of ``"average"``, ``"best"``, ``"given"`` and
        ``"predicted"``.
    n_jobs, random_state, verbose
        As for `DormRanker`.

    Attributes
    ----------
    user_ids_, item_ids_ : ndarray
        Ids of the users and items of the model.
    pairs_ : tuple of ndarray
        Numbers of users, numbers of items and coefficients of the pairs that have one.
    kernel_ : str
        The kernel as it was settled.
    certificate_ : dict
        primal, dual, gap and status of ``method="dorm"``.
    model_
        The core's model.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> users, items = np.divmod(rng.permutation(30 * 20)[:300], 20)
    >>> ranker = dorm.recommend.JointRanker(C=10).fit((users, items, 1 + (users + items) % 5))
    >>> ranker.kernel_
    'user(constant + identity + correlation) * item(identity + correlation)'
    >>> len(ranker.recommend(7, n=3).items)
    3
    """

    _STRANGERS = "what all users have in common, and 0 for items"

    def __init__(
        self,
        measure: str = "ndcg@10",
        *,
        kernel: str = "auto",
        method: str = "dorm",
        C: float = 100.0,
        paper_C: bool = False,
        bound: str = "average",
        decay: str = "measure",
        rounds: int = 0,
        convention: str = "standard",
        solver: str = "bcda",
        tolerance: float = 1e-3,
        max_passes: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.kernel = kernel
        self.method = method
        self.C = C
        self.paper_C = paper_C
        self.bound = bound
        self.decay = decay
        self.rounds = rounds
        self.convention = convention
        self.solver = solver
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        user_features: Any = None,
        item_features: Any = None,
        user_similarities: Any = None,
        item_similarities: Any = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> JointRanker:
        """Train.

        Parameters
        ----------
        X, user_features, item_features
            Ratings and features, as for `DormFactorization.fit`.
        y
            Ignored.
        user_similarities, item_similarities
            Custom matrices, the part ``given`` of the kernel: symmetric, without negative eigenvalues, with a row
            for every user (item) in the order of `user_ids_` (`item_ids_`), that of their first rating.
        callbacks, progress
            As for `DormRanker.fit`; the dict has pass, primal, dual, gap and seconds.
        """
        train = read_ratings(X)
        with watching(callbacks, JointProgress(self.verbose), progress) as callback:
            model, interrupted = _core.train_joint(
                train.core,
                _core.JointOptions(train_options(self, without=("kernel",)), self.method, self.kernel),
                read_side(user_features, train.user_ids, "user"),
                read_side(item_features, train.item_ids, "item"),
                _square(user_similarities, len(train.user_ids), "user_similarities"),
                _square(item_similarities, len(train.item_ids), "item_similarities"),
                callback,
            )
        return self._finish_fit(model, train.user_ids, train.item_ids, interrupted=interrupted)

    def fold_in(self, ratings: Any, *, user_ids: Any = None, user_features: Any = None) -> JointRanker:
        """Add new users without retraining: they are compared with the others by their ratings and features.

        Users the model knows stay as they are; their ratings, and those of items it does not know, are ignored with a
        warning. The rows of a sparse matrix are new users, as for `DormFactorization.fold_in`.
        """
        check_is_fitted(self)
        new = following_ids(ratings, 0, self.user_ids_) if user_ids is None else user_ids
        given = read_ratings(ratings, user_ids=new)
        side = read_side(user_features, given.user_ids, "user")
        ignored = self.model_.fold_in_users(given.core, side)
        return self._grown(given, ignored, "users it knows already or items")

    @property
    def user_similarities_(self) -> np.ndarray:
        """K_U, in the order of `user_ids_`."""
        size = self.model_.num_users
        return self.model_.user_similarities.reshape(size, size)

    @property
    def item_similarities_(self) -> np.ndarray:
        """K_I, in the order of `item_ids_`."""
        size = self.model_.num_items
        return self.model_.item_similarities.reshape(size, size)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``dorm train --ratings`` does; ``dorm recommend`` and `load` read it. Ids become text."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> JointRanker:
        """A recommender from a file of `save` or of the command, with ids as `DormFactorization.load` has them."""
        model = _core.JointModel.load(os.fspath(path))
        made = cls(kernel=model.kernel, method=model.method, random_state=model.seed)
        if model.measure:
            known = ("measure", "convention", "decay", "bound", "solver", "C", "paper_C", "tolerance")
            made.set_params(**{name: getattr(model, name) for name in known})
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
        return f"<p>{len(self.user_ids_)} users, {len(self.item_ids_)} items, {len(self.pairs_[2])} pairs</p>"

    def _scores_of(self, ratings: RatingsInput) -> tuple[np.ndarray, int, int]:
        return self.model_.score(ratings.core, thread_count(self.n_jobs))

    def _adopt(self, model: _core.JointModel, user_ids: np.ndarray, item_ids: np.ndarray) -> None:
        self.model_ = model
        self.user_ids_, self.item_ids_ = user_ids, item_ids
        self.pairs_ = model.pairs
        self.kernel_ = model.kernel
        self.certificate_ = model.certificate


def _square(matrix: Any, size: int, name: str) -> np.ndarray | None:
    if matrix is None:
        return None
    values = np.ascontiguousarray(matrix, dtype=np.float64)
    if values.shape != (size, size):
        raise ValueError(f"{name} has shape {values.shape}; expected ({size}, {size})")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds NaN or infinity; expected finite numbers")
    return values.reshape(-1)
