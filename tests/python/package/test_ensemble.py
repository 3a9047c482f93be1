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
    assert explanation.base_value == pytest.approx(contributions[0, -1], abs=1e-11)


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


def frame_with_categories(rng):
    pd = pytest.importorskip("pandas", reason="pandas is not in this environment")
    brands = pd.Categorical(rng.choice(["acme", "globex", "initech"], 240), categories=["acme", "globex", "initech"])
    frame = pd.DataFrame({"bm 25": rng.normal(size=240), "price": rng.normal(size=240), "brand": brands})
    label = (frame["bm 25"] + 2 * (frame["brand"] == "globex") > 1).astype(int)
    other = frame.assign(brand=pd.Categorical(frame["brand"], categories=["initech", "acme", "globex"]))
    return frame, label, other


def test_categories_of_a_data_frame_have_the_codes_of_training(tmp_path):
    """LightGBM and XGBoost recode a frame whose categories are in another order, and so does this."""
    frame, label, other = frame_with_categories(np.random.default_rng(3))
    booster = lgb.train({"verbose": -1, "num_threads": 1}, lgb.Dataset(frame, label), 10)
    booster.save_model(tmp_path / "lgb.txt")
    for ensemble in (dorm.DormEnsemble(booster), dorm.DormEnsemble(tmp_path / "lgb.txt")):
        for each in (frame, other):
            assert (ensemble.predict(each) == booster.predict(each)).all()
    with pytest.raises(ValueError, match="0 columns of X are categories; the model was trained on 1"):
        dorm.DormEnsemble(booster).predict(frame.assign(brand=0.0))
    ranker = xgb.XGBRegressor(n_estimators=10, enable_categorical=True, tree_method="hist", n_jobs=1).fit(frame, label)
    for each in (frame, other):
        margin = ranker.predict(each, output_margin=True)
        np.testing.assert_allclose(dorm.DormEnsemble(ranker).predict(each), margin, rtol=0, atol=1e-6)


def test_trees_of_scikit_learn_are_taken_and_what_has_none_is_refused():
    pytest.importorskip("skl2onnx", reason="skl2onnx is not in this environment (pip install skl2onnx)")
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 4)).astype(np.float32)
    for model in (GradientBoostingRegressor(n_estimators=10), RandomForestRegressor(5)):
        model.fit(X, X[:, 0] * X[:, 1])
        np.testing.assert_allclose(dorm.DormEnsemble(model).predict(X), model.predict(X), rtol=0, atol=1e-6)
    with pytest.raises(TypeError, match="Ridge of scikit-learn has no trees"):
        dorm.DormEnsemble(Ridge().fit(X, X[:, 0]))


def test_methods_are_compared_with_a_model_of_another_library():
    data, test = (dorm.synth(queries=60, features=5, seed=seed) for seed in (1, 2))
    booster = lgb.train({"objective": "lambdarank", "verbose": -1, "num_threads": 1},
                        lgb.Dataset(data.X, data.y, group=data.group), 10)  # fmt: skip
    compared = dorm.compare_methods(data, test=test, methods=["tune", "ridge"], measures="ndcg@10",
                                    outside={"mine": booster})  # fmt: skip
    alone = dorm.evaluate(test.y, booster.predict(test.X), qid=test.qid, measures="ndcg@10")
    assert compared["mine"]["ndcg@10"].mean == pytest.approx(alone["ndcg@10"].mean, abs=1e-12)
    (verdict,) = compared.trees
    assert verdict.difference == pytest.approx(
        compared["mine"]["ndcg@10"].mean - compared["tune"]["ndcg@10"].mean, abs=1e-12
    )
    assert "mine" in str(verdict) and "lightgbm" in compared["mine"].serving
