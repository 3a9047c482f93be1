# SPDX-License-Identifier: Apache-2.0
"""partial_fit beside fit: how close to the optimum of the batch the stream comes after 1, 2 and 5 passes.

    python benchmarks/python/streaming.py

MQ2008 and the MQ2007 sample (S1-S3 train, S5 tests) where DORM_DATA has them, and generated data.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import dorm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import parser  # noqa: E402

C = 100


def objective(ranker: dorm.DormRanker, data: dorm.RankingData) -> float:
    """1/2 |w|^2 / (C s^2) + the mean loss with the moving reference; features as they are."""
    loss = dorm.objective(ranker.measure, "best", 0, decay=ranker.decay)
    X, group = np.asarray(data.X, dtype=np.float64), data.group
    ends = np.cumsum(group)
    centred = sum(np.square(X[e - n : e] - X[e - n : e].mean(axis=0)).sum() for e, n in zip(ends, group))
    shrinkage = centred / len(X) / C
    return 0.5 * shrinkage * ranker.coef_ @ ranker.coef_ + loss.loss(X @ ranker.coef_, data.y, group=group)


def compare(name: str, train: dorm.RankingData, test: dorm.RankingData) -> None:
    batch = dorm.DormRanker(C=C, scale="none", bound="best", solver_options={"rounds": 4}, n_jobs=1).fit(train)
    stream = dorm.DormRanker(C=C, scale="none", bound="best", n_jobs=1)
    cells = [f"{objective(batch, train):.4f}"]
    scores = [f"{batch.score(test):.4f}"]
    for passes in range(1, 6):
        stream.partial_fit(train)
        if passes in (1, 2, 5):
            cells.append(f"{objective(stream, train):.4f}")
            scores.append(f"{stream.score(test):.4f}")
    print(f"| {name} | {' | '.join(cells + scores)} |", flush=True)


def joined(files: list[Path]) -> dorm.RankingData:
    parts = [dorm.read_letor(path) for path in files]
    return dorm.RankingData(*(np.concatenate([np.asarray(getattr(p, a)) for p in parts]) for a in ("X", "y", "qid")))


def main() -> None:
    options = parser(__doc__).parse_args()
    steps = "fit | 1 pass | 2 passes | 5 passes"
    print(f"| data | objective: {steps} | NDCG@10: {steps} |\n{'|---' * 9}|")
    root = Path(os.environ.get("DORM_DATA", "../shared/data"))
    for name in () if options.quick else ("mq2008", "mq2007-sample"):
        if (root / name).exists():
            files = [root / name / f"S{k}.txt.gz" for k in (1, 2, 3, 5)]
            compare(name, joined(files[:3]), joined(files[3:]))
    X, y, qid = dorm.synth(queries=1200, features=30, seed=3)
    X = np.asarray(
        dorm.DormRanker(scale="log-query-zscore", solver_options={"max_passes": 1})
        .fit(X, y, qid=qid)
        .explain(X, qid=qid)
    )
    X = (X / X.std(axis=0)).astype(np.float32)
    first = qid <= 800
    compare(
        "generated",
        dorm.RankingData(X[first], y[first], qid[first]),
        dorm.RankingData(X[~first], y[~first], qid[~first]),
    )


if __name__ == "__main__":
    main()
