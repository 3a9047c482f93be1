# SPDX-License-Identifier: Apache-2.0
"""Limits on groups from outside: the oracle against integer and linear programs, lists that keep their limits,
measures recomputed here, subtopic measures beside ndeval."""

import csv
import json
import math
import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command import DORM, dorm

optimize = pytest.importorskip("scipy.optimize")
sparse = pytest.importorskip("scipy.sparse")

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(os.environ.get("DORM_BUILD", ROOT / "build")) / "tests" / "ranking" / "grouped_driver"


# ---- the oracle --------------------------------------------------------------------------------------------


def instances(seed, count, shortest, longest):
    """(benefit by document and position, group of each document, limits, value found)"""
    if not DRIVER.exists():
        pytest.skip(f"{DRIVER} is not built")
    command = [DRIVER, str(seed), str(count), str(shortest), str(longest)]
    data = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout)
    at = 0
    while at < len(data):
        length, groups, shown = data[at : at + 3].astype(int)
        value = data[at + 3]
        a, c, b, g, group = data[at + 4 : at + 4 + 5 * length].reshape(5, length)
        limits = data[at + 4 + 5 * length : at + 4 + 5 * length + groups]
        benefit = np.outer(g, c[:shown]) - np.outer(b, a[:shown])
        yield benefit, group.astype(int), limits, value, max(1.0, np.abs(g).max())
        at += 4 + 5 * length + groups


def program(benefit, group, limits):
    """The paper's constraints, one variable per document and position: every position filled, every document at
    most once, every group at most limits[s] times."""
    length, shown = benefit.shape
    column = np.arange(length * shown)
    document, position = column // shown, column % shown
    rows = np.concatenate([position, shown + document, shown + length + group[document]])
    matrix = sparse.csr_matrix(
        (np.ones(3 * len(column)), (rows, np.tile(column, 3))), shape=(shown + length + len(limits), len(column))
    )
    upper = np.concatenate([np.ones(shown), np.ones(length), limits])
    return matrix, upper, shown


def test_the_oracle_equals_an_integer_program():
    seen = 0
    for benefit, group, limits, value, scale in instances(7, 150, 9, 45):
        matrix, upper, shown = program(benefit, group, limits)
        lower = np.concatenate([np.ones(shown), np.zeros(len(upper) - shown)])
        solved = optimize.milp(
            -benefit.ravel(), constraints=optimize.LinearConstraint(matrix, lower, upper), integrality=1, bounds=(0, 1)
        )
        assert solved.success and abs(-solved.fun - value) <= 1e-6 * scale
        seen += 1
    assert seen == 150


def test_the_linear_relaxation_has_an_integral_optimum():
    seen = 0
    for benefit, group, limits, value, scale in instances(8, 1000, 3, 14):
        matrix, upper, shown = program(benefit, group, limits)
        solved = optimize.linprog(
            -benefit.ravel(),
            A_ub=matrix[shown:],
            b_ub=upper[shown:],
            A_eq=matrix[:shown],
            b_eq=upper[:shown],
            method="highs-ds",
        )
        assert solved.status == 0 and abs(-solved.fun - value) <= 1e-7 * scale
        assert np.abs(solved.x - np.round(solved.x)).max() <= 1e-7  # a vertex, and all vertices are integral
        seen += 1
    assert seen == 1000


# ---- the command -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """60 queries of documents with URLs: train.csv and test.csv with a column site, and the rows of test.csv."""
    rng = random.Random(3)
    folder = tmp_path_factory.mktemp("pages")
    rows = []
    for q in range(60):
        for i in range(25):
            site = f"s{int(rng.paretovariate(0.7)) % 9}"
            x = [rng.gauss(0, 1) for _ in range(4)]
            label = min(3, max(0, round(x[0] + 0.5 * x[1] + rng.gauss(0, 0.7))))
            url = f"https://www.{site}.example{rng.randrange(2)}.co.uk/{q}/{i}"
            rows.append([label, q, url, site if rng.random() < 0.9 else "", *x])
    header = ["label", "qid", "docid", "site", "a", "b", "c", "d"]
    for name, part in (("train", rows[:1000]), ("test", rows[1000:])):
        with open(folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([header, *part])
    return folder, [dict(zip(header, row)) for row in rows[1000:]]


def group_of(row, rule):
    host = row["docid"].split("/")[2].removeprefix("www.")
    return {"site": row["site"], "host": host, "domain": ".".join(host.split(".")[-3:])}[rule] or row["docid"]


def admitted(rows, rule, limit):
    """In order, without those whose group is full."""
    count, out = {}, []
    for row in rows:
        group = group_of(row, rule)
        count[group] = count.get(group, 0) + 1
        if count[group] <= limit:
            out.append(row)
    return out


@pytest.mark.parametrize("rule, limit", [("site", 1), ("site", 3), ("host", 1), ("domain", 2)])
def test_rank_and_eval_are_within_the_limits(pages, tmp_path, rule, limit):
    folder, rows = pages
    model = tmp_path / "m.json"
    spelled = rule if limit == 1 else f"{rule}:{limit}"
    reading = ["--ignore-column", "site"] if rule != "site" else []
    dorm("train", folder / "train.csv", "--one-per", spelled, *reading, "--model", model)
    assert json.loads(model.read_text())["one_per"] == spelled.replace("site", "group")
    asked = ["--one-per", spelled, *reading]
    ranked = dorm("rank", model, folder / "test.csv", "--format", "jsonl", *asked).stdout.splitlines()
    plain = dorm(
        "rank",
        model,
        folder / "test.csv",
        "--format",
        "json",
        "--one-per",
        "none",
        *asked[2:],
        "--group-column",
        "site",
    )
    by_id = {row["docid"]: row for row in rows}
    values = []
    for mine, whole in zip(map(json.loads, ranked), map(json.loads, plain.stdout.splitlines())):
        every = [by_id[d["document"]] for d in whole["ranking"]]
        assert [d["document"] for d in mine["ranking"]] == [row["docid"] for row in admitted(every, rule, limit)]
        gain = lambda list_: sum((2 ** row["label"] - 1) / math.log2(j + 2) for j, row in enumerate(list_[:10]))
        ideal = admitted(sorted(every, key=lambda row: -row["label"]), rule, limit)
        values.append(gain(admitted(every, rule, limit)) / gain(ideal))
    table = json.loads(dorm("eval", folder / "test.csv", "--model", model, *asked, "--json").stdout)
    assert table["measures"]["ndcg@10"]["mean"] == pytest.approx(np.mean(values), abs=1e-12)
    assert table["one_per"] == spelled.replace("site", "group")


def test_top_cuts_the_list_within_the_limits(pages, tmp_path):
    folder, _ = pages
    dorm("train", folder / "train.csv", "--one-per", "host", "--ignore-column", "site", "--model", tmp_path / "m.json")
    lines = dorm(
        "rank", tmp_path / "m.json", folder / "test.csv", "--format", "trec", "--top", 3, "--ignore-column", "site"
    ).stdout.splitlines()
    hosts = {}
    for line in lines:
        qid, _, url, rank, score, _ = line.split()
        hosts.setdefault(qid, []).append(url.split("/")[2])
    assert all(len(h) == 3 and len(set(h)) == 3 for h in hosts.values())


@pytest.mark.parametrize(
    "arguments, part",
    [
        (["train", "train.csv", "--one-per", "sight"], "no group column 'sight'; the header has"),
        (["train", "train.csv", "--one-per", "site:0"], "a whole number from 1 on"),
        (["train", "train.csv", "--one-per", "site:many"], "a whole number from 1 on"),
        (["rank", "m.json", "test.csv", "--one-per", "site"], "--format order, trec or jsonl"),
        (["eval", "test.csv", "--feature", "a", "--one-per", "site", "--measures", "auc"], "all pairs"),
        (["eval", "test.csv", "--feature", "a", "--group-column", "site", "--as-ranked"], "--one-per"),
        (["eval", "test.csv", "--feature", "a", "--one-per", "site", "--ties", "expected"], "ties by index"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(pages, tmp_path, arguments, part):
    folder, _ = pages
    if arguments[0] == "train":
        arguments = [*arguments, "--model", tmp_path / "n.json"]
    model = tmp_path / "m.json"
    dorm("train", folder / "train.csv", "--group-column", "site", "--model", model, "--tolerance", "0.1")
    places = {"train.csv": folder / "train.csv", "test.csv": folder / "test.csv", "m.json": model}
    done = subprocess.run([DORM, *[str(places.get(x, x)) for x in arguments]], capture_output=True, text=True)
    assert done.returncode in (1, 2) and part in done.stderr


# ---- subtopics ---------------------------------------------------------------------------------------------


def random_subtopics(folder, seed):
    rng = random.Random(seed)
    qrels, run = [], []
    for q in range(1, 31):
        documents = [f"d{i:02}" for i in range(30)]
        for s in range(1, rng.randrange(2, 7)):
            for d in rng.sample(documents, 8):
                qrels.append((str(q), str(s), d, rng.choice([0, 1, 1, 2])))
        for i, d in enumerate(rng.sample(documents, 20)):
            run.append((str(q), d, 20.0 - i))
    (folder / "qrels").write_text("".join(f"{q} {s} {d} {r}\n" for q, s, d, r in qrels))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 1 {score} t\n" for q, d, score in run))
    return qrels, run


def test_subtopic_measures_equal_ndeval(tmp_path):
    pyndeval = pytest.importorskip("pyndeval")
    for seed in range(5):
        qrels, run = random_subtopics(tmp_path, seed)
        peer = {"alpha-ndcg@10": "alpha-nDCG@10", "ia-precision@10": "P-IA@10", "subtopic-recall@10": "strec@10"}
        theirs = pyndeval.ndeval(qrels, run, measures=list(peer.values()))
        done = dorm("eval", "--run", tmp_path / "run", "--subtopics", tmp_path / "qrels", "--per-query", "-")
        rows = list(csv.DictReader(done.stdout.splitlines()))
        assert len(rows) == 30
        for row in rows:
            for mine, name in peer.items():
                assert float(row[mine]) == pytest.approx(theirs[row["qid"]][name], abs=1e-6), (mine, row["qid"])


def test_subtopics_of_data_are_those_of_its_run(tmp_path, pages):
    folder, rows = pages
    urls = [(row["qid"], row["docid"], row["label"]) for row in rows]
    (tmp_path / "subtopics").write_text("".join(f"{q} t{len(u) % 3} {u} {label}\n" for q, u, label in urls))
    reading = ["--ignore-column", "site"]
    dorm("train", folder / "train.csv", *reading, "--one-per", "host", "--model", tmp_path / "m.json")
    dorm("rank", tmp_path / "m.json", folder / "test.csv", *reading, "--format", "trec", "-o", tmp_path / "run")
    data = dorm(
        "eval",
        folder / "test.csv",
        "--model",
        tmp_path / "m.json",
        *reading,
        "--subtopics",
        tmp_path / "subtopics",
        "--json",
    )
    run = dorm(
        "eval", "--run", tmp_path / "run", "--subtopics", tmp_path / "subtopics", "--json", "--convention", "standard"
    )
    assert json.loads(data.stdout)["measures"] == json.loads(run.stdout)["measures"]
