# SPDX-License-Identifier: Apache-2.0
"""Solvers of quadratic assignment in other packages, on the scores of a matcher of ours."""

import numpy as np
from scipy.optimize import quadratic_assignment

import dorm


def numbers(
    matcher: dorm.matching.GraphMatcher, first: dorm.matching.Graph, second: dorm.matching.Graph
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of nodes, and of edges by edge of either graph, as the model has them."""
    import json

    model, weights = json.loads(matcher.model_.to_json()), matcher.weights_

    def similar(x: np.ndarray, y: np.ndarray, factors: list[float]) -> np.ndarray:
        return np.exp(-(((x[:, None] - y) * np.array(factors)) ** 2))

    node = similar(first.nodes, second.nodes, model["node_factors"]) @ [weights[n] for n in model["node_features"]]
    edge = np.full((len(first.edges), len(second.edges)), weights["edge"])
    if model["edge_features"]:
        edge += similar(first.edge_features, second.edge_features, model["edge_factors"]) @ [
            weights[f"edge {name}"] for name in model["edge_features"]
        ]
    return node + weights.get("matched", 0), edge


def affinity(node: np.ndarray, edge: np.ndarray, first: dorm.matching.Graph, second: dorm.matching.Graph) -> np.ndarray:
    """K over pairs (i, j) of nodes, j outer, as pygmtools has it: x' K x is the score, edges counted once."""
    n, m = node.shape
    matrix = np.zeros((n * m, n * m), dtype=np.float64)
    matrix[np.arange(n * m), np.arange(n * m)] = node.T.ravel()
    for e, (a, b) in enumerate(first.edges.astype(int)):
        for f, (c, d) in enumerate(second.edges.astype(int)):
            for x, y in ((c, d), (d, c)):
                matrix[x * n + a, y * n + b] += edge[e, f] / 2
                matrix[y * n + b, x * n + a] += edge[e, f] / 2
    return matrix


def score(
    node: np.ndarray, edge: np.ndarray, first: dorm.matching.Graph, second: dorm.matching.Graph, match: np.ndarray
) -> float:
    value = sum(node[i, j] for i, j in enumerate(match) if j >= 0)
    images = {frozenset(map(int, pair)): f for f, pair in enumerate(second.edges)}
    for e, (a, b) in enumerate(first.edges.astype(int)):
        f = images.get(frozenset((int(match[a]), int(match[b]))))
        value += 0 if f is None else edge[e, f]
    return value


def by_pygmtools(
    name: str, node: np.ndarray, edge: np.ndarray, first: dorm.matching.Graph, second: dorm.matching.Graph
) -> np.ndarray:
    """rrwm, sm or ipfp, made a matching by the Hungarian method."""
    import pygmtools

    matrix = affinity(node, edge, first, second).astype(np.float32)
    matrix -= min(0, matrix.min())  # they expect none below 0
    soft = getattr(pygmtools, name)(matrix, *node.shape, backend="numpy")
    hard = pygmtools.hungarian(soft, backend="numpy")
    return np.where(hard.sum(axis=1) > 0, hard.argmax(axis=1), -1)


def by_scipy(first: dorm.matching.Graph, second: dorm.matching.Graph) -> np.ndarray:
    """FAQ on the adjacency weighted by exp(-length): it knows no scores of nodes."""
    matrices = []
    for graph in (first, second):
        matrix = np.zeros((len(graph), len(graph)))
        matrix[tuple(graph.edges.astype(int).T)] = np.exp(-graph.edge_features[:, 0])
        matrices.append(matrix + matrix.T)
    return quadratic_assignment(*matrices, options={"maximize": True, "rng": np.random.default_rng(1)}).col_ind
