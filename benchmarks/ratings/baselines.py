#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DormFactorization beside recommenders from PyPI on the same splits of MovieLens-100K, one thread each.

implicit (ALS on confidences, BPR), where it is installed: `pip install implicit`. It learns from what was liked (4 and
5 stars), not from the order of the ratings, so two tasks are shown:

  rated    order the user's held-out ratings: NDCG@10 with gains 2^stars - 1
  unseen   recommend ten of all items not seen in training: share of users' held-out 4 and 5 stars found (recall@10)

For each baseline the best of its small grid on the test data is shown, which flatters it. Seconds are of the processor.
"""

import argparse
import gzip
import importlib.util
import os
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse

import dorm

DATA = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k"
RANK = 20
Scores = np.ndarray  # users x items


def read() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with gzip.open(DATA / "u.data.gz", "rt") as stream:
        table = np.loadtxt(stream, dtype=int)
    return table[:, 0] - 1, table[:, 1] - 1, table[:, 2].astype(np.float32)


def split(ratings: tuple, given: int, seed: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """`given` random ratings of every user who has ten more; the rest tests."""
    user, item, stars = ratings
    rng = np.random.default_rng(seed)
    train = np.zeros(len(user), dtype=bool)
    used = np.zeros(len(user), dtype=bool)
    for u in range(user.max() + 1):
        rows = rng.permutation(np.flatnonzero(user == u))
        if len(rows) >= given + 10:
            used[rows] = True
            train[rows[:given]] = True
    shape = (user.max() + 1, item.max() + 1)
    parts = (used & train, used & ~train)
    return tuple(sparse.csr_matrix((stars[p], (user[p], item[p])), shape) for p in parts)


def ndcg_of_rated(scores: Scores, test: sparse.csr_matrix) -> float:
    user, item = test.nonzero()
    return dorm.evaluate(test.data, scores[user, item], qid=user, measures="ndcg@10", ties="expected").measures[0].mean


def recall_of_unseen(scores: Scores, train: sparse.csr_matrix, test: sparse.csr_matrix) -> float:
    found = []
    for u in range(test.shape[0]):
        row = test[u]
        liked = row.indices[row.data >= 4]
        if len(liked) == 0:
            continue
        own = scores[u].copy()
        own[train[u].indices] = -np.inf
        found.append(len(np.intersect1d(np.argpartition(-own, 10)[:10], liked)) / min(10, len(liked)))
    return statistics.fmean(found)


def ours(**parameters) -> Callable[[sparse.csr_matrix], Scores]:
    def fit(train: sparse.csr_matrix) -> Scores:
        model = dorm.recommend.DormFactorization(RANK, fixed=True, n_jobs=1, **parameters).fit(train)
        return model.item_offsets_ + model.user_factors_ @ model.item_factors_.T

    return fit


def popularity(train: sparse.csr_matrix) -> Scores:
    return np.tile(np.asarray((train > 0).sum(0)).ravel().astype(float), (train.shape[0], 1))


def liked(train: sparse.csr_matrix) -> sparse.csr_matrix:
    return sparse.csr_matrix((train >= 4).astype(np.float32))


def implicit_als(regularization: float, weight: float) -> Callable[[sparse.csr_matrix], Scores]:
    from implicit.cpu.als import AlternatingLeastSquares

    def fit(train: sparse.csr_matrix) -> Scores:
        model = AlternatingLeastSquares(RANK, regularization=regularization, num_threads=1, random_state=1)
        model.fit(weight * liked(train), show_progress=False)
        return model.user_factors @ model.item_factors.T

    return fit


def implicit_bpr(regularization: float, rate: float) -> Callable[[sparse.csr_matrix], Scores]:
    from implicit.cpu.bpr import BayesianPersonalizedRanking

    def fit(train: sparse.csr_matrix) -> Scores:
        model = BayesianPersonalizedRanking(
            RANK, regularization=regularization, learning_rate=rate, num_threads=1, random_state=1
        )
        model.fit(liked(train), show_progress=False)
        return model.user_factors @ model.item_factors.T

    return fit


def methods() -> dict[str, list[Callable[[sparse.csr_matrix], Scores]]]:
    found: dict[str, list] = {
        "popularity": [popularity],
        "squared loss": [ours(rounds=0)],
        "DORM": [ours()],
        "DORM, implicit and neighbours": [ours(implicit=2.0, neighbours=20)],
    }
    if importlib.util.find_spec("implicit"):
        found["implicit ALS"] = [implicit_als(r, w) for r in (0.01, 1, 10) for w in (1, 10)]
        found["implicit BPR"] = [implicit_bpr(r, s) for r in (0.01, 0.1) for s in (0.01, 0.05)]
    return found


def judge(fit: Callable, parts: list[tuple]) -> tuple[float, float, float]:
    rated, unseen, seconds = [], [], []
    for train, test in parts:
        begin = time.process_time()
        scores = fit(train)
        seconds.append(time.process_time() - begin)
        rated.append(ndcg_of_rated(scores, test))
        unseen.append(recall_of_unseen(scores, train, test))
    return statistics.fmean(rated), statistics.fmean(unseen), statistics.fmean(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--given", type=int, nargs="+", default=[20, 50])
    parser.add_argument("--splits", type=int, nargs="+", default=[0, 1, 2], help="seeds")
    arguments = parser.parse_args()
    if not (DATA / "u.data.gz").exists():
        print(f"{DATA} is absent: skipped")
        return
    warnings.simplefilter("ignore")
    ratings = read()
    for given in arguments.given:
        parts = [split(ratings, given, seed) for seed in arguments.splits]
        print(f"\nN = {given}, {len(parts)} splits, rank {RANK}:  rated, unseen, seconds of one training", flush=True)
        for name, grid in methods().items():
            results = [judge(fit, parts) for fit in grid]
            rated, unseen = max(r[0] for r in results), max(r[1] for r in results)
            print(f"  {name:<30} {rated:.4f}  {unseen:.4f}  {statistics.fmean(r[2] for r in results):.2f}", flush=True)


if __name__ == "__main__":
    main()
