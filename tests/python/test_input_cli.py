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
