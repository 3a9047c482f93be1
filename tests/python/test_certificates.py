# SPDX-License-Identifier: Apache-2.0
"""A certificate is true or not given: dual <= primal up to rounding, whatever the features, gains and C."""

import json
import random

import pytest
from command import dorm

SOLVERS = ["bcda", "nslack", "oneslack", "bcfw", "fw", "online"]
SIZES = [1.4e-45, 1e-44, 1e-42, 1e-40, 1e-38, 1e-36, 1e-34, 1e-30, 1.0, 1e30, 1e38]


def write_rows(path, size, largest_label=4):
    rng = random.Random(1)
    with open(path, "w") as out:
        for query in range(20):
            for _ in range(6):
                values = " ".join(f"{j}:{size * rng.randint(0, 3):.4g}" for j in range(1, 5))
                print(f"{rng.choice([0, 1, largest_label])} qid:{query} {values}", file=out)


def train(*arguments, status):
    return dorm("train", "rows.txt", "--scale", "none", "--passes", 100, "--model", "m.json", *arguments, status=status)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("size", SIZES)
def test_the_dual_is_never_above_the_primal(tmp_path, monkeypatch, solver, size):
    monkeypatch.chdir(tmp_path)
    write_rows("rows.txt", size)
    if size < 1e-35:
        assert "32-bit numbers hold with few digits" in train("--solver", solver, status=1).stderr
        assert not (tmp_path / "m.json").exists()
        return
    train("--solver", solver, status=0)
    found = json.loads((tmp_path / "m.json").read_text())["certificate"]
    assert found["dual"] <= found["primal"] * (1 + 1e-6)
    assert found["gap"] == pytest.approx(max(0, 1 - found["dual"] / found["primal"]), abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_gains_that_overflow_are_refused(tmp_path, monkeypatch, solver):
    monkeypatch.chdir(tmp_path)
    write_rows("rows.txt", 1.0, largest_label=1000)
    done = train("--measure", "dcg", "-C", "1e10", "--solver", solver, status=1)
    assert "the objective is not finite" in done.stderr
    assert not (tmp_path / "m.json").exists()
    write_rows("rows.txt", 1.0, largest_label=1001)
    assert "would overflow" in train("--measure", "dcg", "--solver", solver, status=1).stderr
