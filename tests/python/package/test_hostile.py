"""What would end the command must not end the interpreter either. Each case runs in a Python of its own, which has to
live long enough to say so."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import dorm

MEMORY = 2_500_000_000  # bytes of address space; Python with numpy and scikit-learn takes half of it


def survives(code, *arguments, memory=None):
    """What the code printed; it has to reach its end."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))" if memory else ""
    text = f"import sys, os, numpy as np, dorm\n{limit}\n{code}\nprint('alive')\n"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-2000:]}"
    assert done.stdout.endswith("alive\n")
    return done.stdout


# Tells what was said about each file, so that the last line before an end names the one that caused it.
LOAD_ALL = """
for path in sys.argv[1:]:
    for load in (dorm.DormRanker.load, dorm.recommend.DormFactorization.load):
        print(path, flush=True)
        try:
            load(path)
        except (ValueError, OSError, NotImplementedError) as error:
            assert os.path.basename(path) in str(error), error
        else:
            sys.exit(path + ' was accepted')
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory, ranker):
    path = tmp_path_factory.mktemp("models") / "m.json"
    ranker.save(path)
    return path


def test_bombs_are_refused(tmp_path):
    bombs = {
        "arrays": "[" * 400_000,
        "objects": '{"a":' * 200_000,
        "kind": '{"format":"dorm-model","version":1,"kind":' + "[" * 400_000,
        "number": '{"format":"dorm-model","version":' + "9" * 100_000 + "}",
        "factors": "dorm-factors 2\n" + "\x7f" * 64,
    }
    for name, content in bombs.items():
        (tmp_path / name).write_text(content)
    survives(LOAD_ALL, *(tmp_path / name for name in bombs))


def test_numbers_of_a_model_are_checked(tmp_path, model):
    changes = [
        ("version", 3.7), ("version", -1), ("rounds", 1e300), ("rounds", -1), ("weights", [None] * 7), ("weights", []),
        ("features", ["a"] * 7), ("scaling", {"kind": "zscore", "shift": [], "factor": []}),
    ]  # fmt: skip
    files = []
    for number, (field, value) in enumerate(changes):
        files.append(tmp_path / f"{number}-{field}.json")
        files[-1].write_text(json.dumps({**json.loads(model.read_text()), field: value}))
    survives(LOAD_ALL, *files)


def test_threads_that_cannot_be_made_are_done_without():
    """More threads than the address space has room for."""
    survives(
        "X, y, qid = dorm.synth(queries=40, features=5, seed=1, n_jobs=64)\n"
        "dorm.DormRanker(n_jobs=64, solver_options={'max_passes': 5}).fit(X, y, qid=qid).predict(X, qid=qid)",
        memory=MEMORY,
    )


@pytest.mark.parametrize("last", [99_999_999, 2**31 - 1])
def test_memory_follows_the_file_not_its_largest_feature(tmp_path, last):
    rows = [f"{i % 2} qid:{q} 1:{i / 7} {last}:{1 - i / 9}" for q in (1, 2) for i in range(5)]
    (tmp_path / "wide.txt").write_text("\n".join(rows) + "\n")
    survives("print(dorm.read_letor(sys.argv[1]))", tmp_path / "wide.txt", memory=MEMORY)


def test_a_full_disk_is_an_error(model):
    code = (
        "model = dorm.DormRanker.load(sys.argv[1])\n"
        "try:\n    model.save('/dev/full')\nexcept OSError as error:\n    print(error)\nelse:\n    sys.exit('saved')"
    )
    assert "/dev/full" in survives(code, model)


def test_a_binary_file_that_shrinks_under_its_reader(tmp_path):
    command = os.environ.get("DORM_COMMAND")
    if not command:
        pytest.skip("DORM_COMMAND names no command that writes the binary form")
    path = tmp_path / "data.dorm"
    subprocess.run([command, "synth", "--queries", "300", "--features", "40", "-o", path], check=True)
    survives(
        "data = dorm.read_letor(sys.argv[1])\nos.truncate(sys.argv[1], 4096)\n"
        "try:\n    dorm.DormRanker(solver_options={'max_passes': 2}, n_jobs=1).fit(data)\n"
        "except (ValueError, OSError, RuntimeError) as error:\n    print(error)",
        path,
    )


def test_no_dual_above_its_primal():
    rng = np.random.default_rng(0)
    for scale in (1, 1e-20, 1e-38, 1e-45, 1e30):
        X = (rng.normal(size=(40, 3)) * scale).astype(np.float32)
        y, qid = rng.integers(0, 3, 40), np.repeat(np.arange(8), 5)
        for solver in ("bcda", "nslack", "oneslack", "bcfw"):
            try:
                model = dorm.DormRanker(scale="none", solver=solver, solver_options={"max_passes": 50}, n_jobs=1).fit(
                    X, y, qid=qid
                )
            except ValueError:
                continue  # nothing to rank by
            got = model.report_.certificate
            assert got.status == "numerical_trouble" or got.dual <= got.primal * (1 + 1e-6), (scale, solver, got)


def test_a_signal_that_the_program_ignores_stays_ignored():
    code = (
        "import signal, threading, time\n"
        "for number in (signal.SIGTERM, signal.SIGHUP):\n    signal.signal(number, signal.SIG_IGN)\n"
        "stop = threading.Event()\n"
        "def shoot():\n"
        "    while not stop.is_set():\n"
        "        os.kill(os.getpid(), signal.SIGTERM); os.kill(os.getpid(), signal.SIGHUP); time.sleep(0.002)\n"
        "thread = threading.Thread(target=shoot); thread.start()\n"
        "X, y, qid = dorm.synth(queries=100, features=5, seed=1)\n"
        "model = dorm.DormRanker(tolerance=1e-4).fit(X, y, qid=qid)\n"
        "stop.set(); thread.join()\n"
        "assert model.report_.certificate.status == 'converged', model.report_.certificate"
    )
    survives(code)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
