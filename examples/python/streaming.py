#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A linear ranker that learns from queries as they come, beside one that saw them all at once."""

import dorm


def main() -> None:
    X, y, qid = dorm.synth(queries=700, features=20, documents_median=20, seed=6)
    test = qid > 600
    streamed = dorm.DormRanker("ndcg@10", C=100)
    for first in range(1, 601, 100):  # a day's judgements, say
        day = (qid >= first) & (qid < first + 100)
        streamed.partial_fit(X[day], y[day], qid=qid[day])
        print(f"after {first + 99} queries: NDCG@10 {streamed.score(X[test], y[test], qid=qid[test]):.4f}")
    batch = dorm.DormRanker("ndcg@10", C=100).fit(X[~test], y[~test], qid=qid[~test])
    print(f"all at once:       NDCG@10 {batch.score(X[test], y[test], qid=qid[test]):.4f}")


if __name__ == "__main__":
    main()
