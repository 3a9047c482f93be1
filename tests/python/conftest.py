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


def pytest_terminal_summary(terminalreporter):
    """How many console blocks of the pages ran, and why others did not."""
    counted = [
        value
        for reports in (terminalreporter.stats.get("passed", []), terminalreporter.stats.get("failed", []))
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == "console blocks"
    ]
    if counted:
        skipped = [why for _, reasons in counted for why in reasons]
        stale = sum("test_docs_console.py::test_page" in r.nodeid for r in terminalreporter.stats.get("failed", []))
        ran = sum(ran for ran, _ in counted)
        terminalreporter.write_line(f"console blocks: {ran} ran, {len(skipped)} skipped, {stale} pages stale")
        for why in skipped:
            terminalreporter.write_line(f"  skipped {why}")
