# SPDX-License-Identifier: Apache-2.0
"""How CatBoost calls a custom objective: in blocks of rows that do not respect groups, so that a loss of whole lists
cannot be one.

    pip install catboost; python benchmarks/boosting/catboost_calls.py
"""

from __future__ import annotations

import catboost
import numpy as np

SIZE, QUERIES = 70, 60


class Watched:
    """Zero-sum gradients; notes which rows came together (labels are row numbers)."""

    def calc_ders_range(self, approxes, targets, weights):
        rows = np.asarray(targets).astype(int)
        whole = sum(np.isin(np.arange(q * SIZE, (q + 1) * SIZE), rows).all() for q in np.unique(rows // SIZE))
        touched = len(np.unique(rows // SIZE))
        print(f"{len(rows):>5} rows {rows[0]:>5} to {rows[-1]:>5}: {touched:>3} queries, {whole:>3} of them whole")
        return np.c_[np.sin(rows), -np.ones(len(rows))]


def main() -> None:
    rows = np.arange(SIZE * QUERIES)
    X = np.random.default_rng(0).normal(size=(len(rows), 3))
    pool = catboost.Pool(X, rows, group_id=rows // SIZE)
    options = {"boosting_type": "Plain", "bootstrap_type": "No", "iterations": 1, "thread_count": 1}
    print(f"CatBoost {catboost.__version__}, {QUERIES} queries of {SIZE} rows, one iteration")
    model = catboost.CatBoost(
        {**options, "loss_function": Watched(), "eval_metric": "RMSE", "verbose": False, "allow_writing_files": False}
    )
    model.fit(pool)


if __name__ == "__main__":
    main()
