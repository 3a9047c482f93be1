# SPDX-License-Identifier: Apache-2.0
"""The arguments that fit, predict and score share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from ..data._files import RankingData
from .columns import encode_text
from .dataset import judge, make_dataset, read_labels
from .features import Features, read_features
from .missing import fill
from .queries import Queries, one_query, read_queries, read_weights


@dataclass(frozen=True)
class Labelled:
    """A data set for training or validation."""

    labels: np.ndarray  # in the order of the rows
    queries: Queries
    dataset: _core.Dataset

    @property
    def sorted_labels(self) -> np.ndarray:
        """In the order of the data set."""
        return self.queries.sorted(self.labels)


@dataclass(frozen=True)
class Input:
    """Features, labels, queries and weights; ``prefix`` begins the names of arguments in messages."""

    features: Features
    y: Any
    qid: Any
    group: Any
    sample_weight: Any
    names: Sequence[str] | None
    prefix: str
    about: dict[str, Any]  # document_ids, groups and input of a RankingData

    @property
    def rows(self) -> int:
        """Documents."""
        return self.features.shape[0]

    @property
    def grouped(self) -> bool:
        """Whether the queries are known."""
        return self.qid is not None or self.group is not None

    def filled(self, missing: str, names: list[str] | None, means: dict[str, float] | None = None) -> Input:
        """Without missing values, and with their replacements; ``means`` as for `fill`."""
        features, means = fill(self.features, missing, names, means, self._query_numbers)
        said = {**(self.about.get("input") or {}), "missing": missing, "means": means}
        return replace(self, features=features, about={**self.about, "input": said})

    def _query_numbers(self) -> np.ndarray:
        queries = self.queries()
        return queries.unsorted(np.repeat(np.arange(len(queries.sizes)), queries.sizes))

    def queries(self) -> Queries:
        """Which rows belong to which query."""
        return read_queries(self.qid, self.group, self.rows, self.prefix)

    def labelled(self, names: list[str] | None, unjudged: str = "grade") -> Labelled:
        """The data set with its labels and weights."""
        labels = judge(read_labels(self.y, self.rows), unjudged)
        queries = self.queries()
        weights = read_weights(self.sample_weight, queries)
        return Labelled(labels, queries, make_dataset(self.features, labels, queries, weights, names, self.about))

    def unlabelled(self, names: list[str] | None, per_query: bool) -> tuple[_core.Dataset, Queries]:
        """The data set to be scored, as one query unless they matter."""
        queries = self.queries() if per_query else one_query(self.rows)
        labels = np.zeros(self.rows, np.float32)
        read = self.about.get("input") or {}
        about = {"input": read} if read.get("missing") == "keep" else None
        return make_dataset(self.features, labels, queries, names=names, about=about), queries


def read_input(
    X: Any,
    y: Any = None,
    qid: Any = None,
    group: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] | None = None,
    prefix: str = "",
    fitted: dict[str, Any] | None = None,
    encode: Any = None,
    missing: str = "error",
) -> Input:
    """Data of a `RankingData` or of a column "qid" is used where the caller passes no argument.

    ``fitted``: how the training data was read, whose encoding is applied to the columns of a frame. ``encode`` and
    ``missing``: the rules for training data.
    """
    about = {}
    if isinstance(X, RankingData):
        if encode:
            raise ValueError("encode= is about columns of a data frame; data of a file is encoded where it is read")
        about = {"document_ids": X.document_ids, "groups": X.groups, "input": X.input}
        qid = X.qid if qid is None and group is None else qid
        y = X.y if y is None else y
        sample_weight = X.sample_weight if sample_weight is None else sample_weight
        names = X.feature_names if names is None else names
        X = X.X
    features = read_features(X, encode_text(encode), (fitted or {}).get("encodings", ""), missing)
    if features.encodings and about.get("input") is None:
        about = {**about, "input": {"encodings": features.encodings}}
    if features.qid is not None:
        if qid is not None or group is not None:
            raise ValueError(f'X has a column "qid", so {prefix}qid= and {prefix}group= must not be passed')
        qid = features.qid
    return Input(features, y, qid, group, sample_weight, names, prefix, about)
