#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of the oracles beside scipy's linear_sum_assignment and the dense solver, in one run.

    run.py [--build build-bench] [--longest 100000]

Compares every answer first, then writes times.csv, near.csv, oracle.md (tables of docs/benchmarks-archive.md) and
oracle_times.svg into the build directory.
"""

import csv
import pathlib
import subprocess
import sys
import time

import numpy as np
from scipy.optimize import linear_sum_assignment

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402


def instances(path):
    """Yields (row, benefit matrix, value) as the benchmark wrote them."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        row, length = np.frombuffer(data, np.uint64, 2, at).astype(int)
        value = np.frombuffer(data, float, 1, at + 16)[0]
        a, c, b, g = np.frombuffer(data, float, 4 * length, at + 24).reshape(4, length)
        yield row, np.outer(g, c) - np.outer(b, a), value
        at += 24 + 32 * length


def time_scipy(path):
    """Best time per row in microseconds, on the same instances the oracle solved."""
    best = {}
    for row, benefit, value in instances(path):
        repeats = 3 if len(benefit) <= 200 else 1
        for _ in range(repeats):
            start = time.thread_time()
            rows, columns = linear_sum_assignment(benefit, maximize=True)
            taken = (time.thread_time() - start) * 1e6
            best[row] = min(best.get(row, np.inf), taken)
        assert abs(benefit[rows, columns].sum() - value) <= 1e-9 * max(1, abs(value)), (row, value)
    return best


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def ratio(baseline, ours):
    return "" if baseline is None or np.isnan(baseline) else f"{baseline / ours:,.0f}x"


def tables(times, near, scipy):
    lines = ["| case | l | oracle | us | dense / oracle | scipy / oracle |", "|---|---|---|---|---|---|"]
    for t in times:
        ours = float(t["micros"])
        lines.append(
            f"| {t['case']} | {t['length']} | {t['oracle']} | {ours:.2f} | {ratio(float(t['dense_micros']), ours)} | "
            f"{ratio(scipy.get(int(t['row'])), ours)} |"
        )
    lines += ["", "| case | time at 10^5 / time at 10^3 |", "|---|---|"]
    for case in dict.fromkeys(t["case"] for t in times):
        of = {int(t["length"]): float(t["micros"]) for t in times if t["case"] == case}
        if 1000 in of and 100000 in of:
            lines.append(f"| {case} | {of[100000] / of[1000]:.0f} |")
    lines += [
        "",
        "| gains | decay | oracle us | features us | oracle / features | dense / oracle |",
        "|---|---|---|---|---|---|",
    ]
    for t in near:
        ours, features = float(t["oracle_micros"]), float(t["features_micros"])
        lines.append(
            f"| {t['case']} | {t['decay']} | {ours:.2f} | {features:.2f} | {ours / features:.2f} | "
            f"{ratio(float(t['dense_micros']), ours)} |"
        )
    return "\n".join(lines) + "\n"


def plot(times, scipy, path):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "dorm"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 5))
    for case in dict.fromkeys(t["case"] for t in times):
        own = [t for t in times if t["case"] == case]
        axes.loglog([int(t["length"]) for t in own], [float(t["micros"]) for t in own], "o-", ms=3, lw=1, label=case)
    for name, baseline in (
        ("scipy", {int(t["row"]): scipy.get(int(t["row"]), np.nan) for t in times}),
        ("our dense solver", {int(t["row"]): float(t["dense_micros"]) for t in times}),
    ):
        own = [(int(t["length"]), baseline[int(t["row"])]) for t in times if t["case"] == "ndcg@10"]
        axes.loglog(*zip(*own), "s--", lw=1.5, label=f"ndcg@10, {name}")
    axes.set_xlabel("documents in the list")
    axes.set_ylabel("microseconds per call, one core")
    axes.grid(True, which="both", lw=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--longest", type=int, default=100000)
    options = arguments.parse_args()
    if options.quick:
        options.longest = 200
    program = options.build / "benchmarks" / "oracle" / "oracle_bench"
    subprocess.run([program, options.build, str(options.longest)], check=True)
    times, near = read(options.build / "times.csv"), read(options.build / "near.csv")
    scipy = time_scipy(options.build / "instances.bin")
    with open(options.build / "scipy.csv", "w", newline="") as file:
        csv.writer(file).writerows([("row", "scipy_micros"), *sorted(scipy.items())])
    text = tables(times, near, scipy)
    (options.build / "oracle.md").write_text(text)
    plot(times, scipy, options.build / "oracle_times.svg")
    print(text)
    shares = {(t["case"], t["decay"]): float(t["oracle_micros"]) / float(t["features_micros"]) for t in near}
    told = [Row("oracle", ", ".join(case), "oracle / features, time", share) for case, share in shares.items()]
    report(options, "oracle", [row for row in told if row.job.endswith((", measure", ", power:0.5"))])


if __name__ == "__main__":
    main()
