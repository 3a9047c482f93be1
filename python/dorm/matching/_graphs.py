# SPDX-License-Identifier: Apache-2.0
"""Graphs as Python has them, as graphs of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph whose nodes have features; its edges may have some too.

    Examples
    --------
    >>> import dorm
    >>> square = dorm.matching.Graph([[0, 0], [1, 0], [1, 1], [0, 1]], edges=[(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> len(square), square.ids[2]
    (4, '2')
    """

    nodes: Any  #: features, a row per node; a list of numbers is one feature
    edges: Any = ()  #: two numbers per edge, of the nodes it joins, counted from 0
    edge_features: Any = None  #: a row per edge
    ids: Sequence[Any] = field(default=())  #: of the nodes; default: their numbers, as text

    def __post_init__(self) -> None:
        nodes = _matrix(self.nodes, "nodes")
        edges = np.asarray(self.edges if len(self.edges) else np.empty((0, 2)))
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise ValueError(f"edges have the shape {edges.shape}; expected two numbers of nodes per edge")
        if edges.size and (edges.min() < 0 or edges.max() >= len(nodes) or (edges != edges.astype(np.int64)).any()):
            raise ValueError(f"edges hold other numbers than those of the {len(nodes)} nodes, counted from 0")
        features = np.empty((len(edges), 0)) if self.edge_features is None else self.edge_features
        values = _matrix(features, "edge_features")
        if len(values) != len(edges):
            raise ValueError(f"{len(values)} rows of edge_features; expected {len(edges)}, one per edge")
        ids = [str(each) for each in (self.ids if len(self.ids) else range(len(nodes)))]
        if len(ids) != len(nodes) or len(set(ids)) != len(ids):
            raise ValueError(f"{len(ids)} ids, {len(set(ids))} of them different; expected {len(nodes)} different ones")
        for name, value in (("nodes", nodes), ("edges", edges.astype(np.uint32)), ("edge_features", values)):
            object.__setattr__(self, name, np.ascontiguousarray(value))
        object.__setattr__(self, "ids", ids)

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class GraphMatch:
    """Which node of the first graph is which of the second."""

    partners: np.ndarray  #: by node of the first graph: the number of one of the second, -1 for none
    score: float
    bound: float  #: no other match scores more
    proven: bool  #: this one is the best, by the bound
    first_ids: Sequence[str]
    second_ids: Sequence[str]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """The ids of the nodes that belong together."""
        for node, partner in enumerate(self.partners):
            if partner >= 0:
                yield self.first_ids[node], self.second_ids[partner]


@dataclass(frozen=True, eq=False)
class GraphPairs:
    """Pairs of graphs as the core takes them."""

    core: _core.GraphSet
    numbers: np.ndarray  #: a row per pair
    pairs: list[tuple[Graph, Graph]]

    def matches(self, given: Any) -> list[np.ndarray]:
        """The true partners of every pair, checked."""
        given = list(given)
        if len(given) != len(self.pairs):
            raise ValueError(f"{len(given)} matches of {len(self.pairs)} pairs")
        return [_partners(p, *pair, match) for p, (pair, match) in enumerate(zip(self.pairs, given))]


def read_pairs(pairs: Any, directed: bool) -> GraphPairs:
    """Graphs that occur in several pairs are taken once. Features are numbered."""
    if isinstance(pairs, tuple) and len(pairs) == 2 and any(isinstance(each, Graph) for each in pairs):
        raise ValueError("found one pair of graphs; expected a list of pairs")
    known: dict[int, int] = {}
    graphs: list[Graph] = []
    kept: list[Any] = []  # alive while their ids count
    numbers: list[list[int]] = []
    for p, pair in enumerate(pairs):
        if len(pair) != 2:
            raise ValueError(f"pair {p + 1} has {len(pair)} graphs; expected two")
        row = []
        for given in pair:
            if id(given) not in known:
                known[id(given)] = len(graphs)
                kept.append(given)
                graphs.append(_graph(given, p))
            row.append(known[id(given)])
        numbers.append(row)
    if not graphs:
        raise ValueError("no pairs of graphs")
    width, edge_width = graphs[0].nodes.shape[1], _edge_width(graphs)
    core = _core.GraphSet([f"x{k}" for k in range(width)], [f"e{k}" for k in range(edge_width)], directed)
    for number, graph in enumerate(graphs):
        edge_values = graph.edge_features if len(graph.edges) else np.empty((0, edge_width))
        core.add(str(number), list(graph.ids), graph.nodes, graph.edges, edge_values)
    core.validate()
    rows = np.array(numbers, dtype=np.uint32).reshape(-1, 2)
    return GraphPairs(core, rows, [(graphs[i], graphs[j]) for i, j in numbers])


def _edge_width(graphs: list[Graph]) -> int:
    return max((graph.edge_features.shape[1] for graph in graphs if len(graph.edges)), default=0)


def _graph(given: Any, pair: int) -> Graph:
    if isinstance(given, Graph):
        return given
    try:
        return Graph(*given) if isinstance(given, tuple) else Graph(given)
    except (TypeError, ValueError) as error:
        raise ValueError(f"pair {pair + 1}: {error}") from None


def _matrix(values: Any, name: str) -> np.ndarray:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise ValueError(f"{name} has {matrix.ndim} dimensions; expected a row of features each")
    return np.ascontiguousarray(matrix)


def _partners(pair: int, first: Graph, second: Graph, match: Any) -> np.ndarray:
    if isinstance(match, Mapping):
        places = {name: number for number, name in enumerate(second.ids)}
        named = {str(node): str(partner) for node, partner in match.items()}
        for node, partner in named.items():
            if node not in first.ids or partner not in places:
                raise ValueError(f"pair {pair + 1}: {node!r} with {partner!r}; expected ids of nodes of the two graphs")
        match = [places[named[node]] if node in named else -1 for node in first.ids]
    partners = np.asarray(match)
    if partners.shape != (len(first),) or (partners != partners.astype(np.int64)).any():
        raise ValueError(
            f"pair {pair + 1}: partners of the shape {partners.shape}; expected {len(first)} numbers of nodes, -1 for "
            "none, or a dict of ids"
        )
    return np.ascontiguousarray(partners, dtype=np.int64)
