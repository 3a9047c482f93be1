# SPDX-License-Identifier: Apache-2.0
"""Feature matrices of any kind as arrays the core can read where they lie."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .columns import ColumnRules, indicator_of, numbers_alone, proposed_rule

if TYPE_CHECKING:
    from scipy import sparse

QID = "qid"
_FRAMES = ("pandas", "polars", "pyarrow")
_NO_NUMBERS = (np.datetime64, np.timedelta64, np.complexfloating, complex, bytes)
_SMALL = 1 << 17  # values of a frame that are worth a copy more to be read at once instead of by column


@dataclass(frozen=True)
class Features:
    """A matrix that can be borrowed, its column names if it has any, and the ids of a column "qid"."""

    values: np.ndarray | sparse.csr_matrix | sparse.csr_array
    names: list[str] | None = None
    qid: Any = None
    encodings: str = ""  # of columns that hold no numbers, fitted; as in RankingData.input
    of_columns: bool = False  # of a frame, where gaps may have a feature of their own

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape


def as_numbers(array: np.ndarray, name: str) -> np.ndarray:
    """The array, masked entries as NaN; refuses what numpy would silently count in days, or cut to its real part."""
    dtype = array.dtype
    if dtype.kind == "O":
        bad = next((v for v in array.ravel() if isinstance(v, _NO_NUMBERS)), None)
        if bad is not None:
            raise ValueError(f"{name} holds a {type(bad).__name__} ({bad}); expected numbers")
    elif dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds {dtype}; expected real numbers")
    elif dtype.kind in "mMVS":
        raise ValueError(
            f"{name} holds {dtype}; expected numbers: convert it, e.g. to the days since some date, or drop it"
        )
    if not isinstance(array, np.ma.MaskedArray):
        return array
    if not np.ma.getmaskarray(array).any():
        return array.data
    return array.astype(np.promote_types(dtype, np.float32)).filled(np.nan)


def as_doubles(values: Any, name: str) -> np.ndarray:
    """Numbers as float64; refuses as `as_numbers` does."""
    return np.ascontiguousarray(as_numbers(np.asanyarray(values), name), dtype=np.float64)


def is_sparse(X: Any) -> bool:
    """A matrix of scipy.sparse; where nobody has imported that, there is none."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and module.issparse(X)


def read_features(X: Any, encode: str = "", fitted: str = "", missing: str = "error") -> Features:
    """float32 C-order arrays (also with a distance between rows) and the values of float32 CSR are not copied.

    ``encode``: rules for columns of a frame. ``fitted``: what training has made of them, which is applied.
    ``missing``: the rules for gaps in training.
    """
    if type(X) is np.ndarray and _borrowable(X):
        return Features(X)
    if type(X).__name__ == "LazyFrame":
        raise ValueError("X is a LazyFrame of polars, whose rows are not computed yet; pass X.collect()")
    if type(X).__module__.split(".")[0] in _FRAMES and hasattr(X, "columns"):
        return _from_frame(X, ColumnRules(encode, fitted, missing))
    if encode:
        raise ValueError(
            f"encode names columns, but X is a {type(X).__name__}; expected a data frame of pandas, polars or pyarrow"
        )
    if is_sparse(X):
        return Features(_csr(X))
    if isinstance(X, np.ndarray):
        X = as_numbers(X, "X")
    with np.errstate(over="ignore"):  # too large for float32: reported as infinity with its place
        if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and min(X.shape) > 0:
            return Features(X.astype(np.float32, order="C"))
        from sklearn.utils import check_array

        if not isinstance(X, np.ndarray):
            _refuse_rows_of_other(X)
        _refuse_other_than_numbers(X)
        array = check_array(X, dtype=np.float32, order="C", ensure_all_finite=False, input_name="X")
    return Features(array)


def _refuse_rows_of_other(X: Any) -> None:
    """As `as_numbers`, for lists; what numpy cannot see as an array is left to scikit-learn, which explains."""
    try:
        array = np.asarray(X)
    except (TypeError, ValueError):
        return
    as_numbers(array, "X")


def _refuse_other_than_numbers(X: Any) -> None:
    """Text among the features, with its place; dates, which numpy would count in days or seconds."""
    if not isinstance(X, (np.ndarray, list, tuple)):
        return
    try:
        array = np.asarray(X)
    except ValueError:
        return  # rows of unequal length, which scikit-learn reports
    if array.ndim != 2 or array.dtype.kind not in "OUSmM":
        return
    for column in range(array.shape[1]):
        for row, value in enumerate(array[:, column]):
            if isinstance(value, (str, bytes, np.datetime64, np.timedelta64)) and not _is_number(value):
                raise ValueError(
                    f"column {column} of X (counted from 0) cannot be read as numbers: it holds {str(value)!r} at row "
                    f"{row}; drop or encode the column"
                )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def take_rows(values: Any, order: np.ndarray | None) -> Any:
    """Rows in another order."""
    return values if order is None else values[order]


def _borrowable(array: np.ndarray) -> bool:
    return (
        array.dtype == np.float32  # in the order of bytes of this machine
        and array.ndim == 2
        and min(array.shape) > 0
        and array.flags.aligned
        and (array.shape[1] == 1 or array.strides[1] == 4)
        and (array.shape[0] == 1 or (array.strides[0] >= 4 * array.shape[1] and array.strides[0] % 4 == 0))
    )


def _check_sparse(matrix: Any) -> None:
    """Arrays that do not fit each other would make scipy itself read outside of them."""
    if matrix.format in ("csr", "csc"):
        inner, outer = matrix.shape[::-1] if matrix.format == "csr" else matrix.shape
        indices, indptr, stored = matrix.indices, matrix.indptr, len(matrix.data)
        sound = len(indptr) == outer + 1 and indptr[0] == 0 and indptr[-1] <= stored and len(indices) == stored
        sound = sound and bool((indptr[1:] >= indptr[:-1]).all())
        bounded = [(indices, inner)]
    elif matrix.format == "coo":
        sound = len(matrix.row) == len(matrix.col) == len(matrix.data)
        bounded = [(matrix.row, matrix.shape[0]), (matrix.col, matrix.shape[1])]
    else:
        return
    sound = sound and all(len(i) == 0 or (i.min() >= 0 and i.max() < end) for i, end in bounded)
    if not sound:
        raise ValueError(
            f"the sparse matrix X ({matrix.format}) is damaged: its index arrays do not fit each other, or name rows "
            "or columns outside its shape"
        )


def _csr(matrix: Any) -> Any:
    if matrix.ndim != 2:
        raise ValueError(f"X is a sparse array of {matrix.ndim} dimensions; expected rows and columns")
    if matrix.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    _check_sparse(matrix)
    from sklearn.utils import check_array

    with np.errstate(over="ignore"):
        matrix = check_array(
            matrix, accept_sparse="csr", dtype=np.float32, accept_large_sparse=True, ensure_all_finite=False
        )
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _column_names(columns: list[Any]) -> list[str] | None:
    texts = sum(isinstance(c, str) for c in columns)
    if texts == 0:
        return None
    for name in columns:
        if isinstance(name, str) and not name.isascii() and not _encodable(name):
            raise ValueError(f"the column name {name!r} holds lone surrogates, which are no text; rename the column")
    if texts < len(columns):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but the columns of X are "
            "named by text and by other types; convert them, e.g. X.columns = X.columns.astype(str)"
        )
    repeated = {c for c in columns if columns.count(c) > 1} if len(set(columns)) < len(columns) else None
    if repeated:
        raise ValueError(f"the column name {min(repeated)!r} occurs more than once in X; rename the columns")
    return list(columns)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _require_numbers_of_pandas(column: Any) -> None:
    """Refuses what pandas would convert to numbers that mean something else."""
    dtype = getattr(getattr(column, "cat", None), "categories", column).dtype
    if getattr(dtype, "kind", "O") in "mMcV":
        raise TypeError("not numeric")
    if getattr(dtype, "kind", "O") == "O" and column.dtype == object:
        as_numbers(column.to_numpy(), "it")


def _column_of(frame: Any, index: int, name: Any) -> Any:
    module = type(frame).__module__.split(".")[0]
    return frame.iloc[:, index] if module == "pandas" else frame[name] if module == "polars" else frame.column(index)


def is_column(values: Any) -> bool:
    """Of pandas, polars or pyarrow."""
    return type(values).__module__.split(".")[0] in _FRAMES and not hasattr(values, "columns")


def may_hold_text(column: Any) -> bool:
    """Whether a column of a data frame has a type of text, or of anything."""
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    return kind == "str" or any(part in kind for part in ("string", "object", "cat", "dict", "enum"))


def column_values(column: Any, name: str, key: str = "...") -> np.ndarray:
    """A column of a data frame as float32, missing values as NaN; `key` names it in what an error proposes."""
    module = type(column).__module__.split(".")[0]
    try:
        if module == "pandas":
            _require_numbers_of_pandas(column)
            return column.to_numpy(dtype=np.float32, na_value=np.nan)
        if module == "polars":
            return column.cast(_polars_float(column)).to_numpy()
        if "binary" in str(column.type):  # which pyarrow would read as text
            raise TypeError("not numeric")
        return column.cast("float32", safe=False).to_numpy(*(() if hasattr(column, "chunks") else (False,)))
    except Exception as error:
        raise ValueError(
            f"{name} ({getattr(column, 'dtype', getattr(column, 'type', '?'))}) cannot be read as "
            f"numbers: {_cure_of(column, key)} ({error})"
        ) from None


def _cure_of(column: Any, key: str) -> str:
    """What to do about a column that holds no numbers."""
    rule = proposed_rule(column) if may_hold_text(column) and not numbers_alone(column) else ""
    return f"drop it, or pass encode={{{key!r}: {rule!r}}}" if rule else "drop or encode it"


def _polars_float(column: Any) -> Any:
    import polars

    if not (column.dtype.is_numeric() or column.dtype == polars.Boolean):
        raise TypeError("not numeric")
    return polars.Float32


def _listed_columns(frame: Any) -> list[Any]:
    if hasattr(frame, "iloc"):
        return frame.columns.tolist()  # of pandas, several times faster than list()
    return list(getattr(frame, "column_names", frame.columns))  # of pyarrow, .columns are the data


def _at_once(frame: Any, kept: list[int], qid: Any) -> np.ndarray | None:
    """The kept columns of a small pandas frame whose columns have a common type of numbers; None: of any other."""
    if not hasattr(frame, "iloc") or frame.shape[0] * frame.shape[1] > _SMALL:
        return None
    mixed = qid is not None and qid.dtype.kind not in "iu"  # text among the numbers
    together = slice(kept[0], kept[-1] + 1) if kept[-1] - kept[0] + 1 == len(kept) else kept  # a slice is quicker
    values = (frame.iloc[:, together] if mixed else frame).to_numpy()
    if values.dtype.kind not in "fiub":
        return None
    if len(kept) < values.shape[1]:
        values = values[:, kept]
    return values.astype(np.float32, order="C")


def _from_frame(frame: Any, rules: ColumnRules) -> Features:
    columns = _listed_columns(frame)
    kept = [j for j, name in enumerate(columns) if not (isinstance(name, str) and name == QID)]
    rows = frame.shape[0]
    qid = None
    if len(kept) < len(columns):
        at = next(j for j in range(len(columns)) if j not in kept)
        if len(kept) < len(columns) - 1:
            raise ValueError('X has more than one column "qid"')
        qid = frame.iloc[:, at] if hasattr(frame, "iloc") else frame[QID]
    if rows == 0 or not kept:
        raise ValueError(f"X has {rows} sample(s) and {len(kept)} feature(s); a minimum of 1 is required of each")
    names = _column_names([columns[j] for j in kept])
    rules.check_columns([columns[j] for j in kept])
    with np.errstate(over="ignore"):
        values = None if rules else _at_once(frame, kept, qid)
        if values is not None:
            return Features(values, names, qid)
        blocks, made, encodings = [], [], []
        for j in kept:
            column = _column_of(frame, j, columns[j])
            rule = rules.rule_of(columns[j], column)
            if rule is None:
                blocks.append(column_values(column, f"column {columns[j]!r} of X", str(columns[j]))[:, np.newaxis])
                made.append(columns[j])
            else:
                of_column, block, fitted = rules.encoded(str(columns[j]), column, rule)
                blocks.append(block)
                made += of_column
                encodings += fitted
            gaps = ~np.isfinite(blocks[-1][:, 0])
            if made[-1] == columns[j] and rules.marks(columns[j], gaps):
                encodings.append(indicator_of(columns[j]))
                blocks.append(gaps[:, np.newaxis].astype(np.float32))
                made.append(f"{columns[j]}=(missing)")
        if encodings:
            repeated = {name for name in made if made.count(name) > 1}
            if repeated:
                raise ValueError(
                    f"two features are named {min(repeated)!r}, one of them made of a column; rename a column"
                )
            names = made
        values = np.ascontiguousarray(np.concatenate(blocks, axis=1), dtype=np.float32)
    return Features(values, names, qid, json.dumps(encodings) if encodings else "", True)
