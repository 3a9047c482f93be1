#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds on the clock and of the processor by number of threads, beside LightGBM and XGBoost in the same run.

    run.py [--dorm build/dorm] [--threads 1,4,16] [--device cuda] [--only WORD,...] [--out FOLDER] [--quick]
    run.py --markdown          the table of docs/benchmarks.md from results.json

--only measures the rows whose names contain one of the words; --out adds to what FOLDER/results.json has.

Two generated sets of 136 features: 10,000 queries of some 61 documents, and 31,000 of some 120. Every time is the least
of the turns; a command includes its start and the mapping of its data. The models of all numbers of threads must have
the same bytes; the large set and baselines are measured with the first and the last number. Baselines have the 10,000
queries in memory before their time starts, and their NDCG@10 is that of held-out queries, as is that of the models of
DORM. They are not tuned.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"


class Timer:
    """Seconds on the clock, and of the processor in this process and its children."""

    def __enter__(self):
        self.began = self.now()
        return self

    def __exit__(self, *_):
        self.clock, self.processor = (end - begin for begin, end in zip(self.began, self.now(), strict=True))

    @staticmethod
    def now():
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return time.monotonic(), sum(u.ru_utime + u.ru_stime for u in used)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout


def generate(dorm, folder, quick):
    """The files by name."""
    small, large = (100, 200) if quick else (10000, 31000)
    sets = {
        "train.txt": (small, 50, 1),
        "valid.dorm": (small // 5, 50, 2),
        "test.txt": (small // 5, 50, 3),
        "large.dorm": (large, 98, 4),
        "large-valid.dorm": (large // 5, 98, 5),
    }
    files = {}
    for name, (queries, median, seed) in sets.items():
        files[name] = folder / name
        words = ("--queries", queries, "--documents-median", median, "--features", 136, "--seed", seed)
        run(dorm, "synth", *words, "-o", files[name], "--quiet")
    files["train.dorm"] = folder / "train.dorm"
    run(dorm, "convert", files["train.txt"], files["train.dorm"], "--quiet")
    return files


def jobs(files, folder, device):
    """Name -> arguments of the command, and whether it writes a model to compare."""
    train, large, model = files["train.dorm"], files["large.dorm"], ("--model", folder / "m.json")
    made = {
        "convert of LETOR text": ("convert", files["train.txt"], folder / "out.dorm"),
        "train --bound best -C 100": ("train", train, "--bound", "best", "-C", 100, *model),
        "train": ("train", train, *model),
        "tune --valid": ("tune", train, "--valid", files["valid.dorm"], *model),
        "train, 31,000 x 120": ("train", large, *model),
        "tune --valid, 31,000 x 120": ("tune", large, "--valid", files["large-valid.dorm"], *model),
    }
    if device:
        best = ("train", large, "--bound", "best", "--rounds", 1, "-C", 100, *model)
        made["train --bound best --rounds 1 -C 100, 31,000 x 120"] = best
    return made


def measure(dorm, words, threads, turns, model):
    """Least seconds of the turns, and the model's bytes but for its times."""
    found = []
    for _ in range(turns):
        with Timer() as timer:
            run(dorm, *words, "--threads", threads, "--quiet")
        found.append({"clock": timer.clock, "processor": timer.processor})
    best = {key: round(min(row[key] for row in found), 4) for key in found[0]}
    return best, without_times(model) if model.exists() else None


def without_times(model):
    content = json.loads(model.read_text())

    def clean(value):
        if isinstance(value, dict):
            return {k: clean(v) for k, v in value.items() if "seconds" not in k and k not in ("threads", "command")}
        return [clean(v) for v in value] if isinstance(value, list) else value

    return json.dumps(clean(content), sort_keys=True)


def of_dorm(dorm, files, folder, options):
    rows, model = {}, folder / "m.json"
    for name, words in jobs(files, folder, options.device).items():
        if not options.wanted(f"DORM: {name}"):
            continue
        model.unlink(missing_ok=True)
        row, bytes_seen = {}, set()
        for threads in (options.threads[0], options.threads[-1]) if "31,000" in name else options.threads:
            row[str(threads)], content = measure(dorm, words, threads, 1 if "tune" in name else options.turns, model)
            bytes_seen.add(content)
        if len(bytes_seen) > 1:
            sys.exit(f"{name}: the models of {options.threads} threads differ")
        if options.device and "rounds" in name:
            measure(dorm, (*words, "--device", options.device), 16, 1, model)
            row[options.device], _ = measure(dorm, (*words, "--device", options.device), 16, options.turns, model)
        if "31,000" not in name and model.exists():
            table = json.loads(
                run(dorm, "eval", files["test.txt"], "--model", model, "--measures", "ndcg@10", "--json")
            )
            row["ndcg@10"] = round(table["measures"]["ndcg@10"]["mean"], 4)
        rows[f"DORM: {name}"] = row
        print(name, row, flush=True)
    return rows


def load(file):
    """Rows, labels and sizes of queries of LETOR text as dorm synth writes it: dense rows in order."""
    import numpy as np

    labels, queries, rows = [], [], []
    with open(file) as lines:
        for line in lines:
            label, query, values = line.partition("#")[0].split(" ", 2)
            labels.append(float(label))
            queries.append(query)
            rows.append(np.array([v.partition(":")[2] for v in values.split()], np.float32))
    queries = np.array(queries)
    changes = np.flatnonzero(queries[1:] != queries[:-1]) + 1
    return np.vstack(rows), np.array(labels), np.diff([0, *changes, len(queries)])


def scaled(X, sizes):
    """As DORM scales by default: logarithms, then each query's columns to mean 0 and deviation 1."""
    import numpy as np

    X, begin = np.sign(X) * np.log1p(np.abs(X)), np.cumsum(sizes) - sizes
    X -= np.repeat(np.add.reduceat(X, begin) / sizes[:, None], sizes, 0)
    deviation = np.sqrt(np.add.reduceat(X * X, begin) / sizes[:, None])
    return X / np.repeat(np.where(deviation > 0, deviation, 1), sizes, 0)


def learners(train, test):
    """Name -> function from a number of threads to scores of the test queries, one setting each."""
    (X, y, sizes), rows = train, test[0]
    lines, test_lines = scaled(X, sizes), scaled(rows, test[2])

    def lightgbm(threads):
        import lightgbm as lgb

        words = {"objective": "lambdarank", "num_leaves": 31, "verbose": -1, "num_threads": threads, "seed": 1}
        model = lgb.train(words, lgb.Dataset(X, y, group=sizes), 100)
        return lambda: model.predict(rows)

    def xgboost(threads):
        import xgboost as xgb

        data = xgb.DMatrix(X, y, group=sizes, nthread=threads)
        words = {"objective": "rank:ndcg", "max_depth": 6, "tree_method": "hist", "nthread": threads, "seed": 1}
        model = xgb.train(words, data, 100)
        return lambda: model.predict(xgb.DMatrix(rows))

    def ridge(threads):
        from sklearn.linear_model import Ridge
        from threadpoolctl import threadpool_limits

        with threadpool_limits(threads):
            model = Ridge(1.0, solver="cholesky").fit(lines, y)
        return lambda: model.predict(test_lines)

    def liblinear(threads):
        from sklearn.svm import LinearSVR

        if threads > 1:
            return None  # it has one thread
        model = LinearSVR(loss="squared_epsilon_insensitive", dual=False, C=0.01).fit(lines, y)
        return lambda: model.predict(test_lines)

    return {
        "LightGBM, 100 trees": lightgbm,
        "XGBoost, 100 trees": xgboost,
        "ridge of scikit-learn, scaled features": ridge,
        "liblinear's regression (scikit-learn), scaled features": liblinear,
    }


def of_baselines(dorm, files, folder, options):
    import numpy as np

    rows = {}
    for name, learn in learners(load(files["train.txt"]), load(files["test.txt"])).items():
        if not options.wanted(name):
            continue
        row, predict = {}, None
        try:
            for threads in (options.threads[0], options.threads[-1]):
                with Timer() as timer:
                    scores = learn(threads)
                if scores:
                    predict, seconds = scores, {"clock": round(timer.clock, 4), "processor": round(timer.processor, 4)}
                    row[str(threads)] = seconds
        except ImportError as missing:
            print(f"{name}: left out, {missing}")
            continue
        np.savetxt(folder / "scores.txt", predict())
        words = ("eval", files["test.txt"], "--scores", folder / "scores.txt", "--measures", "ndcg@10", "--json")
        row["ndcg@10"] = round(json.loads(run(dorm, *words))["measures"]["ndcg@10"]["mean"], 4)
        rows[name] = row
        print(name, row, flush=True)
    return rows


def markdown():
    found = json.loads(RESULTS.read_text())
    columns = found["columns"]
    heads = [f"{c} thread{'s' * (c != '1')}" if c.isdigit() else "GPU" for c in columns]
    print("| seconds | " + " | ".join(heads) + " | gain | NDCG@10 |")
    print("|---" * (len(columns) + 3) + "|")
    for name, row in found["rows"].items():
        most = max((c for c in columns if c.isdigit() and c in row), key=int)
        cells = [f"{row[c]['clock']:.3g}" if c in row else "" for c in columns]
        gain = f"{row['1']['clock'] / row[most]['clock']:.1f}x" if most != "1" else ""
        value = f"{row['ndcg@10']:.4f}" if "ndcg@10" in row else ""
        print(f"| {name} | {' | '.join(cells)} | {gain} | {value} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--dorm", type=Path)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, os.cpu_count()])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--device")
    parser.add_argument("--only", default="", help="words of names of rows, separated by commas")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if options.markdown:
        markdown()
        return
    options.wanted = re.compile("|".join(map(re.escape, options.only.split(",")))).search
    dorm = (options.dorm or options.build / "dorm").resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = generate(dorm, folder, options.quick)
        rows = of_dorm(dorm, files, folder, options)
        if any(map(options.wanted, ("LightGBM", "XGBoost", "ridge", "liblinear"))):
            rows |= of_baselines(dorm, files, folder, options)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        path = options.out / "results.json"
        found = json.loads(path.read_text()) if path.exists() else {"columns": [], "rows": {}}
        columns = [*map(str, options.threads), *([options.device] if options.device else [])]
        found["columns"] += [column for column in columns if column not in found["columns"]]
        found["rows"] |= rows
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
