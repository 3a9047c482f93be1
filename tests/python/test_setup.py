# SPDX-License-Identifier: Apache-2.0
"""Set-up by a user who is not root, on a machine that is made up: tools that report what is installed are replaced."""

import os
import re
import shutil
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


ROOT = SETUP.parents[1]


def test_lists_of_packages_hold_what_cmake_requires():
    """Of Debian (setup.sh), of the wheels for Linux (dnf) and for macOS (brew)."""
    required = set(re.findall(r"find_package\((\w+) [^)]*REQUIRED", (ROOT / "cmake" / "libraries.cmake").read_text()))
    required |= set(re.findall(r"find_package\((\w+) [^)]*REQUIRED", (ROOT / "CMakeLists.txt").read_text()))
    packages = {  # of Debian, Fedora, Homebrew
        "fmt": ("libfmt-dev", "fmt-devel", "fmt"),
        "CLI11": ("libcli11-dev", "cli11-devel", "cli11"),
        "nlohmann_json": ("nlohmann-json3-dev", "json-devel", "nlohmann-json"),
        "ZLIB": ("zlib1g-dev", "zlib-devel", None),
        "Eigen3": ("libeigen3-dev", "eigen3-devel", "eigen"),
        "Boost": ("libboost-dev", "boost-devel", "boost"),
        "Threads": (None, None, None),
        "Python": (None, None, None),
        "nanobind": (None, None, None),
    }
    assert "Eigen3" in required and required <= set(packages), required
    project = (ROOT / "pyproject.toml").read_text()
    lists = [
        re.search(r'\[build\]="([^"]*)"', SETUP.read_text())[1],
        re.search(r'before-all = "dnf(.*)"', project)[1],
        re.search(r'before-all = "brew(.*)"', project)[1],
    ]
    for name in required:
        for package, listed in zip(packages[name], lists):
            assert package is None or package in listed.split(), f"{package}, for {name}, is not among {listed}"


def test_the_demo_builds_the_command_for_judged_documents_alone():
    said = subprocess.run(["make", "-n", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"tools/build\.sh \S+ (.*)", said) == ["dorm_core"] and "setup.sh build\n" in said


def test_a_compiler_cache_that_comes_later_changes_no_compile_line(tmp_path):
    """`make demo` installs none, `make test` after an installation must not compile everything again."""
    lines = (ROOT / "CMakeLists.txt").read_text()
    choice = re.search(r"^if\(DORM_CCACHE AND.*?^endif\(\)$", lines, re.MULTILINE | re.DOTALL)[0]
    project = "cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES NONE)\nset(DORM_CCACHE ON)\n"
    (tmp_path / "CMakeLists.txt").write_text(project + choice + "\n")
    (tmp_path / "bin").mkdir()
    for tool in ("cmake", "make", "ninja", "uname"):
        if shutil.which(tool):
            (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    launchers = []
    for _ in range(2):
        configure = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF"]
        done = subprocess.run(configure, env={"PATH": str(tmp_path / "bin")}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        launchers += re.findall(
            r"^CMAKE_CXX_COMPILER_LAUNCHER.*", (tmp_path / "build/CMakeCache.txt").read_text(), re.M
        )
        (tmp_path / "bin" / "ccache").write_text("#!/bin/sh\n")
        (tmp_path / "bin" / "ccache").chmod(0o755)
    assert launchers == ["CMAKE_CXX_COMPILER_LAUNCHER:STRING="] * 2


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/index.md", "python/dorm/plot.py"])
def test_nobody_is_told_to_install_the_package_of_a_stranger(page):
    """`dorm` on PyPI is somebody else's; ours is dorm-rank."""
    told = re.findall(r"pip install [^\n`]*", (ROOT / page).read_text())
    assert not [text for text in told if re.search(r"(?<![\w-])dorm(?![\w-])(?!.*#)", text.split("#")[0])], told
