# SPDX-License-Identifier: Apache-2.0
"""Rankers through skops, joblib, pickle, copies and clones: the same scores to the last bit, and what was fitted."""

import copy
import io
import pickle

import numpy as np
import pytest
from conftest import SCALES
from sklearn.base import clone

import dorm


def by_pickle(ranker):
    return pickle.loads(pickle.dumps(ranker))


def by_joblib(ranker):
    joblib = pytest.importorskip("joblib")
    memory = io.BytesIO()
    joblib.dump(ranker, memory)
    memory.seek(0)
    return joblib.load(memory)


def by_skops(ranker):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    text = skops.dumps(ranker)
    # The one type that a reader has to trust: skops knows those of scikit-learn alone.
    assert skops.get_untrusted_types(data=text) == ["dorm._rankers.ranker.DormRanker"]
    return skops.loads(text, trusted=["dorm._rankers.ranker.DormRanker"])


WAYS = [by_pickle, by_joblib, by_skops, copy.deepcopy, copy.copy]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", SCALES)
def test_scores_and_attributes_survive(data, fitted, scale, way):
    X, y, qid = data
    ranker = fitted[scale]
    twin = way(ranker)
    assert np.array_equal(twin.predict(X, qid=qid), ranker.predict(X, qid=qid))
    assert twin.model_.to_json() == ranker.model_.to_json()
    assert twin.get_params() == ranker.get_params()
    assert twin.n_features_in_ == ranker.n_features_in_ and np.array_equal(twin.coef_, ranker.coef_)
    assert str(twin.report_) == str(ranker.report_) and twin.report_.certificate == ranker.report_.certificate
    assert twin.report_.history == ranker.report_.history
    assert twin.score(X, y, qid=qid) == ranker.score(X, y, qid=qid)


@pytest.mark.parametrize("way", WAYS)
def test_names_gaps_kernels_and_loaded_models(data, tmp_path, way):
    pandas = pytest.importorskip("pandas")
    X, y, qid = data
    frame = pandas.DataFrame(X, columns=["a", "ü b", 'c"d', "yes", "1e3", "f\n", "g"]).assign(qid=qid)
    holes = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.1).assign(qid=qid)
    named = dorm.DormRanker(C=10, missing="mean", n_jobs=1).fit(holes, y)
    kernel = dorm.DormRanker(
        C=10, kernel="rbf:gamma=0.1", solver_options={"approximation": "nystroem:20"}, scale="zscore", n_jobs=1
    )
    kernel.fit(X, y, qid=qid)
    named.save(tmp_path / "m.json")
    for ranker, given in ((named, holes), (kernel, X), (dorm.DormRanker.load(tmp_path / "m.json"), holes)):
        assert np.array_equal(way(ranker).predict(given), ranker.predict(given))
    assert list(way(named).feature_names_in_) == list(frame.columns[:-1])
    with pytest.raises(ValueError, match="feature names"):
        way(named).predict(frame[["ü b", "a", *frame.columns[2:]]])


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_goes_on(data, way):
    X, y, qid = data
    first = qid <= 20
    ranker = dorm.DormRanker(C=10, scale="none", n_jobs=1).partial_fit(X[first], y[first], qid=qid[first])
    twin = way(ranker)
    for each in (ranker, twin):
        each.partial_fit(X[~first], y[~first], qid=qid[~first])
    assert np.array_equal(twin.coef_, ranker.coef_)


def test_clones_and_unfitted_rankers(data, fitted):
    X, y, qid = data
    fresh = clone(fitted["zscore"])
    assert not hasattr(fresh, "model_") and fresh.get_params() == fitted["zscore"].get_params()
    assert np.array_equal(fresh.fit(X, y, qid=qid).coef_, fitted["zscore"].coef_)
    for way in WAYS:
        assert way(dorm.DormRanker(C=3)).get_params() == dorm.DormRanker(C=3).get_params()


def test_inside_a_pipeline(data):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, qid = data
    pipe = make_pipeline(StandardScaler(), dorm.DormRanker(C=10, scale="none", n_jobs=1)).fit(X, y, dormranker__qid=qid)
    twin = skops.loads(skops.dumps(pipe), trusted=["dorm._rankers.ranker.DormRanker"])
    assert np.array_equal(twin.predict(X), pipe.predict(X))
    with pytest.raises(Exception, match=r"dorm\.ranker\.DormRanker"):
        skops.loads(skops.dumps(pipe))
