# SPDX-License-Identifier: Apache-2.0
"""Every verb while the system fails it: the n-th write, fsync, rename, mapping, allocation, thread, opening, reading or
closing. The end is always success or a message; never a crash, a hang, a half-written file, litter or a lost input.

The shim is tests/faults/fault_shim.cpp. DORM_FAULT_POINTS says at how many places of a run each call fails.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from command import DORM
from every_verb import CASES, Workshop, make_world

SHIM = Path(os.environ.get("DORM_FAULT_SHIM", Path(DORM).parent / "tests/faults/libfault_shim.so"))
POINTS = int(os.environ.get("DORM_FAULT_POINTS", "2"))
CALLS = ["write", "short", "fsync", "rename", "mmap", "malloc", "pthread_create", "open", "read", "close"]

pytestmark = pytest.mark.skipif(not SHIM.exists(), reason=f"{SHIM} is built with the C++ tests")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory, request):
    world = tmp_path_factory.mktemp("world")
    make_world(world)
    workshop = Workshop(world, tmp_path_factory.mktemp("runs"))
    yield workshop
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if reporter:  # workers of pytest-xdist have none
        tally = ", ".join(f"{call} {workshop.tally[call]}" for call in CALLS)
        reporter.write_line(f"\nfaults injected: {tally}")


def under(fault, **more):
    return {**os.environ, "LD_PRELOAD": str(SHIM), "DORM_FAULT": fault, **more}


def calls_of(workshop, name):
    """How often a run without faults makes each call."""
    folder = workshop.folder()
    done = workshop.run(CASES[name], folder, env=under("read:0", DORM_FAULT_COUNTS="counts"))
    assert done.returncode == 0, done.stderr.decode()
    counts = dict(line.split() for line in (folder / "counts").read_text().splitlines())
    shutil.rmtree(folder)
    return {call: int(number) for call, number in counts.items()}


def places(call, count, name):
    """The first and the last call, and some between them."""
    rng = random.Random(f"{call} {name}")
    some = {1, count, *(rng.randint(1, count) for _ in range(max(0, POINTS - 2)))} if count else set()
    return sorted(some)[:POINTS] if POINTS < 2 else sorted(some)


def verdict(workshop, name, fault, replace):
    """What was wrong with a run under this fault; empty: nothing."""
    folder = workshop.folder()
    before = {file: b"old\n" for file in CASES[name].writes if replace and "/" not in file}
    for file, content in before.items():
        (folder / file).write_bytes(content)
    try:
        done = workshop.run(CASES[name], folder, env=under(fault), timeout=30)
        workshop.inspect(name, folder, done, before)
        if fault.startswith("short"):
            assert done.returncode == 0, done.stderr.decode()
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return f"{fault}: {error}\n"
    finally:
        workshop.tally[fault.split(":")[0]] += 1
        shutil.rmtree(folder)
    return ""


@pytest.mark.parametrize("name", CASES)
def test_a_call_that_fails_ends_in_success_or_a_message(workshop, name):
    counts = calls_of(workshop, name)
    complaints = ""
    for call in CALLS:
        for place in places(call, counts[call], name):
            for ending in ("", ":on"):
                complaints += verdict(workshop, name, f"{call}:{place}{ending}", replace=place % 2)
    assert not complaints, complaints
