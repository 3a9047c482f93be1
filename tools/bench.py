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
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import table  # noqa: E402

COMMITTED = ROOT / "benchmarks" / "table.csv"
TAKES_BEFORE = ("jobs",)
# Studies are not part of the table and take minutes to hours. With --quick each runs on small data, so that none calls
# an option that is gone: script -> arguments of each run. {out} is a folder for results, {dorm} the command.
STUDIES = {
    "boosting/compare.py": ["--data mq2008 --seeds 1 --single --methods lambdarank,dorm-hinge --out {out}"],
    "boosting/small.py": [
        "--half develop --data mq2007-sample --splits 1 --methods lambdarank-30,dorm-hinge-1 --out {out}"
    ],
    "boosting/timing.py": ["--rounds 2 --repeats 1"],
    "clicks/compare.py": ["run {out}/clicks.csv --quick"],
    "clicks/stream.py": ["--rows 1e5 --pandas-rows 1e5 --folder {out}"],
    "cores/run.py": ["--dorm {dorm} --threads 1,2 --turns 1 --only convert,ridge --quick"],
    "distributed/cost.py": ["--command {dorm} --quick --pairs 1"],
    "distributed/passes.py": ["--command {dorm} --queries 100 --tolerance 1e-1 --most 40"],
    "evaluation/compare.py": [
        "--dorm {dorm} --queries 50 --documents 100 --turns 1 --results {out}",
        "--dorm {dorm} --stream --long 1000 --results {out}",
    ],
    "evaluation/intervals.py": ["--draws 5 --results {out}/intervals.csv"],
    "kernel/run.py": [
        f"{part} --dorm {{dorm}} --out {{out}} --quick"
        for part in ("quality", "approach", "cache", "large", "threads", "rate")
    ],
    "quality/decays.py": ["--dorm {dorm} --sets 'generated 20, noise 1' --splits 1 --out {out}"],
    "quality/learn_decay.py": ["--dorm {dorm} --sets 'generated 20, noise 1' --splits 1"],
    "quality/scalings.py": ["--dorm {dorm} --sets lightgbm --splits 1 --out {out}"],
    "quality/splits.py": ["--dorm {dorm} --sets lightgbm --methods tune;ridge --splits 1 --out {out}"],
    "ratings/defaults.py": ["--build {build} --kinds sparse --given 10 --seeds 100"],
    "ratings/fold_in.py": ["--build {build} --users 3"],
    "ratings/implicit.py": ["--build {build} --users 60 --seeds 1"],
    "ratings/scale.py": ["--build {build} --sizes 60x40x1000 --rank 5 --threads 1 --rounds 1"],
    "ratings/terms.py": ["--build {build} --given 10 --splits 0"],
}
# What these need is not installed by the set-up: PyTorch, implicit, a cluster, a GPU, the data of the paper.
NEED_MORE = (
    "boosting/neural.py",
    "distributed/engines.py",
    "paper/run.py",
    "ratings/baselines.py",
    "torch/device.py",
    "torch/losses.py",
)
MODULES = (
    "baselines/learners.py",
    "boosting/catboost_calls.py",
    "compile/compile_times.py",
    "serve/baselines.py",
    "matching/peers.py",
    "paper/pictures.py",
)


def scripts(only: list[str]) -> dict[str, Path]:
    """By name: the folder of a run.py, or the file in benchmarks/python."""
    found = {path.parent.name: path for path in sorted((ROOT / "benchmarks").glob("*/run.py"))}
    found |= {path.stem: path for path in sorted((ROOT / "benchmarks" / "python").glob("*.py"))}
    if unknown := set(only) - set(found):
        sys.exit(f"bench.py: no benchmark is named {', '.join(sorted(unknown))}; there are: {', '.join(found)}")
    return {name: path for name, path in found.items() if (name in only if only else not studied(path))}


def studied(path: Path) -> bool:
    """Whether a script is one of the studies, which print their own tables, or is never run here."""
    return str(path.relative_to(ROOT / "benchmarks")) in (*STUDIES, *NEED_MORE)


def run_studies(build: Path) -> list[str]:
    """Each study on small data; the names of those that failed, and of scripts that nothing runs."""
    folder = ROOT / "benchmarks"
    runnable = {str(p.relative_to(folder)) for p in folder.glob("*/*.py") if "__main__" in p.read_text()}
    covered = {str(p.relative_to(folder)) for p in scripts([]).values()} | {*STUDIES, *NEED_MORE, *MODULES}
    failed = sorted(f"{name} (run by nothing)" for name in runnable - covered)
    for name, lines in STUDIES.items():
        for line in lines:
            with tempfile.TemporaryDirectory() as out:
                places = {"out": out, "build": build, "dorm": build / "dorm"}
                print(f"\n=== {name} {line}", flush=True)
                command = [sys.executable, folder / name, *shlex.split(line.format(**places))]
                if subprocess.run(command, cwd=ROOT).returncode:
                    failed.append(name)
    return failed


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


def update(build: Path) -> None:
    rows = table.updated(table.joined(table.rows_folder(build, quick=False)), table.read(COMMITTED))
    table.write(COMMITTED, rows)
    if (build / "baselines.csv").exists():
        shutil.copy(build / "baselines.csv", ROOT / "benchmarks" / "baselines" / "results.csv")
        shutil.copy(build / "baselines.svg", ROOT / "docs" / "img" / "baselines.svg")
    subprocess.run([sys.executable, ROOT / "tools" / "generated.py"], check=True)


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
    if options.quick and not options.only:
        failed += run_studies(options.build)
    ok = check(options, table.joined(table.rows_folder(options.build, options.quick)))
    if failed:
        print(f"failed: {', '.join(failed)}")
    sys.exit(0 if ok and not failed else 1)


if __name__ == "__main__":
    main()
