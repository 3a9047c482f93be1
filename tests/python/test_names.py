# SPDX-License-Identifier: Apache-2.0
"""The distribution is dorm-rank: `dorm` on the Python package index is somebody else's, and ours is not there yet."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = re.compile(
    r"""pip3? install (-\S+ )*["']?dorm(?![\w-])|\bdorm\\?\[(plot|frames)"""
    r"""|pip3? install (-\S+ )*["']?dorm-rank(?!.*once it is published)"""
)


def test_the_pattern_finds_the_foreign_name_only():
    foreign = ["pip install dorm", 'pip install "dorm[plot]"', "pip install -U dorm==1.0", "plots (`dorm[plot]`)"]
    foreign += ["pip install dorm-rank", 'pip install "dorm-rank[plot]"']
    ours = ["pip install dorm-rank (once it is published)", "pip install dorm_rank-0.1.whl", "pip install ."]
    assert all(FOREIGN.search(text) for text in foreign)
    assert not any(FOREIGN.search(text) for text in ours)


def test_nobody_is_told_to_install_the_foreign_package():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]
    mentions = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in files
        if path != Path(__file__)
        for line in path.read_text(errors="replace").splitlines()
        if FOREIGN.search(line)
    ]
    assert not mentions, "\n".join(mentions)


def test_the_name_in_the_metadata():
    assert '\nname = "dorm-rank"\n' in (ROOT / "pyproject.toml").read_text()
