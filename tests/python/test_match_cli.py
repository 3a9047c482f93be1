# SPDX-License-Identifier: Apache-2.0
"""`dorm lab match`: trains, judges and predicts on small graphs; what it says when something is wrong."""

import csv
import json
import os
import random
from pathlib import Path

import pytest
from command import dorm

HOUSE = Path(os.environ.get("DORM_DATA", "../shared/data")) / "cmu-house"
GRAPHS = ["nodes.csv", "--edges", "edges.csv", "--pairs", "pairs.csv"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Copies of a graph with ids of their own; `signal` tells nodes apart, `noise` does not."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)
    nodes, edges, pairs, matches = ["graph,node,signal,noise"], ["graph,from,to"], ["part,left,right"], []
    for p in range(12):
        signal = [rng.gauss(0, 1) for _ in range(7)]
        for side in "ab":
            for v in range(7):
                nodes.append(f"{side}{p},{side}{v},{signal[v] + rng.gauss(0, 0.2):.4f},{rng.gauss(0, 1):.4f}")
            edges += [f"{side}{p},{side}{v},{side}{(v + 1) % 7}" for v in range(7)]
        pairs.append(f"{('train', 'valid', 'test')[p % 3]},a{p},b{p}")
        matches += [f"a{p},b{p},a{v},b{v}" for v in range(7)]
    for name, rows in (("nodes", nodes), ("edges", edges), ("pairs", pairs)):
        Path(f"{name}.csv").write_text("\n".join(rows) + "\n")
    Path("matches.csv").write_text("\n".join(["graph1,graph2,node1,node2", *matches]) + "\n")
    return tmp_path


def test_trains_judges_and_predicts(here):
    columns = ["--pair-columns", "left,right", "--matches", "matches.csv"]
    options = [*GRAPHS, *columns, "--where", "part=train", "--valid-where", "part=valid", "-C", "1,10,100"]
    told = json.loads(dorm("lab", "match", "train", *options, "--model", "m.json", "--json").stdout)
    assert [each["C"] for each in told["candidates"]] == [1, 10, 100]
    assert told["dual"] <= told["primal"] * (1 + 1e-9) and told["gap"] <= 1e-3
    assert told["training_loss"] <= told["loss_bound"] + 1e-9
    model = json.loads(Path("m.json").read_text())
    assert model["weight_names"] == ["signal", "noise", "edge"] and model["weights"][0] > abs(model["weights"][1])
    test = [*GRAPHS, *columns, "--where", "part=test"]
    learnt = json.loads(dorm("lab", "match", "eval", *test[:1], "m.json", *test[1:], "--json").stdout)[0]
    unlearnt = json.loads(dorm("lab", "match", "eval", *test, "--json").stdout)[0]
    assert learnt["loss"] <= unlearnt["loss"] and learnt["low"] <= learnt["loss"] <= learnt["high"]
    words = dorm("lab", "match", "eval", *test[:1], "m.json", *test[1:]).stdout
    assert "m.json" in words and "quadratic" in words and "of 4" in words
    found = list(csv.DictReader(dorm("lab", "match", "predict", "nodes.csv", "m.json", *test[1:]).stdout.splitlines()))
    wrong = sum(row["node1"][1:] != row["node2"][1:] for row in found)
    assert len(found) == 4 * 7 and wrong / len(found) == pytest.approx(learnt["loss"])
    lines = [
        json.loads(line)
        for line in dorm("lab", "match", "predict", "nodes.csv", "m.json", *test[1:], "--json").stdout.splitlines()
    ]
    assert len(lines) == 4 and all(line["bound"] >= line["score"] for line in lines)


def test_text_of_training_names_the_certificate(here):
    options = [*GRAPHS, "--pair-columns", "left,right", "--matches", "matches.csv"]
    told = dorm("lab", "match", "train", *options, "--model", "m.json").stdout
    for words in ("12 pairs", "primal", "dual", "gap", "loose by", "bound on it", "model        m.json"):
        assert words in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("lab match", "ACTION is missing"),
        ("lab match fit nodes.csv --pairs pairs.csv", 'unknown action "fit"'),
        ("lab match eval", "NODES is missing"),
        ("lab match eval nodes.csv", "--pairs FILE is missing"),
        ("lab match eval nodes.csv --pairs pairs.csv --pair-columns left,right", "--kind quadratic needs the edges"),
        ("lab match train nodes.csv --edges edges.csv --pairs pairs.csv", "--model FILE is missing"),
        (
            "lab match train nodes.csv --edges edges.csv --pairs pairs.csv --pair-columns left,right "
            "--matches matches.csv -C 1,2 --model m.json",
            "several C",
        ),
        (
            "lab match train nodes.csv --edges edges.csv --pairs pairs.csv --pair-columns left,right --model m.json",
            "no node has a true partner",
        ),
        ("lab match eval nodes.csv --kind linear --pairs pairs.csv", "there is no graph 'train' in the table of nodes"),
        ("lab match eval nodes.csv --kind linear --pairs pairs.csv --where part", "expected COLUMN=VALUE"),
        ("lab match eval nodes.csv --kind linear --pairs pairs.csv --pair-columns left", "expected two names"),
        (
            "lab match eval nodes.csv pairs.csv --pairs pairs.csv --pair-columns left,right",
            "expected a model written by",
        ),
    ],
)
def test_says_what_is_wrong(here, words, message):
    done = dorm(*words.split(), status=None)
    assert done.returncode in (1, 2) and message in done.stderr


@pytest.mark.skipif(not HOUSE.is_dir(), reason="cmu-house is not under DORM_DATA")
def test_learning_helps_on_the_house(tmp_path):
    nodes = [HOUSE / "shape-context.csv.gz", "--kind", "linear", "--scale", "none"]
    pairs = ["--pairs", HOUSE / "pairs.csv", "--pair-columns", "frame1,frame2"]
    part = lambda name: ["--where", f"baseline=90,part={name}"]
    dorm("lab", "match", "train", *nodes, *pairs, *part("train"), "--model", tmp_path / "m.json")
    learnt = dorm("lab", "match", "eval", nodes[0], tmp_path / "m.json", *pairs, *part("test"), "--json")
    unlearnt = dorm("lab", "match", "eval", *nodes, *pairs, *part("test"), "--json")
    assert json.loads(learnt.stdout)[0]["loss"] < json.loads(unlearnt.stdout)[0]["loss"]
