# SPDX-License-Identifier: Apache-2.0
"""The table of make bench: what counts as a regression, and what an update keeps."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

# By its path: a folder of benchmarks on sys.path would stand in for the packages they are named after.
_spec = importlib.util.spec_from_file_location(
    "bench_table", Path(__file__).resolve().parents[2] / "benchmarks" / "table.py"
)
table = sys.modules["bench_table"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)
Row = table.Row

PASSES = Row("jobs", "train", "passes", 100, kind="count", before=250)


@pytest.mark.parametrize(
    ("old", "now", "said", "regressed"),
    [
        (PASSES, replace(PASSES, value=105), None, False),
        (PASSES, replace(PASSES, value=106), "WORSE", True),
        (PASSES, replace(PASSES, value=50), "better", False),
        (PASSES, replace(PASSES, value=106, tolerance=0.1), None, False),
        (Row("read", "a", "speed", 10, better="higher"), Row("read", "a", "speed", 5, better="higher"), "moved", False),
        (Row("x", "a", "b", 4, better="higher", kind="count"), Row("x", "a", "b", 3, better="higher", kind="count"),
         "WORSE", True),
        (Row("x", "a", "b", 1, kind="seconds"), Row("x", "a", "b", 9, kind="seconds"), None, False),
        (PASSES, replace(PASSES, job="another size", value=900), None, False),
        (Row("x", "a", "b", 0, kind="count"), Row("x", "a", "b", 1, kind="count"), "WORSE", True),
    ],
)  # fmt: skip
def test_only_counts_decide(old, now, said, regressed):
    lines, found = table.moved([now], [old])
    assert found == regressed
    assert [line.split(":")[0].split(" ")[0] for line in lines] == ([said] if said else [])


def test_rows_survive_a_file_and_updates_keep_what_was_before(tmp_path):
    rows = [PASSES, Row("read", "520 MB", "dorm / scikit-learn", 31.25, better="higher", tolerance=0.5)]
    table.write(tmp_path / "table.csv", rows)
    assert table.read(tmp_path / "table.csv") == rows
    updated = table.updated([replace(PASSES, value=20, before=None)], rows)
    assert updated == [replace(PASSES, value=20), rows[1]]
