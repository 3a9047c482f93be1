# SPDX-License-Identifier: Apache-2.0
"""The Perl scripts of LETOR 3.0, LETOR 4.0 and MSLR-WEB on random files against `dorm eval`.

The scripts may not be passed on: DORM_LETOR_SCRIPTS names a folder that holds them. They print four digits, some of
them cut off: hence 1e-4.
"""

import csv
import io
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from dorm_command import dorm

SCRIPTS = Path(os.environ.get("DORM_LETOR_SCRIPTS", "letor-scripts-not-given"))
FILES = int(os.environ.get("DORM_LETOR_FILES", 1000))

pytestmark = [
    pytest.mark.skipif(not SCRIPTS.is_dir(), reason="no folder with the scripts; set DORM_LETOR_SCRIPTS"),
    pytest.mark.skipif(not shutil.which("perl"), reason="the scripts need perl"),
]


def write_random_file(number, labels, folder):
    """Up to eight queries of up to 25 documents; in every second file scores are tied."""
    rng = random.Random(number)
    rows, scores = [], []
    for query in range(1, rng.randint(1, 8) + 1):
        for document in range(rng.randint(1, 25)):
            label = rng.choice(labels) if rng.random() < 0.6 else 0
            rows.append(f"{label} qid:{query} 1:0 #docid = {document}\n")
            scores.append(rng.randint(-5, 5) if number % 2 else rng.uniform(-5, 5))
    (folder / "data.txt").write_text("".join(rows))
    (folder / "scores.txt").write_text("".join(f"{score!r}\n" for score in scores))


def of_script(script, folder):
    """Means by measure: lines of numbers under a heading (4.0, MSLR), or after a name (3.0)."""
    subprocess.run(
        ["perl", SCRIPTS / script, "data.txt", "scores.txt", "out.txt", "0"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    values, names = {}, []
    for line in (folder / "out.txt").read_text().splitlines():
        head, *cells = line.replace(":\t", "\t").split("\t")
        head, cells = head.strip().lower(), [cell for cell in cells if cell.strip()]
        if head == "qid":
            names = [name.lower().replace("p@", "precision@") for name in cells]
        elif head == "average":
            values.update(zip(names, map(float, cells)))
        elif head in ("precision", "ndcg"):
            values.update({f"{head}@{k}": float(cell) for k, cell in enumerate(cells, start=1)})
        elif head == "map" and cells:
            values["map"] = float(cells[0])
    values.pop("meanndcg", None)
    return values


def of_dorm(convention, measures, folder):
    text = dorm(
        "eval", folder / "data.txt", "--scores", folder / "scores.txt", "--convention", convention, "--measures",
        ",".join(measures), "--bootstrap", 0, "--per-query", "-", "--quiet",
    )  # fmt: skip
    header, *rows = csv.reader(io.StringIO(text))
    return {name: sum(float(row[i]) for row in rows) / len(rows) for i, name in enumerate(header) if i > 0}


@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize(
    "script, convention, labels",
    [("Eval-Score-3.0.pl", "letor3", range(3)), ("Eval-Score-4.0.pl", "letor4", range(3)),
     ("eval-score-mslr.pl", "mslr", range(5))],
)  # fmt: skip
def test_random_files(script, convention, labels, block, tmp_path):
    for number in range(block, FILES, 10):
        write_random_file(number, labels, tmp_path)
        wanted = of_script(script, tmp_path)
        assert {"map", "precision@1", "ndcg@1"} <= set(wanted)  # 3.0 prints no further than the longest list
        got = of_dorm(convention, list(wanted), tmp_path)
        assert got == pytest.approx(wanted, abs=1.01e-4), f"file {number}"
