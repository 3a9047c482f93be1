# SPDX-License-Identifier: Apache-2.0
"""Signals that are ignored or ask for an end, and time that runs out."""

import json
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import dorm, started


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    dorm("synth", "--queries", 40, "--features", 8, "--documents-median", 12, "-o", folder / "data.txt")
    dorm("synth", "--queries", 150, "--features", 20, "--seed", 3, "-o", folder / "larger.txt")
    (folder / "gains.csv").write_text("label,1,2\n0,0,0\n1,1,.5\n2,2,1\n3,4,2\n4,8,4\n")
    rng = random.Random(2)
    rows = [f"u{u},i{i},{rng.randint(1, 5)}\n" for u in range(12) for i in rng.sample(range(14), 8)]
    (folder / "ratings.csv").write_text("".join(rows))
    return folder


LONG = ["train", "larger.txt", "--tolerance", "1e-9", "-C", "1e6", "--quiet"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ignored_signals_stay_ignored(here, number):
    process = started(*LONG, "--model", "m.json", "--time-limit", 2, preexec_fn=lambda: signal.signal(number, 1))
    time.sleep(0.7)
    process.send_signal(number)
    assert process.wait(timeout=60) == 0
    assert json.loads(Path("m.json").read_text())["certificate"]["status"] == "time_limit"


@pytest.mark.parametrize(
    "options",
    [
        ["-C", "3000"],
        ["-C", "3000", "--bound", "predicted"],
        ["-C", "30", "--solver", "nslack"],
        ["-C", "3000", "--valid", "data.txt"],
    ],
)
def test_stopped_again_and_again_it_ends_in_the_same_bytes(here, options):
    command = ["train", "larger.txt", "--tolerance", "1e-4", "--quiet", *options]
    began = time.monotonic()
    dorm(*command, "--model", "whole.json")
    whole = time.monotonic() - began
    rng = random.Random(1)
    stops = 0
    for _ in range(3):
        for attempt in range(12):
            process = started(*command, "--checkpoint", "ck", "--model", "m.json", stdout=subprocess.DEVNULL)
            try:
                process.wait(rng.uniform(0, 0.6 * whole) if attempt < 4 else 120)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=60) in (143, -signal.SIGTERM, 0)
                stops += 1
            if process.returncode == 0:
                break
        assert Path("m.json").read_bytes() == Path("whole.json").read_bytes()
    assert stops >= 2


@pytest.mark.parametrize(
    "command",
    [
        ["train", "larger.txt", "-C", "1e6", "--tolerance", "1e-9"],
        [
            "train",
            "larger.txt",
            "-C",
            "1e5",
            "--kernel",
            "rbf:gamma=0.1",
            "--bound",
            "predicted",
            "--initial",
            "pairwise",
        ],
        ["train", "larger.txt", "-C", "1e5", "--method", "svm", "--tolerance", "1e-9"],
        ["train", "larger.txt", "--position-gains", "gains.csv", "-C", "1e6", "--tolerance", "1e-9"],
        ["tune", "larger.txt", "--tolerance", "1e-7"],
        ["tune", "larger.txt", "--valid", "data.txt", "--grid", "kernel=rbf:gamma=0.1/rbf:gamma=1/rbf:gamma=10"],
        ["tune", "larger.txt", "--grid", "kernel=rbf:gamma=0.1/poly:degree=2", "--approx", "nystroem:100"],
        ["tune", "larger.txt", "--position-gains", "gains.csv", "--tolerance", "1e-7"],
        [
            "recommend",
            "train",
            "ratings.csv",
            "--rounds",
            100000,
            "--tolerance",
            "1e-9",
            "--start-sweeps",
            10000,
            "--rank",
            20,
        ],
    ],
    ids=lambda command: "-".join(word.strip("-") for word in map(str, command[:1] + command[2:3] + command[-2:-1])),
)
def test_a_time_limit_is_for_the_whole_run(here, command):
    if "nystroem:100" in command or any("kernel" in str(word) for word in command):
        dorm("synth", "--queries", 30, "--features", 10, "--documents-median", 20, "-o", "few.txt")
        command = [str(word).replace("larger.txt", "few.txt") for word in command]
    began = time.monotonic()
    dorm(*command, "--time-limit", 3, "--model", "m.json", timeout=60)
    assert time.monotonic() - began < 15  # a machine that is busy with other things
    assert Path("m.json").stat().st_size > 0
