# SPDX-License-Identifier: Apache-2.0
"""Reports from outside: `dorm train --report`, `dorm tune --report`. DORM_COMMAND names the binary."""

import base64
import csv
import hashlib
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command import dorm


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dorm("synth", "--queries", 60, "--features", 6, "--documents-median", 25, "--seed", 5, "-o", "all.txt")
    rows = Path("all.txt").read_text().splitlines(keepends=True)
    number = lambda row: int(row.split()[1][4:])
    Path("train.txt").write_text("".join(r for r in rows if number(r) <= 40))
    Path("valid.txt").write_text("".join(r for r in rows if number(r) > 40))
    return tmp_path


def page(path):
    """The page as a tree; that it parses says that it is well-formed."""
    return ElementTree.fromstring(Path(path).read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>"))


def headings(tree):
    return ["".join(h.itertext()) for h in tree.iter("h2")]


def table(tree, caption):
    """Rows of the table with that caption, as lists of texts."""
    for element in tree.iter("table"):
        if caption in "".join(element.find("caption").itertext()):
            return [["".join(cell.itertext()) for cell in row] for row in element.iter("tr")]
    raise AssertionError(f"no table {caption}")


def assert_self_contained(path):
    # The script names elements of SVG by addresses that nothing fetches.
    text = Path(path).read_text(encoding="utf-8").replace("http://www.w3.org/", "")
    assert not re.search(r"https?:|\bsrc=|url\(|@import|<link\b", text)
    assert all(a.get("href").startswith("#") for a in page(path).iter("a"))


def test_a_training_becomes_a_page_with_every_part(here):
    out = dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--report", "m.html").stdout
    assert "m.html" in out
    assert_self_contained("m.html")
    tree = page("m.html")
    assert headings(tree) == [
        "Against baselines",
        "Result",
        "Quality",
        "Weights",
        "Hardest queries",
        "Every query",
        "Convergence",
        "Training data",
        "How it was made",
    ]
    words = "".join(tree.itertext())
    assert "dorm train train.txt --valid valid.txt --model m.json --report m.html" in words
    for part in ("seed", "processor", "certificate", "version", "fingerprint"):
        assert part in words
    candidates = table(tree, "Candidates")
    assert len(candidates) == 4 and "share 0." in "".join(sum(candidates, []))
    assert len(table(tree, "Parts of the average")) == 4
    assert len(list(tree.iter("figure"))) == 12
    for figure in tree.iter("figure"):
        picture = next(figure.iter("svg"))
        assert picture.get("aria-label") and picture.get("role") == "img"


def test_figures_of_the_page_are_those_of_eval(here):
    dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--report", "m.csv", "--report", "m.html")
    names = ",".join(f"ndcg@{n}" for n in range(1, 21))
    judged = json.loads(dorm("eval", "valid.txt", "--model", "m.json", "--measures", names, "--json").stdout)
    cells = [
        c for c in csv.DictReader(open("m.csv")) if c["table"] == "ndcg by cutoff" and c["column"] == "validation data"
    ]
    assert len(cells) == 20
    for n, cell in enumerate(cells, 1):
        expected = judged["measures"][f"ndcg@{n}"]
        assert [float(cell[k]) for k in ("value", "low", "high")] == [expected[k] for k in ("mean", "low", "high")]
    row = next(row for row in table(page("m.html"), "The trained measure") if row[0] == "validation data")
    assert row[1].split()[0] == f"{judged['measures']['ndcg@10']['mean']:.4f}"


def verdict(path):
    return next(p for p in page(path).iter("p") if p.get("class", "").startswith("verdict"))


def feature_scores(path):
    """Writes a file of scores for each feature, upwards and downwards, and names them."""
    rows = [dict(pair.split(":") for pair in line.split("#")[0].split()[2:]) for line in open(path)]
    for j in rows[0]:
        for sign in "+-":
            values = (float(row[j]) * (-1 if sign == "-" else 1) for row in rows)
            Path(f"{sign}{j}.txt").write_text("".join(f"{v}\n" for v in values))
            yield f"{sign}{j}.txt"


def figure_of(scores, data):
    arguments = ["--scores", scores, "--measures", "ndcg@10", "--ties", "expected", "--json"]
    return json.loads(dorm("eval", data, *arguments).stdout)["measures"]["ndcg@10"]["mean"]


def test_a_page_begins_with_a_verdict_against_baselines_that_eval_confirms(here):
    dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--report", "m.html")
    words = verdict("m.html").text
    judged = json.loads(dorm("eval", "valid.txt", "--model", "m.json", "--measures", "ndcg@10", "--json").stdout)
    mean, low, high = (judged["measures"]["ndcg@10"][k] for k in ("mean", "low", "high"))
    assert f"ndcg@10 {mean:.3f} [{low:.3f}, {high:.3f}] on the validation data." in words
    name, shown = re.search(r"Best single feature \((.*?)\) (0\.\d+)", words).groups()
    best = ("-" if "smallest first" in name else "+") + name.split(",")[0] + ".txt"
    by_feature = {file: figure_of(file, "train.txt") for file in feature_scores("train.txt")}
    assert by_feature[best] == max(by_feature.values())
    list(feature_scores("valid.txt"))
    assert float(shown) == pytest.approx(figure_of(best, "valid.txt"), abs=6e-4)
    dorm("train", "train.txt", "--method", "ridge", "--model", "ridge.json")
    judged = json.loads(dorm("eval", "valid.txt", "--model", "ridge.json", "--measures", "ndcg@10", "--json").stdout)
    assert f"ridge regression {judged['measures']['ndcg@10']['mean']:.3f}" in words
    assert re.search("[Bb]etter than|significantly different from|orse than", words) and "p " in words
    dorm("train", "train.txt", "--model", "m.json", "--report", "t.html")
    assert "on the training data, which flatters the model." in verdict("t.html").text


def test_what_is_in_production_is_judged_beside_the_model(here):
    list(feature_scores("valid.txt"))
    train = ["train", "train.txt", "--valid", "valid.txt", "--model", "m.json"]
    dorm(*train, "--report", "m.html", "--baseline", "production=-1.txt")
    rows = {row[0]: row for row in table(page("m.html"), "The model against each")[1:]}
    assert "production" in rows and float(rows["production"][1]) > 0
    shown = re.search(r"production (0\.\d+)", verdict("m.html").text).group(1)
    judged = json.loads(dorm("eval", "valid.txt", "--scores", "-1.txt", "--measures", "ndcg@10", "--json").stdout)
    assert float(shown) == pytest.approx(judged["measures"]["ndcg@10"]["mean"], abs=6e-4)
    assert f"baseline     production ndcg@10 {shown}" in dorm(*train, "--baseline", "production=-1.txt").stdout
    assert "nowhere.txt" in dorm(*train, "--report", "n.html", "--baseline", "nowhere.txt", status=1).stderr


def test_contributions_in_the_lists_add_up_to_differences_of_scores(here):
    # Two features, so that the contributions shown are all there are.
    rows = [line.split() for line in open("all.txt")]
    Path("two.txt").write_text("".join(" ".join(row[:4]) + "\n" for row in rows))
    dorm("train", "two.txt", "--model", "m.json", "--report", "m.html")
    tree = page("m.html")
    worst = table(tree, "hardest queries")[1][0]
    listed = table(tree, f"{worst}: ndcg@10")
    assert listed[0][4:] == ["ideal rank", "largest contributions"]
    sums = [sum(float(part.split()[-1]) for part in row[5].split(", ") if part) for row in listed[1:]]
    scores = [float(row[3]) for row in listed[1:]]
    for (a, b), (s, t) in zip(zip(sums, sums[1:]), zip(scores, scores[1:])):
        assert a - b == pytest.approx(s - t, abs=0.02)
    labels = sorted((float(r[0]) for r in rows if r[1] == f"qid:{worst}"), reverse=True)
    for row in listed[1:]:
        first, _, last = row[4].partition("-")
        assert labels[int(first) - 1] == labels[int(last or first) - 1] == float(row[2])


def test_the_data_has_a_profile_that_names_constant_and_duplicate_features(here):
    rows = [line.split() for line in open("train.txt")]
    wider = (" ".join([*row[:8], "7:3", "8:" + row[2].split(":")[1]]) + "\n" for row in rows)
    Path("odd.txt").write_text("".join(wider))
    dorm("train", "odd.txt", "--model", "m.json", "--report", "m.csv")
    facts = {c["column"]: c for c in csv.DictReader(open("m.csv")) if c["section"] == "Training data"}
    assert facts["constant features"]["value"] == "1" and facts["constant features"]["note"] == "7"
    assert facts["duplicate features"]["value"] == "1" and facts["duplicate features"]["note"] == "8 = 1"
    Path("leak.txt").write_text("".join(" ".join([*row[:8], "7:" + row[0]]) + "\n" for row in rows))
    dorm("train", "leak.txt", "--model", "m.json", "--report", "m.html")
    assert 'feature "7" equals the label' in "".join(page("m.html").itertext())


def test_the_hardest_queries_are_those_with_the_lowest_values_and_their_lists_are_the_ranking(here):
    dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--report", "m.html")
    dorm("eval", "valid.txt", "--model", "m.json", "--measures", "ndcg@10", "--per-query", "q.csv")
    values = [(float(r["ndcg@10"]), r["qid"]) for r in csv.DictReader(open("q.csv")) if r["ndcg@10"]]
    tree = page("m.html")
    shown = table(tree, "hardest queries")[1:]
    assert [float(row[1]) for row in shown] == [round(v, 4) for v, _ in sorted(values)[:10]]
    worst = shown[0][0]
    scores = iter(map(float, dorm("rank", "m.json", "valid.txt").stdout.split()))
    rows = [(next(scores), float(line.split()[0]), line.split()[1][4:]) for line in open("valid.txt")]
    mine = sorted((r for r in rows if r[2] == worst), key=lambda r: -r[0])
    listed = table(tree, f"{worst}: ndcg@10")[1:]
    for (score, label, _), row in list(zip(mine, listed))[:10]:
        assert float(row[2]) == label
        assert float(row[3]) == pytest.approx(score, rel=1e-3)


def test_the_curves_end_where_the_certificate_says(here):
    dorm("train", "train.txt", "--bound", "best", "--model", "m.json", "--report", "m.csv")
    certificate = json.loads(Path("m.json").read_text())["certificate"]
    cells = [c for c in csv.DictReader(open("m.csv")) if c["table"] == "Objective of best from ridge against passes"]
    last = {c["column"].split()[0]: float(c["value"]) for c in cells}
    assert last["primal"] == pytest.approx(certificate["primal"], rel=1e-9)
    assert last["dual"] == pytest.approx(certificate["dual"], rel=1e-9)
    primal = [float(c["value"]) for c in cells if c["column"].startswith("primal")]
    passes = [float(c["value"]) for c in cells if c["column"] == "passes"]
    assert primal == sorted(primal, reverse=True) and passes == sorted(passes)


def test_a_tuning_becomes_a_page_with_its_grid(here):
    dorm("tune", "train.txt", "--folds", 3, "--grid", "C=10/100,decay=measure/power:1,bound=best,curves=none",
         "--model", "t.json", "--report", "t.html", "--report", "t.md")  # fmt: skip
    assert_self_contained("t.html")
    tree = page("t.html")
    assert headings(tree)[0] == "Grid"
    heat = table(tree, "Validation ndcg@10")
    assert heat[0][1:] == ["10", "100"] and len(heat) == 3
    assert sum("largest share" in cell for row in heat for cell in row) == 1
    cells = table(tree, "All 4 grid points")[1:]
    figures = [float(row[6]) for row in cells]
    assert figures == sorted(figures, reverse=True)
    assert {f"{x:.4f}" for x in figures} == {cell[:6] for row in heat[1:] for cell in row[1:]}
    assert "3 folds" in Path("t.md").read_text()
    lines = table(tree, "ndcg@10 by C, grid points trained for ndcg@10")
    assert lines[0][0] == "C" and [row[0] for row in lines[1:]] == ["10", "100"]
    words = verdict("t.html").text
    honest = next(d for d in tree.iter("dd"))
    assert f"ndcg@10 {float(honest.text):.3f} [" in words and "on 3 folds" in words and "flatters" not in words


def test_a_comparison_shows_one_aligned_figure_per_cell_and_the_rest_on_hover(here):
    dorm("compare", "all.txt", "--methods", "ridge,prank,dorm:ndcg@10", "--C", "1,100", "--folds", 3,
         "--report", "c.html", "--report", "c.csv")  # fmt: skip
    assert_self_contained("c.html")
    tree = page("c.html")
    assert any(p.get("class", "").startswith("verdict") and "is the best by ndcg@10" in p.text for p in tree.iter("p"))
    body = next(t for t in tree.iter("table") if "Test queries" in "".join(t.find("caption").itertext())).find("tbody")
    for row in body:
        for cell in list(row)[1:6]:
            best = cell.find("strong")
            assert re.fullmatch(r"\d\.\d{4}", cell.text if best is None else best.text)
            assert "p " not in "".join(s.text or "" for s in cell.iter("span") if s.get("class") == "note")
    learnt = [cell for row in body if row[0].text not in ("random", "ideal") for cell in list(row)[1:6]]
    assert all(re.match(r"\[0\.\d+, \d\.\d+\]", cell.get("title")) for cell in learnt)
    assert all(any(s.get("class") == "ci" for s in cell.iter("span")) for cell in learnt)
    assert sum("p " in cell.get("title") for cell in learnt) == 10  # of two methods by five measures
    forest = next(f for f in tree.iter("figure") if f.get("class") == "forest")
    assert len(list(forest.iter("svg"))) >= 5
    cells = [c for c in csv.DictReader(open("c.csv")) if c["table"].startswith("Test queries") and c["low"]]
    assert len(cells) == 15 and sum("p " in c["note"] for c in cells) == 10


def test_hostile_names_stay_text(here):
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "=1+2", "a|b", "</style>"]
    queries = ["<script>alert(1)</script>", "q'><svg onload=alert(3)>", "=cmd()", "| a |", "]]>", "caf\u00e9"]
    with open("h.csv", "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["label", "qid", *names])
        for q, query in enumerate(queries):
            for d in range(8):
                writer.writerow([d % 3, query, *[(7 * d + 3 * q + 5 * k) % 11 for k in range(len(names))]])
    dorm("train", "h.csv", "--model", "h.json", "--report", "h.html", "--report", "h.md", "--report", "h.csv.csv")
    tree = page("h.html")
    assert len(list(tree.iter("script"))) == 1 and not list(tree.iter("img"))
    assert not any(name.startswith("on") for element in tree.iter() for name in element.attrib)
    words = "".join(tree.itertext())
    for text in (*names, *queries):
        assert text in words
    assert "<script>" not in Path("h.md").read_text().replace("\\<script", "")
    assert not any(c["value"].startswith("=") for c in csv.DictReader(open("h.csv.csv")))


def test_the_policy_of_the_page_allows_its_own_script_only(here):
    dorm("train", "train.txt", "--method", "ridge", "--model", "m.json", "--report", "m.html")
    text = Path("m.html").read_text(encoding="utf-8")
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_baselines_have_a_page_without_certificate(here):
    dorm("train", "train.txt", "--method", "ridge", "--model", "m.json", "--report", "m.html")
    assert "Convergence" not in headings(page("m.html"))
    rows = table(page("m.html"), "The model against each")[1:]
    assert [row[0].split(" (")[0] for row in rows] == ["best single feature"], "not against itself"


@pytest.mark.parametrize("measure", ["mrr", "wta", "precision@5", "dcg@10", "eru", "rbp"])
def test_every_kind_of_measure_has_a_page(here, measure):
    dorm("train", "train.txt", "--measure", measure, "--model", "m.json", "--report", "m.html")
    assert measure in "".join(page("m.html").itertext())


@pytest.mark.parametrize("name,status", [("m.pdf", 2), ("m", 2), ("-", 2), ("missing/m.html", 1)])
def test_a_report_that_cannot_be_written_is_refused_before_training(here, name, status):
    message = dorm("train", "train.txt", "--model", "m.json", "--report", name, status=status).stderr
    assert name in message and ("expected .html" in message or "no such folder" in message)
    assert not Path("m.json").exists()


def test_without_the_option_there_is_no_page(here):
    before = set(os.listdir())
    dorm("train", "train.txt", "--model", "m.json")
    assert set(os.listdir()) - before == {"m.json"}


def write_ratings(path, users=40, items=30):
    """Two tastes, so that a recommender has something to learn; every user rates two items in three."""
    with open(path, "w") as out:
        for u in range(users):
            for i in range(items):
                if (u * 7 + i * 5) % 3:
                    liked = (u % 2 == i % 2) + (i % 5 == 0)
                    out.write(f"u{u}\ti{i}\t{1 + 2 * liked}\n")


def test_a_recommender_has_a_page_with_a_verdict_against_popularity(here):
    write_ratings("r.tsv")
    Path("items.csv").write_text("id,title,odd\n" + "".join(f"i{i},Film number {i},{i % 2}\n" for i in range(30)))
    split = ["--split", "given:10", "--rank", 2, "--item-features", "items.csv"]
    out = dorm(
        "recommend",
        "train",
        "r.tsv",
        "--model",
        "m.factors",
        *split,
        "--json",
        "--report",
        "f.html",
        "--report",
        "f.csv",
    )
    assert_self_contained("f.html")
    tree = page("f.html")
    assert headings(tree) == ["Against baselines", "Recommendations", "Convergence", "Factors", "How it was made"]
    mean = json.loads(out.stdout)["test"]["measures"]["ndcg@10"]["mean"]
    words = verdict("f.html").text
    assert f"ndcg@10 {mean:.3f}" in words and "on the test ratings" in words
    assert "Popularity 0." in words and "Better than both" in words
    users = table(tree, "Some users")
    assert len(users) == 7 and all("Film number" in row[1] and "Film number" in row[2] for row in users[1:])
    spectrum = [c for c in csv.DictReader(open("f.csv")) if c["table"] == "Spectrum of the factors"]
    values = [float(c["value"]) for c in spectrum if c["column"] == "singular value"]
    assert len(values) == 2 and values[0] >= values[1] >= 0


def test_a_recommender_without_held_out_ratings_claims_nothing(here):
    write_ratings("r.tsv")
    dorm("recommend", "train", "r.tsv", "--model", "m.factors", "--rank", 2, "--fixed", "--report", "f.html")
    assert "does not show how well the model recommends" in verdict("f.html").text
    assert "Against baselines" not in headings(page("f.html"))
