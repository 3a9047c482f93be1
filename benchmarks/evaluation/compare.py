# SPDX-License-Identifier: Apache-2.0
"""Runs evaluated by `dorm eval`, trec_eval, pytrec_eval and ranx, in one go: processor time, reading included.

    compare.py --dorm build/dorm [--trec-eval FILE] [--peers PYTHON]    writes compare.csv
    compare.py --stream --dorm build/dorm                               writes stream.csv: 10^6 queries x 100 documents
    compare.py --markdown compare|stream                                prints the tables of docs/evaluation.md

The size of MS MARCO: 6,980 queries x 1,000 documents, one relevant document per query, five measures; generated.
PYTHON has pytrec_eval and ranx, whose compiled code is warm. `dorm eval` includes its bootstrap intervals, which the
others do not have. Means are compared to 1e-6 (trec_eval: four decimals). Every call runs `--turns` times, in turn;
the best counts.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

COMPARED, STREAMED = Path(__file__).with_name("compare.csv"), Path(__file__).with_name("stream.csv")
MEASURES = {  # ours, trec_eval's option, its name, ranx
    "ndcg@10": ("ndcg_cut.10", "ndcg_cut_10", "ndcg@10"),
    "map": ("map", "map", "map"),
    "mrr": ("recip_rank", "recip_rank", "mrr"),
    "recall@100": ("recall.100", "recall_100", "recall@100"),
    "precision@10": ("P.10", "P_10", "precision@10"),
}

PEERS = """
import json, sys, time
kind, qrels, run, small_qrels, small_run = sys.argv[1:6]
names = json.loads(sys.argv[6])
if kind == "ranx":
    from ranx import Qrels, Run, evaluate
    def once(q, r):
        return evaluate(Qrels.from_file(q, kind="trec"), Run.from_file(r, kind="trec"), names, make_comparable=True)
else:
    import pytrec_eval
    def once(q, r):
        with open(q) as file:
            judged = pytrec_eval.parse_qrel(file)
        with open(r) as file:
            retrieved = pytrec_eval.parse_run(file)
        per_query = pytrec_eval.RelevanceEvaluator(judged, set(names)).evaluate(retrieved)
        return {n: sum(v[n] for v in per_query.values()) / len(judged) for n in names}
once(small_qrels, small_run)
begin = time.process_time()
means = once(qrels, run)
print(json.dumps([time.process_time() - begin, {k: float(v) for k, v in means.items()}]))
"""


def generate(folder: Path, queries: int, documents: int, shuffled: bool) -> tuple[Path, Path]:
    rng = np.random.default_rng(7)
    qrels, run = folder / f"{queries}.qrels", folder / f"{queries}{'-shuffled' if shuffled else ''}.run"
    ids = 1_048_585 + np.sort(rng.choice(100_000, queries, replace=False))
    with open(run, "w") as ranked, open(qrels, "w") as judged:
        for query in ids:
            listed = rng.choice(8_841_823, documents, replace=False).tolist()
            scores = np.sort(rng.gamma(8, 1.5, documents))[::-1].tolist()
            lines = [f"{query} Q0 {d} {i} {s:.6f} bm25\n" for i, (d, s) in enumerate(zip(listed, scores), 1)]
            place = int(rng.geometric(0.1))
            found = rng.random() < 0.6
            judged.write(f"{query} 0 {listed[min(place, documents - 1)] if found else 8_841_824} 1\n")
            ranked.writelines(rng.permutation(lines) if shuffled else lines)
    return qrels, run


def processor_time(command: list[str]) -> tuple[float, int, str]:
    """Seconds of the processor, most memory (KiB), output."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"compare.py: {command[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, output


def our_command(dorm: str, qrels: Path, run: Path, threads: int, *more: str) -> list[str]:
    measures = ",".join(MEASURES)
    return [dorm, "eval", "--qrels", str(qrels), "--run", str(run), "--measures", measures, "--json", "--quiet",
            "--threads", str(threads), *more]  # fmt: skip


def by_dorm(dorm: str, qrels: Path, run: Path, threads: int) -> tuple[float, dict[str, float]]:
    seconds, _, output = processor_time(our_command(dorm, qrels, run, threads, "--complete"))
    return seconds, {name: figure["mean"] for name, figure in json.loads(output)["measures"].items()}


def by_trec_eval(program: str, qrels: Path, run: Path) -> tuple[float, dict[str, float]]:
    asked = [word for option, _, _ in MEASURES.values() for word in ("-m", option)]
    seconds, _, output = processor_time([program, "-c", *asked, str(qrels), str(run)])
    found = {line.split()[0]: float(line.split()[2]) for line in output.splitlines()}
    return seconds, {name: found[theirs] for name, (_, theirs, _) in MEASURES.items()}


def by_peer(python: str, kind: str, files: tuple[Path, Path], small: tuple[Path, Path]) -> tuple[float, dict]:
    column = 2 if kind == "ranx" else 1
    names = {theirs[column]: name for name, theirs in MEASURES.items()}
    words = [python, "-c", PEERS, kind, *map(str, files), *map(str, small), json.dumps(list(names))]
    seconds, means = json.loads(processor_time(words)[2].splitlines()[-1])
    return seconds, {names[theirs]: mean for theirs, mean in means.items()}


def compare(given: argparse.Namespace) -> None:
    rows = []
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        small = generate(folder, 20, 100, False)
        for shuffled in (False, True):
            files = generate(folder, given.queries, given.documents, shuffled)
            calls = {f"dorm, {n} thread{'s'[: n > 1]}": partial(by_dorm, given.dorm, *files, n) for n in (1, 2)}
            if given.trec_eval:
                calls["trec_eval"] = partial(by_trec_eval, given.trec_eval, *files)
            if given.peers:
                for kind in ("pytrec_eval", "ranx"):
                    calls[kind] = partial(by_peer, given.peers, kind, files, small)
            best: dict[str, float] = {}
            means: dict[str, dict[str, float]] = {}
            for _ in range(given.turns):
                for who, call in calls.items():
                    seconds, means[who] = call()
                    best[who] = min(seconds, best.get(who, seconds))
            ours = next(iter(means.values()))
            for who, found in means.items():
                far = max(abs(found[m] - ours[m]) for m in MEASURES)
                if far > (6e-5 if who == "trec_eval" else 1e-6):
                    sys.exit(f"compare.py: {who} differs by {far}: {found} instead of {ours}")
            order = "shuffled" if shuffled else "as ranked"
            rows += [[order, who, f"{seconds:.3f}"] for who, seconds in best.items()]
            print(*rows[-len(best) :], sep="\n", flush=True)
    write(given.results / COMPARED.name, ["lines", "program", "seconds"], rows)


def write_long_run(path: Path, qrels: Path, queries: int, documents: int) -> None:
    rng = np.random.default_rng(7)
    tails = []
    for _ in range(200):
        listed = rng.choice(8_841_823, documents, replace=False)
        scores = np.sort(rng.gamma(8, 1.5, documents))[::-1]
        tails.append([f"Q0 {d} {i} {s:.6f} bm25" for i, (d, s) in enumerate(zip(listed, scores), 1)])
    with open(path, "w", buffering=1 << 20) as ranked, open(qrels, "w") as judged:
        for query in range(1_000_000, 1_000_000 + queries):
            lines = tails[query % len(tails)]
            ranked.write(f"{query} " + f"\n{query} ".join(lines) + "\n")
            judged.write(f"{query} 0 {lines[query * 7 % documents].split()[1]} 1\n")


def stream(given: argparse.Namespace) -> None:
    rows = []
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        run, qrels = Path(name) / "long.run", Path(name) / "long.qrels"
        write_long_run(run, qrels, given.long, 100)
        for bootstrap in ("0", "1000"):
            for threads in (1, 2):
                command = our_command(given.dorm, qrels, run, threads, "--bootstrap", bootstrap)
                seconds, memory, _ = processor_time(command)
                rows.append(
                    [given.long, 100, run.stat().st_size >> 20, bootstrap, threads, f"{seconds:.1f}", memory >> 10]
                )
                print(rows[-1], flush=True)
    head = ["queries", "documents", "run_mib", "bootstrap", "threads", "seconds", "memory_mib"]
    write(given.results / STREAMED.name, head, rows)


def write(path: Path, head: list[str], rows: list) -> None:
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(head)
        out.writerows(rows)


def markdown(which: str) -> str:
    if which == "stream":
        lines = ["| run | resamples | threads | processor time | memory |", "|---|---|---|---|---|"]
        for row in csv.DictReader(STREAMED.open()):
            run = f"{int(row['queries']):,} queries x {row['documents']}, {row['run_mib']} MiB"
            lines.append(
                f"| {run} | {row['bootstrap']} | {row['threads']} | {row['seconds']} s | {row['memory_mib']} MiB |"
            )
        return "\n".join(lines)
    rows = list(csv.DictReader(COMPARED.open()))
    orders = list(dict.fromkeys(row["lines"] for row in rows))
    ours = {row["lines"]: float(row["seconds"]) for row in rows if row["program"] == "dorm, 1 thread"}
    lines = ["| program | " + " | ".join(f"lines {order}" for order in orders) + " |", "|---|" + "---|" * len(orders)]
    for who in dict.fromkeys(row["program"] for row in rows):
        cells = []
        for order in orders:
            seconds = next(float(r["seconds"]) for r in rows if (r["program"], r["lines"]) == (who, order))
            cells.append(f"{seconds:.2f} s" + ("" if who.startswith("dorm") else f", {seconds / ours[order]:.1f}x"))
        lines.append(f"| {who} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--dorm", default="build/dorm")
    words.add_argument("--trec-eval", default="", help="the program of trec_eval")
    words.add_argument("--peers", default="", help="a Python that has pytrec_eval and ranx")
    words.add_argument("--queries", type=int, default=6980)
    words.add_argument("--documents", type=int, default=1000)
    words.add_argument("--turns", type=int, default=3)
    words.add_argument("--stream", action="store_true")
    words.add_argument("--long", type=int, default=1_000_000, help="queries of --stream")
    words.add_argument("--folder", help="where to generate runs (that of temporary files)")
    words.add_argument("--results", type=Path, default=Path(__file__).parent, help="where results go")
    words.add_argument("--markdown", choices=("compare", "stream"))
    given = words.parse_args()
    if given.markdown:
        print(markdown(given.markdown))
    elif given.stream:
        stream(given)
    else:
        compare(given)


if __name__ == "__main__":
    main()
