#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/img/curves.svg: the curves that `dorm train --curves 8` learns of a small invented shop.

picture.py [--dorm build/dorm]
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

PICTURE = Path(__file__).resolve().parent.parent.parent / "docs/img/curves.svg"
FEATURES = ("bm25", "price", "age in days", "rating", "clicks", "words in title")
WIDTH, HEIGHT, COLUMNS = 230, 130, 3


def shop(path):
    """Documents whose relevance has a knee in BM25, a best price, a fading age and nothing to do with the title."""
    rng = np.random.default_rng(5)
    with open(path, "w") as out:
        out.write("qid,label," + ",".join(FEATURES) + "\n")
        for q in range(300):
            n = 25
            bm25, price, age = rng.gamma(4, 4, n), rng.gamma(3, 20, n), rng.gamma(1, 60, n)
            rating, clicks, words = rng.uniform(1, 5, n).round(1), rng.poisson(3, n), rng.integers(2, 14, n)
            score = (np.minimum(bm25, 18) / 6 - 2 * np.abs(np.log(price / 50)) + 2 * np.exp(-age / 30)
                     + 1.2 * (rating > 4) + 0.6 * np.sqrt(clicks))  # fmt: skip
            score += 0.5 * rng.normal(size=n)
            labels = np.digitize(score, np.quantile(score, [0.5, 0.75, 0.92]))
            for row in zip(labels, bm25.round(2), price.round(2), age.round(1), rating, clicks, words):
                out.write(f"{q}," + ",".join(map(str, row)) + "\n")


def panel(model, feature, low, high, spot):
    j = model["features"].index(feature)
    curve = next(c for c in model["curves"]["features"] if c["feature"] == feature)
    shift, factor, weight = model["scaling"]["shift"][j], model["scaling"]["factor"][j], model["weights"][j]
    knots = np.array(curve["knots"])
    sums = np.concatenate([[0], np.cumsum(curve["rises"])])
    values = sums - np.interp(curve["median"], knots, sums) + weight * (knots - curve["median"])
    raw = knots / factor + shift
    shown = raw <= raw[0] + 1.25 * (raw[-2] - raw[0]) if raw[-1] - raw[-2] > raw[-2] - raw[0] else raw <= raw[-1]
    raw, values = raw[shown], values[shown]
    left, top = spot[0] * WIDTH + 30, spot[1] * HEIGHT + 22
    wide, tall = WIDTH - 50, HEIGHT - 50
    x = left + wide * (raw - raw[0]) / (raw[-1] - raw[0])
    y = top + tall * (high - values) / (high - low)
    zero = top + tall * high / (high - low)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.4" fill="#0072B2"/>' for a, b in zip(x, y))
    return (
        f'<text x="{left}" y="{top - 8}" font-weight="600">{feature}</text>'
        f'<line x1="{left}" x2="{left + wide}" y1="{zero:.1f}" y2="{zero:.1f}" stroke="#888" stroke-width="0.8"/>'
        f'<polyline points="{points}" fill="none" stroke="#0072B2" stroke-width="2"/>{dots}'
        f'<text x="{left}" y="{top + tall + 14}" fill="#888" font-size="10">{round(raw[0], 2):.3g}</text>'
        f'<text x="{left + wide}" y="{top + tall + 14}" fill="#888" font-size="10" text-anchor="end">'
        f"{round(raw[-1], 2):.3g}</text>"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dorm", default="build/dorm")
    dorm = os.path.abspath(parser.parse_args().dorm)
    with tempfile.TemporaryDirectory() as folder:
        shop(Path(folder) / "shop.csv")
        subprocess.run([dorm, "train", "shop.csv", "--curves", "8", "--scale", "zscore", "--model", "m.json", "-q"],
                       check=True, cwd=folder, stdout=subprocess.DEVNULL)  # fmt: skip
        model = json.loads((Path(folder) / "m.json").read_text())
    ranges = []
    for j, curve in enumerate(model["curves"]["features"]):
        sums = np.concatenate([[0], np.cumsum(curve["rises"])])
        knots = np.array(curve["knots"])
        at_median = np.interp(curve["median"], knots, sums)
        ranges += list((sums - at_median + model["weights"][j] * (knots - curve["median"]))[:-1])
    low, high = min(ranges), max(ranges)
    panels = [panel(model, f, low, high, (k % COLUMNS, k // COLUMNS)) for k, f in enumerate(FEATURES)]
    rows = -(-len(FEATURES) // COLUMNS)
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {rows * HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#777" role="img" '
        'aria-label="What six features add to a score, by their value">\n' + "\n".join(panels) + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
