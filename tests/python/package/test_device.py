# SPDX-License-Identifier: Apache-2.0
"""predict, rank and score on the device of the ranker: host, which does on threads what a card does."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import dorm


@pytest.fixture(scope="module", params=["none", "rbf:gamma=0.05"])
def fitted(request: pytest.FixtureRequest) -> tuple[dorm.DormRanker, dorm.Dataset]:
    data = dorm.synth(queries=40, features=6, seed=4)
    approximation = "none" if request.param == "none" else "nystroem:40"
    return dorm.DormRanker(kernel=request.param, solver_options={"approximation": approximation}, n_jobs=2).fit(
        data
    ), data


def test_scores_are_those_of_the_cpu(fitted: tuple[dorm.DormRanker, dorm.Dataset], tmp_path: Path) -> None:
    ranker, data = fitted
    here = ranker.predict(data)
    ranker.save(tmp_path / "m.json")
    for other in (dorm.DormRanker.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(ranker))):
        other.set_params(device="host", memory=10**9)
        np.testing.assert_allclose(other.predict(data), here, rtol=1e-4, atol=1e-4)
        assert other.score(data) == pytest.approx(ranker.score(data), abs=1e-3)
        assert (other.rank(data) == ranker.rank(data)).mean() > 0.99


def test_a_device_that_is_none_is_refused(fitted: tuple[dorm.DormRanker, dorm.Dataset]) -> None:
    ranker, data = fitted
    other = pickle.loads(pickle.dumps(ranker)).set_params(device="gpu")
    with pytest.raises(ValueError, match='device "gpu"; expected cpu, cuda or cuda:N'):
        other.predict(data)


def test_a_function_is_the_cpu_s() -> None:
    data = dorm.synth(queries=10, features=3, seed=5)
    ranker = dorm.DormRanker(kernel=lambda x, y: x @ y.T, scale="zscore").fit(data)
    with pytest.raises(Exception, match="is not computed on the device host; expected one that is written in parts"):
        ranker.set_params(device="host").predict(data)
