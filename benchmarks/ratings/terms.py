#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the implicit-feedback term and the neighbours of items add, on MovieLens-100K.

N given ratings per user train, the rest test. Every cell (a setting on one split) leaves a file of values per user, so
that a stopped run goes on. The table gives NDCG@10, mean and standard deviation over the splits, and the difference
from the plain model with its t value over users, each user averaged over the splits.
"""

import argparse
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k"
GENRES = ["--item-features", str(DATA / "u.item.gz")]
NONE = ["--implicit-feedback", "0", "--neighbours", "0"]
BOTH = ["--implicit", "2", "--neighbours", "20"]
SETTINGS = {
    "squared": [*NONE, "--rounds", "0"],
    "plain": NONE,
    "genres": [*NONE, *GENRES],
    "implicit 1": ["--implicit", "1", "--neighbours", "0"],
    "implicit 2": ["--implicit", "2", "--neighbours", "0"],
    "neighbours 10": ["--implicit", "0", "--neighbours", "10"],
    "neighbours 20": ["--implicit", "0", "--neighbours", "20"],
    "both, implicit 1": ["--implicit", "1", "--neighbours", "20"],
    "both, squared": [*BOTH, "--rounds", "0"],
    "both": BOTH,
    "both, genres": [*BOTH, *GENRES],
}


def run_cell(dorm: Path, given: int, split: int, options: list[str], out: Path) -> None:
    where = ["--split", f"given:{given}", "--split-seed", str(split), "--quiet", "--threads", "1"]
    with tempfile.TemporaryDirectory() as folder:
        model, values = Path(folder) / "model", Path(folder) / "values.csv"
        commands = [
            [
                dorm,
                "recommend",
                "train",
                DATA / "u.data.gz",
                "--model",
                model,
                "--rank",
                "20",
                "--fixed",
                *where,
                *options,
            ],
            [dorm, "recommend", "evaluate", DATA / "u.data.gz", "--model", model, *where, "--measures", "ndcg@10,ndcg"],
        ]
        commands[1] += ["--per-query", values, "--bootstrap", "0"]
        for command in commands:
            subprocess.run(command, check=True, capture_output=True)
        out.write_bytes(values.read_bytes())


def per_user(path: Path, measure: str) -> dict[str, float]:
    with path.open() as stream:
        return {next(iter(row.values())): float(row[measure]) for row in csv.DictReader(stream)}


def over_splits(files: list[Path], measure: str) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for path in files:
        for user, value in per_user(path, measure).items():
            values.setdefault(user, []).append(value)
    return {user: statistics.fmean(each) for user, each in values.items()}


def paired(x: dict[str, float], y: dict[str, float]) -> str:
    differences = [x[user] - y[user] for user in x]
    spread = statistics.stdev(differences)
    mean = statistics.fmean(differences)
    return f"{mean:+.4f}, t {mean / (spread / math.sqrt(len(differences))):.1f}" if spread > 0 else "0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--given", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--splits", type=int, nargs="+", default=list(range(10)), help="seeds")
    parser.add_argument("--settings", type=lambda text: text.split(";"), default=list(SETTINGS))
    arguments = parser.parse_args()
    if not (DATA / "u.data.gz").exists():
        print(f"{DATA} is absent: skipped")
        return
    folder = arguments.build / "ratings-terms"
    folder.mkdir(parents=True, exist_ok=True)
    for given in arguments.given:
        files = {
            name: [folder / f"{name.replace(' ', '-')}-{given}-{split}.csv" for split in arguments.splits]
            for name in arguments.settings
        }
        for name, paths in files.items():
            for split, path in zip(arguments.splits, paths):
                if not path.exists():
                    run_cell(arguments.build / "dorm", given, split, SETTINGS[name], path)
                    print(f"\r{given} {name} {split}   ", end="", file=sys.stderr, flush=True)
        print(f"\nN = {given}, {len(arguments.splits)} splits: NDCG@10 (NDCG), difference from plain", flush=True)
        plain = over_splits(files["plain"], "ndcg@10")
        for name, paths in files.items():
            means = [statistics.fmean(per_user(path, "ndcg@10").values()) for path in paths]
            whole = statistics.fmean(statistics.fmean(per_user(path, "ndcg").values()) for path in paths)
            spread = statistics.stdev(means) if len(means) > 1 else 0
            line = f"  {name:<17} {statistics.fmean(means):.4f} +- {spread:.4f} ({whole:.4f})"
            print(f"{line}  {paired(over_splits(paths, 'ndcg@10'), plain)}", flush=True)


if __name__ == "__main__":
    main()
