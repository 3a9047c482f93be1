#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recommenders from likes on MovieLens-100K (ratings of 4 and more): recall, NDCG, coverage over the whole catalogue.

A fifth of the likes tests, drawn by the seed; every method chooses its options by NDCG@10 on a fifth of the other
likes, then trains on all of them. The row of the command comes from `dorm recommend train` and `dorm recommend
evaluate`, which draws that fifth itself; the others share one: the exact ALS of the package `implicit` and WARP of
LightFM where they are installed, EASE, item-kNN and popularity in numpy. The table gives the mean over the seeds, and
the paired difference from ALS with its standard error over users.

    implicit.py --ratings              add to implicit.json the factorization of all ratings, judged by the same test
    implicit.py --out implicit.json    measure; LightFM: pip install cython, then --no-build-isolation lightfm
    implicit.py --markdown             the table of docs/recommend.md, from the committed implicit.json
"""

import argparse
import csv
import gzip
import importlib.metadata
import importlib.util
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.pop(0)  # the folder of this file, which has the name of the package that it compares with

RESULTS = Path(__file__).with_suffix(".json")
DATA = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k" / "u.data.gz"
MEASURES = ["recall@10", "ndcg@10", "coverage@10"]
REFERENCE = "ALS of implicit"


def split(seed: int, users: int):
    import numpy as np

    with gzip.open(DATA, "rt") as stream:
        table = np.loadtxt(stream, dtype=int)
    likes = table[(table[:, 2] >= 4) & (table[:, 0] <= users)][:, :2]
    order = np.random.default_rng(seed).permutation(len(likes))
    cut = len(likes) // 5
    parts = likes[order[cut:]], likes[order[:cut]]
    return tuple(part[np.argsort(part[:, 0], kind="stable")] for part in parts)


def matrix(pairs):
    import numpy as np
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(pairs), np.float32), (pairs[:, 0], pairs[:, 1])), shape=(943 + 1, 1682 + 1))


def values_of(scores, train, test) -> dict:
    """The measures of the users with test likes, as docs/recommend.md defines them."""
    import numpy as np

    known = np.asarray(train.sum(axis=0)).ravel() > 0
    scores = np.where((train.toarray() > 0) | ~known, -np.inf, scores)
    top = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    relevant = test.toarray() > 0
    users = relevant.any(axis=1)
    hits = np.take_along_axis(relevant, top, axis=1)
    discount = 1 / np.log2(np.arange(2, 12))
    ideal = np.array([discount[: min(10, count)].sum() for count in relevant.sum(axis=1)])
    with np.errstate(invalid="ignore"):
        ndcg, recall = (hits @ discount) / ideal, hits.sum(axis=1) / relevant.sum(axis=1)
    coverage = len(np.unique(top[users])) / (known | relevant.any(axis=0)).sum()
    return {"ndcg@10": ndcg[users], "recall@10": recall[users], "coverage@10": np.float64(coverage)}


def dorm_row(dorm: str, train, test, seed: int, threads: int) -> dict:
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        train_file, test_file, model, values = (Path(folder) / name for name in ("train.tsv", "test.tsv", "m", "v.csv"))
        np.savetxt(train_file, train, fmt="%d", delimiter="\t")
        np.savetxt(test_file, test, fmt="%d", delimiter="\t")
        common = ["--quiet", "--threads", threads]
        learn = [dorm, "recommend", "train", train_file, "--implicit", "--model", model, "--seed", seed, *common]
        subprocess.run([*map(str, learn)], check=True, capture_output=True)
        evaluate = [dorm, "recommend", "evaluate", test_file, f"DORM={model}", "--implicit", "--json", *common]
        evaluate += ["--measures", ",".join(MEASURES), "--per-query", values]
        out = subprocess.run([*map(str, evaluate)], check=True, capture_output=True, text=True).stdout
        with open(values) as stream:
            own = sorted(
                (line for line in csv.DictReader(stream) if line["ranker"] == "DORM"),
                key=lambda line: int(line["qid"]),
            )
    ranker = next(each for each in json.loads(out)["rankers"] if each["name"] == "DORM")
    row = {m: np.array([float(line[m]) for line in own]) for m in ("ndcg@10", "recall@10")}
    return {**row, "coverage@10": ranker["measures"]["coverage@10"]["mean"]}


def row_of_ratings(dorm: str, seed: int, users: int, threads: int) -> dict:
    """`dorm recommend train` on all ratings but the likes that test, by its scores of all items."""
    import numpy as np

    train, test = split(seed, users)
    with gzip.open(DATA, "rt") as stream:
        table = np.loadtxt(stream, dtype=int)
    tested = {(u, i) for u, i in test.tolist()}
    kept = np.array([row[:3] for row in table.tolist() if (row[0], row[1]) not in tested])
    scores = np.full((944, 1683), -np.inf)
    with tempfile.TemporaryDirectory() as folder:
        ratings, model = Path(folder) / "ratings.tsv", Path(folder) / "m"
        np.savetxt(ratings, kept, fmt="%d", delimiter="\t")
        learn = [dorm, "recommend", "train", ratings, "--model", model, "--quiet", "--threads", threads, "--seed", seed]
        subprocess.run([*map(str, learn)], check=True, capture_output=True)
        top = [dorm, "recommend", "top", model, "--all", "--with-seen", "--top", "2000", "--format", "csv"]
        out = subprocess.run([*map(str, top)], check=True, capture_output=True, text=True).stdout
    for line in csv.DictReader(out.splitlines()):
        scores[int(line["user"]), int(line["item"])] = float(line["score"])
    return values_of(scores, matrix(train), matrix(test))


def als_of_implicit(factors: int, ridge: float, alpha: float, seed: int, threads: int) -> Callable:
    from implicit.cpu.als import AlternatingLeastSquares

    def scores(train):
        model = AlternatingLeastSquares(
            factors, ridge, alpha=alpha, use_cg=False, num_threads=threads, random_state=seed, iterations=15
        )
        model.fit(train, show_progress=False)
        return model.user_factors @ model.item_factors.T

    return scores


def warp_of_lightfm(components: int, epochs: int, rate: float, seed: int, threads: int) -> Callable:
    from lightfm import LightFM

    def scores(train):
        model = LightFM(no_components=components, loss="warp", learning_rate=rate, random_state=seed, max_sampled=50)
        model.fit(train.tocoo(), epochs=epochs, num_threads=threads)
        bias_of_items, items = model.get_item_representations()
        return model.get_user_representations()[1] @ items.T + bias_of_items

    return scores


def ease(ridge: float) -> Callable:
    import numpy as np

    def scores(train):
        had = train.toarray().astype(np.float64)
        inverse = np.linalg.inv(had.T @ had + ridge * np.eye(had.shape[1]))
        weights = -inverse / np.diag(inverse)
        np.fill_diagonal(weights, 0)
        return had @ weights

    return scores


def item_knn(neighbours: int) -> Callable:
    import numpy as np

    def scores(train):
        had = train.toarray().astype(np.float64)
        length = np.sqrt(np.maximum(had.sum(axis=0), 1))
        cosine = had.T @ had / length / length[:, None]
        np.fill_diagonal(cosine, 0)
        far = np.argsort(-cosine, axis=1, kind="stable")[:, neighbours:]
        np.put_along_axis(cosine, far, 0, axis=1)
        return had @ cosine.T

    return scores


def popularity() -> Callable:
    import numpy as np

    return lambda train: np.tile(np.asarray(train.sum(axis=0)), (train.shape[0], 1))


def methods(seed: int, threads: int) -> dict[str, list[Callable]]:
    """By name, everything that is tried on the validation part."""
    found = {
        "EASE, numpy": [ease(ridge) for ridge in (30, 100, 200, 300, 500, 1000)],
        "item-kNN, numpy": [item_knn(k) for k in (10, 20, 50, 100, 200)],
        "popularity": [popularity()],
    }
    if importlib.util.find_spec("implicit"):
        grid = itertools.product((32, 64, 128), (3.0, 10.0, 30.0), (2.0, 5.0, 15.0))
        found[REFERENCE] = [als_of_implicit(*options, seed, threads) for options in grid]
    if importlib.util.find_spec("lightfm"):
        grid = itertools.product((32, 64, 128), (5, 10, 20, 40), (0.02, 0.05))
        found["WARP of LightFM"] = [warp_of_lightfm(*options, seed, threads) for options in grid]
    return found


def measured(arguments: argparse.Namespace) -> dict:
    import numpy as np

    rows: dict[str, list[dict]] = {}
    for seed in range(1, arguments.seeds + 1):
        train, test = split(seed, arguments.users)
        order = np.random.default_rng(seed + 1000).permutation(len(train))
        cut = len(train) // 5
        held, kept = matrix(train[order[:cut]]), matrix(train[order[cut:]])
        rows.setdefault("DORM", []).append(dorm_row(f"{arguments.build}/dorm", train, test, seed, arguments.threads))
        for name, tried in methods(seed, arguments.threads).items():
            best = max(tried, key=lambda one: values_of(one(kept), kept, held)["ndcg@10"].mean())
            rows.setdefault(name, []).append(values_of(best(matrix(train)), matrix(train), matrix(test)))
            print(f"seed {seed}, {name}: {rows[name][-1]['ndcg@10'].mean():.4f}", file=sys.stderr, flush=True)
    reference = REFERENCE if REFERENCE in rows else "EASE, numpy"
    table = {}
    for name, values in rows.items():
        table[name] = {m: float(np.concatenate([np.atleast_1d(v[m]) for v in values]).mean()) for m in MEASURES}
        for m in ("recall@10", "ndcg@10"):
            difference = np.concatenate([v[m] - r[m] for v, r in zip(values, rows[reference], strict=True)])
            table[name][f"{m} difference"] = float(difference.mean())
            table[name][f"{m} error"] = float(difference.std(ddof=1) / math.sqrt(len(difference)))
    versions = {p: importlib.metadata.version(p) for p in ("implicit", "lightfm") if importlib.util.find_spec(p)}
    return {"reference": reference, "seeds": arguments.seeds, "versions": versions, "rows": table}


def markdown(results: dict) -> str:
    """Best NDCG@10 first."""
    lines = [
        f"| | recall@10 | NDCG@10 | coverage@10 | recall@10 minus {results['reference']} | NDCG@10 minus it |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in sorted(results["rows"].items(), key=lambda each: -each[1]["ndcg@10"]):
        version = next((f" {v}" for p, v in results["versions"].items() if p in name.lower()), "")
        cells = [f"{row[m]:.4f}" for m in ("recall@10", "ndcg@10")] + [f"{row['coverage@10']:.2f}"]
        for m in ("recall@10", "ndcg@10"):
            same = name == results["reference"]
            cells.append("" if same else f"{row[f'{m} difference']:+.4f} ± {row[f'{m} error']:.4f}")
        lines.append(f"| {name}{version} | " + " | ".join(cells) + " |")
    if row := results.get("ratings"):
        cells = [f"{row['recall@10']:.4f}", f"{row['ndcg@10']:.4f}", f"{row['coverage@10']:.2f}"]
        lines.append(f"| factorization of the ratings (DORM) | {' | '.join(cells)} | | |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--users", type=int, default=943, help="the first of MovieLens-100K")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="write the results here")
    parser.add_argument("--ratings", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    if arguments.markdown:
        print(markdown(json.loads(RESULTS.read_text())))
        return
    if arguments.ratings:
        results = json.loads(RESULTS.read_text())
        seeds = range(1, results["seeds"] + 1)
        rows = [row_of_ratings(f"{arguments.build}/dorm", k, arguments.users, arguments.threads) for k in seeds]
        results["ratings"] = {m: sum(float(row[m].mean()) for row in rows) / len(rows) for m in MEASURES}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        return
    results = measured(arguments)
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    print(markdown(results))


if __name__ == "__main__":
    main()
