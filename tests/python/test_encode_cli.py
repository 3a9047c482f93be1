# SPDX-License-Identifier: Apache-2.0
"""Columns of categories, dates and formatted numbers: the same models and scores as of columns made by hand."""

import csv
import datetime
import json
import random
import shlex
import sqlite3

import pytest
from command import dorm

CATEGORIES = [f"c{k}, kind {k % 3}" for k in range(40)]
FEW = 7  # categories with which tables made by hand are dense, too


def products(queries, seed, documents=9, categories=40):
    """Rows as dictionaries of what a cell says; None is a gap."""
    rng = random.Random(seed)
    rows = []
    for q in range(queries):
        for d in range(documents):
            category = rng.choice(CATEGORIES[: categories if rng.random() < 0.5 else 6])
            day = datetime.date(2024, 1, 1) + datetime.timedelta(days=rng.randrange(400))
            bm25 = rng.randrange(1, 900) / 64
            stock = rng.random() < 0.6
            discount = rng.randrange(0, 60)
            worth = bm25 / 6 + CATEGORIES.index(category) / 20 + stock + discount / 40 + day.toordinal() % 400 / 400
            rows.append(
                {
                    "grade": min(3, int(worth * rng.uniform(0.5, 0.9))),
                    "query_id": f"q-{seed}-{q}",
                    "product_url": f"https://shop.example/{q}/{d}",
                    "title": f"Thing {q}, number {d}",
                    "bm25": None if rng.random() < 0.15 else bm25,
                    "category": None if rng.random() < 0.05 else category,
                    "published": None if rng.random() < 0.1 else day,
                    "discount": discount,
                    "price": rng.randrange(100, 900000) / 4,
                    "in_stock": stock,
                }
            )
    return rows


def quoted(text):
    return '"' + text.replace('"', '""') + '"' if "," in text else text


def messy(path, rows):
    """As shops have it: a byte order mark, quoted commas, NA in four spellings, 20%, 1,234.5 and yes."""
    gaps = ["", "NA", "N/A", "null"]
    names = list(rows[0])

    def cell(name, value, at):
        if value is None:
            return gaps[at % 4]
        if name == "discount":
            return f"{value}%"
        if name == "price":
            return f"{value:,}"
        if name == "in_stock":
            return ("yes" if value else "no") if at % 2 else str(value).lower()
        return str(value)

    lines = [",".join(quoted(cell(n, row[n], i)) for n in names) for i, row in enumerate(rows)]
    path.write_text("\ufeff" + ",".join(names) + "\n" + "\n".join(lines) + "\n")
    return path.name


def by_hand(path, rows, training):
    """The same columns, encoded by the rules of the documentation, in plain Python."""
    count = {}
    for row in training:
        count[row["category"]] = count.get(row["category"], 0) + 1
    least = max(2, -(-len(training) // 1000))
    kept = sorted((c for c in count if count[c] >= least), key=lambda c: c or "")
    latest = max(row["published"] for row in training if row["published"])
    known = [row["bm25"] for row in training if row["bm25"] is not None]
    lowest = {}
    for row in rows:
        if row["bm25"] is not None:
            lowest[row["query_id"]] = min(row["bm25"], lowest.get(row["query_id"], 1e9))
    ages = [(latest - row["published"]).days for row in training if row["published"]]
    mean = sum(ages) / len(ages)
    header = ["grade", "query_id", "bm25"]
    header += [f"category={c or '(missing)'}" for c in kept] + ["category=(other)"] * (len(kept) < len(count))
    header += ["published", "published=(missing)", "discount", "price", "in_stock"]
    lines = []
    for row in rows:
        bm25 = lowest.get(row["query_id"], min(known)) if row["bm25"] is None else row["bm25"]
        cells = [row["grade"], row["query_id"], bm25]
        cells += [int(row["category"] == c) for c in kept]
        if len(kept) < len(count):
            cells.append(int(row["category"] not in kept))
        cells += [mean if row["published"] is None else (latest - row["published"]).days, int(row["published"] is None)]
        cells += [row["discount"], row["price"], int(row["in_stock"])]
        lines.append(",".join(str(c) for c in cells))
    path.write_text(",".join(quoted(name) for name in header) + "\n" + "\n".join(lines) + "\n")
    return path.name


ROLES = ["--label-column", "grade", "--query-column", "query_id"]
ENCODE = "category=onehot,published=age,discount=percent,price=thousands,in_stock=bool"
MISSING = "bm25=query-min,published=indicator"
READ = ["--document-column", "product_url", "--ignore-column", "title", "--encode", ENCODE, "--missing", MISSING]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Training and new data, messy and by hand, and the two models."""
    here = tmp_path_factory.mktemp("shop")
    training, new = products(60, 1, categories=FEW), products(20, 2, categories=FEW)
    new[3]["category"] = "never seen"
    messy(here / "train.csv", training)
    messy(here / "new.csv", new)
    by_hand(here / "train.hand.csv", training, training)
    by_hand(here / "new.hand.csv", new, training)
    for data, model, extra in [("train.csv", "m.json", READ), ("train.hand.csv", "hand.json", [])]:
        dorm("train", data, *ROLES, *extra, "--scale", "zscore", "--model", model, "--quiet", cwd=here)
    return here


def test_models_and_scores_are_those_of_columns_made_by_hand(shop):
    model, hand = (json.loads((shop / name).read_text()) for name in ("m.json", "hand.json"))
    assert model["features"] == hand["features"]
    assert model["weights"] == hand["weights"]
    ours = dorm("rank", "m.json", "new.csv", cwd=shop).stdout
    assert ours == dorm("rank", "hand.json", "new.hand.csv", cwd=shop).stdout


def test_evaluation_explanation_and_conversion_apply_the_encoding(shop):
    ours, hand = (
        json.loads(dorm("eval", data, "--model", model, "--measures", "ndcg@10", "--json", cwd=shop).stdout)
        for data, model in (("new.csv", "m.json"), ("new.hand.csv", "hand.json"))
    )
    assert ours["measures"] == hand["measures"]
    assert "category=" in dorm("explain", "m.json", "new.csv", "--query", "q-2-3", cwd=shop).stdout
    dorm("convert", "train.csv", "train.dorm", *ROLES, *READ, "--quiet", cwd=shop)
    dorm("train", "train.dorm", "--scale", "zscore", "--model", "binary.json", "--quiet", cwd=shop)
    scores = [dorm("rank", m, "new.csv", cwd=shop).stdout for m in ("m.json", "binary.json")]
    assert scores[0] == scores[1]


def test_errors_propose_the_line_to_paste(shop):
    for verb in (["info", "train.csv"], ["train", "train.csv", "--model", "x.json"]):
        message = dorm(*verb, *ROLES, "--quiet", status=1, cwd=shop).stderr
        line = message[message.index("all together: ") + len("all together: ") :].strip()
        assert line == (
            "--document-column product_url "
            "--encode category=onehot,published=age,discount=percent,price=thousands --title-column title "
            "--missing mean,bm25=query-min"
        )
        assert dorm(*verb, *ROLES, *shlex.split(line), "--quiet", cwd=shop).returncode == 0


def test_an_encoding_is_that_of_the_model(shop):
    message = dorm("rank", "hand.json", "new.csv", "--encode", "category=onehot", status=2, cwd=shop).stderr
    assert "the encoding of columns is that of the training data, which had none" in message
    message = dorm("train", "train.dorm", "--encode", "a=onehot", "--model", "x.json", status=2, cwd=shop).stderr
    assert "only CSV, TSV and JSON have columns of text" in message
    (shop / "lacking.csv").write_text("query_id,bm25\nq,1\n")
    message = dorm("rank", "m.json", "lacking.csv", status=1, cwd=shop).stderr
    assert "no feature column" in message


def rows_of(folder, name):
    with open(folder / name, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def ranked(folder, model, data):
    return [float(line) for line in dorm("rank", model, data, cwd=folder).stdout.split()]


def trained_with(folder, scaling, encode, ignored, model):
    read = ["--document-column", "product_url", "--ignore-column", ",".join(["title", *ignored]), "--encode", encode]
    read += ["--missing", "mean", *scaling, "--model", model, "--quiet"]
    dorm("train", "train.csv", *ROLES, *read, cwd=folder)


@pytest.mark.parametrize("scaling", ["query-minmax", "log-zscore"])
def test_a_python_module_reads_the_cells(shop, scaling):
    encode = ENCODE.replace("published=age", "published=age+weekday+month")
    trained_with(shop, ["--scale", scaling], encode, [], "p.json")
    text = dorm("export", "p.json", "--to", "python", cwd=shop).stdout
    module = {}
    exec(compile(text, "model.py", "exec"), module)
    rows = rows_of(shop, "new.csv")
    rows += [{**rows[0], "published": day} for day in ("2024-03-01T12:30:15+02:00", "1.3.2024", "2024/2/29 23:59Z")]
    rows += [
        {**rows[0], "price": p, "discount": d} for p, d in (("1'234.5", "7.25 %"), ("1234.5", "-3%"), ("1e3", "4"))
    ]
    names = list(rows[0])
    with open(shop / "more.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *([row[n] for n in names] for row in rows)])

    def number(row, name):
        return {**row, "bm25": None if row["bm25"] in ("", "NA", "N/A", "null") else float(row["bm25"])}

    queries, ours = {}, [0] * len(rows)
    for i, row in enumerate(rows):
        queries.setdefault(row["query_id"], []).append(i)
    for of_query in queries.values():
        scores = module["score_list"]([number(rows[i], "bm25") for i in of_query])
        for i, score in zip(of_query, scores):
            ours[i] = score
    assert ours == pytest.approx(ranked(shop, "p.json", "more.csv"), rel=1e-12, abs=1e-12)
    with pytest.raises(ValueError, match="no date"):
        module["score_list"]([{**number(rows[0], "bm25"), "published": "soon"}])


def test_sql_reads_categories_and_booleans(shop):
    trained_with(shop, ["--for", "sql"], "category=onehot,in_stock=bool", ["published", "discount", "price"], "q.json")
    expression = dorm("export", "q.json", "--to", "sql", cwd=shop).stdout
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE d (bm25 REAL, category TEXT, in_stock BOOLEAN)")
    gaps = ("", "NA", "N/A", "null")
    for row in rows_of(shop, "new.csv"):
        bm25, category = (None if row[name] in gaps else row[name] for name in ("bm25", "category"))
        base.execute("INSERT INTO d VALUES (?, ?, ?)", (bm25, category, row["in_stock"] in ("yes", "true")))
    scores = [score for (score,) in base.execute(f"SELECT {expression} FROM d ORDER BY rowid")]
    assert scores == pytest.approx(ranked(shop, "q.json", "new.csv"), rel=1e-12, abs=1e-12)


def test_gaps_of_binary_data_were_treated_when_it_was_written(shop):
    dorm("convert", "train.csv", "gaps.dorm", *ROLES, *READ, "--quiet", cwd=shop)
    message = dorm("train", "gaps.dorm", "--missing", "zero", "--model", "x.json", "--quiet", status=2, cwd=shop).stderr
    assert f"treated when it is written, here by {MISSING}; expected dorm convert of the table" in message
    dorm("train", "gaps.dorm", "--missing", MISSING, "--model", "x.json", "--quiet", cwd=shop)


def test_an_empty_file_is_no_ranker(shop):
    (shop / "empty.run").write_text("")
    message = dorm("eval", "new.csv", "m.json", "empty.run", status=1, cwd=shop).stderr
    assert "empty.run: the file is empty; expected a model, a TREC run (qid Q0 docid rank score tag)" in message
    tune = ["tune", "train.csv", *ROLES, *READ, "--baseline", "empty.run", "--model", "x.json", "--quiet"]
    assert "the file is empty" in dorm(*tune, status=1, cwd=shop).stderr


def test_the_page_shows_the_test_that_was_asked_for(shop):
    rankers = ["m.json", "feature:bm25", "feature:discount"]
    for asked, shown in [
        ([], "permutation test of the difference to m, Holm's correction for 2 tests"),
        (["--test", "wilcoxon", "--correction", "bh"], "Wilcoxon signed-rank test of the difference to m, Benjamini"),
        (["--test", "t", "--correction", "none"], "paired t test of the difference to m, not corrected for 2 tests"),
    ]:
        dorm("eval", "new.csv", *rankers, "--report", "page.md", "--quiet", *asked, cwd=shop)
        assert shown in (shop / "page.md").read_text()


def test_the_smallest_value_of_the_query_is_proposed_by_column(tmp_path):
    rows = "".join(f"{d % 2},{q},{'' if d == 1 else d},{'' if d == 2 else q},{d}\n" for q in range(4) for d in range(4))
    (tmp_path / "t.csv").write_text("label,qid,bm25,vector_score,price\n" + rows)
    message = dorm("info", "t.csv", status=1, cwd=tmp_path).stderr
    assert "--missing bm25=query-min,vector_score=query-min" in message
