# SPDX-License-Identifier: Apache-2.0
"""Parts of the folded collections, and where the results of a training are kept."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import dorm

MEASURES = ("ndcg@10", "precision@10", "mrr")


def read_files(paths: Iterable[Path]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels and the sizes of the queries of some files, one after the other."""
    files = [dorm.read_letor(path) for path in paths]
    qid = np.concatenate([np.asarray(f.qid) for f in files])
    sizes = np.array([len(list(run)) for _, run in itertools.groupby(qid)])
    return np.vstack([f.X for f in files]), np.concatenate([f.y for f in files]), sizes


class Part:
    """Some queries, documents shuffled inside them so that no tie follows the file."""

    def __init__(self, X: np.ndarray, y: np.ndarray, sizes: np.ndarray, seed: int) -> None:
        self.sizes = sizes
        rng = np.random.default_rng(seed)
        starts = np.r_[0, np.cumsum(self.sizes)[:-1]]
        self.order = np.concatenate([s + rng.permutation(n) for s, n in zip(starts, self.sizes)])
        self.X, self.y = np.ascontiguousarray(X[self.order]), y[self.order]

    @classmethod
    def of_files(cls, folder: Path, numbers: list[int], seed: int) -> Part:
        """Some of the files S1..S5."""
        return cls(*read_files(folder / f"S{k}.txt.gz" for k in numbers), seed)

    def in_file_order(self, scores: np.ndarray) -> np.ndarray:
        result = np.empty(len(scores))
        result[self.order] = scores
        return result

    def values(self, scores: np.ndarray, measures: tuple[str, ...]) -> np.ndarray:
        """Measures x queries; NaN where a query has no relevant document."""
        table = dorm.evaluate(self.y, scores, group=self.sizes, measures=list(measures), bootstrap=0, n_jobs=1)
        return np.stack([m.per_query for m in table])


def cell_path(out: Path, method: str, measure: str, seed: int, fold: int, leaves: int, column: int) -> Path:
    trained_for = measure if method.startswith("dorm") else "any"
    return out / f"{method}_{trained_for}_{seed}_{fold}_{leaves}_{column}.npz"
