# SPDX-License-Identifier: Apache-2.0
"""Rows, labels and queries as a data set of the core."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .features import Features, as_numbers, column_values, is_column, may_hold_text, take_rows
from .queries import Queries, as_text

_NO_WEIGHTS = np.empty(0, dtype=np.float64)
_IN_ORDER = np.empty(0, dtype=np.uint64)


def read_labels(y: Any, rows: int, name: str = "y", beside: str = "X has {} rows") -> np.ndarray:
    """Labels as float32, one per row. ``beside``: what has that number of rows, for messages."""
    if y is None:
        raise ValueError(
            f"DormRanker requires {name} to be passed, but the target {name} is None; pass the label of every row"
        )
    with np.errstate(over="ignore"):
        if type(y) is np.ndarray and y.ndim == 1 and len(y) and y.dtype.kind in "fiub":
            labels = y.astype(np.float32, copy=False)
        else:
            from sklearn.utils import check_array, column_or_1d

            if isinstance(y, np.ndarray):
                y = as_numbers(y, name)
            elif is_column(y) and not may_hold_text(y):
                y = column_values(y, name)
            y = column_or_1d(y, warn=True)
            _refuse_text(y, name)
            y = as_numbers(y, name)
            labels = check_array(y, ensure_2d=False, dtype=np.float32, ensure_all_finite=False, input_name=name)
    if len(labels) != rows:
        raise ValueError(f"{name} has {len(labels)} entries, but {beside.format(rows)}; expected one label per row")
    if not np.isfinite(labels).all():
        at = int((~np.isfinite(labels)).argmax())
        raise ValueError(
            f"Input {name} contains NaN or infinity at row {at}; drop the row, or give it a label (0: not relevant)"
        )
    return labels


def _refuse_text(y: np.ndarray, name: str) -> None:
    """Labels that are text cannot be ordered: the caller has to say how."""
    if y.dtype.kind not in "OUST":
        return
    for row, label in enumerate(y):
        if isinstance(label, (str, bytes)):
            raise ValueError(
                f"{name} holds the text {str(label)!r} at row {row}; expected numbers, larger is better: map the "
                f'grades, e.g. [{{"bad": 0, "good": 1}}[grade] for grade in {name}]'
            )


def judge(labels: np.ndarray, unjudged: str) -> np.ndarray:
    """Labels for training, where a negative one may mean a document without a judgment."""
    rule = _core.settle_unjudged(unjudged, np.ascontiguousarray(labels))
    if rule == "drop" and (labels < 0).any():
        raise ValueError('unjudged is "drop"; drop the rows whose label is negative, or read with unjudged="drop"')
    return np.maximum(labels, 0) if rule == "bad" else labels


def make_dataset(
    features: Features,
    labels: np.ndarray,
    queries: Queries,
    weights: np.ndarray = _NO_WEIGHTS,
    names: list[str] | None = None,
    about: dict[str, Any] | None = None,
) -> _core.Dataset:
    """Borrows the features where the rows of each query are contiguous; copies them in order otherwise.

    ``about``: document_ids, groups, and input, how it was read.
    """
    documents = _core.Documents(
        labels=np.ascontiguousarray(queries.sorted(labels)),
        query_end=queries.end,
        query_ids=queries.names,
        query_weights=weights,
        source_rows=_IN_ORDER if queries.order is None else queries.order.astype(np.uint64),
        feature_names=names or [],
        about=_sorted_texts(queries, about or {}),
    )
    values = take_rows(features.values, queries.order)
    if isinstance(values, np.ndarray):
        return _core.Dataset.borrow_dense(values, documents)
    return _core.Dataset.borrow_sparse(
        np.ascontiguousarray(values.data),
        _as_uint32(values.indices, values.shape[1]),
        values.indptr[1:].astype(np.uint64),
        values.shape[1],
        documents,
    )


def _as_uint32(columns: np.ndarray, num_features: int) -> np.ndarray:
    """32-bit numbers are reinterpreted: a negative one becomes too large, which the core refuses."""
    if columns.dtype == np.int32:
        return np.ascontiguousarray(columns).view(np.uint32)
    if num_features > 2**32 or (len(columns) and (columns.min() < 0 or columns.max() >= num_features)):
        raise ValueError("the sparse matrix has column numbers outside its shape, or more than 2^32 columns")
    return columns.astype(np.uint32)


def _sorted_texts(queries: Queries, about: dict[str, Any]) -> dict[str, Any]:
    """Document ids and groups in the order of the rows."""

    def ordered(texts: Any) -> list[str]:
        return [as_text(texts[row]) for row in (range(len(texts)) if queries.order is None else queries.order)]

    lists = {name: ordered(about[name]) for name in ("document_ids", "groups") if about.get(name) is not None}
    return {**lists, "input": about.get("input")}
