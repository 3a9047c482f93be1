# SPDX-License-Identifier: Apache-2.0
"""What engines share: rows of whole queries that response the requests of a training, and judge its model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._evaluate import Evaluation, MeasureResult
from .._input.dataset import make_dataset
from .._input.features import Features
from .._input.queries import read_queries, read_weights


def shards_of(qid: Any, num_shards: int) -> np.ndarray:
    """The shard of every row, uint32, by the text of its query id: the same on every machine."""
    queries = read_queries(qid, None, len(qid))
    numbers = _core.shard_of(queries.names, num_shards)
    return queries.unsorted(np.repeat(numbers, queries.sizes))


class Part:
    """The rows of some whole shards, as one process holds them.

    Arrays in canonical order, which is all that is pickled: the host that responses is made again wherever a part
    arrives, from the same rows in the same order, so that it gives the same responses.

    ``features`` have no missing values, and are not copied where they are float32 in C order and stand in that order
    already; ``names`` are theirs, or None; ``input`` says how the rows were read (as `RankingData.input`), or None.
    """

    def __init__(
        self,
        features: np.ndarray,
        labels: np.ndarray,
        qid: Any,
        num_shards: int,
        *,
        weights: Any = None,
        names: list[str] | None = None,
        document_ids: Any = None,
        input: dict[str, Any] | None = None,
    ) -> None:
        self.num_shards, self.names, self.input = num_shards, names, input
        self._host: _core.ShardHost | None = None
        if len(labels) == 0:
            self._arrays = None
            return
        features, labels = (np.ascontiguousarray(each, dtype=np.float32) for each in (features, labels))
        queries = read_queries(qid, None, len(labels))
        _check_texts(queries.ids, queries.names)
        about = {"document_ids": document_ids, "input": input}
        weights = read_weights(weights, queries, part=True)
        data = make_dataset(Features(features), labels, queries, weights, names, about)
        self._arrays = _Arrays.of(features, labels, document_ids, data)

    @property
    def num_queries(self) -> int:
        """Whole queries that it holds."""
        return 0 if self._arrays is None else len(self._arrays.ids)

    @property
    def shards(self) -> list[int]:
        """The numbers of its shards."""
        return [] if self._arrays is None else np.unique(_core.shard_of(self._arrays.ids, self.num_shards)).tolist()

    @property
    def dataset(self) -> _core.Dataset | None:
        """Over the arrays; None where there are no rows."""
        return None if self._arrays is None else self._arrays.dataset(self.names, self.input)

    def response(self, request: bytes, threads: int = 1) -> list[bytes]:
        """One response for each of its shards."""
        if self._arrays is None:
            return []
        if self._host is None:
            self._host = _core.ShardHost(self.dataset, self.num_shards, threads)
        return self._host.response(request)

    def evaluate(self, model: _core.Model, measures: Sequence[str], options: _core.EvaluateOptions) -> Judged | None:
        """What the model is worth in each query; None where there are no rows."""
        data = self.dataset
        if data is None:
            return None
        arrays = self._arrays
        table = _core.evaluate_data(data, model.score(data, options.threads), list(measures), options)
        values = np.array([entry["per_query"] for entry in table["measures"]])
        names = [entry["name"] for entry in table["measures"]]
        return Judged(names, arrays.ids, arrays.weights, values, table["convention"], table["ties"])

    def __sizeof__(self) -> int:
        """Bytes, for engines that decide by it what to move and what to write to disk."""
        return 1000 + (0 if self._arrays is None else self._arrays.nbytes)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_host": None}


@dataclass(frozen=True)
class Judged:
    """The values of measures in the queries of a part."""

    names: list[str]
    ids: list[str]
    weights: np.ndarray
    values: np.ndarray  # a row per measure
    convention: str
    ties: str


def merged(parts: Iterable[Judged | None], options: _core.EvaluateOptions) -> Evaluation:
    """The evaluation of all parts, queries by id: it does not depend on who held which."""
    judged = [part for part in parts if part is not None]
    if not judged:
        raise ValueError("there are no rows to evaluate")
    ids = [name for part in judged for name in part.ids]
    order = np.argsort(np.array(ids, dtype=object), kind="stable")
    weights = np.concatenate([part.weights for part in judged])[order]
    values = np.ascontiguousarray(np.concatenate([part.values for part in judged], axis=1)[:, order])
    table = _core.summarise(judged[0].names, values, np.ascontiguousarray(weights), options)
    results = [MeasureResult(**entry) for entry in table]
    return Evaluation(results, [ids[k] for k in order], judged[0].convention, judged[0].ties, options.confidence)


def settled_labels(rule: str, least: float, fractions: bool) -> str:
    """What ``unjudged`` means where the smallest label is ``least`` and some are ``fractions``."""
    seen = [least, 0.5] if fractions else [least]
    return _core.settle_unjudged(rule, np.array(seen, dtype=np.float32))


@dataclass(frozen=True)
class _Arrays:
    """A dense data set in canonical order, as arrays of numpy, which can be pickled."""

    values: np.ndarray
    labels: np.ndarray
    end: np.ndarray
    ids: list[str]
    weights: np.ndarray  # of the queries
    document_ids: list[str] | None

    @classmethod
    def of(cls, features: np.ndarray, labels: np.ndarray, document_ids: Any, data: _core.Dataset) -> _Arrays:
        """``data`` is the data set of these arrays."""
        rows, sizes, ids, weights = _core.canonical_rows(data)
        texts = None if document_ids is None else [str(document_ids[row]) for row in rows]
        ordered = bool((rows[1:] > rows[:-1]).all())  # then they stand so already
        end = np.cumsum(sizes, dtype=np.uint64)
        return cls(features if ordered else features[rows], labels[rows], end, ids, weights, texts)

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():  # arrays of a message may begin anywhere
            object.__setattr__(
                self, name, np.require(value, requirements="A") if isinstance(value, np.ndarray) else value
            )

    def dataset(self, names: list[str] | None, said: dict[str, Any] | None) -> _core.Dataset:
        about = {"input": said, **({} if self.document_ids is None else {"document_ids": self.document_ids})}
        documents = _core.Documents(self.labels, self.end, self.ids, self.weights, _IN_ORDER, names or [], about)
        return _core.Dataset.borrow_dense(self.values, documents)

    @property
    def nbytes(self) -> int:
        arrays = (self.values, self.labels, self.end, self.weights)
        return sum(a.nbytes for a in arrays) + 64 * (len(self.ids) + len(self.document_ids or ()))


_IN_ORDER = np.empty(0, dtype=np.uint64)


def _check_texts(ids: list[Any], names: list[str]) -> None:
    """Queries with the same text as id are the same query."""
    if len(set(names)) == len(names):
        return
    first: dict[str, Any] = {}
    for each, name in zip(ids, names):
        if name in first:
            raise ValueError(
                f"the query ids {first[name]!r} and {each!r} are the same text; shards go by the text of an id: make "
                "all ids numbers, or all of them text"
            )
        first[name] = each
