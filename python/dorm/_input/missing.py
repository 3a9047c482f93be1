# SPDX-License-Identifier: Apache-2.0
"""Missing values: replacements of NaN and infinite features, in training and in prediction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core
from .features import Features

_FILLED = ("mean", "query-min", "indicator")  # by what training has seen


def check_rule(missing: Any) -> str:
    """A rule, or rules by column; they are those of the command."""
    try:
        default, by_column = _core.parse_missing(missing)
    except (TypeError, ValueError, KeyError):
        default, by_column = "keep", {}
    if (
        default == "keep" or "keep" in by_column.values()
    ):  # models of trees alone read data whose missing values are kept
        raise ValueError(
            f'missing is "{missing}"; expected "error", "zero", "mean", "query-min" or "indicator", or rules by column '
            'such as "mean,bm25=query-min"'
        )
    return missing


def fill(
    features: Features,
    missing: str,
    names: list[str] | None,
    means: Mapping[str, float] | None = None,
    queries: Callable[[], np.ndarray] | None = None,
) -> tuple[Features, dict[str, float]]:
    """The features without missing values, and what stands for them by name.

    ``means``: those of the training data, where a feature without one becomes 0. None: computed from the features.
    ``queries``: the number of the query of each row, for "query-min".
    """
    if missing in ("error", "keep"):
        return features, {}
    default, own = _core.parse_missing(missing)
    rules = {default, *own.values()}
    values = features.values
    stored = values if isinstance(values, np.ndarray) else values.data
    gaps = ~np.isfinite(stored)
    if "indicator" in rules and not features.of_columns and not means:
        raise ValueError(
            f'missing is "{missing}": an indicator is a feature more, which data frames and tables in files have; '
            "expected X as a data frame, or another rule"
        )
    if "query-min" in rules:
        if stored is not values:
            raise ValueError('missing="query-min" needs a dense matrix; X is sparse')
        features, gaps = _query_minima(features, gaps, names, default, own, queries)
        values = stored = features.values
    fitted = means is not None and len(means) > 0
    if rules & set(_FILLED) and not fitted:
        means = _dense_means(values, gaps, names) if stored is values else _sparse_means(values, gaps, names)
        for j in range(values.shape[1] if "query-min" in rules else 0):
            if own.get(_name(names, j), default) == "query-min":
                there = values[:, j][~gaps[:, j]]
                means[_name(names, j)] = float(there.min()) if there.size else 0.0
    if gaps.any():
        if "error" in rules:
            gaps = gaps & _may_lack(values, stored, names, default, own)
        kept = {name: mean for name, mean in (means or {}).items() if own.get(name, default) in _FILLED}
        by_column = _by_column(values, names, kept)
        filled = stored.copy()
        columns = np.nonzero(gaps)[1] if stored is values else values.indices[gaps]
        filled[gaps] = [by_column(j) for j in columns.tolist()]
        values = filled if stored is values else _with_values(values, filled)
        features = replace(features, values=values)
    return features, dict(means or {})


def _may_lack(values: Any, stored: Any, names: list[str] | None, default: str, own: Mapping[str, str]) -> Any:
    """Which stored values are of columns with a rule: the others are refused where they are used."""
    ruled = np.array([own.get(_name(names, j), default) != "error" for j in range(values.shape[1])])
    return ruled[np.newaxis, :] if stored is values else ruled[values.indices]


def _query_minima(
    features: Features, gaps: np.ndarray, names: list[str] | None, default: str, own: Mapping[str, str], queries: Any
) -> tuple[Features, np.ndarray]:
    """Gaps as the smallest value of their query, where it has one."""
    if queries is None:
        raise ValueError('missing="query-min" needs the queries; pass qid= or group=')
    number = queries()
    values, gaps = features.values.copy(), gaps.copy()
    for j in range(values.shape[1]):
        if own.get(_name(names, j), default) != "query-min" or not gaps[:, j].any():
            continue
        smallest = np.full(int(number.max()) + 1, np.inf, np.float32)
        np.minimum.at(smallest, number[~gaps[:, j]], values[~gaps[:, j], j])
        known = gaps[:, j] & np.isfinite(smallest[number])
        values[known, j] = smallest[number[known]]
        gaps[known, j] = False
    return replace(features, values=values), gaps


def _name(names: list[str] | None, column: int) -> str:
    return str(column + 1) if names is None else names[column]


def _by_column(values: Any, names: list[str] | None, means: Mapping[str, float]) -> Any:
    return lambda column: means.get(_name(names, column), 0.0)


def _dense_means(values: np.ndarray, gaps: np.ndarray, names: list[str] | None) -> dict[str, float]:
    marked = np.where(gaps, np.float32(np.nan), values)
    means = _core.column_means(np.ascontiguousarray(marked, dtype=np.float32))
    return {_name(names, j): float(mean) for j, mean in enumerate(means)}


def _sparse_means(values: Any, gaps: np.ndarray, names: list[str] | None) -> dict[str, float]:
    """Of the columns that occur; values that are not stored are zeros, and count."""
    columns, place = np.unique(values.indices, return_inverse=True)
    sums = np.bincount(place, np.where(gaps, 0.0, values.data), minlength=len(columns))
    counts = values.shape[0] - np.bincount(place[gaps], minlength=len(columns))
    means = np.divide(sums, counts, out=np.zeros(len(columns)), where=counts > 0).astype(np.float32)
    return {_name(names, j): float(mean) for j, mean in zip(columns.tolist(), means)}


def _with_values(matrix: Any, values: np.ndarray) -> Any:
    out = matrix.copy()
    out.data = values
    return out
