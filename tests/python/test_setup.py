# SPDX-License-Identifier: Apache-2.0
"""Set-up by a user who is not root, on a machine that is made up: tools that report what is installed are replaced."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "tools" / "setup.sh"


@pytest.fixture
def set_up(tmp_path):
    """Runs setup.sh as user 1000 without sudo where all packages but `missing` are installed; apt-get leaves a mark."""

    def run(*jobs, missing=""):
        tools = {
            "id": "echo 1000",
            "sudo": "exit 1",
            "apt-get": f"touch {tmp_path}/apt-was-called",
            "apt-cache": "exit 0",
            "dpkg-query": f'for p; do case $p in -*|{missing or "none"}) ;; *) echo "$p installed" ;; esac; done',
        }
        for name, script in tools.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)
        return subprocess.run(
            [SETUP, *jobs],
            env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    return run


def test_says_what_to_install_and_stops(set_up, tmp_path):
    done = set_up("build", "test", missing="libfmt-dev|libgtest-dev")
    assert done.returncode == 1
    assert "apt-get install --no-install-recommends libfmt-dev libgtest-dev\n" in done.stderr
    assert len(done.stderr.splitlines()) < 8
    assert not (tmp_path / "apt-was-called").exists()


def test_needs_no_root_where_everything_is_installed(set_up, tmp_path):
    done = set_up("build", "test", "lint", "sanitize", "bench")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "apt-was-called").exists()


def test_the_command_needs_no_tools_of_developers(set_up):
    done = set_up(
        "build", missing="clang|llvm|clang-tidy|clang-format|libgtest-dev|libbenchmark-dev|ccache|python3-dev"
    )
    assert done.returncode == 0, done.stderr


def test_unknown_job(set_up):
    done = set_up("compile")
    assert done.returncode == 2
    assert "no job is named compile" in done.stderr
