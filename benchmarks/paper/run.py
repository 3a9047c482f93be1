"""Every experiment of the paper from one build: runs, collects, and prints the tables of docs/paper.md.

    run.py [--dorm build/dorm] [--data DIR] [--out build/paper] [--jobs N] [--seeds N] [NAME...]
    run.py --markdown NAME TABLE,... [COLUMN,...]   tables of a result that is committed, by number or first words
                                                    (mq2008:_wta), side by side, for tools/generated.py

Runs that are there already, of the same build, are not repeated. An experiment runs once per seed, every experiment
with the first seed before any with the second; a result is of the seeds that are done. A figure of a table is the mean
over seeds, ± its standard deviation over seeds where there are several.
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
# draw several times by themselves; that of the levels has no draw, as all queries of every part train and are tested.
SEEDS = {
    "uci-table": 1,
    "web-ndcg-levels": 1,
    "web-learning-curve": 5,
    "web-mrr": 5,
    "web-wta": 5,
    "decay-effect": 5,
    "runtime": 1,
    "solver-table": 5,
    "eachmovie-ndcg": 1,
    "movielens-ndcg": 1,
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
DECAYS = {
    "power:0.25": "(i + 1)^(-1/4)",
    "power:0.333": "(i + 1)^(-1/3)",
    "power:0.5": "(i + 1)^(-1/2)",
    "power:1": "1/(i + 1)",
    "power:2": "(i + 1)^(-2)",
    "power:3": "(i + 1)^(-3)",
    "log": "1/log(i + 2)",
    "loglog": "1/log log(i + 2)",
    "measure": "the measure's own (default)",
}
WORDS = {
    "feature:25": "BM25",
    "crammer-singer": "multiclass SVM",
    "crammer-singer:gain=linear": "multiclass SVM, class index",
    "ranksvm": "RankSVM",
    "ranksvm-pairs": "RankSVM, a slack per pair",
    "svm-ir-qp": "SVM-IR-QP",
    "roc-svm": "ROCArea",
    "roc-svm:rel=1": "ROCArea, label > 0",
    "precision-svm": "Precision@10",
    "precision-svm@3": "Precision@3",
    "precision-svm:rel=1": "Precision@10, label > 0",
    "ap-svm": "AP-SVM",
    "svr": "support vector regression",
    "svm": "SVM, one against the rest",
    "prank": "PRank",
    "jrank": "JRank",
    "ridge:gain=exp2": "ridge on gains",
    "gpr": "GPR",
    "gpor": "GPOR",
    "cgpr": "CGPR",
    "cgpor": "CGPOR",
    "mmmf": "MMMF",
    "squared": "squared loss, factors",
    "item-mean": "item mean",
    "dorm": "DORM, factors",
    "joint": "DORM, joint kernel",
    "joint-paper": "DORM, joint kernel, constants of the paper",
}
MEASURES = {"ndcg@10": "NDCG@10", "mrr:rel=best": "MRR of the best", "mrr": "MRR", "wta": "WTA", "mwta": "mWTA"}
MEASURES |= {"precision@10": "Precision@10", "map": "MAP"}
OTHERWISE = {"best": "bound best", "assignment": "dense assignment"}
LEFT_OUT = ("random", "ideal")  # nobody's method


def read_as(text):
    """A method's spelling as the page has it."""
    name, *rest = text.split("~")
    if name.startswith("dorm:"):
        decay = f"c = {DECAYS[rest[0]]}" if rest else "default c"
        return ", ".join([f"DORM ({MEASURES[name[5:]]})", decay, *(OTHERWISE[word] for word in rest[1:])])
    plain, *more = text.split(", ")
    return ", ".join([WORDS.get(plain, plain), *more])


def common(captions):
    """What captions of tables side by side share, and by table what they do not."""
    parts = [caption.split(": ", maxsplit=1) for caption in captions]
    if len({part[0] for part in parts}) == 1:
        return parts[0][0], [re.split(r"[,(]", part[-1])[0].strip() for part in parts]
    return re.split(r"[:,] ", captions[0], maxsplit=1)[1], [re.split(r"[:,]", caption)[0] for caption in captions]


def side_by_side(tables, columns, names):
    """The rows of the first table, and of each table these columns, by method."""
    shown = tables[0]["columns"]
    heads = [name if len(columns) == 1 else f"{name}: {shown[c]}" for name in names for c in columns]
    lines = [[shown[0], *heads]]
    for row in tables[0]["rows"]:
        found = [next((r for r in t["rows"] if r[0] == row[0]), None) for t in tables]
        lines.append([read_as(row[0])] + [r[c] if r and c < len(r) else "" for r in found for c in columns])
    return lines


def one_table(table, columns):
    lines = [[(MEASURES | WORDS).get(table["columns"][c], table["columns"][c]) for c in columns]]
    return lines + [[read_as(row[c]) if c < len(row) else "" for c in columns] for row in table["rows"]]


def named(tables, word):
    """A table by its number, or the first whose caption begins with the word, its blanks written as _."""
    if word.isdigit():
        return tables[int(word)]
    return next(table for table in tables if table["caption"].replace(" ", "_").startswith(word))


def markdown(name, tables, columns=""):
    """Tables of a result, some of their columns, without rows that no method is responsible for or that are empty."""
    result = json.loads((RESULTS / f"{name}.json").read_text())
    chosen = [named(result["tables"], word) for word in tables.split(",")]
    kept = [int(c) for c in columns.split(",")] if columns else list(range(len(chosen[0]["columns"])))
    caption, names = chosen[0]["caption"], []
    if len(chosen) > 1:
        caption, names = common([table["caption"] for table in chosen])
    lines = side_by_side(chosen, [c for c in kept if c > 0], names) if names else one_table(chosen[0], kept)
    lines = [line for line in lines if line[0] not in LEFT_OUT and any(line[1:])]
    lines.insert(1, ["---"] * len(lines[0]))
    draws = f"mean ± standard deviation over {result['seeds']} seeds, " if result["seeds"] > 1 else ""
    return f"{caption}; {draws}{result['build']}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments (all)")
    parser.add_argument("--markdown", nargs="+", metavar="WORD")
    parser.add_argument("--dorm", type=Path, default=ROOT / "build/dorm")
    parser.add_argument("--data", default=os.environ.get("DORM_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--out", type=Path, default=ROOT / "build/paper")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--threads", type=int, default=0, help="of each run")
    parser.add_argument("--seeds", type=int, default=5, help="at most, where a verdict depends on a draw (5)")
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
    seeds = {name: min(SEEDS[name], options.seeds) for name in names}
    plan = sorted(((name, seed) for name in names for seed in range(1, seeds[name] + 1)), key=lambda one: one[1])
    runs = {name: [] for name in names}
    with ThreadPoolExecutor(options.jobs) as pool:
        for (name, _), path in zip(plan, pool.map(lambda one: run_one(options, *one), plan)):
            runs[name].append(json.loads(path.read_text()))
            text = json.dumps(collected(runs[name]), indent=1, ensure_ascii=False) + "\n"
            (RESULTS / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main()
