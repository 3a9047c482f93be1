# SPDX-License-Identifier: Apache-2.0
"""Boosted trees with few training queries: the objectives of compare.py on many random splits of several sets.

    python benchmarks/boosting/small.py --half develop [--data ...] [--splits 8] [--methods "A,B,A|B,A+B"]
    python benchmarks/boosting/small.py --half report

65 queries train and 21 validate. Every method has the same three configurations of leaves and rows per leaf (and what
its name fixes: lambdarank-30 truncates at 30, dorm-hinge-1 has sigma 1); the validation queries stop each and choose
among them. A|B is one method with the configurations of both. A+B adds the scores of the chosen models of A and B, each
divided by its spread over the test part.
Differences are means over the splits of a set with the standard error over splits. That error is right for the
generated sets, which are new in every split; splits of the other sets share queries, and there it is too small.
Every finished split of a method is one file under --out.
"""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path

import lightgbm as lgb
import numpy as np
from compare import Fold, lightgbm_params, train_lightgbm
from splits import Splits

MEASURE = "ndcg@10"
GRID = ((7, 1), (15, 0), (31, 0))  # leaves, and the column of compare.MIN_DATA: 100, 20, 20 rows
DATA = "web-40-1,web-40-2,mq2007-sample,mq2008,lightgbm-lambdarank"
METHODS = (
    "lambdarank-30,rank_xendcg,regression,regression-gains,dorm-hinge-0.3,dorm-hinge-1,dorm-hinge-3,dorm-ramp-1,"
    "dorm-hinge-0.3|dorm-hinge-1|dorm-hinge-3,lambdarank-30|dorm-hinge-1,lambdarank-30+rank_xendcg,"
    "lambdarank-30+regression,lambdarank-30+dorm-hinge-1,dorm-hinge-1+regression,lambdarank-30+dorm-hinge-1+regression"
)


class Results:
    """Test scores of every configuration on one split, by method; trained where no file holds them yet."""

    def __init__(self, splits: Splits, number: int, out: Path) -> None:
        self.splits, self.number, self.out, self.fold = splits, number, out, None
        self.test = splits.parts(number)[2]

    def cells(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """Validation value and test scores, by configuration."""
        path = self.out / f"{method}_{self.number}.npz"
        if not path.exists():
            self.fold = self.fold or Fold(self.splits.parts(self.number))
            made = [train_lightgbm(method, (MEASURE,), self.number, *point, self.fold) for point in GRID]
            partial = path.with_suffix(".part.npz")
            np.savez(partial, valid=[np.max(w.history) for w, _ in made], scores=[s[0] for _, s in made])
            os.replace(partial, path)
        cell = np.load(path)
        return cell["valid"], cell["scores"]

    def value(self, scores: np.ndarray) -> float:
        return float(np.nanmean(self.test.values(scores, (MEASURE,))))

    def chosen_and_grid(self, method: str) -> tuple[float, float]:
        """The measure of the configuration that validation chose, and the mean over all."""
        valid, scores = [], []
        for part in method.split("+"):
            cells = [self.cells(name) for name in part.split("|")]
            valid.append(np.concatenate([v for v, _ in cells]))
            scores.append(np.concatenate([s / np.maximum(s.std(axis=1, keepdims=True), 1e-12) for _, s in cells]))
        chosen = sum(s[np.argmax(v)] for v, s in zip(valid, scores))
        return self.value(chosen), float(np.mean([self.value(s) for s in sum(scores)]))


def print_table(name: str, methods: list[str], values: np.ndarray) -> None:
    """`values`: splits x methods x (chosen, grid)."""
    print(f"\n{name}, {len(values)} splits")
    print(f"| method | {MEASURE} | less {methods[0]} (se) | splits won | whole grid, less {methods[0]} (se) |")
    print("|---|---|---|---|---|")
    for k, method in enumerate(methods):
        difference = values[:, k] - values[:, 0]
        error = difference.std(axis=0, ddof=1) / np.sqrt(len(values))
        chosen, grid = (f"{d:+.4f} ({e:.4f})" for d, e in zip(difference.mean(axis=0), error))
        won = f"{(difference[:, 0] > 0).sum()}/{len(values)}"
        cells = f"{chosen} | {won} | {grid}" if k else "- | - | -"
        print(f"| {method.replace('|', ' or ')} | {values[:, k, 0].mean():.4f} | {cells} |", flush=True)


def print_curves(name: str, splits: Splits, methods: list[str], count: int) -> None:
    """The measure on the training and the test part by rounds, without early stopping; 15 leaves of 20 rows."""
    rounds = (10, 50, 100)
    print(f"\n{name}, {count} splits, {MEASURE} on the training / test part")
    print("| method | " + " | ".join(f"{r} rounds" for r in rounds) + " |")
    print("|---" * (1 + len(rounds)) + "|")
    for method in methods:
        values = []
        for number in range(count):
            fold = Fold(splits.parts(number))
            model = lgb.train(lightgbm_params(method, (MEASURE,), number, 15, 0), fold.lightgbm, rounds[-1])
            for r, part in itertools.product(rounds, (fold.parts[0], fold.parts[2])):
                scores = model.predict(part.X, num_iteration=r, num_threads=1)
                values.append(np.nanmean(part.values(scores, (MEASURE,))))
        means = np.reshape(values, (count, len(rounds), 2)).mean(axis=0)
        print(f"| {method} | " + " | ".join(f"{a:.3f} / {b:.3f}" for a, b in means) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("develop", "report"), required=True)
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--splits", type=int, default=8)
    parser.add_argument("--train", type=int, default=65, help="training queries of a split")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--curves", action="store_true", help="print how fast each method fits its training part")
    parser.add_argument("--out", type=Path, default=Path("build-bench/boosting-small"))
    options = parser.parse_args()
    root = Path(os.environ.get("DORM_DATA", "../shared/data"))
    methods = options.methods.split(",")
    for name in options.data.split(","):
        out = options.out / f"{name}_{options.half}_{options.train}"
        out.mkdir(parents=True, exist_ok=True)
        splits = Splits(root, name, options.half, options.train)
        if options.curves:
            print_curves(name, splits, methods, options.splits)
            continue
        values = []
        for number in range(options.splits):
            results = Results(splits, number, out)
            values.append([results.chosen_and_grid(method) for method in methods])
        print_table(name, methods, np.array(values))


if __name__ == "__main__":
    main()
