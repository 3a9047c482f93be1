#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels on real and generated data; the figures of docs/benchmarks-archive.md.

  run.py quality      NDCG@10, processor seconds and peak memory of linear, exact and approximate RBF on MQ2008 (five
                      folds) and the LightGBM example set; gamma and C chosen on validation data
  run.py approach     scores of approximations against exact ones as features grow, with a plot (needs matplotlib)
  run.py cache        peak memory for caches of 0.5, 1 and 2 GiB on a Gram matrix of about 2.5 GB
  run.py large        100,000 documents through 1000 features
  run.py threads      wall-clock seconds by number of threads
  run.py rate         documents scored per second

Data is found by DORM_DATA; a set that is absent is left out, and said so. Processor seconds are user + system time of
the command that tunes or trains.
"""

import argparse
import csv
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "quality"))
from run import DATA, letor_folds, lightgbm_example  # noqa: E402

GAMMAS = (0.1, 0.3, 1.0)  # of the median heuristic
CS = "10/100/1000"
SIZES = (200, 500, 1000, 2000)
LANDMARKS = (50, 100, 200, 400, 800, 1600)
FOLDS = 5
SCALE = 1  # of generated data


def shrink():
    """Small data and one setting of each kind: whether the script still runs."""
    global GAMMAS, CS, SIZES, LANDMARKS, FOLDS, SCALE
    GAMMAS, CS, SIZES, LANDMARKS, FOLDS, SCALE = (1.0,), "10", (20,), (20, 40), 1, 0.05


class Dorm:
    def __init__(self, command, threads):
        self.command, self.threads = command, threads

    def __call__(self, *arguments, threads=None):
        """What it printed, processor seconds, wall-clock seconds, peak bytes."""
        with tempfile.TemporaryFile() as out:
            began = time.monotonic()
            options = ["--quiet", "--json", "--threads", str(threads or self.threads)]
            process = subprocess.Popen([self.command, *map(str, arguments), *options], stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - began
            if status:
                raise SystemExit(f"{arguments} ended with {status}")
            out.seek(0)
            return json.loads(out.read() or "{}"), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024


def median_gamma(dorm, train, work):
    report = dorm("train", train, "--kernel", "rbf", "--approx", "nystroem:2", "--passes", 1, "--model", work / "x")[0]
    return float(report["kernel"].split("gamma=")[1].split(",")[0])


def test_ndcg(dorm, model, test):
    report = dorm("eval", test, "--model", model, "--measures", "ndcg@10")[0]
    return report["measures"]["ndcg@10"]["mean"]


def quality(dorm, work, writer):
    methods = [("linear", None), ("exact", "none")] + [(f"nystroem:{n}", f"nystroem:{n}") for n in SIZES]
    for name, splits in (("mq2008", letor_folds), ("lightgbm-lambdarank", lightgbm_example)):
        if not (DATA / name).exists():
            print(f"{name}: not found, left out")
            continue
        rows = {method: [] for method, _ in methods}
        for fold, (train, valid, test) in enumerate(itertools.islice(splits(name, work), FOLDS)):
            median = median_gamma(dorm, train, work)
            kernels = "/".join(f"rbf:gamma={factor * median:.6g}" for factor in GAMMAS)
            for method, approximation in methods:
                grid = f"C={CS},decay=measure,bound=best" + (f",kernel={kernels}" if approximation else "")
                extra = ["--approx", approximation] if approximation else []
                report, cpu, _, peak = dorm(
                    *("tune", train, "--valid", valid, "--grid", grid, "--choose", "best"),
                    *("--model", work / "m.json", *extra),
                )
                figures = test_ndcg(dorm, work / "m.json", test), cpu, peak
                rows[method].append(figures)
                winner = report["winner"]
                writer.writerow([name, fold + 1, method, *figures, winner["kernel"], winner["C"]])
                print(name, fold + 1, method, *figures, winner["kernel"], winner["C"], flush=True)
        for method, figures in rows.items():
            ndcg, cpu, peak = zip(*figures)
            print(
                f"| {name} | {method} | {statistics.mean(ndcg):.4f} | {statistics.mean(cpu):.1f} | "
                f"{max(peak) / 1e6:.0f} |",
                flush=True,
            )


def scores_of(dorm, model, data, work):
    subprocess.run([dorm.command, "rank", model, data, "-o", work / "s.txt", "--quiet"], check=True)
    return [float(line) for line in (work / "s.txt").read_text().split()]


def with_two_labels(path, work):
    """Without the queries that the exact path leaves out, so that all start from the same ridge."""
    queries = {}
    for row in path.read_text().splitlines(keepends=True):
        queries.setdefault(row.split()[1], []).append(row)
    kept = [rows for rows in queries.values() if len({row.split()[0] for row in rows}) > 1]
    (work / "usable.txt").write_text("".join(row for rows in kept for row in rows))
    return work / "usable.txt"


def approach(dorm, work, writer):
    train, _, test = next(letor_folds("mq2008", work))
    train = with_two_labels(train, work)
    common = ("train", train, "--kernel", "rbf:gamma=0.05", "--bound", "best", "-C", 10, "--tolerance", 1e-5)
    common += ("--model", work / "m.json")
    dorm(*common)
    exact = scores_of(dorm, work / "m.json", test, work)
    spread = statistics.pstdev(exact)
    points = {}
    for family in ("nystroem:{}", "nystroem:{},landmarks=uniform", "nystroem:{},landmarks=greedy", "fourier:{}"):
        for size in LANDMARKS:
            if size > 800 and "greedy" in family:
                continue
            dorm(*common, "--approx", family.format(size))
            scores = scores_of(dorm, work / "m.json", test, work)
            offset = statistics.mean(a - b for a, b in zip(scores, exact))
            error = statistics.mean((a - b - offset) ** 2 for a, b in zip(scores, exact)) ** 0.5 / spread
            points.setdefault(family.format("N"), []).append((size, error))
            writer.writerow([family, size, error])
            print(family, size, error, flush=True)
    if SCALE == 1:
        plot(points, Path(__file__).resolve().parents[2] / "docs" / "img" / "kernel_approach.svg")


def plot(points, path):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as pyplot

    matplotlib.rcParams["svg.hashsalt"] = "dorm"
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for (name, line), mark in zip(points.items(), "osv^"):
        axes.loglog(*zip(*line), marker=mark, label=name)
    axes.set_xlabel("features")
    axes.set_ylabel("difference of test scores from exact ones\n(root mean square / spread of the exact)")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def synth(dorm, work, queries, features, median):
    queries = max(20, int(SCALE * queries))
    path = work / f"synth-{queries}.dorm"
    options = ["--queries", queries, "--features", features, "--documents-median", median, "--seed", 1]
    subprocess.run([dorm.command, "synth", *map(str, options), "-o", path, "--quiet"], check=True)
    return path


def cache(dorm, work, writer):
    data = synth(dorm, work, 1250, 40, 20)
    for size in ("1GiB", "2GiB", "4GiB"):
        report, cpu, wall, peak = dorm(
            *("train", data, "--kernel", "rbf", "--memory", size, "--tolerance", 0.05, "-C", 10),
            *("--bound", "best", "--rounds", 1, "--model", work / "m.json"),
        )
        writer.writerow([size, cpu, wall, peak, report["certificate"]["primal"]])
        print(f"| {size} | {peak / 2**30:.2f} GiB | {cpu:.0f} | {report['certificate']['primal']:.9g} |", flush=True)


def large(dorm, work, writer):
    data = synth(dorm, work, 4800, 40, 20)
    for approximation in ("nystroem:1000", "fourier:1000"):
        report, cpu, wall, peak = dorm(
            *("train", data, "--kernel", "rbf", "--approx", approximation, "-C", 100, "--tolerance", 0.01),
            *("--bound", "best", "--rounds", 1, "--model", work / "m.json"),
        )
        writer.writerow([approximation, cpu, wall, peak, report["certificate"]["gap"], report["kernel"]])
        print(f"| {approximation} | {cpu:.0f} | {peak / 2**30:.2f} GiB | {report['kernel']} |", flush=True)


def threads(dorm, work, writer):
    data = synth(dorm, work, 600, 40, 20)
    for approximation in ("none", "nystroem:1000"):
        for count in (1, 2, 4, 8):
            if count > (os.cpu_count() or 1):
                continue
            _, cpu, wall, _ = dorm(
                *("train", data, "--kernel", "rbf", "--approx", approximation, "-C", 100, "--bound", "best"),
                *("--model", work / "m.json"),
                threads=count,
            )
            writer.writerow([approximation, count, wall, cpu])
            print(f"| {approximation} | {count} | {wall:.1f} | {cpu:.1f} |", flush=True)


def rate(dorm, work, writer):
    data = synth(dorm, work, 600, 40, 20)
    big = synth(dorm, work, 4800, 40, 20)
    documents = dorm("info", big)[0]["documents"]
    for approximation in (None, "none", "nystroem:1000", "fourier:1000"):
        extra = ["--kernel", "rbf", "--approx", approximation] if approximation else []
        report = dorm("train", data, *extra, "-C", 100, "--bound", "best", "--model", work / "m.json")[0]
        seconds = dorm("rank", work / "m.json", big, "-o", work / "s.txt")[1]
        none = dorm("info", big)[1]
        writer.writerow([approximation, report["support"], documents / (seconds - none)])
        print(f"| {approximation} | {report['support']} | {documents / (seconds - none):.3g} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {f.__name__: f for f in (quality, approach, cache, large, threads, rate)}
    parser.add_argument("part", choices=parts)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build"), help="folder of the CSV file of results")
    parser.add_argument("--quick", action="store_true", help="small data: whether everything runs")
    arguments = parser.parse_args()
    if arguments.quick:
        shrink()
    dorm = Dorm(os.path.abspath(arguments.dorm), arguments.threads)
    with (
        tempfile.TemporaryDirectory() as work,
        open(arguments.out / f"kernel_{arguments.part}.csv", "w", newline="") as out,
    ):
        parts[arguments.part](dorm, Path(work), csv.writer(out))


if __name__ == "__main__":
    main()
