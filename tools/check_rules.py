"""The rules of CONTRIBUTING.md that a machine can check: layers, sizes, forbidden calls, stray files.

Prints one line per violation and exits 1 if there is any.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A folder of src/ may include headers of itself and of these.
LAYERS = {
    "base": set(),
    "data": {"base"},
    "ratings": {"base"},
    "measure": {"base"},
    "decay": {"base"},
    "assign": {"base"},
    "mip": {"base", "assign"},
    "oracle": {"base", "measure", "decay", "assign"},
    "qp": {"base"},
    "solver": {"base", "qp"},
    "kernel": {"base", "data"},
    "risk": {"base", "data", "kernel", "oracle", "solver"},
    "io": {"base", "data"},
    "eval": {"base", "data", "measure", "catalog"},
    "synth": {"base", "data"},
    "catalog": {"base", "measure"},
    "objective": {"base"},
    "report": {"base"},
    "model": {"base", "data", "io", "kernel", "risk"},
    "train": {"base", "io", "kernel", "model", "risk"},
    "joint": {"base", "risk", "train"},
    "factor": {"base", "io", "oracle", "qp", "risk"},
    "collaborative": {"base"},
    "baseline": {"base", "risk", "train"},
    "experiment": {"base", "baseline", "compare", "eval", "io"},
    "compare": {"base", "baseline", "eval", "io", "train"},
}
# Layers of numbers: they know nothing of data sets.
SCALARS = ("measure", "decay", "assign", "oracle", "qp", "solver", "mip")
# Public headers that a layer must not see, however they are reached.
HIDDEN = {layer: {"dataset", "read", "write", "evaluate"} for layer in SCALARS}

MAX_FILE_LINES = 400
FORBIDDEN = [  # in src/ and include/: the core never prints, exits, seeds from a clock or touches the locale
    (re.compile(r"\bstd::(cout|cerr|clog)\b|\bf?printf\s*\("), "the core does not print"),
    (re.compile(r"\b(std::)?(exit|abort|_Exit)\s*\("), "the core does not end the process"),
    (re.compile(r"\bsetlocale\s*\(|std::locale\b"), "the core does not touch the locale"),
    (re.compile(r"\brandom_device\b|\bsrand\s*\("), "seeds are explicit"),
    (re.compile(r"\bnew\s+[A-Za-z_:]+[\s({\[]|\bmalloc\s*\("), "memory is owned by RAII types"),
]
STRAY = re.compile(r"\.(orig|rej|swp|bak)$|~$")


def tracked(*patterns):
    out = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(line) for line in out.stdout.splitlines()]


def code_of(line):
    """The line without its // comment and string literals."""
    return re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]


def check_includes(path, lines):
    layer = path.parts[1]
    if layer not in LAYERS:
        yield f"{path}:1: folder src/{layer} is not in tools/check_rules.py"
        return
    allowed = LAYERS[layer] | {layer}
    for number, line in enumerate(lines, 1):
        if match := re.match(r'\s*#include "([a-z_]+)/([a-z_]+)\.h"', line):
            folder, header = match.groups()
            if folder == "dorm":
                if header in HIDDEN.get(layer, ()):
                    yield f"{path}:{number}: src/{layer} must not know dorm/{header}.h"
            elif folder not in allowed:
                yield f"{path}:{number}: src/{layer} must not include src/{folder}"


def check_source(path, lines):
    if not lines or "SPDX-License-Identifier: Apache-2.0" not in lines[0]:
        yield f"{path}:1: expected the SPDX line"
    if len(lines) > MAX_FILE_LINES:
        yield f"{path}: {len(lines)} lines; at most {MAX_FILE_LINES}: is it still one idea?"
    if path.parts[0] in ("src", "include"):
        for number, line in enumerate(lines, 1):
            for pattern, why in FORBIDDEN:
                if pattern.search(code_of(line)):
                    yield f"{path}:{number}: {why}: {line.strip()}"
    if path.parts[0] == "src" and len(path.parts) > 2:
        yield from check_includes(path, lines)


def check_built():
    """Every C++ source is named in the CMake list of its folder."""
    for path in tracked("src/*.cpp", "cli/*.cpp", "tests/*_test.cpp", "fuzz/*.cpp"):
        folders = [ROOT / folder for folder in path.parents][:-1]
        lists = [(folder / "CMakeLists.txt").read_text() for folder in folders if (folder / "CMakeLists.txt").exists()]
        if not any(re.search(rf"\b{path.stem.removeprefix('fuzz_')}\b", text) for text in lists):
            yield f"{path}: in no CMake list"


def violations():
    for path in tracked("*.h", "*.cpp"):
        yield from check_source(path, (ROOT / path).read_text().splitlines())
    yield from check_built()
    for path in tracked():
        if STRAY.search(path.name):
            yield f"{path}: stray file"
    for path in tracked("*.h", "*.cpp", "*.py", "*.sh", "*.md", "*.txt"):
        text = (ROOT / path).read_text(errors="replace")
        if re.search(r"^(<{7}|>{7}) ", text, re.MULTILINE):
            yield f"{path}: conflict markers"
    if "## [Unreleased]" not in (ROOT / "CHANGELOG.md").read_text():
        yield "CHANGELOG.md: no section [Unreleased]"


found = list(violations())
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
