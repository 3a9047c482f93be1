# SPDX-License-Identifier: Apache-2.0
"""From the table of a shop to a served model: what each error says to paste is pasted, and nothing else is known."""

import csv
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command import dorm
from served import Served

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "quality" / "messy_shop.py"
GAPS = ("", "NA", "N/A", "null", "NULL")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    here = tmp_path_factory.mktemp("shop")
    subprocess.run([sys.executable, SCRIPT, "judged.csv"], cwd=here, check=True)
    return here


def rows_of(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_is_what_it_says(shop):
    text, rows = (shop / "judged.csv").read_text(), rows_of(shop / "judged.csv")
    assert text.startswith("\ufeff") and len(rows) == 1982
    assert len({row["query_id"] for row in rows}) == 160 and all(row["query_id"].startswith("q-") for row in rows)
    assert len(rows[0]) == 20 and len({row["category"] for row in rows}) == 40
    assert all("," in row["category"] for row in rows) and any('"' in row["title"] for row in rows)
    assert {cell for row in rows for cell in row.values() if cell in GAPS} == set(GAPS)
    assert {row["in_stock"] for row in rows} == {"true", "false"} and all("%" in row["discount"] for row in rows)


def served(cell):
    """As a program sends it."""
    if cell in GAPS:
        return None
    if cell in ("true", "false"):
        return cell == "true"
    try:
        return float(cell)
    except ValueError:
        return cell


def test_eight_commands_two_of_which_fail(shop):
    said = dorm("info", "judged.csv", cwd=shop, status=1).stderr
    roles = shlex.split(re.search(r"did you mean (.*)\?\n", said).group(1))
    assert roles == ["--label-column", "grade", "--query-column", "query_id"]
    said = dorm("info", "judged.csv", *roles, cwd=shop, status=1).stderr
    read = shlex.split(said.split("all together: ")[1])
    assert read == shlex.split(
        "--document-column product_url --encode category=onehot,brand_country=onehot,published=age,discount=percent "
        "--query-text-column query --title-column title "
        "--missing mean,bm25_title=query-min,num_reviews=zero,vector_score=query-min"
    )
    assert "1982" in dorm("info", "judged.csv", *roles, *read, cwd=shop).stdout
    dorm("split", "judged.csv", *roles, "--test", "0.2", cwd=shop)
    dorm("tune", "judged.train.csv", *roles, *read, "--model", "shop.json", cwd=shop)
    words = ["--model", "shop.json", "--measures", "ndcg@10", "--json"]
    assert json.loads(dorm("eval", "judged.test.csv", *words, cwd=shop).stdout)["measures"]["ndcg@10"]["mean"] > 0.8
    lines = dorm("rank", "shop.json", "judged.test.csv", "--format", "order", cwd=shop).stdout.splitlines()[1:]
    expected = {}
    for query, rank, document, score in (line.split("\t") for line in lines):
        expected.setdefault(query, []).append((document, int(rank), float(score)))
    asked = {}
    left = ("grade", "query_id", "query", "title", "product_url")
    for row in rows_of(shop / "judged.test.csv"):
        features = {name: served(cell) for name, cell in row.items() if name not in left}
        asked.setdefault(row["query_id"], []).append({"id": row["product_url"], "features": features})
    assert len(asked) == len(expected) == 32
    with Served("shop.json", cwd=shop) as server:
        for query, documents in asked.items():
            status, _, answer = server.ask("POST", "/v1/rank", {"documents": documents})
            assert status == 200, answer
            assert [(d["id"], d["rank"], d["score"]) for d in answer["ranking"]] == expected[query]


def test_python_names_the_same_arguments(shop):
    dorm_python = pytest.importorskip("dorm", reason="the Python package is not built")
    with pytest.raises(ValueError, match=r"; pass label_column='grade', query_column='query_id'$"):
        dorm_python.read_csv(shop / "judged.csv")
    roles = {"label_column": "grade", "query_column": "query_id"}
    with pytest.raises(ValueError) as refused:
        dorm_python.read_csv(shop / "judged.csv", **roles)
    pasted = eval(f"dict({str(refused.value).split('; pass ')[1]})")
    assert pasted["ignore_columns"] == ["query", "title"] and pasted["document_column"] == "product_url"
    assert "(160 queries, 1982 documents, " in repr(dorm_python.read_csv(shop / "judged.csv", **roles, **pasted))
