# SPDX-License-Identifier: Apache-2.0
"""Features that search engines log, written as the engines write them, read by the command, joined with judgments."""

import csv
import io
import json
import random

import pytest
from command import dorm

FEATURES = ["title bm25", "body", "naïve", "clicks"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def world(queries=12, documents=7, seed=3):
    """{query: {document: (label or None, {feature: value})}}; some features are absent, some documents not judged."""
    rng = random.Random(seed)
    found = {}
    for q in range(queries):
        for d in range(documents):
            values = {name: rng.randrange(1, 999) / 64 for name in FEATURES if d == 0 or rng.random() < 0.8}
            label = None if rng.random() < 0.1 and d > 1 else d % 3
            found.setdefault(f"query-{q}", {})[f"doc {q}.{d}"] = (label, values)
    return found


def elastic(documents):
    hits = []
    for document, (_, values) in documents.items():
        logged = [{"name": name, **({"value": values[name]} if name in values else {})} for name in FEATURES]
        hits.append({"_index": "i", "_id": document, "_source": {"t": "x"}, "fields": {"_ltrlog": [{"main": logged}]}})
    return {"took": 2, "_shards": {"failed": 0}, "hits": {"total": {"value": len(hits)}, "hits": hits}}


def solr(documents, query, sparse):
    docs = []
    for document, (_, values) in documents.items():
        pairs = [f"{n}={values.get(n, 0.0):.9E}" for n in FEATURES if n in values or not sparse]
        docs.append({"id": document, "[features]": ",".join(pairs)})
    header = {"status": 0, "QTime": 3, "params": {"q": query, "fl": "id,[features]"}}
    return {"responseHeader": header, "response": {"numFound": len(docs), "start": 0, "docs": docs}}


def logs(found):
    """Every form in which the same log may come, and what has to be said about it."""
    answers = {query: elastic(documents) for query, documents in found.items()}
    lines = [json.dumps({"qid": query, "response": answer}) for query, answer in answers.items()]
    return {
        "lines.jsonl": ("\n".join(lines) + "\n", []),
        "pretty.json": ("".join(json.dumps(json.loads(line), indent=2) + "\n" for line in lines), []),
        "list.json": (f"[{', '.join(lines)}]", []),
        "msearch.json": (json.dumps({"took": 9, "responses": list(answers.values())}), ["--query-ids", "ids.txt"]),
        "solr.jsonl": ("\n".join(json.dumps(solr(d, q, False)) for q, d in found.items()), []),
        "sparse.json": ("\n".join(json.dumps(solr(d, q, True)) for q, d in found.items()), []),
    }


def judge(here, found):
    judged = [
        (q, d, label) for q, documents in found.items() for d, (label, _) in documents.items() if label is not None
    ]
    with open(here / "judgments.csv", "w", newline="") as out:
        csv.writer(out).writerows([("query", "docid", "grade"), *judged])
    (here / "ids.txt").write_text("\n".join(found) + "\n")
    return judged


def rows_of(text):
    return {(row.pop("qid"), row.pop("docid")): row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize("name", list(logs({})))
def test_every_form_of_a_log_is_the_same_data(here, name):
    found = world()
    judge(here, found)
    text, options = logs(found)[name]
    (here / name).write_text(text)
    done = dorm("convert", name, "out.csv", "--qrels", "judgments.csv", *options)
    rows = rows_of((here / "out.csv").read_text())
    assert len(rows) == sum(map(len, found.values()))
    for query, documents in found.items():
        for document, (label, values) in documents.items():
            row = rows[query, document]
            assert float(row["label"]) == (-1 if label is None else label)
            assert [float(row[feature]) for feature in FEATURES] == [values.get(feature, 0) for feature in FEATURES]
    absent = sum(label is None for documents in found.values() for label, _ in documents.values())
    assert absent > 0
    assert f"{name}: {absent} of {len(rows)} documents have no judgment in judgments.csv" in done.stderr
    assert list(rows["query-0", "doc 0.0"]) == ["label", *FEATURES]


def test_what_was_not_judged_is_dropped_or_bad(here):
    found = world()
    judged = judge(here, found)
    (here / "log.jsonl").write_text(logs(found)["lines.jsonl"][0])
    asked = ["convert", "log.jsonl", "-", "--to", "csv", "--qrels", "judgments.csv", "--quiet"]
    assert set(rows_of(dorm(*asked, "--unjudged", "drop").stdout)) == {(q, d) for q, d, _ in judged}
    labels = [row["label"] for row in rows_of(dorm(*asked, "--unjudged", "bad").stdout).values()]
    assert set(labels) == {"0", "1", "2"}
    assert len(labels) == sum(map(len, found.values()))


def test_from_the_log_to_a_model_and_back(here):
    found = world(queries=30)
    judge(here, found)
    (here / "log.jsonl").write_text(logs(found)["lines.jsonl"][0])
    dorm("convert", "log.jsonl", "train.csv", "--qrels", "judgments.csv", "--quiet")
    dorm("train", "train.csv", "--scale", "zscore", "--model", "m.json", "--quiet")
    by_table, by_log = (
        dorm("rank", "m.json", f, "--format", "trec", "--quiet").stdout for f in ("train.csv", "log.jsonl")
    )
    assert by_table == by_log
    dorm("convert", "log.jsonl", "shards", "--shards", 3, "--qrels", "judgments.csv", "--quiet")
    dorm("convert", "train.csv", "others", "--shards", 3)
    for part in sorted((here / "shards").glob("*.dorm")):
        one, other = (
            json.loads(dorm("info", f"{folder}/{part.name}", "--json").stdout) for folder in ("shards", "others")
        )
        assert one["fingerprint"] == other["fingerprint"]
    told = json.loads(dorm("info", "log.jsonl", "--json").stdout)
    assert (told["format"], told["documents"]) == ("log", 210)


def test_a_log_called_json_is_no_model(here):
    (here / "log.json").write_text(json.dumps({"qid": 1, "response": elastic(world()["query-0"])}))
    assert "format                      log" in dorm("info", "log.json").stdout


def test_the_command_says_what_to_do(here):
    found = world(queries=2)
    judge(here, found)
    (here / "log.json").write_text(json.dumps(elastic(found["query-0"])))
    said = dorm("convert", "log.json", "out.csv", status=1).stderr
    assert '"qid" beside it' in said
    assert "--query-ids FILE, with a line for each answer" in said
    (here / "log.json").write_text(logs(found)["lines.jsonl"][0])
    assert "has no labels; expected judgments" in dorm("train", "log.json", "--model", "m.json", status=1).stderr
    said = dorm("convert", "log.json", "out.txt", "--qrels", "judgments.csv", status=1).stderr
    assert "the document id 'doc 0.0' cannot be written as LETOR text" in said
    twice = json.loads(logs(found)["lines.jsonl"][0].splitlines()[0])
    entries = twice["response"]["hits"]["hits"][3]["fields"]["_ltrlog"][0]
    entries["other"] = [{"name": "body", "value": -1}]
    (here / "log.json").write_text(json.dumps(twice))
    said = dorm("convert", "log.json", "out.csv", status=1).stderr
    assert "log.json:1: response.hits.hits[3].fields._ltrlog: the log entries 'main' and 'other'" in said
    assert "--ignore-column other" in said
    dorm("convert", "log.json", "out.csv", "--ignore-column", "other")


def test_judgments_of_runs_may_be_tables(here):
    (here / "q.csv").write_text("qid,docid,label\nq,a,1\nq,b,0\n")
    (here / "q.run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    done = dorm("eval", "--run", "q.run", "--qrels", "q.csv", "--measures", "mrr", "--json")
    assert json.loads(done.stdout)["measures"]["mrr"]["mean"] == 0.5
