"""Arrays that another thread writes to while the library reads them: any numbers may come out, or an error, but no read
outside of the arrays. Run under the address sanitizer by tests/asan_python.sh."""

import os
import threading

import numpy as np
import pytest
from scipy import sparse

import dorm
from dorm import _core
from dorm._input.dataset import make_dataset
from dorm._input.features import read_features
from dorm._input.queries import read_queries

ROUNDS = int(os.environ.get("DORM_FUZZ_ROUNDS", "300")) // 30
EXPECTED = (ValueError, TypeError, IndexError, OverflowError, RuntimeError)


class Vandal:
    """Writes `values` into random places of the arrays until the block ends; then they are as before."""

    def __init__(self, *targets):
        self.targets = [(array, array.copy(), values) for array, values in targets]
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self):
        rng = np.random.default_rng(1)
        while not self.stop.is_set():
            for array, before, values in self.targets:
                array[rng.integers(0, len(array), 64)] = rng.choice(values, 64)
                array[:] = before

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        for array, before, _ in self.targets:
            array[:] = before


def fit_and_predict(X, y, qid):
    try:
        model = dorm.DormRanker(scale="none", solver_options={"max_passes": 3}, n_jobs=2).fit(X, y, qid=qid)
        model.predict(X)
    except EXPECTED:
        return


def test_index_arrays_of_a_sparse_matrix(data):
    X, y, qid = data
    matrix = sparse.csr_matrix(X)
    wild_columns = np.array([-1, 2**31 - 1, 6, 0], dtype=matrix.indices.dtype)
    wild_ends = np.array([-1, 0, 2**31 - 1, matrix.nnz], dtype=matrix.indptr.dtype)
    queries = read_queries(qid, None, len(qid))
    labels = y.astype(np.float32)
    features = read_features(matrix)
    with Vandal((matrix.indices, wild_columns)):
        for _ in range(ROUNDS):
            try:
                dataset = make_dataset(features, labels, queries)
                dataset.fingerprint()
                _, columns, _ = dataset.sparse_values()
                assert columns.max() < X.shape[1]
            except EXPECTED:
                continue
    documents = _core.Documents(labels, queries.end, queries.names, np.empty(0), np.empty(0, np.uint64), [])
    ends = matrix.indptr[1:].astype(np.uint64)
    with Vandal((ends, wild_ends.astype(np.uint64))):
        for _ in range(ROUNDS):
            try:
                dataset = _core.Dataset.borrow_sparse(
                    matrix.data, matrix.indices.view(np.uint32), ends, X.shape[1], documents
                )
                dataset.fingerprint()
            except EXPECTED:
                continue
    assert matrix.has_canonical_format


def test_a_data_set_keeps_its_columns_when_the_matrix_is_overwritten(data):
    X, y, qid = data
    matrix = sparse.csr_matrix(X)
    dataset = make_dataset(read_features(matrix), y.astype(np.float32), read_queries(qid, None, len(qid)))
    before = dataset.fingerprint()
    matrix.indices[:] = 2**31 - 1
    assert dataset.fingerprint() == before


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_values_and_labels_that_turn_into_nonsense(data, kind):
    X, y, qid = data
    X, y = X.copy(), y.astype(np.float32)
    matrix = sparse.csr_matrix(X) if kind == "sparse" else X
    flat = matrix.data if kind == "sparse" else X.reshape(-1)
    with Vandal((flat, np.array([np.nan, np.inf, -1e38, 1e-45], np.float32)), (y, np.array([np.nan, 1e9], np.float32))):
        for _ in range(ROUNDS):
            fit_and_predict(matrix, y, qid)


def test_numbers_of_users_and_items():
    rng = np.random.default_rng(2)
    names = [str(i).encode() for i in range(40)]
    users, items = np.repeat(np.arange(20, dtype=np.uint32), 10), np.tile(np.arange(10, dtype=np.uint32), 20)
    values = rng.integers(1, 6, 200).astype(np.float32)
    model = dorm.recommend.DormFactorization(rank=2, n_jobs=1).fit((users.copy(), items.copy(), values))
    wild = np.array([2**32 - 1, 10**6, 20, 0], dtype=np.uint32)
    with Vandal((users, wild), (items, wild)):
        for _ in range(10 * ROUNDS):
            for call in (
                lambda: model.model_.score_pairs(users, items),
                lambda: model.model_.recommend(users, 3, False, 1),
                lambda: _core.Ratings(names, names, users, items, values),
            ):
                try:
                    call()
                except EXPECTED:
                    continue
