# SPDX-License-Identifier: Apache-2.0
"""What results can do: be asked by any spelling, become data frames and tables of notebooks, name their columns."""

import pickle

import numpy as np
import pytest

import dorm


@pytest.fixture(scope="module")
def judged(data, ranker):
    X, y, qid = data
    return dorm.evaluate(y, ranker.predict(X), qid=qid, measures=["P@5", "ndcg@10", "rr"])


def test_every_spelling_of_a_measure_is_a_key(judged):
    assert [m.name for m in judged] == ["P@5", "ndcg@10", "rr"]
    for spelling in ("P@5", "p@5", "prec@5", "precision@5"):
        assert judged[spelling] is judged.measures[0]
    assert judged["recip_rank"] is judged["rr"] is judged.measures[2]
    assert dorm.compare(judged, judged, measure="P@5").ties == judged["P@5"].queries
    for wrong in ("P@6", "map", "nonsense", 3):
        with pytest.raises(KeyError, match="evaluated were P@5, ndcg@10, rr"):
            judged[wrong]


def test_evaluations_as_frames(judged, data):
    pytest.importorskip("pandas")
    frame = judged.to_frame()
    assert frame.index.tolist() == ["P@5", "ndcg@10", "rr"]
    assert frame.loc["ndcg@10", "mean"] == judged["ndcg@10"].mean
    assert frame.columns.tolist() == ["mean", "low", "high", "queries", "skipped"]
    queries = judged.to_frame(per_query=True)
    assert queries.index.tolist() == list(dict.fromkeys(data[2].tolist()))
    assert np.array_equal(queries["rr"], judged["rr"].per_query, equal_nan=True)


def test_other_results_as_frames(judged, ranker):
    pytest.importorskip("pandas")
    tested = dorm.compare(judged, judged, measure="mrr")
    assert tested.to_frame().loc[0, "ties"] == tested.ties
    frame = ranker.report_.to_frame()
    assert frame["bound"].tolist() == [c.bound for c in ranker.report_.candidates]
    assert frame["primal"].tolist() == [c.certificate.primal for c in ranker.report_.candidates]
    picked = dorm.recommend.Recommendations(np.array(["a", "b"]), np.array([2.0, 1.0]))
    assert picked.to_frame().values.tolist() == [["a", 2.0], ["b", 1.0]]


def test_notebooks_see_tables(judged, ranker):
    shown = judged._repr_html_()
    assert shown.startswith("<table>")
    assert f"{judged['mrr'].mean:.4f}" in shown
    assert "permutation" in dorm.compare(judged, judged, measure="mrr")._repr_html_()
    assert ranker.report_.chosen.bound in ranker.report_._repr_html_()
    for html in (ranker._repr_html_(), ranker._repr_mimebundle_()["text/html"]):
        assert "the 7 largest of 7 weights" in html
        assert "ndcg@10" in html
    assert "largest" not in dorm.DormRanker()._repr_html_()
    awkward = dorm.recommend.Recommendations(np.array(["<b>"], dtype=object), np.array([1.0]))
    assert "&lt;b&gt;" in awkward._repr_html_()


def test_an_explanation_is_the_array_with_names(data, ranker):
    X, _, qid = data
    parts = ranker.explain(X)
    assert isinstance(parts, dorm.results.Explanation)
    assert parts.feature_names == [f"column {j}" for j in range(7)]
    assert np.allclose(parts, X * ranker.coef_)
    assert np.allclose(parts.sum(axis=1), ranker.predict(X))
    assert type(parts.sum(axis=1)) is np.ndarray
    assert type(parts + 1) is np.ndarray
    assert type(parts[0]) is np.ndarray
    assert type(parts[:, 2]) is np.ndarray
    assert parts[qid == qid[0]].feature_names == parts.feature_names
    assert parts[3, 4] == np.asarray(parts)[3, 4]
    again = pickle.loads(pickle.dumps(parts))
    assert again.feature_names == parts.feature_names
    assert np.array_equal(again, parts)
    top = parts.strongest(0, 3)
    assert list(top) == [f"column {j}" for j in np.argsort(-abs(np.asarray(parts[0])))[:3]]
    assert "column" in parts._repr_html_()


def test_an_explanation_as_a_frame(data):
    pandas = pytest.importorskip("pandas")
    X, y, qid = data
    frame = pandas.DataFrame(X, columns=list("abcdefg")).assign(qid=qid)
    ranker = dorm.DormRanker(C=10, n_jobs=1).fit(frame, y)
    parts = ranker.explain(frame).to_frame()
    assert parts.columns.tolist() == list("abcdefg")
    assert np.allclose(parts.sum(axis=1), ranker.predict(frame))


def test_linear_tools_find_an_intercept_where_scores_are_linear(data, ranker):
    """What shap.LinearExplainer asks of a model: coef_ and intercept_."""
    X, y, qid = data
    assert ranker.intercept_ == 0
    assert np.allclose(X @ ranker.coef_ + ranker.intercept_, ranker.predict(X))
    scaled = dorm.DormRanker(C=10, n_jobs=1, scale="zscore").fit(X, y, qid=qid)
    with pytest.raises(AttributeError, match="scores are not X @ coef_"):
        scaled.intercept_  # noqa: B018
    coef, intercept = scaled.linear_form()
    assert np.allclose(X @ coef + intercept, scaled.predict(X), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="log-query-zscore.*ranker.explain"):
        dorm.DormRanker(C=10, scale="log-query-zscore").fit(X, data[1], qid=data[2]).linear_form()
    assert not hasattr(dorm.DormRanker(), "intercept_")


def test_shap_explains_a_ranker(data, ranker):
    shap = pytest.importorskip("shap")
    X, _, _ = data
    explainer = shap.LinearExplainer(ranker, X)
    values = explainer.shap_values(X[:20])
    assert np.allclose(values.sum(axis=1) + explainer.expected_value, ranker.predict(X[:20]), atol=1e-4)


def test_permutation_importance_leaves_queries_alone(data):
    pandas = pytest.importorskip("pandas")
    X, y, qid = data
    noise = np.random.default_rng(1).random(len(y), dtype=np.float32)
    frame = pandas.DataFrame({"useful": y / 4, "noise": noise, "qid": qid})
    ranker = dorm.DormRanker(C=10, n_jobs=1).fit(frame, y)
    found = dorm.permutation_importance(ranker, frame, y, n_repeats=3)
    assert found.feature_names == ["useful", "noise"]
    assert found.value == ranker.score(frame, y) == 1
    assert found.importances.shape == (2, 3)
    assert found.importances_mean[0] > 0.2
    assert abs(found.importances_mean[1]) < 0.02
    assert found.to_frame().index.tolist() == ["useful", "noise"]
    assert "useful" in str(found)
    assert "noise" in found._repr_html_()
    same = dorm.permutation_importance(ranker, frame.drop(columns="qid"), y, qid=qid, n_repeats=3)
    assert np.array_equal(same.importances, found.importances)


def test_permutation_importance_of_other_models(data):
    X, y, qid = data

    class First:
        def predict(self, rows):
            return rows[:, 0]

    found = dorm.permutation_importance(First(), X, y, qid=qid, measure="mrr", n_repeats=1)
    assert found.measure == "mrr"
    assert (found.importances[1:] == 0).all()
    with pytest.raises(ValueError, match="n_repeats is 0"):
        dorm.permutation_importance(First(), X, y, qid=qid, n_repeats=0)


def test_progress_by_a_bar_a_function_or_lines(data, capfd, monkeypatch):
    X, y, qid = data
    told = []
    dorm.DormRanker(C=10, n_jobs=1).fit(X, y, qid=qid, progress=told.append)
    assert told
    assert {"pass", "gap", "bound"} <= set(told[0])
    with pytest.raises(ValueError, match="progress is 'dots'"):
        dorm.DormRanker(n_jobs=1).fit(X, y, qid=qid, progress="dots")
    monkeypatch.setitem(__import__("sys").modules, "tqdm", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    dorm.DormRanker(C=10, n_jobs=1).fit(X, y, qid=qid, progress=True)
    with pytest.raises(ImportError, match="pip install tqdm"):
        dorm.DormRanker(n_jobs=1).fit(X, y, qid=qid, progress="tqdm")


def test_a_bar_of_tqdm(data, capfd):
    pytest.importorskip("tqdm")
    X, y, qid = data
    dorm.DormRanker(C=10, n_jobs=1).fit(X, y, qid=qid, progress="tqdm")
    assert "gap=" in capfd.readouterr().err
