#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `train` and `tune` deliver beside linear baselines and boosted trees: many random splits, NDCG@10.

    splits.py --dorm build/dorm [--before OLD/dorm] [--out FOLDER] [--sets "mq2008;clueweb09"] [--methods "tune;train"]

Every method is trained on the same queries and chooses its options on the same validation queries; figures are of test
queries that settled no default: the queries of MQ2007 and MQ2008 whose checksum is odd, folds 4 and 5 of ClueWeb09, the
test file of the LightGBM set, a half of the documents of the UCI sets, generated sets of other seeds. Ridge regression
and the measure are computed here, in numpy. Results of single fits are kept in FOLDER; a run goes on where it stopped.
Data is found by DORM_DATA; a set that is absent is left out, and said so.
"""

import argparse
import gzip
import itertools
import json
import os
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("DORM_DATA", "../shared/data"))
DISCOUNT = 1 / np.log2(np.arange(2, 12))


class Queries:
    """Documents of some queries: X, labels, and where each query ends."""

    def __init__(self, parts):
        self.X = np.vstack([x for x, _ in parts]).astype(np.float32)
        self.y = np.concatenate([y for _, y in parts])
        self.sizes = np.array([len(y) for _, y in parts])
        self.spans = list(itertools.pairwise(np.concatenate([[0], np.cumsum(self.sizes)])))

    def ndcg(self, scores):
        """NDCG@10 by query; NaN where nothing is relevant."""
        out = np.full(len(self.spans), np.nan)
        for q, (begin, end) in enumerate(self.spans):
            gain = 2.0 ** self.y[begin:end] - 1
            ideal = np.sort(gain)[::-1][:10]
            if ideal[0] > 0:
                top = gain[np.argsort(-scores[begin:end], kind="stable")[:10]]
                out[q] = (top * DISCOUNT[: len(top)]).sum() / (ideal * DISCOUNT[: len(ideal)]).sum()
        return out

    def write(self, path):
        with open(path, "w") as out:
            for q, (begin, end) in enumerate(self.spans):
                for x, y in zip(self.X[begin:end], self.y[begin:end]):
                    row = " ".join(f"{j + 1}:{v:.7g}" for j, v in enumerate(x) if v or j + 1 == len(x))
                    out.write(f"{y:g} qid:{q} {row}\n")


# ---- sets: of the number of a split they make train, valid and test as lists of (X, y), and names of the test queries


def read_letor(files):
    queries = {}
    for file in files:
        with gzip.open(file, "rt") as stream:
            for line in stream:
                words = line.split("#")[0].split()
                row = [float(word.split(":")[1]) for word in words[2:]]
                queries.setdefault(words[1][4:], []).append((float(words[0]), row))
    return {q: (np.array([r for _, r in rows]), np.array([y for y, _ in rows])) for q, rows in queries.items()}


def web(name, train_size=None):
    queries = read_letor([DATA / name / f"S{k}.txt.gz" for k in range(1, 6)])
    seen = [q for q in queries if zlib.crc32(q.encode()) % 2 == 0]
    reserved = [q for q in queries if zlib.crc32(q.encode()) % 2 == 1]

    def split(seed):
        rng = np.random.default_rng(seed)
        mixed = list(rng.permutation(reserved))
        test, rest = mixed[: len(mixed) // 2], list(rng.permutation(seen + mixed[len(mixed) // 2 :]))
        if train_size:
            rest = rest[: train_size * 4 // 3]
        cut = len(rest) * 3 // 4
        return *([queries[q] for q in part] for part in (rest[:cut], rest[cut:], test)), test

    return split


def clueweb(_):
    seen = read_letor([DATA / "clueweb09" / f"Fold{k}.test.txt.gz" for k in (1, 2, 3)])
    reserved = read_letor([DATA / "clueweb09" / f"Fold{k}.test.txt.gz" for k in (4, 5)])

    def split(seed):
        order = list(np.random.default_rng(seed).permutation(list(seen)))
        cut = len(order) * 3 // 4
        return [seen[q] for q in order[:cut]], [seen[q] for q in order[cut:]], list(reserved.values()), list(reserved)

    return split


def lightgbm_example(_):
    def load(part):
        sizes = [int(s) for s in (DATA / "lightgbm-lambdarank" / f"rank.{part}.query").read_text().split()]
        labels, rows = [], []
        with gzip.open(DATA / "lightgbm-lambdarank" / f"rank.{part}.gz", "rt") as stream:
            for line in stream:
                label, *pairs = line.split()
                row = np.zeros(300)
                for pair in pairs:
                    j, value = pair.split(":")
                    row[int(j) - 1] = float(value)
                labels.append(float(label))
                rows.append(row)
        ends = np.cumsum(sizes)
        return [(np.array(rows[e - s : e]), np.array(labels[e - s : e])) for s, e in zip(sizes, ends)]

    seen, reserved = load("train"), load("test")

    def split(seed):
        order = np.random.default_rng(seed).permutation(len(seen))
        cut = len(order) * 3 // 4
        return [seen[q] for q in order[:cut]], [seen[q] for q in order[cut:]], reserved, list(range(len(reserved)))

    return split


def uci(name, as_read=False):
    def table(file, **options):
        with gzip.open(DATA / "uci" / file, "rt") as stream:
            return np.loadtxt(stream, **options)

    if name == "page-blocks":
        rows = table("page-blocks.data.gz")
    elif name == "covertype":
        rows = table("covtype-subset.csv.gz", delimiter=",", skiprows=1)
    else:
        rows = np.vstack([table(f"{name}.{part}.gz", delimiter=",") for part in ("tra", "tes")])
    rows[:, -1] -= rows[:, -1].min()
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    rows = rows[: 20000 if name == "covertype" else len(rows)]
    reserved = rows[len(rows) // 2 :]

    def split(seed):
        rng = np.random.default_rng(100 + seed)
        mixed = reserved[rng.permutation(len(reserved))]
        third, half = len(mixed) // 3, len(mixed) // 2
        largest = 1 if as_read else np.maximum(np.abs(mixed[:third, :-1]).max(axis=0), 1e-30)

        def draw(pool, number):
            picked = [pool[rng.choice(len(pool), 100, replace=False)] for _ in range(number)]
            return [(p[:, :-1] / largest, p[:, -1]) for p in picked]

        train, valid, test = draw(mixed[:third], 50), draw(mixed[third:half], 50), draw(mixed[half:], 100)
        return train, valid, test, [f"{seed}-{q}" for q in range(100)]

    return split


def generated(size, noise, dorm):
    def split(seed):
        with tempfile.NamedTemporaryFile(suffix=".txt.gz") as file:
            options = ["--queries", str(size * 4 // 3 + 300), "--features", "46", "--documents-median", "40"]
            command = [dorm, "synth", *options, "--noise", str(noise), "--seed", str(100 + seed), "-o", file.name]
            subprocess.run([*command, "--quiet"], check=True)
            queries = list(read_letor([file.name]).values())
        cut = size * 4 // 3
        return queries[:size], queries[size:cut], queries[cut:], [f"{seed}-{q}" for q in range(300)]

    return split


def sets(dorm):
    """Name: number of splits, whether test queries come again in other splits, and the splits."""
    found = {
        "mq2008": (8, True, lambda: web("mq2008")),
        "mq2008, 60": (10, True, lambda: web("mq2008", 60)),
        "mq2007": (5, True, lambda: web("mq2007-sample")),
        "mq2007, 60": (10, True, lambda: web("mq2007-sample", 60)),
        "lightgbm": (10, True, lambda: lightgbm_example("")),
        "clueweb09": (10, True, lambda: clueweb("")),
    }
    for name in ("page-blocks", "pendigits", "optdigits", "covertype"):
        found[name] = (5, False, lambda name=name: uci(name))
    for size, noise in ((20, 1), (60, 1), (60, 2), (200, 1), (200, 2), (1000, 1)):
        found[f"generated {size}, noise {noise}"] = (
            5 if size < 1000 else 3,
            False,
            lambda size=size, noise=noise: generated(size, noise, dorm),
        )
    return found


# ---- methods: a function of (train, valid, test) gives the scores of the test documents


def scaled(part):
    """As `--scale auto` does: features in [0, 1] as they are, else z-scores of logs within each query."""
    if part.X.min() >= 0 and part.X.max() <= 1:
        return part.X.astype(float)
    X = np.sign(part.X) * np.log1p(np.abs(part.X.astype(float)))
    for begin, end in part.spans:
        block = X[begin:end] - X[begin:end].mean(axis=0)
        deviation = np.sqrt((block**2).mean(axis=0))
        X[begin:end] = block / np.where(deviation > 0, deviation, 1)
    return X


def ridge(on_gains):
    def fit(train, valid, test):
        X, y = scaled(train), 2.0**train.y - 1 if on_gains else train.y.astype(float)
        for begin, end in train.spans:
            X[begin:end] -= X[begin:end].mean(axis=0)
            y[begin:end] -= y[begin:end].mean()
        values, vectors = np.linalg.eigh(X.T @ X / len(X))
        target, total = vectors.T @ (X.T @ y) / len(X), values.sum()
        weights = [vectors @ (target / (values + total * 10.0**-k)) for k in np.linspace(-1, 6, 15)]
        judged, asked = scaled(valid), scaled(test)
        best = max(weights, key=lambda w: np.nanmean(valid.ndcg(judged @ w)))
        return asked @ best

    return fit


class Command:
    """Files of a split for a command that reads files."""

    def __init__(self, train, valid, test):
        self.folder = tempfile.TemporaryDirectory()
        self.path = {name: f"{self.folder.name}/{name}.txt" for name in ("train", "valid", "test")}
        self.parts = {"train": train, "valid": valid, "test": test}
        for name, part in self.parts.items():
            part.write(self.path[name])

    def fit(self, dorm, verb, *options):
        model = f"{self.folder.name}/m.json"
        subprocess.run([dorm, verb, self.path["train"], *options, "--model", model, "--quiet", "--threads", "1"],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        return model

    def scores(self, dorm, model, part):
        out = f"{self.folder.name}/scores"
        subprocess.run(
            [dorm, "rank", model, self.path[part], "-o", out, "--quiet"], check=True, stdout=subprocess.DEVNULL
        )
        return np.loadtxt(out)


def by_command(dorm, verb, *options):
    def fit(train, valid, test):
        files = Command(train, valid, test)
        given = [files.path["valid"] if option == "VALID" else option for option in options]
        return files.scores(dorm, files.fit(dorm, verb, *given), "test")

    return fit


def baseline_by_command(dorm, method):
    def fit(train, valid, test):
        files, best = Command(train, valid, test), (-1.0, None)
        for C in np.logspace(-1, 4, 11):
            model = files.fit(dorm, "train", "--method", method, "-C", f"{C:.6g}")
            figure = np.nanmean(valid.ndcg(files.scores(dorm, model, "valid")))
            if figure > best[0]:
                best = (figure, files.scores(dorm, model, "test"))
        return best[1]

    return fit


def lightgbm(train, valid, test):
    import lightgbm as gbm

    best = (-1.0, None)
    for leaves, rate, least in itertools.product((7, 15, 31), (0.05, 0.1), (10, 50)):
        options = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "num_leaves": leaves, "verbosity": -1}
        options |= {
            "learning_rate": rate,
            "min_data_in_leaf": least,
            "num_threads": 1,
            "seed": 1,
            "deterministic": True,
        }
        data = gbm.Dataset(train.X, train.y, group=train.sizes)
        model = gbm.train(options, data, 300, [gbm.Dataset(valid.X, valid.y, group=valid.sizes, reference=data)],
                          callbacks=[gbm.early_stopping(40, verbose=False)])  # fmt: skip
        figure = np.nanmean(valid.ndcg(model.predict(valid.X)))
        if figure > best[0]:
            best = (figure, model.predict(test.X))
    return best[1]


def xgboost(train, valid, test):
    import xgboost as xgb

    def matrix(part):
        out = xgb.DMatrix(part.X, part.y)
        out.set_group(part.sizes)
        return out

    fitted, judged, asked, best = matrix(train), matrix(valid), matrix(test), (-1.0, None)
    for depth, rate, weight in itertools.product((2, 4, 6), (0.05, 0.1), (1, 10)):
        options = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "max_depth": depth, "eta": rate, "nthread": 1}
        model = xgb.train(options | {"min_child_weight": weight, "tree_method": "hist", "seed": 1}, fitted, 300,
                          [(judged, "valid")], early_stopping_rounds=40, verbose_eval=False)  # fmt: skip
        last = (0, model.best_iteration + 1)
        figure = np.nanmean(valid.ndcg(model.predict(judged, iteration_range=last)))
        if figure > best[0]:
            best = (figure, model.predict(asked, iteration_range=last))
    return best[1]


def methods(dorm, before):
    found = {
        "tune": by_command(dorm, "tune", "--valid", "VALID"),
        "train": by_command(dorm, "train"),
        "tune, one cell": by_command(dorm, "tune", "--valid", "VALID", "--choose", "best"),
        "ridge, labels": ridge(False),
        "ridge, gains": ridge(True),
        "ranksvm": baseline_by_command(dorm, "ranksvm"),
        "svm-ir-qp": baseline_by_command(dorm, "svm-ir-qp"),
        "lightgbm": lightgbm,
        "xgboost": xgboost,
    }
    if before:
        found["tune before"] = by_command(before, "tune", "--valid", "VALID")
        found["train before"] = by_command(before, "train")
    return found


# ---- running and reporting


def run(options):
    chosen = methods(options.dorm, options.before)
    for name, (splits, _, make) in sets(options.dorm).items():
        if options.sets and name not in options.sets:
            continue
        try:
            split = make()
        except FileNotFoundError as missing:
            print(f"{name}: left out, {missing}")
            continue
        for seed in range(min(splits, options.splits)):
            parts = None
            for method, fit in chosen.items():
                path = options.out / f"{name} {seed} {method}.json"
                if path.exists() or (options.methods and method not in options.methods):
                    continue
                if parts is None:
                    *lists, test_names = split(seed)
                    parts = [Queries(part) for part in lists]
                values = parts[2].ndcg(fit(*parts))
                path.write_text(json.dumps(dict(zip(map(str, test_names), values.tolist()))))
        print(f"{name}: done", flush=True)


def difference(out, name, splits, again, method, other):
    """Mean difference over test queries, and its standard error: over queries, each averaged over the splits it was in,
    or over splits that share none."""
    by_query, by_split = {}, []
    for seed in range(splits):
        paths = [out / f"{name} {seed} {m}.json" for m in (method, other)]
        if not all(path.exists() for path in paths):
            continue
        a, b = (json.loads(path.read_text()) for path in paths)
        gaps = {q: a[q] - b[q] for q in a if not np.isnan(a[q])}
        by_split.append(np.mean(list(gaps.values())))
        for q, gap in gaps.items():
            by_query.setdefault(q, []).append(gap)
    if not by_split:
        return None
    units = [np.mean(v) for v in by_query.values()] if again else by_split
    error = np.std(units, ddof=1) / np.sqrt(len(units)) if len(units) > 1 else np.nan
    return float(np.mean(units)), float(error), len(by_split)


def report(options):
    known = sets(options.dorm)
    names = [n for n in known if any(options.out.glob(f"{n} [0-9]* tune.json"))]
    others = [m for m in methods(options.dorm, options.before) if m != options.against]
    print(f"\n{options.against} minus another, NDCG@10 x 100, and the standard error\n")
    print("| set | splits | " + " | ".join(others) + " |\n|---" * 1 + "|---" * (len(others) + 1) + "|")
    rows = {m: {} for m in others}
    for name in names:
        splits, again, _ = known[name]
        cells, most = [], 0
        for other in others:
            found = difference(options.out, name, splits, again, options.against, other)
            if found:
                rows[other][name] = found
                most = max(most, found[2])
            cells.append(f"{100 * found[0]:+.2f} ± {100 * found[1]:.2f}" if found else "")
        print(f"| {name} | {most} | " + " | ".join(cells) + " |")
    uci_sets = {"page-blocks", "pendigits", "optdigits", "covertype"}
    for label, part in (("all but UCI", lambda n: n not in uci_sets), ("all", lambda n: True)):
        cells = []
        for other in others:
            values = [v for n, v in rows[other].items() if part(n)]
            mean = np.mean([v[0] for v in values]) if values else np.nan
            error = np.sqrt(np.sum([v[1] ** 2 for v in values])) / max(1, len(values))
            cells.append(f"{100 * mean:+.2f} ± {100 * error:.2f}")
        print(f"| mean, {label} | | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--before", help="an older command, to be compared with")
    parser.add_argument("--out", type=Path, default=Path("build-bench/splits"))
    parser.add_argument("--sets", type=lambda text: text.split(";"), help="names between semicolons")
    parser.add_argument("--methods", type=lambda text: text.split(";"))
    parser.add_argument("--splits", type=int, default=10, help="at most so many of each set")
    parser.add_argument("--against", default="tune", help="the method that others are subtracted from")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    run(options)
    report(options)


if __name__ == "__main__":
    main()
