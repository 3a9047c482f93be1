# SPDX-License-Identifier: Apache-2.0
"""The harness itself: models and scores by hand. What an engine refuses is told apart from what it scores."""

import jvm
import pytest

NAMES = ["title", "popularity"]
ROWS = [[10.0, 99.0], [None, 99.0], [4.5, 0.0]]

LUCENE = "0.75 * ((title - 2.5) * 0.4) + -1.25e-2 * popularity"
VESPA = """rank-profile dorm {
    function dorm_score() { expression: 0.75 * ((title - 2.5) * 0.4) + -1.25e-2 * popularity }
    first-phase { expression: title }
    second-phase { rerank-count: 100
                   expression: dorm_score }
}
"""
PMML = """<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header><Application name="dorm"/></Header>
<DataDictionary><DataField name="title" optype="continuous" dataType="double"/>
<DataField name="popularity" optype="continuous" dataType="double"/></DataDictionary>
<RegressionModel functionName="regression" normalizationMethod="none">
<MiningSchema><MiningField name="title" missingValueReplacement="0"/><MiningField name="popularity"/></MiningSchema>
<Output><OutputField name="score" optype="continuous" dataType="double" feature="predictedValue"/></Output>
<RegressionTable intercept="-0.75"><NumericPredictor name="title" coefficient="0.3"/>
<NumericPredictor name="popularity" coefficient="-1.25e-2"/></RegressionTable></RegressionModel></PMML>"""
BY_HAND = [0.75 * 7.5 * 0.4 - 99 / 80, -0.75 - 99 / 80, 0.75 * 2 * 0.4]
RANKLIB = """## Coordinate Ascent
## Restart = 1
## MaxIteration = 1
## StepBase = 0.05
## StepScale = 2.0
## Tolerance = 0.001
## Regularized = false
## Slack = 0.001
1:0.3 2:-0.0125
"""
EXPRESSIONS = {"lucene": ("Lucene", LUCENE), "vespa": ("Vespa", VESPA), "pmml": ("Pmml", PMML)}


def folder_of(path, model, names, rows):
    path.mkdir()
    (path / "model").write_text(model)
    jvm.write_vectors(path / "vectors", names, rows)
    return path


@pytest.mark.parametrize("engine", EXPRESSIONS)
def test_expression(engine, tmp_path):
    main, model = EXPRESSIONS[engine]
    good = folder_of(tmp_path / "good", model, NAMES, ROWS)
    bad = folder_of(tmp_path / "bad", model[:-9] + ")", NAMES, ROWS)
    scores, refusal = jvm.score(engine, main, [good, bad])
    assert scores == pytest.approx(BY_HAND, rel=1e-14)
    assert isinstance(refusal, str)


def test_ranklib(tmp_path):
    rows = [[x or 0.0 for x in row] for row in ROWS]
    (scores,) = jvm.score("ranklib", "RankLib", [folder_of(tmp_path / "one", RANKLIB, ["1", "2"], rows)])
    assert scores == pytest.approx([x + 0.75 for x in BY_HAND], rel=1e-14)


def test_solr(tmp_path):
    feature = lambda name: {
        "name": name,
        "class": "org.apache.solr.ltr.feature.FieldValueFeature",
        "params": {"field": name},
    }
    norm = {"class": "org.apache.solr.ltr.norm.StandardNormalizer", "params": {"avg": "2.5", "std": "2.5"}}
    model = {
        "class": "org.apache.solr.ltr.model.LinearModel",
        "name": "dorm",
        "features": [{"name": "title", "norm": norm}, {"name": "popularity"}],
        "params": {"weights": {"title": 0.75, "popularity": -0.0125}},
    }
    documents = [
        {"key_of_test": str(i)} | {k: v for k, v in zip(NAMES, row) if v is not None} for i, row in enumerate(ROWS)
    ]
    with jvm.Solr(tmp_path / "home", jvm.SOURCES.parent / "schema.xml") as solr:
        solr.request("PUT", "/schema/feature-store", [feature(name) for name in NAMES])
        solr.request("PUT", "/schema/model-store", model)
        with pytest.raises(jvm.SolrRefused, match="weight"):
            solr.request("PUT", "/schema/model-store", model | {"name": "bad", "params": {"weights": {"title": 1}}})
        solr.request("POST", "/update", documents, commit="true")
        found = solr.request("POST", "/select", q="*:*", rq="{!ltr model=dorm reRankDocs=10}", fl="key_of_test,score")
    scores = {document["key_of_test"]: document["score"] for document in found["response"]["docs"]}
    assert [scores[str(i)] for i in range(3)] == pytest.approx(BY_HAND, rel=1e-6)
