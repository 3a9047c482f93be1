# SPDX-License-Identifier: Apache-2.0
"""What report pages carry of queries for their script, against arithmetic of its own. DORM_COMMAND names the binary."""

import json
import math
from pathlib import Path

import pytest
from command import dorm
from test_report import here as here  # the fixture
from test_report import page


def island(path):
    """What the page carries for its script."""
    return json.loads(next(d.text for d in page(path).iter("div") if d.get("class") == "data"))


def documents_of(path):
    """Labels and features by query, documents in the order of the file."""
    queries = {}
    for line in open(path):
        label, qid, *rest = line.split()
        features = [float(word.split(":")[1]) for word in rest if ":" in word]
        queries.setdefault(qid[4:], []).append((float(label), features))
    return queries


def dcg(labels):
    return sum((2**label - 1) / math.log2(rank + 2) for rank, label in enumerate(labels[:10]))


def test_the_page_carries_every_query_with_figures_by_hand(here):
    dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--report", "m.html")
    found = island("m.html")
    scores = iter(map(float, dorm("rank", "m.json", "valid.txt").stdout.split()))
    names = [ranker["name"] for ranker in found["rankers"]]
    assert names[0] == "this model" and names[1].startswith("best single feature") and names[2] == "ridge regression"
    assert found["measure"] == "ndcg@10" and found["cutoff"] == 10 and found["compared"] == [0, 2]
    by_query = {q: [(next(scores), *d) for d in documents] for q, documents in documents_of("valid.txt").items()}
    useful = {q for q, documents in by_query.items() if any(label > 0 for _, label, _ in documents)}
    assert set(found["ids"]) == useful and len(useful) > 15
    for place, q in enumerate(found["ids"]):
        ranked = sorted(by_query[q], key=lambda document: -document[0])
        ideal = dcg(sorted((label for _, label, _ in ranked), reverse=True))
        value = dcg([label for _, label, _ in ranked]) / ideal
        assert found["rankers"][0]["values"][place] == pytest.approx(value, abs=1e-5)
        assert found["documents"][place] == len(ranked) and found["ideal"][place] == 1
        lists = found["lists"][str(place)]
        mine = [lists["docs"][d] for d in lists["order"][0]]
        assert [label for _, label in mine] == [label for _, label, _ in ranked[:10]]
        assert [lists["scores"][0][d] for d in lists["order"][0]] == pytest.approx(
            [s for s, *_ in ranked[:10]], rel=1e-5
        )
        assert [lists["ranks"][0][d] for d in lists["order"][0]] == list(range(1, len(mine) + 1))
        best = [lists["docs"][d][1] for d in lists["ideal"]]
        assert best == sorted((label for _, label, _ in ranked), reverse=True)[:10]


def test_contributions_that_the_page_carries_are_those_of_explain(here):
    dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--report", "m.html")
    found = island("m.html")
    weights = json.loads(Path("m.json").read_text())["weights"]
    features = found["rankers"][0]["features"]
    assert found["rankers"][0]["weights"] == pytest.approx(weights, rel=1e-5) and len(features) == 6
    query = found["ids"][0]
    lists = found["lists"]["0"]
    why = lists["why"][0]
    told = dorm("explain", "m.json", "valid.txt", "--query", query, "--top", 100, "--format", "jsonl").stdout
    by_rank = {document["rank"]: document for document in map(json.loads, told.splitlines())}
    for d, rank in enumerate(lists["ranks"][0]):
        parts = {part["feature"]: part for part in by_rank[rank]["features"]}
        for k, feature in enumerate(why["features"]):
            assert why["above"][d][k] == pytest.approx(parts[features[feature]]["above_mean"], rel=1e-4, abs=1e-6)
        # All six features are kept: they make the score.
        assert why["mean"] + sum(why["above"][d]) == pytest.approx(lists["scores"][0][d], abs=1e-4)


def test_a_tuning_by_folds_tells_held_out_figures_from_those_of_the_model(here):
    dorm("tune", "train.txt", "--folds", 3, "--grid", "C=10/100,bound=best", "--model", "t.json", "--report", "t.html")
    found = island("t.html")
    names = [ranker["name"] for ranker in found["rankers"]]
    assert names[:2] == ["this model", "the cell with the largest share, held out"]
    lists = next(iter(found["lists"].values()))
    assert lists["order"][0] and not lists["order"][1], "what was held out has figures, no lists"


def test_a_comparison_carries_the_lists_of_its_methods(here):
    dorm("compare", "train.txt", "--test", "valid.txt", "--methods", "feature:2,prank", "--C", "1", "--folds", 3,
         "--measures", "ndcg@10", "--report", "c.html")  # fmt: skip
    found = island("c.html")
    assert {ranker["name"] for ranker in found["rankers"]} == {"feature:2", "prank"}
    mine = [ranker["name"] for ranker in found["rankers"]].index("feature:2")
    queries = documents_of("valid.txt")
    assert sorted(found["ids"]) == sorted(queries)
    for place, q in enumerate(found["ids"]):
        ranked = sorted(queries[q], key=lambda document: -document[1][1])
        lists = found["lists"][str(place)]
        assert [lists["docs"][d][1] for d in lists["order"][mine]] == [label for label, _ in ranked[:10]]
        labels = [label for label, _ in ranked]
        ideal = dcg(sorted(labels, reverse=True))
        value = found["rankers"][mine]["values"][place]
        assert value is None if ideal == 0 else value == pytest.approx(dcg(labels) / ideal, abs=1e-5)


def test_long_data_is_cut_and_the_page_says_so(here):
    dorm("synth", "--queries", 150, "--features", 12, "--documents-median", 30, "--seed", 7, "-o", "long.txt")
    dorm("train", "long.txt", "--method", "ridge", "--model", "m.json", "--report", "m.html")
    found = island("m.html")
    assert len(found["ids"]) > 100 and len(found["lists"]) == 60
    assert all(len(order) <= 10 for lists in found["lists"].values() for order in lists["order"])
    assert all(len(lists["why"][0]["features"]) == 8 for lists in found["lists"].values())
    words = "".join(page("m.html").itertext())
    assert f"60 of {len(found['ids'])} have their lists with them" in words and "first 10 documents" in words
    assert Path("m.html").stat().st_size < 600_000
    dorm("train", "long.txt", "--method", "ridge", "--model", "m.json", "--report", "again.html", "--threads", 1)
    assert island("again.html") == found, "the same from one thread or many"
