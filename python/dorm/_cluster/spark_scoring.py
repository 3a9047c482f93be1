# SPDX-License-Identifier: Apache-2.0
"""What a model does with the rows of a Spark partition: scores them, or judges its own ranking of them."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._evaluate import options_of
from .._rankers.ranker import DormRanker
from .spark_columns import FeatureColumns
from .spark_shards import TRAIN, Layout, parts_of, query_ids


class Judge:
    """The values of measures in the whole queries of a partition, on the executors."""

    def __init__(self, json: str, layout: Layout, measures: list[str], options: tuple[Any, ...]) -> None:
        self.json, self.layout, self.measures, self.options = json, layout, measures, options

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        try:
            part = parts_of(batches, self.layout).get(TRAIN)
            found = part and part.evaluate(ranker_of(self.json).model_, self.measures, options_of(*self.options))
        except (ValueError, TypeError) as error:
            found = str(error)
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(found)], pa.binary())], ["judged"])


class Score:
    """Batches of rows with their predictions, on the executors; whole queries where they matter."""

    def __init__(self, json: str, features: FeatureColumns, query: str, made: str) -> None:
        self.json, self.features, self.query, self.made = json, features, query, made

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        ranker = ranker_of(self.json)
        ranker.n_jobs = 1
        for batch in self._whole(batches) if self.query else batches:
            if batch.num_rows:
                yield self._scored(ranker, batch)

    def _scored(self, ranker: DormRanker, batch: Any) -> Any:
        import pyarrow as pa

        qid = query_ids(batch.column(self.query), self.query) if self.query else None
        scores = ranker.predict(self.features.matrix(batch), qid=qid)
        return pa.RecordBatch.from_arrays([*batch.columns, pa.array(scores)], [*batch.schema.names, self.made])

    def _whole(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Batches of whole queries from batches of rows sorted by query: the last query of each waits for the next."""
        waiting: list[Any] = []  # batches of one query
        for batch in batches:
            if not batch.num_rows:
                continue
            ids = query_ids(batch.column(self.query), self.query)
            last = int(np.argmax(ids == ids[-1]))
            if waiting and waiting[0].column(self.query)[0].as_py() != ids[0]:
                yield _joined(waiting)
                waiting = []
            if last:
                yield _joined([*waiting, batch.slice(0, last)])
                waiting = []
            waiting.append(batch.slice(last))
        if waiting:
            yield _joined(waiting)


def _joined(batches: list[Any]) -> Any:
    import pyarrow as pa

    return batches[0] if len(batches) == 1 else pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def ranker_of(json: str) -> DormRanker:
    """From the text of a model file."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(json)
        file.flush()
        return DormRanker.load(file.name)
