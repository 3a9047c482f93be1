#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/tiny*.txt (LETOR text) and data/optima.txt: tiny ranking problems solved by a dense QP solver.

All rankings of every query are listed, so the problem is the definition itself: minimise 1/2 |w|^2 + C sum_q H_q(w),
H_q(w) = max over rankings of [loss + f] - f(reference). Measures, decays and references are written here a second time.
The references of `best` and `predicted` are fixed by the first feature as score.
Line of optima.txt: file measure decay bound C primal dual. Line of signed_optima.txt: the same of the problem under
signs of the weights, which follow as + - or 0 for each. Line of curved_optima.txt: the same of curves with knots at
KNOTS, of lines or steps, under a sign for each feature; values stand at one of PLACES places in their piece.
"""

import itertools
import pathlib

import numpy as np
from cvxopt import matrix, solvers

solvers.options.update(show_progress=False, abstol=1e-11, reltol=1e-11, feastol=1e-11)


KNOTS = np.array([-0.4, 0.5])
PLACES = 2**14 - 1  # 16 bits, two of them for three pieces


def position_weights(measure, length, labels):
    ranks = np.arange(1, length + 1)
    name, _, cutoff = measure.partition("@")
    n = int(cutoff) if cutoff else length
    if name in ("ndcg", "dcg"):
        return np.where(ranks <= n, 1 / np.log2(1 + ranks), 0)
    if name == "precision":
        return np.where(ranks <= n, 1 / n, 0)
    if name == "mrr":
        return 1 / ranks
    raise ValueError(measure)


def values_of_rankings(measure, labels, rankings):
    a = position_weights(measure, len(labels), labels)
    if measure == "mrr":
        relevant = labels > 0
        return np.array([max(a[relevant[list(r)]]) for r in rankings])
    gains = (labels > 0).astype(float) if measure.startswith("precision") else 2.0**labels - 1
    values = np.array([a @ gains[list(r)] for r in rankings])
    return values / values.max() if measure.startswith("ndcg") else values


def decay_of(decay, measure, labels):
    ranks = np.arange(1, len(labels) + 1)
    if decay == "measure":
        return position_weights(measure, len(labels), labels)
    if decay == "log":
        return 1 / np.log(ranks + 2)
    return (ranks + 1.0) ** -float(decay.split(":")[1])


def coefficients(c, ranking):
    out = np.empty(len(c))
    out[list(ranking)] = c
    return out


def reference(bound, c, labels, rankings, losses, scores):
    order = sorted(range(len(labels)), key=lambda i: (-labels[i], i))
    given = coefficients(c, order)
    if bound == "given":
        return given
    if bound == "average":
        return np.array([given[labels == labels[i]].mean() for i in range(len(labels))])
    allowed = [r for r, loss in zip(rankings, losses) if bound == "predicted" or loss < 1e-12]
    return coefficients(c, max(allowed, key=lambda r: c @ scores[list(r)]))


def planes(measure, decay, bound, features, labels):
    rankings = list(itertools.permutations(range(len(labels))))
    values = values_of_rankings(measure, labels, rankings)
    losses = values.max() - values
    c = decay_of(decay, measure, labels)
    zero = reference(bound, c, labels, rankings, losses, features[:, 0])
    return [(loss, (zero - coefficients(c, r)) @ features) for loss, r in zip(losses, rankings)]


def curves(columns, shape):
    """By feature the matrix of its columns: the value and the share of each piece that is passed, or the steps."""
    blocks = []
    for x, low, high in columns:
        edges = np.concatenate([[low], KNOTS, [high]])
        piece = np.searchsorted(KNOTS, x, side="right")
        width = edges[piece + 1] - edges[piece]
        place = np.round((x - edges[piece]) / width * PLACES) / PLACES
        if shape == "steps":
            blocks.append((x[:, None] >= KNOTS).astype(float))
            continue
        passed = np.clip(piece[:, None] + place[:, None] - np.arange(len(KNOTS) + 1), 0, 1)
        blocks.append(np.column_stack([edges[piece] + place * width, passed]))
    return blocks


def optimum(weight, blocks, signs):
    """Over (w, xi): min 1/2 |w|^2 + C sum xi, xi_q >= loss - <w, direction>, xi >= 0, signs_j w_j >= 0."""
    losses = np.array([p[0] for b in blocks for p in b])
    directions = np.array([p[1] for b in blocks for p in b])
    d, m = directions.shape[1], len(blocks)
    owner = np.repeat(np.eye(m), [len(b) for b in blocks], axis=0)
    quadratic = np.zeros((d + m, d + m))
    quadratic[:d, :d] = np.eye(d)
    upper = np.vstack([np.hstack([-directions, -owner]), np.hstack([np.zeros((m, d)), -np.eye(m)])])
    held = np.flatnonzero(signs)
    upper = np.vstack([upper, np.hstack([-np.diag(signs)[held], np.zeros((len(held), m))])])
    answer = solvers.qp(
        matrix(quadratic),
        matrix(np.concatenate([np.zeros(d), np.full(m, weight)])),
        matrix(upper),
        matrix(np.concatenate([-losses, np.zeros(m + len(held))])),
    )
    w = np.array(answer["x"]).ravel()[:d]
    w = np.where(signs * w < 0, 0.0, w)
    primal = 0.5 * w @ w + weight * sum(max(0.0, max(o - x @ w for o, x in b)) for b in blocks)
    alpha = np.maximum(np.array(answer["z"]).ravel()[: len(losses)], 0)
    alpha *= np.minimum(1, weight / (owner.T @ alpha))[owner.argmax(axis=1)]
    v = directions.T @ alpha
    v = np.where(signs * v < 0, 0.0, v)
    dual = alpha @ losses - 0.5 * v @ v
    assert primal - dual < 1e-8 * primal, (primal, dual)
    return primal, dual, w


def main():
    problems = [
        ([3, 4, 3], 2, "ndcg", "power:0.5", "given", 1.0),
        ([4, 5, 4, 3], 3, "ndcg@3", "measure", "best", 3.0),
        ([5, 5, 5], 4, "mrr", "power:1", "best", 1.0),
        ([5, 4, 5, 4, 3], 3, "precision@2", "measure", "predicted", 2.0),
        ([4, 4, 5], 4, "dcg@2", "log", "average", 0.3),
        ([5, 5, 5, 5, 5], 5, "ndcg@2", "power:0.25", "best", 1.0),
        ([5, 3, 4, 5], 3, "ndcg@10", "measure", "predicted", 10.0),
        ([5, 4, 4], 3, "precision@3", "power:0.5", "average", 1.0),
    ]
    folder = pathlib.Path(__file__).parent / "data"
    summary, signed, curved = [], [], []
    for number, (sizes, dimension, measure, decay, bound, weight) in enumerate(problems, 1):
        rng = np.random.default_rng(number)
        lines, blocks, data = [], [], []
        for q, size in enumerate(sizes):
            labels = np.concatenate([[2, 0], rng.integers(0, 3, size=size - 2)]).astype(float)
            features = (rng.normal(size=(size, dimension)) + labels[:, None] * [0.5] + [0] * dimension).round(3)
            features = features.astype(np.float32).astype(float)
            blocks.append(planes(measure, decay, bound, features, labels))
            data.append((features, labels))
            for y, row in zip(labels, features):
                lines.append(f"{y:g} qid:{q} " + " ".join(f"{j}:{v:.9g}" for j, v in enumerate(row, 1)))
        primal, dual, w = optimum(weight, blocks, np.zeros(dimension))
        (folder / f"tiny{number}.txt").write_text("\n".join(lines) + "\n")
        summary.append(f"tiny{number}.txt {measure} {decay} {bound} {weight:g} {primal:.17g} {dual:.17g}")
        print(summary[-1])
        name = summary[-1].rsplit(" ", 2)[0]
        for signs in (np.ones(dimension), -np.ones(dimension), -np.sign(w) * (np.arange(dimension) % 2 == 0)):
            primal, dual, _ = optimum(weight, blocks, signs)
            signed.append(f"{name} {''.join('0+-'[int(x)] for x in signs)} {primal:.17g} {dual:.17g}")
        rows = np.vstack([features for features, _ in data])
        for shape in ("lines", "steps") if bound in ("given", "average") else ("lines",):
            written = []
            for features, labels in data:
                parts = curves(zip(features.T, rows.min(axis=0), rows.max(axis=0)), shape)
                written.append(planes(measure, decay, bound, np.hstack(parts), labels))
            for signs in (np.zeros(dimension), np.resize([1, -1, 0], dimension), -np.ones(dimension)):
                spread = np.repeat(signs, [part.shape[1] for part in parts])
                primal, dual, _ = optimum(weight, written, spread)
                curved.append(f"{name} {shape} {''.join('0+-'[int(x)] for x in signs)} {primal:.17g} {dual:.17g}")
    (folder / "curved_optima.txt").write_text("\n".join(curved) + "\n")
    (folder / "signed_optima.txt").write_text("\n".join(signed) + "\n")
    (folder / "optima.txt").write_text("\n".join(summary) + "\n")


if __name__ == "__main__":
    main()
