# SPDX-License-Identifier: Apache-2.0
"""The table of docs/python.md: every verb, its main options, every line of the list in docs/command.md and every
feature of the README, from the command, from Python and from C++. A verb or an option without a row fails here, and so
does a row that names what is not there."""

import dataclasses
import importlib
import inspect
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import dorm

ROOT = Path(__file__).resolve().parents[3]
COMMAND = os.environ.get("DORM_COMMAND")
pytestmark = pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command whose verbs are to be walked")

# Verbs about the command itself, and options of files that Python has as arguments or return values.
OF_THE_COMMAND = {"help", "completion", "manual"}
PLACES = {"-o", "--output", "--format"}


def table():
    """Rows of (command, python, c++) as they stand in the page."""
    page = (ROOT / "docs/python.md").read_text()
    body = page.split("<!-- parity: begin -->")[1].split("<!-- parity: end -->")[0]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in body.splitlines() if "|" in line]
    assert all(len(row) == 3 for row in rows), [row for row in rows if len(row) != 3]
    return rows[2:]


ROWS = table() if (ROOT / "docs/python.md").exists() else []


def verbs():
    said = subprocess.run([COMMAND, "help", "--json"], capture_output=True, text=True, check=True).stdout
    return [command["name"] for command in json.loads(said)["commands"]]


def main_options(verb):
    """Those of the short page."""
    page = subprocess.run([COMMAND, *verb.split(), "-h"], capture_output=True, text=True, check=True).stdout
    return [set(re.findall(r"--?[\w-]+", line)) for line in re.findall(r"^  ((?:-\w, )?--?[\w-]+)", page, re.MULTILINE)]


def options_in_rows(verb):
    cells = [command for command, _, _ in ROWS if re.match(rf"`dorm {verb}\b", command)]
    return cells, set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", " ".join(cells)))


def row_to_paste(verb, options=()):
    words = " ".join(["dorm", verb, *options])
    return f"add a row to the table of docs/python.md, such as\n| `{words}` | `dorm.NAME(PARAMETER=)` | `dorm::NAME` |"


def test_every_verb_and_its_main_options_have_rows():
    wanting = []
    for verb in verbs():
        cells, known = options_in_rows(verb)
        lacking = [sorted(names)[-1] for names in main_options(verb) if not names & (known | PLACES)]
        if verb in OF_THE_COMMAND:
            lacking = []
        if not cells or lacking:
            wanting.append(row_to_paste(verb, lacking))
    assert not wanting, "\n".join(wanting)


def test_no_row_speaks_of_verbs_or_options_that_are_not_there():
    said = subprocess.run([COMMAND, "help", "--json"], capture_output=True, text=True, check=True).stdout
    known = {
        command["name"]: {name for option in command["options"] for name in option["names"]}
        for command in json.loads(said)["commands"]
    }
    for command, _, _ in ROWS:
        found = re.match(r"`dorm ([^`]*)`$", command)
        if not found:
            continue
        verb = max((name for name in known if f"{found[1]} ".startswith(f"{name} ")), key=len, default=None)
        assert verb, command
        rest = found[1].removeprefix(verb)
        for option in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", rest):
            assert option in known[verb], f"{command}: {option}"


def test_every_line_of_the_readme_and_of_the_list_of_commands_has_rows():
    listed = (ROOT / "docs/command.md").read_text().split("\n## All commands\n")[1].split("\n## ")[0]
    page = (ROOT / "README.md").read_text() + listed
    lines = re.findall(r"^\$ dorm ([a-z]+)([^#\n]*)", page, re.MULTILINE)
    assert len(lines) > 15
    for verb, rest in lines:
        cells, known = options_in_rows(verb)
        assert cells, row_to_paste(verb)
        for option in re.findall(r"(?<= )--?[A-Za-z][\w-]*", rest):
            assert option in known | PLACES, f"dorm {verb}{rest}: {row_to_paste(verb, [option])}"


def test_every_feature_of_the_readme_has_a_row():
    page = (ROOT / "README.md").read_text()
    features = re.findall(r"^- \*\*([^*]+)\.\*\*", page, re.MULTILINE)
    assert len(features) >= 6
    named = [command for command, _, _ in ROWS]
    for feature in features:
        assert any(command == feature for command in named), f"the README's feature {feature!r} has no row"


def resolve(path):
    """The object of a dotted name below the package; classes also answer for what their documentation lists."""
    parts = path.split(".")[1:]
    value = dorm
    for part in parts:
        if isinstance(value, type):
            fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
            listed = re.search(rf"^\s+(?:\w+_?, )*{part}\b.*(?: :|$)", inspect.getdoc(value) or "", re.MULTILINE)
            if not hasattr(value, part) and (part in fields or listed):
                return None
        if not hasattr(value, part) and inspect.ismodule(value):
            importlib.import_module(f"{value.__name__}.{part}")
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("command, python, _", ROWS, ids=[row[0][:60] for row in ROWS])
def test_the_python_calls_are_there(command, python, _):
    calls = re.findall(r"`([^`]+)`", python)
    assert calls, f"{command}: no Python call; expected one in backticks"
    if any(command.startswith(f"`dorm {verb}") for verb in OF_THE_COMMAND):
        return
    for call in calls:
        path, _, arguments = call.partition("(")
        assert path.startswith("dorm."), call
        value = resolve(path)
        for name in re.findall(r"(\w+)=", arguments):
            parameters = inspect.signature(value).parameters
            taken = name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
            assert taken, f"{call}: no parameter {name}"


HEADERS = [path.read_text() for path in sorted((ROOT / "include/dorm").rglob("*.h"))]
NAMESPACES = {"dorm", "explore", "pages", "report", "serve"}


@pytest.mark.parametrize("command, _, cpp", ROWS, ids=[row[0][:60] for row in ROWS])
def test_the_cpp_names_are_in_the_public_headers(command, _, cpp):
    names = re.findall(r"`([^`]+)`", cpp)
    if any(command.startswith(f"`dorm {verb}") for verb in OF_THE_COMMAND):
        return
    assert names, f"{command}: no C++ name; expected one in backticks"
    for name in names:
        assert name.startswith("dorm::"), name
        parts = [part for part in name.split("::") if part not in NAMESPACES]
        at = [text for text in HEADERS if all(re.search(rf"\b{re.escape(part)}\b", text) for part in parts)]
        assert parts and at, f"{command}: no public header has {name}"


def test_the_table_is_checked_by_what_it_claims():
    """The checks can fail: names that are nowhere are refused."""
    with pytest.raises(AttributeError):
        resolve("dorm.DormRanker.no_such_method")
    with pytest.raises(ModuleNotFoundError):
        resolve("dorm.no_such_name")
    assert options_in_rows("nosuchverb") == ([], set())
