# SPDX-License-Identifier: Apache-2.0
"""Curves and signs in Python."""

import numpy as np
import pytest

import dorm


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(1200, 3))
    best = -np.abs(X[:, 0] - 0.5) + 0.2 * X[:, 1]
    return X, np.digitize(best, np.quantile(best, [0.5, 0.8])), np.repeat(np.arange(60), 20)


def fitted(data, **options):
    X, y, qid = data
    expert = {name: options.pop(name) for name in ("non_negative",) if name in options}
    return dorm.DormRanker("ndcg@10", C=1000, solver_options=expert, **options).fit(X, y, qid=qid)


@pytest.mark.parametrize("curves", [6, "steps:6", {"1": 6}])
def test_scores_are_sums_of_the_points(data, curves):
    X, _, qid = data
    ranker = fitted(data, curves=curves)
    expected = np.zeros(len(X))
    for name, points in ranker.curves_.items():
        x = X[:, int(name) - 1].astype(np.float32).astype(float)
        if "steps" in str(curves):
            right = np.clip(np.searchsorted(points[:, 0], x, side="right") - 1, 0, None)
            expected += points[right, 1]
        else:
            inside = np.interp(x, *points.T)
            expected += inside
    if isinstance(curves, dict):
        assert list(ranker.curves_) == ["1"]
        return
    scores = ranker.predict(X, qid=qid)
    inside = ((X > 0.02) & (X < 0.98)).all(axis=1)
    assert np.allclose(scores[inside], expected[inside], atol=1e-5 * np.ptp(scores))


def test_a_best_value_in_the_middle_is_learnt(data):
    X, y, qid = data
    assert fitted(data, curves=8).score(X, y, qid=qid) > fitted(data).score(X, y, qid=qid) + 0.1


def test_signs_are_kept(data):
    ranker = fitted(data, increasing=["1"], decreasing="2,3")
    assert ranker.coef_[0] >= 0 and (ranker.coef_[1:] <= 0).all()
    assert (fitted(data, non_negative=True).coef_ >= 0).all()
    points = fitted(data, curves=6, decreasing=["1"]).curves_["1"]
    assert (np.diff(points[:, 1]) <= 1e-12).all()


def test_sklearns_monotonic_cst_is_taken(data):
    by_name = fitted(data, monotonic_cst={"1": 1, "2": -1})
    assert (by_name.coef_ == fitted(data, increasing=["1"], decreasing=["2"]).coef_).all()
    assert (by_name.coef_ == fitted(data, monotonic_cst=np.array([1, -1, 0])).coef_).all()
    with pytest.raises(ValueError, match="exclude each other"):
        fitted(data, monotonic_cst=[1, 0, 0], increasing=["2"])


def test_features_are_names_or_columns(data):
    pandas = pytest.importorskip("pandas")
    X, y, qid = data
    frame = pandas.DataFrame(X, columns=["price", "clicks", "age"])
    by_name = dorm.DormRanker(curves={"price": 5}, increasing=["clicks"], monotonic_cst=None).fit(frame, y, qid=qid)
    by_number = dorm.DormRanker(curves={0: 5}, increasing=[1]).fit(frame, y, qid=qid)
    signed = dorm.DormRanker(curves={0: 5}, monotonic_cst=[0, 1, 0]).fit(frame, y, qid=qid)
    assert list(by_name.curves_) == ["price"] and by_name.coef_[1] >= 0
    assert (by_name.coef_ == by_number.coef_).all() and (by_name.coef_ == signed.coef_).all()
    with pytest.raises(ValueError, match="no column of X"):
        fitted(data, increasing=[3])


@pytest.mark.parametrize("more", [{}, {"scale": "zscore"}, {"scale": "none"}])
def test_contributions_sum_to_scores(data, more):
    X, y, qid = data
    ranker = fitted(data, curves=6, **more)
    parts = ranker.explain(X, qid=qid)
    assert np.allclose(parts.sum(axis=1), ranker.predict(X, qid=qid), atol=1e-12)
    assert np.ptp(parts[:, 0]) > 0


def test_rankers_without_curves_say_so(data):
    with pytest.raises(AttributeError, match="no curves"):
        _ = fitted(data).curves_


def test_pictures_show_the_points(data):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ranker = fitted(data, curves=5)
    figure = ranker.plot_curves(["2", "1"])
    drawn = [ax.lines[1].get_xydata() for ax in figure.axes if ax.get_visible()]
    assert len(drawn) == 2 and np.allclose(drawn[0], ranker.curves_["2"])
    with pytest.raises(ValueError, match="no curve"):
        ranker.plot_curves(["7"])
