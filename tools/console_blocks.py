#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the console blocks of README.md, CONTRIBUTING.md and docs/, and compares what they print with what pages show.

    console_blocks.py [--dorm build/dorm] [PAGE...]     say what is stale; exit 1 if anything is
    console_blocks.py --write [PAGE...]                 rewrite what the pages show from what is printed today; commands
                                                        that fail are left as they are, and exit 1

In a block marked ``console`` a line that begins with ``$ `` is a command (a backslash at its end continues it), and the
lines behind it are what it prints, standard output and errors together:

- no lines: the command must succeed; what it prints is not shown;
- else they are compared line by line. ``...`` on a line of its own stands for any lines, including none, and what the
  table VOLATILE names (times, memory, versions) may differ. A command that fails must show the error.

The blocks of a page run in order, each page in a folder of its own that looks like the root of a clone in which the
command and the Python package are built (docs/, examples/, benchmarks/, build/dorm, .venv/bin/python), with ``dorm`` in
the path and DORM_SIMD=portable, so that figures do not depend on the processor. A comment right above a block changes
that:

    <!-- console: skip: REASON -->      not run; counted with its reason
    <!-- console: data: NAME -->        run where the folder NAME of real data is found under DORM_DATA
    <!-- console: first:                commands that are run before the block and not shown, one per line
    dorm synth -o train.txt
    -->
"""

import argparse
import contextlib
import difflib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_SECONDS = 120  # of one command
BROKEN_PIPE = 141  # of a command in front of head
LINKED = ("docs", "examples", "benchmarks", "tools")
PROGRESS = re.compile(
    r"^dorm: (reading .* MB/s|tuning: |comparing: |choosing by |squared-loss |round \d|\S+ from \S+, r"
    r"|(fold|weights) \d+ of |read \S+$)"
)  # lines that come by the clock
NOT_PAGES = {"docs/python-api.md"}  # written by a tool; its examples run as doctests

# What may differ between two runs of the same command: pattern, and what takes its place in both texts.
VOLATILE = [
    (r"\b\d+(\.\d+)?(e-?\d+)? (s|ms|us|min|seconds|minutes)\b", "<time>"),
    (r"^(seconds +)\d+(\.\d+)?$", r"\1<time>"),
    (r"\b\d+ % of the time\b", "<share> of the time"),
    (r"\b\d+(\.\d+)? (kB|KB|MB|GB|KiB|MiB|GiB)\b", "<memory>"),
    (r"\b\d+ (threads?|cores?|processors?)\b", "<processors>"),
    (r"\b(build|sha256) [0-9a-f]{8,64}\b", r"\1 <hash>"),
    (r"\bdorm \d+\.\d+(\.\d+)?\b", "dorm <version>"),
    (r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?Z?)?\b", "<date>"),
    (r"(/[\w.+-]+)+/dorm-page-\w+", "<folder>"),
]

BLOCK = re.compile(
    r"(?:^<!-- console: (?P<kind>skip|data|first): *(?P<note>.*?) *-->\n\n?)?"
    r"^(?P<indent> *)```console\n(?P<body>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Command:
    text: str
    shown: list  # of lines


@dataclass
class Block:
    line: int  # of its first command
    span: tuple  # of its body in the page
    commands: list
    skip: str = ""
    data: str = ""
    first: list = field(default_factory=list)


@dataclass
class Outcome:
    """What became of the blocks of a page: how many ran, (line, reason) of those that did not, and what was stale."""

    ran: int = 0
    skipped: list = field(default_factory=list)
    stale: list = field(default_factory=list)
    text: str = ""  # of the page, with what is printed today


def pages():
    """Every page that may have blocks, relative to the repository."""
    names = [
        "README.md",
        "CONTRIBUTING.md",
        *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
    ]
    return [name for name in names if name not in NOT_PAGES]


def commands_of(body):
    out = []
    continued = False
    for line in body.splitlines():
        if continued:
            out[-1].text += "\n" + line
        elif line.startswith("$ "):
            out.append(Command(line[2:], []))
        elif out:
            out[-1].shown.append(line)
        elif line.strip():
            raise ValueError(f"a console block begins with {line!r}, which is not a command")
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    for command in out:  # an empty line between two commands belongs to neither
        while command.shown and not command.shown[-1].strip():
            command.shown.pop()
    return out


def blocks(text):
    out = []
    for match in BLOCK.finditer(text):
        block = Block(text.count("\n", 0, match.start("body")) + 1, match.span("body"), commands_of(match["body"]))
        if match["kind"] == "first":
            block.first = [line for line in match["note"].splitlines() if line.strip()]
        elif match["kind"]:
            setattr(block, match["kind"], " ".join(match["note"].split()))
        out.append(block)
    return out


def masked(line):
    for pattern, stand_in in VOLATILE:
        line = re.sub(pattern, stand_in, line)
    return re.sub(r" {2,}", "  ", line.rstrip())  # columns move with the width of what was masked


def matches(shown, printed):
    """Whether printed lines are the shown ones, `...` standing for any."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and masked(shown[0]) == masked(printed[0]) and matches(shown[1:], printed[1:])


def shows_an_error(shown):
    return any(line.startswith("dorm: ") and not line.startswith("dorm: warning") for line in shown)


def alike(some, others):
    return difflib.SequenceMatcher(None, "\n".join(some), "\n".join(others)).ratio()


def renewed(shown, printed):
    """What to show of the printed lines: as many of them, in the same places, as the lines shown before."""
    parts = [[]]
    for line in shown:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1 or len(printed) <= sum(map(len, parts)):
        return printed
    head, tail = len(parts[0]), len(parts[-1])
    out, begin, end = printed[:head], head, len(printed) - tail
    for part in parts[1:-1]:
        starts = range(begin, max(begin, end - len(part)) + 1)
        at = max(starts, key=lambda i: alike(part, printed[i : i + len(part)]))
        out += ["..."] * (at > begin) + printed[at : at + len(part)]
        begin = at + len(part)
    return out + ["..."] + printed[end:]


def environment(folder, command):
    """The folder in which a page runs, and the variables it sees."""
    tools = folder / ".bin"
    tools.mkdir()
    (tools / "dorm").symlink_to(command)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (folder / "build").mkdir()
    (folder / "build" / "dorm").symlink_to(command)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DORM_") or k == "DORM_DATA"}
    return {**kept, "PATH": f"{tools}:{kept['PATH']}", "DORM_SIMD": "portable", "NO_COLOR": "1", "COLUMNS": "100"}


def run(text, folder, variables):
    """(exit status, printed lines) of a command of the shell."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", text],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=LIMIT_SECONDS,
    )
    lines = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")] if done.stdout else []
    return done.returncode, [line for line in lines if not PROGRESS.match(line)]


def run_block(page, block, folder, variables, stale):
    """The body of a block with what is printed today; adds to `stale` what differs from what it shows."""
    for text in block.first:
        status, printed = run(text, folder, variables)
        if status:
            stale.append(f"{page}:{block.line}: what comes first failed: $ {text}\n" + "\n".join(printed))
    out = []
    for command in block.commands:
        status, printed = run(command.text, folder, variables)
        shown = command.shown
        where = f"{page}:{block.line}: $ {command.text}\n"
        if status not in (0, BROKEN_PIPE) and not shows_an_error(shown):
            stale.append(
                f"{where}failed with exit status {status}, and the page does not say so\n" + "\n".join(printed)
            )
        elif shown and not matches(shown, printed):
            stale.append(where + "\n".join(difflib.unified_diff(shown, printed, "shown", "printed", lineterm="", n=1)))
            shown = renewed(shown, printed)
        out += [f"$ {command.text}", *shown]
    return "\n".join(out) + "\n"


def check(page, command):
    """Runs the blocks of a page."""
    text = (ROOT / page).read_text()
    outcome, end = Outcome(), 0
    with tempfile.TemporaryDirectory(prefix="dorm-page-") as name:
        folder = Path(name)
        variables = environment(folder, Path(command).absolute())
        for block in blocks(text):
            reason = block.skip
            if block.data and not (Path(os.environ.get("DORM_DATA", "none")) / block.data).is_dir():
                reason = f"{block.data} is not under DORM_DATA"
            if reason:
                outcome.skipped.append((block.line, reason))
                continue
            outcome.ran += 1
            before = len(outcome.stale)
            body = run_block(page, block, folder, variables, outcome.stale)
            if len(outcome.stale) > before:
                outcome.text += text[end : block.span[0]] + body
                end = block.span[1]
    outcome.text += text[end:]
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="rewrite what the pages show")
    parser.add_argument("--dorm", type=Path, default=Path(os.environ.get("DORM_COMMAND", ROOT / "build" / "dorm")))
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    options = parser.parse_args()
    ran, skipped, stale, broken = 0, [], 0, 0
    for page in options.pages or pages():
        outcome = check(page, options.dorm)
        ran += outcome.ran
        skipped += [f"{page}:{line}: {reason}" for line, reason in outcome.skipped]
        stale += len(outcome.stale)
        broken += sum("failed" in what for what in outcome.stale)
        print("".join(f"{what}\n\n" for what in outcome.stale), end="", flush=True)
        if options.write and outcome.stale:
            (ROOT / page).write_text(outcome.text)
    print("\n".join(f"skipped {what}" for what in skipped))
    print(f"{ran} console blocks ran, {len(skipped)} skipped, {stale} commands stale{' and rewritten' * options.write}")
    return int(broken > 0 or (stale > 0 and not options.write))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
