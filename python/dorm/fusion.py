# SPDX-License-Identifier: Apache-2.0
"""Fusing the runs of several retrievers: `fuse` finds weights and the evidence, `FusionRanker` applies them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._evaluate import Comparison, MeasureResult
from ._threads import thread_count
from .data._trec import Qrels, Run, _numbers, _qrels_of, _run_of

__all__ = ["Fusion", "FusionRanker", "FusionRow", "fuse"]

_QUERY_COLUMNS = ("query", "qid", "q_id", "query_id")
_DOCUMENT_COLUMNS = ("document", "docno", "doc_id", "docid")


@dataclass(frozen=True, eq=False)
class FusionRow:
    """One ranking of the evidence: a run, ``rrf``, ``mean`` or ``learnt``.

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
        Every run, ``rrf``, ``mean`` and ``learnt``; the last is held out by cross-validation. None without judgments.
    fold_weights
        The weights of each fold.
    queries_needed
        Judged queries that would show a difference of the size seen between ``learnt`` and ``mean``; 0: no number.
    to_judge
        Pairs of query and document without a judgment about which runs disagree most.
    """

    ranker: FusionRanker
    run: Run
    rows: list[FusionRow] | None
    fold_weights: list[list[float]]
    queries_needed: int
    to_judge: list[tuple[str, str]]

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each run; they sum to 1."""
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
        The weight of each run by name; they sum to 1.
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

    def fit(self, runs: Any, qrels: Any) -> FusionRanker:
        """Learn from judged runs: see `fuse` for what they may be."""
        names, given = _named(runs)
        self._learn(names, self._joined(names, given, _qrels_of(_nested(qrels))))
        return self

    def fuse(self, runs: Any) -> Run:
        """The fused run, best first; `runs` by name, or in the order of `fit`."""
        names, given = _named(runs)
        own = list(self.weights_)
        if len(given) != len(own):
            raise ValueError(f"{len(given)} runs; expected {len(own)}: {', '.join(own)}")
        if set(names) == set(own):
            given = [given[names.index(name)] for name in own]
        elif isinstance(runs, Mapping):
            raise ValueError(f"runs {', '.join(names)}; expected {', '.join(own)}")
        return Run(*self._joined(own, given, _NO_QRELS).run(list(self.weights_.values())))

    def predict(self, X: Any) -> np.ndarray:
        """Scores of documents whose comparable scores are the columns of `X`, in the order of the runs."""
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != len(self.weights_):
            raise ValueError(f"X of shape {X.shape}; expected one column for each of {', '.join(self.weights_)}")
        return X @ np.array(list(self.weights_.values()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model, which ``dorm rank``, ``serve`` and ``export`` read."""
        Path(path).write_bytes(_core.fused_to_json(self.model_, list(self.weights_), self.scale, self.absent))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FusionRanker:
        """Read a model of `save` or ``dorm fuse --model``."""
        found = _core.fused_from_json(Path(path).read_bytes(), os.fspath(path))
        if found is None:
            raise ValueError(f"{os.fspath(path)}: no fused model; expected one of dorm fuse")
        model, names, scale, absent = found
        ranker = cls(scale=scale, absent=absent)
        ranker.model_, ranker.weights_ = model, dict(zip(names, np.asarray(model.weights).tolist()))
        return ranker

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

    def _joined(self, names: list[str], runs: list[Run], qrels: Qrels) -> Any:
        columns = [(run.queries, run.documents, _numbers(run.scores)) for run in runs]
        judged = (qrels.queries, qrels.documents, _numbers(qrels.labels))
        return _core.Fusion(names, columns, judged, self.scale, self.absent, thread_count(self.n_jobs))

    def _learn(self, names: list[str], joined: Any) -> None:
        weights, _, self.share_learnt_, self.usable_queries_, self.model_ = joined.learn(self._options())
        self.weights_ = dict(zip(names, weights))

    def __repr__(self) -> str:
        return f"FusionRanker({self.measure!r}, weights={self.weights!r}, scale={self.scale!r})"


def fuse(
    runs: Any,
    qrels: Any = None,
    measure: str = "ndcg@10",
    *,
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
    names, given = _named(runs)
    joined = ranker._joined(names, given, _NO_QRELS if qrels is None else _qrels_of(_nested(qrels)))
    if qrels is not None and joined.judged_queries == 0:
        raise ValueError("no judged query is in a run; expected the same query ids in both")
    ranker._learn(names, joined)
    rows, fold_weights, needed = None, [], 0
    if qrels is not None:
        found, fold_weights, needed = joined.evidence(ranker._options(folds))
        rows = [_row(entry) for entry in found]
    run = Run(*joined.run(list(ranker.weights_.values())))
    return Fusion(ranker, run, rows, fold_weights, needed, joined.to_judge(100))


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


def _named(runs: Any) -> tuple[list[str], list[Run]]:
    if isinstance(runs, Mapping):
        names, given = [str(name) for name in runs], list(runs.values())
    elif isinstance(runs, Sequence) and not isinstance(runs, str):
        given = list(runs)
        names = [_name_of(run, number) for number, run in enumerate(given, 1)]
    else:
        raise ValueError(f"runs is a {type(runs).__name__}; expected a dict or a list of runs")
    if len(given) < 2:
        raise ValueError(f"{len(given)} runs; expected two or more")
    if len(set(names)) < len(names):
        raise ValueError(f"runs called {', '.join(names)}; expected different names: pass a dict")
    return names, [_run_of(_nested(run)) for run in given]


def _name_of(run: Any, number: int) -> str:
    if isinstance(run, (str, os.PathLike)):
        return Path(run).name.split(".")[0]
    return str(getattr(run, "name", None) or f"run{number}")


def _nested(table: Any) -> Any:
    """Data frames and what ranx has as dicts of dicts; anything else as it is."""
    if hasattr(table, "columns") and hasattr(table, "itertuples"):
        columns = [str(column) for column in table.columns]
        query = _column(columns, _QUERY_COLUMNS, "queries")
        document = _column(columns, _DOCUMENT_COLUMNS, "documents")
        value = _column(columns, ("score", "label", "relevance", "rel"), "scores or labels")
        nested: dict[str, dict[str, float]] = {}
        for q, d, x in zip(table[query], table[document], table[value]):
            documents = nested.setdefault(str(q), {})
            if str(d) in documents:
                raise ValueError(f"query {q}: document {d} is in the table twice")
            documents[str(d)] = float(x)
        return nested
    if not isinstance(table, (Mapping, Run, Qrels)) and hasattr(table, "to_dict"):
        return table.to_dict()
    return table


def _column(columns: list[str], names: tuple[str, ...], what: str) -> str:
    for name in names:
        if name in columns:
            return name
    raise ValueError(f"no column of {what} among {', '.join(columns)}; expected {' or '.join(names)}")
