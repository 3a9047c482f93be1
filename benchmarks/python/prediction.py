# SPDX-License-Identifier: Apache-2.0
"""What predict costs for one query, beside scikit-learn's linear model on the same rows in the same run.

    python benchmarks/python/prediction.py [--rows 100] [--features 46]

A server scores one query at a time, so what counts is the time of one call, not the throughput.
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge

import dorm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402


def microseconds(call: Callable[[], Any]) -> float:
    """Of the fastest of several batches: everything else is somebody else's work."""
    call()
    return min(timeit.repeat(call, number=200, repeat=7)) / 200 * 1e6


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rows", type=int, default=100)
    options.add_argument("--features", type=int, default=46)
    arguments = options.parse_args()
    X, y, qid = dorm.synth(queries=100, features=arguments.features, seed=1)
    X = np.ascontiguousarray((X - X.min(0)) / (X.max(0) - X.min(0)), dtype=np.float32)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    plain, named = dorm.DormRanker().fit(X, y, qid=qid), dorm.DormRanker().fit(frame, y, qid=qid)
    scaled = dorm.DormRanker(scale="log-query-zscore").fit(frame, y, qid=qid)
    rows, table, one = X[: arguments.rows], frame.iloc[: arguments.rows], np.zeros(arguments.rows, dtype=int)
    double, wide = rows.astype(np.float64), table.astype(np.float64)
    text = table.assign(qid=["a query"] * arguments.rows)
    ridge, named_ridge = Ridge().fit(X, y), Ridge().fit(frame, y)
    array, frames = microseconds(lambda: ridge.predict(rows)), microseconds(lambda: named_ridge.predict(table))
    cases = [
        ("numpy float32", lambda: plain.predict(rows), array),
        ("numpy float64", lambda: plain.predict(double), array),
        ("pandas float32", lambda: named.predict(table), frames),
        ("pandas float64", lambda: named.predict(wide), frames),
        ("pandas, scaled per query", lambda: scaled.predict(table, qid=one), frames),
        ("pandas with a text column qid", lambda: scaled.predict(text), frames),
    ]
    print(f"{arguments.rows} rows, {arguments.features} features\n")
    print("| input | predict, us | Ridge.predict, us | ratio |\n|---|---|---|---|")
    told = []
    for name, call, baseline in cases:
        own = microseconds(call)
        told.append(
            Row("prediction", f"{arguments.rows} x {arguments.features}, {name}", "dorm / Ridge", own / baseline)
        )
        print(f"| {name} | {own:.0f} | {baseline:.0f} | {own / baseline:.2f} |")
    report(arguments, "prediction", told)


if __name__ == "__main__":
    main()
