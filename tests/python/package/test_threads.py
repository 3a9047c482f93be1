# SPDX-License-Identifier: Apache-2.0
"""What a model may not depend on: threads that cannot be made are done without, and rows may stand in any order."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import dorm

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


@pytest.mark.parametrize("bound", ["best", "predicted"])
def test_the_order_of_rows(bound):
    """Within queries it is no matter; two orders of the queries end on both sides of the same optimum."""
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(600, 5)), np.repeat(np.arange(40), 15)
    y = np.clip(X[:, 0] + X[:, 1] / 2 + rng.normal(size=600), 0, 4).astype(int)

    def fitted(order, tolerance):
        ranker = dorm.DormRanker(C=10, bound=bound, tolerance=tolerance)
        return ranker.fit(X[order], y[order], qid=qid[order])

    within = np.concatenate([15 * q + rng.permutation(15) for q in range(40)])
    queries = np.concatenate([15 * q + np.arange(15) for q in rng.permutation(40)])
    apart = []
    for tolerance in (1e-2, 1e-6):
        straight = fitted(np.arange(600), tolerance)
        np.testing.assert_allclose(fitted(within, tolerance).coef_, straight.coef_, atol=1e-12)
        for order in (queries, rng.permutation(600)):
            other = fitted(order, tolerance)
            for a, b in ((straight, other), (other, straight)):
                assert a.report_.certificate.dual <= b.report_.certificate.primal * (1 + 1e-12)
                assert a.report_.certificate.primal <= b.report_.certificate.dual * (1 + 2 * tolerance)
            apart.append(np.abs(other.coef_ - straight.coef_).max())
    assert max(apart[2:]) < min(apart[:2])
