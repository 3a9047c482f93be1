# SPDX-License-Identifier: Apache-2.0
"""Scores and contributions of random models of trees beside the predict and the contributions of their own libraries.

    python benchmarks/trees/agree.py [--models 200]      writes benchmarks/trees/agree.csv
    python benchmarks/trees/agree.py --markdown          prints the table of docs/trees.md

Regression and ranking, gbdt and dart, numbers, zeros, missing values, categories, dense and sparse data: what
tests/python/tree_models.py draws, by its seed. CatBoost is left out where it is not
installed, and contributions are compared where its own ShapValues sum to its score: those of symmetric trees do.
Differences are relative to the largest score of the model.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from pathlib import Path

RESULTS = Path(__file__).with_suffix(".csv")


def apart(ours, theirs, scale) -> float:
    return float(abs(ours - theirs).max() / max(1.0, abs(scale).max()))


def lightgbm_row(made, seed):
    import numpy as np
    import scipy.sparse as sp
    from tree_models import lightgbm_model

    import dorm

    booster = lightgbm_model(made, ["gbdt", "dart"][seed % 2], ["regression", "lambdarank"][seed // 2 % 2])
    ensemble = dorm.DormEnsemble(booster)
    raw = booster.predict(made.X, raw_score=True)
    scores = apart(ensemble.predict(made.X), raw, raw)
    known = np.nan_to_num(made.X)
    sparse = apart(ensemble.predict(sp.csr_matrix(known)), booster.predict(known, raw_score=True), raw)
    shap = apart(ensemble.explain(made.X), booster.predict(made.X, pred_contrib=True)[:, :-1], raw)
    return max(scores, sparse), shap


def xgboost_row(made, seed):
    from tree_models import xgboost_data, xgboost_model

    import dorm

    booster = xgboost_model(made, ["gbtree", "dart"][seed % 2], ["reg:squarederror", "rank:ndcg"][seed // 2 % 2])
    ensemble, data = dorm.DormEnsemble(booster), xgboost_data(made)
    raw = booster.predict(data, output_margin=True)
    shap = apart(ensemble.explain(made.X), booster.predict(data, pred_contribs=True)[:, :-1], raw)
    return apart(ensemble.predict(made.X), raw, raw), shap


def catboost_row(made, seed):
    import catboost

    import dorm

    policy = ["SymmetricTree", "Depthwise", "Lossguide"][seed % 3]
    kind = catboost.CatBoostRanker if seed // 3 % 2 else catboost.CatBoostRegressor
    loss = "YetiRank" if kind is catboost.CatBoostRanker else "RMSE"
    if policy != "SymmetricTree" and loss == "YetiRank":
        loss = "QueryRMSE"
    with tempfile.TemporaryDirectory() as folder:
        model = kind(iterations=15, depth=2 + seed % 5, grow_policy=policy, loss_function=loss, verbose=0,
                     random_seed=seed, thread_count=1, train_dir=folder)  # fmt: skip
        from tree_models import LENGTH, QUERIES

        queries = [q for q in range(QUERIES) for _ in range(LENGTH)]
        model.fit(made.X, made.grades, **({"group_id": queries} if kind is catboost.CatBoostRanker else {}))
        raw = model.predict(made.X, prediction_type="RawFormulaVal") if loss == "RMSE" else model.predict(made.X)
        ensemble = dorm.DormEnsemble(model)
        shap = model.get_feature_importance(catboost.Pool(made.X, group_id=queries), type="ShapValues")
        own = abs(shap.sum(axis=1) - raw).max() < 1e-6  # else they are no contributions to CatBoost's own score
        contributions = apart(ensemble.explain(made.X), shap[:, :-1], raw) if own else float("nan")
        return apart(ensemble.predict(made.X), raw, raw), contributions


def measure(models: int) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))
    from tree_models import world

    rows = []
    for library, row_of in (("LightGBM", lightgbm_row), ("XGBoost", xgboost_row), ("CatBoost", catboost_row)):
        try:
            version = __import__(library.lower()).__version__
        except ImportError:
            print(f"{library} is not installed: left out")
            continue
        found = [row_of(world(1000 + seed), seed) for seed in range(models)]
        scores, contributions = zip(*found)
        compared = [each for each in contributions if each == each]
        largest = [f"{max(scores):.1e}", f"{max(compared):.1e}", len(compared)]
        rows.append([library, version, models, *largest])
        print(*rows[-1])
    with open(RESULTS, "w", newline="") as file:
        csv.writer(file).writerows([["library", "version", "models", "scores", "contributions", "compared"], *rows])


def markdown() -> None:
    print("| library | random models | largest difference of a score | of a contribution |")
    print("|---|---|---|---|")
    for row in csv.DictReader(RESULTS.read_text().splitlines()):
        some = "" if row["compared"] == row["models"] else f", {row['compared']} models"
        print(
            f"| {row['library']} {row['version']} | {row['models']} | {row['scores']} | {row['contributions']}{some} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    markdown() if given.markdown else measure(given.models)


if __name__ == "__main__":
    main()
