#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A measure of one's own: a shop shows five products, people look at them ever less, and labels are what a product
earns when it is seen. Rankers trained for that revenue and for NDCG@10 are judged by both.

Any measure that sums position weight times gain over the documents can be trained for. Whether that pays is for the
last line to say: on this generated data the two rankers hardly differ.
"""

import numpy as np

import dorm

SEEN = [1.0, 0.8, 0.5, 0.3, 0.2]  # share of visitors that look at each position, from logs, say
EARNS = [0, 1, 3, 10, 100]  # by label


def main() -> None:
    revenue = dorm.Measure(a=SEEN, b=EARNS, name="revenue@5")
    # The same by functions: of the number of documents, and of the labels of one query.
    by_function = dorm.Measure(
        a=lambda count: np.pad(SEEN, (0, max(0, count - 5)))[:count],
        b=lambda labels: np.take(EARNS, labels.astype(int)),
        name="revenue@5",
    )

    X, y, qid = dorm.synth(queries=400, features=20, documents_median=25, seed=4)
    train, test = qid <= 250, qid > 250
    judged = []
    for measure in (revenue, "ndcg@10"):
        ranker = dorm.DormRanker(measure, C=100).fit(X[train], y[train], qid=qid[train])
        scores = ranker.predict(X[test], qid=qid[test])
        judged.append(dorm.evaluate(y[test], scores, qid=qid[test], measures=[revenue, "ndcg@10"]))
        again = dorm.evaluate(y[test], scores, qid=qid[test], measures=[by_function], bootstrap=0)
        assert again["revenue@5"].mean == judged[-1]["revenue@5"].mean
        name = measure if isinstance(measure, str) else measure.name
        print(f"trained for {name}\n{judged[-1]}\n")
    print("revenue@5, the first against the second:", dorm.compare(*judged, measure="revenue@5"))


if __name__ == "__main__":
    main()
