# SPDX-License-Identifier: Apache-2.0
"""Options from files (--config) and from models (--like); the command line wins."""

import json

import pytest
from command import dorm


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dorm("synth", "--queries", 20, "--features", 4, "--documents-median", 6, "-o", "data.txt")
    return tmp_path


def trained(here, *options):
    done = dorm("train", "data.txt", "--model", "m.json", *options)
    return json.loads((here / "m.json").read_text()), done.stderr


def test_a_file_says_what_options_say(here):
    (here / "c.toml").write_text(
        "threads = 1\n# a comment\nmeasure = \"mrr\"   # another\n\n[train]\nC = 3\nscale = zscore\nmeasure = 'wta'\n"
        "\n[eval]\nmeasures = ['ndcg@5', map]\nbootstrap = 0\n"
    )
    by_file = trained(here, "--config", "c.toml")[0]
    by_hand = trained(here, "--measure", "wta", "-C", 3, "--scale", "zscore")[0]
    assert by_file == by_hand
    assert trained(here, "--config", "c.toml", "-C", 7)[0]["options"]["C"] == 7
    out = json.loads(dorm("eval", "data.txt", "--model", "m.json", "--config=c.toml", "--json").stdout)
    assert list(out["measures"]) == ["ndcg@5", "map"] and out["measures"]["map"]["low"] is None
    own = json.loads(
        dorm("eval", "data.txt", "--model", "m.json", "--config=c.toml", "--measures=mrr", "--json").stdout
    )
    assert list(own["measures"]) == ["mrr"]


def test_switches_in_a_file(here):
    (here / "c.toml").write_text("json = true\nquiet = false\n")
    assert json.loads(dorm("info", "data.txt", "--config", "c.toml").stdout)["queries"] == 20
    (here / "c.toml").write_text("json = yes\n")
    assert (
        "c.toml:1: --json is a switch; expected true or false"
        in dorm("info", "data.txt", "--config", "c.toml", status=1).stderr
    )


@pytest.mark.parametrize(
    "text, said",
    [
        ("\nfolds = 5\nfodls = 3\n", 'c.toml:3: unknown option "fodls"; did you mean "folds"?'),
        ("[train]\nfolds = 3\n", 'c.toml:2: unknown option of dorm train "folds"'),
        ("[trian]\nC = 3\n", 'c.toml:2: unknown command "trian"; did you mean "train"?'),
        ("C 3\n", 'c.toml:1: found "3"; expected ='),
        ("C = \n", "c.toml:1: found the end of the line; expected a value"),
        ('measure = "map\n', 'c.toml:1: found ""map"; expected a closing "'),
        ("C = 3 4\n", 'c.toml:1: found "4"; expected the end of the line'),
        ("measures = [map, mrr\n", "expected , or ]"),
        ("[train\n", "c.toml:1: found the end of the line; expected ]"),
        ("config = 'd.toml'\n", 'c.toml:1: unknown option "config"'),
    ],
)
def test_mistakes_are_named_with_file_and_line(here, text, said):
    (here / "c.toml").write_text(text)
    assert said in dorm("train", "data.txt", "--model", "m.json", "--config", "c.toml", status=1).stderr


def test_values_are_checked_as_on_the_command_line(here):
    (here / "c.toml").write_text("[tune]\nfolds = 1\n")
    said = dorm("tune", "data.txt", "--model", "m.json", "--config", "c.toml", status=2).stderr
    assert said.startswith("dorm: --folds is 1; expected a whole number from 2 on (from c.toml:2)\n")
    assert "no.toml: cannot open" in dorm("info", "data.txt", "--config", "no.toml", status=1).stderr


def test_old_names_in_a_file(here):
    (here / "c.toml").write_text("[info]\nformat = letor\n")
    assert 'unknown option of dorm info "format"' in dorm("info", "data.txt", "--config", "c.toml", status=1).stderr


# ---- like a model -------------------------------------------------------------------------------------------


def test_like_a_model(here):
    first, _ = trained(here, "--measure", "mrr", "-C", 3, "--scale", "minmax", "--bound", "best", "--decay", "power:1")
    (here / "m.json").rename(here / "first.json")
    again, said = trained(here, "--like", "first.json")
    assert again == first
    assert said.count("\n") >= 1 and "dorm: like first.json: " in said and "--measure mrr" in said and "--C 3" in said
    other, said = trained(here, "--like", "first.json", "-C", 5)
    assert (other["options"]["C"], other["measure"]) == (5, "mrr") and "--C 3" not in said
    assert "like" not in trained(here, "--like", "first.json", "-q")[1]


def test_like_a_model_of_a_table(here):
    rows = ["query,grade,a,b,note"]
    rows += [f"q{i // 8},{i % 3},{i % 7},{(i * i) % 5},7" for i in range(40)]
    (here / "t.csv").write_text("\n".join(rows) + "\n")
    columns = ["--label-column", "grade", "--query-column", "query", "--ignore-column", "note"]
    dorm("train", "t.csv", *columns, "--model", "t.json")
    dorm("train", "t.csv", "--like", "t.json", "--model", "u.json")
    assert (here / "u.json").read_bytes() == (here / "t.json").read_bytes()


def test_tune_like_a_model(here):
    trained(here, "--measure", "mrr", "-C", 3, "--scale", "minmax")
    line = ["tune", "data.txt", "--folds", 2, "--grid", "C=1/10,bound=best"]
    said = dorm(*line, "--like", "m.json", "--model", "t.json").stderr
    assert "--measure mrr" in said and "--C" not in said and "--scale minmax" in said
    assert "data.txt" in dorm(*line, "--like", "data.txt", "--model", "t.json", status=1).stderr
