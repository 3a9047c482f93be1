#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One learner on one split, in a process of its own: learners.py METHOD TRAIN VALID TEST DORM QUICK prints JSON.

It tries its grid and prints, for each setting, validation NDCG@10 against the processor seconds spent so far: reading
the training file, what the learner prepares, and fitting. Boosted trees have a point after every tree (every fifth
where there is much to judge on) and stop when PATIENCE trees brought nothing; the others have one point. Time to judge
on validation queries, to import libraries and to start Python is not counted; of our command, the whole process is. One
thread.

  dorm       `dorm train`, its defaults, C of 10 to 1e4; reads the file itself
  lightgbm   lambdarank; reads a copy of the file without query ids and comments, which its reader does not know (making
             it is not counted)
  xgboost    rank:ndcg; reads the file itself
  liblinear  L2-regularised support vector regression on labels, primal; file read by scikit-learn
  ridge      scikit-learn's Ridge on labels; file read by scikit-learn

The last two know no scaling by query: they get both the one of `--scale auto`, in numpy, and scikit-learn's
StandardScaler, and the time of it is counted.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TREES, PATIENCE = 100, 20
STEP = (50_000, 5)  # with so many documents to judge on, so many trees between judgements
SHRINKAGES = (1e-4, 1e-3, 1e-2, 1e-1)  # of ridge, in units of documents
Part = tuple[Any, Any, Any]  # X, y, qid


class Judge:
    """NDCG@10, the mean over the queries with a relevant document; equal scores in the order of the file."""

    def __init__(self, y, qid) -> None:
        import numpy as np

        self.np = np
        self.query = np.cumsum(np.r_[0, qid[1:] != qid[:-1]])
        self.first = np.flatnonzero(np.r_[True, qid[1:] != qid[:-1]])
        self.gain = 2.0**y - 1
        self.ideal = self._dcg(self.gain)
        self.known = self.ideal > 0

    def _dcg(self, scores):
        np = self.np
        order = np.lexsort((-scores, self.query))
        rank = np.arange(len(scores)) - self.first[self.query]
        discounted = np.where(rank < 10, self.gain[order] / np.log2(rank + 2), 0)
        return np.add.reduceat(discounted, self.first)

    def __call__(self, scores) -> float:
        return float((self._dcg(scores)[self.known] / self.ideal[self.known]).mean())


def judge_of(path: str) -> Judge:
    """From the first two words of each line."""
    import numpy as np

    with open(path) as rows:
        labels, queries = zip(*(row.split(" ", 2)[:2] for row in rows))
    return Judge(np.array(labels, float), np.unique(queries, return_inverse=True)[1])


def read(path: str, columns: int | None = None) -> Part:
    import numpy as np
    from sklearn.datasets import load_svmlight_file

    X, y, qid = load_svmlight_file(path, dtype=np.float32, query_id=True, n_features=columns)
    return X.toarray(), y, qid


class Clock:
    """Processor seconds of what runs inside `with`."""

    def __init__(self) -> None:
        self.spent = 0.0

    def __enter__(self) -> None:
        self.began = time.process_time()

    def __exit__(self, *_) -> None:
        self.spent += time.process_time() - self.began


def scaled(part: Part, kind: str, scaler=None):
    import numpy as np

    X, _, qid = part
    if kind == "standard":
        return np.ascontiguousarray(scaler.transform(X))
    if X.min() >= 0 and X.max() <= 1:
        return X
    X = np.sign(X) * np.log1p(np.abs(X))
    first = np.flatnonzero(np.r_[True, qid[1:] != qid[:-1]])
    sizes = np.diff(np.r_[first, len(qid)])
    X -= np.repeat(np.add.reduceat(X, first, axis=0) / sizes[:, None], sizes, axis=0)
    deviation = np.sqrt(np.add.reduceat(X * X, first, axis=0) / sizes[:, None])
    deviation[deviation == 0] = 1
    X /= np.repeat(deviation, sizes, axis=0)
    return X


def linear(train: str, valid: str, test: str, fit) -> tuple[float, list[dict]]:
    """Of a learner that has one point for each setting; fit(X, y, shrinkage) gives what scores documents."""
    from sklearn.preprocessing import StandardScaler

    reading = Clock()
    with reading:
        part = read(train)
    others = [read(path, part[0].shape[1]) for path in (valid, test)]
    judges = [Judge(y, qid) for _, y, qid in others]
    cells = []
    for kind in ("auto", "standard"):
        preparing = Clock()
        with preparing:
            scaler = StandardScaler().fit(part[0]) if kind == "standard" else None
            X = scaled(part, kind, scaler)
        asked = [scaled(other, kind, scaler) for other in others]
        for shrinkage in SHRINKAGES:
            clock = Clock()
            with clock:
                score = fit(X, part[1], shrinkage)
            figures = [judge(score(A)) for judge, A in zip(judges, asked)]
            seconds = reading.spent + preparing.spent + clock.spent
            cells.append({"cell": f"{kind}, {shrinkage:g}", "curve": [[seconds, figures[0]]], "test": figures[1]})
    return reading.spent, cells


def ridge(train: str, valid: str, test: str, *_) -> tuple[float, list[dict]]:
    from sklearn.linear_model import Ridge

    return linear(train, valid, test, lambda X, y, share: Ridge(alpha=share * len(X)).fit(X, y).predict)


def liblinear(train: str, valid: str, test: str, *_) -> tuple[float, list[dict]]:
    import numpy as np
    from liblinear.liblinearutil import train as fit_svr
    from scipy.sparse import csr_matrix

    def fit(X, y, share):
        model = fit_svr(y, csr_matrix(X), f"-s 11 -q -B 1 -c {0.5 / (share * len(X)):g}")
        w = np.array(model.get_decfun()[0])
        return lambda A: A @ w

    return linear(train, valid, test, fit)


def grow(cell: str, update, predict, judges: list[Judge], before: float, quick: bool) -> dict:
    """update(k) grows tree k; predict(k, n, part) is what n trees from k on add to the scores."""
    step = STEP[1] if len(judges[0].query) >= STEP[0] else 1
    clock, curve, totals, best = Clock(), [], [0.0, 0.0], (-1.0, 0, 0.0)
    for k in range(0, 20 if quick else TREES, step):
        with clock:
            for tree in range(k, k + step):
                update(tree)
        totals = [total + predict(k, step, part) for part, total in enumerate(totals)]
        figure = judges[0](totals[0])
        curve.append([before + clock.spent, figure])
        if figure > best[0]:
            best = (figure, k, judges[1](totals[1]))
        if k - best[1] >= PATIENCE:
            break
    return {"cell": cell, "curve": curve, "test": best[2]}


def lightgbm(train: str, valid: str, test: str, _: str, quick: bool) -> tuple[float, list[dict]]:
    import lightgbm as gbm

    own, sizes = train + ".lightgbm", []
    with open(train) as source, open(own, "w") as out:
        for _, rows in itertools.groupby(source, key=lambda row: row.split(" ", 2)[1]):
            lines = [row.split("#")[0].split(" ", 2) for row in rows]
            out.writelines(f"{line[0]} {line[2].strip()}\n" for line in lines)
            sizes.append(len(lines))
    Path(own + ".query").write_text("\n".join(map(str, sizes)) + "\n")
    common = {"objective": "lambdarank", "num_threads": 1, "verbosity": -1, "seed": 1, "deterministic": True}
    reading = Clock()
    with reading:
        data = gbm.Dataset(own, params=common).construct()
    import numpy as np

    others = [read(path, data.num_feature() - 1) for path in (valid, test)]
    asked = [np.hstack([np.zeros((len(X), 1), X.dtype), X]) for X, _, _ in others]  # its columns begin at 0
    judges = [Judge(y, qid) for _, y, qid in others]
    cells = []
    for leaves, rate in itertools.product((7, 31), (0.1, 0.3)):
        model = gbm.Booster(common | {"num_leaves": leaves, "learning_rate": rate}, data)

        def update(_: int, model=model):
            model.update()

        def predict(k: int, n: int, part: int, model=model):
            return model.predict(asked[part], start_iteration=k, num_iteration=n, raw_score=True)

        cells.append(grow(f"{leaves} leaves, rate {rate}", update, predict, judges, reading.spent, quick))
    return reading.spent, cells


def xgboost(train: str, valid: str, test: str, _: str, quick: bool) -> tuple[float, list[dict]]:
    import xgboost as xgb

    reading = Clock()
    with reading:
        data = xgb.DMatrix(train + "?format=libsvm")
    others = [xgb.DMatrix(path + "?format=libsvm") for path in (valid, test)]
    judges = [judge_of(path) for path in (valid, test)]
    cells = []
    for depth, rate in itertools.product((3, 6), (0.1, 0.3)):
        options = {"objective": "rank:ndcg", "tree_method": "hist", "nthread": 1, "seed": 1}
        model = xgb.Booster(options | {"max_depth": depth, "eta": rate}, [data, *others])

        def update(k: int, model=model):
            model.update(data, k)

        def predict(k: int, n: int, part: int, model=model):
            return model.predict(others[part], iteration_range=(k, k + n), output_margin=True)

        cells.append(grow(f"depth {depth}, rate {rate}", update, predict, judges, reading.spent, quick))
    return reading.spent, cells


def dorm(train: str, valid: str, test: str, command: str, _: bool) -> tuple[float, list[dict]]:
    """Nothing large is imported before the command ran: its peak memory is at least that of its parent."""

    def run(*arguments: str) -> tuple[float, int]:
        process = subprocess.Popen([command, *arguments, "--threads", "1", "--quiet"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, arguments
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss

    reading, _ = run("info", train)
    fits = {C: run("train", train, "-C", C, "--model", f"{train}.{C}.json") for C in ("10", "100", "1e3", "1e4")}
    peak[0] = max(used for _, used in fits.values())
    import numpy as np

    judges = [judge_of(path) for path in (valid, test)]
    cells = []
    for C, (seconds, _) in fits.items():
        figures = []
        for path, judge in zip((valid, test), judges):
            run("rank", f"{train}.{C}.json", path, "-o", f"{train}.scores")
            figures.append(judge(np.loadtxt(f"{train}.scores")))
            assert abs(figures[-1] - command_ndcg(command, path, f"{train}.scores")) < 1e-6
        cells.append({"cell": f"C = {C}", "curve": [[seconds, figures[0]]], "test": figures[1]})
    return reading, cells


def command_ndcg(command: str, path: str, scores: str) -> float:
    line = [command, "eval", path, "--scores", scores, "--measures", "ndcg@10", "--bootstrap", "0", "--json", "--quiet"]
    said = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    return json.loads(said)["measures"]["ndcg@10"]["mean"]


METHODS = {"dorm": dorm, "lightgbm": lightgbm, "xgboost": xgboost, "liblinear": liblinear, "ridge": ridge}
peak: list[int | None] = [None]  # of another process than this one, in KiB


def main() -> None:
    method, train, valid, test, command, quick = sys.argv[1:]
    for library in ("OMP", "OPENBLAS", "MKL"):  # LightGBM asked to predict would otherwise train on all cores after it
        os.environ[f"{library}_NUM_THREADS"] = "1"
    reading, cells = METHODS[method](train, valid, test, command, quick == "True")
    used = peak[0] or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"reading": reading, "cells": cells, "peak": used * 1024}))


if __name__ == "__main__":
    main()
