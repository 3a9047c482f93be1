# SPDX-License-Identifier: Apache-2.0
"""Events of users and items: likes, plays, purchases; from anything that holds them."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from .. import _core
from .._input.features import as_doubles
from .._input.queries import to_array
from ._ratings import (
    RatingsInput,
    _column,
    _frame_columns,
    _is_frame,
    _meaning,
    from_texts,
    id_array,
    number_ids,
    to_texts,
)

_WEIGHTS = {"weight", "count", "counts", "plays", "quantity", "rating", "value"}


def read_events(events: Any, name: str = "events", user_ids: Any = None, item_ids: Any = None) -> RatingsInput:
    """A file, a sparse matrix, a data frame, or two or three arrays. Entries of 0 are no events; weights of repeated
    events are added. ``user_ids`` and ``item_ids`` replace the numbers of a matrix."""
    if isinstance(events, (str, os.PathLike)):
        core, said = _core.read_events(os.fspath(events), None)
        for text in said:
            warnings.warn(text, stacklevel=4)
        return RatingsInput(core, from_texts(core.users), from_texts(core.items))
    if sparse.issparse(events):
        rows = _events_matrix(events, name)
        ids = [
            np.arange(count) if given is None else id_array(to_array(given).tolist())
            for count, given in zip(rows.shape, (user_ids, item_ids))
        ]
        for size, given, what in zip(rows.shape, ids, ("user", "item")):
            if len(given) != size:
                raise ValueError(f"{len(given)} {what} ids for a matrix of shape {rows.shape}; expected {size}")
        texts = [to_texts(known.tolist()) for known in ids]
        begin, index = rows.indptr.astype(np.uint64), rows.indices
        index = index.view(np.uint32) if index.dtype == np.int32 else index.astype(np.uint32)
        return RatingsInput(_core.Ratings.of_rows(*texts, begin, index, rows.data), *ids)
    if _is_frame(events):
        users, items, weights = _of_frame(events, name)
    elif isinstance(events, (tuple, list)) and len(events) in (2, 3):
        users, items, weights = (*events, None)[:3]
    else:
        dense = isinstance(events, np.ndarray) and events.ndim == 2
        hint = "; of a dense matrix pass scipy.sparse.csr_matrix(events)" if dense else ""
        raise ValueError(
            f"{name} is a {type(events).__name__}; expected a scipy.sparse matrix of users and items, a data frame "
            f"with columns user and item, arrays (users, items) or (users, items, weights), or the name of a file{hint}"
        )
    user, known_users = number_ids(users, "users")
    if len(user) == 0:
        raise ValueError(f"{name} holds no events")
    item, known_items = number_ids(items, "items")
    if len(item) != len(user):
        raise ValueError(f"{name} has {len(user)} users and {len(item)} items; expected one of both per event")
    weight = np.ones(len(user), np.float32) if weights is None else _weights(weights, len(user), name)
    core = _core.events(to_texts(known_users.tolist()), to_texts(known_items.tolist()), user, item, weight)
    return RatingsInput(core, known_users, known_items)


def checked_rows(user_items: Any, rows: int, items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row ends, columns and weights of a matrix with a row for each user asked about."""
    if not sparse.issparse(user_items):
        raise ValueError(f"user_items is a {type(user_items).__name__}; expected a scipy.sparse matrix, a row per user")
    if user_items.ndim != 2 or user_items.shape[0] != rows or user_items.shape[1] > items:
        raise ValueError(
            f"user_items has shape {user_items.shape}; expected ({rows}, {items}): a row for each user asked about"
        )
    matrix = _events_matrix(user_items, "user_items")
    return matrix.indptr.astype(np.uint64), matrix.indices.astype(np.uint32), matrix.data.astype(np.float32)


def _events_matrix(matrix: Any, name: str) -> Any:
    """Compressed by row: repeated entries added, zeros left out, the others above 0."""
    if matrix.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers; expected weights of events")
    rows = sparse.csr_matrix(matrix)
    if not rows.has_canonical_format or not np.all(rows.data):
        rows = sparse.csr_matrix(rows, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32, copy=False)
    bad = np.flatnonzero(~(np.isfinite(rows.data) & (rows.data > 0)))
    if len(bad):
        row = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1
        raise ValueError(
            f"{name} holds {rows.data[bad[0]]:g} in row {row}, column {rows.indices[bad[0]]}; "
            "expected weights of events, 0 or more"
        )
    return rows


def _of_frame(frame: Any, name: str) -> tuple[Any, Any, Any]:
    columns = _frame_columns(frame)
    found = {_meaning(column): column for column in reversed(columns)}
    if "user" not in found or "item" not in found:
        raise ValueError(
            f"{name} has the columns {', '.join(map(repr, columns))}; expected user and item among them, and perhaps "
            "weight"
        )
    weight = next((column for column in columns if str(column).lower() in _WEIGHTS), None)
    return (
        _column(frame, found["user"]),
        _column(frame, found["item"]),
        None if weight is None else _column(frame, weight),
    )


def _weights(weights: Any, count: int, name: str) -> np.ndarray:
    try:
        values = as_doubles(to_array(weights), name)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds weights that are no numbers; expected 0 or more") from None
    if values.shape != (count,):
        raise ValueError(f"{name} holds weights of shape {values.shape}; expected one per event, ({count},)")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise ValueError(f"weight {bad[0]} of {name} is {values[bad[0]]:g}; expected 0 or more")
    return np.ascontiguousarray(values, dtype=np.float32)
