# SPDX-License-Identifier: Apache-2.0
"""What each feature contributes to each score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._tables import Figure, html_table, pandas_for


class Explanation(np.ndarray):
    """Contributions of the features: an array with a row per document and a column per feature, whose rows sum to the
    scores, and which knows the names of its columns.

    Selections of rows keep the names; other results of indexing and arithmetic are plain arrays.
    """

    feature_names: list[str]  #: of the columns

    def __new__(cls, values: Any, feature_names: Sequence[str]) -> Explanation:
        made = np.asarray(values).view(cls)
        made.feature_names = list(feature_names)
        return made

    def __array_finalize__(self, source: Any) -> None:
        same = isinstance(source, Explanation) and source.shape == self.shape and source.strides == self.strides
        self.feature_names = source.feature_names if same else []

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return np.asarray(array)[()] if return_scalar else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        picked = np.asarray(self)[key]
        rows = not isinstance(key, tuple) and np.ndim(picked) == self.ndim == 2
        return Explanation(picked, self.feature_names) if rows else picked

    def __reduce__(self) -> Any:
        return Explanation, (np.asarray(self), self.feature_names)

    def to_frame(self) -> Any:
        """A pandas data frame: a row per document, a column per feature."""
        return pandas_for("to_frame").DataFrame(np.asarray(self), columns=self.feature_names)

    def strongest(self, row: int, n: int = 5) -> dict[str, float]:
        """The ``n`` largest contributions to the score of one document by absolute value, largest first."""
        values = np.asarray(self)[row]
        order = np.argsort(-np.abs(values), kind="stable")[:n]
        return {self.feature_names[j]: float(values[j]) for j in order}

    def _repr_html_(self) -> str:
        if self.ndim != 2 or len(self.feature_names) != self.shape[1]:
            return f"<pre>{np.asarray(self)}</pre>"
        size = np.abs(np.asarray(self)).mean(axis=0)
        order = np.argsort(-size, kind="stable")[:_SHOWN]
        return html_table(
            ["feature", "mean |contribution|", "mean"],
            [
                (self.feature_names[j], Figure(size[j], ".4g"), Figure(np.asarray(self)[:, j].mean(), "+.4g"))
                for j in order
            ],
            f"contributions of {self.shape[1]} features to the scores of {self.shape[0]} documents",
        )


_SHOWN = 15  # features of a table in a notebook


def scaled_columns(matrix: Any, columns: np.ndarray, factors: np.ndarray) -> Any:
    """The sparse matrix with these columns multiplied; the others become 0."""
    order = np.argsort(columns)
    place = np.searchsorted(columns[order], matrix.indices)
    place[place == len(columns)] = 0
    found = columns[order][place] == matrix.indices
    matrix.data = np.where(found, matrix.data * factors[order][place], 0.0)
    return matrix


def spread_columns(parts: np.ndarray, columns: np.ndarray, width: int) -> Any:
    """Column j of the parts as column columns[j] of a sparse matrix."""
    from scipy import sparse

    thin = sparse.coo_matrix(parts)
    return sparse.csr_matrix((thin.data, (thin.row, columns[thin.col])), shape=(len(parts), width))
