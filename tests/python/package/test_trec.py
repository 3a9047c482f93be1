# SPDX-License-Identifier: Apache-2.0
"""Runs and judgments of TREC."""

import numpy as np
import pytest

import dorm

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 1\n3 0 e 1\n"
RUN = "1 Q0 b 1 9.5 mine\n1 Q0 a 2 7.5 mine\n1 Q0 x 3 1.5 mine\n2 Q0 d 1 0.5 mine\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path / "qrels", tmp_path / "run"


def test_files_are_read(files):
    qrels, run = dorm.read_qrels(files[0]), dorm.read_run(files[1])
    assert repr(qrels) == "Qrels(3 queries, 5 judgments)"
    assert (qrels.queries, qrels.documents) == (["1", "1", "1", "2", "3"], ["a", "b", "c", "d", "e"])
    assert qrels.labels.tolist() == [2, 0, 1, 1, 1]
    assert repr(run) == "Run(2 queries, 4 documents, tag 'mine')"
    assert run.scores.tolist() == [9.5, 7.5, 1.5, 0.5]
    pytest.importorskip("pandas")
    assert qrels.to_frame().columns.tolist() == ["query", "document", "label"]
    assert run.to_frame().shape == (4, 3)


def test_a_run_is_judged(files):
    """By hand: the relevant document a is second of query 1, d first of query 2; query 3 was not retrieved."""
    nested = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 1}, "3": {"e": 1}}, {"1": {"b": 9.5, "a": 7.5}, "2": {"d": 0.5}}
    for qrels, run in (files, (dorm.read_qrels(files[0]), dorm.read_run(files[1])), nested):
        judged = dorm.evaluate_run(qrels, run, ["rr", "P@5"], complete=True)
        assert judged.query_ids == ["1", "2", "3"]
        assert judged["mrr"].per_query.tolist() == [0.5, 1, 0]
        assert judged["P@5"].per_query.tolist() == pytest.approx([0.2, 0.2, 0])
    with pytest.raises(ValueError, match="qrels is a list"):
        dorm.evaluate_run([1], files[1])
    with pytest.raises(ValueError, match="run is a int"):
        dorm.evaluate_run(files[0], 3)


def test_subtopics(tmp_path):
    (tmp_path / "q").write_text("1 s a 1\n1 t b 1\n")
    judged = dorm.evaluate_run(
        dorm.read_qrels(tmp_path / "q", subtopics=True), {"1": {"a": 2, "x": 1}}, "subtopic-recall@2"
    )
    assert judged.measures[0].mean == 0.5


def test_scores_become_a_run(tmp_path, data):
    X, y, qid = data
    ids = [f"d{row}" for row in range(len(y))]
    judged = dorm.RankingData(X, y, qid, document_ids=ids)
    scores = np.asarray(X[:, 0], dtype=np.float64)
    dorm.data.Run.of(judged, scores, tag="first").save(tmp_path / "run")
    run = dorm.read_run(tmp_path / "run")
    assert run.tag == "first"
    assert dict(zip(run.documents, run.scores)) == dict(zip(ids, scores))
    nested = {}
    for q, d, label in zip(qid.tolist(), ids, y.tolist()):
        nested.setdefault(str(q), {})[d] = label
    whole = dorm.evaluate(y, scores, qid=qid, measures="ndcg@10", bootstrap=0)
    assert dorm.evaluate_run(nested, run, "ndcg@10").measures[0].mean == pytest.approx(whole.measures[0].mean)
