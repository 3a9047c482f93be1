#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One training pass against streaming the features once, with its shares, and two threads against one.

The driver checks that both thread counts give the same weights before it prints a time. Writes pass.csv
and pass.png into the build directory.
"""

import csv
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402

PARTS = ("features", "oracle", "planes")


def measure(driver: Path, queries: int, decay: str) -> dict:
    command = [str(driver), str(queries), "85", "136", decay]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = ("stream", *PARTS, "pass", "two threads")
    return dict(zip(names, map(float, line.split(","))))


def main() -> None:
    options = parser(__doc__).parse_args()
    driver = options.build / "benchmarks" / "pass" / "pass_bench"

    rows = []
    queries = 300 if options.quick else 3000
    for decay in ("measure", "power:0.5"):
        found = measure(driver, queries, decay)
        shares = [found[part] / found["stream"] for part in PARTS]
        whole = found["pass"] / found["stream"]
        rows.append([decay, found["stream"], whole, *shares, found["pass"] / found["two threads"]])
    header = ["decay", "stream seconds", "pass / stream", *(f"{part} / stream" for part in PARTS), "one / two threads"]
    for row in [header, *rows]:
        cells = [cell if isinstance(cell, str) else f"{cell:.4f}" for cell in row]
        print(f"{cells[0]:<12}" + "".join(f"{cell:>19}" for cell in cells[1:]))
    with open(options.build / "pass.csv", "w", newline="") as out:
        csv.writer(out).writerows([header, *rows])
    report(options, "pass", [Row("pass", f"{queries} x 85 x 136, {row[0]}", header[2], row[2]) for row in rows])

    figure, axis = plt.subplots(figsize=(5, 4))
    bottom = [0.0] * len(rows)
    for k, part in enumerate(PARTS):
        heights = [row[3 + k] for row in rows]
        axis.bar([row[0] for row in rows], heights, bottom=bottom, label=part)
        bottom = [b + h for b, h in zip(bottom, heights)]
    axis.set(ylabel="one pass / streaming the features once", xlabel="decay")
    axis.legend()
    figure.tight_layout()
    figure.savefig(options.build / "pass.png", dpi=120)


if __name__ == "__main__":
    main()
