#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks, joins their rows into one table and holds it against the committed benchmarks/table.csv.

    bench.py [--build build-bench] [--only "jobs rivals"] [--quick] [--before OLD/dorm]
    bench.py --update     the committed table and the one of docs/benchmarks.md from the last run; nothing is run

Writes table.csv and table.md into the build folder. Exits 1 if a script fails or a count or number of instructions is
worse than the committed one by more than its tolerance (benchmarks/table.py).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import table  # noqa: E402

COMMITTED = ROOT / "benchmarks" / "table.csv"
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- table: tools/bench.py --update -->\n", "<!-- end of the table -->"
TAKES_BEFORE = ("jobs",)
IN_PARTS = ("kernel",)  # its parts are run by name


def scripts(only: list[str]) -> dict[str, Path]:
    """By name: the folder of a run.py, or the file in benchmarks/python."""
    found = {path.parent.name: path for path in sorted((ROOT / "benchmarks").glob("*/run.py"))}
    found |= {path.stem: path for path in sorted((ROOT / "benchmarks" / "python").glob("*.py"))}
    if unknown := set(only) - set(found):
        sys.exit(f"bench.py: no benchmark is named {', '.join(sorted(unknown))}; there are: {', '.join(found)}")
    return {name: path for name, path in found.items() if (name in only if only else name not in IN_PARTS)}


def run(options: argparse.Namespace) -> list[str]:
    """The names of the scripts that failed."""
    shutil.rmtree(table.rows_folder(options.build, options.quick), ignore_errors=True)
    failed = []
    for name, path in scripts(options.only).items():
        print(f"\n=== {name}", flush=True)
        began = time.monotonic()
        line = [sys.executable, path, "--build", options.build, *(["--quick"] if options.quick else [])]
        if options.before and name in TAKES_BEFORE:
            line += ["--before", options.before]
        if subprocess.run(line).returncode:
            failed.append(name)
        print(f"--- {time.monotonic() - began:.0f} s", flush=True)
    return failed


def check(options: argparse.Namespace, rows: list[table.Row]) -> bool:
    """Whether nothing is worse than the committed table."""
    table.write(options.build / "table.csv", rows)
    (options.build / "table.md").write_text(table.markdown(rows))
    print("\n" + table.markdown(rows))
    lines, regressed = table.moved(rows, table.read(COMMITTED))
    print("\n".join(lines) if lines else "nothing moved beyond its tolerance")
    return not regressed


def update(rows: list[table.Row]) -> None:
    rows = table.updated(rows, table.read(COMMITTED))
    table.write(COMMITTED, rows)
    before, _, rest = PAGE.read_text().partition(BEGIN)
    shown = [row for row in rows if row.kind != "instructions" and row.script != "jobs"]
    shown += [row for row in rows if row.kind == "instructions"]
    PAGE.write_text(before + BEGIN + "\n" + table.markdown(shown) + "\n" + END + rest.partition(END)[2])


def main() -> None:
    parser = table.parser(__doc__)
    parser.add_argument("--only", type=str.split, default=[], help="names of benchmarks between blanks")
    parser.add_argument("--before", help="an older command, to be compared with")
    parser.add_argument("--update", action="store_true", help="make the last run the committed table")
    options = parser.parse_args()
    if options.update:
        update(table.joined(table.rows_folder(options.build, quick=False)))
        return
    options.build.mkdir(exist_ok=True)
    failed = run(options)
    ok = check(options, table.joined(table.rows_folder(options.build, options.quick)))
    if failed:
        print(f"failed: {', '.join(failed)}")
    sys.exit(0 if ok and not failed else 1)


if __name__ == "__main__":
    main()
