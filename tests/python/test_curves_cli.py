# SPDX-License-Identifier: Apache-2.0
"""Curves and signs by the command: from training to explanation and export."""

import json

import pytest
from command import dorm


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("curves")
    dorm("synth", "--queries", 40, "--features", 4, "--documents-median", 12, "--seed", 2, "-o", "d.txt", cwd=folder)
    dorm("train", "d.txt", "--curves", 5, "--increasing", "1", "--model", "lines.json", "-q", cwd=folder)
    dorm("train", "d.txt", "--curves", "steps:5", "--for", "solr", "--model", "steps.json", "-q", cwd=folder)
    return folder


def test_info_draws_the_curves(here):
    told = dorm("info", "lines.json", cwd=here).stdout
    assert "sum of 4 functions of one feature" in told and "curves of lines" in told
    assert "1 weights >= 0, 0 <= 0" in told
    assert any(bar in told for bar in "▁▂▃▄▅▆▇█")


def test_models_of_curves_rank_as_they_explain(here):
    scores = [float(x) for x in dorm("rank", "lines.json", "d.txt", "--format", "scores", cwd=here).stdout.split()]
    told = dorm("explain", "lines.json", "d.txt", "--query", "1", "--top", 0, "--format", "jsonl", cwd=here).stdout
    documents = [json.loads(line) for line in told.splitlines()]
    assert len(documents) > 3 and all(document["additive"] for document in documents)
    for document in documents:
        assert scores[document["row"] - 1] == pytest.approx(document["score"])
        assert sum(part["contribution"] for part in document["features"]) == pytest.approx(document["score"])


def test_a_curve_never_turns_under_a_sign(here):
    model = json.loads((here / "lines.json").read_text())
    assert model["kind"] == "curves" and model["signs"]["increasing"] == ["1"]
    first = next(curve for curve in model["curves"]["features"] if curve["feature"] == "1")
    assert min(first["rises"]) >= 0 and model["weights"][0] >= 0


@pytest.mark.parametrize("target", ["solr", "elasticsearch", "ranklib", "sql", "c", "python", "pmml", "onnx"])
def test_steps_are_exported_with_the_same_scores(here, target):
    told = dorm("export", "steps.json", "--to", target, "-o", f"out.{target}", "--check", "d.txt", cwd=here)
    assert "changes in 0 of 40 queries" in told.stdout + told.stderr, told


def test_lines_are_refused_by_name(here):
    said = dorm("export", "lines.json", "--to", "solr", "-o", "x", cwd=here, status=1).stderr
    assert "curves of lines" in said and not (here / "x").exists()


def test_what_cannot_be_learnt_is_refused_before_anything_is_written(here):
    refused = (
        (2, "--curves", "0"),
        (1, "--curves", "4", "--kernel", "rbf:gamma=1"),
        (2, "--curves", "9=4"),
        (2, "--increasing", "9"),
        (1, "--non-negative", "--solver", "bcfw"),
    )
    for status, *words in refused:
        dorm("train", "d.txt", *words, "--model", "no.json", cwd=here, status=status)
    assert not (here / "no.json").exists()
