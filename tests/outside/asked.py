# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: a test of another project that asked for no value of ours is skipped, not counted as passed.

Adapters call `note` whenever they hand out a value.
"""

import pytest

values = []


def note():
    values.append(1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    values.clear()
    result = yield
    if not values:
        pytest.skip("asks for no value of ours")
    return result
