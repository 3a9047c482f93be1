# SPDX-License-Identifier: Apache-2.0
"""Data sets from a file or a generator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from .._input.columns import encode_text
from .._input.features import is_sparse
from .._input.missing import check_rule
from .._threads import thread_count


@dataclass(frozen=True, eq=False)
class RankingData:
    """A data set: a matrix of features, labels and query ids, row by row.

    The rows of a query are consecutive. Pass it wherever ``X, y, qid`` are expected, or unpack it:
    ``X, y, qid = data``. Arrays that come from a file or a generator are read-only views of the core's memory.
    """

    X: Any  #: float32 array, or CSR matrix where most features are zero
    y: np.ndarray | None  #: label of each row; None: read without labels
    qid: np.ndarray  #: query of each row: whole numbers, or text
    sample_weight: np.ndarray | None = None  #: weight of each query; None: all 1
    feature_names: list[str] | None = None  #: None: numbered from 1
    document_ids: list[str] | None = None  #: of each row
    groups: list[str] | None = None  #: of each row, e.g. its site
    source_rows: np.ndarray | None = field(default=None, repr=False)  #: row of the file; None: the same
    input: dict[str, Any] | None = field(default=None, repr=False)  #: how it was read, which a ranker keeps

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y, self.qid))

    @property
    def group(self) -> np.ndarray:
        """The sizes of the queries, in order."""
        starts = np.flatnonzero(np.r_[True, self.qid[1:] != self.qid[:-1]])
        return np.diff(np.r_[starts, len(self.qid)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it, as ``dorm convert`` does: ``.dorm`` is the binary form, ``.csv`` and ``.tsv`` are tables, anything
        else is LETOR text; of text ``.gz`` and ``.zst`` may follow.

        >>> import dorm, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.dorm"
        >>> dorm.synth(queries=3, features=2, documents_median=4, seed=1).save(path)
        >>> dorm.read_letor(path)
        RankingData(3 queries, ...
        """
        from .._input.dataset import make_dataset  # these know this class
        from .._input.inputs import read_input
        from .._input.queries import read_weights

        given = read_input(self)
        queries = given.queries()
        labels = np.zeros(given.rows, np.float32) if self.y is None else np.asarray(self.y, np.float32)
        weights = read_weights(self.sample_weight, queries)
        data = make_dataset(given.features, labels, queries, weights, self.feature_names, given.about)
        _core.write_dataset(data, os.fspath(path))

    def __repr__(self) -> str:
        kind = "sparse" if is_sparse(self.X) else "dense"
        kind += ", no labels" if self.y is None else ""
        rows, columns = self.X.shape
        return f"RankingData({len(self.group)} queries, {rows} documents, {columns} features, {kind})"


def read_letor(
    path: str | os.PathLike[str],
    *,
    missing: str | None = None,
    unjudged: str = "grade",
    labels: bool | None = None,
    like: Any = None,
    qrels: str | os.PathLike[str] | None = None,
    query_ids: str | os.PathLike[str] | Sequence[Any] | None = None,
    n_jobs: int | None = None,
    **columns: Any,
) -> RankingData:
    """Read a data set from a file.

    Parameters
    ----------
    path
        LETOR/SVMlight text (``label qid:id 1:value ...``), CSV, TSV, JSON lines, DORM's binary form (``.dorm``), or
        features that Elasticsearch, OpenSearch or Solr have logged in their answers (JSON), by extension and content;
        text may be compressed (``.gz``, ``.zst``). Sizes and weights in ``PATH.query`` or ``PATH.group`` and
        ``PATH.weight`` are used where those files exist.
    missing
        Replacement of NaN and infinite features: ``"error"``, ``"zero"``, ``"mean"`` (of their column), ``"query-min"``
        (the smallest value of the query) or ``"indicator"`` (the mean, and a feature that says so); by column
        ``"mean,bm25=query-min"``. A ranker that is fitted to the data stores the rule and the means.
    unjudged
        Treatment of documents with a negative label: ``"grade"`` (they stay), ``"bad"`` (label 0), ``"drop"`` (they are
        removed) or ``"auto"`` (``"bad"`` where labels are whole numbers and none is below -1, else ``"grade"``).
    labels
        False: a file without labels is read, too; ``y`` is then None. None: False with ``like=``, else True.
    like
        A fitted ranker or a model file: the file is read as its training data was, with the same columns, and missing
        values are replaced by the means of that data.
    qrels
        A file that `read_qrels` reads: labels come from it, by query and document id, and not from ``path``. Documents
        without a judgment have label -1, or the label that ``unjudged`` says.
    query_ids
        Of logs: the id of each answer's query, in order, or a file with one per line; None: ids stand in the log.
    columns
        Of CSV and TSV: what `read_csv` takes.

    Examples
    --------
    >>> import dorm, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.txt"
    >>> _ = path.write_text("1 qid:7 1:0.5 2:1\\n0 qid:7 1:0.1 2:1\\n2 qid:8 1:1 2:0\\n0 qid:8 1:0 2:1\\n")
    >>> data = dorm.read_letor(path)
    >>> data
    RankingData(2 queries, 4 documents, 2 features, dense)
    >>> data.qid
    array([7, 7, 8, 8])
    """
    joined: dict[str, Any] = {} if qrels is None else {"judgments": os.fspath(qrels)}
    if isinstance(query_ids, (str, os.PathLike)):
        with open(query_ids, encoding="utf-8") as lines:
            query_ids = [line.strip() for line in lines if line.strip()]
    if query_ids is not None:
        joined["query_ids"] = [str(query) for query in query_ids]
    return _read_file(path, "auto", missing, unjudged, labels, like, n_jobs, columns, joined)


def read_csv(
    path: str | os.PathLike[str],
    *,
    label_column: str | None = None,
    query_column: str | None = None,
    document_column: str | None = None,
    group_column: str | None = None,
    weight_column: str | None = None,
    ignore_columns: str | Sequence[str] | None = None,
    encode: str | Mapping[str, str] | None = None,
    missing: str | None = None,
    unjudged: str = "grade",
    labels: bool | None = None,
    like: Any = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Read a data set from a table with a header: CSV, or TSV where the name ends so.

    Parameters
    ----------
    path
        May be compressed (``.gz``, ``.zst``).
    label_column, query_column, document_column, group_column, weight_column
        The columns with a meaning (``"label"``, ``"qid"``, ``"docid"``, ``"group"``, ``"weight"``); the last three may
        be absent. Every other column is a feature.
    ignore_columns
        Columns that are neither, such as titles.
    encode
        Columns that hold no plain numbers, by rule: ``{"category": "onehot", "published": "age+month"}``, or the text
        of ``--encode``. The rules are onehot, age, weekday, month, percent, thousands, decimal-comma and bool.
    missing, unjudged, labels, like
        As for `read_letor`.

    Examples
    --------
    >>> import dorm, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "judged.csv"
    >>> _ = path.write_text("search,grade,title,bm25\\nshoes,2,Red shoes,7.1\\nshoes,0,Hats,0.3\\n")
    >>> dorm.read_csv(path, query_column="search", label_column="grade", ignore_columns=["title"])
    RankingData(1 queries, 2 documents, 1 features, dense)
    """
    columns = {
        "label_column": label_column,
        "query_column": query_column,
        "document_column": document_column,
        "group_column": group_column,
        "weight_column": weight_column,
        "ignore_columns": ignore_columns,
        "encode": encode,
    }
    name = os.fspath(path).removesuffix(".gz").removesuffix(".zst")
    form = "tsv" if name.lower().endswith((".tsv", ".tab")) else "csv"
    return _read_file(path, form, missing, unjudged, labels, like, n_jobs, columns)


def reading_of(like: Any) -> dict[str, Any]:
    """The reading options of the training data of a ranker or a model file."""
    if like is None:
        return {}
    model = getattr(like, "model_", None) or getattr(like, "model", None)
    if model is None and isinstance(like, (str, os.PathLike)):
        model = _core.Model.load(os.fspath(like))
    if model is None:
        raise ValueError(f"like is a {type(like).__name__}; expected a fitted ranker or the name of a model file")
    return {**model.input, "features": model.features}


_COLUMNS = ("label_column", "query_column", "document_column", "group_column", "weight_column", "ignore_columns")


def merged_reading(
    columns: dict[str, Any], missing: str | None, like: Any, encode: str | Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The arguments of the caller over those of the model: columns, their encoding and the rule for missing values."""
    encode = columns.pop("encode", encode)
    unknown = set(columns) - set(_COLUMNS)
    if unknown:
        raise TypeError(f"unexpected argument {min(unknown)!r}; of columns there are {', '.join(_COLUMNS)}")
    said = {name: value for name, value in columns.items() if value is not None}
    if "ignore_columns" in said:
        ignored = said["ignore_columns"]
        said["ignore_columns"] = [ignored] if isinstance(ignored, str) else list(ignored)
    if missing is not None:
        said["missing"] = check_rule(missing)
    if encode is not None and like is not None:
        raise ValueError("encode= with like=: the encoding of columns is that of the training data; pass one of them")
    if encode is not None:
        said["encode"] = encode_text(encode)
    return {**reading_of(like), **said}


def _read_file(
    path: Any,
    form: str,
    missing: Any,
    unjudged: str,
    labels: bool | None,
    like: Any,
    n_jobs: Any,
    columns: dict[str, Any],
    joined: dict[str, Any] | None = None,
) -> RankingData:
    fields = {**merged_reading(columns, missing, like), **(joined or {})}
    if (
        not os.fspath(path).removesuffix(".gz").removesuffix(".zst").lower().endswith((".csv", ".tsv"))
        and form == "auto"
    ):
        fields.pop("features", None)  # of tables alone
    fields.update(format=form, need_labels=like is None if labels is None else bool(labels))
    fields["threads"] = thread_count(n_jobs)
    dataset, problems = _core.read_dataset(os.fspath(path), fields, unjudged)
    for problem in problems:
        warnings.warn(problem, stacklevel=3)
    return _unpack(dataset)


def synth(
    queries: int = 1000,
    features: int = 136,
    *,
    documents_median: float = 50,
    documents_spread: float = 0.5,
    documents_min: int = 1,
    documents_max: int = 1000000,
    density: float = 1.0,
    noise: float = 1.0,
    query_effect: float = 0.5,
    groups: int = 0,
    seed: int = 0,
    n_jobs: int | None = None,
) -> RankingData:
    """Generate data that looks like web search; the same as ``dorm synth`` of the command line, byte for byte.

    List lengths are log-normal; labels are the grades 0 to 4. Below a ``density`` of 0.25 the features are a CSR
    matrix. The result depends on ``seed`` and the other arguments, not on ``n_jobs``.

    Examples
    --------
    >>> import dorm
    >>> dorm.synth(queries=100, features=5, seed=1)
    RankingData(100 queries, 5966 documents, 5 features, dense)
    """
    fields = {
        "queries": queries,
        "features": features,
        "documents_median": float(documents_median),
        "documents_spread": float(documents_spread),
        "documents_min": documents_min,
        "documents_max": documents_max,
        "density": float(density),
        "noise": float(noise),
        "query_effect": float(query_effect),
        "groups": groups,
        "seed": seed,
        "threads": thread_count(n_jobs),
    }
    return _unpack(_core.synthesize(fields))


def _text(entries: list[bytes]) -> list[str]:
    return [entry.decode("utf-8", "backslashreplace") for entry in entries]


def _as_ids(names: list[str]) -> np.ndarray:
    """Whole numbers where every id is one and none would change by becoming one."""
    if all(name.isdecimal() and name.isascii() and len(name) < 19 and str(int(name)) == name for name in names):
        return np.array([int(name) for name in names], dtype=np.int64)
    return np.array(names)


def _too_many_names(dataset: _core.Dataset) -> bool:
    """Features counted from 0 need names, which cannot be given to all numbers of very wide data."""
    return dataset.first_feature_id == 0 and dataset.num_features < dataset.feature_range > 1 << 20


def _feature_names(dataset: _core.Dataset) -> list[str] | None:
    if dataset.has_feature_names or _too_many_names(dataset):
        return dataset.feature_names
    return None if dataset.first_feature_id == 1 else [str(number) for number in range(dataset.feature_range)]


def _unpack(dataset: _core.Dataset) -> RankingData:
    sizes, ids, weights = dataset.queries
    if dataset.dense:
        X = dataset.dense_values()
    else:
        values, columns, row_end = dataset.sparse_values()
        indptr = np.r_[np.uint64(0), row_end].astype(np.int64)
        width = dataset.feature_range
        if _too_many_names(dataset):  # the columns that occur, which have names
            width = dataset.num_features
            columns = np.searchsorted(np.array(dataset.feature_names, dtype=np.int64), columns).astype(np.uint32)
        from scipy import sparse

        X = sparse.csr_matrix((dataset.num_documents, width), dtype=np.float32)
        # Set one by one: the constructor would check, and copy what it may not write to.
        narrow = width <= np.iinfo(np.int32).max
        X.data, X.indices, X.indptr = values, columns.view(np.int32) if narrow else columns.astype(np.int64), indptr
        X.has_canonical_format = True
    source_rows = dataset.source_rows
    in_order = bool((source_rows == np.arange(len(source_rows), dtype=np.uint64)).all())
    return RankingData(
        X=X,
        y=dataset.labels if dataset.has_labels else None,
        qid=np.repeat(_as_ids(_text(ids)), sizes.astype(np.int64)),
        sample_weight=None if (weights == 1).all() else weights,
        feature_names=_feature_names(dataset),
        document_ids=_text(dataset.document_ids) or None,
        groups=_text(dataset.groups) or None,
        source_rows=None if in_order else source_rows.astype(np.int64),
        input=dataset.input,
    )
