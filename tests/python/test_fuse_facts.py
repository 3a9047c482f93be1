# SPDX-License-Identifier: Apache-2.0
"""Fused models with facts beside runs: features of documents, and weights that depend on the query, in every verb."""

import json
import random

import pytest
from command import dorm
from served import Served


def write_run(path, lists):
    lines = [
        f"{query} Q0 {document} {rank} {score!r} {path.stem}\n"
        for query, documents in lists.items()
        for rank, (document, score) in enumerate(documents, 1)
    ]
    path.write_text("".join(lines))


def ranked(text):
    out = {}
    for line in text.splitlines():
        query, _, document, _, score, _ = line.split()
        out.setdefault(query, []).append((document, float(score)))
    return out


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """`words` is right for short queries, `dense` for long ones; old documents are rarely relevant."""
    folder = tmp_path_factory.mktemp("facts")
    rng = random.Random(11)
    judged, ages, facts = [], ["docid,age"], ["qid,length,language"]
    runs = {"words": {}, "dense": {}}
    for q in range(60):
        length = rng.randrange(1, 11)
        facts.append(f"q{q},{length},{rng.choice(['de', 'en'])}")
        labels = {f"d{q}-{d}": int(rng.random() < 0.25) for d in range(25)}
        judged += [f"q{q} 0 {document} {label}" for document, label in labels.items()]
        ages += [f"{document},{rng.gauss(5 - 2 * label, 1.5):.3f}" for document, label in labels.items()]
        for name, run in runs.items():
            knows = (name == "words") == (length <= 5)
            scores = [(d, rng.random() + (0.6 * label if knows else 0)) for d, label in labels.items()]
            run[f"q{q}"] = sorted(rng.sample(scores, 22), key=lambda entry: -entry[1])
    for name, run in runs.items():
        write_run(folder / f"{name}.run", run)
    for name, lines in (("qrels.txt", judged), ("ages.csv", ages), ("facts.csv", facts)):
        (folder / name).write_text("\n".join(lines) + "\n")
    dorm("fuse", "words.run", "dense.run", "--qrels", "qrels.txt", "--features", "ages.csv",
         "--query-features", "facts.csv", "--model", "f.json", "-o", "f.run", "--joined", "joined.csv",
         "--json", cwd=folder)  # fmt: skip
    return folder


FACTS = ("--features", "ages.csv", "--query-features", "facts.csv")


def test_weights_that_depend_on_the_query_stand_beside_global_ones(world):
    words = ["fuse", "words.run", "dense.run", "--qrels", "qrels.txt", "--query-features", "facts.csv"]
    report = json.loads(dorm(*words, "--json", cwd=world).stdout)
    assert [row["name"] for row in report["rankings"]][-2:] == ["learnt", "by query"]
    assert report["by_query"]["low"] > 0 and report["ship"] == "by query"
    rows = {row["name"]: row["measure"]["mean"] for row in report["rankings"]}
    assert rows["by query"] > rows["learnt"] + 0.05
    weights = report["weights"]
    assert len(weights) == 2 + 2 * 2 * 3 and min(weights.values()) >= 0
    assert weights["dense * length"] > weights["words * length"]
    said = dorm(*words, cwd=world).stdout
    assert "verdict      by query - mean +" in said and "ship the weights that depend on the query" in said
    assert "by query     length 1: words" in said and "by query - learnt" in said
    without = json.loads(dorm(*words[:5], "--json", cwd=world).stdout)
    assert without["rankings"][-1]["measure"]["mean"] == rows["learnt"]


def test_rank_explain_and_eval_join_the_tables(world):
    expected = ranked((world / "f.run").read_text())
    said = dorm("rank", "f.json", "words.run", "dense.run", *FACTS, "--format", "trec", cwd=world).stdout
    assert ranked(said) == expected
    assert list(ranked(dorm("rank", "f.json", "joined.csv", "--format", "trec", cwd=world).stdout)) == list(expected)
    why = dorm("explain", "f.json", "words.run,dense.run", "--query", "q3", "--top", "1", "--json",
               "--document-features", "ages.csv", "--query-features", "facts.csv", cwd=world).stdout  # fmt: skip
    assert expected["q3"][0][0] in why and "age" in why and "dense * length" in why
    tables = ("--document-features", "ages.csv", "--query-features", "facts.csv")
    together = json.loads(
        dorm("eval", "--qrels", "qrels.txt", "words.run", "dense.run", "f.json", *tables, "--json", cwd=world).stdout
    )
    alone = json.loads(dorm("eval", "--qrels", "qrels.txt", "words.run", "f.run", "--json", cwd=world).stdout)
    assert together["rankers"][2]["measures"]["ndcg@10"]["mean"] == pytest.approx(
        alone["rankers"][1]["measures"]["ndcg@10"]["mean"], abs=1e-12
    )
    about = json.loads(dorm("info", "f.json", "--json", cwd=world).stdout)["fusion"]
    assert about["features"] == ["age"]
    assert about["query_features"] == ["length", "language: de", "language: en"] or set(about["query_features"]) == {
        "length",
        "language: de",
        "language: en",
    }


def test_the_server_takes_facts_in_the_request(world):
    expected = ranked((world / "f.run").read_text())
    lists = {name: ranked((world / f"{name}.run").read_text()) for name in ("words", "dense")}
    ages = dict(line.split(",") for line in (world / "ages.csv").read_text().splitlines()[1:])
    facts = dict(line.split(",", 1) for line in (world / "facts.csv").read_text().splitlines()[1:])

    def body(query):
        found = {name: [{"id": d, "score": s} for d, s in run[query]] for name, run in lists.items()}
        listed = {document for run in lists.values() for document, _ in run[query]}
        found["age"] = [{"id": d, "score": float(ages[d])} for d in sorted(listed)]
        length, language = facts[query].split(",")
        return {"lists": found, "query_features": {"length": int(length), "language": language}}

    with Served("f.json", cwd=world) as served:
        for query in ("q0", "q17"):
            status, _, answer = served.ask("POST", "/v1/rank", body(query))
            assert status == 200, answer
            assert [(each["id"], each["score"]) for each in answer["ranking"]] == expected[query]
        status, _, answer = served.ask("POST", "/v1/rank", {"queries": [{"id": "q1", **body("q1")}]})
        assert status == 200 and answer["queries"][0]["ranking"][0]["id"] == expected["q1"][0][0]
        for change, message in (
            ({"query_features": {"language": "de"}}, "no query feature 'length'"),
            ({"query_features": {"length": "long"}}, "no query feature 'length'"),
            ({"query_features": {"length": [1]}}, "query_features.length"),
            ({"query_features": None}, "query_features"),
        ):
            status, _, answer = served.ask("POST", "/v1/rank", body("q0") | change)
            assert status == 400 and message in json.dumps(answer), answer
        status, _, answer = served.ask("POST", "/v1/rank", {"lists": body("q0")["lists"]})
        assert status == 400 and "there are no query features" in json.dumps(answer)
        status, _, answer = served.ask("POST", "/v1/rank", {"query_features": {"length": 3}, "documents": []})
        assert status == 400
        status, _, answer = served.ask("GET", "/v1/models")
        assert answer["models"][0]["fusion"]["query_features"][0] == "length"


@pytest.mark.parametrize(
    "words, message",
    [
        (["rank", "f.json", "words.run", "dense.run"], "has the feature 'age' beside runs"),
        (["rank", "f.json", "words.run", "dense.run", "--features", "ages.csv"], "expected --query-features FILE"),
        (["rank", "f.json", "words.run", "dense.run", "--features", "sizes.csv", "--query-features", "facts.csv"],
         "no column 'age'"),
        (["rank", "f.json", "words.run", "dense.run", "--features", "ages.csv", "--query-features", "few.csv"],
         "no query features; expected a row for each query"),
        (["fuse", "words.run", "dense.run", "--query-features", "facts.csv"], "--qrels FILE"),
        (["fuse", "words.run", "dense.run", "--qrels", "qrels.txt", "--query-features", "facts.csv", "--weights",
          "sweep"], "expected --weights bound"),
        (["fuse", "words.run", "dense.run", "--qrels", "qrels.txt", "--query-features", "same.csv"],
         "no query feature differs"),
        (["export", "f.json", "--to", "elasticsearch"], "has the feature 'age'"),
        (["export", "q.json", "--to", "opensearch"], "depend on the query feature 'length', and opensearch has one"),
        (["eval", "--qrels", "qrels.txt", "words.run", "q.json"], "the model fuses words, dense"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(world, words, message):
    (world / "sizes.csv").write_text("docid,size\nd0-1,3\nd0-2,4\n")
    (world / "few.csv").write_text("qid,length,language\nq0,3,de\nq1,4,en\n")
    (world / "same.csv").write_text("qid,length\n" + "".join(f"q{q},3\n" for q in range(60)))
    if "q.json" in words and not (world / "q.json").exists():
        dorm("fuse", "words.run", "dense.run", "--qrels", "qrels.txt", "--query-features", "facts.csv", "--model",
             "q.json", cwd=world)  # fmt: skip
    failed = dorm(*words, cwd=world, status=None)
    assert failed.returncode in (1, 2) and message in failed.stderr, failed.stderr


def test_one_run_and_a_feature(world):
    report = json.loads(
        dorm("fuse", "words.run", "--features", "ages.csv", "--qrels", "qrels.txt", "--json", cwd=world).stdout
    )
    assert report["weights"]["words"] == 1 and report["weights"]["age"] < 0 and "sweep" not in report
    rows = {row["name"]: row["measure"]["mean"] for row in report["rankings"]}
    assert rows["learnt"] > rows["words"] == rows["mean"]


def test_words_alone_are_query_features(world):
    (world / "languages.csv").write_text(
        "qid,language\n" + "".join(f"q{q},{'de' if q % 2 else 'en'}\n" for q in range(60))
    )
    report = json.loads(
        dorm("fuse", "words.run", "dense.run", "--qrels", "qrels.txt", "--query-features", "languages.csv", "--json",
             cwd=world).stdout
    )  # fmt: skip
    assert [each["name"] for each in report["query_features"]] == ["language: en", "language: de"]


MESSY = """﻿docid,kind,published,discount,age
a,"red, dark",2024-01-31,20%,1
b,blue,2024-01-30,5%,
c,"red, dark",,0%,3
d,blue,2024-01-01,10%,NA
e,blue,2024-01-11,30%,2
"""
ENCODE = "kind=onehot,published=age,discount=percent"


def test_columns_of_features_are_encoded(tmp_path):
    """The same model and scores as of columns that were made by hand, without the cells that are gaps."""
    (tmp_path / "a.run").write_text("q1 Q0 a 1 9 x\nq1 Q0 b 2 7 x\nq1 Q0 c 3 1 x\nq2 Q0 a 1 5 x\nq2 Q0 d 2 4 x\n")
    (tmp_path / "b.run").write_text("q1 Q0 b 1 0.9 y\nq1 Q0 c 2 0.8 y\nq2 Q0 d 1 0.7 y\nq2 Q0 e 2 0.2 y\n")
    (tmp_path / "qrels.txt").write_text("q1 0 b 2\nq1 0 a 0\nq2 0 d 1\n")
    (tmp_path / "messy.csv").write_text(MESSY)
    (tmp_path / "hand.csv").write_text(
        'docid,kind=blue,"kind=red, dark",published,discount,age\n'
        "a,0,1,0,20,1\nb,1,0,1,5,\nc,0,1,,0,3\nd,1,0,30,10,\ne,1,0,20,30,2\n"
    )
    words = ["fuse", "a.run", "b.run", "--qrels", "qrels.txt", "--features"]
    failed = dorm(*words, "messy.csv", cwd=tmp_path, status=1)
    assert "to encode them: --encode kind=onehot,published=age,discount=percent" in failed.stderr
    for data, options in (("messy", ["--encode", ENCODE]), ("hand", [])):
        dorm(*words, f"{data}.csv", *options, "--model", f"{data}.json", "-o", f"{data}.run", cwd=tmp_path)
    messy, hand = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("messy", "hand"))
    assert messy["features"] == hand["features"] and messy["weights"] == hand["weights"]
    assert {each["column"] for each in messy["fusion"]["encodings"]} == {"kind", "published", "discount"}
    expected = (tmp_path / "hand.run").read_text()
    assert (tmp_path / "messy.run").read_text() == expected
    rank = ["rank", "a.run", "b.run", "--format", "trec", "--features", "messy.csv"]
    assert dorm(rank[0], "messy.json", *rank[1:], cwd=tmp_path).stdout == expected
    (tmp_path / "new.csv").write_text(MESSY.replace("blue", "green"))
    dorm(rank[0], "messy.json", *rank[1:-1], "new.csv", cwd=tmp_path)
    (tmp_path / "odd.csv").write_text(MESSY.replace("2024-01-30", "soon"))
    failed = dorm(rank[0], "messy.json", *rank[1:-1], "odd.csv", cwd=tmp_path, status=1)
    assert "'soon'" in failed.stderr and "a date" in failed.stderr
    (tmp_path / "twice.csv").write_text(MESSY + "a,blue,,1%,1\n")
    failed = dorm(*words, "twice.csv", "--encode", ENCODE, cwd=tmp_path, status=1)
    assert "twice.csv: document 'a' is there twice" in failed.stderr
    (tmp_path / "bare.csv").write_text("a,3\nb,4\n")
    failed = dorm(*words, "bare.csv", cwd=tmp_path, status=1)
    assert "bare.csv:1: no header with ids and columns; expected docid,age,..." in failed.stderr


def test_columns_of_pairs_are_encoded(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 a 1 9 x\nq1 Q0 b 2 7 x\nq2 Q0 a 1 5 x\nq2 Q0 d 2 4 x\n")
    (tmp_path / "b.run").write_text("q1 Q0 b 1 0.9 y\nq2 Q0 d 1 0.7 y\nq2 Q0 a 2 0.2 y\n")
    (tmp_path / "qrels.txt").write_text("q1 0 b 2\nq1 0 a 0\nq2 0 d 1\n")
    (tmp_path / "messy.csv").write_text('qid,docid,price\nq1,a,"1,200.5"\nq1,b,"2,000"\nq2,a,\nq2,d,"3,000"\n')
    (tmp_path / "hand.csv").write_text("qid,docid,price\nq1,a,1200.5\nq1,b,2000\nq2,d,3000\n")
    words = ["fuse", "a.run", "b.run", "--qrels", "qrels.txt", "--features"]
    for data, options in (("messy", ["--encode", "price=thousands"]), ("hand", [])):
        dorm(*words, f"{data}.csv", *options, "-o", f"{data}.run", cwd=tmp_path)
    assert (tmp_path / "messy.run").read_text() == (tmp_path / "hand.run").read_text()
