#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""New users on MovieLens-100K: the list from fold-in beside the list from retraining, and the time it takes.

Users are kept out of training and folded in from a few ratings; the baseline is a model trained with those ratings.
Two trainings that differ in their seed alone show how much of a list is luck.
"""

import argparse
import gzip
import json
import os
import random
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

DATA = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k"


def read_users() -> dict[str, list[str]]:
    users: dict[str, list[str]] = {}
    with gzip.open(DATA / "u.data.gz", "rt") as stream:
        for line in stream:
            users.setdefault(line.split("\t")[0], []).append(line)
    return users


def write(path: Path, lines) -> Path:
    path.write_text("".join(lines))
    return path


class Lists:
    def __init__(self, dorm: Path, users: Path, top: int, extra: list[str]):
        self.dorm, self.users, self.top, self.extra = dorm, users, top, extra

    def train(self, ratings: Path, model: Path, seed: int) -> Path:
        command = [
            self.dorm,
            "recommend",
            "train",
            ratings,
            "--model",
            model,
            "--rank",
            "20",
            "--fixed",
            "--seed",
            str(seed),
        ]
        command += self.extra
        subprocess.run([*command, "--threads", "1", "--quiet", "--json"], check=True, capture_output=True)
        return model

    def of(self, model: Path, *options) -> dict[str, set[str]]:
        command = [
            self.dorm,
            "recommend",
            "top",
            model,
            "--users",
            self.users,
            "--top",
            str(self.top),
            "--json",
            *options,
        ]
        out = subprocess.run([*command, "--threads", "1"], check=True, capture_output=True, text=True).stdout
        rows = [json.loads(line) for line in out.splitlines()]
        return {row["user"]: {item["item"] for item in row["items"]} for row in rows}


def overlap(x: dict[str, set[str]], y: dict[str, set[str]], top: int) -> float:
    return statistics.fmean(len(x[user] & y[user]) / top for user in x)


def cpu_of_one_list(lists: Lists, model: Path, user: str) -> float:
    """Processor seconds of a whole `dorm recommend top`: start, loading the model, one list."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(20):
        subprocess.run([lists.dorm, "recommend", "top", model, "--user", user], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--given", type=int, default=20)
    parser.add_argument("--top", type=int, default=10)
    parser.add_argument("extra", nargs="*", help="options of dorm recommend train, after --")
    arguments = parser.parse_args()
    users = read_users()
    rng = random.Random(1)
    fresh = rng.sample([u for u, lines in users.items() if len(lines) >= arguments.given + 10], arguments.users)
    given = [line for u in fresh for line in rng.sample(users[u], arguments.given)]
    known = [line for u, lines in users.items() if u not in set(fresh) for line in lines]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        names = write(work / "users.txt", (u + "\n" for u in fresh))
        lists = Lists(arguments.build / "dorm", names, arguments.top, arguments.extra)
        told = write(work / "given.tsv", given)
        joint = write(work / "joint.tsv", known + given)
        without = lists.train(write(work / "known.tsv", known), work / "without", 1)
        folded = lists.of(without, "--ratings", told)
        retrained = lists.of(lists.train(joint, work / "retrained", 1))
        again = lists.of(lists.train(joint, work / "again", 2))
        print(f"{arguments.users} new users, {arguments.given} ratings each, top {arguments.top}:")
        print(f"  fold-in and retraining agree on      {overlap(folded, retrained, arguments.top):.1%}")
        print(f"  two retrainings (seeds) agree on     {overlap(retrained, again, arguments.top):.1%}")
        one = next(u for u in users if u not in fresh)
        print(f"  one list, whole command, processor   {1000 * cpu_of_one_list(lists, without, one):.1f} ms")


if __name__ == "__main__":
    main()
