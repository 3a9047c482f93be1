#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the oracles, readers, shards and the server on purpose, a line at a time, and tells whether tests notice.

    mutate.py [--filter WORD]   prints one Markdown row per mutation of *_mutations.py; exits 1 if any survives
    mutate.py --check           whether every mutation still applies; builds nothing

Works on a copy of the sources in build-mutate, where each mutation compiles one file and runs the tests of its folder.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import input_mutations
import oracle_mutations

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "build-mutate" / "source"
MUTATIONS = oracle_mutations.MUTATIONS + input_mutations.MUTATIONS
# By the folder below src/, the first that fits: the tests that should notice, soonest first.
TARGETS = {
    "data/source_order": ["learning_test"],
    "data": ["data_test"],
    "learning": ["learning_test"],
    "serve": ["serve_test"],
    "": ["base_test", "ranking_test"],
}
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\s+|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\w+|.", re.DOTALL)
STATEMENTS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "alignas"}


def tokens(text):
    """(token, start, end) of everything but spaces and comments."""
    found = ((m.group(), m.start(), m.end()) for m in TOKEN.finditer(text))
    return [t for t in found if not t[0].isspace() and not t[0].startswith(("//", "/*"))]


def closing(words, first):
    """The index of the bracket that closes the one at `first`."""
    opens, closes = words[first], {"(": ")", "{": "}"}[words[first]]
    depth = 0
    for i in range(first, len(words)):
        depth += (words[i] == opens) - (words[i] == closes)
        if depth == 0:
            return i
    return len(words)


def bodies(words, name):
    """The (first, last) token of the body of every function of this name that is defined here."""
    for i in range(len(words) - 1):
        if words[i] != name or words[i] in STATEMENTS or words[i + 1] != "(":
            continue
        end = closing(words, i + 1) + 1
        while end < len(words) and words[end] in ("const", "noexcept", "override"):
            end += 1
        if end < len(words) and words[end] == "{":
            yield end, closing(words, end)


def places(where, function, code):
    """(path, start, end) of every occurrence of `code` in the functions of that name in a folder or file of src/."""
    wanted = [word for word, _, _ in tokens(code)]
    where = ROOT / "src" / where
    for path in [where] if where.is_file() else sorted(where.glob("*.*")):
        found = tokens(path.read_text())
        words = [word for word, _, _ in found]
        for first, last in bodies(words, function):
            for i in range(first, last - len(wanted) + 1):
                if words[i : i + len(wanted)] == wanted:
                    yield path.relative_to(ROOT), found[i][1], found[i + len(wanted) - 1][2]


def located(mutations):
    """The mutations with their places; ends the program with all that do not apply exactly once."""
    whole = [(what, list(places(where, function, code)), new) for what, where, function, code, new in mutations]
    wrong = [f"mutation '{what}' applies {len(at)} times, not once" for what, at, _ in whole if len(at) != 1]
    if wrong:
        sys.exit("\n".join(wrong) + "\nbring tests/mutation/*_mutations.py up to date with the functions they name")
    return [(what, *at[0], new) for what, at, new in whole]


def quietly(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, **options)
    return done.returncode


def targets_of(name):
    """The tests of a file of src/."""
    return next(tests for folder, tests in TARGETS.items() if str(name).startswith(f"src/{folder}"))


def killed_by(build, targets):
    """How the mutant died, or None."""
    if quietly("cmake", "--build", build, "--target", *targets) != 0:
        return "does not compile"
    for target in targets:
        program = next(path for path in (build / "tests").rglob(target) if path.is_file())
        try:
            if quietly(program, "--gtest_fail_fast", "--gtest_brief=1", timeout=300) != 0:
                return target
        except subprocess.TimeoutExpired:
            return f"{target} (hangs)"
    return None


def copied():
    """A copy of the tracked sources whose unchanged files keep their times, so that they are not compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, COPY / name
        if source.is_file() and not (target.is_file() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return COPY


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", metavar="WORD")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    mutations = located(MUTATIONS)
    if options.check:
        return 0
    copy = copied()
    build = copy / "build-mutate"
    if quietly("cmake", "--preset", "mutate", cwd=copy) != 0:
        sys.exit("configuring failed: cmake --preset mutate")
    mutations = [mutation for mutation in mutations if options.filter in mutation[0]]
    needed = sorted({target for mutation in mutations for target in targets_of(mutation[1])})
    if (reason := killed_by(build, needed)) is not None:
        sys.exit(f"the unchanged sources fail: {reason}")
    survivors = 0
    print("| mutation | file | noticed by |\n|---|---|---|", flush=True)
    for what, name, start, end, replacement in mutations:
        original = (ROOT / name).read_text()
        (copy / name).write_text(original[:start] + replacement + original[end:])
        reason = killed_by(build, targets_of(name))
        (copy / name).write_text(original)
        survivors += reason is None
        print(f"| {what} | {name} | {reason or '**survived**'} |", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
