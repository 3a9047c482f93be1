#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Curves against lines: `dorm tune` with and without curves, on real data and on generated worlds.

    quality.py [--dorm build/dorm] [--curves auto 8 ...]   run these and renew their part of quality.json
    quality.py --markdown                                  the table of docs/curves.md, from quality.json alone

Rows are differences of NDCG@10 times 100 per test query to `--curves none`, with the standard error of their mean;
seconds of processor time without and with curves. `auto` is what `dorm tune` does by itself, `none/8` both whatever the
number of queries.
Folds of LETOR sets: three parts to train on, one to validate, one to test.
"""

import argparse
import csv
import gzip
import json
import math
import os
import resource
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "quality.json"
SIZES = (20, 60, 200)


def call(dorm, *words):
    subprocess.run([dorm, *map(str, words), "-q"], check=True, stdout=subprocess.DEVNULL)


def per_query(dorm, test, model, place):
    call(dorm, "eval", test, model, "--measures", "ndcg@10", "--per-query", place)
    with open(place) as lines:
        return {row["qid"]: float(row["ndcg@10"]) for row in csv.DictReader(lines) if row["ndcg@10"]}


def seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def spelled(curves):
    """The options of tune."""
    if curves == "auto":
        return []
    return ["--grid", f"curves={curves}"] if "/" in curves else ["--curves", curves]


def difference(dorm, folder, train, valid, test, curves):
    """By query; and the seconds of both."""
    values, spent = [], []
    for name, options in (("lines", ["--curves", "none"]), ("curves", spelled(curves))):
        model, begin = folder / f"{name}.json", seconds()
        call(dorm, "tune", train, "--valid", valid, "--model", model, *options)
        spent.append(seconds() - begin)
        values.append(per_query(dorm, test, model, folder / "values.csv"))
    return [100 * (values[1][q] - values[0][q]) for q in values[0]], spent


def letor_folds(folder, place):
    parts = [gzip.open(folder / f"S{k}.txt.gz", "rt").read() for k in range(1, 6)]
    for fold in range(5):
        (place / "train.txt").write_text("".join(parts[(fold + k) % 5] for k in range(3)))
        (place / "valid.txt").write_text(parts[(fold + 3) % 5])
        (place / "test.txt").write_text(parts[(fold + 4) % 5])
        yield place / "train.txt", place / "valid.txt", place / "test.txt"


def world(kind, queries, seed, path):
    """Ten features; relevance is linear, a sum of bent functions, or has products."""
    import numpy as np  # not needed for the table

    rng = np.random.default_rng(seed)
    shift = np.random.default_rng(1).uniform(0.2, 0.8, 10)
    with open(path, "w") as out:
        out.write("qid,label," + ",".join(f"f{j}" for j in range(10)) + "\n")
        for q in range(queries):
            x = rng.uniform(size=(30, 10))
            score = x[:, :6] @ [3, 2, 1, -1, 1, 1]
            if kind != "linear":
                score = (3 * np.minimum(x, shift) - 4 * (x - shift) ** 2).sum(axis=1)
            if kind == "interacting":
                score += 6 * (x[:, 0] - 0.5) * (x[:, 1] - 0.5) + 6 * (x[:, 2] > 0.5) * (x[:, 3] > 0.5)
            score += 0.5 * score.std() * rng.normal(size=30)
            labels = np.digitize(score, np.quantile(score, [0.6, 0.8, 0.95]))
            for label, row in zip(labels, x):
                out.write(f"{q},{label}," + ",".join(f"{v:.5f}" for v in row) + "\n")
    return path


def summary(name, differences, spent):
    mean = sum(differences) / len(differences)
    spread = math.sqrt(sum((d - mean) ** 2 for d in differences) / max(1, len(differences) - 1))
    return {"set": name, "queries": len(differences), "difference": round(mean, 2),
            "error": round(spread / math.sqrt(len(differences)), 2),
            "seconds": [round(sum(each), 2) for each in zip(*spent)]}  # fmt: skip


def run(dorm, curves):
    data = Path(os.environ.get("DORM_DATA", HERE.parent.parent.parent / "shared/data"))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder, pooled, times = Path(name), [], []
        for letor in ("mq2008", "mq2007-sample"):
            folds = [difference(dorm, folder, *fold, curves) for fold in letor_folds(data / letor, folder)]
            found, spent = [d for fold in folds for d in fold[0]], [fold[1] for fold in folds]
            pooled += found
            times += spent
            rows.append(summary(letor, found, spent))
            print(rows[-1], flush=True)
        rows.append(summary("real, pooled", pooled, times))
        for kind in ("linear", "additive", "interacting"):
            valid, test = world(kind, 100, 8, folder / "v.csv"), world(kind, 300, 9, folder / "t.csv")
            for size in SIZES:
                train = world(kind, size, 7, folder / "train.csv")
                found, spent = difference(dorm, folder, train, valid, test, curves)
                rows.append(summary(f"{kind}, {size} training queries", found, [spent]))
                print(rows[-1], flush=True)
    return rows


def markdown():
    results = json.loads(RESULTS.read_text())
    titles = {"auto": "`tune`", "none/8": "`--grid curves=none/8`"}
    shown = [c for c in ("auto", "none/8", "8", "steps:8") if c in results]
    lines = ["| data | test queries | " + " | ".join(titles.get(c, f"`--curves {c}`") for c in shown) + " |",
             "|---|---|" + "---|" * len(shown)]  # fmt: skip
    for k, row in enumerate(results[shown[0]]):
        cells = [f"{results[c][k]['difference']:+.2f} ± {results[c][k]['error']:.2f}" for c in shown]
        lines.append(f"| {row['set']} | {row['queries']} | " + " | ".join(cells) + " |")
    if spent := results.get("auto", [{}])[2].get("seconds"):
        lines += [
            "",
            f"On the real sets `tune` takes {spent[1] / spent[0]:.1f} times the processor time of `--curves none`.",
        ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--curves", nargs="*", default=["auto", "8", "steps:8"])
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if options.markdown:
        print(markdown())
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for curves in options.curves:
        results[curves] = run(os.path.abspath(options.dorm), curves)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
