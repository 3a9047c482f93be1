#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DormRanker beside LightGBM's and XGBoost's rankers: test NDCG@10, seconds to fit and to predict, in one run.

Each method has the same effort to tune: four cells, judged by NDCG@10 on the same validation queries. DORM's are four
values of C; the trees' are two numbers of leaves (or depths) times two learning rates. Within a cell the same queries
also choose among DORM's candidates (bound and start) and the number of trees. One seed, --threads threads (1).

Seconds are those of the processor, which a busy machine disturbs less than the clock: `fit` is the training of the
chosen cell alone, `tune` of all four; `predict` is the best of five calls. Data is found by DORM_DATA.
"""

import argparse
import os
import statistics
import time
import warnings
from pathlib import Path

import lightgbm
import numpy as np
import xgboost

import dorm

DATA = Path(os.environ.get("DORM_DATA", "../shared/data"))
SEED = 1
MOST_TREES, PATIENCE = 1000, 50
Part = tuple[np.ndarray, np.ndarray, np.ndarray]  # X, y, qid


def stack(parts: list[dorm.RankingData]) -> Part:
    return tuple(np.concatenate([np.asarray(part[k]) for part in map(list, parts)]) for k in range(3))


def select(part: Part, keep: np.ndarray) -> Part:
    return tuple(np.ascontiguousarray(column[keep]) for column in part)


def mq2008() -> list[tuple[Part, Part, Part]]:
    """The publisher's five folds: three parts to train, one to validate, one to test."""
    parts = [dorm.read_letor(DATA / "mq2008" / f"S{k}.txt.gz") for k in range(1, 6)]
    picked = [[[parts[(k + j) % 5] for j in js] for js in ((0, 1, 2), (3,), (4,))] for k in range(5)]
    return [tuple(stack(part) for part in fold) for fold in picked]


def lightgbm_example() -> list[tuple[Part, Part, Part]]:
    """Its training set has no validation part: the last third of the queries validates."""
    folder = DATA / "lightgbm-lambdarank"
    train, test = (tuple(dorm.read_letor(folder / f"rank.{part}.gz")) for part in ("train", "test"))
    first = train[2] <= len(sizes(train[2])) * 2 // 3
    return [(select(train, first), select(train, ~first), test)]


def sizes(qid: np.ndarray) -> np.ndarray:
    return np.diff(np.flatnonzero(np.r_[True, qid[1:] != qid[:-1], True]))


class Dorm:
    name = "DormRanker"
    cells = [{"C": C} for C in (10, 100, 1000, 10000)]

    @staticmethod
    def fit(cell, train, valid, threads):
        ranker = dorm.DormRanker("ndcg@10", n_jobs=threads, random_state=SEED, **cell)
        return ranker.fit(train[0], train[1], qid=train[2], eval_set=(valid[0], valid[1]), eval_qid=valid[2])

    @staticmethod
    def predict(ranker, part):
        return ranker.predict(part[0], qid=part[2])


class LightGBM:
    name = "LGBMRanker"
    cells = [{"num_leaves": leaves, "learning_rate": rate} for leaves in (7, 31) for rate in (0.03, 0.1)]

    @staticmethod
    def fit(cell, train, valid, threads):
        ranker = lightgbm.LGBMRanker(
            n_estimators=MOST_TREES, min_child_samples=20, n_jobs=threads, random_state=SEED, verbose=-1, **cell
        )
        return ranker.fit(
            train[0],
            train[1],
            group=sizes(train[2]),
            eval_set=[(valid[0], valid[1])],
            eval_group=[sizes(valid[2])],
            eval_at=[10],
            callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
        )

    @staticmethod
    def predict(ranker, part):
        return ranker.predict(part[0])


class XGBoost:
    name = "XGBRanker"
    cells = [{"max_depth": depth, "learning_rate": rate} for depth in (3, 6) for rate in (0.03, 0.1)]

    @staticmethod
    def fit(cell, train, valid, threads):
        ranker = xgboost.XGBRanker(
            objective="rank:ndcg",
            eval_metric="ndcg@10",
            n_estimators=MOST_TREES,
            early_stopping_rounds=PATIENCE,
            tree_method="hist",
            n_jobs=threads,
            random_state=SEED,
            **cell,
        )
        return ranker.fit(
            train[0],
            train[1],
            group=sizes(train[2]),  # it takes ids in increasing order only
            eval_set=[(valid[0], valid[1])],
            eval_group=[sizes(valid[2])],
            verbose=False,
        )

    @staticmethod
    def predict(ranker, part):
        return ranker.predict(part[0])


def ndcg(part: Part, scores: np.ndarray) -> np.ndarray:
    """Per query, the standard convention, NaN where nothing is relevant."""
    return dorm.evaluate(part[1], scores, qid=part[2], measures="ndcg@10", bootstrap=0).measures[0].per_query


def run(method, train, valid, test, threads) -> dict:
    tried = []
    for cell in method.cells:
        begin = time.process_time()
        ranker = method.fit(cell, train, valid, threads)
        seconds = time.process_time() - begin
        tried.append((float(np.nanmean(ndcg(valid, method.predict(ranker, valid)))), seconds, cell, ranker))
    quality, fit, cell, ranker = max(tried, key=lambda entry: entry[0])
    calls = []
    for _ in range(5):
        begin = time.process_time()
        scores = method.predict(ranker, test)
        calls.append(time.process_time() - begin)
    return {
        "values": ndcg(test, scores),
        "fit": fit,
        "tune": sum(entry[1] for entry in tried),
        "predict": min(calls),
        "cell": ", ".join(f"{name} {value}" for name, value in cell.items()),
        "valid": quality,
    }


def report(name: str, folds: list[tuple[Part, Part, Part]], threads: int) -> None:
    methods = (Dorm, LightGBM, XGBoost)
    results = {method: [run(method, *fold, threads) for fold in folds] for method in methods}
    ours = np.concatenate([result["values"] for result in results[Dorm]])
    for method, found in results.items():
        mean = {key: statistics.mean(r[key] for r in found) for key in ("fit", "tune", "predict")}
        quality = statistics.mean(float(np.nanmean(r["values"])) for r in found)
        against = "-"
        if method is not Dorm:
            tested = dorm.compare(ours, np.concatenate([r["values"] for r in found]))
            against = f"{tested.mean_difference:+.4f} [{tested.low:+.4f}, {tested.high:+.4f}]"
        print(
            f"| {name} | {method.name} | {quality:.4f} | {against} | {mean['fit']:.3f} | {mean['tune']:.2f} | "
            f"{1000 * mean['predict']:.2f} |",
            flush=True,
        )
    for method, found in results.items():
        print(f"<!-- {name} {method.name}: " + "; ".join(r["cell"] for r in found) + " -->")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*(valid feature names|eval_set)")  # eval_set: newer LightGBM has eval_X
    print(f"dorm {dorm.__version__}, lightgbm {lightgbm.__version__}, xgboost {xgboost.__version__}\n")
    heads = ["set", "ranker", "test NDCG@10", "DORM - ranker", "fit, s", "tune, s", "predict, ms"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name, folder, read in (
        ("MQ2008, 5 folds", "mq2008", mq2008),
        ("LightGBM example", "lightgbm-lambdarank", lightgbm_example),
    ):
        if not (DATA / folder).exists():
            print(f"{name} left out: no {DATA / folder}; set DORM_DATA")
            continue
        report(name, read(), options.threads)


if __name__ == "__main__":
    main()
