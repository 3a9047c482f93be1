# SPDX-License-Identifier: Apache-2.0
"""Facts about documents and queries beside runs, as `dorm.fuse` takes them."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .data._trec import _DOCUMENT, _QUERY, Run, _list_of, _parquet

_GAPS = ("", "NA", "N/A", "null", "None", "nan", "NaN", "<NA>", "NaT")
Column = tuple[list[str], list[str], np.ndarray]


def feature_columns(table: Any, runs: list[Run]) -> dict[str, Column]:
    """Columns by name: query, document and value of what the runs list.

    A dict ``{name: {document: value}}`` or ``{name: {query: {document: value}}}``, or a table with a column of
    documents, perhaps one of queries, and numbers.
    """
    listed = dict.fromkeys(pair for run in runs for pair in zip(run.queries, run.documents))
    columns = {name: _column_of(values, listed) for name, values in _by_name(table).items()}
    for name, (queries, _, _) in columns.items():
        if not queries:
            raise ValueError(f"the feature {name!r} has no value for a document of the runs; expected their ids")
    return columns


def _column_of(values: Mapping[Any, Any], listed: Iterable[tuple[str, str]]) -> Column:
    by_pair = any(isinstance(value, Mapping) for value in values.values())
    if by_pair:
        nested = {str(q): _present(each) for q, each in values.items()}
        found = [(q, d, nested[q][d]) for q, d in listed if d in nested.get(q, ())]
    else:
        flat = _present(values)
        found = [(q, d, flat[d]) for q, d in listed if d in flat]
    return [q for q, _, _ in found], [d for _, d, _ in found], np.array([x for _, _, x in found], dtype=float)


def _present(values: Mapping[Any, Any]) -> dict[str, float]:
    """A gap is a document that the column lacks."""
    numbers = {str(document): float(value) for document, value in values.items() if value is not None}
    return {document: number for document, number in numbers.items() if number == number}


def _by_name(table: Any) -> Mapping[str, Mapping[Any, Any]]:
    if isinstance(table, Mapping) and all(isinstance(values, Mapping) for values in table.values()):
        return {str(name): values for name, values in table.items()}
    columns = _cells(table, "features")
    documents = columns.pop(_called(columns, _DOCUMENT, "features"))
    queries = columns.pop(next((name for name in _QUERY if name in columns), ""), None)
    out: dict[str, dict[Any, Any]] = {}
    for name, values in columns.items():
        own = out.setdefault(name, {})
        for row, (document, value) in enumerate(zip(documents, values)):
            (own if queries is None else own.setdefault(str(queries[row]), {}))[document] = _number(value, name)
    return out


def query_table(table: Any) -> tuple[list[str], list[str], np.ndarray]:
    """Names of columns, query ids and a matrix; words become columns of 0 and 1, called ``name: word``.

    A dict ``{query: {name: value}}``, or a table with a column of queries.
    """
    if isinstance(table, Mapping) and all(isinstance(row, Mapping) for row in table.values()):
        ids = [str(query) for query in table]
        names = list(dict.fromkeys(str(name) for row in table.values() for name in row))
        rows = [{str(name): value for name, value in row.items()} for row in table.values()]
        for query, row in zip(ids, rows):
            if missing := [name for name in names if name not in row]:
                raise ValueError(f"query {query}: no query feature {missing[0]!r}; expected the same of every query")
        cells = {name: [row[name] for row in rows] for name in names}
    else:
        cells = _cells(table, "query_features")
        ids = [str(query) for query in cells.pop(_called(cells, _QUERY, "query_features"))]
    if len(set(ids)) < len(ids):
        raise ValueError("query_features has a query twice; expected one row for each")
    columns: dict[str, list[float]] = {}
    for name, values in cells.items():
        numbers = [_as_float(value) for value in values]
        if None not in numbers:
            columns[name] = [float(value) for value in numbers if value is not None]
            continue
        for word in dict.fromkeys(str(value) for value in values):
            columns[f"{name}: {word}"] = [float(str(value) == word) for value in values]
    if not columns:
        raise ValueError("query_features has no column beside the queries; expected numbers or words")
    return list(columns), ids, np.array(list(columns.values()), dtype=float).T.reshape(len(ids), -1)


def _as_float(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _number(value: Any, name: str) -> float:
    number = _as_float(value)
    if number is None and (value is None or str(value).strip() in _GAPS):
        return float("nan")
    if number is None:
        raise ValueError(
            f"the feature {name!r} has the value {value!r}; expected numbers: encode the column first, or fuse with "
            f"the command, which takes --encode {name}=RULE"
        )
    return number


def _cells(table: Any, what: str) -> dict[str, list[Any]]:
    """The columns of a file or a table by name."""
    if isinstance(table, (str, os.PathLike)):
        stored = _parquet(table)
        if stored is None:
            return _cells_of_text(os.fspath(table))
        table = stored
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None:
        raise ValueError(f"{what} is a {type(table).__name__}; expected a dict of dicts, a table or a file")
    return {str(name): _list_of(table[name]) for name in names}


def _cells_of_text(path: str) -> dict[str, list[Any]]:
    with gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="") as file:
        first = file.readline()
        separator = "\t" if "\t" in first else ";" if ";" in first else ","
        names = next(csv.reader([first], delimiter=separator), [])
        rows = [row for row in csv.reader(file, delimiter=separator) if row]
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise ValueError(f"{path}:{number}: {len(row)} cells; expected {len(names)} as in the header")
    return {name: [row[column] for row in rows] for column, name in enumerate(names)}


def _called(columns: Mapping[str, Any], known: tuple[str, ...], what: str) -> str:
    for name in known:
        if name in columns:
            return name
    raise ValueError(f"{what} has no column of {known[0]} (or {', '.join(known[1:])}); it has {', '.join(columns)}")
