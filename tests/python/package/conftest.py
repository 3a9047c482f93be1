"""Small data that trains in milliseconds."""

import numpy as np
import pytest

import dorm


@pytest.fixture(scope="session")
def data():
    """60 queries in [0, 1], so that no scaling is needed: X float32, y, qid."""
    X, y, qid = dorm.synth(queries=60, features=7, documents_median=12, seed=3, n_jobs=1)
    X = np.ascontiguousarray((X - X.min(0)) / (X.max(0) - X.min(0)), dtype=np.float32)
    return X, np.array(y), qid


@pytest.fixture(scope="session")
def ranker(data):
    X, y, qid = data
    return dorm.DormRanker(C=10, n_jobs=1).fit(X, y, qid=qid)
