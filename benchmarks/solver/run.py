#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds and passes of every solver to gaps 1e-1..1e-4 at three values of C, one core, and bcda with a dense oracle.

Before any figure is printed, the solvers are held against each other: no dual bound above another's primal value. Then
a table of `dorm train` at C = 10 .. 1e5, beside an older command where one is given (trade_offs.py).
Writes solver.csv, solver.png (gap against seconds) into the build directory.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import trade_offs  # noqa: E402
from table import Row, parser, report  # noqa: E402

GAPS = (1e-1, 1e-2, 1e-3, 1e-4)
SOLVERS = ("bcda", "nslack", "oneslack", "bcfw", "bcda-dense")


def history(command: list) -> list[dict]:
    text = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
    names = ("pass", "seconds", "primal", "dual", "gap")
    return [dict(zip(names, map(float, line.split(",")))) for line in text.splitlines()]


def check_agreement(runs: dict, tolerance: float = 1e-6) -> None:
    lowest = min(points[-1]["primal"] for points in runs.values())
    for name, points in runs.items():
        if points[-1]["dual"] > lowest * (1 + tolerance):
            sys.exit(f"{name}: dual {points[-1]['dual']} above a primal value {lowest}: no timing")


def reached(points: list[dict], gap: float) -> dict | None:
    return next((point for point in points if point["gap"] <= gap), None)


def ratio(base: dict | None, other: dict | None, points: list[dict]) -> str:
    if base is None:
        return "-"
    spent = (other or points[-1])["seconds"]
    return ("" if other else ">") + f"{spent / base['seconds']:.1f}"


def plot(results: dict, path: Path) -> None:
    figure, axes = plt.subplots(1, len(results), figsize=(5 * len(results), 4), sharey=True)
    for axis, (c, runs) in zip(axes, results.items()):
        for name, points in runs.items():
            axis.loglog([p["seconds"] for p in points], [p["gap"] for p in points], marker=".", label=name)
        axis.set(title=f"C = {c:g}", xlabel="seconds")
    axes[0].set_ylabel("relative duality gap")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seconds", type=float, default=20, help="limit of each run")
    arguments.add_argument("--command", type=Path, help="the dorm command (that of the build)")
    arguments.add_argument("--before", type=Path, help="an older dorm command, for a second column")
    data = os.environ.get("DORM_DATA")
    arguments.add_argument("--data", type=Path, default=Path(data) if data else None, help="folder of real data")
    options = arguments.parse_args()
    queries, seconds = (100, 1.0) if options.quick else (1000, options.seconds)
    driver = options.build / "benchmarks" / "solver" / "solver_bench"

    results: dict[float, dict] = {}
    rows = []
    for c in (10.0, 100.0, 1000.0):
        runs = {s: history([driver, s, queries, 85, 136, c, GAPS[-1], seconds]) for s in SOLVERS}
        check_agreement(runs)
        results[c] = runs
        for gap in GAPS:
            base = reached(runs["bcda"], gap)
            for name, points in runs.items():
                at = reached(points, gap)
                cells = [f"{at['seconds']:.4f}", f"{at['pass']:.0f}"] if at else ["", ""]
                rows.append([f"{c:g}", f"{gap:g}", name, *cells, ratio(base, at, points)])
    header = ["C", "gap", "solver", "seconds", "passes", "seconds over bcda"]
    for row in [header, *rows]:
        print(f"{row[0]:>6}{row[1]:>9}  {row[2]:<12}" + "".join(f"{cell:>12}" for cell in row[3:5]) + f"{row[5]:>20}")
    with open(options.build / "solver.csv", "w", newline="") as out:
        csv.writer(out).writerows([header, *rows])
    plot(results, options.build / "solver.png")
    counted = [
        Row("solver", f"{queries} x 85 x 136, C = {c:g}", "passes of bcda to gap 1e-3", at["pass"], kind="count")
        for c, runs in results.items()
        if (at := reached(runs["bcda"], 1e-3))
    ]
    report(options, "solver", counted + trade_offs.table(options))


if __name__ == "__main__":
    main()
