#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Search relevance from end to end: read judged documents, train, evaluate, explain, save, rank with the saved model,
and check that the command ranks alike.

    python search_relevance.py [train.txt test.txt]     without files: generated ones

The command is looked for as DORM_COMMAND or `dorm` on the path; without it that step is left out.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file

import dorm


def generate(folder: Path) -> tuple[Path, Path]:
    """Two files in LETOR's format, as a search team would export them from its judgements."""
    X, y, qid = dorm.synth(queries=300, features=25, documents_median=20, seed=1)
    paths = []
    for name, keep in (("train", qid <= 200), ("test", qid > 200)):
        paths.append(folder / f"{name}.txt")
        dump_svmlight_file(X[keep], y[keep], str(paths[-1]), query_id=qid[keep], zero_based=False)
    return paths[0], paths[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    files = parser.parse_args().files
    if len(files) not in (0, 2):
        parser.error("expected two files, one to train and one to test on, or none")
    with tempfile.TemporaryDirectory() as folder:
        train_path, test_path = files or generate(Path(folder))
        run(train_path, test_path, Path(folder) / "model.json")


def run(train_path: Path, test_path: Path, model_path: Path) -> None:
    train, test = dorm.read_letor(train_path), dorm.read_letor(test_path)
    print(f"train: {train}\ntest:  {test}\n")

    # Train for the measure that will be reported. The certificate says how far from the optimum training stopped.
    ranker = dorm.DormRanker(measure="ndcg@10", C=100).fit(train)
    print(ranker.report_)

    # Is it better than what there was? Here: than sorting by the single best column.
    scores = ranker.predict(test)
    best = max(range(train.X.shape[1]), key=lambda j: ndcg(train, train.X[:, j]).mean)
    ours, theirs = (dorm.evaluate(test.y, s, qid=test.qid) for s in (scores, test.X[:, best]))
    print(f"\nthe ranker\n{ours}\n\ncolumn {best} alone\n{theirs}\n")
    print("NDCG@10:", dorm.compare(ours, theirs, measure="ndcg@10"))

    # Why does the first document of the first query stand where it stands? Contributions sum to the score, exactly.
    rows = np.flatnonzero(test.qid == test.qid[0])
    top = rows[np.argmax(scores[rows])]
    parts = ranker.explain(test)[top]
    print(f"\nquery {test.qid[0]}: row {top} comes first with a score of {scores[top]:.4f}, mostly for")
    for j in np.argsort(-np.abs(parts))[:3]:
        print(f"  column {j:2d}  value {test.X[top, j]:9.4g}  contributes {parts[j]:+.4f}")

    # The file is the one the command writes, and scores do not change by a bit.
    ranker.save(model_path)
    again = dorm.DormRanker.load(model_path)
    assert np.array_equal(again.predict(test), scores)
    print(f"\nthree best of query {test.qid[0]}: rows", rows[np.argsort(again.rank(test)[rows])[:3]])
    compare_with_command(test_path, model_path, test, scores)


def ndcg(data: dorm.RankingData, scores: np.ndarray) -> dorm.results.MeasureResult:
    return dorm.evaluate(data.y, scores, qid=data.qid, measures="ndcg@10", bootstrap=0).measures[0]


def compare_with_command(test_path: Path, model_path: Path, test: dorm.RankingData, scores: np.ndarray) -> None:
    command = os.environ.get("DORM_COMMAND") or shutil.which("dorm")
    if command is None:
        print("the command dorm is not on the path: not compared")
        return
    done = subprocess.run([command, "rank", model_path, test_path], check=True, capture_output=True, text=True)
    by_file = np.empty_like(scores)  # the command writes in the order of the file
    by_file[slice(None) if test.source_rows is None else test.source_rows] = scores
    print("the command gives the same scores:", np.array_equal(np.array(done.stdout.split(), float), by_file))


if __name__ == "__main__":
    main()
