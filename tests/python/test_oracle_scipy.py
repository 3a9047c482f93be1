# SPDX-License-Identifier: Apache-2.0
"""The oracles against scipy's linear_sum_assignment, on instances the driver makes and solves."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

optimize = pytest.importorskip("scipy.optimize")

BUILD = pathlib.Path(os.environ.get("DORM_BUILD", pathlib.Path(__file__).parents[2] / "build"))
DRIVER = BUILD / "tests" / "ranking" / "oracle_driver"


def instances(seed, count, shortest, longest):
    data = np.frombuffer(
        subprocess.run(
            [DRIVER, str(seed), str(count), str(shortest), str(longest)], check=True, capture_output=True
        ).stdout
    )
    at = 0
    while at < len(data):
        length, value = int(data[at]), data[at + 1]
        a, c, b, g = data[at + 2 : at + 2 + 4 * length].reshape(4, length)
        yield a, c, b, g, value
        at += 2 + 4 * length


@pytest.mark.parametrize(
    "seed, count, shortest, longest",
    [(101, 17000, 2, 30), (102, 2700, 31, 90), (103, 350, 91, 200), (104, 30, 201, 400)],
)
def test_value_equals_scipy(seed, count, shortest, longest):
    if not DRIVER.exists():
        pytest.skip(f"{DRIVER} is not built")
    seen = 0
    for a, c, b, g, value in instances(seed, count, shortest, longest):
        benefit = np.outer(g, c) - np.outer(b, a)
        rows, columns = optimize.linear_sum_assignment(benefit, maximize=True)
        assert abs(benefit[rows, columns].sum() - value) <= 1e-9 * max(1.0, np.abs(g).max())
        seen += 1
    assert seen == count
