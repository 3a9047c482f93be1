# SPDX-License-Identifier: Apache-2.0
"""The server takes what training took: for every encoding and every rule the scores of `dorm rank`, to the last bit."""

import csv
import json

import pytest
from command import dorm
from served import Served
from test_encode_cli import ENCODE, ROLES, messy, products

RULES = {
    "category=onehot": {},
    "category=onehot:20": {},
    "published=age": {},
    "published=weekday": {},
    "published=age+month": {},
    "discount=percent": {},
    "price=thousands": {},
    "in_stock=bool": {},
    ENCODE: {},
}
COLUMNS = ["bm25", "category", "published", "discount", "price", "in_stock"]


def served_value(text):
    """A cell as a program would send it: numbers, booleans and null as such, the rest as text."""
    if text in ("", "NA", "N/A", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    messy(folder / "train.csv", products(30, 5))
    new = products(8, 6)
    new[3]["category"] = "never seen"
    messy(folder / "new.csv", new)
    return folder


def queries(folder):
    """Of new.csv: by id, the rows as they are in the file."""
    with open(folder / "new.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    out = {}
    for row in rows:
        out.setdefault(row["query_id"], []).append(row)
    return out


def trained(folder, rules, missing, name):
    used = {piece.split("=")[0] for piece in rules.split(",")}
    left = [column for column in COLUMNS if column not in used and column not in ("bm25", "in_stock")]
    columns = [column for column in COLUMNS if column not in left]
    missing = ",".join(p for p in missing.split(",") if "=" not in p or p.split("=")[0] in columns)
    read = ["--document-column", "product_url", "--ignore-column", ",".join(["title", *left])]
    read += ["--encode", rules, "--missing", missing]
    dorm("train", "train.csv", *ROLES, *read, "--model", name, "--quiet", cwd=folder)
    return columns


def ranked(folder, name):
    lines = dorm("rank", name, "new.csv", "--format", "order", cwd=folder).stdout.splitlines()[1:]
    out = {}
    for line in lines:
        query, rank, document, score = line.split("\t")
        out.setdefault(query, []).append((document, int(rank), float(score)))
    return out


def as_ranked(answer):
    return [(d["id"], d["rank"], d["score"]) for d in answer["ranking"]]


@pytest.mark.parametrize("missing", ["mean", "query-min,published=indicator", "zero,bm25=query-min", "indicator"])
@pytest.mark.parametrize("rules", RULES)
def test_scores_are_those_of_rank(here, rules, missing):
    columns = trained(here, rules, missing, "m.json")
    expected, asked = ranked(here, "m.json"), queries(here)
    with Served("m.json", cwd=here) as server:
        batch = []
        for query, rows in asked.items():
            named = [
                {
                    "id": r["product_url"],
                    "features": {c: served_value(r[c]) for c in columns if served_value(r[c]) is not None},
                }
                for r in rows
            ]
            placed = [{"id": r["product_url"], "values": [served_value(r[c]) for c in columns]} for r in rows]
            for body in ({"documents": named}, {"documents": placed}, {"documents": placed, "features": columns}):
                status, _, answer = server.ask("POST", "/v1/rank", body)
                assert status == 200, answer
                assert as_ranked(answer) == expected[query]
            whole = {"columns": {c: [served_value(r[c]) for r in rows] for c in columns}}
            status, _, answer = server.ask("POST", "/v1/rank", whole)
            assert status == 200, answer
            assert [d["score"] for d in answer["ranking"]] == [score for _, _, score in expected[query]]
            batch.append({"id": query, "documents": named})
        status, _, answer = server.ask("POST", "/v1/rank", {"queries": batch, "top": 4})
        assert status == 200, answer
        assert [q["id"] for q in answer["queries"]] == list(asked)
        for got in answer["queries"]:
            assert as_ranked(got) == expected[got["id"]][:4]


def test_mistakes_name_the_document_and_the_feature(here):
    rows = [row for row in products(30, 5) if row["bm25"] is not None]
    messy(here / "whole.csv", rows)
    read = ["--ignore-column", "product_url,title,discount,price", "--encode", "category=onehot,published=age"]
    read += ["--missing", "published=mean", "--model", "strict.json", "--quiet"]
    dorm("train", "whole.csv", *ROLES, *read, cwd=here)
    whole = {"bm25": 1.5, "category": "c1, kind 1", "published": "2024-03-01", "in_stock": True}
    with Served("strict.json", cwd=here) as server:

        def refused(documents, **more):
            status, _, answer = server.ask("POST", "/v1/rank", {"documents": documents, **more})
            assert status == 400, answer
            return answer["error"]

        lacking = {name: value for name, value in whole.items() if name != "bm25"}
        assert refused([{"features": whole}, {"features": lacking}]) == (
            "documents[1].features.bm25: found nothing; expected a number: the model strict has no rule for a missing "
            "'bm25'"
        )
        assert "found null" in refused([{"features": {**whole, "bm25": None}}])
        assert "expected a date such as 2024-01-31" in refused([{"features": {**whole, "published": "soon"}}])
        assert "found 'many'; expected a number" in refused([{"features": {**whole, "bm25": "many"}}])
        assert "did you mean 'bm25'?" in refused([{"features": {**whole, "bm52": 1}}])
        assert "one for each column of the model" in refused([{"values": [1, 2]}])
        assert "values of all documents" in refused([{"features": whole}, {"values": [1, "a", "b", True]}])
        assert "beside documents" in refused([{"features": whole}], queries=[])
        status, _, answer = server.ask("POST", "/v1/rank", {"documents": [{"features": {**whole, "published": None}}]})
        assert status == 200, answer


def test_a_numeric_model_takes_null_and_booleans_by_its_rule(tmp_path):
    (tmp_path / "t.csv").write_text(
        "label,qid,a,b\n2,1,3,true\n0,1,,false\n1,1,1,true\n0,2,2,false\n1,2,5,true\n0,2,,true\n"
    )
    dorm("train", "t.csv", "--missing", "mean", "--model", "m.json", "--quiet", cwd=tmp_path)
    expected = [float(x) for x in dorm("rank", "m.json", "t.csv", cwd=tmp_path).stdout.split()][:3]
    with Served("m.json", cwd=tmp_path) as server:
        for documents in (
            [{"values": [3, True]}, {"values": [None, False]}, {"values": [1, True]}],
            [{"features": {"a": 3, "b": True}}, {"features": {"b": False}}, {"features": {"b": True, "a": 1}}],
        ):
            status, _, answer = server.ask("POST", "/v1/rank", {"documents": documents, "explain": True})
            assert status == 200, answer
            scores = {d["index"]: d["score"] for d in answer["ranking"]}
            assert [scores[i] for i in range(3)] == expected
        status, _, answer = server.ask("POST", "/v1/explain", {"documents": documents})
        assert json.dumps(answer).count('"feature"') >= 6


def test_served_numbers_of_a_category_keep_their_digits(tmp_path):
    rows = [f"{i % 2},{i // 4},{12345678901 + i % 2},{i}" for i in range(24)]
    (tmp_path / "t.csv").write_text("label,qid,brand,x\n" + "\n".join(rows) + "\n")
    dorm("train", "t.csv", "--encode", "brand=onehot", "--model", "m.json", "--quiet", cwd=tmp_path)
    expected = [float(x) for x in dorm("rank", "m.json", "t.csv", cwd=tmp_path).stdout.split()][:2]
    with Served("m.json", cwd=tmp_path) as server:
        documents = [{"values": [12345678901 + i % 2, i]} for i in range(4)]
        answer = server.ask("POST", "/v1/rank", {"documents": documents})[2]
        scores = {d["index"]: d["score"] for d in answer["ranking"]}
        assert [scores[0], scores[1]] == expected
