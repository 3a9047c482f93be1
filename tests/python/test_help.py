# SPDX-License-Identifier: Apache-2.0
"""Help: a screen for -h, everything for --help, parts and topics."""

import json
import re

import pytest
from command import dorm

TABLE = {command["name"]: command for command in json.loads(dorm("help", "--json").stdout)["commands"]}


@pytest.mark.parametrize("verb", TABLE)
def test_the_short_page_is_one_screen(verb):
    page = dorm(verb, "-h").stdout
    assert len(page.splitlines()) <= 26 and max(map(len, page.splitlines())) <= 120
    assert page.startswith(TABLE[verb]["summary"] + "\n\nUsage: dorm " + verb)
    assert f"\ndorm {verb} --help: all options" in page and page.count("\n  dorm ") in (1, 2)
    shown = re.findall(r"^  (?:-\w, )?(--?[\w-]+)", page, re.MULTILINE)
    known = {name for option in TABLE[verb]["options"] for name in option["names"]}
    assert set(shown) <= known and 0 <= len(shown) <= 10
    assert "see below" not in page


@pytest.mark.parametrize("verb", TABLE)
def test_the_whole_page_holds_every_option_and_no_brackets_around_what_is_needed(verb):
    page = dorm(verb, "--help").stdout
    for option in TABLE[verb]["options"]:
        assert f"\n  {', '.join(option['names'])}" in page, option["names"]
    assert "\n  130" in page or "130 Ctrl-C, 143 SIGTERM" in page
    for line in re.findall(r"^(?:Usage:|      ) dorm .*", page, re.MULTILINE):
        form = line.split(f"dorm {verb}", 1)[1]
        assert form.endswith(" [OPTIONS]")
        for word in re.findall(r"(?<!\S)(--?[\w-]+)", form):
            assert any(word in option["names"] for option in TABLE[verb]["options"]), word
    for argument in TABLE[verb]["arguments"]:
        assert re.search(rf"^  {re.escape(argument['name'])} +\S", page, re.MULTILINE)
    assert not re.search(r"^  (\w+) \1|^  DATA FILE\.\.\.", page, re.MULTILINE)
    assert dorm("help", verb).stdout == page


def test_parts_of_a_page():
    part = dorm("train", "--help=kernel").stdout
    assert part == dorm("help", "train", "kernel").stdout
    assert part.startswith("Kernel:\n  --kernel SPEC") and "\nKernels, joined" in part and "--passes" not in part
    assert dorm("train", "--help=solvers").stdout.startswith("Solvers:\n  bcda")
    assert dorm("train", "--help=--scale").stdout.startswith("  --scale NAME")
    said = dorm("train", "--help=kernle", status=2).stderr
    assert 'unknown part of the help of dorm train "kernle"; did you mean "kernel"?' in said


def test_pages_about_everything():
    page = dorm("help").stdout
    assert page == dorm("-h").stdout and len(page.splitlines()) <= 30
    for verb in TABLE:
        assert f"\n  {verb} " in page
    whole = dorm("--help").stdout
    assert "Exit status:" in whole and "NO_COLOR" in whole
    topics = re.search(r"^Topics:\n((?:  .*\n)+)", dorm("help", "--help").stdout, re.MULTILINE)[1]
    for line in topics.splitlines():
        assert len(dorm("help", line.split()[0]).stdout.splitlines()) > 3, line
    assert "ndcg[@n]" in dorm("help", "measures").stdout and "143" in dorm("help", "exit-status").stdout
    assert 'did you mean "measures"?' in dorm("help", "mesures", status=2).stderr


def test_help_wins_over_what_else_is_wrong():
    assert dorm("train", "--folds", "x", "-h").stdout == dorm("train", "-h").stdout


@pytest.mark.parametrize(
    "line, hint", [("train", "dorm train --help"), ("evla", "dorm --help"), ("rank m", "dorm rank --help")]
)
def test_errors_point_to_the_page_of_their_command(line, hint):
    assert dorm(*line.split(), status=2).stderr.endswith(f"\ndorm: see {hint}\n")
