# SPDX-License-Identifier: Apache-2.0
"""Folders of `dorm export --to mlflow` and of `dorm.mlflow` in MLflow itself, which has not written them."""

import json
import os
import platform
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import PER_QUERY, SCALES
from yaml_names import ODD, random_names

import dorm

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
pyfunc = pytest.importorskip("mlflow.pyfunc")
pandas = pytest.importorskip("pandas")
yaml = pytest.importorskip("yaml")

from mlflow.exceptions import MlflowException  # noqa: E402

import dorm.mlflow  # noqa: E402

COMMAND = os.environ.get("DORM_COMMAND", str(Path(__file__).resolve().parents[2] / "build" / "dorm"))
NAMES = [str(j + 1) for j in range(7)]


@pytest.fixture(scope="module")
def frame(data):
    X, _, qid = data
    return pandas.DataFrame(X.astype(float), columns=NAMES).assign(qid=qid)


def exported(ranker, folder):
    """By the command."""
    ranker.save(folder / "m.json")
    subprocess.run([COMMAND, "export", folder / "m.json", "--to", "mlflow", "-o", folder / "model", "-q"], check=True)
    return folder / "model"


@pytest.mark.parametrize("scale", SCALES)
def test_a_folder_of_the_command_scores_as_the_ranker(data, fitted, frame, scale, tmp_path):
    X, _, qid = data
    served = pyfunc.load_model(str(exported(fitted[scale], tmp_path)))
    wanted = fitted[scale].predict(X, qid=qid)
    assert np.array_equal(served.predict(frame), wanted)
    mixed = np.random.default_rng(2).permutation(len(X))
    assert np.array_equal(served.predict(frame.iloc[mixed]), wanted[mixed])
    named = frame.assign(qid=[f"query {q}" for q in qid], another=1.0)[["qid", "another", *reversed(NAMES)]]
    assert np.array_equal(served.predict(named), wanted)
    if scale not in PER_QUERY:
        assert np.array_equal(served.predict(frame[NAMES]), wanted)
    again = dorm.mlflow.load_model(tmp_path / "model")
    assert np.array_equal(again.predict(X, qid=qid), wanted)


@pytest.mark.parametrize("scale", PER_QUERY)
def test_queries_are_asked_for(fitted, frame, scale, tmp_path):
    served = pyfunc.load_model(str(exported(fitted[scale], tmp_path)))
    with pytest.raises(MlflowException, match="qid"):
        served.predict(frame[NAMES])
    with pytest.raises(ValueError, match='within each query .* expected a column "qid"'):
        dorm.mlflow._load_pyfunc(tmp_path / "model").predict(frame[NAMES])


def test_missing_columns_are_named(fitted, frame, tmp_path):
    folder = exported(fitted["zscore"], tmp_path)
    with pytest.raises(MlflowException, match="3"):
        pyfunc.load_model(str(folder)).predict(frame.drop(columns="3"))
    with pytest.raises(ValueError, match="no columns for the features '3'"):
        dorm.mlflow._load_pyfunc(str(folder / "model.json")).predict(frame.drop(columns="3"))


@pytest.mark.parametrize("names", [ODD, *(random_names(30, seed) for seed in range(20))])
def test_odd_names_of_features(names, tmp_path):
    rng = np.random.default_rng(len(names))
    X, qid = rng.normal(size=(60, len(names))).astype(np.float32), np.repeat(np.arange(6), 10)
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(float)
    ranker = dorm.DormRanker(C=10, scale="zscore", n_jobs=1).fit(X, y, qid=qid, feature_names=names)
    ranker.export("mlflow", tmp_path / "model")
    served = pyfunc.load_model(str(tmp_path / "model"))
    assert served.metadata.get_input_schema().input_names() == [*names, "qid"]
    table = pandas.DataFrame(X.astype(float), columns=names)
    assert np.array_equal(served.predict(table[names[::-1]]), ranker.predict(X))


def test_two_thousand_features_and_missing_values(tmp_path):
    rng = np.random.default_rng(3)
    X, qid = rng.normal(size=(80, 2000)).astype(np.float32), np.repeat(np.arange(8), 10)
    y = (X[:, 5] > 0).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    names = [f"feature {j}" for j in range(2000)]
    ranker = dorm.DormRanker(C=1, scale="zscore", missing="mean", n_jobs=1).fit(X, y, qid=qid, feature_names=names)
    ranker.export("mlflow", tmp_path / "model")
    table = pandas.DataFrame(X.astype(float), columns=names)
    assert np.array_equal(pyfunc.load_model(str(tmp_path / "model")).predict(table), ranker.predict(X))


def test_kernels_and_wide_sparse_models(data, frame, tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    X, y, qid = data
    kernel = dorm.DormRanker(
        C=10, kernel="rbf:gamma=0.1", solver_options={"approximation": "nystroem:20"}, scale="zscore", n_jobs=1
    )
    kernel.fit(X, y, qid=qid).export("mlflow", tmp_path / "kernel")
    assert np.array_equal(pyfunc.load_model(str(tmp_path / "kernel")).predict(frame), kernel.predict(X, qid=qid))
    wide = sparse.lil_matrix((len(y), 9000), dtype=np.float32)
    wide[:, [3, 70, 8999]] = X[:, [0, 3, 4]]
    ranker = dorm.DormRanker(C=10, scale="none", n_jobs=1).fit(wide.tocsr(), y, qid=qid)
    ranker.export("mlflow", tmp_path / "wide")
    table = pandas.DataFrame(X[:, [0, 3, 4]].astype(float), columns=["4", "71", "9000"])
    scores = pyfunc.load_model(str(tmp_path / "wide")).predict(table)
    assert np.allclose(scores, ranker.predict(wide.tocsr()), rtol=1e-12, atol=1e-12)


def test_saved_and_logged_by_python(data, fitted, frame, tmp_path, monkeypatch):
    X, _, qid = data
    ranker, wanted = fitted["log-query-zscore"], fitted["log-query-zscore"].predict(X, qid=qid)
    path = tmp_path / "saved"
    dorm.mlflow.save_model(ranker, path, input_example=frame.head(3), metadata={"team": "search"})
    assert np.array_equal(pyfunc.load_model(str(path)).predict(frame), wanted)
    about = mlflow.models.Model.load(str(path))
    assert about.metadata["team"] == "search" and about.metadata["measure"] == "ndcg@10"
    assert about.flavors["python_function"]["python_version"] == platform.python_version()
    assert about.load_input_example(str(path)).shape == (3, 8)
    with pytest.raises(ValueError, match="new or empty"):
        dorm.mlflow.save_model(ranker, path)

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run():
        info = dorm.mlflow.log_model(ranker, name="ranker", metadata={"team": "search"})
    assert {"dorm", "python_function"} <= set(info.flavors)
    assert np.array_equal(pyfunc.load_model(info.model_uri).predict(frame), wanted)
    assert np.array_equal(dorm.mlflow.load_model(info.model_uri).predict(X, qid=qid), wanted)


def test_other_flavours_are_refused(tmp_path):
    (tmp_path / "MLmodel").write_text("flavors:\n  sklearn:\n    data: x\n")
    with pytest.raises(ValueError, match="has no flavour dorm; it has sklearn"):
        dorm.mlflow.load_model(tmp_path)


def test_the_description_is_plain(fitted, tmp_path):
    """Everything that a name could break stands in ASCII, in one quoted text."""
    about = (exported(fitted["minmax"], tmp_path) / "MLmodel").read_bytes()
    assert about.isascii()
    columns = json.loads(yaml.safe_load(about)["signature"]["inputs"])
    assert [column["name"] for column in columns] == [*NAMES, "qid"]
    assert [column["required"] for column in columns] == [True] * 7 + [False]
