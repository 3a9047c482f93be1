# SPDX-License-Identifier: Apache-2.0
"""Passes and processor seconds of one fit of `dorm train` at C = 10 .. 1e5 on three sets, beside an older command.

A fit is one round of the bound `best` to a relative gap of 1e-3 on one thread, reading and set-up included. The repeats
of the two commands alternate, and the least seconds of each count. Before a figure is told, the certificates are held
against each other: no dual bound above the other's primal value.
"""

import gzip
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from table import Row

TRADE_OFFS = ("10", "100", "1e3", "1e4", "1e5")


@dataclass
class Fit:
    seconds: float  # of the processor
    passes: int
    primal: float
    dual: float
    converged: bool


def fit(command: Path, data: Path, c: str, limit: float) -> Fit:
    arguments = [command, "train", data, "-C", c, "--bound", "best", "--rounds", "1", "--threads", "1"]
    arguments += ["--passes", "100000", "--time-limit", str(limit), "--model", os.devnull]
    before = os.times()
    done = subprocess.run([str(part) for part in arguments], capture_output=True, text=True)
    after = os.times()
    found = re.search(r"primal (\S+), dual (\S+), relative gap \S+: (\w+)", done.stdout)
    passes = re.search(r"(\d+) passes", done.stdout)
    if not found or not passes:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    seconds = after.children_user - before.children_user + after.children_system - before.children_system
    return Fit(seconds, int(passes[1]), float(found[1]), float(found[2]), found[3] == "converged")


def best_fits(commands: list[Path], data: Path, c: str, repeats: int, limit: float) -> list[Fit]:
    best: list[Fit | None] = [None] * len(commands)
    for _ in range(repeats):
        for k, command in enumerate(commands):
            now = fit(command, data, c, limit)
            if best[k] is None or now.seconds < best[k].seconds:
                best[k] = now
        if sum(one.seconds for one in best) > 5:  # long runs repeat well enough
            break
    if max(one.dual for one in best) > min(one.primal for one in best) * (1 + 1e-5):
        sys.exit(f"{data}, C = {c}: a dual bound lies above a primal value: no timing")
    return best


def sets(command: Path, folder: Path, data: Path | None, quick: bool) -> dict[str, Path]:
    """Generated data, and what of the LightGBM set and the MQ2007 sample is found under `data`."""
    queries = 200 if quick else 1500  # all of them in the sample that the start is computed from, before and now
    found = {f"generated {queries} x 136": folder / f"web{queries}.dorm"}
    arguments = ["synth", "--queries", str(queries), "--seed", "1", "-o", str(next(iter(found.values())))]
    subprocess.run([str(command), *arguments], check=True, capture_output=True)
    if data and (train := data / "lightgbm-lambdarank" / "rank.train.gz").exists():
        found["LightGBM set"] = train
    if data and (parts := sorted((data / "mq2007-sample").glob("S*.txt.gz"))):
        found["MQ2007 sample"] = folder / "mq2007.txt"
        found["MQ2007 sample"].write_bytes(b"".join(gzip.decompress(part.read_bytes()) for part in parts))
    return found


def table(options) -> list[Row]:
    """Prints the table; its rows for the table of all benchmarks."""
    now = options.command or options.build / "dorm"
    commands = [now, options.before] if options.before else [now]
    limit, repeats = (1.0, 1) if options.quick else (options.seconds * 10, 3)
    print(f"\n{'set':<24}{'C':>6}{'passes':>8}{'seconds':>9}" + f"{'before':>8}{'':>9}{'ratio':>7}" * len(commands[1:]))
    rows = []
    for name, data in sets(now, options.build, options.data, options.quick).items():
        for c in TRADE_OFFS:
            fits = best_fits(commands, data, c, repeats, limit)
            cells = [f"{one.passes:>8}{'' if one.converged else '>':>2}{one.seconds:>7.2f}" for one in fits]
            print(
                f"{name:<24}{c:>6}" + "".join(cells) + "".join(f"{b.seconds / fits[0].seconds:>7.1f}" for b in fits[1:])
            )
            earlier = fits[1].passes if len(fits) > 1 and fits[1].converged else None
            if fits[0].converged:
                job = f"{name}, C = {c}"
                rows.append(Row("solver", job, "passes to gap 1e-3", fits[0].passes, kind="count", before=earlier))
    return rows
