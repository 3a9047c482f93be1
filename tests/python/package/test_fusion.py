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


def test_ids_that_are_numbers(collection):
    runs, qrels = collection
    as_numbers = lambda nested: {int(q[1:]): {int(d[1:]): x for d, x in each.items()} for q, each in nested.items()}  # noqa: E731
    expected = dorm.fuse(runs, qrels)
    found = dorm.fuse({name: as_numbers(run) for name, run in runs.items()}, as_numbers(qrels))
    assert found["good"].result.mean == pytest.approx(expected["good"].result.mean)
    assert set(found.run.queries) == {q[1:] for q in expected.run.queries}


@pytest.fixture(scope="module")
def facts(collection):
    """A feature that says much, and queries of two kinds."""
    _, qrels = collection
    rng = random.Random(8)
    age = {q: {d: rng.gauss(3 - 2 * label, 0.5) for d, label in each.items()} for q, each in qrels.items()}
    queries = {q: {"length": 1 + n % 7, "language": "de" if n % 2 else "en"} for n, q in enumerate(qrels)}
    return age, queries


def test_features_by_document_and_by_pair(collection, facts, tmp_path):
    pd = pytest.importorskip("pandas")
    runs, qrels = collection
    age, _ = facts
    fusion = dorm.fuse(runs, qrels, features={"age": age})
    assert list(fusion.weights) == ["good", "poor", "age"] and fusion.weights["age"] < 0
    assert fusion["learnt"].result.mean > fusion["mean"].result.mean
    pairs = [(q, d, x) for q, each in age.items() for d, x in each.items()]
    frame = pd.DataFrame(pairs, columns=["qid", "docid", "age"])
    assert dorm.fuse(runs, qrels, features=frame).weights == fusion.weights
    frame.to_csv(tmp_path / "age.csv", index=False)
    assert dorm.fuse(runs, qrels, features=tmp_path / "age.csv").weights == fusion.weights
    popularity = {d: float(d[1:]) for each in qrels.values() for d in each}
    assert list(dorm.fuse(runs, qrels, features={"popularity": popularity}).weights)[-1] == "popularity"
    assert fusion.ranker.fuse(runs, features={"age": age}).to_dict() == fusion.run.to_dict()
    with pytest.raises(ValueError, match="no feature 'age'"):
        fusion.ranker.fuse(runs)
    with pytest.raises(ValueError, match="no value for a document of the runs"):
        dorm.fuse(runs, qrels, features={"age": {"nobody": 1}})
    first = next(iter(popularity))
    less = {document: value for document, value in popularity.items() if document != first}
    expected = dorm.fuse(runs, qrels, features={"popularity": less}).weights
    assert dorm.fuse(runs, qrels, features={"popularity": {**popularity, first: None}}).weights == expected
    table = pd.DataFrame({"docid": list(popularity), "popularity": ["NA", *list(popularity.values())[1:]]})
    assert dorm.fuse(runs, qrels, features=table).weights == expected
    with pytest.raises(ValueError, match=r"feature 'kind' has the value 'red'; expected numbers: encode the column"):
        dorm.fuse(runs, qrels, features=table.assign(kind="red"))
    alone = dorm.fuse({"good": runs["good"]}, qrels, features={"age": age})
    assert alone.weights["good"] == 1


def test_weights_that_depend_on_the_query(collection, facts, tmp_path):
    pd = pytest.importorskip("pandas")
    runs, qrels = collection
    _, queries = facts
    fusion = dorm.fuse(runs, qrels, query_features=queries)
    assert [row.name for row in fusion.rows][-2:] == ["learnt", "by query"]
    assert fusion["learnt"].result.mean == dorm.fuse(runs, qrels)["learnt"].result.mean
    assert fusion.by_query.mean_difference == pytest.approx(
        fusion["by query"].result.mean - fusion["learnt"].result.mean
    )
    assert sum(fusion.weights.values()) == pytest.approx(1)
    ranker = fusion.ranker
    for length in (-5, 1, 3, 7, 99):
        for language in ("de", "en", "fr"):
            weights = ranker.weights_for({"length": length, "language": language})
            assert list(weights) == ["good", "poor"] and min(weights.values()) >= 0
    rows = [{"qid": q, **row} for q, row in queries.items()]
    frame = pd.DataFrame(rows)
    again = FusionRanker().fit(runs, qrels, query_features=frame)
    assert again.weights_ == fusion.weights
    ranker.save(tmp_path / "f.json")
    loaded = FusionRanker.load(tmp_path / "f.json")
    assert loaded.fuse(runs, query_features=frame).to_dict() == fusion.run.to_dict()
    assert loaded.weights_for({"length": 2, "language": "de"}) == ranker.weights_for({"length": 2, "language": "de"})
    with pytest.raises(ValueError, match="no query_features"):
        loaded.fuse(runs)
    with pytest.raises(ValueError, match="expected a row for each query"):
        loaded.fuse(runs, query_features={"q1": queries["q1"]})
    with pytest.raises(ValueError, match="expected qrels"):
        dorm.fuse(runs, query_features=queries)


@pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command")
def test_the_command_reads_a_model_with_facts(collection, facts, tmp_path):
    runs, qrels = collection
    age, queries = facts
    fusion = dorm.fuse(runs, qrels, features={"age": age}, query_features=queries)
    fusion.ranker.save(tmp_path / "f.json")
    files = [write(run, tmp_path / f"{name}.run") for name, run in runs.items()]
    lines = ["qid,docid,age"] + [f"{q},{d},{x!r}" for q, each in age.items() for d, x in each.items()]
    (tmp_path / "age.csv").write_text("\n".join(lines) + "\n")
    lines = ["qid,length,language"] + [f"{q},{row['length']},{row['language']}" for q, row in queries.items()]
    (tmp_path / "queries.csv").write_text("\n".join(lines) + "\n")
    words = ["rank", tmp_path / "f.json", *files, "--features", tmp_path / "age.csv", "--query-features",
             tmp_path / "queries.csv", "--format", "trec"]  # fmt: skip
    said = subprocess.run([COMMAND, *map(str, words)], capture_output=True, check=True, text=True).stdout
    found = {}
    for line in said.splitlines():
        query, _, document, _, score, _ = line.split()
        found.setdefault(query, {})[document] = float(score)
    expected = fusion.run.to_dict()
    assert found.keys() == expected.keys()
    for query, documents in expected.items():
        assert found[query] == pytest.approx(documents, abs=1e-6)


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
