# SPDX-License-Identifier: Apache-2.0
"""`dorm.data.split`: the parts of `dorm split`, of arrays, tables and data sets."""

import os
import subprocess

import numpy as np
import pytest

import dorm


def make_rows():
    rng = np.random.default_rng(3)
    qid = np.array([f"q{q}" for q in rng.integers(0, 40, 300)])  # scattered
    return rng.normal(size=(300, 3)).astype(np.float32), rng.integers(0, 3, 300), qid


def test_arrays_in_parts_of_whole_queries():
    X, y, qid = make_rows()
    parts = dorm.data.split((X, y, qid), test=0.25, valid=0.1, seed=2)
    names = [set(part[2]) for part in parts]
    assert [len(n) for n in names] == [26, 4, 10] and set.union(*names) == set(qid) and not set.intersection(*names)
    for part, of in zip(parts, names, strict=True):
        rows = [i for i in range(300) if qid[i] in of]
        np.testing.assert_array_equal(part[0], X[rows])
        np.testing.assert_array_equal(part[1], y[rows])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables_stay_tables(kind):
    module = pytest.importorskip(kind, reason=f"{kind} is not installed")
    X, y, qid = make_rows()
    columns = {"query": qid.tolist(), "grade": y.tolist(), "title": [f"t{i}" for i in range(300)]}
    table = module.table(columns) if kind == "pyarrow" else module.DataFrame(columns)
    train, test = dorm.data.split(table, label_column="grade", query_column="query", seed=5)
    assert type(train) is type(table)
    expected = dorm.data.split((X, y, qid), seed=5)
    for part, arrays in zip((train, test), expected, strict=True):
        queries = part["query"].to_pylist() if kind == "pyarrow" else list(part["query"])
        assert queries == arrays[2].tolist()


def test_a_data_set_keeps_what_stands_beside_the_rows():
    data = dorm.synth(queries=30, features=4, documents_median=6, groups=3, seed=1)
    train, test = dorm.data.split(data)
    assert len(test.group) == 6 and test.feature_names == data.feature_names
    rows = [i for i in range(len(data.qid)) if data.qid[i] in set(test.qid)]
    assert test.document_ids == [data.document_ids[i] for i in rows]
    assert test.groups == [data.groups[i] for i in rows] and test.source_rows.tolist() == rows


def test_the_command_draws_the_same_queries(tmp_path):
    command = os.environ.get("DORM_COMMAND") and os.path.abspath(os.environ["DORM_COMMAND"])
    if not command:
        pytest.skip("DORM_COMMAND names no command to compare with")
    data = dorm.synth(queries=60, features=2, documents_median=5, seed=8)
    data.save(tmp_path / "all.txt")
    subprocess.run([command, "split", "all.txt", "--seed", "9"], cwd=tmp_path, check=True, capture_output=True)
    lines = (tmp_path / "all.test.txt").read_text().splitlines()
    _, test = dorm.data.split(data, seed=9)
    assert {int(line.split()[1][4:]) for line in lines} == set(test.qid.tolist())


def test_what_is_missing_is_named():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"q": [1, 2], "grade": [0, 1]})
    with pytest.raises(ValueError, match="no column 'label'; pass label_column=, one of 'q', 'grade'"):
        dorm.data.split(frame)
    with pytest.raises(ValueError, match="data is a int; expected"):
        dorm.data.split(7)
    with pytest.raises(ValueError, match="which is none; expected a larger share"):
        dorm.data.split(frame, label_column="grade", query_column="q", test=0.1)
