# SPDX-License-Identifier: Apache-2.0
"""The propensities of positions: how likely users are to look at them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from .._tables import pandas_for
from .._threads import thread_count
from ..data._files import RankingData
from ._log import counted, documents_of

_Z = 1.959963984540054  # 95 %, two-sided


@dataclass(frozen=True)
class PositionPropensity:
    """The probability that users look at a position, relative to the first."""

    context: str
    position: int
    propensity: float
    se: float  #: standard error, over queries; NaN: not known

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval, symmetric for the logarithm."""
        spread = float(np.exp(_Z * self.se / self.propensity))
        return self.propensity / spread, self.propensity * spread


@dataclass(frozen=True, eq=False)
class PropensityEstimate:
    """The result of `propensity`, which `gains` and `evaluate` accept."""

    rows: list[PositionPropensity]
    evidence: list[dict[str, Any]] = field(repr=False)  #: by context: queries, documents, pairs, iterations, converged

    def __iter__(self) -> Iterator[tuple[str, int, float, float, float, float]]:
        nan = float("nan")
        return iter((r.context, r.position, r.propensity, r.se, nan, 0.0) for r in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, position: int | tuple[str, int]) -> float:
        context, k = position if isinstance(position, tuple) else ("", position)
        for row in self.rows:
            if (row.context, row.position) == (context, k):
                return row.propensity
        raise KeyError(position)

    def to_frame(self) -> Any:
        """A pandas data frame with a row per position (and context)."""
        return pandas_for("to_frame").DataFrame([vars(row) for row in self.rows])

    def save(self, path: str | os.PathLike[str]) -> None:
        """As ``dorm propensity`` writes it."""
        _core.write_propensities(os.fspath(path), list(self))

    def __str__(self) -> str:
        lines = [f"{'position':>8}  {'propensity':>10}  {'se':>7}  {'95 % interval':>18}"]
        for row in self.rows:
            low, high = row.interval
            ends = f"[{low:.4f}, {high:.4f}]"
            lines.append(
                f"{row.position:>8}  {row.propensity:>10.4f}  {row.se:>7.4f}  {ends:>18}  {row.context}".rstrip()
            )
        return "\n".join(lines)

    __repr__ = __str__


def propensity(
    log: Any,
    features: RankingData | None = None,
    *,
    method: str = "allpairs",
    isotonic: bool = False,
    pivot: int = 1,
    swaps: str = "swap",
    context: str | Sequence[str] = (),
    positions: int = 0,
    max_iterations: int = 5000,
    bootstrap: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
    **columns: str,
) -> PropensityEstimate:
    """Estimate from clicks the probability that users look at each position, relative to the first.

    Parameters
    ----------
    log
        As for `gains`: a file, a data frame, a dict of columns, or a `ClickLog`.
    features
        Of ``regression-em``: documents with features, on which relevance depends.
    method
        ``"allpairs"``, ``"pivot"`` and ``"adjacent"`` (documents that rankers put at different positions),
        ``"swaps"`` (sessions that put positions in random order) or ``"regression-em"``.
    isotonic
        Propensities never increase with the position.
    pivot
        Of ``"pivot"``: the position that others are compared with.
    swaps
        Of ``"swaps"``: the column that says which positions a session put in random order, as in ``"1-4"`` or
        ``"all"``.
    context, positions, columns
        As for `gains`.
    max_iterations, bootstrap, random_state
        Of ``"regression-em"``: when to stop, and resamples of the queries for standard errors.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=50, features=5, seed=1)
    >>> log = dorm.clicks.simulate(data, rankers=3, expected=True, seed=2)
    >>> p = dorm.clicks.propensity(log)
    >>> round(p[2], 6), round(p[10], 6)
    (0.5, 0.1)
    """
    names = [context] if isinstance(context, str) else list(context)
    if method == "swaps":
        names.append(swaps)
    counts, _, _ = counted(log, "query", names, positions, n_jobs, columns)
    options = _core.PropensityOptions()
    options.method = method
    options.isotonic = isotonic
    options.pivot = pivot
    options.max_iterations = max_iterations
    options.bootstrap = bootstrap
    options.seed = random_state
    options.threads = thread_count(n_jobs)
    data = None if features is None else documents_of(features)[0]
    rows, evidence = _core.estimate_propensities(counts, options, data)
    return PropensityEstimate([PositionPropensity(*row[:4]) for row in rows], evidence)
