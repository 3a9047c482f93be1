# SPDX-License-Identifier: Apache-2.0
"""Objectives that were tried beside those of the libraries: noise that falls, noise by query, regression on gains."""

from __future__ import annotations

import numpy as np

import dorm


class Annealed:
    """The objective with a noise that falls from sigma 1 to 0.1 over the first 100 rounds."""

    def __init__(self, measure: str, seed: int) -> None:
        levels = np.geomspace(1, 0.1, 9)
        self.steps = [dorm.objective(measure, "best", s, random_state=seed, n_jobs=1) for s in levels]
        self.calls = 0

    def __call__(self, scores, data):
        step = min(len(self.steps) - 1, self.calls * len(self.steps) // 100)
        self.calls += 1
        return self.steps[step](scores, data)


class PerQuery:
    """Noise of 0.3 times the spread of a query's scores, at least 0.1."""

    def __init__(self, measure: str, seed: int) -> None:
        self.exact = dorm.objective(measure, "best", 0, n_jobs=1)
        self.rng = np.random.default_rng(seed)

    def __call__(self, scores, data):
        sizes = data.get_group()
        starts = np.r_[0, np.cumsum(sizes)[:-1]].astype(int)
        mean = np.add.reduceat(scores, starts) / sizes
        spread = np.sqrt(np.add.reduceat((scores - np.repeat(mean, sizes)) ** 2, starts) / sizes)
        noise = np.repeat(np.maximum(0.3 * spread, 0.1), sizes) * self.rng.standard_normal(len(scores))
        up, down = self.exact(scores + noise, data)[0], self.exact(scores - noise, data)[0]
        return (up + down) / 2, (abs(up) + abs(down)) / 2 + 1e-3


def gain_residuals(scores, data):
    """Least squares on the gains 2^label - 1, less their mean."""
    gains = np.exp2(data.get_label()) - 1
    return scores - (gains - gains.mean()), np.ones(len(scores))
