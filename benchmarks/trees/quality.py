# SPDX-License-Identifier: Apache-2.0
"""`dorm tune --trees` beside linear `dorm tune` and tuned rivals, split by split.

    python benchmarks/trees/quality.py mq2008 [mq2007-sample nonlinear]    adds to benchmarks/trees/quality.csv
    python benchmarks/trees/quality.py --markdown                          prints the table of docs/trees.md

Data: DORM_DATA. Folds as in LETOR: three parts to train on, one to validate, one to test. Every choice is made on the
validation part, by every method on the same queries: rivals try leaves 7, 15, 31 and 63 at rates .05 and .1 (XGBoost
and CatBoost depths 3 to 6) with early stopping, and keep the best by NDCG@10. The test part is scored once. Figures are
NDCG@10 of queries with a relevant document, equal scores in random order; differences are paired over test queries.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import resource
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import lightgbm as lgb
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_suffix(".csv")
DORM = os.environ.get("DORM_COMMAND", str(ROOT / "build" / "dorm"))
LIBRARY = str(Path(lgb.__file__).parent / "lib" / "lib_lightgbm.so")
DATA = Path(os.environ.get("DORM_DATA", ROOT.parent / "shared" / "data"))
FOLDS, ROUNDS, PATIENCE = 5, 500, 50
METHODS = ("linear", "trees", "lambdarank", "XGBoost", "CatBoost")

Part = tuple[np.ndarray, np.ndarray, np.ndarray]  # features, labels, sizes of queries


def letor(files: list[Path], order: np.random.Generator) -> Part:
    """Documents in random order within their queries, so that ties are not in the order of the labels."""
    queries: dict[str, list[tuple[float, list[float]]]] = {}
    for path in files:
        with gzip.open(path, "rt") as file:
            for line in file:
                words = line.split("#")[0].split()
                row = [float(word.split(":")[1]) for word in words[2:]]
                queries.setdefault(words[1], []).append((float(words[0]), row))
    X, y, sizes = [], [], []
    for documents in queries.values():
        for i in order.permutation(len(documents)):
            y.append(documents[i][0])
            X.append(documents[i][1])
        sizes.append(len(documents))
    return np.array(X, np.float32), np.array(y), np.array(sizes)


def letor_splits(folder: str):
    files = [DATA / folder / f"S{k}.txt.gz" for k in range(1, FOLDS + 1)]
    for fold in range(FOLDS):
        order = np.random.default_rng(fold)
        of = [files[(fold + k) % FOLDS] for k in range(FOLDS)]
        yield letor(of[:3], order), letor(of[3:4], order), letor(of[4:], order)


def nonlinear_splits():
    """Lists whose labels depend on products and steps of features."""
    for fold in range(2):
        rng = np.random.default_rng(100 + fold)

        def part(queries: int, rng=rng) -> Part:
            X = rng.normal(size=(queries * 20, 15)).astype(np.float32)
            signal = X[:, 0] * X[:, 1] + np.where(X[:, 2] > 0.5, X[:, 3], -X[:, 3]) + 0.5 * X[:, 4]
            y = np.digitize(signal + rng.normal(size=len(X)), [1, 2, 3])
            return X, y.astype(float), np.full(queries, 20)

        yield part(300), part(150), part(300)


SPLITS: dict[str, Callable] = {
    "mq2008": lambda: letor_splits("mq2008"),
    "mq2007-sample": lambda: letor_splits("mq2007-sample"),
    "nonlinear": nonlinear_splits,
}


def ndcg(scores: np.ndarray, part: Part) -> np.ndarray:
    """By query; NaN without a relevant document."""
    _, y, sizes = part
    values, end = [], np.cumsum(sizes)
    discounts = 1 / np.log2(np.arange(2, 12))
    for first, last in zip(end - sizes, end):
        gains = 2 ** y[first:last] - 1
        n = min(10, last - first)
        ideal = np.sort(gains)[::-1][:n] @ discounts[:n]
        order = np.argsort(-scores[first:last], kind="stable")[:n]
        values.append(gains[order] @ discounts[:n] / ideal if ideal > 0 else np.nan)
    return np.array(values)


def best_of(candidates: list[tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]], valid: Part, test: Part):
    """The test scores of the candidate with the best validation scores."""
    _, predict = max(candidates, key=lambda each: np.nanmean(ndcg(each[0], valid)))
    return predict(test[0])


def lambdarank(train: Part, valid: Part, test: Part) -> np.ndarray:
    candidates = []
    for leaves in (7, 15, 31, 63):
        for rate in (0.05, 0.1):
            options = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "num_leaves": leaves, "seed": 1,
                       "learning_rate": rate, "verbose": -1, "num_threads": 1, "deterministic": True}  # fmt: skip
            data = lgb.Dataset(train[0], train[1], group=train[2])
            held = data.create_valid(valid[0], valid[1], group=valid[2])
            booster = lgb.train(options, data, ROUNDS, [held], callbacks=[lgb.early_stopping(PATIENCE, verbose=False)])
            candidates.append((booster.predict(valid[0]), booster.predict))
    return best_of(candidates, valid, test)


def xgboost(train: Part, valid: Part, test: Part) -> np.ndarray:
    import xgboost as xgb

    candidates = []
    for depth in (3, 4, 6):
        for rate in (0.05, 0.1):
            options = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "max_depth": depth, "eta": rate,
                       "nthread": 1, "tree_method": "hist", "seed": 1, "lambdarank_pair_method": "topk"}  # fmt: skip
            data, held = (xgb.DMatrix(X, y, group=sizes) for X, y, sizes in (train, valid))
            booster = xgb.train(
                options, data, ROUNDS, [(held, "valid")], early_stopping_rounds=PATIENCE, verbose_eval=0
            )

            def predict(X: np.ndarray, booster=booster) -> np.ndarray:
                return booster.predict(xgb.DMatrix(X), iteration_range=(0, booster.best_iteration + 1))

            candidates.append((predict(valid[0]), predict))
    return best_of(candidates, valid, test)


def catboost(train: Part, valid: Part, test: Part) -> np.ndarray:
    import catboost

    pools = [catboost.Pool(X, y, group_id=np.repeat(np.arange(len(sizes)), sizes)) for X, y, sizes in (train, valid)]
    candidates = []
    for depth in (4, 6):
        model = catboost.CatBoostRanker(iterations=ROUNDS, depth=depth, learning_rate=0.1, loss_function="YetiRank",
                                        eval_metric="NDCG:top=10;type=Exp", early_stopping_rounds=PATIENCE, verbose=0,
                                        random_seed=1, thread_count=1, allow_writing_files=False)  # fmt: skip
        model.fit(pools[0], eval_set=pools[1])
        candidates.append((model.predict(valid[0]), model.predict))
    return best_of(candidates, valid, test)


def tuned(*more: str) -> Callable[[Part, Part, Part], np.ndarray]:
    def run(train: Part, valid: Part, test: Part) -> np.ndarray:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, (X, y, sizes) in (("train", train), ("valid", valid), ("test", test)):
                query = np.repeat(np.arange(len(sizes)), sizes)
                with open(folder / f"{file}.txt", "w") as out:
                    for q, label, row in zip(query, y, X):
                        out.write(f"{label:g} qid:{q} " + " ".join(f"{j}:{v:.9g}" for j, v in enumerate(row, 1)) + "\n")
            words = [DORM, "tune", folder / "train.txt", "--valid", folder / "valid.txt", "--model", folder / "m.json"]
            environment = {**os.environ, "DORM_LIGHTGBM": LIBRARY}
            subprocess.run([*words, *more, "--quiet"], check=True, env=environment, stdout=subprocess.DEVNULL)
            ranked = [DORM, "rank", folder / "m.json", folder / "test.txt"]
            return np.array(subprocess.run(ranked, check=True, capture_output=True, text=True).stdout.split(), float)

    return run


RIVALS = {
    "linear": tuned(),
    "trees": tuned("--trees"),
    "lambdarank": lambdarank,
    "XGBoost": xgboost,
    "CatBoost": catboost,
}


def seconds() -> float:
    """Of the processor, of this process and its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(names: list[str]) -> None:
    rows = [row for row in known() if row["data"] not in names]
    for name in names:
        values: dict[str, list[np.ndarray]] = {}
        spent: dict[str, float] = {}
        for number, (train, valid, test) in enumerate(SPLITS[name](), 1):
            for method in METHODS:
                begin = seconds()
                try:
                    scores = RIVALS[method](train, valid, test)
                except ImportError:
                    continue
                values.setdefault(method, []).append(ndcg(scores, test))
                spent[method] = spent.get(method, 0) + seconds() - begin
                print(f"{name} split {number} {method}: {np.nanmean(values[method][-1]):.4f}", flush=True)
        ours = np.concatenate(values["trees"])
        for method, parts in values.items():
            theirs = np.concatenate(parts)
            apart = (ours - theirs)[~np.isnan(ours)]
            rows.append({"data": name, "method": method, "queries": len(apart), "ndcg@10": f"{np.nanmean(theirs):.4f}",
                         "ahead": f"{apart.mean():+.4f}", "error": f"{apart.std(ddof=1) / len(apart) ** 0.5:.4f}",
                         "seconds": f"{spent[method] / len(parts):.1f}"})  # fmt: skip
    with open(RESULTS, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def known() -> list[dict[str, str]]:
    return list(csv.DictReader(RESULTS.read_text().splitlines())) if RESULTS.exists() else []


def markdown() -> None:
    names = {"linear": "`dorm tune`, linear", "trees": "`dorm tune --trees`", "lambdarank": "LightGBM `lambdarank`",
             "XGBoost": "XGBoost `rank:ndcg`", "CatBoost": "CatBoost `YetiRank`"}  # fmt: skip
    print("| data, test queries | method | NDCG@10 | `tune --trees` less it, ± standard error | seconds a split |")
    print("|---|---|---|---|---|")
    for row in known():
        ahead = "" if row["method"] == "trees" else f"{row['ahead']} ± {row['error']}"
        method, data = names[row["method"]], f"{row['data']}, {row['queries']}"
        print(f"| {data} | {method} | {row['ndcg@10']} | {ahead} | {row['seconds']} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="*", choices=[[], *SPLITS], default=[])
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    markdown() if given.markdown else measure(given.data or list(SPLITS))


if __name__ == "__main__":
    main()
