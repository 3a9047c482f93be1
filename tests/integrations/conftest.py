# SPDX-License-Identifier: Apache-2.0
"""Small data with features of very different sizes, on which every scaling differs."""

import numpy as np
import pytest

import dorm

SCALES = ["none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore"]
GLOBAL = SCALES[:4]
PER_QUERY = SCALES[4:]


@pytest.fixture(scope="session")
def data():
    """40 queries with 7 features: X float32, y, qid; the last feature is constant."""
    X, y, qid = dorm.synth(queries=40, features=7, documents_median=12, seed=5, n_jobs=1)
    X = np.ascontiguousarray(X * [1, 100, 0.01, 5, 1, 1000, 0] + [0, -3, 1, 0, 7, 0, 2], dtype=np.float32)
    return X, np.array(y), qid


@pytest.fixture(scope="session")
def fitted(data):
    """One ranker per scaling."""
    X, y, qid = data
    return {scale: dorm.DormRanker(C=10, scale=scale, n_jobs=1).fit(X, y, qid=qid) for scale in SCALES}
