#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds per question and what an engine adds to them: the same training by one process and by the engines, whose
models must be the same bytes. Run by hand; `make bench` has no engines.

    engines.py [--engines process dask spark] [--queries 2000] [--features 136] [--shards 0] [--workers 2]

A question is a pass over the data. `per question` is the median, `bytes` are those of a question and of its answers.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

import dorm
from dorm import _core
from dorm._cluster.shards import Part
from dorm._options import train_options

Ask = Callable[[bytes], list[bytes]]


@dataclass
class Timed:
    """An asker that notes what it costs."""

    ask: Ask
    seconds: list[float] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)

    def __call__(self, question: bytes) -> list[bytes]:
        began = time.perf_counter()
        answers = self.ask(question)
        self.seconds.append(time.perf_counter() - began)
        self.sent.append(len(question))
        self.received.append(sum(map(len, answers)))
        return answers


@contextlib.contextmanager
def process(rows: pd.DataFrame, shards: int, workers: int) -> Iterator[Ask]:
    """This process, with as many threads as others have workers."""
    features = rows.drop(columns=["label", "qid"])
    labels = rows.label.to_numpy(np.float32)
    values = np.ascontiguousarray(features.to_numpy(np.float32))
    part = Part(values, labels, rows.qid, shards, names=list(features))
    yield lambda question: part.answer(question, workers)


@contextlib.contextmanager
def dask(rows: pd.DataFrame, shards: int, workers: int) -> Iterator[Ask]:
    """Processes of one thread each on this machine."""
    import dask.dataframe as dd
    import distributed

    from dorm._cluster.dask_rows import Cluster, Layout, read_rows

    local = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with local, distributed.Client(local) as client:
        warnings.filterwarnings("ignore", "Sending large graph")
        frame = dd.from_pandas(rows, npartitions=4 * workers, sort=False)
        given = read_rows(frame, "label", "qid", None, None)
        cluster = Cluster(client, retries=3, timeout=600.0)
        yield cluster.asker(cluster.parts(given, Layout(shards, None, "error", "grade")))


@contextlib.contextmanager
def spark(rows: pd.DataFrame, shards: int, workers: int) -> Iterator[Ask]:
    """Executors of one core each, processes of their own on this machine."""
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from dorm._cluster.spark_columns import find_features
    from dorm._cluster.spark_shards import TRAIN, Layout, SparkShards, partition_keys

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local-cluster[{workers},1,1024]").config("spark.ui.enabled", "false")
    package = os.path.dirname(os.path.dirname(dorm.__file__))
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.executorEnv.PYTHONPATH", package).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    frame = session.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False))
    layout = Layout(
        features=find_features(frame, "", [c for c in rows.columns if c not in ("label", "qid")]),
        label="label",
        query="qid",
        weight="",
        validation="",
        unjudged={TRAIN: "grade"},
        missing="error",
        means=None,
        shards=shards,
        keys=partition_keys(session, workers),
    )
    try:
        with SparkShards(frame, layout, 600.0) as held:
            yield held.asker(TRAIN)
    finally:
        session.stop()


ENGINES = {"process": process, "dask": dask, "spark": spark}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--shards", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()

    data = dorm.synth(queries=options.queries, features=options.features, seed=1)
    names = [f"f{j}" for j in range(options.features)]
    rows = pd.DataFrame(np.asarray(data.X), columns=names).assign(label=data.y, qid=data.qid)
    shards = options.shards or _core.default_shards(options.queries, options.features)
    asked = train_options(dorm.DormRanker(C=100, bound="best", solver="shards", solver_options={"shards": shards}))
    print(f"{len(rows)} documents, {options.features} features, {shards} shards, {options.workers} workers")
    print("engine     ready  questions  in all   per question   more than the first  bytes asked  answered  same model")
    first = model_bytes = None
    for name in options.engines:
        began = time.perf_counter()
        with ENGINES[name](rows, shards, options.workers) as ask:
            ready = time.perf_counter() - began
            timed = Timed(ask)
            began = time.perf_counter()
            model, _ = _core.train_shards(timed, asked)
            whole = time.perf_counter() - began
        median = statistics.median(timed.seconds)
        first = median if first is None else first
        model_bytes = model.to_json() if model_bytes is None else model_bytes
        print(
            f"{name:<9}{ready:5.1f} s{len(timed.seconds):11}{whole:7.2f} s{1e3 * median:11.1f} ms"
            f"{1e3 * (median - first):19.1f} ms{statistics.median(timed.sent):13.0f}"
            f"{statistics.median(timed.received):10.0f}  {model.to_json() == model_bytes}"
        )


if __name__ == "__main__":
    main()
