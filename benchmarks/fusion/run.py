#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fusing retrievers: weights by DORM beside what else is used, on collections of runs with judgments.

    run.py [--data DIR] [--collections a,b]                 computes results.csv from ranx.csv (minutes)
    run.py --speed [--ranx PYTHON]                          computes speed.csv; PYTHON has ranx
    run.py --large [--dorm build/dorm]                      computes large.csv: the command on ten large runs
    run.py --markdown collections|differences|few|same|speed|large   prints a table or a line of docs/fusion.md

NDCG@10 as trec_eval has it: linear gain, the ideal from all judgments, unjudged documents 0, equal scores by document
id. 5-fold cross-validation over queries, several seeds; every method sees the same training queries and the same
min-max scores, absent documents 0. `ranx`: the weights that ranx.optimize_fusion chooses on the training queries, which
ranx_choice.py has left in ranx.csv. Differences are of DORM to the others, paired by query (mean over seeds), with two
standard errors. Rows of collections that are not asked for stay as they are.
"""

import argparse
import contextlib
import csv
import gzip
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:  # the tables need none
    np = None

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(os.environ.get("DORM_DATA", HERE.parents[2] / "shared" / "data")) / "fusion"
METHODS = ("best single", "rrf", "mean", "ranx", "ridge", "logistic", "dorm")
DEPTH = 10
SEEDS, SIZES = 3, ("all", "10", "20")


class Query:
    """The joined lists of one query: min-max scores by document and run, gains, the ideal."""

    def __init__(self, lists, judged):
        self.documents = sorted({d for ranked in lists for d, _ in ranked}, reverse=True)  # equal scores: by id
        place = {d: i for i, d in enumerate(self.documents)}
        self.X = np.zeros((len(self.documents), len(lists)))
        self.listed = np.zeros_like(self.X, dtype=bool)
        self.raw = np.full_like(self.X, -np.inf)
        self.rrf = np.zeros(len(self.documents))
        for r, ranked in enumerate(lists):
            if not ranked:
                continue
            rows, scores = [place[d] for d, _ in ranked], np.array([s for _, s in ranked])
            low, high = scores.min(), scores.max()
            self.X[rows, r] = (scores - low) / (high - low) if high > low else 1
            self.raw[rows, r] = scores
            order = np.argsort(-scores, kind="stable")
            self.rrf[np.array(rows)[order]] += 1 / (60 + np.arange(1, len(rows) + 1))
        self.X = self.X.astype(np.float32).astype(float)
        self.labels = np.array([float(judged.get(d, 0)) for d in self.documents])
        self.gains = np.maximum(self.labels, 0)
        best = np.sort([g for g in judged.values() if g > 0])[::-1][:DEPTH]
        self.ideal = float(np.sum(best / np.log2(np.arange(2, len(best) + 2))))

    def ndcg(self, scores):
        """Of each row of scores."""
        scores = np.atleast_2d(scores)
        if self.ideal == 0:
            return np.zeros(len(scores))
        n = scores.shape[1]
        apart = np.arange(n) * 1e-13 - scores  # of equal scores the first
        top = np.argpartition(apart, DEPTH, axis=1)[:, :DEPTH] if n > DEPTH else np.tile(np.arange(n), (len(scores), 1))
        order = np.take_along_axis(top, np.argsort(np.take_along_axis(apart, top, axis=1), axis=1), axis=1)
        gains = np.where(np.take_along_axis(np.isfinite(scores), order, axis=1), self.gains[order], 0)
        return gains @ (1 / np.log2(np.arange(2, order.shape[1] + 2))) / self.ideal


def read_collection(folder):
    qrels, order = {}, []
    for line in gzip.open(folder / "qrels.txt.gz", "rt"):
        query, _, document, label = line.split()
        qrels.setdefault(query, {})[document] = int(label)
    names = sorted(path.name.split(".")[0] for path in folder.glob("*.run.gz"))
    runs = {name: {} for name in names}
    for name in names:
        for line in gzip.open(folder / f"{name}.run.gz", "rt"):
            query, _, document, _, score, _ = line.split()
            runs[name].setdefault(query, []).append((document, float(score)))
    order = [query for query in qrels if any(query in run for run in runs.values())]
    return names, runs, {query: qrels[query] for query in order}


def chosen_by_ranx(collection):
    """By seed, fold and size of the training part: weights."""
    rows = [r for r in csv.DictReader(open(HERE / "ranx.csv")) if r["collection"] == collection]
    place = {(int(r["seed"]), int(r["fold"]), r["training"]): r["weights"] for r in rows}
    return {key: np.array(weights.split(), dtype=float) for key, weights in place.items()}


def weights_by_dorm(names, runs, qrels):
    import dorm.fusion

    chosen = {name: {q: dict(runs[name][q]) for q in qrels if q in runs[name]} for name in names}
    ranker = dorm.fusion.FusionRanker(n_jobs=1).fit(chosen, qrels)
    return np.array(list(ranker.weights_.values()))


def weights_by_ridge(queries):
    X, y = np.vstack([q.X for q in queries]), np.concatenate([q.labels for q in queries])
    X, y = X - X.mean(axis=0), y - y.mean()
    return np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ y)


def weights_by_logistic(queries):
    from sklearn.linear_model import LogisticRegression

    X, y = np.vstack([q.X for q in queries]), np.concatenate([q.labels > 0 for q in queries])
    return LogisticRegression(max_iter=1000).fit(X, y).coef_[0] if y.any() and not y.all() else np.ones(X.shape[1])


def splits_of(ids, seeds=SEEDS, sizes=SIZES):
    """Seed, fold, test queries and, by size, training queries."""
    for seed in range(seeds):
        shuffled = np.random.default_rng(seed).permutation(len(ids))
        for fold in range(5):
            test = shuffled[fold::5]
            rest = np.setdiff1d(shuffled, test, assume_unique=True)
            yield seed, fold, test, {size: rest if size == "all" else rest[: int(size)] for size in sizes}


def evaluated(folder):
    """Runs, and {(training, method): the measure by query, mean over seeds}."""
    names, runs, qrels = read_collection(folder)
    ids = list(qrels)
    queries = [Query([runs[name].get(q, []) for name in names], qrels[q]) for q in ids]
    single = np.array([q.ndcg(q.raw.T) for q in queries])
    mean = np.array([q.ndcg(q.X.mean(axis=1))[0] for q in queries])
    rrf = np.array([q.ndcg(q.rrf)[0] for q in queries])
    values = {(size, m): np.zeros((SEEDS, len(ids))) for size in SIZES for m in METHODS}
    weights_of_ranx = chosen_by_ranx(folder.name)
    for seed, fold, test, by_size in splits_of(ids):
        for size, train in by_size.items():
            some = [queries[q] for q in train]
            found = {
                "ranx": weights_of_ranx[seed, fold, size],
                "dorm": weights_by_dorm(names, runs, {ids[q]: qrels[ids[q]] for q in train}),
                "ridge": weights_by_ridge(some),
                "logistic": weights_by_logistic(some),
            }
            values[size, "best single"][seed, test] = single[test, single[train].mean(axis=0).argmax()]
            values[size, "rrf"][seed, test] = rrf[test]
            values[size, "mean"][seed, test] = mean[test]
            for method, weights in found.items():
                values[size, method][seed, test] = [queries[q].ndcg(queries[q].X @ weights)[0] for q in test]
    return len(names), {key: each.mean(axis=0) for key, each in values.items()}


def pooled(rows):
    """Means over collections, with their errors."""
    out = []
    for size, method in dict.fromkeys((row[3], row[4]) for row in rows if row[4] in METHODS):
        each = np.array([(row[6], row[7]) for row in rows if (row[3], row[4]) == (size, method)], dtype=float)
        out.append(["all", "", "", size, method, "", each[:, 0].mean(), np.sqrt((each[:, 1] ** 2).sum()) / len(each)])
    return out


def compute(arguments):
    rows = []
    chosen = arguments.collections.split(",") if arguments.collections else None
    before = list(csv.reader(open(HERE / "results.csv")))[1:] if (HERE / "results.csv").exists() else []
    for folder in sorted(path for path in arguments.data.iterdir() if path.is_dir()):
        if chosen and folder.name not in chosen:
            rows += [row for row in before if row[0] == folder.name]
            continue
        began = time.perf_counter()
        runs, values = evaluated(folder)
        for (size, method), each in values.items():
            difference = values[size, "dorm"] - each
            error = 2 * difference.std(ddof=1) / np.sqrt(len(difference))
            rows.append([folder.name, runs, len(each), size, method, each.mean(), difference.mean(), error])
        print(f"{folder.name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    with open(HERE / "results.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["collection", "runs", "queries", "training", "method", "ndcg@10", "dorm_minus", "two_errors"])
        for row in rows + pooled(rows):
            out.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in row])


RANX = """
import json, sys, time
from ranx import Qrels, Run, optimize_fusion
words = json.load(open(sys.argv[1]))
def go(queries):
    runs = [Run({q: run[q] for q in queries if q in run}, name=name) for name, run in words["runs"].items()]
    return optimize_fusion(qrels=Qrels({q: words["qrels"][q] for q in queries}), runs=runs, norm="min-max",
                           method="wsum", metric="ndcg@10", show_progress=False)["weights"]
go(words["asked"][0][:3])
began = time.process_time()
weights = [list(go(queries)) for queries in words["asked"]]
print(json.dumps({"seconds": time.process_time() - began, "weights": weights}))
"""


def by_ranx(python, names, runs, qrels, asked):
    """The processor time and the weights of ranx itself for lists of training queries; compiled code is warm."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "words.json"
        chosen = {name: {q: dict(runs[name][q]) for q in qrels if q in runs[name]} for name in names}
        path.write_text(json.dumps({"qrels": qrels, "runs": chosen, "asked": asked}))
        done = subprocess.run([python, "-c", RANX, str(path)], check=True, capture_output=True, text=True)
        return json.loads(done.stdout.splitlines()[-1])


def speed(arguments):
    import dorm.fusion

    rows = []
    for collection in ("time", "scifact"):
        names, runs, qrels = read_collection(arguments.data / collection)
        for count in range(2, 6):
            some = names[:count]
            chosen = {name: {q: dict(runs[name][q]) for q in qrels if q in runs[name]} for name in some}
            ranker = dorm.fusion.FusionRanker(n_jobs=1)
            dorm.fusion.fuse(chosen, qrels, folds=0, n_jobs=1)
            began = time.process_time()
            ranker.fit(chosen, qrels)
            ours = time.process_time() - began
            theirs = by_ranx(arguments.ranx, some, runs, qrels, [list(qrels)])["seconds"] if arguments.ranx else ""
            rows.append([collection, len(qrels), count, ours, theirs])
            print(rows[-1], file=sys.stderr)
    with open(HERE / "speed.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["collection", "queries", "runs", "dorm", "ranx"])
        for row in rows:
            out.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in row])


def write_large(folder, runs, queries, documents):
    """Runs of random scores over pools of 300 documents, in which some 6 are relevant."""
    rng = np.random.default_rng(1)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(folder / f"r{r}.run", "w")) for r in range(runs)]
        qrels = stack.enter_context(open(folder / "qrels.txt", "w"))
        for q in range(queries):
            ids = np.unique(rng.integers(0, 9_000_000, 300))
            relevant = rng.random(len(ids)) < 0.02
            known = rng.normal(size=len(ids)) + 2 * relevant
            qrels.writelines(f"{q} 0 D{ids[d]} 1\n" for d in np.flatnonzero(relevant))
            for r, file in enumerate(files):
                scores = known + (0.5 + 0.15 * r) * rng.normal(size=len(ids))
                best = np.argsort(-scores)[:documents]
                file.writelines(f"{q} Q0 D{ids[i]} {k} {scores[i]:.6f} r{r}\n" for k, i in enumerate(best, 1))


def large(arguments):
    runs, queries, documents = 10, 10_000, 100
    with tempfile.TemporaryDirectory() as folder:
        write_large(pathlib.Path(folder), runs, queries, documents)
        words = [f"{folder}/r{r}.run" for r in range(runs)] + ["--qrels", f"{folder}/qrels.txt", "--folds", "0"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([arguments.dorm, "fuse", *words, "--threads", "2", "--quiet"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with open(HERE / "large.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["runs", "queries", "documents", "threads", "processor_seconds", "gigabytes"])
        out.writerow([runs, queries, documents, 2, f"{seconds:.1f}", f"{after.ru_maxrss / 1e6:.2f}"])


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def markdown(what):
    if what == "large":
        (r,) = csv.DictReader(open(HERE / "large.csv"))
        print(
            f"`dorm fuse --folds 0` on {r['runs']} runs of {int(r['queries']):,} queries with {r['documents']} "
            f"documents each takes {r['processor_seconds']} s of processor time on {r['threads']} threads, reading, "
            f"sweep and table included, and {r['gigabytes']} GB."
        )
        return None
    rows = list(csv.DictReader(open(HERE / ("speed.csv" if what == "speed" else "results.csv"))))
    if what == "speed":
        return table(
            ["collection", "queries", "runs", "`FusionRanker.fit`", "`ranx.optimize_fusion`", "times"],
            [
                [r["collection"], r["queries"], r["runs"], f"{float(r['dorm']):.3f} s"]
                + [f"{float(r['ranx']):.2f} s" if r["ranx"] else "not run"]
                + [f"{float(r['ranx']) / float(r['dorm']):,.0f}" if r["ranx"] else ""]
                for r in rows
            ],
        )
    if what == "collections":
        names = [n for n in dict.fromkeys(r["collection"] for r in rows) if n != "all"]
        value = {(r["collection"], r["method"]): r for r in rows if r["training"] == "all"}
        return table(
            ["collection", "queries", "runs", *METHODS],
            [
                [n, value[n, "dorm"]["queries"], value[n, "dorm"]["runs"]]
                + [f"{float(value[n, m]['ndcg@10']):.3f}" for m in METHODS]
                for n in names
            ],
        )
    if what == "same":
        choices = list(csv.DictReader(open(HERE / "ranx.csv")))
        called = [r for r in choices if r["called"]]
        print(
            f"ranx chose weights for {len(choices)} sets of training queries of "
            f"{len({r['collection'] for r in choices})} collections. On {len(called)} of these sets "
            f"`ranx.optimize_fusion` was also called alone: it returned the same weights on "
            f"{sum(r['called'] == 'same' for r in called)}."
        )
        return None
    if what == "few":
        lines = []
        for r in rows:
            if r["training"] != "all" and r["method"] == "mean" and r["collection"] != "all":
                low = float(r["dorm_minus"]) + float(r["two_errors"]) < 0
                lines.append((r["collection"], r["training"], float(r["dorm_minus"]), float(r["two_errors"]), low))
        names = list(dict.fromkeys(line[0] for line in lines))
        cell = {line[:2]: f"{line[2]:+.3f} ± {line[3]:.3f}{' (below)' if line[4] else ''}" for line in lines}
        return table(["collection", "10 queries", "20 queries"], [[n, cell[n, "10"], cell[n, "20"]] for n in names])
    of_all = {(r["training"], r["method"]): r for r in rows if r["collection"] == "all"}
    cell = lambda size, m: f"{float(of_all[size, m]['dorm_minus']):+.3f} ± {float(of_all[size, m]['two_errors']):.3f}"  # noqa: E731
    return table(
        ["DORM minus", "four fifths of the queries", "10 queries", "20 queries"],
        [[m, cell("all", m), cell("10", m), cell("20", m)] for m in METHODS if m != "dorm"],
    )


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--data", type=pathlib.Path, default=DATA)
    words.add_argument("--collections", default="")
    words.add_argument("--speed", action="store_true")
    words.add_argument("--ranx", default="", help="a Python that has ranx")
    words.add_argument("--markdown", choices=["collections", "differences", "few", "same", "speed", "large"])
    words.add_argument("--large", action="store_true")
    words.add_argument("--dorm", default="build/dorm", help="the command, for --large")
    arguments = words.parse_args()
    if arguments.markdown:
        return markdown(arguments.markdown)
    return (large if arguments.large else speed if arguments.speed else compute)(arguments)


if __name__ == "__main__":
    main()
