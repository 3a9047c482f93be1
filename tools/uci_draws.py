# SPDX-License-Identifier: Apache-2.0
"""How much a figure of Table 1 depends on the documents drawn: page-blocks again with other seeds.

    uci_draws.py build/dorm FOLDER_OF_DATA [--seeds 5]

As `dorm experiment uci-table` draws them: half of the documents to test on, two thirds of the rest to train on, one
third to choose C; 50, 50 and 100 queries of 100 documents; features divided by their largest training value. Prints
NDCG@10 times 100 on the test queries of each seed, and means.
"""

import argparse
import gzip
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

METHODS = ["dorm:ndcg@10~power:1", "dorm:ndcg@10", "prank", "svm", "crammer-singer", "ridge"]


def write(path, pool, queries, largest, rng):
    with open(path, "w") as out:
        for q in range(1, queries + 1):
            for row in pool[rng.choice(len(pool), 100, replace=False)]:
                features = " ".join(f"{j + 1}:{x:.6g}" for j, x in enumerate(row[:-1] / largest))
                out.write(f"{row[-1] - 1:g} qid:{q} {features}\n")


def draw(folder, rows, seed):
    rng = np.random.default_rng(seed)
    rows = rows[rng.permutation(len(rows))]
    half, cut = len(rows) // 2, len(rows) // 2 * 2 // 3
    largest = np.maximum(np.abs(rows[:cut, :-1]).max(axis=0), 1e-30)
    for name, pool, queries in (
        ("train", rows[:cut], 50),
        ("valid", rows[cut:half], 50),
        ("test", rows[half:], 100),
    ):
        write(folder / f"{name}.txt", pool, queries, largest, rng)


def figures(dorm, folder):
    command = [dorm, "compare", folder / "train.txt", "--valid", folder / "valid.txt", "--test", folder / "test.txt"]
    command += ["--methods", ",".join(METHODS), "--measures", "ndcg@10", "--C", "1,10,100,1000", "--scale", "none"]
    done = subprocess.run([*map(str, command), "--json", "--quiet", "--threads", "1"], capture_output=True, check=True)
    rows = json.loads(done.stdout)["rows"]
    return [100 * row["measures"]["ndcg@10"]["mean"] for row in rows if row["method"] in METHODS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dorm")
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    with gzip.open(arguments.data / "uci" / "page-blocks.data.gz") as file:
        rows = np.loadtxt(file)
    print("seed", *METHODS, sep="  ")
    seen = []
    for seed in range(1, arguments.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            draw(Path(folder), rows, seed)
            seen.append(figures(arguments.dorm, Path(folder)))
        print(seed, *(f"{x:.1f}" for x in seen[-1]), sep="  ", flush=True)
    table = np.array(seen)
    print("mean", *(f"{x:.1f}" for x in table.mean(axis=0)), sep="  ")
    print("standard deviation", *(f"{x:.1f}" for x in table.std(axis=0, ddof=1)), sep="  ")


main()
