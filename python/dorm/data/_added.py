# SPDX-License-Identifier: Apache-2.0
"""Columns from other data: similarities to the set of a query, and features of its user."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core
from .._input.inputs import read_input
from .._threads import thread_count
from ..recommend._ratings import read_side
from ._files import RankingData, _unpack, read_letor


def _dataset(data: RankingData, name: str) -> _core.Dataset:
    if not isinstance(data, RankingData):
        raise ValueError(f"{name} is a {type(data).__name__}; expected RankingData, such as read_letor() returns")
    given = replace(data, y=np.zeros(len(data.qid), np.float32)) if data.y is None else data
    return read_input(given).labelled(data.feature_names).dataset


def _result(dataset: _core.Dataset, data: RankingData) -> RankingData:
    made = _unpack(dataset)
    return replace(made, y=None) if data.y is None else made


def with_sets(
    data: RankingData,
    sets: RankingData | str | os.PathLike[str],
    similarities: str | Sequence[str] = ("mean:attribute", "max:attribute"),
    *,
    only_added: bool = False,
    n_jobs: int | None = None,
) -> RankingData:
    """Compare documents with the set of their query, such as the other documents of an author.

    Parameters
    ----------
    data
        The documents to be ranked.
    sets
        Documents with the same features, or a file of them; labels are not needed. Those of a query are its set.
    similarities
        One column each: ``"mean:KERNEL"``, the mean of the kernel values with the members; ``"max:KERNEL"``, that of
        the most similar member; ``"columns"``, the mean features of the set, as columns ``set:NAME``. Kernels are those
        of ``DormRanker(kernel=...)``, with gamma as a number.
    only_added
        Leave the features of ``data`` out.

    A member with the document id of the document is left out. Features are taken as they are, and found by name.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> texts = dorm.RankingData(X=np.array([[1, 0], [1, 1]]), y=np.array([1, 0]), qid=np.array(["ann", "ann"]))
    >>> written = dorm.RankingData(X=np.array([[2, 0], [0, 3]]), y=None, qid=np.array(["ann", "ann"]))
    >>> found = dorm.data.with_sets(texts, written, ["mean:attribute", "max:linear"], only_added=True)
    >>> found.feature_names
    ['mean:attribute', 'max:linear']
    >>> found.X.round(3)
    array([[0.5  , 2.   ],
           [0.707, 3.   ]], dtype=float32)
    """
    if isinstance(sets, (str, os.PathLike)):
        sets = read_letor(sets, labels=False)
    asked = [similarities] if isinstance(similarities, str) else [str(text) for text in similarities]
    threads = thread_count(n_jobs)
    core = _core.with_set_columns(_dataset(data, "data"), _dataset(sets, "sets"), asked, bool(only_added), threads)
    return _result(core, data)


def with_user_features(
    data: RankingData, user_features: Any, *, columns: str = "", n_jobs: int | None = None
) -> RankingData:
    """Add features of users to the features of the documents; the query is the user.

    Parameters
    ----------
    data
        The documents to be ranked.
    user_features
        A table whose first column is the query id: a file, or a data frame with a column ``user`` (or the index).
    columns
        Of a file: the columns to take, such as ``"2-4"``. Empty: the numbers at its end, or its last column.

    The columns are called ``user:NAME``, so that a kernel such as ``linear + linear(user:*) * linear(genre*)`` can
    multiply them with those of documents. Queries without a row have 0, which leaves ``linear`` alone to rank.

    Examples
    --------
    >>> import dorm, numpy as np, pandas as pd
    >>> films = dorm.RankingData(X=np.array([[1, 0], [1, 1]]), y=np.array([1, 0]), qid=np.array([7, 7]))
    >>> found = dorm.data.with_user_features(films, pd.DataFrame({"user": [7], "age": [0.3]}))
    >>> found.feature_names
    ['1', '2', 'user:age']
    >>> found.X.round(3)
    array([[1. , 0. , 0.3],
           [1. , 1. , 0.3]], dtype=float32)
    """
    core = _dataset(data, "data")
    _, first = np.unique(np.asarray(data.qid), return_index=True)
    users = read_side(user_features, np.asarray(data.qid)[np.sort(first)], "user", columns)
    if users is None:
        raise ValueError("user_features is None; expected a file or a data frame")
    return _result(_core.with_user_columns(core, users, thread_count(n_jobs)), data)
