#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A judged table of a shop as people have it: 160 queries, 1,982 products, 20 columns, few of which are plain numbers.

    messy_shop.py OUT.csv [--seed 1] [--queries 160] [--rows 1982]

A byte order mark, ids of text, quoted commas, a category of 40 values, dates with gaps, booleans, "20%", and gaps in
five spellings. The grade depends on what the retrievers measure, on category, age, discount and stock, and on noise.
Worlds of one seed have the same categories; `--part 2` draws other queries of it.
"""

import argparse
import datetime
import random

THINGS = ["shoes", "lamp", "kettle", "tent", "bag", "chair", "mug", "jacket"]
FOR = ["kids", "men", "women", "home", "garden"]
CATEGORIES = [f"{thing}, {whom}" for thing in THINGS for whom in FOR]
COLORS = ["red", "blue", "green", "black", "white", "grey"]
LATEST = datetime.date(2026, 6, 30)
GAPS = ["", "NA", "N/A", "null", "NULL"]


def sizes_of(rng, queries, rows):
    """Documents by query, 4 to 25 or so, that sum to `rows`."""
    shares = [rng.uniform(0.4, 1.8) for _ in range(queries)]
    sizes = [max(2, int(rows * share / sum(shares))) for share in shares]
    for k in range(abs(rows - sum(sizes))):
        sizes[k % queries] += 1 if sum(sizes) < rows else -1
    return sizes


def cell(rng, value, gaps):
    return rng.choice(GAPS) if rng.random() < gaps else value


def product(rng, query, at, hard, worth_of):
    """One row, in the order of the header."""
    topical, meaning, liked = rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1)
    category, days, discount = rng.choice(CATEGORIES), int(rng.expovariate(1 / 200)), rng.randrange(0, 13) * 5
    stock, new, clicks = rng.random() < 0.8, days < 60, int(rng.expovariate(0.02) * (1.5 + liked / 3))
    worth = 0.9 * topical + 0.6 * meaning + 0.3 * liked + worth_of[category] - days / 300 + discount / 60
    worth += (0.6 if stock else -0.6) + 0.8 * rng.gauss(0, 1)
    published = LATEST - datetime.timedelta(days=days)
    color, thing = rng.choice(COLORS), category.split(",")[0]
    return {
        "grade": max(0, min(3, int(worth + 0.8))),
        "query_id": f"q-{query:04d}",
        "query": f"{COLORS[query % 6]} {THINGS[query % 8]}, {query % 90 + 10} cm",
        "product_url": f"https://shop.example/p/{query}-{at}",
        "title": f"{color.title()} {thing}, size {at + 30}{', 5' + chr(34) if at % 7 == 0 else ''}",
        "category": category,
        "brand_country": rng.choice(["DE", "FR", "IT", "PL"]),
        "published": cell(rng, str(published), 0.08),
        "discount": f"{discount}%",
        "in_stock": str(stock).lower(),
        "is_new": "yes" if new else "no",
        "bm25_title": "" if topical < -1 else f"{8 + 2 * topical + hard:.4f}",
        "bm25_body": f"{14 + 3 * topical + 2 * hard + rng.gauss(0, 1):.4f}",
        "vector_score": cell(rng, f"{0.6 + 0.1 * meaning:.6f}", 0.1),
        "price": f"{rng.uniform(4, 900):.2f}",
        "rating": cell(rng, f"{min(5.0, max(1.0, 3.8 + 0.6 * liked)):.1f}", 0.12),
        "num_reviews": cell(rng, str(int(rng.expovariate(0.05))), 0.05),
        "clicks_30d": str(max(0, clicks)),
        "shipping_days": cell(rng, str(rng.randrange(1, 9)), 0.03),
        "margin": f"{rng.uniform(0.02, 0.5):.3f}",
    }


def rows_of(seed, queries=160, rows=1982, part=1):
    world = random.Random(seed)
    worth_of = {category: world.gauss(0, 0.7) for category in CATEGORIES}
    rng = random.Random(f"{seed} {part}")
    out = []
    for query, size in enumerate(sizes_of(rng, queries, rows)):
        hard = rng.gauss(0, 1)
        out += [product(rng, query + 1000 * (part - 1), at, hard, worth_of) for at in range(size)]
    return out


def quoted(text):
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def write(path, rows):
    with open(path, "w", encoding="utf-8-sig", newline="\n") as file:
        for line in [list(rows[0]), *(list(row.values()) for row in rows)]:
            file.write(",".join(quoted(str(value)) for value in line) + "\n")


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("out")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--queries", type=int, default=160)
    words.add_argument("--rows", type=int, default=1982)
    words.add_argument("--part", type=int, default=1)
    given = words.parse_args()
    write(given.out, rows_of(given.seed, given.queries, given.rows, given.part))


if __name__ == "__main__":
    main()
