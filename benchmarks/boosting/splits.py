# SPDX-License-Identifier: Apache-2.0
"""Many small random splits of the queries of a set, in two halves: one to settle defaults on, one to report."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
from folds import Part, read_files

import dorm

FILES = {
    "mq2008": [f"mq2008/S{k}.txt.gz" for k in range(1, 6)],
    "mq2007-sample": [f"mq2007-sample/S{k}.txt.gz" for k in range(1, 6)],
    "lightgbm-lambdarank": ["lightgbm-lambdarank/rank.train.gz", "lightgbm-lambdarank/rank.test.gz"],
    "clueweb09": [f"clueweb09/Fold{k}.test.txt.gz" for k in range(1, 6)],
}
UNDIVIDED = {"clueweb09"}  # 61 queries: too few for two halves, so it belongs to the report alone
TEST_QUERIES = 300  # at most


class Splits:
    """Splits of one set: files of `FILES`, or ``web-DOCUMENTS-NOISE``, generated anew for every split.

    The queries with more than one label are divided at random, once, into the half "develop" and the half "report"; a
    split takes `train` queries of its half at random, a third as many to validate, and tests on the others. Splits of
    files share queries; those of generated sets do not.
    """

    def __init__(self, root: Path, name: str, half: str, train: int) -> None:
        if name in UNDIVIDED and half != "report":
            raise ValueError(f"{name} is for the report half only")
        self.root, self.name, self.half, self.train = root, name, ("develop", "report").index(half), train

    def parts(self, number: int) -> list[Part]:
        """Training, validation and test part of split `number`."""
        seed = 2 * number + self.half
        X, y, sizes, pool = self._generate(seed) if self.name.startswith("web-") else self._read
        picked = np.random.default_rng(seed).permutation(pool)
        train = min(self.train, len(pool) * 3 // 5)
        ends = np.cumsum([train, train // 3, TEST_QUERIES])
        starts = np.r_[0, np.cumsum(sizes)]
        parts = []
        for queries in np.split(picked, ends)[:3]:
            rows = np.concatenate([np.arange(starts[q], starts[q + 1]) for q in queries])
            parts.append(Part(X[rows], y[rows], sizes[queries], seed))
        return parts

    def _generate(self, seed: int):
        _, documents, noise = self.name.split("-")
        count = self.train + self.train // 3 + TEST_QUERIES
        X, y, qid = dorm.synth(count, documents_median=float(documents), noise=float(noise), seed=seed, n_jobs=1)
        return X, y, np.unique(qid, return_counts=True)[1], np.arange(count)

    @functools.cached_property
    def _read(self):
        X, y, sizes = read_files(self.root / file for file in FILES[self.name])
        ends = np.cumsum(sizes)
        mixed = np.flatnonzero([y[end - n : end].min() < y[end - n : end].max() for n, end in zip(sizes, ends)])
        if self.name not in UNDIVIDED:
            mixed = mixed[np.random.default_rng(12345).permutation(len(mixed))[self.half :: 2]]
        return X, y, sizes, mixed
