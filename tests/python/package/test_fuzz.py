"""Random types, shapes, strides and queries: an answer or a Python error, never a crash. tests/asan_python.sh runs this
under the address sanitizer; DORM_FUZZ_ROUNDS sets how long."""

import os
import warnings

import numpy as np
import pytest
from scipy import sparse

import dorm
from dorm import _core

ROUNDS = int(os.environ.get("DORM_FUZZ_ROUNDS", "300"))
EXPECTED = (ValueError, TypeError, IndexError, OverflowError, NotImplementedError)
DTYPES = ["f4", "f8", ">f4", "f2", "g", "i1", "u1", "i4", "i8", "u8", "?", "O", "U3", "c8", "M8[s]"]


def random_matrix(rng):
    rows, columns = int(rng.integers(0, 14)), int(rng.integers(0, 6))
    base = rng.normal(size=(2 * rows + 2, 2 * columns + 2)) * 3
    if rng.random() < 0.1:
        base[rng.integers(0, base.shape[0]), rng.integers(0, base.shape[1])] = rng.choice([np.nan, np.inf, 1e300])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        base = np.abs(base).astype("i8").astype("M8[s]") if (t := rng.choice(DTYPES)) == "M8[s]" else base.astype(t)
    if rng.random() < 0.3:
        base = np.asfortranarray(base)
    step = rng.choice([-2, -1, 1, 2], size=2)
    view = base[:: step[0], :: step[1]][:rows, :columns]
    if rng.random() < 0.1:
        view = np.broadcast_to(view[:1], (rows, columns)) if rows else view
    if rng.random() < 0.1 and view.size:
        raw = np.zeros(view.size * view.itemsize + 1, dtype="u1")  # not aligned
        moved = np.frombuffer(raw.data, dtype=view.dtype, count=view.size, offset=1) if view.dtype != object else view
        view = moved.reshape(view.shape)
    if rng.random() < 0.2 and view.dtype.kind in "fiub" and view.dtype.itemsize <= 8 and view.dtype.isnative:
        kinds = [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_array]
        view = kinds[rng.integers(4)](view.astype("f4") if view.dtype == "f2" else view)
        if rng.random() < 0.2 and view.nnz and hasattr(view, "indices"):
            view.indices[rng.integers(view.nnz)] = rng.choice([-1, 0, 2**31 - 1])
            view.has_canonical_format = bool(rng.integers(2))
        if rng.random() < 0.1 and hasattr(view, "indptr"):
            view.indptr[rng.integers(len(view.indptr))] += rng.choice([-1, 1, 1000])
    return view


def random_queries(rng, rows):
    length = rows if rng.random() < 0.9 else int(rng.integers(0, 20))
    ids = rng.integers(0, 4, length)
    if rng.random() < 0.6:
        ids = np.sort(ids)
    kinds = [ids, ids.astype(str), ids.astype(object), ids.astype("f8"), ids.tolist(), ids.astype("S"), ids[::-1], None]
    arguments = {"qid": kinds[rng.integers(len(kinds))]}
    if rng.random() < 0.3:
        arguments = {"group": rng.integers(0, 7, int(rng.integers(0, 5)))}
        if rng.random() < 0.7 and rows > 1:
            cut = int(rng.integers(1, rows))
            arguments = {"group": [cut, rows - cut]}
    if rng.random() < 0.2:
        arguments["sample_weight"] = rng.random(int(rng.integers(0, rows + 2)))
    return arguments


@pytest.mark.parametrize("part", range(10))
def test_any_input_gives_an_answer_or_an_error(part):
    rng = np.random.default_rng(part)
    answers = 0
    for _ in range(ROUNDS // 10):
        X = random_matrix(rng)
        y = rng.integers(0, 3, X.shape[0]).astype(rng.choice(["f4", "f8", "i1", "O"]))
        queries = random_queries(rng, X.shape[0])
        scale = rng.choice(["auto", "none", "zscore", "query-minmax"])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = dorm.DormRanker(scale=scale, solver_options={"max_passes": 3}, n_jobs=1).fit(X, y, **queries)
                queries.pop("sample_weight", None)
                scores = model.predict(X, **queries)
                parts = model.explain(X, **queries)
        except EXPECTED:
            continue
        answers += 1
        assert np.isfinite(scores).all()
        np.testing.assert_allclose(np.asarray(parts.sum(axis=1)).ravel(), scores, rtol=1e-6, atol=1e-6)
    assert answers > ROUNDS // 10 // 20


def test_the_core_itself_refuses_what_does_not_fit():
    """Below the checks of the package: arrays of any length and content."""
    rng = np.random.default_rng(0)
    answers = 0
    for _ in range(10 * ROUNDS):
        rows, columns, queries = (int(n) for n in rng.integers(0, 5, 3))
        small = lambda n, kind: rng.integers(0, 6, max(0, n + int(rng.integers(-1, 2)) * (rng.random() < 0.1))).astype(
            kind
        )
        try:
            ends = np.sort(small(queries, "u8"))
            if len(ends) and rng.random() < 0.8:
                ends = np.unique(np.r_[ends[:-1] % max(rows, 1), rows]).astype("u8")
                ends = ends[ends > 0]
            ids = [str(k) for k in range(len(ends) + int(rng.random() < 0.05))]
            documents = _core.Documents(small(rows, "f4"), ends, ids, small(0, "f8"), small(0, "u8"), [])
            if rng.random() < 0.5:
                matrix = rng.random((rows, columns)).astype("f4")
                dataset = _core.Dataset.borrow_dense(matrix[:: rng.choice([-1, 1])], documents)
            else:
                row_end = np.sort(small(rows, "u8"))
                stored = int(row_end[-1]) if len(row_end) and rng.random() < 0.9 else 3
                values, where = rng.random(stored).astype("f4"), rng.integers(0, max(columns, 1), stored).astype("u4")
                dataset = _core.Dataset.borrow_sparse(values, where, row_end, columns, documents)
            dataset.fingerprint()
            options = _core.TrainOptions()
            options.threads = options.max_passes = 1
            _core.train(dataset, options, None, None, None, None)
            answers += 1
        except EXPECTED:
            continue
    assert answers > ROUNDS // 20
