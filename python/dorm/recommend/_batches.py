# SPDX-License-Identifier: Apache-2.0
"""Recommendations as Parquet, a batch of users at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], caller: str) -> Iterator[tuple[Any, Any, Path]]:
    """pyarrow, its Parquet, and a place to write to, which becomes ``path`` when the block ends well."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ImportError(f"{caller} needs pyarrow; install it with: pip install pyarrow") from None
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield pa, parquet, unfinished
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_batches(
    path: str | os.PathLike[str], answers: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]], item_type: np.dtype
) -> None:
    """Rows of (users, items by user, scores by user)."""
    with replacing(path, "to_parquet") as (pa, parquet, unfinished), contextlib.ExitStack() as open_files:
        writer = None
        for users, items, scores in answers:
            there = np.isfinite(scores)
            row, column = np.nonzero(there)
            table = pa.table(
                {
                    "user": _ids(pa, users[row]),
                    "rank": pa.array((column + 1).astype(np.int32)),
                    "item": _ids(pa, items[there], item_type),
                    "score": pa.array(scores[there]),
                }
            )
            if writer is None:
                writer = open_files.enter_context(parquet.ParquetWriter(unfinished, table.schema))
            writer.write_table(table)
        if writer is None:
            raise ValueError("no users to recommend to")
        open_files.close()


def _ids(pa: Any, ids: np.ndarray, kind: np.dtype | None = None) -> Any:
    if (kind or ids.dtype).kind == "i":
        return pa.array(ids.astype(np.int64))
    return pa.array([one.decode() if isinstance(one, bytes) else str(one) for one in ids.tolist()])
