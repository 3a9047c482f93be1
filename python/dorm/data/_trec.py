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

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query: {document: score}}``, as ranx (`Run.from_dict`), pytrec_eval and ir_measures have runs."""
        nested: dict[str, dict[str, float]] = {}
        for query, document, score in zip(self.queries, self.documents, self.scores.tolist()):
            nested.setdefault(query, {})[document] = score
        return nested

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
        `Qrels` and `Run`, or names of their files (TREC, JSON, Parquet, Arrow); dicts of dicts as pytrec_eval has them,
        ``{query: {document: label or score}}``; tables of pandas, polars or pyarrow with columns of queries, documents
        and labels or scores; records of ir_measures; a dataset of ir_datasets; ``Qrels`` and ``Run`` of ranx.
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
    judged = _qrels_of(qrels)
    options = options_of(convention, ties, bootstrap, confidence, random_state, n_jobs)
    options.one_per, options.depth, options.complete = one_per, depth, complete
    judgments = (judged.queries, judged.documents, _numbers(judged.labels))
    asked = measures_asked(measures)
    if isinstance(run, (str, os.PathLike)) and not judged.subtopics and _parquet_kind(run) is None:
        table = _core.evaluate_run_file(judgments, os.fspath(run), asked, options)
    else:
        retrieved = _run_of(run)
        ranked = (retrieved.queries, retrieved.documents, _numbers(retrieved.scores))
        table = _core.evaluate_run(judgments, judged.subtopics or [], ranked, asked, options)
    results = [MeasureResult(**entry) for entry in table["measures"]]
    return Evaluation(results, table["query_ids"], table["convention"], table["ties"], confidence)


def _numbers(values: Any) -> np.ndarray:
    return as_doubles(to_array(values), "the table")


def _pairs(nested: Mapping[Any, Mapping[Any, float]]) -> tuple[list[str], list[str], np.ndarray]:
    entries = [(str(q), str(d), float(x)) for q, documents in nested.items() for d, x in documents.items()]
    return [q for q, _, _ in entries], [d for _, d, _ in entries], np.array([x for _, _, x in entries])


# What the columns of a table, and the fields of a record, are called.
_QUERY = ("query", "query_id", "qid", "q_id", "topic")
_DOCUMENT = ("document", "doc_id", "docid", "docno", "document_id", "doc")
_LABEL = ("label", "relevance", "rel", "grade", "judgment")
_SCORE = ("score", "sim")


def _named(names: Sequence[str], known: tuple[str, ...], what: str) -> str:
    for name in known:
        if name in names:
            return name
    raise ValueError(f"{what} has no column of {known[0]} (or {', '.join(known[1:])}); it has {', '.join(names)}")


def _list_of(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):  # of pyarrow, polars, pandas
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _columns(given: Any, value: tuple[str, ...], what: str) -> tuple[list[str], list[str], np.ndarray] | None:
    """Queries, documents and values of any form but files and our own; None: it is none of the known forms."""
    if isinstance(given, Mapping):
        return _pairs(given)
    names = getattr(given, "column_names", None) or getattr(given, "columns", None)
    if names is not None:  # pyarrow; pandas, polars
        names = [str(name) for name in names]
        chosen = [_named(names, known, what) for known in (_QUERY, _DOCUMENT, value)]
        queries, documents, values = (_list_of(given[name]) for name in chosen)
        return [str(q) for q in queries], [str(d) for d in documents], np.asarray(values, np.float64)
    if hasattr(given, "to_dict"):  # ranx
        return _pairs(given.to_dict())
    method = "qrels_iter" if value is _LABEL else "scoreddocs_iter"
    rows = getattr(given, method)() if hasattr(given, method) else given  # ir_datasets
    if isinstance(rows, (str, bytes)) or not hasattr(rows, "__iter__"):
        return None
    entries = list(rows)  # namedtuples of ir_measures and ir_datasets
    if not entries:
        raise ValueError(f"{what} is empty")
    fields = getattr(entries[0], "_fields", None) or tuple(getattr(entries[0], "__dict__", ()))
    if not fields:
        return None
    chosen = [_named(fields, known, what) for known in (_QUERY, _DOCUMENT, value)]
    queries, documents, values = ([getattr(entry, name) for entry in entries] for name in chosen)
    return [str(q) for q in queries], [str(d) for d in documents], np.asarray(values, np.float64)


def _parquet_kind(path: Any) -> str | None:
    kind = os.fspath(path).rsplit(".", 1)[-1].lower()
    return kind if kind in ("parquet", "arrow", "feather") else None


def _parquet(path: Any) -> Any | None:
    """The table of a Parquet or Arrow file; None: the file is another."""
    kind = _parquet_kind(path)
    if kind is None:
        return None
    try:
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"{path}: files of this kind need pyarrow; install it with: pip install pyarrow") from error
    return pyarrow.parquet.read_table(path) if kind == "parquet" else pyarrow.feather.read_table(path)


def _qrels_of(qrels: Any) -> Qrels:
    if isinstance(qrels, Qrels):
        return qrels
    if isinstance(qrels, (str, os.PathLike)):
        table = _parquet(qrels)
        return read_qrels(qrels) if table is None else _qrels_of(table)
    columns = _columns(qrels, _LABEL, "qrels")
    if columns is None:
        raise ValueError(
            f"qrels is a {type(qrels).__name__}; expected Qrels, a file, a dict of dicts, a table or records"
        )
    return Qrels(*columns)


def _run_of(run: Any) -> Run:
    if isinstance(run, Run):
        return run
    if isinstance(run, (str, os.PathLike)):
        table = _parquet(run)
        return read_run(run) if table is None else _run_of(table)
    columns = _columns(run, _SCORE, "run")
    if columns is None:
        raise ValueError(f"run is a {type(run).__name__}; expected a Run, a file, a dict of dicts, a table or records")
    return Run(*columns)
