#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One per source: what training under the limit is worth, and what the oracle costs.

    run.py [--build build-bench] [--seeds 5]

Data is generated: every query has sources, every source pages that are near-duplicates of each other. NDCG@10 with one
page per source (ideal too) on 200 test queries of (a) a model trained under the limit, (b) one trained without it, its
list filtered, (c) the same list as it stands, where repeated sources gain nothing. C is chosen for (a) and (b) on
validation queries by the measure each is trained for. Paired tests over queries. Writes diversity.csv,
oracle_times.csv, oracle_share.csv and diversity.md (the tables of docs/diversity.md) into the build directory.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy import stats

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from table import parser  # noqa: E402

FEATURES = 12
TRADE_OFFS = (10, 100, 1000, 10000)
# Wide sources (many near-duplicates) and narrow ones. "alike": one linear function says what is relevant in both.
# "different": another one in each, so that a linear ranker must choose whom to serve.
WORLDS = ("alike", "different")


def make_query(rng, world, weights):
    """Rows of label, source and features."""
    rows = []
    for source in range(rng.integers(15, 26)):
        wide = rng.random() < 0.3
        size = int(rng.integers(4, 13)) if wide else int(rng.integers(1, 3))
        x = rng.normal(size=FEATURES)
        w = weights[int(wide)] if world == "different" else weights[0]
        relevance = x @ w + 0.5 * rng.normal()
        for _ in range(size):
            grade = int(np.clip(np.floor(relevance + 0.15 * rng.normal() + 0.2), 0, 4))
            rows.append((grade, f"s{source}", *(x + 0.2 * rng.normal(size=FEATURES))))
    return rows


def write_world(path, rng, world, weights, queries):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["label", "qid", "source", *[f"f{j}" for j in range(FEATURES)]])
        for q in range(queries):
            for grade, source, *x in make_query(rng, world, weights):
                out.writerow([grade, q, source, *[f"{v:.4f}" for v in x]])


def dorm(command, *arguments):
    done = subprocess.run([command, *map(str, arguments), "--threads", "1", "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return done.stdout


def best_model(command, work, name, limits):
    """The model whose validation measure is best over TRADE_OFFS."""
    best = (-1, None)
    for C in TRADE_OFFS:
        model = work / f"{name}-{C}.json"
        dorm(command, "train", work / "train.csv", "--valid", work / "valid.csv", "-C", C, *limits, "--model", model)
        best = max(best, (json.loads(model.read_text())["validation"], model), key=lambda pair: pair[0])
    return best[1]


def per_query(command, work, model, *options):
    text = dorm(
        command, "eval", work / "test.csv", "--model", model, "--measures", "ndcg@10", "--per-query", "-", *options
    )
    return np.array([float(row["ndcg@10"] or "nan") for row in csv.DictReader(text.splitlines())])


def one_seed(command, world, seed):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(2, FEATURES)) / np.sqrt(FEATURES) * 1.2
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for part, queries in (("train", 150), ("valid", 100), ("test", 200)):
            write_world(work / f"{part}.csv", rng, world, weights, queries)
        limited = best_model(command, work, "limited", ["--one-per", "source"])
        plain = best_model(command, work, "plain", ["--group-column", "source"])
        judged = ["--one-per", "source"]
        return {
            "a": per_query(command, work, limited, *judged),
            "b": per_query(command, work, plain, *judged),
            "c": per_query(command, work, plain, *judged, "--as-ranked"),
        }


def quality(command, seeds, folder):
    lines = [
        "| data | seed | (a) with the limit | (b) without, filtered | (c) neither | a - b | p (t) | a - c | p (t) |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    with open(folder / "diversity.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["world", "seed", "query", "a", "b", "c"])
        for world in WORLDS:
            pooled = {key: [] for key in "abc"}
            for seed in range(1, seeds + 1):
                values = one_seed(command, world, seed)
                for q, row in enumerate(zip(values["a"], values["b"], values["c"])):
                    out.writerow([world, seed, q, *row])
                for key in "abc":
                    pooled[key].append(values[key])
                lines.append(row_of(world, seed, values))
                print(lines[-1], flush=True)
            lines.append(row_of(world, "all", {key: np.concatenate(pooled[key]) for key in "abc"}))
            print(lines[-1], flush=True)
    return lines


def row_of(world, seed, values):
    kept = ~np.isnan(values["a"])
    a, b, c = (values[key][kept] for key in "abc")
    shown = lambda p: "< .0001" if p < 1e-4 else f"{p:.4f}".lstrip("0")
    tests = [(np.mean(a - x), shown(stats.ttest_rel(a, x).pvalue)) for x in (b, c)]
    return (
        f"| {world} | {seed} | {a.mean():.4f} | {b.mean():.4f} | {c.mean():.4f} | "
        + " | ".join(f"{difference:+.4f} | {p}" for difference, p in tests)
        + " |"
    )


def table_of(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])] + [
        "| " + " | ".join(row) + " |" for row in rows[1:]
    ]


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", type=int, default=5)
    options = arguments.parse_args()
    if options.quick:
        options.seeds = 1
    bench = options.build / "benchmarks" / "diversity" / "diversity_bench"
    subprocess.run([bench, options.build], check=True)
    lines = quality(options.build / "dorm", options.seeds, options.build)
    for name in ("oracle_times", "oracle_share"):
        lines += ["", f"{name} (microseconds per query)", "", *table_of(options.build / f"{name}.csv")]
    (options.build / "diversity.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
