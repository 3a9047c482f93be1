# SPDX-License-Identifier: Apache-2.0
"""What tests of engines share: small data, and the model that one process makes of it, which all must reproduce."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd

import dorm

DORM = os.path.abspath(os.environ.get("DORM_COMMAND", Path(__file__).resolve().parents[2] / "build" / "dorm"))
SHARDS = 16
OPTIONS = {"measure": "ndcg@5", "C": 10.0, "bound": "best", "solver_options": {"shards": SHARDS}, "random_state": 1}


def bytes_of(ranker, folder):
    """The model file of a fitted ranker."""
    path = Path(folder) / "model.json"
    ranker.save(path)
    return path.read_bytes()


def here(rows, folder, **options):
    """The model file that one process makes of a data frame."""
    weight = rows.get("weight")
    features = rows.drop(columns=["label", "qid", "weight"], errors="ignore")
    held_out = options.pop("eval_set", None)
    arguments = {}
    if held_out is not None:
        arguments = {"eval_set": (held_out[features.columns], held_out["label"]), "eval_qid": held_out["qid"]}
    ranker = dorm.DormRanker(**{"solver": "shards", "n_jobs": 1, **OPTIONS, **options})
    ranker.fit(features, rows["label"], qid=rows["qid"], sample_weight=weight, **arguments)
    return bytes_of(ranker, folder)


def make_rows(queries=80, seed=1, **options):
    """Judged documents as a data frame, in the order of the queries."""
    data = dorm.synth(queries=queries, features=6, documents_median=8, seed=seed, n_jobs=1, **options)
    frame = pd.DataFrame(np.asarray(data.X), columns=[f"f{j}" for j in range(6)])
    return frame.assign(label=np.asarray(data.y), qid=np.asarray(data.qid))


def write_csv(rows, path):
    """A file for the command, in the order of the rows, every number in full."""
    rows.to_csv(path, index=False, float_format="%.9g")


def dorm_command(*arguments):
    """What the command prints."""
    done = subprocess.run([DORM, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
