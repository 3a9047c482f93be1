# SPDX-License-Identifier: Apache-2.0
"""Boosted trees trained with the loss of DORM beside LightGBM's lambdarank and regression and XGBoost's rank:ndcg:
five folds of MQ2008 and of the MQ2007 sample, the same grid, the same early stopping, several seeds.

    python benchmarks/boosting/compare.py [--data mq2008,mq2007-sample] [--measures ndcg@10] [--seeds 3] [--methods ...]

Every method has the same 12 configurations: leaves x rows (or curvature) per leaf; the one parameter more that a
method has (noise of DORM, truncation of the others) takes each of its three values on four of them. lambdarank,
regression and rank:ndcg are trained once and stopped by each measure for itself; DORM is trained for each measure.
Every finished training is one file under --out, so a run that was stopped goes on where it was. The configuration is
chosen for each fold and seed on the validation part; standard errors are paired over the test queries of all folds.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import time
from pathlib import Path

import lightgbm as lgb
import numpy as np
import xgboost as xgb
from folds import MEASURES, Part, cell_path
from tables import print_table
from variants import Annealed, PerQuery, gain_residuals

import dorm

LEAVES = (7, 15, 31, 63)
MIN_DATA = (20, 100, 300)
MIN_CHILD_WEIGHT = (0.1, 1.0, 10.0)  # XGBoost counts curvature, not rows
SIGMAS, TRUNCATIONS = (0.1, 0.3, 1.0), (10, 20, 30)
ROUNDS, PATIENCE, RATE = 300, 40, 0.1
METHODS = "lambdarank,regression,xgboost-rank:ndcg,dorm-hinge,dorm-ramp"


class Fold:
    """Training, validation and test part, and the data sets of the libraries, each made once."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts
        train, valid, _ = parts
        shared = {"feature_pre_filter": False, "num_threads": 1, "verbose": -1}
        self.lightgbm = lgb.Dataset(train.X, train.y, group=train.sizes, params=shared).construct()
        self.lightgbm_valid = self.lightgbm.create_valid(valid.X, valid.y, group=valid.sizes).construct()

    @functools.cached_property
    def xgboost(self) -> list[xgb.DMatrix]:
        return [xgb.DMatrix(part.X, part.y, group=part.sizes) for part in self.parts]

    @classmethod
    def of_files(cls, folder: Path, fold: int, seed: int) -> Fold:
        numbers = [(fold + k) % 5 + 1 for k in range(5)]
        picked = (numbers[:3], numbers[3:4], numbers[4:])
        return cls([Part.of_files(folder, n, 100 * seed + fold) for n in picked])


class Watch:
    """Values of the measures on the validation part after every round, the best round of each."""

    def __init__(self, valid: Part, measures: tuple[str, ...]) -> None:
        self.valid, self.measures, self.history = valid, measures, []

    def __call__(self, scores, _data):
        self.history.append(np.nanmean(self.valid.values(scores, self.measures), axis=1))
        return []  # nothing for the library to look at: `exhausted` stops the training

    def best_rounds(self) -> np.ndarray:
        return np.argmax(self.history, axis=0) + 1

    def exhausted(self) -> bool:
        return bool(np.all(len(self.history) - self.best_rounds() >= PATIENCE))


def lightgbm_objective(method: str, measures: tuple[str, ...], seed: int, column: int):
    if method.startswith("lambdarank"):
        _, *truncation = method.split("-")
        level = int(truncation[0]) if truncation else TRUNCATIONS[column]
        return {"objective": "lambdarank", "lambdarank_truncation_level": level}
    if method in ("regression", "rank_xendcg"):
        return {"objective": method}
    if method == "regression-gains":
        return {"objective": gain_residuals}
    if method == "dorm-annealed":
        return {"objective": Annealed(measures[0], seed)}
    if method == "dorm-per-query":
        return {"objective": PerQuery(measures[0], seed)}
    _, kind, *sigma = method.split("-")
    reference = {"hinge": "best", "ramp": "predicted"}[kind]
    noise = float(sigma[0]) if sigma else SIGMAS[column]
    return {"objective": dorm.objective(measures[0], reference, noise, random_state=seed, n_jobs=1)}


def lightgbm_params(method: str, measures: tuple[str, ...], seed: int, leaves: int, column: int) -> dict:
    return {
        **lightgbm_objective(method, measures, seed, (LEAVES.index(leaves) + column) % 3),
        "learning_rate": RATE,
        "num_leaves": leaves,
        "min_data_in_leaf": MIN_DATA[column],
        "min_sum_hessian_in_leaf": 1e-3,
        "feature_pre_filter": False,
        "metric": "None",
        "num_threads": 1,
        "seed": seed,
        "verbose": -1,
    }


def train_lightgbm(method: str, measures: tuple[str, ...], seed: int, leaves: int, column: int, fold: Fold):
    params = lightgbm_params(method, measures, seed, leaves, column)
    watch = Watch(fold.parts[1], measures)

    def stop(env):
        if watch.exhausted():
            raise lgb.callback.EarlyStopException(env.iteration, [])

    model = lgb.train(params, fold.lightgbm, ROUNDS, valid_sets=[fold.lightgbm_valid], feval=watch, callbacks=[stop])
    return watch, [model.predict(fold.parts[2].X, num_iteration=r, num_threads=1) for r in watch.best_rounds()]


class StopWhenExhausted(xgb.callback.TrainingCallback):
    def __init__(self, watch: Watch, valid: xgb.DMatrix) -> None:
        self.watch, self.valid = watch, valid

    def after_iteration(self, model, epoch, evals_log) -> bool:
        self.watch(model.predict(self.valid), None)
        return self.watch.exhausted()


def train_xgboost(method: str, measures: tuple[str, ...], seed: int, leaves: int, column: int, fold: Fold):
    train, valid, test = fold.xgboost
    params = {
        "objective": method.removeprefix("xgboost-"),
        "lambdarank_num_pair_per_sample": TRUNCATIONS[(LEAVES.index(leaves) + column) % 3],
        "eta": RATE,
        "grow_policy": "lossguide",
        "max_leaves": leaves,
        "max_depth": 0,
        "min_child_weight": MIN_CHILD_WEIGHT[column],
        "nthread": 1,
        "seed": seed,
    }
    watch = Watch(fold.parts[1], measures)
    model = xgb.train(params, train, ROUNDS, callbacks=[StopWhenExhausted(watch, valid)])
    return watch, [model.predict(test, iteration_range=(0, int(r))) for r in watch.best_rounds()]


def run_cells(folder: Path, out: Path, methods: list[str], measure: str, seeds: int, grid: list) -> None:
    for seed, number in itertools.product(range(1, seeds + 1), range(5)):
        cells = [(m, *point, cell_path(out, m, measure, seed, number, *point)) for m in methods for point in grid]
        cells = [cell for cell in cells if not cell[-1].exists()]
        if not cells:
            continue
        fold = Fold.of_files(folder, number, seed)
        for method, leaves, column, path in cells:
            start = time.process_time()
            watched = (measure,) if method.startswith("dorm") else MEASURES
            learner = train_xgboost if method.startswith("xgboost-") else train_lightgbm
            watch, scores = learner(method, watched, seed, leaves, column, fold)
            partial = path.with_suffix(".part.npz")
            np.savez(
                partial,
                measures=watched,
                rounds=watch.best_rounds(),
                valid=np.max(watch.history, axis=0),
                scores=np.stack([fold.parts[2].in_file_order(s) for s in scores]),
                seconds=time.process_time() - start,
            )
            os.replace(partial, path)
        print(f"{folder.name} {measure}: seed {seed} fold {number + 1} done", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="mq2008,mq2007-sample")
    parser.add_argument("--measures", default="ndcg@10", help=f"some of {','.join(MEASURES)}")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--single", action="store_true", help="15 leaves of 100 rows only, instead of the grid")
    parser.add_argument("--report", action="store_true", help="train nothing, print the tables of what is there")
    parser.add_argument("--out", type=Path, default=Path("build-bench/boosting"))
    options = parser.parse_args()
    root = Path(os.environ.get("DORM_DATA", "../shared/data"))
    methods = options.methods.split(",")
    grid = [(15, 1)] if options.single else list(itertools.product(LEAVES, range(3)))
    for measure, name in itertools.product(options.measures.split(","), options.data.split(",")):
        out = options.out / name
        out.mkdir(parents=True, exist_ok=True)
        if not options.report:
            run_cells(root / name, out, methods, measure, options.seeds, grid)
        print_table(root / name, out, methods, measure, options.seeds, grid)


if __name__ == "__main__":
    main()
