"""Every kind of matrix and of query id gives the same model, and borrowed ones are not copied."""

import datetime
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import dorm
from dorm._input.dataset import make_dataset
from dorm._input.features import read_features
from dorm._input.queries import read_queries


def weights_of(X, y, **queries):
    return dorm.DormRanker(C=10, n_jobs=1).fit(X, y, **queries).coef_


def strided(X):
    wide = np.full((2 * len(X), X.shape[1] + 3), np.float32(np.nan))
    wide[::2, 1:-2] = X
    return wide[::2, 1:-2]


def shifted(X):
    """At an address that is a multiple of 4, but not of 32."""
    buffer = np.empty(X.size + 1, dtype=np.float32)
    view = buffer[1:].reshape(X.shape)
    view[:] = X
    return view


def read_only(X):
    copy = X.copy()
    copy.flags.writeable = False
    return copy


DENSE = {
    "C order": lambda X: X,
    "F order": np.asfortranarray,
    "float64": lambda X: X.astype(np.float64),
    "float64 F order": lambda X: np.asfortranarray(X, dtype=np.float64),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big endian": lambda X: X.astype(">f4"),
    "rows apart": strided,
    "unaligned rows": shifted,
    "backwards": lambda X: X[::-1].copy()[::-1],
    "read only": read_only,
    "nested lists": lambda X: X.tolist(),
    "objects": lambda X: X.astype(object),
    "masked": np.ma.masked_array,
}


@pytest.mark.parametrize("kind", DENSE)
def test_dense_layouts_give_the_same_bits(data, ranker, kind):
    X, y, qid = data
    assert np.array_equal(weights_of(DENSE[kind](X), y, qid=qid), ranker.coef_)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64, bool, np.float16])
def test_small_numbers_of_any_type(data, dtype):
    X, y, qid = data
    whole = (X > 0.5) if dtype is bool else np.floor(8 * X)
    expected = dorm.DormRanker(scale="none", n_jobs=1).fit(whole.astype(np.float32), y, qid=qid).coef_
    assert np.array_equal(dorm.DormRanker(scale="none", n_jobs=1).fit(whole.astype(dtype), y, qid=qid).coef_, expected)


@pytest.mark.parametrize(
    "make", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_sparse_kinds_give_the_same_bits(data, make, dtype):
    X, y, qid = data
    thin = np.floor(X * (X > 0.5) * 4).astype(dtype)
    expected = weights_of(sparse.csr_matrix(thin.astype(np.float32)), y, qid=qid)
    assert np.array_equal(weights_of(make(thin), y, qid=qid), expected)
    np.testing.assert_allclose(expected, weights_of(thin.astype(np.float32), y, qid=qid), rtol=0.5, atol=0.02)


def test_sparse_rows_with_repeated_or_unsorted_columns_are_put_right(data):
    X, y, qid = data
    thin = sparse.csr_matrix(X * (X > 0.5))
    messy = thin.copy()
    for row in range(messy.shape[0]):
        part = slice(messy.indptr[row], messy.indptr[row + 1])
        messy.indices[part] = messy.indices[part][::-1].copy()
        messy.data[part] = messy.data[part][::-1].copy()
    messy.has_sorted_indices = messy.has_canonical_format = False
    before = messy.indices.copy()
    assert np.array_equal(weights_of(messy, y, qid=qid), weights_of(thin, y, qid=qid))
    assert np.array_equal(messy.indices, before)
    wide = sparse.csr_matrix((thin.data, thin.indices.astype(np.int64), thin.indptr.astype(np.int64)), thin.shape)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert np.array_equal(weights_of(wide, y, qid=qid), weights_of(thin, y, qid=qid))


def test_a_lying_sparse_matrix_is_refused(data):
    X, y, qid = data
    for spoil in ("high", "negative"):
        matrix = sparse.csr_matrix(X)
        matrix.indices[5] = 7 if spoil == "high" else -3
        matrix.has_canonical_format = True
        with pytest.raises(ValueError, match="is damaged"):
            dorm.DormRanker().fit(matrix, y, qid=qid)


def test_wide_sparse_data_has_weights_for_the_columns_in_use(data):
    X, y, qid = data
    columns = np.array([0, 5, 100, 2**21, 2**22, 2**24 + 1, 2**25])
    thin = sparse.csr_matrix(X)
    wide = sparse.csr_matrix((thin.data, columns[thin.indices], thin.indptr), shape=(len(y), 2**25 + 9))
    model = dorm.DormRanker(C=10, n_jobs=1).fit(wide, y, qid=qid)
    assert np.array_equal(model.coef_[columns], weights_of(thin, y, qid=qid))
    assert np.count_nonzero(model.coef_) <= 7
    np.testing.assert_allclose(model.predict(wide), wide @ model.coef_, rtol=1e-9)


def frames():
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    return {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames_with_a_column_qid(data, ranker, library):
    X, y, qid = data
    make = frames()[library]
    columns = {f"f{j}": X[:, j] for j in range(X.shape[1])}
    frame = make({**columns, "qid": [f"q{i}" for i in qid]})
    model = dorm.DormRanker(C=10, n_jobs=1).fit(frame, y)
    assert np.array_equal(model.coef_, ranker.coef_)
    assert list(model.feature_names_in_) == list(columns)
    assert model.score(frame, y) == ranker.score(X, y, qid=qid)
    assert np.array_equal(model.rank(frame), ranker.rank(X, qid))
    assert np.array_equal(model.predict(make(columns)), ranker.predict(X))  # the queries are not needed here
    without = make(columns)
    ids = make({"id": qid})["id"]  # a column of its own
    assert np.array_equal(dorm.DormRanker(C=10, n_jobs=1).fit(without, y, qid=ids).coef_, ranker.coef_)
    labels = make({"y": y})["y"]
    assert np.array_equal(dorm.DormRanker(C=10, n_jobs=1).fit(frame, labels).coef_, ranker.coef_)
    with pytest.raises(ValueError, match='X has a column "qid", so qid= and group= must not be passed'):
        model.fit(frame, y, qid=qid)
    with pytest.raises(ValueError, match="yet now missing:\n- f6"):
        model.predict(make({name: X[:, 0] for name in list(columns)[:-1]}))
    with pytest.raises(ValueError, match="in the same order as they were in fit.\nSelect the columns by name"):
        model.predict(make(dict(reversed(columns.items()))))
    cure = "drop it, or pass encode={'f2': 'onehot'}"
    with pytest.raises(ValueError, match=f"column 'f2' of X .* cannot be read as numbers: {cure}"):
        model.fit(make({**columns, "f2": ["a"] * len(y)}), y, qid=qid)
    with pytest.raises(ValueError, match="X contains NaN at row 3, column 1"):
        model.fit(make({**columns, "f1": [None if i == 3 else 0.5 for i in range(len(y))]}), y, qid=qid)


def test_pandas_by_other_names(data, ranker):
    pandas = pytest.importorskip("pandas")
    X, y, qid = data
    numbered = pandas.DataFrame(X.astype(float))
    model = dorm.DormRanker(C=10, n_jobs=1).fit(numbered.assign(qid=qid), y)
    assert np.array_equal(model.coef_, ranker.coef_)
    assert not hasattr(model, "feature_names_in_")
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        model.fit(numbered.rename(columns={0: "a"}), y, qid=qid)
    with pytest.raises(ValueError, match="'a' occurs more than once"):
        model.fit(numbered.set_axis(list("aabcdef"), axis=1), y, qid=qid)
    nullable = pandas.DataFrame({"a": pandas.array([1, None, 3, 4], dtype="Int64"), "b": [1.0, 2, 3, 4]})
    with pytest.raises(ValueError, match="NaN at row 1, column 0"):
        model.fit(nullable, [0, 1, 0, 1], qid=[1, 1, 2, 2])


def test_ids_of_any_type(data, ranker):
    X, y, qid = data
    pandas = pytest.importorskip("pandas")
    kinds = {
        "int8": qid.astype(np.int8),
        "uint64": qid.astype(np.uint64) + np.uint64(2**63),
        "text": qid.astype(str),
        "bytes": qid.astype("S"),
        "list": qid.tolist(),
        "list of text": [f"query {i}" for i in qid],
        "tuples": [(i, "x") for i in qid.tolist()],
        "mixed": [i if i % 2 else str(i) for i in qid.tolist()],
        "objects": qid.astype(object),
        "dates": np.datetime64("2020-01-01") + qid,
        "column": qid.reshape(-1, 1),
        "series": pandas.Series(qid.astype(str), index=np.arange(len(qid))[::-1]),
        "categorical": pandas.Categorical(qid.astype(str)),
        "categorical series": pandas.Series(pandas.Categorical(qid)),
        "string": pandas.array(qid.astype(str), dtype="string"),
        "nullable": pandas.array(qid, dtype="Int64"),
    }
    for kind, ids in kinds.items():
        assert np.array_equal(weights_of(X, y, qid=ids), ranker.coef_), kind
    with pytest.raises(ValueError, match="no id at row 1"):
        weights_of(X, y, qid=pandas.array([1, None, *qid[2:]], dtype="Int64"))


def test_equal_text_and_number_are_different_queries():
    queries = read_queries([1, "1", 1, "1"], None, 4)
    assert queries.sizes.tolist() == [2, 2]
    assert queries.order.tolist() == [0, 2, 1, 3]


def test_borrowed_rows_are_not_copied(data):
    X, y, qid = data
    queries = read_queries(qid, None, len(qid))
    assert queries.order is None
    for rows in (X, strided(X), shifted(X), X[:, 2:5], read_only(X)):
        dataset = make_dataset(read_features(rows), y, queries)
        assert np.shares_memory(dataset.dense_values(), rows)
        assert np.array_equal(dataset.dense_values(), rows)
    for rows in (np.asfortranarray(X), X.astype(np.float64)):
        assert not np.shares_memory(make_dataset(read_features(rows), y, queries).dense_values(), rows)
    matrix = sparse.csr_matrix(X)
    values, columns, _ = make_dataset(read_features(matrix), y, queries).sparse_values()
    assert np.shares_memory(values, matrix.data)
    assert not np.shares_memory(columns, matrix.indices)  # what says where to read is a copy


def test_borrowed_rows_outlive_their_name(data):
    X, y, qid = data
    rows = X.copy()
    dataset = make_dataset(read_features(rows), y, read_queries(qid, None, len(qid)))
    view = dataset.dense_values()
    del rows, dataset
    assert np.array_equal(view, X)


WIDE = """
import resource, numpy as np, dorm
from scipy import sparse
rng = np.random.default_rng(1)
rows, width = 60, 2**31 - 1
y = rng.integers(0, 3, rows)
qid = np.repeat(np.arange(10), 6)
indices = np.sort(rng.integers(0, width - 1, (rows, 4)), axis=1)
indices[:, 3] = width - 1  # every row has the last column, which tells the label
values = np.c_[rng.random((rows, 3)), y + 0.1 * rng.random(rows)]
X = sparse.csr_matrix((values.ravel(), indices.ravel(), np.arange(0, 4 * rows + 1, 4)), shape=(rows, width))
dorm.DormRanker  # imports what it needs
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20),) * 2)
for scale in ("none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore"):
    ranker = dorm.DormRanker(scale=scale, C=100, n_jobs=1).fit(X, y, qid=qid)
    scores = ranker.predict(X, qid=qid)
    assert ranker.score(X, y, qid=qid) > 0.99, scale
    parts = ranker.explain(X, qid=qid)
    assert sparse.issparse(parts) and parts.shape == X.shape
    np.testing.assert_allclose(np.asarray(parts.sum(axis=1)).ravel(), scores, rtol=1e-5, atol=1e-5)
    assert ranker.n_features_in_ == width and len(ranker.model_.weights) <= 181
stream = dorm.DormRanker(scale="none", C=100).partial_fit(X, y, qid=qid)
assert np.isfinite(stream.predict(X)).all()
print("fitted")
"""


def test_two_billion_columns_cost_what_the_values_cost():
    done = subprocess.run([sys.executable, "-c", WIDE], capture_output=True, text=True)
    assert done.stdout == "fitted\n", done.stderr


def test_wide_files_are_read_as_wide_matrices(tmp_path):
    for first, width in ((1, 99999998), (0, 99999999)):
        file = tmp_path / f"{first}.txt"
        file.write_text(f"1 qid:1 {first}:2 99999998:1\n0 qid:1 7:3\n")
        data = dorm.read_letor(file)
        if first == 1:
            assert data.feature_names is None and data.X.shape == (2, width)
            assert sorted(data.X.indices) == [0, 6, 99999997]
        else:  # names for all would be too many
            assert data.feature_names == ["0", "7", "99999998"] and data.X.shape == (2, 3)
            np.testing.assert_array_equal(data.X.toarray(), [[2, 0, 1], [0, 3, 0]])


def test_small_frames_are_read_at_once_and_large_ones_by_column_alike(data, monkeypatch):
    pandas = pytest.importorskip("pandas")
    X, _, qid = data
    frame = pandas.DataFrame(X, columns=list("abcdefg"))
    frames = [frame, frame.astype(np.float64), (frame * 100).astype(int), frame > 0.5, frame.assign(a=range(len(X)))]
    frames += [each.assign(qid=qid) for each in frames] + [frame.assign(qid=[f"q{i}" for i in qid])]
    frames += [frame[["a", "b"]].assign(qid=qid, c=frame["c"]), frame.astype("Float32")]
    quick = [read_features(each) for each in frames]
    monkeypatch.setattr("dorm._input.features._SMALL", 0)
    for each, before in zip(frames, quick):
        slow = read_features(each)
        assert slow.names == before.names
        assert np.array_equal(slow.values, before.values)
        assert before.values.dtype == np.float32
        assert before.values.flags.c_contiguous
        assert (slow.qid is None) == (before.qid is None)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_column_of_dates_is_an_age(library):
    frames = pytest.importorskip(library)
    columns = {"bm25": [1.0, 2.0], "day": [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]}
    if library == "pandas":
        columns["day"] = frames.to_datetime(columns["day"])
    frame = frames.table(columns) if library == "pyarrow" else frames.DataFrame(columns)
    assert read_features(frame).values[:, 1].tolist() == [1, 0]


def test_a_lazy_frame_is_to_be_collected():
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"pass X\.collect\(\)"):
        read_features(polars.DataFrame({"bm25": [1.0]}).lazy())
