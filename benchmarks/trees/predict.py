# SPDX-License-Identifier: Apache-2.0
"""Scores of a model of trees beside the predict of LightGBM and of XGBoost, on one thread, in one run.

    python benchmarks/trees/predict.py [--trees 1000] [--leaves 31] [--features 136] [--documents 100,100000]
    python benchmarks/trees/predict.py --markdown          prints the table of docs/trees.md from predict.csv

Both libraries grow their own model of the shape on random data. Times are of the processor, the best of several calls
that take turns, so that other programs disturb all alike; ratios are the other's time over that of DORM. DORM scores
float32 rows, as LightGBM does; XGBoost predicts in place (inplace_predict).
"""

from __future__ import annotations

import argparse
import csv
import functools
import time
from pathlib import Path
from typing import Any

import numpy as np

TRAINING_ROWS, TURNS = 3000, 3
RESULTS = Path(__file__).with_suffix(".csv")


def seconds_of(calls: dict, documents: int) -> dict[str, float]:
    """The best of several turns by name."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(TURNS if documents > 1000 else 10 * TURNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - start)
    return best


def dataset_of(rows: np.ndarray) -> Any:
    """One query that borrows the rows."""
    from dorm import _core

    empty = np.zeros(0)
    return _core.Dataset.borrow_dense(
        rows,
        _core.Documents(
            labels=np.zeros(len(rows), np.float32),
            query_end=np.array([len(rows)], np.uint64),
            query_ids=["1"],
            query_weights=empty,
            source_rows=empty.astype(np.uint64),
            feature_names=[],
            about={},
        ),
    )


def measure(given: argparse.Namespace) -> None:
    import lightgbm as lgb
    import xgboost as xgb

    import dorm

    table = []
    rng = np.random.default_rng(1)
    X = rng.normal(size=(TRAINING_ROWS, given.features)).astype(np.float32)
    y = X @ rng.normal(size=given.features) + X[:, 0] * X[:, 1]
    options = {"num_leaves": given.leaves, "min_data_in_leaf": 5, "max_bin": 63, "verbose": -1, "num_threads": 1}
    light = lgb.train(options, lgb.Dataset(X, y), given.trees)
    deep = {"max_leaves": given.leaves, "max_depth": 0, "grow_policy": "lossguide", "max_bin": 63, "nthread": 1}
    extreme = xgb.train({**deep, "tree_method": "hist", "eta": 0.1}, xgb.DMatrix(X, y), given.trees)
    ours = {name: dorm.DormEnsemble(each).model_ for name, each in (("lightgbm", light), ("xgboost", extreme))}
    print(f"{given.trees} trees x {given.leaves} leaves x {given.features} features, one thread, us per document")
    print("model     documents     dorm   library   ratio   largest difference")
    for documents in (int(each) for each in given.documents.split(",")):
        rows = rng.normal(size=(documents, given.features)).astype(np.float32)
        data = dataset_of(rows)
        calls = {
            "lightgbm": functools.partial(light.predict, rows, raw_score=True, num_threads=1),
            "xgboost": functools.partial(extreme.inplace_predict, rows, predict_type="margin"),
        }
        for name, predict in calls.items():
            score = functools.partial(ours[name].score, data, 1)
            best = seconds_of({"dorm": score, name: predict}, documents)
            apart = np.abs(score() - predict()).max()
            own, other = best["dorm"] / documents * 1e6, best[name] / documents * 1e6
            table.append([name, given.trees, given.leaves, given.features, documents, f"{own:.3g}", f"{other:.3g}"])
            table[-1] += [f"{other / own:.1f}", f"{apart:.1g}"]
            print(f"{name:<9} {documents:>9} {own:>8.2f} {other:>9.2f} {other / own:>7.1f}   {apart:.2g}")
    with open(RESULTS, "w", newline="") as file:
        head = ["library", "trees", "leaves", "features", "documents", "dorm_us", "library_us", "ratio", "apart"]
        csv.writer(file).writerows([head, *table])


def markdown() -> None:
    names = {"lightgbm": "LightGBM", "xgboost": "XGBoost"}
    print("| model of | documents | its own `predict`, us per document | DORM | times faster |")
    print("|---|---|---|---|---|")
    for row in csv.DictReader(RESULTS.read_text().splitlines()):
        shape = f"| {names[row['library']]} | {int(row['documents']):,}"
        print(f"{shape} | {row['library_us']} | {row['dorm_us']} | {row['ratio']} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--documents", default="100,100000")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    markdown() if given.markdown else measure(given)


if __name__ == "__main__":
    main()
