# SPDX-License-Identifier: Apache-2.0
"""Time per boosting round of the loss of DORM beside LightGBM's lambdarank and XGBoost's rank:ndcg on the same data,
the share of the gradient in it, and how the gradient grows with the length of one list.

    python benchmarks/boosting/timing.py [--rounds 60] [--repeats 3]

Milliseconds of processor time, one thread; the least of the repeats. Without the MQ2007 sample, generated data only.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import lightgbm as lgb
import numpy as np
import xgboost as xgb
from folds import Part

import dorm

REFERENCES = {"hinge": "best", "ramp": "predicted"}


class Timed:
    """An objective that knows how long it took; LightGBM trains with a copy, which is this."""

    def __init__(self, objective) -> None:
        self.objective, self.seconds = objective, 0.0

    def __deepcopy__(self, memo):
        return self

    def __call__(self, scores, data):
        start = time.process_time()
        result = self.objective(scores, data)
        self.seconds += time.process_time() - start
        return result


def lightgbm_round(data: lgb.Dataset, objective, leaves: int, rounds: int) -> float:
    """Milliseconds per round."""
    params = {
        "objective": objective,
        "num_leaves": leaves,
        "min_data_in_leaf": 20,
        "min_sum_hessian_in_leaf": 1e-3,
        "learning_rate": 0.1,
        "num_threads": 1,
        "feature_pre_filter": False,
        "verbose": -1,
        "metric": "None",
    }
    start = time.process_time()
    lgb.train(params, data, rounds)
    return (time.process_time() - start) / rounds * 1e3


def xgboost_round(matrix: xgb.DMatrix, objective, leaves: int, rounds: int) -> float:
    params = {"eta": 0.1, "grow_policy": "lossguide", "max_leaves": leaves, "max_depth": 0, "nthread": 1}
    if isinstance(objective, str):
        params["objective"], objective = objective, None
    else:
        params |= {"min_child_weight": 1e-3, "disable_default_eval_metric": 1, "base_score": 0.0}
    start = time.process_time()
    xgb.train(params, matrix, rounds, obj=objective)
    return (time.process_time() - start) / rounds * 1e3


def time_rounds(name: str, X, y, sizes, leaves: int, rounds: int, repeats: int) -> None:
    data = lgb.Dataset(X, y, group=sizes, params={"feature_pre_filter": False, "verbose": -1}).construct()
    matrix = xgb.DMatrix(X, y, group=sizes)
    print(f"\n{name}: {len(y)} documents in {len(sizes)} queries, {X.shape[1]} features, {leaves} leaves")
    print("| learner | objective | round, ms | of it gradient, ms |")
    print("|---|---|---|---|")

    def row(learner: str, train, objective, label: str) -> None:
        best = (np.inf, 0.0)
        for _ in range(repeats):
            timed = objective if isinstance(objective, str) else Timed(objective)
            total = train(data if learner == "LightGBM" else matrix, timed, leaves, rounds)
            share = 0.0 if isinstance(timed, str) else timed.seconds / rounds * 1e3
            best = min(best, (total, share))
        print(f"| {learner} | {label} | {best[0]:.1f} | {f'{best[1]:.1f}' if best[1] else '-'} |", flush=True)

    row("LightGBM", lightgbm_round, "regression", "regression")
    row("LightGBM", lightgbm_round, "lambdarank", "lambdarank")
    for kind, reference in REFERENCES.items():
        row("LightGBM", lightgbm_round, dorm.objective("ndcg@10", reference, 0.3, n_jobs=1), f"dorm {kind}")
    row("XGBoost", xgboost_round, "rank:ndcg", "rank:ndcg")
    for kind, reference in REFERENCES.items():
        row("XGBoost", xgboost_round, dorm.objective("ndcg@10", reference, 0.3, n_jobs=1), f"dorm {kind}")


def time_lengths(repeats: int) -> None:
    """One query of l documents, five grades, scores that know a little of them."""
    print("\nGradient of one query of l documents, ms (a round of LightGBM's lambdarank on it, one feature, 2 leaves)")
    print("| l | dorm hinge | dorm ramp | lambdarank, whole round |")
    print("|---|---|---|---|")
    for length in (100, 1_000, 10_000, 100_000):
        rng = np.random.default_rng(length)
        y = rng.choice(5, length, p=[0.6, 0.2, 0.1, 0.07, 0.03]).astype(float)
        scores = 0.3 * y + rng.normal(size=length)
        cells = []
        for reference in REFERENCES.values():
            objective = dorm.objective("ndcg@10", reference, 0.3, n_jobs=1)
            objective(y, scores, None, [length])  # prepares the labels, once per training
            calls = max(1, 100_000 // length)
            cells.append(f"{min(_call_ms(objective, y, scores, calls) for _ in range(repeats)):.3f}")
        print(f"| {length:,} | {' | '.join(cells)} | {_lambdarank_ms(scores, y)} |", flush=True)


def _call_ms(objective, y, scores, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        objective(y, scores, None, [len(y)])
    return (time.process_time() - start) / calls * 1e3


def _lambdarank_ms(scores, y) -> str:
    data = lgb.Dataset(scores[:, None], y, group=[len(y)], params={"verbose": -1, "feature_pre_filter": False})
    try:
        return f"{lightgbm_round(data.construct(), 'lambdarank', 2, 10):.3f}"
    except lgb.basic.LightGBMError as error:
        return f"refused: {error}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    folder = Path(os.environ.get("DORM_DATA", "../shared/data")) / "mq2007-sample"
    if folder.exists():
        part = Part(folder, [1, 2, 3], 1)
        for leaves in (15, 63):
            time_rounds("MQ2007 sample, fold 1", part.X, part.y, part.sizes, leaves, options.rounds, options.repeats)
    X, y, qid = dorm.synth(queries=1000, features=46, documents_median=100, seed=1)
    sizes = np.unique(qid, return_counts=True)[1]
    time_rounds("generated", X, y, sizes, 31, options.rounds, options.repeats)
    time_lengths(options.repeats)


if __name__ == "__main__":
    main()
