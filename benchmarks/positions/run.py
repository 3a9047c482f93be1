#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A planted task in which positions differ: the official site first, user content second.

Every query has three official sites, three pages of user content and fourteen others; features say, with noise, what a
page is. Gain 1 for an official site in the first place and for user content in the second. Prints position-gain@2 on
test queries of a function per position, of one function with the same loss, and of NDCG@2, pairwise and ridge rankers
that sort by one score; with --data only the files are written. Writes positions.csv into the build directory.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import parser  # noqa: E402

KINDS = [1] * 3 + [2] * 3 + [0] * 14  # labels: 1 official, 2 user content, 0 other
GAINS = "label,1,2\n0,0,0\n1,1,0\n2,0,1\n"


def write_data(path: Path, queries: int, noise: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = np.random.default_rng(7).normal(size=(3, 8))
    with open(path, "w") as file:
        file.write("qid,docid,label," + ",".join(f"f{j}" for j in range(8)) + "\n")
        for q in range(queries):
            kinds = rng.permutation(KINDS)
            rows = means[kinds] + rng.normal(size=(len(kinds), 8)) * noise + rng.normal(size=8)
            for i, (kind, row) in enumerate(zip(kinds, rows)):
                file.write(f"q{q},q{q}d{i},{kind}," + ",".join(f"{x:.4f}" for x in row) + "\n")


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_gain(dorm: str, folder: Path, name: str, *options: str) -> float:
    model = str(folder / f"{name}.json")
    run(dorm, "train", str(folder / "train.csv"), "--model", model, "--quiet", *options)
    answer = run(dorm, "eval", str(folder / "test.csv"), "--model", model, "--measures", "precision@2", "--json")
    if "--position-gains" not in options:
        gains = str(folder / "gains.csv")
        answer = run(dorm, "eval", str(folder / "test.csv"), "--model", model, "--position-gains", gains, "--json")
    return json.loads(answer)["measures"]["position-gain@2"]["mean"]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="only write train.csv, test.csv and gains.csv into this folder")
    arguments = options.parse_args()
    folder = arguments.data or arguments.build / "positions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gains.csv").write_text(GAINS)
    rows = []
    for noise in (0.3,) if arguments.data or arguments.quick else (0.3, 0.6, 1.0):
        write_data(folder / "train.csv", 200, noise, seed=1)
        write_data(folder / "test.csv", 500, noise, seed=2)
        if arguments.data:
            return
        by_position = ("--position-gains", str(folder / "gains.csv"))
        trained = {
            "a function per position": by_position,
            "one function, same loss": (*by_position, "--one-function"),
            "ndcg@2, sorted": ("--measure", "ndcg@2"),
            "pairwise, sorted": ("--method", "pairwise"),
            "ridge, sorted": ("--method", "ridge"),
        }
        dorm = str(arguments.build / "dorm")
        rows.append({"noise": noise})
        for name, options in trained.items():
            rows[-1][name] = test_gain(dorm, folder, "model", *options)
        print(", ".join(f"{name} {value:.4g}" for name, value in rows[-1].items()), flush=True)
    with open(arguments.build / "positions.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
