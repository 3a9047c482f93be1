# SPDX-License-Identifier: Apache-2.0
"""DormEnsemble beside the libraries whose trees it takes."""

import pickle
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import dorm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
lgb, xgb = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
from tree_models import LENGTH, QUERIES, lightgbm_model, world, xgboost_data, xgboost_model  # noqa: E402


@pytest.mark.parametrize("seed", range(20))
def test_scores_and_contributions_are_those_of_lightgbm(seed):
    made = world(seed)
    booster = lightgbm_model(made, ["gbdt", "dart"][seed % 2], ["regression", "lambdarank"][seed % 3 == 0])
    ensemble = dorm.DormEnsemble(booster)
    np.testing.assert_allclose(ensemble.predict(made.X), booster.predict(made.X, raw_score=True), rtol=0, atol=1e-12)
    contributions = booster.predict(made.X, pred_contrib=True)
    explanation = ensemble.explain(made.X)
    np.testing.assert_allclose(explanation, contributions[:, :-1], rtol=0, atol=1e-11)
    assert explanation.base == pytest.approx(contributions[0, -1], abs=1e-11)


@pytest.mark.parametrize("seed", range(20))
def test_scores_and_contributions_are_those_of_xgboost(seed):
    made = world(seed)
    booster = xgboost_model(made, ["gbtree", "dart"][seed % 2], ["reg:squarederror", "rank:ndcg"][seed % 3 == 0])
    ensemble, data = dorm.DormEnsemble(booster), xgboost_data(made)
    np.testing.assert_allclose(
        ensemble.predict(made.X), booster.predict(data, output_margin=True), rtol=1e-5, atol=1e-5
    )
    contributions = booster.predict(data, pred_contribs=True)
    np.testing.assert_allclose(ensemble.explain(made.X), contributions[:, :-1], rtol=1e-4, atol=2e-5)


def test_scores_are_those_of_catboost(tmp_path):
    catboost = pytest.importorskip("catboost", reason="CatBoost is not installed")
    made = world(3)
    for policy in ("SymmetricTree", "Depthwise", "Lossguide"):
        model = catboost.CatBoostRegressor(
            iterations=20, depth=4, grow_policy=policy, verbose=0, train_dir=str(tmp_path)
        )
        model.fit(made.X, made.y)
        np.testing.assert_allclose(dorm.DormEnsemble(model).predict(made.X), model.predict(made.X), rtol=0, atol=1e-10)


def test_rankers_with_the_interface_of_scikit_learn_are_taken():
    made = world(4)
    X, group = np.nan_to_num(made.X), [LENGTH] * QUERIES
    ranker = lgb.LGBMRanker(n_estimators=5, verbose=-1).fit(X, made.grades, group=group)
    np.testing.assert_allclose(dorm.DormEnsemble(ranker).predict(X), ranker.predict(X), rtol=0, atol=1e-12)
    ranker = xgb.XGBRanker(n_estimators=5).fit(X, made.grades, group=group)
    np.testing.assert_allclose(dorm.DormEnsemble(ranker).predict(X), ranker.predict(X), rtol=1e-5, atol=1e-5)


def test_a_sum_is_saved_loaded_and_pickled(tmp_path):
    made = world(5)
    X, group = np.nan_to_num(made.X), [LENGTH] * QUERIES
    trees = lightgbm_model(made, "gbdt", "lambdarank")
    linear = dorm.DormRanker(scale="zscore").fit(X, made.grades, group=group)
    ensemble = dorm.DormEnsemble(dorm.DormEnsemble(trees), linear, weights=[1, 0.5])
    expected = trees.predict(X, raw_score=True) + 0.5 * linear.predict(X)
    with pytest.raises(ValueError, match="column"):
        ensemble.predict(X[:, :1])
    ensemble.save(tmp_path / "sum.json")
    assert isinstance(dorm.load_model(tmp_path / "sum.json"), dorm.DormEnsemble)
    for each in (dorm.load_model(tmp_path / "sum.json"), pickle.loads(pickle.dumps(ensemble))):
        assert each.model_.kind == "sum"
    assert expected.shape == (len(X),)


def test_files_of_libraries_are_loaded_served_and_explored(tmp_path):
    made = world(6)
    booster = lightgbm_model(made, "gbdt", "lambdarank")
    booster.save_model(tmp_path / "lgb.txt")
    ensemble = dorm.load_model(tmp_path / "lgb.txt")
    assert isinstance(ensemble, dorm.DormEnsemble) and "trees of lightgbm" in repr(ensemble)
    with pytest.raises(ValueError, match="DormEnsemble"):
        dorm.DormRanker.load(tmp_path / "lgb.txt")
    with dorm.serve(booster, port=0) as server, urllib.request.urlopen(server.url + "/v1/models") as answer:
        assert b'"trees"' in answer.read()
    data = dorm.RankingData(np.nan_to_num(made.X), made.grades, np.repeat(range(QUERIES), LENGTH))
    with dorm.explore(booster, data=data) as page, urllib.request.urlopen(page.url + "/api/info") as answer:
        assert b'"linear":false' in answer.read()


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match="dict is no ranker"):
        dorm.DormEnsemble({})
    with pytest.raises(ValueError, match="without weights"):
        dorm.DormEnsemble("a", "b")
