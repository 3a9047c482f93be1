# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames that hold no plain numbers: categories, dates and text, by the rules of the command."""

from __future__ import annotations

import decimal
import difflib
import json
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core


class ColumnRules:
    """Which columns of a frame are encoded, and how: by what training has fitted, by rules, else by their type.

    ``missing``: the rules for gaps of training data, of which ``indicator`` makes a feature more.
    """

    def __init__(self, encode: str = "", fitted: str = "", missing: str = "error") -> None:
        self.fitted: dict[str, list[Any]] = {}
        self._marked: set[str] = set()
        for encoding in json.loads(fitted) if fitted else []:
            if encoding["rule"] == "indicator":
                self._marked.add(encoding["column"])
            else:
                self.fitted.setdefault(encoding["column"], []).append(encoding)
        self.rules: dict[str, str] = {}
        for piece in _pieces(encode):
            column, _, rule = piece.rpartition("=")
            self.rules[column] = rule
        self._by_type = not fitted
        self._missing, self._missing_of = _core.parse_missing(missing) if self._by_type else ("error", {})

    def __bool__(self) -> bool:
        """Whether columns of numbers may be more than that."""
        return bool(
            self.fitted or self._marked or self.rules or "indicator" in {self._missing, *self._missing_of.values()}
        )

    def marks(self, name: str, gaps: np.ndarray) -> bool:
        """Whether a column of numbers has an indicator of its gaps beside it."""
        asked = self._missing_of.get(name, self._missing) == "indicator"
        return name in self._marked or (asked and bool(gaps.any()))

    def check_columns(self, columns: list[Any]) -> None:
        """Refuses a rule for a column that is not there."""
        lacking = [name for name in self.rules if name not in columns]
        if lacking:
            near = difflib.get_close_matches(lacking[0], [name for name in columns if isinstance(name, str)], 1)
            raise ValueError(
                f"encode names the column {lacking[0]!r}, which X does not have"
                + (f"; did you mean {near[0]!r}?" if near else "")
            )

    def rule_of(self, name: Any, column: Any) -> str | None:
        """The rule of a column, "" for what is fitted; None: it holds numbers."""
        if name in self.fitted:
            return ""
        if name in self.rules:
            return self.rules[name]
        return implied_rule(column) if self._by_type else None

    def sources(self, features: list[str]) -> list[str]:
        """The columns that features of a model come from, each once."""
        source = {name: column for column, made in self.fitted.items() for each in made for name in made_names(each)}
        source |= {f"{column}=(missing)": column for column in self._marked}
        return list(dict.fromkeys(source.get(name, name) for name in features))

    def encoded(self, name: str, column: Any, rule: str) -> tuple[list[str], np.ndarray, list[Any]]:
        """The names of the features, their values and the fitted rules."""
        texts, codes = cells(column)
        fitted = json.dumps(self.fitted[name]) if name in self.fitted else ""
        names, values, made = _core.encode_column(name, f"x={rule}" if rule else "", fitted, texts, codes)
        return names, values.reshape(len(codes), len(names)), json.loads(made)


def indicator_of(name: str) -> dict[str, Any]:
    """The rule of a feature that is 1 where the column has a gap."""
    return {"column": name, "rule": "indicator"}


def made_names(encoding: dict[str, Any]) -> list[str]:
    """The features of a fitted rule."""
    return _core.encoded_names(json.dumps([encoding]))


def _pieces(encode: str) -> list[str]:
    """The pieces between commas, where a backslash makes a comma one of a name."""
    pieces = [""]
    escaped = False
    for letter in encode:
        if escaped:
            pieces[-1] += letter if letter == "," else "\\" + letter
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == ",":
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces if encode else []


def encode_text(encode: str | Mapping[str, str] | None) -> str:
    """The rules as the command takes them, from such a text or a dict."""
    if encode is None or isinstance(encode, str):
        return encode or ""
    if not isinstance(encode, Mapping):
        raise ValueError(f'encode is {encode!r}; expected a dict such as {{"color": "onehot"}} or "color=onehot"')
    return ",".join(f"{column}={rule}".replace(",", "\\,") for column, rule in encode.items())


def rules_of(fitted: str) -> dict[str, str] | None:
    """The rules of fitted encodings, for another fit; None: there are none."""
    rules: dict[str, list[str]] = {}
    for encoding in json.loads(fitted) if fitted else []:
        words = [encoding["rule"], *(str(encoding[key]) for key in ("fewest", "order") if key in encoding)]
        if encoding["rule"] != "indicator":
            rules.setdefault(encoding["column"], []).append(":".join(words))
    return {column: "+".join(each) for column, each in rules.items()} or None


def type_name(column: Any) -> str:
    """The type of a column of pandas, polars or pyarrow, in small letters."""
    return str(getattr(column, "dtype", getattr(column, "type", ""))).lower()


def implied_rule(column: Any) -> str | None:
    """What a type says by itself: categories of text are one-hot, dates are ages. Categories of numbers are numbers."""
    kind = type_name(column)
    if kind.startswith("category"):
        return "onehot" if type_name(column.cat.categories).startswith(("object", "str")) else None
    if kind.startswith(("categorical", "enum", "dictionary<values=string", "dictionary<values=large_string")):
        return "onehot"
    if kind.startswith(("datetime", "date", "timestamp")):
        return "age"
    return None


def numbers_alone(column: Any) -> bool:
    """Whether an object column holds numbers, such as decimals, and gaps."""
    return all(_is_gap(value) or isinstance(value, (numbers.Number, decimal.Decimal)) for value in _values(column))


def proposed_rule(column: Any) -> str:
    """What would read a column of text; empty: nothing does."""
    return _core.propose_encoding([_text(value) for value in _values(column) if not _is_gap(value)])


def cells(column: Any) -> tuple[list[str], np.ndarray]:
    """The different texts of a column, and for every row the place of its own; -1 for a gap."""
    kind = type_name(column)
    if kind.startswith(("datetime", "date", "timestamp")):
        return _of_instants(_instants(column))
    codes = np.empty(len(column), np.int64)
    places: dict[str, int] = {}
    for row, value in enumerate(_values(column)):
        codes[row] = -1 if _is_gap(value) else places.setdefault(_text(value), len(places))
    return list(places), codes


def _values(column: Any) -> list[Any]:
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return getattr(column, name)()
    return list(column)


def _is_gap(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value) or str(value).strip() == ""


def _text(value: Any) -> str:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def _instants(column: Any) -> np.ndarray:
    """As datetime64 of UTC, gaps as NaT."""
    module = type(column).__module__.split(".")[0]
    if module == "pandas":
        if "[pyarrow]" in str(column.dtype):
            import pandas

            column = pandas.to_datetime(column.astype(object), utc=True)
        if getattr(column.dt, "tz", None) is not None:
            column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        return column.to_numpy(dtype="datetime64[us]")
    if module == "polars":
        import polars

        if getattr(column.dtype, "time_zone", None):
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return column.cast(polars.Datetime("us")).to_numpy().astype("datetime64[us]")
    import pyarrow

    unzoned = column.cast(pyarrow.timestamp("us", getattr(column.type, "tz", None))).cast(pyarrow.timestamp("us"))
    return np.array([np.datetime64("NaT") if v is None else np.datetime64(v) for v in unzoned.to_pylist()], "M8[us]")


def _of_instants(values: np.ndarray) -> tuple[list[str], np.ndarray]:
    gaps = np.isnat(values)
    different, codes = np.unique(values[~gaps], return_inverse=True)
    out = np.full(len(values), -1, np.int64)
    out[~gaps] = codes
    return [str(text) for text in np.datetime_as_string(different, unit="us")], out
