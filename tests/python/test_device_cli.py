# SPDX-License-Identifier: Apache-2.0
"""`--device` of train, rank and eval: what is said where a device cannot be used, and scores on the device host, which
does on threads what a card does. Cards themselves: make test-gpu."""

import os

import pytest
from command import dorm


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("device") / "data.txt"
    dorm("synth", "--queries", 30, "--features", 5, "--seed", 2, "-o", path)
    return path


def said(data, *options, status, module="/nowhere"):
    model = data.parent / "m.json"
    environment = {**os.environ, "DORM_CUDA_MODULE": module}
    return dorm("train", data, "--model", model, "-q", *options, status=status, env=environment).stderr


def test_without_its_module_a_device_says_how_to_build_it(data):
    assert said(data, "--device", "cuda", status=1) == (
        "dorm: the device cuda needs its module, dorm_cuda.so, and this dorm was built without one; install the CUDA "
        "toolkit, configure with -DDORM_CUDA=ON and build again (docs/gpu.md), or take the device cpu\n"
    )
    file = data.parent / "no_module.so"
    file.write_text("no module")
    assert "its module cannot be loaded" in said(data, "--device", "cuda:1", status=1, module=str(file))


def test_what_a_device_is_not_for(data):
    assert 'device "gpu"; expected cpu, cuda or cuda:N' in said(data, "--device", "gpu", status=2)
    assert "expected lbfgs, shards or oneslack" in said(data, "--device", "cuda", "--solver", "bcfw", status=2)


def test_the_cpu_is_a_device(data):
    dorm("train", data, "--model", data.parent / "one.json", "-q")
    dorm("train", data, "--model", data.parent / "two.json", "-q", "--device", "cpu", "--memory", "1GB")
    assert (data.parent / "one.json").read_bytes() == (data.parent / "two.json").read_bytes()


@pytest.fixture(scope="module", params=["none", "rbf:gamma=0.1", "linear + rbf:gamma=0.2"])
def model(request, data):
    path = data.parent / "ranker.json"
    options = [] if request.param == "none" else ["--kernel", request.param, "--approx", "nystroem:30"]
    dorm("train", data, "--model", path, "-q", *options)
    return path


def scores(model, data, *options):
    return [float(line) for line in dorm("rank", model, data, *options).stdout.split()]


def test_scores_on_a_device_are_those_of_the_cpu(model, data):
    assert scores(model, data, "--device", "host", "--memory", "1GB") == pytest.approx(
        scores(model, data), rel=1e-4, abs=1e-4
    )
    here = dorm("eval", data, "--model", model, "--format", "csv", "--bootstrap", 0).stdout
    assert dorm("eval", data, model, "--format", "csv", "--bootstrap", 0, "--device", "host").stdout.count("\n") > 1
    assert dorm("eval", data, "--model", model, "--format", "csv", "--bootstrap", 0, "--device", "host").stdout == here


def test_what_rank_and_eval_say_of_devices(model, data):
    lacking = {**os.environ, "DORM_CUDA_MODULE": "/nowhere", "DORM_CUBLAS_MODULE": "/nowhere"}
    kernel = '"kind": "kernel"' in model.read_text() or '"kind":"kernel"' in model.read_text()
    module = "dorm_cublas.so" if kernel else "dorm_cuda.so"
    for verb in (["rank", model, data], ["eval", data, "--model", model]):
        assert f"needs its module, {module}, and" in dorm(*verb, "--device", "cuda", status=1, env=lacking).stderr
        assert 'device "gpu"; expected cpu, cuda or cuda:N' in dorm(*verb, "--device", "gpu", status=2).stderr


def test_models_by_position_are_scored_by_the_cpu(data):
    gains = data.parent / "gains.csv"
    gains.write_text("label,1,2,3\n" + "".join(f"{label},{label},{label / 2},{label / 4}\n" for label in range(5)))
    path = data.parent / "positions.json"
    dorm("train", data, "--position-gains", gains, "--model", path, "-q")
    refused = "models by position are not scored on the device cuda; expected the device cpu"
    assert refused in dorm("rank", path, data, "--device", "cuda", status=1).stderr
    assert refused in dorm("eval", data, "--model", path, "--device", "cuda", status=1).stderr
