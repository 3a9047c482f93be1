#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks, joins their rows into one table and holds it against the committed benchmarks/table.csv.

    bench.py [--build build-bench] [--only "jobs baselines"] [--quick] [--before OLD/dorm]
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
FIRST = ("before", "baselines", "pass")  # on the page
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


def filled(page: str, name: str, content: str) -> str:
    """The page with this between the marks of that name."""
    begin, end = f"<!-- {name}: written by make bench-update -->\n", f"<!-- end of {name} -->"
    before, mark, rest = page.partition(begin)
    assert mark and end in rest, f"{PAGE} has no place for {name}"
    return before + begin + "\n" + content + "\n" + end + rest.partition(end)[2]


def update(build: Path) -> None:
    rows = table.updated(table.joined(table.rows_folder(build, quick=False)), table.read(COMMITTED))
    table.write(COMMITTED, rows)
    shown = [row for row in rows if row.script != "jobs" or row.kind == "instructions"]
    shown.sort(key=lambda row: (FIRST.index(row.script) if row.script in FIRST else len(FIRST), row.script == "jobs"))
    page = filled(PAGE.read_text(), "table", table.markdown(shown))
    if (build / "baselines.md").exists():
        page = filled(page, "baselines", (build / "baselines.md").read_text())
        shutil.copy(build / "baselines.svg", PAGE.parent / "img" / "baselines.svg")
    PAGE.write_text(page)


def main() -> None:
    parser = table.parser(__doc__)
    parser.add_argument("--only", type=str.split, default=[], help="names of benchmarks between blanks")
    parser.add_argument("--before", help="an older command, to be compared with")
    parser.add_argument("--update", action="store_true", help="make the last run the committed table")
    options = parser.parse_args()
    if options.update:
        update(options.build)
        return
    options.build.mkdir(exist_ok=True)
    failed = run(options)
    ok = check(options, table.joined(table.rows_folder(options.build, options.quick)))
    if failed:
        print(f"failed: {', '.join(failed)}")
    sys.exit(0 if ok and not failed else 1)


if __name__ == "__main__":
    main()
