#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/list_optima.txt: the problems of lists by position on data/tiny*.txt, solved by a dense QP solver.

All lists of every query are tried. Gains G[label, position], c_j = 1 / log2(1 + rank), topics and references are
written here a second time: references of `best` and `predicted` are fixed by w = first feature, v = 0.
Line: file positions per_position topics bound C primal dual.
"""

import itertools
import pathlib

import numpy as np
from make_reference import optimum

GAINS = np.array([[0, 0, 0.2], [1, 0.2, 0], [0.3, 0.9, 0.5]])  # by label, position
LIMITS = np.array([1.3, 2.0])


def topics_of(i):
    return np.array([0.2 + 0.3 * (i % 3), 1.0 if i % 2 == 0 else 0.0])


def read(path):
    queries = {}
    for line in path.read_text().splitlines():
        words = line.split()
        row = [float(np.float32(word.split(":")[1])) for word in words[2:]]
        queries.setdefault(words[1], []).append((int(float(words[0])), row))
    return [(np.array([r[0] for r in rows]), np.array([r[1] for r in rows])) for rows in queries.values()]


def planes(labels, features, positions, per_position, topics, bound):
    n, d = min(positions, len(labels)), features.shape[1]
    c = 1 / np.log2(np.arange(2, positions + 2))
    lists = list(itertools.permutations(range(len(labels)), n))
    if topics:
        lists = [r for r in lists if np.all(sum(topics_of(i) for i in r) <= LIMITS + 1e-12)]
    gains = np.array([sum(GAINS[labels[i], j] for j, i in enumerate(r)) for r in lists])
    gains /= gains.max()

    def joint(r):
        out = np.zeros((positions + 1 if per_position else 1, d))
        for j, i in enumerate(r):
            out[0] += c[j] * features[i]
            if per_position:
                out[1 + j] += features[i]
        return out.ravel()

    allowed = [r for r, gain in zip(lists, gains) if bound == "predicted" or gain > 1 - 1e-9]
    reference = joint(max(allowed, key=lambda r: sum(c[j] * features[i, 0] for j, i in enumerate(r))))
    return [(1 - gain, reference - joint(r)) for r, gain in zip(lists, gains)]


def main():
    folder = pathlib.Path(__file__).parent / "data"
    problems = [
        ("tiny2.txt", 2, 1, 0, "best", 3.0),
        ("tiny2.txt", 3, 1, 0, "predicted", 1.0),
        ("tiny4.txt", 3, 0, 0, "best", 2.0),
        ("tiny6.txt", 3, 1, 0, "best", 1.0),
        ("tiny3.txt", 2, 0, 1, "best", 3.0),
        ("tiny7.txt", 2, 0, 1, "predicted", 10.0),
        ("tiny6.txt", 2, 1, 1, "best", 2.0),
    ]
    summary = []
    for file, positions, per_position, topics, bound, weight in problems:
        blocks = [planes(y, x, positions, per_position, topics, bound) for y, x in read(folder / file)]
        primal, dual = optimum(weight, blocks)
        summary.append(f"{file} {positions} {per_position} {topics} {bound} {weight:g} {primal:.17g} {dual:.17g}")
        print(summary[-1])
    (folder / "list_optima.txt").write_text("\n".join(summary) + "\n")


if __name__ == "__main__":
    main()
