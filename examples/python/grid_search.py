#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Choose C by cross-validation over whole queries with scikit-learn's GridSearchCV, behind a scaler in a Pipeline.

With metadata routing on, scikit-learn carries the query ids to every step and to the folds.
"""

import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import dorm


def main() -> None:
    sklearn.set_config(enable_metadata_routing=True)
    X, y, qid = dorm.synth(queries=200, features=15, documents_median=15, seed=2)
    train = qid <= 150

    # The scaler in front does the scaling, so the ranker does none. Threads go to the grid, not to each fit.
    ranker = dorm.DormRanker("ndcg@10", scale="none", n_jobs=1).set_fit_request(qid=True).set_score_request(qid=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("rank", ranker)])
    search = GridSearchCV(pipeline, {"rank__C": [1, 10, 100, 1000]}, cv=dorm.QueryKFold(5), n_jobs=2)
    search.fit(X[train], y[train], qid=qid[train])

    print("     C  NDCG@10 (mean and deviation over 5 folds)")
    table = search.cv_results_
    for cell, mean, deviation in zip(table["params"], table["mean_test_score"], table["std_test_score"]):
        chosen = "*" if cell == search.best_params_ else " "
        print(f"{chosen} {cell['rank__C']:>4}  {mean:.4f} +- {deviation:.4f}")

    test = ~train
    print(f"\ntest NDCG@10 of the refitted winner: {search.score(X[test], y[test], qid=qid[test]):.4f}")


if __name__ == "__main__":
    main()
