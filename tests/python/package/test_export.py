# SPDX-License-Identifier: Apache-2.0
"""DormRanker.export and check_export: the files of `dorm export`, and the arithmetic of their targets."""

import sqlite3

import numpy as np
import pytest

import dorm


@pytest.fixture(scope="module")
def data():
    return dorm.synth(queries=30, features=4, seed=3)


@pytest.fixture(scope="module")
def ranker(data):
    return dorm.DormRanker(scale="zscore", C=10).fit(data)


def test_the_text_is_what_the_file_has(ranker, tmp_path):
    text = ranker.export("sql", names={"1": 'odd "name"'})
    assert ranker.export("sql", tmp_path / "m.sql", names={"1": 'odd "name"'}) is None
    assert (tmp_path / "m.sql").read_text() == text
    assert '"odd ""name"""' in text
    assert [file.name for file in tmp_path.iterdir()] == ["m.sql"]


def test_what_is_no_text_comes_as_bytes(ranker, tmp_path):
    content = ranker.export("onnx")
    ranker.export("onnx", tmp_path / "m.onnx")
    assert isinstance(content, bytes) and content == (tmp_path / "m.onnx").read_bytes()
    module = {}
    exec(ranker.export("python"), module)
    assert list(module["FEATURES"]) == ranker.model_.features


def test_sql_scores_as_predict_does(ranker, data):
    X = np.asarray(data.X, dtype=np.float64)
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE documents ("1" REAL, "2" REAL, "3" REAL, "4" REAL)')
    base.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", X.tolist())
    scores = [row[0] for row in base.execute(f"SELECT {ranker.export('sql')} FROM documents ORDER BY rowid")]
    assert scores == pytest.approx(ranker.predict(data), rel=1e-5, abs=1e-5)


def test_the_check_measures_both(ranker, data):
    check = ranker.check_export("sql", data)
    assert check.queries == 30
    assert check.changed_queries == 0
    assert check.largest_difference <= 1e-5
    assert check.before == ranker.score(data)
    assert check.after == pytest.approx(check.before)
    assert np.isnan(ranker.check_export("sql", data.X, qid=data.qid).before)


def test_folders(ranker, data, tmp_path):
    """The loader of MLflow's folder does without MLflow; tests/integrations has the rest."""
    pandas = pytest.importorskip("pandas")
    ranker.export("mlflow", tmp_path / "a" / "model")
    files = sorted(file.name for file in (tmp_path / "a" / "model").iterdir())
    assert files == ["MLmodel", "model.json", "python_env.yaml", "requirements.txt"]
    served = dorm.mlflow._load_pyfunc(str(tmp_path / "a" / "model" / "model.json"))
    frame = pandas.DataFrame(data.X, columns=["1", "2", "3", "4"])
    assert np.array_equal(served.predict(frame), ranker.predict(data))
    assert np.array_equal(served.predict(np.asarray(data.X)), ranker.predict(data))
    with pytest.raises(ValueError, match="no columns for the features '2'"):
        served.predict(frame.drop(columns="2"))
    with pytest.raises(ValueError, match="mlflow is a folder; pass path="):
        ranker.export("mlflow")
    assert ranker.check_export("modelcard", data).largest_difference == 0


def test_mistakes_are_named(ranker, data):
    with pytest.raises(ValueError, match='unknown target "sqll"'):
        ranker.export("sqll")
    with pytest.raises(ValueError, match="which the model does not have"):
        ranker.export("sql", names={"bm25": "x"})
    with pytest.raises(ValueError, match="needs no features"):
        ranker.export("sql", features="features.json")
    with pytest.raises(NotImplementedError, match="depends on the other documents"):
        dorm.DormRanker(scale="log-query-zscore", C=10).fit(data).export("sql")
    assert "sql" in dorm.catalog("target")
