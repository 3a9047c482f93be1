# SPDX-License-Identifier: Apache-2.0
"""What a pass over the data costs, fitted on this machine, and what it would cost on a cluster.

    benchmarks/distributed/cost.py --command build/dorm     measure, fit, check, write cost.json
    benchmarks/distributed/cost.py --markdown fit|forecast  the tables of docs/scale.md from cost.json

A pass of `--solver shards` is taken twice over generated data, with few and with many passes: the difference of the
processor time, per pass, is that of a pass; of several pairs the least, since neighbours can only make one dearer. The
model has two rates, of bytes and of documents:

    processor seconds of a pass = bytes / bandwidth + documents * seconds of a document

It is fitted by least squares of relative errors, and checked on data that was not fitted.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RESULT = Path(__file__).resolve().parent / "cost.json"
FITTED = [(27_000, 136), (80_000, 136), (270_000, 136), (280_000, 32)]  # queries, features: 1, 3, 10 and 2.4 GB
CHECKED = (128_000, 64)
FEW, MANY = 5, 25
SHARDS = 2048

# Of a cluster: cores and memory of a machine, its network, what a message takes, passes of a training.
CORES, MEMORY, USABLE = 16, 64e9, 0.5
NETWORK = 2.5e9 / 8
LATENCY = 0.1
PASSES = 25
DOCUMENTS = [10**7, 10**8, 10**9, 10**10]
FEATURES = 136


def processor_seconds(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, done.stdout


def measured(options, queries, features, folder):
    data = folder / "data.dorm"
    synth = ["synth", "--queries", queries, "--features", features, "--documents-median", 60, "-o", data]
    processor_seconds([options.command, *synth])
    info = json.loads(processor_seconds([options.command, "info", data, "--json"])[1])

    def train(passes):
        words = ["train", data, "--bound", "best", "--rounds", 1, "-C", 1000, "--solver", "shards", "--shards", 64]
        words += ["--passes", passes, "--tolerance", 1e-9, "--threads", 1, "--model", "/dev/null", "--quiet"]
        return processor_seconds([options.command, *words])[0]

    pairs = [(train(MANY) - train(FEW)) / (MANY - FEW) for _ in range(options.pairs)]
    data.unlink()
    row = {"documents": info["documents"], "features": features, "bytes": info["feature_bytes"], "seconds": min(pairs)}
    print(row, flush=True)
    return row


def fit(rows):
    """(seconds of a byte, seconds of a document), of least relative errors."""
    aa = ab = bb = ay = by = 0.0
    for row in rows:
        a, b = row["bytes"] / row["seconds"], row["documents"] / row["seconds"]
        aa, ab, bb, ay, by = aa + a * a, ab + a * b, bb + b * b, ay + a, by + b
    determinant = aa * bb - ab * ab
    return (ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant


def predicted(result, documents, features):
    per_byte, per_document = result["fit"]
    return documents * ((features + 7) // 8 * 8) * 4 * per_byte + documents * per_document


def fit_table(result):
    print("| documents | features | GB | processor seconds of a pass | of the model | |")
    print("|---|---|---|---|---|---|")
    for row in [*result["fitted"], result["checked"]]:
        model = predicted(result, row["documents"], row["features"])
        use = "not fitted" if row is result["checked"] else "fitted"
        print(
            f"| {row['documents']:,} | {row['features']} | {row['bytes'] / 1e9:.2f} | {row['seconds']:.3f} "
            f"| {model:.3f} ({100 * (model / row['seconds'] - 1):+.0f} %) | {use} |"
        )
    per_byte, per_document = result["fit"]
    print(
        f"\nOne core: {1e-9 / per_byte:.1f} GB a second and {1e9 * per_document:.0f} ns a document beside it "
        f"({result['machine']})."
    )


def forecast_table(result):
    print(
        "| documents | GB | machines | read and shuffle once | a pass | messages of a pass | training | machine hours |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for documents in DOCUMENTS:
        size = documents * FEATURES * 4
        machines = max(1, -(-size // int(MEMORY * USABLE)))
        compute = predicted(result, documents, FEATURES) / (machines * CORES)
        message = SHARDS * (4 * FEATURES + 90) + 16 * FEATURES * machines
        seconds = compute + (message / NETWORK + LATENCY if machines > 1 else 0)
        shuffle = size / machines / NETWORK
        total = shuffle + PASSES * seconds
        print(
            f"| 10^{len(str(documents)) - 1} | {size / 1e9:,.0f} | {machines} | {shuffle:.0f} s | {seconds:.2f} s "
            f"| {message / 1e6:.1f} MB | {total / 60:.1f} min | {machines * total / 3600:.2f} |"
        )


def machine():
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")]
    return models[0] if models else "unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=Path, default=Path("build/dorm"))
    parser.add_argument("--pairs", type=int, default=3, help="of trainings, of which the least difference counts")
    parser.add_argument("--quick", action="store_true", help="small data, and nothing is written")
    parser.add_argument("--markdown", choices=("fit", "forecast"))
    options = parser.parse_args()
    if options.markdown:
        result = json.loads(RESULT.read_text())
        (fit_table if options.markdown == "fit" else forecast_table)(result)
        return
    shrink = 20 if options.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        rows = [measured(options, queries // shrink, features, at) for queries, features in FITTED]
        check = measured(options, CHECKED[0] // shrink, CHECKED[1], at)
    result = {"machine": machine(), "fit": fit(rows), "fitted": rows, "checked": check}
    if not options.quick:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")
    fit_table(result)


if __name__ == "__main__":
    main()
