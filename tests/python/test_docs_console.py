# SPDX-License-Identifier: Apache-2.0
"""The console blocks of every page run, and print what the page shows (tools/console_blocks.py)."""

import os
import re
import subprocess
import sys

import pytest
from command import DORM

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import console_blocks  # noqa: E402


def text_of(page):
    return (console_blocks.ROOT / page).read_text()


PAGES = [page for page in console_blocks.pages() if console_blocks.blocks(text_of(page))]


@pytest.mark.parametrize("page", PAGES)
def test_page(page, record_property):
    outcome = console_blocks.check(page, DORM)
    record_property("console blocks", [outcome.ran, [f"{page}:{line}: {why}" for line, why in outcome.skipped]])
    assert not outcome.stale, "\n\n".join(["tools/console_blocks.py --write renews what pages show", *outcome.stale])


@pytest.mark.parametrize("page", console_blocks.pages())
def test_commands_stand_in_console_blocks(page):
    """Where they are run or skipped with a reason: not in blocks of another kind, not in indented code."""
    text = re.sub(r"^```console\n.*?^```$|^<!--.*?-->$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    hidden = re.findall(
        r"^ *```(?:sh|bash|shell)\b.*|^(?: {4}|\$ |    \$ )(?:dorm|make|pip|python3) .*", text, re.MULTILINE
    )
    assert hidden == []


PAGE = """# A page

<!-- console: first:
echo 1 > here.txt
-->
```console
$ cat here.txt
{}
$ echo a; echo b; echo 'took 3 s'; echo c
a
...
took 12.5 s
c
$ true    # prints nothing
```

<!-- console: skip: takes hours -->
```console
$ exit 1
```

<!-- console: data: no-such-data -->
```console
$ exit 1
```
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Checks a page of which the text is given."""

    def check(text):
        (tmp_path / "page.md").write_text(text)
        return console_blocks.check(tmp_path / "page.md", DORM)

    monkeypatch.setenv("DORM_DATA", str(tmp_path))
    return check


def test_what_runs_and_what_does_not(page):
    outcome = page(PAGE.format(1))
    assert (outcome.ran, outcome.stale, outcome.text) == (1, [], PAGE.format(1))
    assert [why for _, why in outcome.skipped] == ["takes hours", "no-such-data is not under DORM_DATA"]


def test_stale_output_is_found_and_renewed(page):
    outcome = page(PAGE.format(2))
    assert len(outcome.stale) == 1 and "-2\n+1" in outcome.stale[0]
    assert outcome.text == PAGE.format(1)  # and what may differ stays as it was
    assert page(outcome.text).stale == []


@pytest.mark.parametrize(
    "body",
    [
        "$ false",  # fails without a word
        "$ echo a; false\na",  # fails, though the page shows success
        "$ echo a\nb",
        "$ echo a; echo b\na",  # more than is shown
        "$ echo a\na\nb",
        "$ echo a\n...\nb",
        "$ echo 0.637416\n0.563750",
        "$ echo 'dorm: cannot'; false\ndorm: can not",
        "$ dorm train no-such-file.txt",
    ],
)
def test_the_check_can_tell(page, body):
    assert len(page(f"```console\n{body}\n```\n").stale) == 1


def test_an_error_that_the_page_shows_is_fine(page):
    shown = "dorm: no-such-file.txt: cannot open: No such file or directory"
    assert page(f"```console\n$ dorm info no-such-file.txt\n{shown}\n```\n").stale == []


def test_elided_lines_stay_elided(page):
    text = "```console\n$ seq 8\n1\n...\n44\n5\n...\n7\n8\n```\n"
    assert page(text).text == text.replace("44", "4")


def test_the_tool_counts(tmp_path):
    (tmp_path / "page.md").write_text("```console\n$ echo a\nb\n```\n")
    tool = [sys.executable, console_blocks.__file__, "--dorm", DORM, tmp_path / "page.md"]
    done = subprocess.run(tool, capture_output=True, text=True)
    assert done.returncode == 1 and "1 console blocks ran, 0 skipped, 1 commands stale\n" in done.stdout
    assert subprocess.run([*tool, "--write"], capture_output=True).returncode == 0
    assert (tmp_path / "page.md").read_text() == "```console\n$ echo a\na\n```\n"


def test_the_first_example_needs_nothing_but_python(tmp_path):
    """docs/examples/jordan.py, of which docs/diversity.md shows the call, on a machine without numpy."""
    script = console_blocks.ROOT / "docs" / "examples" / "jordan.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", script, "--dorm", DORM], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "the same with --one-per host" in done.stdout and list(tmp_path.iterdir()) == []
