#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What categories, dates and gaps are worth: rankers that read them against rankers whose data lacks them.

    columns.py [--dorm build/dorm] [--seeds 3]      run, and write columns.json beside this file
    columns.py --markdown                           the table of docs/columns.md from it

Generated tables, 150 queries of about 12 documents for training and 200 for the test, another world per seed. "shop":
40 categories with an effect each, a bm25 that a quarter of the documents lacks because no term matched, discounts.
"news": the age of a document and its day of the week matter. "nothing": categories and dates without effect. "messy":
messy_shop.py, 160 queries for training, read by the options that the command proposes for it. NDCG@10 on the test
queries; means over seeds, and bootstrap intervals of the paired difference over all test queries.
"""

import argparse
import csv
import datetime
import json
import pathlib
import subprocess
import tempfile

import messy_shop
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
RESULT = HERE / "columns.json"
FIRST = datetime.date(2024, 1, 1)
PLAIN = {"drop": "category,published,discount", "fill": "query-min"}  # of the worlds that are made here
WORLDS = {
    "messy": {
        "what": "the table of a shop, 20 columns",
        "encode": "category=onehot,brand_country=onehot,published=age,discount=percent",
        "drop": "category,brand_country,published,discount",
        "fill": "mean,bm25_title=query-min,num_reviews=zero,vector_score=query-min",
        "read": ["--document-column", "product_url", "--query-text-column", "query", "--title-column", "title"],
    },
    "shop": {
        "what": "40 categories, percentages",
        "encode": "category=onehot,published=age,discount=percent",
        "effects": (1.0, 0.0, 0.0, 0.6),
    },
    "news": {
        "what": "dates: age and day of the week",
        "encode": "category=onehot,published=age+weekday,discount=percent",
        "effects": (0.0, 1.2, 0.8, 0.0),
    },
    "nothing": {
        "what": "the same columns without any effect",
        "encode": "category=onehot,published=age+weekday,discount=percent",
        "effects": (0.0, 0.0, 0.0, 0.0),
    },
}


def messy_world(_, seed, path):
    names = {"grade": "label", "query_id": "qid"}
    for part, file, queries, rows in ((1, "train.csv", 160, 1982), (2, "test.csv", 200, 2478)):
        table = messy_shop.rows_of(seed, queries, rows, part)
        messy_shop.write(path / file, [{names.get(key, key): cell for key, cell in row.items()} for row in table])


def world(name, seed, path):
    """Writes training and test data of one world."""
    rng = np.random.default_rng(seed)
    category_effect, age_effect, weekday_effect, discount_effect = WORLDS[name]["effects"]
    of_category = rng.normal(size=40) * category_effect
    of_weekday = rng.normal(size=7) * weekday_effect
    for part, queries in (("train", 150), ("test", 200)):
        with open(path / f"{part}.csv", "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["label", "qid", "bm25", "clicks", "category", "published", "discount"])
            for q in range(queries):
                hard = rng.normal()
                for _ in range(int(rng.integers(8, 17))):
                    topical, clicks = rng.normal(), rng.normal()
                    category, day = int(rng.integers(40)), int(rng.integers(365))
                    date, discount = FIRST + datetime.timedelta(days=day), int(rng.integers(0, 60))
                    worth = topical + 0.5 * clicks + of_category[category] + age_effect * (day / 182 - 1)
                    worth += of_weekday[date.weekday()] + discount_effect * (discount / 15 - 2) + 0.7 * rng.normal()
                    bm25 = "" if topical < -0.7 else f"{6 + 2 * topical + hard + 0.3 * rng.normal():.3f}"
                    label = int(np.clip(np.floor(worth), 0, 4))
                    out.writerow([label, q, bm25, f"{clicks:.3f}", f"kind {category}", date, f"{discount}%"])


def ndcg(scores, labels, cutoff=10):
    """Of one query, gains 2^label - 1; None without a relevant document."""
    discount = 1 / np.log2(np.arange(2, cutoff + 2))
    gains = 2.0**labels - 1
    ideal = np.sort(gains)[::-1][:cutoff]
    if ideal.sum() == 0:
        return None
    top = gains[np.argsort(-scores, kind="stable")][:cutoff]
    return float(top @ discount[: len(top)] / (ideal @ discount[: len(ideal)]))


def values(dorm, path, name, options):
    """NDCG@10 of every test query for a model trained by these options."""

    def run(*arguments):
        return subprocess.run(
            [dorm, *arguments, "--quiet"], cwd=path, check=True, capture_output=True, text=True
        ).stdout

    run("tune", "train.csv", *options, "--model", f"{name}.json")
    scores = np.array([float(line) for line in run("rank", f"{name}.json", "test.csv").split()])
    with open(path / "test.csv", newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    labels = np.array([float(r["label"]) for r in rows])
    queries = np.unique([r["qid"] for r in rows], return_inverse=True)[1]
    each = [ndcg(scores[queries == q], labels[queries == q]) for q in range(queries.max() + 1)]
    return np.array([value for value in each if value is not None])


def interval(differences, rng):
    """Percentiles of bootstrap means."""
    means = [rng.choice(differences, len(differences)).mean() for _ in range(2000)]
    return [float(np.percentile(means, p)) for p in (2.5, 97.5)]


def measure(dorm, seeds):
    rng = np.random.default_rng(0)
    out = []
    for name, about in WORLDS.items():
        about = {**PLAIN, **about}
        dropped = [*about.get("read", []), "--ignore-column", about["drop"]]
        encoded = [*about.get("read", []), "--encode", about["encode"]]
        rankers = {
            "columns dropped, gaps as the mean": [*dropped, "--missing", "mean"],
            "columns dropped, gaps of scores as the smallest of the query": [*dropped, "--missing", about["fill"]],
            "columns encoded, gaps of scores as the smallest of the query": [*encoded, "--missing", about["fill"]],
        }
        all_values = {ranker: [] for ranker in rankers}
        for seed in range(seeds):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder)
                (messy_world if name == "messy" else world)(name, seed, path)
                for k, (ranker, options) in enumerate(rankers.items()):
                    all_values[ranker].append(values(dorm, path, f"m{k}", options))
        joined = {ranker: np.concatenate(each) for ranker, each in all_values.items()}
        base = joined["columns dropped, gaps as the mean"]
        for ranker, each in joined.items():
            low, high = interval(each - base, rng) if ranker != next(iter(joined)) else (0.0, 0.0)
            row = {"world": name, "what": about["what"], "ranker": ranker, "ndcg": float(each.mean())}
            out.append({**row, "gain": float((each - base).mean()), "low": low, "high": high, "queries": len(each)})
    return out


def table(rows):
    lines = ["| data | ranker | NDCG@10 | gain over dropping |", "|---|---|---|---|"]
    for row in rows:
        first = row["gain"] == row["low"] == row["high"] == 0
        gain = "" if first else f"{row['gain']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"
        lines.append(f"| {row['world']}: {row['what']} | {row['ranker']} | {row['ndcg']:.3f} | {gain} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--dorm", default=str(HERE.parents[1] / "build" / "dorm"))
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--markdown", action="store_true")
    given = arguments.parse_args()
    if not given.markdown:
        RESULT.write_text(json.dumps(measure(given.dorm, given.seeds), indent=1) + "\n")
    print(table(json.loads(RESULT.read_text())), end="")


if __name__ == "__main__":
    main()
