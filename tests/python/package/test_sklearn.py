"""What scikit-learn expects of an estimator, as far as it applies to rankers."""

import os
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import dorm
from dorm._threads import thread_count


class Grouped(dorm.DormRanker):
    """scikit-learn's checks know no queries: rows are dealt out to as many as give each about five."""

    def __init__(self, C=1.0, n_jobs=1, scale="none"):
        super().__init__(C=C, n_jobs=n_jobs, scale=scale)

    @staticmethod
    def dealt(X, qid):
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
        if qid is not None or len(shape) != 2:
            return qid
        rows = shape[0]
        return np.random.default_rng(1).integers(0, max(2, rows // 5), rows)

    def fit(self, X, y, qid=None, sample_weight=None):
        return super().fit(X, y, qid=self.dealt(X, qid), sample_weight=sample_weight)

    def partial_fit(self, X, y, qid=None, sample_weight=None):
        return super().partial_fit(X, y, qid=self.dealt(X, qid), sample_weight=sample_weight)

    def score(self, X, y, qid=None):
        return super().score(X, y, qid=self.dealt(X, qid))


# Each with the reason why a ranker cannot pass it.
NOT_FOR_RANKERS = {
    "check_fit2d_1sample": "one row is one query, and the message says so in words of its own",
    "check_sample_weights_not_overwritten": "its weights vary within queries",
    "check_sample_weight_equivalence_on_dense_data": "its weights vary within queries",
    "check_sample_weight_equivalence_on_sparse_data": "its weights vary within queries",
}


@parametrize_with_checks([Grouped()], expected_failed_checks=lambda estimator: NOT_FOR_RANKERS, xfail_strict=True)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_grid_search_over_whole_queries_with_metadata_routing(data):
    X, y, qid = data
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = dorm.DormRanker(n_jobs=1).set_fit_request(qid=True).set_score_request(qid=True)
        search = GridSearchCV(ranker, {"C": [1, 100]}, cv=dorm.QueryKFold(3))
        search.fit(X, y, qid=qid)
    assert search.cv_results_["mean_test_score"].shape == (2,)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    for k, (train, test) in enumerate(dorm.QueryKFold(3).split(X, y, qid)):
        model = dorm.DormRanker(C=1, n_jobs=1).fit(X[train], y[train], qid=qid[train])
        expected = model.score(X[test], y[test], qid=qid[test])
        assert search.cv_results_[f"split{k}_test_score"][0] == expected


def test_grid_search_over_a_data_frame_needs_no_routing(data):
    pandas = pytest.importorskip("pandas")
    X, y, qid = data
    frame = pandas.DataFrame(X, columns=list("abcdefg")).assign(qid=qid)
    ours = GridSearchCV(dorm.DormRanker(n_jobs=1), {"C": [1, 100]}, cv=dorm.QueryKFold(3)).fit(frame, y)
    theirs = GridSearchCV(dorm.DormRanker(n_jobs=1), {"C": [1, 100]}, cv=GroupKFold(3)).fit(frame, y, groups=qid)
    for search in (ours, theirs):
        assert 0.3 < search.best_score_ < 1
        assert search.predict(frame).shape == y.shape
    scores = cross_val_score(dorm.DormRanker(n_jobs=1), frame, y, cv=dorm.QueryKFold(4))
    assert scores.shape == (4,)
    assert (scores > 0.3).all()


@pytest.mark.parametrize("library, make", [("polars", "DataFrame"), ("pyarrow", "table")])
def test_other_frames_cross_validate(data, library, make):
    X, y, qid = data
    frame = getattr(pytest.importorskip(library), make)({**{f"f{j}": X[:, j] for j in range(7)}, "qid": qid})
    assert (cross_val_score(dorm.DormRanker(n_jobs=1), frame, y, cv=dorm.QueryKFold(3)) > 0.3).all()


def test_cross_validation_with_routed_ids(data):
    X, y, qid = data
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = dorm.DormRanker(n_jobs=1).set_fit_request(qid=True).set_score_request(qid=True)
        scores = cross_val_score(ranker, X, y, cv=dorm.QueryKFold(3), params={"qid": qid})
    assert scores.shape == (3,)


def test_a_pipeline_behind_a_scaler(data):
    X, y, qid = data
    pipe = make_pipeline(StandardScaler(), dorm.DormRanker(C=10, scale="none", n_jobs=1))
    pipe.fit(X, y, dormranker__qid=qid)
    scaled = StandardScaler().fit_transform(X)
    direct = dorm.DormRanker(C=10, scale="none", n_jobs=1).fit(scaled, y, qid=qid)
    assert np.array_equal(pipe.predict(X), direct.predict(scaled))
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = dorm.DormRanker(C=10, scale="none", n_jobs=1).set_fit_request(qid=True).set_score_request(qid=True)
        routed = make_pipeline(StandardScaler(), ranker).fit(X, y, qid=qid)
        assert routed.score(X, y, qid=qid) == direct.score(scaled, y, qid=qid)


def test_folds_hold_whole_queries_of_even_number():
    qid = np.repeat(np.random.default_rng(0).permutation(23), 4)
    seen = []
    for train, test in dorm.QueryKFold(5, random_state=7).split(np.zeros((92, 1)), groups=qid):
        assert not set(qid[train]) & set(qid[test])
        assert sorted([*train, *test]) == list(range(92))
        assert len(set(qid[test])) in (4, 5)
        seen += list(test)
    assert sorted(seen) == list(range(92))
    again = next(dorm.QueryKFold(5, random_state=7).split(np.zeros((92, 1)), groups=qid))
    other = next(dorm.QueryKFold(5, random_state=8).split(np.zeros((92, 1)), groups=qid))
    plain = next(dorm.QueryKFold(5, shuffle=False).split(np.zeros((92, 1)), groups=qid))
    first = next(dorm.QueryKFold(5, random_state=7).split(np.zeros((92, 1)), groups=qid))
    assert np.array_equal(again[1], first[1])
    assert not np.array_equal(again[1], other[1])
    assert plain[1].tolist() == list(range(20))


def fit_weights(data, C):
    X, y, qid = data
    return dorm.DormRanker(C=C).fit(X, y, qid=qid)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_models_travel_between_processes_and_threads(data, backend):
    fitted = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(fit_weights)(data, C) for C in (1, 10, 100))
    for C, model in zip((1, 10, 100), fitted):
        assert np.array_equal(model.coef_, fit_weights(data, C).coef_)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_workers_of_joblib_use_one_thread_each(backend):
    counts = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(thread_count)(None) for _ in range(4))
    assert counts == [1] * 4
    asked = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(thread_count)(3) for _ in range(2))
    assert asked == [3, 3]


def test_limits_for_openmp_are_kept():
    code = "from dorm._threads import thread_count as t; print(t(None), t(-1), t(5))"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["1", str(joblib.cpu_count()), "5"]
    threadpoolctl = pytest.importorskip("threadpoolctl")
    with threadpoolctl.threadpool_limits(1, user_api="openmp"):
        assert thread_count(None) == 1


def test_the_interpreter_goes_on_while_training(data):
    """Only another thread ends this training, so the lock must be free meanwhile."""
    X, y, qid = data
    enough = threading.Event()
    ranker = dorm.DormRanker(C=1e6, tolerance=1e-9, solver_options={"max_passes": 10**9, "time_limit": 60}, n_jobs=1)
    arguments = {"qid": qid, "callbacks": lambda progress: enough.is_set()}
    training = threading.Thread(target=ranker.fit, args=(X, y), kwargs=arguments)
    training.start()
    for _ in range(50):
        time.sleep(0.001)
    enough.set()
    training.join()
    assert ranker.report_.status == "interrupted"
