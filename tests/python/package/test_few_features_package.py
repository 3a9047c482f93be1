# SPDX-License-Identifier: Apache-2.0
"""A choice of few features, and curves in the grid of tune, in Python."""

import pytest

import dorm


def test_features_and_curves_are_chosen_as_the_command_does():
    data = dorm.synth(queries=110, features=12, seed=4)
    grid = {"C": [10], "bound": ["best"]}
    result = dorm.tune(data, grid=grid, at_most=3, feature_costs={0: 2})
    chosen = next(step for step in result.few_features if step.delivered)
    assert chosen.cost <= 3 and result.ranker.model_.features == chosen.features
    assert len(result.ranker.predict(data)) == len(data.y)
    assert {point.curves for point in result.points} == {"none", "8"}
    assert {point.curves for point in dorm.tune(data, grid=grid, curves="none").points} == {"none"}
    assert {point.curves for point in dorm.tune(data, grid=grid, curves=4).points} == {"4"}
    with pytest.raises(ValueError, match="at_most"):
        dorm.tune(data, grid=grid, feature_costs={0: 2})
