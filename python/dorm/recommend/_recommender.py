# SPDX-License-Identifier: Apache-2.0
"""Recommendations and scores, for every model of ratings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._evaluate import Evaluation, evaluate
from .._measure import Measure
from .._tables import Figure, html_table, pandas_for
from .._threads import thread_count
from ._ratings import RatingsInput, extended_ids, read_ratings, to_texts


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


class RecommenderAnswers:
    """To be mixed in: ``model_`` is a model of the core, ``user_ids_`` and ``item_ids_`` whom and what it knows."""

    _ADDING = {"user": "fold_in adds new ones", "item": "train again with its ratings"}
    _STRANGERS = ""  # how those are scored that the model does not know

    def _scores_of(self, ratings: RatingsInput) -> tuple[np.ndarray, int, int]:
        """A score per rating, and how many users and items are not known."""
        raise NotImplementedError

    def _adopt(self, model: Any, user_ids: np.ndarray, item_ids: np.ndarray) -> None:
        raise NotImplementedError

    def recommend(self, users: Any = None, n: int = 10, *, exclude_seen: bool = True) -> Any:
        """The ``n`` items of the largest score for one user (`Recommendations`) or several (a list of them).

        Parameters
        ----------
        users
            An id, or a sequence of ids; None: all users.
        n
            Number of items; users who have rated almost all items get fewer.
        exclude_seen
            Omit the items that the user rated in training.
        """
        check_is_fitted(self)
        single = users is not None and np.ndim(users) == 0
        asked = np.arange(len(self.user_ids_)) if users is None else self._numbers("user", [users] if single else users)
        threads = 1 if len(asked) < _WORTH_THREADS else thread_count(self.n_jobs)
        lists = self.model_.recommend(asked.astype(np.uint32), _count(n), not exclude_seen, threads)
        made = [Recommendations(self.item_ids_[items], scores) for items, scores in lists]
        return made[0] if single else made

    def similar_items(self, item: Any, n: int = 10) -> Recommendations:
        """The ``n`` items most similar to ``item``, and the cosines."""
        check_is_fitted(self)
        items, scores = self.model_.similar_items(int(self._numbers("item", [item])[0]), _count(n))
        return Recommendations(self.item_ids_[items], scores)

    def predict(self, users: Any, items: Any) -> np.ndarray:
        """Scores of pairs: ids of equal number, or one id against many. They rank items, and are not ratings."""
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
        """Evaluate the order of each user's test ratings, as ``dorm eval --ratings`` does.

        A warning counts users and items that the model does not know; they are scored by the means of all others.
        """
        check_is_fitted(self)
        test = read_ratings(ratings)
        scores, unknown_users, unknown_items = self._scores_of(test)
        if unknown_users or unknown_items:
            warnings.warn(
                f"{unknown_users} users and {unknown_items} items are not known to the model: {self._STRANGERS}",
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
        """The mean over users of the measure it trains for."""
        return self.evaluate(ratings, self.measure, bootstrap=0).measures[0].mean

    def _grown(self, given: RatingsInput, ignored: int, what: str) -> Any:
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
            raise ValueError(f"{what} {unknown!r} is none of the {known} {what}s of the model; {self._ADDING[what]}")
        return numbers


_WORTH_THREADS = 32  # users to recommend to


def _count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"n is {n!r}; expected a whole number from 1 on")
    return int(n)
