# SPDX-License-Identifier: Apache-2.0
"""Pages about rankers, the same as the command writes."""

import dataclasses
import json
import pickle
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import dorm


def test_a_ranker_writes_a_page(tmp_path, data):
    X, y, qid = data
    ranker = dorm.DormRanker(C=10, n_jobs=1).fit(X, y, qid=qid)
    for path in (tmp_path / "m.html", str(tmp_path / "m.md"), tmp_path / "m.csv"):
        assert ranker.report(path) == Path(path)
        assert "ndcg@10" in Path(path).read_text()
    assert (tmp_path / "m.html").read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="m.pdf"):
        ranker.report(tmp_path / "m.pdf")


def test_a_notebook_shows_the_page(tmp_path, ranker):
    page = ranker.report()
    assert isinstance(page, dorm.results.Page)
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert page.save(tmp_path / "m.html").read_text() == page.html()


def test_a_model_without_its_training_tells_about_other_data(tmp_path, data, ranker):
    X, y, qid = data
    again = pickle.loads(pickle.dumps(ranker))
    with pytest.raises(ValueError, match="pass X, y and qid="):
        again.report(tmp_path / "m.html")
    assert "ndcg@10" in again.report(tmp_path / "m.html", X, y, qid=qid).read_text()


def test_a_program_ends_without_a_complaint():
    """A ranker that lives to the end holds its data until then, and no longer."""
    code = (
        "import dorm\n"
        "data = dorm.synth(queries=20, features=3, seed=1, n_jobs=1)\n"
        "ranker = dorm.DormRanker(C=1, n_jobs=1).fit(data)\n"
        "tuned = dorm.tune(data, folds=2, grid={'C': [1]}, n_jobs=1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_explorer_takes_runs_scores_and_texts():
    data = dorm.synth(queries=12, features=3, documents_median=6, seed=1)
    ids = [f"d{row}" for row in range(len(data.qid))]
    data = dataclasses.replace(data, document_ids=ids)
    ranker = dorm.DormRanker(C=10, scale="none").fit(data)
    first = data.qid == data.qid[0]
    run = {str(q): {ids[row]: float(data.X[row, 0]) for row in np.flatnonzero(data.qid == q)} for q in set(data.qid)}
    lacking = ids[int(np.flatnonzero(first)[0])]
    del run[str(data.qid[0])][lacking]
    texts = {lacking: {"title": "Red shoes", "text": "of leather"}}
    with dorm.explore(ranker, data=data, texts=texts, query_texts={data.qid[0]: "red things"}, prod=run) as page:
        info = asked(page, "/api/info")
        rows = asked(page, "/api/queries?limit=100")["rows"]
    assert [(model["name"], model["kind"]) for model in info["models"]] == [("ranker 1", "model"), ("prod", "run")]
    assert [row["text"] for row in rows if row["id"] == str(data.qid[0])] == ["red things"]
    scores = np.array([run[str(q)].get(document, -1e9) for q, document in zip(data.qid, ids)])
    expected = dorm.evaluate(data.y, scores, qid=data.qid, measures="ndcg@10")["ndcg@10"].per_query
    with dorm.explore(data=data, prod=run) as alone, dorm.explore(scores, data=data) as by_scores:
        values = {row["id"]: row["a"] for row in asked(alone, "/api/queries?limit=100")["rows"]}
        assert values == {row["id"]: row["a"] for row in asked(by_scores, "/api/queries?limit=100")["rows"]}
    told = [values[str(q)] for q in dict.fromkeys(data.qid.tolist())]
    np.testing.assert_allclose([v for v in told if v is not None], expected[~np.isnan(expected)])
    with pytest.raises(ValueError, match="expected one score for each"):
        dorm.explore(scores[:5], data=data)


def asked(page, path):
    with urllib.request.urlopen(page.url + path) as answer:
        return json.load(answer)


def test_the_page_of_rankers_says_which_test_was_asked_for(tmp_path):
    X, y, qid = dorm.synth(queries=30, features=3, seed=1)
    judged = {f"f{j}": dorm.evaluate(y, X[:, j], qid=qid, measures="ndcg@10") for j in range(3)}
    for test, correction, words in [
        ("permutation", "holm", "permutation test of the difference to f0, Holm's correction for 2 tests"),
        ("t", "bh", "paired t test of the difference to f0, Benjamini and Hochberg's correction for 2 tests"),
    ]:
        table = dorm.compare_rankers(judged, test=test, correction=correction)
        page = table.report(tmp_path / "p.md").read_text()
        assert words in page and words in table.note
