# SPDX-License-Identifier: Apache-2.0
"""Pages about rankers, the same as the command writes."""

import pickle
from pathlib import Path

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
    assert isinstance(page, dorm.Page)
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert page.save(tmp_path / "m.html").read_text() == page.html()


def test_a_model_without_its_training_tells_about_other_data(tmp_path, data, ranker):
    X, y, qid = data
    for one in (pickle.loads(pickle.dumps(ranker)),):
        with pytest.raises(ValueError, match="pass X, y and qid="):
            one.report(tmp_path / "m.html")
        assert "ndcg@10" in one.report(tmp_path / "m.html", X, y, qid=qid).read_text()
