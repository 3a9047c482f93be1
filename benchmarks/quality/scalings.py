#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a scaling costs: NDCG@10 under each, beside that of `--scale auto`, on the splits of splits.py.

    scalings.py --dorm build/dorm [--out FOLDER] [--sets "mq2008;clueweb09"] [--splits N]

Under every scaling `dorm train` is run for several C, and the C that does best on the validation queries is taken.
Figures of validation queries may settle a default; those of test queries are reported beside them. Results of single
fits are kept in FOLDER; a run goes on where it stopped. Data is found by DORM_DATA; a set that is absent is left out,
and said so.
"""

import argparse
import json
import zlib
from pathlib import Path

import numpy as np
from splits import Command, Queries, generated, sets, uci

SCALINGS = ("auto", "log-query-zscore", "query-minmax", "log-zscore", "zscore", "minmax", "none")
SIZES = (1, 10, 100, 1000)  # of C
REAL = ("mq2008", "mq2007", "lightgbm", "clueweb09")


def changed(split, change):
    """The splits with features that `change(X, queries, rng)` makes of them, X being those of all documents."""

    def of(seed):
        *parts, names = split(seed)
        rng = np.random.default_rng(seed)
        deviation = np.maximum(np.vstack([X for X, _ in parts[0]]).std(axis=0), 1e-9)
        return (*([(change(X, deviation, rng), y) for X, y in part] for part in parts), names)

    return of


def scaled_by_query(X, deviation, rng):
    """A feature whose unit depends on the query, as scores of a search do."""
    return X * np.exp(rng.normal(size=X.shape[1]))


def heavy_tails(X, deviation, rng):
    return deviation * np.sinh(np.clip(2 * X / deviation, -20, 20))


def all_sets(dorm):
    """As sets() of splits.py has them: real ones, all of whose features lie in [0, 1]; UCI sets, whose features do not;
    generated ones as they are, with units that depend on the query, and with tails that are heavier."""
    known = sets(dorm)
    found = {name: known[name] for name in REAL}
    for name in ("page-blocks", "pendigits", "optdigits"):
        found[name] = (5, False, lambda name=name: uci(name, as_read=True))
    for size in (60, 200, 1000):
        number, again, make = known[f"generated {size}, noise 1"]
        found[f"generated {size}"] = (number, again, make)
    for name, change in (("units by query", scaled_by_query), ("heavy tails", heavy_tails)):
        for size in (60, 200):
            found[f"generated {size}, {name}"] = (
                5,
                False,
                lambda size=size, change=change: changed(generated(size, 1, dorm), change),
            )
    return found


def fit(dorm, files, scaling):
    """Of the best C: its figures by query, of validation and test."""
    best = None
    for C in SIZES:
        model = files.fit(dorm, "train", "--scale", scaling, "-C", str(C))
        valid = files.parts["valid"].ndcg(files.scores(dorm, model, "valid"))
        if best is None or np.nanmean(valid) > np.nanmean(best[1]):
            chosen = json.loads(Path(model).read_text())["scaling"]["kind"]
            best = (C, valid, files.parts["test"].ndcg(files.scores(dorm, model, "test")), chosen)
    return {"C": best[0], "scaling": best[3], "valid": best[1].tolist(), "test": best[2].tolist()}


def run(options):
    for name, (splits, _, make) in all_sets(options.dorm).items():
        if options.sets and name not in options.sets:
            continue
        try:
            split = make()
        except FileNotFoundError as missing:
            print(f"{name}: left out, {missing}")
            continue
        for seed in range(min(splits, options.splits)):
            paths = {scaling: options.out / f"{name} {seed} {scaling}.json" for scaling in SCALINGS}
            if all(path.exists() for path in paths.values()):
                continue
            *lists, test_names = split(seed)
            valid_names = [f"{zlib.crc32(X.tobytes()):08x}" for X, _ in lists[1]]
            files = Command(*(Queries(part) for part in lists))
            for scaling, path in paths.items():
                if not path.exists():
                    found = fit(options.dorm, files, scaling)
                    path.write_text(
                        json.dumps(found | {"names": {"valid": valid_names, "test": [*map(str, test_names)]}})
                    )
        print(f"{name}: done", flush=True)


def difference(options, name, splits, again, scaling, part):
    """Mean over splits of the scaling minus auto, and its standard error: over queries, each averaged over the splits
    that it was judged in, where splits share them; else over splits."""
    by_query, by_split = {}, []
    for seed in range(splits):
        paths = [options.out / f"{name} {seed} {each}.json" for each in (scaling, "auto")]
        if not all(path.exists() for path in paths):
            continue
        one, other = (json.loads(path.read_text()) for path in paths)
        gaps = np.array(one[part]) - np.array(other[part])
        by_split.append(np.nanmean(gaps))
        for query, gap in zip(one["names"][part], gaps):
            if not np.isnan(gap):
                by_query.setdefault(query, []).append(gap)
    units = [np.mean(gaps) for gaps in by_query.values()] if again else by_split
    return np.mean(by_split), np.std(units, ddof=1) / np.sqrt(len(units)) if len(units) > 1 else np.nan


def report(options):
    for part in ("valid", "test"):
        print(f"\n{part} queries: the scaling minus auto, NDCG@10 x 100, and the standard error\n")
        print("| set | auto is | auto | " + " | ".join(SCALINGS[1:]) + " |\n|---|---|---" + "|---" * 6 + "|")
        for name, (splits, again, _) in all_sets(options.dorm).items():
            found = [json.loads(path.read_text()) for path in sorted(options.out.glob(f"{name} [0-9] auto.json"))]
            if not found:
                continue
            level = 100 * np.mean([np.nanmean(each[part]) for each in found])
            cells = [difference(options, name, splits, again, scaling, part) for scaling in SCALINGS[1:]]
            text = " | ".join(f"{100 * mean:+.2f} ± {100 * error:.2f}" for mean, error in cells)
            print(f"| {name} | {found[0]['scaling']} | {level:.2f} | {text} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--out", type=Path, default=Path("build-bench/scalings"))
    parser.add_argument("--sets", type=lambda text: text.split(";"), help="names between semicolons")
    parser.add_argument("--splits", type=int, default=10, help="at most so many of each set")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    run(options)
    report(options)


if __name__ == "__main__":
    main()
