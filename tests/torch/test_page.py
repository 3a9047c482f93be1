"""docs/pytorch.md runs, and prints what it shows."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "package"))

from test_docs import blocks, run_page

PAGE = "docs/pytorch.md"


def test_page(tmp_path, monkeypatch):
    assert sum(expected is not None for _, _, expected in blocks(PAGE)) >= 2
    run_page(PAGE, tmp_path, monkeypatch)
