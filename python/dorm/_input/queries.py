# SPDX-License-Identifier: Apache-2.0
"""The queries of rows: from ids of any type in any order, or from sizes."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from .features import as_numbers


@dataclass(frozen=True)
class Queries:
    """The queries of some rows, in order of first appearance."""

    sizes: np.ndarray  # int64, rows of each query
    ids: list[Any]  # as the user gave them; 0, 1, ... for group sizes
    order: np.ndarray | None  # rows sorted by query; None where they stand so already

    @property
    def end(self) -> np.ndarray:
        """End of each query among the sorted rows."""
        return np.cumsum(self.sizes).astype(np.uint64)

    @property
    def names(self) -> list[str]:
        """The ids as text, for messages and the fingerprint of the data."""
        return [i.decode("utf-8", "backslashreplace") if isinstance(i, bytes) else as_text(i) for i in self.ids]

    def sorted(self, values: np.ndarray) -> np.ndarray:
        """Values of the rows, sorted by query."""
        return values if self.order is None else values[self.order]

    def unsorted(self, values: np.ndarray) -> np.ndarray:
        """The inverse of sorted()."""
        if self.order is None:
            return values
        out = np.empty_like(values)
        out[self.order] = values
        return out


def as_text(value: Any) -> str:
    """As str(), lone surrogates, which are no text, as escapes."""
    text = str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def one_query(rows: int) -> Queries:
    """All rows as one query."""
    return Queries(np.array([rows], dtype=np.int64), [0], None)


def read_queries(qid: Any, group: Any, rows: int, prefix: str = "") -> Queries:
    """The queries of `rows` rows from either argument; `prefix` begins their names in messages."""
    if qid is not None and group is not None:
        raise ValueError(f"both {prefix}qid and {prefix}group are given; pass one of them")
    if qid is not None:
        return _from_ids(qid, rows, f"{prefix}qid")
    if group is not None:
        return _from_sizes(group, rows, f"{prefix}group", f"{prefix}qid")
    raise ValueError(
        f"it is not known which rows belong to which query; pass {prefix}qid= (an id for every row), {prefix}group= "
        '(the sizes of consecutive queries) or a DataFrame with a column "qid"'
    )


def to_array(values: Any) -> np.ndarray:
    """A numpy array from a list or a column of pandas, polars or pyarrow."""
    if isinstance(values, np.ma.MaskedArray):
        return values
    module = type(values).__module__.split(".")[0]
    if module == "polars":
        return values.to_numpy()
    if module == "pyarrow":
        return np.asarray(values.to_numpy(zero_copy_only=False) if hasattr(values, "is_cpu") else values.to_numpy())
    if isinstance(values, (list, tuple)) and any(not isinstance(v, numbers.Number) for v in values):
        out = np.empty(len(values), dtype=object)  # numpy would turn a mixture of types into text
        out[:] = values
        return out
    return np.asarray(values)


def _from_sizes(group: Any, rows: int, name: str, qid_name: str) -> Queries:
    sizes = to_array(group)
    if sizes.ndim != 1 or len(sizes) == 0:
        raise ValueError(f"{name} has shape {sizes.shape}; expected a list of sizes, one per query")
    if sizes.dtype.kind == "O" and all(isinstance(s, numbers.Integral) for s in sizes):
        sizes = sizes.astype(np.int64)
    if np.ma.is_masked(sizes):
        raise ValueError(f"{name} holds masked sizes; expected the size of every query")
    sizes = np.asarray(sizes)
    if sizes.dtype.kind not in "iu":
        raise ValueError(f"{name} holds {sizes.dtype}; expected whole numbers, the sizes of consecutive queries")
    if len(sizes) and (sizes.min() < 1 or sizes.max() > rows):
        raise ValueError(f"{name} holds a size of {sizes[(sizes < 1) | (sizes > rows)][0]}; expected 1 to {rows}")
    total = int(sizes.astype(np.int64).sum())
    if total != rows:
        hint = (
            f"; it has one entry per row, so it may hold ids: pass those as {qid_name}=" if len(sizes) == rows else ""
        )
        raise ValueError(f"the sizes in {name} sum to {total}, but X has {rows} rows{hint}")
    return Queries(sizes.astype(np.int64), list(range(len(sizes))), None)


def _check_ids(ids: np.ndarray, rows: int, name: str) -> np.ndarray:
    ids = np.asarray(ids)
    if ids.ndim == 2 and ids.shape[1] == 1:
        ids = ids[:, 0]
    if ids.ndim != 1:
        raise ValueError(f"{name} has shape {ids.shape}; expected one id per row")
    if len(ids) != rows:
        hint = ""
        if ids.dtype.kind in "iu" and len(ids) and ids.min() > 0 and int(ids.sum()) == rows:
            hint = "; its entries sum to that, so it may hold sizes: pass those as group="
        raise ValueError(f"{name} has {len(ids)} entries, but X has {rows} rows{hint}")
    if ids.dtype.kind == "f":
        raise ValueError(
            f"{name} holds {ids.dtype} numbers, which are no safe identifiers (rounding could merge queries); "
            f"convert them, e.g. {name}.astype(int)"
        )
    if ids.dtype.kind in "cV":
        raise ValueError(f"{name} holds {ids.dtype}; expected whole numbers, text or other hashable ids")
    return ids


def _object_codes(ids: np.ndarray, name: str) -> tuple[np.ndarray, list[Any]]:
    known: dict[Any, int] = {}
    codes = np.empty(len(ids), dtype=np.int64)
    for row, value in enumerate(ids):
        missing = value is None or value != value or type(value).__name__ in ("NAType", "NaTType")
        if missing:
            raise ValueError(f"{name} has no id at row {row} (it holds {value!r}); drop the row or give it an id")
        if isinstance(value, (float, np.floating)):
            raise ValueError(
                f"{name} holds the float {value!r} at row {row}; floats are no safe identifiers: convert them to int "
                "or str"
            )
        try:
            codes[row] = known.setdefault(value, len(known))
        except TypeError:
            raise ValueError(f"{name} holds a {type(value).__name__} at row {row}; expected hashable ids") from None
    return codes, list(known)


def _refuse_missing(ids: Any, name: str) -> None:
    """Data frames and dates mark missing entries."""
    find = getattr(ids, "isna", None) or getattr(ids, "is_null", None)
    missing = np.zeros(0, dtype=bool)
    if isinstance(ids, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(ids)
    elif find is not None:
        missing = to_array(find())
    elif isinstance(ids, np.ndarray) and ids.dtype.kind in "mM":
        missing = np.isnat(ids)
    if missing.any():
        raise ValueError(f"{name} has no id at row {int(missing.argmax())}; drop the row or give it an id")


def _from_ids(qid: Any, rows: int, name: str) -> Queries:
    _refuse_missing(qid, name)
    ids = _check_ids(to_array(qid), rows, name)
    if rows and ids.dtype.kind != "O" and (ids == ids[0]).all():
        return Queries(np.array([rows], dtype=np.int64), ids[:1].tolist(), None)
    codes, names = _object_codes(ids, name) if ids.dtype.kind == "O" else (ids, None)
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]]) if rows else np.empty(0, np.int64)
    run_sizes = np.diff(np.r_[starts, rows])
    _, first, inverse = np.unique(codes[starts], return_index=True, return_inverse=True)
    if names is None:
        names = codes[starts[np.sort(first)]].tolist()
    if len(first) == len(starts):
        return Queries(run_sizes, names, None)
    rank = np.empty(len(first), dtype=np.int64)  # by first appearance
    rank[np.argsort(first)] = np.arange(len(first))
    query_of_run = rank[inverse.reshape(-1)]
    query_of_row = np.repeat(query_of_run, run_sizes)
    sizes = np.bincount(query_of_row, minlength=len(first)).astype(np.int64)
    return Queries(sizes, names, np.argsort(query_of_row, kind="stable"))


def read_weights(weights: Any, queries: Queries, name: str = "sample_weight", part: bool = False) -> np.ndarray:
    """One weight per query; empty when there are none. ``part``: of some queries, which may all weigh nothing."""
    if weights is None:
        return np.empty(0, dtype=np.float64)
    array = as_numbers(to_array(weights), name).astype(np.float64)
    rows, count = int(queries.sizes.sum()), len(queries.sizes)
    if array.shape not in ((rows,), (count,)):
        raise ValueError(
            f"{name} has shape {array.shape}; expected one weight per query ({count}) or per row ({rows}), "
            "constant within each query"
        )
    usable = f"{name} must hold finite numbers, zero or more, not all zero"
    if not np.isfinite(array).all():
        raise ValueError(usable)
    if array.shape == (rows,):
        by_row = queries.sorted(array)
        begin = np.r_[0, np.cumsum(queries.sizes)[:-1]]
        array = by_row[begin]
        varies = by_row != np.repeat(array, queries.sizes)
        if varies.any():
            query = int(np.searchsorted(np.cumsum(queries.sizes), int(varies.argmax()), side="right"))
            raise ValueError(
                f"{name} varies within query {queries.ids[query]!r}; a weight belongs to a whole query: make it "
                "constant there, or pass one weight per query"
            )
    if not ((array >= 0).all() and (part or array.any())):
        raise ValueError(usable)
    return array
