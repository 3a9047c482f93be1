# SPDX-License-Identifier: Apache-2.0
"""`dorm train --device`: what is said where a device cannot be used. Cards themselves: make test-gpu."""

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
    assert "expected shards or oneslack" in said(data, "--device", "cuda", "--solver", "bcfw", status=2)
    assert "an exact kernel is not learnt on the device cuda" in said(
        data, "--device", "cuda", "--kernel", "rbf:gamma=1", status=1
    )


def test_the_cpu_is_a_device(data):
    dorm("train", data, "--model", data.parent / "one.json", "-q")
    dorm("train", data, "--model", data.parent / "two.json", "-q", "--device", "cpu", "--device-memory", "1GB")
    assert (data.parent / "one.json").read_bytes() == (data.parent / "two.json").read_bytes()
