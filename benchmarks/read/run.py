#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading LETOR text: DORM on one and two threads, plain and compressed, a baseline and a scan for line ends.

Generates the file once (--megabytes, in the build directory), checks that both readers agree on a part of it,
then times whole runs in turn; compressed files hold that part. Prints a table, how much two threads gain over one, and
writes read.csv into the build directory.
"""

import csv
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402

FEATURES = 136
MEGABYTE = 1_000_000


def generate(command: Path, path: Path, megabytes: int) -> None:
    """Data of the wanted size: the size of a small sample says how many queries that takes."""
    if path.exists() and path.stat().st_size >= megabytes * MEGABYTE:
        return
    sample = path.with_suffix(".sample")
    queries = 50
    while True:
        options = ["--queries", str(queries), "--features", str(FEATURES), "--seed", "1"]
        subprocess.run([command, "synth", *options, "-o", sample], check=True)
        size = sample.stat().st_size
        if size >= megabytes * MEGABYTE:
            sample.rename(path)
            return
        queries = int(queries * max(1.05 * megabytes * MEGABYTE / size, 1.1)) + 1


def head_of(path: Path, megabytes: int) -> Path:
    """The first lines of the file, for the slower reader."""
    part = path.with_suffix(".part")
    with open(path, "rb") as source:
        text = source.read(megabytes * MEGABYTE)
    part.write_bytes(text[: text.rfind(b"\n") + 1])
    return part


def run_reader(reader: Path, path: Path, *arguments: str) -> dict:
    output = subprocess.run([reader, path, *arguments], check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def check_agreement(reader: Path, part: Path) -> None:
    matrix = part.with_suffix(".float32")
    found = run_reader(reader, part, "1", str(matrix))
    ours = np.fromfile(matrix, dtype=np.float32).reshape(found["rows"], found["features"])
    theirs, _ = load_svmlight_file(str(part), n_features=found["features"], dtype=np.float32, zero_based=False)
    if not np.array_equal(ours, theirs.toarray()):
        sys.exit("the readers disagree: no timing")
    matrix.unlink()


def sklearn_seconds(part: Path) -> float:
    start = time.perf_counter()
    load_svmlight_file(str(part), dtype=np.float32, query_id=True)
    return time.perf_counter() - start


def name_of(ending: str, threads: int) -> str:
    return f"dorm{ending and ' ' + ending}, {threads} thread{'s' if threads > 1 else ''}"


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--megabytes", type=int, default=520)
    arguments.add_argument("--part", type=int, default=60, help="megabytes for scikit-learn")
    arguments.add_argument("--repeats", type=int, default=5)
    options = arguments.parse_args()
    if options.quick:
        options.megabytes, options.part, options.repeats = 5, 2, 1

    reader = options.build / "benchmarks" / "read" / "read_letor"
    path = options.build / f"read-{options.megabytes}.txt"
    generate(options.build / "dorm", path, options.megabytes)
    part = head_of(path, options.part)
    check_agreement(reader, part)
    files = {"": (path, path.stat().st_size)}
    for ending in (".gz", ".zst"):
        packed = part.with_suffix(f".txt{ending}")
        subprocess.run([options.build / "dorm", "convert", part, packed, "--input-format", "letor", "-q"], check=True)
        files[ending] = (packed, part.stat().st_size)

    speeds: dict[str, list[float]] = {}
    peak = 0.0
    for _ in range(options.repeats):
        for ending, (file, size) in files.items():
            for threads in (1, 2):
                result = run_reader(reader, file, str(threads))
                speeds.setdefault(name_of(ending, threads), []).append(size / MEGABYTE / result["seconds"])
                if not ending:
                    peak = max(peak, result["peak_bytes"] / (4 * result["rows"] * result["features"]))
        scanned = run_reader(reader, path, "scan")
        speeds.setdefault("byte scan", []).append(scanned["bytes"] / MEGABYTE / scanned["seconds"])
        theirs = part.stat().st_size / MEGABYTE / sklearn_seconds(part)
        speeds.setdefault("scikit-learn", []).append(theirs)

    base = statistics.median(speeds["scikit-learn"])
    rows = []
    for name, values in speeds.items():
        middle = statistics.median(values)
        rows.append([name, f"{middle:.0f}", f"{min(values):.0f}", f"{max(values):.0f}", f"{middle / base:.2f}"])
    header = ["reader", "MB/s", "slowest", "fastest", "over scikit-learn"]
    print(f"reading {path.stat().st_size / MEGABYTE:.0f} MB of LETOR text, {FEATURES} features")
    for row in [header, *rows]:
        print(f"{row[0]:<18}" + "".join(f"{cell:>12}" for cell in row[1:4]) + f"{row[4]:>20}")
    print(f"peak memory over the float32 features: {peak:.2f}")
    for ending in files:
        gain = max(speeds[name_of(ending, 2)]) / max(speeds[name_of(ending, 1)])
        print(f"two threads over one, fastest runs, {ending or 'plain'}: {gain:.2f}")
        rows.append([f"two threads over one, {ending or 'plain'}", f"{gain:.2f}", "", "", ""])
    with open(options.build / "read.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header)
        writer.writerows(rows)
        writer.writerow(["peak memory over float32", f"{peak:.3f}", "", "", ""])
    job = f"{options.megabytes} MB of LETOR"
    faster = {name: statistics.median(values) / base for name, values in speeds.items()}
    told = [Row("read", job, f"{name} / scikit-learn, MB/s", faster[name], better="higher") for name in faster]
    report(
        options,
        "read",
        [*told[:2], Row("read", job, "peak memory / float32 features", peak, kind="count", tolerance=0.1)],
    )


if __name__ == "__main__":
    main()
