# SPDX-License-Identifier: Apache-2.0
"""The command, for runs and judgments that a suite holds in memory."""

import csv
import io
import os
import subprocess
import tempfile
from pathlib import Path

import asked

COMMAND = os.environ.get("DORM_COMMAND", str(Path(__file__).resolve().parents[2] / "build" / "dorm"))


def dorm(*arguments):
    """What the command prints; RuntimeError with its message when it refuses."""
    done = subprocess.run([COMMAND, *map(str, arguments)], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def judge(qrels, run, *options):
    """What `dorm eval` prints for dictionaries of dictionaries: label and score of each document of a query."""
    asked.note()
    with tempfile.TemporaryDirectory() as folder:
        judged, ranked = Path(folder) / "qrels", Path(folder) / "run"
        judged.write_text("".join(f"{q} 0 {d} {y}\n" for q, docs in qrels.items() for d, y in docs.items()))
        rows = [f"{q} Q0 {d} 1 {float(s)!r} t\n" for q, docs in run.items() for d, s in docs.items()]
        ranked.write_text("".join(rows) or "none Q0 none 1 0 t\n")
        return dorm("eval", "--qrels", judged, "--run", ranked, "--quiet", "--complete", "--per-query", "-", *options)


def evaluate_run(qrels, run, measures, *options, convention="trec"):
    """Values by query and measure; every judged query has a row, in the order of the judgments."""
    what = ["--measures", ",".join(measures), "--convention", convention, "--bootstrap", 0]
    header, *values = csv.reader(io.StringIO(judge(qrels, run, *what, *options)))
    return {row[0]: {name: float(x) for name, x in zip(header[1:], row[1:]) if x} for row in values}
