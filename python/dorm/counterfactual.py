# SPDX-License-Identifier: Apache-2.0
"""How likely positions are to be looked at, and rankers judged by clicks on what others showed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._dataset import make_dataset
from ._features import as_doubles
from ._inputs import read_input
from ._queries import Queries
from ._tables import pandas_for
from ._threads import thread_count
from .clicking import _counted, _document_names, propensity_rows
from .data import RankingData
from .evaluation import Comparison, Evaluation, MeasureResult, options_of

_Z = 1.959963984540054  # 95 %, two-sided


@dataclass(frozen=True)
class PositionPropensity:
    """How likely a position is to be looked at, relative to the first."""

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
    """What `propensity` returns; `clicks` and `evaluate_clicks` take it as it is."""

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
    """Estimate from clicks how likely each position is to be looked at; the first has 1.

    Parameters
    ----------
    log
        As for `clicks`: a file, a data frame, a dict of columns, or a `ClickLog`.
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
        As for `clicks`.
    max_iterations, bootstrap, random_state
        Of ``"regression-em"``: when to stop, and resamples of the queries for standard errors.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=50, features=5, seed=1)
    >>> log = dorm.simulate_clicks(data, rankers=3, expected=True, seed=2)
    >>> p = dorm.propensity(log)
    >>> round(p[2], 6), round(p[10], 6)
    (0.5, 0.1)
    """
    names = [context] if isinstance(context, str) else list(context)
    if method == "swaps":
        names.append(swaps)
    counts, _, _ = _counted(log, "query", names, positions, n_jobs, columns)
    options = _core.PropensityOptions()
    options.method = method
    options.isotonic = isotonic
    options.pivot = pivot
    options.max_iterations = max_iterations
    options.bootstrap = bootstrap
    options.seed = random_state
    options.threads = thread_count(n_jobs)
    data = None if features is None else _documents(features)[0]
    rows, evidence = _core.estimate_propensities(counts, options, data)
    return PropensityEstimate([PositionPropensity(*row[:4]) for row in rows], evidence)


@dataclass(frozen=True, eq=False)
class ClickEvaluation:
    """Rankers judged by clicks; what `evaluate_clicks` returns."""

    rankers: dict[str, Evaluation]  #: by name
    differences: dict[str, dict[str, Comparison]]  #: by name and measure: the ranker minus the reference
    reference: str
    estimator: str
    gains: np.ndarray = field(repr=False)  #: of each row of the data: estimated relevance
    unseen: dict[str, dict[str, float]]  #: share of the position weights at documents that were never shown
    clicks: float
    impressions: float
    effective_clicks: float  #: so many clicks of equal weight say as much
    clipped_share: float
    queries: int  #: of the data, that the log has
    queries_unknown: int  #: of the log, that the data has not
    documents_unknown: int
    clicks_unknown: float
    never_shown: int  #: documents of the data, in queries of the log

    def __getitem__(self, name: str) -> Evaluation:
        return self.rankers[name]

    def __str__(self) -> str:
        lines = [
            f"{self.estimator} estimates from {self.clicks:g} clicks on {self.impressions:g} impressions, "
            f"worth {self.effective_clicks:.0f} equal ones; {self.queries} queries"
        ]
        width = max(6, *(len(name) for name in self.rankers))
        for name, evaluation in self.rankers.items():
            for r in evaluation:
                lines.append(f"{name:<{width}}  {r.name}  {r.mean:.4f} [{r.low:.4f}, {r.high:.4f}]")
        for name, tests in self.differences.items():
            for measure, test in tests.items():
                lines.append(f"{name} - {self.reference}, {measure}: {test}")
        return "\n".join(lines)

    __repr__ = __str__


def evaluate_clicks(
    log: Any,
    data: RankingData,
    scores: Any,
    *,
    propensities: Any,
    measures: str | Sequence[str] = "dcg@10",
    estimator: str = "ips",
    clip: float = 0.0,
    each: str = "query",
    against: str | None = None,
    context: str | Sequence[str] = (),
    positions: int = 0,
    convention: str = "standard",
    ties: str | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
    **columns: str,
) -> ClickEvaluation:
    """Judge rankers by clicks on what other rankers showed.

    Parameters
    ----------
    log
        As for `clicks`: a file, a data frame, a dict of columns, or a `ClickLog`.
    data
        The documents that are ranked, called as in the log; labels are not looked at.
    scores
        Of the rows of ``data``: an array, or several by name. ``-inf``: not in the ranking.
    propensities
        As for `clicks`; they are needed.
    measures
        Sums of position weight times relevance: ``"dcg@10"``, ``"precision@5"``, ``"rbp"``, ``"eru"``, ``"avgrank"``.
        Others have no unbiased estimate and are refused.
    estimator
        ``"ips"``, ``"snips"`` or ``"ips+model"``; see docs/click-evaluation.md.
    clip
        Propensities below count as this much: bias for variance.
    each
        What counts once in the mean: a ``"query"``, or a ``"page"`` of results.
    against
        The ranker that others are compared with; None: the first.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=100, features=5, seed=1)
    >>> log = dorm.simulate_clicks(data, rankers=2, sessions=50, seed=2)
    >>> scores = {"good": data.y, "bad": -data.y}
    >>> result = dorm.evaluate_clicks(log, data, scores, propensities=log.propensities)
    >>> result.differences["bad"]["dcg@10:gain=linear"].high < 0
    True
    """
    if each not in ("query", "page"):
        raise ValueError(f'each is "{each}"; expected "query" or "page"')
    named = dict(scores) if isinstance(scores, Mapping) else {"ranker": scores}
    names = list(named)
    if not names:
        raise ValueError("no scores; expected those of one ranker or more")
    if against is not None and against not in named:
        raise ValueError(f"against is {against!r}; expected one of {', '.join(map(repr, names))}")
    rows = propensity_rows(propensities)
    if not rows:
        raise ValueError("no propensities; expected how likely each position is to be looked at")
    counts, _, _ = _counted(log, "query", context, positions, n_jobs, columns)
    dataset, queries = _documents(data)
    options = _core.ClickEvaluateOptions()
    options.estimator = estimator
    options.clip = float(clip)
    options.per_page = each == "page"
    options.evaluate = options_of(convention, ties, bootstrap, confidence, random_state, n_jobs)
    sorted_scores = [queries.sorted(_scores_of(named[name], len(data.qid), name)).tolist() for name in names]
    asked = [measures] if isinstance(measures, str) else list(measures)
    reference = 0 if against is None else names.index(against)
    evidence, gains, judged = _core.evaluate_clicks(dataset, counts, rows, options, sorted_scores, asked, reference)
    in_rows = np.empty_like(gains)
    in_rows[slice(None) if queries.order is None else queries.order] = gains
    rankers, differences, unseen = {}, {}, {}
    for name, (table, shares, tests) in zip(names, judged):
        results = [MeasureResult(**entry) for entry in table["measures"]]
        rankers[name] = Evaluation(results, queries.ids, table["convention"], table["ties"], confidence)
        unseen[name] = {r.name: share for r, share in zip(results, shares)}
        if tests:
            differences[name] = {r.name: Comparison(**test) for r, test in zip(results, tests)}
    return ClickEvaluation(rankers, differences, names[reference], estimator, in_rows, unseen, **evidence)


def _scores_of(scores: Any, rows: int, name: str) -> np.ndarray:
    values = as_doubles(scores, f"scores of {name!r}")
    if values.shape != (rows,):
        raise ValueError(f"scores of {name!r} have shape {values.shape}; expected one for each of {rows} documents")
    return values


def _documents(data: RankingData) -> tuple[_core.Dataset, Queries]:
    """The documents under the names that logs call them by."""
    given = read_input(data)
    queries = given.queries()
    about = {**given.about, "document_ids": _document_names(data)}
    labels = np.zeros(given.rows, np.float32)
    return make_dataset(given.features, labels, queries, names=data.feature_names, about=about), queries
