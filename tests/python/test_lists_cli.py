# SPDX-License-Identifier: Apache-2.0
"""Lists by position and under topic limits, through the command."""

import json
import subprocess

import command
import numpy as np
import pytest


def dorm(*arguments, status=0):
    """What the command said: its output, or why it failed."""
    done = command.dorm(*arguments, status=status)
    return done.stdout if status == 0 else done.stderr


@pytest.fixture()
def data(tmp_path):
    """20 queries of 8 documents; label 1 is known by feature x, label 2 by feature y."""
    rng = np.random.default_rng(0)
    with open(tmp_path / "d.csv", "w") as file:
        file.write("qid,docid,label,x,y\n")
        for q in range(20):
            for i in range(8):
                label = (i < 2) * 1 + (2 <= i < 4) * 2
                x, y = (label == 1) + 0.1 * rng.normal(), (label == 2) + 0.1 * rng.normal()
                file.write(f"{q},{q}-{i},{label},{x:.4f},{y:.4f}\n")
    (tmp_path / "gains.csv").write_text("label,1,2\n0,0,0\n1,1,0\n2,0,1\n")
    (tmp_path / "limits.csv").write_text("topic,limit\neven,1.5\n")
    rows = [f"{q}-{i},even,0.75\n" for q in range(20) for i in range(0, 8, 2)]
    (tmp_path / "topics.csv").write_text("docid,topic,weight\n" + "".join(rows))
    return tmp_path


def rankings(text):
    return {line["qid"]: [d["document"] for d in line["ranking"]] for line in map(json.loads, text.splitlines())}


def test_a_model_of_positions_fills_each_place_with_its_kind(data):
    dorm("train", data / "d.csv", "--position-gains", data / "gains.csv", "--model", data / "m.json", "--quiet")
    table = json.loads(dorm("eval", data / "d.csv", "--model", data / "m.json", "--json"))
    assert table["measures"]["position-gain@2"]["mean"] > 0.99
    for query, documents in rankings(dorm("rank", data / "m.json", data / "d.csv", "--json")).items():
        assert len(documents) == 8
        assert documents[0] in {f"{query}-0", f"{query}-1"} and documents[1] in {f"{query}-2", f"{query}-3"}
    scores = [float(x) for x in dorm("rank", data / "m.json", data / "d.csv").split()]
    assert sorted(scores[:8]) == list(range(-8, 0))


def test_ranked_lists_keep_topic_limits(data):
    topics = ("--topics", data / "topics.csv", "--limits", data / "limits.csv")
    done = subprocess.run(
        [command.DORM, "train", data / "d.csv", *topics, "--measure", "ndcg@4", "--model", data / "m.json", "--quiet"],
        capture_output=True,
        text=True,
    )
    if "built without" in done.stderr:
        pytest.skip("no integer-programming solver in this build")
    assert done.returncode == 0, done.stderr
    assert "0 not proven optimal" in done.stdout
    ranked = rankings(dorm("rank", data / "m.json", data / "d.csv", "--json", "--top", 4, *topics))
    assert len(ranked) == 20
    for documents in ranked.values():
        assert len(documents) == 4
        assert sum(int(d.split("-")[1]) % 2 == 0 for d in documents) <= 2


def test_what_makes_no_sense_is_refused_with_what_to_do(data):
    topics = ("--topics", data / "topics.csv", "--limits", data / "limits.csv")
    dorm("train", data / "d.csv", "--method", "ridge", "--model", data / "m.json", "--quiet")
    rank = ("rank", data / "m.json", data / "d.csv", "--format", "order")
    assert "--top N is missing" in dorm(*rank, *topics, status=2)
    assert "--limits FILE is missing" in dorm(*rank, "--top", 4, *topics[:2], status=2)
    assert "expected --format order" in dorm("rank", data / "m.json", data / "d.csv", "--top", 0, *topics, status=2)
    assert "whose limit is 1.5; raise that limit" in dorm(*rank, "--top", 8, *topics, status=1)
    (data / "topics.csv").write_text("docid,topic,weight\n0-0,odd,1\n")
    assert "topics.csv:2:5: topic 'odd' has no limit" in dorm(*rank, "--top", 4, *topics, status=1)
    both = ("train", data / "d.csv", "--position-gains", data / "gains.csv", "--model", data / "m.json")
    assert "exclude each other" in dorm(*both, *topics, status=2)
    assert "--report supports only score-sorted rankings" in dorm(*both, "--report", data / "r.html", status=1)
    assert "the bound average is defined for sorted" in dorm(*both, "--bound", "average", "--quiet", status=1)
    judge = ("eval", data / "d.csv", "--model", data / "m.json")
    dorm(*both, "--quiet")
    assert "the gains are those of position-gain@2" in dorm(*judge, "--measures", "position-gain@5", status=2)
    assert "--topics needs a linear model" in dorm(*judge, *topics, status=1)


def test_positions_are_validated_tuned_and_resumed(data):
    train = ("train", data / "d.csv", "--position-gains", data / "gains.csv", "--model", data / "m.json", "--quiet")
    told = json.loads(dorm(*train, "--valid", data / "d.csv", "--checkpoint", data / "ck", "--json"))
    assert [c["bound"] for c in told["candidates"]] == ["best", "predicted"]
    judged = ("eval", data / "d.csv", "--model", data / "m.json", "--measures", "position-gain@2", "--json")
    assert json.loads(dorm(*judged))["measures"]["position-gain@2"]["mean"] == pytest.approx(told["validation"])
    tuned = json.loads(dorm("tune", *train[1:], "--folds", 2, "--grid", "C=1/100,decay=measure,bound=best", "--json"))
    assert len(tuned["points"]) == 2 and tuned["winner"]["measure"] == "position-gain@2"


def test_eval_judges_within_topic_limits(data):
    topics = ("--topics", data / "topics.csv", "--limits", data / "limits.csv")
    judge = ("eval", data / "d.csv", "--feature", "x", "--measures", "ndcg@4", "--json")
    done = subprocess.run([command.DORM, *judge, *topics], capture_output=True, text=True)
    if "built without" in done.stderr:
        pytest.skip("no integer-programming solver in this build")
    assert done.returncode == 0, done.stderr
    within = json.loads(done.stdout)["measures"]["ndcg@4"]["mean"]
    assert 0 < within < 1
    assert within != json.loads(dorm(*judge))["measures"]["ndcg@4"]["mean"]
    assert "mrr is no sum over positions" in dorm(*judge[:4], "--measures", "ndcg@4,mrr", *topics, status=1)
