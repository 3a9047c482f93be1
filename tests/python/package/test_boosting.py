"""The loss as an objective of LightGBM and XGBoost: the same numbers through every interface, and clear mistakes."""

import copy
import pickle

import numpy as np
import pytest

import dorm

lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")

ROUNDS = 20
LIGHTGBM = {"num_leaves": 7, "min_data_in_leaf": 5, "metric": "None", "verbose": -1, "num_threads": 1}
XGBOOST = {"max_depth": 3, "disable_default_eval_metric": 1, "nthread": 1, "min_child_weight": 1e-3, "base_score": 0.0}


@pytest.fixture(scope="module")
def grouped(data):
    X, y, qid = data
    _, sizes = np.unique(np.asarray(qid), return_counts=True)
    order = np.argsort(np.asarray(qid), kind="stable")
    return np.asarray(X)[order], np.asarray(y)[order], sizes


def ndcg(y, scores, sizes):
    return dorm.evaluate(y, scores, group=sizes, measures="ndcg@10", bootstrap=0).measures[0].mean


def test_gradient_follows_central_differences_of_the_loss():
    rng = np.random.default_rng(1)
    worst, checked = 0.0, 0
    for _ in range(60):
        n = int(rng.integers(2, 30))
        labels, scores = rng.integers(0, 4, n), rng.normal(size=n)
        measure = rng.choice(["ndcg@10", "mrr", "precision@3", "eru", "wta"])
        loss = dorm.objective(str(measure), rng.choice(["best", "predicted"]), sigma=0)
        gradient, _ = loss(labels, scores, None, [n])
        for i in range(n):
            step = np.eye(n)[i] * 1e-6
            at, up, down = (loss.loss(s, labels, group=[n]) for s in (scores, scores + step, scores - step))
            if abs(up + down - 2 * at) > 1e-10:
                continue  # a kink
            worst = max(worst, abs((up - down) / 2e-6 - gradient[i]))
            checked += 1
    assert checked > 500
    assert worst < 1e-7


def test_every_interface_gives_the_same_numbers(grouped):
    X, y, sizes = grouped
    scores = np.random.default_rng(0).normal(size=len(y)).astype(np.float32)
    loss = dorm.objective("ndcg@10", random_state=7)
    by_arrays = loss(y, scores, None, sizes)
    data = lightgbm.Dataset(X, y, group=sizes).construct()
    by_lightgbm = loss(scores, data)
    by_xgboost = loss(scores, xgboost.DMatrix(X, y, group=sizes))
    for other in (by_lightgbm, by_xgboost):
        np.testing.assert_array_equal(by_arrays[0], other[0])
        np.testing.assert_array_equal(by_arrays[1], other[1])


def test_lightgbm_learns_and_repeats(grouped):
    X, y, sizes = grouped

    def train():
        params = {**LIGHTGBM, "objective": dorm.objective("ndcg@10", sigma=0.3)}
        data = lightgbm.Dataset(X, y, group=sizes)
        return lightgbm.train(params, data, ROUNDS).predict(X)

    first = train()
    assert ndcg(y, first, sizes) > ndcg(y, np.zeros(len(y)), sizes) + 0.1
    np.testing.assert_array_equal(first, train())


def test_scikit_learn_interface_of_lightgbm_with_early_stopping(grouped):
    X, y, sizes = grouped
    model = lightgbm.LGBMRanker(
        objective=dorm.objective("ndcg@10", "predicted"), n_estimators=30, min_child_weight=1e-3, n_jobs=1, verbose=-1
    )
    model.fit(
        X,
        y,
        group=sizes,
        eval_X=(X[: sizes[0]],),  # a part: LightGBM calls the training data itself "training"
        eval_y=(y[: sizes[0]],),
        eval_group=[sizes[:1]],
        eval_metric=dorm.metric("mrr"),
        callbacks=[lightgbm.early_stopping(5, first_metric_only=False, verbose=False)],
    )
    assert "mrr" in model.best_score_["valid_0"]
    assert ndcg(y, model.predict(X), sizes) > ndcg(y, np.zeros(len(y)), sizes) + 0.1


def test_xgboost_learns_and_stops_on_the_measure(grouped):
    X, y, sizes = grouped
    matrix = xgboost.DMatrix(X, y, group=sizes)
    model = xgboost.train(
        XGBOOST,
        matrix,
        ROUNDS,
        evals=[(matrix, "train")],
        obj=dorm.objective("ndcg@10"),
        custom_metric=dorm.metric("ndcg@10"),
        maximize=True,
        early_stopping_rounds=10,
        verbose_eval=False,
    )
    scores = model.predict(matrix, iteration_range=(0, model.best_iteration + 1))
    assert ndcg(y, scores, sizes) == pytest.approx(model.best_score, abs=1e-5)
    assert model.best_score > ndcg(y, np.zeros(len(y)), sizes) + 0.1


@pytest.mark.parametrize("measure", ["ndcg@5", "map", "mrr", "err@10", "precision@3"])
def test_metric_is_the_evaluated_measure(grouped, measure):
    X, y, sizes = grouped
    scores = np.random.default_rng(3).normal(size=len(y))
    name, value, larger_is_better = dorm.metric(measure)(y, scores, None, sizes)
    expected = dorm.evaluate(y, scores, group=sizes, measures=measure, bootstrap=0).measures[0]
    assert (name, value, larger_is_better) == (measure, expected.mean, True)


def test_the_default_noise_is_one(grouped):
    _, y, sizes = grouped
    scores = np.random.default_rng(2).normal(size=len(y))
    plain, one = dorm.objective(), dorm.objective(sigma=1)
    np.testing.assert_array_equal(plain(y, scores, None, sizes)[0], one(y, scores, None, sizes)[0])


def test_sigma_is_chosen_on_validation(grouped):
    X, y, sizes = grouped
    tried = []

    def train(objective):
        tried.append(objective.sigma)
        return {0.3: 1, 1.0: 3, 3.0: 2}[objective.sigma]

    loss = dorm.objective(sigma="auto")
    assert loss.choose(train, score=float) == 3
    assert tried == [0.3, 1.0, 3.0]
    assert loss.sigma == 1.0


class TestBlend:
    def test_is_the_sum_over_spreads(self):
        rng = np.random.default_rng(1)
        X, other = rng.normal(size=(50, 2)), rng.normal(size=(7, 2))
        blend = dorm.Blend([lambda rows: 10 * rows[:, 0], lambda rows: rows[:, 1] - 3], X)
        wanted = other[:, 0] / X[:, 0].std() + (other[:, 1] - 3) / X[:, 1].std()
        np.testing.assert_allclose(blend.predict(other), wanted, rtol=1e-12)
        np.testing.assert_allclose(blend.predict(other[2:3]), wanted[2:3], rtol=1e-12)  # whatever is scored with it

    def test_a_constant_model_changes_nothing(self):
        X = np.arange(6.0).reshape(3, 2)
        blend = dorm.Blend([lambda rows: rows[:, 0], lambda rows: np.ones(len(rows))], X)
        np.testing.assert_array_equal(np.argsort(blend.predict(X)), [0, 1, 2])
        assert blend.weights[1] == 0

    def test_models_of_both_libraries(self, grouped):
        X, y, sizes = grouped
        hinge = through_lightgbm(dorm.objective("ndcg@10"), X, y, sizes)
        trees = through_xgboost(dorm.objective("ndcg@10"), X, y, sizes)
        regression = lightgbm.train({**LIGHTGBM, "objective": "regression"}, lightgbm.Dataset(X, y), 5)
        blend = dorm.Blend([hinge, regression, lambda rows: trees.predict(xgboost.DMatrix(rows))], X)
        scores = blend.predict(X)
        assert ndcg(y, scores, sizes) > ndcg(y, np.zeros(len(y)), sizes) + 0.1
        twin = pickle.loads(pickle.dumps(dorm.Blend([hinge, regression], X)))
        np.testing.assert_array_equal(twin.predict(X), dorm.Blend([hinge, regression], X).predict(X))

    def test_mistakes(self):
        with pytest.raises(ValueError, match="no models"):
            dorm.Blend([], np.zeros((2, 1)))
        with pytest.raises(ValueError, match="model 1 gives scores that are not finite"):
            dorm.Blend([lambda rows: rows[:, 0], lambda rows: rows[:, 0] * np.nan], np.ones((2, 1)))


def test_copies_and_pickles(grouped):
    X, y, sizes = grouped
    loss = dorm.objective("mrr", "predicted", 0.5)
    scores = np.linspace(0, 1, len(y))
    wanted = loss(y, scores, None, sizes)
    for twin in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        np.testing.assert_array_equal(twin(y, scores, None, sizes)[0], wanted[0])


def test_measure_of_ones_own(grouped):
    X, y, sizes = grouped
    own = dorm.Measure(a=1 / np.log2(np.arange(2, 12)), b=lambda labels: 2.0**labels - 1, name="own")
    scores = np.random.default_rng(5).normal(size=len(y))
    wanted = dorm.objective("ndcg@10", sigma=0)(y, scores, None, sizes)
    np.testing.assert_allclose(dorm.objective(own, sigma=0)(y, scores, None, sizes)[0], wanted[0], atol=1e-12)


def through_lightgbm(loss, X, y, sizes, **changes):
    params = {**LIGHTGBM, "objective": loss, "min_sum_hessian_in_leaf": 1e-3, **changes}
    return lightgbm.train(params, lightgbm.Dataset(X, y, group=sizes), 5)


def through_lgbmranker(loss, X, y, sizes, **changes):
    options = {"n_estimators": 5, "min_child_weight": 1e-3, "metric": "None", "n_jobs": 1, "verbose": -1, **changes}
    model = lightgbm.LGBMRanker(objective=loss, **options)
    return model.fit(X, y, group=sizes)


def through_xgboost(loss, X, y, sizes, learning_rate=0.1):
    params = {**XGBOOST, "eta": learning_rate}
    return xgboost.train(params, xgboost.DMatrix(X, y, group=sizes), 5, obj=loss)


PATHS = [through_lightgbm, through_lgbmranker, through_xgboost]


@pytest.mark.parametrize("train", PATHS)
class TestMistakesThroughEveryLibrary:
    def test_scores_that_overflow(self, grouped, train):
        with pytest.raises(ValueError, match=r"score of document \d+ is -?(inf|nan|\d.*e\+30\d); expected a finite"):
            train(dorm.objective(), *grouped, learning_rate=1e308 if train is not through_xgboost else 3e38)

    def test_labels_out_of_range(self, grouped, train):
        X, y, sizes = grouped
        with pytest.raises(ValueError, match="label"):
            train(dorm.objective("ndcg@10"), X, y + 2000.0, sizes)

    def test_a_measure_that_cannot_be_trained(self, grouped, train):
        with pytest.raises(ValueError, match="map"):
            train(dorm.objective("map"), *grouped)

    def test_a_measure_that_does_not_exist(self, grouped, train):
        with pytest.raises(ValueError, match="ncdg"):
            train(dorm.objective("ncdg@10"), *grouped)

    def test_groups_that_do_not_sum(self, grouped, train):
        X, y, sizes = grouped
        # The libraries look at this themselves, before they call any objective.
        errors = (ValueError, lightgbm.basic.LightGBMError, xgboost.core.XGBoostError)
        with pytest.raises(errors, match=r"(?i)sum|group|qu[ei]r"):
            train(dorm.objective(), X, y, sizes[:-1])


class TestMistakes:
    def test_groups_that_do_not_sum(self):
        with pytest.raises(ValueError, match="sum to 3, but X has 4 rows"):
            dorm.objective()([0, 1, 0, 1], np.zeros(4), None, [1, 2])

    def test_no_groups_through_lightgbm(self, grouped):
        X, y, _ = grouped
        with pytest.raises(ValueError, match="no groups"):
            lightgbm.train({**LIGHTGBM, "objective": dorm.objective()}, lightgbm.Dataset(X, y), 1)

    def test_no_groups_through_xgboost(self, grouped):
        X, y, _ = grouped
        with pytest.raises(ValueError, match="no groups"):
            xgboost.train(XGBOOST, xgboost.DMatrix(X, y), 1, obj=dorm.objective())

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_scores_that_are_no_numbers(self, grouped, bad):
        _, y, sizes = grouped
        scores = np.zeros(len(y))
        scores[3] = bad
        with pytest.raises(ValueError, match="score of document 3 is"):
            dorm.objective()(y, scores, None, sizes)

    @pytest.mark.parametrize("reference", ["best", "predicted"])
    def test_scores_whose_sums_overflow(self, reference):
        y, scores = np.arange(30) % 3, np.where(np.arange(30) % 2, 1.7e308, -1.7e308)
        with pytest.raises(ValueError, match=r"score of document 0 is -1.7e\+308; expected .* at most 1e\+300 times"):
            dorm.objective(reference=reference)(y, scores, None, [30])
        gradient, _ = dorm.objective(reference=reference)(y, scores / 1e10, None, [30])
        assert np.isfinite(gradient).all()

    def test_sigma_that_is_a_word(self):
        with pytest.raises(ValueError, match='expected a number, 0 or more, or "auto"'):
            dorm.objective(sigma="large")

    def test_nothing_to_choose_by(self):
        with pytest.raises(ValueError, match="recorded no validation score"):
            dorm.objective(sigma="auto").choose(lambda objective: object())
