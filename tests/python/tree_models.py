# SPDX-License-Identifier: Apache-2.0
"""Random data, and random models of LightGBM and XGBoost grown on it."""

from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np
import xgboost as xgb

QUERIES, LENGTH = 12, 20


@dataclass
class World:
    X: np.ndarray
    y: np.ndarray
    grades: np.ndarray
    categories: list[int]
    rng: np.random.Generator


def world(seed: int) -> World:
    """Numbers, perhaps zeros, missing values and one column of categories."""
    rng = np.random.default_rng(seed)
    rows, columns = QUERIES * LENGTH, int(rng.integers(3, 9))
    X = rng.normal(size=(rows, columns)).astype(np.float32)
    X[rng.random(X.shape) < rng.choice([0, 0.4])] = 0
    categories = [0] if rng.random() < 0.5 else []
    if categories:
        X[:, 0] = rng.integers(0, 12, rows)
    X[rng.random(X.shape) < rng.choice([0, 0.1])] = np.nan
    known = np.nan_to_num(X)
    y = 2 * known[:, -1] + np.sin(3 * known[:, 1]) + known[:, 0] % 3 + 0.1 * rng.normal(size=rows)
    return World(X, y, np.digitize(y, [0, 1, 2]), categories, rng)


def lightgbm_model(made: World, boosting: str, objective: str, **more: Any) -> lgb.Booster:
    rng = made.rng
    options = {
        "verbose": -1,
        "num_threads": 1,
        "deterministic": True,
        "seed": int(rng.integers(1000)),
        "num_leaves": int(rng.choice([4, 31, 50, 90])),
        "min_data_in_leaf": int(rng.choice([1, 5])),
        "learning_rate": 0.2,
        "zero_as_missing": bool(rng.random() < 0.3),
        "use_missing": bool(rng.random() < 0.8),
        "max_cat_to_onehot": int(rng.choice([1, 4])),
        "min_data_per_group": 5,
        "bagging_fraction": 0.7,
        "bagging_freq": 1,
        **more,
    }
    ranks = objective == "lambdarank"
    data = lgb.Dataset(
        made.X,
        made.grades if ranks else made.y,
        group=[LENGTH] * QUERIES if ranks else None,
        categorical_feature=made.categories,
    )
    return lgb.train({**options, "objective": objective, "boosting": boosting}, data, int(rng.choice([3, 15])))


def xgboost_data(made: World, y: Any = None, **more: Any) -> xgb.DMatrix:
    types = ["c" if j in made.categories else "q" for j in range(made.X.shape[1])]
    return xgb.DMatrix(made.X, y, feature_types=types, enable_categorical=True, **more)


def xgboost_model(made: World, booster: str, objective: str) -> xgb.Booster:
    rng, ranks = made.rng, objective.startswith("rank")
    data = xgboost_data(
        made, made.grades if ranks else made.y, qid=np.repeat(range(QUERIES), LENGTH) if ranks else None
    )
    options = {
        "max_depth": int(rng.choice([2, 6, 8])),
        "tree_method": "hist",
        "max_cat_to_onehot": int(rng.choice([1, 5])),
        "nthread": 1,
        "seed": int(rng.integers(1000)),
        "rate_drop": 0.3,
    }
    return xgb.train({**options, "booster": booster, "objective": objective}, data, int(rng.choice([3, 15])))
