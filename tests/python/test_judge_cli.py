# SPDX-License-Identifier: Apache-2.0
"""Many rankers in one table: dorm eval DATA RANKER..."""

import csv
import io
import json
import math
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command import dorm


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Two models, a run and scores of one of them, and the data to judge them by."""
    folder = tmp_path_factory.mktemp("judge")
    at = {"cwd": folder}
    dorm("synth", "--queries", 90, "--features", 6, "--documents-median", 12, "--seed", 3, "-o", "all.txt", **at)
    rows = (folder / "all.txt").read_text().splitlines(keepends=True)
    number = [int(row.split()[1][4:]) for row in rows]
    (folder / "train.txt").write_text("".join(r for r, n in zip(rows, number, strict=True) if n <= 60))
    (folder / "test.txt").write_text("".join(r for r, n in zip(rows, number, strict=True) if n > 60))
    dorm("train", "train.txt", "--model", "a.json", "-C", 10, "--quiet", **at)
    dorm("train", "train.txt", "--method", "ridge", "--model", "b.json", "--quiet", **at)
    dorm("rank", "a.json", "test.txt", "--format", "trec", "-o", "a.run", **at)
    dorm("rank", "b.json", "test.txt", "-o", "b.scores", **at)
    return folder


def refused(*arguments, status=1):
    done = dorm(*arguments, status=status)
    assert done.stdout == ""
    return done.stderr


def judged(*arguments):
    return json.loads(dorm("eval", *arguments, "--json").stdout)


def test_rankers_of_every_kind_stand_in_one_table(here):
    table = judged("test.txt", "a.json", "b.json", "a.run", "b.scores", "feature:3", "given")
    rows = {row["name"]: row for row in table["rankers"]}
    assert [row["kind"] for row in table["rankers"]] == ["model", "model", "run", "scores", "feature", "order"]
    assert list(rows) == ["a.json", "b.json", "a.run", "b.scores", "feature:3", "given"]
    # The same ranker by another way has the same figures, and those of one ranker alone.
    for one, other in [("a.json", "a.run"), ("b.json", "b.scores")]:
        for measure in table["rankers"][0]["measures"]:
            assert rows[one]["measures"][measure]["mean"] == rows[other]["measures"][measure]["mean"]
    alone = judged("test.txt", "--model", "b.json", "--against", "a.json")
    for measure, figure in alone["measures"].items():
        assert rows["b.json"]["measures"][measure]["mean"] == figure["mean"]
        against = alone["against"]["measures"][measure]
        shared = rows["b.json"]["measures"][measure]["against"]
        assert {key: shared[key] for key in against} == against
    # The order of the file: by hand.
    position, gains = {}, {}
    for row in Path("test.txt").read_text().splitlines():
        label, query = row.split()[:2]
        position[query] = position.get(query, 0) + 1
        if float(label) > 0:
            gains.setdefault(query, 1 / position[query])
    assert rows["given"]["measures"]["mrr"]["mean"] == pytest.approx(sum(gains.values()) / len(position))


def test_p_values_are_corrected_by_holm(here):
    table = judged("test.txt", "a.json", "b.json", "feature:3", "given", "--measures", "ndcg@10")
    against = [row["measures"]["ndcg@10"]["against"] for row in table["rankers"][1:]]
    order = sorted(range(3), key=lambda i: against[i]["p_permutation"])
    largest = 0
    for step, i in enumerate(order):
        largest = max(largest, min(1, (3 - step) * against[i]["p_permutation"]))
        assert against[i]["p_corrected"] == pytest.approx(largest)
        stars = "***" if largest < 0.001 else "**" if largest < 0.01 else "*" if largest < 0.05 else ""
        assert against[i]["stars"] == stars
    assert against[2]["stars"] == "***"
    text = dorm("eval", "test.txt", "a.json", "given", "--measures", "ndcg@10").stdout
    row = next(line for line in text.splitlines() if line.startswith("given"))
    assert row.endswith("***") and " best" in text


def test_the_reference_may_be_any_ranker(here):
    first = judged("test.txt", "a.json", "b.json", "--against", "b")
    assert first["reference"] == "b" and len(first["rankers"]) == 2
    added = judged("test.txt", "a.json", "--against", "given")
    assert added["reference"] == "given" and [row["name"] for row in added["rankers"]] == ["a", "given"]
    difference = added["rankers"][0]["measures"]["ndcg@10"]["against"]["difference"]
    assert difference > 0.1


def test_a_model_is_compared_with_a_model_a_run_scores_and_a_feature(here):
    for other in ["b.json", "a.run", "b.scores", "feature:2", "given"]:
        result = judged("test.txt", "--model", "a.json", "--against", other)
        assert result["against"]["name"] == other
    assert judged("test.txt", "--scores", "b.scores", "--against", "b.json")["against"]["measures"]["map"]["ties"] == 30


def test_two_options_that_rank_are_two_rankers(here):
    table = judged("test.txt", "--model", "a.json", "--scores", "b.scores")
    assert [row["name"] for row in table["rankers"]] == ["a", "b"]


def test_names(here):
    os.mkdir("old")
    os.symlink("../b.json", "old/a.json")
    table = judged("test.txt", "a.json", "old/a.json", "x=b.json", "b.json", "b.json")
    assert [row["name"] for row in table["rankers"]] == ["a.json", "old/a.json", "x", "b.json", "b.json (2)"]
    os.symlink("a.json", "C=10.json")
    assert judged("test.txt", "C=10.json")["rankers"][0]["name"] == "C=10"


def test_every_single_feature_in_one_call(here):
    table = judged("test.txt", "--feature", "all", "--measures", "ndcg@10", "--bootstrap", 0)
    means = [row["measures"]["ndcg@10"]["mean"] for row in table["rankers"]]
    assert len(means) == 6 and means == sorted(means, reverse=True)
    for row in table["rankers"][:2]:
        alone = judged("test.txt", "--feature", row["name"][8:], "--measures", "ndcg@10", "--bootstrap", 0)
        assert alone["measures"]["ndcg@10"]["mean"] == row["measures"]["ndcg@10"]["mean"]
    assert len(judged("test.txt", "a.json", "feature:all")["rankers"]) == 7


def test_formats_for_other_programs(here):
    arguments = ["eval", "test.txt", "a.json", "given", "--measures", "ndcg@10,map"]
    rows = list(csv.DictReader(io.StringIO(dorm(*arguments, "--format", "csv").stdout)))
    assert [(row["ranker"], row["measure"]) for row in rows] == [
        ("a", "ndcg@10"),
        ("a", "map"),
        ("given", "ndcg@10"),
        ("given", "map"),
    ]
    assert rows[0]["best"] == "1" and rows[0]["p_corrected"] == "" and float(rows[2]["p_corrected"]) < 0.05
    markdown = dorm(*arguments, "--format", "markdown").stdout.splitlines()
    assert markdown[0] == "| ranker | ndcg@10 | difference | map | difference |"
    assert markdown[2].startswith("| a | **0.") and "reference" in markdown[2]
    alone = dorm("eval", "test.txt", "--model", "a.json", "--format", "csv").stdout
    assert len(alone.splitlines()) == 4


def test_values_per_query_of_all_rankers(here):
    text = dorm("eval", "test.txt", "a.json", "given", "--measures", "map", "--per-query", "-").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 60 and {row["ranker"] for row in rows} == {"a", "given"}
    table = judged("test.txt", "a.json", "given", "--measures", "map")
    values = [float(row["map"]) for row in rows if row["ranker"] == "given"]
    assert math.fsum(values) / 30 == pytest.approx(table["rankers"][1]["measures"]["map"]["mean"])


def test_a_run_that_lacks_documents_is_refused_with_counts(here):
    lines = Path("a.run").read_text().splitlines()
    Path("part.run").write_text("\n".join(lines[:-3]))
    message = refused("eval", "test.txt", "a.json", "part.run")
    query, _, document = lines[-3].split()[:3]
    assert f"part.run: the run lacks 3 of {len(lines)} documents, in 1 of 30 queries" in message
    assert f"(the first: query {query}, document" in message and "--complete" in message
    Path("more.run").write_text("\n".join([*lines, f"{query} Q0 stranger 1 99 x"]))
    assert "1 documents of the run are not in the data" in refused("eval", "test.txt", "more.run")
    # With --complete as trec_eval judges the run.
    with open("test.qrels", "w") as qrels:
        for row in Path("test.txt").read_text().splitlines():
            words = row.split()
            qrels.write(f"{words[1][4:]} 0 {words[-1].removeprefix('docid=')} {words[0]}\n")
    for run in ["part.run", "more.run"]:
        table = judged("test.txt", run, "--complete", "--measures", "map,ndcg@10")
        trec = judged("--run", run, "--qrels", "test.qrels", "--convention", "standard", "--measures", "map,ndcg@10")
        for measure, figure in trec["measures"].items():
            assert table["rankers"][0]["measures"][measure]["mean"] == pytest.approx(figure["mean"], abs=1e-12)


def test_runs_are_judged_by_qrels_together(here):
    lines = Path("a.run").read_text().splitlines()
    with open("test.qrels", "w") as qrels:
        for row in Path("test.txt").read_text().splitlines():
            words = row.split()
            qrels.write(f"{words[1][4:]} 0 {words[-1].removeprefix('docid=')} {words[0]}\n")
    Path("reversed.run").write_text(
        "\n".join(f"{w[0]} Q0 {w[2]} 1 {-float(w[4])} x" for w in (line.split() for line in lines))
    )
    table = judged("--qrels", "test.qrels", "a.run", "reversed.run", "--measures", "map")
    assert [row["name"] for row in table["rankers"]] == ["a", "reversed"] and table["convention"] == "trec"
    first = lines[0].split()[0]
    Path("short.run").write_text("\n".join(line for line in lines if line.split()[0] != first))
    message = refused("eval", "--qrels", "test.qrels", "a.run", "short.run")
    assert f"short.run: the run lacks 1 of 30 judged queries (the first: {first})" in message
    judged("--qrels", "test.qrels", "a.run", "short.run", "--complete")
    assert "--qrels evaluates runs and models" in refused("eval", "--qrels", "test.qrels", "a.run", "a.json")


def test_files_that_are_no_rankers(here):
    assert "is that of judged documents" in refused("eval", "test.txt", "test.txt")
    Path("x.txt").write_text("one two\n")
    assert "has 2 words" in refused("eval", "test.txt", "x.txt")
    Path("short.scores").write_text("1\n2\n")
    assert "2 scores for" in refused("eval", "test.txt", "a.json", "short.scores")
    assert "unknown feature" in refused("eval", "test.txt", "feature:77", status=2)
    assert "expected rankers" in refused("eval", "test.txt", status=2)
    assert "one ranker" in refused("eval", "test.txt", "a.json", "--position-gains", "x.csv", status=2)


def page_of(*arguments):
    """The page as a tree, which says that it is well-formed, and its text."""
    dorm("eval", *arguments, "--report", "page.html")
    text = Path("page.html").read_text(encoding="utf-8")
    named = text.replace("http://www.w3.org/", "")  # elements of SVG; nothing fetches this
    assert not re.search(r"https?:|\bsrc=|url\(|@import|<link\b", named)
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>"))


def words_of(element):
    return " ".join("".join(element.itertext()).split())


def tables_of(tree):
    """Rows by caption, as lists of texts."""
    return {
        words_of(table.find("caption")): [[words_of(cell) for cell in row] for row in table.iter("tr")]
        for table in tree.iter("table")
    }


def test_the_page_begins_with_a_verdict(here):
    tree = page_of("test.txt", "a.json", "b.json", "--against", "feature:3", "--measures", "ndcg@10,map")
    table = judged("test.txt", "a.json", "b.json", "--against", "feature:3", "--measures", "ndcg@10,map")
    best = max(table["rankers"][:2], key=lambda row: row["measures"]["ndcg@10"]["mean"])
    figure = best["measures"]["ndcg@10"]
    text = words_of(tree)
    assert f"{best['name']} (best of 2 others) is better than feature:3 by ndcg@10: {figure['mean']:.4f}" in text
    assert f"a difference of {figure['against']['difference']:+.4f}" in text
    wins = f"It wins {figure['against']['wins']} queries, loses {figure['against']['losses']}"
    assert wins in text
    sections = [words_of(heading) for heading in tree.iter("h2")]
    assert sections == [
        "Rankers",
        "Query by query",
        "Largest losses",
        "Largest wins",
        "Every query",
        "How it was made",
    ]


def test_the_page_shows_the_largest_losses_side_by_side(here):
    arguments = ["test.txt", "a.json", "--against", "b.json", "--measures", "ndcg@10"]
    tables = tables_of(page_of(*arguments))
    values = {}
    for row in csv.DictReader(io.StringIO(dorm("eval", *arguments, "--per-query", "-").stdout)):
        values.setdefault(row["qid"], {})[row["ranker"]] = float(row["ndcg@10"] or "nan")
    difference = {q: v["a"] - v["b"] for q, v in values.items() if not math.isnan(v["a"] - v["b"])}
    lists = [caption for caption in tables if caption.startswith("query ")]
    losses = sorted((q for q in difference if difference[q] < 0), key=difference.get)[:10]
    wins = sorted((q for q in difference if difference[q] > 0), key=lambda q: -difference[q])[:10]
    assert lists == [
        f"query {q}: {difference[q]:+.4f}, a {values[q]['a']:.4f} and b {values[q]['b']:.4f}" for q in [*losses, *wins]
    ]
    # Both lists as rank gives them, each document with its place in the other.
    order = {}
    for name in "ab":
        for line in dorm("rank", f"{name}.json", "test.txt", "--format", "jsonl").stdout.splitlines():
            ranking = json.loads(line)
            order[ranking["qid"], name] = [each["document"] for each in ranking["ranking"]]
    query = losses[0]
    heading, *rows = tables[lists[0]]
    assert [word.split()[0] for word in heading] == ["rank", "a", "label", "there", "why", "b", "label", "there", "why"]
    for k, row in enumerate(rows):
        assert row[1] == order[query, "a"][k] and row[5] == order[query, "b"][k]
        assert int(row[3]) == order[query, "b"].index(row[1]) + 1
        assert int(row[7]) == order[query, "a"].index(row[5]) + 1
    (first,) = dorm(
        "explain", "a.json", "test.txt", "--query", query, "--top", 1, "--format", "jsonl"
    ).stdout.splitlines()
    reasons = json.loads(first)["features"][:2]
    assert rows[0][4] == ", ".join(f"{f['feature']}: {f['above_mean']:+.2f}" for f in reasons)


def test_pages_without_lists_of_documents(here):
    with open("test.qrels", "w") as qrels:
        for row in Path("test.txt").read_text().splitlines():
            words = row.split()
            qrels.write(f"{words[1][4:]} 0 {words[-1].removeprefix('docid=')} {words[0]}\n")
    lines = (line.split() for line in Path("a.run").read_text().splitlines())
    Path("reversed.run").write_text("\n".join(f"{w[0]} Q0 {w[2]} 1 {-float(w[4])} x" for w in lines))
    tree = page_of("--qrels", "test.qrels", "a.run", "reversed.run")
    sections = [words_of(heading) for heading in tree.iter("h2")]
    assert sections == ["Rankers", "Query by query", "Every query", "How it was made"]
    assert "reversed is worse than a" in words_of(tree)
    alone = page_of("test.txt", "--model", "a.json")
    assert "How well a ranks" in words_of(alone)
    assert "expected .html" in refused("eval", "test.txt", "a.json", "--report", "x.doc", status=2)


def test_figures_on_the_training_data_are_told_to_flatter(world):
    told = dorm("eval", "train.txt", "a.json", "feature:1", cwd=world).stderr
    assert "a.json: trained on these documents" in told and "too high" in told
    assert dorm("eval", "test.txt", "a.json", "feature:1", cwd=world).stderr == ""
