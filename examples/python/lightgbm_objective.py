#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LightGBM trained for NDCG@10 by DORM's objective, beside its own lambdarank, from a DataFrame. Needs lightgbm and
pandas.

The data is generated: this shows how it is done, not who wins. For real data see docs/objective.md.
"""

import lightgbm
import pandas as pd

import dorm

FEATURES = [f"f{j}" for j in range(20)]


def judged_documents() -> pd.DataFrame:
    X, y, qid = dorm.synth(queries=300, features=len(FEATURES), documents_median=20, seed=6)
    return pd.DataFrame(X, columns=FEATURES).assign(label=y, qid=qid)


def dataset(part: pd.DataFrame, reference: lightgbm.Dataset | None = None) -> lightgbm.Dataset:
    sizes = part.groupby("qid", sort=False).size()  # rows of a query stand together
    return lightgbm.Dataset(part[FEATURES], part.label, group=sizes, reference=reference)


def fit(objective: object, train: lightgbm.Dataset, valid: lightgbm.Dataset) -> lightgbm.Booster:
    """The same trees and the same early stopping for every objective."""
    params = {"objective": objective, "metric": "None", "num_leaves": 15, "num_threads": 1, "seed": 1, "verbose": -1}
    return lightgbm.train(
        params,
        train,
        200,
        valid_sets=[valid],
        feval=dorm.metric("ndcg@10"),
        callbacks=[lightgbm.early_stopping(30, verbose=False)],
    )


def main() -> None:
    frame = judged_documents()
    train = dataset(frame[frame.qid <= 180])
    valid = dataset(frame[(frame.qid > 180) & (frame.qid <= 240)], reference=train)
    test = frame[frame.qid > 240]
    objective = dorm.objective("ndcg@10", sigma="auto")
    models = {
        "lambdarank": fit("lambdarank", train, valid),
        "dorm": objective.choose(lambda trial: fit(trial, train, valid)),
    }
    print(f"sigma chosen on the validation queries: {objective.sigma}\n")
    results = {}
    for name, model in models.items():
        scores = model.predict(test[FEATURES])
        results[name] = dorm.evaluate(test.label, scores, qid=test.qid, measures="ndcg@10")
        print(f"{name}, {model.best_iteration} trees\n{results[name]}\n")
    print("NDCG@10, dorm - lambdarank:", dorm.compare(results["dorm"], results["lambdarank"]))


if __name__ == "__main__":
    main()
