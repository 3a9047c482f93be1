#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds and memory of `dorm clicks gains` on a long log, on one core, beside `wc -l` and pandas in the same run.

    python benchmarks/clicks/stream.py [--rows 1e8] [--folder /tmp] [--pandas-rows 1e7]

The log is that of simulated users on generated data: 1000 queries of some 50 documents, three rankers, ten positions.
pandas reads the beginning of the file only, since it holds all rows in memory; its figures are for that many rows.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("DORM_COMMAND", str(ROOT / "build" / "dorm"))
PANDAS = """
import sys, pandas
log = pandas.read_csv(sys.argv[1], nrows=int(sys.argv[2]), dtype={"qid": "category", "docid": "category",
    "session": "string", "ranker": "category", "position": "int32", "click": "int8"})
counts = log.groupby(["qid", "docid", "position"], observed=True)["click"].agg(["size", "sum"])
print(len(counts))
"""


def timed(command):
    """Seconds and output of a command on one core."""
    begin = time.monotonic()
    process = subprocess.Popen(["taskset", "-c", "0", *map(str, command)], stdout=subprocess.PIPE, text=True)
    output = process.communicate()[0]
    if process.returncode != 0:
        sys.exit(f"{command[0]} has failed")
    return time.monotonic() - begin, output


def measured(name, command, rows):
    """One line of the table, by /usr/bin/time where it is."""
    clock = pathlib.Path("/usr/bin/time")
    notes = pathlib.Path("/tmp") / f"dorm-stream-{os.getpid()}"
    prefix = [clock, "-f", "%U %S %M", "-o", notes] if clock.exists() else []
    wall, output = timed([*prefix, *command])
    if prefix:
        user, system, kilobytes = map(float, notes.read_text().split()[-3:])
        notes.unlink()
        print(f"| {name} | {rows:.3g} | {wall:.1f} | {user + system:.1f} | {kilobytes / 1024:.0f} |", flush=True)
    else:
        print(f"| {name} | {rows:.3g} | {wall:.1f} | - | - |", flush=True)
    return output


def main():
    """As above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--pandas-rows", type=float, default=1e7)
    parser.add_argument("--folder", default="/tmp")
    arguments = parser.parse_args()
    log = pathlib.Path(arguments.folder) / "clicks-stream.csv"
    truth = pathlib.Path(arguments.folder) / "clicks-stream-p.csv"
    sessions = max(1, int(arguments.rows / 1000 / 10))
    print("| what | rows | seconds | processor seconds | MiB |\n|---|---|---|---|---|")
    data = pathlib.Path(arguments.folder) / "clicks-stream-data.csv"
    shape = ["--queries", 1000, "--features", 1, "--documents-min", 10]
    subprocess.run([str(word) for word in (COMMAND, "synth", *shape, "-o", data)], check=True)
    users = [data, "--sessions", sessions, "--rankers", 3]
    simulate = [COMMAND, "clicks", "simulate", *users, "-o", log, "--true-propensities", truth]
    if not log.exists():  # else that of a run that was broken off
        measured("dorm clicks simulate", simulate, arguments.rows)
    measured("wc -l", ["wc", "-l", log], arguments.rows)
    gains = pathlib.Path(arguments.folder) / "clicks-stream-gains.csv"
    weigh = [COMMAND, "--threads", 1, "clicks", "gains", log, "--propensities", truth, "-o", gains, "--json", "--quiet"]
    measured("dorm clicks gains", weigh, arguments.rows)
    measured("pandas", [sys.executable, "-c", PANDAS, log, int(arguments.pandas_rows)], arguments.pandas_rows)
    for path in (data, log, truth, gains):
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
