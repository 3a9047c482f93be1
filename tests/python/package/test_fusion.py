# SPDX-License-Identifier: Apache-2.0
"""dorm.fuse: the same weights and figures as the command, from dicts, frames and files."""

import json
import os
import random
import subprocess

import numpy as np
import pytest

import dorm
from dorm.fusion import FusionRanker

COMMAND = os.environ.get("DORM_COMMAND")


@pytest.fixture(scope="module")
def collection():
    rng = random.Random(5)
    runs, qrels = {"good": {}, "poor": {}}, {}
    for q in range(30):
        labels = {f"d{d}": int(rng.random() < 0.25) for d in range(25)}
        qrels[f"q{q}"] = {d: label for d, label in labels.items() if rng.random() < 0.8}
        for name, noise in (("good", 0.6), ("poor", 1.5)):
            listed = {d: round(label + rng.gauss(0, noise), 6) for d, label in labels.items() if rng.random() < 0.8}
            runs[name][f"q{q}"] = dict(sorted(listed.items(), key=lambda entry: -entry[1]))
    return runs, qrels


def write(run, path):
    with path.open("w") as out:
        for query, documents in run.items():
            for rank, (document, score) in enumerate(documents.items(), 1):
                out.write(f"{query} Q0 {document} {rank} {score!r} x\n")
    return path


def test_weights_and_rows(collection):
    runs, qrels = collection
    fusion = dorm.fuse(runs, qrels)
    assert list(fusion.weights) == ["good", "poor"] and sum(fusion.weights.values()) == pytest.approx(1)
    assert fusion.weights["good"] > fusion.weights["poor"] >= 0
    assert [row.name for row in fusion.rows] == ["good", "poor", "rrf", "mean", "learnt"]
    alone = dorm.evaluate_run(qrels, runs["good"], "ndcg@10", convention="trec", complete=True)
    assert fusion["good"].result.mean == alone["ndcg@10"].mean
    assert fusion["mean"].against_mean is None and fusion["learnt"].against_mean.queries == 30
    assert len(fusion.fold_weights) == 5
    assert "learnt" in repr(fusion)


def test_by_hand():
    runs = [{"q": {"d1": 10, "d2": 8, "d3": 6}}, {"q": {"d2": 0.75, "d4": 0.5}}]
    fusion = dorm.fuse(runs)
    assert fusion.run.to_dict() == {"q": {"d2": 0.75, "d1": 0.5, "d3": 0.0, "d4": 0.0}}
    assert fusion.rows is None and fusion.weights == {"run1": 0.5, "run2": 0.5}
    assert dorm.fuse(runs, weights="bound", scale="rank").run.documents == ["d2", "d1", "d4", "d3"]


def test_files_frames_and_dicts_are_alike(collection, tmp_path):
    pd = pytest.importorskip("pandas")
    runs, qrels = collection
    files = {name: write(run, tmp_path / f"{name}.run") for name, run in runs.items()}

    def frame(nested, value):
        rows = [(q, d, x) for q, documents in nested.items() for d, x in documents.items()]
        return pd.DataFrame(rows, columns=["qid", "docno", value])

    frames = {name: frame(run, "score") for name, run in runs.items()}
    expected = dorm.fuse(runs, qrels).weights
    assert dorm.fuse(list(files.values()), qrels).weights == expected
    assert dorm.fuse(frames, frame(qrels, "label")).weights == expected


class Ranx:
    """What ranx has: a name and to_dict."""

    def __init__(self, name, nested):
        self.name, self.nested = name, nested

    def to_dict(self):
        return self.nested


def test_runs_of_ranx(collection):
    runs, qrels = collection
    given = [Ranx(name, run) for name, run in runs.items()]
    assert dorm.fuse(given, Ranx("qrels", qrels)).weights == dorm.fuse(runs, qrels).weights


@pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command")
def test_the_command_finds_the_same(collection, tmp_path):
    runs, qrels = collection
    files = [write(run, tmp_path / f"{name}.run") for name, run in runs.items()]
    lines = [f"{q} 0 {d} {label}\n" for q, documents in qrels.items() for d, label in documents.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    model = tmp_path / "f.json"
    words = ["fuse", *files, "--qrels", tmp_path / "qrels.txt", "--model", model, "--json"]
    said = json.loads(subprocess.run([COMMAND, *map(str, words)], capture_output=True, check=True).stdout)
    fusion = dorm.fuse(runs, qrels)
    assert said["weights"] == fusion.weights
    assert said["rankings"][-1]["measure"]["mean"] == fusion["learnt"].result.mean
    ranker = FusionRanker.load(model)
    assert ranker.weights_ == fusion.weights
    assert ranker.fuse(runs).to_dict() == fusion.run.to_dict()
    fusion.ranker.save(tmp_path / "again.json")
    assert FusionRanker.load(tmp_path / "again.json").weights_ == fusion.weights


def test_ranker(collection):
    runs, qrels = collection
    ranker = FusionRanker().fit(runs, qrels)
    assert ranker.fuse({"poor": runs["poor"], "good": runs["good"]}).to_dict() == ranker.fuse(runs).to_dict()
    X = np.array([[1, 0], [0, 1]])
    assert ranker.predict(X).tolist() == list(ranker.weights_.values())
    with pytest.raises(ValueError, match="expected good, poor"):
        ranker.fuse({"a": runs["poor"], "b": runs["good"]})
    with pytest.raises(ValueError, match="one column for each"):
        ranker.predict([[1.0]])


@pytest.mark.parametrize(
    "runs, qrels, message",
    [
        ({"a": {}}, None, "expected two or more"),
        ("a.run", None, "expected a dict or a list"),
        ([{"q": {"d": 1}}, {"q": {"d": 1}}], {"x": {"d": 1}}, "no judged query"),
        ([{"q": {"d": 1}}, 7], None, "expected a Run"),
    ],
)
def test_mistakes(runs, qrels, message):
    with pytest.raises(ValueError, match=message):
        dorm.fuse(runs, qrels)
