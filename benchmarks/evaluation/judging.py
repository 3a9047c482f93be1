# SPDX-License-Identifier: Apache-2.0
"""How often the verdicts of `plan_judging` are wrong, and how many judgments they take: 1,000 orders of judging each.

    judging.py [--draws 1000] [NAME...]    writes judging.csv; of some worlds or measures, these rows anew
    judging.py --markdown                  prints the table of docs/evaluation.md

A world is two runs, and labels for the first ten documents of both: those of collections (DORM_DATA), where what nobody
judged is bad, and made ones, two of them without any difference, the hardest case for a verdict. Nothing is judged at
first. Each draw is an order of judging, in which the plan goes on until it is decided. `wrong` counts verdicts for a
run that is not better, `outside` draws whose interval leaves out the true difference when it is decided; both are
promised to be 5 % at most. `judged` is the share of the pool (the first ten documents of both runs) that was judged,
`tenth` the share that a tenth of the draws exceeds, `certain` the share of the rule that waits until the other labels
cannot change the verdict.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import math
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).with_suffix(".csv")
DATA = Path(os.environ.get("DORM_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "fusion"
DEPTH = 10
PAIRS = (
    ("dl19", "splade", "bm25"),
    ("dl19", "ada2", "splade"),
    ("dl21", "bm25", "rm3"),
    ("npl", "bm25", "dense"),
    ("scifact", "bm25", "rm3"),
    ("scifact", "bm25", "dense"),
)
MEASURES = ("ndcg@10", "p@10")
FIELDS = (
    "world",
    "measure",
    "queries",
    "pool",
    "difference",
    "draws",
    "wrong",
    "outside",
    "judged",
    "tenth",
    "certain",
)

Run = dict[str, dict[str, float]]


def read(path: Path, value: int) -> Run:
    nested: Run = {}
    for line in gzip.open(path, "rt"):
        words = line.split()
        nested.setdefault(words[0], {})[words[2]] = float(words[value])
    return nested


def first_documents(run: Run) -> Run:
    """By score, then name, as trec_eval orders them."""
    return {q: dict(sorted(docs.items(), key=lambda e: (e[1], e[0]), reverse=True)[:DEPTH]) for q, docs in run.items()}


def collection(name: str, first: str, second: str) -> tuple[Run, Run, Run]:
    qrels = read(DATA / name / "qrels.txt.gz", 3)
    runs = [first_documents(read(DATA / name / f"{run}.run.gz", 4)) for run in (first, second)]
    labels: Run = {}
    for query in qrels:
        pool = dict.fromkeys([*runs[0].get(query, {}), *runs[1].get(query, {})])
        labels[query] = {document: max(qrels[query].get(document, 0.0), 0.0) for document in pool}
    return *({q: run[q] for q in qrels if q in run} for run in runs), labels


def made(queries: int, gap: float) -> tuple[Run, Run, Run]:
    """Two runs that share about half of their documents; with a gap of 0 the second half of the queries is the first
    with the runs exchanged, so that there is no difference.
    """
    rng = np.random.default_rng(43)
    first: Run = {}
    second: Run = {}
    labels: Run = {}
    for q in range(queries // 2 if gap == 0 else queries):
        ease = rng.normal(-0.7, 1.0)
        documents = [f"d{i}" for i in range(15)]
        better = rng.normal(gap, 0.5)  # of what the first one alone shows
        orders = []
        for own in (range(10), [*range(5), *range(10, 15)]):
            ids = rng.permutation(list(own))
            orders.append({documents[i]: float(DEPTH - place) for place, i in enumerate(ids)})
        chance = 1 / (1 + np.exp(-(ease + np.array([0.0] * 5 + [better] * 5 + [0.0] * 5))))
        label = {document: float(rng.random() < p) for document, p in zip(documents, chance)}
        first[f"q{q}"], second[f"q{q}"], labels[f"q{q}"] = *orders, label
        if gap == 0:
            first[f"r{q}"], second[f"r{q}"], labels[f"r{q}"] = orders[1], orders[0], label
    return first, second, labels


def worlds() -> Iterator[tuple[str, tuple[Run, Run, Run]]]:
    for queries in (50, 200):
        yield f"{queries} queries, no difference", made(queries, 0)
    yield "200 queries, a small difference", made(200, 0.1)
    yield "200 queries, a difference", made(200, 0.4)
    for name, first, second in PAIRS:
        yield f"{name}: {first}, {second}", collection(name, first, second)


def simulate(draws: int, measure: str, first: Run, second: Run, labels: Run) -> dict[str, object]:
    import dorm

    runs = {"first": first, "second": second}
    means = [
        dorm.evaluate_run(labels, run, measure, convention="trec", complete=True, bootstrap=0)
        for run in (first, second)
    ]
    true = means[0].measures[0].mean - means[1].measures[0].mean
    best = max(label for docs in labels.values() for label in docs.values())
    columns = {name: dorm.data.Run(*flat(run)) for name, run in runs.items()}
    judged = dorm.data.Qrels(*flat(labels))
    right = "same" if abs(true) < 1e-12 else "first" if true > 0 else "second"
    wrong = outside = 0
    shares, certain = [], []
    for draw in range(draws):
        how = {"best_label": best, "random_state": draw, "n_jobs": 1}
        plan = dorm.data.plan_judging(None, columns, measure, new_qrels=judged, **how)
        order = dorm.data.plan_judging(None, columns, measure, batch=10**9, **how).next[: plan.judged]
        given = dorm.data.Qrels(
            [q for q, _ in order], [d for _, d in order], np.array([labels[q][d] for q, d in order])
        )
        decided = dorm.data.plan_judging(None, columns, measure, new_qrels=given, **how)
        assert (decided.verdict, decided.judged) == (plan.verdict, plan.judged)
        wrong += plan.verdict != right
        outside += not decided.low - 1e-9 <= true <= decided.high + 1e-9
        shares.append(plan.judged / plan.open)
        if draw < 50:  # it hardly varies
            sure = dorm.data.plan_judging(None, columns, measure, new_qrels=judged, confidence=1 - 1e-12, **how)
            certain.append(sure.judged / sure.open)
    return {
        "measure": measure,
        "queries": len(labels),
        "pool": plan.open,
        "difference": f"{true:.4f}",
        "draws": draws,
        "wrong": wrong,
        "outside": outside,
        "judged": f"{np.mean(shares):.4f}",
        "tenth": f"{np.quantile(shares, 0.9):.4f}",
        "certain": f"{np.mean(certain):.4f}",
    }


def flat(nested: Run) -> tuple[list[str], list[str], np.ndarray]:
    entries = [(q, d, x) for q, docs in nested.items() for d, x in docs.items()]
    return [q for q, _, _ in entries], [d for _, d, _ in entries], np.array([x for _, _, x in entries])


def run_all(draws: int, names: list[str], results: Path) -> None:
    rows = list(csv.DictReader(results.open())) if results.exists() else []
    for world, (first, second, labels) in worlds():
        for measure in MEASURES:
            if names and not any(name in f"{world} {measure}" for name in names):
                continue
            row = {"world": world, **simulate(draws, measure, first, second, labels)}
            print(row, flush=True)
            rows = [each for each in rows if (each["world"], each["measure"]) != (world, measure)] + [row]
            with results.open("w", newline="") as file:
                out = csv.DictWriter(file, FIELDS, lineterminator="\n")
                out.writeheader()
                out.writerows(rows)


def markdown() -> str:
    lines = [
        "| runs | measure | difference | wrong verdicts | outside the interval | judged | 9 of 10 orders | certain |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in csv.DictReader(RESULTS.open()):
        draws = int(row["draws"])
        cells = [row["world"], row["measure"], f"{float(row['difference']):+.4f}".replace("+0.0000", "0")]
        for what in ("wrong", "outside"):
            share = int(row[what]) / draws
            cells.append(f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / draws):.1f} %")
        cells += [f"{100 * float(row[what]):.0f} %" for what in ("judged", "tenth", "certain")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("names", nargs="*", help="parts of the names of worlds and measures; none: all")
    words.add_argument("--draws", type=int, default=1000)
    words.add_argument("--results", type=Path, default=RESULTS, help="where results go")
    words.add_argument("--markdown", action="store_true")
    given = words.parse_args()
    if given.markdown:
        print(markdown())
    else:
        run_all(given.draws, given.names, given.results)


if __name__ == "__main__":
    main()
