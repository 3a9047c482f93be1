#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The weights that ranx.optimize_fusion finds on the training queries of run.py: ranx.csv.

    PYTHON ranx_choice.py [--data DIR] [--collections a,b] [--work DIR]     PYTHON has ranx
    PYTHON ranx_choice.py --check N [--collections a,b]     calls it for N more sets of each, small ones first

One call of `optimize_fusion` by collection, over all of its queries, where the evaluation is ranx's own but keeps its
values by query. A mean over training queries is then the mean of these values in ranx's order, and the choice is the
last of the best tuples, as in ranx's loop. `--check` calls `optimize_fusion` as it is on the training queries alone,
and writes down whether it returns the same weights. Tables by query lie in --work, so that a stopped run resumes.
"""

import argparse
import csv
import os
import pathlib
import sys
import time

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import ranx  # noqa: E402
import ranx.fusion_optimization.optimize_wsum  # noqa: E402, F401
from run import DATA, HERE, read_collection, splits_of  # noqa: E402

OWN = sys.modules["ranx.fusion_optimization.optimize_weights"]
FILE = HERE / "ranx.csv"
FIELDS = ["collection", "seed", "fold", "training", "weights", "called"]


def call(names, runs, qrels, queries):
    """ranx.optimize_fusion as its documentation shows it."""
    lists = [ranx.Run({q: dict(runs[name][q]) for q in queries}, name=name) for name in names]
    judged = ranx.Qrels({q: qrels[q] for q in queries})
    found = ranx.optimize_fusion(
        qrels=judged, runs=lists, norm="min-max", method="wsum", metric="ndcg@10", show_progress=False
    )
    return list(judged.keys()), [float(w) for w in found["weights"]]


def by_query(names, runs, qrels):
    """ranx's order of queries, its tuples, and the measure of each by query, from one call."""
    tuples, values = [], []
    evaluate, trials = OWN.evaluate, OWN.get_trial_configs

    def keep_trials(*words):
        tuples.extend(trials(*words))
        return tuples

    def keep_values(judged, fused, metric, **_):
        mean = evaluate(judged, fused, metric)
        values.append(list(fused.scores[metric].values()))
        return mean

    OWN.evaluate, OWN.get_trial_configs = keep_values, keep_trials
    try:
        order, _ = call(names, runs, qrels, list(qrels))
    finally:
        OWN.evaluate, OWN.get_trial_configs = evaluate, trials
    return order, np.array(tuples), np.array(values)


def table_of(folder, work):
    names, runs, qrels = read_collection(folder)
    path = work / f"{folder.name}.npz"
    if not path.exists():
        began = time.process_time()
        order, tuples, values = by_query(names, runs, qrels)
        part = work / f"{folder.name}.part.npz"
        np.savez(part, order=order, tuples=tuples, values=values)
        part.rename(path)
        print(f"{folder.name}: {len(tuples)} tuples, {time.process_time() - began:.0f} s", file=sys.stderr)
    return names, runs, qrels, np.load(path)


def choice(kept, chosen):
    """As in ranx's loop: a tuple takes the place of an equal one before it."""
    rows = kept["values"][:, np.flatnonzero(np.isin(kept["order"], list(chosen)))]
    best, place = 0.0, None
    for at, row in enumerate(rows):
        if np.mean(row) >= best:
            best, place = np.mean(row), at
    return kept["tuples"][place]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--data", type=pathlib.Path, default=DATA)
    words.add_argument("--collections", default="")
    words.add_argument("--work", type=pathlib.Path, default=pathlib.Path("ranx-tables"))
    words.add_argument("--check", type=int, default=0, help="sets of training queries to call optimize_fusion on")
    arguments = words.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    rows = list(csv.DictReader(open(FILE))) if FILE.exists() else []
    for folder in sorted(path for path in arguments.data.iterdir() if path.is_dir()):
        if arguments.collections and folder.name not in arguments.collections.split(","):
            continue
        names, runs, qrels, kept = table_of(folder, arguments.work)
        ids = list(qrels)
        before = {(r["seed"], r["fold"], r["training"]): r for r in rows if r["collection"] == folder.name}
        rows = [r for r in rows if r["collection"] != folder.name]
        sets = {
            (str(seed), str(fold), size): [ids[q] for q in train]
            for seed, fold, _, by_size in splits_of(ids)
            for size, train in by_size.items()
        }
        found = {key: choice(kept, chosen) for key, chosen in sets.items()}
        called = {key: before.get(key, {}).get("called", "") for key in sets}
        for key in sorted((key for key in sets if not called[key]), key=lambda key: len(sets[key]))[: arguments.check]:
            called[key] = "same" if call(names, runs, qrels, sets[key])[1] == list(found[key]) else "other"
            print(folder.name, *key, called[key], file=sys.stderr)
        for key in sets:
            weights = " ".join(f"{weight:.1f}" for weight in found[key])
            rows.append(dict(zip(FIELDS, [folder.name, *key, weights, called[key]])))
        with open(FILE, "w", newline="") as file:
            out = csv.DictWriter(file, FIELDS, lineterminator="\n")
            out.writeheader()
            out.writerows(sorted(rows, key=lambda r: r["collection"]))


if __name__ == "__main__":
    main()
