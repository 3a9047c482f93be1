# SPDX-License-Identifier: Apache-2.0
"""Small data, and the model that one process makes of it, which every engine must reproduce."""

import pytest
from small_rows import here, make_rows


@pytest.fixture(scope="session")
def rows():
    return make_rows()


@pytest.fixture(scope="session")
def reference(rows, tmp_path_factory):
    """The model file that one process makes of the rows."""
    return here(rows, tmp_path_factory.mktemp("here"))
