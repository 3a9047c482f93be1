# SPDX-License-Identifier: Apache-2.0
"""Boosted trees trained with the loss of DORM beside LightGBM's lambdarank and regression and XGBoost's rank:ndcg:
five folds of MQ2008 and of the MQ2007 sample, the same grid, the same early stopping, several seeds.

    python benchmarks/boosting/run.py [--data mq2008,mq2007-sample] [--measure ndcg@10] [--seeds 3] [--methods ...]

Every finished training is one file under --out, so a run that was stopped goes on where it was. The configuration is
chosen for each fold and seed on the validation part; standard errors are paired over the test queries of all folds.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from pathlib import Path

import lightgbm as lgb
import numpy as np
import xgboost as xgb

import dorm

LEAVES = (7, 15, 31, 63)
MIN_DATA = (20, 100, 300)
MIN_CHILD_WEIGHT = (0.1, 1.0, 10.0)  # XGBoost counts curvature, not rows
ROUNDS, PATIENCE, RATE = 400, 60, 0.05
REPORTED = ("ndcg@10", "precision@10", "mrr")


class Part:
    """Some of the files S1..S5, documents shuffled inside their queries so that no tie follows the file."""

    def __init__(self, folder: Path, numbers: list[int], seed: int) -> None:
        files = [dorm.read_letor(folder / f"S{k}.txt.gz") for k in numbers]
        X = np.vstack([f.X for f in files])
        y = np.concatenate([f.y for f in files])
        qid = np.concatenate([np.asarray(f.qid) for f in files])
        self.sizes = np.array([len(list(run)) for _, run in itertools.groupby(qid)])
        rng = np.random.default_rng(seed)
        starts = np.r_[0, np.cumsum(self.sizes)[:-1]]
        order = np.concatenate([s + rng.permutation(n) for s, n in zip(starts, self.sizes)])
        self.X, self.y = np.ascontiguousarray(X[order]), y[order]


class Annealed:
    """The objective with a noise that falls from sigma 1 to 0.1 over the first 200 rounds."""

    def __init__(self, measure: str, seed: int) -> None:
        levels = np.geomspace(1, 0.1, 9)
        self.steps = [dorm.objective(measure, "best", s, random_state=seed, n_jobs=1) for s in levels]
        self.calls = 0

    def __call__(self, scores, data):
        step = min(len(self.steps) - 1, self.calls * len(self.steps) // 200)
        self.calls += 1
        return self.steps[step](scores, data)


class PerQuery:
    """Noise of 0.3 times the spread of a query's scores, at least 0.1."""

    def __init__(self, measure: str, seed: int) -> None:
        self.exact = dorm.objective(measure, "best", 0, n_jobs=1)
        self.rng = np.random.default_rng(seed)

    def __call__(self, scores, data):
        sizes = data.get_group()
        starts = np.r_[0, np.cumsum(sizes)[:-1]].astype(int)
        mean = np.add.reduceat(scores, starts) / sizes
        spread = np.sqrt(np.add.reduceat((scores - np.repeat(mean, sizes)) ** 2, starts) / sizes)
        noise = np.repeat(np.maximum(0.3 * spread, 0.1), sizes) * self.rng.standard_normal(len(scores))
        up, down = self.exact(scores + noise, data)[0], self.exact(scores - noise, data)[0]
        return (up + down) / 2, (abs(up) + abs(down)) / 2 + 1e-3


def lightgbm_objective(method: str, measure: str, seed: int):
    if method in ("lambdarank", "regression"):
        return method
    if method == "dorm-annealed":
        return Annealed(measure, seed)
    if method == "dorm-per-query":
        return PerQuery(measure, seed)
    _, kind, *sigma = method.split("-")
    reference = {"hinge": "best", "ramp": "predicted"}[kind]
    return dorm.objective(measure, reference, float(sigma[0]) if sigma else 0.3, random_state=seed, n_jobs=1)


def train_lightgbm(method: str, measure: str, seed: int, leaves: int, column: int, parts: list[Part]):
    train, valid, test = parts
    params = {
        "objective": lightgbm_objective(method, measure, seed),
        "learning_rate": RATE,
        "num_leaves": leaves,
        "min_data_in_leaf": MIN_DATA[column],
        "min_sum_hessian_in_leaf": 1e-3,
        "metric": "None",
        "num_threads": 1,
        "seed": seed,
        "verbose": -1,
    }
    data = lgb.Dataset(train.X, train.y, group=train.sizes)
    model = lgb.train(
        params,
        data,
        ROUNDS,
        valid_sets=[lgb.Dataset(valid.X, valid.y, group=valid.sizes, reference=data)],
        feval=dorm.metric(measure),
        callbacks=[lgb.early_stopping(PATIENCE, verbose=False)],
    )
    return model.best_iteration, dorm.boosting.recorded_score(model), model.predict(test.X)


def train_xgboost(method: str, measure: str, seed: int, leaves: int, column: int, parts: list[Part]):
    matrices = [xgb.DMatrix(part.X, part.y, group=part.sizes) for part in parts]
    params = {
        "objective": method.removeprefix("xgboost-"),
        "eta": RATE,
        "grow_policy": "lossguide",
        "max_leaves": leaves,
        "max_depth": 0,
        "min_child_weight": MIN_CHILD_WEIGHT[column],
        "disable_default_eval_metric": 1,
        "nthread": 1,
        "seed": seed,
    }
    model = xgb.train(
        params,
        matrices[0],
        ROUNDS,
        evals=[(matrices[1], "valid")],
        custom_metric=dorm.metric(measure),
        maximize=True,
        early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )
    scores = model.predict(matrices[2], iteration_range=(0, model.best_iteration + 1))
    return model.best_iteration + 1, model.best_score, scores


def run_cells(folder: Path, out: Path, methods: list[str], measure: str, seeds: int) -> None:
    for seed, fold in itertools.product(range(1, seeds + 1), range(5)):
        numbers = [(fold + k) % 5 + 1 for k in range(5)]
        cells = [
            (m, leaves, column, out / f"{m}_{measure}_{seed}_{fold}_{leaves}_{column}.npz")
            for m, leaves, column in itertools.product(methods, LEAVES, range(3))
        ]
        if all(path.exists() for *_, path in cells):
            continue
        parts = [Part(folder, n, 100 * seed + fold) for n in (numbers[:3], numbers[3:4], numbers[4:])]
        for method, leaves, column, path in cells:
            if path.exists():
                continue
            start = time.process_time()
            learner = train_xgboost if method.startswith("xgboost-") else train_lightgbm
            rounds, valid, scores = learner(method, measure, seed, leaves, column, parts)
            partial = path.with_suffix(".part.npz")
            np.savez(partial, rounds=rounds, valid=valid, scores=scores, seconds=time.process_time() - start)
            os.replace(partial, path)
        print(f"{folder.name} {measure}: seed {seed} fold {fold + 1} done", flush=True)


def chosen_scores(out: Path, method: str, measure: str, seed: int, fold: int):
    cells = [np.load(p) for p in sorted(out.glob(f"{method}_{measure}_{seed}_{fold}_*.npz"))]
    best = max(cells, key=lambda c: float(c["valid"]))
    return (
        best["scores"],
        float(best["valid"]),
        float(np.mean([c["valid"] for c in cells])),
        [c["scores"] for c in cells],
    )


def per_query(part: Part, scores, names) -> np.ndarray:
    table = dorm.evaluate(part.y, scores, group=part.sizes, measures=list(names), bootstrap=0, n_jobs=1)
    return np.stack([m.per_query for m in table])


def report(folder: Path, out: Path, methods: list[str], measure: str, seeds: int) -> None:
    values, valid, grid_mean = {}, {}, {}
    for method in methods:
        rows, scores_valid, grids = [], [], []
        for seed, fold in itertools.product(range(1, seeds + 1), range(5)):
            test = Part(folder, [(fold + 4) % 5 + 1], 100 * seed + fold)
            scores, value, _, all_scores = chosen_scores(out, method, measure, seed, fold)
            rows.append(per_query(test, scores, REPORTED))
            scores_valid.append(value)
            grids.append(np.mean([per_query(test, s, REPORTED[:1])[0] for s in all_scores], axis=0))
        folds = [np.mean([rows[s * 5 + f] for s in range(seeds)], axis=0) for f in range(5)]  # mean over seeds
        values[method] = folds
        valid[method] = np.mean(scores_valid)
        grid_mean[method] = np.concatenate(
            [np.mean([grids[s * 5 + f] for s in range(seeds)], axis=0) for f in range(5)]
        )
    print(f"\n{folder.name}, trained and stopped on {measure}, {seeds} seeds, {len(LEAVES) * 3} configurations each")
    base = methods[0]
    index = REPORTED.index(measure)
    header = f"{measure} less {base} (se) | folds won | whole grid less {base} (se)"
    print(f"| method | valid | {' | '.join(REPORTED)} | {header} |")
    print("|---|---|---|---|---|---|---|---|")
    for method in methods:
        pooled = np.concatenate(values[method], axis=1)
        cells = " | ".join(f"{m:.4f}" for m in np.nanmean(pooled, axis=1))
        won = sum(np.nanmean(a[index]) > np.nanmean(b[index]) for a, b in zip(values[method], values[base]))
        chosen = with_error(pooled[index] - np.concatenate(values[base], axis=1)[index])
        grid = with_error(grid_mean[method] - grid_mean[base])
        tail = "- | - | -" if method == base else f"{chosen} | {won}/5 | {grid}"
        print(f"| {method} | {valid[method]:.4f} | {cells} | {tail} |")


def with_error(difference: np.ndarray) -> str:
    """The mean over the queries that have a value, and its standard error."""
    known = difference[~np.isnan(difference)]
    return f"{known.mean():+.4f} ({known.std(ddof=1) / np.sqrt(len(known)):.4f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="mq2008,mq2007-sample")
    parser.add_argument("--measure", default="ndcg@10", choices=REPORTED)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default="lambdarank,regression,xgboost-rank:ndcg,dorm-hinge,dorm-ramp")
    parser.add_argument("--out", type=Path, default=Path("build-bench/boosting"))
    parser.add_argument("--build", help="unused; every benchmark takes it")
    options = parser.parse_args()
    root = Path(os.environ.get("DORM_DATA", "../shared/data"))
    methods = options.methods.split(",")
    for name in options.data.split(","):
        out = options.out / name
        out.mkdir(parents=True, exist_ok=True)
        run_cells(root / name, out, methods, options.measure, options.seeds)
        report(root / name, out, methods, options.measure, options.seeds)


if __name__ == "__main__":
    main()
