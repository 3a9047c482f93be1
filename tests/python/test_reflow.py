# SPDX-License-Identifier: Apache-2.0
"""The tool that fills paragraphs joins lines of prose and nothing else."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/reflow.py"


def reflowed(name, text, folder):
    (folder / name).write_text(text)
    subprocess.run([sys.executable, TOOL, folder / name], check=True)
    return (folder / name).read_text()


def test_paragraphs_and_items_are_filled(tmp_path):
    text = "one\ntwo\n\n- three\n  four\n- five\n\n  six\n  seven\n"
    assert reflowed("a.md", text, tmp_path) == "one two\n\n- three four\n- five\n\n  six seven\n"


def test_lines_end_at_the_limit_and_no_word_stands_alone(tmp_path):
    lines = reflowed("a.md", "- " + " ".join(["word"] * 96) + "\n", tmp_path).splitlines()
    assert max(map(len, lines)) <= 120 and len(lines[-1]) >= 15
    assert lines[0].startswith("- word") and all(line.startswith("  word") for line in lines[1:])


def test_everything_but_prose_is_kept(tmp_path):
    text = (
        "# title\n\n| a | b |\n|---|---|\n\n```text\nx\ny\n```\n\n    a\n    b\n\n> a\n> b\n\n<img\nsrc=x>\n\n"
        "[a]: b\n[c]: d\n\nhard  \nbreak\n\n- item\n\n      code\n      code\n\ntitle\n===\n"
    )
    assert reflowed("a.md", text, tmp_path) == text


def test_no_line_begins_a_block_that_was_none(tmp_path):
    for sign in ("-", "1.", "#", "|x"):
        text = f"{'w' * 119}\n{sign} b\n"
        assert f"\n{sign}" not in reflowed("a.md", text.replace("\n", " ", 1), tmp_path)


def test_code_spans_are_not_broken(tmp_path):
    assert "`c d`" in reflowed("a.md", f"{'w' * 117} `c d` e f g h i j k l m n\n", tmp_path)


def test_pages_written_by_a_tool_are_left_alone(tmp_path):
    text = "# Page\n\nWritten by `tools/x.py`.\nSecond line.\n"
    assert reflowed("a.md", text, tmp_path) == text


def test_comments_are_filled_and_their_formulas_kept(tmp_path):
    text = "// one\n// two\n//   a = b\n//   c = d\nint x;\n"
    assert reflowed("a.h", text, tmp_path) == "// one two\n//   a = b\n//   c = d\nint x;\n"


def test_check_names_the_file_and_changes_nothing(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("one\ntwo\n")
    done = subprocess.run([sys.executable, TOOL, "--check", page], capture_output=True, text=True)
    assert done.returncode == 1 and "a.md" in done.stdout and page.read_text() == "one\ntwo\n"


def test_front_matter_is_kept(tmp_path):
    text = "---\nname: a\nabout: b\n---\n\none two\n"
    assert reflowed("a.md", text, tmp_path) == text
    assert reflowed("a.md", text.replace("one two", "one\ntwo"), tmp_path) == text
