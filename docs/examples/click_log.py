#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The data and the steps of docs/click-log.md that the command does not do. Needs nothing but Python.

click_log.py make     write log.csv, features.csv and judged.csv of an invented shop
click_log.py gains    log.csv and features.csv to train.csv and vali.csv, clicks weighted by position
"""

import csv
import random
import sys
from collections import defaultdict

FEATURES = ["bm25", "title", "sales", "rating", "age"]
QUERIES, JUDGED, DOCUMENTS, SESSIONS, SHUFFLED = 240, 60, 10, 40, 0.2
WEIGHT_LIMIT = 10  # clicks far down are few: none counts more than this


def shop(rng, query):
    """The documents of a query: name, features, how good it is (0 to 4)."""
    for number in range(DOCUMENTS):
        worth = rng.gauss(0, 1)
        row = [
            8 + 2 * (0.5 * worth + rng.gauss(0, 1)),
            min(1, max(0, 0.5 + 0.2 * worth + 0.3 * rng.gauss(0, 1))),
            5 + 0.8 * worth + 1.5 * rng.gauss(0, 1),
            min(5, max(1, 3.5 + 0.5 * worth + 0.6 * rng.gauss(0, 1))),
            rng.uniform(0, 365),
        ]
        yield f"{query}-{number}", [round(x, 3) for x in row], min(4, max(0, round(1.2 + 1.2 * worth)))


def make():
    rng = random.Random(1)
    with (
        open("features.csv", "w", newline="") as f,
        open("log.csv", "w", newline="") as g,
        open("judged.csv", "w", newline="") as h,
    ):
        features, log, judged = csv.writer(f), csv.writer(g), csv.writer(h)
        features.writerow(["qid", "docid", *FEATURES])
        log.writerow(["session", "shuffled", "qid", "position", "docid", "clicked"])
        judged.writerow(["label", "qid", "docid", *FEATURES])
        for query in range(QUERIES + JUDGED):
            documents = list(shop(rng, f"q{query}"))
            if query >= QUERIES:
                judged.writerows([label, f"q{query}", name, *row] for name, row, label in documents)
                continue
            features.writerows([f"q{query}", name, *row] for name, row, _ in documents)
            by_bm25 = sorted(documents, key=lambda document: -document[1][0])
            for session in range(SESSIONS):
                shuffled = rng.random() < SHUFFLED
                shown = rng.sample(by_bm25, DOCUMENTS) if shuffled else by_bm25
                for position, (name, _, label) in enumerate(shown, 1):
                    looked_at = rng.random() < position**-0.8
                    clicked = looked_at and rng.random() < (0.05, 0.2, 0.4, 0.6, 0.8)[label]
                    log.writerow([f"{query}.{session}", int(shuffled), f"q{query}", position, name, int(clicked)])


def looked_at(log):
    """How likely each position is looked at, relative to the first: by clicks where documents stood at random."""
    clicks, shown = defaultdict(int), defaultdict(int)
    for row in log:
        if row["shuffled"] == "1":
            clicks[int(row["position"])] += int(row["clicked"])
            shown[int(row["position"])] += 1
    first = clicks[1] / shown[1]
    return {position: clicks[position] / shown[position] / first for position in sorted(shown)}


def gains():
    with open("log.csv", newline="") as f:
        log = list(csv.DictReader(f))
    chance = looked_at(log)
    print("looked at:", ", ".join(f"{position}: {share:.2f}" for position, share in chance.items()))
    gain, shown = defaultdict(float), defaultdict(int)
    for row in log:
        shown[row["docid"]] += 1
        if row["clicked"] == "1":
            gain[row["docid"]] += min(1 / chance[int(row["position"])], WEIGHT_LIMIT)
    with open("features.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    for name, part in (("train.csv", range(4)), ("vali.csv", range(4, 5))):  # one query in five to choose by
        with open(name, "w", newline="") as f:
            out = csv.writer(f)
            out.writerow(["label", "qid", "docid", *FEATURES])
            for row in rows:
                if int(row["qid"][1:]) % 5 in part:
                    label = gain[row["docid"]] / shown[row["docid"]]
                    out.writerow([f"{label:.4f}", row["qid"], row["docid"], *(row[k] for k in FEATURES)])


if __name__ == "__main__":
    {"make": make, "gains": gains}[sys.argv[1]]()
