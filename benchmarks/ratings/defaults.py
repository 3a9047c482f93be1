#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dorm recommend train` delivers by default, beside the item means, its own start and its fixed options.

MovieLens-100K and generated ratings of four kinds: dense (400 users, 100 items), sparse (1,500 users, 2,500 items, what
is rated depends on quality and taste), real (800 users, 100 items, values from -10 to 10 with two decimals, users who
spread differently) and many (8,000 users, 300 items). N given ratings per user train, the rest test; a seed makes both
the set and the split. Every cell leaves a file of NDCG@10 per user, so that a stopped run goes on. The table gives the
mean and the paired difference of the default from each of the others, in thousandths, with its standard error: the
larger of that over all users of all splits and that over splits.
"""

import argparse
import csv
import gzip
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k" / "u.data.gz"
MEANS = ["--fixed", "--start-lambda", "inf", "--rounds", "0"]
OTHERS = {"item means": MEANS, "fixed start": ["--fixed", "--rounds", "0"], "own start": None, "fixed": ["--fixed"]}
Table = tuple[np.ndarray, np.ndarray, np.ndarray]


def movielens() -> Table:
    with gzip.open(DATA, "rt") as stream:
        table = np.loadtxt(stream, dtype=int)
    return table[:, 0], table[:, 1], table[:, 2].astype(float)


def generated(kind: str, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    users, items, rank, noise, taste, popular = {
        "dense": (400, 100, 3, 0.8, 0.5, 0.0),
        "sparse": (1500, 2500, 6, 0.9, 0.5, 1.0),
        "real": (800, 100, 4, 0.9, 0.35, 0.3),
        "many": (8000, 300, 3, 0.9, 0.5, 0.7),
    }[kind]
    quality, level = 0.6 * rng.normal(size=items), 0.4 * rng.normal(size=users)
    likes, kinds = rng.normal(size=(users, rank)) * math.sqrt(taste / rank), rng.normal(size=(items, rank))
    fame = popular * (rng.normal(size=items) + 0.8 * quality)
    rows = []
    for u in range(users):
        count = {
            "dense": int(90 * rng.uniform(0.7, 1)),
            "real": int(75 * rng.uniform(0.7, 1)),
            "sparse": min(items, int(60 + rng.exponential(30))),
            "many": min(items, int(60 + rng.exponential(10))),
        }[kind]
        wish = fame + rng.gumbel(size=items) + (0.4 * kinds @ likes[u] if kind == "sparse" else 0)
        rows.append(np.argsort(-wish)[:count])
    user, item = np.repeat(np.arange(users), [len(row) for row in rows]), np.concatenate(rows)
    score = quality[item] + level[user] + (likes[user] * kinds[item]).sum(1) + noise * rng.normal(size=len(user))
    if kind != "real":
        return user, item, np.clip(np.rint(3.4 + score), 1, 5)
    spread = np.exp(0.3 * rng.normal(size=users))
    return user, item, np.round(10 * np.tanh(0.6 * score * spread[user] + 0.1), 2)


def split(table: Table, given: int, seed: int) -> tuple[Table, Table]:
    """`given` random ratings of every user who has ten more; the rest tests."""
    user, item, value = table
    order = np.lexsort((np.random.default_rng([seed, given]).random(len(user)), user))
    user, item, value = user[order], item[order], value[order]
    begin = np.flatnonzero(np.r_[True, user[1:] != user[:-1]])
    size = np.diff(np.r_[begin, len(user)])
    place, enough = np.arange(len(user)) - np.repeat(begin, size), np.repeat(size >= given + 10, size)
    parts = (enough & (place < given), enough & (place >= given))
    return tuple((user[p], item[p], value[p]) for p in parts)


def write(table: Table, path: Path) -> None:
    path.write_text("".join(f"{u}\t{i}\t{v:g}\n" for u, i, v in zip(*table)))


def run(*command: str | Path) -> float:
    began = time.process_time(), os.times().children_user
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return os.times().children_user - began[1]


def own_start(info: dict) -> list[str]:
    names = {"start_lambda": "--start-lambda", "implicit": "--implicit-feedback", "neighbours": "--neighbours"}
    names |= {"item_damping": "--item-damping", "item_prior": "--item-prior"}
    return ["--fixed", "--rounds", "0", *(f"{o}={'inf' if info[n] is None else info[n]}" for n, o in names.items())]


def run_cell(dorm: Path, kind: str, given: int, seed: int, rank: int, out: Path) -> None:
    train, test = split(movielens() if kind == "movielens" else generated(kind, seed), given, seed)
    values: dict[str, dict[str, float]] = {}
    seconds = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(train, folder / "train")
        write(test, folder / "test")
        common = ["--rank", str(rank), "--quiet", "--threads", "1"]

        def judge(method: str, options: list[str]) -> dict:
            model = folder / method.replace(" ", "-")
            seconds[method] = run(dorm, "recommend", "train", folder / "train", "--model", model, *common, *options)
            asked = ["--measures", "ndcg@10", "--bootstrap", "0", "--quiet", "--per-query", folder / "values"]
            run(dorm, "recommend", "evaluate", folder / "test", "--model", model, *asked)
            with (folder / "values").open() as stream:
                values[method] = {next(iter(row.values())): float(row["ndcg@10"]) for row in csv.DictReader(stream)}
            return json.loads(subprocess.check_output([dorm, "info", model, "--json"]))

        info = judge("default", [])
        for method, options in OTHERS.items():
            judge(method, own_start(info) if options is None else options)
    chosen = {name: info[name] for name in ("start_lambda", "implicit", "neighbours", "rounds", "lambda")}
    out.write_text(json.dumps({"values": values, "seconds": seconds, "chosen": chosen}))


def difference(cells: list[dict], other: str) -> tuple[float, float]:
    """In thousandths, with a standard error that knows of users and of splits."""
    by_split = [[c["values"]["default"][u] - v for u, v in c["values"][other].items()] for c in cells]
    everyone = [d for each in by_split for d in each]
    error = statistics.pstdev(everyone) / math.sqrt(len(everyone))
    if len(by_split) > 2:
        means = [statistics.fmean(each) for each in by_split]
        error = max(error, statistics.stdev(means) / math.sqrt(len(means)))
    return 1000 * statistics.fmean(map(statistics.fmean, by_split)), 1000 * error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--kinds", nargs="+", default=["movielens", "dense", "sparse", "real", "many"])
    parser.add_argument("--given", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(100, 106)))
    parser.add_argument("--rank", type=int, default=10)
    parser.add_argument("--chosen", action="store_true", help="print what was chosen, too")
    arguments = parser.parse_args()
    folder = arguments.build / "ratings-defaults"
    folder.mkdir(parents=True, exist_ok=True)
    print("| set, N | default | " + " | ".join(f"- {name}" for name in OTHERS) + " | s | s, fixed |")
    print("|---" * (len(OTHERS) + 4) + "|")
    for kind in arguments.kinds:
        if kind == "movielens" and not DATA.exists():
            print(f"{DATA} is absent: skipped", file=sys.stderr)
            continue
        for given in arguments.given:
            files = [folder / f"{kind}-{given}-{seed}-{arguments.rank}.json" for seed in arguments.seeds]
            for seed, path in zip(arguments.seeds, files):
                if not path.exists():
                    run_cell(arguments.build / "dorm", kind, given, seed, arguments.rank, path)
            cells = [json.loads(path.read_text()) for path in files]
            mean = statistics.fmean(statistics.fmean(c["values"]["default"].values()) for c in cells)
            line = f"| {kind}, {given} | {mean:.4f} |"
            for other in OTHERS:
                line += " {:+.1f} ({:.1f}) |".format(*difference(cells, other))
            for method in ("default", "fixed"):
                line += f" {statistics.fmean(c['seconds'][method] for c in cells):.2f} |"
            print(line, flush=True)
            if arguments.chosen:
                for seed, cell in zip(arguments.seeds, cells):
                    gains = [statistics.fmean(v.values()) for v in cell["values"].values()]
                    print("   ", seed, cell["chosen"], [f"{g:.4f}" for g in gains], flush=True)


if __name__ == "__main__":
    main()
