#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What starting costs: whole processes on 10 kB of data, beside /bin/true and the bare interpreter in the same run.

    python benchmarks/startup/run.py [--build build-bench] [--runs 200]

Prints the least and the median of the wall clock, the median of the processor time (user and system), and the ratio of
the least to that of the process that does nothing. Writes startup.csv into the build directory.
"""

from __future__ import annotations

import csv
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402

PYTHON_SHARE = 10  # starting an interpreter takes this many times as long as starting the command


def one_run(words: list[str]) -> tuple[float, float]:
    """Seconds from exec to exit, and of the processor."""
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    start = time.perf_counter()
    process = os.posix_spawn(words[0], words, os.environ, file_actions=silent)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(words)} failed")
    return seconds, usage.ru_utime + usage.ru_stime


def measure(cases: dict[str, list[str]], runs: int) -> dict[str, tuple[float, float, float]]:
    """In turns, so that whatever else the machine does falls on all alike: least and median wall clock, processor."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for _ in range(runs):
        for name, words in cases.items():
            found[name].append(one_run(words))
    out = {}
    for name, pairs in found.items():
        wall, processor = zip(*pairs)
        out[name] = (min(wall), statistics.median(wall), statistics.median(processor))
    return out


def small_job(command: Path, folder: Path) -> tuple[str, str]:
    """About 10 kB of documents, and a model."""
    data, model = str(folder / "small.txt"), str(folder / "model.json")
    size = ["--queries", "10", "--features", "10", "--documents-median", "10", "--seed", "1"]
    one_run([str(command), "synth", *size, "-o", data])
    one_run([str(command), "train", data, "--model", model])
    return data, model


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=200)
    options = arguments.parse_args()
    if options.quick:
        options.runs = 10
    command = (options.build / "dorm").resolve()
    with tempfile.TemporaryDirectory() as folder:
        data, model = small_job(command, Path(folder))
        print(f"{os.path.getsize(data) / 1000:.0f} kB of documents; {options.runs} processes\n")
        commands = {
            "/bin/true": ["/bin/true"],
            "dorm --version": [str(command), "--version"],
            "dorm rank": [str(command), "rank", model, data],
            "dorm eval": [str(command), "eval", data, model],
        }
        imports = {
            "python -c pass": "pass",
            "import numpy": "import numpy",
            "import dorm": "import dorm",
        }
        measured = measure(commands, options.runs)
        interpreted = {name: [sys.executable, "-c", text] for name, text in imports.items()}
        measured |= measure(interpreted, max(1, options.runs // PYTHON_SHARE))
    header = ["process", "least, ms", "median, ms", "processor, ms", "over nothing"]
    rows = []
    for name, (least, *others) in measured.items():
        nothing = measured["/bin/true" if name in commands else "python -c pass"][0]
        rows.append([name, *(f"{each * 1e3:.1f}" for each in (least, *others)), f"{least / nothing:.1f}"])
    for row in [header, *rows]:
        print(f"{row[0]:<18}" + "".join(f"{cell:>15}" for cell in row[1:]))
    with open(options.build / "startup.csv", "w", newline="") as out:
        csv.writer(out).writerows([header, *rows])
    told = [Row("startup", row[0], "over a process that does nothing", float(row[-1])) for row in rows]
    report(options, "startup", [row for row in told if "dorm" in row.job])


if __name__ == "__main__":
    main()
