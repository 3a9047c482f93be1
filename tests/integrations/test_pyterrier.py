# SPDX-License-Identifier: Apache-2.0
"""`dorm.pyterrier` in pipelines and experiments of PyTerrier, which needs no Java for stages written in Python."""

import numpy as np
import pytest
from conftest import GLOBAL, PER_QUERY, SCALES

import dorm

pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")
pandas = pytest.importorskip("pandas")

import dorm.pyterrier  # noqa: E402

FEATURES = 7


@pytest.fixture(scope="module")
def task(data):
    """Topics, judgments, and the documents with their features in an order that mixes queries."""
    X, y, qid = data
    order = np.random.default_rng(1).permutation(len(y))
    results = pandas.DataFrame(
        {
            "qid": [f"q{query}" for query in qid[order]],
            "query": [f"words of {query}" for query in qid[order]],
            "docno": [f"d{row}" for row in order],
            "score": X[order, 0].astype(float),
            "features": [X[row].astype(float) for row in order],
        }
    )
    qrels = pandas.DataFrame({"qid": results["qid"], "docno": results["docno"], "label": y[order].astype(int)})
    topics = results[["qid", "query"]].drop_duplicates().reset_index(drop=True)
    return topics, qrels[qrels["label"] > 0].reset_index(drop=True), results, order


def source(results):
    """A first stage that finds what the frame holds of a topic."""
    return pt.apply.generic(lambda topics: results[results["qid"].isin(topics["qid"])].reset_index(drop=True))


@pytest.mark.parametrize("scale", SCALES)
def test_learns_and_scores_as_the_ranker_itself(task, data, scale):
    X, y, qid = data
    topics, qrels, results, order = task
    pipeline = source(results) >> dorm.pyterrier.apply_dorm(dorm.DormRanker(C=10, scale=scale, n_jobs=1))
    pipeline.fit(topics, qrels)
    direct = dorm.DormRanker(C=10, scale=scale, n_jobs=1).fit(X[order], y[order], qid=results["qid"])
    out = pipeline.transform(topics)
    assert np.array_equal(out["score"], direct.predict(X[order], qid=results["qid"]))
    assert np.array_equal(out["rank"] + 1, direct.rank(X[order], results["qid"]))
    assert np.array_equal(np.stack(out["features"]), np.stack(results["features"]))
    assert list(results.columns) == ["qid", "query", "docno", "score", "features"]  # left as it was
    assert set(out.columns) == {*results.columns, "rank"}


def test_one_query_at_a_time_gives_the_same_scores(task, fitted):
    topics, _, results, _ = task
    pipeline = source(results) >> dorm.pyterrier.apply_dorm(fitted["log-query-zscore"])
    whole = pipeline.transform(topics).set_index("docno")["score"]
    for k in (0, 3, 11):
        alone = pipeline.transform(topics.iloc[[k]]).set_index("docno")["score"]
        assert (alone == whole[alone.index]).all()


def test_an_experiment_reports_the_value_of_dorm(task, fitted):
    topics, qrels, results, _ = task
    stage = dorm.pyterrier.apply_dorm(fitted["zscore"])
    first, pipeline = source(results), source(results) >> stage
    table = pt.Experiment([first, pipeline], topics, qrels, ["ndcg_cut_10", "map"], names=["first", "dorm"])
    for name, stages in (("first", first), ("dorm", pipeline)):
        found = stages.transform(topics)
        run, judged = {}, {}
        for row in found.itertuples():
            run.setdefault(row.qid, {})[row.docno] = row.score
        for row in qrels.itertuples():
            judged.setdefault(row.qid, {})[row.docno] = row.label
        ours = dorm.evaluate_run(judged, run, ["ndcg@10:gain=linear", "map"], convention="trec", bootstrap=0)
        row = table.set_index("name").loc[name]
        assert row["ndcg_cut_10"] == pytest.approx(ours.measures[0].mean, abs=1e-9)
        assert row["map"] == pytest.approx(ours.measures[1].mean, abs=1e-9)


def test_validation_data_chooses(task, data):
    topics, qrels, results, order = task
    X, y, qid = data
    names = [f"q{query}" for query in range(1, 31)]
    train, valid = topics[topics["qid"].isin(names)], topics[~topics["qid"].isin(names)]
    stage = dorm.pyterrier.apply_dorm(dorm.DormRanker(C=10, early_stopping=3, n_jobs=1))
    (source(results) >> stage).fit(train, qrels, valid, qrels)
    rows = np.isin(results["qid"], names)
    direct = dorm.DormRanker(C=10, early_stopping=3, n_jobs=1)
    given = {"eval_set": (X[order][~rows], y[order][~rows]), "eval_qid": results["qid"][~rows]}
    direct.fit(X[order][rows], y[order][rows], qid=results["qid"][rows], **given)
    assert stage.ranker.report_.validation == direct.report_.validation
    assert np.array_equal(stage.ranker.coef_, direct.coef_)
    with pytest.raises(ValueError, match="pass qrelsValid, too"):
        stage.fit(results, qrels, results)


def test_other_stages_of_pyterrier(task, fitted):
    topics, _, results, _ = task
    pipeline = source(results) >> dorm.pyterrier.apply_dorm(fitted["minmax"])
    assert len((pipeline % 3).transform(topics)) <= 3 * len(topics)
    assert set(pt.inspect.transformer_outputs(pipeline.transformers[1] if hasattr(pipeline, "transformers") else
                                              dorm.pyterrier.apply_dorm(fitted["minmax"]), list(results.columns))) == {
        *results.columns, "rank"}  # fmt: skip
    found = source(results).transform(topics)
    for stage in (pt.ltr.ablate_features(0), pt.ltr.keep_features(list(range(FEATURES)))):
        assert len((stage >> dorm.pyterrier.apply_dorm(fitted["minmax"])).transform(found)) == len(results)


def test_nothing_found(task, fitted):
    _, qrels, results, _ = task
    stage = dorm.pyterrier.apply_dorm(fitted["query-minmax"])
    out = stage.transform(results.iloc[:0])
    assert len(out) == 0 and {"score", "rank"} <= set(out.columns)
    with pytest.raises(ValueError, match="no training documents"):
        stage.fit(results.iloc[:0], qrels)


def test_mistakes_are_explained(task, fitted):
    _, qrels, results, _ = task
    stage = dorm.pyterrier.apply_dorm(fitted["none"])
    fewer = results.assign(features=[row[:3] for row in results["features"]])
    with pytest.raises(ValueError, match=f"3 features per document, but the ranker was fitted on {FEATURES}"):
        stage.transform(fewer)
    ragged = results.assign(features=[row[: 3 + k % 2] for k, row in enumerate(results["features"])])
    with pytest.raises(ValueError, match="expected one number"):
        stage.transform(ragged)
    with pytest.raises(Exception, match="features"):
        stage.transform(results.drop(columns="features"))
    fresh = dorm.pyterrier.apply_dorm()
    with pytest.raises(ValueError, match="judged twice"):
        fresh.fit(results, pandas.concat([qrels, qrels.iloc[:1]]))
    with pytest.raises(ValueError, match="none of the training documents is judged"):
        fresh.fit(results, qrels.assign(docno=qrels["docno"] + "x"))
    with pytest.raises(ValueError, match="not fitted"):
        dorm.pyterrier.apply_dorm().transform(results)


def test_a_model_file_is_a_ranker(task, fitted, tmp_path):
    _, _, results, _ = task
    fitted["log-query-zscore"].save(tmp_path / "m.json")
    ours = dorm.pyterrier.apply_dorm(tmp_path / "m.json").transform(results)
    assert np.array_equal(
        ours["score"], dorm.pyterrier.apply_dorm(fitted["log-query-zscore"]).transform(results)["score"]
    )


@pytest.mark.parametrize("scale", GLOBAL)
def test_the_learner_of_pyterrier_takes_the_ranker(task, scale):
    topics, qrels, results, _ = task
    stage = pt.ltr.apply_learned_model(dorm.DormRanker(C=10, scale=scale, n_jobs=1), form="ltr")
    (source(results) >> stage).fit(topics, qrels, topics, qrels)
    theirs = stage.transform(results)
    ours = dorm.pyterrier.apply_dorm(stage.learner).transform(results)
    assert np.array_equal(theirs["score"], ours["score"])


@pytest.mark.parametrize("scale", PER_QUERY)
def test_the_learner_of_pyterrier_cannot_scale_within_queries(task, scale):
    topics, qrels, results, _ = task
    stage = pt.ltr.apply_learned_model(dorm.DormRanker(C=10, scale=scale, n_jobs=1), form="ltr")
    stage.fit(results, qrels, results, qrels)
    with pytest.raises(ValueError, match="scales features within each query .*the queries must be known"):
        stage.transform(results)


def test_retrievers_are_fused(task):
    topics, qrels, results, _ = task
    other = results.assign(score=-results["score"])
    hybrid = dorm.pyterrier.fuse_dorm([source(results), source(other)])
    before = hybrid.transform(topics)
    assert set(before["qid"]) == set(topics["qid"]) and before["score"].nunique() < 5  # equal weights cancel out
    hybrid.fit(topics, qrels)
    fused = hybrid.transform(topics)
    assert list(fused.columns) == hybrid.transform_outputs(list(topics.columns))
    runs = {f"run{k}": frame[["qid", "docno", "score"]] for k, frame in enumerate((results, other), 1)}
    assert hybrid.ranker.weights_ == dorm.fuse(runs, qrels).weights
    assert len(fused) == len(results)
