# SPDX-License-Identifier: Apache-2.0
"""`mpirun dorm train`: the bytes of one process on any number of processes, whatever becomes of them, and no hang.

The command is build-mpi/dorm (make mpi) or what DORM_MPI_COMMAND names; mpirun is that of the environment that runs the
tests, or of the path."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("DORM_MPI_COMMAND", ROOT / "build-mpi" / "dorm"))
MPIRUN = shutil.which("mpirun", path=str(Path(sys.executable).parent)) or shutil.which("mpirun")
LIMIT = 60  # seconds; a run that takes longer hangs

pytestmark = [
    pytest.mark.skipif(not COMMAND.exists(), reason=f"{COMMAND} is not built (make mpi)"),
    pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun"),
]


def launcher(ranks):
    """Open MPI refuses more processes than cores, and root, unless it is told; others know neither option."""
    said = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, timeout=LIMIT).stdout
    options = ["--oversubscribe", "--allow-run-as-root"] if "Open MPI" in said else []
    return [MPIRUN, *options, "-n", str(ranks)]


def run(words, status=0):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=LIMIT)
    assert status is None or done.returncode == status, f"exit {done.returncode}: {done.stderr}"
    return done


def alone(*words, status=0):
    return run([COMMAND, *words], status)


def together(ranks, *words, status=0):
    return run([*launcher(ranks), COMMAND, *words], status)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """150 queries with ids of all kinds, one of them giant, in 16 files; some shards of 500 have no query."""
    folder = tmp_path_factory.mktemp("mpi")
    at = lambda name: folder / name
    alone("synth", "--queries", 150, "--features", 10, "--documents-median", 12, "--seed", 7, "-o", at("plain.txt"))
    rows = []
    for row in at("plain.txt").read_text().splitlines():
        label, query, *rest = row.split(" ", 2)
        number = int(query[4:])
        name = "giant" if number < 20 else f"query-{number}é" if number % 3 else str(number)
        rows.append(" ".join([label, f"qid:{name}", *rest]).split("#")[0].rstrip() + "\n")
    random.Random(1).shuffle(rows)
    at("data.txt").write_text("".join(rows))
    alone("convert", at("data.txt"), at("parts"), "--shards", 16)
    alone("convert", at("data.txt"), at("many"), "--shards", 500)
    alone("synth", "--queries", 40, "--features", 10, "--documents-median", 12, "--seed", 8, "-o", at("valid.txt"))
    alone("train", at("data.txt"), "--shards", 64, "--model", at("one.json"), "-q")
    return folder


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_any_number_of_processes_gives_the_bytes_of_one(world, tmp_path, ranks):
    for data in ("parts/part-*.dorm", "data.txt"):
        done = together(ranks, "train", world / data, "--shards", 64, "--model", tmp_path / "m.json")
        assert (tmp_path / "m.json").read_bytes() == (world / "one.json").read_bytes()
        assert done.stdout.count("certificate") == 1
        assert done.stderr.count("processes") == (ranks > 1)


def test_shards_without_queries_and_more_shards_than_files(world, tmp_path):
    assert len(list((world / "many").iterdir())) < 150
    for data, shards in (("many", ()), ("parts", ("--shards", 48))):
        alone("train", world / data, "--solver", "shards", *shards, "--model", tmp_path / "a.json", "-q")
        together(3, "train", world / data, *shards, "--model", tmp_path / "b.json", "-q")
        assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_the_printed_validation_is_that_of_eval(world, tmp_path):
    words = ["train", world / "parts", "--shards", 64, "--valid", world / "valid.txt", "-q", "--json"]
    alone(*words, "--model", tmp_path / "a.json")
    printed = json.loads(together(3, *words, "--model", tmp_path / "b.json").stdout)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    model = json.loads((tmp_path / "b.json").read_text())
    judged = alone("eval", world / "valid.txt", "--model", tmp_path / "b.json", "--measures", "ndcg@10", "--json", "-q")
    assert f"{model['validation']!r}" in judged.stdout, (printed, judged.stdout)


def test_what_is_unjudged_is_settled_over_all_processes(world, tmp_path):
    rows = (world / "plain.txt").read_text().splitlines()
    rows = [("-1" if k % 9 == 0 else row[0]) + row[1:] for k, row in enumerate(rows)]
    for name, more in (("whole", []), ("half", ["0.5 qid:150 1:1"])):
        (tmp_path / f"{name}.txt").write_text("\n".join(rows + more) + "\n")
        alone("convert", tmp_path / f"{name}.txt", tmp_path / name, "--shards", 8)
        alone("train", tmp_path / name, "--shards", 32, "--model", tmp_path / "a.json", "-q")
        done = together(3, "train", tmp_path / name, "--shards", 32, "--model", tmp_path / "b.json")
        assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
        assert ("have label -1" in done.stderr) == (name == "whole")


def test_mistakes_end_all_and_are_named_once(world, tmp_path):
    model = tmp_path / "m.json"
    shutil.copytree(world / "parts", tmp_path / "bad")
    file = tmp_path / "bad" / "part-00003-of-00016.dorm"  # of the last process
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 255
    file.write_bytes(content)
    for words, message in [
        ([tmp_path / "bad"], "part-00003-of-00016.dorm: damaged"),
        ([world / "parts", "--shards", 50], "the files are 16 shards; with several processes expected a multiple"),
        ([world / "parts", "--solver", "bcfw"], "the solver bcfw does not support several processes"),
        ([world / "none-*.dorm"], "no file has such a name"),
        ([world / "parts", "--report", tmp_path / "r.html"], "--report does not go with several processes"),
        ([world / "parts", "--shardz", 5], 'unknown option "--shardz"'),
        ([world / "parts", "--measure", "nonsense"], "nonsense"),
    ]:
        done = together(4, "train", *words, "--model", model, status=None)
        assert done.returncode != 0 and not model.exists()
        lines = [line for line in done.stderr.splitlines() if line.startswith("dorm: ") and "see dorm" not in line]
        assert len(lines) == 1 and message in lines[0], done.stderr
    done = together(2, "train", world / "parts", "--model", tmp_path / "none" / "m.json", status=None)
    assert done.returncode != 0 and done.stderr.count("there is no such folder") == 1


def started(world, folder, ranks):
    """A training that takes long enough to be disturbed, once it has saved its progress; its processes."""
    words = [*launcher(ranks), COMMAND, *long_training(world, folder)]
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    checkpoint, limit = folder / "ck", time.monotonic() + LIMIT
    while not checkpoint.exists():
        assert time.monotonic() < limit and process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    ours = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            said = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if said[0] == os.fsencode(COMMAND) and os.fsencode(folder / "m.json") in said:
            ours.append(int(entry.parent.name))
    return process, sorted(ours)


def long_training(world, folder):
    return ["train", world / "parts", "--shards", 32, "--tolerance", 1e-8, "--passes", 100000, "-C", 1000,
            "--model", folder / "m.json", "--checkpoint", folder / "ck", "--checkpoint-interval", 0]  # fmt: skip


@pytest.fixture(scope="module")
def undisturbed(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    alone(*long_training(world, folder))
    return (folder / "m.json").read_bytes()


@pytest.mark.parametrize("victim", [0, 2])
def test_after_a_process_was_killed_the_same_command_goes_on_to_the_same_bytes(world, tmp_path, undisturbed, victim):
    process, ours = started(world, tmp_path, 3)
    if process.poll() is None and len(ours) == 3:
        os.kill(ours[victim], signal.SIGKILL)
    process.communicate(timeout=LIMIT)
    assert process.returncode != 0 and (tmp_path / "ck").exists()
    together(3, *long_training(world, tmp_path))
    assert (tmp_path / "m.json").read_bytes() == undisturbed
    assert not (tmp_path / "ck").exists()


def test_a_process_that_hangs_ends_all(world, tmp_path, monkeypatch):
    monkeypatch.setenv("DORM_MPI_TIMEOUT", "2")
    process, ours = started(world, tmp_path, 3)
    os.kill(ours[2], signal.SIGSTOP)
    try:
        _, said = process.communicate(timeout=LIMIT)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(ours[2], signal.SIGKILL)
    assert process.returncode != 0 and b"for 2 s: one of them hangs" in said, said


def test_an_interrupt_ends_all_in_time_and_the_same_command_goes_on(world, tmp_path, undisturbed):
    process, _ = started(world, tmp_path, 3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LIMIT)
    assert process.returncode != 0
    together(2, *long_training(world, tmp_path))
    assert (tmp_path / "m.json").read_bytes() == undisturbed
