# SPDX-License-Identifier: Apache-2.0
"""Runs and judgments as TREC writes them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._evaluate import Evaluation, MeasureResult, measures_asked, options_of
from .._input.features import as_doubles
from .._input.queries import to_array
from .._tables import pandas_for


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments: query, document and label of each. Of subtopics where ``subtopics`` is not None."""

    queries: list[str]
    documents: list[str]
    labels: np.ndarray
    subtopics: list[str] | None = None

    def __len__(self) -> int:
        return len(self.queries)

    def to_frame(self) -> Any:
        """A pandas data frame with columns query, document, label (and subtopic)."""
        columns = {"query": self.queries, "document": self.documents, "label": self.labels}
        if self.subtopics is not None:
            columns["subtopic"] = self.subtopics
        return pandas_for("to_frame").DataFrame(columns)

    def __repr__(self) -> str:
        return f"Qrels({len(set(self.queries))} queries, {len(self)} judgments)"


@dataclass(frozen=True, eq=False)
class Run:
    """What a ranker retrieved: query, document and score of each."""

    queries: list[str]
    documents: list[str]
    scores: np.ndarray
    tag: str = "dorm"

    def __len__(self) -> int:
        return len(self.queries)

    @classmethod
    def of(cls, data: Any, scores: Any, *, tag: str = "dorm") -> Run:
        """The run of scores of the documents of a `RankingData`; without document ids, rows are named from 1."""
        names = data.document_ids or [str(row + 1) for row in range(len(data.qid))]
        return cls([str(q) for q in np.asarray(data.qid).tolist()], list(names), _numbers(scores), tag)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as ``qid Q0 docid rank score tag``, best first within each query."""
        by_query: dict[str, list[int]] = {}
        for row, query in enumerate(self.queries):
            by_query.setdefault(query, []).append(row)
        with open(path, "w", encoding="utf-8") as out:
            for query, rows in by_query.items():
                for rank, row in enumerate(sorted(rows, key=lambda r: -self.scores[r]), 1):
                    out.write(f"{query} Q0 {self.documents[row]} {rank} {float(self.scores[row])!r} {self.tag}\n")

    def to_frame(self) -> Any:
        """A pandas data frame with columns query, document and score."""
        columns = {"query": self.queries, "document": self.documents, "score": self.scores}
        return pandas_for("to_frame").DataFrame(columns)

    def __repr__(self) -> str:
        return f"Run({len(set(self.queries))} queries, {len(self)} documents, tag {self.tag!r})"


def read_qrels(path: str | os.PathLike[str], *, subtopics: bool = False) -> Qrels:
    """Judgments from a file: ``qid iter docid rel`` per line, or with ``subtopics`` ``qid subtopic docid rel``.

    Without subtopics a table will do, whose header names the columns of queries, documents and labels, such as
    ``qid,docid,label``.

    >>> import dorm, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a 2\\nq1 0 b 0\\nq2 0 c 1\\n")
    >>> dorm.read_qrels(path)
    Qrels(2 queries, 3 judgments)
    """
    return Qrels(*(_core.read_subtopics if subtopics else _core.read_qrels)(os.fspath(path)))


def read_run(path: str | os.PathLike[str]) -> Run:
    """A run from a file: ``qid Q0 docid rank score tag`` per line; the score decides, as in trec_eval."""
    return Run(*_core.read_run(os.fspath(path)))


def evaluate_run(
    qrels: Any,
    run: Any,
    measures: str | Sequence[str] = ("ndcg@10", "map", "mrr"),
    *,
    convention: str = "standard",
    ties: str | None = None,
    one_per: str = "",
    depth: int = 0,
    complete: bool = False,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Evaluate a run against judgments; documents without a judgment have label 0.

    Parameters
    ----------
    qrels, run
        `Qrels` and `Run`, names of their files, or dicts of dicts: ``{query: {document: label or score}}``, as
        pytrec_eval and ir_measures have them.
    measures
        As for `evaluate`; of judgments of subtopics ``"alpha-ndcg@10"``, ``"ia-precision@10"``, ...
    convention, ties
        As for `evaluate`; ``convention="trec"`` gives trec_eval's figures.
    one_per
        ``"host"`` or ``"domain"``: keep the first document of each in a list, document ids being URLs.
    depth
        Evaluate only the first documents of each query, this number. 0: all.
    complete
        Count judged queries that the run lacks as empty lists, whatever the convention.

    Examples
    --------
    >>> import dorm
    >>> qrels = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
    >>> dorm.evaluate_run(qrels, {"q1": {"a": 0.3, "b": 0.7}, "q2": {"c": 1.0}}, "mrr")["rr"].per_query
    array([0.5, 1. ])
    """
    judged, retrieved = _qrels_of(qrels), _run_of(run)
    options = options_of(convention, ties, bootstrap, confidence, random_state, n_jobs)
    options.one_per, options.depth, options.complete = one_per, depth, complete
    table = _core.evaluate_run(
        (judged.queries, judged.documents, _numbers(judged.labels)),
        judged.subtopics or [],
        (retrieved.queries, retrieved.documents, _numbers(retrieved.scores)),
        measures_asked(measures),
        options,
    )
    results = [MeasureResult(**entry) for entry in table["measures"]]
    return Evaluation(results, table["query_ids"], table["convention"], table["ties"], confidence)


def _numbers(values: Any) -> np.ndarray:
    return as_doubles(to_array(values), "the table")


def _pairs(nested: Mapping[Any, Mapping[Any, float]]) -> tuple[list[str], list[str], np.ndarray]:
    entries = [(str(q), str(d), float(x)) for q, documents in nested.items() for d, x in documents.items()]
    return [q for q, _, _ in entries], [d for _, d, _ in entries], np.array([x for _, _, x in entries])


def _qrels_of(qrels: Any) -> Qrels:
    if isinstance(qrels, (str, os.PathLike)):
        return read_qrels(qrels)
    if isinstance(qrels, Mapping):
        return Qrels(*_pairs(qrels))
    if not isinstance(qrels, Qrels):
        raise ValueError(f"qrels is a {type(qrels).__name__}; expected Qrels, a file, or a dict of dicts")
    return qrels


def _run_of(run: Any) -> Run:
    if isinstance(run, (str, os.PathLike)):
        return read_run(run)
    if isinstance(run, Mapping):
        return Run(*_pairs(run))
    if not isinstance(run, Run):
        raise ValueError(f"run is a {type(run).__name__}; expected a Run, a file, or a dict of dicts")
    return run
