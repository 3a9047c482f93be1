"""Peak memory of fitting a dense float32 array, beside the size of the array.

    python benchmarks/python/memory.py [--gib 1] [--features 136] [--passes 1000]

Each case runs in a process of its own and reports the peak of the resident memory less what the process held before the
array was made. Columns in [0, 1] need no scaling: the rows are read where they lie. Others are scaled where they are
visited.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402

DOCUMENTS_PER_QUERY = 120


def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024


def fit(case, gib, features, passes):
    import warnings

    import numpy as np

    import dorm

    warnings.simplefilter("ignore")
    dorm.DormRanker(solver_options={"max_passes": 1}, n_jobs=1).fit(dorm.synth(queries=20, features=5, n_jobs=1))
    before = resident()
    rows = int(gib * 2**30 / 4 / features)
    rng = np.random.default_rng(0)
    X = np.empty((rows, features), dtype=np.float32)
    for begin in range(0, rows, 10000):  # piece by piece: no temporary beside the array counts
        rng.random(out=X[begin : begin + 10000], dtype=np.float32)
    if case == "scaled":
        X[0, 0] = 2
    y = (X[:, :5].sum(axis=1) * 0.5 + 2 * rng.random(rows, dtype=np.float32)).astype(np.int32)
    group = np.full(rows // DOCUMENTS_PER_QUERY, DOCUMENTS_PER_QUERY)
    group[-1] += rows - group.sum()
    began = time.monotonic()
    ranker = dorm.DormRanker(solver_options={"max_passes": passes}, n_jobs=1).fit(X, y, group=group)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(
        json.dumps(
            {
                "array": X.nbytes,
                "peak": peak,
                "seconds": time.monotonic() - began,
                "gap": ranker.report_.certificate.gap,
                "passes": ranker.report_.passes,
            }
        )
    )


def main():
    options = parser(__doc__)
    options.add_argument("--gib", type=float, default=1)
    options.add_argument("--features", type=int, default=136)
    options.add_argument("--passes", type=int, default=1000)
    options.add_argument("--case", help=argparse.SUPPRESS)
    arguments = options.parse_args()
    if arguments.quick:
        arguments.gib = 0.05
    if arguments.case:
        fit(arguments.case, arguments.gib, arguments.features, arguments.passes)
        return
    print(f"{'case':<28} {'array':>10} {'peak':>10} {'peak / array':>13} {'passes':>7} {'seconds':>8}")
    told = []
    for case, name in (("unit", "float32, columns in [0, 1]"), ("scaled", "float32, to be scaled")):
        command = [sys.executable, __file__, "--case", case, "--gib", str(arguments.gib)]
        command += ["--features", str(arguments.features), "--passes", str(arguments.passes)]
        out = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        array, peak = (out[key] / 2**20 for key in ("array", "peak"))
        job = f"{arguments.gib:g} GiB, {name}"
        told.append(Row("memory", job, "peak memory / array", peak / array, kind="count", tolerance=0.1))
        print(
            f"{name:<28} {array:>6.0f} MiB {peak:>6.0f} MiB {peak / array:>13.3f} {out['passes']:>7} "
            f"{out['seconds']:>8.1f}"
        )
    report(arguments, "memory", told)


if __name__ == "__main__":
    main()
