# SPDX-License-Identifier: Apache-2.0
"""Point sets and their deformed copies as graphs whose true correspondence is known."""

from dataclasses import dataclass

import numpy as np

import dorm

RADII = np.linspace(0.1, 1.0, 8)  # of the histogram of distances that describes a point
NOISE_FEATURES = 4  # that mean nothing


@dataclass(frozen=True)
class World:
    """How pairs are made."""

    inliers: int = 12
    outliers: int = 0  # in either graph, without a partner
    noise: float = 0.03  # of coordinates in the unit square
    density: float = 0.3  # share of the pairs of points that are joined: the nearest ones


def described(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How many points lie within each radius, and columns that mean nothing."""
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    counts = (apart[:, :, None] < RADII).sum(axis=1) / len(points)
    return np.hstack([counts, rng.normal(size=(len(points), NOISE_FEATURES))])


def joined(points: np.ndarray, density: float) -> tuple[np.ndarray, np.ndarray]:
    """The shortest of all possible edges, and their lengths."""
    first, second = np.triu_indices(len(points), 1)
    length = np.linalg.norm(points[first] - points[second], axis=1)
    kept = np.argsort(length, kind="stable")[: max(1, round(density * len(length)))]
    return np.stack([first[kept], second[kept]], axis=1), length[kept, None]


def make_pair(
    world: World, rng: np.random.Generator
) -> tuple[tuple[dorm.matching.Graph, dorm.matching.Graph], np.ndarray]:
    """A set of points and its rotated, shuffled copy with noise; partners of the first graph's nodes, -1 for none."""
    size = world.inliers + world.outliers
    first = rng.random((size, 2))
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    second = first.copy()
    second[world.inliers :] = rng.random((world.outliers, 2))
    second = second @ turn.T + world.noise * rng.normal(size=(size, 2))
    place = rng.permutation(size)
    shuffled = np.empty_like(second)
    shuffled[place] = second
    match = np.where(np.arange(size) < world.inliers, place, -1)
    graphs = [
        dorm.matching.Graph(described(points, rng), *joined(points, world.density)) for points in (first, shuffled)
    ]
    return (graphs[0], graphs[1]), match


def make_pairs(world: World, count: int, rng: np.random.Generator) -> tuple[list, list]:
    made = [make_pair(world, rng) for _ in range(count)]
    return [pair for pair, _ in made], [match for _, match in made]


def inlier_loss(truth: list[np.ndarray], found: list[np.ndarray]) -> float:
    """The share of nodes with a partner that were given another one or none."""
    return float(np.mean([np.mean(true[true >= 0] != match[true >= 0]) for true, match in zip(truth, found)]))
