"""The rules of CONTRIBUTING.md that a machine can check: layers, sizes, forbidden calls, stray files.

Prints one line per violation and exits 1 if there is any.
"""

import re
import subprocess
import sys
from pathlib import Path

import dialect
from layers import LAYERS, owner_of, room_of

ROOT = Path(__file__).resolve().parent.parent

# Rooms of numbers: however long the chain of includes, they never see a data set.
NUMBERS_ONLY = ("ranking/", "learning/solver")
MAX_NAMES_IN_SRC = 11
MAX_FILE_LINES = 400
MAX_HEADER_LINES = 200  # of a public header
MAX_TOP_HEADERS = 18
MAX_FILES_OF_A_FOLDER = 40
FOLDERS = ("src", "lab", "cli", "python", "include")
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


def includes(path, lines):
    """(line number, room) of every include of a private or public header of the project."""
    for number, line in enumerate(lines, 1):
        if match := re.match(r'\s*#include "([a-z0-9_/]+)\.h"', line):
            target = match.group(1)
            if target.startswith("dorm/"):
                yield number, owner_of(target.removeprefix("dorm/")) or f"nobody (dorm{target[4:]}.h)"
            elif "/" in target:
                yield number, room_of(("" if target.startswith("lab/") else "src/") + target + ".h") or target


def room_of_file(path):
    if path.parts[0] == "include":
        return owner_of("/".join(path.parts[2:]).removesuffix(".h"))
    return room_of(str(path))


def reach(room, seen):
    for other in LAYERS[room].uses:
        if other not in seen:
            seen.add(other)
            reach(other, seen)
    return seen


def check_layers():
    """Every include points down, every permission is used, and nothing is reached both ways."""
    used = {room: set() for room in LAYERS}
    for path in tracked("src/*.h", "src/*.cpp", "lab/*.h", "lab/*.cpp", "include/dorm/*.h"):
        if path.name == "dorm.h":
            continue
        room = room_of_file(path)
        if room is None:
            yield f"{path}:1: belongs to no room of tools/layers.py"
            continue
        for number, other in includes(path, (ROOT / path).read_text().splitlines()):
            if other != room and other not in LAYERS[room].uses:
                yield f"{path}:{number}: {room} must not include {other}"
            used[room].add(other)
    for room, row in LAYERS.items():
        for other in sorted(set(row.uses) - used[room]):
            yield f"tools/layers.py: {room} may use {other}, but does not"
        reached = reach(room, set())
        if room in reached:
            yield f"tools/layers.py: {room} reaches itself"
        if room.startswith(NUMBERS_ONLY) and "data" in reached:
            yield f"tools/layers.py: {room} reaches data, but is a room of numbers"
    yield from check_doors()


def check_doors():
    door = lambda room: room.split("/")[0]
    uses = {door(room): set() for room in LAYERS}
    for room, row in LAYERS.items():
        uses[door(room)] |= {door(other) for other in row.uses} - {door(room)}
    order = []
    while ready := [name for name in uses if name not in order and uses[name] <= set(order)]:
        order += ready
    for name in sorted(set(uses) - set(order)):
        yield f"tools/layers.py: the door {name} and another reach each other"
    stems = {}
    for path in tracked("src/*.cpp", "src/*.h", "lab/*.cpp", "lab/*.h"):
        door_name = path.parts[1] if path.parts[0] == "src" else "lab"
        stems.setdefault((door_name, path.stem), set()).add(path.parent)
    for (name, stem), folders in stems.items():
        if len(folders) > 1:
            yield f"{stem}: stands in {len(folders)} rooms of {name}: {', '.join(sorted(map(str, folders)))}"
    names = {path.parts[1] for path in tracked("src/*")}
    if len(names) > MAX_NAMES_IN_SRC:
        yield f"src/: {len(names)} names; at most {MAX_NAMES_IN_SRC}"


def check_folders():
    sizes = {}
    for path in tracked(*(f"{folder}/*" for folder in FOLDERS)):
        sizes[path.parent] = sizes.get(path.parent, 0) + 1
    for folder, size in sizes.items():
        if size > MAX_FILES_OF_A_FOLDER:
            yield f"{folder}/: {size} files; at most {MAX_FILES_OF_A_FOLDER}: it holds more than one idea"


def check_dialect():
    texts = {str(path): (ROOT / path).read_text(errors="replace") for path in tracked("*.h", "*.cpp", "*.py", "*.md")}
    for path, number, words, instead in dialect.found(texts):
        yield f'{path}:{number}: "{words}": the glossary has {instead}'


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
    if path.parts[0] in ("src", "include"):
        for number, line in enumerate(lines, 1):
            if re.search(r'"[^"]*(?<![-\w])--[a-z][^"]*"', line.split("//")[0]):
                yield f"{path}:{number}: the core does not know the command line's options: {line.strip()}"


def check_public_headers():
    """Public headers are short, few are at the top, and an option that no source reads is refused."""
    headers = tracked("include/dorm/*.h")
    if (top := sum(len(path.parts) == 3 for path in headers)) > MAX_TOP_HEADERS:
        yield f"include/dorm/: {top} headers; at most {MAX_TOP_HEADERS}: the others belong to a subfolder"
    sources = "\n".join((ROOT / path).read_text() for path in tracked("src/*.cpp", "src/*.h", "lab/*.cpp", "lab/*.h"))
    read = set(re.findall(r"(?:\.|->|::)([A-Za-z_]\w*)\b(?!\s*=[^=])", sources))
    for path in headers:
        text = (ROOT / path).read_text()
        if (lines := text.count("\n")) > MAX_HEADER_LINES:
            yield f"{path}: {lines} lines; at most {MAX_HEADER_LINES} in a public header"
        for name, body in re.findall(r"^struct (\w*Options) \{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL):
            for field in re.findall(
                r"^  [\w:<>, *]+?[ *&](\w+)(?: = [^;(]*|\{\})?;", re.sub(r"([=,])\n\s*", r"\1 ", body), re.MULTILINE
            ):
                if field not in read:
                    yield f"{path}: {name}::{field} is an option that no source reads"


def check_built():
    """Every C++ source is named in the CMake list of its folder."""
    for path in tracked("src/*.cpp", "lab/*.cpp", "cli/*.cpp", "tests/*_test.cpp", "fuzz/*.cpp"):
        folders = [ROOT / folder for folder in path.parents][:-1]
        lists = [(folder / "CMakeLists.txt").read_text() for folder in folders if (folder / "CMakeLists.txt").exists()]
        if not any(re.search(rf"\b{path.stem.removeprefix('fuzz_')}\b", text) for text in lists):
            yield f"{path}: in no CMake list"


def violations():
    for path in tracked("*.h", "*.cpp", "*.cu", "*.cuh"):
        yield from check_source(path, (ROOT / path).read_text().splitlines())
    yield from check_layers()
    yield from check_built()
    yield from check_public_headers()
    yield from check_folders()
    yield from check_dialect()
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
