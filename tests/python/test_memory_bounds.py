# SPDX-License-Identifier: Apache-2.0
"""Memory follows the file, not the largest feature number in it: every verb on small files that name large ones, within
an address space that no vector over all numbers fits into."""

import json
import random
import resource

import pytest
from command import dorm

LIMIT = 600 << 20
LARGEST = 2147483647  # 2^31 - 1: eight bytes for each would be 16 GB
SCALES = ["none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore"]


def bounded(*arguments, **kw):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))

    return dorm("--threads", 2, *arguments, preexec_fn=limit, timeout=120, **kw)


def write_rows(path, *, queries, documents, number, first=1):
    """Hashed features: a handful per document, of numbers spread over all 32-bit ones; one is in every document."""
    rng = random.Random(1)
    with open(path, "w") as out:
        for query in range(first, first + queries):
            for _ in range(documents):
                label = rng.randint(0, 2)
                features = {number: 3 * label + rng.random(), 7: 1000 + rng.random()}
                features.update({rng.randrange(8, LARGEST): rng.random() for _ in range(3)})
                row = " ".join(f"{feature}:{features[feature]:.4f}" for feature in sorted(features))
                print(f"{label} qid:{query} {row}", file=out)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    write_rows(folder / "train.txt", queries=12, documents=6, number=LARGEST)
    write_rows(folder / "test.txt", queries=6, documents=6, number=LARGEST, first=100)
    (folder / "one.txt").write_text("1 qid:1 99999999:1\n")
    dorm("train", folder / "train.txt", "--scale", "zscore", "--model", folder / "m.json")
    return folder


def test_info_says_how_many_features_occur(here):
    bounded("info", "one.txt")
    found = json.loads(bounded("--json", "info", "train.txt").stdout)
    assert found["features"] == LARGEST
    assert found["columns"] < 12 * 6 * 3 + 3
    assert "of them occur" in bounded("info", "train.txt").stdout


@pytest.mark.parametrize("scale", SCALES)
def test_train_and_rank(here, scale):
    bounded("train", "train.txt", "--scale", scale, "--model", "own.json")
    model = json.loads((here / "own.json").read_text())
    assert len(model["features"]) == len(model["weights"]) < 12 * 6 * 3 + 3
    assert model["data"]["features"] == LARGEST
    assert str(LARGEST) in model["features"]
    bounded("rank", "own.json", "one.txt")
    measured = json.loads(bounded("--json", "eval", "test.txt", "--model", "own.json", "--measures", "ndcg@3").stdout)
    assert measured["measures"]["ndcg@3"]["mean"] > 0.95
    assert len(bounded("rank", "own.json", "test.txt").stdout.split("\n")) >= 36


@pytest.mark.parametrize("solver", ["bcda", "nslack", "oneslack", "bcfw", "fw", "online"])
def test_every_solver(here, solver):
    bounded("train", "train.txt", "--solver", solver, "--passes", 30, "--model", "own.json")


@pytest.mark.parametrize("kernel", ["linear", "rbf:gamma=median", "poly:degree=2"])
def test_kernels(here, kernel):
    bounded("train", "train.txt", "--kernel", kernel, "--model", "own.json")
    bounded("rank", "own.json", "test.txt")


def test_scores_do_not_depend_on_the_form_of_the_data(here):
    """As text, compressed and in the columns that occur; as a table, dense."""
    bounded("convert", "train.txt", "train.csv")
    by_text = bounded("rank", "m.json", "train.txt").stdout
    by_table = bounded("rank", "m.json", "train.csv").stdout
    assert [float(x) for x in by_text.split()] == pytest.approx([float(x) for x in by_table.split()], abs=1e-5)


@pytest.mark.parametrize("form", ["dorm", "txt", "csv"])
def test_convert_and_train_on_it(here, form):
    bounded("convert", "train.txt", f"copy.{form}")
    bounded("train", f"copy.{form}", "--scale", "zscore", "--model", "own.json")
    if form != "csv":  # whose columns have names
        hashes = [json.loads(bounded("--json", "info", f).stdout)["fingerprint"] for f in ("train.txt", f"copy.{form}")]
        assert hashes[0] == hashes[1]


def test_tune_compare_and_export(here):
    bounded("tune", "train.txt", "--folds", 3, "--grid", "C=1/10", "--model", "own.json")
    bounded("compare", "train.txt", "--folds", 3, "--C", "10", "--measures", "ndcg@3")
    write_rows("third.txt", queries=6, documents=6, number=LARGEST - 1, first=200)
    bounded("compare", "train.txt", "test.txt", "third.txt", "--methods", "ridge", "--C", "10", "--measures", "ndcg@3")
    bounded("export", "m.json", "--to", "sql")
    refused = bounded("export", "m.json", "--to", "svmlight", status=1).stderr
    assert "svmlight numbers features from 1 to 99999999" in refused
    for target in ("elasticsearch", "solr", "lucene", "vespa", "ranklib", "onnx", "pmml", "c", "python"):
        bounded("export", "m.json", "--to", target, "-o", f"own.{target}")
    bounded("info", "m.json")


def test_json_rows_with_keys_of_their_own(tmp_path):
    """As many features as rows: rows times features would be 1.6 GB."""
    rows, path = 20000, tmp_path / "keys.jsonl"
    with open(path, "w") as out:
        for k in range(rows):
            print(f'{{"qid":{k // 10},"label":{k % 3},"f{k}":1}}', file=out)
    found = json.loads(bounded("--json", "info", path, "--missing", "zero").stdout)
    assert (found["documents"], found["features"]) == (rows, rows)
    said = bounded("info", path, status=1).stderr
    assert f"{rows} columns have missing values" in said
    said = bounded("info", path, "--missing", "mean", status=1).stderr
    assert f"found {rows} values for {rows} documents and {rows} features" in said


def test_logged_features_of_their_own(tmp_path):
    rows, path = 20000, tmp_path / "log.jsonl"
    with open(path, "w") as out:
        for query in range(rows // 10):
            hits = [
                {"_id": str(d), "fields": {"_ltrlog": [{"log": [{"name": f"f{query * 10 + d}", "value": 1}]}]}}
                for d in range(10)
            ]
            print(json.dumps({"qid": str(query), "hits": {"hits": hits}}), file=out)
    found = json.loads(bounded("--json", "info", path, "--input-format", "log").stdout)
    assert (found["documents"], found["features"]) == (rows, rows)
