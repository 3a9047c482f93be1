# SPDX-License-Identifier: Apache-2.0
"""What a recommender from events answers: the best items, items and users alike, reasons."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._threads import thread_count
from ._batches import write_batches
from ._events import checked_rows
from ._ratings import to_texts


class ImplicitExplanation(NamedTuple):
    """Why an item: ``score`` is ``rest`` and the parts of all items of the user."""

    score: float
    contributions: list[tuple[Any, float]]  #: items that the user has had and what they add, largest first
    rest: float


class ImplicitAnswers:
    """To be mixed in: ``model_`` is a model of events of the core, ``user_ids_`` and ``item_ids_`` what it knows."""

    def recommend(
        self,
        userid: Any,
        user_items: Any = None,
        N: int = 10,  # noqa: N803
        filter_already_liked_items: bool = True,
        filter_items: Any = None,
        recalculate_user: bool = False,
        items: Any = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The ``N`` items of the largest score: their ids and scores, best first.

        Parameters
        ----------
        userid
            A user, or several: then the arrays have a row per user. Rows of users with fewer items end with the id -1
            (None among ids that are no numbers) and the score -inf.
        user_items
            A matrix with a row for each of these users. Its events are left out instead of those of training, and with
            ``recalculate_user`` they are the events by which the user is folded in.
        N
            Number of items.
        filter_already_liked_items
            Omit the items that the user has had.
        filter_items, items
            Never these items; only these items.
        recalculate_user
            Fold the users in from ``user_items``: new users, or users with new events. ``userid`` only counts them.
        """
        check_is_fitted(self)
        single = np.ndim(userid) == 0
        asked = [userid] if single else list(userid.tolist() if hasattr(userid, "tolist") else userid)
        count, threads = _count(N, "N"), 1 if len(asked) < _WORTH_THREADS else thread_count(self.n_jobs)
        allowed = self._allowed(items, filter_items)
        if recalculate_user:
            if user_items is None:
                raise ValueError("recalculate_user needs user_items: the events of the users")
            rows = checked_rows(user_items, len(asked), len(self.item_ids_))
            found = self.model_.recommend_given(*rows, count, not filter_already_liked_items, allowed, threads)
        else:
            numbers = self._numbers("user", asked).astype(np.uint32)
            if user_items is None or not filter_already_liked_items:
                found = self.model_.recommend(numbers, count, not filter_already_liked_items, allowed, threads)
            else:
                found = self._without(numbers, user_items, count, allowed, threads)
        numbers, scores = (x.reshape(len(asked), -1) for x in found)
        ids = self._item_ids_of(numbers)
        return (_ended(ids[0], numbers[0]), _ended(scores[0], numbers[0])) if single else (ids, scores)

    def similar_items(
        self,
        itemid: Any,
        N: int = 10,  # noqa: N803
        filter_items: Any = None,
        items: Any = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The ``N`` items whose factors have the largest cosine with those of ``itemid``, which comes first; ids and
        cosines. Several items give a row each."""
        return self._similar("item", itemid, N, self._allowed(items, filter_items))

    def similar_users(
        self,
        userid: Any,
        N: int = 10,  # noqa: N803
        filter_users: Any = None,
        users: Any = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for users."""
        return self._similar("user", userid, N, self._marks("user", users, filter_users))

    def explain(
        self,
        userid: Any,
        user_items: Any,
        itemid: Any,
        N: int = 10,  # noqa: N803
    ) -> ImplicitExplanation:
        """Why an item has its score: the items of the user that add most to it.

        ``user_items`` is None for the events of training, else a matrix of one row, the events of the user.
        """
        check_is_fitted(self)
        item = int(self._numbers("item", [itemid])[0])
        index = value = None
        user = 0
        if user_items is None:
            user = int(self._numbers("user", [userid])[0])
        else:
            _, index, value = checked_rows(user_items, 1, len(self.item_ids_))
        score, rest, (items, parts) = self.model_.explain(user, index, value, item, _count(N, "N"))
        return ImplicitExplanation(score, list(zip(self.item_ids_[items].tolist(), parts.tolist())), rest)

    def predict(self, users: Any, items: Any) -> np.ndarray:
        """Scores of pairs: ids of equal number, or one id against many. They rank items, and are not probabilities."""
        check_is_fitted(self)
        user = self._numbers("user", [users] if np.ndim(users) == 0 else users)
        item = self._numbers("item", [items] if np.ndim(items) == 0 else items)
        if len(user) != len(item) and 1 not in (len(user), len(item)):
            raise ValueError(f"{len(user)} users and {len(item)} items; expected as many, or one of either")
        user, item = (np.ascontiguousarray(x, dtype=np.uint32) for x in np.broadcast_arrays(user, item))
        return self.model_.score_pairs(user, item)

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        users: Any = None,
        N: int = 10,  # noqa: N803
        *,
        batch_size: int = 10_000,
        filter_items: Any = None,
        items: Any = None,
    ) -> None:
        """Write the recommendations of ``users`` (None: all) as a Parquet file with columns user, rank, item, score.

        One batch of users is in memory at a time. Needs pyarrow.
        """
        check_is_fitted(self)
        asked = self.user_ids_ if users is None else np.asarray(users)
        batches = (asked[k : k + batch_size] for k in range(0, len(asked), _count(batch_size, "batch_size")))
        answers = ((part, *self.recommend(part, None, N, True, filter_items, False, items)) for part in batches)
        write_batches(path, answers, self.item_ids_.dtype)

    def _numbers(self, what: str, ids: Any) -> np.ndarray:
        find = self.model_.find_users if what == "user" else self.model_.find_items
        ids = list(ids.tolist() if hasattr(ids, "tolist") else ids)
        numbers = find(to_texts(ids))
        if (numbers < 0).any():
            unknown = ids[int((numbers < 0).argmax())]
            known = self.model_.num_users if what == "user" else self.model_.num_items
            adding = "; recalculate_user=True folds new ones in" if what == "user" else ""
            raise ValueError(f"{what} {unknown!r} is none of the {known} {what}s of the model{adding}")
        return numbers

    def _marks(self, what: str, only: Any, never: Any) -> np.ndarray | None:
        if only is None and never is None:
            return None
        known = len(self.item_ids_ if what == "item" else self.user_ids_)
        marks = np.full(known, only is None, dtype=np.uint8)
        for ids, value in ((only, 1), (never, 0)):
            if ids is not None and len(ids):
                marks[self._numbers(what, ids)] = value
        return marks

    def _allowed(self, items: Any, filter_items: Any) -> np.ndarray | None:
        check_is_fitted(self)
        if items is not None and filter_items is not None:
            raise ValueError("items and filter_items are both given; expected one of them")
        return self._marks("item", items, filter_items)

    def _item_ids_of(self, numbers: np.ndarray) -> np.ndarray:
        ids = self.item_ids_[np.maximum(numbers, 0)]
        ids[numbers < 0] = -1 if ids.dtype.kind == "i" else None
        return ids

    def _without(self, numbers: np.ndarray, user_items: Any, count: int, allowed: Any, threads: int) -> Any:
        """The lists of the model without the items of ``user_items`` instead of those of training."""
        begin, index, _ = checked_rows(user_items, len(numbers), len(self.item_ids_))
        longest = int(np.diff(begin.astype(np.int64)).max(initial=0))
        asked = min(count + longest, len(self.item_ids_))
        items, scores = (x.reshape(len(numbers), -1) for x in self.model_.recommend(
            numbers, asked, True, allowed, threads))  # fmt: skip
        count = min(count, len(self.item_ids_))
        out = np.full((len(numbers), count), -1, dtype=np.int64)
        values = np.full((len(numbers), count), -np.inf)
        for row in range(len(numbers)):
            had = index[int(begin[row]) : int(begin[row + 1])]
            kept = np.flatnonzero((items[row] >= 0) & ~np.isin(items[row], had))[:count]
            out[row, : len(kept)], values[row, : len(kept)] = items[row, kept], scores[row, kept]
        return out.reshape(-1), values.reshape(-1)

    def _similar(self, what: str, one: Any, count: int, marks: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        single = np.ndim(one) == 0
        numbers = self._numbers(what, [one] if single else one)
        ids = self.item_ids_ if what == "item" else self.user_ids_
        ask = self.model_.similar_items if what == "item" else self.model_.similar_users
        count = min(_count(count, "N"), len(ids) if marks is None else int(marks.sum()))
        lists = []
        for number in numbers.tolist():
            near, cosines = ask(number, len(ids))
            near, cosines = np.append(number, near), np.append(1.0, cosines)
            kept = slice(None) if marks is None else marks[near] > 0
            lists.append((ids[near[kept]][:count], cosines[kept][:count]))
        found, values = (np.stack(part) for part in zip(*lists))
        return (found[0], values[0]) if single else (found, values)


_WORTH_THREADS = 32  # users to recommend to


def _ended(values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    return values[numbers >= 0]


def _count(n: Any, name: str) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"{name} is {n!r}; expected a whole number from 1 on")
    return int(n)
