#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/*.txt: tiny ranking problems with every plane listed, and their optimum from a dense QP solver.

Each block is a query of l documents; its planes are all l! rankings: offset = loss, direction =
Phi(reference) - Phi(ranking). cvxopt solves the dual over all planes at once; primal and dual are printed with
17 digits. Format: "dimension blocks primal dual", then per block "weight planes" and one plane per line.
"""

import itertools
import pathlib

import numpy as np
from cvxopt import matrix, solvers

solvers.options.update(show_progress=False, abstol=1e-11, reltol=1e-11, feastol=1e-11)


def block(rng, documents, dimension, measure):
    features = rng.normal(size=(documents, dimension)).astype(np.float32).astype(float)
    gains = 2.0 ** rng.integers(0, 4, size=documents) - 1
    if gains.max() == 0:
        gains[0] = 1
    discount = {
        "ndcg": 1 / np.log2(np.arange(documents) + 2),
        "ndcg@2": np.where(np.arange(documents) < 2, 1 / np.log2(np.arange(documents) + 2), 0),
        "precision@2": np.where(np.arange(documents) < 2, 0.5, 0),
    }[measure]
    if measure == "precision@2":
        gains = (gains > 0).astype(float)
    decay = 1 / np.sqrt(np.arange(documents) + 2)
    reference = np.argsort(-gains, kind="stable")
    best = discount @ gains[reference]
    planes = []
    for ranking in itertools.permutations(range(documents)):
        ranking = list(ranking)
        loss = 1 - discount @ gains[ranking] / best
        direction = (decay @ features[reference] - decay @ features[ranking]).astype(np.float32)
        planes.append((max(loss, 0.0), direction))
    return planes


def optimum(weights, blocks):
    """max sum alpha offset - 1/2 |sum alpha direction|^2, alpha >= 0, each block's sum <= its weight."""
    offsets = np.array([p[0] for b in blocks for p in b])
    directions = np.array([p[1] for b in blocks for p in b], dtype=float)
    n = len(offsets)
    rows = np.zeros((len(blocks), n))
    at = 0
    for q, planes in enumerate(blocks):
        rows[q, at : at + len(planes)] = 1
        at += len(planes)
    # The primal form: variables (w, xi), which is well conditioned however many planes there are.
    d, m = directions.shape[1], len(blocks)
    quadratic = np.zeros((d + m, d + m))
    quadratic[:d, :d] = np.eye(d)
    linear = np.concatenate([np.zeros(d), weights])
    upper = np.vstack([np.hstack([-directions, -rows.T]), np.hstack([np.zeros((m, d)), -np.eye(m)])])
    bound = np.concatenate([-offsets, np.zeros(m)])
    answer = solvers.qp(matrix(quadratic), matrix(linear), matrix(upper), matrix(bound))
    w = np.array(answer["x"]).ravel()[:d]
    primal = 0.5 * w @ w + sum(
        c * max(0.0, max(o - x.astype(float) @ w for o, x in b)) for c, b in zip(weights, blocks)
    )
    alpha = np.maximum(np.array(answer["z"]).ravel()[:n], 0)
    for q in range(m):
        total = rows[q] @ alpha
        if total > weights[q]:
            alpha[rows[q] > 0] *= weights[q] / total
    v = directions.T @ alpha
    dual = alpha @ offsets - 0.5 * v @ v
    assert primal - dual < 1e-8 * max(1, primal), (primal, dual)
    return primal, dual


def main():
    problems = [
        # seed, documents per block, dimension, weight, measure
        (1, [3, 3, 3], 2, 1.0, "ndcg"),
        (2, [4, 4, 4, 4], 3, 0.3, "ndcg"),
        (3, [5, 4, 5], 4, 1.0, "ndcg"),
        (4, [5, 5, 5, 5], 3, 10.0, "ndcg@2"),
        (5, [4, 5, 3, 4, 5, 4], 6, 0.1, "precision@2"),
        (6, [5, 5, 4, 3, 2, 5], 8, 1.0, "ndcg"),
        (7, [5], 5, 2.0, "ndcg@2"),
    ]
    folder = pathlib.Path(__file__).parent / "data"
    for seed, sizes, dimension, weight, measure in problems:
        rng = np.random.default_rng(seed)
        blocks = [block(rng, size, dimension, measure) for size in sizes]
        weights = np.array([round(weight * (1 + 0.25 * q), 6) for q in range(len(blocks))])
        primal, dual = optimum(weights, blocks)
        lines = [f"{dimension} {len(blocks)} {primal:.17g} {dual:.17g}"]
        for c, planes in zip(weights, blocks):
            unique = sorted({(o, tuple(x.tolist())) for o, x in planes})
            lines.append(f"{c:.17g} {len(unique)}")
            lines += [" ".join([f"{o:.17g}"] + [f"{v:.9g}" for v in x]) for o, x in unique]
        (folder / f"tiny{seed}.txt").write_text("\n".join(lines) + "\n")
        print(f"tiny{seed}: primal {primal:.12g} dual {dual:.12g}")


if __name__ == "__main__":
    main()
