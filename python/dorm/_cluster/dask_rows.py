# SPDX-License-Identifier: Apache-2.0
"""Rows on a Dask cluster: read, shuffled into parts of whole shards, asked, scored. Functions that are named dorm_* run
on workers, under that name on the dashboard."""

from __future__ import annotations

import contextlib
import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import __version__, _core
from .._evaluate import options_of
from .._input.dataset import judge, read_labels
from .._input.features import Features, read_features
from .._input.missing import fill
from .._input.queries import read_queries
from .shards import Judged, Part, shards_of

try:
    import dask
    import dask.array as da
    import dask.dataframe as dd
    import distributed
    import pandas as pd
except ImportError as error:
    raise ImportError('dorm.dask needs Dask; install it: pip install "dask[dataframe]" distributed') from error

_LARGE = 1 << 16  # bytes of a request that travel once instead of once per part
_POLL = 1.0  # seconds between looks at what is being waited for


@dataclass(frozen=True)
class Rows:
    """A data frame and what its columns mean; a column that is None is not there."""

    frame: dd.DataFrame
    features: list[Any]
    label: Any = None
    qid: Any = None
    weight: Any = None

    @property
    def names(self) -> list[str] | None:
        """Of the features; None where columns are numbered."""
        return None if any(not isinstance(name, str) for name in self.features) else list(self.features)

    def columns(self) -> list[Any]:
        """All that are read."""
        return [*self.features, *(c for c in (self.label, self.qid, self.weight) if c is not None)]

    def here(self, frame: Any, partition_info: dict[str, Any] | None) -> tuple[Rows, str]:
        """The same of one partition, checked, and its name for messages."""
        where = "a partition" if partition_info is None else f"partition {partition_info['number']}"
        absent = [c for c in self.columns() if c not in frame.columns]
        if absent and len(frame):
            raise ValueError(f"{where} of X has no column {absent[0]!r}; it has {_listed(frame.columns)}")
        return Rows(frame, self.features, self.label, self.qid, self.weight), where


def read_rows(X: Any, y: Any, qid: Any, weight: Any, features: Sequence[Any] | None) -> Rows:
    """A data frame, with the names of its columns of labels, query ids and weights; or arrays.

    ``features``: the columns to use. None: all others.
    """
    named = isinstance(X, dd.DataFrame)
    label = y
    if isinstance(X, da.Array):
        X, label, qid, weight = _frame_of(X, y, qid, weight)
    elif not named:
        raise ValueError(f"X is a {type(X).__name__}; expected a Dask data frame or a Dask array")
    roles = {"y": label, "qid": qid, "sample_weight": weight}
    for role, column in roles.items():
        if column is not None and not isinstance(column, str):
            raise ValueError(f"{role} is a {type(column).__name__}; with a data frame X, expected the name of a column")
        if column is not None and column not in X.columns:
            raise ValueError(f"{role}={column!r} is no column of X; it has {_listed(X.columns)}")
    used = [column for column in roles.values() if column is not None]
    columns = list(features) if features is not None else [c for c in X.columns if c not in used]
    absent = [c for c in columns if c not in X.columns]
    if absent:
        raise ValueError(f"X has no column {absent[0]!r} (feature); it has {_listed(X.columns)}")
    if not columns or len(set(columns)) < len(columns) or len(set(X.columns)) < len(X.columns):
        raise ValueError("X needs one feature or more, and columns that differ in their names")
    if named and not all(isinstance(c, str) for c in columns):
        raise ValueError("columns of X have names that are no text; convert them: X.columns = X.columns.astype(str)")
    return Rows(X, columns, label, qid, weight)


def _listed(columns: Any) -> str:
    names = [repr(c) for c in columns]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _frame_of(X: da.Array, y: Any, qid: Any, weight: Any) -> tuple[dd.DataFrame, Any, Any, Any]:
    """Arrays side by side as a data frame: features are numbered."""
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; expected rows and columns")
    X = X.rechunk({1: -1})
    blocks = {"x": list(X.to_delayed()[:, 0])}
    dtypes = {}
    for name, argument, array in (("label", "y", y), ("qid", "qid", qid), ("weight", "sample_weight", weight)):
        if array is None:
            continue
        if isinstance(array, str):
            raise ValueError(
                f"{argument} is the text {array!r}; with an array X, expected an array with an entry per row"
            )
        array = array if isinstance(array, da.Array) else da.from_array(np.asarray(array), chunks=-1)
        if array.ndim != 1 or (array.shape[0] != X.shape[0] and not _unknown(array, X)):
            raise ValueError(
                f"{argument} has shape {array.shape}, but X has {X.shape[0]} rows; expected an entry per row"
            )
        if not _unknown(array, X):
            array = array.rechunk((X.chunks[0],))
        blocks[name] = list(array.to_delayed())
        dtypes[name] = array.dtype
        if len(blocks[name]) != len(blocks["x"]):
            raise ValueError(
                f"{argument} has {len(blocks[name])} chunks, X has {len(blocks['x'])}; expected the same rows"
            )
    meta = pd.DataFrame(np.empty((0, X.shape[1]), X.dtype))
    for name, dtype in dtypes.items():
        meta[name] = np.empty(0, dtype)
    pieces = [dask.delayed(dorm_block)(**dict(zip(blocks, each))) for each in zip(*blocks.values())]
    frame = dd.from_delayed(pieces, meta=meta, verify_meta=False)
    return frame, *(name if name in dtypes else None for name in ("label", "qid", "weight"))


def _unknown(*arrays: da.Array) -> bool:
    return any(np.isnan(array.shape[0]) for array in arrays)


def dorm_block(x: Any, **columns: Any) -> pd.DataFrame:
    """Blocks of arrays, side by side."""
    if not isinstance(x, np.ndarray):
        raise ValueError(f"X holds blocks of type {type(x).__name__}; expected dense ones: X.map_blocks(np.asarray)")
    frame = pd.DataFrame(x)
    for name, values in columns.items():
        if len(values) != len(x):
            raise ValueError(f"a block of {name} has {len(values)} rows, that of X {len(x)}; expected the same")
        frame[name] = values
    return frame


# ---- what must be known before rows are shuffled ------------------------------------------------------------------


@dataclass(frozen=True)
class Facts:
    """About all rows."""

    queries: int  # 0: not counted
    least: float  # label
    fractions: bool  # among the labels


def survey(rows: Rows, cluster: Cluster, count: bool) -> Facts:
    """One look at the labels, and at the query ids where they are to be counted."""
    asked = Rows(None, [], rows.label, rows.qid)
    narrow = rows.frame[[rows.label, rows.qid]]
    looks = narrow.map_partitions(dorm_survey, asked, count, meta=dorm_survey(rows.frame._meta, asked, count))
    seen = cluster.results([cluster.client.compute(looks)], "a look at the labels and query ids")[0]
    if len(seen) == 0:
        raise ValueError("X has no rows")
    queries = len(np.unique(np.concatenate(seen.ids.tolist())))
    return Facts(queries, float(seen.least.min()), bool(seen.fractions.any()))


def dorm_survey(frame: Any, rows: Rows, count: bool, partition_info: dict[str, Any] | None = None) -> pd.DataFrame:
    """A partition in one row, with the hashes of its query ids; an empty one has none."""
    rows, where = rows.here(frame, partition_info)
    if len(frame) == 0:
        return pd.DataFrame({"least": np.empty(0), "fractions": np.empty(0, bool), "ids": np.empty(0, object)})
    with _placed(where):
        labels = _labels(frame, rows)
        names = read_queries(frame[rows.qid], None, len(frame)).names if count else []
    hashes = pd.util.hash_array(np.array(names, object), categorize=False)
    fractions = bool((labels != np.floor(labels)).any())
    return pd.DataFrame({"least": [float(labels.min())], "fractions": [fractions], "ids": [hashes]})


def _labels(frame: Any, rows: Rows) -> np.ndarray:
    column = frame[rows.label]
    try:
        labels = column.to_numpy(np.float32, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(f"the labels ({column.dtype}) cannot be read as numbers") from None
    return read_labels(labels, len(frame), rows.label)


@contextlib.contextmanager
def _placed(where: str) -> Iterator[None]:
    """Begins messages with the place."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None


# ---- parts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """How rows become parts."""

    shards: int
    partitions: int | None
    missing: str
    unjudged: str


def _number_type(rows: Rows) -> str | None:
    """The type of ids that are whole numbers; None: they travel as text."""
    kind = rows.frame._meta[rows.qid].dtype
    return f"{kind.kind}{kind.itemsize}" if getattr(kind, "kind", "O") in "iu" else None


def _table(part: np.ndarray, values: np.ndarray, columns: dict[str, Any]) -> pd.DataFrame:
    """What is shuffled: uniform in names and types, whatever partitions hold."""
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])
    return frame.assign(part=np.asarray(part, np.int64), **columns)


def _moved(table: dd.DataFrame, to: str, count: int) -> dd.DataFrame:
    """Every row in the partition that the column names: by tasks, which Dask does again where a worker is lost."""
    return table.set_index(to, divisions=[*range(count), count - 1], shuffle_method="tasks")


def _ids(qid: Any, numbers: str | None) -> Any:
    """Ids as they travel: of the type of the whole table where that is whole numbers, else as text."""
    if len(qid) == 0:
        return np.empty(0, numbers) if numbers else pd.array([], dtype="string[pyarrow]")
    if numbers:
        if getattr(qid.dtype, "kind", "O") not in "iu":
            raise ValueError(f"the query ids are {qid.dtype}, but whole numbers in other partitions; convert them")
        return qid.to_numpy(numbers)
    queries = read_queries(qid, None, len(qid))
    names = queries.unsorted(np.repeat(np.array(queries.names, object), queries.sizes))
    return pd.array(names, dtype="string[pyarrow]")


def dorm_rows(
    frame: Any, rows: Rows, layout: Layout, count: int, ids: str | None, partition_info: dict[str, Any] | None = None
) -> pd.DataFrame:
    """A partition checked, its features as float32, and where each row has to go."""
    rows, where = rows.here(frame, partition_info)
    width = len(rows.features)
    if len(frame) == 0:
        weight = {} if rows.weight is None else {"weight": np.empty(0)}
        labels = np.empty(0, np.float32)
        blank = np.empty((0, width), np.float32)
        return _table(np.empty(0), blank, {"label": labels, "qid": _ids([], ids), **weight})
    with _placed(where):
        values = _features(frame, rows, layout.missing)
        labels = _labels(frame, rows)
        shards = shards_of(frame[rows.qid], layout.shards)
        columns = {"label": judge(labels, layout.unjudged), "qid": _ids(frame[rows.qid], ids)}
    if rows.weight is not None:
        columns["weight"] = frame[rows.weight].to_numpy(np.float64, na_value=np.nan)
    return _table(shards.astype(np.int64) * count // layout.shards, values, columns)


def _features(frame: Any, rows: Rows, missing: str) -> np.ndarray:
    features = _values(frame, rows)
    if missing != "error":
        return fill(features, missing, rows.names)[0].values
    gaps = ~np.isfinite(features.values)
    if gaps.any():
        row, column = np.argwhere(gaps)[0]
        raise ValueError(
            f"feature {rows.features[column]!r} is {features.values[row, column]} at row {row}; fill it, drop the row, "
            'or pass missing="zero"'
        )
    return features.values


def _values(frame: Any, rows: Rows) -> Features:
    """As float32; a column that is called qid may be a feature here."""
    names = ["qid (feature)" if c == "qid" else str(c) for c in rows.features]
    return Features(read_features(frame[rows.features].set_axis(names, axis=1)).values)


def dorm_part(table: pd.DataFrame, width: int, names: list[str] | None, layout: Layout, version: str) -> Part:
    """Shuffled rows, ready for requests."""
    _check_version(version)
    values = table[[f"x{j}" for j in range(width)]].to_numpy(np.float32)
    weights = table["weight"].to_numpy() if "weight" in table else None
    said = None if layout.missing == "error" else {"missing": layout.missing, "means": {}}
    labels = table["label"].to_numpy(np.float32)
    return Part(values, labels, table["qid"], layout.shards, weights=weights, names=names, input=said)


def _check_version(version: str) -> None:
    if version != __version__:
        raise ValueError(
            f"worker {_address()} has dorm-rank {__version__}, the driver {version}; install the same everywhere"
        )


def _address() -> str:
    try:
        return distributed.get_worker().address
    except ValueError:
        return "(none)"


def dorm_queries(part: Part) -> int:
    """How many the part holds."""
    return part.num_queries


def dorm_request(request: bytes) -> bytes:
    """A large one, which travels once."""
    return request


def dorm_response(part: Part, request: bytes, version: str) -> tuple[str, list[int], list[bytes]]:
    """Who answered, for which shards, and what."""
    _check_version(version)
    responses = part.response(request)
    return _address(), part.shards, responses


def dorm_evaluate(part: Part, model: _core.Model, measures: list[str], settings: tuple[Any, ...]) -> Judged | None:
    """The measures of every query of the part."""
    convention, ties, confidence = settings
    return part.evaluate(model, measures, options_of(convention, ties, 0, confidence, 0, 1))


class Cluster:
    """A Dask cluster as the driver uses it: every wait ends."""

    def __init__(self, client: distributed.Client, retries: int, timeout: float) -> None:
        self.client, self.retries, self.timeout = client, retries, timeout
        self._last: list[tuple[str, list[int], list[bytes]]] = []  # responses, who gave them, and for which shards

    def parts(self, rows: Rows, layout: Layout) -> list[distributed.Future]:
        """The rows as parts that stay on the workers."""
        threads = sum(worker["nthreads"] for worker in self.client.scheduler_info(n_workers=-1)["workers"].values())
        count = min(layout.shards, layout.partitions or 2 * max(1, threads))
        ids, width = _number_type(rows), len(rows.features)
        asked = Rows(None, rows.features, rows.label, rows.qid, rows.weight)
        blank = dorm_rows(rows.frame._meta, asked, layout, count, ids)
        table = rows.frame.map_partitions(dorm_rows, asked, layout, count, ids, meta=blank)
        table = _moved(table, "part", count)
        make, mark = dask.delayed(dorm_part), uuid.uuid4().hex
        made = [
            make(piece, width, rows.names, layout, __version__, dask_key_name=f"dorm_part-{mark}-{k}")
            for k, piece in enumerate(table.to_delayed())
        ]
        parts = self.client.compute(made)
        if sum(self.results(self.submit(dorm_queries, parts), "the parts of the rows")) == 1:
            raise ValueError(f"all rows belong to one query; expected several: check that {rows.qid!r} is the query")
        return parts

    def asker(self, parts: list[distributed.Future]) -> Callable[[bytes], list[bytes]]:
        """A function that puts a request to all parts."""

        def ask(request: bytes) -> list[bytes]:
            said = request if len(request) < _LARGE else self.submit(dorm_request, [request])[0]
            tasks = self.submit(dorm_response, parts, request=said, version=__version__)
            self._last = self.results(tasks, "responses")
            return [response for _, _, responses in self._last for response in responses]

        return ask

    def submit(self, task: Callable[..., Any], over: list[Any], **args: Any) -> list[distributed.Future]:
        """A task for each, under its own name, asked again where it fails."""
        keys = [f"{task.__name__}-{uuid.uuid4().hex}" for _ in over]
        return self.client.map(task, over, key=keys, retries=self.retries, **args)

    def results(self, futures: list[distributed.Future], what: str) -> list[Any]:
        """What they come to. Raises what the first one that failed raised; TimeoutError where nothing moves."""
        seen, since = None, time.monotonic()
        while True:
            try:
                with self.client.as_current():
                    distributed.wait(futures, timeout=min(_POLL, self.timeout))
                break
            except distributed.TimeoutError:
                states = [future.status for future in futures]
            if any(state in ("error", "cancelled", "lost") for state in states):
                break
            now = (states, self._within(lambda: self.client.scheduler.processing(workers=None)))
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > self.timeout:
                raise TimeoutError(self._stuck(states, what))
        return self._within(lambda: self.client.gather(futures, asynchronous=True))

    def _within(self, wait: Callable[[], Any]) -> Any:
        return self.client.sync(wait, callback_timeout=self.timeout)

    def _stuck(self, states: list[str], what: str) -> str:
        left = sum(state != "finished" for state in states)
        workers = len(self.client.scheduler_info(n_workers=-1)["workers"])
        return (
            f"waited {self.timeout:g} s for {what} without any progress: {left} of {len(states)} tasks are open on "
            f"{workers} workers; look at their logs, or raise timeout="
        )

    @contextlib.contextmanager
    def naming_workers(self) -> Iterator[None]:
        """Adds to an error about a response which worker gave it."""
        try:
            yield
        except (RuntimeError, ValueError) as error:
            named = re.search(r"shard (\d+)", str(error))
            shard = None if named is None else int(named[1])
            at = [address for address, shards, given in self._last if shard in shards or not all(map(_sound, given))]
            if not at:
                raise
            raise type(error)(f"worker {at[0]}: {error}") from error


def _sound(response: bytes) -> bool:
    try:
        _core.answering_shard(response)
    except ValueError:
        return False
    return True


# ---- scores -------------------------------------------------------------------------------------------------------


def scored_rows(rows: Rows, ranker: Any) -> dd.Series:
    """The scores of a ranker that looks at one row at a time."""
    asked = Rows(None, rows.features)
    return rows.frame.map_partitions(dorm_scores, asked, ranker, meta=_blank_scores(rows.frame._meta.index))


def scored_by_query(rows: Rows, ranker: Any) -> dd.Series:
    """The scores of a ranker that looks at whole queries: rows travel to their query, and scores back to their rows."""
    count, ids = rows.frame.npartitions, _number_type(rows)
    asked = Rows(None, rows.features, qid=rows.qid)
    blank = dorm_travel(rows.frame._meta, asked, count, ids)
    table = rows.frame.map_partitions(dorm_travel, asked, count, ids, meta=blank)
    table = _moved(table, "part", count)
    blank = pd.DataFrame({"origin": np.empty(0, np.int64), "at": np.empty(0, np.int64), "score": np.empty(0)})
    scores = table.map_partitions(dorm_query_scores, len(rows.features), ranker, meta=blank, clear_divisions=True)
    scores = _moved(scores, "origin", count)
    narrow = rows.frame[[rows.qid]]
    return narrow.map_partitions(dorm_return, scores, meta=_blank_scores(rows.frame._meta.index))


def _blank_scores(index: Any) -> pd.Series:
    return pd.Series(np.empty(0), index=index, name="score")


def dorm_scores(frame: Any, rows: Rows, ranker: Any, partition_info: dict[str, Any] | None = None) -> pd.Series:
    """Of a partition."""
    rows, where = rows.here(frame, partition_info)
    if len(frame) == 0:
        return _blank_scores(frame.index)
    with _placed(where):
        return pd.Series(ranker.predict(_values(frame, rows).values), index=frame.index, name="score")


def dorm_travel(
    frame: Any, rows: Rows, count: int, ids: str | None, partition_info: dict[str, Any] | None = None
) -> pd.DataFrame:
    """A partition, where each row has to go, and where it came from."""
    rows, where = rows.here(frame, partition_info)
    at = {"origin": np.full(len(frame), (partition_info or {}).get("number", 0)), "at": np.arange(len(frame))}
    if len(frame) == 0:
        return _table(np.empty(0), np.empty((0, len(rows.features)), np.float32), {"qid": _ids([], ids), **at})
    with _placed(where):
        part = shards_of(frame[rows.qid], count)
        return _table(part, _values(frame, rows).values, {"qid": _ids(frame[rows.qid], ids), **at})


def dorm_query_scores(table: pd.DataFrame, width: int, ranker: Any) -> pd.DataFrame:
    """Of whole queries."""
    values = np.ascontiguousarray(table[[f"x{j}" for j in range(width)]].to_numpy(np.float32))
    scores = ranker.predict(values, qid=table["qid"]) if len(table) else np.empty(0)
    return pd.DataFrame({"origin": table["origin"].to_numpy(), "at": table["at"].to_numpy(), "score": scores})


def dorm_return(frame: Any, scores: pd.DataFrame) -> pd.Series:
    """Scores beside the rows they came from."""
    out = np.full(len(frame), np.nan)
    out[scores["at"].to_numpy()] = scores["score"].to_numpy()
    return pd.Series(out, index=frame.index, name="score")
