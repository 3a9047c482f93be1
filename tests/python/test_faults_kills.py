# SPDX-License-Identifier: Apache-2.0
"""Every verb that trains, ended by signals at random moments and called again until it is through: it ends with the
bytes of an undisturbed run. DORM_KILLS says how often each is ended (nightly: more)."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

import pytest
from command import DORM, dorm
from every_verb import make_world

KILLS = int(os.environ.get("DORM_KILLS", "3"))
CHECKPOINT = ("--checkpoint", "ck", "--checkpoint-interval", "0")
# Signals that ask for an end: the best model so far is written, and a second run replaces it.
ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(frozen=True)
class Training:
    """`keeps`: what makes a second run go on where the first was ended; without it, it starts again."""

    line: str
    writes: str
    keeps: tuple[str, ...] = ()

    @property
    def words(self):
        return [*self.line.split(), "--quiet"]


def saved(line):
    """`dorm train` that saves its progress at every evaluation."""
    return Training(f"train {line} --model out.json", "out.json", CHECKPOINT)


TRAININGS = {
    "bcda": saved("big.dorm --tolerance 1e-5"),
    "nslack": saved("train.txt --solver nslack --tolerance 1e-4"),
    "oneslack": saved("train.txt --solver oneslack --tolerance 1e-4"),
    "two candidates": saved("big.dorm --valid valid.dorm --tolerance 1e-3"),
    "kernel": saved("train.txt --kernel rbf --tolerance 1e-3"),
    "approximated kernel": saved("big.dorm --kernel rbf --approx nystroem:50 --tolerance 1e-2"),
    "positions": saved("train.txt --position-gains gains.csv --tolerance 1e-4"),
    "topics": saved("few.txt --topics topics.csv --limits limits.csv --measure ndcg@3 --top 3"),
    "baseline": Training("train big.dorm --method ranksvm --model out.json", "out.json"),
    "stream": Training("train big.txt --stream big.txt --model out.json", "out.json"),
    "tune": Training(
        "tune train.txt --folds 3 --grid C=1/10/100,decay=measure --model out.json", "out.json", CHECKPOINT
    ),
    "tune with kernels": Training(
        "tune train.txt --folds 2 --grid C=1/10,kernel=none/rbf:gamma=1,bound=best --model out.json",
        "out.json",
        CHECKPOINT,
    ),
    "tune without a checkpoint": Training(
        "tune train.txt --valid train.txt --grid C=1/10 --model out.json", "out.json"
    ),
    "factorize": Training(
        "recommend train many.tsv --model out.factors --rank 20", "out.factors", ("--checkpoint", "ck")
    ),
}
ROUNDED = {"factorize"}  # its checkpoints hold no planes: a resumed run agrees to the tolerance (docs/ratings.md)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    for name in ("big.dorm", "big.txt"):
        dorm("synth", "--queries", 150, "--features", 20, "--documents-median", 20, "--seed", 5, "-o", folder / name)
    dorm("synth", "--queries", 40, "--features", 20, "--documents-median", 20, "--seed", 6, "-o", folder / "valid.dorm")
    rng = random.Random(3)
    lines = (f"{u},{i},{rng.randint(1, 5)}\n" for u in range(120) for i in rng.sample(range(100), 30))
    (folder / "many.tsv").write_text("".join(lines))
    return folder


def run(words, folder, ended_by=None, after=None):
    """The exit status; None when the signal came in time."""
    with subprocess.Popen([DORM, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            errors = process.communicate(timeout=60 if ended_by is None else after)[1]
        except subprocess.TimeoutExpired:
            process.send_signal(ended_by or signal.SIGKILL)
            errors = process.communicate(timeout=60)[1]
            assert ended_by is not None, "it did not end"
            early = process.returncode == 1 and b"stopped before" in errors  # there was nothing to keep yet
            assert early or process.returncode in (0, -ended_by, 128 + ended_by), errors.decode()
            return None
    assert process.returncode == 0, errors.decode()
    return 0


def objective_of(factors):
    """From the header of a factor file: a line, the length of the JSON, the JSON."""
    begin = factors.index(b"\n") + 9
    length = int.from_bytes(factors[begin - 8 : begin], "little")
    return json.loads(factors[begin : begin + length])["objective"]


@pytest.mark.parametrize("number", [signal.SIGKILL, *ASKING], ids=lambda number: number.name)
@pytest.mark.parametrize("name", TRAININGS)
def test_a_run_that_was_ended_goes_on_to_the_same_bytes(world, tmp_path, name, number):
    training = TRAININGS[name]
    folder = tmp_path / "run"
    shutil.copytree(world, folder)
    began = time.monotonic()
    run(training.words, folder)
    whole_time = time.monotonic() - began
    whole = (folder / training.writes).read_bytes()
    (folder / training.writes).unlink()
    rng = random.Random(f"{name} {number}")
    words = [*training.words, *training.keeps]
    for _ in range(KILLS):
        if run(words, folder, number, rng.uniform(0, whole_time)) == 0:
            break
        litter = [path.name for path in folder.glob("*.tmp")]
        assert number == signal.SIGKILL or not litter, litter
    run(words, folder)
    content = (folder / training.writes).read_bytes()
    if name in ROUNDED:
        assert objective_of(content) == pytest.approx(objective_of(whole), rel=1e-2)
    else:
        assert content == whole
    assert not (folder / "ck").exists(), "the checkpoint outlived the training"
    for path in world.iterdir():
        if path.is_file():
            assert (folder / path.name).read_bytes() == path.read_bytes(), f"the input {path.name} was changed"


@pytest.mark.parametrize("number", [signal.SIGKILL, *ASKING], ids=lambda number: number.name)
def test_an_experiment_that_was_ended_goes_on_to_the_same_table(world, tmp_path, number):
    words = ["lab", "experiment", "decay-effect", "--data-dir", str(world / "data"), "--quiet"]
    began = time.monotonic()
    run([*words, "--out", "whole"], tmp_path)
    whole_time = time.monotonic() - began
    rng = random.Random(int(number))
    for _ in range(KILLS):
        run([*words, "--out", "ended"], tmp_path, number, rng.uniform(0, whole_time))
    run([*words, "--out", "ended"], tmp_path)
    whole, ended = ((tmp_path / folder / "decay-effect.csv").read_bytes() for folder in ("whole", "ended"))
    assert whole == ended
