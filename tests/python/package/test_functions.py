"""evaluate, compare, assign, read_letor, synth and measures of one's own, against independent truth."""

import gzip
import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.stats import ttest_rel
from sklearn.metrics import ndcg_score

import dorm


def test_evaluate_agrees_with_scikit_learn(data):
    X, y, qid = data
    scores = X.sum(axis=1).astype(float)
    result = dorm.evaluate(y, scores, qid=qid, measures=["ndcg@5:gain=linear", "ndcg"], bootstrap=0)
    for k, query in enumerate(result.query_ids):
        rows = qid == query
        if y[rows].any() and rows.sum() > 1:
            expected = ndcg_score([y[rows]], [scores[rows]], k=5)
            assert result.measures[0].per_query[k] == pytest.approx(expected)
            expected = ndcg_score([2.0 ** y[rows] - 1], [scores[rows]])
            assert result["ndcg"].per_query[k] == pytest.approx(expected)


def test_evaluate_in_any_row_order_gives_the_same(data):
    X, y, qid = data
    scores = X[:, 0] + np.random.default_rng(1).random(len(y)) * 1e-6  # no ties
    whole = dorm.evaluate(y, scores, qid=qid, measures=["ndcg@10", "map", "err@5"])
    mixed = np.random.default_rng(0).permutation(len(y))
    again = dorm.evaluate(y[mixed], scores[mixed], qid=qid[mixed], measures=["ndcg@10", "map", "err@5"])
    values = dict(zip(again.query_ids, again["map"].per_query))
    np.testing.assert_allclose([values[q] for q in whole.query_ids], whole["map"].per_query)
    assert again.to_dict() == pytest.approx(whole.to_dict())


def test_evaluation_prints_a_table_and_names_its_measures(data):
    X, y, qid = data
    result = dorm.evaluate(y, X[:, 0], qid=qid, convention="trec")
    lines = str(result).splitlines()
    assert lines[0].split() == ["measure", "mean", "95", "%", "interval", "queries", "skipped"]
    assert len(lines) == 2 + len(result.measures)
    assert lines[-1].startswith("convention trec")
    for entry in result:
        assert entry.low <= entry.mean <= entry.high
        assert entry.queries + entry.skipped == 60
    with pytest.raises(KeyError, match="evaluated were"):
        result["nonsense"]


def test_query_weights_weigh_the_mean():
    y, scores, group = [1, 0, 1, 0], [1, 2, 2, 1], [2, 2]
    assert dorm.evaluate(y, scores, group=group, measures="mrr").to_dict()["mrr"] == 0.75
    assert dorm.evaluate(y, scores, group=group, measures="mrr", sample_weight=[3, 1]).to_dict()["mrr"] == 0.625


def test_ties_as_asked():
    y, scores = [0, 1, 0, 1], [1, 1, 1, 1]
    mrr = lambda ties: dorm.evaluate(y, scores, group=[2, 2], measures="mrr", ties=ties).to_dict()["mrr"]
    assert (mrr("index"), mrr("expected"), mrr("worst")) == (0.5, 0.75, 0.5)


def test_compare_is_the_paired_t_test(data):
    X, y, qid = data
    a = dorm.evaluate(y, X[:, 0], qid=qid, measures=["ndcg@10", "mrr"])
    b = dorm.evaluate(y, X[:, 3], qid=qid, measures=["ndcg@10", "mrr"])
    test = dorm.compare(a, b, measure="ndcg@10")
    difference = a["ndcg@10"].per_query - b["ndcg@10"].per_query
    expected = ttest_rel(a["ndcg@10"].per_query, b["ndcg@10"].per_query, nan_policy="omit")
    assert test.p_t == pytest.approx(expected.pvalue)
    assert test.t_statistic == pytest.approx(expected.statistic)
    assert test.mean_difference == pytest.approx(np.nanmean(difference))
    assert (test.wins, test.losses) == ((difference > 0).sum(), (difference < 0).sum())
    assert dorm.compare(a["mrr"].per_query, b["mrr"].per_query) == dorm.compare(a, b, measure="mrr")
    assert "wins" in str(test)


@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (1, 1)])
@pytest.mark.parametrize("maximize", [False, True])
def test_assign_agrees_with_scipy_and_proves_it(shape, maximize):
    cost = np.random.default_rng(3).normal(size=shape)
    found = dorm.matching.assign(cost, maximize=maximize)
    rows, columns = linear_sum_assignment(cost, maximize=maximize)
    assert found.value == pytest.approx(cost[rows, columns].sum())
    matched = found.columns >= 0
    assert cost[matched.nonzero()[0], found.columns[matched]].sum() == pytest.approx(found.value)
    slack = cost - found.row_dual[:, None] - found.column_dual
    assert ((-slack if maximize else slack) >= -1e-9).all()


def test_read_letor_of_a_file_in_any_order(tmp_path):
    text = "2 qid:b 1:1 2:.5\n0 qid:a 1:3 2:1.5\n1 qid:b 1:2 2:.25 # docid=x\n"
    with gzip.open(tmp_path / "data.txt.gz", "wt") as file:
        file.write(text)
    with pytest.warns(UserWarning, match="continue an earlier query"):
        data = dorm.read_letor(tmp_path / "data.txt.gz")
    assert data.qid.tolist() == ["b", "b", "a"]
    assert data.y.tolist() == [2, 1, 0]
    assert data.X.tolist() == [[1, 0.5], [2, 0.25], [3, 1.5]]
    assert data.source_rows.tolist() == [0, 2, 1]
    assert data.group.tolist() == [2, 1]
    X, y, qid = data
    assert X is data.X
    assert y is data.y
    assert qid is data.qid


def test_a_csv_file_keeps_its_names_and_weights(tmp_path):
    (tmp_path / "data.csv").write_text("label,qid,age,size,weight\n1,7,1,2,5\n0,7,3,4,5\n1,8,0,1,2\n0,8,1,1,2\n")
    data = dorm.read_letor(tmp_path / "data.csv")
    assert data.feature_names == ["age", "size"]
    assert data.sample_weight.tolist() == [5, 2]
    assert data.qid.tolist() == [7, 7, 8, 8]
    model = dorm.DormRanker(n_jobs=1).fit(data)
    assert list(model.feature_names_in_) == ["age", "size"]


def test_missing_values_of_a_file(tmp_path):
    (tmp_path / "data.txt").write_text("1 qid:1 1:nan 2:1\n0 qid:1 1:4 2:1\n0 qid:1 1:2 2:1\n")
    with pytest.raises(ValueError, match="data.txt:1:"):
        dorm.read_letor(tmp_path / "data.txt")
    assert dorm.read_letor(tmp_path / "data.txt", missing="mean").X[0, 0] == 3
    assert dorm.read_letor(tmp_path / "data.txt", missing="zero").X[0, 0] == 0
    with pytest.raises(ValueError, match='missing is "drop"; expected "error", "zero", "mean", "query-min"'):
        dorm.read_letor(tmp_path / "data.txt", missing="drop")


def test_sparse_data_stays_compressed():
    data = dorm.synth(queries=20, features=200, density=0.05, groups=3, seed=1)
    assert sparse.issparse(data.X)
    assert data.X.has_canonical_format
    assert len(data.groups) == data.X.shape[0]
    assert dorm.DormRanker(n_jobs=1, C=1, scale="none").fit(data).coef_.shape == (200,)
    assert np.asarray(data.X[:3].todense()).shape == (3, 200)


def test_data_outlives_what_made_it():
    X, y, qid = dorm.synth(queries=20, features=5, seed=1)
    copy = X.copy()
    for _ in range(20):
        dorm.synth(queries=20, features=5, seed=2)
    assert np.array_equal(X, copy)


def ndcg5():
    return dorm.Measure(a=1 / np.log2(np.arange(2, 7)), b=[2.0**r - 1 for r in range(5)], name="mine")


def test_a_measure_of_ones_own_trains_like_the_one_it_imitates(data):
    X, y, qid = data
    by_name = dorm.DormRanker("ndcg@5", C=10, n_jobs=1).fit(X, y, qid=qid)
    for measure in (
        ndcg5(),
        dorm.Measure(lambda n: (np.arange(n) < 5) / np.log2(np.arange(n) + 2), lambda r: 2**r - 1),
    ):
        own = dorm.DormRanker(measure, C=10, n_jobs=1).fit(X, y, qid=qid, eval_set=(X, y), eval_qid=qid)
        assert own.score(X, y, qid=qid) == pytest.approx(own.report_.validation)
        plain = dorm.DormRanker(measure, C=10, n_jobs=1).fit(X, y, qid=qid)
        np.testing.assert_allclose(plain.coef_, by_name.coef_, rtol=1e-6)
        assert plain.model_.measure == measure.name
    table = dorm.evaluate(y, X[:, 0], qid=qid, measures=["ndcg@5", ndcg5()])
    np.testing.assert_allclose(table["mine"].per_query, table["ndcg@5"].per_query)


def test_the_value_of_a_measure_is_its_sum():
    measure = dorm.Measure(a=[3, 1], b=[0, 2, 5], normalise=False, name="sum")
    y = np.array([2, 0, 1])
    for order in itertools.permutations(range(3)):
        scores = -np.argsort(order).astype(float)
        expected = 3 * [0, 2, 5][y[order[0]]] + [0, 2, 5][y[order[1]]]
        assert dorm.evaluate(y, scores, group=[3], measures=measure, bootstrap=0).to_dict()["sum"] == expected


def test_labels_may_be_the_gains_themselves(data):
    X, y, qid = data
    gains = np.random.default_rng(0).random(len(y))
    model = dorm.DormRanker(dorm.Measure([1, 0.5, 0.25], lambda b: b), C=10, n_jobs=1).fit(X, gains, qid=qid)
    assert model.report_.status == "converged"
