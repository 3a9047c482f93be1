#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/gallery.md into docs/img, on generated data.

.venv/bin/python web/site/gallery.py plots                 the plots of the Python package (make python)
.venv-browser/bin/python web/site/gallery.py reports       screenshots of report pages (tools/setup.sh browser)
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "img"
DORM = Path(os.environ.get("DORM_COMMAND", ROOT / "build" / "dorm")).absolute()


def plots():
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    import dorm
    import dorm.plot

    def save(name):
        # Text stays text and ids do not change: small files, and the same bytes from the same data.
        with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dorm"}):
            path = IMAGES / f"gallery-{name}.svg"
            plt.gcf().savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
        plt.close("all")

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


# Of each picture: the page, width and height of the window, colour scheme; what of it, where not its beginning.
SHOTS = {
    "report-wide": ("train.html", 1280, 1100, "light"),
    "report-phone": ("train.html", 390, 844, "dark"),
    "report-query": ("train.html#query?q=13&first=2&second=16", 1280, 1100, "light", ".queries-block"),
    "compare-page": ("compare.html", 1280, 1560, "light"),
}


def make_pages(folder):
    def run(*words):
        subprocess.run([DORM, *map(str, words), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run("synth", "--queries", 180, "--features", 12, "--documents-median", 20, "--seed", 5, "-o", "all.txt")
    parts = {"train.txt": [], "valid.txt": []}
    for line in (folder / "all.txt").read_text().splitlines(keepends=True):
        parts["train.txt" if int(line.split("qid:")[1].split()[0]) <= 120 else "valid.txt"].append(line)
    for name, lines in parts.items():
        (folder / name).write_text("".join(lines))
    run("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--report", "train.html")
    run("compare", "train.txt", "--test", "valid.txt", "--report", "compare.html")


def reports():
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("google-chrome") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        make_pages(Path(name))
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture, (page, width, height, scheme, *part) in SHOTS.items():
            size, scale = {"width": width, "height": height}, 1 if width < 960 else 960 / width
            context = browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=scale)
            tab = context.new_page()
            tab.goto(f"file://{name}/{page}")
            (tab.locator(*part) if part else tab).screenshot(path=IMAGES / f"{picture}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    {"plots": plots, "reports": reports}[sys.argv[1]]()
