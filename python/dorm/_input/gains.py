# SPDX-License-Identifier: Apache-2.0
"""Gains by position and topics of documents, from what holds them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from .queries import Queries


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def label_gains(gains: Any, data: _core.Dataset) -> _core.LabelGains | None:
    """The table by label; None where the gains are those of single documents."""
    if _is_path(gains):
        table = _core.LabelGains.read(os.fspath(gains), data)
        return table if len(table.labels) else None
    if isinstance(gains, Mapping):
        labels, rows = list(gains), [np.asarray(gains[label], dtype=np.float64).reshape(-1) for label in gains]
    elif hasattr(gains, "index") and hasattr(gains, "to_numpy"):  # pandas
        labels, rows = list(gains.index), list(np.asarray(gains.to_numpy(), dtype=np.float64))
    else:
        return None
    if not rows or len({len(row) for row in rows}) != 1:
        raise ValueError("gains differ in length; expected for every label a gain at each position")
    order = np.argsort(np.asarray(labels, dtype=np.float64), kind="stable")
    values = np.concatenate([rows[i] for i in order])
    _check(values)
    return _core.LabelGains(np.asarray(labels, dtype=np.float32)[order], values, len(rows[0]))


def position_gains(
    gains: Any, known: _core.LabelGains | None, queries: Queries, data: _core.Dataset
) -> _core.PositionGains:
    """What the documents of the data gain, in its order."""
    if known is not None:
        return _core.PositionGains.by_label(known, data)
    if _is_path(gains):
        return _core.PositionGains.read(os.fspath(gains), data)
    rows = np.asarray(gains, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != data.num_documents:
        raise ValueError(
            f"gains have shape {rows.shape}; expected a row for each of the {data.num_documents} rows of X and a "
            "column per position, or a dict of label -> gains"
        )
    _check(rows)
    return _core.PositionGains(np.ascontiguousarray(queries.sorted(rows)).reshape(-1), rows.shape[1])


def _check(values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        raise ValueError("gains hold NaN or infinity; expected finite numbers")


def topic_table(topics: Any, limits: Any, queries: Queries, data: _core.Dataset, name: str = "topics") -> Any:
    """Topics of the documents of the data, in its order, and their limits."""
    if _is_path(topics) != _is_path(limits):
        raise ValueError(f"{name} and limits: expected two files, or neither")
    if _is_path(topics):
        return _core.TopicTable.read(os.fspath(topics), os.fspath(limits), data)
    names, rows = _weights(topics, name)
    if rows.shape[0] != data.num_documents:
        raise ValueError(
            f"{name} has {rows.shape[0]} rows; expected one for each of the {data.num_documents} rows of X"
        )
    rows = rows if queries.order is None else rows[queries.order]
    return _core.TopicTable(
        [str(each) for each in names],
        _limits(limits, names),
        rows.indptr.astype(np.uint64),
        rows.indices.astype(np.uint32),
        np.ascontiguousarray(rows.data, dtype=np.float64),
    )


def _weights(topics: Any, name: str) -> tuple[list[Any], Any]:
    """Names of the topics, and a sparse matrix of documents by topics."""
    from scipy import sparse

    if sparse.issparse(topics):
        rows = sparse.csr_matrix(topics, dtype=np.float64)
        names = list(range(rows.shape[1]))
    elif hasattr(topics, "columns") and hasattr(topics, "to_numpy"):  # pandas
        rows, names = sparse.csr_matrix(topics.to_numpy(dtype=np.float64)), list(topics.columns)
    else:
        values = np.asarray(topics)
        if values.ndim == 2:
            rows = sparse.csr_matrix(values.astype(np.float64))
            names = list(range(values.shape[1]))
        elif values.ndim == 1:
            names, number = np.unique(values, return_inverse=True)
            ones = np.ones(len(values))
            rows = sparse.csr_matrix((ones, (np.arange(len(values)), number)), shape=(len(values), len(names)))
            names = names.tolist()
        else:
            raise ValueError(f"{name} has shape {values.shape}; expected a topic per row of X, or a column per topic")
    rows.sum_duplicates()
    rows.sort_indices()
    return names, rows


def _limits(limits: Any, names: list[Any]) -> np.ndarray:
    if hasattr(limits, "to_dict"):
        limits = limits.to_dict()
    if not isinstance(limits, Mapping):
        values = np.asarray(limits, dtype=np.float64).reshape(-1)
        if len(values) != len(names):
            raise ValueError(f"{len(values)} limits of {len(names)} topics; expected one each")
        return np.ascontiguousarray(values)
    lacking = [each for each in names if each not in limits]
    if lacking:
        raise ValueError(f"topic {lacking[0]!r} has no limit; expected one for each of the {len(names)} topics")
    return np.array([limits[each] for each in names], dtype=np.float64)
