#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A large training (31,000 queries x 120 documents x 136 features, to gap 1e-2), and how training time grows.

Growth: seconds to gap 1e-3 against queries, documents per query and features, each as the exponent of a least-squares
line through the logarithms. The driver refuses to time a training that did not converge. Writes train_scale.csv and
train_scale.png into the build directory.
"""

import csv
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402

NAMES = ("seconds", "passes", "gap", "peak_bytes", "feature_bytes")
SIZES = {
    "queries": ([100, 1000, 10_000, 100_000], lambda n: (n, 10, 10)),
    "documents per query": ([10, 100, 1000, 10_000], lambda n: (50, n, 10)),
    "features": ([10, 50, 200, 1000, 2000], lambda n: (300, 20, n)),
}


def train(driver: Path, shape: tuple, tolerance: float, threads: int) -> dict:
    command = [str(driver), *map(str, shape), str(tolerance), str(threads)]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(zip(NAMES, map(float, line.split(","))))


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--threads", type=int, default=1)
    options = arguments.parse_args()
    driver = options.build / "benchmarks" / "train_scale" / "train_scale_bench"

    large = (310 if options.quick else 31_000, 120, 136)
    found = train(driver, large, 1e-2, options.threads)
    job, memory = " x ".join(map(str, large)) + " to gap 1e-2", found["peak_bytes"] / found["feature_bytes"]
    told = [Row("train_scale", job, "passes", found["passes"], kind="count")]
    told.append(Row("train_scale", job, "peak memory / features", memory, kind="count", tolerance=0.1))
    rows = [["large", "x".join(map(str, large)), *(found[name] for name in NAMES)]]
    print(
        f"{rows[0][1]} to gap 1e-2: {found['seconds']:.2f} s, {found['passes']:.0f} passes, peak memory "
        f"{found['peak_bytes'] / 2**30:.2f} GiB, {memory:.2f} x the features"
    )

    figure, axes = plt.subplots(1, len(SIZES), figsize=(5 * len(SIZES), 4))
    for axis, (name, (sizes, shape_of)) in zip(axes, SIZES.items()):
        sizes = sizes[:-1] if options.quick else sizes
        seconds = []
        for size in sizes:
            found = train(driver, shape_of(size), 1e-3, options.threads)
            rows.append([name, size, *(found[key] for key in NAMES)])
            seconds.append(found["seconds"])
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        print(f"{name}: exponent {exponent:.2f}; " + ", ".join(f"{n}: {s:.3g} s" for n, s in zip(sizes, seconds)))
        told.append(Row("train_scale", f"growth with {name}", "exponent", exponent))
        axis.loglog(sizes, seconds, marker="o")
        axis.set(xlabel=name, ylabel="seconds to gap 1e-3", title=f"exponent {exponent:.2f}")
    figure.tight_layout()
    figure.savefig(options.build / "train_scale.png", dpi=120)
    with open(options.build / "train_scale.csv", "w", newline="") as out:
        csv.writer(out).writerows([["varied", "size", *NAMES], *rows])
    report(options, "train_scale", told)


if __name__ == "__main__":
    main()
