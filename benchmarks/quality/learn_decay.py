#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learning the decay c together with w, by alternating minimisation: a prototype in numpy and scipy.

    learn_decay.py --dorm build/dorm [--sets "mq2008, 60"] [--splits N]

c = sum_k theta_k c_k, theta >= 0 with sum 1, over the decays of decays.py, each of unit length over the lists. With
label order as reference, ties by a ridge regression (the first round of `best`), 1/2 |w|^2 + (C/m) sum_q H_q is convex
in w for fixed theta and convex in theta for fixed w: a maximum over rankings of functions linear in either, less a
linear one. Both steps are solved by cutting planes, the most violated ranking by the linear assignment of scipy. Rounds
start at the weights of c = a and of power:0.5 and end when the objective falls by less than a thousandth; the lower end
counts. Said are theta, the objective beside those of c = a and power:0.5, and NDCG@10 of test queries, C chosen on
validation queries, minus that of c = a.
"""

import argparse

import numpy as np
from decays import DECAYS, squared_length, values
from scipy.optimize import linear_sum_assignment, linprog
from splits import Queries, scaled, sets

SETS = ("mq2008, 60", "mq2007, 60", "generated 20, noise 1", "generated 60, noise 1")
SIZES = (30, 300)
STARTS = (DECAYS.index("measure"), DECAYS.index("power:0.5"))
ROUNDS, PLANES, CLOSE = 12, 150, 1e-3


class Lists:
    """Queries with something to learn: features, gains b and position weights a, each of NDCG@10, and the decays."""

    def __init__(self, part):
        X = scaled(part)
        self.queries = []
        for begin, end in part.spans:
            gain = 2.0 ** part.y[begin:end] - 1
            if gain.max() > gain.min():
                a = values("measure", end - begin)
                self.queries.append((X[begin:end] - X[begin:end].mean(axis=0), gain / (np.sort(gain)[::-1] @ a), a))
        rows, gains = np.vstack([x for x, _, _ in self.queries]), np.concatenate([b for _, b, _ in self.queries])
        self.unit = np.sqrt((rows**2).sum(axis=1).mean())
        least = 0.01 * (rows**2).sum() / rows.shape[1] * np.eye(rows.shape[1])
        self.ridge = np.linalg.solve(rows.T @ rows + least, rows.T @ gains)
        lengths = [len(b) for _, b, _ in self.queries]
        unit = [np.sqrt(squared_length(decay, lengths)) for decay in DECAYS]
        self.decays = [
            np.array([values(decay, size) / length for decay, length in zip(DECAYS, unit)]) for size in lengths
        ]

    def cut(self, w, theta):
        """The risk at (w, theta), and its gradients: mean over queries."""
        risk, by_w, by_theta = 0.0, np.zeros(len(w)), np.zeros(len(theta))
        for (X, b, a), family in zip(self.queries, self.decays):
            X = X / self.unit
            g, c = X @ w, theta @ family
            _, place = linear_sum_assignment(-(np.outer(g, c) - np.outer(b, a)))  # document i at place[i]
            ideal = np.empty_like(place)
            ideal[np.lexsort((-(X @ self.ridge), -b))] = np.arange(len(b))
            moved = family[:, place] - family[:, ideal]  # by decay and document
            risk += 1 - b @ a[place] + theta @ moved @ g  # the best list gains 1
            by_w += X.T @ (theta @ moved)
            by_theta += moved @ g
        return risk / len(self.queries), by_w / len(self.queries), by_theta / len(self.queries)


def simplex_minimum(K, h, z):
    """min over the simplex of 1/2 z'Kz - h'z, from z, by steps between two coordinates."""
    down = h - K @ z
    for _ in range(20 * len(h)):
        to, back = np.argmax(down), np.argmin(np.where(z > 0, down, np.inf))
        if down[to] - down[back] < 1e-7 * (1 + abs(h @ z)):
            break
        curved = K[to, to] + K[back, back] - 2 * K[to, back]
        step = min(z[back], (down[to] - down[back]) / max(curved, 1e-12))
        z[to], z[back] = z[to] + step, z[back] - step
        down -= step * (K[:, to] - K[:, back])
    return z


def best_weights(lists, theta, C, w):
    """min over w by a bundle, through the dual of 1/2 |w|^2 + C max of the planes."""
    planes, offsets, lowest, z = [], [], np.inf, None
    for _ in range(PLANES):
        risk, gradient, _ = lists.cut(w, theta)
        if 0.5 * w @ w + C * risk < lowest:
            lowest, found = 0.5 * w @ w + C * risk, w
        planes.append(gradient)
        offsets.append(risk - gradient @ w)
        G, h = np.array(planes), np.array(offsets)
        z = simplex_minimum(C * G @ G.T, h, np.append(z, 0.0) if len(h) > 1 else np.ones(1))
        w = -C * G.T @ z
        if lowest - (-0.5 * w @ w + C * h @ z) < CLOSE * lowest:
            break
    return found, lowest


def best_mixture(lists, w, theta):
    """min over theta in the simplex by cutting planes."""
    lowest, found, planes, offsets = np.inf, theta, [], []
    for _ in range(PLANES):
        risk, _, gradient = lists.cut(w, theta)
        if risk < lowest:
            lowest, found = risk, theta
        planes.append([*gradient, -1])
        offsets.append(gradient @ theta - risk)
        size = len(theta)
        step = linprog([0] * size + [1], planes, offsets, [[1] * size + [0]], [1], [(0, 1)] * size + [(None, None)])
        theta = step.x[:size]
        if lowest - step.fun < 1e-4:
            break
    return found


def alternate(lists, C, w):
    """From the weights of a single decay: at w = 0, where equal theta may end, all theta are alike."""
    theta, before = best_mixture(lists, w, np.full(len(DECAYS), 1 / len(DECAYS))), np.inf
    for _ in range(ROUNDS):
        w, objective = best_weights(lists, theta, C, w)
        if objective > (1 - CLOSE) * before:
            break
        before = objective
        theta = best_mixture(lists, w, theta)
    return w, theta, objective


def compare(train, valid, test):
    """Of the best C by validation, of the mixture and of c = a."""
    lists, found = Lists(train), {}
    for C in SIZES:
        start = np.zeros(train.X.shape[1])
        single = [best_weights(lists, np.eye(len(DECAYS))[k], C, start) for k in STARTS]
        w, theta, objective = min((alternate(lists, C, end[0]) for end in single), key=lambda end: end[2])
        if theta[STARTS[0]] > 0.999:  # c = a: the same problem, solved from two sides
            w, objective = single[0] = min(single[0], (w, objective), key=lambda end: end[1])
        for name, weights in (("learnt", w), ("measure", single[0][0])):
            figures = [part.ndcg(scaled(part) @ weights) for part in (valid, test)]
            if name not in found or np.nanmean(figures[0]) > np.nanmean(found[name]["valid"]):
                found[name] = {"C": C, "valid": figures[0], "test": figures[1], "theta": theta}
                found[name] |= {"objectives": [value / C for value in (objective, single[0][1], single[1][1])]}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--sets", type=lambda text: text.split(";"), default=SETS, help="names between semicolons")
    parser.add_argument("--splits", type=int, default=3, help="at most so many of each set")
    options = parser.parse_args()
    for name in options.sets:
        splits, _, make = sets(options.dorm)[name]
        try:
            split = make()
        except FileNotFoundError as missing:
            print(f"{name}: left out, {missing}")
            continue
        gaps = []
        for seed in range(min(splits, options.splits)):
            *parts, _ = split(seed)
            found = compare(*(Queries(part) for part in parts))
            gaps.append(np.nanmean(found["learnt"]["test"]) - np.nanmean(found["measure"]["test"]))
            mixture = {decay: round(float(t), 2) for decay, t in zip(DECAYS, found["learnt"]["theta"]) if t > 0.005}
            objectives = " ".join(f"{value:.4f}" for value in found["learnt"]["objectives"])
            print(f"{name}, split {seed}: C {found['learnt']['C']}, {mixture}; objective learnt, measure, power:0.5: "
                  f"{objectives}; test {100 * gaps[-1]:+.2f}", flush=True)  # fmt: skip
        error = 196 * np.std(gaps, ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
        print(f"{name}: learnt - measure, NDCG@10 x 100: {100 * np.mean(gaps):+.2f} ± {error:.2f}")


if __name__ == "__main__":
    main()
