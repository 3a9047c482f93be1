# SPDX-License-Identifier: Apache-2.0
"""Click logs through the command: gains against plain Python, features of any format, clicks that are simulated."""

import csv
import gzip
import json
from collections import defaultdict

import numpy as np
import pytest
from command import dorm


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shop(here):
    """Judged documents, a log of three rankers, and the truth about positions."""
    dorm("synth", "--queries", 30, "--features", 4, "--documents-median", 15, "--seed", 5, "-o", "data.csv")
    simulate("pbm", "-o", "log.csv", "--true-propensities", "p.csv")
    return here


def simulate(model, *more):
    users = ["data.csv", "--sessions", 20, "--rankers", 3, "--seed", 7]
    return dorm("clicks", "simulate", *users, "--click-model", model, *more)


def table(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as lines:
        return list(csv.DictReader(lines))


def gains_by_hand(log, propensity, clip, per="pages"):
    """As docs/clicks.md defines them."""
    gain, shown, pages = defaultdict(float), defaultdict(int), defaultdict(set)
    for row in log:
        key = row["qid"], row["docid"]
        gain[key] += int(row["click"]) / max(propensity[row["position"]], clip)
        shown[key] += 1
        pages[row["qid"]].add(row["session"])
    return {key: gain[key] / (shown[key] if per == "shown" else len(pages[key[0]])) for key in gain}


@pytest.mark.parametrize(("clip", "per"), [(0, "pages"), (0.3, "pages"), (0.05, "shown")])
def test_gains_are_means_of_clicks_over_propensity(shop, clip, per):
    dorm("clicks", "gains", "log.csv", "--propensities", "p.csv", "--clip", clip, "--per", per, "-o", "gains.csv")
    propensity = {row["position"]: float(row["propensity"]) for row in table("p.csv")}
    expected = gains_by_hand(table("log.csv"), propensity, clip, per)
    found = {(row["qid"], row["docid"]): float(row["click_gain"]) for row in table("gains.csv")}
    assert found.keys() == expected.keys()
    for key, gain in found.items():
        assert gain == pytest.approx(expected[key], rel=1e-12)


def test_the_command_says_what_it_did(shop):
    done = dorm(
        "clicks", "gains", "log.csv", "--propensities", "p.csv", "--features", "data.csv", "-o", "train.csv", "--json"
    )
    report = json.loads(done.stdout)
    log = table("log.csv")
    weights = [int(row["position"]) for row in log if row["click"] == "1"]  # 1 / propensity
    assert report["rows"] == len(log)
    assert report["clicks"] == len(weights)
    assert report["effective_clicks"] == pytest.approx(sum(weights) ** 2 / sum(w * w for w in weights))
    shown = {(row["qid"], row["docid"]) for row in log}
    data = table("data.csv")
    assert report["judged"]["never_shown"] == sum((row["qid"], row["docid"]) not in shown for row in data)
    assert report["judged"]["documents"] == len(data)
    assert "never shown" in dorm("clicks", "gains", "log.csv", "--features", "data.csv", "-o", "naive.csv").stdout


@pytest.mark.parametrize("form", ["data.csv", "data.dorm", "data.txt.gz", "data.tsv"])
def test_features_come_from_any_format(shop, form):
    if form != "data.csv":
        dorm("convert", "data.csv", form)
    dorm("clicks", "gains", "log.csv", "--propensities", "p.csv", "--features", form, "-o", "train.csv")
    dorm("clicks", "gains", "log.csv", "--propensities", "p.csv", "-o", "gains.csv")
    gains = {(row["qid"], row["docid"]): float(row["click_gain"]) for row in table("gains.csv")}
    features = {(row["qid"], row["docid"]): row for row in table("data.csv")}
    rows = table("train.csv")
    assert len(rows) == len(features)
    for row in rows:
        key = row["qid"], row["docid"]
        assert float(row["click_gain"]) == pytest.approx(gains.get(key, 0), rel=1e-6)
        assert float(list(row.values())[-1]) == pytest.approx(float(list(features[key].values())[-1]))


def test_what_is_not_linear_in_gains_is_refused_or_named(shop):
    dorm("clicks", "gains", "log.csv", "--propensities", "p.csv", "--features", "data.csv", "-o", "train.csv")
    refused = dorm("train", "train.csv", "--model", "m.json", status=2)
    assert 'measure "ndcg@10": the labels are gains estimated from clicks' in refused.stderr
    for measure in ("dcg@10:gain=linear", "precision@5:gain=linear", "rbp:gain=linear", "eru", "avgrank"):
        dorm("train", "train.csv", "--measure", measure, "--model", "m.json", "--passes", 5, "--quiet")
    judged = dorm("eval", "train.csv", "--model", "m.json", "--measures", "ndcg@10,dcg@10:gain=linear").stdout
    assert "ndcg@10 of estimated gains" in judged
    assert "dcg@10:gain=linear of" not in judged
    truth = dorm("eval", "data.csv", "--model", "m.json", "--measures", "ndcg@10").stdout  # judged by people
    assert "estimated" not in truth
    dorm("convert", "train.csv", "train.dorm")
    assert "estimated from clicks" in dorm("train", "train.dorm", "--model", "m.json", status=2).stderr


def test_costs_go_out_and_come_back(shop):
    log = ["clicks", "gains", "log.csv", "--propensities", "p.csv", "--pool", "session", "--features", "data.csv"]
    dorm(*log, "--cost", "-o", "costs.txt")
    clicked = [line for line in open("costs.txt") if " cost:" in line]
    clicks = [row for row in table("log.csv") if row["click"] == "1"]
    assert len(clicked) == len(clicks)
    costs = sorted(float(line.split("cost:")[1].split()[0]) for line in clicked)
    assert costs == sorted(min(float(row["position"]), 20) for row in clicks)
    dorm("train", "costs.txt", "--method", "propsvm", "--model", "m.json", "--passes", 3, "--quiet")
    assert "estimated from clicks" in dorm("train", "costs.txt", "--model", "m.json", status=2).stderr


def test_gains_under_trust_bias_are_never_negative(shop):
    simulate("trust", "-o", "log.csv", "--true-propensities", "p.csv")
    done = dorm("clicks", "gains", "log.csv", "--propensities", "p.csv", "--features", "data.csv", "-o", "train.csv")
    assert "queries had gains below 0" in done.stdout
    gains = np.array([float(row["click_gain"]) for row in table("train.csv")])
    assert np.isfinite(gains).all()
    assert gains.min() == 0


def test_expected_clicks_give_the_truth(shop):
    """Weighted expected clicks are what users see in a document, whoever ranked it where."""
    simulate("pbm", "--expected", "-o", "counts.csv", "--true-propensities", "p.csv")
    dorm("clicks", "gains", "counts.csv", "--propensities", "p.csv", "--clip", 0, "--per", "shown", "-o", "gains.csv")
    truth = {(row["qid"], row["docid"]): 0.1 + 0.9 * (2 ** float(row["label"]) - 1) / 15 for row in table("data.csv")}
    for row in table("gains.csv"):
        assert float(row["click_gain"]) == pytest.approx(truth[row["qid"], row["docid"]], rel=1e-8)


@pytest.mark.parametrize("model", ["pbm", "cascade", "ubm", "trust"])
def test_simulated_users_see_what_scores_put_there(here, model):
    """The position of a document is its rank by the scores of its ranker."""
    dorm("synth", "--queries", 8, "--features", 3, "--documents-median", 12, "--seed", 2, "-o", "data.csv")
    rows = table("data.csv")
    scores = np.random.default_rng(1).normal(size=len(rows))
    (here / "scores.txt").write_text("\n".join(map(str, scores)) + "\n")
    given = ["data.csv", "--click-model", model, "--scores", "scores.txt", "--sessions", 3, "--top", 5]
    dorm("clicks", "simulate", *given, "-o", "log.csv")
    by_query = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        by_query[row["qid"]].append((-score, row["docid"]))
    for row in table("log.csv"):
        order = [document for _, document in sorted(by_query[row["qid"]])]
        assert order[int(row["position"]) - 1] == row["docid"]
    again = dorm("clicks", "simulate", *given, "-o", "-").stdout
    assert again == (here / "log.csv").read_text()


def test_logs_of_other_shapes(shop):
    rows = table("log.csv")
    dorm("clicks", "gains", "log.csv", "--propensities", "p.csv", "-o", "gains.csv")
    expected = (shop / "gains.csv").read_text()
    with gzip.open("log.jsonl.gz", "wt") as out:
        for row in rows:
            row["position"], row["click"] = int(row["position"]), row["click"] == "1"
            out.write(json.dumps({("clicked" if key == "click" else key): value for key, value in row.items()}) + "\n")
    dorm("clicks", "gains", "log.jsonl.gz", "--click-column", "clicked", "--propensities", "p.csv", "-o", "again.csv")
    assert (shop / "again.csv").read_text() == expected
    piped = dorm(
        "clicks", "gains", "-", "--propensities", "p.csv", "-o", "-", input=(shop / "log.csv").read_text()
    ).stdout
    assert piped == expected


def test_what_is_wrong_is_said(shop):
    (shop / "bad.csv").write_text("session,qid,docid,position,click\ns,q,d,1,1\ns,q,d,0,1\n")
    done = dorm("clicks", "gains", "bad.csv", "-o", "x.csv", status=1)
    assert "bad.csv:3:7: found '0' in column 'position'; expected a position" in done.stderr
    assert not (shop / "x.csv").exists()
    (shop / "p1.csv").write_text("position,propensity\n1,1\n")
    done = dorm("clicks", "gains", "log.csv", "--propensities", "p1.csv", "-o", "x.csv", status=1)
    assert "log.csv: the log has clicks and impressions at positions 2, 3, 4, 5, 6 and 4 more, which" in done.stderr
    dorm("clicks", "gains", "log.csv", "--propensities", "p1.csv", "--positions", 1, "-o", "x.csv")
    assert (
        "--per sometimes; expected pages or shown"
        in dorm("clicks", "gains", "log.csv", "--per", "sometimes", "-o", "x.csv", status=2).stderr
    )
    assert "--cost without --features" in dorm("clicks", "gains", "log.csv", "--cost", "-o", "x.txt", status=2).stderr
    assert "DATA is missing" in dorm("clicks", "simulate", "-o", "x.csv", status=2).stderr
    said = dorm("clicks", "simulate", "data.csv", "--click-model", "pdm", "-o", "x.csv", status=2).stderr
    assert 'unknown click model "pdm"' in said


def test_a_position_of_a_page_shows_one_document(shop):
    header = "session,qid,docid,position,click\n"
    (shop / "two.csv").write_text(header + "s,q,a,1,1\ns,q,b,1,0\n")
    done = dorm("clicks", "gains", "two.csv", "-o", "x.csv", status=1)
    assert "two.csv:3: session 's' shows two documents at position 1 of query 'q'; expected one" in done.stderr
    (shop / "two.csv").write_text(header + "s,q,a,1,1\ns,r,b,1,0\nt,r,c,1,0\ns,q,a,1,0\n")
    dorm("clicks", "gains", "two.csv", "-o", "x.csv")


def test_a_log_without_impressions_has_no_propensities(here):
    (here / "none.csv").write_text("qid,docid,position,ranker,impressions,clicks\nq,a,1,1,0,0\nq,a,2,2,0,0\n")
    done = dorm("clicks", "propensity", "none.csv", "-o", "p.csv", status=1)
    assert "expected documents" in done.stderr
    assert not (here / "p.csv").exists()
