#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""XGBoost trained for the reciprocal rank by DORM's objective, from a DataFrame. Needs xgboost and pandas."""

import pandas as pd
import xgboost

import dorm

FEATURES = [f"f{j}" for j in range(20)]
PARAMETERS = {
    "eta": 0.1,
    "max_depth": 4,
    "min_child_weight": 1e-3,  # counts curvature, of which a document has little here
    "base_score": 0.0,
    "disable_default_eval_metric": 1,
    "nthread": 1,
}


def matrix(part: pd.DataFrame) -> xgboost.DMatrix:
    return xgboost.DMatrix(part[FEATURES], part.label, qid=part.qid)  # rows of a query stand together


def main() -> None:
    X, y, qid = dorm.synth(queries=300, features=len(FEATURES), documents_median=20, seed=6)
    frame = pd.DataFrame(X, columns=FEATURES).assign(label=y, qid=qid)
    test = frame[frame.qid > 240]
    model = xgboost.train(
        PARAMETERS,
        matrix(frame[frame.qid <= 180]),
        200,
        obj=dorm.objective("mrr"),
        evals=[(matrix(frame[(frame.qid > 180) & (frame.qid <= 240)]), "valid")],
        custom_metric=dorm.metric("mrr"),
        maximize=True,
        early_stopping_rounds=30,
        verbose_eval=False,
    )
    scores = model.predict(matrix(test), iteration_range=(0, model.best_iteration + 1))
    print(f"{model.best_iteration + 1} trees, MRR on the validation queries {model.best_score:.4f}")
    print(dorm.evaluate(test.label, scores, qid=test.qid, measures=["mrr", "ndcg@10"]))


if __name__ == "__main__":
    main()
