# SPDX-License-Identifier: Apache-2.0
"""`dorm tune --trees` beside linear `dorm tune` and tuned rivals: quality, processor time and memory, split by split.

    python benchmarks/trees/quality.py [mq2008 nonlinear-300 ...]    adds what is missing to quality.csv beside it
    python benchmarks/trees/quality.py --markdown                    prints the tables of docs/trees.md
    ... nonlinear-10000 --methods trees --threads 8 --values FOLDER  some methods; what FOLDER has is not run again

Data: DORM_DATA. Folds as in LETOR: three parts to train on, one to validate, one to test. Every choice is made on the
validation part, by every method on the same queries: rivals try leaves 7, 15, 31 and 63 at rates .05 and .1 (XGBoost
depths 3, 4 and 6, CatBoost depths 4 and 6 at rate .1) with early stopping, and keep the best by NDCG@10. The test part
is scored once. Figures are NDCG@10 of queries with a relevant document; differences are paired over test queries.

Each method runs in a process of its own, on one thread, its whole grid; with --threads N on more, and then without
seconds and memory in the results. Seconds are of the processor. Memory is that of
the whole command for DORM, with the reading of its files; for the others, what the grid adds to a Python process that
has the data already.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_suffix(".csv")
DORM = os.environ.get("DORM_COMMAND", str(ROOT / "build" / "dorm"))
DATA = Path(os.environ.get("DORM_DATA", ROOT.parent / "shared" / "data"))
FOLDS, ROUNDS, PATIENCE = 5, 500, 50
NAMES = {"linear": "`dorm tune`, linear", "trees": "`dorm tune --trees`", "lambdarank": "LightGBM `lambdarank`",
         "xgboost": "XGBoost `rank:ndcg`", "catboost": "CatBoost `YetiRank`"}  # fmt: skip

LIBRARIES = {"linear": "numpy", "trees": "lightgbm", "lambdarank": "lightgbm", "xgboost": "xgboost",
             "catboost": "catboost"}  # fmt: skip
# Runs a command and prints its seconds and kilobytes; a process that has little memory itself.
SPENT = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""

Part = tuple[np.ndarray, np.ndarray, np.ndarray]  # features, labels, sizes of queries


def rows_of(path: Path):
    """Words and labels of LETOR or LIBSVM text."""
    with gzip.open(path, "rt") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                yield words


def part_of(queries: list[list[tuple[float, list[float]]]], order: np.random.Generator) -> Part:
    """Documents in random order within their queries, so that ties are not in the order of the labels."""
    documents = [query[i] for query in queries for i in order.permutation(len(query))]
    sizes = np.array([len(query) for query in queries])
    return np.array([row for _, row in documents], np.float32), np.array([label for label, _ in documents]), sizes


def letor_splits(folder: str):
    parts = []
    for k in range(1, FOLDS + 1):
        queries: dict[str, list[tuple[float, list[float]]]] = {}
        for words in rows_of(DATA / folder / f"S{k}.txt.gz"):
            row = [float(word.split(":")[1]) for word in words[2:]]
            queries.setdefault(words[1], []).append((float(words[0]), row))
        parts.append(list(queries.values()))
    yield from rotated(parts)


def rotated(parts: list):
    for fold in range(FOLDS):
        order = np.random.default_rng(fold)
        of = [parts[(fold + k) % FOLDS] for k in range(FOLDS)]
        yield part_of(of[0] + of[1] + of[2], order), part_of(of[3], order), part_of(of[4], order)


def example_splits():
    """The example of LightGBM: its training and test queries, dealt into five parts."""
    queries = []
    for name in ("train", "test"):
        rows = rows_of(DATA / "lightgbm-lambdarank" / f"rank.{name}.gz")
        for size in (DATA / "lightgbm-lambdarank" / f"rank.{name}.query").read_text().split():
            query = []
            for words in (next(rows) for _ in range(int(size))):
                row = [0.0] * 300
                for word in words[1:]:
                    feature, value = word.split(":")
                    row[int(feature) - 1] = float(value)
                query.append((float(words[0]), row))
            queries.append(query)
    yield from rotated([queries[k::FOLDS] for k in range(FOLDS)])


def covertype_splits():
    """Lists of 20 random plots; the second class, lodgepole pine, is relevant."""
    with gzip.open(DATA / "uci" / "covtype-subset.csv.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1)
    order = np.random.default_rng(1)
    table = table[order.permutation(len(table))]
    begin, parts = 0, []
    for queries in (900, 300, 600):
        rows = table[begin : begin + 20 * queries]
        begin += 20 * queries
        parts.append((rows[:, :-1].astype(np.float32), (rows[:, -1] == 2).astype(float), np.full(queries, 20)))
    yield tuple(parts)


def nonlinear_splits(queries: int, worlds: int):
    """Lists whose labels depend on products and steps of features."""
    for fold in range(worlds):
        rng = np.random.default_rng(100 + fold)

        def part(queries: int, rng=rng) -> Part:
            X = rng.normal(size=(queries * 20, 15)).astype(np.float32)
            signal = X[:, 0] * X[:, 1] + np.where(X[:, 2] > 0.5, X[:, 3], -X[:, 3]) + 0.5 * X[:, 4]
            y = np.digitize(signal + rng.normal(size=len(X)), [1, 2, 3])
            return X, y.astype(float), np.full(queries, 20)

        yield part(queries), part(max(150, queries // 5)), part(300)


# By kind: differences are pooled over the sets of a kind.
SPLITS: dict[str, dict[str, Callable]] = {
    "real": {
        "mq2008": lambda: letor_splits("mq2008"),
        "lightgbm-example": example_splits,
        "mq2007-sample": lambda: letor_splits("mq2007-sample"),
    },
    "nonlinear": {
        "nonlinear-300": lambda: nonlinear_splits(300, 2),
        "covertype": covertype_splits,
        "nonlinear-3000": lambda: nonlinear_splits(3000, 1),
        "nonlinear-10000": lambda: nonlinear_splits(10000, 1),
    },
}
BY_NAME = {name: splits for sets in SPLITS.values() for name, splits in sets.items()}


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


def lambdarank(train: Part, valid: Part, test: Part, threads: int) -> np.ndarray:
    import lightgbm as lgb

    candidates = []
    for leaves in (7, 15, 31, 63):
        for rate in (0.05, 0.1):
            options = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "num_leaves": leaves, "seed": 1,
                       "learning_rate": rate, "verbose": -1, "num_threads": threads, "deterministic": True}  # fmt: skip
            data = lgb.Dataset(train[0], train[1], group=train[2])
            held = data.create_valid(valid[0], valid[1], group=valid[2])
            booster = lgb.train(options, data, ROUNDS, [held], callbacks=[lgb.early_stopping(PATIENCE, verbose=False)])
            candidates.append((booster.predict(valid[0]), booster.predict))
    return best_of(candidates, valid, test)


def xgboost(train: Part, valid: Part, test: Part, threads: int) -> np.ndarray:
    import xgboost as xgb

    candidates = []
    for depth in (3, 4, 6):
        for rate in (0.05, 0.1):
            options = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "max_depth": depth, "eta": rate,
                       "nthread": threads, "tree_method": "hist", "seed": 1,
                       "lambdarank_pair_method": "topk"}  # fmt: skip
            data, held = (xgb.DMatrix(X, y, group=sizes) for X, y, sizes in (train, valid))
            booster = xgb.train(
                options, data, ROUNDS, [(held, "valid")], early_stopping_rounds=PATIENCE, verbose_eval=0
            )

            def predict(X: np.ndarray, booster=booster) -> np.ndarray:
                return booster.predict(xgb.DMatrix(X), iteration_range=(0, booster.best_iteration + 1))

            candidates.append((predict(valid[0]), predict))
    return best_of(candidates, valid, test)


def catboost(train: Part, valid: Part, test: Part, threads: int) -> np.ndarray:
    import catboost

    pools = [catboost.Pool(X, y, group_id=np.repeat(np.arange(len(sizes)), sizes)) for X, y, sizes in (train, valid)]
    candidates = []
    for depth in (4, 6):
        model = catboost.CatBoostRanker(iterations=ROUNDS, depth=depth, learning_rate=0.1, loss_function="YetiRank",
                                        eval_metric="NDCG:top=10;type=Exp", early_stopping_rounds=PATIENCE, verbose=0,
                                        random_seed=1, thread_count=threads, allow_writing_files=False)  # fmt: skip
        model.fit(pools[0], eval_set=pools[1])
        candidates.append((model.predict(valid[0]), model.predict))
    return best_of(candidates, valid, test)


def tuned(*more: str) -> Callable[[Part, Part, Part, int], np.ndarray]:
    def run(train: Part, valid: Part, test: Part, threads: int) -> np.ndarray:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, (X, y, sizes) in (("train", train), ("valid", valid), ("test", test)):
                query = np.repeat(np.arange(len(sizes)), sizes)
                with open(folder / f"{file}.txt", "w") as out:
                    for q, label, row in zip(query, y, X):
                        out.write(f"{label:g} qid:{q} " + " ".join(f"{j}:{v:.9g}" for j, v in enumerate(row, 1)) + "\n")
            import lightgbm

            library = str(Path(lightgbm.__file__).parent / "lib" / "lib_lightgbm.so")
            words = [DORM, "tune", folder / "train.txt", "--valid", folder / "valid.txt", "--model", folder / "m.json"]
            words += [*more, "--threads", str(threads), "--quiet"]
            environment = {**os.environ, "DORM_LIGHTGBM": library}
            told = subprocess.run([sys.executable, "-S", "-c", SPENT, *words], check=True, env=environment,
                                  capture_output=True, text=True)  # fmt: skip
            run.spent = [float(word) for word in told.stdout.split()[-2:]]
            ranked = [DORM, "rank", folder / "m.json", folder / "test.txt"]
            return np.array(subprocess.run(ranked, check=True, capture_output=True, text=True).stdout.split(), float)

    return run


RIVALS = {
    "linear": tuned(),
    "trees": tuned("--trees"),
    "lambdarank": lambdarank,
    "xgboost": xgboost,
    "catboost": catboost,
}


def measured(method: str, split: tuple[Part, Part, Part], threads: int, reply) -> None:
    """In a process of its own: the values of the test queries, seconds and megabytes."""
    try:
        importlib.import_module(LIBRARIES[method])
    except ImportError as missing:
        reply.send(str(missing))
        return
    before = resource.getrusage(resource.RUSAGE_SELF)
    values = ndcg(RIVALS[method](*split, threads), split[2])
    own = resource.getrusage(resource.RUSAGE_SELF)
    seconds = own.ru_utime + own.ru_stime - before.ru_utime - before.ru_stime
    seconds, kilobytes = getattr(RIVALS[method], "spent", None) or (seconds, own.ru_maxrss - before.ru_maxrss)
    reply.send((values, f"{seconds:.1f}", f"{kilobytes / 1024:.0f}") if threads == 1 else (values, "", ""))


def run(method: str, split: tuple[Part, Part, Part], threads: int):
    context = multiprocessing.get_context("fork")
    reply, sender = context.Pipe(duplex=False)
    process = context.Process(target=measured, args=(method, split, threads, sender))
    process.start()
    sender.close()
    try:
        return reply.recv()
    finally:
        process.join()


def kept(path: Path | None, method: str, split: tuple[Part, Part, Part], threads: int):
    """What run() returns, from the file if it is there."""
    if path and path.exists():
        held = np.load(path)
        return held["values"], str(held["seconds"]), str(held["megabytes"])
    answer = run(method, split, threads)
    if path and not isinstance(answer, str):
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, values=answer[0], seconds=answer[1], megabytes=answer[2])
    return answer


def measure(names: list[str], methods: list[str], threads: int, folder: Path | None) -> None:
    rows = known()
    done = {(row["data"], int(row["split"])) for row in rows}
    for name in names:
        for number, split in enumerate(BY_NAME[name](), 1):
            if (name, number) in done:
                continue
            found = {}
            for method in methods:
                path = folder / f"{name}-{number}-{method}.npz" if folder else None
                answer = kept(path, method, split, threads)
                if isinstance(answer, str):
                    print(f"{method} is left out: {answer}")
                    continue
                found[method] = answer
                print(f"{name} split {number} {method}: {np.nanmean(answer[0]):.4f}", flush=True)
            if "trees" not in found:
                continue
            ours = found["trees"][0]
            for method, (values, seconds, megabytes) in found.items():
                ahead = (ours - values)[~np.isnan(ours)]
                rows.append({"data": name, "split": number, "method": method, "queries": len(ahead),
                             "ndcg@10": f"{np.nanmean(values):.6f}", "ahead": f"{ahead.sum():.6f}",
                             "squares": f"{(ahead**2).sum():.6f}", "seconds": seconds,
                             "megabytes": megabytes})  # fmt: skip
            with open(RESULTS, "w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)


def known() -> list[dict[str, str]]:
    return list(csv.DictReader(RESULTS.read_text().splitlines())) if RESULTS.exists() else []


def difference(rows: list[dict[str, str]]) -> str:
    """Of the trees less a method, with its standard error, x 100; in bold where two of them do not reach 0."""
    count = sum(int(row["queries"]) for row in rows)
    mean = sum(float(row["ahead"]) for row in rows) / count
    variance = sum(float(row["squares"]) for row in rows) / count - mean**2
    error = (variance / (count - 1)) ** 0.5
    text = f"{100 * mean:+.2f} ± {100 * error:.2f}"
    return f"**{text}**" if abs(mean) > 2 * error else text


def markdown() -> None:
    rows, others = known(), [method for method in NAMES if method != "trees"]
    print("| data | test queries | `--trees` | " + " | ".join(f"less {NAMES[method]}" for method in others) + " |")
    print("|---" * (3 + len(others)) + "|")
    for kind, sets in SPLITS.items():
        groups = [(name, {name}) for name in sets] + [(f"{kind}, all", set(sets))]
        for title, names in groups:
            of = {method: [row for row in rows if row["data"] in names and row["method"] == method] for method in NAMES}
            if not of["trees"]:
                continue
            queries = [int(row["queries"]) for row in of["trees"]]
            ours = sum(n * float(row["ndcg@10"]) for n, row in zip(queries, of["trees"])) / sum(queries)
            cells = [difference(of[method]) for method in others]
            print(f"| {title} | {sum(queries):,} | {100 * ours:.2f} | " + " | ".join(cells) + " |")
    print("\n| data | " + " | ".join(NAMES.values()) + " |\n" + "|---" * (1 + len(NAMES)) + "|")
    for name in BY_NAME:
        cells = []
        for method in NAMES:
            own = [row for row in rows if row["data"] == name and row["method"] == method and row["seconds"]]
            if own:
                seconds = sum(float(row["seconds"]) for row in own) / len(own)
                memory = [int(row["megabytes"]) for row in own if row["megabytes"]]
                cells.append(f"{seconds:.1f} s" + (f", {max(memory)} MB" if memory else ""))
        if cells:
            print(f"| {name} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="*", choices=[[], *BY_NAME], default=[])
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(NAMES))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--values", type=Path)
    given = parser.parse_args()
    if given.markdown:
        markdown()
    else:
        measure(given.data or list(BY_NAME), given.methods, given.threads, given.values)


if __name__ == "__main__":
    main()
