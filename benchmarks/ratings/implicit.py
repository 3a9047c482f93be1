#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recommenders from likes on MovieLens-100K (ratings of 4 and more): recall, NDCG, coverage over the whole catalogue.

A fifth of the likes tests, drawn by the seed; every method chooses its options on a fifth of the other likes, then
trains on all of them. The rows of the command come from `dorm recommend train` and `dorm recommend evaluate`; those of
the package `implicit` (where it is installed) from its own exact ALS, tuned over the same range of options. The table
gives the mean over the seeds, and the paired difference from tuned implicit ALS with its standard error over users.
"""

import argparse
import csv
import gzip
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.pop(0)  # the folder of this file, which has the name of the package that it compares with

DATA = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k" / "u.data.gz"
MEASURES = ["ndcg@10", "recall@10", "coverage@10"]
Row = dict[str, np.ndarray]  # values by user, and one of coverage


def split(seed: int, users: int) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(DATA, "rt") as stream:
        table = np.loadtxt(stream, dtype=int)
    likes = table[(table[:, 2] >= 4) & (table[:, 0] <= users)][:, :2]
    order = np.random.default_rng(seed).permutation(len(likes))
    cut = len(likes) // 5
    return likes[order[cut:]], likes[order[:cut]]


def command_rows(dorm: str, train: np.ndarray, test: np.ndarray, seed: int, threads: int) -> dict[str, Row]:
    with tempfile.TemporaryDirectory() as folder:
        train_file, test_file, model, values = (Path(folder) / name for name in ("train.tsv", "test.tsv", "m", "v.csv"))
        np.savetxt(train_file, train, fmt="%d", delimiter="\t")
        np.savetxt(test_file, test, fmt="%d", delimiter="\t")
        common = ["--quiet", "--threads", str(threads)]
        learn = [dorm, "recommend", "train", train_file, "--implicit", "--model", model, "--seed", seed]
        print(
            subprocess.run([*map(str, learn), *common], check=True, capture_output=True, text=True).stdout,
            file=sys.stderr,
        )
        evaluate = [dorm, "recommend", "evaluate", test_file, f"DORM={model}", "--implicit", "--json"]
        evaluate += ["--measures", ",".join(MEASURES), "--per-query", values]
        out = subprocess.run([*map(str, evaluate), *common], check=True, capture_output=True, text=True).stdout
        with open(values) as stream:
            per_user = list(csv.DictReader(stream))
    rows: dict[str, Row] = {}
    for ranker in json.loads(out)["rankers"]:
        own = [line for line in per_user if line["ranker"] == ranker["name"]]
        rows[ranker["name"]] = {m: np.array([float(line[m]) for line in own]) for m in MEASURES[:2]}
        rows[ranker["name"]]["coverage@10"] = np.array([ranker["measures"]["coverage@10"]["mean"]])
    return rows


def values_of(scores: np.ndarray, train, test) -> Row:
    """The measures of the users with test likes, as docs/recommend.md defines them."""
    scores = np.where(train.toarray() > 0, -np.inf, scores)
    top = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    relevant = test.toarray() > 0
    users = relevant.any(axis=1)
    hits = np.take_along_axis(relevant, top, axis=1)
    discount = 1 / np.log2(np.arange(2, 12))
    ideal = np.array([discount[: min(10, count)].sum() for count in relevant.sum(axis=1)])
    with np.errstate(invalid="ignore"):
        ndcg, recall = (hits @ discount) / ideal, hits.sum(axis=1) / relevant.sum(axis=1)
    coverage = len(np.unique(top[users])) / scores.shape[1]
    return {"ndcg@10": ndcg[users], "recall@10": recall[users], "coverage@10": np.array([coverage])}


def peer_row(train: np.ndarray, test: np.ndarray, seed: int, threads: int) -> Row:
    from implicit.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    shape = (943 + 1, 1682 + 1)

    def matrix(pairs):
        return csr_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=shape)

    def scores(pairs, factors, ridge, alpha):
        model = AlternatingLeastSquares(
            factors=factors,
            regularization=ridge,
            alpha=alpha,
            iterations=15,
            use_cg=False,
            num_threads=threads,
            random_state=seed,
        )
        model.fit(matrix(pairs).astype(np.float32), show_progress=False)
        return model.user_factors @ model.item_factors.T

    order = np.random.default_rng(seed + 1000).permutation(len(train))
    cut = len(train) // 5
    held, kept = train[order[:cut]], train[order[cut:]]
    grid = [(f, r, a) for f in (32, 64, 128) for r in (1.0, 10.0, 40.0) for a in (2.0, 8.0, 32.0)]
    best = max(grid, key=lambda o: values_of(scores(kept, *o), matrix(kept), matrix(held))["ndcg@10"].mean())
    return values_of(scores(train, *best), matrix(train), matrix(test))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--users", type=int, default=943, help="the first of MovieLens-100K")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    rows: dict[str, list[Row]] = {}
    for seed in range(1, arguments.seeds + 1):
        train, test = split(seed, arguments.users)
        train, test = train[np.argsort(train[:, 0], kind="stable")], test[np.argsort(test[:, 0], kind="stable")]
        for name, row in command_rows(f"{arguments.build}/dorm", train, test, seed, arguments.threads).items():
            rows.setdefault(name, []).append(row)
        if importlib.util.find_spec("implicit"):
            rows.setdefault("ALS of the package implicit", []).append(peer_row(train, test, seed, arguments.threads))
    print("| | " + " | ".join(MEASURES) + " | ndcg@10 minus implicit ALS |\n|---|" + "---|" * (len(MEASURES) + 1))
    for name, values in rows.items():
        means = " | ".join(f"{np.concatenate([v[m] for v in values]).mean():.4f}" for m in MEASURES)
        pairs = zip(values, rows["implicit ALS"], strict=True)
        difference = [v["ndcg@10"] - a["ndcg@10"] for v, a in pairs if len(v["ndcg@10"]) == len(a["ndcg@10"])]
        every = np.concatenate(difference)
        print(f"| {name} | {means} | {every.mean():+.4f} ± {every.std() / math.sqrt(len(every)):.4f} |", flush=True)


if __name__ == "__main__":
    main()
