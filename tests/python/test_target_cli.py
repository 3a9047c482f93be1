# SPDX-License-Identifier: Apache-2.0
"""Models for an engine: `--for` of train, tune and compare."""

import json

import pytest
from command import dorm


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dorm("synth", "--queries", 20, "--features", 4, "--documents-median", 6, "-o", "raw.txt")
    return tmp_path


def model(path="m.json"):
    with open(path) as stream:
        return json.load(stream)


@pytest.mark.parametrize("target, scaling", [("any", "zscore"), ("svmlight", "zscore"), ("sql", "log-zscore")])
def test_train_says_what_it_chose_and_export_takes_it(here, target, scaling):
    done = dorm("train", "raw.txt", "--for", target, "--model", "m.json")
    assert f", scaling {scaling} for {target}\n" in done.stdout and "no search engine" not in done.stderr
    said = json.loads(dorm("train", "raw.txt", "--for", target, "--model", "m.json", "--json").stdout)
    assert (said["scaling"], said["target"]) == (scaling, target)
    assert (model()["scaling"]["kind"], model()["target"]) == (scaling, target)
    assert f"scaling        {scaling}, for {target}\n" in dorm("info", "m.json").stdout
    if target != "any":
        dorm("export", "m.json", "--to", target, "-o", "out")


def test_without_a_target_the_note_tells_of_it(here):
    assert "--for ENGINE" in dorm("train", "raw.txt", "--model", "m.json").stderr
    assert "target" not in model()


def test_what_a_target_cannot_evaluate_is_refused(here):
    for options, says in (
        (
            ["--scale", "log-query-zscore"],
            "svmlight cannot evaluate the scaling log-query-zscore; expected auto or one",
        ),
        (["--kernel", "rbf"], "svmlight cannot evaluate kernels; expected none"),
    ):
        for verb in ("train", "tune"):
            said = dorm(verb, "raw.txt", "--for", "svmlight", *options, "--model", "m.json", status=2).stderr
            assert says in said, said
    assert "any" in dorm("train", "raw.txt", "--for", "sorl", "--model", "m.json", status=2).stderr
    (here / "gains.csv").write_text("label,1,2\n0,0,0\n1,1,0\n2,0,1\n3,0,1\n4,0,1\n")
    said = dorm("train", "raw.txt", "--position-gains", "gains.csv", "--for", "sql", "--model", "m.json", status=1)
    assert "the target is sql, expected none" in said.stderr


def test_tune_compare_baselines_streams_and_files_of_options_know_it(here):
    dorm("tune", "raw.txt", "--for", "any", "--folds", 2, "--grid", "C=1/10", "--model", "t.json")
    assert (model("t.json")["scaling"]["kind"], model("t.json")["target"]) == ("zscore", "any")
    done = dorm("train", "raw.txt", "--method", "ridge", "--for", "any", "--model", "b.json")
    assert "scaling      zscore for any\n" in done.stdout and model("b.json")["scaling"]["kind"] == "zscore"
    said = dorm("train", "raw.txt", "--stream", "--for", "any", "--model", "s.json", status=2).stderr
    assert "the scaling for any is zscore, which needs all the data" in said
    done = dorm("train", "raw.txt", "--stream", "--for", "any", "--scale", "none", "--model", "s.json")
    assert "scaling none for any\n" in done.stdout
    (here / "c.toml").write_text("[train]\nfor = any\n")
    dorm("train", "raw.txt", "--config", "c.toml", "--model", "c.json")
    assert model("c.json")["target"] == "any"
    assert "--for any" in dorm("train", "raw.txt", "--like", "c.json", "--model", "l.json").stderr
    assert model("l.json") == model("c.json")
    rows = {
        target: dorm("compare", "raw.txt", "--methods", "ridge", "--folds", 3, "-C", 1, *target.split()).stdout
        for target in ("", "--for any", "--scale zscore")
    }
    assert rows["--for any"] == rows["--scale zscore"] != rows[""]


def test_help_lists_the_targets():
    assert "svmlight" in dorm("help", "targets").stdout and "any" in dorm("help", "targets").stdout
    assert "--for TARGET" in dorm("train", "--help").stdout
