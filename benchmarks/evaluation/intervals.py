# SPDX-License-Identifier: Apache-2.0
"""How often intervals hold what they promise, and tests find what is not there: 1,000 draws of queries each.

    intervals.py [--draws 1000]        writes intervals.csv
    intervals.py --markdown            prints the table of docs/evaluation.md

A population of 200,000 queries has values of two rankers, as NDCG@10 has them: between 0 and 1, a part of them 0 or 1.
Each draw takes some queries at random; `compare` tells the interval of the mean difference and the p-value of the
permutation test. `covered` is the share of draws whose 95 % interval holds the true difference, `found` the share with
p < 0.05: where the rankers are alike, that is false alarm.
"""

from __future__ import annotations

import argparse
import csv
import math
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).with_suffix(".csv")
POPULATION = 200_000


def population(rng: np.random.Generator, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Two rankers that agree in part; the second is `gap` better where it does not."""
    common = rng.normal(0, 0.8, POPULATION)
    values = []
    for shift in (0.0, gap):
        value = 1 / (1 + np.exp(-(common + rng.normal(0, 0.6, POPULATION) + shift)))
        value[rng.random(POPULATION) < 0.12] = 0.0
        value[rng.random(POPULATION) < 0.05] = 1.0
        values.append(value)
    first, second = values
    if gap == 0:  # exactly alike, as a population
        swap = np.arange(POPULATION) % 2 == 1
        first, second = np.where(swap, second[::-1], first), np.where(swap, first[::-1], second)
        second = second - second.mean() + first.mean()
    return first, second


def simulate(draws: int, results: Path) -> None:
    import dorm

    rows = []
    for gap in (0.0, 0.25):
        rng = np.random.default_rng(43)
        first, second = population(rng, gap)
        true = float((second - first).mean())
        for queries in (25, 50, 200):
            covered = found = 0
            for draw in range(draws):
                chosen = rng.choice(POPULATION, queries, replace=False)
                told = dorm.compare(second[chosen], first[chosen], random_state=draw)
                covered += told.low <= true <= told.high
                found += told.p_permutation < 0.05
            rows.append([f"{round(true, 4) + 0.0:.4f}", queries, draws, covered, found])
            print(rows[-1], flush=True)
    with results.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["difference", "queries", "draws", "covered", "found"])
        out.writerows(rows)


def markdown() -> str:
    lines = [
        "| true difference | queries | covered by the 95 % interval | permutation test below 5 % |",
        "|---|---|---|---|",
    ]
    for row in csv.DictReader(RESULTS.open()):
        draws = int(row["draws"])
        cells = []
        for what in ("covered", "found"):
            share = int(row[what]) / draws
            cells.append(f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / draws):.1f} %")
        lines.append(f"| {row['difference']} | {row['queries']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--draws", type=int, default=1000)
    words.add_argument("--results", type=Path, default=RESULTS, help="where results go")
    words.add_argument("--markdown", action="store_true")
    given = words.parse_args()
    if given.markdown:
        print(markdown())
    else:
        simulate(given.draws, given.results)


if __name__ == "__main__":
    main()
