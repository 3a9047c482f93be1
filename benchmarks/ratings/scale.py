#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed and memory of `dorm recommend train` on generated ratings: one and two threads, growth, peak memory.

Ratings 1 to 5 come from item quality and `--hidden` factors with noise; items are drawn by popularity (Zipf, exponent
0.8). Training holds out 5 % for validation and runs until a round no longer helps.
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

COLUMNS = ["ratings", "users", "items", "rank", "threads", "seconds", "start", "items_s", "users_s", "rounds"]
COLUMNS += ["sweep", "pass", "validation_start", "validation", "peak_mib", "cpu_seconds", "load", "list_ms"]

SWEEPS = 12  # of least squares, the default


def write_ratings(path: Path, users: int, items: int, count: int, hidden: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(users, hidden)).astype(np.float32) / hidden**0.25
    kind = rng.normal(size=(items, hidden)).astype(np.float32) / hidden**0.25
    quality = rng.normal(scale=0.5, size=items)
    popularity = np.arange(1, items + 1) ** -0.8
    popularity /= popularity.sum()
    with path.open("w") as out:
        for first in range(0, users, 1000):
            block = range(first, min(users, first + 1000))
            for u in block:
                chosen = rng.choice(items, size=count // users, replace=False, p=popularity)
                scores = 3.4 + quality[chosen] + kind[chosen] @ taste[u] + rng.normal(scale=0.7, size=len(chosen))
                stars = np.clip(np.rint(scores), 1, 5).astype(int)
                out.write("".join(f"{u}\t{j}\t{r}\n" for j, r in zip(chosen, stars)))


def measure(dorm: Path, ratings: Path, work: Path, rank: int, threads: int, rounds: int, extra: list[str]) -> dict:
    report = work / "report.json"
    command = [
        dorm,
        "recommend",
        "train",
        ratings,
        "--model",
        work / "model",
        "--rank",
        str(rank),
        "--fixed",
        "--rounds",
        str(rounds),
    ]
    command += ["--valid-share", "0.05", "--patience", "1", "--threads", str(threads), "--json", "--quiet", *extra]
    load = round(os.getloadavg()[0], 1)
    with report.open("w") as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"failed with status {status}: {command}")
    result = json.loads(report.read_text())
    return result | {
        "load": load,
        "peak_mib": usage.ru_maxrss / 1024,
        "cpu": usage.ru_utime + usage.ru_stime,
        "list_ms": list_milliseconds(work / "model"),
    }


def list_milliseconds(model: Path, lists: int = 200) -> float:
    """Processor time of one list of ten for one user, from Python; NaN where the package is not installed."""
    try:
        import dorm
    except ImportError:
        return float("nan")
    recommender = dorm.recommend.DormFactorization.load(model)
    begin = time.process_time()
    for user in recommender.user_ids_[:lists]:
        recommender.recommend(user)
    return 1000 * (time.process_time() - begin) / min(lists, len(recommender.user_ids_))


def row_of(result: dict, users: int, items: int, rank: int, threads: int) -> dict:
    half = {
        block: sum(s["seconds"] for s in result["half_steps"] if s["block"] == block) for block in ("items", "users")
    }
    passes = sum(s["passes"] for s in result["half_steps"] if s["block"] == "items")
    return {
        "ratings": result["ratings"],
        "users": users,
        "items": items,
        "rank": rank,
        "threads": threads,
        "seconds": round(result["seconds"], 2),
        "start": round(result["start_seconds"], 2),
        "items_s": round(half["items"], 2),
        "users_s": round(half["users"], 2),
        "rounds": result["round"],
        "sweep": round(result["start_seconds"] / SWEEPS, 3),
        "pass": round(half["items"] / max(1, passes), 3),
        "validation_start": round(result["rounds"][0]["validation"], 4),
        "validation": round(result["validation"], 4),
        "peak_mib": round(result["peak_mib"]),
        "cpu_seconds": round(result["cpu"], 2),
        "load": result["load"],
        "list_ms": round(result["list_ms"], 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--sizes", nargs="+", default=["6000x4000x1000000"], help="USERSxITEMSxRATINGS ...")
    parser.add_argument("--rank", type=int, default=100)
    parser.add_argument("--hidden", type=int, default=10)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("extra", nargs="*", help="options of dorm recommend train, after --")
    arguments = parser.parse_args()
    out = arguments.build / "ratings-scale.csv"
    rows = []
    for size in arguments.sizes:
        users, items, count = (int(x) for x in size.split("x"))
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            write_ratings(work / "ratings.tsv", users, items, count, arguments.hidden, 1)
            for threads in arguments.threads:
                result = measure(
                    arguments.build / "dorm",
                    *(work / "ratings.tsv", work, arguments.rank, threads, arguments.rounds, arguments.extra),
                )
                rows.append(row_of(result, users, items, arguments.rank, threads))
                print("  ".join(f"{k} {v}" for k, v in rows[-1].items()), flush=True)
    with out.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
