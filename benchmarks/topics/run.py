#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds per list under topic budgets, 10 to 200 documents, beside SciPy's integer programs (HiGHS).

Both get the same numbers. Before any figure is printed, objectives are compared: where both claim an optimum they must
agree.
Writes topics.csv into the build directory.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import parser  # noqa: E402


def baseline(instance: dict, positions: int, limit: float) -> tuple[float, float, bool]:
    """Objective, seconds and whether it is proven, by HiGHS; without our reduction of the variables."""
    values = np.array(instance["values"]).reshape(-1, positions)
    documents = len(values)
    topics = len(instance["limits"])
    weights = np.zeros((documents, topics))
    for document, topic, weight in instance["shares"]:
        weights[document, topic] = weight
    one_per_document = sparse.kron(sparse.eye(documents), np.ones((1, positions)))
    one_per_position = sparse.kron(np.ones((1, documents)), sparse.eye(positions))
    by_topic = sparse.kron(sparse.csr_matrix(weights.T), np.ones((1, positions)))
    began = time.perf_counter()
    answer = milp(
        -values.ravel(),
        integrality=np.ones(values.size),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(one_per_document, -np.inf, 1),
            LinearConstraint(one_per_position, 1, 1),
            LinearConstraint(by_topic, -np.inf, instance["limits"]),
        ],
        options={"time_limit": limit, "mip_rel_gap": 0},
    )
    seconds = time.perf_counter() - began
    if answer.x is None:
        return float("nan"), seconds, answer.status == 2
    return -answer.fun, seconds, answer.status == 0


def disagreement(ours: dict, objective: float, proven: bool) -> bool:
    if ours["status"] == "infeasible":
        return not np.isnan(objective)
    tolerance = 1e-6 * max(1, abs(ours["bound"]))
    return objective > ours["bound"] + tolerance or (proven and objective < ours["objective"] - tolerance)


def measure(bench: Path, documents: int, arguments: argparse.Namespace) -> dict:
    command = [bench, documents, arguments.positions, arguments.topics, arguments.instances, arguments.seconds]
    lines = subprocess.run([str(x) for x in command], check=True, capture_output=True, text=True).stdout.splitlines()
    instances = [json.loads(line) for line in lines]
    peers = [baseline(instance, min(arguments.positions, documents // 2), arguments.seconds) for instance in instances]
    for instance, (objective, _, proven) in zip(instances, peers):
        if disagreement(instance, objective, proven):
            sys.exit(
                f"{documents} documents: {instance['status']} {instance['objective']}, HiGHS {objective}: no timing"
            )
    ours, theirs = [i["seconds"] for i in instances], [seconds for _, seconds, _ in peers]
    solved = [i for i in instances if i["status"] != "infeasible"]
    return {
        "documents": documents,
        "median ms": 1e3 * statistics.median(ours),
        "largest ms": 1e3 * max(ours),
        "HiGHS median ms": 1e3 * statistics.median(theirs),
        "HiGHS largest ms": 1e3 * max(theirs),
        "proven": sum(i["status"] in ("optimal", "infeasible") for i in instances),
        "largest gap": max((i["gap"] for i in solved), default=0.0),
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--positions", type=int, default=10)
    options.add_argument("--topics", type=int, default=8)
    options.add_argument("--instances", type=int, default=20)
    options.add_argument("--seconds", type=float, default=10)
    arguments = options.parse_args()
    if arguments.quick:
        arguments.instances, arguments.seconds = 2, 0.5
    bench = arguments.build / "benchmarks/topics/topics_bench"
    rows = []
    for documents in (10, 20) if arguments.quick else (10, 20, 50, 100, 200):
        rows.append(measure(bench, documents, arguments))
        print(", ".join(f"{name} {value:.4g}" for name, value in rows[-1].items()), flush=True)
    with open(arguments.build / "topics.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
