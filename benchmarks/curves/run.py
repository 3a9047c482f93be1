#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What curves of eight pieces cost beside lines: a pass, a training to one gap, and scoring, as ratios of one run.

run.py [--build build-bench] [--quick]    run this, print it, and renew speed.json
run.py --markdown                         the table of docs/curves.md, from speed.json alone
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402

RESULTS = Path(__file__).resolve().parent / "speed.json"
WHAT = ("a pass over the queries", "a training to a gap of 1e-3", "scoring 1,000 x 120 x 136")


def measure(driver, queries):
    command = [str(driver), str(queries), "61", "136", "8"]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    numbers = list(map(float, next(csv.reader([line]))))
    return {what: round(numbers[2 * k + 1] / numbers[2 * k], 2) for k, what in enumerate(WHAT)}


def markdown():
    found = json.loads(RESULTS.read_text())
    lines = [f"| {found['queries']:,} x 61 x 136, processor time | curves / lines |", "|---|---|"]
    return "\n".join(lines + [f"| {what} | {found['ratios'][what]:.1f} |" for what in WHAT])


def main():
    made = parser(__doc__)
    made.add_argument("--markdown", action="store_true")
    options = made.parse_args()
    if options.markdown:
        print(markdown())
        return
    queries = 300 if options.quick else 10000
    ratios = measure(options.build / "benchmarks" / "curves" / "curves_bench", queries)
    if not options.quick:
        RESULTS.write_text(json.dumps({"queries": queries, "ratios": ratios}, indent=1) + "\n")
    for what, ratio in ratios.items():
        print(f"{what:32}{ratio:6.2f}")
    report(options, "curves", [Row("curves", f"{queries} x 61 x 136", f"{what}, curves / lines", ratio)
                               for what, ratio in ratios.items()])  # fmt: skip


if __name__ == "__main__":
    main()
