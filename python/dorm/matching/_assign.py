# SPDX-License-Identifier: Apache-2.0
"""Linear assignment, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core


@dataclass(frozen=True, eq=False)
class Assignment:
    """The best matching of rows and columns, and the duals that prove it."""

    columns: np.ndarray  #: column of each row, -1 where there are more rows than columns
    value: float  #: the sum of the matched entries
    row_dual: np.ndarray  #: minimising, cost >= row_dual[:, None] + column_dual, with equality where matched
    column_dual: np.ndarray


def assign(cost: Any, *, maximize: bool = False) -> Assignment:
    """Match every row with its own column so that the sum of the matched entries is smallest (or largest).

    Examples
    --------
    >>> import dorm
    >>> found = dorm.matching.assign([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
    >>> found.columns, found.value
    (array([1, 0, 2]), 5.0)
    """
    matrix = np.ascontiguousarray(cost, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"cost has {matrix.ndim} dimensions; expected a matrix of rows and columns")
    columns, row_dual, column_dual, value = _core.assign(matrix, maximize)
    return Assignment(columns.astype(np.intp), value, row_dual, column_dual)
