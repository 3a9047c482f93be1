# SPDX-License-Identifier: Apache-2.0
"""Texts that people read: shown by explain and the explorer, found there, and never in a model."""

import csv
import json
import random
import subprocess

import pytest
from command import DORM, dorm
from served import Served

TITLES = ["Red, shoes", 'a "quoted" hat', "", "Grüne Jacke"]
COLUMNS = ["grade", "query_id", "query_text", "url", "product", "bm25", "clicks"]
ROLES = ("--label-column", "grade", "--query-column", "query_id")
TEXTS = ("--query-text-column", "query_text", "--title-column", "product", "--url-column", "url")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A table whose texts would not train, and rows of queries that are scattered."""
    folder = tmp_path_factory.mktemp("texts")
    draw = random.Random(3)
    rows = []
    for q in range(30):
        for d in range(6):
            grade = draw.randint(0, 3)
            text = "" if d == 0 else f"search no. {q}"
            rows.append(
                [grade, f"q{q}", text, f"https://x.example/{q}-{d}", f"{TITLES[d % 4]} {q}-{d}" if d % 4 != 2 else ""]
                + [round(grade + draw.gauss(0, 1), 3), round(draw.random(), 3)]
            )
    draw.shuffle(rows)
    with open(folder / "d.csv", "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([COLUMNS, *rows])
    with open(folder / "d.jsonl", "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(dict(zip(COLUMNS, row))) + "\n")
    dorm("train", "d.csv", *ROLES, *TEXTS, "--model", "m.json", "--scale", "zscore", "-q", cwd=folder)
    return folder


def rows_of(folder, query):
    with open(folder / "d.csv", newline="", encoding="utf-8") as rows:
        return [row for row in csv.DictReader(rows) if row["query_id"] == query]


def test_texts_are_no_features_and_in_no_model(here):
    model = json.loads((here / "m.json").read_text())
    assert model["features"] == ["bm25", "clicks"]
    assert "search no" not in (here / "m.json").read_text()


@pytest.mark.parametrize("data", ["d.csv", "d.jsonl"])
def test_explain_shows_the_texts_of_the_rows(here, data):
    words = ("explain", "m.json", data, "--query", "q7", "--top", 0, *TEXTS, *ROLES)
    lines = [json.loads(line) for line in dorm(*words, "--format", "jsonl", cwd=here).stdout.splitlines()]
    wanted = {row["url"]: row["product"] for row in rows_of(here, "q7")}
    assert {line["url"]: line.get("title", "") for line in lines} == wanted
    assert {line["query_text"] for line in lines} == {"search no. 7"}  # one of the rows has none
    text = dorm(*words, cwd=here).stdout
    assert text.startswith('query q7 "search no. 7": 6 documents') and '"Grüne Jacke 7-3"' in text


def test_a_column_that_is_not_there_is_named(here):
    refused = dorm("explain", "m.json", "d.csv", "--query", "q7", "--title-column", "titel", cwd=here, status=1)
    assert "no column 'titel'" in refused.stderr and "'product'" in refused.stderr
    (here / "d.txt").write_text("1 qid:1 1:2\n0 qid:1 1:1\n")
    refused = dorm("explain", "m.json", "d.txt", "--title-column", "x", cwd=here, status=None)
    assert refused.returncode != 0


said = subprocess.run([DORM, "explore", "m", "--data", "d", "--judgments", "j"], capture_output=True, text=True).stderr
without_server = pytest.mark.skipif("without simdjson" in said, reason="the command was built without simdjson")


def explored(folder, *words):
    return Served(*words, "--no-open", cwd=folder, verb="explore")


@without_server
def test_every_view_has_the_texts_and_finds_them(here):
    with explored(here, "m.json", "--data", "d.csv", *TEXTS) as page:
        rows = page.ask("GET", "/api/queries?limit=50")[2]["rows"]
        assert {row["id"]: row["text"] for row in rows} == {f"q{q}": f"search no. {q}" for q in range(30)}
        found = lambda text: [row["id"] for row in page.ask("GET", f"/api/queries?filter={text}")[2]["rows"]]
        assert found("no.%2017") == ["q17"] and found("Jacke%2021-3") == ["q21"] and found("nothing") == []
        q = next(row["q"] for row in rows if row["id"] == "q7")
        query = page.ask("GET", f"/api/query?q={q}")[2]
        assert query["text"] == "search no. 7"
        shown = {doc["url"]: doc["title"] or "" for doc in query["docs"]}
        assert shown == {row["url"]: row["product"] for row in rows_of(here, "q7")}


@without_server
def test_a_side_file_has_texts_for_letor(here):
    (here / "s.txt").write_text("".join(f"{i % 2} qid:{i // 4} 1:{i % 4} #docid=d{i}\n" for i in range(40)))
    dorm("train", "s.txt", "--model", "s.json", "-q", cwd=here)
    lines = [{"query": "3", "text": "running shoes"}, {"id": "d13", "title": "A shoe", "url": "http://x.example/13"}]
    (here / "side.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with explored(here, "s.json", "--data", "s.txt", "--texts", "side.jsonl") as page:
        assert [row["id"] for row in page.ask("GET", "/api/queries?filter=running")[2]["rows"]] == ["3"]
        assert [row["id"] for row in page.ask("GET", "/api/queries?filter=a%20shoe")[2]["rows"]] == ["3"]
        doc = next(doc for doc in page.ask("GET", "/api/query?q=3")[2]["docs"] if doc["title"])
        assert (doc["id"], doc["url"]) == ("d13", "http://x.example/13")


@without_server
def test_any_ranker_of_eval_is_explored_and_training_data_is_named(here):
    run = dorm("rank", "m.json", "d.csv", "--format", "trec", cwd=here).stdout.splitlines()
    reversed_run = [" ".join([*line.split()[:4], str(-float(line.split()[4])), "r"]) for line in run]
    (here / "back.run").write_text("\n".join(reversed_run) + "\n")
    words = ("d.csv", "m.json", "back.run", "feature:bm25", "--measures", "ndcg@5", "--json", *ROLES)
    judged = {
        row["name"]: row["measures"]["ndcg@5"] for row in json.loads(dorm("eval", *words, cwd=here).stdout)["rankers"]
    }
    for other, name in (("back.run", "back"), ("feature:bm25", "feature:bm25")):
        with explored(here, "m.json", other, "--data", "d.csv", "--measure", "ndcg@5") as page:
            info = page.ask("GET", "/api/info")[2]
            summary = page.ask("GET", "/api/summary?right=b")[2]
            why = page.ask("GET", "/api/why?q=0&model=b&docs=0")
        assert summary["right"]["mean"] == judged[name]["mean"] and summary["a"]["mean"] == judged["m"]["mean"]
        assert [model["trained_share"] for model in info["models"]] == [1, 0]
        assert info["models"][1]["explains"] == (name != "back") == (why[0] == 200)
    with explored(here, "back.run", "--data", "d.csv", *ROLES, "--ignore-column", "query_text,product,url") as page:
        assert page.ask("GET", "/api/weights")[2]["rows"] == []
    top = [line for line in reversed_run if int(line.split()[3]) <= 3]
    (here / "top.run").write_text("\n".join(top) + "\n")
    refused = dorm("explore", "m.json", "top.run", "--data", "d.csv", "--no-open", cwd=here, status=1)
    assert "--complete" in refused.stderr
    with explored(here, "m.json", "top.run", "--data", "d.csv", "--complete") as page:
        assert page.ask("GET", "/api/summary?right=b")[2]["right"]["mean"] > 0


def test_the_page_of_eval_names_rankers_that_know_the_answers(here):
    dorm("eval", "d.csv", "m.json", "feature:bm25", "--report", "r.md", cwd=here)
    page = (here / "r.md").read_text()
    assert "m was trained on these very documents, which flatters it" in page
    assert page.index("flatters it") < page.index("Query by query")
    dorm("tune", "d.csv", "--test", 0.2, "--model", "t.json", *ROLES, *TEXTS, "-q", cwd=here)
    dorm("eval", "d.csv", "t.json", "feature:bm25", "--report", "r.md", cwd=here)
    assert "t was trained on 80 % of these documents" in (here / "r.md").read_text()
    dorm("split", "d.csv", "--test", 0.2, "--seed", 1, *ROLES, cwd=here)
    dorm("eval", "d.test.csv", "t.json", "feature:bm25", "--report", "r.md", cwd=here)
    assert "flatters" not in (here / "r.md").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "d.csv", "m.json", "feature:bm25"),
        ("train", "d.csv", *ROLES, "--model", "again.json", "--scale", "zscore"),
        ("tune", "d.csv", *ROLES, "--model", "again.json", "--test", 0.4, "--grid", "C=10,bound=best"),
    ],
)
def test_reports_show_what_people_typed_and_titles(here, words):
    dorm(*words, *TEXTS, "--report", "r.html", "-q", cwd=here)
    with_texts = (here / "r.html").read_text()
    dorm(*words, "--ignore-column", "query_text,product,url", "--report", "r.html", "-q", cwd=here)
    without = (here / "r.html").read_text()
    assert "Gr\u00fcne Jacke" in with_texts and "Gr\u00fcne Jacke" not in without
    assert with_texts.count("search no. ") >= 10 and "search no. " not in without
