# SPDX-License-Identifier: Apache-2.0
"""The curves of a model as points."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def curve_points(model: Any) -> dict[str, np.ndarray]:
    """By feature with a curve, rows (scaled value, contribution) in increasing order of the value."""
    described = json.loads(model.to_json())
    if described["kind"] != "curves":
        raise AttributeError("this ranker has no curves; train one with curves=8")
    weights = dict(zip(described["features"], described["weights"]))
    steps = described["curves"]["shape"] == "steps"
    points = {}
    for curve in described["curves"]["features"]:
        knots, rises = np.array(curve["knots"]), np.array(curve["rises"])
        weight, median = weights[curve["feature"]], curve["median"]
        sums = np.concatenate([[0.0], np.cumsum(rises)])
        if steps:
            margin = 0.05 * (knots[-1] - knots[0]) or 1.0
            values = np.concatenate([[knots[0] - margin], np.repeat(knots, 2), [knots[-1] + margin]])
            levels = np.repeat(sums, 2)
            at_median = sums[np.searchsorted(knots, median, side="right")]
        else:
            values, levels = knots, sums
            at_median = np.interp(median, knots, sums)
        points[curve["feature"]] = np.column_stack([values, levels - at_median + weight * (values - median)])
    return points
