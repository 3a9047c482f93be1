#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The data of "Topic limits" in docs/positions.md: writes news.csv, topics.csv and limits.csv into this folder."""

from pathlib import Path

import numpy as np

TOPICS = ["politics", "sport", "film", "music"]


def main():
    rng = np.random.default_rng(1)
    rows, topics = ["qid,docid,label,text,fresh"], ["docid,topic,weight"]
    for q in range(30):
        for i in range(40):
            label = int(rng.choice([0, 0, 0, 1, 2]))
            rows.append(f"{q},{q}-{i},{label},{label + rng.normal():.3f},{0.5 * label + rng.normal():.3f}")
            for topic in rng.choice(TOPICS, size=rng.integers(1, 3), replace=False):
                topics.append(f"{q}-{i},{topic},{rng.integers(1, 11) / 10}")
    Path("news.csv").write_text("\n".join(rows) + "\n")
    Path("topics.csv").write_text("\n".join(topics) + "\n")
    Path("limits.csv").write_text("topic,limit\n" + "".join(f"{topic},0.8\n" for topic in TOPICS))


if __name__ == "__main__":
    main()
