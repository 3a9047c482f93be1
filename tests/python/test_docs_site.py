# SPDX-License-Identifier: Apache-2.0
"""What holds the documentation together, as far as it can be said without building it (`make docs`)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "web" / "site")]
import notebooks  # noqa: E402
import site_hook  # noqa: E402

NOTEBOOKS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))


def in_navigation():
    return re.findall(r"^ +- (?:[^:\n]+: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)


def test_every_page_is_in_the_navigation():
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    pages |= {"python-api.md"}  # written by web/site/api_reference.py
    pages |= set(site_hook.ROOT_PAGES.values()) | {f"notebooks/{path.stem}.md" for path in NOTEBOOKS}
    assert pages == set(in_navigation())


def test_nothing_is_fetched_from_elsewhere():
    settings = (ROOT / "mkdocs.yml").read_text()
    assert "font: false" in settings and "://" not in settings


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path):
    assert path.read_text() == notebooks.written(json.loads(path.read_text())), "tools/notebooks.py --strip mends it"
    first = notebooks.source(json.loads(path.read_text())["cells"][0])
    assert first.startswith("# ")  # the title of its page


def test_there_are_five_notebooks():
    assert {path.stem for path in NOTEBOOKS} >= {"first_ranker", "search_engine", "recommender", "clicks", "fusion"}


def test_page_of_a_notebook():
    def code(source, *outputs):
        return {"cell_type": "code", "source": source, "outputs": list(outputs)}

    printed = [{"output_type": "stream", "text": "a\n"}, {"output_type": "stream", "text": ["b\n"]}]
    drawn = {"output_type": "display_data", "data": {"image/svg+xml": ["<svg", "/>"], "text/plain": "<Figure>"}}
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        code("f()", *printed),
        code("g()", drawn),
        code(""),
    ]
    text, pictures = notebooks.page_of({"cells": cells}, "mine")
    assert text.startswith("# Title\ntext\n\n*Written by the notebook")
    assert (
        "```python\nf()\n```\n\n```text\na\nb\n```\n\n```python\ng()\n```\n\n![drawn by the code above](mine-1.svg)\n"
        in text
    )
    assert pictures == {"mine-1.svg": b"<svg/>"}


def test_pages_read_as_on_github():
    text = "a <w, x> and `<w>`\n- one\n- two\n  more\n\n    <kept>\n```\nx <y\n- z\n```\n<details>"
    seen = "a &lt;w, x> and `<w>`\n\n- one\n- two\n  more\n\n    <kept>\n```\nx <y\n- z\n```\n<details>"
    assert site_hook.as_github_reads(text) == seen


VERSIONED = {
    "CMakeLists.txt": r"^project\(dorm VERSION (\S+)",
    "pyproject.toml": r'^version = "(.*)"',
    "CITATION.cff": r"^version: (.*)",
}


def test_all_files_name_one_version():
    named = {
        name: re.search(pattern, (ROOT / name).read_text(), re.MULTILINE)[1] for name, pattern in VERSIONED.items()
    }
    assert len(set(named.values())) == 1, named
    assert site_hook.version() == named["pyproject.toml"]


@pytest.fixture
def release(tmp_path):
    """A repository with the files that a release names; runs release.sh there."""
    where = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t"}
    where |= {"GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t", "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*words):
        return subprocess.run(
            ["git", *words], cwd=tmp_path, env=where, check=True, capture_output=True, text=True
        ).stdout

    def run(*words):
        return subprocess.run(
            [tmp_path / "tools" / "release.sh", *(words or ["0.2.0"])],
            env=where,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "release.sh").write_bytes((ROOT / "tools" / "release.sh").read_bytes())
    (tmp_path / "tools" / "release.sh").chmod(0o755)
    (tmp_path / "CMakeLists.txt").write_text("project(dorm VERSION 0.2.0 LANGUAGES CXX)\n")
    (tmp_path / "tests" / "consumer").mkdir(parents=True)
    (tmp_path / "tests" / "consumer" / "CMakeLists.txt").write_text("find_package(dorm 0.2 REQUIRED)\n")
    (tmp_path / "pyproject.toml").write_text('version = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("version: 0.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-01\n\n### Added\n- this.\n\n## [0.1.0]\n- first.\n"
    )
    (tmp_path / ".gitignore").write_text("/build/\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "ci-passed").write_text(git("rev-parse", "HEAD^{tree}"))
    run.git, run.folder = git, tmp_path
    return run


def test_release(release):
    done = release()
    assert done.returncode == 0, done.stderr
    assert release.git("tag", "--points-at", "HEAD") == "v0.2.0\n"
    assert release.git("status", "--porcelain") == ""


def test_release_sets_the_version_everywhere(release):
    assert "nothing under [Unreleased]" in release("--set", "0.3.1").stderr
    changes = release.folder / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("[Unreleased]\n", "[Unreleased]\n\n### Fixed\n- that.\n"))
    assert release("--set", "0.3.1").returncode == 0
    head = (
        r"# Changelog\n\n## \[Unreleased\]\n\n## \[0\.3\.1\] - \d{4}-\d\d-\d\d\n\n### Fixed\n- that\.\n\n## \[0\.2\.0\]"
    )
    assert re.match(head, changes.read_text())
    assert release.git("diff", "--name-only").split() == ["CHANGELOG.md", "CITATION.cff", "CMakeLists.txt"] + [
        "pyproject.toml",
        "tests/consumer/CMakeLists.txt",
    ]
    assert "find_package(dorm 0.3 REQUIRED)" in (release.folder / "tests/consumer/CMakeLists.txt").read_text()
    release.git("commit", "-qam", "Version 0.3.1")
    (release.folder / "build" / "ci-passed").write_text(release.git("rev-parse", "HEAD^{tree}"))
    assert release("0.3.1").returncode == 0


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("stray", "not clean"),
        ("version", "CITATION.cff names 0.1.9"),
        ("changelog", "CHANGELOG.md says nothing of [0.2.0]"),
        ("unreleased", "entries under [Unreleased]"),
        ("ci", ".ci/run has not passed"),
        ("tag", "v0.2.0 is there already"),
        ("form", "expected a version such as 1.2.3"),
    ],
)
def test_release_refuses(release, what, said):
    if what == "stray":
        (release.folder / "stray").write_text("")
    elif what == "version":
        (release.folder / "CITATION.cff").write_text("version: 0.1.9\n")
        release.git("commit", "-qam", "another")
    elif what == "changelog":
        (release.folder / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n- first.\n")
        release.git("commit", "-qam", "another")
    elif what == "unreleased":
        changes = release.folder / "CHANGELOG.md"
        changes.write_text(changes.read_text().replace("[Unreleased]\n", "[Unreleased]\n- late.\n"))
        release.git("commit", "-qam", "another")
    elif what == "ci":
        (release.folder / "build" / "ci-passed").unlink()
    elif what == "tag":
        release.git("tag", "v0.2.0")
    before = release.git("rev-parse", "HEAD")
    done = release("0.2" if what == "form" else "0.2.0")
    assert done.returncode == 1 and said in done.stderr, done.stderr
    assert release.git("rev-parse", "HEAD") == before
