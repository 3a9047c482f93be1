# SPDX-License-Identifier: Apache-2.0
"""Evaluation of rankers by clicks on the lists of other rankers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from .._evaluate import Comparison, Evaluation, MeasureResult, options_of
from .._input.features import as_doubles
from ..data._files import RankingData
from ._gains import propensity_rows
from ._log import counted, documents_of


@dataclass(frozen=True, eq=False)
class ClickEvaluation:
    """Evaluations of rankers by clicks: the result of `evaluate`."""

    rankers: dict[str, Evaluation]  #: by name
    differences: dict[str, dict[str, Comparison]]  #: by name and measure: the ranker minus the reference
    reference: str
    estimator: str
    gains: np.ndarray = field(repr=False)  #: of each row of the data: estimated relevance
    unseen: dict[str, dict[str, float]]  #: share of the position weights at documents that were never shown
    clicks: float
    impressions: float
    effective_clicks: float  #: number of clicks of equal weight with the same variance
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


def evaluate(
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
    """Evaluate rankers by clicks on the lists of other rankers.

    Parameters
    ----------
    log
        As for `gains`: a file, a data frame, a dict of columns, or a `ClickLog`.
    data
        The documents that are ranked, called as in the log; labels are not looked at.
    scores
        Of the rows of ``data``: an array, or several by name. ``-inf``: not in the ranking.
    propensities
        As for `gains`; they are needed.
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
    >>> log = dorm.clicks.simulate(data, rankers=2, sessions=50, seed=2)
    >>> scores = {"good": data.y, "bad": -data.y}
    >>> result = dorm.clicks.evaluate(log, data, scores, propensities=log.propensities)
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
    counts, _, _ = counted(log, "query", context, positions, n_jobs, columns)
    dataset, queries = documents_of(data)
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
