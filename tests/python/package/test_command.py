"""The same data and seed: Python, the command and the C++ library (of which the command is a thin layer) give the same
weights, bit for bit."""

import json
import os
import subprocess

import numpy as np
import pytest

import dorm

COMMAND = os.environ.get("DORM_COMMAND")
pytestmark = pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command to compare with")


def run(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def weights(path):
    return np.array(json.loads(path.read_text())["weights"])


@pytest.fixture(scope="module", params=["dense", "sparse"])
def path(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("command") / "data.txt"
    density = 1 if request.param == "dense" else 0.2
    run("synth", "--queries", 80, "--features", 23, "--density", density, "--documents-median", 15, "-o", path)
    return path


OPTIONS = [
    ({}, []),
    ({"measure": "mrr", "C": 37.5, "random_state": 9}, ["--measure", "mrr", "-C", "37.5", "--seed", "9"]),
    ({"bound": "predicted", "solver_options": {"rounds": 2}}, ["--bound", "predicted", "--rounds", "2"]),
    ({"scale": "zscore", "decay": "power:0.5"}, ["--scale", "zscore", "--decay", "power:0.5"]),
    (
        {"scale": "none", "solver": "nslack", "tolerance": 0.01},
        ["--scale", "none", "--solver", "nslack", "--tolerance", "0.01"],
    ),
    ({"convention": "letor3", "bound": "average"}, ["--convention", "letor3", "--bound", "average"]),
]


@pytest.mark.parametrize("parameters, options", OPTIONS)
def test_the_same_weights_bit_for_bit(path, tmp_path, parameters, options):
    run("train", path, "--model", tmp_path / "command.json", "--quiet", *options)
    data = dorm.read_letor(path)
    ranker = dorm.DormRanker(**parameters).fit(data)
    ranker.save(tmp_path / "python.json")
    command, python = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("command", "python"))
    assert np.array_equal(ranker.coef_, command["weights"])
    for model in (command, python):
        del model["data"]["fingerprint"]  # the file has document ids, too
    assert python == command


@pytest.mark.parametrize("path", ["dense"], indirect=True)
def test_unpadded_rows_give_the_bits_of_padded_ones(path):
    data = dorm.read_letor(path)
    assert data.X.strides[0] > 4 * data.X.shape[1]
    packed = np.ascontiguousarray(data.X)
    expected = dorm.DormRanker().fit(data)
    assert np.array_equal(dorm.DormRanker().fit(packed, data.y, qid=data.qid).coef_, expected.coef_)
    assert np.array_equal(expected.predict(packed, qid=data.qid), expected.predict(data))


def test_models_of_the_command_rank_in_python_and_back(path, tmp_path):
    run("train", path, "--model", tmp_path / "command.json", "--quiet")
    data = dorm.read_letor(path)
    loaded = dorm.DormRanker.load(tmp_path / "command.json")
    fitted = dorm.DormRanker().fit(data)
    assert np.array_equal(loaded.predict(data), fitted.predict(data))
    assert loaded.score(data) == fitted.score(data)
    fitted.save(tmp_path / "python.json")
    printed = run("rank", tmp_path / "python.json", path)
    assert np.array_equal(np.array(printed.split(), dtype=float), fitted.predict(data))


def test_synth_is_the_same(tmp_path):
    run("synth", "--queries", 20, "--features", 5, "--seed", 4, "-o", tmp_path / "data.dorm")
    read, made = dorm.read_letor(tmp_path / "data.dorm"), dorm.synth(20, 5, seed=4)
    assert np.array_equal(read.X, made.X)
    assert np.array_equal(read.y, made.y)
    assert np.array_equal(read.qid, made.qid)


def test_arrays_of_a_binary_file_outlive_it(tmp_path):
    """The file is cut down once it has been read; touching a mapped page that is gone would end the process."""
    for density in (1, 0.2):
        path = tmp_path / "data.dorm"
        run("synth", "--queries", 200, "--features", 40, "--density", density, "--seed", 4, "-o", path)
        read, made = dorm.read_letor(path), dorm.synth(200, 40, density=density, seed=4)
        os.truncate(path, 100)
        assert abs(read.X - made.X).max() == 0
        dorm.DormRanker(solver_options={"time_limit": 1}).fit(read.X, read.y, qid=read.qid)
