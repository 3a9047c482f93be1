# SPDX-License-Identifier: Apache-2.0
"""The Python of docs/integrations.md runs and prints what the page shows."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "package"))

from test_docs import blocks, run_page

PAGE = "docs/integrations.md"


def test_page(tmp_path, monkeypatch):
    code = "\n".join(code for _, code, _ in blocks(PAGE))
    for library in re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE):
        pytest.importorskip(library, reason=f"{library} is an extra; make test-engines")
    assert sum(expected is not None for _, _, expected in blocks(PAGE)) >= 6
    run_page(PAGE, tmp_path, monkeypatch)
