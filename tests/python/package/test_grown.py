# SPDX-License-Identifier: Apache-2.0
"""Trees that tune() grows: their loss beside LightGBM driven from here, and what Python makes of them."""

import numpy as np
import pytest

import dorm
from dorm import _core

lgb = pytest.importorskip("lightgbm")

GRID = {"C": [100], "bound": "best", "ranker": "none", "leaves": [4]}


@pytest.fixture(scope="module")
def data():
    return dorm.synth(queries=90, features=5, seed=1)


def test_the_loss_dorm_is_the_objective_from_round_to_round(data):
    held = dorm.synth(queries=40, features=5, seed=2)
    tuned = dorm.tune(data, eval_set=held, trees=True, only="trees", choose="best", grid={**GRID, "trees": "dorm"})
    (point,) = tuned.parts
    options = {
        "objective": "none",
        "num_leaves": 4,
        "learning_rate": 0.05,
        "seed": 1,
        "verbose": -1,
        "num_threads": 1,
        "deterministic": True,
        "force_row_wise": True,
        "feature_pre_filter": False,
    }
    objective_options = _core.ObjectiveOptions()
    objective_options.threads = 1
    ends = np.cumsum(data.group).astype(np.uint64)
    objective = _core.Objective("ndcg@10", data.y.astype(np.float32), ends, np.ones(len(ends)), objective_options)
    booster = lgb.Booster(options, lgb.Dataset(data.X, data.y, params=options))
    for number in range(point.rounds):
        booster.update(fobj=lambda scores, _, number=number: objective.gradient(scores, number)[:2])
    expected, ours = booster.predict(held.X, raw_score=True), tuned.ranker.predict(held)
    factor = np.abs(ours).max() / np.abs(expected).max()
    assert point.rounds > 1
    np.testing.assert_allclose(ours, factor * expected, rtol=1e-6, atol=1e-6)


def test_fit_tunes_and_the_result_survives_its_file(data, tmp_path):
    ensemble = dorm.DormEnsemble().fit(data, folds=3, grid=GRID)
    worth = ensemble.tuning_.worth
    assert worth.low <= worth.difference <= worth.high
    assert str(worth) in str(ensemble.tuning_)
    ensemble.save(tmp_path / "m.json")
    assert (dorm.load_model(tmp_path / "m.json").predict(data) == ensemble.predict(data)).all()


def test_only_linear_is_a_linear_ranker(data):
    tuned = dorm.tune(data, folds=3, trees=True, only="linear", grid=GRID)
    assert isinstance(tuned.ranker, dorm.DormRanker)
    plain = dorm.tune(data, folds=3, grid={name: GRID[name] for name in ("C", "bound", "ranker")}, curves="none")
    np.testing.assert_array_equal(tuned.ranker.coef_, plain.ranker.coef_)


def test_what_is_about_trees_needs_them(data):
    with pytest.raises(ValueError, match="need trees=True"):
        dorm.tune(data, only="linear")
    with pytest.raises(NotImplementedError, match="no such file"):
        dorm.tune(data, trees=True, lightgbm="/nowhere.so")


def test_an_ensemble_without_models_says_so(data):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="no models"):
        dorm.DormEnsemble().predict(data)


def test_compare_rankers_takes_rankers_of_other_libraries(data, tmp_path):
    options = {"objective": "lambdarank", "verbose": -1, "num_threads": 1}
    booster = lgb.train(options, lgb.Dataset(data.X, data.y, group=data.group), 5)
    booster.save_model(tmp_path / "lgb.txt")
    linear = dorm.DormRanker().fit(data)
    table = dorm.compare_rankers({"linear": linear, "booster": booster, "file": tmp_path / "lgb.txt"}, data)
    expected = dorm.evaluate(data.y, booster.predict(data.X), qid=data.qid, measures="ndcg@10")
    for name in ("booster", "file"):
        assert table.evaluations[name]["ndcg@10"].mean == expected["ndcg@10"].mean
    assert table.tests["booster"]["ndcg@10"].mean_difference == pytest.approx(
        expected["ndcg@10"].mean - table.evaluations["linear"]["ndcg@10"].mean
    )
    with pytest.raises(ValueError, match="pass X and y"):
        dorm.compare_rankers({"booster": booster})
