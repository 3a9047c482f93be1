# SPDX-License-Identifier: Apache-2.0
"""`dorm.propensity` against ultr-bias-toolkit on sampled logs.

Its all-pairs estimator is no judge: it gives the pairs (2, 6) and (3, 4) one parameter of relevance.
"""

import importlib
import sys
import types

import numpy as np
import pytest

import dorm

pytest.importorskip("ultr_bias_toolkit", reason="ultr-bias-toolkit is not installed")


@pytest.fixture
def judges(monkeypatch):
    """Its two estimators; the package imports PyTorch for a third, which is not asked."""
    if importlib.util.find_spec("torch") is None:
        torch = types.ModuleType("torch")
        torch.Tensor = object
        torch.nn = types.ModuleType("torch.nn")
        torch.nn.Module = object
        torch.utils = types.ModuleType("torch.utils")
        torch.utils.data = types.ModuleType("torch.utils.data")
        torch.utils.data.Dataset = torch.utils.data.DataLoader = object
        for name in ("torch", "torch.nn", "torch.utils", "torch.utils.data"):
            module = torch
            for part in name.split(".")[1:]:
                module = getattr(module, part)
            monkeypatch.setitem(sys.modules, name, module)
    folder = "ultr_bias_toolkit.bias.intervention_harvesting"
    pivot = importlib.import_module(f"{folder}.pivot").PivotEstimator
    adjacent = importlib.import_module(f"{folder}.adjacent_chain").AdjacentChainEstimator
    return pivot, adjacent


def sampled_log(seed):
    pandas = pytest.importorskip("pandas")
    data = dorm.synth(queries=60, features=3, documents_median=12, seed=seed)
    log = dorm.simulate_clicks(data, rankers=3, sessions=40, top=8, seed=seed)
    return pandas.DataFrame(log.columns()).rename(columns={"qid": "query_id", "docid": "doc_id"})


@pytest.mark.parametrize("seed", range(3))
def test_pivot_and_adjacent_are_those_of_the_toolkit(judges, seed):
    table = sampled_log(seed)
    own = table.rename(columns={"query_id": "qid", "doc_id": "docid"})
    pivot, adjacent = judges
    for method, options, judge in (
        ("pivot", {}, pivot()),
        ("pivot", {"pivot": 3}, pivot(pivot_rank=3)),
        ("adjacent", {}, adjacent()),
    ):
        expected = judge(table)
        found = dorm.propensity(own, method=method, **options)
        assert [row.position for row in found.rows] == expected["position"].tolist()
        np.testing.assert_allclose([row.propensity for row in found.rows], expected["examination"], rtol=1e-12)
