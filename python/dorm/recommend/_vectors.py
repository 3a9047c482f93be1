# SPDX-License-Identifier: Apache-2.0
"""Vectors of users and items for a search by inner product."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._threads import thread_count
from ._batches import replacing


class RecommenderVectors:
    """To be mixed in by recommenders whose scores are inner products."""

    def vectors(self, *, als_alone: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Vectors of the users and of the items, float32: the best items of a user are those of the largest inner
        products. EASE has none: of an average with it, ``als_alone`` gives the factors of ALS."""
        check_is_fitted(self)
        users, items, width = _core.vectors(self.model_, als_alone)
        return users.reshape(-1, width), items.reshape(-1, width)

    def export_vectors(
        self, path: str | os.PathLike[str], to: str = "parquet", *, name: str = "dorm", als_alone: bool = False
    ) -> None:
        """Write them: ``"parquet"`` (columns kind, id, vector; needs pyarrow), or as ``dorm recommend export`` does
        ``"npz"``, ``"pgvector"`` or ``"elasticsearch"``, whose tables and indices begin with ``name``."""
        check_is_fitted(self)
        if to != "parquet":
            _core.write_vectors(self.model_, als_alone, to, name, os.fspath(path))
            return
        with replacing(path, "export_vectors") as (pa, parquet, unfinished):
            columns: dict[str, list[Any]] = {"kind": [], "id": [], "vector": []}
            ids = (self.model_.users, self.model_.items)
            for kind, known, rows in zip(("user", "item"), ids, self.vectors(als_alone=als_alone)):
                columns["kind"] += [kind] * len(rows)
                columns["id"] += [one.decode("utf-8", "replace") for one in known]
                columns["vector"] += list(rows)
            kinds = {"kind": pa.string(), "id": pa.string(), "vector": pa.list_(pa.float32())}
            parquet.write_table(pa.table({n: pa.array(v, kinds[n]) for n, v in columns.items()}), unfinished)

    def check_vectors(self, n: int = 10, *, als_alone: bool = False) -> dict[str, Any]:
        """What exact search over the vectors finds beside the lists of the model, over all users: changed_users, those
        whose first ``n`` items are others or in another order, and shared, the mean share of the same items."""
        check_is_fitted(self)
        return _core.check_vectors(self.model_, als_alone, n, thread_count(self.n_jobs))
