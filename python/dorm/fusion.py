# SPDX-License-Identifier: Apache-2.0
"""Fusing the runs of several retrievers: `fuse` finds weights and the evidence, `FusionRanker` applies them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._evaluate import Comparison, MeasureResult
from ._fusion_tables import feature_columns, query_table
from ._threads import thread_count
from .data._trec import Qrels, Run, _numbers, _qrels_of, _run_of

__all__ = ["Fusion", "FusionRanker", "FusionRow", "fuse"]


@dataclass(frozen=True, eq=False)
class FusionRow:
    """One ranking of the evidence: a run, ``rrf``, ``mean``, ``learnt`` or ``by query``.

    ``judged`` is the share of judged documents at the top, and ``if_good`` the measure if the others there were as good
    as the best. ``against_mean`` is the paired test of the difference to ``mean``, ``p_holm`` its corrected p-value.
    """

    name: str
    result: MeasureResult
    judged: float
    if_good: float
    against_mean: Comparison | None = None
    p_holm: float | None = None


@dataclass(frozen=True, eq=False)
class Fusion:
    """What `fuse` found.

    Attributes
    ----------
    ranker
        The `FusionRanker`, fitted.
    run
        The fused `Run` of all queries.
    rows
        Every run, ``rrf``, ``mean``, ``learnt`` and, with query features, ``by query``; the last two are held out by
        cross-validation. None without judgments.
    fold_weights
        The weights of each fold.
    queries_needed
        Judged queries that would show a difference of the size seen between ``learnt`` and ``mean``; 0: no number.
    to_judge
        Pairs of query and document without a judgment about which runs disagree most.
    by_query
        The paired test of the difference of ``by query`` to ``learnt``; None without query features.
    """

    ranker: FusionRanker
    run: Run
    rows: list[FusionRow] | None
    fold_weights: list[list[float]]
    queries_needed: int
    to_judge: list[tuple[str, str]]
    by_query: Comparison | None = None

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each run, and of features; those of runs sum to 1."""
        return self.ranker.weights_

    def __getitem__(self, name: str) -> FusionRow:
        for row in self.rows or []:
            if row.name == name:
                return row
        raise KeyError(name)

    def __repr__(self) -> str:
        weights = ", ".join(f"{name} {weight:.3f}" for name, weight in self.weights.items())
        if not self.rows:
            return f"Fusion({weights})"
        lines = [
            f"{row.name:<12} {row.result.mean:.4f}"
            + (f"  {row.against_mean.mean_difference:+.4f} to mean" if row.against_mean else "")
            for row in self.rows
        ]
        return "\n".join([f"Fusion({weights})", *lines])


class FusionRanker:
    """Weights for the runs of several retrievers, learnt for a measure.

    Parameters
    ----------
    measure
        What to maximise, any measure that `DormRanker` trains for.
    weights
        ``"bound"``: by the convex bound; ``"sweep"``: by the measure itself; ``"equal"``.
    scale
        Of scores per run and query: ``"minmax"``, ``"zscore"``, ``"rank"`` or ``"none"``.
    absent
        A document that a run does not list gets the ``"minimum"`` of the run, or a quarter of its range ``"below"``.
    C, blend
        The trade-off of the bound; and learnt weights count n / (n + blend) for n queries, equal ones the rest.
    convention
        Of the measure, as for `evaluate_run`.
    random_state, n_jobs
        As for `DormRanker`.

    Attributes
    ----------
    weights_
        The weight of each run by name; they sum to 1. Behind them those of features. With query features: the mean over
        the queries of `fit`; `weights_for` has those of one query.
    model_
        The linear model over comparable scores.

    Examples
    --------
    >>> from dorm.fusion import FusionRanker
    >>> runs = {"bm25": {"q1": {"a": 9.0, "b": 7.0}}, "dense": {"q1": {"b": 0.9, "c": 0.4}}}
    >>> ranker = FusionRanker().fit(runs, {"q1": {"b": 1, "a": 0}})
    >>> ranker.fuse(runs).documents[0]
    'b'
    """

    def __init__(
        self,
        measure: str = "ndcg@10",
        *,
        weights: str = "bound",
        scale: str = "minmax",
        absent: str = "minimum",
        C: float = 1.0,
        blend: float = 10.0,
        convention: str = "trec",
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measure
        self.weights = weights
        self.scale = scale
        self.absent = absent
        self.C = C
        self.blend = blend
        self.convention = convention
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, runs: Any, qrels: Any, *, features: Any = None, query_features: Any = None) -> FusionRanker:
        """Learn from judged runs: see `fuse` for what they, `features` and `query_features` may be."""
        judged = _qrels_of(qrels)
        self._learn(self._joined(*_given(runs, judged, features, query_features, self.scale, self.absent), judged))
        return self

    def fuse(self, runs: Any, *, features: Any = None, query_features: Any = None) -> Run:
        """The fused run, best first; `runs` by name, or in the order of `fit`."""
        names, given = _named(runs)
        own = self._input.runs
        if len(given) != len(own):
            raise ValueError(f"{len(given)} runs; expected {len(own)}: {', '.join(own)}")
        if set(names) == set(own):
            given = [given[names.index(name)] for name in own]
        elif isinstance(runs, Mapping):
            raise ValueError(f"runs {', '.join(names)}; expected {', '.join(own)}")
        lists = [(run.queries, run.documents, _numbers(run.scores)) for run in given]
        columns = feature_columns(features, given) if features is not None else {}
        for name in self._input.features:
            if name not in columns:
                raise ValueError(f"no feature {name!r}; expected features={', '.join(self._input.features)}")
            lists.append(columns[name])
        if self._input.query_features and query_features is None:
            raise ValueError(f"no query_features; expected {', '.join(self._query_names())}")
        table = None if query_features is None else query_table(query_features)
        return Run(*self._joined(self._input, lists, table, _NO_QRELS).run(self._columns()))

    def weights_for(self, query_features: Mapping[str, Any]) -> dict[str, float]:
        """The weights of one query, given its features by name."""
        names, _, values = query_table({"": dict(query_features)})
        return dict(zip(self._lists(), _core.weights_at(self._input, self._columns(), names, values[0].tolist())))

    def predict(self, X: Any) -> np.ndarray:
        """Scores of documents whose comparable scores are the columns of `X`, in the order of the model's features."""
        X = np.asarray(X, dtype=float)
        columns = self._input.columns
        if X.ndim != 2 or X.shape[1] != len(columns):
            raise ValueError(f"X of shape {X.shape}; expected one column for each of {', '.join(columns)}")
        return X @ np.array(self._columns())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model, which ``dorm rank``, ``serve`` and ``export`` read."""
        Path(path).write_bytes(_core.fused_to_json(self.model_, self._input, *self._ranges))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FusionRanker:
        """Read a model of `save` or ``dorm fuse --model``."""
        found = _core.fused_from_json(Path(path).read_bytes(), os.fspath(path))
        if found is None:
            raise ValueError(f"{os.fspath(path)}: no fused model; expected one of dorm fuse")
        ranker = cls()
        ranker.model_, ranker._input, *ranker._ranges = found
        ranker.scale, ranker.absent = ranker._input.scale, ranker._input.absent
        middle = [(low + high) / 2 for _, low, high in ranker._input.query_features]
        weights = _core.weights_at(ranker._input, ranker._columns(), ranker._query_names(), middle)
        ranker.weights_ = dict(zip(ranker._lists(), weights))
        return ranker

    def _columns(self) -> list[float]:
        return np.asarray(self.model_.weights).tolist()

    def _lists(self) -> list[str]:
        return [*self._input.runs, *self._input.features]

    def _query_names(self) -> list[str]:
        return [name for name, _, _ in self._input.query_features]

    def _options(self, folds: int = 0) -> Any:
        return _core.FuseOptions(
            self.measure,
            self.convention,
            self.weights,
            float(self.C),
            float(self.blend),
            folds,
            self.random_state,
            thread_count(self.n_jobs),
        )

    def _joined(self, layout: Any, lists: list[Any], table: Any, qrels: Qrels) -> Any:
        judged = (qrels.queries, qrels.documents, _numbers(qrels.labels))
        joined = _core.Fusion(layout, lists, judged, table, thread_count(self.n_jobs))
        for name, count in zip(joined.input.runs, joined.judged_by_run):
            if joined.judged_queries and count == 0:
                warnings.warn(
                    f"{name} lists none of the {joined.judged_queries} judged queries, so that its weight says "
                    "nothing: the ids of queries have to be the same in all runs",
                    stacklevel=3,
                )
        return joined

    def _learn(self, joined: Any) -> None:
        mean, self.share_learnt_, self.usable_queries_, self.model_ = joined.learn(self._options())
        self._input, self._ranges = joined.input, joined.ranges
        self.weights_ = dict(zip(self._lists(), mean))

    def __repr__(self) -> str:
        return f"FusionRanker({self.measure!r}, weights={self.weights!r}, scale={self.scale!r})"


def fuse(
    runs: Any,
    qrels: Any = None,
    measure: str = "ndcg@10",
    *,
    features: Any = None,
    query_features: Any = None,
    weights: str = "bound",
    scale: str = "minmax",
    absent: str = "minimum",
    C: float = 1.0,
    blend: float = 10.0,
    convention: str = "trec",
    folds: int = 5,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Fusion:
    """Fuse runs by the weights that are best for a measure, with the evidence.

    Parameters
    ----------
    runs
        A dict of runs by name, or a list of them. A run is a `Run`, the name of a file, a dict of dicts
        ``{query: {document: score}}``, a data frame with columns of queries, documents and scores, or a run of ranx.
    qrels
        `Qrels`, a file, a dict of dicts, a data frame, or those of ranx. None: equal weights.
    features
        Numbers beside the runs, such as age, with weights of any sign: ``{name: {document: value}}`` or ``{name:
        {query: {document: value}}}``, or a table or file with a column of documents, perhaps of queries, and numbers.
    query_features
        Numbers and words on which the weights of runs may depend: ``{query: {name: value}}``, or a table or file with a
        column of queries.
    folds
        Of the cross-validation by which ``learnt`` is evaluated.
    measure, weights, scale, absent, C, blend, convention, random_state, n_jobs
        As for `FusionRanker`.

    Examples
    --------
    >>> import dorm
    >>> runs = {"bm25": {"q1": {"a": 9.0, "b": 7.0}}, "dense": {"q1": {"b": 0.9, "c": 0.4}}}
    >>> dorm.fuse(runs).weights
    {'bm25': 0.5, 'dense': 0.5}
    """
    ranker = FusionRanker(
        measure,
        weights=weights if qrels is not None else "equal",
        scale=scale,
        absent=absent,
        C=C,
        blend=blend,
        convention=convention,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    if query_features is not None and (qrels is None or weights != "bound"):
        raise ValueError('query_features; expected qrels to learn from, and weights="bound"')
    judged = _NO_QRELS if qrels is None else _qrels_of(qrels)
    joined = ranker._joined(*_given(runs, judged, features, query_features, scale, absent), judged)
    if qrels is not None and joined.judged_queries == 0:
        raise ValueError("no judged query is in a run; expected the same query ids in both")
    ranker._learn(joined)
    rows, fold_weights, needed, by_query = None, [], 0, None
    if qrels is not None:
        found, fold_weights, needed, by_query = joined.evidence(ranker._options(folds))
        rows = [_row(entry) for entry in found]
    run = Run(*joined.run(ranker._columns()))
    difference = Comparison(**by_query) if by_query else None
    return Fusion(ranker, run, rows, fold_weights, needed, joined.to_judge(100), difference)


_NO_QRELS = Qrels([], [], np.empty(0))


def _row(entry: dict[str, Any]) -> FusionRow:
    test = entry.get("against_mean")
    return FusionRow(
        entry["name"],
        MeasureResult(**entry["measure"]),
        entry["judged"],
        entry["if_good"],
        Comparison(**test) if test else None,
        entry.get("p_holm"),
    )


def _given(
    runs: Any, judged: Qrels, features: Any, query_features: Any, scale: str, absent: str
) -> tuple[Any, list[Any], Any]:
    """The layout, the lists in its order, and the table of queries."""
    names, given = _named(runs)
    columns = feature_columns(features, given) if features is not None else {}
    if len(given) < 2 and not columns:
        raise ValueError(f"{len(given)} runs; expected two or more, or features beside one")
    table = None if query_features is None else query_table(query_features)
    ranges = [] if table is None else _core.query_features_of(table, judged.queries)
    lists = [(run.queries, run.documents, _numbers(run.scores)) for run in given]
    return _core.FusionInput(names, list(columns), ranges, scale, absent), [*lists, *columns.values()], table


def _named(runs: Any) -> tuple[list[str], list[Run]]:
    if isinstance(runs, Mapping):
        names, given = [str(name) for name in runs], list(runs.values())
    elif isinstance(runs, Sequence) and not isinstance(runs, str):
        given = list(runs)
        names = [_name_of(run, number) for number, run in enumerate(given, 1)]
    else:
        raise ValueError(f"runs is a {type(runs).__name__}; expected a dict or a list of runs")
    if len(set(names)) < len(names):
        raise ValueError(f"runs called {', '.join(names)}; expected different names: pass a dict")
    return names, [_run_of(run) for run in given]


def _name_of(run: Any, number: int) -> str:
    if isinstance(run, (str, os.PathLike)):
        return Path(run).name.split(".")[0]
    return str(getattr(run, "name", None) or f"run{number}")
