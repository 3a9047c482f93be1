# SPDX-License-Identifier: Apache-2.0
"""Missing values: replacements of NaN and infinite features, in training and in prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core
from .features import Features

RULES = ("error", "zero", "mean")  # to train by; models of trees read data whose missing values are kept


def check_rule(missing: Any) -> str:
    """One of the rules; they are those of the command."""
    if missing not in RULES:
        raise ValueError(f'missing is "{missing}"; expected "error", "zero" or "mean"')
    return missing


def fill(
    features: Features, missing: str, names: list[str] | None, means: Mapping[str, float] | None = None
) -> tuple[Features, dict[str, float]]:
    """The features without missing values, and the means by name.

    ``means``: those of the training data, where a feature without one becomes 0. None: computed from the features.
    """
    if missing in ("error", "keep"):
        return features, {}
    values = features.values
    stored = values if isinstance(values, np.ndarray) else values.data
    gaps = ~np.isfinite(stored)
    if missing == "mean" and means is None:
        means = _dense_means(values, gaps, names) if stored is values else _sparse_means(values, gaps, names)
    if gaps.any():
        by_column = _by_column(values, names, (means or {}) if missing == "mean" else {})
        filled = stored.copy()
        columns = np.nonzero(gaps)[1] if stored is values else values.indices[gaps]
        filled[gaps] = [by_column(j) for j in columns.tolist()]
        values = filled if stored is values else _with_values(values, filled)
        features = replace(features, values=values)
    return features, dict(means or {})


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
