# SPDX-License-Identifier: Apache-2.0
"""Passes over the data to a relative gap, by the number of shards, beside `bcda` and `oneslack`.

    benchmarks/distributed/passes.py --command build/dorm --data ../shared/data

One round of the bound `best` on MQ2008 and the MQ2007 sample (where found under --data) and on generated data. Passes
are counts: they do not depend on the machine. A run that needs more than --most passes is told as "> N".
"""

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SHARDS = (64, 256, 1024)


def sets(options, folder: Path) -> dict[str, Path]:
    found = {}
    for name in ("mq2008", "mq2007-sample"):
        parts = sorted((options.data / name).glob("S*.txt.gz"))
        if not parts:
            print(f"{name}: not found under {options.data}, left out", file=sys.stderr)
            continue
        text = folder / f"{name}.txt"
        text.write_bytes(b"".join(gzip.decompress(part.read_bytes()) for part in parts))
        found[name] = text
    generated = folder / "generated.dorm"
    words = ["synth", "--queries", options.queries, "--features", "46", "--documents-median", "20", "-o", generated]
    subprocess.run([str(word) for word in (options.command, *words)], check=True, capture_output=True)
    found[f"generated, {options.queries} queries"] = generated
    return found


def passes(options, data: Path, c: str, *solver: str) -> str:
    words = ["train", data, "-C", c, "--bound", "best", "--rounds", "1", "--passes", options.most]
    words += ["--tolerance", options.tolerance, "--model", "/dev/null", "--solver", *solver]
    done = subprocess.run([str(word) for word in (options.command, *words)], capture_output=True, text=True)
    found = re.search(r"last round: (\d+) passes", done.stdout)
    if not found:
        sys.exit(done.stdout + done.stderr)
    return found[1] if ": converged" in done.stdout else f"> {found[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=Path, default=Path("build/dorm"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--queries", default="20000", help="of the generated data")
    parser.add_argument("--tolerance", default="1e-3")
    parser.add_argument("--most", default="600", help="passes after which a run is given up")
    options = parser.parse_args()
    print("| data | C | bcda | oneslack | " + " | ".join(f"{s} shards" for s in SHARDS) + " | default |")
    print("|---" * (5 + len(SHARDS)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, data in sets(options, Path(folder)).items():
            for c in ("10", "100", "1000"):
                row = [passes(options, data, c, solver) for solver in ("bcda", "oneslack")]
                row += [passes(options, data, c, "shards", "--shards", str(s)) for s in (*SHARDS, 0)]
                print(f"| {name} | {c} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
