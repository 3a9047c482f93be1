"""The examples in the docstrings run as written."""

import doctest
import importlib
import pkgutil

import pytest

import dorm

MODULES = ["dorm"] + [m.name for m in pkgutil.walk_packages(dorm.__path__, "dorm.") if m.name != "dorm._core"]

INTEGRATIONS = {"dorm.ir_measures": "ir_measures", "dorm.pyterrier": "pyterrier"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "dorm.plot":
        pytest.importorskip("matplotlib").use("Agg")
    if name in ("dorm.torch", "dorm._torch_sort"):
        pytest.importorskip("torch", reason="PyTorch is an extra; make test-torch")
    if name in ("dorm.dask", "dorm._cluster.dask_rows"):
        pytest.importorskip("distributed", reason="Dask is an extra; make test-distributed")
    if name == "dorm.spark" or name.startswith("dorm._cluster.spark"):
        pytest.importorskip("pyspark", reason="Spark is an extra; make test-distributed")
    if name in INTEGRATIONS:
        pytest.importorskip(INTEGRATIONS[name], reason="an extra; make test-engines")
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_everything_public_is_documented():
    for module in (dorm, dorm.clicks, dorm.data, dorm.lab, dorm.matching, dorm.recommend, dorm.results):
        for name in module.__all__:
            assert name == "__version__" or getattr(module, name).__doc__, name
