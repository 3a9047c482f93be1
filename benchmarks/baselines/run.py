#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds to a model of equal validation quality: dorm train beside LightGBM, XGBoost, liblinear and ridge.

    run.py [--dorm build/dorm] [--sets "generated mq2008"] [--again "dorm"]

All learn from the same LETOR file and are judged on the same validation queries by the same NDCG@10; the grid of each
and what its clock counts are in learners.py. The target of a split is the best figure of the method whose best is
lowest, less SLACK: all reach it. `seconds` is what the fastest of a method's settings takes to reach the target,
reading included; `chosen` the same for the setting with its best figure. `pair` compares with dorm alone: seconds of
both to what both reach, which is more than the target of all. `grid` is the time of all settings, reading once. Means
over splits. One thread each, one process each, whose memory is `MiB`.

Data is found by DORM_DATA; a set that is absent is left out. --again measures these methods anew and takes the others
from the last run. Writes baselines.csv and baselines.svg into the build folder.
"""

from __future__ import annotations

import csv
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "quality")]
from run import DATA, letor_folds, lightgbm_example  # noqa: E402  (of quality)
from table import Row, parser, report  # noqa: E402

METHODS = {
    "dorm": "dorm train",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "liblinear": "liblinear",
    "ridge": "scikit-learn ridge",
}
SLACK = 0.001
Files = list[Path]


def generated(dorm: str, queries: int, work: Path) -> Iterator[Files]:
    """Three fifths to train on, a fifth to validate, a fifth to test."""
    whole = work / "whole.txt"
    shape = ["--queries", str(queries), "--features", "136", "--documents-median", "54", "--seed", "1"]
    subprocess.run([dorm, "synth", *shape, "-o", whole, "--quiet"], check=True)
    paths = [work / f"generated-{part}.txt" for part in ("train", "valid", "test")]
    outs = [open(path, "w") for path in paths]
    with open(whole) as rows:
        for row in rows:
            place = int(row.split(" ", 2)[1][4:]) % 5
            outs[max(0, place - 2)].write(row)
    for out in outs:
        out.close()
    whole.unlink()
    yield paths


def rotations(files: Files) -> Iterator[Files]:
    """Five splits of one: where there are few queries, one split is a matter of luck."""
    rows = "".join(path.read_text() for path in files[:2]).splitlines(keepends=True)
    queries = [list(group) for _, group in itertools.groupby(rows, key=lambda row: row.split(" ", 2)[1])]
    for k in range(5):
        turn = len(queries) * k // 5
        turned = queries[turn:] + queries[:turn]
        cut = len(queries) * 2 // 3
        for path, part in zip(files, (turned[:cut], turned[cut:])):
            path.write_text("".join(row for query in part for row in query))
        yield files


def splits(name: str, options, dorm: str, work: Path) -> Iterator[Files]:
    if name == "generated":
        return generated(dorm, options.queries, work)
    return rotations(*lightgbm_example(name, work)) if name == "lightgbm-lambdarank" else letor_folds(name, work)


def measure(name: str, options, dorm: str) -> list[dict[str, dict]]:
    """For every split, what each learner said; kept in the build folder."""
    folder = options.build / ("baselines-quick" if options.quick else "baselines")
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    with tempfile.TemporaryDirectory() as work:
        for number, files in enumerate(splits(name, options, dorm, Path(work))):
            said = {}
            for method in METHODS:
                size = f"-{options.queries}" if name == "generated" else ""
                kept = folder / f"{name}{size}-{number}-{method}.json"
                if method in options.again or not kept.exists():
                    line = [sys.executable, "-W", "ignore", HERE / "learners.py", method, *files, dorm, options.quick]
                    done = subprocess.run([str(part) for part in line], stdout=subprocess.PIPE, check=True, text=True)
                    kept.write_text(done.stdout.splitlines()[-1])
                said[method] = json.loads(kept.read_text())
            found.append(said)
            if options.quick:
                break
    return found


def best(cell: dict) -> float:
    return max(figure for _, figure in cell["curve"])


def reached(cell: dict, target: float) -> float:
    return next((seconds for seconds, figure in cell["curve"] if figure >= target), float("inf"))


def fastest(said: dict, target: float) -> float:
    return min(reached(cell, target) for cell in said["cells"])


def grid_seconds(said: dict) -> float:
    """All settings, the file read once."""
    return said["reading"] + sum(cell["curve"][-1][0] - said["reading"] for cell in said["cells"])


def summary(found: list[dict[str, dict]]) -> dict[str, dict[str, float]]:
    """Means over the splits."""
    columns = ("target", "best", "test", "seconds", "chosen", "pair", "ours", "reading", "grid", "peak")
    sums: dict[str, dict[str, list[float]]] = {method: {name: [] for name in columns} for method in METHODS}
    for said in found:
        tops = {method: max(map(best, one["cells"])) for method, one in said.items()}
        target = min(tops.values()) - SLACK
        for method, one in said.items():
            chosen = max(one["cells"], key=best)
            both = min(tops[method], tops["dorm"]) - SLACK
            figures = (
                *(target, best(chosen), chosen["test"], fastest(one, target), reached(chosen, target)),
                *(fastest(one, both), fastest(said["dorm"], both)),
                *(one["reading"], grid_seconds(one), one["peak"] / 2**20),
            )
            for name, value in zip(columns, figures):
                sums[method][name].append(value)
    return {method: {name: statistics.mean(values) for name, values in row.items()} for method, row in sums.items()}


def table_of(name: str, means: dict[str, dict[str, float]]) -> list[str]:
    lines = []
    for method, row in means.items():
        pair = "" if method == "dorm" else f"{row['pair']:.3g} / {row['ours']:.3g} = {row['pair'] / row['ours']:.2g}"
        lines.append(
            f"| {name} | {METHODS[method]} | {row['best']:.4f} | {row['test']:.4f} | {row['seconds']:.3g} | "
            f"{row['chosen']:.3g} | {pair} | {row['reading']:.3g} | {row['grid']:.3g} | {row['peak']:.0f} |"
        )
    return lines


def frontier(said: dict) -> list[tuple[float, float]]:
    """Seconds and figures of the points that are better than all that took less time."""
    points, top = [], -1.0
    for seconds, figure in sorted(tuple(point) for cell in said["cells"] for point in cell["curve"]):
        if figure > top:
            points.append((seconds, figure))
            top = figure
    return points


def plot(results: dict[str, list[dict[str, dict]]], path: Path) -> None:
    """The first split of each set: the best figure that a method has after so many seconds, whatever the setting."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "dorm"
    from matplotlib import pyplot, ticker

    across = min(2, len(results))
    down = -(-len(results) // across)
    figure, axes = pyplot.subplots(down, across, figsize=(4.5 * across, 3.3 * down + 0.5), squeeze=False)
    for axis in axes.flat[len(results) :]:
        axis.remove()
    for axis, (name, found) in zip(axes.flat, results.items()):
        for number, (method, said) in enumerate(found[0].items()):
            mark = {"marker": "oPXs^"[number], "markersize": 8 if method == "dorm" else 4}
            axis.plot(*zip(*frontier(said)), color=f"C{number}", label=METHODS[method], linewidth=1.2, **mark)
        axis.set(xscale="log", title=name, xlabel="processor seconds, reading included")
        axis.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        axis.xaxis.set_minor_formatter(ticker.NullFormatter())
        axis.grid(True, which="both", alpha=0.25)
    for axis in axes[:, 0]:
        axis.set_ylabel("validation NDCG@10")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="lower center", ncols=5, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.06 / down + 0.02, 1, 1))
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--dorm", help="the command (dorm of --build)")
    arguments.add_argument("--sets", type=str.split, help="names between blanks (all)")
    arguments.add_argument("--again", type=str.split, default=list(METHODS), help="methods to measure anew (all)")
    arguments.add_argument("--queries", type=int, default=10_000, help="of the generated set")
    options = arguments.parse_args()
    if options.quick:
        options.queries = 100
    dorm = options.dorm or str(options.build / "dorm")
    every = ["generated"] if options.quick else ["generated", "mq2007-sample", "mq2008", "lightgbm-lambdarank"]
    sets = options.sets or every
    heads = ["set", "method", "best valid NDCG@10", "test", "seconds", "chosen", "pair", "reading", "grid", "MiB"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    print("\n".join(lines))
    results, rows = {}, []
    for name in sets:
        if name != "generated" and not (DATA / name).exists():
            print(f"{name} left out: no {DATA / name}; set DORM_DATA")
            continue
        shown = f"generated {options.queries:,} x 61 x 136" if name == "generated" else name
        results[shown] = measure(name, options, dorm)
        means = summary(results[shown])
        lines += table_of(shown, means)
        print("\n".join(lines[-len(METHODS) :]), flush=True)
        for method in list(METHODS)[1:]:
            ratio = means[method]["pair"] / means[method]["ours"]
            what = f"{METHODS[method]} / dorm, seconds to equal quality"
            rows.append(Row("baselines", shown, what, ratio, better="higher", tolerance=0.5))
    report(options, "baselines", rows)
    name = "baselines-quick" if options.quick else "baselines"
    with open(options.build / f"{name}.csv", "w", newline="") as out:
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|---")]
        csv.writer(out, lineterminator="\n").writerows(cells)
    plot(results, options.build / f"{name}.svg")


if __name__ == "__main__":
    main()
