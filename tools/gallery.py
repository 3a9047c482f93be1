#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the plots of docs/gallery.md into docs/img, by the Python package on generated data.

    .venv/bin/python tools/gallery.py

The pictures of report pages there are screenshots that `make check-report` takes.
"""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

import dorm  # noqa: E402
import dorm.plot  # noqa: E402

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "img"


def save(name):
    # Text stays text and ids do not change: small files, and the same bytes from the same data.
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dorm"}):
        plt.gcf().savefig(IMAGES / f"gallery-{name}.svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close("all")


def main():
    X, y, qid = dorm.synth(queries=300, features=20, documents_median=25, seed=1)
    train, test = qid <= 200, qid > 200
    ranker = dorm.DormRanker(measure="ndcg@10", C=100).fit(X[train], y[train], qid=qid[train])
    scores = ranker.predict(X[test], qid=qid[test])
    ours, theirs = (dorm.evaluate(y[test], s, qid=qid[test]) for s in (scores, X[test][:, 0]))

    dorm.plot.convergence(ranker)
    save("convergence")
    dorm.plot.measure_by_cutoff(y[test], {"DORM": scores, "column 0": X[test][:, 0]}, qid=qid[test])
    save("cutoff")
    dorm.plot.feature_weights(ranker, top=10)
    save("weights")
    dorm.plot.query_differences(ours, theirs, measure="ndcg@10")
    save("queries")


if __name__ == "__main__":
    main()
