# SPDX-License-Identifier: Apache-2.0
"""Columns of a Spark data frame as what the core reads: checked on the driver, converted on the executors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_NUMBERS = (*_WHOLE, "float", "double", "boolean")


@dataclass(frozen=True)
class FeatureColumns:
    """Where the features of a row are. Goes to the executors."""

    columns: list[str]
    kind: str  # "columns", "vector" or "array"
    width: int
    names: list[str] | None  # None: numbered from 1

    def matrix(self, batch: Any) -> np.ndarray:
        """The features of the rows of an Arrow batch, float32; NaN where a number is null."""
        with np.errstate(over="ignore"):  # too large for float32: found as infinity, with its query
            if self.kind == "columns":
                out = np.empty((batch.num_rows, self.width), dtype=np.float32)
                for j, name in enumerate(self.columns):
                    out[:, j] = _numbers(batch.column(name))
                return out
            column = batch.column(self.columns[0])
            if column.null_count:
                raise ValueError(f"column {self.columns[0]!r} has a row without features (null); drop it")
            if self.kind == "array":
                return self._rows_of(column)
            kinds, sizes, indices, values = column.flatten()
            if (kinds.to_numpy(zero_copy_only=False) == 1).all():
                return self._rows_of(values)
            return self._rows_of_vectors(kinds, sizes, indices, values)

    def _rows_of(self, lists: Any) -> np.ndarray:
        lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
        self._check_widths(lengths)
        return _numbers(lists.flatten()).astype(np.float32, copy=False).reshape(len(lengths), self.width)

    def _rows_of_vectors(self, kinds: Any, sizes: Any, indices: Any, values: Any) -> np.ndarray:
        dense = kinds.to_numpy(zero_copy_only=False) == 1
        stored = values.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
        self._check_widths(np.where(dense, stored, sizes.fill_null(0).to_numpy(zero_copy_only=False)))
        at = np.empty(int(stored.sum()), dtype=np.int64)
        of_dense = np.repeat(dense, stored)
        at[of_dense] = np.tile(np.arange(self.width), int(dense.sum()))
        at[~of_dense] = indices.flatten().to_numpy(zero_copy_only=False)
        numbers = _numbers(values.flatten()).astype(np.float32, copy=False)
        out = np.zeros((len(stored), self.width), dtype=np.float32)
        out[np.repeat(np.arange(len(stored)), stored), at] = numbers
        return out

    def _check_widths(self, widths: np.ndarray) -> None:
        if (widths != self.width).any():
            other = int(widths[widths != self.width][0])
            raise ValueError(
                f"column {self.columns[0]!r} has {self.width} features in the first row, but {other} in another; "
                "expected as many in every row"
            )


def _numbers(column: Any) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    elif pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)


def named(column: str) -> Any:
    """The column of this name, dots and all."""
    from pyspark.sql import functions

    return functions.col("`" + column.replace("`", "``") + "`")


def find_features(df: Any, features: str, columns: list[str]) -> FeatureColumns:
    """Where the features are; looks at a row of ``df`` only where its schema does not tell how many there are."""
    types = dict(df.dtypes)
    if columns:
        for name in columns:
            _require(df, name, "featureCols", _NUMBERS)
        if len(set(columns)) < len(columns):
            raise ValueError("featureCols names a column more than once")
        return FeatureColumns(list(columns), "columns", len(columns), list(columns))
    if features not in types:
        raise ValueError(
            f"the data frame has no column {features!r} (featuresCol): set featuresCol to a column of vectors or "
            f"arrays, or featureCols to a list of columns; it has {', '.join(types)}"
        )
    kind = {"vector": "vector"}.get(types[features], "array" if types[features].startswith("array<") else "")
    if not kind:
        raise ValueError(
            f"featuresCol {features!r} is {types[features]}; expected vectors or arrays of numbers: assemble it with "
            "pyspark.ml.feature.VectorAssembler, or pass featureCols"
        )
    if kind == "array" and types[features][6:-1] not in _NUMBERS:
        raise ValueError(f"featuresCol {features!r} is {types[features]}; expected an array of numbers")
    names = _attribute_names(df.schema[features].metadata)
    if names:
        return FeatureColumns([features], kind, len(names), names)
    column = named(features)
    first = df.select(column).where(column.isNotNull()).first()
    if first is None:
        raise ValueError(f"the data frame has no row with features in column {features!r}")
    return FeatureColumns([features], kind, len(first[0]), None)


def _attribute_names(metadata: dict[str, Any]) -> list[str] | None:
    """Names that VectorAssembler and other stages gave to the entries of a vector; None: not all have one."""
    kinds = metadata.get("ml_attr", {}).get("attrs", {})
    named = {entry["idx"]: entry.get("name") for entries in kinds.values() for entry in entries}
    count = metadata.get("ml_attr", {}).get("num_attrs", len(named))
    names = [named.get(j) for j in range(count)]
    return names if names and all(names) and len(set(names)) == len(names) else None


def _require(df: Any, name: str, parameter: str, kinds: tuple[str, ...]) -> None:
    types = dict(df.dtypes)
    if name not in types:
        raise ValueError(f"the data frame has no column {name!r} ({parameter}); it has {', '.join(types)}")
    if types[name] not in kinds and not (types[name].startswith("decimal") and "double" in kinds):
        raise ValueError(f"column {name!r} ({parameter}) is {types[name]}; expected one of {', '.join(kinds)}")


def require_query(df: Any, name: str) -> None:
    """Ids are whole numbers or text: they become the same text on every engine."""
    _require(df, name, "qidCol", (*_WHOLE, "string"))


def require_number(df: Any, name: str, parameter: str) -> None:
    """A column of numbers."""
    _require(df, name, parameter, _NUMBERS)


def require_flag(df: Any, name: str) -> None:
    """A column of truth values."""
    _require(df, name, "validationIndicatorCol", ("boolean",))
