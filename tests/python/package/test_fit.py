"""DormRanker: training, prediction, and everything between."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import dorm


def halves(data):
    X, y, qid = data
    first = qid <= 30
    return (X[first], y[first], qid[first]), (X[~first], y[~first], qid[~first])


def fit(data, **parameters):
    X, y, qid = data
    fit_arguments = {k: parameters.pop(k) for k in list(parameters) if k not in dorm.DormRanker().get_params()}
    return dorm.DormRanker(**{"C": 10, "n_jobs": 1, **parameters}).fit(X, y, qid=qid, **fit_arguments)


def test_training_beats_chance_and_its_certificate_holds(data, ranker):
    X, y, qid = data
    random = np.random.default_rng(0).random(len(y))
    assert ranker.score(X, y, qid=qid) > dorm.evaluate(y, random, qid=qid, measures="ndcg@10").measures[0].mean + 0.1
    certificate = ranker.report_.certificate
    assert certificate.status == "converged"
    assert 0 <= certificate.gap <= 1e-3
    assert certificate.dual <= certificate.primal
    assert certificate.gap == pytest.approx((certificate.primal - certificate.dual) / certificate.primal)
    assert ranker.report_.history[-1]["primal"] == certificate.primal
    assert "best" in str(ranker.report_)


def test_predict_is_the_product_with_the_weights(data, ranker):
    X = data[0]
    np.testing.assert_allclose(ranker.predict(X), X.astype(float) @ ranker.coef_, rtol=1e-12)


@pytest.mark.parametrize("scale", ["auto", "none", "zscore", "log-query-zscore"])
def test_the_model_knows_the_range_and_mean_of_every_column(data, scale):
    X = data[0].astype(float)
    found = fit((10 * X - 3, *data[1:]), scale=scale).feature_statistics_
    np.testing.assert_array_equal(found["minimum"], (10 * X - 3).astype(np.float32).min(axis=0))
    np.testing.assert_array_equal(found["maximum"], (10 * X - 3).astype(np.float32).max(axis=0))
    np.testing.assert_allclose(found["mean"], (10 * X - 3).mean(axis=0), rtol=1e-6, atol=1e-6)


def test_columns_that_do_not_occur_are_zero_in_the_statistics(data):
    from scipy import sparse

    X, y, qid = data
    rows, columns = np.indices(X.shape)
    wide = sparse.csr_matrix((X.ravel(), (rows.ravel(), 7 * columns.ravel())), shape=(len(X), 5000))
    found = fit((wide, y, qid), scale="none").feature_statistics_
    np.testing.assert_array_equal(found["maximum"][: 7 * X.shape[1] : 7], X.max(axis=0))
    assert np.count_nonzero(found["maximum"]) <= X.shape[1] and len(found["mean"]) == 5000


def test_a_target_decides_what_auto_means(data, tmp_path):
    X, y, qid = data
    raw = (100 * X, y, qid)
    assert fit(raw).model_.scaling == "log-query-zscore"
    ranker = fit(raw, solver_options={"target": "any"})
    assert (ranker.model_.scaling, ranker.model_.target) == ("zscore", "any")
    np.testing.assert_array_equal(ranker.coef_, fit(raw, scale="zscore").coef_)
    np.testing.assert_allclose(
        fit(raw, solver_options={"target": "any"}, solver="shards").model_.factor, ranker.model_.factor, rtol=1e-12
    )
    ranker.save(tmp_path / "m.json")
    assert dorm.DormRanker.load(tmp_path / "m.json").solver_options == {"target": "any"}
    with pytest.raises(ValueError, match="not every target can evaluate the scaling log-query-zscore"):
        fit(raw, solver_options={"target": "any"}, scale="log-query-zscore")
    with pytest.raises(ValueError, match="not every target can evaluate kernels"):
        fit(raw, solver_options={"target": "any"}, kernel="rbf")
    with pytest.raises(ValueError, match="sorl"):
        fit(raw, solver_options={"target": "sorl"})


def test_statistics_are_not_there_before_a_fit():
    assert not hasattr(dorm.DormRanker(), "feature_statistics_")


def test_score_is_the_trained_measure(data, ranker):
    X, y, qid = data
    for measure in ("mrr", "P@5", dorm.Measure(a=[1, 0.5], b=[0, 1, 2, 3, 4])):
        other = dorm.DormRanker(measure, C=10, n_jobs=1).fit(X, y, qid=qid)
        expected = dorm.evaluate(y, other.predict(X), qid=qid, measures=measure)
        assert other.score(X, y, qid=qid) == expected.measures[0].mean


def test_rank_counts_positions_within_each_query(data, ranker):
    X, _, qid = data
    scores, positions = ranker.predict(X), ranker.rank(X, qid)
    for query in np.unique(qid):
        rows = np.flatnonzero(qid == query)
        best_first = rows[np.argsort(-scores[rows], kind="stable")]
        np.testing.assert_array_equal(positions[best_first], np.arange(1, len(rows) + 1))


def test_rank_leaves_equal_scores_in_row_order(ranker):
    X = np.ones((4, 7), dtype=np.float32)
    np.testing.assert_array_equal(ranker.rank(X, ["a", "b", "a", "b"]), [1, 1, 2, 2])


@pytest.mark.parametrize("scale", ["none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore"])
def test_contributions_sum_to_the_scores_under_every_scaling(data, scale):
    X, y, qid = data
    model = fit(data, scale=scale)
    parts = model.explain(X, qid=qid)
    assert parts.shape == X.shape
    np.testing.assert_allclose(parts.sum(axis=1), model.predict(X, qid=qid), rtol=1e-9, atol=1e-12)


def test_contributions_of_sparse_rows_are_sparse(data, ranker):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_matrix(data[0])
    parts = ranker.explain(X)
    assert sparse.issparse(parts)
    np.testing.assert_allclose(np.asarray(parts.sum(axis=1)).ravel(), ranker.predict(X), rtol=1e-12)


def test_rows_of_a_query_may_stand_apart(data, ranker):
    X, y, qid = data
    order = np.argsort(np.arange(len(y)) % 7, kind="stable")
    mixed = dorm.DormRanker(C=10, n_jobs=1).fit(X[order], y[order], qid=qid[order])
    np.testing.assert_allclose(mixed.predict(X[order]), mixed.predict(X)[order])
    assert mixed.score(X[order], y[order], qid=qid[order]) == pytest.approx(mixed.score(X, y, qid=qid))
    assert mixed.report_.certificate.primal == pytest.approx(ranker.report_.certificate.primal, rel=2e-3)


def test_group_means_the_same_as_ids(data, ranker):
    X, y, qid = data
    sizes = np.unique(qid, return_counts=True)[1]
    by_sizes = dorm.DormRanker(C=10, n_jobs=1).fit(X, y, group=sizes)
    np.testing.assert_array_equal(by_sizes.coef_, ranker.coef_)
    assert by_sizes.score(X, y, group=list(sizes)) == ranker.score(X, y, qid=qid)


def test_the_result_does_not_depend_on_threads_and_repeats_by_seed(data, ranker):
    assert np.array_equal(fit(data, n_jobs=3).coef_, ranker.coef_)
    assert np.array_equal(fit(data, random_state=1).coef_, ranker.coef_)
    assert not np.array_equal(fit(data, random_state=2).coef_, ranker.coef_)
    state = lambda: np.random.RandomState(5)
    assert np.array_equal(fit(data, random_state=state()).coef_, fit(data, random_state=state()).coef_)


def test_query_weights_by_query_and_by_row_are_the_same(data, ranker):
    X, y, qid = data
    ids, sizes = np.unique(qid, return_counts=True)
    weights = np.random.default_rng(1).random(len(ids))
    by_query = fit(data, sample_weight=weights)
    by_row = fit(data, sample_weight=np.repeat(weights, sizes))
    assert np.array_equal(by_query.coef_, by_row.coef_)
    assert not np.array_equal(by_query.coef_, ranker.coef_)
    one = np.zeros(len(ids))
    one[3] = 1
    expected = ranker.score(X[qid == ids[3]], y[qid == ids[3]], qid=qid[qid == ids[3]])
    assert ranker.score(X, y, qid=qid, sample_weight=one) == pytest.approx(expected)


def test_validation_data_judges_the_candidates(data):
    train, held_out = halves(data)
    model = fit(train, eval_set=(held_out[0], held_out[1]), eval_qid=held_out[2])
    assert len(model.report_.candidates) > 1
    best = max(model.report_.candidates, key=lambda c: c.validation)
    assert best.chosen
    assert sum(c.share for c in model.report_.candidates) == pytest.approx(1)
    assert model.report_.validation == model.score(held_out[0], held_out[1], qid=held_out[2])


def test_early_stopping_keeps_the_weights_that_validated_best(data):
    train, held_out = halves(data)
    seen = []
    arguments = {"eval_set": [(held_out[0], held_out[1])], "eval_qid": held_out[2], "bound": "best", "C": 1e3}
    stopped = fit(train, early_stopping=2, callbacks=lambda p: seen.append(p["validation"]), **arguments)
    full = fit(train, **arguments)
    assert stopped.report_.status == "early_stopped"
    assert stopped.report_.passes < full.report_.passes
    assert stopped.score(held_out[0], held_out[1], qid=held_out[2]) == pytest.approx(max(seen))
    assert stopped.report_.chosen.validation == pytest.approx(max(seen))
    assert stopped.report_.certificate.gap > 1e-3


def test_a_warm_start_begins_where_the_model_ended(data, ranker, tmp_path):
    ranker.save(tmp_path / "m.json")
    cold = fit(data, bound="best", C=20)
    for initial in (ranker, tmp_path / "m.json", str(tmp_path / "m.json")):
        warm = fit(data, bound="best", C=20, initial=initial)
        assert warm.report_.chosen.start == "model"
        assert warm.report_.certificate.status == "converged"
    assert not np.array_equal(warm.coef_, cold.coef_)


def test_a_warm_start_needs_the_same_kind_of_scaling(data):
    first = fit(data, scale="zscore", bound="best")
    assert fit(data, scale="zscore", initial=first).report_.status == "converged"
    with pytest.raises(ValueError, match="scaled by zscore, but here .* by none; set the scaling to zscore"):
        fit(data, scale="none", initial=first)


def test_save_and_load_give_the_same_scores(data, ranker, tmp_path):
    X, y, qid = data
    ranker.save(tmp_path / "model.json")
    loaded = dorm.DormRanker.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict(X), ranker.predict(X))
    assert loaded.score(X, y, qid=qid) == ranker.score(X, y, qid=qid)
    assert loaded.get_params()["C"] == 10
    assert np.array_equal(pickle.loads(pickle.dumps(loaded)).predict(X), ranker.predict(X))


def test_pickle_keeps_everything(data, ranker):
    copy = pickle.loads(pickle.dumps(ranker))
    assert np.array_equal(copy.predict(data[0]), ranker.predict(data[0]))
    assert str(copy.report_) == str(ranker.report_)
    assert copy.report_.history == ranker.report_.history
    assert copy.get_params() == ranker.get_params()
    custom = fit(data, measure=dorm.Measure(a=[1.0, 0.5], b=np.abs, name="mine"))
    assert pickle.loads(pickle.dumps(custom)).score(*data[:2], qid=data[2]) == custom.score(*data[:2], qid=data[2])


def test_pickles_hold_plain_types_alone(data):
    """So that a reader of another version, or one that distrusts pickles, can tell what is in them."""
    X, y, qid = data
    for fitted in (fit(data), dorm.DormRanker(scale="none").partial_fit(X, y, qid=qid)):
        waiting = [fitted.__getstate__()]
        while waiting:
            value = waiting.pop()
            assert type(value) in (dict, list, str, int, float, bool, type(None), np.ndarray), type(value)
            waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else []


def test_one_validation_set_in_lists(data):
    """As LightGBM's rankers take them."""
    X, y, qid = data
    train = qid <= 40
    sizes = [np.unique(qid[part], return_counts=True)[1] for part in (train, ~train)]
    listed = {"eval_set": [(X[~train], y[~train])], "eval_group": [sizes[1]]}
    plain = {"eval_set": (X[~train], y[~train]), "eval_group": sizes[1]}
    fitted = [dorm.DormRanker(C=10, n_jobs=1).fit(X[train], y[train], group=sizes[0], **how) for how in (listed, plain)]
    assert fitted[0].report_.validation == fitted[1].report_.validation
    ids = {"eval_set": [(X[~train], y[~train])], "eval_qid": [qid[~train]]}
    by_id = dorm.DormRanker(C=10, n_jobs=1).fit(X[train], y[train], group=sizes[0], **ids)
    assert by_id.report_.validation == fitted[0].report_.validation


def test_clone_and_parameters(ranker):
    fresh = clone(ranker)
    assert fresh.get_params() == ranker.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(np.zeros((2, 7)))


def test_callbacks_see_progress_and_can_stop(data, capsys):
    seen = []
    full = fit(data, callbacks=[seen.append], tolerance=1e-6)
    assert {"bound", "start", "round", "pass", "primal", "dual", "gap", "seconds", "validation"} <= set(seen[0])
    assert [p["primal"] for p in seen] == sorted((p["primal"] for p in seen), reverse=True)
    short = fit(data, callbacks=lambda progress: True, tolerance=1e-6)
    assert short.report_.status == "interrupted"
    assert short.report_.passes < full.report_.passes
    assert np.isfinite(short.predict(data[0])).all()
    assert capsys.readouterr().out == ""
    fit(data, verbose=2)
    assert "best from ridge, round 1, pass" in capsys.readouterr().out


def test_what_a_callback_raises_arrives(data):
    def fail(progress):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fit(data, callbacks=fail)
    with pytest.raises(ValueError, match="expected functions"):
        fit(data, callbacks=[3])


def test_limits_end_training_with_a_status(data):
    with pytest.warns(ConvergenceWarning, match="limit of passes"):
        assert fit(data, solver_options={"max_passes": 1}).report_.status == "pass_limit"
    assert fit(data, solver_options={"time_limit": 1e-9}).report_.status == "time_limit"


def test_fit_takes_data_whole_and_forgets_the_old_names(data):
    X, y, qid = data
    whole = dorm.RankingData(X, y, qid, feature_names=[f"f{j}" for j in range(7)])
    model = dorm.DormRanker(C=10, n_jobs=1).fit(whole, eval_set=whole)
    assert list(model.feature_names_in_) == whole.feature_names
    assert model.score(whole) == model.report_.validation
    model.fit(X, y, qid=qid)
    assert not hasattr(model, "feature_names_in_")


def test_labels_of_minus_one_are_not_judged_unless_told_otherwise(data):
    X, y, qid = data
    unjudged = np.where(np.arange(len(y)) % 4 == 0, np.float32(-1), y)
    bad = np.maximum(unjudged, 0)
    expected = fit((X, bad, qid), bound="given").coef_
    np.testing.assert_array_equal(fit((X, unjudged, qid), bound="given").coef_, expected)
    np.testing.assert_array_equal(
        fit((X, unjudged, qid), bound="given", solver_options={"unjudged": "bad"}).coef_, expected
    )
    graded = fit((X, unjudged, qid), bound="given", solver_options={"unjudged": "grade"}).coef_
    assert (graded != expected).any()
    # Other negative labels are grades, so that nothing is taken for -1.
    ratings = np.where(unjudged < 0, np.float32(-0.5), unjudged)
    np.testing.assert_array_equal(
        fit((X, ratings, qid), bound="given").coef_,
        fit((X, ratings, qid), bound="given", solver_options={"unjudged": "grade"}).coef_,
    )
    with pytest.raises(ValueError, match="drop the rows whose label is negative"):
        fit((X, unjudged, qid), solver_options={"unjudged": "drop"})
    with pytest.raises(ValueError, match="known: grade, bad, drop, auto"):
        fit((X, unjudged, qid), solver_options={"unjudged": "worst"})


def test_the_printed_algorithm_stops_by_epsilon_and_says_what_it_took(data):
    loose = fit(data, solver="nslack", solver_options={"epsilon": 0.1}, bound="best").report_
    tight = fit(data, solver="nslack", solver_options={"epsilon": 0.001}, bound="best").report_
    assert loose.status == tight.status == "converged"
    assert tight.certificate.gap < loose.certificate.gap
    assert 0 < loose.support_vectors <= loose.planes < tight.planes
    assert 0 < tight.qp_share <= 1
    assert f"{tight.support_vectors} support vectors" in str(tight)
    with pytest.raises(ValueError, match="epsilon 0.1 is a rule of the solver nslack, not of bcda"):
        fit(data, solver_options={"epsilon": 0.1})


def test_ties_of_given_by_a_feature(data):
    by_file = fit(data, bound="given").coef_
    assert (fit(data, bound="given", solver_options={"given_ties": "1"}).coef_ != by_file).any()
    with pytest.raises(ValueError, match='ties by feature "bm25": the data has no such feature'):
        fit(data, bound="given", solver_options={"given_ties": "bm25"})
