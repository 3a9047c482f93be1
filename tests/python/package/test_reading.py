# SPDX-License-Identifier: Apache-2.0
"""Tables as people have them: roles of columns, missing values, files without labels, Parquet and Arrow."""

import pickle
import warnings

import numpy as np
import pytest

import dorm

MESSY = """search,url,title,grade,clicks,bm25,fresh
shoes,a,Red shoes,2,10,7.5,0.5
shoes,b,Hats,0,3,1.5,
hats,c,Hats,1,4,6.5,0.25
shoes,d,Blue shoes,1,2,4.5,1.5
hats,e,Shoes,0,1,0.5,NaN
"""
ROLES = {"query_column": "search", "label_column": "grade", "document_column": "url", "ignore_columns": ["title"]}


@pytest.fixture
def messy(tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text(MESSY)
    return path


@pytest.mark.parametrize("reader", [dorm.read_csv, dorm.read_letor])
def test_columns_have_roles(messy, reader):
    data = reader(messy, **ROLES, missing="mean")
    assert data.feature_names == ["clicks", "bm25", "fresh"]
    assert data.document_ids == ["a", "b", "d", "c", "e"]
    assert data.qid.tolist() == ["shoes"] * 3 + ["hats"] * 2
    assert data.y.tolist() == [2, 0, 1, 1, 0]
    assert data.X[1, 2] == np.float32((0.5 + 0.25 + 1.5) / 3)
    assert data.source_rows.tolist() == [0, 1, 3, 2, 4]


def test_what_is_no_column_is_refused(messy):
    with pytest.raises(TypeError, match="unexpected argument 'labl_column'"):
        dorm.read_letor(messy, labl_column="grade")
    with pytest.raises(ValueError, match='missing is "median"'):
        dorm.read_csv(messy, **ROLES, missing="median")
    with pytest.raises(ValueError, match="label"):
        dorm.read_csv(messy, query_column="search")


def test_a_table_is_read_as_the_file_is(messy):
    pandas = pytest.importorskip("pandas")
    file = dorm.read_csv(messy, **ROLES, missing="mean")
    table = pandas.read_csv(messy)
    tables = [table]
    if (polars := pytest.importorskip("polars")) is not None:
        tables += [polars.from_pandas(table), polars.from_pandas(table).lazy()]
    tables.append(pytest.importorskip("pyarrow").Table.from_pandas(table))
    for each in tables:
        data = dorm.read_table(each, **ROLES, missing="mean")
        assert data.feature_names == file.feature_names
        assert data.qid.tolist() == file.qid.tolist()
        assert data.document_ids == file.document_ids
        assert np.array_equal(data.y, file.y)
        assert np.array_equal(data.X, file.X)
        assert data.source_rows.tolist() == file.source_rows.tolist()
        assert {k: data.input[k] for k in ROLES} == ROLES
        assert data.input["means"] == pytest.approx(file.input["means"])


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow", "t.arrows"])
def test_columnar_files(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table({"qid": [1, 1, 2], "label": [1, 0, 2], "f": [0.5, 0.25, 0.75], "weight": [2.0, 2.0, 1.0]})
    path = tmp_path / name
    if name.endswith("parquet"):
        pyarrow.parquet.write_table(table, path)
    elif name.endswith("feather"):
        pyarrow.feather.write_feather(table, path)
    else:
        make = pa.ipc.new_stream if name.endswith("arrows") else pa.ipc.new_file
        with make(str(path), table.schema) as writer:
            writer.write_table(table)
    data = dorm.read_table(path)
    assert data.X.tolist() == [[0.5], [0.25], [0.75]]
    assert data.qid.tolist() == [1, 1, 2]
    assert data.sample_weight.tolist() == [2, 1]


def test_what_tables_lack_is_named(messy, tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(messy)
    with pytest.raises(ValueError, match="no column 'qid' for the queries; pass query_column=, one of 'search', 'url'"):
        dorm.read_table(table)
    with pytest.raises(ValueError, match=r"columns 'url', 'title' .* pass ignore_columns=\['url', 'title'\]"):
        dorm.read_table(table, query_column="search", label_column="grade")
    with pytest.raises(ValueError, match="ignore_columns names 'tilte'"):
        dorm.read_table(table, query_column="search", label_column="grade", ignore_columns="tilte")
    with pytest.raises(ValueError, match="dorm.read_csv"):
        dorm.read_table(messy)
    with pytest.raises(ValueError, match="source is a list"):
        dorm.read_table([1, 2])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        dorm.read_table(tmp_path / "t.parquet")


def test_what_is_scored_is_read_as_what_was_trained_on(messy, tmp_path):
    """The skew of users.md: a file of one query has means of its own, which must not be used."""
    pandas = pytest.importorskip("pandas")
    train = dorm.read_csv(messy, **ROLES, missing="mean")
    ranker = dorm.DormRanker(C=10, scale="zscore", n_jobs=1).fit(train)
    whole = ranker.predict(train)
    lines = MESSY.splitlines()
    header = lines[0].replace(",grade", "")
    without = [line.split(",") for line in lines[1:] if line.startswith("hats")]
    alone = tmp_path / "alone.csv"
    alone.write_text("\n".join([header, *(",".join([*row[:3], *row[4:]]) for row in without)]) + "\n")
    data = dorm.read_csv(alone, like=ranker)
    assert data.y is None
    assert "no labels" in repr(data)
    assert np.array_equal(ranker.predict(data), whole[3:])
    frame = dorm.read_table(pandas.read_csv(alone), like=ranker)
    assert np.array_equal(ranker.predict(frame), whole[3:])
    gaps = pandas.read_csv(alone)[["clicks", "bm25", "fresh"]]
    assert np.array_equal(ranker.predict(gaps), whole[3:])
    ranker.save(tmp_path / "m.json")
    again = dorm.DormRanker.load(tmp_path / "m.json")
    assert again.missing == "mean"
    for one in (again, pickle.loads(pickle.dumps(ranker))):
        assert np.array_equal(one.predict(gaps), whole[3:])
    assert np.array_equal(ranker.predict(dorm.read_csv(alone, like=tmp_path / "m.json")), whole[3:])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("missing", ["zero", "mean"])
def test_missing_values_of_arrays(data, missing, kind):
    X, y, qid = data
    holes = X.astype(np.float64)
    holes[::7, 2] = np.nan
    holes[::11, 5] = np.inf
    expected = X.copy()
    for j in range(7):
        gone = ~np.isfinite(holes[:, j])
        expected[gone, j] = 0 if missing == "zero" else holes[~gone, j].mean()
    if kind == "sparse":
        from scipy import sparse

        holes = sparse.csr_matrix(holes)
    with pytest.raises(ValueError, match="NaN at row 0, column 2"):
        dorm.DormRanker(n_jobs=1).fit(holes, y, qid=qid)
    ranker = dorm.DormRanker(C=10, n_jobs=1, missing=missing).fit(holes, y, qid=qid)
    filled = dorm.DormRanker(C=10, n_jobs=1).fit(expected, y, qid=qid)
    close = 1e-4 if kind == "dense" else 0.1  # sums of compressed rows round differently on the way to the gap
    assert np.allclose(ranker.coef_, filled.coef_, rtol=close, atol=close)
    assert np.allclose(ranker.predict(holes), ranker.predict(expected), rtol=1e-5)
    assert np.allclose(ranker.predict(holes[:1]), ranker.predict(expected[:1]), rtol=1e-5)  # not its own means
    assert ranker.score(holes, y, qid=qid) == pytest.approx(filled.score(expected, y, qid=qid), abs=0.01)
    judged = ranker.fit(holes, y, qid=qid, eval_set=(holes, y), eval_qid=qid)
    assert judged.report_.validation > 0.3


def test_missing_values_of_a_stream(data):
    X, y, qid = data
    holes = X.copy()
    holes[0, 0] = np.nan
    with pytest.raises(ValueError, match="partial_fit cannot know the means"):
        dorm.DormRanker(missing="mean").partial_fit(holes, y, qid=qid)
    assert np.isfinite(dorm.DormRanker(missing="zero").partial_fit(holes, y, qid=qid).coef_).all()
    with pytest.raises(ValueError, match='missing is "median"'):
        dorm.DormRanker(missing="median").fit(X, y, qid=qid)


@pytest.mark.parametrize("kind", ["frame", "array", "sparse"])
def test_a_label_left_among_the_features_is_told(data, kind):
    pandas = pytest.importorskip("pandas")
    from scipy import sparse

    X, y, qid = data
    leaky = np.c_[X, y]
    made = {"frame": pandas.DataFrame(leaky).add_prefix("f"), "array": leaky, "sparse": sparse.csr_matrix(leaky)}[kind]
    name = "'f7'" if kind == "frame" else "7"
    with pytest.warns(UserWarning, match=f"column {name} of X equals y in every row"):
        dorm.DormRanker(C=1, n_jobs=1, scale="none").fit(made, y, qid=qid)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dorm.DormRanker(C=1, n_jobs=1).fit(X, y, qid=qid)


def test_limits_on_groups(tmp_path):
    data = dorm.synth(queries=40, features=5, groups=4, seed=1, n_jobs=1)
    free = dorm.DormRanker(C=10, n_jobs=1).fit(data)
    ranker = dorm.DormRanker(C=10, n_jobs=1, solver_options={"one_per": "group"}).fit(data)
    places = ranker.rank(data)
    for query in np.unique(data.qid):
        rows = np.flatnonzero(data.qid == query)
        shown = sorted((places[r], data.groups[r]) for r in rows if places[r] > 0)
        assert [place for place, _ in shown] == list(range(1, len(shown) + 1))
        named = [group for _, group in shown if group]
        assert len(set(named)) == len(named)
    assert (free.rank(data) > 0).all()
    assert (free.rank(data, one_per="group") == 0).any()
    assert (ranker.rank(data, one_per="") > 0).all()
    scores = ranker.predict(data)
    limited = dorm.evaluate(data.y, scores, qid=data.qid, measures="ndcg@10", one_per="group", groups=data.groups)
    assert ranker.score(data) == limited.measures[0].mean
    assert ranker.score(data) != dorm.evaluate(data.y, scores, qid=data.qid, measures="ndcg@10").measures[0].mean
    ranker.save(tmp_path / "m.json")
    assert np.array_equal(dorm.DormRanker.load(tmp_path / "m.json").rank(data), places)


LOG = """{"qid": "a", "response": {"hits": {"hits": [
 {"_id": "1", "fields": {"_ltrlog": [{"e": [{"name": "x", "value": 1.5}, {"name": "y"}]}]}},
 {"_id": "2", "fields": {"_ltrlog": [{"e": [{"name": "x"}, {"name": "y", "value": 2}]}]}}]}}}
{"responseHeader": {"params": {"q": "b"}}, "response": {"docs": [{"id": "1", "[features]": "y=-3.0"}]}}
"""


def test_logs_of_search_engines_are_joined_with_judgments(tmp_path):
    log, qrels = tmp_path / "log.json", tmp_path / "q.csv"
    log.write_text(LOG)
    qrels.write_text("qid,docid,label\na,2,3\nb,1,1\n")
    with pytest.warns(UserWarning, match="1 of 3 documents have no judgment"):
        data = dorm.read_letor(log, qrels=qrels)
    assert data.feature_names == ["x", "y"]
    assert data.X.tolist() == [[1.5, 0], [0, 2], [0, -3]]
    assert data.y.tolist() == [-1, 3, 1]
    assert (data.qid.tolist(), data.document_ids) == (["a", "a", "b"], ["1", "2", "1"])
    assert dorm.read_letor(log, labels=False, query_ids=[7, 8]).qid.tolist() == [7, 7, 8]
    (tmp_path / "ids").write_text("c\n\nd\n")
    assert dorm.read_letor(log, labels=False, query_ids=tmp_path / "ids").qid.tolist() == ["c", "c", "d"]
    with pytest.raises(ValueError, match="a log of features has no labels"):
        dorm.read_letor(log)
    assert len(dorm.read_qrels(qrels)) == 2
