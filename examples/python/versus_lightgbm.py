#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DormRanker and LightGBM's LGBMRanker on the same data: figures with intervals, and whether they differ. Needs
lightgbm.

The data is generated from a noisy linear score, which suits a linear model: this shows how to compare, not who wins.
For real data see benchmarks/baselines/run.py.
"""

import time
import warnings

import lightgbm

import dorm


def fit_dorm(train: dorm.RankingData, valid: dorm.RankingData) -> dorm.DormRanker:
    tried = [dorm.DormRanker("ndcg@10", C=C, n_jobs=1).fit(train, eval_set=valid) for C in (10, 100, 1000)]
    return max(tried, key=lambda ranker: ranker.score(valid))


def fit_lightgbm(train: dorm.RankingData, valid: dorm.RankingData) -> lightgbm.LGBMRanker:
    """LightGBM takes group sizes; the number of trees is chosen on the same validation queries."""
    ranker = lightgbm.LGBMRanker(n_estimators=300, num_leaves=15, n_jobs=1, random_state=1, verbose=-1)
    return ranker.fit(
        train.X,
        train.y,
        group=train.group,
        eval_set=[(valid.X, valid.y)],
        eval_group=[valid.group],
        eval_at=[10],
        callbacks=[lightgbm.early_stopping(20, verbose=False)],
    )


def main() -> None:
    warnings.filterwarnings("ignore", message=".*eval_set")  # which older versions need, and newer advise against
    X, y, qid = dorm.synth(queries=400, features=20, documents_median=20, seed=6)
    train, valid, test = (
        dorm.RankingData(X[part], y[part], qid[part]) for part in (qid <= 200, (qid > 200) & (qid <= 300), qid > 300)
    )
    results = {}
    for name, fit in (("DormRanker", fit_dorm), ("LGBMRanker", fit_lightgbm)):
        begin = time.perf_counter()
        ranker = fit(train, valid)
        seconds = time.perf_counter() - begin
        scores = ranker.predict(test) if name == "DormRanker" else ranker.predict(test.X)
        results[name] = dorm.evaluate(test.y, scores, qid=test.qid, measures=["ndcg@10", "mrr"])
        print(f"{name}, {seconds:.2f} s to tune and fit\n{results[name]}\n")

    # The same figure as LightGBM would print it: queries without relevant documents count 1.
    theirs = dorm.evaluate(test.y, scores, qid=test.qid, measures="ndcg@10", convention="lightgbm", bootstrap=0)
    print(f"LGBMRanker in LightGBM's own convention: {theirs['ndcg@10'].mean:.4f}")
    print("NDCG@10, DormRanker - LGBMRanker:", dorm.compare(*results.values(), measure="ndcg@10"))


if __name__ == "__main__":
    main()
