# SPDX-License-Identifier: Apache-2.0
"""Ratings and features of users and items, from anything that holds them; ids of any kind as numbers and text."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .. import _core
from .._input.features import _FRAMES, _check_sparse, as_doubles
from .._input.queries import _object_codes, _refuse_missing, to_array

# As the reader of files has it: "userId", "User_ID" and "user" are one name.
_NAMES = {
    "user": {"user", "reviewer", "customer", "viewer", "person", "u"},
    "item": {"item", "movie", "film", "product", "book", "i"},
    "rating": {"rating", "score", "stars", "value", "label", "r"},
}


@dataclass(frozen=True)
class RatingsInput:
    """Ratings as the core has them, and the ids of users and items as the caller wrote them."""

    core: _core.Ratings
    user_ids: np.ndarray
    item_ids: np.ndarray

    @property
    def by_user(self) -> tuple[np.ndarray, np.ndarray]:
        """Position in ``user_ids`` and value of every rating, in the order of scores."""
        sizes, values = self.core.rows()
        return np.repeat(np.arange(len(sizes)), sizes.astype(np.int64)), values


def to_texts(ids: Iterable[Any]) -> list[bytes]:
    """Ids as they stand in files, where everything is text."""
    return [i if isinstance(i, bytes) else str(i).encode("utf-8", "surrogateescape") for i in ids]


def from_texts(texts: Sequence[bytes]) -> np.ndarray:
    """Whole numbers where every id is one and none would change by becoming one; else text."""
    names = [text.decode("utf-8", "surrogateescape") for text in texts]
    if all(name.isdecimal() and name.isascii() and len(name) < 19 and str(int(name)) == name for name in names):
        return np.array([int(name) for name in names], dtype=np.int64)
    return id_array(names)


def id_array(ids: Sequence[Any]) -> np.ndarray:
    """Whole numbers as such, anything else as objects."""
    if all(type(i) is int and -(2**63) <= i < 2**63 for i in ids):
        return np.array(ids, dtype=np.int64)
    out = np.empty(len(ids), dtype=object)
    out[:] = ids
    return out


def number_ids(values: Any, name: str, rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Numbers from 0 in order of first appearance, and the ids they stand for."""
    _refuse_missing(values, name)
    ids = to_array(values)
    if ids.ndim != 1:
        raise ValueError(f"{name} has shape {ids.shape}; expected one id per rating")
    if rows is not None and len(ids) != rows:
        raise ValueError(f"{name} has {len(ids)} entries, but there are {rows} ratings; expected one per rating")
    if ids.dtype.kind in "fcV":
        raise ValueError(
            f"{name} holds {ids.dtype} numbers, which are no safe identifiers; convert them, e.g. .astype(int)"
        )
    if ids.dtype.kind == "O":
        codes, known = _object_codes(ids, name)
        return codes.astype(np.uint32), id_array(known)
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.uint32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.uint32)
    return rank[inverse.reshape(-1)], id_array(ids[np.sort(first)].tolist())


def following_ids(ratings: Any, axis: int, known: np.ndarray) -> np.ndarray | None:
    """Ids of the new side of a matrix: numbers behind those that the model has."""
    if not sparse.issparse(ratings):
        return None
    taken = [int(text) for text in map(str, known.tolist()) if text.isdecimal()]
    return np.arange(ratings.shape[axis]) + max([len(known), *(number + 1 for number in taken)])


def extended_ids(ids: np.ndarray, given: np.ndarray, find: Any, count: int) -> np.ndarray:
    """The ids of a model that has grown to `count`, new ones as the caller wrote them."""
    out = ids.tolist() + [None] * (count - len(ids))
    for number, new in zip(find(to_texts(given.tolist())).tolist(), given.tolist()):
        if number >= len(ids):
            out[number] = new
    return id_array(out)


def read_ratings(ratings: Any, name: str = "ratings", user_ids: Any = None, item_ids: Any = None) -> RatingsInput:
    """A file, a sparse matrix, a data frame or three arrays. ``user_ids`` and ``item_ids`` replace the row and column
    numbers of a matrix as ids."""
    if isinstance(ratings, (str, os.PathLike)):
        try:
            core, said = _core.Ratings.read(os.fspath(ratings))
        except ValueError as error:
            hint = "; pass such a matrix as scipy.sparse or as three arrays" if "a layout that" in str(error) else ""
            raise ValueError(f"{error}{hint}") from None if hint else error
        for text in said:
            warnings.warn(text, stacklevel=4)
        return RatingsInput(core, from_texts(core.users), from_texts(core.items))
    if sparse.issparse(ratings):
        return _from_matrix(ratings, name, user_ids, item_ids)
    if _is_frame(ratings):
        users, items, values = (_column(ratings, c) for c in _columns(ratings, name))
    elif isinstance(ratings, (tuple, list)) and len(ratings) == 3:
        users, items, values = ratings
    else:
        dense = isinstance(ratings, np.ndarray) and ratings.ndim == 2
        hint = "; of a dense matrix pass scipy.sparse.csr_matrix(ratings), if 0 means not rated" if dense else ""
        raise ValueError(
            f"{name} is a {type(ratings).__name__}; expected a scipy.sparse matrix of users and items, a data frame "
            f"with columns user, item and rating, three arrays (users, items, ratings), or the name of a file{hint}"
        )
    return _from_triples(users, items, values, name)


def read_side(features: Any, ids: np.ndarray, what: str, columns: str = "") -> _core.SideFeatures | None:
    """Features of users or items: a file (of which these columns), a data frame or a matrix whose row j belongs to
    id j."""
    if features is None:
        return None
    name = f"{what}_features"
    core = _core.SideFeatures.read(os.fspath(features), columns) if isinstance(features, (str, os.PathLike)) else None
    if core is None:
        owners, names, values = _from_feature_frame(features, what) if _is_frame(features) else _rows(features, name)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(f"{name} holds {values[row, column]} at row {row}; expected finite numbers")
        core = _core.SideFeatures.make(names, to_texts(owners), np.ascontiguousarray(values).reshape(-1))
    missing = int((core.find(to_texts(ids.tolist())) < 0).sum())
    if missing == len(ids):
        raise ValueError(f"{name} has rows for none of the {len(ids)} {what}s; check its ids")
    if missing:
        warnings.warn(f"{missing} of {len(ids)} {what}s have no features", stacklevel=4)
    return core


def _is_frame(value: Any) -> bool:
    return type(value).__module__.split(".")[0] in _FRAMES and hasattr(value, "columns")


def _frame_columns(frame: Any) -> list[Any]:
    return list(getattr(frame, "column_names", frame.columns))  # of pyarrow, .columns are the data


def _column(frame: Any, column: Any) -> Any:
    return frame[column]


def _meaning(column: Any) -> str | None:
    plain = re.sub(r"[^a-z0-9]", "", str(column).lower())
    plain = plain[:-2] if len(plain) > 2 and plain.endswith("id") else plain
    return next((what for what, names in _NAMES.items() if plain in names), None)


def _columns(frame: Any, name: str) -> list[Any]:
    columns = _frame_columns(frame)
    found = {_meaning(column): column for column in reversed(columns)}
    if all(what in found for what in _NAMES):
        return [found[what] for what in _NAMES]
    raise ValueError(
        f"{name} has the columns {', '.join(map(repr, columns))}; expected user, item and rating among them "
        "(or userId, movie_id, score, ...)"
    )


def _values(values: Any, name: str) -> np.ndarray:
    try:
        array = as_doubles(to_array(values), name)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds ratings that are no numbers; expected finite numbers") from None
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(array).all():
        row = int((~np.isfinite(array)).argmax())
        raise ValueError(f"rating {row} of {name} is {array.reshape(-1)[row]}; expected finite numbers")
    return array


def _from_triples(users: Any, items: Any, values: Any, name: str) -> RatingsInput:
    array = _values(values, name)
    if array.size == 0:
        raise ValueError(f"{name} holds no ratings")
    if array.ndim != 1:
        raise ValueError(f"{name} holds ratings of shape {array.shape}; expected one number per rating")
    user, user_ids = number_ids(users, "users", len(array))
    item, item_ids = number_ids(items, "items", len(array))
    return _made(user_ids, item_ids, user, item, array)


def _from_matrix(matrix: Any, name: str, user_ids: Any, item_ids: Any) -> RatingsInput:
    if matrix.ndim != 2 or matrix.dtype.kind == "c":
        raise ValueError(
            f"{name} is a sparse array of {matrix.ndim} dimensions ({matrix.dtype}); expected users x items"
        )
    _check_sparse(matrix)
    entries = matrix.tocoo(copy=False)
    if matrix.format in ("bsr", "dia"):  # their zeros are filling, not ratings
        entries = sparse.coo_matrix(entries, copy=True)
        entries.eliminate_zeros()
    order = np.lexsort((entries.col, entries.row))
    user, item = entries.row[order].astype(np.uint32), entries.col[order].astype(np.uint32)
    twice = np.flatnonzero((user[1:] == user[:-1]) & (item[1:] == item[:-1]))
    if len(twice):
        raise ValueError(
            f"{name} has two entries in row {user[twice[0]]}, column {item[twice[0]]}; expected one: call "
            "sum_duplicates(), or pass three arrays, of which the last rating counts"
        )
    ids = [np.arange(n) if given is None else id_array(to_array(given).tolist())
           for n, given in zip(matrix.shape, (user_ids, item_ids))]  # fmt: skip
    for size, given, what in zip(matrix.shape, ids, ("user", "item")):
        if len(given) != size:
            raise ValueError(f"{len(given)} {what} ids for a matrix of shape {matrix.shape}; expected {size}")
    return _made(*ids, user, item, _values(entries.data, name)[order])


def _made(user_ids: np.ndarray, item_ids: np.ndarray, user: Any, item: Any, values: np.ndarray) -> RatingsInput:
    core = _core.Ratings.make(to_texts(user_ids.tolist()), to_texts(item_ids.tolist()), user, item, values)
    if core.duplicates:
        warnings.warn(
            f"{core.duplicates} ratings were replaced by a later rating of the same item by the same user",
            stacklevel=5,
        )
    return RatingsInput(core, user_ids, item_ids)


def _from_feature_frame(frame: Any, what: str) -> tuple[list[Any], list[str], np.ndarray]:
    columns = _frame_columns(frame)
    owner = next((c for c in columns if _meaning(c) == what), None)
    if owner is None and not hasattr(frame, "index"):
        raise ValueError(f"{what}_features has no column {what!r}; expected one that holds the ids")
    ids = to_array(frame.index if owner is None else _column(frame, owner))
    names = [c for c in columns if c is not owner]
    try:
        values = [as_doubles(to_array(_column(frame, c)), str(c)) for c in names]
    except (TypeError, ValueError):
        raise ValueError(f"{what}_features has columns that are no numbers; encode them as indicators") from None
    return ids.tolist(), [str(c) for c in names], np.column_stack(values) if values else np.empty((len(ids), 0))


def _rows(features: Any, name: str) -> tuple[list[Any], list[str], np.ndarray]:
    values = as_doubles(features.toarray() if sparse.issparse(features) else features, name)
    if values.ndim != 2:
        raise ValueError(f"{name} has shape {values.shape}; expected a row per id and a column per feature")
    return list(range(len(values))), [str(c + 1) for c in range(values.shape[1])], values
