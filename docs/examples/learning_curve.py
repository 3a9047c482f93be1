# SPDX-License-Identifier: Apache-2.0
"""Draws docs/img/learning-curve.svg from the table of `dorm lab experiment web-learning-curve --out RESULTS`.

learning_curve.py RESULTS/web-learning-curve.csv docs/img/learning-curve.svg
"""

import csv
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

SHOWN = {
    "dorm:ndcg@10~power:0.5": ("DORM, c = (i+1)^(-1/2)", "o-", "#0b6cb0"),
    "dorm:ndcg@10": ("DORM, default c", "s-", "#5cb2ee"),
    "ridge": ("ridge", "^--", "#007a5a"),
    "svm-ir-qp": ("SVM-IR-QP", "v--", "#a8437f"),
    "roc-svm": ("ROCArea", "D:", "#7a6400"),
    "ranksvm": ("RankSVM", "P:", "#c44e00"),
}
ALL = {"mq2008": 470, "mq2007-sample": 1017}  # training queries of three of five parts, on average


def curves(path):
    """Set name -> (training queries, method -> figures), from the blocks of the file."""
    found, name = {}, None
    for row in csv.reader(open(path)):
        if len(row) == 1 and "by number of training queries" in row[0]:
            name = row[0].split(":")[0]
        elif len(row) <= 1:
            name = None
        elif name and row[0] == "method":
            sizes = [ALL[name] if cell == "all" else int(cell) for cell in row[1:]]
            found[name] = (sizes, {})
        elif name:
            found[name][1][row[0]] = [float(cell) for cell in row[1:]]
    return found


def main():
    sets = curves(sys.argv[1])
    plt.rcParams.update({"font.size": 9, "svg.hashsalt": "dorm"})
    figure, axes = plt.subplots(1, len(sets), figsize=(4.6 * len(sets), 3.6), squeeze=False)
    for axis, (name, (sizes, methods)) in zip(axes[0], sets.items(), strict=True):
        for method, (label, style, colour) in SHOWN.items():
            axis.plot(sizes, methods[method], style, color=colour, label=label, markersize=5)
        axis.set(title=name, xlabel="training queries", ylabel="NDCG@10 x 100", ylim=(None, None))
        axis.grid(alpha=0.3)
    axes[0][0].legend(fontsize=8, loc="lower right")
    figure.tight_layout()
    figure.savefig(sys.argv[2], metadata={"Date": None})


main()
