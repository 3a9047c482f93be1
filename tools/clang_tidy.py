# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over everything a build folder compiles of src/, lab/, cli/ and python/, on all processors.

    clang_tidy.py BUILD

Folders compile as one unit (cmake/unity.cmake), and are analysed as one: the headers are then read once for a folder,
which takes a fifth of the time of reading them for every file. A build folder configured with DORM_UNITY=OFF is
analysed file by file, and so shows that every file compiles by itself (make lint-files). Nothing is built but the
headers that the build writes.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("src", "lab", "cli", "python")
GCC_ONLY = re.compile(r" (-Wno-restrict|-fno-gcse\S*)")  # clang does not know them
COUNT = re.compile(r"^\d+ warnings? generated\.\n", re.MULTILINE)  # those of the system's headers, which are not shown


def ours(entry, build):
    """Whether the unit is made of our sources: by its own path, or by the target's for a unit made of many."""
    path = Path(entry["directory"], entry["file"]).resolve()
    if path.is_relative_to(build):
        return "Unity" in path.parts and "nanobind" not in str(path) and "tests" not in path.relative_to(build).parts
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PARTS


def analyse(database, path):
    done = subprocess.run(
        ["clang-tidy", "-p", database, "--quiet", path],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + COUNT.sub("", done.stderr)


def write_headers(build):
    """Those that the build makes of other files; by their commands, since ninja would compile libraries before them."""
    rule = ["ninja", "-C", build, "-t", "compdb", "CUSTOM_COMMAND"]
    for entry in json.loads(subprocess.run(rule, capture_output=True, text=True, check=True).stdout):
        if entry["output"].endswith(".h"):
            subprocess.run(entry["command"], shell=True, cwd=entry["directory"], check=True)


def main(build):
    write_headers(build)
    entries = json.loads((build / "compile_commands.json").read_text())
    paths = sorted({Path(e["directory"], e["file"]) for e in entries if ours(e, build)})
    if not paths:
        sys.exit(f"{build} compiles nothing of {', '.join(PARTS)}")
    failed = 0
    with tempfile.TemporaryDirectory() as database, ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry in entries:
            entry["command"] = GCC_ONLY.sub("", entry["command"])
        Path(database, "compile_commands.json").write_text(json.dumps(entries))
        for status, output in pool.map(lambda path: analyse(database, path), paths):
            failed += status != 0
            sys.stdout.write(output)
            sys.stdout.flush()
    print(f"clang-tidy: {len(paths)} units, {failed} with complaints")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
