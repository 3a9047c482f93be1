#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the choice of the decay c is worth: NDCG@10 by how c is chosen, on the splits of splits.py.

    decays.py --dorm build/dorm [--out FOLDER] [--sets "mq2008;lightgbm"] [--splits N] [--bound best]

Every decay is trained at several C, in the same units: c enters the bound beside the scores, so that t c is c with C
t^2, and C is divided by the mean squared length of c, centred over each list, relative to that of c = a. Compared are

    measure      c = a, the default; C chosen on the validation queries, as everywhere below
    slow         power:0.25, where the paper's figures and docs/paper.md have the least to lose with few queries
    validation   the decay and C of the best validation figure
    learnt       at every C the decay whose objective 1/2 |w|^2 + C bound is the least: what minimising over w and c
                 together finds in this family
    test         the decay and C of the best test figure: no rule can choose better, and none may choose so

and, of what users run, `dorm tune` as it is and with a grid of four decays, whose cells it averages. Figures of test
queries, as differences to `measure` and to `tune` as it is. Results of single splits are kept in FOLDER; a run goes on
where it stopped. Data is found by DORM_DATA; a set that is absent is left out, and said so.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from splits import Command, Queries, sets

DECAYS = ("measure", "power:0.25", "power:0.5", "power:1", "power:2", "log", "exponential:5", "measure+tail:0.1")
SIZES = (1, 10, 100, 1000)  # of C, in the units of c = a
GRID = "decay=measure/power:0.25/power:0.5/power:1"  # of tune
SETS = ("mq2008", "mq2008, 60", "mq2007", "mq2007, 60", "lightgbm", "clueweb09")
SETS += tuple(f"generated {size}, noise {noise}" for size, noise in ((20, 1), (60, 1), (60, 2), (200, 1), (200, 2)))


def values(decay, length):
    """c of the first `length` positions, for NDCG@10."""
    rank = np.arange(1, length + 1)
    own = np.where(rank <= 10, 1 / np.log2(1 + rank), 0)
    name, _, parameter = decay.partition(":")
    return {
        "measure": lambda: own,
        "power": lambda: (rank + 1.0) ** -float(parameter),
        "log": lambda: 1 / np.log(rank + 2),
        "exponential": lambda: np.exp2(-(rank - 1) / float(parameter or 5)),
        "measure+tail": lambda: own + float(parameter or 1e-3) / np.sqrt(rank),
    }[name]()


def squared_length(decay, sizes):
    """Of c over the lists, centred: adding a constant to c adds a constant to every score of a ranking."""
    return np.mean([np.var(values(decay, size)) * size for size in sizes])


def fit(dorm, files, bound):
    """Of every decay and C: the objective, and validation and test figures by query."""
    sizes, cells = files.parts["train"].sizes, []
    unit = squared_length("measure", sizes)
    for decay in DECAYS:
        for C in SIZES:
            given = C * unit / squared_length(decay, sizes)
            model = files.fit(dorm, "train", "--bound", bound, "--decay", decay, "-C", f"{given:.8g}")
            about = json.loads(Path(model).read_text())
            cell = {"decay": decay, "C": C, "explained_risk": about["explained_risk"]}
            cell["objective"] = about["certificate"]["primal"] / given  # per query, in units of the loss
            for part in ("valid", "test"):
                cell[part] = files.parts[part].ndcg(files.scores(dorm, model, part)).tolist()
            cells.append(cell)
    return cells


def tune(dorm, files):
    """Test figures by query of `tune` as it is, and with a grid of decays."""
    found = {}
    for name, grid in (("tune", ()), ("tune, decays", ("--grid", GRID))):
        model = files.fit(dorm, "tune", "--valid", files.path["valid"], *grid)
        found[name] = files.parts["test"].ndcg(files.scores(dorm, model, "test")).tolist()
    return found


def run(options):
    known = sets(options.dorm)
    for name in options.sets:
        splits, _, make = known[name]
        try:
            split = make()
        except FileNotFoundError as missing:
            print(f"{name}: left out, {missing}")
            continue
        for seed in range(min(splits, options.splits)):
            path, tuned = options.out / f"{name} {seed}.json", options.out / f"{name} {seed} tune.json"
            if path.exists() and tuned.exists():
                continue
            *lists, names = split(seed)
            files = Command(*(Queries(part) for part in lists))
            if not path.exists():
                found = {"names": [*map(str, names)], "cells": fit(options.dorm, files, options.bound)}
                path.write_text(json.dumps(found))
            if not tuned.exists():
                tuned.write_text(json.dumps({"names": [*map(str, names)]} | tune(options.dorm, files)))
        print(f"{name}: done", flush=True)


def figure(cell, part):
    return np.nanmean(np.array(cell[part], dtype=float))


def best(cells, part="valid"):
    """The first of the best."""
    return max(cells, key=lambda cell: figure(cell, part))


def choices(cells):
    of = {decay: [cell for cell in cells if cell["decay"] == decay] for decay in DECAYS}
    at = {C: [cell for cell in cells if cell["C"] == C] for C in SIZES}
    return {
        "measure": best(of["measure"]),
        "slow": best(of["power:0.25"]),
        "validation": best(cells),
        "learnt": best([min(at[C], key=lambda cell: cell["objective"]) for C in SIZES]),
        "test": best(cells, "test"),
    }


def difference(splits, again):
    """Mean over splits of (names, one, other) of one minus other, and 1.96 standard errors: over queries, each averaged
    over the splits that it was judged in, where splits share them; else over splits."""
    by_query, by_split = {}, []
    for names, one, other in splits:
        gaps = np.array(one, dtype=float) - np.array(other, dtype=float)
        by_split.append(np.nanmean(gaps))
        for query, gap in zip(names, gaps):
            if not np.isnan(gap):
                by_query.setdefault(query, []).append(gap)
    units = [np.mean(gaps) for gaps in by_query.values()] if again else by_split
    error = np.std(units, ddof=1) / np.sqrt(len(units)) if len(units) > 1 else np.nan
    return np.mean(by_split), 1.96 * error


RULES = ("slow", "validation", "learnt", "test")


def gaps_of(options, name, again):
    """What each rule is ahead of `measure`, and the grid of decays of `tune` as it is."""
    found = [json.loads(path.read_text()) for path in sorted(options.out.glob(f"{name} [0-9].json"))]
    tuned = [json.loads(path.read_text()) for path in sorted(options.out.glob(f"{name} [0-9] tune.json"))]
    chosen = [choices(split["cells"]) for split in found]
    gaps = {
        rule: difference(
            [(split["names"], by[rule]["test"], by["measure"]["test"]) for split, by in zip(found, chosen)], again
        )
        for rule in RULES
    }
    if tuned:
        both = [(split["names"], split["tune, decays"], split["tune"]) for split in tuned]
        gaps["tune"] = difference(both, again)
    return chosen, gaps


def report(options):
    print(f"\nbound {options.bound}; test queries, NDCG@10 x 100 and the half width of its interval\n")
    print("| set | splits | measure | " + " | ".join(RULES) + " | tune, four decays | decays by validation | learnt |")
    print("|---|---|---" + "|---" * len(RULES) + "|---|---|---|")
    known, means = sets(options.dorm), {}
    for name in options.sets:
        if not (options.out / f"{name} 0.json").exists():
            continue
        chosen, gaps = gaps_of(options, name, known[name][1])
        level = 100 * np.mean([figure(rule["measure"], "test") for rule in chosen])
        for rule, (mean, _) in gaps.items():
            means.setdefault(rule, []).append(mean)
        named = ["; ".join(sorted({rule[by]["decay"] for rule in chosen})) for by in ("validation", "learnt")]
        text = " | ".join(f"{100 * mean:+.2f} ± {100 * half:.2f}" for mean, half in gaps.values())
        print(f"| {name} | {len(chosen)} | {level:.2f} | {text} | {named[0]} | {named[1]} |")
    text = " | ".join(
        f"{100 * np.mean(each):+.2f} ± {196 * np.std(each, ddof=1) / np.sqrt(len(each)):.2f}" for each in means.values()
    )
    print(f"| mean | | | {text} | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--out", type=Path, default=Path("build-bench/decays"))
    parser.add_argument("--sets", type=lambda text: text.split(";"), default=SETS, help="names between semicolons")
    parser.add_argument("--splits", type=int, default=5, help="at most so many of each set")
    parser.add_argument("--bound", default="best")
    options = parser.parse_args()
    options.out = options.out / options.bound
    options.out.mkdir(parents=True, exist_ok=True)
    run(options)
    report(options)


if __name__ == "__main__":
    main()
