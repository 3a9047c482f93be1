# SPDX-License-Identifier: Apache-2.0
"""The Python of docs/scale.md runs, engine by engine, and prints what the page shows."""

import re
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "package"))

from test_docs import ROOT, blocks, run_page

NEEDS = {"Dask": "distributed", "Spark": "pyspark"}
SECTIONS = re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", (ROOT / "docs/scale.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("heading", "text"), SECTIONS, ids=[heading for heading, _ in SECTIONS])
def test_section(heading, text, tmp_path, monkeypatch):
    page = tmp_path / "section.md"
    page.write_text(text)
    if not blocks(page):
        pytest.skip("no Python in this section")
    pytest.importorskip(NEEDS[heading], reason=f"{heading} is an extra; make test-distributed")
    if heading == "Spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java 17")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    run_page(page, tmp_path, monkeypatch)


def test_the_page_shows_what_it_prints():
    text = dict(SECTIONS)["Dask"]
    assert text.count("```python") >= 4 and text.count("```text") >= 2
