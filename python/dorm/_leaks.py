# SPDX-License-Identifier: Apache-2.0
"""Features that are the labels under another name."""

from __future__ import annotations

from typing import Any

import numpy as np

_FIRST = 64  # rows that rule most columns out
_WIDEST = 1 << 20  # columns of sparse data that are looked at


def columns_equal_to(labels: np.ndarray, values: Any) -> list[int]:
    """The columns of a matrix that hold the label in every row; none where all labels are the same."""
    if (labels == labels[0]).all():
        return []
    if isinstance(values, np.ndarray):
        likely = np.flatnonzero((values[:_FIRST] == labels[:_FIRST, None]).all(axis=0))
        return [int(j) for j in likely if np.array_equal(values[:, j], labels)]
    if values.shape[1] > _WIDEST:
        return []
    sums = np.bincount(values.indices, values.data, minlength=values.shape[1])
    likely = np.flatnonzero(sums == labels.sum(dtype=np.float64))
    return [int(j) for j in likely if np.array_equal(values[:, [j]].toarray().ravel(), labels)]
