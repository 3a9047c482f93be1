#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graph matching on deformed point sets: loss over noise, outliers and density, beside other packages; times.

run.py curves [--seeds 20]   curves.csv: linear and quadratic, unlearnt and learnt, pygmtools and scipy
run.py large                 large.csv: pairs of up to 100 nodes, scores and seconds
run.py draw                  docs/img/matching.svg from the table of `dorm lab experiment house-matching` and,
                             where it is there, curves.csv

Everything is written to and read from --folder. Needs pygmtools and scipy; PYTHONPATH names the package.
"""

import argparse
import csv
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from peers import by_pygmtools, by_scipy, numbers, score
from worlds import World, inlier_loss, make_pairs

import dorm

PEERS = ("rrwm", "sm", "ipfp")
SWEEPS = {
    "noise": [0.0, 0.02, 0.04, 0.06, 0.1],
    "outliers": [0, 2, 4, 6],
    "density": [0.15, 0.3, 0.5, 0.8],
}


def losses_at(world: World, seed: int, with_peers: bool) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    train, test = (make_pairs(world, count, rng) for count in (8, 5))
    found = {}
    for kind in ("linear", "quadratic"):
        common = {"kind": kind, "unmatched": world.outliers > 0, "n_jobs": 1, "tolerance": 1e-2, "rounds": 2}
        unlearnt = dorm.matching.GraphMatcher(**common).fit(train[0])
        learnt = dorm.matching.GraphMatcher(**common).fit(*train)
        found[f"{kind}, unlearnt"] = inlier_loss(test[1], unlearnt.predict(test[0]))
        found[f"{kind}, learnt"] = inlier_loss(test[1], learnt.predict(test[0]))
    if with_peers:  # the scores of the unlearnt quadratic matcher
        scored = [(*numbers(unlearnt, *pair), *pair) for pair in test[0]]
        for name in PEERS:
            found[f"pygmtools {name}"] = inlier_loss(test[1], [by_pygmtools(name, *each) for each in scored])
        found["scipy faq"] = inlier_loss(test[1], [by_scipy(*pair) for pair in test[0]])
    return found


def curves(folder: Path, seeds: int) -> None:
    with open(folder / "curves.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["sweep", "value", "seed", "method", "loss"])
        for sweep, values in SWEEPS.items():
            for value in values:
                for seed in range(seeds):
                    for method, loss in losses_at(replace(World(), **{sweep: value}), seed, True).items():
                        out.writerow([sweep, value, seed, method, f"{loss:.6f}"])
                file.flush()
                print(sweep, value, flush=True)


def large(folder: Path) -> None:
    """The same scores for everybody, those of an unlearnt matcher: who finds more, and how fast."""
    with open(folder / "large.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["nodes", "edges", "seed", "method", "score", "bound", "loss", "seconds"])
        for nodes in (20, 50, 100):
            for seed in range(3):
                rng = np.random.default_rng(seed)
                (pairs, matches) = make_pairs(World(inliers=nodes, noise=0.01, density=6 / nodes), 1, rng)
                matcher = dorm.matching.GraphMatcher("quadratic", n_jobs=1).fit(pairs)
                node, edge = numbers(matcher, *pairs[0])
                head = [nodes, len(pairs[0][0].edges), seed]
                began = time.perf_counter()
                ours = matcher.match(pairs)[0]
                seconds = time.perf_counter() - began
                loss = inlier_loss(matches, [ours.partners])
                out.writerow([*head, "dorm", f"{ours.score:.4f}", f"{ours.bound:.4f}", f"{loss:.4f}", f"{seconds:.3f}"])
                for name in PEERS:
                    if nodes > 50:
                        continue  # K alone takes 0.8 GB
                    began = time.perf_counter()
                    match = by_pygmtools(name, node, edge, *pairs[0])
                    seconds = time.perf_counter() - began
                    found = score(node, edge, *pairs[0], match)
                    loss = inlier_loss(matches, [match])
                    out.writerow([*head, f"pygmtools {name}", f"{found:.4f}", "", f"{loss:.4f}", f"{seconds:.3f}"])
                began = time.perf_counter()
                match = by_scipy(*pairs[0])
                seconds = time.perf_counter() - began
                found = score(node, edge, *pairs[0], match)
                loss = inlier_loss(matches, [match])
                out.writerow([*head, "scipy faq", f"{found:.4f}", "", f"{loss:.4f}", f"{seconds:.3f}"])
                file.flush()
            training = make_pairs(World(inliers=nodes, noise=0.01, density=6 / nodes), 6, np.random.default_rng(9))
            matcher = dorm.matching.GraphMatcher("quadratic", n_jobs=1, tolerance=1e-2).fit(*training)
            print(nodes, "nodes: training on 6 pairs took", round(matcher.report_["seconds"], 2), "s", flush=True)


STYLES = {
    "linear, unlearnt": ("o--", "#7a6400"),
    "linear, learnt": ("o-", "#c44e00"),
    "quadratic, unlearnt": ("s--", "#5cb2ee"),
    "quadratic, weighed": ("v:", "#007a5a"),
    "quadratic, learnt": ("s-", "#0b6cb0"),
    "pygmtools rrwm": ("^:", "#a8437f"),
    "scipy faq": ("D:", "#808080"),
}


def house_curves(path: Path) -> tuple[list[float], dict[str, list[float]]]:
    rows = list(csv.reader(open(path)))
    head = next(
        k for k, row in enumerate(rows) if len(row) > 2 and row[0] == "frames apart" and "linear, learnt" in row
    )
    body = []
    for row in rows[head + 1 :]:
        if len(row) != len(rows[head]):
            break
        body.append([float(cell) for cell in row])
    return [row[0] for row in body], {
        name: [row[k] / 100 for row in body] for k, name in enumerate(rows[head]) if k > 1
    }


def draw_sweep(axis, rows: list[dict[str, str]], sweep: str) -> None:
    for name, (style, colour) in STYLES.items():
        points = []
        for value in SWEEPS[sweep]:
            here = [row for row in rows if row["sweep"] == sweep and float(row["value"]) == value]
            losses = [float(row["loss"]) for row in here if row["method"] == name]
            if len(losses) > 1:
                points.append((value, np.mean(losses), 2 * np.std(losses, ddof=1) / np.sqrt(len(losses))))
        if points:
            x, y, error = zip(*points)
            axis.errorbar(x, y, error, fmt=style, color=colour, label=name, markersize=4, linewidth=1.2)
    axis.set(title=f"generated point sets: {sweep}", xlabel=sweep, ylabel="mean loss of inliers")


def draw(folder: Path, picture: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 9, "svg.hashsalt": "dorm"})
    curves_file = folder / "curves.csv"
    rows = list(csv.DictReader(open(curves_file))) if curves_file.exists() else []
    figure, grid = plt.subplots(
        *((2, 2) if rows else (1, 1)), figsize=(9.2, 7.0) if rows else (6.4, 4.0), squeeze=False
    )
    axes = grid.ravel()
    distances, house = house_curves(folder / "house-matching.csv")
    for name, losses in house.items():
        style, colour = STYLES[name]
        axes[0].plot(distances, losses, style, color=colour, label=name, markersize=4)
    axes[0].set(title="CMU house", xlabel="frames apart", ylabel="mean Hamming loss")
    for axis, sweep in zip(axes[1:], SWEEPS):
        draw_sweep(axis, rows, sweep)
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.set_ylim(bottom=-0.01)
    for axis in axes[:2]:
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["curves", "large", "draw"])
    parser.add_argument("--folder", type=Path, default=Path("build/matching"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--picture", type=Path, default=Path("docs/img/matching.svg"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.what == "curves":
        curves(arguments.folder, arguments.seeds)
    elif arguments.what == "large":
        large(arguments.folder)
    else:
        draw(arguments.folder, arguments.picture)


main()
