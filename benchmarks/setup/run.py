#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What training does before its first pass, part by part, over the time of streaming the features once; one core.

    python benchmarks/setup/run.py [--build build-bench] [--data FILE.dorm] [--before OLDER_DORM]

With --before the whole training of an older command is run in turn with that of the build; least of five, processor
time with the system's. Without --data, 2,000 generated queries of 136 features that are to be scaled.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build-bench"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--before", type=Path, help="an older command, for the ratio of whole trainings")
    options = parser.parse_args()
    dorm = options.build / "dorm"
    with tempfile.TemporaryDirectory() as folder:
        data = options.data
        if data is None:
            data = Path(folder) / "web.dorm"
            subprocess.run([dorm, "synth", "--queries", "2000", "--features", "136", "-o", data, "-q"], check=True)
        lines = subprocess.run(
            [options.build / "benchmarks" / "setup" / "setup_bench", data], check=True, capture_output=True, text=True
        ).stdout.splitlines()
        parts = {name: float(seconds) for name, seconds in (line.rsplit(",", 1) for line in lines)}
        print(f"{'part':<28}{'seconds':>9}{'over stream':>13}")
        for name, seconds in parts.items():
            print(f"{name:<28}{seconds:>9.4f}{seconds / parts['stream']:>13.1f}")
        before_pass = sum(s for name, s in parts.items() if name != "stream" and not name.startswith("pass"))
        print(f"{'all before the first pass':<28}{before_pass:>9.4f}{before_pass / parts['stream']:>13.1f}")
        if not options.before:
            return
        train = ["train", data, "--bound", "best", "-C", "100", "--threads", "1", "--model", os.devnull]
        seconds = {command: float("inf") for command in (options.before, dorm)}
        for _ in range(5):
            for command in seconds:
                seconds[command] = min(seconds[command], processor_seconds([command, *train]))
        older, newer = seconds.values()
        print(f"training: {older:.2f} s before, {newer:.2f} s now, {older / newer:.2f} times faster", file=sys.stderr)
        print(f"set-up over training: {before_pass / newer:.2f}")


if __name__ == "__main__":
    main()
