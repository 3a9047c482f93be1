# SPDX-License-Identifier: Apache-2.0
"""Every verb with standard output or standard error full, closed or a pipe that nobody reads: messages are lost then,
never the work, and what could not be printed is not called a success."""

import os
import shutil
import signal
import subprocess

import pytest
from every_verb import CASES, Workshop, make_world

PRINTS = {"info", "info on a model", "completion"}  # standard output is all they have


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    world = tmp_path_factory.mktemp("world")
    make_world(world)
    return Workshop(world, tmp_path_factory.mktemp("runs"))


def redirected(kind, number):
    """How subprocess makes a stream full, closed or broken."""
    if kind == "full":
        return {"stdout" if number == 1 else "stderr": open("/dev/full", "wb")}
    if kind == "broken":
        read, write = os.pipe()
        os.close(read)
        return {"stdout" if number == 1 else "stderr": os.fdopen(write, "wb")}
    return {"preexec_fn": lambda: os.close(number)}


@pytest.mark.parametrize("number", [1, 2], ids=["stdout", "stderr"])
@pytest.mark.parametrize("kind", ["full", "closed", "broken"])
@pytest.mark.parametrize("name", CASES)
def test_lost_messages_do_not_lose_the_work(workshop, name, kind, number):
    folder = workshop.folder()
    options = redirected(kind, number)
    done = workshop.run(CASES[name], folder, **options)
    if number == 1 and kind == "broken" and done.returncode == -signal.SIGPIPE:
        done = subprocess.CompletedProcess(done.args, 1, stderr=b"dorm: ended by the broken pipe\n")
    workshop.inspect(name, folder, done)
    for file in CASES[name].writes:
        assert (folder / file).exists(), f"{file} is missing: {done.stderr}"
    if number == 2:
        assert done.returncode == 0, "the work was done, only messages were lost"
    elif name in PRINTS:
        assert done.returncode == 1, "what was asked for did not come out"
    shutil.rmtree(folder)


@pytest.mark.parametrize("kind", ["full", "closed", "broken"])
def test_an_error_that_cannot_be_told_still_has_its_status(workshop, kind):
    folder = workshop.folder()
    for line, status in (("info nowhere.txt", 1), ("info train.txt --treads 2", 2), ("train --model", 2)):
        case = type(CASES["info"])(line)
        assert workshop.run(case, folder, **redirected(kind, 2)).returncode == status, line
    shutil.rmtree(folder)
