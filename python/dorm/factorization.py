# SPDX-License-Identifier: Apache-2.0
"""DormFactorization: a recommender from ratings."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._factor_report import FactorCandidate, FactorizationReport
from ._notebook import FittedView
from ._options import factorize_options
from ._progress import FactorProgress, watching
from ._ratings import (
    RatingsInput,
    extended_ids,
    following_ids,
    from_texts,
    read_ratings,
    read_side,
    to_texts,
)
from ._tables import Figure, html_table, pandas_for
from ._threads import thread_count
from .evaluation import Evaluation, evaluate
from .measure import Measure


@dataclass(frozen=True, eq=False)
class Recommendations:
    """Items, best first, and their scores; unpacks like a pair."""

    items: np.ndarray  #: ids
    scores: np.ndarray  #: decreasing

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.items, self.scores))

    def to_frame(self) -> Any:
        """A pandas data frame with columns item and score, best first."""
        return pandas_for("to_frame").DataFrame({"item": self.items, "score": self.scores})

    def _repr_html_(self) -> str:
        return html_table(["item", "score"], [(str(i), Figure(s)) for i, s in zip(self.items, self.scores)])


class DormFactorization(FittedView, BaseEstimator):
    """A matrix factorization of ratings, trained for the ranking measure it is judged by.

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
        An item's mean is damped by so many ratings that lie so many stars above the mean. None: learnt (fixed: 5, -1).
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
        Whom and what the rows are about.
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
    >>> recommender = dorm.DormFactorization(rank=4, fixed=True).fit((users[first], items[first], stars[first]))
    >>> best = recommender.recommend(7, n=3)
    >>> len(best.items)
    3
    >>> recommender.report_.status
    'rounds'
    """

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
        ratings: Any,
        y: Any = None,
        *,
        item_features: Any = None,
        user_features: Any = None,
        validation: Any = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        init_model: DormFactorization | str | os.PathLike[str] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> DormFactorization:
        """Train.

        Parameters
        ----------
        ratings
            A scipy.sparse matrix, row and column numbers being the ids of users and items; its *stored* entries are the
            ratings, zeros among them (of BSR and DIA the entries that are not 0). Or a pandas, polars or pyarrow table
            with columns user, item and rating; three arrays ``(users, items, ratings)``; the name of a file
            (docs/ratings.md). Ids may be whole numbers, text or anything hashable but floats; in files they are text.
            Of several ratings of one item by one user the last counts.
        y
            Ignored.
        item_features, user_features
            What is known of them: a table with a column item (user) or the ids as its index, a matrix whose row j
            belongs to id j, or the name of a file. Rows are scaled to unit length.
        validation
            Ratings to choose the round by, never trained on.
        callbacks
            Function(s) called after every pass with a dict (stage, round, objective, gap, validation); a true result
            stops training and keeps the best round.
        init_model
            A fitted factorization or a model file to start from instead of the squared loss; matched by id.

        progress
            As for `DormRanker.fit`.

        Ctrl-C raises KeyboardInterrupt; the best round so far is kept, and ``report_.status`` is ``"interrupted"``.
        """
        options = factorize_options(self)
        if validation is not None:
            options.search.rounds = False  # validation chooses the round
        train = read_ratings(ratings)
        with watching(callbacks, FactorProgress(self.verbose), progress) as callback:
            model, report = _core.factorize(
                train.core,
                options,
                read_side(item_features, train.item_ids, "item"),
                read_side(user_features, train.user_ids, "user"),
                None if validation is None else read_ratings(validation, "validation").core,
                _model_of(init_model),
                callback,
            )
        self._adopt(model, train.user_ids, train.item_ids)
        self.report_ = FactorizationReport._of(report)
        if self.report_.interrupted:
            raise KeyboardInterrupt("training was interrupted; the best round so far is kept")
        return self

    def recommend(self, users: Any = None, n: int = 10, *, exclude_seen: bool = True) -> Any:
        """The ``n`` items of the largest score for one user (`Recommendations`) or several (a list of them).

        Parameters
        ----------
        users
            An id, or a sequence of ids; None: all users.
        n
            How many; users who have seen almost everything get fewer.
        exclude_seen
            Leave out what the user has rated in training.
        """
        check_is_fitted(self)
        single = users is not None and np.ndim(users) == 0
        asked = np.arange(len(self.user_ids_)) if users is None else self._numbers("user", [users] if single else users)
        threads = 1 if len(asked) < _WORTH_THREADS else thread_count(self.n_jobs)
        lists = self.model_.recommend(asked.astype(np.uint32), _count(n), not exclude_seen, threads)
        made = [Recommendations(self.item_ids_[items], scores) for items, scores in lists]
        return made[0] if single else made

    def similar_items(self, item: Any, n: int = 10) -> Recommendations:
        """The ``n`` items whose factors point the same way as those of ``item``, with their cosine."""
        check_is_fitted(self)
        items, scores = self.model_.similar_items(int(self._numbers("item", [item])[0]), _count(n))
        return Recommendations(self.item_ids_[items], scores)

    def predict(self, users: Any, items: Any) -> np.ndarray:
        """Scores of pairs: ids of equal number, or one id against many. In stars above the mean; ranks, not ratings."""
        check_is_fitted(self)
        user = self._numbers("user", [users] if np.ndim(users) == 0 else users)
        item = self._numbers("item", [items] if np.ndim(items) == 0 else items)
        if len(user) != len(item) and 1 not in (len(user), len(item)):
            raise ValueError(f"{len(user)} users and {len(item)} items; expected as many, or one of either")
        user, item = (np.ascontiguousarray(x, dtype=np.uint32) for x in np.broadcast_arrays(user, item))
        return self.model_.score_pairs(user, item)

    def evaluate(
        self,
        ratings: Any,
        measures: str | Sequence[str] = ("ndcg@10", "ndcg"),
        *,
        convention: str | None = None,
        ties: str = "expected",
        bootstrap: int = 1000,
        random_state: int = 0,
    ) -> Evaluation:
        """Judge the order of each user's test ratings, as ``dorm eval --ratings`` does.

        Unknown users are ranked by the items' offsets, unknown items get that of an item nobody has rated; both are
        counted in a warning.
        """
        check_is_fitted(self)
        test = read_ratings(ratings)
        scores, unknown_users, unknown_items = self.model_.score(test.core)
        if unknown_users or unknown_items:
            warnings.warn(
                f"{unknown_users} users and {unknown_items} items are not known to the model: offsets only",
                stacklevel=2,
            )
        user, values = test.by_user
        convention = convention or self.convention
        asked = [measures] if isinstance(measures, (str, Measure)) else list(measures)
        if not asked:
            raise ValueError("measures names none; expected e.g. 'ndcg@10'")
        parts = [
            evaluate(
                self.model_.labels(values, str(getattr(measure, "name", measure)), convention),
                scores,
                qid=test.user_ids[user],
                measures=measure,
                convention=convention,
                ties=ties,
                bootstrap=bootstrap,
                random_state=random_state,
                n_jobs=self.n_jobs,
            )
            for measure in asked
        ]
        return replace(parts[0], measures=[part.measures[0] for part in parts])

    def score(self, ratings: Any, y: Any = None) -> float:
        """The mean over users of the measure this factorization trains for."""
        return self.evaluate(ratings, self.measure, bootstrap=0).measures[0].mean

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

    def _grown(self, given: RatingsInput, ignored: int, what: str) -> DormFactorization:
        if ignored:
            warnings.warn(
                f"{ignored} of {len(given.core)} ratings name {what} the model does not know, and are ignored",
                stacklevel=3,
            )
        model = self.model_
        users = extended_ids(self.user_ids_, given.user_ids, model.find_users, model.num_users)
        items = extended_ids(self.item_ids_, given.item_ids, model.find_items, model.num_items)
        self._adopt(model, users, items)
        return self

    def _numbers(self, what: str, ids: Any) -> np.ndarray:
        find = self.model_.find_users if what == "user" else self.model_.find_items
        ids = list(ids.tolist() if hasattr(ids, "tolist") else ids)
        numbers = find(to_texts(ids))
        if (numbers < 0).any():
            unknown = ids[int((numbers < 0).argmax())]
            known = self.model_.num_users if what == "user" else self.model_.num_items
            raise ValueError(
                f"{what} {unknown!r} is none of the {known} {what}s of the model; "
                f"{'fold_in' if what == 'user' else 'fold_in_items'} adds new ones"
            )
        return numbers


_WORTH_THREADS = 32  # users to recommend to
_ARRAYS = ("user_factors_", "item_factors_", "item_offsets_")


def _count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"n is {n!r}; expected a whole number from 1 on")
    return int(n)


def _model_of(init_model: Any) -> _core.FactorModel | None:
    if init_model is None:
        return None
    if isinstance(init_model, DormFactorization):
        check_is_fitted(init_model)
        return init_model.model_
    return _core.FactorModel.load(os.fspath(init_model))
