# SPDX-License-Identifier: Apache-2.0
"""`dorm clicks propensity`, `dorm clicks evaluate` and `dorm clicks interleave` from outside."""

import csv
import json

import pytest
from command import dorm

PROPENSITIES = "position,propensity\n" + "".join(f"{k},{1 / k}\n" for k in range(1, 11))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clicks")
    at = lambda name: folder / name
    dorm("synth", "--queries", 60, "--features", 4, "--documents-median", 12, "--seed", 1, "-o", at("judged.csv"))
    simulate = ["clicks", "simulate", at("judged.csv"), "--click-model", "pbm", "--rankers", 3, "--seed", 2]
    dorm(*simulate, "--sessions", 30, "-o", at("log.csv"))
    dorm(*simulate, "--expected", "-o", at("counts.csv"))
    at("p.csv").write_text(PROPENSITIES)
    return folder


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_expected_counts_give_the_true_propensities(world, tmp_path):
    for method in ("allpairs", "pivot", "adjacent"):
        dorm("clicks", "propensity", world / "counts.csv", "-o", tmp_path / "p.csv", "--method", method)
        for row in rows_of(tmp_path / "p.csv"):
            assert float(row["propensity"]) == pytest.approx(1 / int(row["position"]), rel=1e-12)


def test_propensities_as_json(world, tmp_path):
    done = dorm(
        "clicks", "propensity", world / "log.csv", "-o", tmp_path / "p.csv", "--json", "--isotonic", "--positions", 5
    )
    context = json.loads(done.stdout)["contexts"][0]
    values = [row["propensity"] for row in context["positions"]]
    assert len(values) == 5
    assert values == sorted(values, reverse=True)
    assert context["pairs"] == 10


def test_rankers_by_clicks(world):
    done = dorm(
        "clicks", "evaluate", world / "log.csv", "--propensities", world / "p.csv", "--data", world / "judged.csv",
        "feature:1", "feature:2", "--measures", "dcg@10,precision@5", "--json",
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["estimator"] == "ips"
    assert found["clicks"]["effective_clicks"] < found["clicks"]["clicks"]
    first, second = found["rankers"]
    value = first["measures"]["dcg@10:gain=linear"]
    assert value["low"] < value["mean"] < value["high"]
    assert "against" in second["measures"]["precision@5:gain=linear"]
    assert 0 <= value["unseen"] < 1


def test_runs_without_features(world, tmp_path):
    (tmp_path / "a.run").write_text(
        "".join(
            f"{row['qid']} Q0 {row['docid']} 1 {1 / int(row['position'])} a\n" for row in rows_of(world / "counts.csv")
        )
    )
    rows = {}
    for line in (tmp_path / "a.run").read_text().splitlines():
        rows.setdefault(tuple(line.split()[:3]), line)
    (tmp_path / "a.run").write_text("\n".join(rows.values()) + "\n")
    done = dorm("clicks", "evaluate", world / "log.csv", "--propensities", world / "p.csv", tmp_path / "a.run")
    assert "ips estimates from" in done.stdout
    assert "dcg@10:gain=linear" in done.stdout


def test_what_is_refused(world, tmp_path):
    clicks = ["clicks", "evaluate", world / "log.csv", "--data", world / "judged.csv", "feature:1"]
    known = ["--propensities", world / "p.csv"]
    for words, message in (
        ([*clicks], "--propensities FILE"),
        ([*clicks, *known, "--measures", "ndcg@10"], "ndcg@10 is no sum of position weight times relevance"),
        ([*clicks, *known, "--estimator", "ipz"], 'unknown estimator "ipz"; did you mean "ips"?'),
        ([*clicks, *known, "--each", "session"], "expected query or page"),
        (["eval", world / "judged.csv", "feature:1", *known], "unknown option"),
        (["clicks", "propensity", world / "log.csv", "-o", tmp_path / "p.csv", "--method", "alpairs"], "did you mean"),
        (["clicks", "interleave", "make"], "expected generate, analyse or plan"),
        (
            ["clicks", "interleave", "generate", world / "p.csv", "-o", tmp_path / "x.csv"],
            "generate of 1 runs; expected two",
        ),
        (["clicks", "interleave", "plan"], "--share X"),
    ):
        done = dorm(*words, status=None)
        assert done.returncode in (1, 2)
        assert message in done.stderr, done.stderr


def test_malformed_logs_are_named(world, tmp_path):
    (tmp_path / "bad.csv").write_text("session,qid,docid,position,click\ns,q,a,1,2\n")
    done = dorm("clicks", "propensity", tmp_path / "bad.csv", "-o", tmp_path / "p.csv", status=None)
    assert done.returncode == 1
    assert "bad.csv:2:" in done.stderr
    (tmp_path / "apart.csv").write_text("session,qid,docid,position,click\ns,q,a,1,1\ns,q,b,2,1\n")
    done = dorm("clicks", "propensity", tmp_path / "apart.csv", "-o", tmp_path / "p.csv", status=None)
    assert "position 2 is not connected with position 1" in done.stderr
    assert not (tmp_path / "p.csv").exists()


def test_interleaving_there_and_back(tmp_path):
    run = lambda name, order: (tmp_path / name).write_text(
        "".join(f"{q} Q0 {d} {k} {-k} x\n" for q in ("q1", "q2") for k, d in enumerate(order))
    )
    run("a.run", "abcd")
    run("b.run", "badc")
    lists = tmp_path / "lists.csv"
    dorm(
        "clicks",
        "interleave",
        "generate",
        tmp_path / "a.run",
        tmp_path / "b.run",
        "-o",
        lists,
        "--lists",
        50,
        "--length",
        4,
    )
    rows = rows_of(lists)
    assert len(rows) == 2 * 50 * 4
    assert {row["ranker"] for row in rows} == {"a", "b"}
    with open(tmp_path / "shown.csv", "w", encoding="utf-8") as out:  # people click what a added first
        out.write("session,qid,docid,position,ranker,click\n")
        for row in rows:
            click = int(row["ranker"] == "a" and int(row["position"]) <= 2)
            out.write(f"{row['session']},{row['qid']},{row['docid']},{row['position']},{row['ranker']},{click}\n")
    found = json.loads(dorm("clicks", "interleave", "analyse", tmp_path / "shown.csv", "--json").stdout)
    assert (found["wins"], found["losses"]) == (100, 0)
    assert found["p_sign"] == pytest.approx(2 * 0.5**100)


def test_credits_of_optimised_lists(tmp_path):
    (tmp_path / "shown.csv").write_text(
        "session,qid,docid,position,credit,click\n"
        "1,q,a,1,0.5,1\n1,q,b,2,-0.5,0\n"
        "2,q,a,1,0.5,1\n2,q,b,2,-0.5,1\n"
        "3,q,b,1,-0.5,1\n3,q,a,2,0.5,0\n"
    )
    words = ["clicks", "interleave", "analyse", tmp_path / "shown.csv", "--credit-column", "credit", "--json"]
    found = json.loads(dorm(*words).stdout)
    assert (found["wins"], found["losses"], found["ties"]) == (1, 1, 1)
    (tmp_path / "shown.csv").write_text("session,qid,docid,position,credit,click\n1,q,a,1,x,1\n")
    done = dorm(*words, status=None)
    assert "the credit of document 'a' is 'x'; expected a number" in done.stderr


def test_plan():
    found = json.loads(dorm("clicks", "interleave", "plan", "--share", 0.55, "--ties", 0.5, "--json").stdout)
    assert found["decided"] == 783
    assert found["sessions"] == 1566
    assert found["exact_power"] == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("share", [0.5000001, 0.500000001, 0.5000000001, 0.50000000000001])
def test_a_plan_beyond_what_can_be_computed_is_refused(share):
    said = dorm("clicks", "interleave", "plan", "--share", f"{share:.15f}", status=2).stderr
    assert "decided sessions, at a share of wins of 0.5" in said and "expected at most 1e+12" in said


@pytest.mark.parametrize("share", [0.51, 0.5001, 0.50001])
def test_a_plan_has_about_the_power_that_was_asked_for(share):
    found = json.loads(dorm("clicks", "interleave", "plan", "--share", share, "--json").stdout)
    assert found["exact_power"] == pytest.approx(0.8, abs=0.01)
