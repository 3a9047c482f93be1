# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/benchmarks.md and of README.md from committed results, for tools/generated.py.

    page.py --markdown FILE.csv      a table of results as it is, FILE below this folder
    page.py --markdown readme        the table of README.md
    page.py --markdown regressions   the table of make bench
    page.py --markdown RIVAL         DORM beside lightgbm, xgboost, svmrank, ridge, ranx or implicit

A verdict follows from the figures: `better` or `worse` where a difference is beyond two standard errors, or a ratio
beyond a tenth; else `level`.
"""

import argparse
import csv
import json
import math
import re
from pathlib import Path

import table

HERE = Path(__file__).resolve().parent
ORDER = ("better", "level", "worse")
# Copied by hand, from what the scripts beside them print or from a page; all other results are written by a script.
COPIED = {
    "baselines/results.csv",
    "boosting/results.csv",
    "boosting/timing.csv",
    "clicks/results.csv",
    "kernel/results.csv",
    "oracle/results.csv",
    "quality/decays.csv",
    "quality/splits.csv",
    "ratings/defaults.csv",
    "serve/results.csv",
    "train_scale/results.csv",
}
MARGIN = 1.1  # of ratios: machines differ by less
README_SETS = {
    "mq2008": "MQ2008",
    "mq2008, 60": "MQ2008, 60 training queries",
    "mq2007, 60": "MQ2007, 60 training queries",
    "lightgbm": "LightGBM's lambdarank example",
    "page-blocks": "page-blocks",
    "pendigits": "pendigits (needs interactions of features)",
}
README_RIVALS = {
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "ridge, labels": "ridge",
    "ranksvm": "RankSVM (objective of SVMrank)",
}


def read(file):
    with open(HERE / file, newline="") as stream:
        return list(csv.DictReader(stream))


def as_markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def as_it_is(file):
    with open(HERE / file, newline="") as stream:
        shown = as_markdown(list(csv.reader(stream)))
    return f"{shown}\n\nOf the development version 0.2.0; copied by hand." if file in COPIED else shown


def figures(cell):
    """A difference and its standard error, as printed."""
    found = re.fullmatch(r"([+-][\d.]+) ± ([\d.]+)", cell)
    return (float(found[1]), float(found[2])) if found else None


def by_error(difference, error):
    return "level" if abs(difference) <= 2 * error else "better" if difference > 0 else "worse"


def by_ratio(ratio):
    """Of what the rival takes to what DORM takes."""
    return "better" if ratio > MARGIN else "worse" if ratio < 1 / MARGIN else "level"


def readme():
    rows = [["test set", *README_RIVALS.values()]]
    for row in read("quality/splits.csv"):
        if row["set"] in README_SETS:
            worse = {c: by_error(*figures(row[c])) == "worse" for c in README_RIVALS}
            rows.append([README_SETS[row["set"]], *(f"**{row[c]}**" if worse[c] else row[c] for c in README_RIVALS)])
    return as_markdown(rows)


def regressions():
    return table.page(table.read(HERE / "table.csv"))


def on_splits(column):
    """NDCG@10 of tune minus that of a rival, set by set and pooled."""
    for row in read("quality/splits.csv"):
        found = figures(row[column])
        if found and not row["set"].startswith("mean, all but"):
            name = "all of these sets" if row["set"].startswith("mean") else row["set"]
            unit = " training queries" if re.search(r", \d+$", name) else ""
            yield f"NDCG@10 x 100, {name}{unit}", row[column], by_error(*found)


def to_equal_quality(method):
    for row in read("baselines/results.csv"):
        if row["method"] == method:
            ratio = float(row["pair"].split("= ")[1])
            yield f"processor time to equal quality, {row['set']}", f"{ratio:g} times", by_ratio(ratio)


def own_trees(library):
    for row in read("trees/predict.csv"):
        if row["library"] == library:
            task = f"scores of its own {int(row['trees']):,} trees, {int(row['documents']):,} documents from Python"
            yield task, f"{float(row['ratio']):g} times", by_ratio(float(row["ratio"]))


def grown(method):
    """NDCG@10 of `tune --trees` minus that of a library with its own grid, by set and pooled over test queries."""
    rows = [row for row in read("trees/quality.csv") if row["method"] == method]
    for name in dict.fromkeys(row["data"] for row in rows):
        own = [row for row in rows if row["data"] == name]
        queries, ahead, squares = (sum(float(row[key]) for row in own) for key in ("queries", "ahead", "squares"))
        mean, error = ahead / queries, math.sqrt((squares / queries - (ahead / queries) ** 2) / (queries - 1))
        cell = f"{100 * mean:+.2f} ± {100 * error:.2f}"
        yield f"NDCG@10 x 100 with trees (`tune --trees`), {name}", cell, by_error(mean, error)


def fused(method):
    rows = [row for row in read("fusion/results.csv") if (row["method"], row["training"]) == (method, "all")]
    for row in rows:
        difference, error = float(row["dorm_minus"]), float(row["two_errors"]) / 2
        name = "mean over collections" if row["collection"] == "all" else f"{row['collection']}, {row['runs']} runs"
        yield f"NDCG@10, {name}", f"{difference:+.3f} ± {error:.3f}", by_error(difference, error)


def likes():
    found = json.loads((HERE / "ratings/implicit.json").read_text())["rows"]["DORM"]
    for measure in ("ndcg@10", "recall@10"):
        difference, error = found[f"{measure} difference"], found[f"{measure} error"]
        name = f"{measure}, MovieLens-100K as likes, beside its exact ALS"
        yield name, f"{difference:+.4f} ± {error:.4f}", by_error(difference, error)
    events = json.loads((HERE / "ratings/events.json").read_text())
    for name, cost in events["rows"].items():
        if not name.startswith("DORM"):
            ratio = cost["processor"] / events["rows"]["DORM, exact"]["processor"]
            task = f"processor time of an iteration, {events['events'] / 1e6:.1f}M events, beside {name}"
            yield task, f"{ratio:.2g} times", by_ratio(ratio)


RIVALS = {
    "lightgbm": lambda: [
        *on_splits("lightgbm"),
        *grown("lambdarank"),
        *to_equal_quality("LightGBM"),
        *own_trees("lightgbm"),
    ],
    "xgboost": lambda: [*on_splits("xgboost"), *grown("xgboost"), *to_equal_quality("XGBoost"), *own_trees("xgboost")],
    "svmrank": lambda: list(on_splits("ranksvm")),
    "ridge": lambda: [*on_splits("ridge, labels"), *to_equal_quality("scikit-learn ridge")],
    "ranx": lambda: list(fused("ranx")),
    "implicit": lambda: list(likes()),
}


def beside(rival):
    """Rows of one verdict together, better first."""
    rows = sorted(RIVALS[rival](), key=lambda row: ORDER.index(row[2]))
    return as_markdown([["DORM is", "at", "difference, or what the other takes"], *([v, t, f] for t, f, v in rows)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", required=True, metavar="NAME")
    name = parser.parse_args().markdown
    if name in RIVALS:
        print(beside(name))
    elif name.endswith(".csv"):
        print(as_it_is(name))
    else:
        print({"readme": readme, "regressions": regressions}[name]())


if __name__ == "__main__":
    main()
