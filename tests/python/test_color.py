# SPDX-License-Identifier: Apache-2.0
"""Colour where a terminal wants it, and nowhere else; progress that draws a bar on a terminal and lines elsewhere."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections import defaultdict

import pytest
from command import DORM, dorm

ESCAPE = re.compile(r"\x1b\[[\d;]*[mK]")
PLAIN = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE", "TERM")}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dorm("synth", "--queries", 20, "--features", 4, "--documents-median", 6, "-o", "data.txt")
    dorm("train", "data.txt", "--model", "m.json", "-q")
    return tmp_path


def on_terminal(*arguments, columns=120, **environment):
    """What a terminal receives on both streams, and the exit status."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [DORM, *map(str, arguments)],
        stdout=slave,
        stderr=slave,
        env={**PLAIN, "TERM": "xterm-256color", **environment},
    )
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(master)
    return text.decode().replace("\r\n", "\n"), process.wait(timeout=60)


LINES = [
    ["train", "-h"],
    ["eval", "--help"],
    ["help"],
    ["eval", "data.txt", "--model", "m.json", "-q"],
    ["tune", "data.txt", "--folds", "2", "--grid", "C=1/10,bound=best", "--model", "t.json", "-q"],
    ["compare", "data.txt", "--folds", "3", "--methods", "ridge,ranksvm", "-C", "1", "--no-curve", "-q"],
    ["info", "m.json"],
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line[:2]))
def test_colour_changes_nothing_but_colour(here, line):
    shown, status = on_terminal(*line)
    assert status == 0 and "\x1b[" in shown
    plain = dorm(*line, env=PLAIN).stdout
    assert "\x1b" not in plain
    without_times = lambda text: re.sub(r"\d+\.\d\d\b(?!\d)", "#", text)
    assert without_times(ESCAPE.sub("", shown)) == without_times(plain)
    assert len(re.findall(r"\x1b\[[1-9]", shown)) == shown.count("\x1b[0m")


def test_who_decides():
    assert "\x1b" in on_terminal("help")[0]
    assert "\x1b" not in on_terminal("help", NO_COLOR="1")[0]
    assert "\x1b" in on_terminal("help", NO_COLOR="")[0]
    assert "\x1b" not in on_terminal("help", TERM="dumb")[0]
    assert "\x1b" not in on_terminal("help", "--color", "never")[0]
    assert "\x1b" in on_terminal("help", "--color=always", NO_COLOR="1")[0]
    assert "\x1b" in dorm("help", "--color", "always", env=PLAIN).stdout
    assert "\x1b" in dorm("help", env={**PLAIN, "CLICOLOR_FORCE": "1"}).stdout
    assert "\x1b" not in dorm("help", env={**PLAIN, "CLICOLOR_FORCE": "0"}).stdout
    assert "\x1b" not in dorm("help", "--color", "never", env={**PLAIN, "CLICOLOR_FORCE": "1"}).stdout
    assert 'unknown choice of --color "blue"' in dorm("help", "--color", "blue", status=2).stderr


def test_errors_are_red_and_warnings_yellow(here):
    assert dorm("--color=always", "evla", status=2).stderr.startswith("\x1b[1;31mdorm:\x1b[0m unknown command")
    done = dorm("eval", "data.txt", "--model", "m.json", "--color=always")
    assert "dorm: \x1b[1;33mwarning:\x1b[0m" in done.stderr, "the model is evaluated on its training data"


def test_files_and_json_are_never_coloured(here):
    dorm("rank", "m.json", "data.txt", "--format", "order", "-o", "out.tsv", "--color", "always")
    assert b"\x1b" not in (here / "out.tsv").read_bytes()
    for line in ("info data.txt", "eval data.txt --model m.json", "rank m.json data.txt"):
        assert "\x1b" not in dorm(*line.split(), "--json", "--color", "always").stdout
    assert "\x1b" not in dorm("rank", "m.json", "data.txt", "--format", "order", "--color", "always").stdout


def test_names_cannot_colour_the_terminal():
    said = dorm("info", "a\x1b[31mb\x07", "--color", "always", status=1).stderr
    assert "\x1b[31m" not in said and "a\\x1b[31mb\\x07" in said


# ---- progress ---------------------------------------------------------------------------------------------


def test_a_bar_on_a_terminal_and_lines_elsewhere(here):
    dorm("synth", "--queries", 600, "--features", 30, "--noise", 3, "-o", "slow.txt")
    line = [
        "train",
        "slow.txt",
        "-C",
        "1e5",
        "--tolerance",
        "1e-9",
        "--time-limit",
        "3",
        "--verbose",
        "--model",
        "s.json",
    ]
    shown, status = on_terminal(*line, columns=80)
    lines = [re.sub(r"\x1b\[[\d;]*m", "", text) for text in re.findall(r"\r([^\r\n]*)\x1b\[K", shown)]
    bars = [text for text in lines if re.match(r"dorm: \[=*>? *\] +\d+ % \w+ from \w+, round", text)]
    assert status == 0 and bars, shown
    assert all(len(text) < 80 and "?" not in text for text in lines)
    shares = defaultdict(list)  # by bound, start and round: each begins anew
    for bar in bars:
        share, round_of = re.search(r"(\d+) % (\w+ from \w+, round \d+)", bar).groups()
        shares[round_of].append(int(share))
    assert all(of_round == sorted(of_round) and of_round[-1] <= 100 for of_round in shares.values()), shares
    done = dorm(*line, env=PLAIN)
    rows = [row for row in done.stderr.splitlines() if ", pass " in row]
    assert rows and all(row.startswith("dorm: ") and "[" not in row and "?" not in row for row in rows)
    assert "\r" not in done.stderr and "\x1b" not in done.stderr


def test_quick_work_says_nothing(here):
    assert on_terminal("eval", "data.txt", "--feature", 1, "--json", NO_COLOR="1")[0].startswith("{\n")


def test_escapes_in_ids_do_not_reach_a_terminal(here):
    rows = [line.replace("qid:1 ", "qid:q\x1b[2J ") for line in (here / "data.txt").read_text().splitlines()]
    (here / "odd.txt").write_text("\n".join(rows) + "\n")
    for words in (
        ["rank", "m.json", "odd.txt", "--format", "order"],
        ["rank", "m.json", "odd.txt", "--format", "jsonl"],
        ["eval", "odd.txt", "--model", "m.json", "--per-query", "-", "-q"],
    ):
        shown, status = on_terminal(*words)
        assert status == 0 and "\x1b[2J" not in shown, words
        assert "q\\x1b[2J" in shown or "q\\u001b[2J" in shown, words
    assert "q\x1b[2J" in dorm("eval", "odd.txt", "--model", "m.json", "--per-query", "-", "-q").stdout, "a file has it"
