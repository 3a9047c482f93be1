# SPDX-License-Identifier: Apache-2.0
"""GraphMatcher: against enumeration and scipy, what it takes and what it refuses."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, quadratic_assignment

import dorm


def copies(count, nodes, seed, extra=0):
    """Graphs and shuffled copies; the first feature tells nodes apart, the second is noise."""
    rng = np.random.default_rng(seed)
    pairs, matches = [], []
    for _ in range(count):
        values = rng.normal(size=(nodes, 2))
        edges = [(i, j) for i, j in itertools.combinations(range(nodes), 2) if rng.random() < 0.4]
        order = rng.permutation(nodes + extra)[:nodes]
        other = rng.normal(size=(nodes + extra, 2))
        other[order, 0] = values[:, 0] + 0.3 * rng.normal(size=nodes)
        pairs.append(
            (dorm.matching.Graph(values, edges), dorm.matching.Graph(other, [(order[i], order[j]) for i, j in edges]))
        )
        matches.append(order)
    return pairs, matches


def score(weights, first, second, match):
    """By the definition."""
    similar = np.exp(-((first.nodes[:, None] - second.nodes) ** 2))
    node, edge = np.array([weights["x0"], weights["x1"]]), weights.get("edge", 0)
    value = sum(similar[i, j] @ node for i, j in enumerate(match))
    images = {frozenset(map(int, pair)) for pair in second.edges}
    return value + edge * sum(frozenset((int(match[i]), int(match[j]))) in images for i, j in first.edges)


@pytest.mark.parametrize("kind", ["linear", "quadratic"])
def test_predicts_the_best_of_all_matches(kind):
    pairs, matches = copies(6, 6, 1)
    matcher = dorm.matching.GraphMatcher(kind, scale="none", n_jobs=1).fit(pairs, matches)
    for (first, second), found in zip(pairs, matcher.match(pairs)):
        best = max(score(matcher.weights_, first, second, match) for match in itertools.permutations(range(6)))
        assert found.score == pytest.approx(score(matcher.weights_, first, second, found.partners), rel=1e-6)
        assert found.bound >= best - 1e-6
        assert found.score <= best + 1e-6
        if found.proven:
            assert found.score == pytest.approx(best, rel=1e-5)


def test_linear_agrees_with_scipy():
    pairs, matches = copies(5, 20, 2)
    matcher = dorm.matching.GraphMatcher("linear", scale="none").fit(pairs, matches)
    weights = np.array([matcher.weights_["x0"], matcher.weights_["x1"]])
    for (first, second), found in zip(pairs, matcher.match(pairs)):
        value = np.exp(-((first.nodes[:, None] - second.nodes) ** 2)) @ weights
        rows, columns = linear_sum_assignment(value, maximize=True)
        assert found.score == pytest.approx(value[rows, columns].sum(), rel=1e-6)


def test_edges_alone_are_no_worse_than_scipy():
    pairs, _ = copies(4, 15, 3)
    plain = [tuple(dorm.matching.Graph(np.zeros(15), graph.edges) for graph in pair) for pair in pairs]
    matcher = dorm.matching.GraphMatcher("quadratic").fit(plain)
    for (first, second), found in zip(plain, matcher.match(plain)):
        a, b = np.zeros((15, 15)), np.zeros((15, 15))
        for matrix, graph in ((a, first), (b, second)):
            matrix[tuple(graph.edges.T.astype(int))] = 1
            matrix += matrix.T
        theirs = quadratic_assignment(a, b, options={"maximize": True, "rng": np.random.default_rng(1)}).fun / 2
        agreed = found.score - 15  # every node is as like every other
        assert agreed >= theirs - 1e-6


def test_certificate_and_bound_of_the_loss():
    pairs, matches = copies(12, 8, 4)
    for kind in ("linear", "quadratic"):
        matcher = dorm.matching.GraphMatcher(kind).fit(pairs, matches)
        told = matcher.certificate_
        assert told["dual"] <= told["primal"] * (1 + 1e-9)
        assert told["gap"] <= 1e-3
        assert told["training_loss"] <= told["loss_bound"] + 1e-9
        assert told["training_loss"] == pytest.approx(matcher.losses(pairs, matches).mean())


def test_learning_helps_and_edges_help_more():
    train, test = copies(20, 8, 5), copies(20, 8, 6)
    scores = [
        dorm.matching.GraphMatcher("linear").fit(train[0]).score(*test),
        dorm.matching.GraphMatcher("linear").fit(*train).score(*test),
        dorm.matching.GraphMatcher("quadratic").fit(*train).score(*test),
    ]
    assert scores == sorted(scores) and scores[2] > scores[0] + 0.2


def test_chooses_c_by_validation():
    matcher = dorm.matching.GraphMatcher("linear", C=[0.01, 1, 100]).fit(*copies(10, 6, 7), eval_set=copies(10, 6, 8))
    candidates = matcher.report_["candidates"]
    assert [each["C"] for each in candidates] == [0.01, 1, 100]
    assert matcher.certificate_["validation_loss"] == min(each["validation_loss"] for each in candidates)


def test_outliers_stay_alone():
    train, test = copies(20, 8, 9, extra=4), copies(20, 8, 10, extra=4)
    matcher = dorm.matching.GraphMatcher(unmatched=True).fit(*train)
    assert matcher.score(*test) > 0.5
    turned = [(second, first) for first, second in test[0]]
    for (first, _), partners in zip(turned, matcher.predict(turned)):
        assert len(partners) == len(first) and len(set(partners[partners >= 0])) == (partners >= 0).sum()


def test_ids_and_dicts():
    first = dorm.matching.Graph([0.0, 1.0, 2.0], ids=["a", "b", "c"])
    second = dorm.matching.Graph([2.1, 0.1, 1.1], ids=["z", "x", "y"])
    truth = {"a": "x", "b": "y", "c": "z"}
    matcher = dorm.matching.GraphMatcher("linear").fit([(first, second)], [truth])
    assert dict(matcher.match([(first, second)])[0]) == truth


def test_saves_loads_and_pickles(tmp_path):
    pairs, matches = copies(6, 6, 11)
    matcher = dorm.matching.GraphMatcher().fit(pairs, matches)
    matcher.save(tmp_path / "m.json")
    for other in (dorm.matching.GraphMatcher.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(matcher))):
        assert other.weights_ == matcher.weights_
        assert all(np.array_equal(a, b) for a, b in zip(other.predict(pairs), matcher.predict(pairs)))


def test_threads_do_not_matter():
    pairs, matches = copies(8, 7, 12)
    one, many = (dorm.matching.GraphMatcher(n_jobs=n).fit(pairs, matches) for n in (1, 3))
    assert one.weights_ == many.weights_


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, m: dorm.matching.GraphMatcher("cubic").fit(p, m), "unknown kind of matching"),
        (lambda p, m: dorm.matching.GraphMatcher(C=0).fit(p, m), "C is 0"),
        (lambda p, m: dorm.matching.GraphMatcher(C=[1, 2]).fit(p, m), "several C"),
        (lambda p, m: dorm.matching.GraphMatcher().fit(p, m[:1]), "1 matches of 2 pairs"),
        (lambda p, m: dorm.matching.GraphMatcher().fit([], []), "no pairs of graphs"),
        (lambda p, m: dorm.matching.GraphMatcher().fit(p, [m[0][:3], m[1]]), r"pair 1: partners of the shape \(3,\)"),
        (
            lambda p, m: dorm.matching.GraphMatcher().fit(p, [[0, 0, 1, 2], m[1]]),
            "pair 1: node '0' of the second graph has two",
        ),
        (lambda p, m: dorm.matching.GraphMatcher().fit(p, [[-1, 0, 1, 2], m[1]]), "pair 1: 3 of the 4 nodes"),
        (lambda p, m: dorm.matching.GraphMatcher().fit(p, [{"q": "0"}, m[1]]), "pair 1: 'q' with '0'"),
        (lambda p, m: dorm.matching.Graph([1, 2], [(0, 2)]), "edges hold other numbers"),
        (lambda p, m: dorm.matching.Graph([1, 2], [(0, 1, 1)]), "two numbers of nodes per edge"),
        (lambda p, m: dorm.matching.Graph([1, 2], ids=["a", "a"]), "2 ids, 1 of them different"),
        (lambda p, m: dorm.matching.Graph([1, 2], [(0, 1)], [[1], [2]]), "2 rows of edge_features"),
        (lambda p, m: dorm.matching.GraphMatcher().fit([([1, np.nan], [1, 2])], [[0, 1]]), "finite"),
    ],
)
def test_says_what_is_wrong(call, message):
    pairs, matches = copies(2, 4, 13)
    with pytest.raises(ValueError, match=message):
        call(pairs, matches)
