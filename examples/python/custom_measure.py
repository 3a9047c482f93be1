#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A measure of one's own: what the first five products of a list earn.

A shop shows products; people look at them ever less, buy what fits, and some products earn ten times what others do.
Judges label how well a product fits. A ranker for NDCG@10 of these labels finds what fits; what the shop reports is
revenue. Any measure that sums position weight times gain over the documents can be trained for, so the shop trains for
revenue@5 itself. Five draws of the data, none left out, each judged on queries of its own with a paired test. The last
line of each draw says where the win comes from: from what a product is worth, hardly from the weights of positions.
"""

import numpy as np

import dorm

SEEN = [1.0, 0.8, 0.5, 0.3, 0.2]  # share of visitors that look at each position, from logs, say
BOUGHT = np.array([0.0, 0.01, 0.03, 0.06, 0.1])  # chance that a product is bought once it is seen, by label
SEEDS = range(1, 6)
# Gains of single documents are passed as labels, which b takes as they are.
REVENUE = dorm.Measure(a=SEEN, b=lambda earns: earns, name="revenue@5")
DISCOUNTED = dorm.Measure(a=1 / np.log2(np.arange(2, 12)), b=lambda earns: earns, name="discounted earnings")


def shop(seed):
    """Features, labels, what each product earns when it is seen, and queries. The last feature is the margin."""
    X, y, qid = dorm.synth(queries=400, features=20, documents_median=25, seed=seed)
    margin = np.exp(np.random.default_rng(seed).normal(scale=1.0, size=len(y)))
    return np.column_stack([X, np.log(margin)]).astype(np.float32), y, BOUGHT[y.astype(int)] * margin, qid


def judged(measure, labels, draw):
    """revenue@5 on test queries of a ranker trained for a measure of these labels."""
    X, _, earns, qid = draw
    train, test = qid <= 250, qid > 250
    ranker = dorm.DormRanker(measure, C=100).fit(X[train], labels[train], qid=qid[train])
    return dorm.evaluate(earns[test], ranker.predict(X[test], qid=qid[test]), qid=qid[test], measures=REVENUE)


def main() -> None:
    print("revenue@5, 1 is the most that a list could earn; 150 test queries in each draw\n")
    wins = 0
    for seed in SEEDS:
        draw = shop(seed)
        _, labels, earns, _ = draw
        by_revenue, by_ndcg = judged(REVENUE, earns, draw), judged("ndcg@10", labels, draw)
        by_discount = judged(DISCOUNTED, earns, draw)
        difference = dorm.compare(by_revenue, by_ndcg)
        wins += difference.mean_difference > 0
        means = [result["revenue@5"].mean for result in (by_revenue, by_ndcg, by_discount)]
        print(f"draw {seed}: trained for revenue@5 {means[0]:.4f}, for ndcg@10 of the labels {means[1]:.4f}")
        print(f"  {difference}")
        print(
            f"  by the discount of ndcg@10 on the same earnings {means[2]:.4f}: {dorm.compare(by_revenue, by_discount)}"
        )
    print(f"\ntraining for revenue@5 earns more in {wins} of {len(SEEDS)} draws")


if __name__ == "__main__":
    main()
