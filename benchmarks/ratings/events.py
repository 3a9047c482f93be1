#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of an iteration of implicit ALS, beside the package `implicit`, on generated events.

138,000 users, 27,000 items, 20 million events (each user-item pair once, popularity by Zipf's law, activity
log-normal), 64 factors, two threads. Each trainer runs in a process of its own with 1 and with 2 iterations; an
iteration is the difference. Seconds of the processor, and the largest memory beyond the events.

    events.py --out events.json     measure
    events.py --markdown            the table of docs/recommend.md, from the committed events.json
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.pop(0)  # the folder of this file has a script called implicit

RESULTS = Path(__file__).with_suffix(".json")
TRAINERS = ("DORM, exact", "implicit, exact", "implicit, conjugate gradients")


def generate(users: int, items: int, events: int, seed: int = 1):
    """A matrix of ones with about this number of entries."""
    import numpy as np
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(seed)
    activity = rng.lognormal(0, 1.2, users)
    counts = np.minimum((activity / activity.sum() * events * 1.2).astype(np.int64) + 1, items // 3)
    popularity = 1 / (np.arange(items) + 30.0) ** 0.9
    column = rng.choice(items, size=counts.sum(), p=popularity / popularity.sum()).astype(np.int32)
    row = np.repeat(np.arange(users, dtype=np.int32), counts)
    matrix = csr_matrix((np.ones(len(row), np.float32), (row, column)), shape=(users, items))
    matrix.data[:] = 1
    return matrix


def train(trainer: str, path: str, factors: int, iterations: int, threads: int) -> None:
    """In a process of its own: prints seconds of the processor, and bytes."""
    from scipy.sparse import load_npz

    events = load_npz(path)
    if trainer.startswith("DORM"):
        from dorm.recommend import DormRecommender

        model = DormRecommender(
            factors, regularization=10.0, alpha=10.0, iterations=iterations, ease_share=0.0,
            ease_regularization=1.0, n_jobs=threads,
        )  # fmt: skip
        fit = model.fit
    else:
        from implicit.cpu.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(
            factors, 10.0, alpha=10.0, iterations=iterations, use_cg="exact" not in trainer, num_threads=threads
        )
        fit = lambda events: model.fit(events, show_progress=False)
    before = largest_memory()
    processor = time.process_time()
    fit(events)
    seconds = time.process_time() - processor
    print(json.dumps([seconds, largest_memory() - before]))


def largest_memory() -> int:
    """Of this process so far, in bytes. (What getrusage tells begins with the memory of the parent.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def measured(arguments: argparse.Namespace) -> dict:
    from scipy.sparse import save_npz

    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/events.npz"
        events = generate(arguments.users, arguments.items, arguments.events)
        save_npz(path, events, compressed=False)
        for trainer in TRAINERS:
            found = []
            for iterations in (1, 2):
                words = ["--train", trainer, path, str(arguments.factors), str(iterations), str(arguments.threads)]
                environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
                command = [sys.executable, __file__, *words]
                out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
                found.append(json.loads(out.splitlines()[-1]))
                print(trainer, iterations, found[-1], file=sys.stderr, flush=True)
            (short, _), (long, size) = found
            rows[trainer] = {"processor": long - short, "bytes": size}
    shape = {"users": events.shape[0], "items": events.shape[1], "events": int(events.nnz)}
    return {**shape, "factors": arguments.factors, "threads": arguments.threads, "rows": rows}


def markdown(results: dict) -> str:
    lines = ["| {users:,} users, {items:,} items, {events:,} events, {factors} factors |".format(**results)]
    lines[0] += " processor seconds per iteration | beyond the events |"
    lines.append("|---|---|---|")
    for name, row in results["rows"].items():
        lines.append(f"| {name} | {row['processor']:.1f} | {row['bytes'] / 1e9:.2f} GB |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=138_000)
    parser.add_argument("--items", type=int, default=27_000)
    parser.add_argument("--events", type=int, default=20_000_000)
    parser.add_argument("--factors", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--train", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        trainer, path, *numbers = arguments.train
        train(trainer, path, *map(int, numbers))
    elif arguments.markdown:
        print(markdown(json.loads(RESULTS.read_text())))
    else:
        results = measured(arguments)
        if arguments.out:
            arguments.out.write_text(json.dumps(results, indent=1) + "\n")
        print(markdown(results))


if __name__ == "__main__":
    main()
