#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/optima.txt: the tiny problems of tests/learning/train/data with kernels, solved by a dense QP solver.

The Gram matrix of all documents is factored into explicit features (eigenvectors times roots of eigenvalues), and the
problem over all rankings of every query is solved in them. Kernels are written here a second time.
The references of `best` and `predicted` are fixed by the first feature as score.
Line: file kernel measure decay bound C primal dual.
"""

import itertools
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "train"))
from make_reference import coefficients, decay_of, optimum, reference, values_of_rankings  # noqa: E402

KERNELS = {
    "linear": lambda x, y: x @ y.T,
    "rbf:gamma=0.3": lambda x, y: np.exp(-0.3 * ((x[:, None] - y[None]) ** 2).sum(-1)),
    "poly:degree=3,coef0=1,gamma=0.5": lambda x, y: (0.5 * x @ y.T + 1) ** 3,
    "0.5*rbf(1):gamma=1+linear(2)": lambda x, y: (
        0.5 * np.exp(-((x[:, None, 0] - y[None, :, 0]) ** 2)) + np.outer(x[:, 1], y[:, 1])
    ),
}


def read(path):
    queries = {}
    for line in path.read_text().splitlines():
        label, qid, *features = line.split()
        queries.setdefault(qid, []).append((float(label), [np.float32(f.split(":")[1]) for f in features]))
    return [(np.array([y for y, _ in q]), np.array([x for _, x in q], dtype=float)) for q in queries.values()]


def planes(measure, decay, bound, mapped, scores, labels):
    rankings = list(itertools.permutations(range(len(labels))))
    values = values_of_rankings(measure, labels, rankings)
    losses = values.max() - values
    c = decay_of(decay, measure, labels)
    zero = reference(bound, c, labels, rankings, losses, scores)
    return [(loss, (zero - coefficients(c, r)) @ mapped) for loss, r in zip(losses, rankings)]


def main():
    lines = []
    problems = (HERE.parent / "train" / "data" / "optima.txt").read_text().splitlines()
    for number, problem in enumerate(problems):
        file, measure, decay, bound, weight, *_ = problem.split()
        queries = read(HERE.parent / "train" / "data" / file)
        everything = np.vstack([x for _, x in queries])
        for name in (list(KERNELS)[number % 4], list(KERNELS)[(number + 1) % 4]):
            values, vectors = np.linalg.eigh(KERNELS[name](everything, everything))
            mapped = vectors * np.sqrt(np.maximum(values, 0))
            blocks, first = [], 0
            for labels, features in queries:
                rows = mapped[first : first + len(labels)]
                blocks.append(planes(measure, decay, bound, rows, features[:, 0], labels))
                first += len(labels)
            primal, dual = optimum(float(weight), blocks)
            lines.append(f"{file} {name} {measure} {decay} {bound} {weight} {primal:.17g} {dual:.17g}")
            print(lines[-1])
    (HERE / "data").mkdir(exist_ok=True)
    (HERE / "data" / "optima.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
