# SPDX-License-Identifier: Apache-2.0
"""`dorm convert` with columns from sets and of users."""

from pathlib import Path

import pytest
from command import dorm

TEXTS = "qid,docid,label,x,y\nann,a,1,1,0\nann,b,0,1,1\nbob,c,0,0,2\n"


@pytest.fixture(autouse=True)
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("texts.csv").write_text(TEXTS)
    Path("sets.csv").write_text("qid,docid,x,y\nann,a,9,9\nann,q,2,0\nann,r,0,4\nbob,p,3,4\n")
    Path("users.csv").write_text("id,age,home\nann,0.5,sea\nbob,0.25,town\n")


def refused(*words):
    done = dorm("convert", *words, status=None)
    assert done.returncode != 0 and not Path("out.csv").exists()
    return done.stderr


def table(path="out.csv"):
    return [line.split(",") for line in Path(path).read_text().splitlines()]


def test_documents_are_compared_with_the_set_of_their_query():
    dorm(
        "convert",
        "texts.csv",
        "out.csv",
        "--sets",
        "sets.csv",
        "--similarity",
        "mean:linear",
        "--similarity",
        "max:linear",
    )
    header, *rows = table()
    values = {
        row[header.index("docid")]: [float(row[header.index(name)]) for name in ("mean:linear", "max:linear")]
        for row in rows
    }
    assert values == {"a": [1, 2], "b": [(18 + 2 + 4) / 3, 18], "c": [8, 8]}
    assert {"x", "y"} <= set(header)
    dorm("convert", "texts.csv", "only.csv", "--sets", "sets.csv", "--only-added")
    assert set(table("only.csv")[0]) == {"label", "qid", "docid", "mean:attribute", "max:attribute"}


def test_columns_of_users_are_added_and_unknown_users_told_of():
    done = dorm("convert", "texts.csv", "out.csv", "--user-features", "users.csv", "--user-columns", "2-3")
    assert "warning" not in done.stderr
    header, *rows = table()
    at = [header.index(name) for name in ("user:age", "user:home: sea", "user:home: town")]
    assert [[float(row[j]) for j in at] for row in rows] == [[0.5, 1, 0], [0.5, 1, 0], [0.25, 0, 1]]
    Path("users.csv").write_text("id,age\nann,0.5\n")
    done = dorm("convert", "texts.csv", "out.csv", "--user-features", "users.csv")
    assert "users.csv: 1 of 2 queries have no row; their user columns are 0" in done.stderr
    assert [row[-1] for row in table()[1:]] == ["0.5", "0.5", "0"]


def test_what_is_wrong_is_said():
    Path("few.csv").write_text("qid,x,y\nbob,1,2\n")
    assert "few.csv: query ann has no set" in refused("texts.csv", "out.csv", "--sets", "few.csv")
    assert 'unknown similarity "mode"' in refused(
        "texts.csv", "out.csv", "--sets", "sets.csv", "--similarity", "mode:linear"
    )
    assert "--sets FILE" in refused("texts.csv", "out.csv", "--only-added")
    assert "--user-features FILE" in refused("texts.csv", "out.csv", "--user-columns", "2")
    assert "exclude --shards" in refused("texts.csv", "out", "--sets", "sets.csv", "--shards", "2")
    Path("users.csv").write_text("id,age\neve,0.5\n")
    assert "users.csv: no query is called like a user" in refused(
        "texts.csv", "out.csv", "--user-features", "users.csv"
    )
