# SPDX-License-Identifier: Apache-2.0
"""Data, models, texts and a running `dorm explore` for check_explore.py: small, with names that would be markup."""

import csv
import json
import random
import subprocess
import sys
from contextlib import contextmanager

FEATURES = ["bm25", "<b>links</b>", "age", "title length", "clicks", "spam", "constant", "depth"]
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
QUERIES = 120


def write_data(path, seed):
    draw = random.Random(seed)
    with open(path, "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["label", "qid", "docid", *FEATURES])
        for q in range(QUERIES):
            labels = [0] if q == 31 else [draw.choice([0, 0, 0, 1, 1, 2, 3, 4]) for _ in range(draw.randint(14, 60))]
            if q == 40:
                labels = [0] * len(labels)
            for d, label in enumerate(labels):
                values = [label + draw.gauss(0, 2) if j < 3 else draw.gauss(0, 1) for j in range(len(FEATURES))]
                values[6] = 7
                query = f"{HOSTILE}{q}" if q % 40 == 3 else str(10000 + q)
                rows.writerow(
                    [label, query, f"{HOSTILE}{q}-{d}" if d == 1 else f"GX{q}-{d}", *(f"{x:.3f}" for x in values)]
                )


def write_texts(data, path):
    draw = random.Random(5)
    words = ["measure", "ranking", "query", "document", "exact", "order", "gain", "list", "index", "page", "link"]
    with open(data, newline="") as rows, open(path, "w") as out:
        for number, row in enumerate(csv.DictReader(rows)):
            text = " ".join(draw.choice(words) for _ in range(30))
            if number % 17 == 0:
                text = "<script>document.title = 'owned'</script> " + text
            title = " ".join(draw.choice(words) for _ in range(4)).capitalize()
            out.write(json.dumps({"id": row["docid"], "title": title, "text": text}) + "\n")


def make_world(dorm, folder):
    """Everything `explored` needs; made once per folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_data(folder / "train.csv", 1)
    write_data(folder / "test.csv", 2)
    write_texts(folder / "test.csv", folder / "texts.jsonl")
    for name, options in (
        ("dorm", ()),
        ("ridge", ("--method", "ridge")),
        ("kernel", ("--kernel", "rbf", "--passes", "3")),
        ("curves", ("--curves", "6")),
    ):
        words = ["train", "train.csv", "--model", f"{name}.json", "--scale", "zscore", "--quiet", *options]
        subprocess.run([dorm, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "judgments.sqlite").unlink(missing_ok=True)


@contextmanager
def explored(dorm, folder, *words):
    """The address of dorm explore, while it is needed."""
    command = [dorm, "explore", *words, "--data", "test.csv", "--no-open", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        try:
            url = server.stdout.readline().strip()
            if not url:
                sys.exit(f"check_explore.py: {' '.join(command)}: it did not start")
            yield url + "/"
        finally:
            server.terminate()


def figures_of_eval(dorm, folder, *rankers):
    """What dorm eval --json says of ndcg@10, by ranker."""
    words = ["eval", "test.csv", *rankers, "--measures", "ndcg@10", "--json"]
    done = subprocess.run([dorm, *words], cwd=folder, check=True, capture_output=True, text=True)
    return {row["name"]: row["measures"]["ndcg@10"] for row in json.loads(done.stdout)["rankers"]}
