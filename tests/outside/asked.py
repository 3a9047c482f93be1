# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: a test of another project that asked for no value of ours is skipped, not counted as passed.

Adapters call `note` whenever they hand out a value, and `skip` for what is known beforehand to concern others.
"""

from fnmatch import fnmatch

import pytest

values = []


def note():
    values.append(1)


def skip(items, reasons):
    """`reasons` by pattern of the test's name."""
    for item in items:
        for pattern, reason in reasons.items():
            if fnmatch(item.nodeid, pattern):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    values.clear()
    result = yield
    if not values:
        pytest.skip("asks for no value of ours")
    return result
