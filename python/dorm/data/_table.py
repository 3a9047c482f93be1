# SPDX-License-Identifier: Apache-2.0
"""Data sets from tables: Parquet, Arrow and Feather files, and data frames."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._input.columns import ColumnRules, numbers_alone, proposed_rule
from .._input.dataset import judge, read_labels
from .._input.features import read_features
from .._input.missing import fill
from .._input.queries import read_queries, read_weights, to_array
from ._files import RankingData, merged_reading

_ROLES = {
    "label_column": "label",
    "query_column": "qid",
    "document_column": "docid",
    "group_column": "group",
    "weight_column": "weight",
}


def read_table(
    source: Any,
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
) -> RankingData:
    """Read a data set from a Parquet, Feather or Arrow file, or from a table of pyarrow, polars or pandas.

    Parameters
    ----------
    source
        A file (``.parquet``, ``.feather``, ``.arrow``, ``.ipc``; needs pyarrow), or a table. For CSV there is
        `read_csv`.
    label_column, query_column, document_column, group_column, weight_column, ignore_columns
        The columns with a meaning, as for `read_csv`. Every other column is a feature.
    encode
        Columns that hold no plain numbers, as for `read_csv`. Without a rule, categories are encoded one-hot and dates
        as ages in days.
    missing, unjudged, labels, like
        As for `read_letor`.

    Examples
    --------
    >>> import dorm, pandas
    >>> table = pandas.DataFrame({"qid": ["a", "a", "b"], "label": [1, 0, 2], "bm25": [7.5, 2.0, 3.5]})
    >>> dorm.read_table(table)
    RankingData(2 queries, 3 documents, 1 features, dense)
    """
    table = _opened(source)
    said = {
        "label_column": label_column,
        "query_column": query_column,
        "document_column": document_column,
        "group_column": group_column,
        "weight_column": weight_column,
        "ignore_columns": ignore_columns,
    }
    reading = merged_reading(said, missing, like, encode)
    roles = {role: reading.get(role, name) for role, name in _ROLES.items()}
    names = _names(table)
    needed = like is None if labels is None else labels
    for role in ("query_column", *(["label_column"] if needed else [])):
        if roles[role] not in names:
            what = "queries" if role == "query_column" else "labels"
            raise ValueError(
                f"no column {roles[role]!r} for the {what}; pass {role}=, one of {', '.join(map(repr, names))}"
            )
    return _gathered(table, names, roles, reading, unjudged, like is not None)


def _gathered(table: Any, names: list[str], roles: dict, reading: dict, unjudged: str, fitted: bool) -> RankingData:
    def column(role: str) -> np.ndarray | None:
        return to_array(table[roles[role]]) if roles[role] in names else None

    rows = table.shape[0]
    queries = read_queries(table[roles["query_column"]], None, rows, roles["query_column"] + ", ")
    kept = _feature_columns(names, roles, reading, fitted)
    rules = ColumnRules(reading.get("encode", ""), reading.get("encodings", "") if fitted else "")
    rule = reading.get("missing", "error")
    part = _selected(table, kept, rules)
    features = read_features(part, reading.get("encode", ""), reading.get("encodings", ""), rule)
    made = features.names or kept
    number = queries.unsorted(np.repeat(np.arange(len(queries.sizes)), queries.sizes))
    features, means = fill(features, rule, made, reading["means"] if fitted else None, lambda: number)
    y, weight = column("label_column"), column("weight_column")
    if y is not None:
        y = queries.sorted(judge(read_labels(y, rows, roles["label_column"]), unjudged))
    texts = {role: column(role) for role in ("document_column", "group_column")}
    texts = {role: None if t is None else [str(x) for x in queries.sorted(t).tolist()] for role, t in texts.items()}
    ids = queries.sorted(to_array(table[roles["query_column"]]))
    return RankingData(
        X=features.values if queries.order is None else features.values[queries.order],
        y=y,
        qid=ids,
        sample_weight=None if weight is None else read_weights(weight, queries, roles["weight_column"]),
        feature_names=made,
        document_ids=texts["document_column"],
        groups=texts["group_column"],
        source_rows=queries.order,
        input={
            **roles,
            "ignore_columns": reading.get("ignore_columns", []),
            "missing": rule,
            "means": means,
            "encodings": features.encodings,
        },
    )


def _feature_columns(names: list[str], roles: dict, reading: dict, fitted: bool) -> list[str]:
    if fitted:
        wanted = ColumnRules(fitted=reading.get("encodings", "")).sources(reading["features"])
        lacking = [name for name in wanted if name not in names]
        if lacking:
            raise ValueError(f"the model uses {lacking[0]!r}, which is no column of the table")
        return wanted
    ignored = reading.get("ignore_columns", [])
    unknown = [name for name in ignored if name not in names]
    if unknown:
        raise ValueError(f"ignore_columns names {unknown[0]!r}, which is no column of the table")
    kept = [name for name in names if name not in ignored and name not in roles.values()]
    if not kept:
        raise ValueError("the table has no columns left for features")
    return kept


def _selected(table: Any, kept: list[str], rules: ColumnRules) -> Any:
    """The columns of the features; refuses those that hold no numbers, all of them in one message."""
    part = table.select(kept) if hasattr(table, "select") else table[kept]
    kinds = part.dtypes if hasattr(part, "dtypes") else part.schema.types
    text = [
        name
        for name, kind in zip(kept, list(kinds))
        if _is_text(kind) and rules.rule_of(name, part[name]) is None and not numbers_alone(part[name])
    ]
    if text:
        proposal = {name: rule for name in text if (rule := proposed_rule(part[name]))}
        left = [name for name in text if name not in proposal]
        cure = [f"encode={proposal!r}"] * bool(proposal) + [f"ignore_columns={left or text!r}"]
        raise ValueError(
            f"{'columns' if len(text) > 1 else 'column'} {', '.join(map(repr, text))} of the table hold no numbers; "
            f"pass {(' and ' if left else ' or ').join(cure)}"
        )
    return part


def _is_text(kind: Any) -> bool:
    name = str(kind).lower()
    return name.startswith(
        ("object", "str", "utf8", "large_string", "date", "time", "binary", "categor", "dict", "list")
    )


def _names(table: Any) -> list[str]:
    names = list(getattr(table, "column_names", table.columns))
    strange = [name for name in names if not isinstance(name, str)]
    if strange:
        raise ValueError(f"the table has a column named {strange[0]!r}; expected texts")
    return names


def _opened(source: Any) -> Any:
    if isinstance(source, (str, os.PathLike)):
        return _file(Path(source))
    if type(source).__name__ == "LazyFrame":
        source = source.collect()
    if hasattr(source, "columns") and hasattr(source, "shape"):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        return _pyarrow("this table").table(source)
    raise ValueError(
        f"source is a {type(source).__name__}; expected a Parquet, Feather or Arrow file, or a table of pyarrow, "
        "polars or pandas"
    )


def _file(path: Path) -> Any:
    kind = path.suffix.lower()
    if kind in (".parquet", ".pq"):
        _pyarrow(str(path))
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path)
    if kind in (".feather", ".arrow", ".ipc", ".arrows"):
        arrow = _pyarrow(str(path))
        with arrow.memory_map(str(path)) as file:
            stream = file.read(6) != b"ARROW1"
            file.seek(0)
            import pyarrow.ipc

            return (pyarrow.ipc.open_stream if stream else pyarrow.ipc.open_file)(file).read_all()
    hint = "; read it with dorm.read_letor or dorm.read_csv" if kind in (".csv", ".tsv", ".txt", ".gz", ".zst") else ""
    raise ValueError(f"{path}: expected .parquet, .feather, .arrow or .ipc{hint}")


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{what} needs pyarrow; install it: pip install pyarrow") from None
    return pyarrow
