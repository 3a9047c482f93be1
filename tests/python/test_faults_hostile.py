# SPDX-License-Identifier: Apache-2.0
"""Small files made to do harm, and properties that every run has: memory follows the size of a file, ignored signals
stay ignored, modes of replaced files are kept, no output replaces an input, no dual is above its primal."""

import itertools
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import DORM
from every_verb import CASES, Workshop, make_world

ROUNDING = 1e-6  # planes are kept in 32 bits: near the optimum a dual may pass the primal by so much
MEMORY = 1_000_000_000  # bytes of address space for files of a few hundred bytes: what libraries take is a tenth


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    world = tmp_path_factory.mktemp("world")
    make_world(world)
    return Workshop(world, tmp_path_factory.mktemp("runs"))


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def command(*words, **options):
    return subprocess.run([DORM, *map(str, words)], capture_output=True, timeout=60, **options)


# ---- memory ----------------------------------------------------------------------------------------------------------


def large_ids(last):
    """Two queries whose features have small numbers but one."""
    rows = [f"{i % 2} qid:{q} 1:{i / 7} {last}:{1 - i / 9}" for q in (1, 2) for i in range(5)]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("last", [10**6, 99_999_999, 2**31 - 1])
@pytest.mark.parametrize(
    "line",
    [
        "info bad.txt",
        "convert bad.txt out.dorm",
        "train bad.txt --model out.json --scale none",
        "train bad.txt --model out.json --scale zscore",
        "train bad.txt --model out.json --scale minmax",
        "train bad.txt --model out.json",
        "train bad.txt --model out.json --method ranksvm",
        "tune bad.txt --folds 2 --grid C=1/10 --model out.json",
        "rank own.json bad.txt -o out.scores",
        "eval bad.txt --model own.json",
        "compare bad.txt --folds 3 --methods ridge --C 1",
    ],
)
def test_memory_follows_the_file_not_its_largest_feature(tmp_path, line, last):
    (tmp_path / "bad.txt").write_text(large_ids(last))
    if "own.json" in line:
        made = command("train", "bad.txt", "--model", "own.json", cwd=tmp_path, preexec_fn=limited)
        assert made.returncode == 0, made.stderr.decode()
    done = command(*line.split(), "--threads", 2, cwd=tmp_path, preexec_fn=limited)
    refused = "compare" in line and b"queries" in done.stderr  # two queries are too few for its parts
    assert done.returncode == 0 or refused, done.stderr.decode()


NESTED = 200_000
BOMBS = {
    "deep json": "{" + '"a":[' * NESTED,
    "deep array": "[" * NESTED,
    "deep model": '{"format":"dorm-model","version":3,"kind":' + "[" * NESTED,
    "long number": '{"format":"dorm-model","version":' + "9" * 100_000 + "}",
    "a number beyond all": '{"format":"dorm-model","version":1e999}',
    "long line": "1 qid:1 " + " ".join(f"{j}:1" for j in range(1, 50_000)),
    "zeros": "\0" * 100_000,
    "a promise of arrays": "dorm-factors 2\n" + "\x7f" * 64,
    "a magic": "\x89DORM\r\n\x1a" + "\xff" * 200,
    "gzip without content": "\x1f\x8b" + "\x00" * 50,
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("words", ["info bomb", "rank bomb train.txt", "recommend top bomb --all",
                                   "export bomb --to sql",
                                   "eval train.txt --model bomb", "convert bomb out.dorm",
                                   "train train.txt --initial bomb --model out.json",
                                   "train train.txt --checkpoint bomb --model out.json",
                                   "recommend train ratings.tsv --start-from bomb --model out.json",
                                   "recommend train ratings.tsv --checkpoint bomb --model out.json"])  # fmt: skip
def test_bombs_end_in_a_message(workshop, name, words):
    folder = workshop.folder()
    content = BOMBS[name].encode("latin-1")
    (folder / "bomb").write_bytes(content)
    done = command(*words.split(), cwd=folder, preexec_fn=limited)
    readable = name == "long line" and words in ("info bomb", "convert bomb out.dorm")
    assert done.returncode == (0 if readable else 1), done.stderr.decode()
    assert readable or b"bomb" in done.stderr.splitlines()[-1], done.stderr.decode()
    assert (folder / "bomb").read_bytes() == content
    shutil.rmtree(folder)


# ---- signals, inputs, modes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
@pytest.mark.parametrize(
    "name", [name for name in CASES if name.split()[0] in ("train", "tune", "factorize", "compare")]
)
def test_ignored_signals_stay_ignored(workshop, name, number):
    folder = workshop.folder()
    process = subprocess.Popen(
        [DORM, *CASES[name].words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
    )
    while process.poll() is None:
        process.send_signal(number)
        time.sleep(0.005)
    errors = process.communicate(timeout=60)[1]
    workshop.inspect(name, folder, subprocess.CompletedProcess([], process.returncode, stderr=errors))
    assert process.returncode == 0, errors.decode()
    shutil.rmtree(folder)


def options_that_write(case):
    if case.words[0] == "split":
        return []  # -o is how the names of the parts begin
    outputs = {"-o", "--report", "--per-query", "--checkpoint"} | (
        {"--model"} if not {"eval", "evaluate"} & set(case.words[:2]) else set()
    )
    return [i + 1 for i, word in enumerate(case.words) if word in outputs]


def inputs_of(case, world):
    return [word for word in case.words if (world / word).is_file()]


OVERWRITES = [(name, place) for name, case in CASES.items() for place in options_that_write(case)]


@pytest.mark.parametrize("way", ["itself", "link"])
@pytest.mark.parametrize(("name", "place"), OVERWRITES, ids=lambda value: str(value))
def test_no_output_replaces_an_input(workshop, name, place, way):
    case = CASES[name]
    for source in inputs_of(case, workshop.world):
        folder = workshop.folder()
        words = case.words
        words[place] = source if way == "itself" else "alias" + Path(source).suffix
        if way == "link":
            (folder / words[place]).symlink_to(source)
        done = command(*words, cwd=folder)
        assert done.returncode in (1, 2), f"{' '.join(words)}: {done.returncode}"
        assert (folder / source).read_bytes() == (workshop.world / source).read_bytes()
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.writes and "/" not in case.writes[0]])
def test_replaced_files_keep_their_modes(workshop, name, mode=0o640):
    folder = workshop.folder()
    for file in CASES[name].writes:
        (folder / file).write_text("old")
        (folder / file).chmod(mode)
    done = workshop.run(CASES[name], folder)
    workshop.inspect(name, folder, done)
    assert done.returncode == 0
    for file in CASES[name].writes:
        assert (folder / file).stat().st_mode & 0o777 == mode
    shutil.rmtree(folder)


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no /dev/shm")
def test_files_in_shared_memory_are_replaced_like_any_other(tmp_path):
    path = Path(f"/dev/shm/dorm-test-{os.getpid()}.txt")
    try:
        for queries in (20, 2):
            assert command("synth", "--queries", queries, "--features", 3, "-o", path).returncode == 0
        command("synth", "--queries", 2, "--features", 3, "-o", tmp_path / "expected.txt")
        assert path.read_bytes() == (tmp_path / "expected.txt").read_bytes()
    finally:
        path.unlink(missing_ok=True)


def test_an_open_stream_is_written_to_and_not_replaced(tmp_path):
    """Its file keeps its identity: others have it open."""
    path = tmp_path / "out.txt"
    with open(path, "wb") as out:
        before = os.fstat(out.fileno()).st_ino
        words = [DORM, "synth", "--queries", "2", "--features", "3", "-o", "/dev/stdout"]
        subprocess.run(words, stdout=out, check=True, timeout=60)
    assert path.stat().st_ino == before and path.stat().st_size > 0


# ---- certificates ----------------------------------------------------------------------------------------------------


def random_problem(rng):
    """Ranking data whose features may be tiny, huge, equal or hardly different."""
    scale = rng.choice([1, 1e-3, 1e-20, 1e-38, 1e-45, 1e15, 1e30])
    features = rng.choice([1, 2, 5])
    lines = []
    for query in range(rng.randint(2, 6)):
        for _ in range(rng.randint(1, 8)):
            values = (rng.choice([0.0, 1.0, rng.gauss(0, 1)]) * scale for _ in range(features))
            lines.append(f"{rng.randint(0, 4)} qid:{query} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(values, 1)))
    return "\n".join(lines) + "\n"


def certificates(value):
    """Every object of a report that has a primal and a dual."""
    if isinstance(value, dict):
        if "primal" in value and "dual" in value:
            yield value
        value = value.values()
    elif not isinstance(value, list):
        return
    for part in value:
        yield from certificates(part)


@pytest.mark.parametrize("seed", range(int(os.environ.get("DORM_CERTIFICATES", "40"))))
def test_no_dual_is_above_its_primal(tmp_path, seed):
    rng = random.Random(seed)
    (tmp_path / "data.txt").write_text(random_problem(rng))
    choices = {
        "--solver": ["bcda", "nslack", "oneslack", "bcfw", "fw"],
        "--scale": ["none", "auto", "zscore", "query-minmax"],
        "--bound": ["best", "predicted", "average"],
        "-C": ["1e-6", "1", "1e6", "1e12"],
        "--measure": ["ndcg@10", "mrr", "precision@2", "wta"],
        "--tolerance": ["1e-3", "1e-8"],
    }
    words = list(itertools.chain.from_iterable((name, rng.choice(values)) for name, values in choices.items()))
    line = ["train", "data.txt", "--model", "out.json", "--json", "--passes", 200, "--time-limit", 5, *words]
    done = command(*line, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr.decode()
    if done.returncode == 1:
        return  # nothing to learn from, or numbers too large: refused
    reports = [json.loads(done.stdout), json.loads((tmp_path / "out.json").read_text())]
    found = list(certificates(reports))
    assert found
    for report in found:
        primal, dual = report["primal"], report["dual"]
        assert math.isfinite(primal) and math.isfinite(dual), report
        if dual - primal > ROUNDING * abs(primal):
            assert report["status"] == "numerical_trouble", (words, report)
        elif report["status"] == "converged":
            assert abs(report["gap"] * primal - (primal - dual)) <= ROUNDING * primal, (words, report)
