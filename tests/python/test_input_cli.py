# SPDX-License-Identifier: Apache-2.0
"""Data as people have it, from a table to a ranking: how it was read is kept in the model and used again."""

import json
import random
import re

import pytest
from command import dorm


def table(path, rows, header=("grade", "query", "url", "title", "bm25", "clicks")):
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n")
    return path.name


def shop(queries=12, documents=6, seed=1, missing=0.2):
    """Rows with a title, of which some lack clicks."""
    rng = random.Random(seed)
    rows = []
    for q in range(queries):
        for d in range(documents):
            bm25, clicks = round(rng.uniform(0, 9), 2), rng.randrange(100)
            grade = min(2, int((bm25 + clicks / 20 + rng.uniform(0, 2)) / 5))
            rows.append([grade, f"q{q}", f"u{q}-{d}", f"thing {d}", bm25, "" if rng.random() < missing else clicks])
    return rows


ROLES = ["--label-column", "grade", "--query-column", "query", "--document-column", "url", "--ignore-column", "title"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def trained(here):
    """The rows, and m.json trained on them with every role renamed and the mean for what is missing."""
    rows = shop()
    table(here / "train.csv", rows)
    dorm("train", "train.csv", *ROLES, "--missing", "mean", "--scale", "zscore", "--model", "m.json", "--quiet")
    return rows


def scores(*arguments):
    done = dorm("rank", *arguments, "--format", "order", "--quiet")
    return {tuple(line.split("\t")[0:3:2]): float(line.split("\t")[3]) for line in done.stdout.splitlines()[1:]}


def test_roles_and_imputation_are_kept_in_the_model_and_used_again(trained, here):
    model = json.loads((here / "m.json").read_text())
    assert model["features"] == ["bm25", "clicks"]
    assert model["input"]["columns"] == {"label": "grade", "query": "query", "document": "url"}
    assert model["input"]["ignored"] == ["title"]
    assert model["input"]["missing"] == "mean"
    known = [row[5] for row in trained if row[5] != ""]
    assert model["input"]["means"][1] == pytest.approx(sum(known) / len(known))
    assert ("q0", "u0-0") in scores("m.json", "train.csv")
    assert "ndcg@10" in dorm("eval", "train.csv", "--model", "m.json", "--quiet").stdout


def test_a_document_has_the_same_score_alone_and_in_its_file(trained, here):
    whole = scores("m.json", "train.csv")
    for row in trained[:20]:
        table(here / "one.csv", [row])
        assert scores("m.json", "one.csv") == {(row[1], row[2]): whole[row[1], row[2]]}


def test_validation_data_is_filled_with_the_means_of_the_training_data(trained, here):
    rows = shop(seed=2, missing=0)
    for row in rows:
        row[5] = ""  # nothing to take a mean of
    table(here / "valid.csv", rows)
    dorm("train", "train.csv", *ROLES, "--missing", "mean", "--valid", "valid.csv", "--model", "v.json", "--quiet")
    value = json.loads((here / "v.json").read_text())["validation"]
    # the judge knows the validation data only through the model
    judged = dorm("eval", "valid.csv", "--model", "v.json", "--measures", "ndcg@10", "--json", "--quiet").stdout
    assert json.loads(judged)["measures"]["ndcg@10"]["mean"] == pytest.approx(value, abs=1e-9)


def test_the_command_line_overrides_the_model(trained, here):
    rows = [[row[0], *row[1:4], row[4], row[5]] for row in trained]
    table(here / "other.csv", rows, ("grade", "session", "url", "title", "bm25", "clicks"))
    assert dorm("rank", "m.json", "other.csv", status=1).stderr.count("no query column 'query'") == 1
    assert scores("m.json", "other.csv", "--query-column", "session") == scores("m.json", "train.csv")
    zero = scores("m.json", "train.csv", "--missing", "zero")
    assert zero != scores("m.json", "train.csv")


def test_means_of_the_file_that_is_scored_are_never_used(here):
    table(here / "train.csv", shop(missing=0))
    dorm("train", "train.csv", *ROLES, "--model", "m.json", "--quiet")
    table(here / "new.csv", shop(seed=3))
    done = dorm("rank", "m.json", "new.csv", "--missing", "mean", status=2)
    assert "no means of its training data" in done.stderr and "--missing zero" in done.stderr


def test_only_columns_that_the_model_knows_are_read(trained, here):
    rows = [[*row, "free text", "2024-01-01"] for row in trained]
    table(here / "more.csv", rows, ("grade", "query", "url", "title", "bm25", "clicks", "notes", "date"))
    assert scores("m.json", "more.csv") == scores("m.json", "train.csv")
    table(here / "less.csv", [row[:5] for row in trained], ("grade", "query", "url", "title", "bm25"))
    assert "uses feature" in dorm("rank", "m.json", "less.csv", status=1).stderr


def test_ordinary_data_leaves_no_trace_of_its_reading_in_the_model(here):
    dorm("synth", "--queries", 10, "--features", 4, "-o", "d.txt")
    dorm("convert", "d.txt", "d.csv")
    for data in ("d.txt", "d.csv"):
        dorm("train", data, "--model", "m.json", "--quiet")
        assert "input" not in json.loads((here / "m.json").read_text())


def test_numbered_features_are_filled_too(here):
    dorm("synth", "--queries", 10, "--features", 4, "-o", "d.txt")
    lines = (here / "d.txt").read_text().splitlines()
    lines = [re.sub(" 2:[^ ]+", " 2:nan", line) if i % 5 == 0 else line for i, line in enumerate(lines)]
    (here / "d.txt").write_text("\n".join(lines) + "\n")
    dorm("train", "d.txt", "--missing", "mean", "--scale", "zscore", "--model", "m.json", "--quiet")
    whole = dorm("rank", "m.json", "d.txt", "--quiet").stdout.splitlines()
    (here / "one.txt").write_text(lines[0] + "\n")
    assert dorm("rank", "m.json", "one.txt", "--quiet").stdout.splitlines() == whole[:1]


UNLABELLED = {
    "n.csv": "qid,docid,bm25,clicks\nq,a,1,2\nq,b,5,9\nr,c,3,4\n",
    "empty.csv": "label,qid,docid,bm25,clicks\n,q,a,1,2\n1,q,b,5,9\n,r,c,3,4\n",
    "n.tsv": "qid\tdocid\tbm25\tclicks\nq\ta\t1\t2\nq\tb\t5\t9\nr\tc\t3\t4\n",
}


@pytest.fixture
def plain(here):
    """m.json of the features bm25 and clicks, both of which count."""
    rows = [[row[0], row[1], row[2], row[4], row[5]] for row in shop(missing=0)]
    table(here / "train.csv", rows, ("label", "qid", "docid", "bm25", "clicks"))
    dorm("train", "train.csv", "--scale", "zscore", "--model", "m.json", "--quiet")
    for name, text in UNLABELLED.items():
        (here / name).write_text(text)
    return here


def test_what_has_no_labels_can_be_ranked_in_every_format(plain):
    expected = scores("m.json", "n.csv")
    assert set(expected) == {("q", "a"), ("q", "b"), ("r", "c")}
    names = ["empty.csv", "n.tsv"]
    for name in ("n.dorm", "n2.csv", "n.csv.gz", "n.tsv.zst", "n2.dorm"):
        dorm("convert", names[-1] if name == "n2.dorm" else "n.csv", name)
        names.append(name)
    for name in names:
        assert scores("m.json", name) == expected, name
    assert (plain / "n2.csv").read_text() == UNLABELLED["n.csv"]


def test_letor_lines_may_lack_the_label(here):
    dorm("synth", "--queries", 5, "--features", 3, "-o", "d.txt")
    dorm("train", "d.txt", "--model", "m.json", "--quiet")
    expected = dorm("rank", "m.json", "d.txt").stdout
    lines = (here / "d.txt").read_text().splitlines()
    (here / "n.txt").write_text("".join(line.split(" ", 1)[1] + "\n" for line in lines))
    assert (here / "n.txt").read_text().startswith("qid:")
    assert dorm("rank", "m.json", "n.txt").stdout == expected
    (here / "mixed.txt").write_text("".join(line.split(" ", i % 2)[-1] + "\n" for i, line in enumerate(lines)))
    assert dorm("rank", "m.json", "mixed.txt").stdout == expected
    dorm("convert", "n.txt", "n.dorm")
    assert dorm("rank", "m.json", "n.dorm").stdout == expected
    dorm("convert", "n.dorm", "again.txt")
    assert (here / "again.txt").read_text() == (here / "n.txt").read_text()
    assert dorm("rank", "m.json", "/dev/stdin", input=(here / "n.txt").read_text()).stdout == expected
    for name, said in {
        "n.txt": "n.txt:1:1: found 'qid:1'; expected a number as label",
        "n.dorm": "has no labels",
    }.items():
        assert said in dorm("eval", name, "--model", "m.json", status=1).stderr
        assert said in dorm("train", name, "--model", "x.json", status=1).stderr


def test_training_and_judging_need_labels(plain):
    for verb in (["train", "n.csv", "--model", "x.json"], ["eval", "n.csv", "--model", "m.json"]):
        assert "no label column 'label'" in dorm(*verb, status=1).stderr
    done = dorm("train", "empty.csv", "--model", "x.json", status=1)
    assert "empty.csv:2:1: found an empty cell" in done.stderr and "label" in done.stderr


def test_info_says_that_there_are_no_labels(plain):
    assert re.search(r"labels +none", dorm("info", "n.csv").stdout)
    assert json.loads(dorm("info", "n.csv", "--json").stdout)["labels"] == {}


def test_the_binary_form_keeps_how_a_table_was_read(trained):
    dorm("convert", "train.csv", *ROLES, "--missing", "mean", "train.dorm")
    dorm("train", "train.dorm", "--scale", "zscore", "--model", "b.json", "--quiet")
    assert scores("b.json", "train.csv") == scores("m.json", "train.csv")
