# SPDX-License-Identifier: Apache-2.0
"""What tests of the command share."""

import os
import signal

import pytest

signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # what a shell starts in the background ignores it, and so would
# the commands that the tests interrupt


@pytest.fixture
def here(world, tmp_path, monkeypatch):
    """An empty folder to work in, with links to the files of the module's `world`."""
    monkeypatch.chdir(tmp_path)
    for file in world.iterdir():
        os.symlink(file, tmp_path / file.name)
    return tmp_path
