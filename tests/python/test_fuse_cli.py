# SPDX-License-Identifier: Apache-2.0
"""dorm fuse: runs of several retrievers, fused by weights that are learnt from judgments."""

import csv
import gzip
import json
import os
import random
import sqlite3
from pathlib import Path

import pytest
from command import dorm
from served import Served

ROOT = Path(__file__).resolve().parents[2]
COLLECTIONS = Path(os.environ.get("DORM_DATA", ROOT.parent / "shared" / "data")) / "fusion"


def write_run(path, lists):
    path.write_text(
        "".join(
            f"{query} Q0 {document} {rank} {score!r} {path.stem}\n"
            for query, documents in lists.items()
            for rank, (document, score) in enumerate(documents, 1)
        )
    )


@pytest.fixture
def world(tmp_path):
    """Forty queries of thirty documents; `good` knows more of the labels than `poor`, and lists other documents."""
    rng = random.Random(3)
    judged, good, poor = [], {}, {}
    for q in range(40):
        labels = {f"d{q}-{d}": int(rng.random() < 0.2) for d in range(30)}
        judged += [f"q{q} 0 {document} {label}" for document, label in labels.items() if rng.random() < 0.8]
        for run, noise, listed in ((good, 0.6, 0.9), (poor, 1.5, 0.7)):
            scores = [(d, label + rng.gauss(0, noise)) for d, label in labels.items() if rng.random() < listed]
            run[f"q{q}"] = sorted(scores, key=lambda entry: -entry[1])
    (tmp_path / "qrels.txt").write_text("\n".join(judged) + "\n")
    write_run(tmp_path / "good.run", good)
    write_run(tmp_path / "poor.run", poor)
    return tmp_path


def fused(world, *options, **kw):
    return dorm("fuse", "good.run", "poor.run", "--qrels", "qrels.txt", *options, cwd=world, **kw)


def test_rows_of_runs_are_those_of_eval(world):
    report = json.loads(fused(world, "--json").stdout)
    rows = {row["name"]: row for row in report["rankings"]}
    assert list(rows) == ["good", "poor", "rrf", "mean", "learnt"]
    for name in ("good", "poor"):
        alone = json.loads(
            dorm("eval", "--qrels", "qrels.txt", "--run", f"{name}.run", "--measures", "ndcg@10,judged@10", "--json",
                 cwd=world).stdout
        )["measures"]  # fmt: skip
        assert rows[name]["measure"]["mean"] == alone["ndcg@10"]["mean"]
        assert rows[name]["judged"] == alone["judged@10"]["mean"]
    assert sum(report["weights"].values()) == pytest.approx(1, abs=1e-12)
    assert report["weights"]["good"] > report["weights"]["poor"] >= 0
    assert report["sweep"]["exact"] and report["sweep"]["value"] >= report["value"]
    assert report["ship"] in ("learnt", "mean")


def test_the_fused_run_has_the_value_that_is_printed(world):
    report = json.loads(fused(world, "-o", "fused.run", "--model", "f.json", "--json").stdout)
    alone = json.loads(
        dorm("eval", "--qrels", "qrels.txt", "--run", "fused.run", "--measures", "ndcg@10", "--json", cwd=world).stdout
    )
    assert alone["measures"]["ndcg@10"]["mean"] == pytest.approx(report["value"], abs=1e-12)
    model = json.loads((world / "f.json").read_text())
    assert {key: model["fusion"][key] for key in ("runs", "scale", "absent")} == {
        "runs": ["good", "poor"],
        "scale": "minmax",
        "absent": "minimum",
    }
    assert all(low < high for low, high in zip(model["fusion"]["low"], model["fusion"]["high"]))
    assert model["weights"] == list(report["weights"].values())


def test_min_max_by_hand(tmp_path):
    write_run(tmp_path / "a.run", {"q": [("d1", 10), ("d2", 8), ("d3", 6)]})
    write_run(tmp_path / "b.run", {"q": [("d2", 0.75), ("d4", 0.5)]})
    dorm("fuse", "a.run", "b.run", "-o", "f.run", cwd=tmp_path)
    lines = [line.split() for line in (tmp_path / "f.run").read_text().splitlines()]
    assert [(line[2], float(line[4])) for line in lines] == [("d2", 0.75), ("d1", 0.5), ("d3", 0), ("d4", 0)]
    dorm("fuse", "a.run", "b.run", "--scale", "rank", "-o", "f.run", cwd=tmp_path)
    lines = [line.split() for line in (tmp_path / "f.run").read_text().splitlines()]
    assert [line[2] for line in lines] == ["d2", "d1", "d4", "d3"]
    assert float(lines[0][4]) == pytest.approx((61 / 62 + 1) / 2)


def test_without_judgments_it_says_what_to_judge(world):
    said = dorm("fuse", "good.run", "poor.run", "--to-judge", "judge.csv", "--pairs", "50", cwd=world).stdout
    assert "without judgments: equal weights" in said
    rows = list(csv.DictReader((world / "judge.csv").open()))
    assert len(rows) == 50 and len({row["qid"] for row in rows[:40]}) == 40  # first one of each query
    said = fused(world, "--to-judge", "judge.csv").stdout
    judged = {tuple(line.split()[i] for i in (0, 2)) for line in (world / "qrels.txt").read_text().splitlines()}
    assert not judged & {(row["qid"], row["docid"]) for row in csv.DictReader((world / "judge.csv").open())}
    assert "judge.csv" in said


def test_the_same_bytes_on_any_number_of_threads(world):
    assert fused(world, "--threads", "1").stdout == fused(world, "--threads", "3").stdout


def test_names_of_runs(world):
    said = dorm("fuse", "lexical=good.run", "poor.run", cwd=world).stdout
    assert "lexical, poor" in said
    (world / "other").mkdir()
    (world / "other" / "good.run").write_text((world / "poor.run").read_text())
    failed = dorm("fuse", "good.run", "other/good.run", cwd=world, status=2)
    assert "NAME=FILE" in failed.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["good.run"], "expected two or more"),
        (["good.run", "poor.run", "--measure", "map"], "map"),
        (["good.run", "poor.run", "--scale", "maxmin"], "minmax"),
        (["good.run", "poor.run", "--weights", "grid"], "bound"),
        (["good.run", "twice.run"], "twice: document 'd1' is listed twice"),
        (["good.run", "nan.run"], "nan.run:1:13: found 'nan'; expected a finite number"),
        (["good.run", "poor.run", "--qrels", "foreign.txt"], "no judged query is in a run"),
    ],
)
def test_mistakes(world, arguments, message):
    (world / "twice.run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")
    (world / "nan.run").write_text("q1 Q0 d1 1  nan t\n")
    (world / "foreign.txt").write_text("x1 0 d1 1\n")
    failed = dorm("fuse", *arguments, cwd=world, status=None)
    assert failed.returncode in (1, 2) and message in failed.stderr, failed.stderr


@pytest.mark.skipif(not COLLECTIONS.exists(), reason=f"no collections at {COLLECTIONS}; set DORM_DATA")
def test_real_runs_reach_the_figures_of_the_collection(tmp_path):
    """Single runs, RRF and the min-max mean as others compute them (to three digits); learnt weights are ahead."""
    folder = COLLECTIONS / "cacm"
    runs = sorted(folder.glob("*.run.gz"))
    report = json.loads(dorm("fuse", *runs, "--qrels", folder / "qrels.txt.gz", "--json").stdout)
    means = {row["name"]: round(row["measure"]["mean"], 3) for row in report["rankings"]}
    assert max(means[path.name.split(".")[0]] for path in runs) == 0.499
    assert means["rrf"] == pytest.approx(0.477, abs=0.001)
    assert means["mean"] == pytest.approx(0.509, abs=0.001)
    assert means["learnt"] > 0.50
    assert gzip.open(folder / "qrels.txt.gz").read(2)


def ranked(text):
    lists = {}
    for line in text.splitlines():
        query, _, document, _, score, _ = line.split()
        lists.setdefault(query, []).append((document, float(score)))
    return lists


@pytest.fixture
def model(world):
    fused(world, "--model", "f.json", "-o", "f.run", "--joined", "joined.csv")
    return world


def test_rank_and_explain_take_runs(model):
    expected = ranked((model / "f.run").read_text())
    said = dorm("rank", "f.json", "good.run", "poor.run", "--format", "trec", cwd=model).stdout
    assert ranked(said) == expected
    by_name = dorm("rank", "f.json", "poor.run,good.run", "--format", "trec", cwd=model).stdout
    assert {query: dict(lists) for query, lists in ranked(by_name).items()} == {
        query: dict(lists) for query, lists in expected.items()
    }
    failed = dorm("rank", "f.json", "good.run", "qrels.txt", cwd=model, status=1)
    assert "expected" in failed.stderr
    why = json.loads(
        dorm("explain", "f.json", "good.run,poor.run", "--query", "q1", "--top", "1", "--json", cwd=model).stdout
    )
    assert expected["q1"][0][0] in json.dumps(why)


def test_joined_scores_are_data(model):
    said = dorm("rank", "f.json", "joined.csv", "--format", "trec", cwd=model).stdout
    assert ranked(said).keys() == ranked((model / "f.run").read_text()).keys()
    info = json.loads(dorm("info", "joined.csv", "--json", cwd=model).stdout)
    assert info["queries"] == 40 and info["features"] == 2
    assert "good, poor; scale minmax" in dorm("info", "f.json", cwd=model).stdout
    assert json.loads(dorm("info", "f.json", "--json", cwd=model).stdout)["fusion"]["runs"] == ["good", "poor"]


def test_columns_beside_the_runs(world):
    qrels = [line.split() for line in (world / "qrels.txt").read_text().splitlines()]
    pairs = {(q, d): int(label) for q, _, d, label in qrels}
    rng = random.Random(8)
    with (world / "age.csv").open("w") as out:  # the older, the less relevant
        out.write("docid,age\n")
        for (_, document), label in sorted(pairs.items(), key=lambda pair: pair[0][1]):
            out.write(f"{document},{rng.gauss(5 - 3 * label, 1):.3f}\n")
    report = json.loads(fused(world, "--features", "age.csv", "--json").stdout)
    assert list(report["weights"]) == ["good", "poor", "age"] and report["weights"]["age"] < 0
    assert report["weights"]["good"] + report["weights"]["poor"] == pytest.approx(1)
    rows = {row["name"]: row["measure"]["mean"] for row in report["rankings"]}
    assert list(rows) == ["good", "poor", "rrf", "mean", "learnt"] and rows["learnt"] > rows["mean"]
    with (world / "pairs.csv").open("w") as out:
        out.write("qid,docid,age\n")
        for (query, document), label in pairs.items():
            out.write(f"{query},{document},{5 - 3 * label}\n")
    report = json.loads(fused(world, "--features", "pairs.csv", "--json").stdout)
    assert report["weights"]["age"] < 0
    (world / "other.csv").write_text("docid,age\nnobody,3\n")
    assert "has no value for a document" in fused(world, "--features", "other.csv", status=1).stderr


def test_answers_of_a_search_engine_are_runs(world):
    run = ranked((world / "good.run").read_text())
    answers = {
        query: {"took": 3, "hits": {"total": {"value": 9}, "hits": [{"_id": d, "_score": s} for d, s in documents]}}
        for query, documents in run.items()
    }
    expected = fused(world).stdout

    def again(text):
        (world / "hits.json").write_text(text)
        words = ["fuse", "good=hits.json", "poor.run", "--qrels", "qrels.txt"]
        return dorm(*words, cwd=world).stdout

    assert again(json.dumps(answers)) == expected
    assert again("".join(json.dumps({"qid": query} | answer) + "\n" for query, answer in answers.items())) == expected
    assert again(json.dumps({"responses": [{"qid": query} | answer for query, answer in answers.items()]})) == expected
    answers["q3"]["hits"]["hits"][1]["_score"] = None
    (world / "hits.json").write_text(json.dumps(answers))
    failed = dorm("fuse", "hits.json", "poor.run", cwd=world, status=1)
    assert "hits.json: query 'q3', hit 2: found no finite number as _score" in failed.stderr


def exported(world, target, *options):
    return dorm("export", "f.json", "--to", target, *options, cwd=world)


def test_export_to_elasticsearch(model):
    weights = json.loads((model / "f.json").read_text())["weights"]
    linear = json.loads(exported(model, "elasticsearch").stdout)["retriever"]["linear"]
    assert [each["weight"] for each in linear["retrievers"]] == pytest.approx(weights, abs=1e-6)
    assert all(each["normalizer"] == "minmax" and "standard" in each["retriever"] for each in linear["retrievers"])
    assert linear["rank_window_size"] == 100
    done = exported(model, "elasticsearch", "--check", "good.run,poor.run", "-o", "body.json")
    assert "top 10       changes in 0 of 40 queries" in done.stdout
    rrf = json.loads(exported(model, "elasticsearch-rrf").stdout)["retriever"]["rrf"]
    assert rrf["rank_constant"] == 60 and [each["weight"] for each in rrf["retrievers"]] == pytest.approx(
        weights, abs=1e-6
    )
    assert "by rank" in exported(model, "elasticsearch-rrf").stderr


def test_export_to_opensearch(model):
    body = json.loads(exported(model, "opensearch").stdout)
    assert len(body["query"]["hybrid"]["queries"]) == 2
    (processor,) = body["search_pipeline"]["phase_results_processors"]
    processor = processor["normalization-processor"]
    assert processor["normalization"] == {"technique": "min_max"}
    assert processor["combination"]["technique"] == "arithmetic_mean"
    assert sum(processor["combination"]["parameters"]["weights"]) == pytest.approx(1, abs=1e-5)
    said = json.loads(exported(model, "opensearch", "--check", "good.run,poor.run", "-o", "b.json", "--json").stdout)
    assert said["queries"] == 40 and said["changed_queries"] <= 20  # its least score is 0.001, not 0


def test_export_to_others(model):
    weights = json.loads((model / "f.json").read_text())["weights"]
    assert f"alpha: {weights[1]:.6f}"[:14] in exported(model, "weaviate").stdout
    qdrant = json.loads(exported(model, "qdrant").stdout)
    assert len(qdrant["prefetch"]) == 2 and set(qdrant["query"]["defaults"]) == {"$score[0]", "$score[1]"}
    assert [term["mult"][1] for term in qdrant["query"]["formula"]["sum"]] == ["$score[0]", "$score[1]"]
    milvus = json.loads(exported(model, "milvus").stdout)["rerank"]
    assert milvus["strategy"] == "weighted" and max(milvus["params"]["weights"]) == 1
    assert min(milvus["params"]["weights"]) >= 0 and milvus["params"]["norm_score"] is True
    vespa = exported(model, "vespa").stdout
    assert vespa.count("{") - 2 * vespa.count("{{") == vespa.count("}") - 2 * vespa.count("}}")
    assert f"{weights[0]:.6f}"[:6] in vespa and "normalize_linear(good)" in vespa
    for target in ("qdrant", "milvus", "vespa", "weaviate"):
        said = json.loads(exported(model, target, "--check", "good.run,poor.run", "-o", "b.txt", "--json").stdout)
        assert said["queries"] == 40


def test_sql_computes_the_fused_list(model):
    """The query over the lists of one query id, in SQLite, gives the list of the model."""
    text = exported(model, "sql").stdout
    expected = ranked((model / "f.run").read_text())
    runs = {name: ranked((model / f"{name}.run").read_text()) for name in ("good", "poor")}
    for query in ("q0", "q7", "q21"):
        base = sqlite3.connect(":memory:")
        statement = text
        for name, run in runs.items():
            base.execute(f"CREATE TABLE list_{name} (id TEXT, score REAL)")
            base.executemany(f"INSERT INTO list_{name} VALUES (?, ?)", run[query])
            statement = statement.replace(f"{{{{list of {name}}}}}", f"list_{name}")
        rows = base.execute(statement).fetchall()
        assert [document for document, _ in rows] == [document for document, _ in expected[query][:10]]
        assert [score for _, score in rows] == pytest.approx([score for _, score in expected[query][:10]], abs=1e-5)


def test_exports_that_cannot_be(model):
    dorm("fuse", "good.run", "poor.run", "third=good.run", "--model", "three.json", cwd=model)
    failed = dorm("export", "three.json", "--to", "weaviate", cwd=model, status=1)
    assert "fuses two" in failed.stderr
    (model / "plain.txt").write_text("1 qid:1 1:1 2:0\n0 qid:1 1:0 2:1\n")
    dorm("train", "plain.txt", "--model", "plain.json", "--quiet", cwd=model)
    assert "is for models of dorm fuse" in dorm("export", "plain.json", "--to", "qdrant", cwd=model, status=2).stderr
    assert dorm("export", "f.json", "--to", "python", cwd=model).stdout


def test_the_server_joins_lists(model):
    expected = ranked((model / "f.run").read_text())
    runs = {name: ranked((model / f"{name}.run").read_text()) for name in ("good", "poor")}

    def lists_of(query):
        return {name: [{"id": d, "score": s} for d, s in run[query]] for name, run in runs.items()}

    with Served("f.json", cwd=model) as served:
        for query in ("q0", "q5"):
            status, _, answer = served.ask("POST", "/v1/rank", {"lists": lists_of(query)})
            assert status == 200, answer
            assert [(each["id"], each["score"]) for each in answer["ranking"]] == expected[query]
        alone = {"good": lists_of("q0")["good"]}
        status, _, answer = served.ask("POST", "/v1/rank", {"lists": alone, "top": 3})
        assert status == 200 and [each["id"] for each in answer["ranking"]] == [d for d, _ in runs["good"]["q0"][:3]]
        status, _, answer = served.ask("POST", "/v1/explain", {"lists": lists_of("q0"), "top": 1})
        assert status == 200 and answer["documents"][0]["id"] == expected["q0"][0][0]
        for lists, message in (
            ({"bad": alone["good"]}, "lists of good, poor"),
            ({"good": alone["good"] * 2}, "is listed twice"),
            ({"good": [{"id": "a"}]}, "score"),
            ({"good": [{"id": "a", "score": "x"}]}, "score"),
            ({"good": []}, "at least one"),
        ):
            status, _, answer = served.ask("POST", "/v1/rank", {"lists": lists})
            assert status == 400 and message in json.dumps(answer), answer
    (model / "plain.txt").write_text("1 qid:1 1:1 2:0\n0 qid:1 1:0 2:1\n")
    dorm("train", "plain.txt", "--model", "plain.json", "--quiet", cwd=model)
    with Served("plain.json", cwd=model) as served:
        status, _, answer = served.ask("POST", "/v1/rank", {"lists": alone})
        assert status == 400 and "no model of dorm fuse" in json.dumps(answer)
