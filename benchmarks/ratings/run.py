#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MovieLens-100K: N given ratings per user to train on, the rest to test; NDCG and NDCG@10 per user.

One cell is a method on one split. Every cell is one row of ratings.csv and one file of values per user beside it, so
that a run that was stopped goes on where it stood. The tables give mean and standard deviation over the splits, and
paired t-tests over users: each user's value is first averaged over the splits in which the user appears.

Data is found by DORM_DATA; where it is absent the script says so and ends.
"""

import argparse
import csv
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

DATA = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k"
MEASURES = ["ndcg@10", "ndcg"]
COLUMNS = ["method", "given", "split", "rank", "genres", *MEASURES, "seconds"]


@dataclass(frozen=True)
class Cell:
    method: str
    given: int
    split: int
    rank: int
    genres: bool

    def name(self) -> str:
        return f"{self.method}-given{self.given}-split{self.split}-rank{self.rank}{'-genres' if self.genres else ''}"


@dataclass(frozen=True)
class Method:
    """How `dorm factorize` is called. `grid`: options tried on held-out training ratings, the best refitted."""

    options: tuple = ()
    ranked: bool = True  # whether the rank matters
    genres: bool = True  # whether item features can be used
    grid: tuple = ()


METHODS = {
    "item-mean": Method(("--rounds", "0", "--start-sweeps", "0"), ranked=False, genres=False),
    "squared": Method(("--rounds", "0")),
    "dorm": Method(),
    "dorm-best": Method(("--bound", "best", "--lambda", "6")),
    "squared-chosen": Method(("--rounds", "0"), grid=tuple(("--start-lambda", x) for x in ("8", "10", "12", "14"))),
    "dorm-chosen": Method(grid=tuple(("--lambda", x) for x in ("6", "12", "24"))),
}


class Runner:
    def __init__(self, dorm: Path, work: Path, threads: int):
        self.dorm, self.work, self.threads = dorm, work, threads

    def call(self, *arguments) -> dict:
        command = [self.dorm, *arguments, "--json", "--quiet", "--threads", str(self.threads)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def factorize(self, cell: Cell, *options) -> dict:
        features = ["--item-features", DATA / "u.item.gz"] if cell.genres else []
        return self.call(
            *("factorize", DATA / "u.data.gz", "--model", self.work / "model", "--rank", str(cell.rank)),
            *("--split", f"given:{cell.given}", "--split-seed", str(cell.split), *features),
            *METHODS[cell.method].options,
            *options,
        )

    def choose(self, cell: Cell) -> tuple:
        grid = METHODS[cell.method].grid
        return max(grid, key=lambda options: self.factorize(cell, *options, "--valid-share", "0.3")["validation"])

    def run(self, cell: Cell, per_user: Path) -> list:
        chosen = self.choose(cell) if METHODS[cell.method].grid else ()
        report = self.factorize(cell, *chosen)
        subprocess.run(
            [
                *(self.dorm, "eval", "--ratings", DATA / "u.data.gz", "--model", self.work / "model", "--quiet"),
                *("--split", f"given:{cell.given}", "--split-seed", str(cell.split)),
                *("--measures", ",".join(MEASURES), "--per-query", per_user, "--bootstrap", "0"),
                *("--threads", str(self.threads)),
            ],
            check=True,
            capture_output=True,
        )
        return [report["test"]["measures"][m]["mean"] for m in MEASURES] + [report["seconds"]]


def cells_of(arguments) -> list[Cell]:
    cells = []
    for method, given, genres in itertools.product(arguments.methods, arguments.given, (False, True)):
        if genres and not METHODS[method].genres:
            continue
        ranks = arguments.ranks if METHODS[method].ranked else [0]
        cells += [Cell(method, given, split, rank, genres) for rank in ranks for split in arguments.splits]
    return cells


def read_rows(path: Path) -> dict[Cell, dict]:
    if not path.exists():
        return {}
    with path.open() as stream:
        return {
            Cell(r["method"], int(r["given"]), int(r["split"]), int(r["rank"]), r["genres"] == "True"): r
            for r in csv.DictReader(stream)
        }


def fill(cells: list[Cell], out: Path, users: Path, runner: Runner) -> None:
    done = read_rows(out)
    missing = [cell for cell in cells if cell not in done]
    if not out.exists():
        out.write_text(",".join(COLUMNS) + "\n")
    for number, cell in enumerate(missing):
        values = runner.run(cell, users / f"{cell.name()}.csv")
        row = [cell.method, cell.given, cell.split, cell.rank, cell.genres, *values]
        with out.open("a") as stream:
            csv.writer(stream, lineterminator="\n").writerow(row)
        print(f"\r{number + 1} of {len(missing)} cells", end="", file=sys.stderr)
    print(file=sys.stderr)


def user_means(cells: list[Cell], users: Path, measure: str) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for cell in cells:
        with (users / f"{cell.name()}.csv").open() as stream:
            for row in csv.DictReader(stream):
                values.setdefault(next(iter(row.values())), []).append(float(row[measure]))
    return {user: statistics.fmean(v) for user, v in values.items()}


def paired_t(x: dict[str, float], y: dict[str, float]) -> tuple[float, float]:
    """The mean difference over users and its t value."""
    differences = [x[user] - y[user] for user in x.keys() & y.keys()]
    spread = statistics.stdev(differences)
    mean = statistics.fmean(differences)
    return mean, mean / (spread / math.sqrt(len(differences))) if spread > 0 else 0.0


def print_tables(cells: list[Cell], rows: dict[Cell, dict], users: Path) -> None:
    keys = sorted({(c.genres, c.given, c.method, c.rank) for c in cells})
    for genres, given in sorted({(k[0], k[1]) for k in keys}):
        print(f"\nN = {given}, {'with' if genres else 'without'} genres: mean (standard deviation over splits)")
        groups = {k: [c for c in cells if (c.genres, c.given, c.method, c.rank) == k] for k in keys}
        here = {k: group for k, group in groups.items() if k[:2] == (genres, given)}
        means = {
            k: {m: [float(rows[c][m]) for c in group] for m in (*MEASURES, "seconds")} for k, group in here.items()
        }
        best = max(means, key=lambda k: statistics.fmean(means[k]["ndcg@10"]))
        reference = user_means(here[best], users, "ndcg@10")
        for k in sorted(here, key=lambda k: -statistics.fmean(means[k]["ndcg@10"])):
            cell = "".join(
                f"  {m} {statistics.fmean(v):.4f} ({statistics.stdev(v) if len(v) > 1 else 0:.4f})"
                for m, v in ((m, means[k][m]) for m in MEASURES)
            )
            test = ""
            if k != best:
                difference, t = paired_t(user_means(here[k], users, "ndcg@10"), reference)
                test = f"  {difference:+.4f} to the first, t = {t:.1f}"
            seconds = statistics.fmean(means[k]["seconds"])
            print(f"  {k[2]:<15} rank {k[3]:<4}{cell}  {seconds:.2f} s{test}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--methods", type=lambda t: t.split(","), default=list(METHODS), help=",".join(METHODS))
    parser.add_argument("--given", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--ranks", type=int, nargs="+", default=[5, 10, 20, 100])
    parser.add_argument("--splits", type=int, nargs="+", default=list(range(100, 110)), help="seeds")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    if unknown := set(arguments.methods) - set(METHODS):
        parser.error(f"unknown method {', '.join(unknown)}; known: {', '.join(METHODS)}")
    if not (DATA / "u.data.gz").exists():
        print(f"{DATA} is absent: the ratings benchmark is skipped")
        return
    out, users = arguments.build / "ratings.csv", arguments.build / "ratings-users"
    users.mkdir(parents=True, exist_ok=True)
    cells = cells_of(arguments)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        fill(cells, out, users, Runner(arguments.build / "dorm", Path(work), arguments.threads))
    print_tables(cells, read_rows(out), users)
    print(f"\n{len(cells)} cells in {out}; {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
