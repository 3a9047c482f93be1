# SPDX-License-Identifier: Apache-2.0
"""Pages about rankers, the same as the command writes."""

import pickle
import subprocess
import sys
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
