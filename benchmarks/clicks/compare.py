#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the weighting of clicks is worth, where the truth is known: simulated users on judged data.

    PYTHONPATH=build/package python benchmarks/clicks/compare.py run RESULTS.jsonl [--seeds 10]
    python benchmarks/clicks/compare.py table RESULTS.jsonl

A production ranker (ridge on 12 training queries) shows its first ten documents; users click by a model. Every method
trains on the documents shown, with clicks as its authors mean them, and is judged by NDCG@10 of the true labels on all
documents of the test queries. Settings (C; leaves and number of trees) are chosen by the same figure for all: DCG@10 of
weighted clicks on validation queries. "all labels" trains on the true labels of all documents and chooses by them.
Propensities are the true ones, of models that are not position-based the average over pages. One thread; cells that
RESULTS has are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import time
from collections import Counter, defaultdict

import numpy as np

DATA = pathlib.Path(os.environ.get("DORM_DATA", "../shared/data"))
SETS = ("mq2008", "mq2007-sample", "lightgbm-lambdarank")
MODELS = ("pbm", "ubm", "cascade")
SESSIONS = (5, 50, 500)
TREES = (10, 25, 50, 100)
LEAVES = (7, 31)
C = (10, 100, 1000)
TARGET, JUDGED = "dcg@10:gain=linear", "ndcg@10"


def read(path):
    """Judged documents as a dense matrix, named by their rows."""
    from dataclasses import replace

    import dorm

    data = dorm.read_letor(path)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    return replace(data, X=np.ascontiguousarray(X), document_ids=None, source_rows=None)


def rows_of(data, queries):
    """The documents of some queries, in the order of the data."""
    from dataclasses import replace

    kept = np.flatnonzero(np.isin(data.qid, queries))
    return replace(
        data,
        X=np.ascontiguousarray(data.X[kept]),
        y=data.y[kept],
        qid=data.qid[kept],
        source_rows=None,
    )


def split(name, seed):
    """Train, validation and test queries: folds as published, rotated by the seed."""
    if name == "lightgbm-lambdarank":
        train = read(DATA / name / "rank.train.gz")
        queries = np.random.default_rng(seed).permutation(np.unique(train.qid))
        cut = len(queries) // 5
        test = read(DATA / name / "rank.test.gz")
        return rows_of(train, queries[cut:]), rows_of(train, queries[:cut]), test
    folds = [read(DATA / name / f"S{1 + (seed + k) % 5}.txt.gz") for k in range(5)]
    return joined(folds[:3]), folds[3], folds[4]


def joined(parts):
    """Several sets as one."""
    from dataclasses import replace

    return replace(
        parts[0],
        X=np.concatenate([part.X for part in parts]),
        y=np.concatenate([part.y for part in parts]),
        qid=np.concatenate([part.qid for part in parts]),
        document_ids=None,
        groups=None,
        source_rows=None,
    )


def production_scores(train, seed):
    """A function from features to scores: ridge on the labels of 12 queries."""
    chosen = np.random.default_rng(1000 + seed).permutation(np.unique(train.qid))[:12]
    few = rows_of(train, chosen)
    X = np.asarray(few.X, dtype=np.float64)
    mean, scale = X.mean(0), X.std(0) + 1e-9
    Z = (X - mean) / scale
    y = few.y - few.y.mean()
    w = np.linalg.solve(Z.T @ Z + len(y) * np.eye(Z.shape[1]), Z.T @ y)
    return lambda features: (np.asarray(features, dtype=np.float64) - mean) / scale @ w


def counted(log):
    """The log as counts: there is one ranker, so that query and position tell the document."""
    _, first, which = np.unique(log.qid.astype(np.int64) * 64 + log.position, return_index=True, return_inverse=True)
    return {
        "qid": log.qid[first],
        "docid": log.docid[first],
        "position": log.position[first],
        "impressions": np.bincount(which).astype(float),
        "clicks": np.bincount(which, weights=log.clicks),
    }


def shown_rows(log, data):
    """Rows of the documents that pages show and their positions, query by query from the top."""
    rows, at = np.array([int(d) - 1 for d in log["docid"]]), log["position"]
    by_query = {q: i for i, q in enumerate(dict.fromkeys(data.qid.tolist()))}
    order = np.lexsort((at, [by_query[q] for q in data.qid[rows].tolist()]))
    return rows[order], at[order]


class Clicked:
    """Documents that were shown, in the order of display, with clicks and weighted clicks."""

    def __init__(self, data, production, model, sessions, seed):
        """Simulate the users of one set."""
        import dorm

        log = dorm.clicks.simulate(data, model, scores=[production(data.X)], sessions=sessions, seed=seed)
        table = counted(log)
        rows, self.position = shown_rows(table, data)
        self.X, self.qid = np.ascontiguousarray(data.X[rows]), data.qid[rows]
        self.sizes = np.diff(np.r_[np.flatnonzero(np.r_[True, self.qid[1:] != self.qid[:-1]]), len(self.qid)])
        self.naive = self.labels(data, rows, dorm.clicks.gains(table))
        self.weighted = self.labels(data, rows, dorm.clicks.gains(table, propensities=log.propensities))
        self.counts = np.rint(self.naive * sessions).astype(int)

    @staticmethod
    def labels(data, rows, gains):
        """Of the rows shown."""
        known = {(str(q), str(d)): g for q, d, g in zip(gains.qid, gains.docid, gains.gain)}
        return np.array([known[str(data.qid[i]), str(i + 1)] for i in rows], dtype=np.float32)


def mean_of(measure, y, scores, qid):
    """Over queries."""
    import dorm

    return dorm.evaluate(y, scores, qid=qid, measures=[measure])[measure].mean


class Choice:
    """The setting that validation likes best, and its scores on the test documents."""

    def __init__(self, valid_y, valid_qid, measure):
        """Judge by a measure on validation documents."""
        self.judge = lambda scores: mean_of(measure, valid_y, scores, valid_qid)
        self.best, self.scores, self.setting = -np.inf, None, None

    def offer(self, setting, valid_scores, test_scores):
        """Keep the better one; the first of equals."""
        value = self.judge(valid_scores)
        if value > self.best:
            self.best, self.scores, self.setting = value, test_scores, setting


def run_dorm(train, y, valid, test, choice, measure=TARGET):
    """Ours."""
    import dorm

    for c in C:
        ranker = dorm.DormRanker(measure, C=c, n_jobs=1, solver_options={"max_passes": 200}).fit(
            train.X, y, qid=train.qid
        )
        choice.offer(c, ranker.predict(valid.X, qid=valid.qid), ranker.predict(test.X, qid=test.qid))


def run_lightgbm(train, valid, test, choice, seed, position=True):
    """Lambdarank with the position of each row as its authors mean it: labels are clicks."""
    import lightgbm

    for leaves in LEAVES:
        data = lightgbm.Dataset(
            train.X, train.counts, group=train.sizes, position=train.position if position else None, free_raw_data=False
        )
        parameters = {
            "objective": "lambdarank",
            "num_leaves": leaves,
            "learning_rate": 0.1,
            "min_data_in_leaf": 20,
            "label_gain": list(range(int(train.counts.max()) + 1)),
            "lambdarank_truncation_level": 10,
            "num_threads": 1,
            "seed": seed,
            "verbosity": -1,
        }
        booster = lightgbm.train(parameters, data, num_boost_round=max(TREES))
        for n in TREES:
            scores = [booster.predict(X, num_iteration=n, num_threads=1) for X in (valid.X, test.X)]
            choice.offer([leaves, n], *scores)


def run_xgboost(train, valid, test, choice, seed):
    """Unbiased LambdaMART; rows stand in the order of display, which is where it takes positions from."""
    import xgboost

    for leaves in LEAVES:
        data = xgboost.DMatrix(train.X, label=train.counts.astype(np.float32), nthread=1)
        data.set_group(train.sizes)
        parameters = {
            "objective": "rank:ndcg",
            "lambdarank_unbiased": True,
            "lambdarank_pair_method": "topk",
            "lambdarank_num_pair_per_sample": 10,
            "ndcg_exp_gain": False,
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_leaves": leaves,
            "max_depth": 0,
            "eta": 0.1,
            "nthread": 1,
            "seed": seed,
            "verbosity": 0,
        }
        booster = xgboost.train(parameters, data, num_boost_round=max(TREES))
        judged = [xgboost.DMatrix(X, nthread=1) for X in (valid.X, test.X)]
        for n in TREES:
            choice.offer([leaves, n], *(booster.predict(X, iteration_range=(0, n)) for X in judged))


def references(name, seed):
    """What does not depend on clicks: the production ranker, and training on all true labels."""
    train, valid, test = split(name, seed)
    production = production_scores(train, seed)
    choice = Choice(valid.y, valid.qid, JUDGED)
    run_dorm(train, train.y, valid, test, choice, "dcg@10")
    return {
        "production": {"ndcg": mean_of(JUDGED, test.y, production(test.X), test.qid)},
        "all labels": {"ndcg": mean_of(JUDGED, test.y, choice.scores, test.qid), "setting": choice.setting},
    }


def cell(name, model, sessions, seed):
    """All methods on the same clicks."""
    train, valid, test = split(name, seed)
    production = production_scores(train, seed)
    shown = Clicked(train, production, model, sessions, 2 * seed + 1)
    held_out = Clicked(valid, production, model, sessions, 2 * seed + 2)
    runs = {
        "naive": lambda choice: run_dorm(shown, shown.naive, held_out, test, choice),
        "weighted": lambda choice: run_dorm(shown, shown.weighted, held_out, test, choice),
        "LightGBM position": lambda choice: run_lightgbm(shown, held_out, test, choice, seed),
        "XGBoost unbiased": lambda choice: run_xgboost(shown, held_out, test, choice, seed),
    }
    out = {}
    for method, run in runs.items():
        choice = Choice(held_out.weighted, held_out.qid, TARGET)
        begin = time.process_time()
        run(choice)
        seconds = time.process_time() - begin
        ndcg = mean_of(JUDGED, test.y, choice.scores, test.qid)
        out[method] = {"ndcg": ndcg, "setting": choice.setting, "seconds": round(seconds, 2)}
    return out


def key_of(entry):
    """What tells cells apart."""
    return entry["set"], entry["model"], entry["sessions"], entry["seed"]


def run(results, seeds):
    """Every cell that is not there yet, seed by seed, so that what is there can be shown at any time."""
    path = pathlib.Path(results)
    done = {key_of(json.loads(line)) for line in path.read_text().splitlines()} if path.exists() else set()
    for seed in range(seeds):
        for name in SETS:
            cells = [(name, "", 0, seed)] + [(name, model, n, seed) for model in MODELS for n in SESSIONS]
            for key in cells:
                if key in done:
                    continue
                methods = references(name, seed) if key[2] == 0 else cell(*key)
                entry = dict(zip(("set", "model", "sessions", "seed"), key), methods=methods)
                with path.open("a") as out:
                    out.write(json.dumps(entry) + "\n")
                print(*key, {method: round(found["ndcg"], 4) for method, found in methods.items()}, flush=True)


def table(results):
    """Means and standard errors over the seeds of which all cells are there, as Markdown."""
    values = defaultdict(list)
    entries = [json.loads(line) for line in pathlib.Path(results).read_text().splitlines()]
    cells = Counter(entry["seed"] for entry in entries)
    for entry in entries:
        if cells[entry["seed"]] < len(SETS) * (1 + len(MODELS) * len(SESSIONS)):
            continue
        for method, found in entry["methods"].items():
            values[entry["set"], entry["model"], entry["sessions"], method].append(found["ndcg"])

    def text(key):
        found = np.array(values.get(key, []))
        if len(found) == 0:
            return "-"
        error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
        return f"{found.mean():.4f} ± {error:.4f}".replace("0.", ".")

    def gained(name, model, n):
        pairs = zip(values[name, model, n, "weighted"], values[name, model, n, "naive"])
        found = np.array([ours - raw for ours, raw in pairs])
        if len(found) < 2:
            return "-"
        return f"{found.mean():+.4f} ± {found.std(ddof=1) / np.sqrt(len(found)):.4f}".replace("0.", ".")

    methods = ["naive", "weighted", "LightGBM position", "XGBoost unbiased"]
    for name in SETS:
        seeds = len(values[name, "", 0, "production"])
        print(f"\n{name}: {seeds} seeds; production {text((name, '', 0, 'production'))}, all labels "
              f"{text((name, '', 0, 'all labels'))}\n")  # fmt: skip
        print("| users | sessions | " + " | ".join(methods) + " | weighted - naive, same seeds |")
        print("|---|---|" + "---|" * (len(methods) + 1))
        for model in MODELS:
            for n in SESSIONS:
                cells = [text((name, model, n, method)) for method in methods] + [gained(name, model, n)]
                print(f"| {model} | {n} | " + " | ".join(cells) + " |")


def main():
    """As above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("results")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="one set, user and size: whether everything runs")
    arguments = parser.parse_args()
    if arguments.quick:
        global SETS, MODELS, SESSIONS
        SETS, MODELS, SESSIONS, arguments.seeds = SETS[-1:], MODELS[:1], SESSIONS[:1], 1
    if arguments.what == "table":
        return table(arguments.results)
    if not DATA.exists():
        sys.exit(f"{DATA} is not there: set DORM_DATA")
    return run(arguments.results, arguments.seeds)


if __name__ == "__main__":
    main()
