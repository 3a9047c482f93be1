#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test quality on real data: DORM tuned for each measure beside ridge regression and the pairwise hinge.

Web sets are split as their publishers say; the UCI sets are ranked as in the paper (50 training, 50 validation and
100 test queries of 100 documents drawn at random, class index as grade; training and validation queries share no
document here).
Data is found by DORM_DATA; a set that is absent is left out, and said so. Writes quality.csv into the build directory.
"""

import csv
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import parser  # noqa: E402

MEASURES = ["ndcg@10", "mrr", "precision@10"]
DATA = Path(os.environ.get("DORM_DATA", "../shared/data"))


def rows_of(*files: Path) -> list[str]:
    rows = []
    for file in files:
        with gzip.open(file, "rt") as stream:
            rows += stream.readlines()
    return rows


def letor_folds(name: str, work: Path):
    parts = [rows_of(DATA / name / f"S{k}.txt.gz") for k in range(1, 6)]
    for k in range(5):
        paths = [work / f"{name}-{k}-{part}.txt" for part in ("train", "valid", "test")]
        for path, picked in zip(paths, ((0, 1, 2), (3,), (4,))):
            path.write_text("".join(row for j in picked for row in parts[(k + j) % 5]))
        yield paths


def lightgbm_example(_: str, work: Path):
    """The set has no validation part: two thirds of its training queries are trained on, one third judges."""
    split = {}
    for part in ("train", "test"):
        rows = rows_of(DATA / "lightgbm-lambdarank" / f"rank.{part}.gz")
        sizes = [int(s) for s in (DATA / "lightgbm-lambdarank" / f"rank.{part}.query").read_text().split()]
        split[part], at = [], 0
        for number, size in enumerate(sizes):
            block = [row.split(" ", 1) for row in rows[at : at + size]]
            split[part].append([f"{label} qid:{number} {rest}" for label, rest in block])
            at += size
    train, test = split["train"], split["test"]
    cut = len(train) * 2 // 3
    for name, queries in (("train", train[:cut]), ("valid", train[cut:]), ("test", test)):
        (work / f"lightgbm-{name}.txt").write_text("".join(row for query in queries for row in query))
    yield [work / f"lightgbm-{name}.txt" for name in ("train", "valid", "test")]


def uci_documents(name: str) -> tuple[list, list]:
    def numbers(*files):
        rows = rows_of(*(DATA / "uci" / file for file in files))
        return [
            [float(x) for x in row.replace(",", " ").split()] for row in rows if not row[:1].isalpha() and row.strip()
        ]

    rng = random.Random(5)
    if name in ("pendigits", "optdigits"):
        return numbers(f"{name}.tra.gz"), numbers(f"{name}.tes.gz")
    documents = numbers("page-blocks.data.gz" if name == "page-blocks" else "covtype-subset.csv.gz")
    rng.shuffle(documents)
    return documents[: len(documents) // 2], documents[len(documents) // 2 :]


def uci(name: str, work: Path):
    train, test = uci_documents(name)
    rng = random.Random(5)
    rng.shuffle(train)
    low, width = min(row[-1] for row in train), len(train[0]) - 1
    largest = [max(abs(row[k]) for row in train) or 1 for k in range(width)]
    cut = len(train) * 2 // 3
    training_queries = 200 if name == "covertype" else 50
    paths = []
    for part, pool, count in (
        ("train", train[:cut], training_queries),
        ("valid", train[cut:], 50),
        ("test", test, 100),
    ):
        text = []
        for query in range(count):
            for row in rng.sample(pool, 100):
                values = " ".join(f"{k + 1}:{row[k] / largest[k]:.5f}" for k in range(width))
                text.append(f"{row[-1] - low:.0f} qid:{query + 1} {values}\n")
        paths.append(work / f"{name}-{part}.txt")
        paths[-1].write_text("".join(text))
    yield paths


SETS = {
    "mq2008": letor_folds,
    "lightgbm-lambdarank": lightgbm_example,
    "pendigits": uci,
    "optdigits": uci,
    "page-blocks": uci,
    "covertype": uci,
    "mq2007-sample": letor_folds,
}


class Command:
    def __init__(self, build: Path):
        self.dorm = str((build / "dorm").resolve())

    def __call__(self, *arguments) -> str:
        line = [self.dorm, *map(str, arguments), "--quiet"]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    def judge(self, data: Path, model: Path) -> dict:
        said = json.loads(
            self("eval", data, "--model", model, "--measures", ",".join(MEASURES), "--bootstrap", 0, "--json")
        )
        return {name: said["measures"][name]["mean"] for name in MEASURES}


def measure_set(name: str, dorm: Command, measures: list[str]) -> dict:
    """Method -> mean over the folds of each measure on the test part."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for train, valid, test in SETS[name](name, Path(folder)):
            model = Path(folder) / "model.json"
            for method in ("ridge", "pairwise"):
                dorm("train", train, "--method", method, "--model", model)
                found.setdefault(method, []).append(dorm.judge(test, model))
            for measure in measures:
                dorm("tune", train, "--valid", valid, "--measure", measure, "--model", model)
                found.setdefault(f"dorm {measure}", []).append(dorm.judge(test, model))
    return {m: {k: sum(f[k] for f in folds) / len(folds) for k in MEASURES} for m, folds in found.items()}


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    options = arguments.parse_args()
    if options.quick:
        options.sets = ["lightgbm-lambdarank"]
    dorm = Command(options.build)
    table = []
    print(f"{'set':22}{'method':22}" + "".join(f"{name:>14}" for name in MEASURES))
    for name in options.sets:
        folder = name if SETS[name] is not uci else "uci"
        if not (DATA / folder).exists():
            print(f"{name:22}left out: no {DATA / folder}; set DORM_DATA")
            continue
        measures = MEASURES if name.startswith("mq2008") else MEASURES[:1]
        for method, values in measure_set(name, dorm, measures).items():
            print(f"{name:22}{method:22}" + "".join(f"{values[m]:14.4f}" for m in MEASURES), flush=True)
            table.append([name, method, *(values[m] for m in MEASURES)])
    with (options.build / "quality.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["set", "method", *MEASURES], *table])


if __name__ == "__main__":
    main()
