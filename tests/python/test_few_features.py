# SPDX-License-Identifier: Apache-2.0
"""A choice of few features, and curves in the grid of tune, by the command and in Python."""

import json

import pytest
from command import dorm


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("few")
    dorm("synth", "--queries", 110, "--features", 12, "--documents-median", 12, "--seed", 4, "-o", "d.txt", cwd=folder)
    return folder


def told(here, *words):
    return json.loads(dorm(*words, "--json", "-q", cwd=here).stdout)


def test_the_model_has_the_features_of_the_path_alone(here):
    few = told(here, "train", "d.txt", "--at-most", 4, "--model", "m.json", "--report", "p.md")["few_features"]
    assert json.loads((here / "m.json").read_text())["features"] == few["features"] and len(few["features"]) == 4
    assert [len(step["features"]) for step in few["steps"]] == list(range(12, 0, -1))
    assert [step["features"] for step in few["steps"] if step["delivered"]] == [few["features"]]
    for step in few["steps"]:
        assert step["interval"][0] < step["mean"] < step["interval"][1]
    page = (here / "p.md").read_text()
    assert "## Features" in page and "The model has 4 of 12 features" in page
    shown = dorm("train", "d.txt", "--at-most", 4, "--model", "m.json", "-q", cwd=here).stdout
    assert f"features     4 of 12: {', '.join(few['features'])}" in shown and "dropped next" in shown
    assert dorm("eval", "d.txt", "m.json", cwd=here).stdout


def test_tune_learns_from_the_features_that_were_chosen(here):
    words = ["tune", "d.txt", "--at-most", 3, "--grid", "C=10,bound=best", "--model"]
    few = told(here, *words, "n.json")["few_features"]
    assert json.loads((here / "n.json").read_text())["features"] == few["features"] and len(few["features"]) == 3
    assert told(here, *words, "o.json", "--valid", "d.txt")["few_features"]["steps"][0]["interval"]


def test_costs_make_it_a_budget(here):
    (here / "costs.csv").write_text("feature,cost\n" + "".join(f"{f},{f}\n" for f in range(1, 13)))
    steps = told(here, "train", "d.txt", "--at-most", 9, "--feature-costs", "costs.csv", "--model", "m.json")
    steps = steps["few_features"]["steps"]
    assert [step["cost"] for step in steps] == [sum(map(int, step["features"])) for step in steps]
    assert [s["delivered"] for s in steps].index(True) == min(k for k, s in enumerate(steps) if s["cost"] <= 9)
    shown = dorm("train", "d.txt", "--at-most", 9, "--feature-costs", "costs.csv", "--model", "m.json", "-q", cwd=here)
    assert "cost" in shown.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("feature,price\n1,2\n", "feature,cost"),
        ("feature,cost\n1,0\n", "expected a number above 0"),
        ("feature,cost\n1,2\n1,3\n", "has a cost already"),
        ("feature,cost\nnothing,2\n", "nothing"),
    ],
)
def test_files_of_costs_that_say_nothing_are_refused(here, text, said):
    (here / "bad.csv").write_text(text)
    words = ("train", "d.txt", "--at-most", 5, "--feature-costs", "bad.csv", "--model", "m.json")
    assert said in dorm(*words, cwd=here, status=None).stderr


@pytest.mark.parametrize("words", [("--stream",), ("--method", "ridge"), ("--kernel", "rbf:gamma=1")])
def test_trainings_without_weights_of_judged_documents_are_refused(here, words):
    failed = dorm("train", "d.txt", "--at-most", 5, "--model", "m.json", *words, cwd=here, status=None)
    assert failed.returncode != 0 and "features" in failed.stderr


def test_tune_tries_curves_by_itself(here):
    grid = ("--grid", "C=10,bound=best")
    points = told(here, "tune", "d.txt", *grid, "--model", "c.json")["points"]
    assert sorted({p["curves"] for p in points}) == ["8", "none"]
    for words in (("--curves", "none"), ("--for", "solr"), ("--kernel", "rbf:gamma=1", "--approx", "nystroem:9")):
        points = told(here, "tune", "d.txt", *grid, *words, "--model", "l.json")["points"]
        assert {p["curves"] for p in points} == {"none"}
    points = told(here, "tune", "d.txt", *grid, "--curves", "4", "--model", "l.json")["points"]
    assert {p["curves"] for p in points} == {"4"}
    points = told(here, "tune", "d.txt", "--grid", "C=10,bound=best,curves=none/6", "--model", "l.json")["points"]
    assert {p["curves"] for p in points} == {"none", "6"}
