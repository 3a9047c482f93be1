# SPDX-License-Identifier: Apache-2.0
"""Custom measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._input.queries import Queries


class Measure:
    """A measure given by position weights ``a`` and gains ``b``: the value of a ranking is the sum over its documents
    of ``a[position] * b[document]``.

    Anything of that form can be trained for and evaluated: pass it as ``measure=`` to `DormRanker` or in ``measures=``
    to `evaluate`.

    Parameters
    ----------
    a
        Weights of the positions, best position first: an array (positions past its end weigh 0), or a function of the
        number of documents that returns one weight per position. Finite, not negative, never increasing.
    b
        Gains of the documents: a table by label (``b[2]`` is the gain of label 2), or a function of the labels of one
        query (a float32 array) that returns one gain per document. Finite, not negative. To set the gain of every
        document yourself, pass the gains as ``y`` and ``b=lambda labels: labels``.
    normalise
        Divide by the value of the best ranking, so that 1 is the top of the scale; queries without any gain are then
        left out of means.
    name
        Shown in reports and stored with the model. Measures that are functions pickle if the functions do.

    Examples
    --------
    Reciprocal square-root discounts over the first three positions:

    >>> import dorm, numpy as np
    >>> top3 = dorm.Measure(a=1 / np.sqrt([1, 2, 3]), b=[0, 1, 4], name="top3")
    >>> y = [0, 2, 1, 0, 1, 0]
    >>> result = dorm.evaluate(y, [.9, .8, .1, .3, .2, .1], group=[3, 3], measures=[top3])
    >>> round(result["top3"].mean, 4)
    0.7153
    """

    def __init__(
        self,
        a: Any | Callable[[int], Any],
        b: Any | Callable[[np.ndarray], Any],
        *,
        normalise: bool = True,
        name: str = "custom",
    ) -> None:
        self.a = a if callable(a) else np.asarray(a, dtype=np.float64)
        self.b = b if callable(b) else np.asarray(b, dtype=np.float64)
        self.normalise = normalise
        self.name = name
        for letter, table in (("a", self.a), ("b", self.b)):
            if not callable(table) and (table.ndim != 1 or len(table) == 0):
                raise ValueError(f"{letter} has shape {table.shape}; expected a list of numbers or a function")

    def __repr__(self) -> str:
        return f"Measure(name={self.name!r}, normalise={self.normalise})"

    def factors(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``a`` by position and ``b`` by document for one query."""
        size = len(labels)
        a = self._checked(self.a(size) if callable(self.a) else np.r_[self.a, np.zeros(size)][:size], size, "a")
        if callable(self.b):
            b = self._checked(self.b(labels), size, "b")
        else:
            index = labels.astype(np.int64)
            if (index != labels).any() or (index < 0).any() or (index >= len(self.b)).any():
                raise ValueError(
                    f"measure {self.name}: b has {len(self.b)} entries, so labels must be whole numbers from 0 to "
                    f"{len(self.b) - 1}; found {labels.min():g} to {labels.max():g}"
                )
            b = self.b[index]
        if self.normalise:
            ideal = float(np.sort(b)[::-1] @ a)
            b = b / ideal if ideal > 0 else np.zeros(size)
        return a, b

    def _checked(self, values: Any, size: int, letter: str) -> np.ndarray:
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (size,):
            raise ValueError(f"measure {self.name}: {letter} has shape {array.shape} for a query of {size} documents")
        return array

    def _tabulate(self, *data: tuple[np.ndarray, Queries]) -> _core.TabulatedMeasure:
        """The factors of all queries of these data (labels sorted by query): no Python runs while training."""
        table = _core.TabulatedMeasure(self.name, self.normalise)
        for labels, queries in data:
            end = queries.end
            factors = [self.factors(part) for part in np.split(labels, end[:-1].astype(np.int64))]
            a, b = (np.concatenate(column) for column in zip(*factors))
            table.add(np.ascontiguousarray(labels), end, a, b)
        return table
