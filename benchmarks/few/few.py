#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many features are worth computing: `dorm train --at-most` on real data, and on generated data of known features.

few.py [--dorm build/dorm]   run and renew few.json
few.py --markdown            the tables of docs/few-features.md, from few.json alone
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "few.json"
SETS = ("mq2008", "mq2007-sample")
SHOWN = (20, 15, 10, 8, 6, 5, 4, 3, 2, 1)
FEATURES, MATTER, DOCUMENTS = 136, 10, 20


def chosen(dorm, data, at_most, *options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    words = ["train", str(data), "--at-most", str(at_most), "--model", str(data) + ".json", "--json", "-q", *options]
    told = json.loads(subprocess.run([dorm, *words], check=True, capture_output=True, text=True).stdout)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return told["few_features"], round(seconds, 1)


def letor(dorm, name, folder):
    source = Path(os.environ.get("DORM_DATA", HERE.parent.parent.parent / "shared/data")) / name
    path = folder / f"{name}.txt"
    path.write_text("".join(gzip.open(source / f"S{k}.txt.gz", "rt").read() for k in range(1, 6)))
    rows = {}
    for kind, options in (("lines", []), ("curves", ["--curves", "8"])):
        few, seconds = chosen(dorm, path, MATTER, *options)
        steps = [{"features": len(s["features"]), "mean": s["mean"], "interval": s["interval"]} for s in few["steps"]]
        rows[kind] = {"steps": steps, "seconds": seconds, "delivered": few["features"]}
        print(name, kind, seconds, few["features"], flush=True)
    return rows


def generated(dorm, seed, queries, folder):
    """Features 13, 26, ... decide the labels, with noise; how many of them are among the ten that are chosen."""
    import numpy as np  # not needed for the tables

    rng = np.random.default_rng(seed)
    path = folder / "generated.csv"
    matter = list(range(12, FEATURES, 13))[:MATTER]
    with open(path, "w") as out:
        out.write("qid,label," + ",".join(f"f{j}" for j in range(FEATURES)) + "\n")
        for q in range(queries):
            x = rng.normal(size=(DOCUMENTS, FEATURES))
            score = x[:, matter] @ np.linspace(0.5, 1.5, MATTER) + rng.normal(size=DOCUMENTS)
            labels = np.digitize(score, np.quantile(score, [0.6, 0.85]))
            for label, row in zip(labels, x):
                out.write(f"{q},{label}," + ",".join(f"{v:.4f}" for v in row) + "\n")
    few, seconds = chosen(dorm, path, MATTER)
    found = len(set(few["features"]) & {f"f{j}" for j in matter})
    print("generated", seed, queries, found, seconds, flush=True)
    return {"queries": queries, "seed": seed, "found": found, "seconds": seconds}


def run(dorm):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return {"sets": {each: letor(dorm, each, folder) for each in SETS},
                "generated": [generated(dorm, seed, queries, folder) for queries in (30, 60, 120)
                              for seed in range(3)]}  # fmt: skip


def cell(steps, features):
    step = next((s for s in steps if s["features"] == features), None)
    if step is None:
        return ""
    low, high = step["interval"]
    return f"{step['mean']:.4f} [{low:.4f}, {high:.4f}]"


def markdown():
    results = json.loads(RESULTS.read_text())
    columns = [(name, kind) for name in results["sets"] for kind in results["sets"][name]]
    lines = ["| features | " + " | ".join(f"{name}, {kind}" for name, kind in columns) + " |",
             "|---|" + "---|" * len(columns)]  # fmt: skip
    steps = {key: results["sets"][key[0]][key[1]]["steps"] for key in columns}
    most = {key: max(s["features"] for s in steps[key]) for key in columns}
    lines.append("| all | " + " | ".join(cell(steps[key], most[key]) for key in columns) + " |")
    lines += [f"| {n} | " + " | ".join(cell(steps[key], n) for key in columns) + " |" for n in SHOWN]
    lines += ["", "| generated data, queries | of the ten features, found by seed |", "|---|---|"]
    for queries in sorted({g["queries"] for g in results["generated"]}):
        found = [str(g["found"]) for g in results["generated"] if g["queries"] == queries]
        lines.append(f"| {queries} | {', '.join(found)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if options.markdown:
        print(markdown())
        return
    RESULTS.write_text(json.dumps(run(os.path.abspath(options.dorm)), indent=1) + "\n")


if __name__ == "__main__":
    main()
