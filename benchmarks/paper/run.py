"""Every experiment of the paper from one build: runs, collects, and prints the tables of docs/paper.md.

    run.py [--dorm build/dorm] [--data DIR] [--out build/paper] [--jobs N] [NAME...]
    run.py --markdown NAME TABLE [COLUMN,...]       one table of a result that is committed, for tools/generated.py

Runs that are there already, of the same build, are not repeated. An experiment runs once per seed; a figure of a table
is the mean over seeds, ± its standard deviation over seeds where there are several.
"""

import argparse
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = Path(__file__).resolve().parent / "results"
# Seeds by experiment: several where a verdict depends on a draw. The experiments on ratings, UCI sets and joint kernels
# draw several times by themselves.
SEEDS = {
    "uci-table": 1,
    "web-ndcg-levels": 5,
    "web-learning-curve": 5,
    "web-mrr": 5,
    "web-wta": 5,
    "decay-effect": 5,
    "runtime": 1,
    "solver-table": 5,
    "eachmovie-ndcg": 1,
    "eachmovie-eru": 1,
    "house-matching": 1,
}
FIGURE = re.compile(r"-?\d+(\.\d+)?")


def run_one(options, name, seed):
    """The JSON of one run, from the file of an earlier one where that has the same build."""
    path = options.out / f"{name}-{seed}.json"
    if path.exists() and json.loads(path.read_text())["program"] == options.program:
        return path
    command = [options.dorm, "lab", "experiment", name, "--seed", str(seed), "--data-dir", options.data]
    command += ["--out", options.out / "cells", "--threads", str(options.threads), "--json", "--quiet"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}, seed {seed}: exit status {done.returncode}")
    path.with_suffix(".part").write_text(json.dumps({"program": options.program} | json.loads(done.stdout)))
    path.with_suffix(".part").replace(path)
    print(f"{name}, seed {seed}: done", file=sys.stderr, flush=True)
    return path


def merged_cell(cells):
    """The cells of the same place in the runs of all seeds: their own text where it is no figure or the same."""
    texts = [str(cell) for cell in cells]
    found = [FIGURE.match(text) for text in texts]
    if len(set(texts)) == 1 or not all(found):
        return texts[0]
    values = [float(match[0]) for match in found]
    digits = max(len(match[1] or ".") - 1 for match in found)
    digits = digits if digits else 1
    rest = texts[0][found[0].end() :]
    return f"{statistics.mean(values):.{digits}f} ± {statistics.stdev(values):.{digits}f}{rest}"


def collected(runs):
    first = runs[0]
    tables = []
    for at, table in enumerate(first["tables"]):
        same = [run["tables"][at] for run in runs]
        lines = [[merged_cell(cells) for cells in zip(*rows)] for rows in zip(*(one["rows"] for one in same))]
        tables.append({"caption": table["caption"], "columns": table["columns"], "rows": lines})
    return {
        "experiment": first["name"],
        "title": first["title"],
        "build": first["build"],
        "seeds": len(runs),
        "remarks": first["remarks"],
        "tables": tables,
    }


# How the spellings of the command read on the page.
WORDS = {
    "dorm:ndcg@10~power:0.25~best": "(i + 1)^(-1/4)",
    "dorm:ndcg@10~power:0.333~best": "(i + 1)^(-1/3)",
    "dorm:ndcg@10~power:0.5~best": "(i + 1)^(-1/2)",
    "dorm:ndcg@10~power:1~best": "1/(i + 1)",
    "dorm:ndcg@10~power:2~best": "(i + 1)^(-2)",
    "dorm:ndcg@10~power:3~best": "(i + 1)^(-3)",
    "dorm:ndcg@10~log~best": "1/log(i + 2)",
    "dorm:ndcg@10~loglog~best": "1/log log(i + 2)",
    "dorm:ndcg@10~measure~best": "the measure's own (default)",
}


def markdown(name, table, columns=""):
    """One table of a result, some of its columns, without the rows that no method is responsible for."""
    result = json.loads((RESULTS / f"{name}.json").read_text())
    found = result["tables"][int(table)]
    kept = [int(c) for c in columns.split(",")] if columns else range(len(found["columns"]))
    rows = [row for row in found["rows"] if row[0] not in ("random", "ideal")]
    cells = [[found["columns"][c] for c in kept], ["---"] * len(kept)]
    cells += [[WORDS.get(row[c], row[c]) if c < len(row) else "" for c in kept] for row in rows]
    draws = f"mean ± standard deviation over {result['seeds']} seeds, " if result["seeds"] > 1 else ""
    text = "\n".join("| " + " | ".join(line) + " |" for line in cells)
    return f"{found['caption']}; {draws}{result['build']}\n\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments (all)")
    parser.add_argument("--markdown", nargs="+", metavar="WORD")
    parser.add_argument("--dorm", type=Path, default=ROOT / "build/dorm")
    parser.add_argument("--data", default=os.environ.get("DORM_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--out", type=Path, default=ROOT / "build/paper")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--threads", type=int, default=0, help="of each run")
    options = parser.parse_args()
    if options.markdown:
        print(markdown(*options.markdown))
        return
    unknown = set(options.names) - set(SEEDS)
    if unknown:
        sys.exit(f"unknown experiment {', '.join(sorted(unknown))}; expected {', '.join(SEEDS)}")
    options.program = hashlib.sha256(options.dorm.read_bytes()).hexdigest()
    options.out.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(exist_ok=True)
    names = options.names or list(SEEDS)
    plan = [(name, seed) for name in names for seed in range(1, SEEDS[name] + 1)]
    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda one: (one[0], run_one(options, *one)), plan))
    for name in names:
        runs = [json.loads(path.read_text()) for own, path in done if own == name]
        (RESULTS / f"{name}.json").write_text(json.dumps(collected(runs), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
