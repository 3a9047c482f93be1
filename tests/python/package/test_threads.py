# SPDX-License-Identifier: Apache-2.0
"""Threads that cannot be made are done without; the result is the same."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent("""
    import os, resource, sys, dorm
    data = dorm.synth(queries=60, features=20, seed=1, n_jobs=1)
    alone = dorm.DormRanker(n_jobs=1).fit(data).coef_
    dorm.DormRanker(n_jobs=2).fit(data)
    pages = int(open("/proc/self/statm").read().split()[0])
    room = pages * os.sysconf("SC_PAGESIZE") + (100 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    print((dorm.DormRanker(n_jobs=int(sys.argv[1])).fit(data).coef_ == alone).all())
""")


@pytest.mark.parametrize("jobs", [64, 10**12, 2**80])
def test_threads_that_cannot_be_made_are_done_without(jobs):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(jobs)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
