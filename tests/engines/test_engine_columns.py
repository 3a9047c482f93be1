# SPDX-License-Identifier: Apache-2.0
"""Graphs of ONNX with inputs of text, run by onnxruntime on cells; the other targets: tests/python."""

import json

import numpy as np
import pytest
from command import dorm
from encoded_exports import GAPS, RULES, VALUES, boolean, number, queries_of, ranked, rows_of, text, trained, write_rows

onnx = pytest.importorskip("onnx", reason="onnx is not in this environment (make test-engines)")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not in this environment (make test-engines)")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    here = tmp_path_factory.mktemp("shop")
    write_rows(here / "train.csv", rows_of(40, 1))
    write_rows(here / "new.csv", rows_of(12, 2, [*VALUES, "never seen"]))
    return here


def numbers(row, name):
    value = boolean(row[name]) if name == "in_stock" else number(row[name])
    return np.nan if value is None else float(value)


def scores_of(folder):
    dorm("export", "m.json", "--to", "onnx", "-o", "m.onnx", "--check", "new.csv", cwd=folder)
    model = onnx.load(str(folder / "m.onnx"))
    onnx.checker.check_model(model, full_check=True)
    told = {
        entry.key: json.loads(entry.value) for entry in model.metadata_props if entry.key in ("features", "columns")
    }
    session = runtime.InferenceSession(str(folder / "m.onnx"), providers=["CPUExecutionProvider"])
    names = {source.name for source in session.get_inputs()}
    assert names == {"X", *told.get("columns", {})}
    scores = []
    for rows in queries_of(rows_of(12, 2, [*VALUES, "never seen"])):
        given = {"X": np.array([[numbers(row, name) for name in told["features"]] for row in rows], np.float32)}
        for name, column in told.get("columns", {}).items():
            given[name] = np.array([[text(row[column]) or ""] for row in rows], dtype=object)
        (found,) = session.run(None, given)
        scores += found.tolist()
    return scores


@pytest.mark.parametrize("options", [["--scale", "zscore"], ["--scale", "log-query-zscore"], ["--scale", "none"],
                                     ["--scale", "zscore", "--kernel", "rbf:gamma=0.1"],
                                     ["--scale", "zscore", "--curves", "steps:4"]], ids=" ".join)  # fmt: skip
@pytest.mark.parametrize("missing", GAPS)
def test_columns_and_gaps(shop, missing, options):
    trained(shop, [RULES["onehot"], RULES["bool"]], GAPS[missing], *options)
    room = 1e-5 if "--curves" in options or "--kernel" in options else 1e-11
    assert scores_of(shop) == pytest.approx(ranked(shop, "m.json"), rel=room, abs=room)


def test_a_column_without_a_frequent_value(shop):
    trained(shop, ["category=onehot:10000"], "mean", "--scale", "zscore")
    assert scores_of(shop) == pytest.approx(ranked(shop, "m.json"), rel=1e-11, abs=1e-11)
