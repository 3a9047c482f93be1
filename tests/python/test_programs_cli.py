# SPDX-License-Identifier: Apache-2.0
"""`dorm` becomes `dorm-all`, the program beside it, for the verbs and models that it does not have itself."""

import os
import shutil
import signal
import subprocess

import pytest
from command import DORM, dorm, started


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The program `dorm` without the other."""
    folder = tmp_path_factory.mktemp("alone")
    shutil.copy(os.path.realpath(DORM), folder / "dorm")
    return folder / "dorm"


@pytest.fixture(scope="module")
def factors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("factors")
    (folder / "r.csv").write_text("".join(f"u{u},i{i},{1 + (u * i) % 5}\n" for u in range(9) for i in range(8)))
    dorm("recommend", "train", folder / "r.csv", "--model", folder / "m.factors", "--rank", 2, "--quiet")
    return folder / "m.factors"


def run(program, *arguments, **kw):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, **kw)


@pytest.mark.parametrize("words", [["serve", "m.json"], ["clicks", "gains", "log"], ["compare", "data.txt"]])
def test_what_is_missing_is_named(alone, words):
    done = run(alone, *words)
    assert done.returncode == 1 and done.stdout == ""
    assert str(alone.parent / "dorm-all") in done.stderr and "make build" in done.stderr


def test_a_recommender_needs_the_other_program(alone, factors):
    done = run(alone, "info", factors)
    assert done.returncode == 1 and "a recommender" in done.stderr and "dorm-all" in done.stderr
    assert run(DORM, "info", factors).stdout.startswith("file ")


def test_help_without_the_other_program_lists_all_verbs(alone):
    page, whole = run(alone, "--help"), run(DORM, "--help")
    assert page.returncode == whole.returncode == 0
    assert "needs dorm-all, which is not installed" in page.stdout
    assert "not installed" not in whole.stdout
    for verb in ("train", "serve", "explore", "compare", "clicks", "recommend", "lab"):
        assert verb in page.stdout and verb in whole.stdout


@pytest.mark.parametrize("verb", ["train", "eval", "info"])
def test_its_own_verbs_are_the_same(alone, verb):
    assert run(alone, verb, "--help").stdout == run(DORM, verb, "--help").stdout


def test_links_lead_to_the_folder_of_the_program_and_not_to_the_current_one(tmp_path):
    (tmp_path / "dorm").symlink_to(os.path.realpath(DORM))
    (tmp_path / "dorm-all").write_text("#!/bin/sh\necho stranger\n")
    (tmp_path / "dorm-all").chmod(0o755)
    done = run("./dorm", "lab", "match", "--help", cwd=tmp_path)
    assert done.returncode == 0 and "stranger" not in done.stdout and "dorm lab match" in done.stdout


def test_standard_input_and_exit_status_pass_through(factors):
    with open(factors, "rb") as file:
        cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        done = run(DORM, "info", "/dev/stdin", stdin=cat.stdout)
    assert cat.wait() == 0 and done.returncode == 0 and "rank" in done.stdout, done.stderr
    assert run(DORM, "recommend", "top", "missing.factors", "--user", "u1").returncode == 1
    assert run(DORM, "recommend", "top", "--no-such-option").returncode == 2


def test_the_verb_is_the_process_that_was_started(factors, tmp_path):
    """So a signal to it, as from a supervisor, reaches the verb."""
    process = started("serve", factors, "--port", 0, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert "http" in process.stderr.readline()
    assert os.readlink(f"/proc/{process.pid}/exe").endswith("dorm-all")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) in (0, 128 + signal.SIGTERM)
