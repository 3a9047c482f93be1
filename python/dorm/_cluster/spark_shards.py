# SPDX-License-Identifier: Apache-2.0
"""The shards of a Spark data frame, asked by one ordinary job per request.

Rows travel once: they are packed by partition, shuffled so that queries are whole, put into canonical order and written
to a local folder of the executor, which all its Python processes map. What Spark keeps is a token per partition, in a
cached RDD: a request goes to the executor that wrote the file. Where an executor is lost its tokens are, too, and
Spark makes both again from the shuffled rows, or from the source. Nothing listens on a port.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import __version__
from .._input.dataset import judge
from .._input.features import Features
from .._input.missing import fill
from .shards import Part, shards_of
from .spark_columns import FeatureColumns, named

TRAIN, VALIDATION = "train", "validation"
_PACKED = "key bigint, rows binary"
_TOKENS = "folder string, error string"


@dataclass(frozen=True)
class Layout:
    """What the executors must know to read rows. Goes to them with every task."""

    features: FeatureColumns
    label: str
    query: str
    weight: str  # "": none
    validation: str  # column of truth values; "": none
    unjudged: dict[str, str]  # of the rows to train on and to judge by, settled: "grade" or "bad"
    missing: str
    means: dict[str, float] | None  # by feature, where they are what missing values become
    shards: int
    keys: tuple[int, ...]  # by partition, a number that Spark's hash sends there
    version: str = __version__

    def columns(self) -> list[str]:
        """Those of the data frame that are needed."""
        other = (self.label, self.query, self.weight, self.validation)
        return list(dict.fromkeys([*self.features.columns, *filter(None, other)]))


# ---- on the executors -----------------------------------------------------------------------------------------------


def query_ids(column: Any, name: str) -> np.ndarray:
    """Whole numbers, or texts, of an Arrow column."""
    if column.null_count:
        raise ValueError(f"column {name!r} has a row without a query id (null); drop it or give it an id")
    ids = column.to_numpy(zero_copy_only=False)
    return ids if ids.dtype.kind in "iu" else np.array(column.to_pylist(), dtype=object)


def _numbers(batch: Any, name: str, what: str, ids: np.ndarray) -> np.ndarray:
    column = batch.column(name)
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ValueError(f"column {name!r} has a row without a {what} (null), in query {ids[row]!r}; drop it")
    numbers = column.to_numpy(zero_copy_only=False).astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise ValueError(f"column {name!r} holds the {what} {numbers[row]} in query {ids[row]!r}; drop the row")
    return numbers


@dataclass(frozen=True)
class Pack:
    """Rows to one text of bytes for every partition that they belong to."""

    layout: Layout

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if batch.num_rows:
                try:
                    yield self._packed(batch)
                except ValueError as error:  # the same on every attempt: told by the driver, not tried again
                    yield self._batch([self.layout.keys[0]], [pickle.dumps(str(error))])
                    return

    def _packed(self, batch: Any) -> Any:
        layout = self.layout
        if layout.version != __version__:
            raise ValueError(
                f"an executor has dorm-rank {__version__}, the driver {layout.version}; install the same everywhere"
            )
        ids = query_ids(batch.column(layout.query), layout.query)
        shards = shards_of(ids, layout.shards).astype(np.int64)
        partition = shards * len(layout.keys) // layout.shards
        labels = _numbers(batch, layout.label, "label", ids).astype(np.float32)
        weights = _numbers(batch, layout.weight, "weight", ids) if layout.weight else np.ones(len(ids))
        held_out = _numbers(batch, layout.validation, "truth value", ids) if layout.validation else np.zeros(len(ids))
        features = self._features(batch, ids)
        place = 2 * partition + (held_out != 0)
        order = np.argsort(place, kind="stable")
        keys, blobs = [], []
        for rows in np.split(order, np.flatnonzero(np.diff(place[order])) + 1):
            name = VALIDATION if held_out[rows[0]] else TRAIN
            keys.append(layout.keys[partition[rows[0]]])
            blobs.append(pickle.dumps((name, ids[rows], labels[rows], weights[rows], features[rows]), protocol=5))
        return self._batch(keys, blobs)

    def _features(self, batch: Any, ids: np.ndarray) -> np.ndarray:
        given = self.layout.features
        features = given.matrix(batch)
        if self.layout.missing != "error":
            return fill(Features(features), self.layout.missing, given.names, self.layout.means)[0].values
        gaps = ~np.isfinite(features)
        if gaps.any():
            row, column = np.argwhere(gaps)[0]
            name = given.names[column] if given.names else f"{given.columns[0]}[{column}]"
            raise ValueError(
                f"feature {name!r} is {features[row, column]} (null, NaN or too large) in query {ids[row]!r}; fill it, "
                'drop the row, or set missing="zero"'
            )
        return features

    @staticmethod
    def _batch(keys: list[int], blobs: list[bytes]) -> Any:
        import pyarrow as pa

        return pa.RecordBatch.from_arrays([pa.array(keys, pa.int64()), pa.array(blobs, pa.binary())], ["key", "rows"])


def parts_of(batches: Iterator[Any], layout: Layout) -> dict[str, Part]:
    """The packed rows of a partition, ready for requests: training rows and validation rows, if there are any."""
    packed = [pickle.loads(rows) for batch in batches for rows in batch.column("rows").to_pylist()]
    for each in packed:
        if isinstance(each, str):
            raise ValueError(each)
    said = None if layout.missing == "error" else {"missing": layout.missing, "means": {}}
    parts = {}
    for name in (TRAIN, VALIDATION):
        own = [each[1:] for each in packed if each[0] == name]
        if own:
            ids, labels, weights, features = (np.concatenate(each) for each in zip(*own))
            parts[name] = Part(
                features,
                judge(labels, layout.unjudged[name]),
                ids,
                layout.shards,
                weights=weights if layout.weight else None,
                names=layout.features.names,
                input=said,
            )
    return parts


@dataclass(frozen=True)
class Load:
    """The packed rows of a partition to files of this executor, and a token that says where they are."""

    layout: Layout
    name: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyspark import TaskContext

        folder, error = "", ""
        try:
            parts = parts_of(batches, self.layout)
            if not parts:
                return
            partition = TaskContext.get().partitionId()
            folder = os.path.join(_local_folder(partition), self.name, str(partition))
            os.makedirs(folder, exist_ok=True)
            for name, part in parts.items():
                _write(part, os.path.join(folder, name))
        except (ValueError, TypeError) as wrong:
            error = str(wrong)
        yield pa.RecordBatch.from_arrays([pa.array([folder]), pa.array([error])], ["folder", "error"])


def _local_folder(partition: int) -> str:
    """One of the folders that Spark removes with the executor."""
    folders = [each for each in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if each]
    if not folders:
        raise OSError("Spark does not say where an executor may write (SPARK_LOCAL_DIRS)")
    return folders[partition % len(folders)]


_PAGE = 4096


def _write(part: Part, path: str) -> None:
    """The arrays behind each other, each from a page on, and what holds them together at the end."""
    buffers: list[pickle.PickleBuffer] = []
    frame = pickle.dumps(part, protocol=5, buffer_callback=buffers.append)
    made = f"{path}-{uuid.uuid4().hex}"
    with open(made, "wb") as file:
        places = []
        for buffer in buffers:
            raw = buffer.raw()
            places.append((file.tell(), raw.nbytes))
            file.write(raw)
            file.write(bytes(-file.tell() % _PAGE))
        begin = file.tell()
        file.write(pickle.dumps((places, frame)))
        file.write(begin.to_bytes(8, "little"))
    os.replace(made, path)  # another attempt at this task may write the same


def _open(path: str) -> Part:
    """A part over the mapped file: the memory is that of the page cache, once for all processes of a machine."""
    with open(path, "rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    begin = int.from_bytes(view[-8:], "little")
    places, frame = pickle.loads(view[begin:-8])
    return pickle.loads(frame, buffers=[view[at : at + size] for at, size in places])


_parts: dict[str, Part] = {}  # of this process, by file


def _part(path: str) -> Part:
    if path not in _parts:
        for other in [each for each in _parts if not os.path.exists(each)]:  # of trainings that have ended
            del _parts[other]
        _parts[path] = _open(path)
    return _parts[path]


@dataclass(frozen=True)
class ShardResponse:
    """What a partition has to say: its responses, an error of its data, or that its files are on another executor."""

    name: str
    request: bytes

    def __call__(self, index: int, tokens: Iterator[Any]) -> Iterator[tuple[int, str, Any]]:
        from pyspark import TaskContext

        for folder, error in tokens:
            path = os.path.join(folder, self.name)
            if error:
                yield index, "error", error
            elif not os.path.isdir(folder):
                yield index, "elsewhere", None
            elif os.path.exists(path):
                yield index, "responses", _part(path).response(self.request, TaskContext.get().cpus())


def _remove(tokens: Iterator[Any]) -> None:
    for folder, _ in tokens:
        shutil.rmtree(folder, ignore_errors=True)


# ---- on the driver --------------------------------------------------------------------------------------------------


def partition_keys(spark: Any, partitions: int) -> tuple[int, ...]:
    """A number for each partition that Spark's hash sends there, so that each gets its share of the shards."""
    tried = spark.range(32 * partitions).selectExpr("id", f"pmod(hash(id), {partitions})").collect()
    key_of = {place: key for key, place in reversed(tried)}
    return tuple(key_of.get(place, place) for place in range(partitions))


def packed_rows(df: Any, layout: Layout) -> Any:
    """The rows, packed, each query whole in one partition."""
    packed = df.select(*map(named, layout.columns())).mapInArrow(Pack(layout), _PACKED)
    return packed.repartition(len(layout.keys), "key")


@contextlib.contextmanager
def limited(context: Any, doing: str, seconds: float) -> Iterator[None]:
    """Jobs of the body are cancelled after a time. Spark's pages show what they are doing."""
    tag, late = f"dorm-{uuid.uuid4().hex}", threading.Event()

    def cancel() -> None:
        late.set()
        context.cancelJobsWithTag(tag)

    timer = threading.Timer(seconds, cancel)
    timer.daemon = True
    described = context.getLocalProperty("spark.job.description")
    context.addJobTag(tag)
    context.setLocalProperty("spark.job.description", f"dorm: {doing}")
    timer.start()
    try:
        yield
    except Exception as error:
        if late.is_set():
            raise TimeoutError(
                f"{doing}: not done after {seconds:g} s, cancelled; raise timeout, or look for a slow or lost executor "
                "in Spark's own pages"
            ) from error
        raise
    finally:
        timer.cancel()
        context.removeJobTag(tag)
        context.setLocalProperty("spark.job.description", described)


class SparkShards:
    """The shards of a data frame. Use it in a ``with`` block: it leaves nothing behind on the executors."""

    def __init__(self, df: Any, layout: Layout, timeout: float) -> None:
        self._context = df.sparkSession.sparkContext
        self._timeout = timeout
        self._asked = 0
        load = Load(layout, f"dorm-{uuid.uuid4().hex}")
        self._made = packed_rows(df, layout).mapInArrow(load, _TOKENS).rdd.map(tuple)
        self._tokens = self._made.map(_same).persist()

    def __enter__(self) -> SparkShards:
        try:
            with limited(self._context, "rows are gathered by query", self._timeout):
                self._tokens.count()
        except BaseException:
            self._tokens.unpersist()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        with contextlib.suppress(Exception), limited(self._context, "files are removed", 60):
            self._tokens.foreachPartition(_remove)
        self._tokens.unpersist()

    def asker(self, name: str) -> Callable[[bytes], list[bytes]]:
        """What `_core.train_shards` asks: all shards of the rows to train on, or to judge by."""
        return lambda request: self._ask(name, bytes(request))

    def _ask(self, name: str, request: bytes) -> list[bytes]:
        self._asked += 1
        response = ShardResponse(name, request)
        with limited(self._context, f"request {self._asked}, to the {name} shards", self._timeout):
            found = self._tokens.mapPartitionsWithIndex(response).collect()
            strayed = [index for index, kind, _ in found if kind == "elsewhere"]
            if strayed:  # their tasks ran where their files are not: rows come to them, through Spark's shuffle
                found += self._context.runJob(self._made.mapPartitionsWithIndex(response), _same, partitions=strayed)
        for _, kind, what in found:
            if kind == "error":
                raise ValueError(what)
        return [each for _, kind, responses in found if kind == "responses" for each in responses]


def _same(what: Any) -> Any:
    return what
