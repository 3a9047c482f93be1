# SPDX-License-Identifier: Apache-2.0
"""`dorm split`: whole queries in files for training, validation and test, every row as it was."""

import csv
import gzip
import io
import json

import pytest
from command import dorm

TEXTS = ["Red, shoes", 'a "quoted" hat', "", "20%", "N/A", "2024-03-01"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A table as people have it: texts, dates and gaps beside the numbers."""
    monkeypatch.chdir(tmp_path)
    rows = [["query_id", "grade", "title", "bm25"]]
    for query in range(50):
        for k in range(4):
            grade = int(k < query % 3)  # 0, 1 or 2 relevant documents
            rows.append([f"q-{query:02}", grade, TEXTS[(query + k) % len(TEXTS)], k / 4 if k else "NA"])
    with open("judged.csv", "w", newline="", encoding="utf-8-sig") as out:
        csv.writer(out).writerows(rows)
    return tmp_path


ROLES = ("--query-column", "query_id", "--label-column", "grade")


def rows_of(text):
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header == ["query_id", "grade", "title", "bm25"]
    return rows


def parts_of(names, opened=open):
    return [rows_of(opened(name, "rt", encoding="utf-8", newline="").read()) for name in names]


def test_the_parts_of_a_table_hold_its_rows(here):
    said = json.loads(dorm("split", "judged.csv", "--test", 0.2, "--valid", 0.1, *ROLES, "--json").stdout)
    names = [part["file"] for part in said["parts"]]
    assert names == ["judged.train.csv", "judged.valid.csv", "judged.test.csv"]
    parts = parts_of(names)
    queries = [{row[0] for row in part} for part in parts]
    assert [len(q) for q in queries] == [35, 5, 10] == [part["queries"] for part in said["parts"]]
    assert not queries[0] & queries[1] and not queries[0] & queries[2] and not queries[1] & queries[2]
    whole = rows_of((here / "judged.csv").read_text(encoding="utf-8-sig"))
    for part, of in zip(parts, queries, strict=True):
        assert part == [row for row in whole if row[0] in of]
    for part, shown in zip(parts, said["parts"], strict=True):
        assert shown["documents"] == len(part) and shown["relevant"] == sum(int(row[1]) for row in part)
    # 17, 17 and 16 queries with 0, 1 and 2 relevant documents: a fifth of each, to one query
    assert all(3 <= sum(int(q[2:]) % 3 == k for q in queries[2]) <= 4 for k in range(3))


def test_the_same_queries_from_every_format(here):
    dorm("split", "judged.csv", *ROLES, "--seed", 4)
    expected = {row[0] for row in parts_of(["judged.test.csv"])[0]}
    (here / "packed.csv.gz").write_bytes(gzip.compress((here / "judged.csv").read_bytes()))
    dorm("split", "packed.csv.gz", *ROLES, "--seed", 4)
    assert {row[0] for row in parts_of(["packed.test.csv.gz"], gzip.open)[0]} == expected
    dorm("convert", "judged.csv", "data.dorm", *ROLES, "--ignore-column", "title", "--missing", "zero")
    dorm("convert", "data.dorm", "data.txt")
    rows = [f'{{"q": "{row[0]}", "grade": {row[1]}}}' for row in rows_of((here / "judged.csv").read_text("utf-8-sig"))]
    (here / "data.jsonl").write_text("\n".join(reversed(rows)) + "\n")
    dorm("split", "data.dorm", "--seed", 4)
    dorm("split", "data.txt", "--seed", 4, "-o", "letor")
    dorm("split", "data.jsonl", "--seed", 4, "--query-column", "q", "--label-column", "grade")
    dorm("convert", "data.test.dorm", "back.csv")
    assert {row["qid"] for row in csv.DictReader(open("back.csv"))} == expected
    assert {line.split()[1][4:] for line in open("letor.test.txt")} == expected
    assert {json.loads(line)["q"] for line in open("data.test.jsonl")} == expected


def test_the_parts_train_and_judge_a_ranker(here):
    dorm("split", "judged.csv", *ROLES)
    reading = (*ROLES, "--ignore-column", "title", "--missing", "zero")
    dorm("train", "judged.train.csv", *reading, "--model", "m.json", "--quiet")
    said = json.loads(dorm("eval", "judged.test.csv", "--model", "m.json", "--measures", "ndcg@10", "--json").stdout)
    assert said["measures"]["ndcg@10"]["queries"] + said["measures"]["ndcg@10"]["skipped"] == 10


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["judged.csv"], "did you mean --label-column grade --query-column query_id?"),
        (["judged.csv", *ROLES, "--test", "0.005"], "the test part is 0.005 of 50 queries, which is none"),
        (["judged.csv", *ROLES, "--test", "0.7", "--valid", "0.3"], "expected more than 0 and less than 1"),
        (["judged.csv", *ROLES, "--test", "1"], "--test is 1; expected a number above 0 and below 1"),
        (["-"], "standard input cannot be read twice"),
        (["."], "names several files; expected one, as dorm convert joins them"),
        ([], "DATA is missing"),
        (["judged.csv", *ROLES, "-o", "no/such"], "no/such.train.csv"),
    ],
)
def test_refusals_write_nothing(here, words, message):
    done = dorm("split", *words, status=None)
    assert done.returncode in (1, 2) and message in done.stderr, done.stderr
    assert [path.name for path in here.iterdir()] == ["judged.csv"]


def test_sizes_beside_a_file_are_not_split(here):
    (here / "x.txt").write_text("1 1:1\n0 1:2\n")
    (here / "x.txt.query").write_text("1\n1\n")
    assert "convert it to .dorm first" in dorm("split", "x.txt", status=1).stderr
