# SPDX-License-Identifier: Apache-2.0
"""Descriptions of files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._input.features import is_sparse
from .data._files import _unpack


def info(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Describe a file of judged documents or a model, as ``dorm info --json`` does: the figures without the names of
    formats and sizes in memory.

    >>> import dorm, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.txt"
    >>> dorm.synth(queries=3, features=2, documents_median=4, seed=1).save(path)
    >>> dorm.info(path)["queries"]
    3
    """
    name = os.fspath(path)
    model = load_model(name)
    if model is not None:
        return {"file": name, **_facts(model)}
    dataset, warnings = _core.read_dataset(name, {"format": "auto", "need_labels": False, "threads": 0}, "grade")
    data = _unpack(dataset)
    lengths = np.sort(data.group)
    nonzeros = data.X.count_nonzero() if is_sparse(data.X) else int(np.count_nonzero(data.X))
    told = {
        "file": name,
        "queries": dataset.num_queries,
        "documents": dataset.num_documents,
        "features": dataset.feature_range,
        "columns": dataset.num_features,
        "density": nonzeros / max(1, dataset.num_documents * dataset.feature_range),
        "labels": {},
        "documents_per_query": {"min": int(lengths[0]), "median": float(np.median(lengths)), "max": int(lengths[-1])},
        "document_ids": data.document_ids is not None,
        "groups": data.groups is not None,
        "query_weights": data.sample_weight is not None,
        "feature_names": dataset.has_feature_names,
        "fingerprint": f"{dataset.fingerprint():016x}",
        "warnings": list(warnings),
    }
    if data.y is not None:
        values, counts = np.unique(data.y, return_counts=True)
        told["labels"] = {f"{value:g}": int(count) for value, count in zip(values, counts)}
        ends = np.cumsum(data.group)
        parts = np.split(data.y, ends[:-1])
        told["queries_with_one_label"] = sum(int(part.min() == part.max()) for part in parts)
        told["queries_without_relevant"] = sum(int(part.max() <= 0) for part in parts)
    return told


def load_model(path: str | os.PathLike[str]) -> Any:
    """The model of a file: a `DormRanker`, a `DormEnsemble` (trees, also of LightGBM, XGBoost, CatBoost and RankLib, or
    a sum of rankers), a `PositionRanker`, `DormFactorization`, `JointRanker` or `DormRecommender`; None: the
    file is no model."""
    kind = _core.kind_of_model(os.fspath(path))
    if kind == "ranker":
        from ._rankers.ensemble import as_ranker

        return as_ranker(path)
    if kind == "positions":
        from ._rankers.slates import PositionRanker

        return PositionRanker.load(path)
    if kind == "factors":
        from .recommend._factorization import DormFactorization

        return DormFactorization.load(path)
    if kind == "joint":
        from .recommend._joint import JointRanker

        return JointRanker.load(path)
    if kind == "implicit":
        from .recommend._implicit import DormRecommender

        return DormRecommender.load(path)
    return None


def _facts(model: Any) -> dict[str, Any]:
    core = getattr(model.model_, "shared", model.model_)
    names = (
        "measure",
        "convention",
        "decay",
        "bound",
        "solver",
        "C",
        "explained_risk",
        "certificate",
        "kernel",
        "method",
        "kind",
        "trees",
    )
    told = {name: getattr(core, name) for name in names if hasattr(core, name)}
    if hasattr(model, "user_ids_"):
        told.update(users=len(model.user_ids_), items=len(model.item_ids_))
    if hasattr(model, "item_factors_"):
        options = model.model_.options
        told.update(measure=options.measure, bound=options.bound, rank=options.rank, rounds=model.model_.rounds)
    told.update(getattr(model, "options_", {}))
    return told
